r"""All equilibria of two players: exact, and proved complete by the vertices of two polytopes.

Payoffs ``A`` and ``B`` (``m`` by ``n``), made positive integers; the best-response polytopes are ``P = {x >= 0 :
B^T x <= 1}`` and ``Q = {y >= 0 : A y <= 1}``. A point of ``P`` has label ``i`` where ``x_i = 0`` and ``m + j`` where
column ``j`` is a best response to it; a point of ``Q`` has label ``m + j`` where ``y_j = 0`` and ``i`` where row ``i``
is a best response. The extreme equilibria are the pairs of vertices, the origins apart, that have all labels between
them, scaled to sum to 1; every equilibrium is a mixture of some [ARSS10]_. So listing all vertices of both polytopes
lists all extreme equilibria, of degenerate games too.

The right-hand side 1 is read as ``1 + e_i`` with infinitely small ``e_1 >> e_2 >> ...`` (lexicographic rule): that
polytope is simple, each of its vertices is one basis and has one neighbour along each of its edges. The graph of a
polytope is connected, so following every edge of every basis reaches them all [AF92]_; every vertex of the unperturbed
polytope is what at least one basis becomes when the ``e_i`` vanish.

References
----------
.. [AF92] D. Avis, K. Fukuda, "A pivoting algorithm for convex hulls and vertex enumeration of arrangements and
   polyhedra", Discrete & Computational Geometry 8, 1992.
.. [ARSS10] D. Avis, G. Rosenberg, R. Savani, B. von Stengel, "Enumeration of Nash equilibria for two-player games",
   Economic Theory 42, 2010.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....support.progress import Clock, Progress
from ..exact_lp import Tableau
from .profiles import Mix


@dataclass(frozen=True)
class Vertex:
    """A vertex, and where it is tight."""

    weights: tuple[int, ...]  # its coordinates times a positive number
    # bit ``j``: coordinate ``j`` is 0; bit ``c + i`` (with ``c`` coordinates): inequality ``i`` is an equation
    tight: int


class _Polytope(Tableau):
    """A basis of the perturbed polytope; coordinates are counted first, then the slacks of the inequalities."""

    def leaving(self, entering: int) -> int:
        """The row that first reaches 0 when a column's variable grows; the perturbation leaves one."""
        rows = self.rows
        first = [i for i, row in enumerate(rows) if row[entering] > 0]
        first = _least(first, [rows[i][-1] for i in first], [rows[i][entering] for i in first])
        slack = len(self.free)
        while len(first) > 1:
            column = self._column(slack)
            first = _least(first, [column[i] for i in first], [rows[i][entering] for i in first])
            slack += 1
        return first[0]

    def _column(self, variable: int) -> list[int]:
        """A variable's column, also of a basic one: how its perturbation moves every row."""
        if variable in self.free:
            place = self.free.index(variable)
            return [row[place] for row in self.rows]
        return [self.unit if own == variable else 0 for own in self.basic]

    def vertex(self) -> Vertex:
        """The vertex that the basis becomes without perturbation."""
        weights = [0] * len(self.free)
        tight = sum(1 << variable for variable in self.free)
        for variable, row in zip(self.basic, self.rows, strict=True):
            if row[-1] == 0:
                tight |= 1 << variable
            elif variable < len(weights):
                weights[variable] = row[-1]
        return Vertex(tuple(weights), tight)


def _least(rows: list[int], numerators: list[int], denominators: list[int]) -> list[int]:
    """The rows of the smallest ratio; denominators are positive."""
    best, top, bottom = [rows[0]], numerators[0], denominators[0]
    for row, over, under in zip(rows[1:], numerators[1:], denominators[1:], strict=True):
        here, there = over * bottom, top * under
        if here < there:
            best, top, bottom = [row], over, under
        elif here == there:
            best.append(row)
    return best


def vertices(matrix: Sequence[Sequence[int]]) -> Iterator[Vertex]:
    """Every vertex once, the origin first.

    ``matrix``: rows of integers, every column with a positive entry and none negative, so that the polytope is bounded.

    >>> [v.weights for v in vertices([[2, 1], [1, 3]])]  # (0, 0), (0, 1/3), (2/5, 1/5), (1/2, 0)
    [(0, 0), (0, 1), (2, 1), (1, 0)]
    """
    size = len(matrix[0])
    start = _Polytope([[*row, 1] for row in matrix], list(range(size, size + len(matrix))), list(range(size)), 1)
    visited = {(1 << size) - 1}  # bases, each as the set of its variables at 0
    listed: set[int] = set()
    waiting: list[tuple[_Polytope, int, int] | None] = [None]
    while waiting:
        step = waiting.pop()
        here = start if step is None else step[0].pivot(step[1], step[2])
        vertex = here.vertex()
        if vertex.tight not in listed:
            listed.add(vertex.tight)
            yield vertex
        basis = sum(1 << variable for variable in here.free)
        for entering, variable in enumerate(here.free):
            leaving = here.leaving(entering)
            neighbour = basis ^ (1 << variable) ^ (1 << here.basic[leaving])
            if neighbour not in visited:
                visited.add(neighbour)
                waiting.append((here, leaving, entering))


def most_vertices(coordinates: int, inequalities: int) -> int:
    """The largest number of vertices that such a polytope can have (McMullen's upper bound theorem).

    >>> most_vertices(2, 3), most_vertices(6, 6)
    (5, 112)
    """
    facets, half = coordinates + inequalities, coordinates // 2
    odd = coordinates - half
    return comb(facets - odd, inequalities) + comb(facets - half - 1, inequalities)


CHUNK = 64
"""Vertices between two looks at the clock."""


def extreme_equilibria(
    costs: Sequence[NDArray[Any]], clock: Clock, progress: Progress | None
) -> tuple[list[tuple[Mix, Mix]], bool]:
    """Pairs of vertices, the origins apart, that have all labels, sorted; whether all vertices were listed.

    They were not where the clock ran out or Ctrl-C came. ``costs``: both players' integers, axes as everywhere: rows
    are the first player's strategies.
    """
    m, n = costs[0].shape
    low = (1 << n) - 1  # of the second polytope: coordinates come first there, and its labels m to m + n - 1
    turned = (Vertex(v.weights, (v.tight & low) << m | v.tight >> n) for v in vertices(_payoffs(costs[0].tolist())))
    first, second, complete = list[Vertex](), list[Vertex](), False
    with suppress(KeyboardInterrupt):
        for count, (x, y) in enumerate(itertools.zip_longest(vertices(_payoffs(costs[1].T.tolist())), turned)):
            if count % CHUNK == 0:
                if clock.expired():
                    break
                if progress is not None:
                    progress(len(first) + len(second), None, "mixed equilibria")
            first += [x] if x is not None and any(x.weights) else []
            second += [y] if y is not None and any(y.weights) else []
        else:
            complete = True
    labels = (1 << (m + n)) - 1
    tight = np.array([vertex.tight for vertex in second], dtype=np.int64 if labels < 2**62 else object)
    fitting = ((x, second[k]) for x in first for k in np.flatnonzero((tight | x.tight) == labels).tolist())
    return sorted((_mix(x), _mix(y)) for x, y in fitting), complete


def _payoffs(costs: list[list[int]]) -> list[list[int]]:
    """Small positive payoffs with the same best responses: own strategies are rows, the dearest cost pays 1.

    Whatever the others do may pay the player more or less without changing what is best for her, so each column is
    shifted by itself.
    """
    shifted = [[max(column) - cost for cost in column] for column in zip(*costs, strict=True)]
    factor = math.gcd(*itertools.chain.from_iterable(shifted)) or 1
    return [[1 + gain // factor for gain in row] for row in zip(*shifted, strict=True)]


def _mix(vertex: Vertex) -> Mix:
    total = sum(vertex.weights)
    return tuple(Fraction(weight, total) for weight in vertex.weights)
