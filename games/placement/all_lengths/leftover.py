"""Games in the regions that a small cover of a shape leaves open: where one without equilibrium may still be."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from .cover import Region, Search
from .points import game_of
from .shapes import Shape

LEAVES: Final = 200
"""Of the cover."""


@lru_cache(maxsize=256)
def leftover(shape: Shape, leaves: int = LEAVES) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """A game of each region that is open after so many leaves, the next region first; one without equilibrium alone.

    >>> leftover(Shape((3, 2, 1, 1)), 10)[0]
    ((7, 5, 4), (12, 4), (5,), (9,))
    """
    search = Search(game_of(shape))
    piece = search.piece(Region(), (), False, leaves, lambda: False)
    points = map(search.middle, piece.open) if piece.refuted is None else [piece.refuted]
    return tuple(shape.lengths(point) for point in points if point is not None)
