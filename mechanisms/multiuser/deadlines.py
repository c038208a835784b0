"""Schedules within a threshold per user: earliest deadline first, and latest starting time beside one sum of times.

Model (Cordeiro 2012, section 6.1): a threshold is a deadline for all jobs of its makespan user; ``None`` means no limit
and comes last. A solver may give up on a threshold vector only when no schedule meets it (Definition 6.2).

==================  =================================================  ==============================================
solver              community                                          answers
==================  =================================================  ==============================================
:class:`LstKernel`  one machine, at most one total-completion user     smallest total completion; exact
the same, printed   the same, with ``pooled=False``                    feasible, but not the smallest total
`ListEdf`           makespan users only, any number of machines        thresholds exceeded by at most ``2 - 1/m``
==================  =================================================  ==============================================

There is none for several total-completion users (NP-hard on one machine already) or for a total-completion user on
several machines; :func:`constrained_solver` refuses those and names MULTIMIXED, which takes any community.

*EDF* (Proposition 6.5 and Theorem 6.7): on one machine a user's jobs run as one block, blocks by non-decreasing
threshold, and the answer is exact. On ``m`` machines jobs are list-scheduled in that order, the next job always on the
least loaded machine; when thresholds can be met nobody exceeds hers by more than a factor of ``2 - 1/m`` (the thesis
proves 2; the sharper constant is tight). The proof of Theorem 6.7 rejects when a job *starts* after its deadline. That
is not enough for its own ratio: a job longer than its deadline starts in time and ends late by any factor. The
certificate here rejects if and only if some job has ``p > d`` or ``m * start + p > m * d``; both prove that the
thresholds cannot be met.

*LST, corrected* (Proposition 6.6): the smallest total completion time of the one user under the others' deadlines.
Backwards from ``T = W``, the end of all work: if some unplaced block has a threshold ``>= T``, place the one with the
largest threshold (largest number on ties) to end at ``T``; else place the longest unplaced job of the total-completion
user (largest number on ties) to end at ``T``; if neither exists the deadlines cannot be met. Moving an eligible block
last delays nobody else and hurts no deadline; otherwise a job of the other user is last, and by Proposition 6.4 it may
be her longest. So the total is the smallest possible, and the point is Pareto-optimal by the same induction. The same
forwards: over the blocks in deadline order, with ``L_i`` the latest start of block ``i``, run the next shortest job at
time ``t`` if and only if it ends by ``L_i``, else run the block. Because that condition is monotone in the number of
jobs run so far, binary search over prefix sums answers one call in ``O(k log k + k log n)`` after sorting once.

*LST as printed*, kept for comparison: every block goes to its latest possible slot, the jobs of the total-completion
user go shortest first to the first idle time where they fit, and the schedule is then compacted. The slots depend on
the order in which blocks are placed, which the thesis leaves open; here blocks are placed by non-increasing threshold,
because other orders find no slot in feasible cases ({1} due at 2, then {2} due at 3). The one difference is that room
left in a gap is lost here and serves later gaps above, where gaps are filled *preemptively* and each straddled block is
then moved in front of the job that straddles it. With one block this is right. With two or more it wastes gaps that no
job fits although blocks could move left and pool them, so Proposition 6.6 does not hold for it: blocks {1} due 2 and
{H} due H+3 with a single job of length 2 give H+3 instead of 3. Its answer is still Pareto-optimal.

Ties: equal thresholds by user number, or with ``ties="work"`` smaller total work first and then user number; inside a
block jobs run as listed; equal lengths as listed; equally loaded machines by number. All completion times are integers
in units, so a fractional threshold acts as its floor, except for the order of blocks.

>>> edf(Community.of(("makespan", [1, 2]), ("makespan", [4])), [None, 5]).point
(7, 4)
>>> edf(Community.of(("makespan", [1, 2]), ("makespan", [4])), [3, 6]).point is None
True
>>> shared = Community.of(("makespan", [1]), ("makespan", [1]), ("total-completion", [2]))
>>> lst(shared, [2, 4, None]).point, lst_printed(shared, [2, 4, None]).point  # B1 J B2; B1 B2 J
((1, 4, 3), (1, 2, 4))
>>> lst(shared, [1, 1, None]).point is None
True
>>> solver = constrained_solver(Community.of(("makespan", [2]), ("total-completion", [1, 1])), "refine")
>>> feasible, ends, sums = solver.solve(np.array([[3], [1]]))
>>> feasible.tolist(), ends[0].tolist(), sums.tolist()
([True, False], [3], [5, -1])
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...agents.users import Community, Point
from ...scheduling.listing import job_order, place_in_order
from ...support.errors import InputError, check_name
from ...support.exact import Extended, Rational, fits_int64
from ...support.jit import Ints
from .catalogue import TIES, Ties
from .schedule import Outcome, point_from


def deadline_order(shared: Community, due: Sequence[Extended], ties: Ties = "index") -> list[int]:
    """Makespan users by (threshold, tie rule)."""
    check_name("ties", ties, TIES)
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
    due = shared.thresholds(thresholds)
    if shared.machines == 1:
        return LstKernel(shared, ties).outcome(due, "edf")
    return list_edf(shared, due, deadline_order(shared, due, ties))


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


Rows: TypeAlias = Ints
"""One row of integers per question."""

Plan: TypeAlias = Sequence[tuple[int, int]]
"""Running order on one machine: (column of a block, number of shortest jobs that run before it)."""


class LstKernel:
    """Corrected LST for one community, sorted once, then asked many times.

    Also accepts communities without a total-completion user, where it is EDF on one machine.

    Parameters
    ----------
    shared
        One machine, at most one total-completion user; raises InputError otherwise.
    ties
        Order of blocks with equal thresholds, ``"index"`` or ``"work"``.
    pooled
        ``False`` gives the printed wording (:mod:`.deadlines`): blocks keep their latest slots, and a gap that the next
        job does not fit is lost.

    Notes
    -----
    Times are integers in units. Columns of thresholds and block ends follow ``shared.makespan_users``.
    """

    def __init__(self, shared: Community, ties: Ties = "index", pooled: bool = True) -> None:
        check_name("ties", ties, TIES)
        _check_one_machine(shared)
        self.shared = shared
        self.exact = pooled
        """Whether totals are the smallest possible."""
        self.blocks = [shared.works[u] for u in shared.makespan_users]
        self.owner = shared.completion_users[0] if shared.completion_users else None
        lengths = sorted(shared.sizes[self.owner]) if self.owner is not None else []
        self.prefix = list(accumulate(lengths, initial=0))
        self._total = sum(self.prefix)
        columns = range(len(self.blocks))
        self._rank = sorted(columns, key=lambda c: (self.blocks[c], c)) if ties == "work" else list(columns)
        self.fits = fits_int64(len(self.prefix) * shared.work)
        """Whether int64 suffices: no total completion time exceeds (number of jobs) x (all work)."""

    def solve(self, due: Rows) -> tuple[NDArray[np.bool_], Rows, Rows]:
        """Answer many threshold vectors at once.

        Parameters
        ----------
        due
            Integer thresholds, shape (rows, makespan users). Floor fractional ones first.

        Returns
        -------
        feasible, ends, sums
            Shapes (rows,), (rows, makespan users), (rows,). Where a row cannot be met, its ends are meaningless and its
            sum is -1. int64, or Python integers where int64 might overflow.
        """
        kind: Any = np.int64 if self.fits else object
        prefix, blocks = np.array(self.prefix, kind), np.array([self.blocks[c] for c in self._rank], kind)
        table = np.asarray(due)[:, self._rank].astype(kind)
        order = np.argsort(table, axis=1, kind="stable")  # stable: ties stay in rank order
        sizes, limits = blocks[order], np.take_along_axis(table, order, axis=1)
        latest, limit = np.empty_like(limits), np.full(len(table), self.shared.work, kind)
        for i in reversed(range(len(blocks))):
            limit = latest[:, i] = np.minimum(limit, limits[:, i]) - sizes[:, i]
        done, before, end = np.zeros(len(table), np.int64), np.zeros(len(table), kind), np.zeros(len(table), kind)
        ends, sums = np.empty_like(table), np.full(len(table), self._total, kind)
        for i in range(len(blocks)):
            room = latest[:, i] - before if self.exact else prefix[done] + latest[:, i] - end
            done = np.maximum(np.searchsorted(prefix, room, side="right") - 1, done)
            before = before + sizes[:, i]
            end = latest[:, i] + sizes[:, i]
            np.put_along_axis(ends, order[:, i : i + 1], (prefix[done] + before)[:, None], axis=1)
            sums += sizes[:, i] * (len(prefix) - 1 - done)
        back = np.empty_like(ends)
        back[:, self._rank] = ends
        feasible = np.asarray(limit >= 0, bool)
        return feasible, back, np.where(feasible, sums, -1)

    def values(self, plan: Plan) -> tuple[list[int], int]:
        """Block ends and total completion time of a plan."""
        ends, before, waiting, n = [0] * len(self.blocks), 0, self._total, len(self.prefix) - 1
        for column, done in plan:
            before += self.blocks[column]
            ends[column] = self.prefix[done] + before
            waiting += self.blocks[column] * (n - done)
        return ends, waiting

    def plan(self, due: Sequence[Extended | int]) -> list[tuple[int, int]] | None:
        """What one threshold vector (``inf`` for none) makes of the blocks; ``None`` when it cannot be met."""
        order = sorted(self._rank, key=lambda c: due[c])  # stable: ties stay in rank order
        latest: list[Extended | int] = []
        limit: Extended | int = self.shared.work
        for column in reversed(order):
            limit = min(limit, due[column]) - self.blocks[column]
            latest.append(limit)
        if limit < 0:
            return None
        plan, done, before = [], 0, 0
        end: Extended | int = 0
        for column, start in zip(order, reversed(latest), strict=True):
            room = start - before if self.exact else self.prefix[done] + start - end
            done = bisect_right(self.prefix, room, lo=done) - 1
            plan.append((column, done))
            before += self.blocks[column]
            end = start + self.blocks[column]
        return plan

    def point(self, due: Sequence[Extended | int]) -> Point | None:
        """Point of one threshold vector over the makespan users, or ``None`` when it cannot be met."""
        plan = self.plan(due)
        return None if plan is None else self.reached(plan)

    def reached(self, plan: Plan) -> Point:
        """Point of a plan."""
        return point_from(self.shared, *self.values(plan))

    def outcome(self, due: Sequence[Extended | int], method: str = "lst") -> Outcome:
        """Point and schedule of one threshold vector."""
        plan = self.plan(due)
        return Outcome.infeasible(method) if plan is None else Outcome.of(self.shared, [self.sequence(plan)], method)

    def sequence(self, plan: Plan) -> list[tuple[int, int]]:
        """The jobs in running order, from (column of a block, shortest jobs run before it) pairs."""
        owner = self.owner
        shortest = [] if owner is None else [(owner, j) for j in job_order(self.shared.sizes[owner], "spt")]
        jobs: list[tuple[int, int]] = []
        done = 0
        for column, before in plan:
            jobs += shortest[done:before]
            user = self.shared.makespan_users[column]
            jobs += [(user, j) for j in range(len(self.shared.sizes[user]))]
            done = before
        return jobs + shortest[done:]


def _check_one_machine(shared: Community) -> None:
    if shared.machines != 1:
        raise InputError(
            f"machines = {shared.machines}; deadlines beside a total-completion user are solved on one machine only; "
            "multimixed takes any number"
        )
    if len(shared.completion_users) > 1:
        names = ", ".join(repr(shared.users[u].name) for u in shared.completion_users)
        raise InputError(
            f"users {names} minimise total completion; with two of them deadlines are already NP-hard on one machine; "
            "use multimixed"
        )


def _lst(shared: Community, thresholds: Sequence[Rational | str | None], ties: Ties, rule: str) -> Outcome:
    due = shared.thresholds(thresholds)
    _check_one_machine(shared)
    if not shared.completion_users:
        raise InputError(f"{rule}: nobody minimises total completion; use edf")
    if not shared.makespan_users:
        raise InputError(f"{rule}: nobody minimises the makespan, so there is nothing to bound; use multisum")
    (owner,) = shared.completion_users
    if due[owner] != float("inf"):
        raise InputError(
            f"{rule}: thresholds[{owner + 1}] = {due[owner]}, but user {shared.users[owner].name!r} minimises total "
            "completion, which the rule optimises and cannot bound; write 'none'"
        )
    kernel = LstKernel(shared, ties, pooled=rule == "lst")
    return kernel.outcome([due[u] for u in shared.makespan_users], rule)


def lst(shared: Community, thresholds: Sequence[Rational | str | None], ties: Ties = "index") -> Outcome:
    """Smallest total completion time under the makespan users' thresholds; Pareto-optimal.

    Parameters
    ----------
    shared
        One machine, exactly one total-completion user, at least one makespan user; InputError otherwise.
    thresholds
        One per user, in time; ``None`` or ``"none"`` for no limit, and for the total-completion user always.
    ties
        Running order of blocks with equal thresholds.

    Returns
    -------
    Outcome
        ``point`` is ``None`` exactly when no schedule meets the thresholds.
    """
    return _lst(shared, thresholds, ties, "lst")


def lst_printed(shared: Community, thresholds: Sequence[Rational | str | None], ties: Ties = "index") -> Outcome:
    """Latest slots, first fit, compaction: the printed wording.

    Parameters and errors as for :func:`~consortium.mechanisms.multiuser.deadlines.lst`. ``point`` is ``None`` exactly
    when the thresholds cannot be met, but the total completion time may be larger than necessary, by any factor.
    """
    return _lst(shared, thresholds, ties, "lst-printed")


class ListEdf:
    """List scheduling by earliest deadline of makespan users on several machines, asked as :class:`LstKernel` is."""

    exact = False

    def __init__(self, shared: Community, ties: Ties) -> None:
        self.shared, self.ties = shared, ties

    def solve(self, due: Rows) -> tuple[NDArray[np.bool_], Rows, Rows]:
        """See :meth:`LstKernel.solve`."""
        feasible = np.zeros(len(due), bool)
        ends, sums = np.zeros(np.shape(due), object), np.zeros(len(due), object)
        for row, limits in enumerate(due):
            point = self.outcome(limits, "row").point
            if point is not None:  # which is the row of their ends
                feasible[row], ends[row] = True, point
        return feasible, ends, sums

    def outcome(self, due: Sequence[Any], method: str) -> Outcome:
        """Point and schedule of one threshold vector."""
        limits = [Fraction(int(limit)) for limit in due]
        answer = list_edf(self.shared, limits, deadline_order(self.shared, limits, self.ties))
        return Outcome(answer.point, answer.slots, method)


Solver: TypeAlias = LstKernel | ListEdf
"""What the grid and the refinement ask."""


def constrained_solver(shared: Community, rule: str, ties: Ties = "index", printed: bool = False) -> Solver:
    """The solver for a community, or InputError saying why there is none and what to use instead.

    ``rule`` is the name for messages; ``printed`` asks for the thesis's wording of LST (EDF has no other wording).
    """
    if not shared.makespan_users:
        raise InputError(f"{rule}: nobody minimises the makespan, so there is nothing to bound; use multisum or pareto")
    if len(shared.completion_users) > 1 or (shared.machines > 1 and shared.completion_users):
        raise InputError(
            f"{rule}: {len(shared.completion_users)} total-completion user(s) on {shared.machines} machine(s); "
            "deadlines are solved for one such user on one machine, or for none on any number; use multimixed, "
            "or pareto when small"
        )
    if shared.machines > 1:
        return ListEdf(shared, ties)
    return LstKernel(shared, ties, pooled=not printed or not shared.completion_users)
