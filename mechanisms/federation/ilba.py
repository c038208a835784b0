r"""The Iterative Load Balancing Algorithm.

Model (Cordeiro 2012, section 3.3, after Pascual, Rzadca and Trystram 2009): organizations enter one after the
other, by local makespan. The first keeps its local schedule; each next one takes off all its jobs and inserts them
again, in local order, each on the machine that is free first among the machines of those entered so far, its own
included and empty.

The thesis leaves the local order and the ties open. Here: longest first by default (with ``listed`` ILBA does as
badly as Less Helped First in the simulations of section 3.5); organizations by number; machines: an own one, then
in the order of entry, then by number.

Promises: no job ends later than in the local schedule of the same order, so the local constraint holds against that
schedule and the selfishness restriction holds; ``C_max <= (2 - 1/M) OPT``, which needs an argument of its own
because ILBA is no list schedule over all machines: a machine of a later organization ends no earlier than the start
considered.

>>> Ilba().run(Federation.of([[1], [3, 2, 2]])).makespans
(Fraction(1, 1), Fraction(5, 1))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...agents.organizations import Federation
from . import arrays
from .schedule import LocalOrder, Schedule


@dataclass(frozen=True)
class Ilba:
    """Insert the organizations' jobs one organization at a time, the least loaded first."""

    id: ClassVar[str] = "ilba"
    local_order: LocalOrder = "lpt"

    def run(self, federation: Federation) -> Schedule:
        """Schedule a federation."""
        return arrays.run("ilba", federation, self.local_order)
