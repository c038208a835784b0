"""A scheduling instance with one of the kernels' goals, as integers.

Times become integers in units of ``1 / (work unit * time unit)``; weights and the target are scaled along. Whether
every number that a kernel forms fits into 64 bits is proved here from the largest possible time; if not, the same
functions run on Python integers.

>>> from consortium.scheduling.welfare import Makespan
>>> costs = integer_costs(Cluster.of([1, "3/2"]), [Fraction(1), Fraction(5, 2)], Makespan())
>>> costs.work, costs.per_work, costs.fits, costs.solve("subsets", with_sum=True).lists
((2, 5), (3, 2), True, ((0,), (1,)))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .allocations import Allocation
from .clusters import Cluster, integer_lengths, integer_times
from .exact import fits_int64, scale
from .welfare import Goal, LexicalMax, Makespan, SquaredDeviation, WeightedMakespan, WeightedSum

GOALS = (WeightedSum, WeightedMakespan, SquaredDeviation)


@dataclass(frozen=True)
class IntegerCosts:
    """Integers for the kernels.

    Attributes
    ----------
    goal
        The goal, of a type that a kernel knows.
    work, per_work
        Per job and per machine; their product is a time.
    weights
        Per job; all 1 where the goal has none.
    target
        For squared deviation, in the unit of the times.
    fits
        Whether int64 suffices, sums included.
    """

    goal: Goal
    work: tuple[int, ...]
    per_work: tuple[int, ...]
    weights: tuple[int, ...]
    target: int
    fits: bool

    @staticmethod
    def covers(goal: Goal) -> bool:
        """Whether the subset kernel optimises the goal.

        >>> from consortium.scheduling.welfare import SumOfTimes
        >>> IntegerCosts.covers(Makespan()), IntegerCosts.covers(Makespan(2)), IntegerCosts.covers(LexicalMax())
        (True, False, False)
        """
        return isinstance(goal, GOALS) or (isinstance(goal, Makespan) and goal.order == 1)

    def solve(self, method: str, with_sum: bool) -> Allocation:
        """The optimal schedule by a kernel; ``with_sum`` is the tie rule ``sum``. Size limits are the caller's."""
        import numpy as np

        from . import lexical_kernel, subset_kernel
        from .compiled import plain

        dtype: Any = np.int64 if self.fits else object
        work, per_work = np.array(self.work, dtype=dtype), np.array(self.per_work, dtype=dtype)
        if isinstance(self.goal, LexicalMax):
            lexical = lexical_kernel.lexical_schedule
            _, places = (lexical if self.fits else plain(lexical))(work, per_work)
        elif method == "partitions":
            assert isinstance(self.goal, Makespan)
            largest = lexical_kernel.largest_schedule
            order = np.array(sorted(range(len(self.work)), key=self.work.__getitem__), dtype=np.int64)
            _, _, places = (largest if self.fits else plain(largest))(work, per_work, order, self.goal.order)
        else:
            best = subset_kernel.best_schedule
            form = (
                subset_kernel.WEIGHTED
                if isinstance(self.goal, WeightedSum)
                else subset_kernel.SQUARED
                if isinstance(self.goal, SquaredDeviation)
                else subset_kernel.LARGEST
            )
            weights = np.array(self.weights, dtype=dtype)
            _, _, places = (best if self.fits else plain(best))(work, per_work, form, weights, self.target, with_sum)
        n = len(self.work)
        return Allocation.from_places([divmod(int(p), n) for p in places], len(self.per_work))


def integer_costs(cluster: Cluster, lengths: Sequence[Fraction], goal: Goal) -> IntegerCosts | None:
    """The instance for the kernels, or None when no kernel knows the goal.

    Raises InputError when the goal's weights are not one per job.

    >>> from consortium.scheduling.welfare import SumOfTimes
    >>> integer_costs(Cluster.of([1]), [Fraction(1)], SumOfTimes()) is None
    True
    """
    if not isinstance(goal, (*GOALS, Makespan, LexicalMax)):
        return None
    goal.value(lengths)  # one weight per job, or InputError
    work, work_unit = integer_lengths(lengths)
    per_work, time_unit = integer_times(cluster)
    weights: tuple[int, ...] = (1,) * len(work)
    target = 0
    if isinstance(goal, WeightedSum | WeightedMakespan):
        weights, _ = scale(goal.weights)
    if isinstance(goal, SquaredDeviation):
        wanted = Fraction(goal.target) * (work_unit * time_unit)
        target, work = wanted.numerator, [w * wanted.denominator for w in work]
    latest = sum(work) * max(per_work)
    cost = max(latest, abs(target)) ** 2 * 4 if isinstance(goal, SquaredDeviation) else latest * max(1, *weights)
    fits = fits_int64((len(work) + 1) * cost, (len(work) + 1) * latest)
    return IntegerCosts(goal, tuple(work), tuple(per_work), weights, target, fits)
