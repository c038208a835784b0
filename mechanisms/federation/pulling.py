r"""LPT-LPT, SPT-LPT and Less Helped First: own lists first, and an idle machine pulls work from the others.

Model (Cordeiro 2012, section 3.3). At each instant at which machines are free: (1) every free machine whose
organization still has unstarted jobs starts the next one of its organization's local list, in the order of the
machines; (2) every machine still free, in the same order, pulls an unstarted job. LPT-LPT and SPT-LPT pull the
longest job of all (ties: smallest organization, then smallest job); they differ in the local lists, longest or
shortest first. Less Helped First pulls the next listed job of the organization that has received least help so far,
which is the work of its jobs started on foreign machines (ties: smallest organization); the count is updated at
every pull, also between pulls at one instant.

Promises, all because (1) comes before (2), so that a pulled job starts strictly earlier than it would have at home:
no job ends later than in the local schedule of the same order, the selfishness restriction holds, and ``C_max <= (2
- 1/M) OPT``. The local constraint holds against the local schedule of the same order only.

>>> fed = Federation.of([[4, 3, 2], [1]])
>>> LptLpt().run(fed).makespans, SptLpt().run(fed).makespans, LessHelpedFirst().run(fed).makespans
((Fraction(6, 1), Fraction(1, 1)), (Fraction(5, 1), Fraction(1, 1)), (Fraction(6, 1), Fraction(1, 1)))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...agents.organizations import Federation
from . import arrays
from .schedule import LocalOrder, Schedule


@dataclass(frozen=True)
class LptLpt:
    """Own jobs longest first; an idle machine pulls the longest unstarted job of all organizations."""

    id: ClassVar[str] = "lpt-lpt"
    local_order: ClassVar[LocalOrder] = "lpt"

    def run(self, federation: Federation) -> Schedule:
        """Schedule a federation."""
        return arrays.run("lpt-lpt", federation)


@dataclass(frozen=True)
class SptLpt:
    """Own jobs shortest first; an idle machine pulls the longest unstarted job of all organizations."""

    id: ClassVar[str] = "spt-lpt"
    local_order: ClassVar[LocalOrder] = "spt"

    def run(self, federation: Federation) -> Schedule:
        """Schedule a federation."""
        return arrays.run("spt-lpt", federation)


@dataclass(frozen=True)
class LessHelpedFirst:
    """Own jobs in local order; an idle machine pulls the next job of the organization helped least so far."""

    id: ClassVar[str] = "less-helped-first"
    local_order: LocalOrder = "listed"

    def run(self, federation: Federation) -> Schedule:
        """Schedule a federation."""
        return arrays.run("less-helped-first", federation, self.local_order)
