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
from .machine import KILL, POSTPONE, RUN_ON, Runs
from .plans import NONE, Ints, Plans

ALIVE = {"run-on": RUN_ON, "renice": RUN_ON, "postpone": POSTPONE, "kill": KILL}
ROOM = 1 << 58
"""Bound proved for every finite cost, so that sums of four of them stay below the sentinel."""


@dataclass(frozen=True)
class Scale:
    """One unit of length, one of time, and whether int64 holds everything that the kernels form.

    Attributes
    ----------
    refine
        Factor by which both units are finer than needed.
    length, time
        Integer units per unit of length and of time.
    compiled
        Whether the numbers are int64; else Python integers.
    infinity
        Stands for a time that never comes.
    steepest
        Most time units per length unit that an output time grows with a length.
    """

    refine: int
    length: int
    time: int
    compiled: bool
    infinity: int
    steepest: int

    @property
    def dtype(self) -> Any:
        """int64, or object for Python integers."""
        return np.int64 if self.compiled else object


@dataclass(frozen=True)
class Arrays:
    """Plans in integers; ``runs`` is what the kernels read. Rows of profiles without a plan hold zeros."""

    plans: Plans
    scale: Scale
    runs: Runs
    planned: Any
    bill: Any

    def units(self, length: Fraction) -> int:
        """A length in integer units."""
        return int(length * self.scale.length)

    def time(self, value: Any) -> Extended:
        """A cost as an exact number."""
        whole = int(value)
        if abs(whole) == self.scale.infinity:
            return float("inf") if whole > 0 else float("-inf")
        return Fraction(whole, self.scale.time)

    @cached_property
    def paid(self) -> Any:
        """Bill minus planned time; zeros without a bill. Shape (profiles, agents)."""
        return (self.bill[:, None] - self.planned) * (self.plans.bill != NONE)[:, None]


def prepare(mechanism: OneRound, plans: Plans, refine: int = 1, compiled: bool | None = None) -> Arrays:
    """Scale the plans of a mechanism to integers. ``compiled=False`` forces Python integers."""
    scale = _scale(mechanism, plans, refine, compiled)
    order = _order(plans, mechanism.cluster.n_machines)
    seconds = np.array([int(rate * scale.time / scale.length) for rate in _rates(mechanism)], dtype=scale.dtype)
    said = _by_digit(plans, lambda b: int(b * scale.length), scale.dtype)
    planned, static_end = _ends(plans, order, said, seconds)
    values = [int(v * scale.time) for v in plans.rationals.values] + [0]  # the last one for NONE
    times = np.array(values, dtype=scale.dtype)
    release = planned
    if mechanism.tools.alive == "postpone":
        release = np.where(plans.penalty == NONE, static_end, planned + times[plans.penalty])
    tools = ALIVE[mechanism.tools.alive], int(mechanism.tools.close), int(mechanism.tools.early)
    slope, limit = _slopes(mechanism, plans, scale), _limits(mechanism, plans, scale)
    runs = Runs(tools, scale.infinity, plans.place, order, plans.digit, said, seconds, slope, release, limit)
    return Arrays(plans, scale, runs, planned, times[plans.bill])


def _rates(mechanism: OneRound) -> list[Fraction]:
    """Seconds per unit of length on each machine."""
    return [1 / power for power in mechanism.cluster.powers]


def _scale(mechanism: OneRound, plans: Plans, refine: int, compiled: bool | None) -> Scale:
    rates, shares, values = _rates(mechanism), _shares(mechanism, plans), plans.rationals.values
    lengths = {x for own in (*plans.domain.universe, *plans.domain.lengths) for x in own}
    if mechanism.cutoff is not None:
        lengths |= {mechanism.cutoff.limit(b) for b in lengths}
    length_unit = lcm(*(x.denominator for x in lengths))
    postpones = mechanism.tools.alive == "postpone"
    durations = [values[i] for i in np.unique(plans.penalty).tolist() if i != NONE and postpones]
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
    infinity = 1 << 61 if compiled else 8 * bound
    return Scale(refine, length_unit * refine, time_unit * refine, compiled, infinity, steepest)


def _shares(mechanism: OneRound, plans: Plans) -> dict[int, Fraction]:
    """Share of a job that runs on, by penalty number."""
    if mechanism.tools.alive != "renice":
        return {NONE: Fraction(1)}
    return {i: plans.rationals.values[i] if i != NONE else Fraction(1) for i in np.unique(plans.penalty).tolist()}


def _ends(plans: Plans, order: Ints, said: Any, seconds: Any) -> tuple[Any, Any]:
    """Planned output times, and for everybody the planned end of her machine; shape (profiles, agents)."""
    planned, static_end = np.zeros_like(said), np.zeros_like(said)
    rows = np.flatnonzero(plans.ready)
    for m, rate in enumerate(seconds):
        clock = np.zeros(len(rows), dtype=said.dtype)
        for position in range(said.shape[1]):
            here = order[rows, m, position]
            at = np.flatnonzero(here >= 0)
            clock[at] += said[rows[at], here[at]] * rate
            planned[rows[at], here[at]] = clock[at]
        static_end[rows] = np.where(plans.place[rows] == m, clock[:, None], static_end[rows])
    return planned, static_end


def _slopes(mechanism: OneRound, plans: Plans, scale: Scale) -> Any:
    """Time units per length unit beyond the declaration, for jobs that run on."""
    slope = np.zeros(plans.place.shape, dtype=scale.dtype)
    for number, share in _shares(mechanism, plans).items():
        which = (plans.penalty == number) | (mechanism.tools.alive != "renice")
        slopes = [int(rate * scale.time / (scale.length * share)) for rate in _rates(mechanism)]
        slope[which] = np.array(slopes, dtype=scale.dtype)[plans.place[which]]
    return slope


def _limits(mechanism: OneRound, plans: Plans, scale: Scale) -> Any:
    """Largest total work of each job, -1 for none."""
    cutoff = mechanism.cutoff
    if cutoff is None:
        return np.full(plans.place.shape, -1, dtype=scale.dtype)
    return _by_digit(plans, lambda b: int(cutoff.limit(b) * scale.length), scale.dtype)


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
