"""Run the compiled REF: arrays for all coalitions, their results."""

from __future__ import annotations

import numpy as np

from ....scheduling.progress import Progress
from ..arrays import IntArray
from ..instance import SharingInstance
from ..ranges import common_multiple, over_members, potentials_fit, running_at_most
from ..rules.books import LAST, PARTS, PSI, RUNNING
from ..runs import RefRun
from ..shapley import fold_weights
from .drive import advance, jobs_of, moments
from .events import ENTRIES, NOW, Jobs
from .ref import FAR, PART_COLUMNS, WHOLE_COLUMNS, Constants, Sites, run_chunk


def run(
    instance: SharingInstance, until: int, step: int, method: str, every: bool, progress: Progress | None
) -> RefRun:
    """REF for psi_sp with the arithmetic ``"int64"`` or ``"two-limbs"``, comparing values at ``t + step``."""
    jobs = jobs_of(instance, until)
    fixed = _constants(instance, jobs, step, method, every)
    sites = _sites(instance, jobs, fixed)
    complete = advance(run_chunk, (jobs, fixed, sites), sites.clock, jobs.until, method, progress)
    moment = jobs.until if complete else int(sites.clock[NOW])
    for rows in (sites.whole, sites.part):
        d = moment - rows[:, LAST]
        rows[:, PSI] += d * rows[:, PARTS] + rows[:, RUNNING] * (d * (d + 1) // 2)
    utilities = sites.part[:, PSI].reshape(-1, instance.n_organizations)
    return RefRun(moments(jobs, sites.start), sites.whole[:, PSI], utilities, moment + jobs.origin, complete, method)


def _constants(instance: SharingInstance, jobs: Jobs, step: int, method: str, every: bool) -> Constants:
    k = instance.n_organizations
    base = np.concatenate([[0], np.cumsum(running_at_most(instance))])
    return Constants(
        step=step,
        limbs=2 if method == "two-limbs" else 1,
        potentials=int(method == "int64" and potentials_fit(instance, jobs.origin + jobs.until)),
        multiple=common_multiple(k),
        every=int(every),
        weights=fold_weights(k),
        sizes=over_members([1] * k),
        base=base,
    )


def _sites(instance: SharingInstance, jobs: Jobs, fixed: Constants) -> Sites:
    k, n_masks = jobs.machines.size, fixed.sizes.size

    def zeros(*shape: int) -> IntArray:
        return np.zeros(shape, dtype=np.int64)

    return Sites(
        clock=zeros(ENTRIES),
        known=zeros(k),
        heap=zeros(int(fixed.base[-1]) + 1),
        whole=zeros(n_masks, WHOLE_COLUMNS),
        part=zeros(n_masks * k, PART_COLUMNS),
        soonest=np.full(n_masks, FAR, dtype=np.int64),
        free=over_members(instance.machines),
        start=np.full((n_masks if fixed.every else 1, jobs.length.size), -1, dtype=np.int64),
        contended=zeros(n_masks),
        values=zeros(n_masks),
        stamp=np.full(n_masks, -1, dtype=np.int64),
        potentials=zeros(n_masks),
        scratch=zeros(2, n_masks),
        sums=zeros(2, k),
        high=zeros(k),
        low=zeros(k),
    )
