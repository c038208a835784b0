"""The rules that look at nothing but queues: oldest job first, and turns."""

from __future__ import annotations

from ....support.jit import jit
from .books import POSITION, Books, waits


@jit
def oldest_first(books: Books) -> int:
    """fifo: the first waiting job that was released earliest; ties go to the lowest organization."""
    best = -1
    oldest = 0
    for u in range(books.machines.size):
        if waits(books, u):
            release = books.release[books.rows[u, POSITION]]
            if best < 0 or release < oldest:
                best = u
                oldest = release
    return best


@jit
def next_in_turn(books: Books) -> int:
    """round-robin: the next organization after the one served last that has a job to start."""
    k = books.machines.size
    turn = books.served[0] + 1
    for i in range(k):
        u = turn + i if turn + i < k else turn + i - k
        if waits(books, u):
            return int(u)
    return -1
