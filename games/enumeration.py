r"""Everything about a finite game that one pass over its table decides.

Pure equilibria, regrets (additive) and epsilons (multiplicative, Cordeiro 2012, Definition 5.3), the best-response
graph and its sink components, optimum and the equilibria of least and largest social cost. numpy passes over a table
of 8 million cells in about 20 ms; epsilons within a billionth of each other are compared in Python integers.

Profiles are numbered in C order (the last player's strategy varies fastest); lists come in that order, and where a
best or worst profile is wanted, the first one in that order is returned.

>>> from consortium.games.normal_form import NormalFormGame
>>> game = NormalFormGame.from_arrays([[[2, 4], [1, 3]], [[2, 1], [4, 3]]], sense="cost")
>>> [game.profile(i) for i in pure_equilibria(game)]
[(1, 1)]
>>> smallest_epsilon(game)
(Fraction(1, 1), 3)
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..support.exact import INF, Extended
from ..support.progress import Clock
from .normal_form import HUGE, INFINITE, NormalFormGame, from_cell
from .protocol import ratio, regret

IntArray: TypeAlias = NDArray[np.int64]
_NEAR = 1e-9  # relative: a quotient of two rounded integers is far closer


def pure_equilibria(game: NormalFormGame, clock: Clock | None = None) -> IntArray:
    """Numbers of all pure equilibria, ascending; :meth:`NormalFormGame.profile` turns one into labels.

    Raises TimeoutError when the clock runs out.
    """
    stable = np.ones(game.shape, dtype=np.bool_)
    for player, own in enumerate(game.table):
        if clock is not None and clock.expired():
            raise TimeoutError(f"{player} of {len(game.players)} players' best responses")
        stable &= own == own.min(axis=player, keepdims=True)
    return np.flatnonzero(stable)


def best_costs(game: NormalFormGame) -> NDArray[Any]:
    """Cost of a best response of every player at every profile, shape of ``game.table``, in its units (read only)."""
    best = np.empty_like(game.table)
    for i, own in enumerate(game.table):
        best[i] = own.min(axis=i, keepdims=True)
    return best


def regrets(game: NormalFormGame, best: NDArray[Any] | None = None) -> NDArray[Any]:
    """Largest regret of a player at every profile, in units of ``1/game.denominator``; flat, in C order.

    An infinite regret is ``INFINITE`` in an int64 table and ``inf`` in a table of Python integers.
    """
    best = best_costs(game) if best is None else best
    if game.narrow:
        worst = np.zeros(game.shape, dtype=np.int64)
        for own, least in zip(game.table, best, strict=True):  # one player at a time: fresh memory takes longest
            np.maximum(worst, own - least, out=worst)
        worst[worst >= HUGE] = INFINITE
        return worst.reshape(-1)
    costs, bests = _flat(game, best)
    out = np.empty(game.social.size, dtype=object)
    out[:] = [max(map(regret, *row)) for row in zip(costs.T.tolist(), bests.T.tolist(), strict=True)]
    return out


def smallest_regret(game: NormalFormGame, best: NDArray[Any] | None = None) -> tuple[Extended, int]:
    """Least additive regret over all profiles and the first profile that has it."""
    worst = regrets(game, best)
    where = int(worst.argmin())
    return from_cell(worst[where], game.denominator, game.narrow), where


def smallest_epsilon(
    game: NormalFormGame, best: NDArray[Any] | None = None
) -> tuple[Fraction, int] | tuple[None, None]:
    """Least multiplicative epsilon of a profile and the first profile that has it; ``None`` when all are infinite."""
    costs, bests = _flat(game, best)
    equal = (costs == bests).all(axis=0)
    if equal.any():
        return Fraction(1), int(equal.argmax())
    if not game.narrow:
        value, where = min((e, i) for i, e in enumerate(_epsilons(game, costs, bests)))
        return (None, None) if value == INF else (Fraction(value), where)
    rounded = _rounded_epsilons(costs, bests)
    if rounded.min() == INF:
        return None, None
    near = np.flatnonzero(rounded <= rounded.min() * (1 + _NEAR))
    while True:
        (least,) = _epsilons(game, costs[:, near[:1]], bests[:, near[:1]])
        smaller = near[_within(costs[:, near], bests[:, near], Fraction(least), strictly=True)]
        if not smaller.size:
            return Fraction(least), int(near[0])
        near = smaller


def _flat(game: NormalFormGame, best: NDArray[Any] | None = None) -> tuple[NDArray[Any], NDArray[Any]]:
    """Costs and least costs, one row per player."""
    least = best_costs(game) if best is None else best
    return game.table.reshape(len(game.players), -1), least.reshape(len(game.players), -1)


def _rounded_epsilons(costs: IntArray, bests: IntArray) -> NDArray[np.float64]:
    """Epsilons of profiles as floats."""
    worst = np.ones(costs.shape[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        for cost, least in zip(costs, bests, strict=True):
            ratios = np.where((least <= 0) | (cost - least >= HUGE), np.inf, cost / least)
            ratios[cost == least] = 1.0
            np.maximum(worst, ratios, out=worst)
    return worst


def _within(costs: IntArray, bests: IntArray, factor: Fraction, strictly: bool = False) -> NDArray[np.bool_]:
    """Whether each profile's epsilon is at most (``strictly``: less than) a factor, which is more than 1, exactly."""
    top = costs.astype(object) * factor.denominator
    limit = bests.astype(object) * factor.numerator
    fits = top < limit if strictly else top <= limit
    within = (costs == bests) | ((bests > 0) & (costs - bests < HUGE) & fits.astype(np.bool_))
    return np.asarray(within.all(axis=0))


def _epsilons(game: NormalFormGame, costs: NDArray[Any], bests: NDArray[Any]) -> Iterator[Extended]:
    """Exact epsilon of profiles, one by one: for few of them, and for tables of Python integers."""
    for row, best_row in zip(costs.T.tolist(), bests.T.tolist(), strict=True):
        pairs = zip(row, best_row, strict=True)
        yield max(ratio(from_cell(c, 1, game.narrow), from_cell(b, 1, game.narrow)) for c, b in pairs)


def approximate_equilibria(game: NormalFormGame, epsilon: int | Fraction) -> IntArray:
    """Numbers of the profiles whose epsilon is at most the given factor.

    >>> from consortium.games.normal_form import NormalFormGame
    >>> game = NormalFormGame.from_arrays([[[2, 4], [3, 3]], [[1, 1], [1, 1]]], sense="cost")
    >>> approximate_equilibria(game, Fraction(5, 4)).tolist()
    [0, 3]
    """
    factor = Fraction(epsilon)
    if factor < 1:
        return np.empty(0, dtype=np.int64)
    costs, bests = _flat(game)
    if not game.narrow:
        return np.array([i for i, e in enumerate(_epsilons(game, costs, bests)) if e <= factor], dtype=np.int64)
    rounded, middle = _rounded_epsilons(costs, bests), float(min(factor, Fraction(HUGE)))
    within = rounded <= middle * (1 - _NEAR)
    near = np.flatnonzero(~within & (rounded <= middle * (1 + _NEAR)))
    within[near] = _within(costs[:, near], bests[:, near], factor)
    return np.flatnonzero(within)


def possible_equilibria(game: NormalFormGame) -> IntArray:
    """Numbers of profiles that may be equilibria for all that one look at each player's costs tells.

    No equilibrium costs a player more than what she is sure not to exceed: the least, over her strategies, of the
    largest cost that the others can bring about.

    >>> from consortium.games.normal_form import NormalFormGame
    >>> game = NormalFormGame.from_arrays([[[2, 4], [1, 3]], [[2, 1], [4, 3]]], sense="cost")
    >>> possible_equilibria(game).tolist()
    [0, 3]
    """
    open_ = np.ones(game.shape, dtype=bool)
    for player, own in enumerate(game.table):
        others = tuple(axis for axis in range(own.ndim) if axis != player)
        open_ &= own <= own.max(axis=others).min()
    return np.flatnonzero(open_)


def optimum(game: NormalFormGame) -> int:
    """Number of the first profile of least social cost."""
    return int(game.social.reshape(-1).argmin())


def extremes(game: NormalFormGame, places: NDArray[np.int64]) -> tuple[int, int]:
    """Numbers of the first cheapest and the first dearest profile (by social cost) among the given ones."""
    social = game.social.reshape(-1)[places]
    return int(places[int(social.argmin())]), int(places[int(social.argmax())])
