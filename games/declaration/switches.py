r"""Where the optimal allocation changes when one declared length varies, exactly.

Model. Job ``n`` has length ``x``; the end times of an allocation are lines in ``x``. Its key is the tuple of costs
that the goal compares, then (with ``ties="sum"``) the sum of end times, then its places: piecewise-linear functions
and a constant. From a point where an allocation ``A`` is best, the next switch is the first ``x`` at which another one
ties with it or beats it. All allocations are compared, so this is for small numbers of them; a goal that orders times
as their sum does switches only where ``x`` passes another length, which the caller knows.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...mechanisms.declaration.one_round import OneRound
from ...scheduling.allocations import allocations, n_allocations
from ...scheduling.exact import total
from ...scheduling.goals.costs import Cost, Form
from ...scheduling.progress import Progress

MAX_ALLOCATIONS = 5040
Line = tuple[Fraction, Fraction]
"""Value at 0 and slope."""
Places = tuple[tuple[int, int], ...]


def covers(mechanism: OneRound, n_agents: int) -> bool:
    """Whether the switches of this mechanism are found exactly."""
    if mechanism.allocate is not None or mechanism.heuristic:
        return False
    cost = mechanism.goal.cost(n_agents)
    if cost is None or cost.form is Form.SQUARED:
        return False
    return cost.form is Form.SUM or n_allocations(n_agents, mechanism.cluster.n_machines) <= MAX_ALLOCATIONS


def switches(
    mechanism: OneRound,
    declared: Sequence[Fraction],
    agent: int,
    low: Fraction,
    high: Fraction,
    progress: Progress | None = None,
) -> list[Fraction]:
    """Points of ``[low, high]`` at which the optimal allocation may change; between them it is the same everywhere."""
    cost = mechanism.goal.cost(len(declared))
    assert cost is not None
    if cost.form is Form.SUM:
        return []
    candidates = [
        _Candidate.of(mechanism, cost, lists, declared, agent, low, high)
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

    cost: Cost
    ends: tuple[Line, ...]
    turns: tuple[Fraction, ...]
    places: Places

    @classmethod
    def of(
        cls,
        mechanism: OneRound,
        cost: Cost,
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
        weighted = _weighted(cost, ends)
        turns = {_crossing(p, q) for p, q in itertools.combinations(set(weighted), 2)} if _orders(cost) else set()
        inside = sorted(t for t in turns if t is not None and low < t < high)
        return cls(cost, tuple(ends), tuple(inside), tuple(places))

    def costs(self, x: Fraction) -> tuple[Line, ...]:
        """What the goal compares, as lines that hold from ``x`` to the next turn, most important first."""
        lines = _weighted(self.cost, self.ends)
        if not _orders(self.cost):
            return (_sum(lines),)
        ranked = sorted(lines, key=lambda line: (line[0] + line[1] * x, line[1]), reverse=True)
        return tuple(ranked) if self.cost.form is Form.LEXICAL else (_sum(ranked[: self.cost.count]),)

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


def _orders(cost: Cost) -> bool:
    """Whether the cost looks at the order of end times, so that it has kinks."""
    return cost.form in (Form.LARGEST, Form.LEXICAL)


def _weighted(cost: Cost, ends: Sequence[Line]) -> list[Line]:
    if not cost.weights:
        return list(ends)
    return [(a * w, s * w) for (a, s), w in zip(ends, cost.weights, strict=True)]


def _sum(lines: Sequence[Line]) -> Line:
    return total([a for a, _ in lines]), total([s for _, s in lines])


def _crossing(p: Line, q: Line) -> Fraction | None:
    return None if p[1] == q[1] else (q[0] - p[0]) / (p[1] - q[1])
