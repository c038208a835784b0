r"""Guaranteed compromises between cooperation and makespan, one machine per organization.

Model (Cordeiro 2012, section 4.3): a guess ``lambda`` of the least makespan splits the organizations by their local
makespan ``c``, relative to ``lambda``. *relaxed-2* (Algorithm 1): A up to 1/2, B up to 3/4, C above; a job is large
above 1/2. It promises ``C^(k) <= 2 C_local^(k)`` and ``C_max <= 3/2 OPT``. *relaxed-3* (Algorithm 2, in
:mod:`.relaxed3`): A up to 1/3, B up to 4/9, C above; large above 1/3; it promises 3 and 4/3. B1 are the B
organizations without a large job, B2 those with one.

Search of the guess: integers over the common denominator of all lengths, from ``max(ceil(sum p / N), p_max)``,
doubled until the guess succeeds, then bisected; it succeeds if a schedule is returned with ``C_max <= rho lambda`` and
``C^(k) <= alpha C_local^(k)``. The answer is the schedule of the smallest successful guess met. Every machine runs its
jobs by (``C_local``, organization, job), without idle time: this order satisfies every requirement of both algorithms.

*relaxed-2, repaired.* As printed, the algorithm has no machine left for the large jobs of C when B1 organizations
are many, and Theorem 4.5 fails ({13,13,13,13}, {3,3,3,3}, {}, {}: 25 instead of at most 24). Let ``e`` be the
number of machines without a large job. The repair gives whole machines to B1 pairs only while ``e`` lasts; the jobs
of the B1 organizations left over go one by one in front of large C jobs, on machines of load below ``lambda``: they
are at most 1/2 long and end before ``3/2 - 1/2 = 1 < 2 C_local``. *relaxed-2-printed* keeps pairing and forces
large C jobs onto the least loaded machine.

Choices that the thesis leaves open: a B1 pair sits at home of the first of the two (by number); a large C job goes
to its owner's machine if free, else to machines of no A organization by number; lists are longest first; ties by
number.

>>> Relaxed2().run(Federation.of([[13] * 4, [3] * 4, [], []])).makespan
Fraction(16, 1)
>>> RelaxedPrinted2().run(Federation.of([[13] * 4, [3] * 4, [], []])).makespan
Fraction(25, 1)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import ClassVar, TypeAlias

from ...agents.organizations import Federation
from ...support.errors import InputError
from .schedule import Schedule

Guess: TypeAlias = Callable[[Sequence[Sequence[int]], int], "Board | None"]
"""Try one ``lambda`` on integer sizes: the board with every job placed, or ``None`` to reject the guess."""


@dataclass(frozen=True)
class Relaxation:
    """A schedule and the smallest guess of the optimum that led to it, in time units."""

    schedule: Schedule
    guess: Fraction


class Board:
    """Machines being filled: one per organization, loads in grid units."""

    def __init__(self, sizes: Sequence[Sequence[int]]) -> None:
        self.sizes = sizes
        self.host: list[list[int | None]] = [[None] * len(row) for row in sizes]
        self.load = [0] * len(sizes)

    def put(self, k: int, i: int, machine: int) -> None:
        """Place one job."""
        self.host[k][i] = machine
        self.load[machine] += self.sizes[k][i]

    def put_all(self, k: int, machine: int) -> None:
        """Place all jobs of an organization that have no place yet."""
        for i in range(len(self.sizes[k])):
            if self.host[k][i] is None:
                self.put(k, i, machine)

    def unplaced(self, organizations: Sequence[int]) -> list[tuple[int, int]]:
        """Jobs without a place, longest first; ties by organization, then job."""
        jobs = [(k, i) for k in organizations for i, host in enumerate(self.host[k]) if host is None]
        return sorted(jobs, key=lambda job: (-self.sizes[job[0]][job[1]], job))

    def fill(self, jobs: Sequence[tuple[int, int]], machines: Sequence[int], below: int | None = None) -> bool:
        """Place jobs in turn on the least loaded of ``machines``; false if none has a load under ``below``."""
        for k, i in jobs:
            open_ones = [m for m in machines if below is None or self.load[m] < below]
            if not open_ones:
                return False
            self.put(k, i, min(open_ones, key=lambda m: self.load[m]))
        return True


def place_large(board: Board, large: Sequence[tuple[int, int]], free: list[int], avoid: set[int]) -> None:
    """Give each large job a free machine: its owner's, else by number outside ``avoid``, else by number, else the
    least loaded machine of all (which only the printed rule can need).
    """
    later = []
    for k, i in large:
        if k in free:
            free.remove(k)
            board.put(k, i, k)
        else:
            later.append((k, i))
    for k, i in later:
        if free:
            machine = min(free, key=lambda m: (m in avoid, m))
            free.remove(machine)
        else:
            machine = min(range(len(board.load)), key=lambda m: board.load[m])
        board.put(k, i, machine)


def search_guess(federation: Federation, attempt: Guess, alpha: Fraction, rho: Fraction) -> Relaxation:
    """Find the smallest guess by doubling and bisection, as the module says."""
    if any(m != 1 for m in federation.machines):
        raise InputError(f"machines = {list(federation.machines)}; this rule needs one machine per organization")
    parts = federation.unit.numerator  # of a grid unit: what guesses count in
    sizes = [[p * parts for p in row] for row in federation.sizes]
    local = [sum(row) for row in sizes]
    longest = max((p for row in sizes for p in row), default=0)

    def succeeds(guess: int) -> Schedule | None:
        if sum(local) > len(sizes) * guess or longest > guess:
            return None
        board = attempt(sizes, guess)
        if board is None:
            return None
        schedule = compact(federation, board)
        latest = [max(row, default=0) * parts for row in schedule.ends]
        late = max(latest) > rho * guess or any(c > alpha * alone for c, alone in zip(latest, local, strict=True))
        return None if late else schedule

    low = high = max(-(-sum(local) // len(sizes)), longest, 1)
    found = succeeds(high)
    while found is None:
        low, high = high, 2 * high
        found = succeeds(high)
    while high - low > 1:
        middle = (low + high) // 2
        better = succeeds(middle)
        if better is None:
            low = middle
        else:
            high, found = middle, better
    return Relaxation(found, Fraction(high, federation.unit.denominator))


def compact(federation: Federation, board: Board) -> Schedule:
    """Run every machine's jobs by (``C_local``, organization, job) without idle time."""
    local = [sum(row) for row in federation.sizes]
    start = [[0] * len(row) for row in federation.sizes]
    machine = [[host for host in row if host is not None] for row in board.host]
    ready = [0] * len(board.load)
    for k in sorted(range(len(local)), key=lambda k: local[k]):
        for i, m in enumerate(machine[k]):
            start[k][i] = ready[m]
            ready[m] += federation.sizes[k][i]
    return Schedule(federation, tuple(map(tuple, machine)), tuple(map(tuple, start)))


def attempt_2(sizes: Sequence[Sequence[int]], guess: int, printed: bool = False) -> Board | None:
    """One guess of Algorithm 1, repaired or printed."""
    n, local = len(sizes), [sum(row) for row in sizes]
    large = sorted(
        ((k, i) for k, row in enumerate(sizes) for i, p in enumerate(row) if 2 * p > guess),
        key=lambda job: (-sizes[job[0]][job[1]], job),
    )
    if len(large) > n:
        return None
    has_large = {k for k, _ in large}
    in_a = {k for k in range(n) if 2 * local[k] <= guess}
    in_b = {k for k in range(n) if k not in in_a and 4 * local[k] <= 3 * guess}
    b1, b2 = sorted(in_b - has_large), sorted(in_b & has_large)
    board, free = Board(sizes), list(range(n))
    for k in b2:
        free.remove(k)
        board.put_all(k, k)
        if b1:
            board.put_all(b1.pop(0), k)
    empty = n - len(large)
    while b1 and (empty > 0 or printed):
        pair, b1 = b1[:2], b1[2:]
        for k in pair:
            board.put_all(k, pair[0])
        free.remove(pair[0])
        empty -= 1
    no_b_here = list(free)
    place_large(board, [job for job in large if job[0] not in in_b], free, in_a)
    for k in in_a:
        board.put_all(k, k)  # B organizations only sit at homes of B organizations
    if not board.fill(board.unplaced(b1), no_b_here, below=guess):
        return None
    board.fill(board.unplaced(range(n)), range(n))
    return board


class Guessing:
    """A rule that searches the smallest guess at which its attempt succeeds."""

    attempt: ClassVar[Guess]
    cooperation: ClassVar[Fraction]
    ratio: ClassVar[Fraction]

    def solve(self, federation: Federation) -> Relaxation:
        """Return the schedule and its guess."""
        return search_guess(federation, type(self).attempt, self.cooperation, self.ratio)

    def run(self, federation: Federation) -> Schedule:
        """Schedule a federation; InputError unless every organization has one machine."""
        return self.solve(federation).schedule


@dataclass(frozen=True)
class Relaxed2(Guessing):
    """Algorithm 1 repaired: nobody waits more than twice as long as alone, and ``C_max <= 3/2 OPT``."""

    id: ClassVar[str] = "relaxed-2"
    attempt: ClassVar[Guess] = staticmethod(attempt_2)
    cooperation: ClassVar[Fraction] = Fraction(2)
    ratio: ClassVar[Fraction] = Fraction(3, 2)


@dataclass(frozen=True)
class RelaxedPrinted2(Guessing):
    """Algorithm 1 as printed: its bound of 3/2 fails when organizations of group B1 are many."""

    id: ClassVar[str] = "relaxed-2-printed"
    attempt: ClassVar[Guess] = staticmethod(partial(attempt_2, printed=True))
    cooperation: ClassVar[Fraction] = Fraction(2)
    ratio: ClassVar[Fraction] = Fraction(3, 2)
