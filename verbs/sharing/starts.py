"""What the cluster itself did, by the log's own starts: which logs say it, and which jobs are left out of them.

A few jobs of many real logs have no waiting time, or a negative one (a clock that was set back). They are left out of
the whole audit, so that all rules share the same jobs; where they are many, what the cluster did is not known.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from ...workloads.log import EXAMPLES, Log, Skipped
from .options import Audit
from .rules import RECORDED, is_recorded

FEW: Final = 20
"""Jobs may have no known start if at most one in so many has none."""


def starts_known(log: Log) -> bool:
    """Whether the log says of every job when it started."""
    return bool((log.column("wait") >= 0).all())


def started(log: Log, options: Audit) -> tuple[Log, tuple[str, ...]]:
    """The log to be replayed where what the cluster did is among the rules, and a sentence where it cannot be."""
    wanted = options.rules is None or any(map(is_recorded, options.rules.values()))
    if not wanted or starts_known(log):
        return log, ()
    wait = log.column("wait")
    unknown = int((wait < 0).sum())
    if unknown * FEW > len(log):
        told = "any job" if unknown == len(log) else f"{unknown:,} of {len(log):,} jobs"
        return log, (f"The log does not say when {told} started, so {RECORDED}, what the cluster did, is not shown",)
    skipped = list(log.report.skipped)
    reasons = (("no start is known", wait == -1), ("started before it was submitted (a clock set back?)", wait < -1))
    for reason, bad in reasons:
        if bad.any():
            skipped.append(Skipped(reason, int(bad.sum()), tuple(int(job) for job in log.job[bad][:EXAMPLES])))
    report = replace(log.report, kept=len(log) - unknown, skipped=tuple(skipped))
    return log.take(np.flatnonzero(wait >= 0), report), ()
