r"""From a profile in floats to one in rationals: Newton's method in many digits, then small denominators.

On the supports of a profile an equilibrium solves polynomial equations: all strategies that a player plays cost her the
same, and her probabilities sum to 1. Of two players they are linear; of more the solution is irrational in general,
and then no rational profile is an equilibrium. Candidates are returned, from the one with the smallest denominators on;
whether one is an equilibrium is for :func:`.profiles.judged` to say.

References
----------
.. [Nas51] J. Nash, "Non-cooperative games", Annals of Mathematics 54, 1951 (a game of three whose only equilibrium is
   irrational).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np

from .gambit import Floats
from .profiles import CostTables, Mixes, against

SUPPORT: Final = 1e-6
"""A probability below this one counts as none."""
NEAR: Final = 1e-3
"""How far the solution may be from the proposal."""
DIGITS: Final = 120
DENOMINATORS: Final = (10**3, 10**9, 10**50)
"""Largest ones tried: a rational with one is recognized by twice as many digits."""
GRID: Final = 10**12
"""Approximations are multiples of one over this."""


def refined(tables: CostTables, found: Floats) -> Iterator[Mixes]:
    """Rational profiles near a float one: candidates for an equilibrium, the last of them rounded decimals."""
    near = _solved(tables, found) or tuple(tuple(map(Fraction, mix)) for mix in found)
    for bound in DENOMINATORS:
        mixes = tuple(tuple(max(p, Fraction(0)).limit_denominator(bound) for p in mix) for mix in near)
        if all(sum(mix) == 1 for mix in mixes):
            yield mixes
    yield tuple(map(_decimal, near))


def _decimal(mix: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Multiples of ``1 / GRID`` that sum to 1; the largest takes what rounding leaves."""
    weights = [max(0, round(p * GRID)) for p in mix]
    weights[weights.index(max(weights))] += GRID - sum(weights)
    return tuple(Fraction(weight, GRID) for weight in weights)


def _solved(tables: CostTables, found: Floats) -> Mixes | None:
    """The solution of the equations on the supports nearby, to many digits; ``None`` where Newton finds none."""
    import mpmath

    supports = [[s for s, p in enumerate(mix) if p > SUPPORT] for mix in found]
    costs = [_within(own, supports) for own in tables.costs]
    start = [p for mix, support in zip(found, supports, strict=True) for p in (mix[s] for s in support)]

    def equations(*unknown: Any) -> list[Any]:
        """Every strategy played costs what the first one does; probabilities sum to 1."""
        rest = list(unknown)
        mixes = [[rest.pop(0) for _ in support] for support in supports]
        rows = []
        for k, own in enumerate(costs):
            values = against(own, k, mixes)
            rows += [value - values[0] for value in values[1:]]
            rows.append(sum(mixes[k]) - 1)
        return rows

    with mpmath.workdps(DIGITS):
        try:
            root = mpmath.findroot(equations, start, tol=mpmath.mpf(10) ** (5 - 2 * DIGITS), maxsteps=20)
        except (ValueError, ZeroDivisionError):
            return None
        if max(abs(a - b) for a, b in zip(root, start, strict=True)) > NEAR:
            return None  # another solution than the one proposed
        digits = [Fraction(int(mpmath.nint(p * 10**DIGITS)), 10**DIGITS) for p in root]
    return tuple(
        tuple(digits.pop(0) if s in support else Fraction(0) for s in range(len(mix)))
        for mix, support in zip(found, supports, strict=True)
    )


def _within(costs: Any, supports: Sequence[Sequence[int]]) -> Any:
    """Costs of the strategies in the supports only, the span of all costs being about 1."""
    import mpmath

    low, span = costs.min(), max(1, costs.max() - costs.min())
    part = (costs - low)[np.ix_(*supports)]
    return np.array([mpmath.mpf(v) / span for v in part.reshape(-1)], dtype=object).reshape(part.shape)
