"""The books that rules read: what each organization got so far, and how far its queue is.

A row of the books is kept lazily: it holds for the moment in its column ``LAST``, and time up to a later moment is
accounted for when the row changes (:func:`bring`) or is read (:func:`worth`, :func:`used`). With ``R`` jobs running and
``U`` unit parts done, ``d`` units of time add ``d U + R d (d + 1) / 2`` to psi_sp and ``d R`` to the parts.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ....support.jit import jit
from ..arrays import IntArray

# columns of the books
PSI: Final = 0
PARTS: Final = 1  # unit parts done
RUNNING: Final = 2
LAST: Final = 3
POSITION: Final = 4  # next job in the flat arrays
KNOWN: Final = 5  # end of the released jobs in the flat arrays
COLUMNS: Final = 6


class Books(NamedTuple):
    """What a rule may look at. Times count from the first release."""

    rows: IntArray  # (k, COLUMNS)
    machines: IntArray  # shares, (k,)
    release: IntArray  # of each job, (n,)
    served: IntArray  # whom the last start went to, -1 before the first, (1,)


@jit
def bring(rows: IntArray, u: int, t: int) -> None:
    """Let time pass for one row up to ``t``."""
    d = t - rows[u, LAST]
    if d > 0:
        rows[u, PSI] += d * rows[u, PARTS] + rows[u, RUNNING] * (d * (d + 1) // 2)
        rows[u, PARTS] += d * rows[u, RUNNING]
        rows[u, LAST] = t


@jit
def worth(rows: IntArray, u: int, at: int) -> int:
    """psi_sp of one row at ``at``, not earlier than its last update."""
    d = at - rows[u, LAST]
    return int(rows[u, PSI] + d * rows[u, PARTS] + rows[u, RUNNING] * (d * (d + 1) // 2))


@jit
def used(rows: IntArray, u: int, at: int) -> int:
    """Unit parts of one row at ``at``."""
    return int(rows[u, PARTS] + (at - rows[u, LAST]) * rows[u, RUNNING])


@jit
def waits(books: Books, u: int) -> bool:
    """Whether ``u`` has a released job that has not started."""
    return bool(books.rows[u, KNOWN] > books.rows[u, POSITION])
