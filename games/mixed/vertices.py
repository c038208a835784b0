r"""All vertices of a polytope ``{z >= 0 : M z <= 1}`` in integers, proved complete by construction.

Dictionaries are integer tables over one determinant (Edmonds), pivots divide without remainder, so nothing is ever
rounded. The right-hand side 1 is read as ``1 + e_i`` with infinitely small ``e_1 >> e_2 >> ...`` (lexicographic rule):
that polytope is simple, each of its vertices is one basis and has one neighbour along each of its edges. The graph of a
polytope is connected, so walking along every edge of every basis met reaches them all; every vertex of the unperturbed
polytope is what at least one basis becomes when the ``e_i`` vanish.

References
----------
.. [AF92] D. Avis, K. Fukuda, "A pivoting algorithm for convex hulls and vertex enumeration of arrangements and
   polyhedra", Discrete & Computational Geometry 8, 1992.
.. [ARSS10] D. Avis, G. Rosenberg, R. Savani, B. von Stengel, "Enumeration of Nash equilibria for two-player games",
   Economic Theory 42, 2010.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb


@dataclass(frozen=True)
class Vertex:
    """A vertex, and where it is tight.

    Attributes
    ----------
    weights
        Its coordinates times a positive number.
    tight
        Bit ``j``: coordinate ``j`` is 0; bit ``c + i`` (with ``c`` coordinates): inequality ``i`` is an equation.
    """

    weights: tuple[int, ...]
    tight: int


@dataclass(frozen=True)
class _Dictionary:
    """Basic variables in terms of the others: ``determinant * basic[i] = rows[i][-1] - sum_j rows[i][j] * other[j]``.

    Variables count the coordinates first, then the slacks of the inequalities.
    """

    rows: list[list[int]]
    basic: list[int]
    others: list[int]
    determinant: int

    def pivot(self, leaving: int, entering: int) -> _Dictionary:
        """The neighbour where a row's variable and a column's change places; the row's entry is positive."""
        line, divisor = self.rows[leaving], self.determinant
        head = line[entering]
        rows = []
        for i, row in enumerate(self.rows):
            factor = row[entering]
            if i == leaving:
                new = line[:]
            elif factor:
                new = [(head * a - factor * b) // divisor for a, b in zip(row, line, strict=True)]
            else:
                new = [head * a // divisor for a in row]
            new[entering] = divisor if i == leaving else -factor
            rows.append(new)
        basic, others = self.basic[:], self.others[:]
        basic[leaving], others[entering] = others[entering], basic[leaving]
        return _Dictionary(rows, basic, others, head)

    def leaving(self, entering: int) -> int:
        """The row that first reaches 0 when a column's variable grows; the perturbation leaves one."""
        rows = self.rows
        first = [i for i, row in enumerate(rows) if row[entering] > 0]
        first = _least(first, [rows[i][-1] for i in first], [rows[i][entering] for i in first])
        slack = len(self.others)
        while len(first) > 1:
            column = self._column(slack)
            first = _least(first, [column[i] for i in first], [rows[i][entering] for i in first])
            slack += 1
        return first[0]

    def _column(self, variable: int) -> list[int]:
        """A variable's column, also of a basic one: how its perturbation moves every row."""
        if variable in self.others:
            place = self.others.index(variable)
            return [row[place] for row in self.rows]
        return [self.determinant if own == variable else 0 for own in self.basic]

    def vertex(self) -> Vertex:
        """The vertex that the basis becomes without perturbation."""
        weights = [0] * len(self.others)
        tight = sum(1 << variable for variable in self.others)
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
    start = _Dictionary([[*row, 1] for row in matrix], list(range(size, size + len(matrix))), list(range(size)), 1)
    met = {(1 << size) - 1}  # bases, each as the set of its variables at 0
    given: set[int] = set()
    waiting: list[tuple[_Dictionary, int, int] | None] = [None]
    while waiting:
        step = waiting.pop()
        here = start if step is None else step[0].pivot(step[1], step[2])
        vertex = here.vertex()
        if vertex.tight not in given:
            given.add(vertex.tight)
            yield vertex
        basis = sum(1 << variable for variable in here.others)
        for entering, variable in enumerate(here.others):
            leaving = here.leaving(entering)
            neighbour = basis ^ (1 << variable) ^ (1 << here.basic[leaving])
            if neighbour not in met:
                met.add(neighbour)
                waiting.append((here, leaving, entering))


def most_vertices(coordinates: int, inequalities: int) -> int:
    """The largest number of vertices that such a polytope can have (McMullen's upper bound theorem).

    >>> most_vertices(2, 3), most_vertices(6, 6)
    (5, 112)
    """
    facets, half = coordinates + inequalities, coordinates // 2
    odd = coordinates - half
    return comb(facets - odd, inequalities) + comb(facets - half - 1, inequalities)
