r"""All equilibria of two players: exact, and proved complete.

Payoffs ``A`` and ``B`` (``m`` by ``n``), made positive integers; the best-response polytopes are ``P = {x >= 0 :
B^T x <= 1}`` and ``Q = {y >= 0 : A y <= 1}``. A point of ``P`` has label ``i`` where ``x_i = 0`` and ``m + j`` where
column ``j`` is a best response to it; a point of ``Q`` has label ``m + j`` where ``y_j = 0`` and ``i`` where row ``i``
is a best response. The extreme equilibria are the pairs of vertices, the origins apart, that have all labels between
them, scaled to sum to 1; every equilibrium is a mixture of some [ARSS10]_. So listing all vertices of both polytopes
lists all extreme equilibria, of degenerate games too.

References
----------
.. [ARSS10] D. Avis, G. Rosenberg, R. Savani, B. von Stengel, "Enumeration of Nash equilibria for two-player games",
   Economic Theory 42, 2010.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...support.progress import Clock, Progress
from .profiles import Mix
from .vertices import Vertex, vertices

CHUNK = 64
"""Vertices between two looks at the clock."""


@dataclass
class Extremes:
    """Vertices met so far, and whether they are all.

    Attributes
    ----------
    first, second
        Vertices of ``P`` and ``Q`` without the origins; bits of ``tight`` are labels.
    labels
        All labels.
    complete
        Whether all vertices have been met.
    """

    labels: int
    first: list[Vertex] = field(default_factory=list)
    second: list[Vertex] = field(default_factory=list)
    complete: bool = False

    def pairs(self) -> list[tuple[Mix, Mix]]:
        """The extreme equilibria among them, sorted."""
        kind = np.int64 if self.labels < 2**62 else object
        tight = np.array([vertex.tight for vertex in self.second], dtype=kind)
        found = []
        for x in self.first:
            fitting = np.flatnonzero((tight | x.tight) == self.labels).tolist()
            found += [(_mix(x), _mix(self.second[place])) for place in fitting]
        return sorted(found)


def extremes(costs: Sequence[NDArray[Any]], clock: Clock, progress: Progress | None) -> Extremes:
    """Vertices of both best-response polytopes; not all of them where the clock ran out or Ctrl-C came.

    ``costs``: both players' integers, axes as everywhere: rows are the first player's strategies.
    """
    m, n = costs[0].shape
    found = Extremes((1 << (m + n)) - 1)
    low = (1 << n) - 1  # of the second polytope: coordinates come first there, and its labels m to m + n - 1
    turned = (Vertex(v.weights, (v.tight & low) << m | v.tight >> n) for v in vertices(_payoffs(costs[0].tolist())))
    both = itertools.zip_longest(vertices(_payoffs(costs[1].T.tolist())), turned)
    try:
        for count in _chunks(both, found):
            if clock.expired():
                return found
            if progress is not None:
                progress(count, None, "mixed equilibria")
    except KeyboardInterrupt:
        return found
    found.complete = True
    return found


def _chunks(both: Iterator[tuple[Vertex | None, Vertex | None]], found: Extremes) -> Iterator[int]:
    """Take vertices from both sides by turns; now and then, and first of all, how many there are."""
    yield 0
    for count, (x, y) in enumerate(both, 1):
        for vertex, listed in ((x, found.first), (y, found.second)):
            if vertex is not None and any(vertex.weights):
                listed.append(vertex)
        if count % CHUNK == 0:
            yield len(found.first) + len(found.second)


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
