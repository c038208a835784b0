r"""Zenith and nadir: what each user gets alone, and a bound on what a Pareto-optimal schedule can cost her.

Model (Cordeiro 2012, sections 2.2 and 6.1). The *zenith* of user ``u`` is her best value with all machines to herself:
shortest jobs first for a total-completion user at any number of machines, an optimal makespan for the others, which
:func:`zenith_low` replaces by ``max(ceil(W_u / m), longest job)`` where an exact makespan is not needed.

The *nadir bound* is a value that no Pareto-optimal point exceeds. On one machine it is ``W`` for a makespan user and
her shortest-first sum plus ``n_u (W - W_u)`` for a total-completion user, which is the exact nadir as soon as there
are two users. On ``m`` machines it is ``floor((W + (m - 1) p_max) / m)``, and the sum over her jobs, shortest first,
of ``floor((W - W_u + earlier own work) / m) + p``: drop ``u``, shift the rest left, list-schedule ``u`` last; nobody
else is hurt.

The thesis computes the nadir by scheduling ``u`` after all the others. That is right on one machine only: with two
machines, ``u`` owning {1} and another user owning {1, 1, 2}, it gives 2 where the true nadir is 3.

>>> shared = Community.of(("makespan", [2]), ("total-completion", [1, 1]))
>>> zenith(shared), nadir(shared)
((2, 3), (4, 7))
"""

from __future__ import annotations

from ...agents.users import Community, Point
from .alone import SECONDS, makespan, optimal_schedule, spt_sum


def zenith(shared: Community, time_limit: float = SECONDS) -> Point:
    """Exact best value of each user alone, in units.

    Raises TooLargeError when an optimal makespan on several machines is not proved in ``time_limit`` seconds.
    """
    m = shared.machines
    return tuple(
        spt_sum(sizes, m)
        if user.objective == "total-completion"
        else makespan(sizes, optimal_schedule(sizes, m, time_limit))
        if m > 1
        else sum(sizes)
        for user, sizes in zip(shared.users, shared.sizes, strict=True)
    )


def zenith_low(shared: Community) -> Point:
    """Lower bound on the zenith that is always cheap: exact on one machine and for total-completion users.

    >>> shared = Community.of(("makespan", [3, 3, 3]), machines=2)
    >>> zenith_low(shared), zenith(shared)
    ((5,), (6,))
    """
    m = shared.machines
    return tuple(
        max(-(-sum(sizes) // m), max(sizes)) if user.objective == "makespan" else spt_sum(sizes, m)
        for user, sizes in zip(shared.users, shared.sizes, strict=True)
    )


def nadir(shared: Community) -> Point:
    """Bound that no Pareto-optimal point exceeds, in units; on one machine with two users or more it is attained."""
    m, everything = shared.machines, shared.work
    bound: list[int] = []
    for u, (user, sizes) in enumerate(zip(shared.users, shared.sizes, strict=True)):
        if user.objective == "makespan":
            bound.append((everything + (m - 1) * max(sizes)) // m)
            continue
        value, ahead = 0, everything - shared.works[u]
        for size in sorted(sizes):
            value += ahead // m + size
            ahead += size
        bound.append(value)
    return tuple(bound)
