"""The three fair shares: serve whoever has least per machine it owns.

They differ in what they count: machine time used, psi_sp, or jobs running. An organization without machines has no
share and comes last, those among themselves by what they have. Ties go to the lowest organization.
"""

from __future__ import annotations

from typing import Final

from ....support.jit import jit
from .books import RUNNING, Books, used, waits, worth

TIME: Final = 0
UTILITY: Final = 1
JOBS: Final = 2

_WORD: Final = 31
_LOW: Final = 2**31 - 1


@jit
def least_per_share(counted: int, books: Books, at: int) -> int:
    """The waiting organization with the least (``TIME``, ``UTILITY`` or ``JOBS``) per share at moment ``at``."""
    best = -1
    least = 0
    for u in range(books.machines.size):
        if waits(books, u):
            has = amount(counted, books, u, at)
            if best < 0 or less_per_share(has, books.machines[u], least, books.machines[best]):
                best = u
                least = has
    return best


@jit
def amount(counted: int, books: Books, u: int, at: int) -> int:
    """What a share is compared by."""
    if counted == JOBS:
        return int(books.rows[u, RUNNING])
    return used(books.rows, u, at) if counted == TIME else worth(books.rows, u, at)


@jit
def less_per_share(a: int, b: int, c: int, d: int) -> bool:
    """Whether ``a / b < c / d`` for non-negative a, c, where 0 shares are more than anything.

    The products are compared in two words of 31 bits, so they cannot leave int64 for b, d below 2**31; Python's
    integers of any size give the same answer.
    """
    if b == 0:
        return d == 0 and a < c
    if d == 0:
        return True
    low1 = (a & _LOW) * d
    low2 = (c & _LOW) * b
    high1 = (a >> _WORD) * d + (low1 >> _WORD)
    high2 = (c >> _WORD) * b + (low2 >> _WORD)
    if high1 != high2:
        return high1 < high2
    return (low1 & _LOW) < (low2 & _LOW)
