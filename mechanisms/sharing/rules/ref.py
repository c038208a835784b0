"""REF for any utility: the corrected first figure of Skowron and Rzadca (2013).

``delta`` is what a job started now is known to add by the moment that is compared: 1 for psi_sp and busy time under
``next``, 0 for every utility of completed jobs, because the length of a running job is not known. For psi_sp this is
the rule of the third figure, ``argmin psi - phi``, which needs no fractions: the compiled kernel
(:mod:`..kernels.ref`) decides by that on scaled integers, which is why REF has two texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ....support.exact import Rational


def closest(waiting: Sequence[int], psi: Mapping[int, Rational], phi: Mapping[int, Fraction], delta: int) -> int:
    """The member whose start brings utilities closest to contributions in the Manhattan metric.

    Equal distances: smallest utility minus contribution, then lowest index.

    >>> closest([0, 1], {0: 4, 1: 2}, {0: Fraction(3), 1: Fraction(3)}, delta=1)
    1
    """
    share = Fraction(delta, len(psi))  # the job raises the coalition's value, and so everybody's contribution
    off = {u: abs(phi[u] + share - psi[u]) for u in psi}

    def distance(u: int) -> Fraction:
        return abs(phi[u] + share - psi[u] - delta) - off[u]  # beside the sum over everybody

    return min(waiting, key=lambda u: (distance(u), psi[u] - phi[u], u))
