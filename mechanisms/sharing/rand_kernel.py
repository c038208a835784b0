"""Compiled RAND: a real schedule that follows contributions counted on simplified schedules.

A simplified schedule is greedy and oldest first, so it takes its members' jobs in one fixed order (release, then
organization, then queue). It does not depend on the real schedule and is advanced only when the real schedule must
choose. Its row of ``simple`` holds value, unit parts, jobs running, last update, free machines, heap size, and the
position in the global list of jobs by release.
"""

from __future__ import annotations

from typing import Final

from .compiled import IntArray, compiled, pop, push
from .queue_kernel import (
    DONE,
    FREE,
    HEAP,
    KNOWN,
    LAST,
    NEXT_RELEASE,
    NOW,
    PARTS,
    POSITION,
    PSI,
    RUNNING,
    STARTED,
    WAITING,
    bring,
)

SIMPLE_FREE: Final = 4
SIMPLE_HEAP: Final = 5
SIMPLE_NEXT: Final = 6


@compiled
def advance(
    c: int,
    t: int,
    until: int,
    is_member: IntArray,
    length: IntArray,
    job_order: IntArray,
    release_time: IntArray,
    release_owner: IntArray,
    base: IntArray,
    heap: IntArray,
    simple: IntArray,
) -> int:
    """Run the simplified schedule ``c`` through all its decisions at moments up to ``t``; returns the starts."""
    n = job_order.size
    started = 0
    while True:
        i = simple[c, SIMPLE_NEXT]
        while i < n and not is_member[c, release_owner[i]]:
            i += 1
        simple[c, SIMPLE_NEXT] = i
        ready = release_time[i] if i < n else until
        size = simple[c, SIMPLE_HEAP]
        first_end = heap[base[c]] if size > 0 else until
        begin = max(ready, simple[c, LAST])
        if size > 0 and first_end <= t and (first_end <= begin or simple[c, SIMPLE_FREE] == 0):
            bring(simple, c, first_end)
            simple[c, RUNNING] -= 1
            simple[c, SIMPLE_FREE] += 1
            pop(heap, base[c], size)
            simple[c, SIMPLE_HEAP] = size - 1
            continue
        if i >= n or begin > t or simple[c, SIMPLE_FREE] == 0:
            return started
        bring(simple, c, begin)
        simple[c, RUNNING] += 1
        simple[c, SIMPLE_FREE] -= 1
        simple[c, SIMPLE_NEXT] = i + 1
        started += 1
        end = begin + length[job_order[i]]
        if end < until:
            push(heap, base[c], simple[c, SIMPLE_HEAP], end)
            simple[c, SIMPLE_HEAP] += 1


@compiled
def contributions(at: int, weights: IntArray, simple: IntArray, phi: IntArray) -> None:
    """``count * phi`` of every organization from the simplified schedules' values at moment ``at``."""
    phi[:] = 0
    for c in range(simple.shape[0]):
        d = at - simple[c, LAST]
        value = simple[c, PSI] + d * simple[c, PARTS] + simple[c, RUNNING] * (d * (d + 1) // 2)
        for u in range(phi.size):
            phi[u] += weights[c, u] * value


@compiled
def run_chunk(
    step: int,
    until: int,
    budget: int,
    count: int,
    is_member: IntArray,
    weights: IntArray,
    length: IntArray,
    job_order: IntArray,
    release_time: IntArray,
    release_owner: IntArray,
    shift: int,
    base: IntArray,
    simple_heap: IntArray,
    simple: IntArray,
    phi: IntArray,
    heap: IntArray,
    books: IntArray,
    state: IntArray,
    start: IntArray,
) -> None:
    """Process moments before ``until``, about ``budget`` steps; at the end ``phi`` holds ``count * phi`` there."""
    k = books.shape[0]
    mask = (1 << shift) - 1
    spent = 0
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
        if state[FREE] > 0 and state[WAITING] > state[FREE]:
            for c in range(simple.shape[0]):
                spent += 1 + advance(
                    c, t, until, is_member, length, job_order, release_time, release_owner, base, simple_heap, simple
                )
            contributions(t + step, weights, simple, phi)
        while state[FREE] > 0 and state[WAITING] > 0:
            u = -1
            best = 0
            for w in range(k):
                if books[w, KNOWN] > books[w, POSITION]:
                    d = t + step - books[w, LAST]
                    psi = books[w, PSI] + d * books[w, PARTS] + books[w, RUNNING] * (d * (d + 1) // 2)
                    excess = count * psi - phi[w]
                    if u < 0 or excess < best:
                        u = w
                        best = excess
            job = books[u, POSITION]
            bring(books, u, t)
            books[u, POSITION] += 1
            books[u, RUNNING] += 1
            start[job] = t
            state[FREE] -= 1
            state[WAITING] -= 1
            state[STARTED] += 1
            spent += 1
            if t + length[job] < until:
                push(heap, 0, state[HEAP], ((t + length[job]) << shift) | u)
                state[HEAP] += 1
