"""Placement games of a shape whose hosts order jobs by a policy of their lengths, one cell of lengths after the other.

The policy's code runs on symbols for the lengths and says the order of each set of jobs on each host. On a path of its
comparisons (:mod:`.paths`) all orders are fixed, so what an organization pays is a largest sum of lengths as in the
other games, and covers and trees of prices answer for the lengths of the path. Jobs are listed longest first.

>>> from consortium.mechanisms.federation.coordination import Coordination
>>> cells = Orders(Coordination("jobs", "shortest"), Shape((1, 1))).cells(Clock(None))
>>> [(cell.lengths, cell.full, cell.rows.tolist()) for cell in cells]
[(((1,), (1,)), False, []), (((1,), (2,)), True, [[-1, 1]]), (((2,), (1,)), True, [[1, -1]])]
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Any, Final

import numpy as np

from ....agents.organizations import Federation
from ....mechanisms.federation.coordination import HostPolicy
from ....mechanisms.federation.custom import custom_rule
from ....support.errors import InputError
from ....support.jit import Ints
from ....support.progress import Clock, Progress
from ...proofs.execution import Path
from ...proofs.feasibility import point_of
from ...proofs.questions import Rows
from .paths import Paths, length_names
from .points import Game
from .shapes import Lengths, Shape

MAX_JOBS: Final = 9
"""Of a shape under a policy of lengths: it is asked about every set of jobs."""


@dataclass(frozen=True)
class Policy:
    """A policy as code whose symbols are all lengths; its results are its orders, for every host and set of jobs.

    An order is a number: for each organization, in base ``2**jobs``, the jobs up to its last one there, as bits.
    """

    policy: Any
    shape: Shape

    @property
    def names(self) -> tuple[str, ...]:
        """As a sentence has them."""
        return length_names(self.shape.jobs)

    def run(self, numbers: Sequence[Any]) -> list[int]:
        """The orders, those of the first host first. A set is asked about with all others on the next host."""
        shape, n = self.shape, len(self.shape.jobs)
        pairs = list(itertools.pairwise(shape.starts))
        federation = Federation.of([numbers[i:j] for i, j in pairs], priorities=shape.ranks)
        policy = custom_rule(self.policy, federation)
        assert isinstance(policy, HostPolicy)  # as of :func:`Orders`
        orders = dict[tuple[int, int], int]()
        for first, there in itertools.product(range(0, n, 2), range(1 << len(numbers))):
            hosts = [first if there >> j & 1 else (first + 1) % n for j in range(len(numbers))]
            queues = policy.queues(federation, tuple(tuple(hosts[i:j]) for i, j in pairs))
            for host in {first, (first + 1) % n}:
                jobs, ends = 0, [0] * n
                for k, i in queues[host]:
                    jobs |= 1 << (shape.starts[k] + i)
                    ends[k] = jobs
                orders[host, jobs] = sum(end << (a * len(numbers)) for a, end in enumerate(ends))
        return [orders.get(each, 0) for each in itertools.product(range(n), range(1 << len(numbers)))]


@dataclass(frozen=True)
class Cell:
    """The lengths of a path.

    Attributes
    ----------
    until
        The orders there, as :class:`.points.Game` has them.
    rows, strict
        Forms of differences that are not negative there; those that are positive.
    lengths
        A game there, in whole numbers up to a unit.
    full
        Whether it has an interior; without one ``rows`` are only the strict ones.
    facts
        All that holds there: of the constant and the lengths.
    """

    until: Ints
    rows: Ints
    strict: Ints
    lengths: Lengths
    full: bool
    facts: Rows

    def of(self, game: Game) -> Game:
        """A game for the lengths of the cell."""
        fixed = np.zeros_like(game.fixed)
        return game._replace(until=self.until, fixed=fixed, rows=self.rows, strict=self.strict)

    def scaled(self, lengths: Lengths) -> Lengths | None:
        """Whole lengths, or what they are in a unit in which they are in the cell; ``None`` where there is none."""
        flat = [length for row in lengths for length in row]
        bounds = [(row[0], sum(map(mul, row[1:], flat)), strict) for row, strict in self.facts if row[0]]
        if any(sum(map(mul, row[1:], flat)) < strict for row, strict in self.facts if not row[0]):
            return None
        low = max((Fraction(-value, first) for first, value, _ in bounds if first > 0), default=Fraction(0))
        ends = [Fraction(value, -first) for first, value, _ in bounds if first < 0]
        for unit in (Fraction(1), (low + min(ends)) / 2 if ends else low + 1):
            if all(
                first * unit + value >= 0 and (first * unit + value > 0 or not strict)
                for first, value, strict in bounds
            ):
                return tuple(tuple(Fraction(length) / unit for length in row) for row in lengths)
        return None

    def within(self, other: Cell) -> bool:
        """Whether all its lengths, and their orders, are those of the other one's border."""
        if not np.array_equal(self.until, other.until):
            return False
        return all(
            point_of([*self.facts, (tuple([-a for a in row]), True)]) is None for row, _ in other.facts if any(row)
        )


class Orders(Paths):
    """All cells of a policy."""

    def __init__(self, policy: Any, shape: Shape) -> None:
        n = sum(shape.jobs)
        if n > MAX_JOBS:
            raise InputError(f"jobs: found {n}; expected at most {MAX_JOBS} under a policy of lengths")
        custom = not isinstance(policy, HostPolicy)
        super().__init__(Policy(policy, shape), shape.jobs, any_order=False, custom=custom)
        self.shape = shape

    def cells(self, clock: Clock, progress: Progress | None = None) -> Iterator[Cell]:
        """Each cell once, until the limit of time."""
        for path in self.paths(clock, progress):
            yield self._cell(path)

    def _cell(self, path: Path) -> Cell:
        _, results, refusal, place = path
        if results is None:
            raise InputError(f"the policy refuses some lengths: {refusal}")
        n, jobs = len(self.shape.jobs), sum(self.shape.jobs)
        orders = [int(one[0][0]) if isinstance(one, tuple) else 0 for one in results]
        until = [[order >> (a * jobs) & (1 << jobs) - 1 for a in range(n)] for order in orders]
        rows = self.rows(path)
        forms = [(tuple(self.differences(row)[1:]), strict) for row, strict in without_constant(rows)]
        inside = [(tuple([int(i == j) for i in range(jobs)]), True) for j in range(jobs)]
        full = point_of([*inside, *((form, True) for form, _ in forms)]) is not None
        forms = sorted(dict(sorted(one for one in forms if full or one[1])).items())  # of equal ones the strict one
        return Cell(
            np.array(until, dtype=np.int64).reshape(n, 1 << jobs, n),
            np.array([form for form, _ in forms], dtype=np.int64).reshape(-1, jobs),
            np.array([int(strict) for _, strict in forms], dtype=np.int64),
            self.by_organization(place[0][1:]),
            full,
            (*self.domain, *rows),
        )


def without_constant(rows: Rows) -> Rows:
    """What rows say of lengths alone, for some positive constant, whose coefficient is 0 then.

    >>> without_constant((((-5, 1, 0), True), ((3, 0, -1), False)))
    (((0, 1, 0), True), ((0, 3, -5), True))
    """
    plain = [row for row in rows if not row[0][0]]
    above = [((1, *[0] * (len(rows[0][0]) - 1)), True)] if rows else []
    above += [row for row in rows if row[0][0] > 0]
    pairs = itertools.product((row for row in rows if row[0][0] < 0), above)
    plain += [(tuple([p[0] * b - q[0] * a for a, b in zip(p, q, strict=True)]), s or t) for (q, s), (p, t) in pairs]
    return tuple(dict.fromkeys(plain))
