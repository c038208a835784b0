"""Schedules of coalitions in Python's own integers: no limit on sizes, no compilation, any utility.

A :class:`Site` is one coalition at work: its machines, its members' queues and tallies. The same class carries the
rules when numbers outgrow int64, and REF for general utilities. Moments are processed as completions, releases, then
decisions; only moments with a completion or a release can have a decision, so only those are visited.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from .instance import SharingInstance


def triangle(d: int) -> int:
    """1 + 2 + ... + d."""
    return d * (d + 1) // 2


def job_utility(start: int, length: int, at: int) -> int:
    """psi_sp of one job at moment ``at`` (equation 3): each unit part done is worth its age.

    >>> job_utility(0, 3, 13), job_utility(10, 4, 13), job_utility(13, 5, 13)
    (36, 6, 0)
    """
    if start >= at:
        return 0
    done = min(length, at - start)
    return done * (2 * (at - start) - done + 1) // 2


@dataclass
class Tally:
    """What one organization got from a schedule, up to the last moment it was brought to."""

    utility: int = 0
    parts: int = 0
    running: int = 0
    completed: int = 0
    flow: int = 0
    tardiness: int = 0
    last: int = 0

    def bring(self, t: int) -> None:
        """Let time pass up to ``t`` with the same jobs running."""
        d = t - self.last
        if d:
            self.utility += d * self.parts + self.running * triangle(d)
            self.parts += self.running * d
            self.last = t


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
    """One coalition: free machines, running jobs, queue positions, tallies and starts."""

    def __init__(self, queues: Queues, machines: Sequence[int], members: Sequence[int]) -> None:
        self.queues = queues
        self.members = tuple(members)
        self.free = sum(machines[u] for u in self.members)
        self.position = [0] * len(machines)
        self.tally = [Tally() for _ in machines]
        self.running: list[tuple[int, int]] = []
        self.starts: list[tuple[int, int, int]] = []

    def next_completion(self) -> int | None:
        """Earliest end of a running job, before the end of the run."""
        return self.running[0][0] if self.running and self.running[0][0] < self.queues.until else None

    def complete(self, t: int) -> None:
        """Credit and free what ends at ``t``."""
        while self.running and self.running[0][0] <= t:
            end, u = heapq.heappop(self.running)
            tally = self.tally[u]
            tally.bring(end)
            tally.running -= 1
            tally.completed += 1
            self.free += 1

    def waiting(self) -> list[int]:
        """Members with a released job that has not started, by index."""
        return [u for u in self.members if self.queues.released[u] > self.position[u]]

    def head(self, u: int) -> tuple[int, ...]:
        """The job of ``u`` that would start next."""
        return self.queues.jobs[u][self.position[u]]

    def start(self, u: int, t: int) -> int:
        """Start the first waiting job of ``u`` at ``t``; returns its position in the queue."""
        position = self.position[u]
        job = self.queues.jobs[u][position]
        end = t + job[1]
        tally = self.tally[u]
        tally.bring(t)
        tally.running += 1
        heapq.heappush(self.running, (end, u))
        self.position[u] = position + 1
        self.free -= 1
        self.starts.append((t, u, position))
        return position

    def bring(self, t: int) -> None:
        """Bring every member's tally to ``t``."""
        for u in self.members:
            self.tally[u].bring(t)


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


def oldest_first(site: Site, waiting: list[int], t: int) -> int:
    """The member whose first waiting job was released earliest; ties go to the lowest index."""
    return min(waiting, key=lambda u: (site.head(u)[0], u))
