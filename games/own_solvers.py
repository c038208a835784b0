"""What a solver that a game brings along is believed: what a checker has seen, and in small games everything.

Solvers of the package are compared with enumeration by its tests; one of somebody's own is compared here, at every
search. What every profile costs that it names is computed again, :mod:`.search` checks the equilibria among them, none
is beyond the extremes that it states or better than its optimum, and no fewer are counted than named. A game of few
profiles is then enumerated, and all that was said has to agree. In a larger one nothing shows that no equilibrium is
missing: the names of such claims are returned, bounds are left out, and a record that has any is not complete.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, Final

from ..support.errors import ContradictionError, MechanismError
from ..support.loading import load
from . import checkers
from .protocol import Game, Outcome, check_profile, count_profiles, outcome, price, sense_of
from .results import Bounds, Equilibria, Findings, Options

SMALL: Final = 10_000
"""So many profiles are enumerated to check what a solver says; most games take less than a second."""
_EXTREMES: Final = ("best", "worst")


def confirmed(game: Game, name: str, findings: Findings, options: Options) -> tuple[Findings, tuple[str, ...]]:
    """The findings, whose named equilibria are checked, and the names of those that nothing has checked.

    Raises ContradictionError for what is wrong.
    """
    for problem in _inconsistent(game, findings, options):
        raise ContradictionError(f"method {name!r}: {problem}")
    table = _enumerated(game, options)
    if table is None:
        return dataclasses.replace(findings, bounds=None), tuple(_claims(findings))
    for field, (claimed, true) in _compared(game, findings, table).items():
        if claimed != true:
            raise ContradictionError(f"method {name!r}: {field} is {claimed}; every profile tried: {true}")
    left = {"equilibria.classes": table.equilibria.classes is None and findings.equilibria.classes is not None}
    left["certificate"] = findings.certificate is not None
    return findings, tuple(name for name, unknown in left.items() if unknown)


def played_again(game: Game, name: str, findings: object) -> Findings:
    """Every outcome as the game itself answers.

    Raises ContradictionError where the solver says otherwise, MechanismError for what is no answer of a solver.
    """
    if not isinstance(findings, Findings):
        raise MechanismError(f"method {name!r}: found {type(findings).__name__}; expected Findings")

    def again(answer: Any) -> Any:
        if isinstance(answer, tuple):
            return tuple(map(again, answer))
        if not isinstance(answer, Outcome):
            return answer
        here = outcome(game, check_profile(game, answer.profile))
        for what, claimed, true in (
            ("costs() are", tuple(answer.costs), here.costs),
            ("the social cost is", answer.social_cost, here.social_cost),
        ):
            if claimed != true:
                wrote = f"({', '.join(map(str, claimed))})" if isinstance(claimed, tuple) else claimed
                right = f"({', '.join(map(str, true))})" if isinstance(true, tuple) else true
                raise ContradictionError(f"method {name!r}: found {wrote} at {answer.profile!r}; {what} {right}")
        return here

    def all_again(row: Any) -> dict[str, Any]:
        return {field.name: again(getattr(row, field.name)) for field in dataclasses.fields(row)}

    fields = all_again(findings) | {"certificate": findings.certificate}
    return Findings(**fields | {"equilibria": Equilibria(**all_again(findings.equilibria))})


def _inconsistent(game: Game, findings: Findings, options: Options) -> Iterator[str]:
    """What cannot be, whatever the game is."""
    equilibria, optimum = findings.equilibria, findings.optimum
    named = [one for one in (*equilibria.listed, equilibria.best, equilibria.worst) if one is not None]
    costs = [one.social_cost for one in named]
    if named and equilibria.exists is not True:
        yield f"an equilibrium is named, {named[0].profile!r}, and exists is {equilibria.exists}"
    if equilibria.count is not None and (equilibria.count > 0) is not equilibria.exists:
        yield f"the count is {equilibria.count}, and exists is {equilibria.exists}"
    if equilibria.count is not None and equilibria.count < len({one.profile for one in named}):
        yield f"{len({one.profile for one in named})} equilibria are named, and the count is {equilibria.count}"
    if costs and equilibria.best is not None and min(costs) < equilibria.best.social_cost:
        yield f"an equilibrium of social cost {min(costs)} is named, and the best has {equilibria.best.social_cost}"
    if costs and equilibria.worst is not None and max(costs) > equilibria.worst.social_cost:
        yield f"an equilibrium of social cost {max(costs)} is named, and the worst has {equilibria.worst.social_cost}"
    if costs and optimum is not None and min(costs) < optimum.social_cost:
        yield f"an equilibrium of social cost {min(costs)} is named, and the optimum has {optimum.social_cost}"
    if named and findings.smallest_epsilon not in (None, 1):
        yield f"the smallest epsilon is {findings.smallest_epsilon}, and an equilibrium is named"
    if named and findings.smallest_regret not in (None, 0):
        yield f"the smallest regret is {findings.smallest_regret}, and an equilibrium is named"
    for near in findings.approximate or ():
        if options.epsilon is not None and checkers.epsilon(game, near.profile) > options.epsilon:
            yield f"{near.profile!r} is listed as approximate; its epsilon is {checkers.epsilon(game, near.profile)}"


def _enumerated(game: Game, options: Options) -> Findings | None:
    """Everything about a small game; ``None`` for others, and where time is up first."""
    if count_profiles(game) > SMALL:
        return None
    solve = load(".games.enumeration:enumeration_search")
    findings: Findings = solve(game, dataclasses.replace(options, progress=None))
    return findings if findings.complete else None


def _compared(game: Game, findings: Findings, table: Findings) -> dict[str, tuple[Any, Any]]:
    """What was said of all profiles beside what is true; extremes by their costs, since several may have these."""
    claimed, true = (_numbers(each) for each in (findings, table))
    pairs = {name: (value, true[name]) for name, value in claimed.items() if value is not None}
    if true["classes"] is None:  # the game does not say what is the same
        pairs.pop("classes", None)
    if not _decided(findings):  # the best known ones
        pairs = {name: pair for name, pair in pairs.items() if not name.startswith(("best", "worst"))}
    bounds, sense = findings.bounds or Bounds(), sense_of(game)
    optimum, worst, best = true["optimum"], true["worst equilibrium"], true["best equilibrium"]
    values = {"worst": worst, "best": best, "epsilon": true["smallest epsilon"]}
    values |= {"price_of_anarchy": price(worst, optimum, sense), "price_of_stability": price(best, optimum, sense)}
    for name, value in values.items():
        least, most = getattr(bounds, f"{name}_at_least", None), getattr(bounds, f"{name}_at_most", None)
        if value is not None and least is not None and value < least:
            pairs[f"the bound {name}_at_least"] = (least, value)
        if value is not None and most is not None and value > most:
            pairs[f"the bound {name}_at_most"] = (most, value)
    return pairs


def _numbers(findings: Findings) -> dict[str, Any]:
    equilibria = findings.equilibria
    ends = {f"{end} equilibrium": getattr(equilibria, end) for end in _EXTREMES} | {"optimum": findings.optimum}
    return {
        "exists": equilibria.exists,
        "the count": equilibria.count,
        "classes": equilibria.classes,
        **{name: None if one is None else one.social_cost for name, one in ends.items()},
        "smallest epsilon": findings.smallest_epsilon,
        "smallest regret": findings.smallest_regret,
        "sinks": findings.sinks,
        "approximate_count": findings.approximate_count,
    }


def _decided(findings: Findings) -> bool:
    """Whether the extremes are said to be those of all equilibria, not of those found so far."""
    return findings.complete or findings.equilibria.count is not None


def _claims(findings: Findings) -> Iterator[str]:
    """Names of what would take every profile to check."""
    equilibria = findings.equilibria
    witnessed = bool(equilibria.listed or equilibria.best or equilibria.worst)
    ends = _EXTREMES if _decided(findings) else ()
    names = ["count", "classes", *ends] if witnessed else ["exists", "count", "classes"]
    yield from (f"equilibria.{name}" for name in names if getattr(equilibria, name) is not None)
    # with an equilibrium at hand the smallest epsilon is 1, and the smallest regret 0
    smallest = () if witnessed else ("smallest_epsilon", "smallest_regret")
    others = ("optimum", *smallest, "sinks", "approximate_count", "certificate")
    yield from (name for name in others if getattr(findings, name) is not None)
    if findings.complete and findings.optimum is not None:
        prices = {"price_of_anarchy": equilibria.worst, "price_of_stability": equilibria.best}
        yield from (name for name, end in prices.items() if end is not None)
