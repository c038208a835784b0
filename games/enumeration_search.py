"""The search that answers every question from the table of all profiles."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .enumeration import (
    approximate_equilibria,
    best_costs,
    extremes,
    optimum,
    possible_equilibria,
    pure_equilibria,
    smallest_epsilon,
    smallest_regret,
)
from .normal_form import NormalFormGame
from .protocol import Game, HasClasses, Outcome, outcome
from .responses import sink_components
from .results import Bounds, Equilibria, Findings, Options

IntArray: TypeAlias = NDArray[np.int64]
MAX_SINK_PROFILES = 4_000_000  # beyond this a search leaves the response graph out


def enumeration_search(game: Game, options: Options) -> Findings:
    """Every question answered from the table of all profiles; see :func:`consortium.games.search.search`."""
    progress, clock = options.progress, options.clock
    try:
        arrays = NormalFormGame.from_game(game, max_bytes=options.max_bytes, progress=progress, clock=clock)
    except (KeyboardInterrupt, TimeoutError):
        return Findings(Equilibria(exists=None), complete=False)
    best = outcome(game, arrays.profile(optimum(arrays)))
    try:
        stable = pure_equilibria(arrays, clock)
    except (KeyboardInterrupt, TimeoutError):
        return _stopped(arrays, best)
    equilibria = _equilibria(game, arrays, stable, options.limit)
    findings = Findings(equilibria, optimum=best, complete=False)
    try:
        return _with_the_rest(findings, game, arrays, options)
    except (KeyboardInterrupt, TimeoutError):
        return findings


def _stopped(arrays: NormalFormGame, best: Outcome) -> Findings:
    """Between which social costs all equilibria are, before any is known."""
    possible = possible_equilibria(arrays)
    if not len(possible):
        return Findings(Equilibria(exists=False, count=0), optimum=best, complete=False)
    least, most = (arrays.social_cost(arrays.profile(i)) for i in extremes(arrays, possible))
    bounds = Bounds(worst_at_most=most, best_at_least=least, epsilon_at_least=Fraction(1))
    return Findings(Equilibria(exists=None), optimum=best, bounds=bounds, complete=False)


def _equilibria(game: Game, arrays: NormalFormGame, stable: IntArray, limit: int) -> Equilibria:
    classes = game.n_classes(stable) if isinstance(game, HasClasses) else None
    if not len(stable):
        return Equilibria(exists=False, count=0, classes=classes)
    best, worst = (outcome(game, arrays.profile(i)) for i in extremes(arrays, stable))
    listed = tuple(outcome(game, arrays.profile(i)) for i in stable[:limit])
    return Equilibria(True, len(stable), best, worst, listed, classes)


def _with_the_rest(findings: Findings, game: Game, arrays: NormalFormGame, options: Options) -> Findings:
    """Epsilons, regrets, sinks and approximate equilibria added."""
    best = best_costs(arrays)
    epsilon, where = smallest_epsilon(arrays, best)
    regret, least = smallest_regret(arrays, best)
    near = None if options.epsilon is None else approximate_equilibria(arrays, options.epsilon)
    graph = arrays.social.size <= MAX_SINK_PROFILES and not options.clock.expired()

    def at(place: int) -> Outcome:
        return outcome(game, arrays.profile(place))

    return dataclasses.replace(
        findings,
        smallest_epsilon=epsilon,
        smallest_epsilon_at=None if where is None else at(where),
        smallest_regret=regret,
        smallest_regret_at=at(least),
        sinks=tuple(s.size for s in sink_components(arrays, best)) if graph else None,
        approximate=None if near is None else tuple(at(i) for i in near[: options.limit]),
        approximate_count=None if near is None else len(near),
        complete=True,
    )
