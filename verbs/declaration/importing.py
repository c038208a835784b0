"""Scenarios of kind ``declaration`` from a job log: the most active users, one job each (the median of hers).

>>> from consortium.workloads import Log
>>> log = Log({"job": [1, 2, 3], "submit": [0, 1, 2], "run": [40, 60, 90], "allocated": [1, 1, 1], "user": [7, 7, 9]},
...           name="tiny.swf")
>>> build(log, Import(agents=2, machines=1))["agents"]
[{'name': 'user7', 'length': 60}, {'name': 'user9', 'length': 90}]
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from ...scheduling.errors import InputError
from ...workloads.log import Log
from ...workloads.selection import common_unit, sample
from ..importing import Importer, Place, generator, head
from .options import Import


def build(log: Log, options: Import, place: Place | None = None) -> dict[str, Any]:
    """Agents whose jobs are real run times of distinct users; with a seed, random users and jobs."""
    powers, machines = options.powers, options.machines
    if powers is not None and machines is not None and machines != len(powers):
        raise InputError(f"machines: found {machines} but {len(powers)} powers; give one of the two")
    speeds = list(powers) if powers is not None else [Fraction(1)] * (machines or 3)
    chosen = common_unit(sample(log, options.by, options.agents, 1, generator(options.seed)), options.unit)
    title = f"Jobs of {options.agents} {options.by}s of {log.name}"
    return head(log, "declaration", title, chosen, options.unit, options.seed) | {
        "cluster": {"powers": speeds},
        "agents": [{"name": c.name, "length": c.lengths[0]} for c in chosen],
        "mechanism": {"rule": options.rule},
    }


IMPORTER: Final = Importer(Import, build)
