"""Optimal efficient schedules for a welfare goal, with the tie rule as part of the answer.

Model: among all efficient schedules (ordered lists per machine, no idle time) the one whose ending times maximise the
goal. An allocation rule must be a function, so ties are settled by rule, not by accident:

* ``ties="sum"``: the smallest sum of ending times first, then the lexicographically smallest vector of places
  ``((machine of job 0, position), (machine of job 1, position), ...)``;
* ``ties="listed"``: only the latter.

=====================================  ============================  =========================================
goal                                   method                        limit
=====================================  ============================  =========================================
sum; makespan of order >= N            ``matching``                  none
makespan, weighted sum, weighted       ``subsets``: dynamic          18 jobs and ``3**N (M - 2) <= 10**9``
makespan, squared deviation, linear    programming
expressions without positive slopes
lexical max                            ``subsets``                   16 jobs and ``3**N (M - 2) <= 3 * 10**8``
makespan of order 2 to N - 1,          ``partitions``: depth first,  ``M**N <= 10**8``
ties ``sum``                           cut by the best so far
symmetric and non-increasing goals     ``shortest-first``: every     ``M**N <= 200,000``
of a user, ties ``sum``                partition
other expressions, all other goals     ``enumeration``               ``(N + M - 1)!/(M - 1)! <= 200,000``
=====================================  ============================  =========================================

Which row a goal belongs to follows from the cost that it tells (:meth:`.welfare.Goal.cost`), else from whether it is
symmetric and non-increasing. An instance whose numbers do not fit into 64 bits is solved by the same kernels on Python
integers, with limits a thousand times smaller. Beyond a limit the answer is :class:`TooLargeError`, before any work,
unless a heuristic is asked for; that is deterministic too, as an allocation rule must be.

>>> from consortium.scheduling.clusters import Cluster
>>> from consortium.scheduling.goals import Makespan
>>> optimal_allocation(Cluster.of([1, 2]), [1, 2, 3], Makespan()).allocation.lists
((1,), (0, 2))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from itertools import accumulate, product
from typing import Any, Final, Literal, TypeAlias

from ..support.errors import TooLargeError, unknown_name
from ..support.exact import Rational, first_least, fits_int64, is_symbolic, scale
from .allocations import Allocation, allocations, n_allocations
from .clusters import Cluster, check_lengths, integer_lengths, integer_times
from .sums import sum_allocation
from .welfare import Cost, Form, Goal, Value

Ties: TypeAlias = Literal["sum", "listed"]
Method: TypeAlias = Literal["matching", "subsets", "partitions", "shortest-first", "enumeration"]
MAX_SUBSETS: Final = 10**9
MAX_SUBSET_JOBS: Final = 18
MAX_LEXICAL: Final = 3 * 10**8
MAX_LEXICAL_JOBS: Final = 16
MAX_PARTITIONS: Final = 10**8
MAX_SCHEDULES: Final = 200_000
MAX_SYMBOLIC: Final = 5_040
SLOWER: Final = 1_000
"""How much smaller the kernels' limits are on Python integers."""


@dataclass(frozen=True)
class Optimum:
    """An allocation with what is known of its value.

    Attributes
    ----------
    allocation
        The schedule found.
    value
        The goal at its ending times (maximised).
    lower, upper
        Bounds on the optimal value: ``lower`` is ``value``; equal bounds mean that no schedule has a better value.
    proven
        Whether the allocation is *the* optimal one, tie rule included.
    method
        How it was found.
    """

    allocation: Allocation
    value: Value
    lower: Value
    upper: Value
    proven: bool
    method: str


@dataclass(frozen=True)
class Reach:
    """How an instance would be solved exactly, and whether it is within the limit.

    ``steps`` counts what the method goes through: splits of subsets, partitions or schedules; ``limit`` is the most.
    """

    method: Method
    steps: int
    limit: int
    max_jobs: int | None
    n_jobs: int

    @property
    def within(self) -> bool:
        """Whether the exact answer is given."""
        return self.steps <= self.limit and (self.max_jobs is None or self.n_jobs <= self.max_jobs)


def reach(
    n_jobs: int, n_machines: int, goal: Goal, ties: Ties = "sum", *, int64: bool = True, symbolic: bool = False
) -> Reach:
    """Method and cost of the exact answer for this size.

    Parameters
    ----------
    int64
        Whether the kernels' integers fit into 64 bits.
    symbolic
        Whether lengths are numbers without digits: no kernel takes them, so that schedules are compared one by one.

    Examples
    --------
    >>> from consortium.scheduling.goals import ExpressionGoal, Makespan, SumOfTimes
    >>> reach(12, 3, Makespan()).within, reach(30, 3, SumOfTimes()).method
    (True, 'matching')
    >>> reach(9, 3, ExpressionGoal("-a*b", ("a", "b")))
    Reach(method='enumeration', steps=19958400, limit=200000, max_jobs=None, n_jobs=9)
    """
    cost, slower = goal.cost(n_jobs), 1 if int64 else SLOWER
    if cost is not None and cost.form is Form.SUM:
        return Reach("matching", n_jobs, max(n_jobs, 1), None, n_jobs)
    splits = 3**n_jobs * max(1, n_machines - 2) if n_jobs <= 100 else 3**100
    partitions = n_machines ** min(n_jobs, 100)
    if cost is not None and not symbolic:
        if cost.form is Form.LEXICAL:
            return Reach("subsets", splits, MAX_LEXICAL // slower, MAX_LEXICAL_JOBS, n_jobs)
        if cost.count == 1:  # every form but a sum of several largest times
            return Reach("subsets", splits, MAX_SUBSETS // slower, MAX_SUBSET_JOBS, n_jobs)
        if ties == "sum":
            return Reach("partitions", partitions, MAX_PARTITIONS // slower, None, n_jobs)
    most = MAX_SYMBOLIC if symbolic else MAX_SCHEDULES
    if goal.symmetric and goal.non_increasing and ties == "sum":
        return Reach("shortest-first", partitions, most, None, n_jobs)
    return Reach("enumeration", n_allocations(min(n_jobs, 100), n_machines), most, None, n_jobs)


def exact_reach(
    cluster: Cluster, lengths: Sequence[Rational], goal: Goal, ties: Ties = "sum", heuristic: bool = False
) -> tuple[Reach, bool]:
    """How :func:`optimal_allocation` would solve an instance, and whether on 64 bits; raises TooLargeError as it does.

    >>> from consortium.scheduling.goals import Makespan
    >>> exact_reach(Cluster.of([1, 2, 2]), [3, 4], Makespan())[1]
    True
    """
    plan, costs = _reach(cluster, check_lengths(lengths), goal, ties, heuristic)
    return plan, costs is None or costs.fits


def _reach(
    cluster: Cluster, lengths: tuple[Fraction, ...], goal: Goal, ties: Ties, heuristic: bool
) -> tuple[Reach, IntegerCosts | None]:
    if is_symbolic(lengths):
        return reach(len(lengths), cluster.n_machines, goal, ties, symbolic=True), None
    costs = integer_costs(cluster, lengths, goal)
    plan = reach(len(lengths), cluster.n_machines, goal, ties, int64=costs is None or costs.fits)
    if not plan.within and not heuristic:
        raise _too_large(plan, cluster.n_machines, goal)
    return plan, costs


def optimal_allocation(
    cluster: Cluster,
    lengths: Sequence[Rational],
    goal: Goal,
    ties: Ties = "sum",
    heuristic: bool = False,
) -> Optimum:
    """The efficient schedule that maximises ``goal``; see the module's text for tie rules, methods and limits.

    Parameters
    ----------
    cluster, lengths
        Machines, and the work of each job.
    goal
        One of :mod:`.goals`, or one of your own.
    ties
        Of several best schedules, ``"sum"`` takes one of the smallest sum of ending times, then the lexicographically
        smallest places; ``"listed"`` asks for the places only.
    heuristic
        Beyond the limits, give a good schedule with bounds instead of an error.

    Raises
    ------
    TooLargeError
        Exact optimisation is out of reach at this size; raised before any work.
    InputError
        A length that is not positive.

    Examples
    --------
    >>> from consortium.scheduling.goals import Makespan, WeightedSum
    >>> optimal_allocation(Cluster.of([1]), [3, 3], WeightedSum((1, 9))).allocation.lists
    ((1, 0),)
    >>> optimal_allocation(Cluster.of([1, 1]), [2, 2, 2], Makespan(), ties="listed").allocation.lists
    ((0, 1), (2,))
    """
    if ties not in ("sum", "listed"):
        raise unknown_name("ties", ties, ("sum", "listed"))
    # sums take plain numbers as they are: a hundred thousand fractions take longer to make than to allocate
    if set(map(type, lengths)) == {int} and min(lengths) > 0 and _is_sum(goal, len(lengths)):
        return _matched(cluster, lengths, goal)
    exact = check_lengths(lengths)
    if not exact:
        return _matched(cluster, exact, goal)
    plan, costs = _reach(cluster, exact, goal, ties, heuristic)
    if plan.method == "matching":
        return _matched(cluster, exact, goal)
    if not plan.within:
        from .heuristics import good_allocation

        allocation, upper = good_allocation(cluster, exact, goal, ties)
        value = goal.value(allocation.end_times(cluster, exact))
        return Optimum(allocation, value, value, upper, False, "heuristic")
    if plan.method in ("shortest-first", "enumeration"):
        by = _enumerate_symbolic if is_symbolic(exact) and _never_compares(goal, len(exact)) else _enumerate
        return by(cluster, exact, goal, ties, plan)
    assert costs is not None  # else no kernel knows the goal
    return _optimum(cluster, exact, goal, by_kernel(costs, plan.method, ties == "sum"), plan.method)


def _is_sum(goal: Goal, n_jobs: int) -> bool:
    cost = goal.cost(n_jobs)
    return cost is not None and cost.form is Form.SUM


def _matched(cluster: Cluster, lengths: Sequence[Rational], goal: Goal) -> Optimum:
    """The optimum of the sum."""
    return _optimum(cluster, lengths, goal, sum_allocation(cluster, lengths), "matching")


def _optimum(
    cluster: Cluster, lengths: Sequence[Rational], goal: Goal, allocation: Allocation, method: Method
) -> Optimum:
    value = goal.value(allocation.end_times(cluster, lengths))
    return Optimum(allocation, value, value, value, True, method)


def _too_large(plan: Reach, n_machines: int, goal: Goal) -> TooLargeError:
    most = f"{plan.limit:,} steps" + (f" and {plan.max_jobs} jobs" if plan.max_jobs else "")
    steps = f"{plan.steps:,}" if plan.n_jobs <= 100 and plan.steps < 10**15 else "more than 10**15"
    return TooLargeError(
        f"goal {goal.id!r} with {plan.n_jobs} jobs on {n_machines} machines takes {steps} steps by {plan.method}; "
        f"the exact answer is limited to {most}. Ask for a heuristic, or use goal 'sum', which has no limit"
    )


def _enumerate(cluster: Cluster, lengths: tuple[Fraction, ...], goal: Goal, ties: Ties, plan: Reach) -> Optimum:
    """The schedules one by one."""
    best: tuple[Value, Fraction, Allocation] | None = None
    for lists, ends in _schedules(cluster, lengths, plan):
        value = goal.value(ends)
        if best is not None and value < best[0]:  # type: ignore[operator]
            continue
        total = sum(ends, Fraction(0)) if ties == "sum" else Fraction(0)
        allocation = Allocation(lists)
        better = best is None or value > best[0]  # type: ignore[operator]
        if better or (best and (total, allocation.places) < (best[1], best[2].places)):
            best = value, total, allocation
    assert best is not None  # there is always at least one schedule
    return Optimum(best[2], best[0], best[0], best[0], True, plan.method)


def _never_compares(goal: Goal, n_jobs: int) -> bool:
    """Whether the goal's value is known to be computed without comparing times, which is a case split of a proof."""
    cost = goal.cost(n_jobs)
    if cost is not None:
        return cost.form in (Form.WEIGHTED, Form.SQUARED)
    return goal.degree is not None


def _enumerate_symbolic(
    cluster: Cluster, lengths: tuple[Fraction, ...], goal: Goal, ties: Ties, plan: Reach
) -> Optimum:
    """The same for symbolic lengths: which value is the best is one case split, not one for each schedule."""
    schedules = sorted(
        ((Allocation(lists), ends) for lists, ends in _schedules(cluster, lengths, plan)), key=lambda one: one[0].places
    )
    values = [Fraction(goal.value(ends)) for _, ends in schedules]  # type: ignore[arg-type]
    totals = [sum(ends, Fraction(0)) if ties == "sum" else Fraction(0) for _, ends in schedules]
    best = first_least([-value for value in values], totals)
    return Optimum(schedules[best][0], values[best], values[best], values[best], True, plan.method)


def _schedules(
    cluster: Cluster, lengths: tuple[Fraction, ...], plan: Reach
) -> Iterator[tuple[tuple[tuple[int, ...], ...], list[Fraction]]]:
    """The schedules to compare, as lists of jobs, with their ending times."""
    candidates = (
        _shortest_first(lengths, cluster.n_machines)
        if plan.method == "shortest-first"
        else allocations(len(lengths), cluster.n_machines)
    )

    @cache
    def ends_of(m: int, jobs: tuple[int, ...]) -> list[Fraction]:
        return [work / cluster.powers[m] for work in accumulate(lengths[job] for job in jobs)]

    for lists in candidates:
        ends = [Fraction(0)] * len(lengths)
        for m, jobs in enumerate(lists):
            for job, end in zip(jobs, ends_of(m, jobs), strict=True):
                ends[job] = end
        yield lists, ends


def _shortest_first(lengths: tuple[Fraction, ...], n_machines: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Every partition, each machine shortest first, ties by number."""
    order = sorted(range(len(lengths)), key=lambda j: lengths[j])
    for machine_of in product(range(n_machines), repeat=len(lengths)):
        lists: list[list[int]] = [[] for _ in range(n_machines)]
        for job in order:
            lists[machine_of[job]].append(job)
        yield tuple(map(tuple, lists))


@dataclass(frozen=True)
class IntegerCosts:
    """A scheduling instance with one of the kernels' goals, as integers.

    Times become integers in units of ``1 / (work unit * time unit)``; weights and the target are scaled along.

    ``cost`` is not the plain sum, which needs no kernel; a work times a ``per_work`` is a time; without weights of the
    goal's all are 1; ``target`` is in the unit of the times. ``fits`` says whether int64 suffices for every number that
    a kernel forms, which follows from the largest possible time; if not, they run on Python integers.
    """

    cost: Cost
    work: tuple[int, ...]
    per_work: tuple[int, ...]
    weights: tuple[int, ...]
    target: int
    fits: bool


@lru_cache(maxsize=4096)  # checks ask for the same few instances thousands of times
def by_kernel(costs: IntegerCosts, method: str, with_sum: bool) -> Allocation:
    """The optimal schedule; ``with_sum`` is the tie rule ``sum``. Size limits are the caller's."""
    import numpy as np

    from ..support.jit import fitting
    from . import subset_kernel as kernel

    n, machines = len(costs.work), len(costs.per_work)
    steps = n * machines**n if method == "partitions" else 3 * machines * 3**n
    dtype: Any = np.int64 if costs.fits else object
    work, per_work = np.array(costs.work, dtype=dtype), np.array(costs.per_work, dtype=dtype)
    if costs.cost.form is Form.LEXICAL:
        _, places = fitting(kernel.lexical_schedule, costs.fits, steps)(work, per_work)
    elif method == "partitions":
        order = np.array(sorted(range(n), key=costs.work.__getitem__), dtype=np.int64)
        largest = fitting(kernel.largest_schedule, costs.fits, steps)
        _, _, places = largest(work, per_work, order, costs.cost.count)
    else:
        form = {Form.WEIGHTED: kernel.WEIGHTED, Form.SQUARED: kernel.SQUARED, Form.LARGEST: kernel.LARGEST}
        weights = np.array(costs.weights, dtype=dtype)
        best = fitting(kernel.best_schedule, costs.fits, steps)
        _, _, places = best(work, per_work, form[costs.cost.form], weights, costs.target, with_sum)
    return Allocation.from_places([divmod(int(p), n) for p in places], machines)


def integer_costs(cluster: Cluster, lengths: Sequence[Fraction], goal: Goal) -> IntegerCosts | None:
    """The instance for the kernels, or None when no kernel knows the goal or the goal needs none.

    Raises InputError when the goal's weights are not one per job.

    >>> from consortium.scheduling.goals import Makespan, SumOfTimes
    >>> costs = integer_costs(Cluster.of([1, "3/2"]), [Fraction(1), Fraction(5, 2)], Makespan())
    >>> costs.work, costs.per_work, costs.fits, by_kernel(costs, "subsets", with_sum=True).lists
    ((2, 5), (3, 2), True, ((0,), (1,)))
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
    scaled = cost.target * (work_unit * time_unit)
    target, work = scaled.numerator, [w * scaled.denominator for w in work]
    latest = sum(work) * max(per_work)
    most = max(latest, abs(target)) ** 2 * 4 if cost.form is Form.SQUARED else latest * max(1, *weights)
    fits = fits_int64((len(work) + 1) * most, (len(work) + 1) * latest)
    return IntegerCosts(cost, tuple(work), tuple(per_work), weights, target, fits)
