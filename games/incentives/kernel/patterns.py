"""All optimal ways to deal sorted jobs to machines, for goals that do not care who is who.

A way, or *pattern*, says on which machine each job of a sorted multiset of sizes runs; the jobs of a machine run in
this order. Equal jobs are interchangeable, so of them a later one is never on an earlier machine.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ....scheduling.array_kernel import overwrite
from ....support.jit import compiled, piece, quickest
from .plans import Ints
from .tables import in_chunks

SUM: Final = 0
"""Code of the sum of the times; positive codes say how many of the largest times count."""
LEXICAL: Final = -1


def best_patterns(kind: int, sizes: Ints, rates: Ints) -> tuple[Ints, Ints]:
    """Patterns of every multiset: where its own begin, with the end of the last, and all of them as machines of jobs.

    Parameters
    ----------
    kind
        What is minimised, then the sum of the times: :data:`SUM`, :data:`LEXICAL`, or how many of the largest count.
    sizes
        One multiset a row, smallest first.
    rates
        Time per unit of size on each machine.
    """
    n_orbits, n_agents = sizes.shape
    count = np.zeros(n_orbits, dtype=np.int64)
    kernel = quickest(_best_patterns, 3 * n_orbits * n_agents * len(rates) ** n_agents)
    chunk, nothing = max(1, n_orbits // 16), np.zeros((1, n_agents), dtype=np.int64)
    in_chunks(lambda a, b: kernel(a, b, False, kind, sizes, rates, count, nothing), n_orbits, chunk, True)
    where = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    found = np.zeros((int(where[-1]), n_agents), dtype=np.int64)
    in_chunks(lambda a, b: kernel(a, b, True, kind, sizes, rates, where, found), n_orbits, chunk, True)
    return where, found


@piece
def _value(kind: int, sizes: Any, rates: Any, home: Any, clock: Any, times: Any, key: Any) -> None:
    """Write what is minimised, most important first: the goal, then the sum of the times."""
    n = sizes.size
    clock[:] = 0
    total = 0
    for i in range(n):
        clock[home[i]] += sizes[i] * rates[home[i]]
        end = clock[home[i]]
        total += end
        k = i  # times stay sorted, largest first
        while k > 0 and times[k - 1] < end:
            times[k] = times[k - 1]
            k -= 1
        times[k] = end
    key[:] = 0
    if kind == SUM:
        key[0] = total
    elif kind == LEXICAL:
        overwrite(key, times)
    else:
        for i in range(min(kind, n)):
            key[0] += times[i]
        key[1] = total


@piece
def _next(sizes: Any, n_machines: int, home: Any) -> bool:
    """Next way to deal the jobs; of equal jobs a later one is never on an earlier machine."""
    i = home.size - 1
    while i >= 0 and home[i] == n_machines - 1:
        i -= 1
    if i < 0:
        return False
    home[i] += 1
    for k in range(i + 1, home.size):
        home[k] = home[k - 1] if sizes[k] == sizes[k - 1] else 0
    return True


@compiled
def _best_patterns(
    first: int, last: int, store: bool, kind: int, sizes: Any, rates: Any, where: Any, found: Any
) -> None:
    """Count the optimal ways to deal each multiset of sorted sizes, or ``store`` them from ``found[where[k]]`` on."""
    n = sizes.shape[1]
    home = np.zeros(n, dtype=np.int64)
    clock = np.zeros(rates.size, dtype=np.int64)
    times = np.zeros(n, dtype=np.int64)
    key = np.zeros(n + 2, dtype=np.int64)
    best = np.zeros(n + 2, dtype=np.int64)
    for k in range(first, last):
        for stage in range(2 if store else 1):  # storing: first the optimum, then who attains it
            home[:] = 0
            count = 0
            running = True
            while running:
                _value(kind, sizes[k], rates, home, clock, times, key)
                order = 0
                if stage == 1 or count > 0:
                    for i in range(n + 2):
                        if key[i] != best[i]:
                            order = -1 if key[i] < best[i] else 1
                            break
                else:
                    order = -1
                if order < 0:
                    overwrite(best, key)
                    count = 0
                if order <= 0:
                    if stage == 1:
                        overwrite(found[where[k] + count], home)
                    count += 1
                running = _next(sizes[k], rates.size, home)
        if not store:
            where[k] = count
