"""Exact optimal schedules by dynamic programming over subsets, ties included, compiled.

Model: ``n`` jobs of integer work, machines with an integer time ``q_m`` per unit of work. When the set ``S`` of jobs
runs on machine ``m``, the last of them ends at ``work(S) * q_m`` whatever their order. So the best order of ``S``
follows from the best order of ``S`` without its last job, and the best schedule of ``S`` on machines ``0..m`` from one
of a part of ``S`` on ``0..m-1``. That holds for every goal that is a sum over the jobs and for "smallest sum among the
schedules within a bound"; a largest weighted time is found first and then used as that bound.

Ties: among equal values the smallest sum of times if asked for, then the lexicographically smallest places. Places are
compared as keys: the place ``machine * n + position`` of a job fills 15 bits, job 0 in the highest, four jobs a word.
Keys of disjoint sets add up, and the order of keys of one set is the order of places, so the smallest key of a whole is
made of smallest keys of its parts and the same recursion applies.

Lexical max compares the times largest first. Two multisets of times keep their order when the same times are added to
both, so the recursion applies to it with vectors of times for costs. Equal vectors have equal sums, so that tie rule
makes no difference there. The sum of the ``k`` largest times has no such recursion: :func:`largest_schedule` searches
the partitions.

Work: ``2**n * n`` per machine, and ``3**n`` per machine but the first and the last. The functions check nothing; they
also run uncompiled on object arrays of Python integers. Costs are at least 0; -1 marks a set that has no schedule.

>>> import numpy as np
>>> ones = np.ones(3, dtype=np.int64)
>>> value, total, places = best_schedule(np.array([3, 2, 2]), np.ones(2, dtype=np.int64), LARGEST, ones, 0, True)
>>> value, total, places.tolist()
(4, 9, [0, 3, 4])
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ..support.jit import Ints, jit, overwrite

WEIGHTED: Final = 0
"""Minimise ``sum w_j T_j``."""
SQUARED: Final = 1
"""Minimise ``sum (T_j - target)**2``."""
WITHIN: Final = 2
"""Cost 0 for schedules with every ``w_j T_j <= target``, and no others."""
LARGEST: Final = 3
"""Minimise ``max w_j T_j``."""

BITS: Final = 15
PER_WORD: Final = 4
MAX_PLACES: Final = 2**BITS


class Costs(NamedTuple):
    """What a schedule costs.

    ``form`` is WEIGHTED, SQUARED, WITHIN or LARGEST; ``target`` is read by SQUARED and WITHIN; ``weights`` has shape
    (n,); ``with_sum`` says whether ties go to the smallest sum of times before the places.
    """

    form: int
    weights: Ints
    target: int
    with_sum: bool


class Best(NamedTuple):
    """The best schedule of every subset: cost (-1: none), sum of times, both (2**n,), and keys (2**n, words)."""

    cost: Ints
    total: Ints
    key: Ints


@jit
def subset_loads(work: Ints) -> Ints:
    """Work of every subset; entry ``S`` belongs to the jobs whose bits are set in ``S``."""
    n = work.size
    load = np.empty(1 << n, dtype=work.dtype)
    load[0] = 0
    for j in range(n):
        for s in range(1 << j):
            load[s | (1 << j)] = load[s] + work[j]
    return load


@jit
def unit_keys(n: int) -> Ints:
    """Key of every subset in which each member has place 1; shape (2**n, words)."""
    keys = np.zeros((1 << n, (n + PER_WORD - 1) // PER_WORD), dtype=np.int64)
    for j in range(n):
        one = np.int64(1) << (BITS * (PER_WORD - 1 - j % PER_WORD))
        for s in range(1 << j):
            overwrite(keys[s | (1 << j)], keys[s])
            keys[s | (1 << j), j // PER_WORD] += one
    return keys


@jit
def smallest_largest(work: Ints, per_work: Ints, weights: Ints, load: Ints) -> int:
    """Smallest possible ``max w_j T_j`` over all schedules."""
    n = work.size
    full = (1 << n) - 1
    best = np.empty(1 << n, dtype=load.dtype)
    alone = np.empty(1 << n, dtype=load.dtype)
    for m in range(per_work.size):
        alone[0] = 0
        for s in range(1, 1 << n):
            end = load[s] * per_work[m]
            alone[s] = -1
            for j in range(n):
                if (s >> j) & 1:
                    cost = max(alone[s ^ (1 << j)], weights[j] * end)
                    if alone[s] < 0 or cost < alone[s]:
                        alone[s] = cost
        if m == 0:
            overwrite(best, alone)
            continue
        start = full if m == per_work.size - 1 else 0
        for s in range(full, start - 1, -1):  # downwards: best of a smaller set is still that of the machines before
            d = s
            smallest = best[s]
            while d > 0:
                cost = max(best[s ^ d], alone[d])
                if cost < smallest:
                    smallest = cost
                d = (d - 1) & s
            best[s] = smallest
    return best[full]  # type: ignore[no-any-return]


@jit
def order_table(load: Ints, q: int, costs: Costs, best: Best) -> None:
    """Fill ``best`` with the best order of every subset on one machine of ``q``; sums are 0 unless ``with_sum``."""
    form, weights, target, with_sum = costs
    cost, total, key = best
    n, words = weights.size, key.shape[1]
    cost[0] = 0
    total[0] = 0
    key[0] = 0
    size = np.zeros(1 << n, dtype=np.int64)
    for s in range(1, 1 << n):
        size[s] = size[s >> 1] + (s & 1)
        end = load[s] * q
        cost[s] = -1
        for j in range(n):
            without = s ^ (1 << j)
            if not (s >> j) & 1 or cost[without] < 0 or (form == WITHIN and weights[j] * end > target):
                continue
            new = cost[without]
            if form == WEIGHTED:
                new = new + weights[j] * end
            elif form == SQUARED:
                new = new + (end - target) * (end - target)
            sum_new = total[without] + end if with_sum else total[without]
            place = (size[s] - 1) << (BITS * (PER_WORD - 1 - j % PER_WORD))
            better = cost[s] < 0 or new < cost[s] or (new == cost[s] and sum_new < total[s])
            if not better and new == cost[s] and sum_new == total[s]:
                for w in range(words):
                    mine = key[without, w] + (place if w == j // PER_WORD else 0)
                    if mine != key[s, w]:
                        better = mine < key[s, w]
                        break
            if better:
                cost[s] = new
                total[s] = sum_new
                overwrite(key[s], key[without])
                key[s, j // PER_WORD] += place


@jit
def join(best: Best, own: Best, shift: Ints, last: bool) -> None:
    """Add a machine: best split of every subset (``last``: of the full one) between the machines so far and it.

    ``best`` of the machines so far is overwritten; ``own`` belongs to the machine and stays; ``shift`` (2**n, words) is
    added to its keys.
    """
    cost, total, key = best
    own_cost, own_total, own_key = own
    full, words = cost.size - 1, key.shape[1]
    for s in range(full, (full if last else 1) - 1, -1):  # downwards, so that smaller sets are still untouched
        c, t, part = cost[s], total[s], 0
        d = s
        while d > 0:
            without = s ^ d
            if cost[without] >= 0 and own_cost[d] >= 0:
                new = cost[without] + own_cost[d]
                if c < 0 or new <= c:
                    sum_new = total[without] + own_total[d]
                    better = c < 0 or new < c or sum_new < t
                    if not better and sum_new == t:
                        for w in range(words):
                            mine = key[without, w] + own_key[d, w] + shift[d, w]
                            other = key[s ^ part, w] + own_key[part, w] + shift[part, w]
                            if mine != other:
                                better = mine < other
                                break
                    if better:
                        c, t, part = new, sum_new, d
            d = (d - 1) & s
        cost[s] = c
        total[s] = t
        for w in range(words):
            key[s, w] = key[s ^ part, w] + own_key[part, w] + shift[part, w]


@jit
def places_of(key: Ints, n: int) -> Ints:
    """The place of every job in a key."""
    places = np.empty(n, dtype=np.int64)
    for j in range(n):
        places[j] = (key[j // PER_WORD] >> (BITS * (PER_WORD - 1 - j % PER_WORD))) & (MAX_PLACES - 1)
    return places


@jit
def best_schedule(
    work: Ints, per_work: Ints, form: int, weights: Ints, target: int, with_sum: bool
) -> tuple[int, int, Ints]:
    """Optimal cost, its sum of times (0 unless ``with_sum``), and the place ``machine * n + position`` of every job.

    ``work`` (n,), 1 <= n <= 18; ``per_work`` (machines,); ``n * machines <= MAX_PLACES``; the others as in
    :class:`Costs`.
    """
    n, machines = work.size, per_work.size
    load = subset_loads(work)
    value = target
    if form == LARGEST:
        value = smallest_largest(work, per_work, weights, load)
    costs = Costs(WITHIN if form == LARGEST else form, weights, value, with_sum)
    units = unit_keys(n)
    best = Best(np.empty_like(load), np.empty_like(load), np.empty_like(units))
    own = Best(np.empty_like(load), np.empty_like(load), np.empty_like(units))
    order_table(load, per_work[0], costs, best)
    for m in range(1, machines):
        if m == 1 or per_work[m] != per_work[m - 1]:
            order_table(load, per_work[m], costs, own)
        join(best, own, units * (m * n), m == machines - 1)
    full = (1 << n) - 1
    return value if form == LARGEST else best.cost[full], best.total[full], places_of(best.key[full], n)


@jit
def lexical_orders(work: Ints, load: Ints, q: int, times: Ints, key: Ints) -> None:
    """Best order of every subset on one machine: times largest first, padded with 0, and key of positions.

    That is shortest first, ties by number: every time is as small as can be, and of equal jobs the first one's place.
    Fills ``times`` (2**n, n) and ``key`` (2**n, words).
    """
    times[0] = 0
    key[0] = 0
    for s in range(1, load.size):
        last, size = -1, 0
        for j in range(work.size):
            if (s >> j) & 1:
                size += 1
                if last < 0 or work[j] >= work[last]:
                    last = j
        without = s ^ (1 << last)
        times[s, 0] = load[s] * q
        for i in range(work.size - 1):
            times[s, i + 1] = times[without, i]
        overwrite(key[s], key[without])
        key[s, last // PER_WORD] += (size - 1) << (BITS * (PER_WORD - 1 - last % PER_WORD))


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
    """Add a machine, as in :func:`join`; a subset without a member on the new machine is the start."""
    full, words = times.shape[0] - 1, key.shape[1]
    best, trial = times[0].copy(), times[0].copy()
    for s in range(full, (full if last else 1) - 1, -1):
        part = 0
        overwrite(best, times[s])
        d = s
        while d > 0:
            without = s ^ d
            sign = merge_below(times[without], own_times[d], best, trial)
            if sign == 0:
                for w in range(words):
                    mine = key[without, w] + own_key[d, w] + shift[d, w]
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
    lexical_orders(work, load, per_work[0], times, key)
    for m in range(1, machines):
        if m == 1 or per_work[m] != per_work[m - 1]:
            lexical_orders(work, load, per_work[m], own_times, own_key)
        lexical_join(times, key, own_times, own_key, units * (m * n), m == machines - 1)
    full = (1 << n) - 1
    return times[full], places_of(key[full], n)


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

    ``order`` (n,): the jobs shortest first, ties by number. In a given partition that order is best on every machine
    for the value, for the sum and for the places, so a depth-first search over the partitions, shortest job first,
    decides; it is cut where the ``k`` largest times so far exceed the best. At most ``machines**n`` are looked at.
    """
    n, machines = work.size, per_work.size
    machine = np.full(n, -1, dtype=np.int64)  # of the d-th shortest job
    load, count = np.zeros(machines, dtype=work.dtype), np.zeros(machines, dtype=np.int64)
    times, scratch = np.zeros(n, dtype=work.dtype), np.zeros(k, dtype=work.dtype)
    totals = np.zeros(n + 1, dtype=work.dtype)
    places, best_places = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    best, best_total, placed, d = totals[0], totals[0], False, 0
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
        if placed and (value > best or (value == best and totals[d + 1] > best_total)):
            continue
        if d + 1 < n:
            d += 1
            continue
        better = not placed or value < best or totals[n] < best_total
        if not better:
            for j in range(n):
                if places[j] != best_places[j]:
                    better = places[j] < best_places[j]
                    break
        if better:
            best, best_total, placed = value, totals[n], True
            overwrite(best_places, places)
    return best, best_total, best_places
