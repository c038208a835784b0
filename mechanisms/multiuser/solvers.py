r"""Constrained solvers: thresholds for the makespan users in, a schedule's values out, many vectors at once.

Model (Cordeiro 2012, Definition 6.2): a solver may give up on a threshold vector only when no schedule meets it. The
grid (:mod:`.grid`) and the refinement (:mod:`.refinement`) work with any of these:

==================  =================================================  ==============================================
solver              community                                          answers
==================  =================================================  ==============================================
:class:`LstKernel`  one machine, at most one total-completion user     smallest total completion; exact
the same, printed   the same, with ``pooled=False``                    feasible, but not the smallest total
`ListEdf`           makespan users only, any number of machines        thresholds exceeded by at most ``2 - 1/m``
==================  =================================================  ==============================================

There is none for several total-completion users (NP-hard on one machine already) or for a total-completion user on
several machines; :func:`constrained_solver` refuses those and names MULTIMIXED, which takes any community.

>>> solver = constrained_solver(Community.of(("makespan", [2]), ("total-completion", [1, 1])), "refine")
>>> feasible, ends, sums = solver.solve(np.array([[3], [1]]))
>>> feasible.tolist(), ends[0].tolist(), sums.tolist()
([True, False], [3], [5, -1])
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...agents.users import Community
from ...support.errors import InputError
from ...support.exact import INF, Extended
from .catalogue import Ties
from .earliest import deadline_order, list_edf
from .latest import LstKernel, Rows
from .schedule import Outcome


class Solver(Protocol):
    """What the grid and the refinement need of a solver."""

    @property
    def exact(self) -> bool:
        """Whether answers are optimal for their thresholds."""

    def solve(self, due: Rows) -> tuple[NDArray[np.bool_], Rows, Rows]:
        """Rows of integer thresholds to (feasible, block ends, total completion); see :meth:`LstKernel.solve`."""

    def outcome(self, due: Sequence[Any], method: str) -> Outcome:
        """Point and schedule for one row."""


def _limits(shared: Community, due: Sequence[Any]) -> list[Extended]:
    """One threshold per user from one per makespan user."""
    limits: list[Extended] = [INF] * len(shared.users)
    for u, limit in zip(shared.makespan_users, due, strict=True):
        limits[u] = Fraction(int(limit))
    return limits


class ListEdf:
    """List scheduling by earliest deadline on several machines (:mod:`.earliest`)."""

    exact = False

    def __init__(self, shared: Community, ties: Ties) -> None:
        self.shared, self.ties = shared, ties

    def solve(self, due: Rows) -> tuple[NDArray[np.bool_], Rows, Rows]:
        """See :meth:`Solver.solve`."""
        feasible = np.zeros(len(due), bool)
        ends, sums = np.zeros(np.shape(due), object), np.zeros(len(due), object)
        for row, limits in enumerate(due):
            point = self.outcome(limits, "row").point
            if point is not None:  # makespan users only, so a point is the row of their ends
                feasible[row], ends[row] = True, point
        return feasible, ends, sums

    def outcome(self, due: Sequence[Any], method: str) -> Outcome:
        """See :meth:`Solver.outcome`."""
        limits = _limits(self.shared, due)
        answer = list_edf(self.shared, limits, deadline_order(self.shared, limits, self.ties))
        return Outcome(answer.point, answer.slots, method)


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
