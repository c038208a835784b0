"""Integer arrays for the kernels: one unit of length, one unit of time, and a proof that int64 is wide enough.

Lengths are multiples of ``1/length_unit``, times of ``1/time_unit``; the time unit is the least common denominator of
everything that a run can add up (seconds per length unit on each machine and at each share, bills, durations). The
range proof bounds every sum that the kernels form; where it fails, the same arrays hold Python integers and the kernels
run uncompiled.

``refine`` makes both units finer by an integer factor ``K``. With ``K`` larger than twice any slope, a length ``b + 1``
in the finer unit acts like ``b`` plus an infinitesimal: times are ``K t + s`` with ``|s| < K/2``, so comparisons are
decided by ``t`` first and by the slope ``s`` only in a tie, and rounding ``/ K`` gives the exact one-sided limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np

from ....mechanisms.declaration.one_round import OneRound
from ....scheduling.exact import Extended, fits_int64
from .machine import KILL, POSTPONE, RUN_ON
from .plans import NONE, Ints, Plans

ALIVE = {"run-on": RUN_ON, "renice": RUN_ON, "postpone": POSTPONE, "kill": KILL}
ROOM = 1 << 58
"""Bound proved for every finite cost, so that sums of four of them stay below the sentinel."""


@dataclass(frozen=True)
class Arrays:
    """What the kernels read; shapes and meaning in :mod:`.machine`. Rows of profiles without a plan hold zeros."""

    plans: Plans
    refine: int
    length_unit: int
    time_unit: int
    compiled: bool
    infinity: Any
    tools: tuple[int, int, int]
    order: Ints
    said: Any
    seconds: Any
    planned: Any
    slope: Any
    release: Any
    limit: Any
    bill: Any
    steepest: int

    @property
    def dtype(self) -> Any:
        """int64, or object for Python integers."""
        return np.int64 if self.compiled else object

    def time(self, value: Any) -> Extended:
        """A cost as an exact number."""
        whole = int(value)
        if abs(whole) == self.infinity:
            return float("inf") if whole > 0 else float("-inf")
        return Fraction(whole, self.time_unit)

    @cached_property
    def paid(self) -> Any:
        """Bill minus planned time; zeros without a bill. Shape (profiles, agents)."""
        return (self.bill[:, None] - self.planned) * (self.plans.bill != NONE)[:, None]


def prepare(mechanism: OneRound, plans: Plans, refine: int = 1, compiled: bool | None = None) -> Arrays:
    """Scale the plans of a mechanism to integers. ``compiled=False`` forces Python integers."""
    rates = [1 / power for power in mechanism.cluster.powers]
    shares = _shares(mechanism, plans)
    values = plans.rationals.values
    lengths = {x for own in plans.domain.universe for x in own}
    lengths |= {x for own in plans.domain.lengths for x in own} | _limits(mechanism, lengths)
    length_unit = lcm(*(x.denominator for x in lengths))
    durations = [
        values[i] for i in np.unique(plans.penalty).tolist() if i != NONE and mechanism.tools.alive == "postpone"
    ]
    bills = [values[i] for i in np.unique(plans.bill).tolist() if i != NONE]
    time_unit = lcm(
        *((rate / length_unit).denominator for rate in rates),
        *((rate / (length_unit * share)).denominator for rate in rates for share in shares.values()),
        *(x.denominator for x in [*durations, *bills]),
    )
    longest = int(max(lengths) * length_unit) * refine
    steepest = int(max(rates) / min(shares.values(), default=Fraction(1)) * time_unit / length_unit)
    largest = max([Fraction(0), *map(abs, bills)]) + max([Fraction(0), *durations])
    bound = (plans.domain.n_agents + 1) ** 2 * (2 * longest * steepest + int(largest * time_unit) * refine + 1)
    if compiled is None:
        compiled = bound < ROOM and fits_int64(4 * bound)
    return _fill(mechanism, plans, refine, length_unit * refine, time_unit * refine, shares, compiled, bound, steepest)


def _shares(mechanism: OneRound, plans: Plans) -> dict[int, Fraction]:
    """Share of a job that runs on, by penalty number."""
    if mechanism.tools.alive != "renice":
        return {NONE: Fraction(1)}
    return {i: plans.rationals.values[i] if i != NONE else Fraction(1) for i in np.unique(plans.penalty).tolist()}


def _limits(mechanism: OneRound, lengths: set[Fraction]) -> set[Fraction]:
    return set() if mechanism.cutoff is None else {mechanism.cutoff.limit(b) for b in lengths}


def _fill(
    mechanism: OneRound,
    plans: Plans,
    refine: int,
    length_unit: int,
    time_unit: int,
    shares: dict[int, Fraction],
    compiled: bool,
    bound: int,
    steepest: int,
) -> Arrays:
    dtype: Any = np.int64 if compiled else object
    n_profiles, n_agents = plans.place.shape
    rates = [1 / power for power in mechanism.cluster.powers]
    seconds = np.array([int(rate * time_unit / length_unit) for rate in rates], dtype=dtype)
    said = _by_digit(plans, lambda b: int(b * length_unit), dtype)
    order = _order(plans, len(rates))
    planned = np.zeros((n_profiles, n_agents), dtype=dtype)
    static_end = np.zeros((n_profiles, n_agents), dtype=dtype)
    rows = np.flatnonzero(plans.ready)
    for m, rate in enumerate(seconds):
        clock = np.zeros(len(rows), dtype=dtype)
        for position in range(n_agents):
            here = order[rows, m, position]
            at = np.flatnonzero(here >= 0)
            clock[at] += said[rows[at], here[at]] * rate
            planned[rows[at], here[at]] = clock[at]
        on_machine = np.where(plans.place[rows] == m, clock[:, None], static_end[rows])
        static_end[rows] = on_machine
    values = [int(v * time_unit) for v in plans.rationals.values] + [0]  # the last one for NONE
    scaled = np.array(values, dtype=dtype)
    slope = np.zeros((n_profiles, n_agents), dtype=dtype)
    for number, share in shares.items():
        which = (
            np.ones_like(plans.penalty, dtype=bool) if mechanism.tools.alive != "renice" else plans.penalty == number
        )
        slopes = np.array([int(rate * time_unit / (length_unit * share)) for rate in rates], dtype=dtype)
        slope[which] = slopes[plans.place[which]]
    postpones = mechanism.tools.alive == "postpone"
    release = np.where(plans.penalty == NONE, static_end, planned + scaled[plans.penalty]) if postpones else planned
    no_limit = np.full((n_profiles, n_agents), -1, dtype=dtype)
    cutoff = mechanism.cutoff
    limit = no_limit if cutoff is None else _by_digit(plans, lambda b: int(cutoff.limit(b) * length_unit), dtype)
    return Arrays(
        plans=plans,
        refine=refine,
        length_unit=length_unit,
        time_unit=time_unit,
        compiled=compiled,
        infinity=1 << 61 if compiled else 8 * bound,
        tools=(ALIVE[mechanism.tools.alive], int(mechanism.tools.close), int(mechanism.tools.early)),
        order=order,
        said=said,
        seconds=seconds,
        planned=planned,
        slope=slope,
        release=release,
        limit=limit,
        bill=scaled[plans.bill],
        steepest=steepest,
    )


def _by_digit(plans: Plans, number: Any, dtype: Any) -> Any:
    """A number of each declaration, shape (profiles, agents)."""
    columns = [
        np.array([number(b) for b in own], dtype=dtype)[plans.digit[:, n]]
        for n, own in enumerate(plans.domain.universe)
    ]
    return np.stack(columns, axis=1)


def _order(plans: Plans, n_machines: int) -> Ints:
    """Jobs of every machine in running order, padded with -1."""
    n_profiles, n_agents = plans.place.shape
    order = np.full((n_profiles, n_machines, n_agents), NONE, dtype=np.int64)
    rows = np.flatnonzero(plans.ready)
    for n in range(n_agents):
        order[rows, plans.place[rows, n], plans.position[rows, n]] = n
    return order
