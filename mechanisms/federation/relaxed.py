"""Guaranteed compromises between cooperation and makespan: Algorithms 1 and 2 of the thesis, and ToMoS.

*relaxed-2 and relaxed-3* (Cordeiro 2012, section 4.3), one machine per organization: a guess ``lambda`` of the least
makespan splits the organizations by their local makespan ``c``, relative to ``lambda``. *relaxed-2* (Algorithm 1): A up
to 1/2, B up to 3/4, C above; a job is large above 1/2. It promises ``C^(k) <= 2 C_local^(k)`` and ``C_max <= 3/2 OPT``.
*relaxed-3* (Algorithm 2): A up to 1/3, B up to 4/9, C above; large above 1/3; it promises 3 and 4/3. B1 are the B
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

*relaxed-3.* Large jobs (above 1/3 of the guess) are paired longest first, at most two on a machine and at most the
guess together, else the guess is rejected. A group is named by the owners of its large jobs: (C,C), (C), (B2,C),
(B2,B2), (B2). Then:

1. each B2 organization replaces its large job by all its jobs; its group sits at home of a B2 owner (the later of two);
2. while two (B2,C) groups are left, their B2 organizations go together to the home of the later one, the two C jobs
   together to the home of the other;
3. B1 organizations join: one to each (B2,B2), two to each (B2), three to each machine without a large job (at home of
   the first of them), the last one or two B1 organizations with such a machine together;
4. the original (C,C) and (C) groups take the other machines (an owner's own if free, then machines of no A
   organization by number), and every A organization runs at home, before them;
5. jobs of B1 organizations left over go on the least loaded machine that has a large C job and a load under the guess;
   small C jobs on the least loaded machine.

A organizations always find an original (C,C), (C) or empty machine at home: groups with a B organization sit at
homes of B organizations. (Lemma 4.9 should read ``<= N``.)

>>> Relaxed3().run(Federation.of([[3, 3, 3], [1], []])).makespan
Fraction(4, 1)

*ToMoS* turns any schedule into one that respects a degree of cooperation ``alpha`` (Ooshita, Izumi and Izumi 2009, as
cited by Cordeiro 2012, section 4.1, which states the guarantee only; this is a reconstruction with that guarantee). Let
``C`` be the makespan of the given schedule ``S`` and sort the organizations by ``c_k = C_local^(k)``, ``c_0 = 0``. Take
the smallest ``k`` with ``k = N`` or ``alpha c_{k+1} >= c_k + C``: the first ``k`` organizations run their local
schedules from 0, the others follow ``S`` delayed by ``c_k``.

Promise: ``C^(k) <= alpha C_local^(k)`` and ``C_max <= C sum_{l=0}^{N-1} alpha^-l`` (the thesis prints the sum from
1 to N, which would be less than 1 for ``alpha = 2``). Any number of machines per organization. Ties: by number. The
result may hold idle time; it is not shifted left, which would be a different rule.

>>> fed = Federation.of([[3, 3], [1, 1, 1], [1, 1, 1]])
>>> [Tomos(cooperation=Fraction(alpha)).run(fed).makespan for alpha in (1, 2)]
[Fraction(6, 1), Fraction(4, 1)]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import ClassVar, TypeAlias

from ...agents.organizations import Federation
from ...scheduling.listing import place_in_order
from ...support.errors import InputError, check_name
from ...support.exact import Rational
from ..kinds import rules
from .catalogue import BASES
from .schedule import JobId, LocalOrder, Schedule, local_schedule, run_by_deadline

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
        self.machines: list[list[JobId]] = [[] for _ in sizes]
        self.load = [0] * len(sizes)

    def put(self, k: int, i: int, machine: int) -> None:
        """Place one job."""
        self.host[k][i] = machine
        self.machines[machine].append((k, i))
        self.load[machine] += self.sizes[k][i]

    def put_group(self, group: Sequence[JobId], machine: int, free: list[int]) -> None:
        """Place jobs on a machine that is free no more."""
        if machine in free:
            free.remove(machine)
        for job in group:
            self.put(*job, machine)

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


def large_jobs(sizes: Sequence[Sequence[int]], guess: int, part: int) -> list[JobId]:
    """Jobs above ``1/part`` of the guess, longest first; ties by organization, then job."""
    jobs = [(k, i) for k, row in enumerate(sizes) for i, p in enumerate(row) if part * p > guess]
    return sorted(jobs, key=lambda job: (-sizes[job[0]][job[1]], job))


def place_groups(board: Board, groups: Sequence[Sequence[JobId]], free: list[int], avoid: set[int]) -> None:
    """Give each group of jobs a free machine: an owner's, else by number, those of ``avoid`` last.

    When none is free it is the least loaded machine of all, which only the printed rule can need.
    """
    waiting = []
    for group in groups:
        own = next((k for k, _ in group if k in free), None)
        if own is None:
            waiting.append(group)
        else:
            board.put_group(group, own, free)
    for group in waiting:
        if free:
            machine = min(free, key=lambda m: (m in avoid, m))
        else:
            machine = min(range(len(board.load)), key=lambda m: board.load[m])
        board.put_group(group, machine, free)


def attempt_2(sizes: Sequence[Sequence[int]], guess: int, printed: bool = False) -> Board | None:
    """One guess of Algorithm 1, repaired or printed."""
    n, local, large = len(sizes), [sum(row) for row in sizes], large_jobs(sizes, guess, 2)
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
    place_groups(board, [[job] for job in large if job[0] not in in_b], free, in_a)
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
        """The schedule of the smallest guess that doubling and bisection meet, see the module's text."""
        if any(m != 1 for m in federation.machines):
            raise InputError(f"machines = {list(federation.machines)}; this rule needs one machine per organization")
        parts = federation.unit.numerator  # of a grid unit: what guesses count in
        sizes = [[p * parts for p in row] for row in federation.sizes]
        local = [sum(row) for row in sizes]
        longest = max((p for row in sizes for p in row), default=0)

        def succeeds(guess: int) -> Schedule | None:
            if sum(local) > len(sizes) * guess or longest > guess:
                return None
            board = type(self).attempt(sizes, guess)
            if board is None:
                return None
            schedule = run_by_deadline(federation, board.machines)
            latest = [end * parts for end in schedule.latest]
            too_long = any(c > self.cooperation * c_local for c, c_local in zip(latest, local, strict=True))
            return None if too_long or max(latest) > self.ratio * guess else schedule

        low = high = max(-(-sum(local) // len(sizes)), longest, 1)
        schedule = succeeds(high)
        while schedule is None:
            low, high = high, 2 * high
            schedule = succeeds(high)
        while high - low > 1:
            middle = (low + high) // 2
            better = succeeds(middle)
            if better is None:
                low = middle
            else:
                high, schedule = middle, better
        return Relaxation(schedule, Fraction(high, federation.unit.denominator))

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


def pair_large(sizes: Sequence[Sequence[int]], guess: int) -> list[list[JobId]] | None:
    """Large jobs longest first on N machines; ``None`` if three meet, or two are longer than the guess together."""
    large = large_jobs(sizes, guess, 3)
    placed = place_in_order([sizes[k][i] for k, i in large], [0] * len(sizes))
    groups: dict[int, list[JobId]] = {}
    for job, (m, _, _) in zip(large, placed, strict=True):
        groups.setdefault(m, []).append(job)
    for group in groups.values():
        if len(group) > 2 or (len(group) == 2 and sum(sizes[k][i] for k, i in group) > guess):
            return None
    return list(groups.values())


def attempt_3(sizes: Sequence[Sequence[int]], guess: int) -> Board | None:
    """One guess of Algorithm 2."""
    n, local = len(sizes), [sum(row) for row in sizes]
    groups = pair_large(sizes, guess)
    if groups is None:
        return None
    in_a = {k for k in range(n) if 3 * local[k] <= guess}
    in_b = {k for k in range(n) if k not in in_a and 9 * local[k] <= 4 * guess}
    b1 = sorted(in_b - {k for group in groups for k, _ in group})
    board = Board(sizes)
    original = [group for group in groups if not any(k in in_b for k, _ in group)]
    homes = _place_b2(board, [group for group in groups if any(k in in_b for k, _ in group)], in_b, b1)
    for _ in range(n - len(groups)):
        if b1:
            trio = [b1.pop(0) for _ in range(min(3, len(b1)))]
            homes.append(trio[0])
            for k in trio:
                board.put_all(k, trio[0])
    place_groups(board, original, [m for m in range(n) if m not in homes], in_a)
    for k in sorted(in_a):
        board.put_all(k, k)
    with_large_c = [
        m for m in range(n) if any(board.host[k][i] == m and k not in in_b for group in groups for k, i in group)
    ]
    if not board.fill(board.unplaced(b1), with_large_c, below=guess):
        return None
    board.fill(board.unplaced(range(n)), range(n))
    return board


def _place_b2(board: Board, groups: Sequence[list[JobId]], in_b: set[int], b1: list[int]) -> list[int]:
    """Place the groups with a B2 organization and the B1 organizations that join them; return the machines used."""
    mixed: list[tuple[int, JobId]] = []  # (B2 organization, its C partner)
    stacks: list[list[int]] = []  # B2 organizations of one machine, the host last
    homes = []
    for group in groups:
        owners = sorted(k for k, _ in group if k in in_b)
        partner = [job for job in group if job[0] not in in_b]
        if partner:
            mixed.append((owners[0], partner[0]))
        else:
            stacks.append(owners)
    while len(mixed) >= 2:
        (i, first), (j, second) = mixed.pop(0), mixed.pop(0)
        stacks.append(sorted([i, j]))
        board.put(*first, min(i, j))
        board.put(*second, min(i, j))
        homes.append(min(i, j))
    for k, partner_job in mixed:
        board.put(*partner_job, k)
        board.put_all(k, k)
        homes.append(k)
    for stack in stacks:
        for k in stack:
            board.put_all(k, stack[-1])
        for _ in range(min(3 - len(stack), len(b1))):
            board.put_all(b1.pop(0), stack[-1])
        homes.append(stack[-1])
    return homes


@dataclass(frozen=True)
class Relaxed3(Guessing):
    """Algorithm 2: nobody waits more than three times as long as alone, and ``C_max <= 4/3 OPT``."""

    id: ClassVar[str] = "relaxed-3"
    attempt: ClassVar[Guess] = staticmethod(attempt_3)
    cooperation: ClassVar[Fraction] = Fraction(3)
    ratio: ClassVar[Fraction] = Fraction(4, 3)


@dataclass(frozen=True)
class Tomos:
    """Run the organizations with little work at home first, the others as the base rule's schedule says, delayed."""

    id: ClassVar[str] = "tomos"
    cooperation: Fraction = Fraction(1)
    base: str = "optimal"
    reference: LocalOrder | None = None

    def __post_init__(self) -> None:
        if self.cooperation < 1:
            raise InputError(f"cooperation = {self.cooperation}; expected at least 1")
        check_name("base", self.base, BASES)

    def run(self, federation: Federation) -> Schedule:
        """Schedule a federation, starting from the base rule's schedule."""
        return transform(self.base_schedule(federation), self.cooperation, self.reference or "lpt")

    def base_schedule(self, federation: Federation) -> Schedule:
        """The base rule's schedule."""
        schedule: Schedule = rules("federation")[self.base].load()().run(federation)
        return schedule


def transform(schedule: Schedule, alpha: Fraction, reference: LocalOrder = "lpt") -> Schedule:
    """ToMoS applied to a schedule."""
    federation = schedule.federation
    home, makespan = local_schedule(federation, reference), max(schedule.latest)
    local = home.latest
    at_home: set[int] = set()
    delay: Rational = 0
    for k in sorted(range(len(local)), key=lambda k: local[k]):
        if alpha * local[k] >= delay + makespan:
            break
        at_home.add(k)
        delay = local[k]
    return Schedule(
        federation,
        tuple((home if k in at_home else schedule).machine[k] for k in range(len(local))),
        tuple(
            home.start[k] if k in at_home else tuple(start + delay for start in schedule.start[k])
            for k in range(len(local))
        ),
    )
