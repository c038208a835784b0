"""RAND: serve whoever is furthest below its contribution, counted on simplified schedules of sampled coalitions."""

from __future__ import annotations

from ....support.jit import jit
from ..arrays import IntArray
from .books import Books, waits, worth


@jit
def contributions(simple: IntArray, weights: IntArray, at: int, phi: IntArray) -> None:
    """``phi``: ``count`` times every contribution at ``at``, from one row of books and of weights per coalition."""
    phi[:] = 0
    for c in range(simple.shape[0]):
        value = worth(simple, c, at)
        for u in range(phi.size):
            phi[u] += weights[c, u] * value


@jit
def furthest_below(books: Books, phi: IntArray, count: int, at: int) -> int:
    """The waiting organization with the least psi_sp minus contribution; ties go to the lowest index."""
    best = -1
    least = 0
    for u in range(books.machines.size):
        if waits(books, u):
            excess = count * worth(books.rows, u, at) - phi[u]
            if best < 0 or excess < least:
                best = u
                least = excess
    return best
