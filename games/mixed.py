r"""Mixed equilibria of two-player games: found by nashpy, made exact and judged here.

nashpy works in floats, and its enumerations can miss equilibria or return pairs that are none. So each pair it offers
is only a hint about the supports: the indifference equations on these supports are solved in rationals, and the
regrets of what comes out are recomputed from the exact payoffs. Where the equations have no single solution the pair
itself is rounded to rationals and returned with its exact regret, ``exact=False``. For small games every pair of
supports is tried in rationals as well; then the list is proved complete unless a degenerate pair of supports was met.

nashpy's Lemke-Howson is not used: on integer games from 7 by 7 on it may not return. Payoffs are scaled to [0, 1] (and
shifted by 1 for vertex enumeration, whose polytopes must be bounded).

>>> from consortium.games.normal_form import NormalFormGame
>>> game = NormalFormGame.from_arrays([[[2, 0], [0, 1]], [[1, 0], [0, 2]]], sense="payoff")
>>> [[tuple(map(str, x)) for x in e.strategies] for e in mixed_equilibria(game).equilibria]
[[('0', '1'), ('0', '1')], [('2/3', '1/3'), ('1/3', '2/3')], [('1', '0'), ('1', '0')]]
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..scheduling.errors import InputError, TooLargeError
from ..scheduling.progress import Clock, Progress
from .normal_form import NormalFormGame
from .protocol import Game, count_strategies

Matrix = tuple[tuple[Fraction, ...], ...]
Mix = tuple[Fraction, ...]
MAX_SUPPORT_PAIRS = 1024  # 5 by 5 and less: every pair of supports in rationals, well under a second
MAX_STRATEGIES = 20  # both players together; nashpy took 24 s at 10 by 10
_SUPPORT = 1e-7  # a probability below this counts as rounding


@dataclass(frozen=True)
class MixedEquilibrium:
    """One pair of mixed strategies.

    Attributes
    ----------
    strategies
        One tuple of probabilities per player, in the order of the strategies.
    costs
        Exact expected costs.
    regrets
        Exact: what each player could save with her best pure strategy.
    exact
        Whether both regrets are 0: an equilibrium, not an approximation.
    """

    strategies: tuple[Mix, Mix]
    costs: tuple[Fraction, Fraction]
    regrets: tuple[Fraction, Fraction]
    exact: bool


@dataclass(frozen=True)
class MixedEquilibria:
    """What was found, whether the list is proved complete, and how; ``stopped`` when a limit or Ctrl-C came first."""

    equilibria: tuple[MixedEquilibrium, ...]
    method: str
    complete: bool
    note: str
    stopped: bool = False


def check_mixed(game: Game) -> None:
    """Raise what :func:`mixed_equilibria` raises for the number of players and strategies."""
    if len(game.players) != 2:
        raise InputError(f"mixed equilibria: found {len(game.players)} players; expected 2")
    shape = tuple(count_strategies(game, player) for player in range(2))
    if sum(shape) > MAX_STRATEGIES:
        raise TooLargeError(f"mixed equilibria: found {shape} strategies; the limit is {MAX_STRATEGIES} in all")


def mixed_equilibria(
    game: Game, *, progress: Progress | None = None, time_limit: float | None = None
) -> MixedEquilibria:
    """Mixed (and pure) equilibria of a two-player game with finite costs.

    Sorted by the probabilities. Raises InputError unless there are two players and every cost is finite,
    TooLargeError beyond 20 strategies in total.
    """
    check_mixed(game)
    arrays = NormalFormGame.from_game(game)
    first, second = (_exact_matrix(arrays, k) for k in (0, 1))
    clock = Clock(time_limit)
    found: dict[tuple[Mix, Mix], None] = {}
    rounded: dict[tuple[Mix, Mix], None] = {}
    small = (2 ** arrays.shape[0] - 1) * (2 ** arrays.shape[1] - 1) <= MAX_SUPPORT_PAIRS
    complete, stopped, note = False, False, "nashpy's enumeration is no proof that nothing is missing"
    try:
        for x, y in _nashpy(first, second, clock):
            pair = _on_supports(
                first, second, np.flatnonzero(x > _SUPPORT).tolist(), np.flatnonzero(y > _SUPPORT).tolist()
            )
            target, value = (found, pair) if isinstance(pair, tuple) else (rounded, (_round(x), _round(y)))
            target[value] = None
            if progress is not None:
                progress(len(found), None, "mixed equilibria")
        if small:
            complete, note = _sweep(first, second, found)
    except (KeyboardInterrupt, TimeoutError):
        complete, stopped, note = False, True, "stopped before the enumeration ended"
    judged = [_judge(first, second, x, y) for x, y in (*found, *(r for r in rounded if not complete))]
    ordered = tuple(sorted(judged, key=lambda e: e.strategies))
    return MixedEquilibria(ordered, "nashpy, then exact supports", complete, note, stopped)


def _exact_matrix(game: NormalFormGame, player: int) -> Matrix:
    """Costs of a player, her own strategies as rows."""
    values = game.payoffs(player) if player == 0 else game.payoffs(player).T
    if any(isinstance(v, float) for v in values.reshape(-1).tolist()):
        raise InputError(f"mixed equilibria: player {game.players[player]!r} has an infinite cost")
    return tuple(tuple(-Fraction(v) for v in row) for row in values.tolist())


def _nashpy(first: Matrix, second: Matrix, clock: Clock) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Pairs offered by nashpy's vertex and support enumerations."""
    import nashpy

    a, b = _scaled(first), _scaled(second).T
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        sources = [nashpy.Game(a + 1, b + 1).vertex_enumeration()]
        if 2 ** (a.shape[0] + a.shape[1]) <= 4 * MAX_SUPPORT_PAIRS:
            sources.append(nashpy.Game(a, b).support_enumeration())
        for pair in itertools.chain(*map(_tolerant, sources)):
            if clock.expired():
                raise TimeoutError
            x, y = (np.asarray(s, dtype=float) for s in pair)
            if np.isfinite(x).all() and np.isfinite(y).all():
                yield x, y


def _tolerant(pairs: Iterator[tuple[NDArray[np.float64], ...]]) -> Iterator[tuple[NDArray[np.float64], ...]]:
    """The pairs until nashpy's geometry gives up: Qhull refuses degenerate polytopes."""
    from scipy.spatial import QhullError

    try:
        yield from pairs
    except (QhullError, np.linalg.LinAlgError, ValueError):
        return


def _scaled(costs: Matrix) -> NDArray[np.float64]:
    """Payoffs in [0, 1], dearest 0."""
    low, high = min(map(min, costs)), max(map(max, costs))
    width = high - low or Fraction(1)
    return np.array([[float((high - v) / width) for v in row] for row in costs])


def _round(x: NDArray[np.float64]) -> Mix:
    """Nearby probabilities with small denominators, exactly summing to 1."""
    weights = [Fraction(max(float(v), 0.0)).limit_denominator(10**9) for v in x]
    return tuple(w / sum(weights) for w in weights)


def _solve(rows: list[list[Fraction]]) -> list[Fraction] | str:
    """Solution of an augmented system: the single one, or ``"none"`` or ``"many"``."""
    n = len(rows[0]) - 1
    rank = 0
    for column in range(n):
        pivot = next((r for r in range(rank, len(rows)) if rows[r][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        head = [v / rows[rank][column] for v in rows[rank]]
        rows[rank] = head
        for r, row in enumerate(rows):
            if r != rank and row[column]:
                rows[r] = [v - row[column] * h for v, h in zip(row, head, strict=True)]
        rank += 1
    if any(row[n] for row in rows[rank:]):
        return "none"
    return [rows[r][n] for r in range(n)] if rank == n else "many"


def _indifferent(costs: Matrix, mixing: Sequence[int], watching: Sequence[int], size: int) -> Mix | str:
    """The mix on ``mixing`` (of ``size`` strategies) that makes the other player's ``watching`` rows cost the same."""
    one, zero = Fraction(1), Fraction(0)
    rows = [[*(costs[r][c] for c in mixing), -one, zero] for r in watching]
    rows.append([*(one for _ in mixing), zero, one])
    solution = _solve(rows)
    if isinstance(solution, str):
        return solution
    place = dict(zip(mixing, solution, strict=False))
    return tuple(place.get(i, zero) for i in range(size))


def _on_supports(first: Matrix, second: Matrix, own: Sequence[int], other: Sequence[int]) -> tuple[Mix, Mix] | str:
    """The equilibrium with exactly these supports; ``"none"``, or ``"many"`` when the equations leave it open."""
    x = _indifferent(second, own, other, len(first))
    if x == "none":
        return "none"
    y = _indifferent(first, other, own, len(second))
    if y == "none":
        return "none"
    for mix, support in ((x, own), (y, other)):
        if not isinstance(mix, str) and any(mix[i] <= 0 for i in support):
            return "none"
    if isinstance(x, str) or isinstance(y, str):
        return "many"
    return (x, y) if _judge(first, second, x, y).exact else "none"


def _sweep(first: Matrix, second: Matrix, found: dict[tuple[Mix, Mix], None]) -> tuple[bool, str]:
    """Try every pair of supports in rationals, adding what is found; whether that proves the list complete."""
    degenerate = False
    for own in _supports(len(first)):
        for other in _supports(len(second)):
            pair = _on_supports(first, second, own, other)
            if isinstance(pair, tuple):
                found[pair] = None
            degenerate = degenerate or pair == "many"
    if degenerate:
        return (
            False,
            "degenerate: some supports leave probabilities open, there may be infinitely many equilibria",
        )
    return True, "every pair of supports was solved in rationals"


def _supports(size: int) -> Iterator[tuple[int, ...]]:
    for k in range(1, size + 1):
        yield from itertools.combinations(range(size), k)


def _judge(first: Matrix, second: Matrix, x: Mix, y: Mix) -> MixedEquilibrium:
    """Exact costs and regrets of a pair."""
    values = [[sum((c * q for c, q in zip(row, y, strict=True)), Fraction(0)) for row in first]]
    values.append([sum((c * p for c, p in zip(row, x, strict=True)), Fraction(0)) for row in second])
    costs = [
        sum((p * v for p, v in zip(mix, own, strict=True)), Fraction(0))
        for mix, own in zip((x, y), values, strict=True)
    ]
    gaps = [cost - min(own) for cost, own in zip(costs, values, strict=True)]
    return MixedEquilibrium((x, y), (costs[0], costs[1]), (gaps[0], gaps[1]), not any(gaps))
