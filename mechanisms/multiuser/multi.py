r"""MULTICMAX, MULTISUM and MULTIMIXED: every user within a proved factor of what she gets alone.

Model (Cordeiro 2012, section 6.1, after Saule and Trystram 2009): ``k'`` total-completion users, ``k''`` makespan
users, ``k = k' + k''``, any number of machines. Each user is first scheduled alone on machines 0 .. m-1, shortest
first or by a makespan rule of factor ``rho``; then every job gets a *virtual* completion time:

* total-completion users: ``k`` times the completion time alone;
* makespan users run end to end, shortest makespan alone first (rank ``i``, ties by user number); the completion
  times of that joint schedule, times ``k / k''``.

Each machine runs its own jobs by (virtual time, user, job) without idle time. Work on a machine with virtual time
``<= T`` is at most ``k' T / k + k'' T / k = T``, so nobody ends after her virtual time: total-completion users are
within ``k`` of their zenith, the makespan user of rank ``i`` within ``i rho k / k''``. With ``k' = 0`` this is
MULTICMAX (``i rho``: ``i`` is the rank, not the input number), with ``k'' = 0`` MULTISUM (``k``). The thesis quotes
the ratios without the algorithms; these are reconstructions that attain them exactly. The order is per machine: one
global list would exceed ``k`` (two machines, {1 x 8} and {2, 4}: 13/6 > 2).

``improve=True`` gives every job of a makespan user that user's END as its virtual time, after total-completion jobs
on ties: same bounds, and total-completion users are never worse. Answers need not be Pareto-optimal.

>>> shared = Community.of(("makespan", [4]), ("makespan", [1, 2]), ("total-completion", [1, 1]))
>>> multimixed(shared).point, multimixed(shared, improve=True).point
((9, 4, 8), (9, 4, 6))
>>> multimixed_ratios(shared)
(Fraction(3, 1), Fraction(3, 2), Fraction(3, 1))
"""

from __future__ import annotations

from fractions import Fraction

from ...agents.users import Community
from ...support.errors import InputError, check_name
from .catalogue import LOCALS, Local
from .schedule import Outcome, guarantee, local_schedule, makespan


def multicmax(shared: Community, local: Local = "lpt") -> Outcome:
    """Makespan users only: users end to end, shortest makespan alone first; within ``i rho`` of the zenith.

    >>> multicmax(Community.of(("makespan", [1, 2]), ("makespan", [1]), machines=2)).point
    (3, 1)
    """
    for u in shared.completion_users:
        raise InputError(f"multicmax: user {shared.users[u].name!r} minimises total completion; use multimixed")
    return _merge(shared, local, improve=False, method="multicmax")


def multisum(shared: Community) -> Outcome:
    """Total-completion users only: within ``k`` of the zenith.

    >>> multisum(Community.of(("total-completion", [1] * 8), ("total-completion", [2, 4]), machines=2)).point
    (24, 12)
    """
    for u in shared.makespan_users:
        raise InputError(f"multisum: user {shared.users[u].name!r} minimises the makespan; use multimixed")
    return _merge(shared, "lpt", improve=False, method="multisum")


def multimixed(shared: Community, local: Local = "lpt", improve: bool = False) -> Outcome:
    """Both kinds of users, in any numbers.

    Parameters
    ----------
    shared
        Any community.
    local
        How a makespan user is scheduled alone: ``"lpt"``, ``"list"`` or ``"exact"``.
    improve
        Give a makespan user's jobs her end as virtual time: same bounds, total-completion users never worse.
    """
    return _merge(shared, local, improve, method="multimixed")


def multimixed_ratios(shared: Community, local: Local = "lpt") -> tuple[Fraction, ...]:
    """Proved factor over the zenith for each user; for one kind of users that of MULTICMAX or MULTISUM."""
    k, users = len(shared.users), len(shared.makespan_users)
    ratios = [Fraction(k)] * k
    for rank, (u, _, _) in enumerate(_joint(shared, local), 1):
        ratios[u] = rank * guarantee(local, shared.machines) * k / users
    return tuple(ratios)


def _joint(shared: Community, local: Local) -> list[tuple[int, list[list[int]], int]]:
    """Makespan users by (makespan alone, number): user, schedule alone, makespan alone."""
    alone = []
    for u in shared.makespan_users:
        plan = local_schedule(shared.sizes[u], shared.machines, local)
        alone.append((u, plan, makespan(shared.sizes[u], plan)))
    return sorted(alone, key=lambda item: (item[2], item[0]))


def _merge(shared: Community, local: Local, improve: bool, method: str) -> Outcome:
    check_name("local", local, LOCALS)
    n_makespan = len(shared.makespan_users)
    queues: list[list[tuple[int, int, int, int]]] = [[] for _ in range(shared.machines)]
    begin = 0
    for u, plan, length in _joint(shared, local):
        for queue, jobs in zip(queues, plan, strict=True):
            time = begin
            for job in jobs:
                time += shared.sizes[u][job]
                # virtual times of both kinds times k'' / k, so that they stay integers
                queue.append((begin + length if improve else time, int(improve), u, job))
        begin += length
    for u in shared.completion_users:
        for queue, jobs in zip(queues, local_schedule(shared.sizes[u], shared.machines, "spt"), strict=True):
            time = 0
            for job in jobs:
                time += shared.sizes[u][job]
                queue.append((time * max(n_makespan, 1), 0, u, job))
    return Outcome.of(shared, [[(u, job) for _, _, u, job in sorted(queue)] for queue in queues], method)
