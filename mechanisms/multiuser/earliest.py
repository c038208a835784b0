r"""Earliest deadline first: schedules that respect a threshold per makespan user.

Model (Cordeiro 2012, Proposition 6.5 and Theorem 6.7): all users minimise their makespan; a threshold is a deadline
for all jobs of its user. On one machine a user's jobs run as one block, blocks by non-decreasing threshold, and the
answer is exact: ``None`` if and only if no schedule meets the thresholds. On ``m`` machines jobs are list-scheduled
in that order, the next job always on the least loaded machine; when thresholds can be met nobody exceeds hers by more
than a factor of ``2 - 1/m`` (the thesis proves 2; the sharper constant is tight).

The proof of Theorem 6.7 rejects when a job *starts* after its deadline. That is not enough for its own ratio: a job
longer than its deadline starts in time and ends late by any factor. The certificate here rejects if and only if some
job has ``p > d`` or ``m * start + p > m * d``; both prove that the thresholds cannot be met.

Ties: equal thresholds by user number, or with ``ties="work"`` smaller total work first and then user number; inside a
block jobs run as listed; equally loaded machines by number. ``None`` as a threshold means no limit and comes last.

>>> edf(Community.of(("makespan", [1, 2]), ("makespan", [4])), [None, 5]).point
(7, 4)
>>> edf(Community.of(("makespan", [1, 2]), ("makespan", [4])), [3, 6]).point is None
True
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ...agents.users import Community
from ...scheduling.listing import place_in_order
from ...support.errors import InputError, unknown_name
from ...support.exact import INF, Extended, Rational
from .catalogue import TIES, Ties
from .schedule import Outcome


def check_ties(ties: str) -> None:
    """Raise UnknownNameError for a tie rule that does not exist."""
    if ties not in TIES:
        raise unknown_name("ties", ties, TIES)


def deadlines(shared: Community, thresholds: Sequence[Rational | str | None]) -> tuple[Extended, ...]:
    """Thresholds in units, ``inf`` for none."""
    return tuple(INF if d is None else d for d in shared.thresholds(thresholds))


def deadline_order(shared: Community, due: Sequence[Extended], ties: Ties = "index") -> list[int]:
    """Makespan users by (threshold, tie rule)."""
    check_ties(ties)
    works = shared.works
    return sorted(
        shared.makespan_users, key=(lambda u: (due[u], u)) if ties == "index" else (lambda u: (due[u], works[u], u))
    )


def edf(shared: Community, thresholds: Sequence[Rational | str | None], ties: Ties = "index") -> Outcome:
    """Earliest deadline first on one or several machines.

    Parameters
    ----------
    shared
        Makespan users only; raises InputError naming the first user with another objective.
    thresholds
        One per user, in time; ``None`` or ``"none"`` for no limit.
    ties
        Order of equal thresholds: ``"index"`` or ``"work"``.

    Returns
    -------
    Outcome
        ``point`` is ``None`` only when no schedule meets the thresholds. On several machines a point may exceed
        thresholds, met or not, by a factor of up to ``2 - 1/m``.
    """
    for u in shared.completion_users:
        raise InputError(
            f"edf: user {shared.users[u].name!r} minimises total completion, and a threshold bounds makespans only; "
            "use lst (one machine, one such user) or multimixed"
        )
    due = deadlines(shared, thresholds)
    order = deadline_order(shared, due, ties)
    if shared.machines == 1:
        sequence = [(u, job) for u in order for job in range(len(shared.sizes[u]))]
        outcome = Outcome.of(shared, [sequence], "edf")
        met = outcome.point is not None and all(c <= d for c, d in zip(outcome.point, due, strict=True))
        return outcome if met else Outcome.infeasible("edf")
    return list_edf(shared, due, order)


def list_edf(shared: Community, due: Sequence[Extended], order: Sequence[int]) -> Outcome:
    """Jobs of the users in ``order``, each to the least loaded machine; ``due`` in units, one per user."""
    m = shared.machines
    jobs = [(u, job) for u in order for job in range(len(shared.sizes[u]))]
    sizes = [shared.sizes[u][job] for u, job in jobs]
    sequences: list[list[tuple[int, int]]] = [[] for _ in range(m)]
    for (u, job), (machine, start, end) in zip(jobs, place_in_order(sizes, [0] * m), strict=True):
        limit, size = due[u], end - start
        # until this job starts, m machines are busy with work that is due no later
        if isinstance(limit, Fraction) and (size > limit or m * start + size > m * limit):
            return Outcome.infeasible("list-edf")
        sequences[machine].append((u, job))
    return Outcome.of(shared, sequences, "list-edf")
