"""The smallest makespan of 60 instances: ours, CP-SAT with bounds, HiGHS with bounds, one after the other in one run.

Five instances each of 10, 20 and 50 jobs on 3 and 5 machines, identical and related (speeds 1 to 4); lengths are
uniform integers up to 100, and in a second round up to 10,000. The two solvers get the makespan variable bounded below
by the total work over the total speed, rounded up, and above by the longest-first schedule; they have one thread and 10
seconds per instance. An instance counts as proven when lower and upper bound are equal, the latter recomputed from the
schedule. A third round has 100 jobs on 10 machines, lengths up to 10,000, and speeds of 1 to 20 as well, whose
makespans have no simple common unit; there the gap that is left counts too.

Run with ``pytest benchmarks/test_optimal_makespan.py --benchmark-enable -s``.
"""

from __future__ import annotations

import datetime
import math
import random
import time
from collections.abc import Callable
from fractions import Fraction
from statistics import median
from typing import TypeAlias

import pytest

from consortium.scheduling.clusters import Cluster
from consortium.scheduling.listing import place_in_order
from consortium.scheduling.makespan import Instance, smallest_makespan

LIMIT = 10.0
Question: TypeAlias = tuple[list[int], list[int]]
CASES = [(kind, n, m) for kind in ("identical", "related") for n in (10, 20, 50) for m in (3, 5)]
LARGE = [(kind, 100, 10) for kind in ("identical", "related", "any speeds")]
SPEEDS = {"identical": 1, "related": 4, "any speeds": 20}
RESULTS: dict[tuple[int, str], dict[tuple[str, int, int], list[tuple[bool, float]]]] = {}


def instances(kind: str, n: int, m: int, longest: int) -> list[Question]:
    """Five of a case: lengths and speeds."""
    made = []
    for k in range(5):
        rng = random.Random(f"{kind} {n} {m} {longest} {k}")
        lengths = [rng.randint(1, longest) for _ in range(n)]
        made.append((lengths, [1] * m if kind == "identical" else [rng.randint(1, SPEEDS[kind]) for _ in range(m)]))
    return made


def bounds(lengths: list[int], speeds: list[int]) -> tuple[int, int, int]:
    """Work bound and longest-first makespan in units of 1/scale, and the scale."""
    scale = math.lcm(*speeds)
    load = [0] * len(speeds)
    for b in sorted(lengths, reverse=True):
        best = min(range(len(speeds)), key=lambda i: Fraction(load[i] + b, speeds[i]))
        load[best] += b
    upper = max(x * scale // s for x, s in zip(load, speeds, strict=True))
    return -(-sum(lengths) * scale // sum(speeds)), upper, scale


def ours(lengths: list[int], speeds: list[int]) -> tuple[Fraction, Fraction]:
    answer = smallest_makespan(Cluster.of(speeds), lengths, time_limit=LIMIT)
    assert max(answer.allocation.end_times(Cluster.of(speeds), lengths)) == answer.upper
    return answer.lower, answer.upper


def cp_sat(lengths: list[int], speeds: list[int]) -> tuple[Fraction, Fraction]:
    from ortools.sat.python import cp_model

    lower, upper, scale = bounds(lengths, speeds)
    model = cp_model.CpModel()
    end = model.new_int_var(lower, upper, "")
    x = [[model.new_bool_var("") for _ in speeds] for _ in lengths]
    for row in x:
        model.add_exactly_one(row)
    for i, s in enumerate(speeds):
        model.add(sum(b * scale // s * row[i] for b, row in zip(lengths, x, strict=True)) <= end)
    model.minimize(end)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = LIMIT
    status = solver.solve(model)
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        upper = int(solver.objective_value)
    return Fraction(int(solver.best_objective_bound), scale), Fraction(upper, scale)


def highs(lengths: list[int], speeds: list[int]) -> tuple[Fraction, Fraction]:
    from ortools.math_opt.python import mathopt

    lower, upper, scale = bounds(lengths, speeds)
    model = mathopt.Model()
    end = model.add_integer_variable(lb=lower, ub=upper)
    x = [[model.add_binary_variable() for _ in speeds] for _ in lengths]
    for row in x:
        model.add_linear_constraint(mathopt.fast_sum(row) == 1)
    for i, s in enumerate(speeds):
        load = mathopt.fast_sum(b * scale // s * row[i] for b, row in zip(lengths, x, strict=True))
        model.add_linear_constraint(load <= end)
    model.minimize(end)
    parameters = mathopt.SolveParameters(
        time_limit=datetime.timedelta(seconds=LIMIT), relative_gap_tolerance=0.0, absolute_gap_tolerance=0.5
    )
    result = mathopt.solve(model, mathopt.SolverType.HIGHS, params=parameters)
    if result.has_primal_feasible_solution():
        values = result.variable_values()
        loads = [sum(b for b, row in zip(lengths, x, strict=True) if values[row[i]] > 0.5) for i in range(len(speeds))]
        upper = max(load * scale // s for load, s in zip(loads, speeds, strict=True))
    bound = result.termination.objective_bounds.dual_bound
    return Fraction(math.ceil(bound - 1e-3) if math.isfinite(bound) else lower, scale), Fraction(upper, scale)


METHODS: dict[str, Callable[[list[int], list[int]], tuple[Fraction, Fraction]]] = {
    "ours": ours,
    "cp-sat with bounds": cp_sat,
    "highs with bounds": highs,
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("longest", [100, 10_000])
def test_sixty_instances(benchmark: object, longest: int, method: str) -> None:
    run = METHODS[method]
    run([3, 2, 2], [1, 2])  # imports and compilation are not what is compared
    results: dict[tuple[str, int, int], list[tuple[bool, float]]] = {}

    def sweep() -> None:
        for case in CASES:
            results[case] = []
            for lengths, speeds in instances(*case, longest):
                start = time.perf_counter()
                lower, upper = run(lengths, speeds)
                results[case].append((lower == upper, time.perf_counter() - start))

    benchmark.group = f"makespan, 60 instances, lengths up to {longest}"  # type: ignore[attr-defined]
    benchmark.pedantic(sweep, rounds=1)  # type: ignore[attr-defined]
    RESULTS[longest, method] = results
    flat = [entry for entries in results.values() for entry in entries]
    benchmark.extra_info.update(  # type: ignore[attr-defined]
        proven=sum(proven for proven, _ in flat), median_ms=1000 * median(seconds for _, seconds in flat)
    )


@pytest.mark.parametrize("longest", [100, 10_000])
def test_summary(longest: int) -> None:
    """The table, and the comparison that it is for."""
    results = {method: RESULTS[longest, method] for method in METHODS if (longest, method) in RESULTS}
    if len(results) < len(METHODS):
        pytest.skip("needs the three runs before it")
    print(f"\nlengths up to {longest}: proven, median (worst) in ms")
    print("| case | " + " | ".join(results) + " |\n|---|" + "---|" * len(results))
    for case in CASES:
        cells = []
        for found in results.values():
            seconds = [1000 * s for _, s in found[case]]
            cells.append(f"{sum(p for p, _ in found[case])}/5, {median(seconds):.3g} ({max(seconds):.3g})")
        print(f"| {case[0]}, {case[1]} jobs, {case[2]} machines | " + " | ".join(cells) + " |")
    flat = {method: [entry for entries in found.values() for entry in entries] for method, found in results.items()}
    proven = {method: sum(p for p, _ in entries) for method, entries in flat.items()}
    medians = {method: median(s for _, s in entries) for method, entries in flat.items()}
    print("| all | " + " | ".join(f"{proven[k]}/60, {1000 * medians[k]:.3g}" for k in results) + " |")
    assert proven["ours"] >= max(proven.values())
    assert medians["ours"] == min(medians.values())


@pytest.mark.parametrize("method", METHODS)
def test_a_hundred_jobs_on_ten_machines(benchmark: object, method: str) -> None:
    """Fifteen instances: how many are proven, and the largest gap of the others."""
    run = METHODS[method]
    run([3, 2, 2], [1, 2])
    gaps: list[float] = []

    def sweep() -> None:
        for case in LARGE:
            for lengths, speeds in instances(*case, 10_000):
                lower, upper = run(lengths, speeds)
                gaps.append(float((upper - lower) / upper))

    benchmark.group = "makespan, 100 jobs on 10 machines, lengths up to 10000"  # type: ignore[attr-defined]
    benchmark.pedantic(sweep, rounds=1)  # type: ignore[attr-defined]
    benchmark.extra_info.update(proven=gaps.count(0.0), largest_gap=max(gaps))  # type: ignore[attr-defined]
    assert method != "ours" or max(gaps) < 1e-4


@pytest.mark.parametrize("longest", [100, 1000])
def test_ten_jobs_in_the_kernel(benchmark: object, longest: int) -> None:
    """The compiled search alone on 20 instances of 10 jobs; divide the time by 20."""
    made = [i for m in (3, 5) for kind in ("identical", "related") for i in instances(kind, 10, m, longest)]
    ready = [
        Instance(tuple(sorted(b, reverse=True)), tuple(math.lcm(*speeds) // s for s in speeds)) for b, speeds in made
    ]

    def sweep() -> int:
        return sum(state.upper == state.lower for state in (instance.search(10**7) for instance in ready))

    benchmark.group = "makespan, 20 instances of 10 jobs, kernel"  # type: ignore[attr-defined]
    assert benchmark(sweep) == 20  # type: ignore[operator]


def test_longest_first_alone(benchmark: object) -> None:
    """The exact list schedule on the same 20 instances, for scale."""
    made = [i for m in (3, 5) for i in instances("identical", 10, m, 100)]
    benchmark.group = "makespan, 20 instances of 10 jobs, kernel"  # type: ignore[attr-defined]
    benchmark(  # type: ignore[operator]
        lambda: [max(end for *_, end in place_in_order(sorted(b)[::-1], [0] * len(speeds))) for b, speeds in made]
    )
