"""Every plan of a domain, once per declaration profile, in arrays.

A one-round mechanism plans from the declarations alone. :func:`.planning.collect` asks it for the plan of every profile
that a check needs and keeps what the run depends on: who runs where, the penalties, and the *bill*: a VCG or EVCG
payment is the profile's bill minus the agent's planned time. Distinct rationals are stored once. Where goal and tie
rule allow it, :mod:`.orbits` does the same for all profiles at once.

Profiles are numbered like the cells of an array with one axis per agent: the last agent's declaration changes fastest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ....mechanisms.declaration.protocol import Plan
from ..domain import Concept, Domain, Profile

Ints: TypeAlias = NDArray[np.int64]
BILLED = ("vcg", "evcg")
"""Payments that are a common bill minus the agent's planned time."""
NONE = -1
"""Stands for "no such rational" among the identity numbers of rationals."""


@dataclass
class Rationals:
    """Distinct rationals by number.

    >>> numbers = Rationals()
    >>> numbers.id(Fraction(1, 2)), numbers.id(None), numbers.id(Fraction(1, 2)), numbers.values
    (0, -1, 0, [Fraction(1, 2)])
    """

    values: list[Fraction] = field(default_factory=list)
    _known: dict[Fraction, int] = field(default_factory=dict)

    def id(self, value: Fraction | None) -> int:
        """Number of a rational, -1 for ``None``."""
        if value is None:
            return NONE
        if value not in self._known:
            self._known[value] = len(self.values)
            self.values.append(value)
        return self._known[value]


@dataclass
class Plans:
    """Plans of all profiles of a domain; rows that are not ``ready`` hold nothing.

    ``digit[p, n]`` is the number of agent ``n``'s declaration in ``domain.universe[n]``; ``place`` and ``position`` say
    where she runs; ``penalty[p, n]`` and ``bill[p]`` are numbers in ``rationals``.
    """

    domain: Domain
    digit: Ints
    place: Ints
    position: Ints
    penalty: Ints
    bill: Ints
    ready: NDArray[np.bool_]
    rationals: Rationals

    @classmethod
    def empty(cls, domain: Domain) -> Plans:
        """No plan yet."""
        shape = tuple(len(own) for own in domain.universe)
        digit = np.indices(shape, dtype=np.int64).reshape(len(shape), -1).T.copy()
        blank = np.full(digit.shape, NONE, dtype=np.int64)
        n = len(digit)
        return cls(
            domain, digit, blank, blank.copy(), blank.copy(), np.full(n, NONE), np.zeros(n, dtype=bool), Rationals()
        )

    def declared(self, row: int) -> Profile:
        """Declarations of a profile."""
        return tuple(own[d] for own, d in zip(self.domain.universe, self.digit[row].tolist(), strict=True))

    def put(self, row: int, plan: Plan, billed: bool) -> None:
        """Keep a plan; ``billed`` for VCG and EVCG payments."""
        for n, place in enumerate(plan.places):
            assert place is not None  # one round: everybody stays
            self.place[row, n], self.position[row, n] = place
            self.penalty[row, n] = self.rationals.id(plan.penalties[n])
        self.bill[row] = self.rationals.id(bill_of(plan) if billed else None)
        self.ready[row] = True


def bill_of(plan: Plan) -> Fraction | None:
    """Payment plus planned time, the same for every agent under VCG and EVCG payments."""
    assert plan.payments is not None
    bills = {paid + planned for paid, planned in zip(plan.payments, plan.planned, strict=True) if planned is not None}
    assert len(bills) == 1, "payments are not a common bill minus the planned times"
    return bills.pop()


def needed(domain: Domain, concept: Concept, digit: Ints) -> NDArray[np.bool_]:
    """Profiles that a check looks at: all of them, or for ex-post those where at most one agent cannot be truthful."""
    if concept == "dominant":
        return np.ones(len(digit), dtype=bool)
    off = np.zeros(len(digit), dtype=np.int64)
    for n, own in enumerate(domain.universe):
        possible = np.array([b in domain.lengths[n] for b in own])
        off += ~possible[digit[:, n]]
    return off <= 1
