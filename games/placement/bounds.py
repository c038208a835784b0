r"""What holds for every placement and for every equilibrium of a placement game, without looking at profiles.

``N`` organizations own ``M`` machines, all work is ``W``; works for any machines, both objectives, both priorities.

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

>>> from consortium.agents.organizations import Federation
>>> from consortium.games.placement.game import PlacementGame
>>> game = PlacementGame(Federation.of([[4, 4, 4], [2, 2], []], [2, 1, 1]))
>>> least_social_cost(game), largest_equilibrium_cost(game)
(Fraction(4, 1), Fraction(6, 1))
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from ...scheduling.allocations import Allocation
from ...scheduling.clusters import Cluster
from ...scheduling.listing import job_order
from ...scheduling.makespan import smallest_makespan
from ...scheduling.sums import optimal_sum, sum_allocation
from ..protocol import Outcome, Profile, price
from ..results import Bounds

if TYPE_CHECKING:
    from .game import PlacementGame


def bounds(game: PlacementGame, best: Outcome | None) -> Bounds:
    """Bounds on the equilibria and the price of anarchy.

    Parameters
    ----------
    game
        The game.
    best
        The equilibrium of least social cost that is known, if any.
    """
    most, optimum = largest_equilibrium_cost(game), least_social_cost(game)
    return Bounds(
        worst_at_most=most,
        best_at_least=optimum,
        epsilon_at_least=Fraction(1),
        epsilon_at_most=None if best is None else Fraction(1),
        price_of_anarchy_at_most=most / optimum if optimum else None,
        price_of_stability_at_most=None if best is None else price(best.social_cost, optimum),
    )


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
        lower, found = optimal_sum(cluster, lengths), sum_allocation(cluster, lengths)
    else:
        answer = smallest_makespan(cluster, lengths, solvers=())
        lower, found = answer.lower, answer.allocation
    return lower * federation.unit, _hosts(game, found)


def _hosts(game: PlacementGame, found: Allocation) -> Profile:
    """The placement in which every job is with the owner of the machine that the schedule gives it."""
    owner = [k for k, machines in enumerate(game.federation.machines) for _ in range(machines)]
    host = {job: owner[m] for m, jobs in enumerate(found.lists) for job in jobs}
    numbers = iter(range(game.federation.n_jobs))
    return tuple(tuple(host[next(numbers)] for _ in row) for row in game.federation.sizes)


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
