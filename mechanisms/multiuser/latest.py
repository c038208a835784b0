r"""Latest starting time, corrected: the best total completion time under deadlines for everybody else.

Model (Cordeiro 2012, Proposition 6.6): one machine, exactly one total-completion user, at least one makespan user; a
threshold is a deadline for the block of its user. Wanted: the smallest total completion time of the one user under the
deadlines, or the certainty that they cannot be met.

Algorithm. Backwards from ``T = W``, the end of all work: if some unplaced block has a threshold ``>= T``, place the
one with the largest threshold (largest number on ties) to end at ``T``; else place the longest unplaced job of the
total-completion user (largest number on ties) to end at ``T``; if neither exists the deadlines cannot be met. Moving
an eligible block last delays nobody else and hurts no deadline; otherwise a job of the other user is last, and by
Proposition 6.4 it may be her longest. So the total is the smallest possible, and the point is Pareto-optimal by the
same induction.

The thesis's wording is different and not optimal (:mod:`.printed`). It is right again if gaps are filled
*preemptively* and each straddled block is then moved in front of the job that straddles it, which gives the same
answer forwards: over the blocks in deadline order, with ``L_i`` the latest start of block ``i``, run the next
shortest job at time ``t`` if and only if it ends by ``L_i``, else run the block. Because that condition is monotone
in the number of jobs run so far, binary search over prefix sums answers one call in ``O(k log k + k log n)`` after
sorting once: :class:`LstKernel`.

Ties: equal thresholds run by user number, or with ``ties="work"`` smaller total work first; equal lengths as listed;
jobs inside a block as listed. All completion times are integers in units, so a fractional threshold acts as its
floor, except for the order of blocks.

>>> shared = Community.of(("makespan", [1]), ("makespan", [1]), ("total-completion", [2]))
>>> lst(shared, [2, 4, None]).point      # B1 J B2; the printed wording gives B1 B2 J and 4 instead of 3
(1, 4, 3)
>>> lst(shared, [1, 1, None]).point is None
True
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...agents.users import Community, Point
from ...support.errors import InputError
from ...support.exact import Extended, Rational, fits_int64
from ...support.jit import Ints, compiled, quickest
from .catalogue import Ties
from .earliest import check_ties, deadlines
from .schedule import Outcome, spt_order

Rows: TypeAlias = Ints
"""One row of integers per question."""

Plan: TypeAlias = Sequence[tuple[int, int]]
"""Running order on one machine: (column of a block, number of shortest jobs that run before it)."""


@compiled
def _solve_rows(prefix: Ints, blocks: Ints, due: Ints, pooled: bool, ends: Ints, sums: Ints) -> None:
    """Answer each row of ``due``; ``sums[r]`` is -1 when row ``r`` cannot be met.

    prefix: (n + 1,) sums of the shortest jobs. blocks: (K,) lengths, in the order that breaks ties. due: (R, K) in that
    order; read only. pooled: whether room left in a gap serves later gaps. ends: (R, K) and sums: (R,) are written.
    No checks: see :class:`LstKernel`.
    """
    n_blocks, n = blocks.size, prefix.size - 1
    total = prefix.sum()
    work = prefix[n] + blocks.sum()
    order = np.empty(n_blocks, np.int64)
    latest = np.empty(n_blocks, np.int64)
    for row in range(due.shape[0]):
        for i in range(n_blocks):  # insertion sort: stable, and a handful of blocks
            j = i
            while j > 0 and due[row, order[j - 1]] > due[row, i]:
                order[j] = order[j - 1]
                j -= 1
            order[j] = i
        limit = work
        for i in range(n_blocks - 1, -1, -1):
            limit = min(limit, due[row, order[i]]) - blocks[order[i]]
            latest[i] = limit
        if limit < 0:
            sums[row] = -1
            continue
        done, before, waiting = 0, 0, total
        for i in range(n_blocks):
            b = order[i]
            room = latest[i] - before
            if not pooled and i > 0:
                room = prefix[done] + latest[i] - latest[i - 1] - blocks[order[i - 1]]
            high = n
            while done < high:  # the most jobs that end by the latest start of this block
                middle = (done + high + 1) // 2
                if prefix[middle] <= room:
                    done = middle
                else:
                    high = middle - 1
            before += blocks[b]
            ends[row, b] = prefix[done] + before
            waiting += blocks[b] * (n - done)
        sums[row] = waiting


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
        ``False`` gives the printed wording (:mod:`.printed`): blocks keep their latest slots, and a gap that the next
        job does not fit is lost.

    Notes
    -----
    Times are integers in units. Columns of thresholds and block ends follow ``shared.makespan_users``.
    """

    def __init__(self, shared: Community, ties: Ties = "index", pooled: bool = True) -> None:
        check_ties(ties)
        _check_one_machine(shared)
        self.shared, self.pooled = shared, pooled
        self.exact = pooled
        """Whether totals are the smallest possible."""
        self.blocks = [shared.works[u] for u in shared.makespan_users]
        self.owner = shared.completion_users[0] if shared.completion_users else None
        lengths = sorted(shared.sizes[self.owner]) if self.owner is not None else []
        self.prefix = list(accumulate(lengths, initial=0))
        self._total = sum(self.prefix)
        columns = range(len(self.blocks))
        self._rank = sorted(columns, key=lambda c: (self.blocks[c], c)) if ties == "work" else list(columns)
        self.compiled = fits_int64(len(self.prefix) * shared.work)
        """Whether int64 suffices: no total completion time exceeds (number of jobs) x (all work)."""
        if self.compiled:
            self._prefix = np.array(self.prefix, np.int64)
            self._blocks = np.array([self.blocks[c] for c in self._rank], np.int64)

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
        if not self.compiled:
            return self._solve_slowly(due)
        table = np.ascontiguousarray(np.asarray(due)[:, self._rank], dtype=np.int64)
        ends, sums = np.zeros_like(table), np.empty(len(table), np.int64)
        solve = quickest(_solve_rows, len(table) * (len(self._prefix) + 4 * len(self._blocks)))
        solve(self._prefix, self._blocks, table, self.pooled, ends, sums)
        back = np.empty_like(ends)
        back[:, self._rank] = ends
        return sums >= 0, back, sums

    def _solve_slowly(self, due: Rows) -> tuple[NDArray[np.bool_], Rows, Rows]:
        ends, sums = np.zeros(np.shape(due), object), np.full(len(due), -1, object)
        for row, limits in enumerate(due):
            answer = self.blocks_and_sum(list(limits))
            if answer is not None:
                ends[row], sums[row] = answer
        return np.array([s >= 0 for s in sums], bool), ends, sums

    def blocks_and_sum(self, due: Sequence[Extended | int]) -> tuple[list[int], int] | None:
        """One threshold vector (``inf`` for none): the block ends and the total completion time, or ``None``."""
        plan = self.plan(due)
        return None if plan is None else self.values(plan)

    def values(self, plan: Plan) -> tuple[list[int], int]:
        """Block ends and total completion time of a plan."""
        ends, before, waiting, n = [0] * len(self.blocks), 0, self._total, len(self.prefix) - 1
        for column, done in plan:
            before += self.blocks[column]
            ends[column] = self.prefix[done] + before
            waiting += self.blocks[column] * (n - done)
        return ends, waiting

    def plan(self, due: Sequence[Extended | int]) -> list[tuple[int, int]] | None:
        """Blocks in running order, each with the number of shortest jobs that run before it; ``None`` if infeasible."""
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
            room = start - before if self.pooled else self.prefix[done] + start - end
            done = bisect_right(self.prefix, room, lo=done) - 1
            plan.append((column, done))
            before += self.blocks[column]
            end = start + self.blocks[column]
        return plan

    def point(self, due: Sequence[Extended | int]) -> Point | None:
        """Point of one threshold vector over the makespan users, or ``None`` when it cannot be met."""
        answer = self.blocks_and_sum(due)
        return None if answer is None else self.assemble(*answer)

    def assemble(self, ends: Sequence[int], total: int) -> Point:
        """Point in user order from block ends and a total completion time."""
        point = [0] * len(self.shared.users)
        for u, end in zip(self.shared.makespan_users, ends, strict=True):
            point[u] = int(end)
        if self.owner is not None:
            point[self.owner] = int(total)
        return tuple(point)

    def outcome(self, due: Sequence[Extended | int], method: str = "lst") -> Outcome:
        """Point and schedule of one threshold vector."""
        plan = self.plan(due)
        return Outcome.infeasible(method) if plan is None else Outcome.of(self.shared, [self.sequence(plan)], method)

    def sequence(self, plan: Plan) -> list[tuple[int, int]]:
        """The jobs in running order, from (column of a block, shortest jobs run before it) pairs."""
        shortest = [] if self.owner is None else [(self.owner, j) for j in spt_order(self.shared, self.owner)]
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


def check_lst(shared: Community, due: Sequence[Extended], rule: str) -> None:
    """Raise InputError unless LST is defined for this community and these thresholds."""
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
    due = deadlines(shared, thresholds)
    check_lst(shared, due, "lst")
    return LstKernel(shared, ties).outcome([due[u] for u in shared.makespan_users])
