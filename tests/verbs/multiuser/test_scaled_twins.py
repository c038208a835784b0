"""Communities of any numbers: scaled twins answer alike, and compiled solvers agree with their plain forms."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import consortium
from consortium.agents.users import Community
from consortium.mechanisms.multiuser.deadlines import LstKernel
from consortium.mechanisms.multiuser.fairness import Fairness

from ..twins import WIDE, differences

M, T = "makespan", "total-completion"
NORMS = [1, 2, 3, "max", "mean", "geometric"]
FAIRNESS = [
    {"norm": norm, "values": values, "relative_to": reference}
    for norm in NORMS
    for values, reference in (("average", "none"), ("sum", "nadir"), ("average", "zenith"))
]


def scenario(users: Any, machines: int, factor: Fraction | int = 1, **mechanism: Any) -> dict[str, Any]:
    rows = [{"objective": goal, "jobs": [str(Fraction(p) * factor) for p in jobs]} for goal, jobs in users]
    fairness = mechanism.pop("fairness", None)
    if "thresholds" in mechanism:
        mechanism["thresholds"] = [x if x == "none" else str(Fraction(x) * factor) for x in mechanism["thresholds"]]
    data = {"format": 1, "kind": "multiuser", "machines": machines, "users": rows, "mechanism": mechanism}
    return data if fairness is None else {**data, "fairness": fairness}


@st.composite
def users(draw: st.DrawFn, kinds: str = "one", most: int = 3) -> list[tuple[str, list[int]]]:
    """One to three users with few lengths, so that ties are frequent; total-completion users: one, none, any."""
    n = draw(st.integers(1 if kinds != "one" else 2, most))
    goals = [draw(st.sampled_from([M, T])) if kinds == "any" else M for _ in range(n)]
    if kinds == "one":
        goals[draw(st.integers(0, n - 1))] = T
    return [(goal, draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))) for goal in goals]


def factors() -> Any:
    return st.sampled_from(WIDE)


def twins(data: dict[str, Any], wide: dict[str, Any], factor: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Both records; everything but the fairness, which is in powers of time, has been compared."""
    one, other = (consortium.run(d).to_dict() for d in (data, wide))
    for record in (one, other):
        if data["machines"] > 1:  # a bound rounded down to a unit of the grid
            record["users"] = [{**user, "nadir": None} for user in record["users"]]
    assert differences(one, other, factor) == []
    return one, other


@settings(max_examples=12, deadline=None, derandomize=True)
@given(data=st.data(), factor=factors())
def test_rules_on_scaled_twins(data: st.DataObject, factor: Any) -> None:
    for rule, kinds, machines in (
        ("edf", "none", 2),
        ("lst", "one", 1),
        ("lst-printed", "one", 1),
        ("multicmax", "none", 2),
        ("multimixed", "any", 3),
        ("pareto", "any", 2),
    ):
        people = data.draw(users(kinds, most=2 if rule == "pareto" else 3))
        m = data.draw(st.integers(1, machines))
        options: dict[str, Any] = {"rule": rule}
        if rule in ("edf", "lst", "lst-printed"):
            limit = st.one_of(st.just("none"), st.fractions(1, 12, max_denominator=4))
            options["thresholds"] = ["none" if goal == T else data.draw(limit) for goal, _ in people]
            options["ties"] = data.draw(st.sampled_from(["index", "work"]))
        if rule == "multimixed" and any(goal == M for goal, _ in people):
            options["local"] = data.draw(st.sampled_from(["lpt", "list", "exact"]))
            options["improve"] = data.draw(st.booleans())
        twins(scenario(people, m, **options), scenario(people, m, factor, **options), factor)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(people=users("one"), fairness=st.sampled_from(FAIRNESS), factor=factors())
def test_the_fairest_point_of_scaled_twins(people: Any, fairness: dict[str, Any], factor: Any) -> None:
    """Points scale, and keys by the power that they are made of; what is relative stays."""
    options = {"rule": "fairest", "fairness": fairness}
    one, other = twins(scenario(people, 1, **options), scenario(people, 1, factor, **options), factor)
    norm = fairness["norm"]
    power = len(people) if norm == "geometric" else norm if isinstance(norm, int) else 1
    scaled = 1 if fairness["relative_to"] != "none" else Fraction(factor) ** power
    assert Fraction(one["fairness"]["key"]) * scaled == Fraction(other["fairness"]["key"])


@settings(max_examples=25, deadline=None, derandomize=True)
@given(people=users("one"), fairness=st.sampled_from(FAIRNESS), factor=factors(), data=st.data())
def test_refinement_of_scaled_twins(people: Any, fairness: dict[str, Any], factor: Any, data: st.DataObject) -> None:
    """Level 1 scales; a finer grid cuts its boxes elsewhere, but what both call proved is the same point."""
    options = {"rule": data.draw(st.sampled_from(["refine", "refine-printed"])), "levels": 5, "fairness": fairness}
    one, other = (consortium.run(scenario(people, 1, f, **options)).to_dict() for f in (1, factor))
    base, wide = one["fairness"]["levels"][0]["point"], other["fairness"]["levels"][0]["point"]
    assert [Fraction(x) * factor for x in base] == [Fraction(x) for x in wide]
    if one["fairness"]["proved"] and other["fairness"]["proved"]:
        assert [Fraction(x) * factor for x in one["point"]] == [Fraction(x) for x in other["point"]]


@settings(max_examples=12, deadline=None, derandomize=True)
@given(people=users("one"), factor=factors())
def test_comparisons_of_scaled_twins(people: Any, factor: Any) -> None:
    rules = ["lst", "multimixed", "fairest"]
    one, other = (
        consortium.compare(scenario(people, 1, f, rule="fairest"), rules=rules).to_dict() for f in (1, factor)
    )
    assert differences(one, other, factor) == []


@settings(max_examples=25, deadline=None, derandomize=True)
@given(people=users("one"), fairness=st.sampled_from(FAIRNESS), data=st.data())
def test_compiled_solvers_agree_with_their_plain_forms(
    people: Any, fairness: dict[str, Any], data: st.DataObject
) -> None:
    """The same scenario once as int64 and once, the bounds refused, in Python's integers: equal records."""
    rule = data.draw(st.sampled_from(["refine", "refine-printed", "pareto", "fairest"]))
    options: dict[str, Any] = {"rule": rule} | ({"epsilon": "1/3"} if rule == "pareto" else {"fairness": fairness})
    if rule.startswith("refine"):
        options["levels"] = 4
    asked = scenario(people, 1, **options)
    narrow = consortium.run(asked).to_dict()
    with pytest.MonkeyPatch.context() as patch:
        for module in ("deadlines", "refinement"):
            patch.setattr(f"consortium.mechanisms.multiuser.{module}.fits_int64", lambda *bounds: False)
        assert consortium.run(asked).to_dict() == narrow


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    blocks=st.lists(st.integers(2**52, 2**61), min_size=1, max_size=3),
    jobs=st.lists(st.integers(2**52, 2**59), min_size=1, max_size=12),
    pooled=st.booleans(),
    data=st.data(),
)
def test_the_guard_of_the_kernel_covers_sums_of_completion_times(
    blocks: list[int], jobs: list[int], pooled: bool, data: st.DataObject
) -> None:
    """Work of up to 62 bits fits int64, n times as much may not: rows of the kernel against one question at a time."""
    shared = Community.of(*((M, [b]) for b in blocks), (T, jobs))
    kernel = LstKernel(shared, pooled=pooled)
    due = [[data.draw(st.integers(1, shared.work)) for _ in blocks], [shared.work] * len(blocks)]
    feasible, ends, sums = kernel.solve(np.array(due, np.int64 if shared.work < 2**63 else object))
    for row, limits in enumerate(due):
        plan = kernel.plan(limits)
        answer = None if plan is None else kernel.values(plan)
        assert feasible[row] == (answer is not None)
        assert answer is None or ([int(e) for e in ends[row]], int(sums[row])) == answer


def test_a_sum_beyond_int64_of_work_within_it() -> None:
    """Eight jobs wait for a block of 2^60: together 2^63 and more, although all the work is below 2^61."""
    shared = Community.of((M, [2**60]), (T, [2**56] * 8))
    feasible, _, sums = LstKernel(shared).solve(np.array([[2**60]]))
    assert feasible.all()
    assert int(sums[0]) == 8 * 2**60 + 36 * 2**56 > 2**63


@settings(max_examples=40, deadline=None, derandomize=True)
@given(people=users("one"), fairness=st.sampled_from(FAIRNESS), exponent=st.integers(8, 62))
def test_refinement_near_the_bound_of_its_keys(people: Any, fairness: dict[str, Any], exponent: int) -> None:
    """Lengths on both sides of where keys outgrow int64, a little off the grid: int64 and Python's integers agree."""
    grown = [(goal, [p * 2**exponent + k for k, p in enumerate(jobs)]) for goal, jobs in people]
    asked = scenario(grown, 1, rule="refine", levels=2, fairness=fairness)
    narrow = consortium.run(asked).to_dict()
    with pytest.MonkeyPatch.context() as patch:
        for module in ("deadlines", "refinement"):
            patch.setattr(f"consortium.mechanisms.multiuser.{module}.fits_int64", lambda *bounds: False)
        assert consortium.run(asked).to_dict() == narrow
    shared = Community.of(*grown)
    measure = Fairness(fairness["norm"], fairness["values"], fairness["relative_to"]).bind(shared)
    assert Fraction(str(narrow["fairness"]["key"])) == measure.key(
        [int(Fraction(x) / shared.unit) for x in narrow["point"]]
    )
