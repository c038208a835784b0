"""Compiled walks over graphs of moves that are kept by their heads: ``tails[first[v]:first[v + 1]]`` lead to ``v``.

That of :func:`before` is kept by its tails, as :func:`consortium.games.graphs.by_tail` has it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...scheduling.loops import overwrite
from ...support.jit import jit


@jit
def levels(first: Any, tails: Any, out: Any) -> Any:
    """Edges of the longest walk from every node, ``-1`` where a walk never ends; ``out`` (out-degrees) is used up."""
    nodes = first.size - 1
    level = np.full(nodes, -1, np.int64)
    ready = np.empty(nodes, np.int64)
    count = 0
    for v in range(nodes):
        if out[v] == 0:
            level[v] = 0
            ready[count] = v
            count += 1
    done = 0
    while done < count:
        v = ready[done]
        done += 1
        for e in range(first[v], first[v + 1]):
            out[tails[e]] -= 1
            if out[tails[e]] == 0:  # v is the last of its heads, so the one of the highest level
                level[tails[e]] = level[v] + 1
                ready[count] = tails[e]
                count += 1
    return level


@jit
def distances(first: Any, tails: Any, ends: Any) -> Any:
    """Edges of the shortest walk from every node to one of the ends, ``-1`` where there is none."""
    nodes = first.size - 1
    distance = np.full(nodes, -1, np.int64)
    ready = np.empty(nodes, np.int64)
    count = ends.size
    overwrite(ready, ends)
    distance[ends] = 0
    done = 0
    while done < count:
        v = ready[done]
        done += 1
        for e in range(first[v], first[v + 1]):
            if distance[tails[e]] < 0:
                distance[tails[e]] = distance[v] + 1
                ready[count] = tails[e]
                count += 1
    return distance


@jit
def before(first: Any, heads: Any, start: Any) -> Any:
    """The node before each on a shortest walk from the start, ``-1`` where there is none and at the start."""
    nodes = first.size - 1
    previous = np.full(nodes, -1, np.int64)
    ready = np.empty(nodes, np.int64)
    ready[0] = start
    count, done = 1, 0
    while done < count:
        v = ready[done]
        done += 1
        for e in range(first[v], first[v + 1]):
            if previous[heads[e]] < 0 and heads[e] != start:
                previous[heads[e]] = v
                ready[count] = heads[e]
                count += 1
    return previous
