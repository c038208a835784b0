r"""ToMoS: turn any schedule into one that respects a degree of cooperation.

Model (Ooshita, Izumi and Izumi 2009, as cited by Cordeiro 2012, section 4.1, which states the guarantee only; the
construction here is a reconstruction with that guarantee). Let ``C`` be the makespan of the given schedule ``S``
and sort the organizations by ``c_k = C_local^(k)``, ``c_0 = 0``. Take the smallest ``k`` with ``k = N`` or ``alpha
c_{k+1} >= c_k + C``: the first ``k`` organizations run their local schedules from 0, the others follow ``S``
delayed by ``c_k``.

Promise: ``C^(k) <= alpha C_local^(k)`` and ``C_max <= C sum_{l=0}^{N-1} alpha^-l`` (the thesis prints the sum from
1 to N, which would be less than 1 for ``alpha = 2``). Any number of machines per organization. Ties: by number. The
result may hold idle time; it is not shifted left, which would be a different rule.

>>> fed = Federation.of([[3, 3], [1, 1, 1], [1, 1, 1]])
>>> [Tomos(cooperation=Fraction(alpha)).run(fed).makespan for alpha in (1, 2)]
[Fraction(6, 1), Fraction(4, 1)]
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ...agents.organizations import Federation
from ...support.errors import InputError, unknown_name
from ...support.exact import Rational
from ..registry import rules
from .catalogue import BASES
from .local import local_schedule
from .schedule import LocalOrder, Schedule


@dataclass(frozen=True)
class Tomos:
    """Run the organizations with little work at home first, the others as the base rule's schedule says, delayed."""

    id: ClassVar[str] = "tomos"
    cooperation: Fraction = Fraction(1)
    base: str = "optimal"
    reference: LocalOrder | None = None

    def __post_init__(self) -> None:
        if self.cooperation < 1:
            raise InputError(f"cooperation = {self.cooperation}; expected at least 1")
        if self.base not in BASES:
            raise unknown_name("base", self.base, BASES)

    def run(self, federation: Federation) -> Schedule:
        """Schedule a federation, starting from the base rule's schedule."""
        given: Schedule = rules("federation")[self.base].load()().run(federation)
        return transform(given, self.cooperation, self.reference or "lpt")


def transform(given: Schedule, alpha: Fraction, reference: LocalOrder = "lpt") -> Schedule:
    """Apply ToMoS to a given schedule."""
    federation = given.federation
    home = local_schedule(federation, reference)
    local = [max(row, default=0) for row in home.ends]
    makespan = max(max(row, default=0) for row in given.ends)
    order = sorted(range(len(local)), key=lambda k: local[k])
    at_home: set[int] = set()
    delay: Rational = 0
    for k in order:
        if alpha * local[k] >= delay + makespan:
            break
        at_home.add(k)
        delay = local[k]
    machine, start = [], []
    for k in range(len(federation)):
        source = home if k in at_home else given
        machine.append(source.machine[k])
        start.append(tuple(s + (0 if k in at_home else delay) for s in source.start[k]))
    return Schedule(federation, tuple(machine), tuple(start))
