r"""Everybody at home: the local schedules, and the reference that local constraints are measured against.

Model (Cordeiro 2012, section 3.1): the local schedule of organization ``k`` is a list schedule of its jobs on its own
machines. ``C_local^(k)`` is its makespan, ``sumC_local^(k)`` the sum of its completion times. With one machine the
makespan is the total work in any order; with several it depends on the order, which is therefore a parameter: the
default is longest first for makespans and shortest first for sums (the optimum of P||sum C).

Ties: the smaller job number first, the smallest machine first.

>>> Local().run(Federation.of([[1, 2], [3]])).makespans
(Fraction(3, 1), Fraction(3, 1))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...agents.organizations import Federation
from ...scheduling.listing import job_order, place_in_order
from .schedule import LocalOrder, Schedule, first_machines


@dataclass(frozen=True)
class Local:
    """No cooperation: each organization list-schedules its own jobs on its own machines."""

    id: ClassVar[str] = "local"
    local_order: LocalOrder = "lpt"

    def run(self, federation: Federation) -> Schedule:
        """Schedule every job at home."""
        return local_schedule(federation, self.local_order)


def local_schedule(federation: Federation, order: LocalOrder = "lpt") -> Schedule:
    """Every organization's list schedule in the given order on its own machines."""
    machine, start = [], []
    for first, org, sizes in zip(first_machines(federation), federation.organizations, federation.sizes, strict=True):
        sequence = job_order(sizes, order, "local_order")
        placed = place_in_order([sizes[i] for i in sequence], [0] * org.machines)
        at = {i: (first + m, s) for i, (m, s, _) in zip(sequence, placed, strict=True)}
        machine.append(tuple(at[i][0] for i in range(len(sizes))))
        start.append(tuple(at[i][1] for i in range(len(sizes))))
    return Schedule(federation, tuple(machine), tuple(start))


def local_makespans(federation: Federation, order: LocalOrder = "lpt") -> tuple[int, ...]:
    """``C_local^(k)`` in grid units, 0 without jobs.

    >>> local_makespans(Federation.of([[2, 3, 2], []], machines=[2, 1]))
    (4, 0)
    """
    return tuple(int(max(row, default=0)) for row in local_schedule(federation, order).ends)


def local_totals(federation: Federation, order: LocalOrder = "spt") -> tuple[int, ...]:
    """Sum of the local completion times of every organization, in grid units."""
    return tuple(int(sum(row)) for row in local_schedule(federation, order).ends)
