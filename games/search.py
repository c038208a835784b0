r"""One entry point: what do selfish players settle on, and what does it cost everybody?

:func:`search` takes any :class:`~consortium.games.protocol.Game`, runs best-response dynamics, then one solver that it
picks (and says why) or is told, and has every profile it returns re-checked by :mod:`.checkers`, which shares no code
with the solvers. No pure equilibrium is an answer, not an error. An interrupted or timed-out search returns what it
has, ``complete=False``, with proved bounds where the solver has any.

>>> from consortium.games.normal_form import NormalFormGame
>>> game = NormalFormGame.from_arrays([[[2, 4], [1, 3]], [[2, 1], [4, 3]]], sense="cost")
>>> found = search(game)
>>> found.equilibria.count, found.equilibria.worst.profile, found.price_of_anarchy, found.dynamics.steps
(1, (1, 1), Fraction(3, 2), 2)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from ..scheduling.errors import ConsortiumError, unknown_name
from ..scheduling.exact import INF, Extended
from ..scheduling.progress import Clock, Progress
from . import checkers
from .dynamics import Dynamics, best_response_dynamics
from .normal_form import MAX_BYTES, NormalFormGame, check_table_size, table_bytes
from .protocol import Game, HasMethods, Outcome, Sense, count_profiles, outcome, price

if TYPE_CHECKING:
    from .mixed import MixedEquilibria

MAX_SINK_PROFILES = 4_000_000  # beyond this the response graph is built only when asked for


class ContradictionError(ConsortiumError, AssertionError):
    """A solver's answer was refuted by the independent checker: a bug in the solver or an inconsistent game."""


@dataclass(frozen=True)
class Equilibria:
    """Pure equilibria.

    Attributes
    ----------
    exists
        Whether there is one; ``None`` when the search stopped before it knew.
    count
        How many, profiles told apart; ``None`` when the method does not count.
    best, worst
        Equilibria of least and largest social cost (proved when the search is complete, else the best known).
    listed
        Some of them, at most the number asked for, in the method's order.
    """

    exists: bool | None
    count: int | None = None
    best: Outcome | None = None
    worst: Outcome | None = None
    listed: tuple[Outcome, ...] = ()


@dataclass(frozen=True)
class Bounds:
    """What is proved when a search stopped early.

    No equilibrium costs more than ``worst_at_most`` or less than ``best_at_least``; the smallest epsilon lies between
    the other two. ``None`` where nothing is proved.
    """

    worst_at_most: Extended | None = None
    best_at_least: Extended | None = None
    epsilon_at_least: Fraction | None = None
    epsilon_at_most: Fraction | None = None


@dataclass(frozen=True)
class Findings:
    """What one solver computed; ``None`` for what it does not compute."""

    equilibria: Equilibria
    optimum: Outcome | None = None
    smallest_epsilon: Fraction | None = None
    smallest_epsilon_at: Outcome | None = None
    smallest_regret: Extended | None = None
    smallest_regret_at: Outcome | None = None
    sinks: tuple[int, ...] | None = None
    approximate: tuple[Outcome, ...] | None = None
    approximate_count: int | None = None
    bounds: Bounds | None = None
    certificate: Any = None
    complete: bool = True


@dataclass(frozen=True)
class Options:
    """What a solver is asked for.

    Attributes
    ----------
    limit
        Most profiles to list.
    epsilon
        List the profiles with at most this multiplicative epsilon.
    clock, progress
        Time limit and receiver of progress reports.
    max_bytes
        Most memory for a table.
    """

    limit: int
    epsilon: Fraction | None
    clock: Clock
    progress: Progress | None
    max_bytes: int


OwnMethod = Callable[[Options], Findings]
"""A solver that a game brings along; it catches KeyboardInterrupt and the end of the clock itself."""


@runtime_checkable
class ChoosesMethod(Protocol):
    """A game that knows which of its solvers fits."""

    def choose_method(self, max_bytes: int) -> tuple[str, str]:
        """Name of the method and the reason, for people."""


@dataclass(frozen=True)
class SearchResult:
    """The answer of :func:`search`.

    Attributes
    ----------
    players, profiles
        Names, and the size of the space of profiles.
    equilibria
        See :class:`Equilibria`.
    optimum
        First profile of least social cost, with its costs.
    price_of_anarchy, price_of_stability
        Social cost of the worst (best) pure equilibrium over the optimum (for payoffs: optimum over equilibrium
        welfare); ``None`` without equilibrium, unless both terms are positive and finite, or when not proved.
    smallest_epsilon, smallest_epsilon_at
        Least multiplicative epsilon of a profile, and such a profile; 1 exactly when a pure equilibrium exists;
        ``None`` when not computed or when no factor is enough at any profile.
    smallest_regret, smallest_regret_at
        The additive counterpart.
    sinks
        Sizes of the sink components of the best-response graph, ascending.
    approximate, approximate_count
        Profiles within ``epsilon``, when asked for, and how many there are.
    dynamics
        Best-response dynamics from the start profile.
    mixed
        Mixed equilibria, when asked for.
    bounds
        What is proved although the search stopped early.
    certificate
        Method's own certificate (the cuts of a constraint search).
    sense
        ``"payoff"``: costs are negated payoffs.
    method, why
        The solver used and the reason for choosing it.
    exact, complete
        Every number is exact; the answer covers the whole space.
    """

    players: tuple[str, ...]
    profiles: int
    equilibria: Equilibria
    optimum: Outcome | None
    price_of_anarchy: Fraction | None
    price_of_stability: Fraction | None
    smallest_epsilon: Fraction | None
    smallest_epsilon_at: Outcome | None
    smallest_regret: Extended | None
    smallest_regret_at: Outcome | None
    sinks: tuple[int, ...] | None
    approximate: tuple[Outcome, ...] | None
    approximate_count: int | None
    dynamics: Dynamics | None
    mixed: MixedEquilibria | None
    bounds: Bounds | None
    certificate: Any
    sense: Sense
    method: str
    why: str
    exact: bool
    complete: bool


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
        ``"enumeration"`` (every profile, by array) or a method that the game brings along; default: chosen, and
        ``why`` says for what reason.
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
        No such method.
    """
    methods = available_methods(game)
    if method is not None and method not in methods:
        raise unknown_name("method", method, methods)
    name, why = (method, "asked for") if method is not None else choose_method(game, max_bytes)
    if name == "enumeration":
        check_table_size(game, max_bytes)
    clock = Clock(time_limit)
    factor = None if epsilon is None else Fraction(epsilon)
    dynamics = best_response_dynamics(game, start, progress=progress, clock=clock)
    findings = methods[name](Options(limit, factor, clock, progress, max_bytes))
    findings = _with_dynamics(findings, dynamics)
    _recheck(game, findings, dynamics)
    pairs = None
    if mixed:
        from .mixed import mixed_equilibria

        pairs = mixed_equilibria(game, progress=progress, time_limit=clock.left())
    return _result(game, findings, dynamics, pairs, name, why)


def available_methods(game: Game) -> Mapping[str, OwnMethod]:
    """Solvers for this game by name."""
    own = dict(game.search_methods()) if isinstance(game, HasMethods) else {}
    return {"enumeration": lambda options: enumerate_profiles(game, options), **own}


def choose_method(game: Game, max_bytes: int = MAX_BYTES) -> tuple[str, str]:
    """The method that :func:`search` would use, and why; costs nothing.

    >>> from consortium.games.normal_form import NormalFormGame
    >>> choose_method(NormalFormGame.from_arrays([[1, 2]], sense="cost"))
    ('enumeration', '2 profiles fit a table of 64 bytes')
    """
    if isinstance(game, ChoosesMethod):
        return game.choose_method(max_bytes)
    return "enumeration", f"{count_profiles(game):,} profiles fit a table of {table_bytes(game):,} bytes"


def enumerate_profiles(game: Game, options: Options) -> Findings:
    """Every question answered from the table of all profiles."""
    from . import enumeration as table

    progress, clock = options.progress, options.clock
    try:
        arrays = NormalFormGame.from_game(game, max_bytes=options.max_bytes, progress=progress, clock=clock)
        stable = table.pure_equilibria(arrays, progress, clock)
        known = _table_equilibria(game, arrays, stable, options.limit)
    except (KeyboardInterrupt, TimeoutError):
        return Findings(Equilibria(exists=None), complete=False)

    def at(place: int | None) -> Outcome | None:
        return None if place is None else outcome(game, arrays.profile(place))

    findings = Findings(known, optimum=at(table.optimum(arrays)), complete=False)
    try:
        best = table.best_costs(arrays)
        epsilon, where = table.smallest_epsilon(arrays, best, progress, clock)
        regret, least = table.smallest_regret(arrays, best)
        near = table.approximate_equilibria(arrays, epsilon=options.epsilon) if options.epsilon is not None else None
        graph = arrays.social.size <= MAX_SINK_PROFILES and not clock.expired()
        return dataclasses.replace(
            findings,
            smallest_epsilon=epsilon,
            smallest_epsilon_at=at(where),
            smallest_regret=regret,
            smallest_regret_at=at(least),
            sinks=tuple(s.size for s in table.sink_components(arrays)) if graph else None,
            approximate=None
            if near is None
            else tuple(outcome(game, arrays.profile(i)) for i in near[: options.limit]),
            approximate_count=None if near is None else len(near),
            complete=True,
        )
    except (KeyboardInterrupt, TimeoutError):
        return findings


def _table_equilibria(game: Game, arrays: NormalFormGame, stable: Any, limit: int) -> Equilibria:
    from .enumeration import extremes

    if not len(stable):
        return Equilibria(exists=False, count=0)
    best, worst = (outcome(game, arrays.profile(i)) for i in extremes(arrays, stable))
    listed = tuple(outcome(game, arrays.profile(i)) for i in stable[:limit])
    return Equilibria(True, len(stable), best, worst, listed)


def _with_dynamics(findings: Findings, dynamics: Dynamics) -> Findings:
    """An unfinished search still knows the equilibrium that the dynamics reached."""
    known = findings.equilibria
    if not dynamics.converged or findings.complete or known.exists is not None:
        return findings
    here = dynamics.final
    return dataclasses.replace(findings, equilibria=Equilibria(True, None, here, here, (here,)))


def _recheck(game: Game, findings: Findings, dynamics: Dynamics) -> None:
    """Every returned profile goes through the checker; a contradiction is raised, never hidden."""
    known = findings.equilibria
    claimed = {o.profile for o in (*known.listed, known.best, known.worst) if o is not None}
    if dynamics.converged:
        claimed.add(dynamics.final.profile)
        if known.exists is False:
            raise ContradictionError(f"search: no equilibrium claimed, dynamics reached {dynamics.final.profile!r}")
    for profile in claimed:
        if not checkers.is_nash(game, profile):
            raise ContradictionError(f"search: {profile!r} was claimed to be an equilibrium; a player gains by leaving")
    if findings.smallest_epsilon_at is not None:
        value = checkers.epsilon(game, findings.smallest_epsilon_at.profile)
        if value != findings.smallest_epsilon:
            raise ContradictionError(f"search: smallest epsilon {findings.smallest_epsilon}; checked: {value}")
    if findings.smallest_regret_at is not None:
        value = checkers.max_regret(game, findings.smallest_regret_at.profile)
        if value != findings.smallest_regret:
            raise ContradictionError(f"search: smallest regret {findings.smallest_regret}; checked: {value}")
    if dynamics.cycle is not None and not checkers.is_best_response_cycle(game, dynamics.cycle):
        raise ContradictionError("search: the cycle of the dynamics is not one of best-response moves")


def _result(
    game: Game, findings: Findings, dynamics: Dynamics, pairs: MixedEquilibria | None, name: str, why: str
) -> SearchResult:
    sense: Sense = getattr(game, "sense", "cost")
    known = findings.equilibria
    optimum = findings.optimum.social_cost if findings.optimum is not None else None

    def over_optimum(which: Outcome | None) -> Fraction | None:
        return price(which.social_cost, optimum, sense) if which is not None and findings.complete else None

    shared = {f.name: getattr(findings, f.name) for f in dataclasses.fields(findings) if f.name != "complete"}
    return SearchResult(
        players=tuple(game.players),
        profiles=count_profiles(game),
        price_of_anarchy=over_optimum(known.worst),
        price_of_stability=over_optimum(known.best),
        dynamics=dynamics,
        mixed=pairs,
        sense=sense,
        method=name,
        why=why,
        exact=True,
        complete=findings.complete and dynamics.complete,
        **shared,
    )


def finite(value: Extended | None) -> Fraction | None:
    """The value when it is finite, else ``None``."""
    return None if value is None or value in (INF, -INF) else Fraction(value)
