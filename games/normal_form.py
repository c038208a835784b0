r"""Games as numpy arrays: ``n`` arrays of shape ``(m_0, ..., m_{n-1})``, axis ``i`` is player ``i``'s strategy.

The cells are kept as exact integers over one common denominator, negated when payoffs came in, so that every solver
minimises. int64 where a bound proves that sums and differences stay within it, otherwise Python integers in an object
array. In an int64 table ``2**61`` stands for ``inf`` and ``-2**61`` for ``-inf``; finite cells are so small that a
difference of ``2**60`` or more is exactly an infinite one.

Floating-point arrays: cells that are whole numbers are taken as they are; otherwise the caller has to say what a float
means, because a tie between rounded numbers is an accident: ``floats="binary"`` (the exact value of the float) or
``floats="decimal"`` (its shortest decimal, so ``0.1`` is 1/10). Without that they are refused.

>>> prisoners = NormalFormGame.from_arrays([[[3, 0], [5, 1]], [[3, 5], [0, 1]]], sense="payoff")
>>> prisoners.costs((1, 1)), prisoners.best_response(0, (0, 0)), prisoners.shape
((Fraction(-1, 1), Fraction(-1, 1)), 1, (2, 2))
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..support.errors import InputError, TooLargeError
from ..support.exact import INF, Extended, Rational, magnitude
from ..support.numbers import ADVICE, Floats, meaning, meant
from ..support.progress import Clock, Progress
from ..support.units import memory_text
from .protocol import Cost, Game, HasSocialCost, Profile, Sense, add, costs_of, count_profiles, exact_cost
from .registry import ability

INFINITE: Final = 2**61
"""Stands for ``inf`` in int64 tables."""
HUGE: Final = 2**60
"""A difference of table cells of at least this size is infinite."""
FINITE: Final = 2**59
"""Proven bound on every finite cell of an int64 table, and on every sum of one cell per player."""
MAX_BYTES: Final = 2**32
"""Most memory that a table and its analysis may take unless the caller says otherwise (bytes)."""

COMFORTABLE: Final = 2**28
"""A table of at most so many bytes is preferred to any other solver: it answers every question."""

Social = Literal["sum", "max"]


@runtime_checkable
class HasTable(Protocol):
    """A game that tabulates itself faster than one call of ``costs`` per profile."""

    def tabulate(self, progress: Progress | None = None, clock: Clock | None = None) -> NormalFormGame:
        """The same game as arrays; raises TimeoutError when the clock runs out."""


@dataclass(frozen=True, eq=False)
class NormalFormGame:
    """A finite game in exact arrays; build it with :meth:`from_arrays` or :meth:`from_game`.

    Attributes
    ----------
    players
        Names, in player order.
    labels
        One tuple of strategies per player; ``table[i, a_0, ..., a_{n-1}]`` belongs to ``labels[k][a_k]``.
    table
        Costs times ``denominator``, shape ``(n, m_0, ..., m_{n-1})``, int64 or object; read only.
    denominator
        What makes the costs whole: their common denominator, over a factor that all share.
    social
        Social costs times ``social_denominator``, shape ``(m_0, ..., m_{n-1})``, same rules; read only.
    social_denominator
        The same for the social costs.
    sense
        ``"payoff"`` when the costs are negated payoffs.
    title
        What the game is called; ``None`` where nobody has said.
    """

    players: tuple[str, ...]
    labels: tuple[tuple[Any, ...], ...]
    table: NDArray[Any]
    denominator: Rational
    social: NDArray[Any]
    social_denominator: Rational
    sense: Sense = "cost"
    title: str | None = None
    _places: tuple[dict[Any, int], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_places", tuple({s: i for i, s in enumerate(own)} for own in self.labels))
        self.table.flags.writeable = False
        self.social.flags.writeable = False

    @property
    def narrow(self) -> bool:
        """Whether the cells of ``table`` are int64."""
        return self.table.dtype == np.int64

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of strategies of each player."""
        return tuple(len(own) for own in self.labels)

    @cached_property
    def best(self) -> NDArray[Any]:
        """Cost of a best response of every player at every profile, shape and units of ``table``; read only."""
        best = np.empty_like(self.table)
        for i, own in enumerate(self.table):
            best[i] = own.min(axis=i, keepdims=True)
        best.flags.writeable = False
        return best

    def strategies(self, player: int) -> tuple[Any, ...]:
        """Labels of a player's strategies."""
        return self.labels[player]

    def index(self, profile: Profile) -> tuple[int, ...]:
        """Array index of a profile of labels; InputError names an unknown strategy."""
        if len(profile) != len(self.players):
            raise InputError(f"profile: found {len(profile)} strategies; expected {len(self.players)}")
        for player, strategy in enumerate(profile):
            if strategy not in self._places[player]:
                raise InputError(f"profile: player {self.players[player]!r} has no strategy {strategy!r}")
        return tuple(places[s] for places, s in zip(self._places, profile, strict=True))

    def profile(self, flat: int) -> Profile:
        """Labels of the profile with this place in C order."""
        return tuple(own[int(i)] for own, i in zip(self.labels, np.unravel_index(flat, self.shape), strict=True))

    def costs(self, profile: Profile) -> tuple[Extended, ...]:
        """Exact costs of a profile of labels."""
        where = self.index(profile)
        return tuple(from_cell(own[where], self.denominator, self.narrow) for own in self.table)

    def social_cost(self, profile: Profile) -> Extended:
        """Exact social cost of a profile of labels."""
        cell, narrow = self.social[self.index(profile)], self.social.dtype == np.int64
        return from_cell(cell, self.social_denominator, narrow)

    def best_response(self, player: int, profile: Profile) -> Any:
        """First label of least cost against the others."""
        place: tuple[Any, ...] = self.index(profile)
        line = self.table[player][(*place[:player], slice(None), *place[player + 1 :])]
        return self.labels[player][int(line.argmin())]

    def payoffs(self, player: int) -> NDArray[Any]:
        """Payoffs of a player (costs negated) as exact objects: int where whole, else Fraction or an infinity."""
        own = self.table[player]
        if self.denominator == 1 and own.dtype == np.int64 and max(int(own.max()), -int(own.min())) < INFINITE:
            return np.asarray((-own).astype(object))
        out = np.empty(self.shape, dtype=object)
        flat = out.reshape(-1)
        for i, cell in enumerate(self.table[player].reshape(-1).tolist()):
            value = from_cell(cell, self.denominator, self.narrow)
            flat[i] = -int(value) if isinstance(value, Fraction) and value.denominator == 1 else -value
        return out

    @classmethod
    def from_arrays(
        cls,
        arrays: Sequence[ArrayLike],
        *,
        sense: Sense,
        players: Sequence[str] | None = None,
        labels: Sequence[Sequence[Any]] | None = None,
        social: ArrayLike | Social = "sum",
        floats: Floats = "refuse",
    ) -> NormalFormGame:
        """A game from one array per player.

        Parameters
        ----------
        arrays
            ``n`` arrays of one shape ``(m_0, ..., m_{n-1})``: integers, objects (int, Fraction, an infinity) or floats.
        sense
            ``"cost"`` (minimised) or ``"payoff"`` (maximised). It has no default: nothing is negated unasked.
        players, labels
            Names (default ``p1``, ``p2``, ...) and strategies (default 0, 1, ...).
        social
            ``"sum"`` or ``"max"`` of the costs (for payoffs: the sum, or the smallest, is the welfare), or an array of
            the same shape and sense.
        floats
            What a float that is not whole means, see the module.

        Raises
        ------
        InputError
            Shapes that do not agree, a NaN, a float without a meaning, names that repeat.

        >>> NormalFormGame.from_arrays([[[0.5]], [[1]]], sense="cost", floats="decimal").costs((0, 0))
        (Fraction(1, 2), Fraction(1, 1))
        """
        if sense not in ("cost", "payoff"):
            raise InputError(f"sense: found {sense!r}; expected 'cost' or 'payoff'")
        floats = meaning(floats)
        raw = [_array(a, f"arrays[{i}]") for i, a in enumerate(arrays)]
        n = len(raw)
        if n == 0 or any(a.shape != raw[0].shape or a.ndim != n or a.size == 0 for a in raw):
            shapes = ", ".join(str(a.shape) for a in raw)
            raise InputError(f"arrays: found shapes [{shapes}]; expected one array per player, of one non-empty shape")
        names = tuple(players) if players is not None else tuple(f"p{i + 1}" for i in range(n))
        own = tuple(tuple(s) for s in labels) if labels is not None else tuple(tuple(range(m)) for m in raw[0].shape)
        _check_names(names, own, raw[0].shape)
        sign = 1 if sense == "cost" else -1
        table, denominator = stacked([_exact(a, sign, f"arrays[{i}]", floats) for i, a in enumerate(raw)])
        if isinstance(social, str):
            total, social_denominator = _aggregate(table, social), denominator
        else:
            social_costs = _array(social, "social")
            if social_costs.shape != raw[0].shape:
                raise InputError(f"social: found the shape {social_costs.shape}; expected {raw[0].shape}")
            cells, social_denominator = stacked([_exact(social_costs, sign, "social", floats)])
            total = cells[0]
        return cls(names, own, table, denominator, total, social_denominator, sense)

    @classmethod
    def from_game(
        cls,
        game: Game,
        *,
        max_bytes: int = MAX_BYTES,
        progress: Progress | None = None,
        clock: Clock | None = None,
    ) -> NormalFormGame:
        """Tabulate any game, one call of ``costs`` per profile unless the game tabulates itself, or has a faster way.

        Raises TooLargeError before any work when the table would not fit ``max_bytes``, TimeoutError when the clock
        runs out.
        """
        if isinstance(game, NormalFormGame):
            return game
        check_table_size(game, max_bytes)
        if isinstance(game, HasTable):
            return game.tabulate(progress, clock)
        tabulate = ability(game, "tabulate")
        table = None if tabulate is None else tabulate(game, progress, clock)
        return table if table is not None else cls.from_costs(game, progress, clock)

    @classmethod
    def from_costs(cls, game: Game, progress: Progress | None = None, clock: Clock | None = None) -> NormalFormGame:
        """Tabulate a game profile by profile through ``costs``, whatever faster way it may have."""
        own = tuple(tuple(game.strategies(k)) for k in range(len(game.players)))
        shape = tuple(len(s) for s in own)
        size = math.prod(shape)
        cells: list[NDArray[Any]] = [np.empty(size, dtype=object) for _ in own]
        social = np.empty(size, dtype=object)
        for flat, profile in enumerate(itertools.product(*own)):
            if flat % 1024 == 0:
                if clock is not None and clock.expired():
                    raise TimeoutError(f"tabulated {flat} of {size} profiles")
                if progress is not None:
                    progress(flat, size, "profiles tabulated")
            row = costs_of(game, profile)
            for k, cost in enumerate(row):
                cells[k][flat] = cost
            social[flat] = exact_cost(game.social_cost(profile)) if isinstance(game, HasSocialCost) else add(*row)
        return cls.from_arrays(
            [c.reshape(shape) for c in cells],
            sense="cost",
            players=game.players,
            labels=own,
            social=social.reshape(shape),
        )


def table_bytes(game: Game) -> int:
    """Bytes that enumeration needs: 16 per profile and player (cost, best cost) and 16 per profile (social, work)."""
    return 16 * (len(game.players) + 1) * count_profiles(game)


def check_table_size(game: Game, max_bytes: int = MAX_BYTES) -> None:
    """Raise TooLargeError, with the numbers, when the game's table would take more than ``max_bytes``."""
    need = table_bytes(game)
    if need > max_bytes:
        raise TooLargeError(
            f"table: {magnitude(count_profiles(game))} profiles need {magnitude(need)} bytes; "
            f"the limit is {memory_text(max_bytes)}; raise max_bytes (--max-bytes), or ask for a method without a "
            "table where the game has one"
        )


def from_cell(cell: Any, denominator: Rational, narrow: bool) -> Extended:
    """Exact value of a table cell; ``narrow``: of an int64 table, where a number stands for infinity."""
    if isinstance(cell, float) or (narrow and abs(cell) == INFINITE):
        return INF if cell > 0 else -INF
    return Fraction(int(cell), denominator)


def _check_names(players: tuple[str, ...], labels: tuple[tuple[Any, ...], ...], shape: tuple[int, ...]) -> None:
    if len(players) != len(shape) or len(set(players)) != len(players):
        raise InputError(f"players: found {list(players)!r}; expected {len(shape)} different names")
    if tuple(len(own) for own in labels) != shape:
        raise InputError(f"labels: found {[len(own) for own in labels]} per player; expected {list(shape)}")
    for name, own in zip(players, labels, strict=True):
        if len(set(own)) != len(own):
            raise InputError(f"labels: the strategies of {name!r} repeat")


def _array(values: ArrayLike, where: str) -> NDArray[Any]:
    try:
        array = np.asarray(values)
        mixed = array.dtype.kind == "f" and not isinstance(values, np.ndarray)  # beside floats, integers lose digits
        return np.array(values, dtype=object) if mixed else array
    except (ValueError, TypeError):  # lists of different lengths
        raise InputError(f"{where}: found lists of different lengths; expected an array") from None


def _exact(array: NDArray[Any], sign: int, where: str, floats: Floats) -> NDArray[Any]:
    """Cells in cost sense: an int64 array, or an object array of int, Fraction and infinities."""
    if array.dtype.kind in "iu" and max(-int(array.min()), int(array.max())) < FINITE:
        whole: NDArray[np.int64] = array.astype(np.int64) * sign
        return whole
    if array.dtype.kind not in "iufO":
        raise InputError(f"{where}: found the type {array.dtype}; expected integers, Fractions or floats")
    out = np.empty(array.shape, dtype=object)
    for i, value in enumerate(array.reshape(-1)):
        out.reshape(-1)[i] = sign * exact_cost(_cell(value, where, floats))
    return out


def _cell(value: Any, where: str, floats: Floats) -> Cost:
    """One cell of somebody's array as an exact number: a float that is whole is what it says."""
    if isinstance(value, float | np.floating):
        if np.isnan(value):
            raise InputError(f"{where}: found a NaN; expected numbers")
        broken = np.isfinite(value) and value != np.floor(value)
        if broken and floats == "refuse":
            raise InputError(f"{where}: found the float {float(value)!r}; {ADVICE}, or give integers or Fractions")
        return meant(value, floats if broken else "binary")
    number = value.item() if isinstance(value, np.generic) else value  # numpy scalars inside an object array
    if isinstance(number, bool) or not isinstance(number, int | Fraction):
        raise InputError(f"{where}: found {number!r}; expected an int, a Fraction or an infinity")
    return number


def stacked(arrays: list[NDArray[Any]]) -> tuple[NDArray[Any], int]:
    """Exact cells over a common denominator: int64 when every sum of one cell per player is proven small."""
    if all(a.dtype == np.int64 for a in arrays):
        if sum(int(np.abs(a).max()) for a in arrays) < FINITE:
            return np.stack(arrays), 1
        arrays = [a.astype(object) for a in arrays]
    values = [a.reshape(-1).tolist() for a in arrays]
    fractions = {v.denominator for row in values for v in row if isinstance(v, int | Fraction)}
    denominator = math.lcm(*fractions)
    table = np.empty((len(arrays), *arrays[0].shape), dtype=object)
    largest = 0
    for row, target in zip(values, table.reshape(len(arrays), -1), strict=True):
        cells = [v if isinstance(v, float) else int(v * denominator) for v in row]
        target[:] = cells
        largest += max((abs(c) for c in cells if isinstance(c, int)), default=0)
    if largest >= FINITE:
        return table, denominator
    out = np.empty(table.shape, dtype=np.int64)
    flat = out.reshape(-1)
    for i, cell in enumerate(table.reshape(-1).tolist()):
        flat[i] = cell if isinstance(cell, int) else INFINITE if cell > 0 else -INFINITE
    return out, denominator


def _aggregate(table: NDArray[Any], how: str) -> NDArray[Any]:
    """Sum or largest cost per profile, infinities kept."""
    if how == "max":
        return np.asarray(table.max(axis=0))
    if how != "sum":
        raise InputError(f"social: found {how!r}; expected 'sum', 'max' or an array")
    shape = table.shape[1:]
    if table.dtype == np.int64:
        plus, minus = (table == INFINITE).any(axis=0), (table == -INFINITE).any(axis=0)
        if (plus & minus).any():
            raise InputError("social: a profile costs inf and -inf; give the social costs as an array")
        finite = np.where(np.abs(table) == INFINITE, 0, table).sum(axis=0)
        return np.where(plus, INFINITE, np.where(minus, -INFINITE, finite))
    out = np.empty(shape, dtype=object)
    for i, column in enumerate(table.reshape(table.shape[0], -1).T.tolist()):
        value: Cost = add(*(c if isinstance(c, float) else Fraction(c) for c in column))
        out.reshape(-1)[i] = value if isinstance(value, float) else int(value)
    return out
