"""One entry point: what do selfish players end up with, and what does it cost everybody?

:func:`search` takes any :class:`~consortium.games.protocol.Game`, runs best-response dynamics, then one solver that it
picks (and says why) or is told, and has every profile it returns re-checked by :mod:`.checkers`, which shares no code
with the methods. No pure equilibrium is an answer, not an error. An interrupted or timed-out search returns what it
has, ``complete=False``, with proved bounds where the solver has any.

>>> from consortium.games.normal_form import NormalFormGame
>>> game = NormalFormGame.from_arrays([[[2, 4], [1, 3]], [[2, 1], [4, 3]]], sense="cost")
>>> found = search(game)
>>> found.equilibria.count, found.equilibria.worst.profile, found.price_of_anarchy, found.dynamics.steps
(1, (1, 1), Fraction(3, 2), 2)

A search that was stopped still proves something. An optimum costs at most what any visited profile costs, an
equilibrium is no better than the best and no worse than the worst, so equilibria and profiles bound both prices from
one side, and what is proved of all equilibria from the other. All of it is exact, and of prices only where there are
any (:func:`.protocol.price`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Final

from ..mechanisms.custom import call
from ..support.errors import (
    ConsortiumError,
    ContradictionError,
    InputError,
    MechanismError,
    TooLargeError,
    quote,
    unknown_name,
)
from ..support.exact import Extended, magnitude
from ..support.interrupts import noticed
from ..support.loading import load
from ..support.progress import Clock, Progress
from . import checkers
from .dynamics import Dynamics, best_response_dynamics, default_profile
from .equilibria.mixed import MixedEquilibria, check_mixed, mixed_equilibria
from .normal_form import COMFORTABLE, MAX_BYTES, check_table_size, table_bytes
from .own_solvers import confirmed, played_again
from .protocol import (
    Game,
    Outcome,
    Sense,
    check_game,
    count_profiles,
    outcome,
    price,
    sense_of,
)
from .registry import Method, ability, methods
from .results import Bounds, Coverage, Equilibria, Findings, HasMethods, Options, Promise, SearchResult, Solver

ENUMERATION: Final = "enumeration"
"""The solver for every game whose table fits."""


def search(
    game: Game,
    method: str | None = None,
    *,
    limit: int = 100,
    time_limit: float | None = None,
    epsilon: int | Fraction | None = None,
    mixed: bool = False,
    start: Sequence[Any] | None = None,
    progress: Progress | None = None,
    max_bytes: int = MAX_BYTES,
) -> SearchResult:
    """Pure equilibria of a game, their prices, and where best responses lead.

    Parameters
    ----------
    game
        Any object with the :class:`~consortium.games.protocol.Game` protocol.
    method
        One of :func:`available_methods`; default: :func:`choose_method`, and ``why`` says for what reason.
    limit
        Most profiles in a list.
    time_limit
        Seconds for everything; what is known by then is returned with ``complete=False``.
    epsilon
        List the epsilon-approximate equilibria too (a factor of at least 1).
    mixed
        Compute mixed equilibria too (two players).
    start
        Where dynamics start.
    progress
        Receiver of progress reports.
    max_bytes
        Most memory for a table.

    Raises
    ------
    TooLargeError
        The method needs a table beyond ``max_bytes``; no work was done.
    UnknownNameError
        No such method; InputError for one that does not cover this game, with the reason.
    ContradictionError
        A solver that the game brings along is wrong, or ``costs()`` does not answer the same for the same profile.
    """
    name, why = prepared(game, method, max_bytes=max_bytes)
    if mixed:
        check_mixed(game)
    solver = _solver(game, name)
    assert solver is not None  # prepared has refused all others
    clock = Clock(time_limit)
    factor = None if epsilon is None else Fraction(epsilon)
    with noticed() as stopped:  # each part catches Ctrl-C itself; those that follow then have no time left
        promise = _promised(game, name)
        dynamics = _played(game, name, start, progress, clock)
        clock = Clock(0) if stopped() else clock
        options = Options(limit, factor, clock, progress, max_bytes, promise and promise.equilibrium)
        own = name in _own_methods(game)
        findings = call(lambda: solver(options), f"method {name!r}") if own else solver(options)
        unchecked = tuple[str, ...]()
        if own:
            findings = played_again(game, name, findings)
        findings = _with_dynamics(_with_promise(findings, promise), dynamics)
        _recheck(game, name, findings, dynamics)
        if own:
            findings, unchecked = confirmed(game, name, findings, options)
        if not unchecked:  # nothing follows from a claim
            findings = _with_bounds(game, findings, dynamics)
        if not unchecked and not any(one.existence for one in methods(game) if one.name == name):
            findings = _with_smallest(findings)
        left = 0 if stopped() else clock.left()
        pairs = mixed_equilibria(game, progress=progress, time_limit=left) if mixed else None
    return _result(game, findings, dynamics, pairs, name, why, unchecked)


def prepared(game: Game, method: str | None = None, *, max_bytes: int = MAX_BYTES) -> tuple[str, str]:
    """The method that :func:`search` takes, and why; raises what it raises before any work.

    >>> from consortium.games.normal_form import NormalFormGame
    >>> prepared(NormalFormGame.from_arrays([[1, 2]], sense="cost"), "enumeration")
    ('enumeration', 'asked for')
    """
    check_game(game)
    name, why = choose_method(game, max_bytes) if method is None else (method, "asked for")
    if _solver(game, name) is None:
        raise _refused(game, name, available_methods(game), max_bytes)
    if name == ENUMERATION:
        check_table_size(game, max_bytes)
    return name, why


def unsearched(game: Game, why: str) -> SearchResult:
    """The answer where pure equilibria are out of reach: who plays, and nothing else."""
    return _result(game, Findings(Equilibria(None), complete=False), None, None, "none", why)


def coverage(game: Game) -> dict[Method, Coverage]:
    """What every solver for games of this class (:mod:`.registry`) says of the game."""
    return {method: load(method.covers)(game) for method in methods(game)}


def available_methods(game: Game) -> Mapping[str, Solver]:
    """Solvers for this game by name: enumeration, those of its class that cover it, then those that it brings along.

    >>> from consortium.agents.organizations import Federation
    >>> from consortium.games.placement.game import PlacementGame
    >>> list(available_methods(PlacementGame(Federation.of([[2, 2], [1]]))))
    ['enumeration', 'branch-and-bound', 'cuts', 'dynamics', 'theorem']
    """
    references = {method.name: method.solve for method, own in coverage(game).items() if own.covered}
    references = {ENUMERATION: ".games.enumeration:enumeration_search", **references}
    solvers = {name: partial(_run, reference, game) for name, reference in references.items()}
    return {**solvers, **_own_methods(game)}


def _own_methods(game: Game) -> Mapping[str, Solver]:
    """The solvers that the game brings along. Raises MechanismError for what are none."""
    if not isinstance(game, HasMethods):
        return {}
    where = f"{type(game).__name__}.search_methods"
    solvers: Mapping[str, Solver] = call(game.search_methods, where)
    if not isinstance(solvers, Mapping) or not all(map(callable, solvers.values())):
        raise MechanismError(f"{where}: found {quote(solvers)}; expected solvers by name")
    return solvers


def _solver(game: Game, name: str) -> Solver | None:
    """The solver of that name, if it covers the game; no other one is asked, which may take long."""
    own = [method for method in methods(game) if method.name == name]
    if own and name not in _own_methods(game):
        return partial(_run, own[0].solve, game) if load(own[0].covers)(game).covered else None
    return available_methods(game).get(name)


def _run(reference: str, game: Game, options: Options) -> Findings:
    findings: Findings = load(reference)(game, options)
    return findings


def choose_method(game: Game, max_bytes: int = MAX_BYTES) -> tuple[str, str]:
    """The method that :func:`search` would use, and why; costs nothing.

    The table while it is small, else the first solver that needs none; a game may choose for itself
    (:class:`.results.HasMethods`).

    >>> from consortium.games.normal_form import NormalFormGame
    >>> choose_method(NormalFormGame.from_arrays([[1, 2]], sense="cost"))
    ('enumeration', '2 profiles fit a table of 64 bytes')
    """
    if hasattr(game, "choose_method"):
        where = f"{type(game).__name__}.choose_method"
        answer = call(game.choose_method, where, max_bytes=max_bytes)
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise MechanismError(f"{where}: found {quote(answer)}; expected the name of a method, and why")
        return answer
    need, covers = table_bytes(game), coverage(game)
    able = [(method.name, own.why) for method, own in covers.items() if own.covered and not method.partial]
    last = [(method.name, own.why) for method, own in covers.items() if own.covered and method.partial]
    too_large = f"a table of all profiles would take {magnitude(need)} bytes"
    if all(method.partial for method in covers):  # nothing better is known of such games
        if need > max_bytes and last:
            return last[0][0], f"{too_large}; {last[0][1]}"
        return ENUMERATION, f"{magnitude(count_profiles(game))} profiles fit a table of {magnitude(need)} bytes"
    reason = next(iter(covers.values())).why
    if not able and last and need > max_bytes:
        return last[0][0], f"{reason}: {too_large}; {last[0][1]}"
    if not able:
        return ENUMERATION, f"{reason}: only the table of all profiles ({magnitude(need)} bytes) answers"
    if need <= min(max_bytes, COMFORTABLE):
        return ENUMERATION, f"all profiles fit a table of {need:,} bytes, which answers everything"
    name, why = able[0]
    return name, f"a table would take {magnitude(need)} bytes; {why}"


def _refused(game: Game, method: str, solvers: Mapping[str, Solver], max_bytes: int) -> ConsortiumError:
    """Why a method is not there: the game's numbers are too large for it, or it is none for such games."""
    fits = table_bytes(game) <= max_bytes
    others = " or ".join(repr(name) for name in sorted(solvers) if fits or name != ENUMERATION)
    for entry, covers in coverage(game).items():
        if entry.name == method and covers.too_large:
            return TooLargeError(f"method {method!r}: {covers.why}; round the lengths, or ask for {others}")
        if entry.name == method:
            return InputError(f"method {method!r} cannot search this game ({covers.why}); ask for {others}")
    return unknown_name("method", method, solvers)


def _played(
    game: Game, method: str, start: Sequence[Any] | None, progress: Progress | None, clock: Clock
) -> Dynamics | None:
    """Best-response dynamics; ``None`` when out of reach, or stopped half-way, which shows nothing."""
    played = [one.playable for one in methods(game) if one.name == method and one.playable is not None]
    if not all(load(playable)(game) for playable in played):
        return None
    try:
        run = best_response_dynamics(game, start, progress=progress, clock=clock)
    except TooLargeError:
        if method == "dynamics":
            return None
        raise
    return run if run.complete else None


def _promised(game: Game, method: str) -> Promise | None:
    """What a theorem says of the game before a solver begins; a table of all profiles needs none."""
    promised = None if method == ENUMERATION else ability(game, "promised")
    try:
        return None if promised is None else promised(game)
    except KeyboardInterrupt:  # noticed, so what follows has no time left
        return None


def _with_promise(findings: Findings, promise: Promise | None) -> Findings:
    """A search that found no equilibrium in its time has the one that a theorem promises."""
    if promise is None or findings.equilibria.exists is not None:
        return findings
    one = promise.equilibrium
    listed = () if one is None else (one,)
    return dataclasses.replace(findings, equilibria=Equilibria(True, None, one, one, listed))


def _with_bounds(game: Game, findings: Findings, dynamics: Dynamics | None) -> Findings:
    """A solver that was stopped leaves what it has proved, what holds for all such games, and what follows."""
    equilibria, prove = findings.equilibria, ability(game, "bounds")
    if findings.complete or equilibria.exists is False:
        return findings
    visited = [one for one in (findings.optimum, equilibria.best, equilibria.worst) if one is not None]
    visited += [] if dynamics is None else [dynamics.final]
    bounds = findings.bounds or Bounds()
    if prove is not None and bounds == Bounds():
        bounds = prove(game, equilibria.best)
        if bounds.best_at_least is not None or bounds.worst_at_most is not None:
            visited.append(outcome(game, default_profile(game)))
    if not visited:
        return dataclasses.replace(findings, bounds=None if bounds == Bounds() else bounds)
    least = min(one.social_cost for one in visited)
    bounds = priced(decided(bounds, equilibria), equilibria, findings.optimum, least, sense_of(game))
    return dataclasses.replace(findings, bounds=bounds)


def _with_smallest(findings: Findings) -> Findings:
    """At an equilibrium that a stopped search knows, the smallest epsilon is 1 and the smallest regret 0."""
    reached, one, bounds = findings.equilibria.best or findings.equilibria.worst, Fraction(1), findings.bounds
    if findings.complete or reached is None:
        return findings
    bounds = bounds and dataclasses.replace(bounds, epsilon_at_least=one, epsilon_at_most=one)
    return dataclasses.replace(findings, bounds=bounds).with_smallest()


def _with_dynamics(findings: Findings, dynamics: Dynamics | None) -> Findings:
    """An unfinished search also knows the equilibrium that the dynamics reached."""
    equilibria = findings.equilibria
    if (
        equilibria.count is not None
        or dynamics is None
        or not dynamics.converged
        or findings.complete
        or equilibria.exists is False
    ):
        return findings
    here = dynamics.final
    best, worst = (
        here if one is None else pick(one, here, key=lambda end: end.social_cost)
        for pick, one in ((min, equilibria.best), (max, equilibria.worst))
    )
    return dataclasses.replace(findings, equilibria=Equilibria(True, None, best, worst, equilibria.listed or (here,)))


def _recheck(game: Game, method: str, findings: Findings, dynamics: Dynamics | None) -> None:
    """Every profile that a solver returned goes through the checker; a contradiction is raised, never hidden."""

    def refuse(problem: str) -> None:
        raise ContradictionError(
            f"method {method!r}: {problem}; the method is wrong, or {type(game).__name__}.costs() does not always "
            "answer the same for the same profile"
        )

    equilibria = findings.equilibria
    claimed = {o.profile for o in (*equilibria.listed, equilibria.best, equilibria.worst) if o is not None}
    if dynamics is not None and dynamics.converged:
        claimed.add(dynamics.final.profile)
        if equilibria.exists is False:
            refuse(f"no equilibrium claimed, dynamics reached {dynamics.final.profile!r}")
    for profile in claimed:
        if not checkers.is_nash(game, profile):
            refuse(f"{profile!r} was claimed to be an equilibrium, a player gains by leaving")
    for name, at, value, checker in (
        ("epsilon", findings.smallest_epsilon_at, findings.smallest_epsilon, checkers.epsilon),
        ("regret", findings.smallest_regret_at, findings.smallest_regret, checkers.max_regret),
    ):
        if at is not None and (checked := checker(game, at.profile)) != value:
            refuse(f"smallest {name} {value}, checked: {checked}")
    cycle = None if dynamics is None else dynamics.cycle
    if cycle is not None and not checkers.is_best_response_cycle(game, cycle):
        refuse("the cycle of the dynamics is not one of best-response moves")


def _result(
    game: Game,
    findings: Findings,
    dynamics: Dynamics | None,
    pairs: MixedEquilibria | None,
    name: str,
    why: str,
    unchecked: tuple[str, ...] = (),
) -> SearchResult:
    sense, equilibria = sense_of(game), findings.equilibria
    optimum = findings.optimum.social_cost if findings.optimum is not None else None

    def over_optimum(which: Outcome | None) -> Fraction | None:
        return price(which.social_cost, optimum, sense) if which is not None and findings.complete else None

    shared = {f.name: getattr(findings, f.name) for f in dataclasses.fields(findings) if f.name != "complete"}
    return SearchResult(
        players=tuple(game.players),
        profiles=count_profiles(game),
        price_of_anarchy=over_optimum(equilibria.worst),
        price_of_stability=over_optimum(equilibria.best),
        dynamics=dynamics,
        mixed=pairs,
        sense=sense,
        method=name,
        why=why,
        complete=findings.complete and not unchecked and dynamics is not None and (pairs is None or not pairs.stopped),
        unchecked=unchecked,
        **shared,
    )


def decided(bounds: Bounds, equilibria: Equilibria) -> Bounds:
    """The bounds, where all equilibria are known and only further answers are open."""
    if equilibria.count is None or equilibria.best is None or equilibria.worst is None:
        return bounds
    return dataclasses.replace(
        bounds, worst_at_most=equilibria.worst.social_cost, best_at_least=equilibria.best.social_cost
    )


def priced(
    bounds: Bounds, equilibria: Equilibria, optimum: Outcome | None, least: Extended | None, sense: Sense
) -> Bounds:
    """The bounds with those on epsilon and the prices that follow; what a solver has proved of a price stays.

    ``equilibria``: those found so far; ``optimum``: where it is proved; ``least``: social cost of the cheapest profile
    met.

    >>> found = Outcome((0, 0), (Fraction(3), Fraction(3)), Fraction(6))
    >>> bounds, equilibria = Bounds(worst_at_most=Fraction(8)), Equilibria(True, None, found, found)
    >>> here = priced(bounds, equilibria, None, Fraction(5), "cost")
    >>> here.price_of_anarchy_at_least, here.price_of_anarchy_at_most, here.price_of_stability_at_least
    (Fraction(6, 5), None, Fraction(1, 1))
    >>> best = Outcome((1, 1), (Fraction(2), Fraction(2)), Fraction(4))
    >>> here = priced(bounds, equilibria, best, Fraction(4), "cost")
    >>> here.price_of_anarchy_at_most, here.price_of_stability_at_most
    (Fraction(2, 1), Fraction(3, 2))
    """
    floor = None if optimum is None else optimum.social_cost
    best, worst = (None if one is None else one.social_cost for one in (equilibria.best, equilibria.worst))
    lower = least if bounds.best_at_least is None else bounds.best_at_least
    values: dict[str, Any] = {
        "epsilon_at_least": Fraction(1),
        "epsilon_at_most": None if best is None else Fraction(1),
        "price_of_anarchy_at_least": _at_least(price(lower if worst is None else worst, least, sense)),
        "price_of_anarchy_at_most": price(bounds.worst_at_most, floor, sense),
        "price_of_stability_at_least": _at_least(price(lower, least, sense)),
        "price_of_stability_at_most": price(best, floor, sense),
    }
    return dataclasses.replace(bounds, **{k: v for k, v in values.items() if getattr(bounds, k) is None})


def _at_least(ratio: Fraction | None) -> Fraction | None:
    """No equilibrium is better than the optimum."""
    return None if ratio is None else max(Fraction(1), ratio)
