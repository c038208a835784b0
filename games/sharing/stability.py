r"""Whether a division of what all earn is stable, and whether a game of coalitions is one where such divisions exist.

The core: divisions of ``v`` of everybody that no coalition can improve upon. A game is convex when a player adds the
more the larger the coalition; then the Shapley value (:mod:`.values`) lies in the core. All checks try every case of
the definition and show a violation.

>>> glove = CoalitionGame.of(lambda s: min(len(s & {0}), len(s & {1, 2})), 3)  # one left glove, two right ones
>>> in_core(glove, (1, 0, 0)).holds, in_core(glove, ("2/3", "1/6", "1/6")).holds, is_convex(glove).holds
(True, False, False)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...support.errors import InputError
from ...support.exact import Rational, rational
from .coalition import CoalitionGame


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
