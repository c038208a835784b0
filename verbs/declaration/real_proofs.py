"""What a record of dynamics over all numbers proves by itself: everything, by playing them once more.

Every supremum is computed anew from the code on a symbol, whose every piece is compared with the mechanism run on plain
numbers, and whose walk is repeated; see :mod:`...games.proofs.execution`.
"""

from __future__ import annotations

from ...scenarios.scenario import Scenario
from ...support.progress import Clock
from ..proving import Claim, Comparisons
from .options import Search
from .real import UNSAID, fields_over_reals

PROVED = ("players", "profiles", "sense", "equilibria", "dynamics", *UNSAID)


def over_reals(record: Claim, scenario: Scenario, options: Search, clock: Clock) -> Comparisons:
    """Play the dynamics once more. A run that was stopped by the clock stays unproved."""
    if record["dynamics"]["ended"].value == "stopped":
        return
    found = fields_over_reals(scenario, options.model_copy(update={"time_limit": clock.left()}))
    if found["dynamics"].ended == "stopped":
        raise TimeoutError
    for name in PROVED:
        yield from record[name].proves(found[name])
