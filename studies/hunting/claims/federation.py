"""Claims about mechanisms of kind ``federation``: by ``verify`` where it checks them, else by what a run shows.

A ratio is compared with the run of rule ``optimal``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

from numpy.random import Generator

from ....games.dynamics import best_response_dynamics
from ....games.placement.all_lengths.cover import leftover
from ....games.placement.all_lengths.shapes import Shape
from ....games.placement.game import PlacementGame
from ....games.placement.theorems import theorem_of
from ....mechanisms.federation.catalogue import ONE_MACHINE
from ....mechanisms.federation.claims import NEEDS, judges, proved_ratio
from ....mechanisms.federation.schedule import lower_bound
from ....verbs.federation.model import Model, model, play
from .verdict import ANY, Answer, Case, Decide, Hunting, Sizes, UnfitError, Verdict, number, of_family, upto

CYCLE: Final = 10**6
"""How near a game is whose best responses run in a cycle, if it had no equilibrium."""
USUAL: Final = {"rule": "coordination", "priority": "organizations", "objective": "makespan"}
FEWEST, MOST = 9, 5
"""Jobs of all, and of one, in a shape whose cover's open regions a hunt begins in."""


def _promised(claim: str) -> Decide:
    """What ``verify`` checks of any rule that has what the claim speaks of."""

    def decide(case: Case) -> Verdict:
        m = model(case.scenario, case.mechanism)
        if not judges(claim, m.rule):
            raise UnfitError(f"{claim} is about rules with {NEEDS[claim][1]}, which this one has not")
        verified = case.ask("verify", property=claim)
        row, expect = verified["claims"].get(claim), dict[str, Any](claims={claim: {"holds": False}})
        if row is None:  # a constraint that is judged whatever the rule promises
            row, expect = {"holds": verified[claim.replace("-", "_")]}, {claim.replace("-", "_"): False}
        broken = None if row["holds"] is None else not row["holds"]
        near = None if broken else _load(m)
        return Verdict(broken, near, {"verify": {**expect, "options": {"property": claim}}})

    return decide


def _load(m: Model) -> Fraction | None:
    """How far the makespan lies above the lower bound: what a rule does badly, it may break."""
    schedule, bound = play(m).schedule, lower_bound(m.federation)
    return None if schedule is None or not bound else schedule.makespan / bound


def _constraint(name: str) -> Decide:
    """A constraint that is judged on every schedule, against the scenario's ``reference``."""

    def decide(case: Case) -> Verdict:
        run = case.ask("run")
        return Verdict(not run[name], _stretched(run), {"run": {name: False}})

    return decide


def _stretched(run: Answer) -> Fraction | None:
    """The largest factor by which somebody ends later than alone."""
    pairs = [(number(row["makespan"]), number(row["local"])) for row in run["organizations"]]
    return max((Fraction(x) / Fraction(y) for x, y in pairs if x is not None and y), default=None)


def _ratio(case: Case) -> Verdict:
    """The makespan beside the optimum, and the ratio that is proved of the rule.

    What the lower bound settles, as it does nearly always, is settled without records.
    """
    m = model(case.scenario, case.mechanism)
    bound = proved_ratio(m.rule, m.federation)
    above = _load(m)
    if above is None or above <= bound:
        return Verdict(False, above)
    twin = case.twin({"mechanism": {"rule": "optimal"}, "placement": None})
    run, best = case.ask("run"), case.ask_of(twin, "run")
    if not best["complete"]:
        return Verdict(None, above)
    factor = Fraction(run["social_cost"]) / Fraction(best["social_cost"])
    scenario = twin.variant({}, {"run": {"social_cost": best["social_cost"]}})
    return Verdict(factor > bound, factor, {"run": {"social_cost": run["social_cost"]}}, (scenario,))


def _pure_equilibrium(case: Case) -> Verdict:
    """A placement game without one; where best responses from home end in one, nothing more needs to be asked.

    Games in which they take long, for their players, are near it, and those in which they run in a cycle the more so
    the fewer equilibria there are.
    """
    m = model(case.scenario, case.mechanism)
    if not m.played:
        raise UnfitError("pure-equilibrium is about coordination mechanisms; under this rule nobody chooses anything")
    game = m.game()
    moves = best_response_dynamics(game)
    if moves.converged:
        return Verdict(False, Fraction(moves.steps, len(moves.start)))
    if isinstance(game, PlacementGame) and theorem_of(game) is not None:
        return Verdict(False, Fraction(CYCLE))
    equilibria = case.ask("search", **({} if case.mechanism is not None else {"method": "cuts"}))["equilibria"]
    if equilibria["exists"] is None:
        return Verdict(None)
    near = CYCLE - (equilibria["count"] or 0)
    return Verdict(not equilibria["exists"], Fraction(near), {"search": {"equilibria": {"exists": False}}})


CLAIMS: Final[Mapping[str, Decide]] = {
    **{
        claim: _promised(claim)
        for claim in (
            "no-job-delayed",
            "local-constraint",
            "cooperation",
            "tomos-ratio",
            "constraints-met",
            "own-jobs-first",
            "approximate-equilibrium",
            "exact-equilibrium",
            "spt-local-total-constraint",
        )
    },
    "selfishness-restriction": _constraint("selfishness_restriction"),
    "lpt-local-constraint": _constraint("local_constraint"),
    "approximation-ratio": _ratio,
    "pure-equilibrium": _pure_equilibrium,
}
"""Every claim of the catalogue, and those that it refutes."""


def _parameters(base: Mapping[str, Any], rng: Generator, size: int) -> dict[str, Any]:
    several = base["mechanism"]["rule"] not in ONE_MACHINE and rng.random() < 0.5
    parameters = {"organizations": upto(rng, 1, 3 + (size > 1)), "fewest": 0, "jobs": upto(rng, 2, 3 + size)}
    return parameters | ({"most_machines": 2} if several else {})


def _theorem(base: Mapping[str, Any], sizes: Sizes) -> str | None:
    """The theorem of :mod:`consortium.games.placement.theorems` that gives all games of these sizes an equilibrium."""
    mechanism = base["mechanism"]
    most = {name: sizes.get(name, (0, None))[1] or math.inf for name in ("organizations", "jobs", "machines")}
    if most["organizations"] <= 2:
        return "two-organizations"
    if mechanism.get("priority") == "jobs":
        return None
    if mechanism.get("objective") == "total-completion":
        return "shortest-first"
    if most["jobs"] <= 2:
        return "two-jobs-or-equal-jobs"
    return "three-organizations" if most["organizations"] <= 3 and most["machines"] <= 1 else None


_draw: Final = of_family(_parameters)


def _near_equilibria(base: Mapping[str, Any], rng: Generator, size: int, sizes: Sizes = ANY) -> dict[str, Any]:
    """Random games; of four organizations with nine jobs or more half are in regions that a cover leaves open.

    With fewer jobs there always is an equilibrium (the documentation's map of shapes).
    """
    data = _draw(base, rng, size, sizes)
    own = data["organizations"]
    counts = tuple(len(each["jobs"]) for each in own)
    right = len(own) == 4 and sum(counts) >= FEWEST and max(counts) <= MOST and "longest" not in sizes
    if (
        not right
        or any(each["machines"] > 1 for each in own)
        or USUAL | base["mechanism"] != USUAL
        or rng.random() < 0.5
    ):
        return data
    if games := leftover(Shape(counts)):
        for each, lengths in zip(own, games[rng.integers(len(games))], strict=True):
            each["jobs"] = list(lengths)
    return data


HUNTING: Final = Hunting(
    CLAIMS,
    _draw,
    ("organizations", "jobs", "machines", "longest"),
    options={
        "exact-equilibrium": {"solver": "exact"},
        "lpt-local-constraint": {"reference": "lpt"},
    },
    starts={"pure-equilibrium": _near_equilibria},
    theorems={"pure-equilibrium": _theorem},
)
