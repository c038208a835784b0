"""One machine at full speed: an agent's cost for every combination of true lengths on her machine.

Machines never interact, and the plan depends on the declarations alone. So the cost of agent ``n`` under declarations
``b`` is a table over the true lengths of the jobs that share her machine, and over nothing else. :func:`fill_tables`
writes such tables. All numbers are integers: lengths in one unit, times in another, ``seconds[m]`` time units per
length unit on machine ``m``. The same code runs compiled on int64 arrays, after a range proof by the caller, and
uncompiled (``fill_tables.py_func``) on object arrays of Python integers.

The rules of the run are those of :mod:`consortium.mechanisms.declaration.execution`, written again for integers and
compared with it, and with a third version, in the tests.

Arrays that every function here and in :mod:`.pairs` shares (no checks: :mod:`.arrays` prepares them):

- ``place[p, n]`` machine of agent ``n`` in profile ``p``; ``order[p, m]`` jobs of a machine in running order, then -1;
- ``said[p, n]`` declared length, ``digit[p, n]`` number of that declaration;
- ``slope[p, n]`` time units per length unit beyond the declaration, for a job that runs on;
- ``release[p, n]`` earliest start of a postponed remainder, ``limit[p, n]`` largest total work (negative: none);
- ``start[n, d]``, ``count[n, d]`` where in ``theta`` the true lengths behind declaration ``d`` of agent ``n`` stand;
- ``offset[t]`` first cell of table ``t`` in ``cells``; within a table the last job of the machine changes fastest.
"""

from __future__ import annotations

from typing import Any, Final

from numba import njit
from numba.extending import register_jitable

RUN_ON: Final = 0
POSTPONE: Final = 1
KILL: Final = 2
"""What happens to a job that is alive at its planned end; a reniced job runs on at its own slope."""

OWN_TIME: Final = 0
TIMES_OF_ALL: Final = 1
TIMES_OF_OTHERS: Final = 2
"""What a table holds: the agent's output time, or the sum of them on her machine, or of the others there."""


@register_jitable
def _first_segments(
    p: int, rate: Any, jobs: Any, n_jobs: int, said: Any, length: Any, slope: Any, tools: Any, infinity: Any, times: Any
) -> Any:
    """Planned and early output times of all jobs; returns when the machine is free for what was postponed."""
    alive, close, early = tools
    clock = 0 * rate
    for i in range(n_jobs):
        clock += said[p, jobs[i]] * rate
        times[i] = clock
    clock = 0 * rate
    for i in range(n_jobs):
        b = said[p, jobs[i]]
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
            clock = end + (x - b) * slope[p, jobs[i]]
            times[i] = max(times[i], clock)
            ahead = clock
            for k in range(i + 1, n_jobs):
                ahead += said[p, jobs[k]] * rate
                times[k] = max(times[k], ahead)
    return clock


@register_jitable
def _remainders(
    p: int,
    rate: Any,
    jobs: Any,
    n_jobs: int,
    said: Any,
    length: Any,
    release: Any,
    limit: Any,
    tools: Any,
    infinity: Any,
    free: Any,
    times: Any,
) -> None:
    """Postponed work in the order of the list, each after its release and the end planned when it was stopped."""
    behind = 0 * rate
    for i in range(n_jobs):
        behind += said[p, jobs[i]] * rate
    clock = 0 * rate
    for i in range(n_jobs):
        n = jobs[i]
        b = said[p, n]
        x = length[i]
        end = clock + b * rate
        behind -= b * rate
        clock = clock + x * rate if x < b and tools[1] else end
        if x > b:
            free = max(free, max(release[p, n], end + behind))
            if limit[p, n] >= 0 and x > limit[p, n]:
                free += (limit[p, n] - b) * rate
                times[i] = infinity
            else:
                free += (x - b) * rate
                times[i] = max(times[i], free)


@register_jitable
def _content(content: int, focus: int, jobs: Any, n_jobs: int, times: Any) -> Any:
    value = 0 * times[0]
    for i in range(n_jobs):
        if content == TIMES_OF_ALL or (jobs[i] == focus) == (content == OWN_TIME):
            value += times[i]
    return value


@njit(nogil=True, cache=True)
def fill_tables(
    first: int,
    last: int,
    rows: Any,
    focus: Any,
    content: int,
    tools: Any,
    infinity: Any,
    place: Any,
    order: Any,
    said: Any,
    digit: Any,
    seconds: Any,
    slope: Any,
    release: Any,
    limit: Any,
    start: Any,
    count: Any,
    theta: Any,
    offset: Any,
    cells: Any,
    odometer: Any,
    length: Any,
    times: Any,
) -> None:
    """Fill tables ``first .. last - 1``.

    rows, focus: (tables,) a profile with this table and the agent whose it is there. content: see :data:`OWN_TIME`.
    tools: (alive, close, early). odometer, length, times: scratch, one place per agent.
    """
    for table in range(first, last):
        p = rows[table]
        m = place[p, focus[table]]
        jobs = order[p, m]
        n_jobs = 0
        while n_jobs < jobs.size and jobs[n_jobs] >= 0:
            odometer[n_jobs] = 0
            n_jobs += 1
        for cell in range(offset[table], offset[table + 1]):
            for i in range(n_jobs):
                length[i] = theta[start[jobs[i], digit[p, jobs[i]]] + odometer[i]]
            free = _first_segments(p, seconds[m], jobs, n_jobs, said, length, slope, tools, infinity, times)
            if tools[0] == POSTPONE:
                _remainders(p, seconds[m], jobs, n_jobs, said, length, release, limit, tools, infinity, free, times)
            cells[cell] = _content(content, focus[table], jobs, n_jobs, times)
            i = n_jobs - 1
            while i >= 0:
                odometer[i] += 1
                if odometer[i] < count[jobs[i], digit[p, jobs[i]]]:
                    break
                odometer[i] = 0
                i -= 1
