"""Schedules of coalitions in Python's own integers: no limit on sizes, no compilation, any utility.

A :class:`Site` is one coalition at work: its machines, its members' queues and tallies. Moments are processed as
completions, releases, then decisions; only moments with a completion or a release can have a decision, so only those
are visited.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..arrays import AnyIntArray, narrowed
from ..instance import SharingInstance
from ..utilities import Tally, Utility, Work


@dataclass
class Queues:
    """The instance as plain lists, and how many jobs of each organization are released."""

    jobs: list[list[tuple[int, ...]]]
    until: int
    released: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.released = [0] * len(self.jobs)

    @classmethod
    def of(cls, instance: SharingInstance, until: int) -> Queues:
        """Copy the queues of ``instance``; jobs released at ``until`` or later never matter."""
        return cls([instance.queue(u) for u in range(instance.n_organizations)], until)

    def next_release(self) -> int | None:
        """Earliest release that has not been processed, before the end."""
        times = [q[n][0] for q, n in zip(self.jobs, self.released, strict=True) if n < len(q)]
        soonest = min(times, default=self.until)
        return soonest if soonest < self.until else None

    def release(self, t: int) -> None:
        """Make the jobs released at ``t`` or earlier known."""
        for u, queue in enumerate(self.jobs):
            while self.released[u] < len(queue) and queue[self.released[u]][0] <= t:
                self.released[u] += 1


class Site:
    """One coalition: free machines, running jobs, queue positions and starts; tallies for a utility, if any."""

    def __init__(
        self, queues: Queues, machines: Sequence[int], members: Sequence[int], utility: Utility | None = None
    ) -> None:
        self.queues = queues
        self.utility = utility
        self.members = tuple(members)
        self.free = sum(machines[u] for u in self.members)
        self.position = [0] * len(machines)
        self.tally = [Tally() for _ in machines]
        self.running: list[tuple[int, int, int]] = []
        self.starts: list[tuple[int, int, int]] = []

    def next_completion(self) -> int | None:
        """Earliest end of a running job, before the end of the run."""
        return self.running[0][0] if self.running and self.running[0][0] < self.queues.until else None

    def complete(self, t: int) -> None:
        """Credit and free what ends at ``t``."""
        while self.running and self.running[0][0] <= t:
            end, u, position = heapq.heappop(self.running)
            tally = self.tally[u]
            tally.bring(end)
            tally.running -= 1
            tally.completed += 1
            if self.utility is not None:
                tally.booked += self.utility.booked(self.work(u, position, end - self.queues.jobs[u][position][1]))
            self.free += 1

    def work(self, u: int, position: int, start: int) -> Work:
        """A job of ``u`` that was started."""
        release, length, *due = self.queues.jobs[u][position]
        return Work(start, length, release, *due)

    def waiting(self) -> list[int]:
        """Members with a released job that has not started, by index."""
        return [u for u in self.members if self.queues.released[u] > self.position[u]]

    def head(self, u: int) -> int | None:
        """Release of the first waiting job of ``u``, if one waits."""
        position = self.position[u]
        return self.queues.jobs[u][position][0] if self.queues.released[u] > position else None

    def start(self, u: int, t: int) -> None:
        """Start the first waiting job of ``u`` at ``t``."""
        position = self.position[u]
        tally = self.tally[u]
        tally.bring(t)
        tally.running += 1
        heapq.heappush(self.running, (t + self.queues.jobs[u][position][1], u, position))
        self.position[u] = position + 1
        self.free -= 1
        self.starts.append((t, u, position))

    def start_of_jobs(self, instance: SharingInstance, before: int) -> AnyIntArray:
        """Start of each job in the instance's flat order, -1 where not started ``before`` this moment."""
        start = np.full(instance.n_jobs, -1, dtype=object)
        for t, u, position in self.starts:
            if t < before:
                start[int(instance.first[u]) + position] = t
        return narrowed(start)


def decide(site: Site, t: int, choose: Callable[[Site, list[int], int], int]) -> None:
    """Start jobs at ``t`` while a machine is free and a member waits; ``choose`` picks among the waiting members."""
    while site.free > 0:
        waiting = site.waiting()
        if not waiting:
            return
        site.start(choose(site, waiting, t), t)


def moments(queues: Queues, sites: Sequence[Site]) -> Iterator[int]:
    """Walk through all moments with a completion at any site or a release, both already processed when yielded."""
    while True:
        times = [site.next_completion() for site in sites] + [queues.next_release()]
        known = [time for time in times if time is not None]
        if not known:
            return
        t = min(known)
        for site in sites:
            site.complete(t)
        queues.release(t)
        yield t
