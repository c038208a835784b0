"""One machine at full speed: an agent's cost for every combination of true lengths on her machine.

Machines never interact, and the plan depends on the declarations alone. So the cost of agent ``n`` under declarations
``b`` is a table over the true lengths of the jobs that share her machine, and over nothing else. :func:`fill_tables`
writes such tables. All numbers are integers: lengths in one unit, times in another, ``seconds[m]`` time units per
length unit on machine ``m``. The same code runs compiled on int64 arrays, after a range proof by the caller, and
uncompiled (:func:`consortium.support.jit.plain`) on object arrays of Python integers.

The rules of the run are those of :mod:`consortium.mechanisms.declaration.execution`, written again for integers and
compared with it, and with a third version, in the tests.

What the kernels read is grouped: the plans as a run reads them (:class:`Runs`), the true lengths behind declarations
(:class:`Lengths`), and the tables to fill (:class:`Blank`). Nothing is checked here: :mod:`.arrays` and :mod:`.tables`
prepare them. The pieces of :func:`fill_tables` are put into it before it is compiled (``inline``): called for every
cell, they would spend a third of the time on counting references to the arrays of a group.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from ....support.jit import compiled, inlined

RUN_ON: Final = 0
POSTPONE: Final = 1
KILL: Final = 2
"""What happens to a job that is alive at its planned end; a reniced job runs on at its own slope."""

OWN_TIME: Final = 0
TIMES_OF_ALL: Final = 1
TIMES_OF_OTHERS: Final = 2
"""What a table holds: the agent's output time, or the sum of them on her machine, or of the others there."""


class Runs(NamedTuple):
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
    said: Any
    """``said[p, n]``: declared length."""
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
    """One machine in one profile: its jobs in running order, and everybody's numbers by agent, as in :class:`Runs`."""

    jobs: Any
    rate: Any
    said: Any
    slope: Any
    release: Any
    limit: Any


@inlined
def first_segments(machine: Machine, tools: Any, infinity: Any, length: Any, times: Any) -> Any:
    """Planned and early output times of all jobs; returns when the machine is free for what was postponed."""
    jobs, rate, said, slope = machine.jobs, machine.rate, machine.said, machine.slope
    alive, close, early = tools
    clock = 0 * rate
    for i in range(jobs.size):
        clock += said[jobs[i]] * rate
        times[i] = clock
    clock = 0 * rate
    for i in range(jobs.size):
        b = said[jobs[i]]
        x = length[i]
        end = clock + b * rate
        if alive == KILL:
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
                ahead += said[jobs[k]] * rate
                times[k] = max(times[k], ahead)
    return clock


@inlined
def remainders(machine: Machine, tools: Any, infinity: Any, length: Any, free: Any, times: Any) -> None:
    """Postponed work in the order of the list, each after its release and the end planned when it was stopped."""
    jobs, rate, said, release, limit = machine.jobs, machine.rate, machine.said, machine.release, machine.limit
    behind = 0 * rate
    for i in range(jobs.size):
        behind += said[jobs[i]] * rate
    clock = 0 * rate
    for i in range(jobs.size):
        n = jobs[i]
        b = said[n]
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


@inlined
def content_of(content: int, focus: int, jobs: Any, times: Any) -> Any:
    """What an agent bears of the output times on her machine."""
    value = 0 * times[0]
    for i in range(jobs.size):
        if content == TIMES_OF_ALL or (jobs[i] == focus) == (content == OWN_TIME):
            value += times[i]
    return value


@inlined
def company_size(jobs: Any) -> int:
    """Number of jobs of a list in running order that is filled up with -1."""
    n_jobs = 0
    while n_jobs < jobs.size and jobs[n_jobs] >= 0:
        n_jobs += 1
    return n_jobs


@inlined
def advance(odometer: Any, sizes: Any) -> None:
    """Move to the next combination, the last place fastest; after the last one to the first."""
    i = sizes.size - 1
    while i >= 0:
        odometer[i] += 1
        if odometer[i] < sizes[i]:
            break
        odometer[i] = 0
        i -= 1


@compiled
def fill_tables(first: int, last: int, content: int, runs: Runs, lengths: Lengths, blank: Blank) -> None:
    """Fill tables ``first .. last - 1`` with what ``content`` says, see :data:`OWN_TIME`."""
    tools, infinity, place, order, digit, said, seconds, slope, release, limit = runs
    start, count, theta, _ = lengths
    rows, focus, offset, cells = blank
    n_agents = place.shape[1]
    length, times = np.zeros(n_agents, cells.dtype), np.zeros(n_agents, cells.dtype)
    odometer, begins, sizes = np.zeros((3, n_agents), np.int64)
    for table in range(first, last):
        p = rows[table]
        m = place[p, focus[table]]
        jobs = order[p, m, : company_size(order[p, m])]
        machine = Machine(jobs, seconds[m], said[p], slope[p], release[p], limit[p])
        for i in range(jobs.size):
            odometer[i] = 0
            begins[i], sizes[i] = start[jobs[i], digit[p, jobs[i]]], count[jobs[i], digit[p, jobs[i]]]
        for cell in range(offset[table], offset[table + 1]):
            for i in range(jobs.size):
                length[i] = theta[begins[i] + odometer[i]]
            free = first_segments(machine, tools, infinity, length, times)
            if tools[0] == POSTPONE:
                remainders(machine, tools, infinity, length, free, times)
            cells[cell] = content_of(content, focus[table], jobs, times)
            advance(odometer, sizes[: jobs.size])
