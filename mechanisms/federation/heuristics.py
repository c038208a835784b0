"""The list heuristics of a federation: ILBA, LPT-LPT, SPT-LPT and Less Helped First, on one instance or on many.

*The Iterative Load Balancing Algorithm* (Cordeiro 2012, section 3.3, after Pascual, Rzadca and Trystram 2009):
organizations enter one after the other, by local makespan. Each takes off its jobs and inserts them again, in local
order, each on the machine that is free first among those of all who have entered, its own included and empty.

The thesis leaves the local order and the ties open. Here: longest first by default (with ``listed`` ILBA does as
badly as Less Helped First in the simulations of section 3.5); organizations by number; machines: an own one, then
in the order of entry, then by number.

>>> Ilba().run(Federation.of([[1], [3, 2, 2]])).makespans
(Fraction(1, 1), Fraction(5, 1))

*LPT-LPT, SPT-LPT and Less Helped First* (section 3.3): at each instant at which machines are free, (1) every free
machine whose organization still has unstarted jobs starts the next one of its organization's local list, in the order
of the machines; (2) every machine still free, in the same order, pulls an unstarted job. LPT-LPT and SPT-LPT pull the
longest job of all (ties: smallest organization, then smallest job); they differ in the local lists, longest or
shortest first. Less Helped First pulls the next listed job of the organization that has received least help so far,
which is the work of its jobs started on foreign machines (ties: smallest organization; counted at every pull).

Promises of all four: no job ends later than in the local schedule of the same order, so the local constraint holds
against that schedule and the selfishness restriction holds; ``C_max <= (2 - 1/M) OPT``. For the last three because (1)
comes before (2), so that a pulled job starts strictly earlier than at home; for ILBA, which is no list schedule over
all machines, because a machine of a later organization ends no earlier than the start considered.

>>> fed = Federation.of([[4, 3, 2], [1]])
>>> [[str(c) for c in rule.run(fed).makespans] for rule in (LptLpt(), SptLpt(), LessHelpedFirst())]
[['6', '1'], ['5', '1'], ['6', '1']]
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ...agents.organizations import Federation
from ...scheduling.listing import job_order
from ...support.errors import check_name
from ...support.exact import fits_int64, is_symbolic
from ...support.jit import fitting
from . import kernels
from .catalogue import LOCAL_ORDERS
from .schedule import LocalOrder, Schedule


class _Heuristic:
    """What the kernels run: its local order, and what idle machines pull; compiled where int64 holds the total work."""

    id: ClassVar[str]
    pulls: ClassVar[Literal["longest", "helped"] | None] = "longest"
    local_order: LocalOrder

    def run(self, federation: Federation) -> Schedule:
        """Schedule a federation."""
        check_name("local_order", self.local_order, LOCAL_ORDERS)
        flat = [size for row in federation.sizes for size in row]
        compiled = not is_symbolic(flat) and fits_int64(sum(flat), 4 * len(flat))
        dtype: Any = np.int64 if compiled else object
        sizes, when = np.array(flat, dtype=dtype), np.zeros(len(flat), dtype=dtype)
        where = np.zeros(len(flat), dtype=np.int64)
        counts = [len(row) for row in federation.sizes], federation.machines
        first, base = (np.cumsum([0, *parts], dtype=np.int64) for parts in counts)  # where each begins, and the total
        lists, steps = _lists(federation, first, self.local_order), len(flat) * (len(flat) + sum(federation.machines))
        arrays = kernels.Instance(sizes, first, base), kernels.Placed(where, when)
        if self.pulls is None:
            fitting(kernels.ilba, compiled, steps)(lists, *arrays)
        else:
            longest = _lists(federation, first, "lpt")
            fitting(kernels.event_loop, compiled, steps)(self.pulls == "helped", lists, longest, *arrays)
        return Schedule(federation, _split(where, first), _split(when, first))


@dataclass(frozen=True)
class Ilba(_Heuristic):
    """Insert the organizations' jobs one organization at a time, the least loaded first."""

    id: ClassVar[str] = "ilba"
    pulls: ClassVar[None] = None
    local_order: LocalOrder = "lpt"


@dataclass(frozen=True)
class LptLpt(_Heuristic):
    """Own jobs longest first; an idle machine pulls the longest unstarted job of all organizations."""

    id: ClassVar[str] = "lpt-lpt"
    local_order: LocalOrder = field(default="lpt", init=False)


@dataclass(frozen=True)
class SptLpt(_Heuristic):
    """Own jobs shortest first; an idle machine pulls the longest unstarted job of all organizations."""

    id: ClassVar[str] = "spt-lpt"
    local_order: LocalOrder = field(default="spt", init=False)


@dataclass(frozen=True)
class LessHelpedFirst(_Heuristic):
    """Own jobs in local order; an idle machine pulls the next job of the organization helped least so far."""

    id: ClassVar[str] = "less-helped-first"
    pulls: ClassVar[Literal["helped"]] = "helped"
    local_order: LocalOrder = "listed"


HEURISTICS: dict[str, type[_Heuristic]] = {rule.id: rule for rule in (Ilba, LptLpt, SptLpt, LessHelpedFirst)}
"""The compiled heuristics by name."""


def _lists(federation: Federation, first: NDArray[np.int64], order: LocalOrder) -> NDArray[np.int64]:
    """Every organization's jobs in list order, numbered over all organizations."""
    rows = zip(federation.sizes, first.tolist(), strict=False)
    return np.array([start + i for row, start in rows for i in job_order(row, order)], dtype=np.int64)


def _split(flat: NDArray[Any], first: NDArray[np.int64]) -> tuple[tuple[int, ...], ...]:
    values = flat.tolist()
    return tuple(tuple(values[a:b]) for a, b in itertools.pairwise(first.tolist()))
