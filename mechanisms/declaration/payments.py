"""Payments: what agents pay the institution, before the run or, for the verified rules, after it.

With ``E`` the planned output times and ``S(b)`` the smallest sum of output times for the declarations:

- ``none``: 0;
- ``vcg`` (Agmon 2003, 5.1): what the others wait, ``sum of E_k over k != n``;
- ``evcg`` (6.1): ``S(b) - E_n``; equal to ``vcg`` where the allocation attains S(b);
- ``verified`` (4.4, after Nisan and Ronen): known after the run only. ``-T_n(b, theta)`` plus the sum over all agents
  ``k`` of ``T_k(b, (theta_n, b_-n))``, the output times had everybody but her been truthful; the agent then bears
  exactly that sum. ``verified-printed`` sums over ``k != n`` as the thesis prints it, and truth is no longer a best
  reply.

>>> from fractions import Fraction as F
>>> in_advance("evcg", (F(3), F(1)), F(4)), in_advance("vcg", (F(3), F(1)), F(4))
((Fraction(1, 1), Fraction(3, 1)), (Fraction(1, 1), Fraction(3, 1)))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Literal

from ...support.exact import Extended, total

Payment = Literal["none", "vcg", "evcg", "verified", "verified-printed"]
AFTER_THE_RUN: frozenset[Payment] = frozenset({"verified", "verified-printed"})


def in_advance(payment: Payment, planned: Sequence[Fraction], optimal_sum: Fraction) -> tuple[Fraction, ...] | None:
    """Payments that depend on the declarations alone; ``None`` for the verified rules."""
    if payment in AFTER_THE_RUN:
        return None
    if payment == "none":
        return (Fraction(0),) * len(planned)
    bill = optimal_sum if payment == "evcg" else total(planned)
    return tuple(bill - own for own in planned)


def after_the_run(
    payment: Payment,
    output: Sequence[Extended],
    declared: Sequence[Fraction],
    lengths: Sequence[Fraction],
    outputs_for: Callable[[tuple[Fraction, ...]], Sequence[Extended]],
) -> tuple[Extended, ...]:
    """Payments of the verified rules; ``outputs_for(theta)`` gives the output times under the same declarations."""
    bills: list[Extended] = []
    for n, length in enumerate(lengths):
        honest_others = (*declared[:n], length, *declared[n + 1 :])
        times = outputs_for(honest_others)
        bills.append(sum(t for k, t in enumerate(times) if payment == "verified" or k != n) - output[n])
    return tuple(bills)
