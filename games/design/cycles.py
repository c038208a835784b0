"""Do any payments make the truth best? A negative cycle says no, potentials say yes, the least fine lies between.

Payments known in advance exist for an agent and declarations of the others if and only if their envy graph has no
negative cycle [Roc87]_. Cycles of two come first: they are nearly always enough, and read best (*weak monotonicity*; on
related machines without job control just this is the condition of Archer and Tardos, a work curve that never rises).

Where payments may depend on the length that was seen, everything can be had for a high enough fine on every lie: the
least one is minus the smallest mean of a cycle [Kar78]_.

The least payments above a floor are longest paths: ``P(v) = max(floor, max over u of P(u) - w(u, v))``. They are below
all other payments above the floor at every declaration, hence the best for every objective that does not fall when
payments rise.

Payments that sum to 0 at every profile tie the graphs of all agents together. Where they exist with room to spare they
are found by projections onto one row after the other [Kac37]_, which need no linear program.

References
----------
.. [Roc87] J.-C. Rochet, "A necessary and sufficient condition for rationalizability in a quasi-linear context",
   Journal of Mathematical Economics 16, 1987.
.. [Kar78] R. M. Karp, "A characterization of the minimum cycle mean in a digraph", Discrete Mathematics 23, 1978.
.. [Kac37] S. Kaczmarz, "Angenäherte Auflösung von Systemen linearer Gleichungen", Bulletin International de l'Académie
   Polonaise des Sciences et des Lettres A35, 1937.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import ceil, lcm
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...support.exact import fits_int64, scale
from ...support.progress import Clock
from ..verification.domain import Profile
from .envy import Case, Graphs

MARGINS: Final = (16, 64, 256, 1024)
"""By which parts of the largest weight lies are to cost more than the truth in payments that are then rounded."""
SWEEPS: Final = 100
"""Of projections at each margin."""

_Edges: TypeAlias = tuple[int, NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]
"""Of one agent, from a length to a declaration: places of the truth and of the lie by graph, and the weights."""


@dataclass(frozen=True)
class Cycle:
    """Cases that no payments meet together: each one's declaration is the next one's length.

    ``total``: how much later the lies bring the outputs in all, below 0 even with a fine for each of them; the payments
    cancel when all are added up.
    """

    cases: tuple[Case, ...]

    @property
    def total(self) -> Fraction:
        """The sum of what the lies delay."""
        return sum((Fraction(case.later) for case in self.cases), start=Fraction(0))

    @property
    def mean(self) -> Fraction:
        """The mean of it."""
        return self.total / len(self.cases)


def negative_cycle(graphs: Sequence[Graphs]) -> Cycle | None:
    """The first cycle of negative weight, one of two cases if there is any; ``None`` where payments exist.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> from .envy import Domain, bare, envy
    >>> light, domain = bare(build("light-vcg", Cluster.of([1]))), Domain.of([1, 2, 3], agents=2)
    >>> cycle = negative_cycle(envy(light, domain, "dominant"))
    >>> [(str(case.true), str(case.declared), str(case.later)) for case in cycle.cases], cycle.total
    ([('1', '2', '2'), ('2', '1', '-3')], Fraction(-1, 1))
    """
    for own in graphs:
        if (pair := _pair(own)) is not None:
            return pair
    for own in graphs:
        _, diverging = least_payments(own)
        for graph in np.flatnonzero(diverging).tolist():
            return _longer(own, graph)
    return None


def _pair(own: Graphs) -> Cycle | None:
    """The first two lengths that envy each other too much."""
    for i, first in enumerate(own.truths):
        for j, second in enumerate(own.truths[:i]):
            both = own.edge[:, j, first] & own.edge[:, i, second]
            low = both & (own.weight[:, j, first] + own.weight[:, i, second] < 0)
            if low.any():
                graph = int(np.argmax(low))
                return Cycle((own.case(graph, j, first), own.case(graph, i, second)))
    return None


def _longer(own: Graphs, graph: int) -> Cycle:
    """A negative cycle of one graph, by Bellman and Ford."""
    edges = list(_edges(own, graph))
    distance, before = dict.fromkeys(range(len(own.nodes)), 0), dict[int, tuple[int, int]]()
    moved = -1
    for _ in range(len(own.nodes) + 1):
        moved = -1
        for u, i, v, w in edges:
            if distance[u] + w < distance[v]:
                distance[v], before[v], moved = distance[u] + w, (u, i), v
    for _ in own.nodes:
        moved = before[moved][0]
    places, at = list[tuple[int, int]](), moved
    while not places or at != moved:
        u, i = before[at]
        places.append((i, at))
        at = u
    return Cycle(tuple(own.case(graph, i, v) for i, v in reversed(places)))


def _edges(own: Graphs, graph: int) -> Iterator[tuple[int, int, int, int]]:
    """From, number of the length, to, weight."""
    for i, u in enumerate(own.truths):
        for v in np.flatnonzero(own.edge[graph, i]).tolist():
            yield u, i, v, int(own.weight[graph, i, v])


def least_payments(own: Graphs, floor: int = 0) -> tuple[NDArray[np.object_], NDArray[np.bool_]]:
    """The least payments of an agent above a floor, in units of the graphs, and in which graphs there are none.

    Shape (graphs, declarations); Python integers where int64 could overflow.
    """
    paid = np.full(own.edge.shape[::2], floor, dtype=own.weight.dtype)
    for _ in range(len(own.nodes) + 1):
        before = paid.copy()
        for i, u in enumerate(own.truths):
            raised = np.where(own.edge[:, i], before[:, [u]] - own.weight[:, i], floor)
            paid = np.maximum(paid, raised)
    return paid, (paid != before).any(axis=1)


def balanced_near(
    graphs: Sequence[Graphs], table: Mapping[Profile, Sequence[Fraction]], clock: Clock
) -> dict[Profile, tuple[Fraction, ...]] | None:
    """Payments near those of a table that sum to 0 at every profile and make the truth best; ``None`` if not found.

    Floats are projected until every lie costs more than the truth by a margin, which allows for rounding. A proposal:
    whoever takes it checks it.
    """
    whole, unit = scale(chain(*table.values()))
    start = np.array(whole, dtype=object).reshape(len(table), len(graphs)).astype(float) / unit
    first, edges = {b: k for k, b in enumerate(table)}, list[_Edges]()
    for own in graphs:
        at = np.array([[first[own.at(others, b)] for b in own.nodes] for others in own.others])
        for (i, v), some in np.ndenumerate(own.edge.any(axis=0)):
            if some:
                there, u = own.edge[:, i, v], own.truths[i]
                edges.append((own.agent, at[there, u], at[there, v], own.weight[there, i, v].astype(float) / own.unit))
    largest = max((float(np.abs(later).max()) for *_, later in edges), default=0.0) or 1.0
    for margin in (largest / part for part in MARGINS):
        denominator = unit * ceil(8 / margin / unit)
        paid = _projected(edges, start, margin, clock)
        if paid is not None and float(np.abs(paid).max()) * denominator < 2**53:
            rounded = np.rint(paid * denominator).astype(np.int64)
            remainder = rounded.sum(axis=1, keepdims=True)
            rounded -= np.sign(remainder) * (np.arange(len(graphs)) < np.abs(remainder))
            bills = ([Fraction(x, denominator) for x in row] for row in rounded.tolist())
            return {b: tuple(bill) for b, bill in zip(table, bills, strict=True)}
    return None


def _projected(
    edges: Sequence[_Edges], start: NDArray[np.float64], margin: float, clock: Clock
) -> NDArray[np.float64] | None:
    """Payments by profile and agent, moved onto rows that are broken and onto sums of 0 in turn [Kac37]_."""
    paid = start.copy()
    for _ in range(SWEEPS):
        clock.check()
        worst = 0.0
        for n, true, lie, later in edges:
            over = np.maximum(paid[true, n] - paid[lie, n] - later + margin, 0.0) / 2
            paid[true, n] -= over
            paid[lie, n] += over
            worst = max(worst, float(over.max()))
        paid -= paid.mean(axis=1, keepdims=True)
        if worst < margin / 8:
            return paid
    return None


def least_fine(graphs: Sequence[Graphs]) -> tuple[Fraction, Cycle | None]:
    """The least fine on a lie that is seen with which payments exist, and the cycle that asks for it; 0 without one.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> from .envy import Domain, bare, envy
    >>> graphs = envy(bare(build("vcg-renice", Cluster.of([1]))), Domain.of([1, 2, 3], agents=2), "dominant")
    >>> least_fine(graphs)[0]
    Fraction(1, 1)
    """
    least, where = Fraction(0), None
    for own in graphs:
        mean, graph = _least_mean(own)
        if mean < least:
            least, where = mean, (own, graph)
    return -least, None if where is None else _tight_cycle(*where, least)


def _least_mean(own: Graphs) -> tuple[Fraction, int]:
    """The smallest mean of a cycle and its graph; 0 without a cycle of negative weight."""
    size = len(own.nodes)
    common = lcm(*range(1, size + 1))
    largest = int(np.abs(own.weight).max(initial=0)) * (size + 1)
    small = fits_int64(4 * largest * common)
    weight, none = own.weight.astype(np.int64 if small else object), largest + 1
    ways = [np.zeros(own.edge.shape[::2], dtype=weight.dtype)]  # by number of edges, the lightest steps to a node
    for _ in range(size):
        here = np.full_like(ways[0], none)
        for i, u in enumerate(own.truths):
            from_u = ways[-1][:, [u]]
            passable = own.edge[:, i] & (from_u < none)
            here = np.where(passable, np.minimum(here, from_u + weight[:, i]), here)
        ways.append(here)
    last = ways[-1]
    means = [
        np.where(steps < none, (last - steps) * (common // (size - k)), -4 * largest * common)
        for k, steps in enumerate(ways[:-1])
    ]
    worst = np.where(last < none, np.maximum.reduce(means), 0)
    flat = int(np.argmin(worst))
    return Fraction(int(worst.flat[flat]), common * own.unit), flat // size


def _tight_cycle(own: Graphs, graph: int, mean: Fraction) -> Cycle:
    """A cycle of this mean, the smallest of the graph: all of its edges are tight under its potentials."""
    excess = {(u, v): (i, Fraction(w, own.unit) - mean) for u, i, v, w in _edges(own, graph)}
    distance = dict.fromkeys(range(len(own.nodes)), Fraction(0))
    for _ in own.nodes:
        for (u, v), (_, w) in excess.items():
            distance[v] = min(distance[v], distance[u] + w)
    tight = {edge: i for edge, (i, w) in excess.items() if distance[edge[0]] + w == distance[edge[1]]}
    for start in own.truths:
        path = _way(start, start, tight)
        if path:
            return Cycle(tuple(own.case(graph, tight[edge], edge[1]) for edge in path))
    raise AssertionError("a graph whose smallest mean no cycle has")


def _way(start: int, end: int, edges: dict[tuple[int, int], int]) -> list[tuple[int, int]]:
    """Edges of a shortest way; none where there is no way."""
    before = dict[int, int]()
    queue = [start]
    for u in queue:
        for a, v in edges:
            if a == u and v not in before:
                before[v] = u
                queue.append(v)
    if end not in before:
        return []
    path, at = [(before[end], end)], before[end]
    while at != start:
        path.append((before[at], at))
        at = before[at]
    return path[::-1]
