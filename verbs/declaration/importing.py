"""Scenarios of kind ``declaration`` from a job log: the most active users, one job each (the median of hers).

>>> from consortium.workloads import Log
>>> log = Log({"job": [1, 2, 3], "submit": [0, 1, 2], "run": [40, 60, 90], "allocated": [1, 1, 1], "user": [7, 7, 9]},
...           name="tiny.swf")
>>> build(log, Import(agents=2, machines=1))["agents"]
[{'name': 'user7', 'length': 60}, {'name': 'user9', 'length': 90}]

With ``prior`` the others know the odds of her length, those of all her jobs:

>>> {x: str(p) for x, p in build(log, Import(agents=2, machines=1, prior=5))["prior"]["lengths"]["user7"].items()}
{'40': '1/2', '60': '1/2'}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from ...support.errors import InputError
from ...workloads.log import Log
from ...workloads.selection import Chosen, common_unit, quantized, sample
from ..importing import Importer, Place, generator, head
from .options import Import


def build(log: Log, options: Import, place: Place | None = None) -> dict[str, Any]:
    """Agents whose jobs are real run times of distinct users; with a seed, random users and jobs."""
    powers, machines = options.powers, options.machines
    if powers is not None and machines is not None and machines != len(powers):
        raise InputError(f"machines: found {machines} but {len(powers)} powers; give one of the two")
    speeds = list(powers) if powers is not None else [Fraction(1)] * (machines or 3)
    chosen = _sampled(log, options, 1)
    title = f"Jobs of {options.agents} {options.by}s of {log.name}"
    scenario = head(log, "declaration", title, chosen, options.unit, options.seed) | {
        "cluster": {"powers": speeds},
        "agents": [{"name": c.name, "length": c.lengths[0]} for c in chosen],
        "mechanism": {"rule": options.rule},
    }
    return scenario if options.prior is None else scenario | _believed(log, options, options.prior, chosen)


def _sampled(log: Log, options: Import, jobs: int) -> tuple[Chosen, ...]:
    """So many jobs of each agent; the same agents, however many."""
    return common_unit(sample(log, options.by, options.agents, jobs, generator(options.seed)), options.unit)


def _believed(log: Log, options: Import, most: int, chosen: Sequence[Chosen]) -> dict[str, Any]:
    """Odds of each agent's length: those of all her jobs, in at most ``most`` lengths, her own among them."""
    agents, odds = [], {}
    for one, every in zip(chosen, _sampled(log, options, len(log.run)), strict=True):
        lengths = quantized(every.lengths, most)
        agents.append({"name": one.name, "length": lengths[every.jobs.index(one.jobs[0])]})
        counts = Counter(lengths)
        odds[one.name] = {str(x): Fraction(counts[x], len(lengths)) for x in sorted(counts)}
    return {"agents": agents, "prior": {"lengths": odds}}


IMPORTER: Final = Importer(Import, build)
