r"""What every strategy of a player costs against the others' play, one round at a time and summed over rounds.

A *line* is the costs of all strategies of one player while the others keep theirs. Sums of lines are exact: integers in
units that the game chooses, or Fractions. Infinite costs are counted apart: a sum with ``inf`` in it is ``inf``, one
with ``-inf`` is ``-inf``, and one with both does not exist and is refused. Two equal infinities differ by nothing
(:func:`consortium.games.protocol.regret`).

>>> from consortium.games.normal_form import NormalFormGame
>>> game = NormalFormGame.from_arrays([[[2, 4], [1, 3]], [[2, 1], [4, 3]]], sense="cost")
>>> sums = Sums.of(game, 0, rounds=2)
>>> for profile in ((0, 0), (0, 1)):
...     sums.add(Lines(game)(0, profile))
>>> sums.value(0), sums.least()
(Fraction(6, 1), 1)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ....support.errors import InputError
from ....support.exact import INF, Extended, Rational
from ....support.progress import Clock
from ...normal_form import INFINITE, NormalFormGame
from ...protocol import Game, Profile, costs_of

SAFE: Final = 2**62
"""Sums proven to stay below are kept in int64."""
KEPT: Final = 2**22
"""Costs that are remembered, in lines."""


@runtime_checkable
class HasLines(Protocol):
    """A game that knows a whole line of finite costs faster than by one call of ``costs`` for each strategy."""

    def line(self, player: int, profile: Profile) -> NDArray[Any]:
        """Costs of all strategies of the player in units of :attr:`line_unit`, integers; the game's own array."""

    @property
    def line_unit(self) -> Rational:
        """What 1 stands for."""

    @property
    def line_bound(self) -> int | None:
        """No cell of a line is larger; ``None`` where the cells are not of 64 bits."""


class Line(NamedTuple):
    """Costs of all strategies of a player: the finite ones, and which are ``inf`` or ``-inf`` (0 among the finite)."""

    finite: NDArray[Any]
    above: NDArray[np.bool_]
    below: NDArray[np.bool_]

    def only(self, strategy: int) -> Line:
        """The line of one strategy alone."""
        return Line(*(part[strategy : strategy + 1] for part in self))


@dataclass
class Sums:
    """Lines of one player, summed over rounds."""

    player: str
    line: Line  # the sums, finite ones in ``unit``; a sum is infinite where one of its terms is
    unit: Rational  # what 1 stands for

    @classmethod
    def of(cls, game: Game, player: int, rounds: int, size: int | None = None) -> Self:
        """Nothing yet, for all strategies or ``size`` of them.

        int64 where the sums over so many rounds, differences of two and their sum over all strategies stay within it.
        """
        width = len(game.strategies(player)) if size is None else size
        unit, bound = _measure(game, player)
        narrow = bound is not None and 2 * bound * rounds * width < SAFE
        empty = Line(np.zeros(width, np.int64 if narrow else object), *(np.zeros(width, np.bool_) for _ in "+-"))
        return cls(game.players[player], empty, unit)

    def add(self, line: Line, times: int = 1) -> None:
        """Add a line, as often as it was played. Raises InputError for a sum that does not exist."""
        more = line.finite if self.line.finite.dtype == line.finite.dtype else line.finite.astype(object)
        above, below = self.line.above | line.above, self.line.below | line.below
        if (above & below).any():
            raise InputError(
                f"costs of {self.player!r}: one strategy costs inf in one round and -inf in another, so that it has no "
                "average; learning needs costs that can be added up"
            )
        self.line = Line(self.line.finite + more * times, above, below)

    def empty(self) -> Self:
        """Nothing yet, for the same strategies and rounds."""
        return replace(self, line=Line(*(np.zeros_like(part) for part in self.line)))

    def value(self, strategy: int) -> Extended:
        """The sum of the strategy with this number."""
        if self.line.above[strategy] or self.line.below[strategy]:
            return INF if self.line.above[strategy] else -INF
        cell = self.line.finite[strategy]
        return (cell if isinstance(cell, Fraction) else int(cell)) * Fraction(self.unit)

    def least(self) -> int:
        """Number of the first strategy with the least sum."""
        finite, above, below = self.line
        if below.any():
            return int(below.argmax())
        if not above.any():
            return int(finite.argmin())
        left = np.flatnonzero(~above)
        return int(left[finite[left].argmin()]) if left.size else 0


class Lines:
    """Lines of a game, computed once while they fit the memory set aside for them; TimeoutError when time is up.

    >>> from consortium.games.normal_form import NormalFormGame
    >>> Lines(NormalFormGame.from_arrays([[[2, 4], [1, 3]], [[2, 1], [4, 3]]], sense="cost"))(1, (0, 0)).finite
    array([2, 1])
    """

    def __init__(self, game: Game, clock: Clock | None = None) -> None:
        self.game, self._clock = game, clock or Clock(None)
        self._known: dict[tuple[int, Profile], Line] = {}
        self._cells = 0

    def __call__(self, player: int, profile: Profile) -> Line:
        """What every strategy of a player costs against the others' part of a profile."""
        self._clock.check()
        key = player, (*profile[:player], *profile[player + 1 :])
        if key not in self._known:
            line = _line(self.game, player, profile)
            if self._cells + line.finite.size > KEPT:
                self._known.clear()
                self._cells = 0
            self._known[key] = line
            self._cells += line.finite.size
        return self._known[key]


def _line(game: Game, player: int, profile: Profile) -> Line:
    cells = _cells(game, player, profile)
    if cells.dtype == np.int64:
        above, below = cells == INFINITE, cells == -INFINITE
    else:
        above, below = (np.array([c == end for c in cells.tolist()], np.bool_) for end in (INF, -INF))
    return Line(np.where(above | below, 0, cells), above, below)


def _measure(game: Game, player: int) -> tuple[Rational, int | None]:
    """The unit of a player's lines, and a bound on their finite cells where they are integers of 64 bits."""
    if isinstance(game, NormalFormGame):
        cells = game.table[player]
        bound = int(np.abs(np.where(np.abs(cells) == INFINITE, 0, cells)).max()) if game.narrow else None
        return Fraction(1) / game.denominator, bound
    return (game.line_unit, game.line_bound) if isinstance(game, HasLines) else (1, None)


def _cells(game: Game, player: int, profile: Profile) -> NDArray[Any]:
    """A line as a table writes it; read only."""
    if isinstance(game, NormalFormGame):
        place: tuple[Any, ...] = game.index(profile)
        cells: NDArray[Any] = game.table[player][(*place[:player], slice(None), *place[player + 1 :])]
        return cells
    if isinstance(game, HasLines):
        return game.line(player, profile)
    own = game.strategies(player)
    out = np.empty(len(own), dtype=object)
    for number, strategy in enumerate(own):
        out[number] = costs_of(game, (*profile[:player], strategy, *profile[player + 1 :]))[player]
    return out
