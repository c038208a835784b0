"""Every rule in Python's integers, for numbers beyond int64; the compiled kernels make the same decisions.

Ties go to the lowest organization index everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from ...scheduling.progress import Progress
from .instance import SharingInstance
from .orderings import Watched
from .plain import Queues, Site, decide, job_utility, moments, oldest_first, triangle

_EVERY = 256  # moments between two progress reports


@dataclass
class PlainRun:
    """A schedule with what the rule itself tallied: starts ``(t, organization, position, machine or -1)``."""

    starts: list[tuple[int, int, int, int]]
    contribution: list[Fraction] | None
    reached: int
    complete: bool


def run_queue_rule(
    instance: SharingInstance, rule: str, until: int, step: int, progress: Progress | None = None
) -> PlainRun:
    """Round robin, the three fair shares and fifo. ``step`` is 1 to compare values at ``t + 1``, 0 at ``t``."""
    queues = Queues.of(instance, until)
    site = Site(queues, instance.machines, range(instance.n_organizations))
    choose = _chooser(instance, rule, step)
    reached, complete = _walk(queues, [site], lambda t: decide(site, t, choose), progress)
    return PlainRun([(*s, -1) for s in site.starts], None, reached, complete)


def run_rand(
    instance: SharingInstance, watched: Watched, until: int, step: int, progress: Progress | None = None
) -> PlainRun:
    """RAND: the real schedule follows contributions counted on simplified oldest-first schedules."""
    k = instance.n_organizations
    queues = Queues.of(instance, until)
    real = Site(queues, instance.machines, range(k))
    simple = [Site(queues, instance.machines, [u for u in range(k) if mask >> u & 1]) for mask in watched.masks]
    weights = watched.weights.tolist()

    def contributions(at: int) -> list[int]:
        values = [sum(_utility_at(site, u, at) for u in site.members) for site in simple]
        return [sum(row[u] * v for row, v in zip(weights, values, strict=True)) for u in range(k)]

    def moment(t: int) -> None:
        for site in simple:
            decide(site, t, oldest_first)
        if real.free > 0 and real.waiting():
            phi = contributions(t + step)
            decide(
                real, t, lambda s, w, now: min(w, key=lambda u: watched.count * _utility_at(s, u, now + step) - phi[u])
            )

    reached, complete = _walk(queues, [real, *simple], moment, progress)
    phi = [
        sum(row[u] * _value_of_starts(site, reached) for row, site in zip(weights, simple, strict=True))
        for u in range(k)
    ]
    return PlainRun([(*s, -1) for s in real.starts], [Fraction(p, watched.count) for p in phi], reached, complete)


def run_direct(
    instance: SharingInstance,
    until: int,
    step: int,
    printed: bool,
    draws: npt.NDArray[np.uint32] | None,
    progress: Progress | None = None,
) -> PlainRun:
    """DIRECTCONTR, corrected or printed. ``draws``: 32 random bits per start; ``None``: the lowest free machine."""
    books = _DirectBooks(instance, until, step, printed, draws)
    reached, complete = _walk(books.queues, [books.site], books.moment, progress)
    books.pass_time(reached)
    return PlainRun(books.starts, [Fraction(p) for p in books.given], reached, complete)


class _DirectBooks:
    """Who received (``got``) and who gave (``given``) machine time; ``_parts`` count finished unit parts."""

    def __init__(
        self, instance: SharingInstance, until: int, step: int, printed: bool, draws: npt.NDArray[np.uint32] | None
    ) -> None:
        k = instance.n_organizations
        self.queues = Queues.of(instance, until)
        self.site = Site(self.queues, instance.machines, range(k))
        self.step, self.printed, self.draws = step, printed, draws
        self.machine_owner = instance.machine_owner.tolist()
        self.free = list(range(instance.n_machines))
        self.got, self.given = [0] * k, [0] * k
        self.got_parts, self.given_parts = [0] * k, [0] * k
        self.on: list[tuple[int, int, int]] = []  # (end, organization, machine), in order of start
        self.starts: list[tuple[int, int, int, int]] = []
        self.last = 0

    def pass_time(self, t: int) -> None:
        """Fig. 9's first loops: time from the previous event to ``t``, whose completions are credited if corrected."""
        d, self.last = t - self.last, t
        for u in range(len(self.got)):
            self.got[u] += d * self.got_parts[u]
            self.given[u] += d * self.given_parts[u]
        for end, u, m in self.on:
            if self.printed and end <= t:
                continue
            giver = self.machine_owner[m]
            self.got_parts[u] += d
            self.given_parts[giver] += d
            to, by = (giver, u) if self.printed else (u, giver)  # the figure swaps the two
            self.got[to] += triangle(d)
            self.given[by] += triangle(d)
        self.free.extend(m for _, m in sorted((end, m) for end, _, m in self.on if end <= t))
        self.on = [job for job in self.on if job[0] > t]

    def moment(self, t: int) -> None:
        """One event: bring the books to ``t``, then give free machines to waiting organizations."""
        self.pass_time(t)
        while self.free and (waiting := self.site.waiting()):
            m = self._take_machine()
            u = max(waiting, key=lambda w: (self._balance(w), -w))
            position = self.site.start(u, t)
            length = self.queues.jobs[u][position][1]
            self.on.append((t + length, u, m))
            self.starts.append((t, u, position, m))
            if self.printed:
                self.got_parts[u] += 1
                self.given_parts[self.machine_owner[m]] += 1

    def _take_machine(self) -> int:
        if self.draws is None:
            m = min(self.free)
            self.free.remove(m)
            return m
        at = int(self.draws[len(self.starts)]) * len(self.free) >> 32
        self.free[at], self.free[-1] = self.free[-1], self.free[at]
        return self.free.pop()

    def _balance(self, u: int) -> int:
        balance = self.given[u] - self.got[u]
        if self.step and not self.printed:
            balance += self.given_parts[u] - self.got_parts[u]
            balance += sum(self.machine_owner[m] == u for _, _, m in self.on) - sum(w == u for _, w, _ in self.on)
        return balance


def _walk(
    queues: Queues, sites: Sequence[Site], moment: Callable[[int], None], progress: Progress | None
) -> tuple[int, bool]:
    """Process all moments; on Ctrl-C stop at the moment in hand, before which everything is final."""
    t = 0
    try:
        for count, now in enumerate(moments(queues, sites)):
            t = now
            moment(now)
            if progress is not None and count % _EVERY == 0:
                progress(now, queues.until, "moments")
    except KeyboardInterrupt:
        return t, False
    return queues.until, True


def _utility_at(site: Site, u: int, at: int) -> int:
    tally = site.tally[u]
    d = at - tally.last
    return tally.utility + d * tally.parts + tally.running * triangle(d)


def _value_of_starts(site: Site, at: int) -> int:
    return sum(job_utility(s, site.queues.jobs[u][position][1], at) for s, u, position in site.starts)


def _chooser(instance: SharingInstance, rule: str, step: int) -> Callable[[Site, list[int], int], int]:
    if rule == "fifo":
        return oldest_first
    if rule == "round-robin":
        return _Turns(instance.n_organizations)
    shares = instance.machines

    def numerator(site: Site, u: int, t: int) -> int:
        tally = site.tally[u]
        if rule == "current-fair-share":
            return tally.running
        if rule == "fair-share":
            return tally.parts + tally.running * (t + step - tally.last)
        return _utility_at(site, u, t + step)

    def key(site: Site, u: int, t: int) -> tuple[bool, Fraction]:
        used = numerator(site, u, t)
        return (shares[u] == 0, Fraction(used, shares[u] or 1))

    return lambda site, waiting, t: min(waiting, key=lambda u: (*key(site, u, t), u))


class _Turns:
    """Round robin: the organization after the one served last, skipping those with nothing to start."""

    def __init__(self, k: int) -> None:
        self.k, self.turn = k, 0

    def __call__(self, site: Site, waiting: list[int], t: int) -> int:
        served = min(waiting, key=lambda u: (u - self.turn) % self.k)
        self.turn = (served + 1) % self.k
        return served
