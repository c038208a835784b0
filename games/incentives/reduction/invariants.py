"""Invariants of a run, on every list of jobs of one machine: the first half of the reduction (:mod:`.check`).

A run reads one machine's list and no goal; the power only changes the unit of time. So it is enough to run all lists of
declared lengths, with all true lengths, on a machine of power 1, under penalties that differ along the list.

With ``E`` the planned time, ``b`` the declaration, ``x`` the length and ``r`` the seconds per unit of length:
postpone, whatever the others are: ``T <= E`` for ``x = b``, ``T = E`` for ``x < b``, ``T >= E + s + (x - b)/c`` for
``x > b``. Renice, the others truthful: ``T = E`` for ``x <= b`` and ``T = E + (x - b)/(s c)`` for ``x > b``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from ....mechanisms.declaration.one_round import OneRound
from ....scheduling.clusters import Cluster
from ....support.errors import ConsortiumError
from ....support.progress import Clock, Progress
from ..domain import Concept, Domain
from ..kernel.arrays import Arrays, prepare
from ..kernel.plans import Plans
from ..kernel.tables import build_tables, possible_lengths

MAX_CELLS = 2_000_000
"""Longest lists are left out when they would need more runs than this."""


def check_invariants(
    mechanism: OneRound, domain: Domain, concept: Concept, progress: Progress | None = None, clock: Clock | None = None
) -> int:
    """Check the invariants on all lists of up to as many jobs as there are agents; returns the length reached.

    Raises ConsortiumError when one fails, which would be a fault of this package, and TimeoutError when time is up.
    """
    everything = tuple(sorted({b for own in (*domain.universe, *domain.lengths) for b in own}))
    reached = 0
    for n_jobs in range(1, domain.n_agents + 1):
        lists = len(everything) ** n_jobs
        runs = lists * (len(everything) if mechanism.tools.alive == "renice" else lists) * n_jobs
        if n_jobs > 1 and runs > MAX_CELLS:
            break
        if progress is not None:
            progress(n_jobs - 1, domain.n_agents, "invariants")
        for plans, one in _lists(mechanism, Domain.of(everything, agents=n_jobs)):
            arrays = prepare(one, plans)
            for position in range(n_jobs):
                if clock is not None and clock.expired():
                    raise TimeoutError
                _check(one, arrays, position)
        reached = n_jobs
    return reached


def _lists(mechanism: OneRound, domain: Domain) -> Iterator[tuple[Plans, OneRound]]:
    """Every ordered list on one machine, under a few patterns of penalties."""
    one = replace(mechanism, cluster=Cluster.of([1]), values=None)
    n = domain.n_agents
    longest = max(domain.lengths[0])
    if mechanism.tools.alive == "renice":
        patterns = [[Fraction(1)] * n, [Fraction(1, 1 + i) for i in range(n)], [Fraction(1, n - i) for i in range(n)]]
    else:
        patterns = [[Fraction(0)] * n, [i * longest for i in range(n)], [(n - i) * longest / 2 for i in range(n)]]
    for pattern in {tuple(p) for p in patterns}:
        plans = Plans.empty(domain)
        plans.place[:] = 0
        plans.position[:] = np.arange(n)
        plans.penalty[:] = [plans.rationals.id(p) for p in pattern]
        plans.ready[:] = True
        yield plans, one


def _check(one: OneRound, arrays: Arrays, position: int) -> None:
    """Compare every cell of one position's tables with what the invariants allow."""
    domain = arrays.plans.domain
    truthful = one.tools.alive == "renice"

    def meant(n: int, b: Fraction) -> tuple[int, ...]:
        return tuple(map(arrays.units, (b,) if truthful and n != position else domain.lengths[n]))

    tables = build_tables(arrays, [position], possible_lengths(arrays, meant), arrays.plans.ready)
    own = np.array([arrays.units(x) for x in domain.lengths[position]], dtype=arrays.scale.dtype)
    n_jobs, options = domain.n_agents, len(own)
    before = 1 if truthful else options**position
    after = 1 if truthful else options ** (n_jobs - 1 - position)
    cells = tables.cells[tables.offset[tables.table[position]][:, None] + np.arange(before * options * after)]
    cells = cells.reshape(-1, before, options, after)
    planned, said = (column[:, position][:, None, None, None] for column in (arrays.planned, arrays.runs.said))
    late = own[None, None, :, None] - said
    if truthful:
        fine = cells == planned + np.where(late > 0, late, 0) * arrays.runs.slope[:, position][:, None, None, None]
    else:
        earliest = arrays.runs.release[:, position][:, None, None, None] + late * arrays.runs.seconds[0]
        fine = np.where(late == 0, cells <= planned, np.where(late < 0, cells == planned, cells >= earliest))
    if not fine.all():
        row: Any = np.argwhere(~fine)[0]
        raise ConsortiumError(
            f"rule {one.rule!r}: an invariant of the run fails for the list {arrays.plans.declared(int(row[0]))}, job "
            f"{position + 1}: please report this"
        )
