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

Bounds, for ``N`` organizations with ``M`` machines and work ``W`` in all, both objectives, both priorities:

*No placement costs less* than the best schedule on all machines: its makespan is bounded from below by a short search
(:func:`~consortium.scheduling.makespan.smallest_makespan`), its sum of completion times is the one of shortest jobs
first.

*No equilibrium costs more*, because every organization ``k`` pays at most what each of its placements would cost it:

- all at home, where its jobs come before all others: the cost of a schedule of its own;
- job after job in the order in which they have priority, each to the host that could start it first. Jobs that follow
  in the host's order do not delay it, so when it starts, all machines that were to choose from are busy with other
  work: job ``j`` ends by ``(W - R_j) / M + p_j``, where ``R_j`` is the work of ``j`` and of ``k``'s jobs after it. That
  needs ``k``'s order at home to be the same (or one machine there and a makespan, for which it does not matter); if
  not, ``k`` leaves its home out and ``M`` counts the machines elsewhere.

With makespans and priority to organizations (or one machine each) the second one is ``W/M + (1 - 1/M) p_max`` at most,
so a price of anarchy is at most ``2 - 1/M``: with one machine each that is Theorem 5.8 of Cordeiro 2012, by Graham's
argument.

>>> least_social_cost(game), largest_equilibrium_cost(game)
(Fraction(4, 1), Fraction(6, 1))
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ...scheduling.clusters import Cluster
from ...scheduling.listing import job_order
from ...scheduling.makespan import smallest_makespan
from ...scheduling.sums import optimal_sum, sum_allocation
from ...support.errors import TooLargeError
from ...support.interrupts import noticed
from ..dynamics import best_response_dynamics
from ..protocol import Outcome, Profile, outcome, price
from ..results import Bounds, Coverage, Equilibria, Findings, Options
from .best_reply import MAX_SUBSET_JOBS
from .game import PlacementGame


def bounds(game: PlacementGame, best: Outcome | None) -> Bounds:
    """Bounds on the equilibria and the price of anarchy; ``best``: the best one known, if any."""
    epsilon = None if best is None else Fraction(1)
    around = Bounds.around(least_social_cost(game), largest_equilibrium_cost(game), best)
    return replace(around, epsilon_at_least=Fraction(1), epsilon_at_most=epsilon)


def least_social_cost(game: PlacementGame) -> Fraction:
    """No placement costs less; 0 without jobs."""
    return best_schedule(game)[0]


def best_schedule(game: PlacementGame) -> tuple[Fraction, Profile]:
    """A lower bound on the social cost of all placements, and the hosts of a good schedule on all machines."""
    federation = game.federation
    lengths = [size for row in federation.sizes for size in row]
    if not lengths:
        return Fraction(0), federation.home()
    cluster = Cluster.of([1] * federation.n_machines)
    if game.total:
        lower, allocation = optimal_sum(cluster, lengths), sum_allocation(cluster, lengths)
    else:
        answer = smallest_makespan(cluster, lengths, cp_sat=False)
        lower, allocation = answer.lower, answer.allocation
    owner = [k for k, machines in enumerate(federation.machines) for _ in range(machines)]
    host = {job: owner[m] for m, jobs in enumerate(allocation.lists) for job in jobs}
    numbers = itertools.count()
    return lower * federation.unit, tuple(tuple(host[next(numbers)] for _ in row) for row in federation.sizes)


def largest_equilibrium_cost(game: PlacementGame) -> Fraction:
    """No equilibrium has a larger social cost; 0 without jobs."""
    alone = game.costs(game.federation.home())
    paid = [min(home, _spread(game, k)) for k, home in enumerate(alone)]
    return sum(paid, Fraction(0)) if game.total else max(paid)


def _spread(game: PlacementGame, k: int) -> Fraction:
    """What organization ``k`` pays at most when it sends every job where it starts first."""
    federation = game.federation
    sizes, ranks, home = federation.sizes[k], game.ranks[k], federation.machines[k]
    ordered = [sizes[i] for i in sorted(range(len(sizes)), key=lambda i: ranks[i])]
    at_home = [sizes[i] for i in job_order(sizes, "spt" if game.total else "lpt")]
    alike = ordered == at_home or (home == 1 and not game.total)
    machines = federation.n_machines - (0 if alike else home)
    if not machines:
        return game.costs(federation.home())[k]
    before = sum(map(sum, federation.sizes)) - sum(sizes)
    ends = []
    for size in ordered:
        ends.append(before // machines + size)  # starts are whole
        before += size
    return (sum(ends) if game.total else max(ends, default=0)) * federation.unit


def price_bounds(
    organizations: int, worst: int | None, worst_at_most: int | None, optimum: int | None, optimum_at_most: int | None
) -> tuple[Fraction | None, Fraction | None]:
    """Least and most that the price of anarchy can be, if there is an equilibrium.

    One machine per organization: it is never more than ``2 - 1/N`` (Cordeiro 2012, Theorem 5.8).

    Parameters
    ----------
    organizations
        How many there are.
    worst, worst_at_most
        Largest cost of an equilibrium that is known, and of any.
    optimum, optimum_at_most
        Bounds on the least cost of all placements.

    >>> price_bounds(3, 7, 8, 5, 6), price_bounds(3, None, 30, 5, None)
    ((Fraction(7, 6), Fraction(8, 5)), (None, Fraction(5, 3)))
    """
    most = 2 - Fraction(1, organizations)
    if worst_at_most is not None and optimum:
        most = min(most, Fraction(worst_at_most, optimum))
    least = None
    if worst is not None and optimum_at_most:
        least = max(Fraction(1), Fraction(worst, optimum_at_most))
    return least, most


STARTS = 30
"""Random placements that dynamics start from."""
ROUNDS = 50
"""Rounds of one run: most end after a few or cycle."""
LISTED = 10
"""Most equilibria in the list; every one is checked by trying what every organization could do."""
SEED = 0


def dynamics_search(game: PlacementGame, options: Options) -> Findings:
    """Equilibria met from several starts, with bounds on all; see :func:`consortium.games.search.search`."""
    lower, schedule = best_schedule(game)
    reached: dict[Profile, Outcome] = {}
    cheapest = min((outcome(game, p) for p in (game.default_profile, schedule)), key=lambda o: o.social_cost)
    for number, start in enumerate(_starts(game, schedule) if playable(game) else ()):
        if options.clock.expired():
            break
        if options.progress is not None:
            options.progress(number, STARTS + 2, "dynamics played")
        with noticed() as stopped:
            final = _end_of_play(game, start, options)
        if final is not None:
            reached[final.profile] = final
        if stopped():
            break
    ordered = sorted(reached.values(), key=lambda one: (one.social_cost, one.profile))
    cheapest = min([cheapest, *ordered], key=lambda one: one.social_cost)
    optimum = cheapest if cheapest.social_cost == lower else None
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
        smallest_epsilon=Fraction(1),
        smallest_epsilon_at=best,
        smallest_regret=Fraction(0),
        smallest_regret_at=best,
        bounds=None if complete else around,
        complete=complete,
    )


def _starts(game: PlacementGame, schedule: Profile) -> Iterator[Profile]:
    """Where dynamics start."""
    yield game.default_profile
    yield schedule
    rng = np.random.default_rng(SEED)
    hosts = len(game.federation)
    for _ in range(STARTS):
        yield tuple(tuple(rng.integers(hosts, size=len(row)).tolist()) for row in game.federation.sizes)


def _end_of_play(game: PlacementGame, start: Profile, options: Options) -> Outcome | None:
    """Where best responses end, if they do before the clock; ``None`` too where one of them is out of reach."""
    try:
        run = best_response_dynamics(game, start, max_rounds=ROUNDS, clock=options.clock)
    except TooLargeError:
        return None
    return run.final if run.converged else None


MAX_DEVIATIONS = 100_000
"""Placements of one organization's jobs that are tried to check an equilibrium; some seconds."""


def by_dynamics(game: PlacementGame) -> Coverage:
    """Best-response dynamics and bounds (:mod:`.met`): every game."""
    return Coverage(True, "best-response dynamics and bounds, which need none, leave open what they do not prove")


def playable(game: PlacementGame) -> bool:
    """Whether best responses can be found, and checked without a solver, in a reasonable time.

    With one machine each and makespans both pack jobs; elsewhere they go through an organization's placements.
    """
    most = max(map(len, game.federation.sizes))
    return game.single or (most <= MAX_SUBSET_JOBS and len(game.federation) ** most <= MAX_DEVIATIONS)
