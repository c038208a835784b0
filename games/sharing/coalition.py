r"""Games of coalitions: who should get how much of what all earn together.

Model: ``n`` players; every coalition ``S`` has an exact value ``v(S)``, ``v`` of nobody is 0. Coalitions are bit masks,
player ``i`` is bit ``i``. A division gives each player an exact amount. Known solutions here:

- the Shapley value, the mean of what a player adds over all orders of arrival [Sha53]_, for all coalitions at once from
  the potential ``|S| P(S) = v(S) + sum of P(S without i)`` [HM89]_;
- the Banzhaf value, the mean of what a player adds over all coalitions of the others;
- the core: divisions of ``v`` of everybody that no coalition can improve upon.

A game is convex when a player adds the more the larger the coalition; then the Shapley value lies in the core.
Everything is exact. Integer games take a compiled path after a proof that no sum leaves int64, others Python's
integers.

>>> glove = CoalitionGame.of(lambda s: min(len(s & {0}), len(s & {1, 2})), 3)  # one left glove, two right ones
>>> shapley(glove)
(Fraction(2, 3), Fraction(1, 6), Fraction(1, 6))
>>> in_core(glove, shapley(glove)).holds, in_core(glove, (1, 0, 0)).holds
(False, True)

References
----------
.. [Sha53] L. S. Shapley, "A value for n-person games", Contributions to the Theory of Games 2, 1953.
.. [HM89] S. Hart, A. Mas-Colell, "Potential, value, and consistency", Econometrica 57, 1989.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np

from ...mechanisms.sharing.ranges import common_multiple, harmonic
from ...mechanisms.sharing.shapley import fill_potentials, scaled_potentials, shapley_values
from ...scheduling.errors import InputError, TooLargeError
from ...scheduling.exact import Rational, fits_int64, rational, scale

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


def potentials(game: CoalitionGame) -> list[Fraction]:
    """Potential of Hart and Mas-Colell of every coalition, by mask."""
    multiple = common_multiple(game.n_players) * game.denominator
    return [Fraction(int(p), multiple) for p in _scaled(game)]


def _scaled(game: CoalitionGame) -> Sequence[int] | np.ndarray[Any, np.dtype[np.int64]]:
    """``lcm * P`` by mask: compiled when the range is proved, else Python's integers."""
    n = game.n_players
    largest = max(map(abs, game.values))
    if n and fits_int64(int(n * common_multiple(n) * harmonic(n) * (largest + 1))):
        found = np.zeros(len(game.values), dtype=np.int64)
        fill_potentials(np.array(game.values, dtype=np.int64), common_multiple(n), found)
        return found
    return scaled_potentials(game.values)


def shapley(game: CoalitionGame) -> Division:
    """Shapley value of each player in the grand coalition, exact."""
    return tuple(phi / game.denominator for phi in shapley_values(game.values))


def shapley_everywhere(game: CoalitionGame) -> Iterator[tuple[int, dict[int, Fraction]]]:
    """Shapley values of the members of every coalition, as ``(mask, {player: value})``, from one pass of potentials.

    >>> dict(shapley_everywhere(CoalitionGame.of([0, 1, 2, 5])))[3]
    {0: Fraction(2, 1), 1: Fraction(3, 1)}
    """
    scaled = _scaled(game)
    multiple = common_multiple(game.n_players) * game.denominator
    for mask in range(1, len(game.values)):
        whole = int(scaled[mask])
        yield mask, {i: Fraction(whole - int(scaled[mask ^ 1 << i]), multiple) for i in members(mask)}


def banzhaf(game: CoalitionGame) -> Division:
    """Banzhaf value: mean of what a player adds to the coalitions of the others. The amounts need not sum to v.

    >>> banzhaf(CoalitionGame.of(lambda s: int(len(s) >= 2), 3))
    (Fraction(1, 2), Fraction(1, 2), Fraction(1, 2))
    """
    n = game.n_players
    sums = [0] * n
    total = sum(game.values)
    for mask, value in enumerate(game.values):
        for i in members(mask):
            sums[i] += value
    return tuple(Fraction(2 * s - total, game.denominator * 2 ** (n - 1)) for s in sums)


@dataclass(frozen=True)
class Verdict:
    """Answer of a checker. ``coalition`` and ``other`` (masks) show a violation and ``amount`` its size."""

    holds: bool
    cases: int
    coalition: int | None = None
    other: int | None = None
    amount: Fraction | None = None


def in_core(game: CoalitionGame, division: Sequence[Rational]) -> Verdict:
    """Whether ``division`` shares exactly the value of everybody and no coalition earns more on its own.

    The witness is the coalition with the largest ``v(S)`` minus its share (ties: smallest mask); when the sum differs
    from the value, the grand coalition with the difference.
    """
    if len(division) != game.n_players:
        raise InputError(f"division: found {len(division)} amounts; expected {game.n_players}")
    exact = [rational(x, "division") for x in division]
    left = game.value(game.everybody) - sum(exact, Fraction(0))
    if left != 0:
        return Verdict(False, 1, game.everybody, None, left)
    shares = [Fraction(0)] * len(game.values)
    worst, amount = 0, Fraction(0)
    for mask in range(1, len(game.values)):
        low = mask & -mask
        shares[mask] = shares[mask ^ low] + exact[low.bit_length() - 1]
        excess = Fraction(game.values[mask], game.denominator) - shares[mask]
        if excess > amount:
            worst, amount = mask, excess
    if worst:
        return Verdict(False, len(game.values) - 1, worst, None, amount)
    return Verdict(True, len(game.values) - 1)


def is_convex(game: CoalitionGame) -> Verdict:
    """Whether ``v(S + T) + v(S and T) >= v(S) + v(T)`` for all coalitions (supermodular).

    Checks that two players never add less together than apart, which is equivalent. The witness is the first violating
    pair ``S, T`` by mask with the amount missing.
    """
    cases = 0
    v = game.values
    for mask in range(len(v)):
        outside = [i for i in range(game.n_players) if not mask >> i & 1]
        for a, i in enumerate(outside):
            for j in outside[a + 1 :]:
                cases += 1
                one, two = mask | 1 << i, mask | 1 << j
                missing = v[one] + v[two] - v[one | two] - v[mask]
                if missing > 0:
                    return Verdict(False, cases, one, two, Fraction(missing, game.denominator))
    return Verdict(True, cases)


def is_monotone(game: CoalitionGame) -> Verdict:
    """Whether nobody ever lowers the value by joining. The witness is the first coalition and the joined one."""
    cases = 0
    for mask in range(len(game.values)):
        for i in range(game.n_players):
            if not mask >> i & 1:
                cases += 1
                lost = game.values[mask] - game.values[mask | 1 << i]
                if lost > 0:
                    return Verdict(False, cases, mask, mask | 1 << i, Fraction(lost, game.denominator))
    return Verdict(True, cases)
