"""Lexical max and sums of the largest times: exact optimal schedules, ties included, compiled.

Lexical max compares the times largest first. Two multisets of times keep their order when the same times are added to
both, and the last of a set ``S`` on machine ``m`` ends at ``work(S) * q_m`` whatever the order, so the recursion of
:mod:`.subset_kernel` applies, with vectors of times for costs. Equal vectors have equal sums, so the tie rules ``sum``
and ``listed`` are one here, and keys are compared as there.

The sum of the ``k`` largest times has no such recursion. For the tie rule ``sum``, running every machine's jobs
shortest first (ties by number) is best for the value, for the sum and for the places of a given partition, so a
depth-first search over the partitions, shortest job first, decides; it is cut where the ``k`` largest times so far
already exceed the best.

Nothing is checked here; both also run uncompiled on object arrays.

>>> import numpy as np
>>> times, places = lexical_schedule(np.array([3, 2, 2]), np.ones(2, dtype=np.int64))
>>> times.tolist(), places.tolist()
([4, 3, 2], [0, 3, 4])
"""

from __future__ import annotations

import numpy as np

from ..support.jit import Ints, jit
from .array_kernel import overwrite
from .subset_kernel import BITS, MAX_PLACES, PER_WORD, subset_loads, unit_keys


@jit
def lexical_orders(load: Ints, q: int, n: int, times: Ints, key: Ints) -> None:
    """Best order of every subset on one machine: times largest first, padded with 0, and key of positions.

    Fills ``times`` (2**n, n) and ``key`` (2**n, words).
    """
    words = key.shape[1]
    times[0] = 0
    key[0] = 0
    size = np.zeros(1 << n, dtype=np.int64)
    for s in range(1, 1 << n):
        size[s] = size[s >> 1] + (s & 1)
        best = -1
        for j in range(n):
            if not (s >> j) & 1:
                continue
            if best < 0:
                best = j
                continue
            rest, other = s ^ (1 << j), s ^ (1 << best)
            sign = 0
            for i in range(size[s] - 1):
                if times[rest, i] != times[other, i]:
                    sign = 1 if times[rest, i] < times[other, i] else -1
                    break
            if sign == 0:
                shift_j = BITS * (PER_WORD - 1 - j % PER_WORD)
                shift_b = BITS * (PER_WORD - 1 - best % PER_WORD)
                for w in range(words):
                    mine = key[rest, w] + ((size[s] - 1) << shift_j if w == j // PER_WORD else 0)
                    his = key[other, w] + ((size[s] - 1) << shift_b if w == best // PER_WORD else 0)
                    if mine != his:
                        sign = 1 if mine < his else -1
                        break
            if sign > 0:
                best = j
        rest = s ^ (1 << best)
        times[s, 0] = load[s] * q
        for i in range(n - 1):
            times[s, i + 1] = times[rest, i]
        overwrite(key[s], key[rest])
        key[s, best // PER_WORD] += (size[s] - 1) << (BITS * (PER_WORD - 1 - best % PER_WORD))


@jit
def merge_below(a: Ints, b: Ints, best: Ints, out: Ints) -> int:
    """Merge two vectors of decreasing times into ``out``: 1 when it comes before ``best``, 0 equal, -1 after.

    Stops early, with ``out`` unfinished, when it comes after.
    """
    i, j, smaller = 0, 0, False
    for k in range(best.size):
        if j >= b.size or (i < a.size and a[i] >= b[j]):
            out[k] = a[i]
            i += 1
        else:
            out[k] = b[j]
            j += 1
        if not smaller and out[k] != best[k]:
            if out[k] > best[k]:
                return -1
            smaller = True
    return 1 if smaller else 0


@jit
def lexical_join(times: Ints, key: Ints, own_times: Ints, own_key: Ints, shift: Ints, last: bool) -> None:
    """Add a machine, as in :func:`.subset_kernel.join`; a subset without a member on the new machine is the start."""
    full, words = times.shape[0] - 1, key.shape[1]
    best, trial = times[0].copy(), times[0].copy()
    for s in range(full, (full if last else 1) - 1, -1):
        part = 0
        overwrite(best, times[s])
        d = s
        while d > 0:
            rest = s ^ d
            sign = merge_below(times[rest], own_times[d], best, trial)
            if sign == 0:
                for w in range(words):
                    mine = key[rest, w] + own_key[d, w] + shift[d, w]
                    other = key[s ^ part, w] + own_key[part, w] + shift[part, w]
                    if mine != other:
                        sign = 1 if mine < other else -1
                        break
            if sign > 0:
                part = d
                overwrite(best, trial)
            d = (d - 1) & s
        overwrite(times[s], best)
        for w in range(words):
            key[s, w] = key[s ^ part, w] + own_key[part, w] + shift[part, w]


@jit
def lexical_schedule(work: Ints, per_work: Ints) -> tuple[Ints, Ints]:
    """Optimal times, largest first, and the place ``machine * n + position`` of every job.

    ``work`` (n,), 1 <= n <= 16; ``per_work`` (machines,); ``n * machines <= MAX_PLACES``.
    """
    n, machines = work.size, per_work.size
    load, units = subset_loads(work), unit_keys(n)
    times = np.empty((1 << n, n), dtype=load.dtype)
    own_times, key, own_key = np.empty_like(times), np.empty_like(units), np.empty_like(units)
    lexical_orders(load, per_work[0], n, times, key)
    for m in range(1, machines):
        if m == 1 or per_work[m] != per_work[m - 1]:
            lexical_orders(load, per_work[m], n, own_times, own_key)
        lexical_join(times, key, own_times, own_key, units * (m * n), m == machines - 1)
    full = (1 << n) - 1
    places = np.empty(n, dtype=np.int64)
    for j in range(n):
        places[j] = (key[full, j // PER_WORD] >> (BITS * (PER_WORD - 1 - j % PER_WORD))) & (MAX_PLACES - 1)
    return times[full], places


@jit
def largest_sum(times: Ints, count: int, k: int, scratch: Ints) -> int:
    """Sum of the ``k`` largest of ``times[:count]``; ``scratch`` (k,) is overwritten."""
    held = 0
    for i in range(count):
        t = times[i]
        if held < k:
            at = held
            held += 1
        elif t > scratch[held - 1]:
            at = held - 1
        else:
            continue
        while at > 0 and scratch[at - 1] < t:
            scratch[at] = scratch[at - 1]
            at -= 1
        scratch[at] = t
    total = times[0] - times[0]
    for i in range(held):
        total = total + scratch[i]
    return total  # type: ignore[no-any-return]


@jit
def largest_schedule(work: Ints, per_work: Ints, order: Ints, k: int) -> tuple[int, int, Ints]:
    """Smallest sum of the ``k`` largest times, then smallest sum, then places: those three.

    ``order`` (n,): the jobs shortest first, ties by number. At most ``machines**n`` partitions are looked at.
    """
    n, machines = work.size, per_work.size
    machine = np.full(n, -1, dtype=np.int64)  # of the d-th shortest job
    load, count = np.zeros(machines, dtype=work.dtype), np.zeros(machines, dtype=np.int64)
    times, scratch = np.zeros(n, dtype=work.dtype), np.zeros(k, dtype=work.dtype)
    totals = np.zeros(n + 1, dtype=work.dtype)
    places, best_places = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    best, best_total, found, d = totals[0], totals[0], False, 0
    while d >= 0:
        job = order[d]
        m = machine[d]
        if m >= 0:  # undo
            load[m] -= work[job]
            count[m] -= 1
        m += 1
        if m == machines:
            machine[d] = -1
            d -= 1
            continue
        machine[d] = m
        load[m] += work[job]
        places[job] = m * n + count[m]
        count[m] += 1
        times[d] = load[m] * per_work[m]
        totals[d + 1] = totals[d] + times[d]
        value = largest_sum(times, d + 1, k, scratch)
        if found and (value > best or (value == best and totals[d + 1] > best_total)):
            continue
        if d + 1 < n:
            d += 1
            continue
        better = not found or value < best or totals[n] < best_total
        if not better:
            for j in range(n):
                if places[j] != best_places[j]:
                    better = places[j] < best_places[j]
                    break
        if better:
            best, best_total, found = value, totals[n], True
            overwrite(best_places, places)
    return best, best_total, best_places
