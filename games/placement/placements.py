"""What every placement game shares: players, strategies and costs; only who ends when differs between them.

>>> from consortium.agents.organizations import Federation
>>> from consortium.games.placement.game import PlacementGame
>>> PlacementGame(Federation.of([[2, 2], [1]])).strategies(1)
((0,), (1,))
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from ...agents.organizations import Federation, Placement
from ...mechanisms.federation.coordination import Coordination
from ...mechanisms.federation.protocol import OwnPolicy
from ...support.errors import TooLargeError
from ...support.exact import magnitude
from ..protocol import Profile

MAX_LISTED = 1_000_000
"""Strategies of one organization that may be listed one by one."""


@dataclass(frozen=True)
class Placements(ABC):
    """Base of the games in which organizations place their jobs; a strategy is one host per job."""

    federation: Federation
    rule: Coordination | OwnPolicy
    limit: ClassVar[str] = f"the limit is {MAX_LISTED:,}"

    @property
    def players(self) -> tuple[str, ...]:
        """Names of the organizations."""
        return self.federation.names

    @property
    def total(self) -> bool:
        """Whether sums of completion times count instead of makespans."""
        return self.rule.objective == "total-completion"

    @cached_property
    def default_profile(self) -> Placement:
        """Where dynamics start: everything at home."""
        return self.federation.home()

    def n_strategies(self, player: int) -> int:
        """Number of placements of the organization's jobs."""
        return int(len(self.federation) ** len(self.federation.sizes[player]))

    def strategies(self, player: int) -> tuple[tuple[int, ...], ...]:
        """All placements of the organization's jobs, in lexicographic order; TooLargeError beyond a million."""
        if self.n_strategies(player) > MAX_LISTED:
            raise TooLargeError(
                f"strategies of {self.players[player]!r}: found {magnitude(self.n_strategies(player))}; {self.limit}"
            )
        return tuple(itertools.product(range(len(self.federation)), repeat=len(self.federation.sizes[player])))

    @abstractmethod
    def ends(self, placement: Placement) -> list[list[int]]:
        """Completion times of every organization's jobs, in units; the placement is not checked."""

    def costs(self, profile: Profile) -> tuple[Fraction, ...]:
        """Makespan, or sum of completion times, of every organization; InputError for an unknown host."""
        ends = self.ends(self.federation.check_placement(profile))
        combine = sum if self.total else lambda row: max(row, default=0)
        return tuple(combine(row) * self.federation.unit for row in ends)

    def social_cost(self, profile: Profile) -> Fraction:
        """``C_max``, or the sum of all completion times."""
        costs = self.costs(profile)
        return sum(costs, Fraction(0)) if self.total else max(costs)


def with_loads(sizes: tuple[int, ...], loads: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Placements of an organization's jobs that put exactly this work on every host, in lexicographic order.

    >>> list(with_loads((2, 1, 1), (2, 2)))
    [(0, 1, 1), (1, 0, 0)]
    """
    return _with_loads(sizes, loads, set())


def _with_loads(
    sizes: tuple[int, ...], loads: tuple[int, ...], barren: set[tuple[int, tuple[int, ...]]]
) -> Iterator[tuple[int, ...]]:
    """The same; ``barren``: numbers of jobs and loads that are known to have none."""
    if not sizes:
        if not any(loads):
            yield ()
        return
    if (len(sizes), loads) in barren:
        return
    none = True
    for host, load in enumerate(loads):
        if load >= sizes[0]:
            after = (*loads[:host], load - sizes[0], *loads[host + 1 :])
            for rest in _with_loads(sizes[1:], after, barren):
                none = False
                yield (host, *rest)
    if none:
        barren.add((len(sizes), loads))
