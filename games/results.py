"""Requests and answers of a search: the records that :mod:`.search` and every solver share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

from ..support.exact import Extended
from .protocol import Outcome, Sense, price

if TYPE_CHECKING:
    from ..support.progress import Clock, Progress
    from .dynamics import Dynamics
    from .equilibria.mixed import MixedEquilibria


@dataclass(frozen=True)
class Coverage:
    """What a solver says of one game before any work."""

    covered: bool  # whether it answers for this game
    why: str  # what speaks for it where the table of all profiles is large, or what the game has that it cannot do
    too_large: bool = False  # not covered, but a game of the same kind with smaller numbers would be


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
        Some of them, at most the limit, in the method's order.
    classes
        How many when what differs only by names counts once, such as which of an organization's equal jobs is where;
        ``None`` when that is not counted.
    """

    exists: bool | None
    count: int | None = None
    best: Outcome | None = None
    worst: Outcome | None = None
    listed: tuple[Outcome, ...] = ()
    classes: int | None = None


@dataclass(frozen=True)
class Bounds:
    """What is proved when a search stopped early.

    No equilibrium costs more than ``worst_at_most`` or less than ``best_at_least``; the smallest epsilon, and the
    prices of anarchy and of stability if there are any, lie between the others. ``None`` where nothing is proved;
    ``unbounded`` says why.
    """

    worst_at_most: Extended | None = None
    best_at_least: Extended | None = None
    epsilon_at_least: Fraction | None = None
    epsilon_at_most: Fraction | None = None
    price_of_anarchy_at_least: Fraction | None = None
    price_of_anarchy_at_most: Fraction | None = None
    price_of_stability_at_least: Fraction | None = None
    price_of_stability_at_most: Fraction | None = None
    unbounded: str | None = None

    @classmethod
    def around(cls, least: Extended | None, most: Extended | None, best: Outcome | None) -> Bounds:
        """What follows where no profile costs less, no equilibrium more, and the best one known is ``best``."""
        stability = None if best is None else price(best.social_cost, least)
        return cls(most, least, price_of_anarchy_at_most=price(most, least), price_of_stability_at_most=stability)


@dataclass(frozen=True)
class Findings:
    """What one solver computed; ``None`` for what it does not compute.

    Attributes
    ----------
    equilibria
        See :class:`Equilibria`.
    optimum
        First profile of least social cost, with its costs.
    smallest_epsilon, smallest_epsilon_at
        Least multiplicative epsilon of a profile, and such a profile; 1 exactly when a pure equilibrium exists;
        ``None`` also when no factor is enough at any profile.
    smallest_regret, smallest_regret_at
        The additive counterpart.
    sinks
        Sizes of the sink components of the best-response graph, ascending.
    approximate, approximate_count
        Profiles within ``epsilon``, when requested, and how many there are.
    bounds
        What is proved although the search stopped early.
    certificate
        Method's own certificate (the cuts of a constraint search, the trees of a search over boxes).
    complete
        Whether the answer covers the whole space.
    """

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

    def with_smallest(self) -> Findings:
        """At an equilibrium that is known the smallest epsilon is 1, and the smallest regret 0."""
        at = self.equilibria.best or self.equilibria.worst
        if at is None:
            return self
        one, none = Fraction(1), Fraction(0)
        return replace(self, smallest_epsilon=one, smallest_epsilon_at=at, smallest_regret=none, smallest_regret_at=at)


class Promise(NamedTuple):
    """A theorem by which a game has an equilibrium, and the one that it builds; ``None`` where that is out of reach."""

    theorem: str
    equilibrium: Outcome | None


@dataclass(frozen=True)
class Options:
    """The request to a solver.

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
    promised
        An equilibrium that a theorem has built.
    """

    limit: int
    epsilon: Fraction | None
    clock: Clock
    progress: Progress | None
    max_bytes: int
    promised: Outcome | None = None


Solver: TypeAlias = Callable[[Options], Findings]
"""A solver bound to one game; it catches KeyboardInterrupt and the end of the clock itself."""


@dataclass(frozen=True, kw_only=True)
class SearchResult(Findings):
    """The answer of :func:`consortium.games.search.search`: what the solver found, all of it exact, and what follows.

    Attributes
    ----------
    players, profiles
        Names, and the size of the space of profiles.
    price_of_anarchy, price_of_stability
        Social cost of the worst (best) pure equilibrium over the optimum (for payoffs: optimum over equilibrium
        welfare); ``None`` without equilibrium, unless both terms are positive and finite, or when not proved.
    dynamics
        Best-response dynamics from the start profile; ``None`` when the search stopped before they ended.
    mixed
        Mixed equilibria, when requested.
    sense
        ``"payoff"``: costs are negated payoffs.
    method, why
        The solver used and the reason for choosing it.
    unchecked
        What a solver that the game brings along says of all profiles, in a game too large to try them: names of
        fields. Nothing has checked these, so the answer is not complete.
    """

    players: tuple[str, ...]
    profiles: int
    price_of_anarchy: Fraction | None
    price_of_stability: Fraction | None
    dynamics: Dynamics | None
    mixed: MixedEquilibria | None
    sense: Sense
    method: str
    why: str
    unchecked: tuple[str, ...] = ()


@runtime_checkable
class HasMethods(Protocol):
    """A game that brings solvers of its own to :func:`consortium.games.search.search`.

    With a method ``choose_method(max_bytes)``, which answers with a name and the reason, it also says which one fits.
    """

    def search_methods(self) -> Mapping[str, Solver]:
        """Solvers by name, see :data:`Solver`."""
