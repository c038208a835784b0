"""Scenarios of kind ``multiuser`` from a job log: the most active users, each with the longest part of her jobs.

>>> from consortium.workloads import Log
>>> log = Log({"job": [1, 2, 3], "submit": [0, 1, 2], "run": [40, 60, 90], "allocated": [1, 1, 1], "user": [7, 7, 9]},
...           name="tiny.swf")
>>> [user["jobs"] for user in build(log, Import(users=2))["users"]]
[[60], [90]]
"""

from __future__ import annotations

from typing import Any, Final

from ...workloads.log import Log
from ...workloads.selection import common_unit, longest
from ..importing import Importer, Place, generator, head
from .options import Import


def build(log: Log, options: Import, place: Place | None = None) -> dict[str, Any]:
    """The first user minimises total completion time, the others the makespan; with a seed, users are random."""
    part = (options.part.numerator, options.part.denominator)
    chosen = common_unit(
        longest(log, options.users, part, options.measure, generator(options.seed)),
        options.unit,
    )
    title = f"The longest jobs of {options.users} users of {log.name}"
    return head(log, "multiuser", title, chosen, options.unit, options.seed) | {
        "machines": options.machines,
        "users": [
            {"name": c.name, "objective": "makespan" if i else "total-completion", "jobs": list(c.lengths)}
            for i, c in enumerate(chosen)
        ],
        "mechanism": {"rule": options.rule},
    }


IMPORTER: Final = Importer(Import, build)
