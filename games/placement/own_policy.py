"""The placement game under a coordination policy of one's own.

The model is that of :mod:`.game`, but the policy says who goes first, job by job and in Python: there is no table of
priorities and nothing to compile, so solvers go through all profiles. A host's schedule depends on nothing but the jobs
placed with it, so it is asked once for each set of jobs.

>>> from consortium.mechanisms.federation.coordination import Coordination
>>> fed = Federation.of([[2, 2], [1]])
>>> class OwnersFirst:
...     def order(self, host, jobs):
...         return sorted(jobs, key=lambda job: (job.organization != host, job.organization))
>>> game = PolicyGame(fed, OwnPolicy(OwnersFirst()))
>>> game.costs(((0, 1), (1,))) == Coordination().costs(fed, ((0, 1), (1,)))
True
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ...agents.organizations import Federation, Placement
from ...mechanisms.federation.coordination import JobId
from ...mechanisms.federation.protocol import OwnPolicy
from ...scheduling.errors import TooLargeError
from ...scheduling.listing import place_in_order
from ..protocol import Profile

MAX_LISTED = 1_000_000
"""Strategies of one organization that are tried one by one."""


@dataclass(frozen=True)
class PolicyGame:
    """The game that a coordination policy of one's own makes of a federation.

    Attributes
    ----------
    federation
        Organizations with machines and jobs.
    rule
        The policy.
    """

    federation: Federation
    rule: OwnPolicy

    @property
    def players(self) -> tuple[str, ...]:
        """Names of the organizations."""
        return self.federation.names

    @property
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
                f"strategies of {self.players[player]!r}: found {self.n_strategies(player):,}; a policy of one's own "
                f"is played by trying them, at most {MAX_LISTED:,}"
            )
        return tuple(itertools.product(range(len(self.federation)), repeat=len(self.federation.sizes[player])))

    def costs(self, profile: Profile) -> tuple[Fraction, ...]:
        """Makespan, or sum of completion times, of every organization; InputError for an unknown host."""
        here: list[list[JobId]] = [[] for _ in self.players]
        for k, row in enumerate(self.federation.check_placement(profile)):
            for i, host in enumerate(row):
                here[host].append((k, i))
        ends: list[list[int]] = [[] for _ in self.players]
        for host, jobs in enumerate(here):
            for (k, _), end in self._ends(host, tuple(jobs)).items():
                ends[k].append(end)
        total = self.rule.objective == "total-completion"
        return tuple((sum(row) if total else max(row, default=0)) * self.federation.unit for row in ends)

    def social_cost(self, profile: Profile) -> Fraction:
        """``C_max``, or the sum of all completion times."""
        costs = self.costs(profile)
        return sum(costs, Fraction(0)) if self.rule.objective == "total-completion" else max(costs)

    @cached_property
    def _seen(self) -> dict[tuple[int, tuple[JobId, ...]], dict[JobId, int]]:
        """Completion times found so far, by host and jobs."""
        return {}

    def _ends(self, host: int, jobs: tuple[JobId, ...]) -> dict[JobId, int]:
        """Completion times, in units, of the jobs placed with a host."""
        known = self._seen.get((host, jobs))
        if known is None:
            queue = self.rule.queue(self.federation, host, jobs)
            sizes = [self.federation.sizes[k][i] for k, i in queue]
            placed = place_in_order(sizes, [0] * self.federation.organizations[host].machines)
            known = {job: end for job, (_, _, end) in zip(queue, placed, strict=True)}
            self._seen[host, jobs] = known
        return known
