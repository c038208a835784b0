r"""Values of a game of coalitions, each a division found from what players add.

- the Shapley value, the mean of what a player adds over all orders of arrival [Sha53]_, for all coalitions at once from
  the potential ``|S| P(S) = v(S) + sum of P(S without i)`` [HM89]_;
- the Banzhaf value, the mean of what a player adds over all coalitions of the others.

Everything is exact. Integer games take a compiled path after a proof that no sum leaves int64, others Python's
integers.

>>> shapley(CoalitionGame.of(lambda s: min(len(s & {0}), len(s & {1, 2})), 3))  # one left glove, two right ones
(Fraction(2, 3), Fraction(1, 6), Fraction(1, 6))

References
----------
.. [Sha53] L. S. Shapley, "A value for n-person games", Contributions to the Theory of Games 2, 1953.
.. [HM89] S. Hart, A. Mas-Colell, "Potential, value, and consistency", Econometrica 57, 1989.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ...mechanisms.sharing.ranges import common_multiple, harmonic
from ...mechanisms.sharing.shapley import fill_potentials, scaled_potentials, shapley_values
from ...support.exact import fits_int64
from .coalition import CoalitionGame, Division, members


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
