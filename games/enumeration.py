r"""Everything about a finite game that one pass over its table decides.

Pure equilibria, regrets (additive) and epsilons (multiplicative, Cordeiro 2012, Definition 5.3), the best-response
graph and its sink components, optimum and the equilibria of least and largest social cost. int64 tables run through
compiled kernels (:mod:`.enumeration_kernels`); tables of Python integers take slower ways.

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

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from ..support.exact import INF, Extended
from ..support.jit import quickest
from ..support.progress import Clock, Progress
from . import enumeration_kernels as kernels
from .normal_form import HUGE, INFINITE, NormalFormGame, from_cell
from .protocol import ratio

IntArray: TypeAlias = NDArray[np.int64]
_LONG_LINES = 128  # with more strategies than this the early exit no longer pays: compare with the best costs
_ALL = slice(None)
_FEW = 1_000  # profiles that are looked at one by one
_MANY = 100_000  # profiles that are sorted
_AT_ONCE = 64  # cells that numpy looks at while the interpreter takes a step
_CHUNK = 1 << 20  # profiles per kernel call: a fraction of a second, so Ctrl-C and time limits are heard


def _flat(game: NormalFormGame) -> tuple[NDArray[Any], IntArray]:
    return game.table.reshape(len(game.players), -1), np.array(game.shape, dtype=np.int64)


def _pieces(
    total: int, step: int, progress: Progress | None, clock: Clock | None, note: str
) -> Iterator[tuple[int, int]]:
    for start in range(0, total, step):
        if clock is not None and clock.expired():
            raise TimeoutError(f"{note}: {start} of {total}")
        if progress is not None and total > step:
            progress(start, total, note)
        yield start, min(total, start + step)


def pure_equilibria(
    game: NormalFormGame, progress: Progress | None = None, clock: Clock | None = None
) -> NDArray[np.int64]:
    """Numbers of all pure equilibria, ascending; :meth:`NormalFormGame.profile` turns one into labels.

    Raises TimeoutError when the clock runs out.
    """
    parts = [stable for stable, _ in equilibria_in_parts(game, progress, clock)]
    return parts[0] if len(parts) == 1 else cast(IntArray, np.concatenate(parts))


def equilibria_in_parts(
    game: NormalFormGame, progress: Progress | None = None, clock: Clock | None = None
) -> Iterator[tuple[IntArray, int]]:
    """Part by part the numbers of the pure equilibria, and how many profiles have been looked at by then.

    Raises TimeoutError when the clock runs out.
    """
    total = game.social.size
    if game.table.dtype != np.int64 or sum(game.shape) > _LONG_LINES or _by_numpy(kernels.equilibria, game):
        if clock is not None and clock.expired():
            raise TimeoutError("profiles searched: none")
        yield np.flatnonzero((game.table == best_costs(game)).all(axis=0).reshape(-1)), total
        return
    table, sizes = _flat(game)
    line = game.shape[-1]
    for start, stop in _pieces(total // line, max(1, _CHUNK // line), progress, clock, "profiles searched"):
        yield kernels.equilibria(table, sizes, start, stop), stop * line


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
    if game.table.dtype == np.int64:
        worst = np.zeros(game.shape, dtype=np.int64)
        for own, least in zip(game.table, best, strict=True):  # one player at a time: fresh memory takes longest
            np.maximum(worst, own - least, out=worst)
        worst[worst >= HUGE] = INFINITE
        return worst.reshape(-1)
    rows = zip(
        game.table.reshape(len(game.players), -1).T.tolist(),
        best.reshape(len(game.players), -1).T.tolist(),
        strict=True,
    )
    values = [max(_object_regret(c, b) for c, b in zip(costs, bests, strict=True)) for costs, bests in rows]
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def _object_regret(cost: int | float, best: int | float) -> int | float:
    if cost == best:
        return 0
    return INF if isinstance(cost, float) or isinstance(best, float) else cost - best


def smallest_regret(game: NormalFormGame, best: NDArray[Any] | None = None) -> tuple[Extended, int]:
    """Least additive regret over all profiles and the first profile that has it."""
    worst = regrets(game, best)
    where = int(worst.argmin())
    return from_cell(worst[where], game.denominator, game.narrow), where


def smallest_epsilon(
    game: NormalFormGame,
    best: NDArray[Any] | None = None,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> tuple[Fraction, int] | tuple[None, None]:
    """Least multiplicative epsilon of a profile and the first profile that has it; ``None`` when all are infinite."""
    if game.table.dtype != np.int64:
        return _object_epsilon(game)
    flat = (best_costs(game) if best is None else best).reshape(len(game.players), -1)
    table = game.table.reshape(len(game.players), -1)
    equal = (table == flat).all(axis=0)
    if (first := int(equal.argmax())) or equal[0]:
        return Fraction(1), first
    few = _nearly_least(table, flat) if _by_numpy(kernels.least_ratio, game) else None
    if few is not None:
        return _object_epsilon(game, few)
    top, bottom, where = 1, 0, -1
    for start, stop in _pieces(table.shape[1], _CHUNK, progress, clock, "epsilons"):
        top, bottom, place = kernels.least_ratio(table, flat, start, stop, top, bottom)
        where = place if place >= 0 else where
    return (Fraction(int(top), int(bottom)), int(where)) if where >= 0 else (None, None)


def _by_numpy(kernel: Callable[..., Any], game: NormalFormGame) -> bool:
    """Whether numpy is done with a table before the kernel would be compiled."""
    return quickest(kernel, game.table.size // _AT_ONCE) is not kernel


def _nearly_least(table: IntArray, best: IntArray) -> IntArray | None:
    """Profiles among which the first one of least epsilon is, found by rounded quotients; ``None`` if they are many."""
    worst = np.ones(table.shape[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        for cost, least in zip(table, best, strict=True):
            ratios = np.where((least <= 0) | (cost - least >= HUGE), np.inf, cost / least)
            ratios[cost == least] = 1.0
            np.maximum(worst, ratios, out=worst)
    near = np.flatnonzero(worst <= worst.min() * (1 + 1e-9))  # a quotient of two rounded integers is far closer
    if _FEW < len(near) <= _MANY:  # often the same few costs again and again
        near = near[np.unique(np.concatenate([table[:, near], best[:, near]]), axis=1, return_index=True)[1]]
    return np.sort(near) if len(near) <= _FEW else None


def _ratios(game: NormalFormGame, where: IntArray | slice = _ALL) -> Iterator[Extended]:
    """Epsilon of profiles in C order, uncompiled: for few of them, and for what is beyond the kernels' range."""
    n = len(game.players)
    costs = game.table.reshape(n, -1)[:, where].T.tolist()
    bests = best_costs(game).reshape(n, -1)[:, where].T.tolist()
    for row, best_row in zip(costs, bests, strict=True):
        pairs = [
            (from_cell(c, 1, game.narrow), from_cell(b, 1, game.narrow)) for c, b in zip(row, best_row, strict=True)
        ]
        yield max(ratio(c, b) for c, b in pairs)


def _object_epsilon(game: NormalFormGame, few: IntArray | None = None) -> tuple[Fraction, int] | tuple[None, None]:
    value, where = min((e, i) for i, e in enumerate(_ratios(game, _ALL if few is None else few)))
    if value == INF:
        return None, None
    return Fraction(value), where if few is None else int(few[where])


def approximate_equilibria(
    game: NormalFormGame, *, epsilon: int | Fraction | None = None, regret: int | Fraction | None = None
) -> IntArray:
    """Numbers of the profiles whose epsilon (a factor of at least 1) or regret (a cost) is at most the given one.

    Give exactly one of the two.

    >>> from consortium.games.normal_form import NormalFormGame
    >>> game = NormalFormGame.from_arrays([[[2, 4], [3, 3]], [[1, 1], [1, 1]]], sense="cost")
    >>> approximate_equilibria(game, epsilon=Fraction(3, 2)).tolist(), approximate_equilibria(game, regret=0).tolist()
    ([0, 1, 2, 3], [0, 3])
    """
    if (epsilon is None) == (regret is None):
        raise ValueError("approximate_equilibria: give epsilon (a factor) or regret (a cost), one of the two")
    if regret is not None:
        worst = regrets(game)
        limit = math.floor(Fraction(regret) * game.denominator)
        return np.flatnonzero(worst <= min(limit, HUGE) if game.table.dtype == np.int64 else worst <= limit)
    factor = Fraction(cast("int | Fraction", epsilon))
    if factor < 1:
        return np.empty(0, dtype=np.int64)
    if game.table.dtype != np.int64 or max(factor.numerator, factor.denominator) >= HUGE:
        return np.array([i for i, e in enumerate(_ratios(game)) if e <= factor], dtype=np.int64)
    flat = best_costs(game).reshape(len(game.players), -1)
    table = game.table.reshape(len(game.players), -1)
    return np.flatnonzero(kernels.within_ratio(table, flat, 0, table.shape[1], factor.numerator, factor.denominator))


def possible_equilibria(game: NormalFormGame, searched: int = 0) -> IntArray:
    """Numbers of profiles that may be equilibria for all that one look at each player's costs tells.

    No equilibrium costs a player more than what she is sure not to exceed: the least, over her strategies, of the
    largest cost that the others can bring about.

    Parameters
    ----------
    game
        The game.
    searched
        Profiles before this number are left out.

    >>> from consortium.games.normal_form import NormalFormGame
    >>> game = NormalFormGame.from_arrays([[[2, 4], [1, 3]], [[2, 1], [4, 3]]], sense="cost")
    >>> possible_equilibria(game).tolist()
    [0, 3]
    """
    open_ = np.ones(game.shape, dtype=bool)
    open_.reshape(-1)[:searched] = False
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
