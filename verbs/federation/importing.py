"""Scenarios of kind ``federation`` from a job log: the most active groups (or users, ...) with some jobs of each.

The jobs are spread evenly over the quantiles of the run times of each; with a seed they are random.

>>> from consortium.workloads import Log
>>> log = Log({"job": [1, 2, 3], "submit": [0, 1, 2], "run": [40, 60, 90], "allocated": [1, 1, 1], "user": [7, 7, 9]},
...           name="tiny.swf")
>>> build(log, Import(organizations=2, jobs=1, machines=[2, 1], by="user"))["organizations"]
[{'name': 'user7', 'machines': 2, 'jobs': [60]}, {'name': 'user9', 'machines': 1, 'jobs': [90]}]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ...support.errors import InputError
from ...workloads.log import Log
from ...workloads.partition import divide
from ...workloads.selection import common_unit, sample
from ..importing import Importer, Place, generator, head
from .options import Import


def build(log: Log, options: Import, place: Place | None = None) -> dict[str, Any]:
    """Organizations with some of their real jobs."""
    counts = _counts(options)
    chosen = common_unit(
        sample(log, options.by, options.organizations, options.jobs, generator(options.seed)), options.unit
    )
    mechanism = {"rule": options.rule}
    if options.rule == "coordination":
        mechanism["priority"] = "organizations"
    title = f"Jobs of {options.organizations} {options.by}s of {log.name}"
    return head(log, "federation", title, chosen, options.unit, options.seed) | {
        "organizations": [
            {"name": c.name, "machines": count, "jobs": list(c.lengths)}
            for c, count in zip(chosen, counts, strict=True)
        ],
        "mechanism": mechanism,
    }


def _counts(options: Import) -> Sequence[int]:
    machines, organizations = options.machines, options.organizations
    if options.shares is not None:
        if not isinstance(machines, int):
            raise InputError("shares: expected machines to be one number, the total, or leave shares out")
        # the most active has most; the order of the random ranks does not matter
        return sorted(divide(machines, organizations, options.shares, np.random.default_rng(0)), reverse=True)
    counts = [machines] * organizations if isinstance(machines, int) else list(machines)
    if len(counts) != organizations:
        raise InputError(f"machines: found {counts}; expected {organizations} numbers, one per organization")
    return counts


IMPORTER: Final = Importer(Import, build)
