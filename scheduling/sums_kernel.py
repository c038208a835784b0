"""The schedule of the smallest sum at large sizes: slots, classes and quotas in columns, and a kernel that places jobs.

Model: as in :mod:`.sums`, which says what multiplier classes, length classes, quotas and open machines are, and places
jobs of any numbers. Here all of it is in arrays of int64, made without a loop over jobs. The kernel follows one partial
schedule; where that splits in two, because it stays open whether a machine goes without a job at ``v*`` and both
answers give the job the same place, it stops, and :mod:`.sums` answers instead. That takes many equal lengths.

>>> import numpy as np
>>> columns = schedule(np.array([1, 5, 3]), np.array([1, 1]), last=2)
>>> [column.tolist() for column in columns]
[[0, 0, 1], [0, 1, 0]]
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..support.jit import jit

IntArray: TypeAlias = NDArray[np.int64]


class Slots(NamedTuple):
    """What all optimal schedules share, as ``sums._Slots`` has it; a list of lists is one list and where each starts.

    ``machines[machines_at[v]:machines_at[v + 1]]`` are those of multiplier class ``v``; ``quota[quota_at[a]]`` is what
    length class ``a`` has of multiplier class ``first[a]``, and so on up to ``quota_at[a + 1]``. ``below_last`` is what
    is called ``count`` there; ``at_last`` are the open machines, of which ``n_used`` have a job at ``v*``.
    """

    per_work: IntArray
    below_last: IntArray
    value: IntArray
    machines: IntArray
    machines_at: IntArray
    class_of: IntArray
    first: IntArray
    quota: IntArray
    quota_at: IntArray
    at_last: IntArray
    n_used: int


class State(NamedTuple):
    """A partial schedule: what is left of every class, and which open machines are decided."""

    next_machine: IntArray
    quota: IntArray
    heap: IntArray
    heap_size: IntArray
    uses_last: IntArray
    taken_last: NDArray[np.bool_]


UNDECIDED, WITHOUT, WITH, CLOSED = -1, 0, 1, 2
"""Whether an open machine has a job at ``v*``; ``CLOSED`` for machines that are not open."""


def schedule(work: IntArray, per_work: IntArray, last: int) -> tuple[IntArray, IntArray] | None:
    """Machine and position of every job in ``A_Sigma``, or ``None`` where the partial schedule splits.

    ``last`` is the largest multiplier used, at most ``2**62``; there is at least one job.
    """
    slots = slots_of(work, per_work, last)
    machine, position = np.empty((2, work.size), dtype=np.int64)
    classes = slots.machines_at.size - 1
    uses_last = np.full(per_work.size, CLOSED)
    uses_last[slots.at_last] = UNDECIDED
    state = State(
        next_machine=slots.machines_at[:-1].copy(),
        quota=slots.quota.copy(),
        heap=np.empty(slots.quota.size, dtype=np.int64),
        heap_size=np.full(slots.first.size, -1),
        uses_last=uses_last,
        taken_last=np.zeros(per_work.size, dtype=np.bool_),
    )
    done = place(slots, state, classes, machine, position)
    return (machine, position) if done == work.size else None


def slots_of(work: IntArray, per_work: IntArray, last: int) -> Slots:
    """Slots, classes and quotas; ``last`` is the multiplier of the last slot used."""
    count = (last - 1) // per_work
    at_last = np.flatnonzero(last % per_work == 0)
    n_used = work.size - int(count.sum())
    if n_used == at_last.size:  # all of them are used, so they are slots as others
        count[at_last] += 1
        at_last = at_last[:0]
    starts = np.cumsum(count) - count
    owner = np.repeat(np.arange(per_work.size), count)
    multiplier = (np.arange(owner.size) - starts[owner] + 1) * per_work[owner]
    order = np.argsort(multiplier, kind="stable")  # equal ones by machine
    multiplier = multiplier[order]
    machines_at = np.append(np.flatnonzero(np.diff(multiplier, prepend=0)), owner.size)
    slots = machines_at if not at_last.size else np.append(machines_at, work.size)
    lengths, class_of, jobs = np.unique(work, return_inverse=True, return_counts=True)
    jobs_at = np.append(0, np.cumsum(jobs[::-1]))  # longest first
    first = np.searchsorted(slots, jobs_at[:-1], side="right") - 1
    end = np.searchsorted(slots, jobs_at[1:], side="left")
    quota_at = np.append(0, np.cumsum(end - first))
    length_class = np.repeat(np.arange(lengths.size), end - first)
    multiplier_class = np.arange(quota_at[-1]) - quota_at[length_class] + first[length_class]
    quota = np.minimum(slots[multiplier_class + 1], jobs_at[length_class + 1]) - np.maximum(
        slots[multiplier_class], jobs_at[length_class]
    )
    return Slots(
        per_work=per_work,
        below_last=count,
        value=np.append(multiplier[machines_at[:-1]], last),
        machines=owner[order],
        machines_at=machines_at,
        class_of=lengths.size - 1 - class_of,
        first=first,
        quota=quota,
        quota_at=quota_at,
        at_last=at_last,
        n_used=n_used,
    )


@jit
def _sift(heap: IntArray, at: int, low: int, high: int) -> None:
    """Let an entry of the heap ``heap[low:high]`` sink to its place."""
    while True:
        child = low + 2 * (at - low) + 1
        if child >= high:
            return
        if child + 1 < high and heap[child + 1] < heap[child]:
            child += 1
        if heap[at] <= heap[child]:
            return
        heap[at], heap[child] = heap[child], heap[at]
        at = child


@jit
def _smallest_below(slots: Slots, state: State, classes: int, a: int) -> tuple[int, int]:
    """Smallest machine with a slot for class ``a`` below ``v*`` and its largest multiplier class there.

    Entries of the heap are ``machine * classes + (classes - 1 - multiplier class)``.
    """
    low, first = slots.quota_at[a], slots.first[a]
    if state.heap_size[a] < 0:
        size = min(slots.quota_at[a + 1] - low, classes - first)
        for i in range(size):
            v = first + i
            state.heap[low + i] = slots.machines[state.next_machine[v]] * classes + classes - 1 - v
        for i in range(low + size - 1, low - 1, -1):
            _sift(state.heap, i, low, low + size)
        state.heap_size[a] = size
    size = state.heap_size[a]
    while size > 0:
        m = state.heap[low] // classes
        v = classes - 1 - state.heap[low] % classes
        if state.quota[low + v - first] == 0:
            size -= 1
            state.heap[low] = state.heap[low + size]
        elif slots.machines[state.next_machine[v]] == m:
            state.heap_size[a] = size
            return m, v
        else:  # another length class was here meanwhile
            state.heap[low] = slots.machines[state.next_machine[v]] * classes + classes - 1 - v
        _sift(state.heap, low, low, low + size)
    state.heap_size[a] = size
    return slots.per_work.size, 0


@jit
def place(slots: Slots, state: State, classes: int, machine: IntArray, position: IntArray) -> int:
    """Place jobs in their order; returns how many were placed before the partial schedule splits.

    ``classes`` is the number of multiplier classes with slots that every schedule uses.
    """
    none = slots.per_work.size
    may_go_without = slots.at_last.size - slots.n_used
    n_with = n_without = next_open = 0
    for n in range(slots.class_of.size):
        a = slots.class_of[n]
        low, first = slots.quota_at[a], slots.first[a]
        if slots.quota_at[a + 1] - low == 1 and first < classes:
            below, v = slots.machines[state.next_machine[first]], first
            at_last = none
        else:
            below, v = _smallest_below(slots, state, classes, a)
            at_last, top = none, low + classes - first
            if slots.at_last.size > 0 and top < slots.quota_at[a + 1] and state.quota[top] > 0:
                while next_open < slots.at_last.size:
                    m = slots.at_last[next_open]
                    decided = state.uses_last[m]
                    if not state.taken_last[m] and (decided == WITH or (decided < 0 and n_with < slots.n_used)):
                        at_last = m
                        break
                    next_open += 1
        m = min(below, at_last)
        decision = state.uses_last[m]
        own = slots.below_last[m] - slots.value[v] // slots.per_work[m]  # its position if the machine goes without
        takes_last = m == at_last
        if decision == UNDECIDED:
            without, use = m == below and n_without < may_go_without, n_with < slots.n_used
            if m != at_last or not use:  # going without lets it run earlier
                decision = WITHOUT if without else WITH
            elif without and own == 0:
                return n
            else:  # position 0 is the slot at v*
                decision = WITH
            takes_last = m == at_last and decision == WITH
            n_with += decision == WITH
            n_without += decision == WITHOUT
            state.uses_last[m] = decision
        machine[n] = m
        if takes_last:
            state.taken_last[m] = True
            state.quota[low + classes - first] -= 1
            position[n] = 0
        else:
            state.next_machine[v] += 1
            state.quota[low + v - first] -= 1
            position[n] = own + (decision == WITH)
    return slots.class_of.size
