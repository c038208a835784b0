r"""Is this distribution an equilibrium, and do these multipliers prove that none is beyond it?

Definitions (costs are minimised; ``C_i(a, s_-i)``: player ``i`` plays ``a`` instead). A distribution ``p`` over
profiles is a *coarse correlated equilibrium* [MV78]_ when for all players ``i`` and strategies ``a``
``E_p[C_i(s) - C_i(a, s_-i)] <= 0``, and a *correlated equilibrium* [Aum74]_ when that holds on ``{s_i = r}`` for every
recommendation ``r``. Equal is never a gain. Infinite gains: see :mod:`.results`; a constraint with a gain of ``inf`` at
a profile of positive probability fails, else one with a gain of ``-inf`` holds.

For multipliers ``y >= 0`` of these constraints every equilibrium costs at least ``min over s of social(s) + sum y *
gain(s)``, and at most ``max over s of social(s) - sum y * gain(s)``: weak duality, checked in one pass over the table
for each multiplier. An equilibrium that costs as much as its bound is extreme.

>>> chicken = NormalFormGame.from_arrays([[[6, 2], [7, 0]], [[6, 7], [2, 0]]], sense="payoff")
>>> p = {(0, 0): Fraction(1, 2), (0, 1): Fraction(1, 4), (1, 0): Fraction(1, 4)}
>>> is_equilibrium(chicken, p, "correlated"), expected_cost(chicken, p)
(True, Fraction(-21, 2))
>>> bound(chicken, [], "best")
Fraction(-12, 1)

References
----------
.. [Aum74] R. Aumann, "Subjectivity and correlation in randomized strategies", J. Math. Economics 1, 1974.
.. [MV78] H. Moulin, J.-P. Vial, "Strategically zero-sum games", Int. J. Game Theory 7, 1978.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....support.errors import InputError
from ....support.exact import INF, Extended, fits_int64, scale
from ...normal_form import NormalFormGame
from ...protocol import add
from .results import Cells, Concept, Distribution, Multiplier, Side, playable


def check_distribution(game: NormalFormGame, distribution: Distribution) -> None:
    """Raise InputError unless these are probabilities of known profiles that add up to 1."""
    for profile, probability in distribution.items():
        game.index(profile)
        if probability < 0:
            raise InputError(f"distribution: found the probability {probability} of {profile}; expected at least 0")
    total = sum(distribution.values(), Fraction(0))
    if total != 1:
        raise InputError(f"distribution: the probabilities add up to {total}; expected 1")


def expected_cost(game: NormalFormGame, distribution: Distribution) -> Extended:
    """Expected social cost; infinite where an infinite one has positive probability.

    Raises InputError where ``inf`` and ``-inf`` both have, and for what is no distribution.
    """
    check_distribution(game, distribution)
    played = [(game.social_cost(profile), p) for profile, p in distribution.items() if p]
    return add(*(cost if isinstance(cost, float) else cost * p for cost, p in played))


def is_equilibrium(game: NormalFormGame, distribution: Distribution, concept: Concept) -> bool:
    """Whether no player gains by any deviation, before (coarse) or after (correlated) she knows her recommendation.

    Raises InputError for what is no distribution.
    """
    check_distribution(game, distribution)
    cells = Cells.of(game)
    weights, _ = scale(distribution.values())
    played = [(game.index(profile), p) for profile, p in zip(distribution, weights, strict=True) if p]
    return not any(
        _gains(cells, player, [(at, p) for at, p in played if recommended in (None, at[player])])
        for player, strategies in enumerate(game.labels)
        for recommended in ([None] if concept == "coarse" else range(len(strategies)))
    )


def _gains(cells: Cells, player: int, played: Sequence[tuple[tuple[int, ...], int]]) -> bool:
    """Whether some deviation pays on average over these profiles, whose probabilities are given as weights."""
    own = cells.costs[player]
    finite: Any = 0
    never = np.zeros(own.shape[player], dtype=np.bool_)
    kept = never.copy()
    for at, weight in played:
        line = own[(*at[:player], slice(None), *at[player + 1 :])]
        gains = own[at] - line
        never |= (gains >= cells.huge).astype(np.bool_)
        kept |= (gains <= -cells.huge).astype(np.bool_)
        finite = finite + np.where(np.abs(gains) >= cells.huge, 0, gains).astype(object) * weight
    return bool((never | (~kept & (finite > 0))).any())


def bound(game: NormalFormGame, multipliers: Sequence[Multiplier], side: Side) -> Extended:
    """What no equilibrium costs less than (``best``), or more than (``worst``), by these multipliers.

    ``inf`` (``-inf`` for the worst) where no profile is playable, hence no equilibrium exists, or where all playable
    ones cost that; ``-inf`` (``inf``) where a gain of ``-inf`` is weighed. Raises InputError for a negative multiplier
    or an unknown strategy.
    """
    cells = Cells.of(game)
    return weighed(cells, playable(cells), placed(game, multipliers), side).least


@dataclass(frozen=True)
class Weighed:
    """Social cost (negated for ``worst``) plus weighted gains, at every profile."""

    values: NDArray[Any]  # finite ones in units of ``unit``; shape of the game, int64 or Python integers
    finite: NDArray[np.bool_]  # profiles that are playable and whose value is finite
    lost: bool  # whether the value of a playable profile is ``-inf``
    unit: Fraction
    sign: int  # -1 for ``worst``

    @property
    def least(self) -> Extended:
        """The bound."""
        if self.lost:
            return -INF * self.sign
        if not self.finite.any():
            return INF * self.sign
        return int(self.values[self.finite].min()) * self.unit * self.sign


Placed = tuple[int, int | None, int, Fraction]
"""Player, number of the recommendation or ``None``, number of the deviation, multiplier."""


def placed(game: NormalFormGame, multipliers: Iterable[Multiplier]) -> list[Placed]:
    """Multipliers with numbers for strategies. Raises InputError for negative ones and for unknown strategies."""
    places = []
    for row in multipliers:
        if not 0 <= row.player < len(game.players):
            raise InputError(f"multipliers: found player {row.player}; expected 0 to {len(game.players) - 1}")
        own = game.labels[row.player]
        for strategy in (row.deviation, *(() if row.recommended is None else (row.recommended,))):
            if strategy not in own:
                raise InputError(f"multipliers: player {game.players[row.player]!r} has no strategy {strategy!r}")
        if row.value < 0:
            raise InputError(f"multipliers: found {row.value}; expected at least 0")
        recommended = None if row.recommended is None else own.index(row.recommended)
        places.append((row.player, recommended, own.index(row.deviation), row.value))
    return places


def weighed(cells: Cells, live: NDArray[np.bool_], multipliers: Sequence[Placed], side: Side) -> Weighed:
    """The sum behind :func:`bound`; ``live``: the playable profiles. int64 where no sum can outgrow it."""
    weights = [value * cells.unit / cells.social_unit for *_, value in multipliers]
    common = math.lcm(*(w.denominator for w in weights))
    sign = 1 if side == "best" else -1
    endless = np.abs(cells.social) >= cells.social_huge
    social = np.where(endless, 0, cells.social)
    infinite = cells.infinite
    largest = int(np.abs(np.where(np.abs(cells.costs) >= cells.huge, 0, cells.costs)).max())
    reach = common * int(np.abs(social).max()) + 2 * largest * int(sum(weights, Fraction(0)) * common)
    wide = not (fits_int64(reach) and cells.costs.dtype == social.dtype == np.int64)
    values = (social.astype(object) if wide else social) * (sign * common)
    lost = live & (sign * cells.social <= -cells.social_huge).astype(np.bool_)
    for (player, recommended, deviation, _), weight in zip(multipliers, weights, strict=True):
        own = cells.costs[player]
        where = (*[slice(None)] * player, slice(None) if recommended is None else slice(recommended, recommended + 1))
        gains = own[where] - np.take(own, [deviation], axis=player)
        if infinite:
            lost[where] |= live[where] & (gains <= -cells.huge).astype(np.bool_) & (weight > 0)
            gains = np.where(np.abs(gains) >= cells.huge, 0, gains)
        values[where] += (gains.astype(object) if wide else gains) * int(weight * common)
    return Weighed(values, live & ~endless.astype(np.bool_), bool(lost.any()), cells.social_unit / common, sign)
