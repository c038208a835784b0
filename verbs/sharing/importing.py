"""Scenarios of kind ``sharing`` from a job log: no choice, the scenario names the log and the window.

The jobs are read when the scenario is run.

>>> from consortium.workloads import Log
>>> log = Log({"job": [1, 2], "submit": [0, 1], "run": [40, 60], "allocated": [1, 1], "user": [7, 9]}, name="tiny.swf")
>>> build(log, Import(organizations=2, shares=[3, 1], duration=50))["trace"]
{'file': 'tiny.swf', 'duration': 50, 'windows': 1, 'machines': 4, 'organizations': 2, 'shares': [3, 1]}
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

from ...scenarios.reader import load
from ...scenarios.sharing_fields import shortest
from ...support.errors import InputError
from ...workloads.log import Log
from ...workloads.reading import find_log
from ...workloads.resources import weighed
from ..importing import Importer, Place, head
from .model import plan
from .options import Import
from .plan import limit_of, scaled


def build(log: Log, options: Import, place: Place | None = None) -> dict[str, Any]:
    """A scenario that names the log; without ``place``, by the log's own name."""
    if options.weights is not None:
        log = weighed(log, options.weights)
    shares = options.shares if isinstance(options.shares, str) else list(options.shares)
    total = options.machines or log.max_processors() or log.peak_processors()
    if not isinstance(shares, str):
        shares = list(scaled(total, shares))
        total = sum(shares)
    if total is None:
        raise InputError(f"machines: none given and {log.name} does not state them; expected a positive number")
    most = limit_of(log, options.organizations, options.limit)
    limit = {} if most is None else {"limit": most}
    trace: dict[str, Any] = {"file": log.name if place is None else _name_for(place)}
    if options.start is not None:
        trace["start"] = options.start
    trace |= {"duration": options.duration, "windows": options.windows, "machines": total}
    trace |= {"organizations": options.organizations, **limit, "shares": shares}
    if options.weights is not None:
        trace["weights"] = shortest(options.weights)
    scenario = head(log, "sharing", f"A window of {log.name}", (), 1, options.seed) | {
        "mechanism": {"rule": options.rule},
        "trace": trace,
    }
    plan(load(scenario)).window(log)  # refuses what run would: more organizations than users or machines, for one
    return scenario


def _name_for(place: Place) -> str:
    """How a scenario in its folder names the log: as given if that is found anyway, else relative."""
    path = find_log(place.log)
    if place.log.is_absolute() or path != place.log:  # absolute, or found among $CONSORTIUM_TRACES
        return str(place.log)
    return os.path.relpath(path, place.output.parent if place.output is not None else Path())


IMPORTER: Final = Importer(Import, build)
