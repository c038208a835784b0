"""Run the compiled REF: arrays for all coalitions, which of its two ways to take, their results."""

from __future__ import annotations

from typing import Final

import numpy as np

from ....support.progress import Progress
from ..arrays import IntArray
from ..instance import SharingInstance
from ..ranges import common_multiple, origin, over_members, potentials_fit, ref_arithmetic, running_at_most
from ..rules.books import LAST, PARTS, PSI, RUNNING
from ..runs import RefRun
from ..shapley import fold_weights
from .coalitions import FAR, PART_COLUMNS, WHOLE_COLUMNS, Constants, Keys, Sites
from .drive import advance, jobs_of, moments
from .events import ENTRIES, NOW, Jobs
from .ref import Sums, run_chunk
from .ref_threads import go_through_windows

WORTH: Final = 10**8
"""Coalitions times units of time from which windows are worth compiling."""


def run(
    instance: SharingInstance,
    until: int,
    step: int,
    method: str,
    every: bool,
    progress: Progress | None,
    threads: int,
) -> RefRun:
    """REF for psi_sp with the arithmetic ``"int64"`` or ``"two-limbs"``, comparing values at ``t + step``.

    Moment by moment, and in windows where moments are close together and much is left to do; both go on where the
    other stopped. Windows are shared out over ``threads``, 0 for all cores.
    """
    jobs, fixed, sites = _prepared(instance, until, step, method, every)
    keys = Keys(*np.zeros((2, jobs.machines.size), dtype=np.int64))
    arguments = (jobs, fixed, sites, _sums(jobs, fixed), keys)
    complete = True
    while complete and sites.clock[NOW] < jobs.until:
        complete = advance(run_chunk, arguments, sites.clock, jobs.until, method, progress)
        if complete and sites.clock[NOW] < jobs.until:
            complete = go_through_windows(jobs, fixed, sites, threads, progress)
    return _found(jobs, sites, complete, method)


def in_windows(instance: SharingInstance, until: int) -> bool:
    """Whether a run is expected to go through windows: as many completions as units of time, and many of both."""
    span, k = until - origin(instance, until), instance.n_organizations
    many = span << k >= WORTH and span <= instance.n_jobs << max(0, k - 1)
    return many and ref_arithmetic(instance, until) == "int64" and potentials_fit(instance, until)


def _prepared(
    instance: SharingInstance, until: int, step: int, method: str, every: bool
) -> tuple[Jobs, Constants, Sites]:
    k, n_masks = instance.n_organizations, 2**instance.n_organizations
    jobs = jobs_of(instance, until)
    fixed = Constants(
        step=step,
        limbs=2 if method == "two-limbs" else 1,
        multiple=common_multiple(k),
        every=int(every),
        windows=jobs.until - (WORTH >> k) if method == "int64" and potentials_fit(instance, until) else 0,
        sizes=over_members([1] * k),
        base=np.concatenate([[0], np.cumsum(running_at_most(instance))]),
    )
    sites = Sites(
        clock=_zeros(ENTRIES),
        known=_zeros(k),
        heap=_zeros(int(fixed.base[-1]) + 1),
        whole=_zeros(n_masks, WHOLE_COLUMNS),
        part=_zeros(n_masks * k, PART_COLUMNS),
        soonest=np.full(n_masks, FAR, dtype=np.int64),
        free=over_members(instance.machines),
        start=np.full((n_masks if every else 1, jobs.length.size), -1, dtype=np.int64),
    )
    return jobs, fixed, sites


def _sums(jobs: Jobs, fixed: Constants) -> Sums:
    k, n_masks = jobs.machines.size, fixed.sizes.size
    return Sums(
        weights=fold_weights(k),
        contended=_zeros(n_masks),
        values=_zeros(n_masks),
        stamp=np.full(n_masks, -1, dtype=np.int64),
        scratch=_zeros(2, n_masks),
        total=_zeros(2, k),
    )


def _zeros(*shape: int) -> IntArray:
    return np.zeros(shape, dtype=np.int64)


def _found(jobs: Jobs, sites: Sites, complete: bool, method: str) -> RefRun:
    moment = jobs.until if complete else int(sites.clock[NOW])
    for rows in (sites.whole, sites.part):
        d = moment - rows[:, LAST]
        rows[:, PSI] += d * rows[:, PARTS] + rows[:, RUNNING] * (d * (d + 1) // 2)
    utilities = sites.part[:, PSI].reshape(-1, jobs.machines.size)
    return RefRun(moments(jobs, sites.start), sites.whole[:, PSI], utilities, moment + jobs.origin, complete, method)
