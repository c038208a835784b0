"""One entry point for mixed equilibria: two players exactly and completely, more through Gambit.

A player with one strategy has nothing to mix, so what counts is how many players have a choice. With at most two of
them all equilibria are found by :mod:`.vertices`; with more, Gambit's solvers propose profiles in floats
(:mod:`.gambit`), which are refined and judged here. Only a profile whose exact regrets are all 0 is called an
equilibrium; the others are listed apart, with their regrets.

Refining: on the supports of a profile an equilibrium solves polynomial equations: all strategies that a player plays
cost her the same, and her probabilities sum to 1. Of two players they are linear; of more the solution is irrational in
general, and then no rational profile is an equilibrium [Nas51]_. Newton's method in many digits finds it; candidates
are its rationals, from the one with the smallest denominators on.

>>> from consortium.games.normal_form import NormalFormGame
>>> game = NormalFormGame.from_arrays([[[2, 0], [0, 1]], [[1, 0], [0, 2]]], sense="payoff")
>>> found = mixed_equilibria(game)
>>> [[tuple(map(str, x)) for x in e.strategies] for e in found.equilibria], found.complete
([[('0', '1'), ('0', '1')], [('2/3', '1/3'), ('1/3', '2/3')], [('1', '0'), ('1', '0')]], True)

References
----------
.. [Nas51] J. Nash, "Non-cooperative games", Annals of Mathematics 54, 1951 (a game of three whose only equilibrium is
   irrational).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np

from ....support.errors import TooLargeError
from ....support.exact import magnitude
from ....support.loading import optional
from ....support.progress import Clock, Progress
from ...normal_form import NormalFormGame
from ...protocol import Game, count_strategies
from .gambit import SOLVERS, Floats, check_gambit, proposals
from .profiles import CostTables, MixedEquilibria, MixedEquilibrium, Mixes, against, components, judged
from .vertices import extreme_equilibria

MAX_STRATEGIES: Final = 30
"""Of two players together: 15 by 15 have at most 341,088 vertices each."""
MAX_PROFILES: Final = 4096
"""Of three players and more; Gambit's solvers are for small games."""
HAIR: Final = Fraction(1, 10**6)
"""Largest regret of an approximation, of the span of a player's costs."""
VERTICES: Final = "vertices of the best-response polytopes"
GAMBIT: Final = f"Gambit's {' and '.join(solver.name for solver in SOLVERS)}, then exact profiles nearby"


def check_mixed(game: Game) -> None:
    """Raise what :func:`mixed_equilibria` raises for numbers of players and strategies, and without pygambit."""
    shape = tuple(count_strategies(game, player) for player in range(len(game.players)))
    choosing = [size for size in shape if size > 1]
    if len(choosing) <= 2:
        if sum(choosing) > MAX_STRATEGIES:
            raise TooLargeError(f"mixed equilibria: found {shape} strategies; the limit is {MAX_STRATEGIES} in all")
        return
    size = math.prod(choosing)
    if size > MAX_PROFILES:
        raise TooLargeError(
            f"mixed equilibria: found {magnitude(size)} profiles; the limit is {MAX_PROFILES:,} for more than two"
        )
    check_gambit(len(choosing))


def mixed_equilibria(
    game: Game, *, progress: Progress | None = None, time_limit: float | None = None
) -> MixedEquilibria:
    """Mixed (and pure) equilibria of a game with finite costs, sorted by their probabilities.

    Stopped by the limit or Ctrl-C it returns what it has.

    Raises
    ------
    InputError
        A cost is infinite; or more than two players have a choice and pygambit is not installed.
    TooLargeError
        More than 30 strategies of two players, or 4096 profiles of more.
    """
    check_mixed(game)
    clock = Clock(time_limit)
    choosing = [player for player in range(len(game.players)) if count_strategies(game, player) > 1]
    try:
        arrays = NormalFormGame.from_game(game, progress=progress, clock=clock)
    except (TimeoutError, KeyboardInterrupt):
        return MixedEquilibria((), VERTICES if len(choosing) <= 2 else GAMBIT, False, stopped=True)
    if len(choosing) > 2:
        return _proposed(arrays, choosing, clock, progress)
    return _enumerated(CostTables.of(arrays), choosing, clock, progress)


def _enumerated(
    tables: CostTables, choosing: Sequence[int], clock: Clock, progress: Progress | None
) -> MixedEquilibria:
    """All equilibria where at most two players have a choice."""
    others = [player for player in range(len(tables.shape)) if player not in choosing]
    pair = sorted([*choosing, *others][:2])
    rows = tables.shape[pair[0]]  # one player alone plays against nobody's only column
    costs = [tables.costs[player].reshape(rows, -1) for player in (pair[0], pair[-1])]
    pairs, complete = extreme_equilibria(costs, clock, progress)
    listed = tuple(judged(tables, _placed(tables, pair, mixes)) for mixes in pairs)
    if not all(equilibrium.exact for equilibrium in listed):
        raise AssertionError("mixed equilibria: a pair of vertices with all labels has a regret")
    parts = components(pairs) if complete else ()
    infinite = any(len(subset) > 1 for part in parts for subset in part)
    return MixedEquilibria(
        listed,
        VERTICES,
        complete,
        components=parts if infinite else None,
        stopped=not complete,
    )


def _placed(tables: CostTables, players: Sequence[int], mixes: Mixes) -> Mixes:
    """Mixes of some players, with the only strategy of everybody else."""
    own = dict(zip(players, mixes, strict=False))  # the only column of a player alone is nobody's
    return tuple(own.get(player, (Fraction(1),)) for player in range(len(tables.shape)))


def _proposed(
    game: NormalFormGame, choosing: Sequence[int], clock: Clock, progress: Progress | None
) -> MixedEquilibria:
    """Pure equilibria, and those near what Gambit proposes."""
    tables = CostTables.of(game)
    judgements = {mixes: judged(tables, mixes) for mixes in _pure(game)}
    near: dict[Mixes, MixedEquilibrium] = {}
    smaller = CostTables(
        tuple(tables.players[k] for k in choosing), tuple(tables.costs[k].squeeze() for k in choosing), 1
    )
    stopped = False
    try:
        for solver in SOLVERS:
            profiles, interrupted = proposals(solver, smaller, clock, progress)
            for profile in profiles:
                best = _best(tables, [_placed(tables, choosing, mixes) for mixes in refined(smaller, profile)])
                (judgements if best.exact else near)[best.strategies] = best
            stopped = interrupted or clock.expired()
            if stopped:
                break
    except KeyboardInterrupt:
        stopped = True
    kept = [e for e in near.values() if _small(tables, e)]
    return MixedEquilibria(
        _in_order(judgements.values()),
        GAMBIT,
        False,
        approximate=_in_order(kept),
        stopped=stopped,
    )


def _best(tables: CostTables, candidates: Sequence[Mixes]) -> MixedEquilibrium:
    """The first candidate that is an equilibrium, else the last one."""
    for mixes in candidates:
        best = judged(tables, mixes)
        if best.exact:
            break
    return best


def _small(tables: CostTables, profile: MixedEquilibrium) -> bool:
    """Whether nobody regrets more than a hair of what is at stake for her: solvers also propose what is none."""
    spans = [Fraction(int(costs.max() - costs.min())) / tables.denominator for costs in tables.costs]
    return all(regret <= span * HAIR for regret, span in zip(profile.regrets, spans, strict=True))


def _pure(game: NormalFormGame) -> Iterator[Mixes]:
    """The pure equilibria."""
    from ...enumeration import pure_equilibria  # to ask which method fits a game imports no solver

    for place in pure_equilibria(game):
        profile = zip(np.unravel_index(place, game.shape), game.shape, strict=True)
        yield tuple(tuple(Fraction(int(s == own)) for s in range(size)) for own, size in profile)


def _in_order(profiles: Iterable[MixedEquilibrium]) -> tuple[MixedEquilibrium, ...]:
    return tuple(sorted(profiles, key=lambda profile: profile.strategies))


SUPPORT: Final = 1e-6
"""A probability below this one counts as none."""
NEAR: Final = 1e-3
"""How far the solution may be from the proposal."""
DIGITS: Final = 120
DENOMINATORS: Final = (10**3, 10**9, 10**50)
"""Largest ones tried: a rational with one is recognized by twice as many digits."""
GRID: Final = 10**12
"""Approximations are multiples of one over this."""


def refined(tables: CostTables, profile: Floats) -> Iterator[Mixes]:
    """Rational profiles near a float one: candidates for an equilibrium, the last of them rounded decimals."""
    near = _solved(tables, profile) or tuple(tuple(map(Fraction, mix)) for mix in profile)
    for bound in DENOMINATORS:
        mixes = tuple(tuple(max(p, Fraction(0)).limit_denominator(bound) for p in mix) for mix in near)
        if all(sum(mix) == 1 for mix in mixes):
            yield mixes
    yield tuple(map(_decimal, near))


def _decimal(mix: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Multiples of ``1 / GRID`` that sum to 1; the largest takes what rounding leaves."""
    weights = [max(0, round(p * GRID)) for p in mix]
    weights[weights.index(max(weights))] += GRID - sum(weights)
    return tuple(Fraction(weight, GRID) for weight in weights)


def _solved(tables: CostTables, profile: Floats) -> Mixes | None:
    """The solution of the equations on the supports nearby, to many digits; ``None`` where Newton finds none."""
    mpmath = optional("mpmath", "gambit")

    supports = [[s for s, p in enumerate(mix) if p > SUPPORT] for mix in profile]
    costs = [_within(own, supports) for own in tables.costs]
    start = [p for mix, support in zip(profile, supports, strict=True) for p in (mix[s] for s in support)]

    def equations(*unknown: Any) -> list[Any]:
        """Every strategy played costs what the first one does; probabilities sum to 1."""
        left = list(unknown)
        mixes = [[left.pop(0) for _ in support] for support in supports]
        rows = []
        for k, own in enumerate(costs):
            values = against(own, [k], mixes)
            rows += [value - values[0] for value in values[1:]]
            rows.append(sum(mixes[k]) - 1)
        return rows

    with mpmath.workdps(DIGITS):
        try:
            root = mpmath.findroot(equations, start, tol=mpmath.mpf(10) ** (5 - 2 * DIGITS), maxsteps=20)
        except (ValueError, ZeroDivisionError):
            return None
        if max(abs(a - b) for a, b in zip(root, start, strict=True)) > NEAR:
            return None  # another solution than the one proposed
        digits = [Fraction(int(mpmath.nint(p * 10**DIGITS)), 10**DIGITS) for p in root]
    return tuple(
        tuple(digits.pop(0) if s in support else Fraction(0) for s in range(len(mix)))
        for mix, support in zip(profile, supports, strict=True)
    )


def _within(costs: Any, supports: Sequence[Sequence[int]]) -> Any:
    """Costs of the strategies in the supports only, the span of all costs being about 1."""
    mpmath = optional("mpmath", "gambit")

    low, span = costs.min(), max(1, costs.max() - costs.min())
    part = (costs - low)[np.ix_(*supports)]
    return np.array([mpmath.mpf(v) / span for v in part.reshape(-1)], dtype=object).reshape(part.shape)
