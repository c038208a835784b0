"""The smallest sum of ending times ``S(b)``, and the schedule that attains it under a tie rule, at any size.

Model: the job that is the ``i``-th from the end of machine ``m`` adds ``i / c_m`` times its length to the sum of
ending times. So a schedule is a choice of slots ``(m, i)``, from the end of each machine without gaps, and ``S(b)``
pairs the ``N`` smallest multipliers ``i / c_m`` with the lengths: the largest length with the smallest multiplier.

Exactly these schedules are optimal, so ties are of two kinds. Equal lengths, or equal multipliers such as 1/1 = 2/2,
may be exchanged. And when more machines have a slot at the largest multiplier used, ``v*``, than jobs are left for
them, any of these machines may go without; that also moves the position of every other job on the machine by one.
``A_Sigma`` is the optimal schedule with the lexicographically smallest vector
``((machine of job 0, position), (machine of job 1, position), ...)``, positions counted from the front.

>>> from consortium.scheduling.clusters import Cluster
>>> cluster = Cluster.of([1, 1])
>>> optimal_sum(cluster, [1, 5, 3]), sum_allocation(cluster, [1, 5, 3]).lists
(Fraction(10, 1), ((0, 1), (2,)))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from heapq import heapify, heappop, heapreplace
from operator import mul

from ..support.exact import Rational, is_symbolic
from .allocations import Allocation
from .clusters import Cluster, check_lengths, integer_lengths, integer_times

SMALL = 4096
"""Up to this many slots all of them are sorted; beyond, only those up to the largest multiplier used are made."""


def optimal_sum(cluster: Cluster, lengths: Sequence[Rational]) -> Fraction:
    """Smallest sum of ending times ``S(b)`` over all schedules, in units of time; 0 without jobs.

    Raises InputError for a length that is not positive.

    >>> optimal_sum(Cluster.of([1]), [2, 3]), optimal_sum(Cluster.of([1, 2]), [1, 2, 3])
    (Fraction(7, 1), Fraction(9, 2))
    """
    per_work, time_unit = integer_times(cluster)
    work: Sequence[Rational]
    work, work_unit = (check_lengths(lengths), 1) if is_symbolic(lengths) else integer_lengths(lengths)
    multipliers = smallest_multipliers(per_work, len(work))
    return Fraction(sum(map(mul, multipliers, sorted(work, reverse=True))), work_unit * time_unit)


def smallest_multipliers(per_work: Sequence[int], n: int) -> list[int]:
    """The ``n`` smallest of ``i * per_work[m]`` over ``i >= 1`` and machines, sorted, equal ones repeated.

    >>> smallest_multipliers([1, 2], 4)
    [1, 2, 2, 3]
    """
    if n * len(per_work) <= SMALL:
        return sorted(i * q for q in per_work for i in range(1, n + 1))[:n]
    last = largest_multiplier(per_work, n)
    return sorted(v for q in per_work for v in range(q, last + 1, q))[:n]


def largest_multiplier(per_work: Sequence[int], n: int) -> int:
    """The ``n``-th smallest of ``i * per_work[m]``, 0 for ``n = 0``: bisection on how many do not exceed a value.

    >>> largest_multiplier([1, 2], 4)
    3
    """
    low, high = 0, n * min(per_work)
    while low < high:
        middle = (low + high) // 2
        if sum(middle // q for q in per_work) >= n:
            high = middle
        else:
            low = middle + 1
    return low


def sum_allocation(cluster: Cluster, lengths: Sequence[Rational]) -> Allocation:
    """``A_Sigma(b)``: of the schedules with the smallest sum of ending times the one that comes first.

    First means the lexicographically smallest ``((machine of job 0, position), (machine of job 1, position), ...)``.

    >>> sum_allocation(Cluster.of([1, 2]), [1, 1, 1]).lists
    ((0,), (1, 2))
    >>> sum_allocation(Cluster.of([1, 2]), [2, 1]).lists
    ((1,), (0,))
    """
    work = _ranks(check_lengths(lengths)) if is_symbolic(lengths) else integer_lengths(lengths)[0]
    per_work, _ = integer_times(cluster)
    return Allocation.from_places(sum_places(work, per_work), cluster.n_machines)


def _ranks(lengths: Sequence[Fraction]) -> list[int]:
    """Integers in the order of the lengths, equal for equal ones: all that :func:`sum_places` looks at."""
    ranks = [0] * len(lengths)
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    rank = 1
    for before, n in zip((order[:1] + order), order, strict=False):
        rank += lengths[before] < lengths[n]
        ranks[n] = rank
    return ranks


def sum_places(work: Sequence[int], per_work: Sequence[int]) -> list[tuple[int, int]]:
    """Places of ``A_Sigma`` for integer lengths and integer times per unit of work.

    Jobs are placed in their order, each at the smallest place that some optimal schedule agrees with. Which machines
    go without a job at ``v*`` may stay open for a while: then the partial schedules that agree so far, one per way
    of deciding, are carried along as worlds until they differ in a place.

    >>> sum_places([1, 1, 1], [2, 1])
    [(0, 0), (1, 0), (1, 1)]
    """
    if not work:
        return []
    slots = _Slots.of(work, per_work)
    worlds, places = [_World.start(slots)], []
    for length_class in slots.class_of:
        if len(worlds) == 1 and slots.simple[length_class]:
            places.append(worlds[0].take_only(length_class))
            continue
        options = [(place, move, world) for world in worlds for place, move in world.options(length_class)]
        best = min(place for place, _, _ in options)
        chosen = [(move, world) for place, move, world in options if place == best]
        if len(chosen) > 1:  # copies first, because a world with two options is both
            chosen = [(move, world.copy()) for move, world in chosen]
        for move, world in chosen:
            world.take(length_class, move)
        worlds = [world for _, world in chosen]
        places.append(best)
    return places


@dataclass(frozen=True)
class _Slots:
    """What all optimal schedules share.

    Multiplier classes are numbered by increasing value, length classes by decreasing length; how many jobs of a length
    class stand at a multiplier class (the quota) is the same in all optimal schedules.

    Attributes
    ----------
    count
        Slots below ``v*`` per machine, and at ``v*`` too when every machine that has one must use it.
    open_machines
        Machines with a slot at ``v*`` when not all of them use it, else empty.
    n_used
        How many of the open machines use it.
    value, machines
        Per multiplier class its multiplier and the machines with a slot there, by number (without the open ones).
    first, quota
        Per length class its first multiplier class, and the quotas from there on.
    class_of
        Length class of every job.
    is_open
        The open machines as a set.
    simple
        Per length class whether it stands at one multiplier class, below ``v*`` where machines are open.
    """

    per_work: Sequence[int]
    count: list[int]
    open_machines: list[int]
    n_used: int
    value: list[int]
    machines: list[list[int]]
    first: list[int]
    quota: list[list[int]]
    class_of: list[int]
    is_open: frozenset[int]
    simple: list[bool]

    @classmethod
    def of(cls, work: Sequence[int], per_work: Sequence[int]) -> _Slots:
        last = largest_multiplier(per_work, len(work))
        count = [(last - 1) // q for q in per_work]
        at_last = [m for m, q in enumerate(per_work) if last % q == 0]
        n_used = len(work) - sum(count)
        by_value: dict[int, list[int]] = {}
        for m, q in enumerate(per_work):
            for v in range(q, last, q):
                by_value.setdefault(v, []).append(m)
        value = sorted(by_value)
        machines = [by_value[v] for v in value]
        open_machines = at_last
        if n_used == len(at_last):
            open_machines = []
            machines.append(at_last)
            for m in at_last:
                count[m] += 1
        sizes = [*map(len, machines), n_used] if open_machines else [*map(len, machines)]
        first, quota, class_of = _quotas(work, sizes)
        simple = [len(q) == 1 and v < len(machines) for q, v in zip(quota, first, strict=True)]
        values, is_open = [*value, last], frozenset(open_machines)
        return cls(per_work, count, open_machines, n_used, values, machines, first, quota, class_of, is_open, simple)


def _quotas(work: Sequence[int], sizes: list[int]) -> tuple[list[int], list[list[int]], list[int]]:
    """Overlap of the length classes (longest first) with multiplier classes of these sizes (smallest first)."""
    rank_of = {length: a for a, length in enumerate(sorted(set(work), reverse=True))}
    class_of = [rank_of[length] for length in work]
    jobs = [0] * len(rank_of)
    for a in class_of:
        jobs[a] += 1
    first, quota, v, left = [], [], 0, sizes[0]
    for n in jobs:
        first.append(v)
        mine = []
        while n:
            taken = min(n, left)
            mine.append(taken)
            n, left = n - taken, left - taken
            if left == 0 and v + 1 < len(sizes):
                v, left = v + 1, sizes[v + 1]
        quota.append(mine)
        # a class that ended exactly at the end of a multiplier class left v at the next one, where the next class
        # starts
    return first, quota, class_of


@dataclass
class _World:
    """A partial optimal schedule: what is left of every class, and which open machines are decided.

    The machines of a multiplier class are used up in their order, because every job takes the smallest machine it can.
    """

    slots: _Slots
    next_machine: list[int]
    quota: list[list[int]]
    heaps: dict[int, list[tuple[int, int]]]
    uses_last: dict[int, bool]
    n_without: int = 0
    n_with: int = 0
    taken_last: set[int] = field(default_factory=set)
    next_open: int = 0

    @classmethod
    def start(cls, slots: _Slots) -> _World:
        return cls(slots, [0] * len(slots.machines), [list(q) for q in slots.quota], {}, {})

    def copy(self) -> _World:
        return replace(
            self,
            next_machine=list(self.next_machine),
            quota=[list(q) for q in self.quota],
            heaps={a: list(heap) for a, heap in self.heaps.items()},
            uses_last=dict(self.uses_last),
            taken_last=set(self.taken_last),
        )

    def options(self, a: int) -> list[tuple[tuple[int, int], tuple[int, bool | None]]]:
        """Smallest place for a job of length class ``a``, with the moves that give it.

        A move is (multiplier class, decision about the machine's slot at ``v*`` or None when there is nothing to
        decide).
        """
        slots = self.slots
        below, top = self.smallest_below(a)
        at_last = self.smallest_at_last(a)
        m = min(below, at_last)
        last = len(slots.machines)
        position = slots.count[m] - slots.value[top] // slots.per_work[m] if m == below else 0
        if m not in slots.is_open:
            return [((m, position), (top, None))]
        decided = self.uses_last.get(m)
        if decided is not None:
            if m == at_last:
                return [((m, 0), (last, None))]
            return [((m, position + decided), (top, None))]
        places = []
        if m == below and self.n_without < len(slots.open_machines) - slots.n_used:
            places.append(((m, position), (top, False)))
        if self.n_with < slots.n_used:
            if m == at_last:
                places.append(((m, 0), (last, True)))
            else:
                places.append(((m, position + 1), (top, True)))
        best = min(place for place, _ in places)
        return [(place, move) for place, move in places if place == best]

    def smallest_below(self, a: int) -> tuple[int, int]:
        """Smallest machine with a slot for class ``a`` below ``v*`` and its largest multiplier class there."""
        slots, first = self.slots, self.slots.first[a]
        heap = self.heaps.get(a)
        if heap is None:
            classes = range(first, min(first + len(slots.quota[a]), len(slots.machines)))
            heap = [(slots.machines[v][0], -v) for v in classes]
            heapify(heap)
            self.heaps[a] = heap
        while heap:
            m, v = heap[0][0], -heap[0][1]
            if self.quota[a][v - first] == 0:
                heappop(heap)
            elif slots.machines[v][self.next_machine[v]] != m:  # another length class was here meanwhile
                heapreplace(heap, (slots.machines[v][self.next_machine[v]], -v))
            else:
                return m, v
        return len(slots.per_work), 0

    def smallest_at_last(self, a: int) -> int:
        """Smallest open machine whose slot at ``v*`` a job of class ``a`` can still have; n_machines when none."""
        slots, none = self.slots, len(self.slots.per_work)
        index = len(slots.machines) - slots.first[a]
        if not slots.open_machines or index >= len(slots.quota[a]) or self.quota[a][index] == 0:
            return none
        while self.next_open < len(slots.open_machines):
            m = slots.open_machines[self.next_open]
            decided = self.uses_last.get(m)
            if m not in self.taken_last and (decided or (decided is None and self.n_with < slots.n_used)):
                return m
            self.next_open += 1
        return none

    def take_only(self, a: int) -> tuple[int, int]:
        """Place a job of a simple length class: it has the next machine of its multiplier class, without a choice."""
        slots = self.slots
        v = slots.first[a]
        following = self.next_machine[v]
        m = slots.machines[v][following]
        self.next_machine[v] = following + 1
        self.quota[a][0] -= 1
        position = slots.count[m] - slots.value[v] // slots.per_work[m]
        if m not in slots.is_open:
            return m, position
        decided = self.uses_last.get(m)
        if decided is None:  # one position earlier when the machine goes without a job at v*, if it may
            decided = self.decide(m, self.n_without >= len(slots.open_machines) - slots.n_used)
        return m, position + decided

    def take(self, a: int, move: tuple[int, bool | None]) -> None:
        v, decision = move
        slots = self.slots
        if v == len(slots.machines):
            m = slots.open_machines[self.next_open]
            self.taken_last.add(m)
        else:
            m = slots.machines[v][self.next_machine[v]]
            self.next_machine[v] += 1
        self.quota[a][v - slots.first[a]] -= 1
        if decision is not None:
            self.decide(m, decision)

    def decide(self, m: int, uses: bool) -> bool:
        """Note whether an open machine uses its slot at ``v*``."""
        self.uses_last[m] = uses
        self.n_with += uses
        self.n_without += not uses
        return uses
