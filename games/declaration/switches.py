r"""Where the optimal allocation changes when one declared length varies, exactly.

Model. Job ``n`` has length ``x``; the end times of an allocation are lines in ``x``. Its key is the tuple of costs
that the goal compares, then (with ``ties="sum"``) the sum of end times, then its places: piecewise-linear functions
and a constant. From a point where an allocation ``A`` is best, the next switch is the first ``x`` at which another one
ties with it or beats it. All allocations are compared, so this is for small numbers of them; the goal ``sum`` switches
only where ``x`` passes another length, which the caller knows.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...mechanisms.declaration.one_round import OneRound
from ...scheduling.allocations import allocations, n_allocations
from ...scheduling.exact import total
from ...scheduling.progress import Progress
from ...scheduling.welfare import Goal, LexicalMax, Makespan, SumOfTimes, WeightedMakespan, WeightedSum

MAX_ALLOCATIONS = 5040
Line = tuple[Fraction, Fraction]
"""Value at 0 and slope."""
Places = tuple[tuple[int, int], ...]


def covers(mechanism: OneRound, n_agents: int) -> bool:
    """Whether the switches of this mechanism are found exactly."""
    if mechanism.allocate is not None or mechanism.heuristic:
        return False
    if isinstance(mechanism.goal, SumOfTimes):
        return True
    linear = isinstance(mechanism.goal, Makespan | LexicalMax | WeightedSum | WeightedMakespan)
    return linear and n_allocations(n_agents, mechanism.cluster.n_machines) <= MAX_ALLOCATIONS


def switches(
    mechanism: OneRound,
    declared: Sequence[Fraction],
    agent: int,
    low: Fraction,
    high: Fraction,
    progress: Progress | None = None,
) -> list[Fraction]:
    """Points of ``[low, high]`` at which the optimal allocation may change; between them it is the same everywhere."""
    if isinstance(mechanism.goal, SumOfTimes):
        return []
    candidates = [
        _Candidate.of(mechanism, lists, declared, agent, low, high)
        for lists in allocations(len(declared), mechanism.cluster.n_machines)
    ]
    by_sum = mechanism.ties == "sum"
    found, x = [], low
    while x < high:
        best = min(candidates, key=lambda c: c.just_after(x, by_sum))
        following = min(
            (best.first_tie(other, x, high, by_sum) for other in candidates if other is not best), default=high
        )
        if following >= high:
            break
        found.append(following)
        if progress:
            progress(len(found), None, "switches of the allocation")
        x = following
    return found


@dataclass(frozen=True)
class _Candidate:
    """One allocation: its end times as lines, where their order changes, and its places."""

    goal: Goal
    ends: tuple[Line, ...]
    turns: tuple[Fraction, ...]
    places: Places

    @classmethod
    def of(
        cls,
        mechanism: OneRound,
        lists: tuple[tuple[int, ...], ...],
        declared: Sequence[Fraction],
        agent: int,
        low: Fraction,
        high: Fraction,
    ) -> _Candidate:
        ends: list[Line] = [(Fraction(0), Fraction(0))] * len(declared)
        places: list[tuple[int, int]] = [(0, 0)] * len(declared)
        for machine, (power, jobs) in enumerate(zip(mechanism.cluster.powers, lists, strict=True)):
            level, slope = Fraction(0), Fraction(0)
            for position, job in enumerate(jobs):
                if job == agent:
                    slope = 1 / power
                else:
                    level += declared[job] / power
                ends[job], places[job] = (level, slope), (machine, position)
        goal = mechanism.goal
        weighted = _weighted(goal, ends)
        turns = {_crossing(p, q) for p, q in itertools.combinations(set(weighted), 2)} if _orders(goal) else set()
        inside = sorted(t for t in turns if t is not None and low < t < high)
        return cls(goal, tuple(ends), tuple(inside), tuple(places))

    def costs(self, x: Fraction) -> tuple[Line, ...]:
        """What the goal compares, as lines that hold from ``x`` to the next turn, most important first."""
        lines = _weighted(self.goal, self.ends)
        if not _orders(self.goal):
            return (_sum(lines),)
        ranked = sorted(lines, key=lambda line: (line[0] + line[1] * x, line[1]), reverse=True)
        if isinstance(self.goal, LexicalMax):
            return tuple(ranked)
        return (_sum(ranked[: self.goal.order] if isinstance(self.goal, Makespan) else ranked[:1]),)

    def key(self, x: Fraction, by_sum: bool) -> tuple[Line, ...]:
        """Costs and, where it breaks ties, the sum of end times."""
        return (*self.costs(x), _sum(self.ends)) if by_sum else self.costs(x)

    def just_after(self, x: Fraction, by_sum: bool) -> tuple[object, ...]:
        """Sorts as the keys do on a short enough interval to the right of ``x``."""
        return (tuple((a + s * x, s) for a, s in self.key(x, by_sum)), self.places)

    def first_tie(self, other: _Candidate, x: Fraction, high: Fraction, by_sum: bool) -> Fraction:
        """First point after ``x`` at which the comparison with ``other`` is not what it is just after ``x``."""
        turns = sorted({x, high, *(t for t in (*self.turns, *other.turns) if x < t < high)})
        for start, end in itertools.pairwise(turns):
            if start > x and other.just_after(start, by_sum) < self.just_after(start, by_sum):
                return start
            for p, q in zip(self.key(start, by_sum), other.key(start, by_sum), strict=True):
                if p == q:
                    continue
                meeting = _crossing(p, q)
                if meeting is not None and (start < meeting < end or (meeting == start > x)):
                    return meeting
                if meeting == end < high:
                    return end
                break
        return high


def _orders(goal: Goal) -> bool:
    """Whether the goal looks at the order of end times, so that its costs have kinks."""
    return isinstance(goal, Makespan | LexicalMax | WeightedMakespan)


def _weighted(goal: Goal, ends: Sequence[Line]) -> list[Line]:
    if isinstance(goal, WeightedSum | WeightedMakespan):
        return [(a * Fraction(w), s * Fraction(w)) for (a, s), w in zip(ends, goal.weights, strict=True)]
    return list(ends)


def _sum(lines: Sequence[Line]) -> Line:
    return total([a for a, _ in lines]), total([s for _, s in lines])


def _crossing(p: Line, q: Line) -> Fraction | None:
    return None if p[1] == q[1] else (q[0] - p[0]) / (p[1] - q[1])
