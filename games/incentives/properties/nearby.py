"""How near the truth an agent's utility is linear in her length: what limits and jumps of utility are shown with."""

from __future__ import annotations

import math
from fractions import Fraction

from ....mechanisms.declaration.one_round import OneRound
from ....mechanisms.declaration.protocol import DeclarationMechanism
from ....mechanisms.declaration.two_rounds import TwoRounds
from ..domain import Profile

NEAR = Fraction(1, 2**20)
"""Distance from the truth, relative to the declaration, that is taken for code which is not piecewise linear."""


def linear_within(
    mechanism: DeclarationMechanism, agent: int, declared: Profile, lengths: Profile
) -> tuple[Fraction, bool]:
    """A distance from her declaration, on either side of which her utility is linear in her length; whether proved.

    It is proved for the built-in mechanisms, and a guess for one's own. At distance ``d`` from the truth every time of
    a built-in mechanism is ``a + s d`` with ``a`` a multiple of the common unit of all times and payments and ``|s|``
    at most the steepest slope. Two of them can only change order where ``d`` is at least the unit over twice that
    slope; and from a utility with another ``a`` this one stays away by more than half the unit.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> truth = (Fraction(1, 2), Fraction(2))
    >>> linear_within(build("harsh", Cluster.of([1])), 0, truth, truth)
    (Fraction(1, 24), True)
    """
    if not isinstance(mechanism, OneRound | TwoRounds) or type(mechanism) not in (OneRound, TwoRounds):
        return declared[agent] * NEAR, False
    one = mechanism.one if isinstance(mechanism, TwoRounds) else mechanism
    plan = mechanism.plan(declared)
    slowest = min(one.cluster.powers)
    shares = [p for p in plan.penalties if p is not None] if one.tools.alive == "renice" else []
    steepest = (len(declared) + 1) / (slowest * min(shares, default=Fraction(1)))
    parts = [x / c for x in {*declared, *lengths} for c in one.cluster.powers]
    parts += [part / share for part in parts for share in {*shares}]
    parts += [x for x in (*plan.planned, *(plan.payments or ()), *plan.penalties) if x is not None]
    parts += [plan.optimal_sum]
    if one.cutoff is not None:
        parts += [one.cutoff.limit(b) / c for b in declared for c in one.cluster.powers]
        parts += [one.cutoff.limit(b) - b for b in declared if one.cutoff.limit(b) > b]
    unit = Fraction(1, math.lcm(*(x.denominator for x in parts)))
    return min(unit / (4 * steepest), min(declared) / 4), True
