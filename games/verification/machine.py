"""One machine in integers: an agent's cost for every combination of true lengths on her machine.

Machines never interact, and the plan depends on the declarations alone. So the cost of agent ``n`` under declarations
``b`` is a table over the true lengths of the jobs that share her machine, and over nothing else. :func:`fill_tables`
writes such tables. Its rules of the run are those of :mod:`consortium.mechanisms.declaration.execution`, written again
for integers and compared with it, and with a third version, in the tests.

:func:`prepare` scales the plans of a mechanism. Lengths are multiples of ``1/length_unit``, times of ``1/time_unit``;
the time unit is the least common denominator of everything that a run can add up (seconds per length unit on each
machine and at each share, bills, durations). The range proof (:func:`_largest`) bounds every number that is formed from
them, here, in the kernels and by those who read the tables; where it fails, the same arrays hold Python integers and
the kernels run uncompiled.

``refine`` makes both units finer by an integer factor ``K``. With ``K`` larger than twice any slope, a length ``b + 1``
in the finer unit acts like ``b`` plus an infinitesimal: times are ``K t + s`` with ``|s| < K/2``, so comparisons are
decided by ``t`` first and by the slope ``s`` only in a tie, and rounding ``/ K`` gives the exact one-sided limit. What
stands for an infinite time is a multiple of ``K``, so rounding leaves it alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, Final, NamedTuple

import numpy as np

from ...mechanisms.declaration.one_round import OneRound
from ...support.exact import Extended
from ...support.jit import jit
from .plans import NONE, Ints, Plans

RUN_ON: Final = 0
POSTPONE: Final = 1
KILL: Final = 2
UNCONTROLLED: Final = 3
"""What happens to a job that is alive at its planned end; a reniced job runs on at its own slope. Without control
nobody's planned end matters."""

OWN_TIME: Final = 0
TIMES_OF_ALL: Final = 1
TIMES_OF_OTHERS: Final = 2
RENT: Final = 10
"""What a table holds: the agent's output time, or the sum of them on her machine, or of the others there; or, with one
of these added, the machine's part of the rent of agents who bear that sum had everybody else on it been truthful."""


class RunArrays(NamedTuple):
    """Plans as a run reads them; ``p`` numbers profiles, ``n`` agents, ``m`` machines."""

    tools: tuple[int, int, int]
    """What happens at the planned end, and whether CLOSE and EARLY are used."""
    infinity: Any
    place: Any
    """``place[p, n]``: machine of an agent."""
    order: Any
    """``order[p, m]``: jobs of a machine in running order, then -1."""
    digit: Any
    """``digit[p, n]``: number of the agent's declaration."""
    declared: Any
    """``declared[p, n]``: declared length."""
    seconds: Any
    """``seconds[m]``: time units per length unit."""
    slope: Any
    """``slope[p, n]``: time units per length unit beyond the declaration, for a job that runs on."""
    release: Any
    """``release[p, n]``: earliest start of a postponed remainder."""
    limit: Any
    """``limit[p, n]``: largest total work (negative: none)."""


class Lengths(NamedTuple):
    """The true lengths behind declaration ``d`` of agent ``n``: ``theta[start[n, d] : start[n, d] + count[n, d]]``."""

    start: Any
    count: Any
    theta: Any
    kind: Any
    """``kind[n, d]``: equal for places with equal lengths."""

    def behind(self, n: int, d: int) -> list[int]:
        """Those behind one declaration."""
        behind: list[int] = self.theta[self.start[n, d] : self.start[n, d] + self.count[n, d]].tolist()
        return behind


class Blank(NamedTuple):
    """Tables to fill; within a table the length of the last job of the machine changes fastest."""

    rows: Any
    """A profile that has the table."""
    focus: Any
    """The agent whose table it is."""
    offset: Any
    """First cell of each table in ``cells``, and the end of the last."""
    cells: Any


class Machine(NamedTuple):
    """One machine in one profile: its jobs in running order, and numbers by agent, as in :class:`RunArrays`."""

    jobs: Any
    rate: Any
    declared: Any
    slope: Any
    release: Any
    limit: Any


@jit
def first_segments(machine: Machine, tools: Any, infinity: Any, length: Any, times: Any) -> Any:
    """Planned and early output times of all jobs; returns when the machine is free for what was postponed."""
    jobs, rate, declared, slope = machine.jobs, machine.rate, machine.declared, machine.slope
    alive, close, early = tools
    clock = 0 * rate
    for i in range(jobs.size):
        clock += declared[jobs[i]] * rate
        times[i] = clock
    clock = 0 * rate
    for i in range(jobs.size):
        b = declared[jobs[i]]
        x = length[i]
        end = clock + b * rate
        if alive == UNCONTROLLED:
            clock += x * rate
            times[i] = clock
        elif alive == KILL:
            if x != b:
                times[i] = infinity
            clock = end
        elif x == b:
            if early:
                times[i] = end
            clock = end
        elif x < b:
            clock = clock + x * rate if close else end
        elif alive == POSTPONE:
            clock = end
        else:
            clock = end + (x - b) * slope[jobs[i]]
            times[i] = max(times[i], clock)
            ahead = clock
            for k in range(i + 1, jobs.size):
                ahead += declared[jobs[k]] * rate
                times[k] = max(times[k], ahead)
    return clock


@jit
def remainders(machine: Machine, tools: Any, infinity: Any, length: Any, free: Any, times: Any) -> None:
    """Postponed work in the order of the list, each after its release and the end planned when it was stopped."""
    jobs, rate, declared, release, limit = machine.jobs, machine.rate, machine.declared, machine.release, machine.limit
    behind = 0 * rate
    for i in range(jobs.size):
        behind += declared[jobs[i]] * rate
    clock = 0 * rate
    for i in range(jobs.size):
        n = jobs[i]
        b = declared[n]
        x = length[i]
        end = clock + b * rate
        behind -= b * rate
        clock = clock + x * rate if x < b and tools[1] else end
        if x > b:
            free = max(free, max(release[n], end + behind))
            if limit[n] >= 0 and x > limit[n]:
                free += (limit[n] - b) * rate
                times[i] = infinity
            else:
                free += (x - b) * rate
                times[i] = max(times[i], free)


@jit
def content_of(content: int, focus: int, jobs: Any, times: Any) -> Any:
    """What an agent bears of the output times on her machine."""
    value = 0 * times[0]
    for i in range(jobs.size):
        if content == TIMES_OF_ALL or (jobs[i] == focus) == (content == OWN_TIME):
            value += times[i]
    return value


@jit
def company_size(jobs: Any) -> int:
    """Number of jobs of a list in running order that is filled up with -1."""
    n_jobs = 0
    while n_jobs < jobs.size and jobs[n_jobs] >= 0:
        n_jobs += 1
    return n_jobs


@jit
def advance(odometer: Any, sizes: Any) -> None:
    """Move to the next combination, the last place fastest; after the last one to the first."""
    i = sizes.size - 1
    while i >= 0:
        odometer[i] += 1
        if odometer[i] < sizes[i]:
            break
        odometer[i] = 0
        i -= 1


@jit
def fill_tables(first: int, last: int, content: int, runs: RunArrays, lengths: Lengths, blank: Blank) -> None:
    """Fill tables ``first .. last - 1`` with what ``content`` says, see :data:`OWN_TIME`."""
    tools, infinity, place, order, digit, declared, seconds, slope, release, limit = runs
    start, count, theta, _ = lengths
    rows, focus, offset, cells = blank
    n_agents = place.shape[1]
    length, times = np.zeros(n_agents, cells.dtype), np.zeros(n_agents, cells.dtype)
    odometer, begins, sizes = np.zeros((3, n_agents), np.int64)
    for table in range(first, last):
        p = rows[table]
        m = place[p, focus[table]]
        jobs = order[p, m, : company_size(order[p, m])]
        machine = Machine(jobs, seconds[m], declared[p], slope[p], release[p], limit[p])
        for i in range(jobs.size):
            odometer[i] = 0
            begins[i], sizes[i] = start[jobs[i], digit[p, jobs[i]]], count[jobs[i], digit[p, jobs[i]]]
        for cell in range(offset[table], offset[table + 1]):
            for i in range(jobs.size):
                length[i] = theta[begins[i] + odometer[i]]
            free = first_segments(machine, tools, infinity, length, times)
            if tools[0] == POSTPONE:
                remainders(machine, tools, infinity, length, free, times)
            if content < RENT:
                cells[cell] = content_of(content, focus[table], jobs, times)
            else:
                cells[cell] = -content_of(TIMES_OF_ALL, -1, jobs, times)
                for k in range(jobs.size):
                    for i in range(jobs.size):
                        length[i] = theta[begins[i] + odometer[i]] if i == k else declared[p, jobs[i]]
                    first_segments(machine, tools, infinity, length, times)
                    cells[cell] += content_of(content - RENT, jobs[k], jobs, times)
            advance(odometer, sizes[: jobs.size])


ALIVE = {"run-on": RUN_ON, "renice": RUN_ON, "postpone": POSTPONE, "kill": KILL}
ROOM = 1 << 61
"""Bound proved for every finite number of the int64 arrays; what stands for infinity lies between it and its double."""


@dataclass(frozen=True)
class Scale:
    """One unit of length, one of time, and whether int64 holds everything that the kernels form."""

    refine: int  # factor by which both units are finer than needed
    length: int  # integer units per unit of length
    time: int  # and of time
    compiled: bool  # whether the numbers are int64; else Python integers
    infinity: int  # stands for a time that never comes
    steepest: int  # most time units per length unit that an output time grows with a length
    latest: int  # bound on every finite output time
    largest: int  # bound on every finite number that is formed from the arrays, see _largest

    @property
    def dtype(self) -> Any:
        """int64, or object for Python integers."""
        return np.int64 if self.compiled else object


@dataclass(frozen=True)
class Arrays:
    """Plans in integers; ``runs`` is what the kernels read. Rows of profiles without a plan hold zeros."""

    plans: Plans
    scale: Scale
    runs: RunArrays
    planned: Any
    bill: Any

    def units(self, length: Fraction) -> int:
        """A length in integer units."""
        return int(length * self.scale.length)

    def time(self, value: Any) -> Extended:
        """A cost as an exact number."""
        whole = int(value)
        if abs(whole) == self.scale.infinity:
            return float("inf") if whole > 0 else float("-inf")
        return Fraction(whole, self.scale.time)

    def total(self, cost: Any, paid: Any) -> Extended:
        """A cost and what is paid besides as an exact number; an infinite cost stays what it is."""
        whole = int(cost)
        return self.time(whole if abs(whole) == self.scale.infinity else whole + int(paid))

    @cached_property
    def paid(self) -> Any:
        """Bill minus planned time; zeros without a bill. Shape (profiles, agents)."""
        paid = self.bill - self.planned
        paid[self.plans.bill == NONE] = 0
        return paid


def prepare(mechanism: OneRound, plans: Plans, refine: int = 1, compiled: bool | None = None) -> Arrays:
    """Scale the plans of a mechanism to integers. ``compiled=False`` forces Python integers."""
    scale = _scale(mechanism, plans, refine, compiled)
    order = _order(plans, mechanism.cluster.n_machines)
    seconds = np.array([int(rate * scale.time / scale.length) for rate in _rates(mechanism)], dtype=scale.dtype)
    declared = _by_digit(plans, lambda b: int(b * scale.length), scale.dtype)
    planned, static_end = _ends(order, declared, seconds)
    times = np.zeros(len(plans.rationals.values) + 1, dtype=scale.dtype)  # the last one for NONE
    for number, time in _times(mechanism, plans).items():
        times[number] = int(time * scale.time)
    release = planned
    if mechanism.tools.alive == "postpone":
        release = np.where(plans.penalty == NONE, static_end, planned + times[plans.penalty])
    own = mechanism.tools
    tools = ALIVE[own.alive] if own.hold else UNCONTROLLED, int(own.close), int(own.early)
    slope, limit = _slopes(mechanism, plans, scale), _limits(mechanism, plans, scale)
    runs = RunArrays(tools, scale.infinity, plans.place, order, plans.digit, declared, seconds, slope, release, limit)
    return Arrays(plans, scale, runs, planned, times[plans.bill])


def _rates(mechanism: OneRound) -> list[Fraction]:
    """Seconds per unit of length on each machine."""
    return [1 / power for power in mechanism.cluster.powers]


def _scale(mechanism: OneRound, plans: Plans, refine: int, compiled: bool | None) -> Scale:
    rates, shares = _rates(mechanism), _shares(mechanism, plans).values()
    lengths = {x for own in (*plans.domain.universe, *plans.domain.lengths) for x in own}
    if mechanism.cutoff is not None:
        lengths |= {mechanism.cutoff.limit(b) for b in lengths}
    length_unit = lcm(*(x.denominator for x in lengths))
    slopes = [rate / length_unit for rate in rates]
    slopes += [slope / share for slope in slopes for share in shares]
    times = _times(mechanism, plans).values()
    time_unit = lcm(*(x.denominator for x in (*slopes, *times)))
    longest = int(max(lengths) * length_unit) * refine + 1
    steepest = int(max(slopes) * time_unit)
    latest = int(max(map(abs, times), default=Fraction(0)) * time_unit) * refine
    end, largest = _largest(plans.domain.n_agents, longest, steepest, latest)
    if compiled is None:
        compiled = largest < ROOM
    infinity = 2 * (ROOM if compiled else largest) // refine * refine
    return Scale(refine, length_unit * refine, time_unit * refine, compiled, infinity, steepest, end, largest)


def _largest(n_agents: int, longest: int, steepest: int, latest: int) -> tuple[int, int]:
    """Bounds on every finite output time, and on every finite number that is formed from the arrays.

    ``longest``: largest length, an infinitesimal included. ``steepest``: most time units per length unit. ``latest``:
    largest bill or duration. A list of jobs takes at most ``span``, run as declared or to its end; a postponed job
    waits for that, for its duration and for as much again. A table may add the costs of a whole machine, a gain is the
    difference of two costs and two payments, a coalition's gain the sum of its members', the rent after the run the sum
    of everybody's payments.
    """
    span = n_agents * longest * steepest
    end = 2 * span + latest
    paid = latest + n_agents * span
    table = n_agents * end
    return end, max(n_agents * 2 * (table + paid), n_agents * (table + end + n_agents * span))


def _times(mechanism: OneRound, plans: Plans) -> dict[int, Fraction]:
    """What of the plans' rationals is a time, by number: the bills, and the durations of a rule that postpones."""
    used = {*np.unique(plans.bill).tolist()}
    if mechanism.tools.alive == "postpone":
        used |= {*np.unique(plans.penalty).tolist()}
    return {number: plans.rationals.values[number] for number in sorted(used - {NONE})}


def _shares(mechanism: OneRound, plans: Plans) -> dict[int, Fraction]:
    """Share of a job that runs on, by penalty number."""
    if mechanism.tools.alive != "renice":
        return {NONE: Fraction(1)}
    return {i: plans.rationals.values[i] if i != NONE else Fraction(1) for i in np.unique(plans.penalty).tolist()}


def _ends(order: Ints, declared: Any, seconds: Any) -> tuple[Any, Any]:
    """Planned output times, and for everybody the planned end of her machine; shape (profiles, agents).

    Profiles without a plan have no jobs in ``order``.
    """
    planned, static_end = np.zeros_like(declared), np.zeros_like(declared)
    for m, rate in enumerate(seconds):
        clock = np.zeros(len(declared), dtype=declared.dtype)
        places = [(rows := np.flatnonzero(jobs >= 0), jobs[rows]) for jobs in order[:, m].T]
        for place in places:
            clock[place[0]] += declared[place] * rate
            planned[place] = clock[place[0]]
        for place in places:
            static_end[place] = clock[place[0]]
    return planned, static_end


def _slopes(mechanism: OneRound, plans: Plans, scale: Scale) -> Any:
    """Time units per length unit beyond the declaration, for jobs that run on."""
    slope = np.zeros(plans.place.shape, dtype=scale.dtype)
    for number, share in _shares(mechanism, plans).items():
        which = (plans.penalty == number) | (mechanism.tools.alive != "renice")
        slopes = [int(rate * scale.time / (scale.length * share)) for rate in _rates(mechanism)]
        slope[which] = np.array(slopes, dtype=scale.dtype)[plans.place[which]]
    return slope


def _limits(mechanism: OneRound, plans: Plans, scale: Scale) -> Any:
    """Largest total work of each job, -1 for none."""
    cutoff = mechanism.cutoff
    if cutoff is None:
        return np.full(plans.place.shape, -1, dtype=scale.dtype)
    return _by_digit(plans, lambda b: int(cutoff.limit(b) * scale.length), scale.dtype)


def _by_digit(plans: Plans, number: Any, dtype: Any) -> Any:
    """A number of each declaration, shape (profiles, agents)."""
    columns = [
        np.array([number(b) for b in own], dtype=dtype)[plans.digit[:, n]]
        for n, own in enumerate(plans.domain.universe)
    ]
    return np.stack(columns, axis=1)


def _order(plans: Plans, n_machines: int) -> Ints:
    """Jobs of every machine in running order, padded with -1."""
    n_profiles, n_agents = plans.place.shape
    order = np.full((n_profiles, n_machines, n_agents), NONE, dtype=np.int64)
    rows = np.flatnonzero(plans.ready)
    for n in range(n_agents):
        order[rows, plans.place[rows, n], plans.position[rows, n]] = n
    return order
