"""REF for any utility and any size of numbers, in Python's integers and fractions.

A :class:`Site` is one coalition at work: its machines, its members' queues and tallies. Moments are processed as
completions, releases, then decisions, smaller coalitions first; only moments with a completion or a release can have a
decision, so only those are visited. A coalition with a free machine serves the member with the smallest ``psi - phi``,
ties to the lowest index, looking at ``t + 1`` (``next``) or ``t`` (``now``).

That is the third figure of Skowron and Rzadca (2013), and for every utility the corrected first one, which brings
utilities closest to contributions in the Manhattan metric: a start lifts one of them by ``delta``, 1 for psi_sp and
busy time under ``next`` and 0 for utilities of completed jobs, because the length of a running job is not known, and
all contributions alike. So it changes the sum of distances by ``|x - delta| - |x|``, where ``x`` is the member's
contribution, lifted, minus its utility; that never rises with ``x``, and equal sums go to the smaller ``psi - phi``.
With the potential P of :mod:`.kernels.ref` the smallest ``psi_u - phi_u`` is the smallest ``psi_u + P(C without u)``;
the compiled kernel decides by that on scaled integers, a thousand times as fast.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from ...support.exact import Rational, rational
from ...support.progress import Progress
from .instance import AnyIntArray, SharingInstance, narrowed
from .kernels.events import Coalitions, Run
from .utilities import Tally, Utility, Work

EVERY: int = 64
"""Moments between two progress reports."""


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
            tally.accrue(end)
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

    def start(self, u: int, t: int) -> None:
        """Start the first waiting job of ``u`` at ``t``."""
        position = self.position[u]
        tally = self.tally[u]
        tally.accrue(t)
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


def process(
    queues: Queues, sites: Sequence[Site], decide: Callable[[int], None], progress: Progress | None
) -> tuple[int, bool]:
    """Decide at every moment; returns the moment reached and whether it is the end, or where Ctrl-C stopped."""
    reached = queues.until
    try:
        for count, reached in enumerate(moments(queues, sites)):
            decide(reached)
            if progress is not None and count % EVERY == 0:
                progress(reached, queues.until, "time simulated")
    except KeyboardInterrupt:  # before the moment in hand everything is final
        return reached, False
    return queues.until, True


def moments(queues: Queues, sites: Sequence[Site]) -> Iterator[int]:
    """All moments with a completion at any site or a release, both already processed when yielded."""
    while True:
        times = [site.next_completion() for site in sites] + [queues.next_release()]
        coming = [time for time in times if time is not None]
        if not coming:
            return
        t = min(coming)
        for site in sites:
            site.complete(t)
        queues.release(t)
        yield t


def run(instance: SharingInstance, until: int, step: int, utility: Utility, progress: Progress | None = None) -> Run:
    """REF for ``utility`` up to ``until``; ``step`` is 1 to compare at ``t + 1`` and 0 to compare at ``t``."""
    k = instance.n_organizations
    queues = Queues.of(instance, until)
    sites = {
        mask: Site(queues, instance.machines, [u for u in range(k) if mask >> u & 1], utility)
        for mask in range(1, 2**k)
    }
    every_site = list(sites.values())
    reached, complete = process(queues, every_site, lambda t: _moment(sites, t, step, utility), progress)
    utilities = _utilities(instance, sites, reached, utility)
    start = sites[2**k - 1].start_of_jobs(instance, reached)
    coalitions = Coalitions(utilities.sum(axis=1), utilities)
    return Run(start, reached, complete, "python", coalitions=coalitions)


def _utilities(instance: SharingInstance, sites: dict[int, Site], at: int, utility: Utility) -> AnyIntArray:
    """Utility of each member of each coalition by the definition, shape (2**k, k), dtype object."""
    k = instance.n_organizations
    utilities = np.zeros((2**k, k), dtype=object)
    for mask, site in sites.items():
        jobs = {u: [site.work(u, position, t) for t, w, position in site.starts if w == u] for u in site.members}
        for u in site.members:
            value = utility.value(jobs[u], at)
            utilities[mask, u] = value if type(value) is int else rational(value, f"utility {utility.id}")
    return utilities


def _moment(sites: dict[int, Site], t: int, step: int, utility: Utility) -> None:
    """Let every coalition decide at ``t``, smaller ones first (numeric order of masks puts subsets first)."""
    potentials: dict[int, Fraction] = {0: Fraction(0)}

    def worth(site: Site) -> dict[int, Rational]:
        for u in site.members:
            site.tally[u].accrue(t)
        return {u: utility.read(site.tally[u], step) for u in site.members}

    def potential(mask: int) -> Fraction:
        """Hart and Mas-Colell's potential, computed once; every strict subset is final by then."""
        if mask not in potentials:
            below = sum((potential(mask ^ 1 << u) for u in sites[mask].members), Fraction(0))
            potentials[mask] = (sum(worth(sites[mask]).values()) + below) / len(sites[mask].members)
        return potentials[mask]

    for mask, site in sites.items():
        if site.free > 0 and len(site.waiting()) == 1:
            decide(site, t, lambda site, waiting, now: waiting[0])
        elif site.free > 0 and site.waiting():
            below = {u: potential(mask ^ 1 << u) for u in site.members}

            def choose(site: Site, waiting: list[int], now: int, below: dict[int, Fraction] = below) -> int:
                psi = worth(site)
                return min(waiting, key=lambda w: (psi[w] + below[w], w))

            decide(site, t, choose)
