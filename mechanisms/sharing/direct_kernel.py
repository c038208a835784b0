"""Compiled DIRECTCONTR: who received machine time, who gave it, with O(1) counters per organization and event.

``got`` and ``given`` hold, per organization, a utility, finished unit parts, jobs running and the moment they were
brought to: once as owner of jobs, once as owner of machines. The corrected rule serves whoever has the largest given
minus got; the printed one exchanges the two inside its loop over machines, forgets jobs that end at the event, and
counts a started job as a finished part, so it needs every event in order and both books updated together.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from .compiled import IntArray, compiled, pop, push
from .queue_kernel import DONE, FREE, HEAP, KNOWN, NEXT_RELEASE, NOW, PARTS, POSITION, PSI, RUNNING, STARTED, WAITING

EVENT: Final = 8
"""Entry of ``state``: moment of the previous event."""


@compiled
def pass_time(books: IntArray, given: IntArray, d: int, printed: bool) -> None:
    """Credit the ``d`` units of time since the previous event to owners of jobs (books) and of machines (given)."""
    if d == 0:
        return
    block = d * (d + 1) // 2
    for u in range(books.shape[0]):
        got_now = books[u, RUNNING] * block
        given_now = given[u, RUNNING] * block
        books[u, PSI] += d * books[u, PARTS] + (given_now if printed else got_now)
        given[u, PSI] += d * given[u, PARTS] + (got_now if printed else given_now)
        books[u, PARTS] += d * books[u, RUNNING]
        given[u, PARTS] += d * given[u, RUNNING]


@compiled
def complete(
    t: int,
    shift: int,
    heap: IntArray,
    books: IntArray,
    given: IntArray,
    state: IntArray,
    free: IntArray,
    machine_owner: IntArray,
    on_machine: IntArray,
) -> int:
    """Free the machines whose jobs end at ``t``, lowest number first; returns how many."""
    mask = (1 << shift) - 1
    count = 0
    while state[HEAP] > 0 and heap[0] >> shift == t:
        machine = heap[0] & mask
        pop(heap, 0, state[HEAP])
        state[HEAP] -= 1
        books[on_machine[machine], RUNNING] -= 1
        given[machine_owner[machine], RUNNING] -= 1
        free[state[FREE]] = machine
        state[FREE] += 1
        count += 1
    return count


@compiled
def most_owed(books: IntArray, given: IntArray, step: int) -> int:
    """The waiting organization with the largest given minus got, ``step`` later; ties go to the lowest index."""
    best = -1
    best_balance = 0
    for u in range(books.shape[0]):
        if books[u, KNOWN] == books[u, POSITION]:
            continue
        balance = given[u, PSI] - books[u, PSI]
        if step:
            balance += given[u, PARTS] + given[u, RUNNING] - books[u, PARTS] - books[u, RUNNING]
        if best < 0 or balance > best_balance:
            best = u
            best_balance = balance
    return best


@compiled
def take_machine(free: IntArray, state: IntArray, listed: bool, draws: npt.NDArray[np.uint32]) -> int:
    """Remove a free machine: the lowest (a heap) or a random one (an unordered list)."""
    count = state[FREE]
    state[FREE] -= 1
    if listed:
        lowest = free[0]
        pop(free, 0, count)
        return int(lowest)
    at = np.int64(draws[state[STARTED]]) * count >> 32
    machine = free[at]
    free[at] = free[count - 1]
    return int(machine)


@compiled
def run_chunk(
    printed: bool,
    step: int,
    listed: bool,
    until: int,
    budget: int,
    length: IntArray,
    release_time: IntArray,
    release_owner: IntArray,
    machine_owner: IntArray,
    shift: int,
    draws: npt.NDArray[np.uint32],
    heap: IntArray,
    free: IntArray,
    on_machine: IntArray,
    books: IntArray,
    given: IntArray,
    state: IntArray,
    start: IntArray,
    machine_of: IntArray,
) -> None:
    """Process moments before ``until``, at most ``budget`` job events; all state is in the arrays."""
    spent = 0
    while True:
        t = until
        if state[NEXT_RELEASE] < release_time.size:
            t = min(t, release_time[state[NEXT_RELEASE]])
        if state[HEAP] > 0:
            t = min(t, heap[0] >> shift)
        state[NOW] = t
        if t < until and spent >= budget:
            return
        d = t - state[EVENT]
        state[EVENT] = t
        if not printed:
            pass_time(books, given, d, False)
        before = state[FREE]
        spent += complete(t, shift, heap, books, given, state, free, machine_owner, on_machine)
        if printed:
            pass_time(books, given, d, True)
        if t >= until:
            state[DONE] = 1
            return
        if listed:  # the new ones were appended: restore the heap
            for i in range(before, state[FREE]):
                push(free, 0, i, free[i])
        while state[NEXT_RELEASE] < release_time.size and release_time[state[NEXT_RELEASE]] == t:
            books[release_owner[state[NEXT_RELEASE]], KNOWN] += 1
            state[NEXT_RELEASE] += 1
            state[WAITING] += 1
            spent += 1
        while state[FREE] > 0 and state[WAITING] > 0:
            machine = take_machine(free, state, listed, draws)
            u = most_owed(books, given, step)
            job = books[u, POSITION]
            giver = machine_owner[machine]
            books[u, POSITION] += 1
            books[u, RUNNING] += 1
            given[giver, RUNNING] += 1
            if printed:
                books[u, PARTS] += 1
                given[giver, PARTS] += 1
            start[job] = t
            machine_of[job] = machine
            on_machine[machine] = u
            state[WAITING] -= 1
            state[STARTED] += 1
            spent += 1
            if t + length[job] <= until:
                push(heap, 0, state[HEAP], ((t + length[job]) << shift) | machine)
                state[HEAP] += 1
