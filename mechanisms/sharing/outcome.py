"""What a run of a rule leaves behind, and the measures taken from it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush
from itertools import pairwise

import numpy as np

from ...support.errors import InputError
from ...support.exact import Rational
from .instance import NARROW, AnyIntArray, IntArray, SharingInstance
from .kernels.events import Coalitions
from .limits import SPAN_MAX, exact_sum
from .utilities import DEFAULT


@dataclass(frozen=True, eq=False)
class SharingOutcome:
    """The schedule of one rule on one instance, evaluated at ``until``.

    Attributes
    ----------
    rule, timing, utility_name
        What was run.
    until
        Moment of evaluation; earlier than requested when ``complete`` is false.
    start
        Start of each job in the instance's flat order, shape (n,); -1 when not started before ``until``.
    utility
        psi_sp of each organization at ``until``, or the chosen utility for ref (times enter negated).
    contribution
        The rule's own phi: ref the Shapley value over its coalitions' schedules, rand its sampled mean,
        direct-contribution its tally; ``None`` for the others.
    coalitions
        ref only: every coalition's value and utilities.
    method
        ``"int64"``, ``"two-limbs"`` (numbers in two int64 words) or ``"python"`` (unlimited integers).
    parallel
        How jobs of several machines were run, see :data:`.catalogue.PARALLEL`.
    """

    instance: SharingInstance
    rule: str
    timing: str
    until: int
    start: AnyIntArray
    utility: tuple[Rational, ...]
    contribution: tuple[Fraction, ...] | None = None
    utility_name: str = DEFAULT
    coalitions: Coalitions | None = None
    given_machine: IntArray | None = field(default=None, repr=False)
    method: str = "int64"
    complete: bool = True
    parallel: str = "copies"

    @property
    def value(self) -> Rational:
        """Sum of the utilities."""
        return sum(self.utility)

    def whole(self) -> SharingOutcome:
        """Itself, or KeyboardInterrupt where it was interrupted: half a run is not comparable with a whole one."""
        if not self.complete:
            raise KeyboardInterrupt
        return self

    @cached_property
    def parts(self) -> tuple[int, ...]:
        """Unit parts of each organization's jobs that are done at ``until`` (machine time received)."""
        done = np.minimum(self.instance.length, ages(self.start, self.until))
        return tuple(exact_sum(done[a:b]) for a, b in pairwise(self.instance.first))

    @property
    def total_parts(self) -> int:
        """Unit parts done at ``until``, running jobs included (``p_tot`` when the rule is ref)."""
        return sum(self.parts)

    @property
    def utilization(self) -> Fraction | None:
        """Busy machine time before ``until`` over all machine time; ``None`` without machines or time."""
        room = self.instance.n_machines * self.until
        return Fraction(self.total_parts, room) if room else None

    @cached_property
    def machine(self) -> IntArray:
        """Machine of each job, shape (n,), -1 when not started; numbered organization after organization.

        Only direct-contribution chooses machines. For the other rules jobs that start together take the lowest free
        machines in the order organization, then queue.
        """
        if self.given_machine is not None:
            return self.given_machine
        starts, lengths = self.start.tolist(), self.instance.length.tolist()
        machine = np.full(self.start.size, -1, dtype=np.int64)
        free = list(range(min(self.instance.n_machines, self.started.size)))  # no machine behind these is lowest
        busy: list[tuple[int, int]] = []
        for job in self.started.tolist():
            while busy and busy[0][0] <= starts[job]:
                heappush(free, heappop(busy)[1])
            machine[job] = heappop(free)
            heappush(busy, (starts[job] + lengths[job], int(machine[job])))
        return machine

    @cached_property
    def started(self) -> IntArray:
        """Jobs that were started, by start, then organization, then queue."""
        ran = np.flatnonzero(self.start >= 0)
        return ran[np.argsort(self.start[ran], kind="stable")]

    @cached_property
    def schedule(self) -> list[tuple[int, int, int, int]]:
        """Rows ``(start, organization, job, machine)`` of :attr:`started`; all but the start count from 1.

        A job's number is its position in its organization's list as written.
        """
        return self.rows(None)

    def rows(self, most: int | None) -> list[tuple[int, int, int, int]]:
        """The first ``most`` rows of :attr:`schedule` (``None``: all), without making the others."""
        order, owner = self.started[:most], self.instance.owner
        columns = (self.start[order], owner[order] + 1, self.instance.number[order] + 1, self.machine[order] + 1)
        return list(zip(*(column.tolist() for column in columns), strict=True))


@dataclass(frozen=True)
class SharingMeasures:
    """How far an outcome is from REF's at the same moment.

    Attributes
    ----------
    delta
        Sum over organizations of ``|psi - psi*|``; counts what one wins and another loses twice.
    p_tot
        Unit parts done in REF's schedule.
    unfairness
        ``delta / p_tot``, 0 when nothing was done: average undeserved delay or advance of a unit part of work.
    utilization
        Of the outcome; ``None`` without machines.
    """

    delta: Rational
    p_tot: int
    unfairness: Fraction
    utilization: Fraction | None


def measures(outcome: SharingOutcome, reference: SharingOutcome) -> SharingMeasures:
    """Compare ``outcome`` with ``reference``, normally REF with timing ``next`` on the same instance.

    Both are compared in psi_sp, whatever utility they were run for. Raises InputError when they were evaluated at
    different moments or have different organizations.
    """
    if outcome.until != reference.until:
        raise InputError(f"the outcomes end at {outcome.until} and {reference.until}; expected the same moment")
    if outcome.instance.machines != reference.instance.machines:
        raise InputError("the outcomes have different organizations or machines")
    mine, theirs = throughput(outcome), throughput(reference)
    delta = sum(abs(a - b) for a, b in zip(mine, theirs, strict=True))
    p_tot = reference.total_parts
    return SharingMeasures(delta, p_tot, Fraction(delta, p_tot) if p_tot else Fraction(0), outcome.utilization)


def throughput(outcome: SharingOutcome) -> tuple[int, ...]:
    """psi_sp of each organization at the end, from the schedule alone (equation 3)."""
    return utilities_of(outcome.instance, outcome.start, outcome.until)


def utilities_of(instance: SharingInstance, start: AnyIntArray, until: int) -> tuple[int, ...]:
    """psi_sp of each organization for starts of all jobs (-1: not started), in integers of any size."""
    age = ages(start, until)
    done = np.minimum(instance.length, age)
    if age.size and int(age.max()) > SPAN_MAX:
        age, done = age.astype(object), done.astype(object)
    worth = done * (2 * age - done + 1) // 2  # below 2**62 unless Python's integers
    return tuple(exact_sum(worth[a:b]) for a, b in pairwise(instance.first))


def run_out(
    instance: SharingInstance, until: int, play: Callable[[SharingInstance, int], SharingOutcome]
) -> SharingOutcome:
    """The schedule to a moment, at least ``until``, at which all jobs have ended; to ``until`` without machines.

    Sequential jobs end within the time that their work takes on all machines after the last release, and the longest of
    them; parallel ones may take more.
    """
    work, end = exact_sum(instance.length), until
    if instance.n_machines and work:
        span = -(-work // instance.n_machines) + int(instance.length.max())
        end = max(until, int(instance.release.max()) + span)
    outcome = play(instance, end)
    while instance.n_machines and outcome.total_parts < work:
        end *= 2
        outcome = play(instance, end)
    return outcome


def lateness(outcome: SharingOutcome) -> tuple[int, ...]:
    """Moments at which the unit parts of each organization's jobs begin, added up; all jobs must have ended.

    A difference of two schedules of the same jobs is a delay, whatever the moment of evaluation.

    >>> from .simulation import simulate
    >>> lateness(simulate(SharingInstance.of([1, 0], [[(0, 2)], [(0, 1)]]), rule="fifo", until=9))
    (1, 2)
    """
    worth = utilities_of(outcome.instance, outcome.start, outcome.until)
    return tuple(outcome.until * parts - psi for parts, psi in zip(outcome.parts, worth, strict=True))


def decayed_parts(outcome: SharingOutcome, half_life: int) -> tuple[float, ...]:
    """Unit parts of each organization done before the end, a statistic: half as much for each half-life of age.

    A part that ends at the end counts 1; what was used before counts too.

    >>> from .simulation import simulate
    >>> outcome = simulate(SharingInstance.of([1, 1], [[(0, 4)], [(2, 2)]]), rule="fifo", until=4)
    >>> [round(used, 3) for used in decayed_parts(outcome, 2)]  # 1 + 0.707 + 0.5 + 0.354, and the first two
    [2.561, 1.707]
    """
    instance, rate = outcome.instance, math.log(2) / half_life
    age = ages(outcome.start, outcome.until)
    done = np.minimum(instance.length, age)
    since_end = np.asarray(age - done, dtype=np.float64)
    worth = np.exp(-rate * since_end) * -np.expm1(-rate * np.asarray(done, dtype=np.float64)) / -math.expm1(-rate)
    before = math.exp(-rate * (outcome.until - 1))
    spans = zip(pairwise(instance.first), instance.used(half_life), strict=True)
    return tuple(float(worth[a:b].sum()) + used * before for (a, b), used in spans)


def ages(start: AnyIntArray, until: int) -> AnyIntArray:
    """Time since its start of each job; 0 for those not started."""
    moments = start if until <= NARROW else start.astype(object)
    return np.where(moments >= 0, until - moments, 0)
