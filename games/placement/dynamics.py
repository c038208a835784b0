"""Equilibria of a placement game that best-response dynamics reach, and bounds on all others without any profile.

The answer for games without any other: several machines per organization or sums of completion times, where only a
table of all profiles would say everything, and the table does not fit. Dynamics start with everything at home, at the
best schedule on all machines, and at random placements (drawn from a fixed seed); the bounds say how far the equilibria
that they miss can be. The answer is complete when the bounds are reached.

>>> from consortium.agents.organizations import Federation
>>> from consortium.games.placement.game import PlacementGame
>>> from consortium.games.search import search
>>> game = PlacementGame(Federation.of([[4, 4, 4], [2, 2], []], [2, 1, 1]))
>>> found = search(game, method="dynamics")
>>> found.complete, found.equilibria.best.social_cost, found.bounds.price_of_anarchy_at_most
(False, Fraction(4, 1), Fraction(3, 2))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ..dynamics import SEED, STARTS, reached_from
from ..protocol import Outcome, Profile, outcome, price
from ..results import Coverage, Equilibria, Findings, Options
from .best_reply import MAX_SUBSET_JOBS
from .bounds import best_schedule, bounds, least_social_cost
from .game import PlacementGame

LISTED = 10
"""Most equilibria in the list; every one is checked by trying what every organization could do."""


def dynamics_search(game: PlacementGame, options: Options) -> Findings:
    """Equilibria met from several starts, with bounds on all; see :func:`consortium.games.search.search`."""
    schedule = best_schedule(game).hosts
    starts = _starts(game, schedule) if playable(game) else ()
    equilibria = [*([] if options.promised is None else [options.promised]), *reached_from(game, starts, options)]
    cheapest = min((outcome(game, p) for p in (game.default_profile, schedule)), key=lambda o: o.social_cost)
    return judged(game, list({one.profile: one for one in equilibria}.values()), options, cheapest)


def judged(game: PlacementGame, equilibria: Sequence[Outcome], options: Options, cheapest: Outcome) -> Findings:
    """Findings from some equilibria, another cheap outcome, and the bounds on all; complete where they meet."""
    ordered = sorted(equilibria, key=lambda one: (one.social_cost, one.profile))
    cheapest = min([cheapest, *ordered], key=lambda one: one.social_cost)
    optimum = cheapest if cheapest.social_cost == least_social_cost(game) else None
    if not ordered:
        return Findings(Equilibria(None), optimum, bounds=bounds(game, None), complete=False)
    best, worst = ordered[0], ordered[-1]
    ratio = price(worst.social_cost, cheapest.social_cost)
    at_least = None if ratio is None else max(Fraction(1), ratio)
    around = replace(bounds(game, best), price_of_anarchy_at_least=at_least)
    complete = (best.social_cost, worst.social_cost) == (around.best_at_least, around.worst_at_most)
    return Findings(
        Equilibria(True, None, best, worst, tuple(ordered[: min(options.limit, LISTED)])),
        optimum,
        bounds=None if complete else around,
        complete=complete,
    ).with_smallest()


def _starts(game: PlacementGame, schedule: Profile) -> Iterator[Profile]:
    """Where dynamics start."""
    yield game.default_profile
    yield schedule
    rng = np.random.default_rng(SEED)
    hosts = len(game.federation)
    for _ in range(STARTS):
        yield tuple(tuple(rng.integers(hosts, size=len(row)).tolist()) for row in game.federation.sizes)


MAX_DEVIATIONS = 100_000
"""Placements of one organization's jobs that are tried to check an equilibrium; some seconds."""


def by_dynamics(game: PlacementGame) -> Coverage:
    """Best-response dynamics and bounds: every game."""
    return Coverage(True, "best-response dynamics and bounds, which need none, leave open what they do not prove")


def playable(game: PlacementGame) -> bool:
    """Whether best responses can be found, and checked without a solver, in a reasonable time.

    With one machine each and makespans both pack jobs; elsewhere they go through an organization's placements.
    """
    most = max(map(len, game.federation.sizes))
    return game.single or (most <= MAX_SUBSET_JOBS and len(game.federation) ** most <= MAX_DEVIATIONS)
