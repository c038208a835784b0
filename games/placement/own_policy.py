"""The placement game under a coordination policy of one's own.

The model is that of :mod:`.game`, but the policy says who goes first, job by job and in Python: there is no table of
priorities and nothing to compile, so solvers go through all profiles. A host's schedule depends on nothing but the jobs
placed with it, so it is asked once for each set of jobs.

>>> from consortium.agents import Federation
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

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from ...agents.organizations import Placement
from ...mechanisms.federation.coordination import JobId
from ...mechanisms.federation.protocol import OwnPolicy
from ...scheduling.listing import place_in_order
from .placements import MAX_LISTED, Placements


@dataclass(frozen=True)
class PolicyGame(Placements):
    """The game that a coordination policy of one's own makes of a federation.

    Attributes
    ----------
    federation
        Organizations with machines and jobs.
    rule
        The policy.
    """

    rule: OwnPolicy
    limit: ClassVar[str] = f"a policy of one's own is played by trying them, at most {MAX_LISTED:,}"

    def ends(self, placement: Placement) -> list[list[int]]:
        """Completion times of every organization's jobs, in units; the placement is not checked."""
        here: list[list[JobId]] = [[] for _ in self.players]
        for k, row in enumerate(placement):
            for i, host in enumerate(row):
                here[host].append((k, i))
        ends: list[list[int]] = [[] for _ in self.players]
        for host, jobs in enumerate(here):
            for (k, _), end in self._ends(host, tuple(jobs)).items():
                ends[k].append(end)
        return ends

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
