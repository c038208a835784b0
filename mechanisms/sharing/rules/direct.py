"""DIRECTCONTR: serve whoever gave most machine time beyond what it received.

Two books have the same columns: the rows of :class:`.books.Books` tell what an organization got as owner of jobs,
``given`` what it gave as owner of machines. Both are brought to every event together. The printed rule exchanges the
two inside its loop over machines, forgets jobs that end at the event, and counts a started job as a finished part.
"""

from __future__ import annotations

from ....support.jit import jit, lean
from ..arrays import IntArray
from .books import PARTS, PSI, RUNNING, Books, waits


@lean
def pass_time(got: IntArray, given: IntArray, d: int, printed: bool) -> None:
    """Credit the ``d`` units of time since the previous event to owners of jobs and of machines."""
    if d == 0:
        return
    block = d * (d + 1) // 2
    for u in range(got.shape[0]):
        got_now = got[u, RUNNING] * block
        given_now = given[u, RUNNING] * block
        got[u, PSI] += d * got[u, PARTS] + (given_now if printed else got_now)
        given[u, PSI] += d * given[u, PARTS] + (got_now if printed else given_now)
        got[u, PARTS] += d * got[u, RUNNING]
        given[u, PARTS] += d * given[u, RUNNING]


@jit
def most_owed(books: Books, given: IntArray, step: int) -> int:
    """The waiting organization with the largest given minus got, ``step`` later; ties go to the lowest index."""
    got = books.rows
    best = -1
    most = 0
    for u in range(books.machines.size):
        if waits(books, u):
            balance = given[u, PSI] - got[u, PSI]
            if step:
                balance += given[u, PARTS] + given[u, RUNNING] - got[u, PARTS] - got[u, RUNNING]
            if best < 0 or balance > most:
                best = u
                most = balance
    return best
