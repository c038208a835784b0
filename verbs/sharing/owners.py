"""A file of everybody in a log: who counts as which organization, how much each used and how long its jobs waited.

An audit names the owners that have most of the work, the rest are one organization, others. The file has a line for
each, whoever has most work first, of the jobs submitted in the part of the log that is looked at, by the log's own
record: no replay, no window. Where users are dealt to bags, anew in every window, the organization is left empty. A job
that had not started when the log ended has waited until then, and has used nothing. So these are other numbers than an
audit's of the same days, which are those of jobs in a window, up to its end.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ...support.files import csv_text, write_text
from ...workloads.log import IntArray, Log
from ...workloads.partition import by_column
from .plan import period_of
from .setup import Setup
from .verdict import HIGH, Floats, slowdowns

COLUMNS: Final = (
    *("organization", "jobs submitted", "still waiting", "machine time to their end (s)", "part of that (%)"),
    *("mean wait (s)", "median wait (s)", f"{HIGH} % wait no longer than (s)", "mean slowdown"),
)


def save_owners(setup: Setup, path: str) -> None:
    """Write the file. Raises InputError where it cannot be written."""
    log, options, column = setup.log, setup.options, setup.plan.organizations
    part, moment = period_of(log, options.since, options.until), log.submit - int(log.submit.min())
    owner = column if isinstance(column, str) else "user"
    owners = by_column(log, owner)
    counted = by_column(log, owner, setup.plan.limit).names if isinstance(column, str) else ("",)
    inside = np.flatnonzero((moment >= part.since) & (moment <= part.until))
    inside = inside[np.argsort(owners.owner[inside], kind="stable")]
    bounds, use = np.searchsorted(owners.owner[inside], np.arange(len(owners) + 1)), _used(log)
    whole, rows = float(use[inside].sum()) or 1.0, []
    for u, (name, a, b) in enumerate(zip(owners.names, bounds, bounds[1:], strict=False)):
        jobs, used = inside[a:b], float(use[inside[a:b]].sum())
        organization = counted[min(u, len(counted) - 1)]
        numbers = (jobs.size, int(log.waiting[jobs].sum()), int(used), f"{100 * used / whole:.4g}", *_waits(log, jobs))
        rows.append((name, organization, *numbers))
    write_text(path, csv_text([(owner, *COLUMNS), *rows]))


def _used(log: Log) -> Floats:
    """Machine time of every job; what waits has used none, whatever it is believed to take."""
    return np.asarray((log.run * ~log.waiting).astype(np.float64) * log.processors)


def _waits(log: Log, jobs: IntArray) -> list[str]:
    """Mean, median and high wait, and mean slowdown, of those jobs of which it is known; empty where of none."""
    waiting = log.waiting[jobs]
    wait = np.where(waiting, log.end - log.submit[jobs], log.column("wait")[jobs]).astype(np.float64)
    ran = (wait >= 0) & ~waiting
    waits, slowdown = wait[wait >= 0], slowdowns(wait[ran], log.run[jobs][ran].astype(np.float64))
    if not waits.size:
        return [""] * 4
    times = [waits.mean(), np.median(waits), np.percentile(waits, HIGH)]
    return [*(f"{time:.6g}" for time in times), f"{slowdown.mean():.6g}" if ran.any() else ""]
