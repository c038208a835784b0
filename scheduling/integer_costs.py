"""A scheduling instance with one of the kernels' goals, as integers.

Times become integers in units of ``1 / (work unit * time unit)``; weights and the target are scaled along. Whether
every number that a kernel forms fits into 64 bits is proved here from the largest possible time; if not, the same
functions run on Python integers.

>>> from consortium.scheduling.goals import Makespan
>>> costs = integer_costs(Cluster.of([1, "3/2"]), [Fraction(1), Fraction(5, 2)], Makespan())
>>> costs.work, costs.per_work, costs.fits, costs.solve("subsets", with_sum=True).lists
((2, 5), (3, 2), True, ((0,), (1,)))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ..support.exact import fits_int64, scale
from .allocations import Allocation
from .clusters import Cluster, integer_lengths, integer_times
from .goals.base import Goal
from .goals.costs import Cost, Form


@dataclass(frozen=True)
class IntegerCosts:
    """Integers for the kernels.

    Attributes
    ----------
    cost
        What is minimised; not the plain sum, which needs no kernel.
    work, per_work
        Per job and per machine; their product is a time.
    weights
        Per job; all 1 where the goal has none.
    target
        For squared deviation, in the unit of the times.
    fits
        Whether int64 suffices, sums included.
    """

    cost: Cost
    work: tuple[int, ...]
    per_work: tuple[int, ...]
    weights: tuple[int, ...]
    target: int
    fits: bool

    def solve(self, method: str, with_sum: bool) -> Allocation:
        """The optimal schedule by a kernel; ``with_sum`` is the tie rule ``sum``. Size limits are the caller's.

        Checks ask for the same few instances thousands of times: the latest answers are remembered.
        """
        return solved(self, method, with_sum)

    def by_kernel(self, method: str, with_sum: bool) -> Allocation:
        """The same, by a kernel in any case."""
        import numpy as np

        from ..support.jit import fitting
        from . import lexical_kernel, subset_kernel

        n, machines = len(self.work), len(self.per_work)
        steps = n * machines**n if method == "partitions" else 3 * machines * 3**n
        dtype: Any = np.int64 if self.fits else object
        work, per_work = np.array(self.work, dtype=dtype), np.array(self.per_work, dtype=dtype)
        if self.cost.form is Form.LEXICAL:
            _, places = fitting(lexical_kernel.lexical_schedule, self.fits, steps)(work, per_work)
        elif method == "partitions":
            order = np.array(sorted(range(len(self.work)), key=self.work.__getitem__), dtype=np.int64)
            largest = fitting(lexical_kernel.largest_schedule, self.fits, steps)
            _, _, places = largest(work, per_work, order, self.cost.count)
        else:
            form = {
                Form.WEIGHTED: subset_kernel.WEIGHTED,
                Form.SQUARED: subset_kernel.SQUARED,
                Form.LARGEST: subset_kernel.LARGEST,
            }[self.cost.form]
            weights = np.array(self.weights, dtype=dtype)
            best = fitting(subset_kernel.best_schedule, self.fits, steps)
            _, _, places = best(work, per_work, form, weights, self.target, with_sum)
        return Allocation.from_places([divmod(int(p), n) for p in places], machines)


@lru_cache(maxsize=4096)
def solved(costs: IntegerCosts, method: str, with_sum: bool) -> Allocation:
    """What :meth:`IntegerCosts.solve` says."""
    return costs.by_kernel(method, with_sum)


def integer_costs(cluster: Cluster, lengths: Sequence[Fraction], goal: Goal) -> IntegerCosts | None:
    """The instance for the kernels, or None when no kernel knows the goal or the goal needs none.

    Raises InputError when the goal's weights are not one per job.

    >>> from consortium.scheduling.goals import SumOfTimes
    >>> integer_costs(Cluster.of([1]), [Fraction(1)], SumOfTimes()) is None
    True
    """
    cost = goal.cost(len(lengths))
    if cost is None or cost.form is Form.SUM:
        return None
    goal.value(lengths)  # one weight per job, or InputError
    work, work_unit = integer_lengths(lengths)
    per_work, time_unit = integer_times(cluster)
    weights = scale(cost.weights)[0] if cost.weights else (1,) * len(work)
    wanted = cost.target * (work_unit * time_unit)
    target, work = wanted.numerator, [w * wanted.denominator for w in work]
    latest = sum(work) * max(per_work)
    most = max(latest, abs(target)) ** 2 * 4 if cost.form is Form.SQUARED else latest * max(1, *weights)
    fits = fits_int64((len(work) + 1) * most, (len(work) + 1) * latest)
    return IntegerCosts(cost, tuple(work), tuple(per_work), weights, target, fits)
