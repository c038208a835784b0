r"""Games of coalitions: who should get how much of what all earn together.

Model: ``n`` players; every coalition ``S`` has an exact value ``v(S)``, ``v`` of nobody is 0. Coalitions are bit masks,
player ``i`` is bit ``i``. A division gives each player an exact amount: :mod:`.values` finds some, :mod:`.stability`
checks any.

>>> glove = CoalitionGame.of(lambda s: min(len(s & {0}), len(s & {1, 2})), 3)  # one left glove, two right ones
>>> glove.values, glove.value({0, 2})
((0, 0, 0, 1, 0, 1, 0, 1), Fraction(1, 1))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np

from ...support.errors import InputError, TooLargeError
from ...support.exact import Rational, rational, scale

PLAYERS_MAX: Final = 24
"""Largest number of players: ``2**24`` values."""

Division: TypeAlias = tuple[Fraction, ...]


@dataclass(frozen=True)
class CoalitionGame:
    """A game by its values: ``values[mask] / denominator`` is what the coalition ``mask`` earns."""

    n_players: int
    values: tuple[int, ...]
    denominator: int = 1

    @classmethod
    def of(
        cls,
        source: Mapping[Any, Rational] | Callable[[frozenset[int]], Rational] | Sequence[Rational],
        n_players: int | None = None,
    ) -> CoalitionGame:
        """Build from a dict, a function of a frozenset of players, or a sequence of ``2**n`` values by bit mask.

        Keys of a dict are bit masks or iterables of players (from 0); coalitions left out are worth 0. ``n_players`` is
        needed for a function and defaults to what the keys or the length say otherwise.

        Raises
        ------
        InputError
            When the length is no power of two, a key names an unknown player, or nobody is worth something.
        """
        if callable(source):
            if n_players is None:
                raise InputError("n_players: a game given as a function needs the number of players")
            _check_players(n_players)
            listed = [source(frozenset(members(mask))) for mask in range(2**n_players)]
        elif isinstance(source, Mapping):
            listed = _from_mapping(source, n_players)
        else:
            listed = list(source)
            if not listed or len(listed) & (len(listed) - 1):
                raise InputError(f"values: found {len(listed)}; expected 2**n, one per coalition")
            if n_players is not None and len(listed) != 2**n_players:
                raise InputError(f"values: found {len(listed)}; expected 2**{n_players}")
        count = (len(listed) - 1).bit_length()
        _check_players(count)
        if isinstance(source, np.ndarray) and np.issubdtype(source.dtype, np.integer):
            integers, denominator = tuple(source.tolist()), 1
        else:
            integers, denominator = scale(rational(v, "value") for v in listed)
        if integers[0] != 0:
            raise InputError(f"values: the coalition of nobody is worth {listed[0]}; expected 0")
        return cls(count, integers, denominator)

    def value(self, coalition: int | Iterable[int]) -> Fraction:
        """Worth of a coalition, given as a mask or as players."""
        return Fraction(self.values[as_mask(coalition)], self.denominator)

    @property
    def everybody(self) -> int:
        """Mask of the grand coalition."""
        return len(self.values) - 1


def members(mask: int) -> tuple[int, ...]:
    """Players of a bit mask, ascending."""
    return tuple(i for i in range(mask.bit_length()) if mask >> i & 1)


def as_mask(coalition: int | Iterable[int]) -> int:
    """Bit mask of a coalition given as a mask or as players."""
    return coalition if isinstance(coalition, int) else sum(1 << i for i in set(coalition))


def _check_players(n: int) -> None:
    if n > PLAYERS_MAX:
        raise TooLargeError(f"a game of {n} players has 2**{n} coalitions; the limit is {PLAYERS_MAX} players")


def _from_mapping(source: Mapping[Any, Rational], n_players: int | None) -> list[Rational]:
    by_mask = {as_mask(key): value for key, value in source.items()}
    needed = max((mask.bit_length() for mask in by_mask), default=0)
    n = needed if n_players is None else n_players
    if needed > n or min(by_mask, default=0) < 0:
        raise InputError(f"values: a coalition names player {needed - 1}; expected players 0 to {n - 1}")
    _check_players(n)
    return [by_mask.get(mask, 0) for mask in range(2**n)]
