"""Bounds on the equilibria of a placement game, and on their prices, without any profile.

They hold for ``N`` organizations with ``M`` machines and work ``W`` in all, both objectives, both priorities:

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

*No price of makespans is more* than the sharp one, against the least makespan of all schedules: with ``m`` machines of
who has fewest it is ``max(2M/(M + 1), 2 - 1/(M - m))``, proved for priority to organizations and, with one machine
each, to jobs. That is 4/3 for two organizations with one machine each and ``2 - 1/(N - 1)`` for more of them, attained
by :func:`~consortium.workloads.federation.sharp_price`; the ``2 - 1/N`` of Theorem 5.8 (Cordeiro 2012) is never
reached. We know no source for it; the proof is on the documentation's page "What is new here". Sums of completion times
have a price below ``M/m``, approached and not reached.

>>> from consortium.agents.organizations import Federation
>>> from consortium.games.placement.game import PlacementGame
>>> game = PlacementGame(Federation.of([[4, 4, 4], [2, 2], []], [2, 1, 1]))
>>> least_social_cost(game), largest_equilibrium_cost(game), sharp_price(game)
(Fraction(4, 1), Fraction(6, 1), Fraction(5, 3))
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from ...mechanisms.federation.schedule import sharp_ratio
from ...scheduling.clusters import Cluster
from ...scheduling.listing import job_order
from ...scheduling.makespan import smallest_makespan
from ...scheduling.sums import optimal_sum, sum_allocation
from ..protocol import Outcome, Profile
from ..results import Bounds
from .game import PlacementGame


def bounds(game: PlacementGame, best: Outcome | None) -> Bounds:
    """Bounds on the equilibria and the price of anarchy; ``best``: the best one known, if any."""
    epsilon = longest_first_epsilon(game) if best is None else Fraction(1)
    around = Bounds.around(least_social_cost(game), largest_equilibrium_cost(game), best)
    return replace(around, epsilon_at_least=Fraction(1), epsilon_at_most=epsilon)


def longest_first_epsilon(game: PlacementGame) -> Fraction | None:
    """What longest jobs first leads to is an equilibrium up to this factor, on any machines; ``None`` if none is known.

    Nobody pays more than ``3/2 - 1/(2M)`` times its best response; the proof is on the page "What is new here".
    """
    if game.total or game.rule.priority == "jobs":
        return None
    return Fraction(3, 2) - Fraction(1, 2 * game.federation.n_machines)


def least_social_cost(game: PlacementGame) -> Fraction:
    """No placement costs less; 0 without jobs."""
    return best_schedule(game).lower


class GoodSchedule(NamedTuple):
    """A schedule of all jobs on all machines: no placement costs less than ``lower``, and it costs ``upper``."""

    lower: Fraction
    upper: Fraction
    hosts: Profile


@lru_cache(maxsize=16)
def best_schedule(game: PlacementGame) -> GoodSchedule:
    """A good schedule on all machines, which need not be one of a placement."""
    federation = game.federation
    lengths = [size for row in federation.sizes for size in row]
    if not lengths:
        return GoodSchedule(Fraction(0), Fraction(0), federation.home())
    cluster = Cluster.of([1] * federation.n_machines)
    if game.total:
        lower, allocation = optimal_sum(cluster, lengths), sum_allocation(cluster, lengths)
        upper = lower
    else:
        answer = smallest_makespan(cluster, lengths, cp_sat=False)
        lower, upper, allocation = answer.lower, answer.upper, answer.allocation
    owner = [k for k, machines in enumerate(federation.machines) for _ in range(machines)]
    host = {job: owner[m] for m, jobs in enumerate(allocation.lists) for job in jobs}
    numbers = itertools.count()
    hosts = tuple(tuple(host[next(numbers)] for _ in row) for row in federation.sizes)
    return GoodSchedule(lower * federation.unit, upper * federation.unit, hosts)


def largest_equilibrium_cost(game: PlacementGame) -> Fraction:
    """No equilibrium has a larger social cost; 0 without jobs."""
    alone = game.costs(game.federation.home())
    paid = [min(home, _spread(game, k)) for k, home in enumerate(alone)]
    if game.total:
        return sum(paid, Fraction(0))
    sharp = sharp_price(game)
    return max(paid) if sharp is None else min(max(paid), sharp * best_schedule(game).upper)


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


def sharp_price(game: PlacementGame) -> Fraction | None:
    """The largest price of anarchy, and of stability, of games with these machines; ``None`` where none is proved."""
    proved = not game.total and (game.single or game.rule.priority == "organizations")
    return sharp_ratio(game.federation.machines) if proved else None


def price_bounds(
    organizations: int, worst: int | None, worst_at_most: int | None, optimum: int | None, optimum_at_most: int | None
) -> tuple[Fraction | None, Fraction | None]:
    """Least and most that the price of anarchy can be, if there is an equilibrium; one machine each: at most the sharp.

    ``worst`` is the largest cost of an equilibrium that is known, ``worst_at_most`` of any; ``optimum`` and
    ``optimum_at_most`` bound the least cost of all placements.

    >>> price_bounds(3, 7, 7, 5, 6), price_bounds(3, None, 30, 5, None)
    ((Fraction(7, 6), Fraction(7, 5)), (None, Fraction(3, 2)))
    """
    most = sharp_ratio([1] * organizations)
    if worst_at_most is not None and optimum:
        most = min(most, Fraction(worst_at_most, optimum))
    least = None
    if worst is not None and optimum_at_most:
        least = max(Fraction(1), Fraction(worst, optimum_at_most))
    return least, most
