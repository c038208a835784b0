"""How an organization can split its jobs: the work that stays at home and the blocks of work that go elsewhere.

What a placement costs its organization depends on the pattern alone, given which block goes where: blocks sent to
distinct hosts, the largest to the host that is free first. Jobs of one length merge, and so do splits with equal sums.
All patterns of an organization add up to its work, so none is better than another whatever the others do.

>>> patterns((2, 1), 2)
((0, (2, 1)), (0, (3,)), (1, (2,)), (2, (1,)), (3, ()))
"""

from __future__ import annotations

from bisect import insort
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from ....support.jit import Ints

MOST: Final = 25_000
"""Patterns of one organization; eight different jobs have at most 21,147."""
BITS: Final = 62
"""Home loads in one word of a set of them."""
Pattern: TypeAlias = tuple[int, tuple[int, ...]]
"""Work at home, and the blocks, largest first."""


class Splits(NamedTuple):
    """All patterns of all organizations, highest priority first; never modified."""

    work: Ints
    """Work of every organization."""
    shortest: Ints
    """Its shortest job; 0 without jobs."""
    homes: Ints
    """``homes[k, w]``: its different home loads, ascending, the last one repeated."""
    first: Ints
    """Rows ``first[k, w]:first[k, w + 1]`` of ``blocks`` are the patterns with that home load."""
    blocks: Ints
    """One pattern a row, filled up with zeros; by the largest block within one home load."""
    home: Ints
    """Home load of every row."""
    by_top: Ints
    """Rows of an organization by the larger of home load and largest block, in its part of the rows."""

    @property
    def words(self) -> int:
        """Words that a set of home loads takes."""
        return -(-int(self.homes.shape[1]) // BITS)


@lru_cache(maxsize=256)
def patterns(sizes: tuple[int, ...], foreign: int) -> tuple[Pattern, ...] | None:
    """All patterns of jobs with so many foreign hosts, sorted; ``None`` beyond :data:`MOST` of them."""
    layer: set[Pattern] = {(0, ())}
    for size in sorted(sizes, reverse=True):
        following: set[Pattern] = set()
        for home, blocks in layer:
            following.add((home + size, blocks))
            if len(blocks) < foreign:
                following.add((home, _with(blocks, size)))
            for i, block in enumerate(blocks):
                following.add((home, _with(blocks[:i] + blocks[i + 1 :], block + size)))
            if len(following) > MOST:
                return None
        layer = following
    return tuple(sorted(layer))


def _with(blocks: tuple[int, ...], block: int) -> tuple[int, ...]:
    """The blocks and one more, largest first."""
    rows = [-b for b in blocks]
    insort(rows, -block)
    return tuple(-b for b in rows)


def splits(sizes: tuple[tuple[int, ...], ...], dtype: type) -> Splits:
    """The patterns of organizations, listed by priority, as arrays; none of them has more than :data:`MOST`."""
    own = [patterns(tuple(sorted(row)), len(sizes) - 1) or () for row in sizes]
    homes = [sorted({home for home, _ in rows}) for rows in own]
    wide = max(map(len, homes))
    count, deep = sum(map(len, own)), max(1, max(len(blocks) for rows in own for _, blocks in rows))
    first = np.zeros((len(sizes), wide + 1), np.int64)
    blocks: Ints = np.zeros((count, deep), dtype)
    home: Ints = np.zeros(count, dtype)
    by_top: list[int] = []
    row = 0
    for k, rows in enumerate(own):
        begin = row
        tops = []
        for h, parts in sorted(rows, key=lambda pattern: (pattern[0], pattern[1][:1], pattern[1])):
            first[k, homes[k].index(h) + 1 :] = row + 1
            blocks[row, : len(parts)], home[row] = parts, h
            tops.append(max(h, *parts[:1], 0))
            row += 1
        first[k, 0] = begin
        by_top += sorted(range(begin, row), key=lambda r: tops[r - begin])
    return Splits(
        np.array([sum(row) for row in sizes], dtype),
        np.array([min(row, default=0) for row in sizes], dtype),
        np.array([row + row[-1:] * (wide - len(row)) for row in homes], dtype),
        first,
        blocks,
        home,
        np.array(by_top, np.int64),
    )
