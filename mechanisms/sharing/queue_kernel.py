"""Compiled simulator of the rules that look at queues and running counts only.

One binary heap of completions, one list of releases in order of time, and per organization the counters (utility, unit
parts done, jobs running, last update): a start or completion costs a logarithm of the machines plus one look at each
organization. Integers are proved to fit beforehand; shares are compared by cross-multiplication in two words.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from .compiled import IntArray, compiled, pop, push

FIFO: Final = 0
ROUND_ROBIN: Final = 1
FAIR_SHARE: Final = 2
UTILITY_FAIR_SHARE: Final = 3
CURRENT_FAIR_SHARE: Final = 4
CODES: Final = {
    "fifo": FIFO,
    "round-robin": ROUND_ROBIN,
    "fair-share": FAIR_SHARE,
    "utility-fair-share": UTILITY_FAIR_SHARE,
    "current-fair-share": CURRENT_FAIR_SHARE,
}

# columns of ``books``, one row per organization
PSI: Final = 0
PARTS: Final = 1
RUNNING: Final = 2
LAST: Final = 3
POSITION: Final = 4  # next job in the flat arrays
KNOWN: Final = 5  # end of the released jobs in the flat arrays
# entries of ``state``
NEXT_RELEASE: Final = 0
HEAP: Final = 1
FREE: Final = 2
WAITING: Final = 3
TURN: Final = 4
STARTED: Final = 5
DONE: Final = 6
NOW: Final = 7


@compiled
def bring(books: IntArray, u: int, t: int) -> None:
    """Let time pass for one organization up to ``t``."""
    d = t - books[u, LAST]
    if d > 0:
        books[u, PSI] += d * books[u, PARTS] + books[u, RUNNING] * (d * (d + 1) // 2)
        books[u, PARTS] += d * books[u, RUNNING]
        books[u, LAST] = t


@compiled
def less_ratio(a: int, b: int, c: int, d: int) -> bool:
    """``a / b < c / d`` for non-negative a, c and positive b, d below 2**31, by exact two-word products."""
    low1 = (a & 0x7FFFFFFF) * d
    low2 = (c & 0x7FFFFFFF) * b
    high1 = (a >> 31) * d + (low1 >> 31)
    high2 = (c >> 31) * b + (low2 >> 31)
    if high1 != high2:
        return high1 < high2
    return (low1 & 0x7FFFFFFF) < (low2 & 0x7FFFFFFF)


@compiled
def numerator(rule: int, books: IntArray, u: int, at: int) -> int:
    """What a fair share divides by the share: usage or utility at moment ``at``, or the jobs running."""
    if rule == CURRENT_FAIR_SHARE:
        return int(books[u, RUNNING])
    d = at - books[u, LAST]
    if rule == FAIR_SHARE:
        return int(books[u, PARTS] + d * books[u, RUNNING])
    return int(books[u, PSI] + d * books[u, PARTS] + books[u, RUNNING] * (d * (d + 1) // 2))


@compiled
def choose(rule: int, books: IntArray, shares: IntArray, release: IntArray, turn: int, at: int) -> int:
    """The organization to serve among those waiting; -1 when nobody waits. Ties go to the lowest index."""
    k = shares.size
    best = -1
    best_value = 0
    if rule == ROUND_ROBIN:
        for i in range(k):
            u = turn + i if turn + i < k else turn + i - k
            if books[u, KNOWN] > books[u, POSITION]:
                return u
        return -1
    for u in range(k):
        if books[u, KNOWN] == books[u, POSITION]:
            continue
        value = release[books[u, POSITION]] if rule == FIFO else numerator(rule, books, u, at)
        if best < 0:
            better = True
        elif rule == FIFO or (shares[u] == 0 and shares[best] == 0):
            better = value < best_value
        elif shares[u] == 0 or shares[best] == 0:
            better = shares[best] == 0  # without a share: last
        else:
            better = less_ratio(value, shares[u], best_value, shares[best])
        if better:
            best = u
            best_value = value
    return best


@compiled
def run_chunk(
    rule: int,
    step: int,
    until: int,
    budget: int,
    shares: IntArray,
    release: IntArray,
    length: IntArray,
    release_time: IntArray,
    release_owner: IntArray,
    shift: int,
    heap: IntArray,
    books: IntArray,
    state: IntArray,
    start: IntArray,
) -> None:
    """Process moments before ``until`` until ``budget`` job events have passed; all state is in the arrays.

    ``release_time`` and ``release_owner`` list the releases in order of time; ``start`` receives the starts. On return
    ``state[DONE]`` says whether the end was reached and ``state[NOW]`` the next moment that is not processed.
    """
    spent = 0
    mask = (1 << shift) - 1
    while True:
        t = until
        if state[NEXT_RELEASE] < release_time.size:
            t = min(t, release_time[state[NEXT_RELEASE]])
        if state[HEAP] > 0:
            t = min(t, heap[0] >> shift)
        state[NOW] = t
        if t >= until:
            state[DONE] = 1
            return
        if spent >= budget:
            return
        while state[HEAP] > 0 and heap[0] >> shift == t:
            u = heap[0] & mask
            pop(heap, 0, state[HEAP])
            state[HEAP] -= 1
            bring(books, u, t)
            books[u, RUNNING] -= 1
            state[FREE] += 1
            spent += 1
        while state[NEXT_RELEASE] < release_time.size and release_time[state[NEXT_RELEASE]] == t:
            books[release_owner[state[NEXT_RELEASE]], KNOWN] += 1
            state[NEXT_RELEASE] += 1
            state[WAITING] += 1
            spent += 1
        while state[FREE] > 0 and state[WAITING] > 0:
            u = choose(rule, books, shares, release, state[TURN], t + step)
            state[TURN] = u + 1 if u + 1 < shares.size else 0
            job = books[u, POSITION]
            books[u, POSITION] += 1
            bring(books, u, t)
            books[u, RUNNING] += 1
            start[job] = t
            state[FREE] -= 1
            state[WAITING] -= 1
            state[STARTED] += 1
            spent += 1
            if t + length[job] < until:
                push(heap, 0, state[HEAP], ((t + length[job]) << shift) | u)
                state[HEAP] += 1


def new_state(k: int) -> tuple[IntArray, IntArray]:
    """Empty ``books`` and ``state`` for ``k`` organizations."""
    return np.zeros((k, 6), dtype=np.int64), np.zeros(8, dtype=np.int64)
