r"""The construction of approximate equilibria for priority to organizations, one machine per organization.

Model (Cordeiro 2012, section 5.3): all jobs start at home. Then, by decreasing priority, organization ``k`` takes
off all its jobs and a solver schedules them again on machines that are free from ``r_l`` on: 0 at home; elsewhere
the own load of ``l`` plus the load there of organizations of higher priority than ``k``. The hosts' policies
(:mod:`.coordination`) make the schedule.

Solvers. ``lpt`` and ``listed``: list scheduling, each job on the machine that is free first (ties: home, then the
smaller number). ``exact``: a placement of least cost; among these one that keeps most load, or most jobs, at home
(``keep``), and among these the lexicographically smallest.

What holds. With list scheduling of factor ``rho`` (3/2 for longest first, 2 for any order) the result is a
``rho``-approximate equilibrium: everything ``k`` sees after its turn is ready no earlier than its own last start, so
its schedule stays a possible output of the same algorithm. With an exact solver Theorem 5.6 (``rho = 1``) is false: an
organization that moved later frees its own machine, and earlier ones may gain from it.

>>> figure = Federation.of([[4, 4, 4], [2, 2], []])
>>> PriorityEquilibrium(solver="exact").run(figure).placement
((0, 0, 1), (1, 2), ())
>>> PriorityEquilibrium().run(figure).placement
((0, 2, 0), (1, 1), ())
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from ...agents.organizations import Federation
from ...scheduling.listing import job_order, place_in_order
from ...scheduling.ready_times import Keep, Measure, placement
from ...support.errors import InputError, TooLargeError, check_name
from .catalogue import KEEPS, SOLVERS
from .coordination import Coordination, free_from, organization_ranks
from .schedule import Schedule


@dataclass(frozen=True)
class PriorityEquilibrium:
    """Reschedule the organizations one after the other, the highest priority first.

    Attributes
    ----------
    order
        Names of the organizations, highest priority first; as listed by default.
    solver
        ``"lpt"``, ``"listed"`` or ``"exact"``.
    keep
        For the exact solver: ``"load"`` or ``"count"``, what stays at home as much as possible.
    """

    id: ClassVar[str] = "priority-equilibrium"
    order: tuple[str, ...] | None = None
    solver: Literal["lpt", "listed", "exact"] = "lpt"
    keep: Measure = "load"

    def __post_init__(self) -> None:
        check_name("solver", self.solver, SOLVERS)
        check_name("keep", self.keep, KEEPS)

    def run(self, federation: Federation) -> Schedule:
        """Schedule a federation; InputError unless every organization has one machine."""
        if any(m != 1 for m in federation.machines):
            raise InputError(f"machines = {list(federation.machines)}; this rule needs one machine per organization")
        rank = organization_ranks(federation, self.order)
        hosts: list[Sequence[int]] = list(federation.home())
        for k in sorted(range(len(federation)), key=lambda k: rank[k]):
            starts = free_from(federation, hosts, rank, k)
            hosts[k] = self._place(federation.sizes[k], starts, k)
        return Coordination(order=self.order).run(federation, hosts)

    def _place(self, sizes: Sequence[int], starts: Sequence[int], home: int) -> Sequence[int]:
        if self.solver == "exact":
            try:
                return placement(sizes, [starts] * len(sizes), Keep(home, self.keep), "exact placement")
            except TooLargeError as error:
                raise TooLargeError(f"{error}, or take solver = 'lpt'") from None
        sequence, hosts = job_order(sizes, self.solver), [home] * len(sizes)
        preferred = [home, *(m for m in range(len(starts)) if m != home)]
        placed = place_in_order([sizes[i] for i in sequence], [starts[m] for m in preferred])
        for i, (m, _, _) in zip(sequence, placed, strict=True):
            hosts[i] = preferred[m]
        return hosts
