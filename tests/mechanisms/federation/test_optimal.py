"""Optima under every constraint and Pareto fronts against all schedules of tiny instances; the checkers themselves."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.agents.organizations import Federation
from consortium.mechanisms.federation import Local, LptLpt, Optimal, Schedule, checkers, optimal, pareto_front
from consortium.mechanisms.federation import models as packing
from consortium.mechanisms.federation.models import pack
from consortium.mechanisms.federation.optimal import Optimum
from consortium.scheduling import cp_sat
from consortium.scheduling.cp_sat import Answer
from consortium.support.errors import InputError, TooLargeError, UnknownNameError

from . import plainly
from .instances import federations

CHOICES = [(), ("local",), ("local-total",), ("selfish",), ("local", "selfish"), ("local", "local-total", "selfish")]


def meets(fed, plan, constraints, alpha):
    home = {"local": plainly.local(fed, "lpt"), "local-total": plainly.local(fed, "spt")}
    if "local" in constraints:
        pairs = zip(plainly.ends(fed, plan), plainly.ends(fed, home["local"]), strict=True)
        if any(c > alpha * base for c, base in pairs):
            return False
    if "local-total" in constraints:
        for k, row in enumerate(fed.sizes):
            total, base = (sum(p[k, i][1] + size for i, size in enumerate(row)) for p in (plan, home["local-total"]))
            if total > alpha * base:
                return False
    return "selfish" not in constraints or plainly.is_selfish(fed, plan)


@settings(deadline=None, derandomize=True, max_examples=40)
@given(
    fed=federations(max_organizations=3, max_jobs=4, max_size=4, max_machines=2),
    constraints=st.sampled_from(CHOICES),
    alpha=st.sampled_from([Fraction(1), Fraction(3, 2)]),
)
def test_optimum_is_the_best_of_all_schedules(fed, constraints, alpha):
    """Idle time never helps under these constraints (strict reading), so schedules without it are enough."""
    values = [max(plainly.ends(fed, plan)) for plan in plainly.packings(fed) if meets(fed, plan, constraints, alpha)]
    rule = Optimal(constraints, alpha)
    answer = rule.solve(fed)
    assert answer.complete
    if not values:
        assert answer.schedule is None
        with pytest.raises(InputError, match="no schedule meets"):
            rule.run(fed)
    else:
        assert answer.schedule.makespan == answer.lower == min(values) * fed.unit
        assert rule.satisfied(answer.schedule)


@settings(deadline=None, derandomize=True, max_examples=100)
@given(fed=federations(max_organizations=4, max_jobs=12, max_size=9, max_machines=2, rational=True))
def test_unconstrained_optimum(fed):
    assert Optimal().run(fed).makespan == plainly.optimum(fed) * fed.unit


@settings(deadline=None, derandomize=True, max_examples=40)
@given(fed=federations(max_organizations=3, max_jobs=5, max_size=5, max_machines=2))
def test_pareto_front_is_that_of_all_schedules(fed):
    local = plainly.ends(fed, plainly.local(fed, "lpt"))
    points = set()
    for plan in plainly.packings(fed):
        ends = plainly.ends(fed, plan)
        alpha = max([Fraction(1)] + [Fraction(c, base) for c, base in zip(ends, local, strict=True) if base])
        points.add((alpha, max(ends) * fed.unit))
    best = {p for p in points if not any(q != p and q[0] <= p[0] and q[1] <= p[1] for q in points)}
    front = pareto_front(fed)
    assert front.complete
    assert [(p.alpha, p.makespan) for p in front.points] == sorted(best)
    for point in front.points:
        assert point.schedule.makespan == point.makespan
        assert checkers.local_constraint(point.schedule, "lpt", point.alpha).holds


def test_limits_give_bounds_and_say_so():
    fed = Federation.of([[97, 89, 83, 79, 73, 71, 67, 61, 59, 53, 47, 43] * 2, [], [], [], []])
    answer = Optimal(("local-total", "selfish")).solve(fed, time_limit=0.01)
    assert answer.lower <= Optimal().run(fed).makespan
    assert answer.complete or answer.schedule is None or answer.lower <= answer.schedule.makespan
    assert not pareto_front(fed, time_limit=0).complete
    with pytest.raises(TooLargeError, match="takes up to 1,125,899,906,842,624; round the lengths"):
        pack([[2**60 + 1, 2**60], [2**59]], 2, [None, None])


def test_checkers_tell_who_breaks_what():
    fed = Federation.of([[2, 2], [1]])
    early = Schedule(fed, ((1, 0), (1,)), ((0, 0), (2,)))  # O2's job waits behind a foreign one at home
    found = checkers.local_constraint(early)
    assert (found.holds, found.organization, found.value, found.bound) == (False, 1, 3, 1)
    assert checkers.local_constraint(early, alpha=3).holds
    assert not checkers.local_total_constraint(early).holds
    assert checkers.no_job_delayed(early, "lpt") == checkers.Finding(False, 1, 0, Fraction(3), Fraction(1))
    refused = checkers.selfishness_restriction(early)
    assert (refused.organization, refused.job, refused.value, refused.bound) == (1, 0, 2, 0)


def test_printed_selfishness_ignores_idle_time_before_a_foreign_job():
    fed = Federation.of([[2], [1, 1]])
    idle = Schedule(fed, ((0,), (1, 1)), ((0,), (0, 2)))  # O2's machine stands idle in [1, 2): strictly, job 2 refuses
    assert not checkers.selfishness_restriction(idle, "strict").holds
    assert not checkers.selfishness_restriction(idle, "printed").holds  # no foreign job: the first idle instant counts
    fed = Federation.of([[2, 1], [1, 1]])
    late = Schedule(fed, ((0, 1), (1, 1)), ((0, 3), (0, 2)))
    assert not checkers.selfishness_restriction(late, "strict").holds
    assert not checkers.selfishness_restriction(late, "printed").holds  # O1 gave its machine up at 2, job starts at 3
    fed = Federation.of([[2], [1, 1]])
    moved = Schedule(fed, ((1,), (1, 0)), ((2,), (0, 1)))
    assert not checkers.selfishness_restriction(moved, "strict").holds  # idle at home of O1 until 1
    with pytest.raises(UnknownNameError, match="selfishness"):
        checkers.selfishness_restriction(moved, "prined")


def test_printed_optimum_may_wait_where_the_strict_one_may_not():
    """Section 3.1: by the printed text a foreign job can be held back so that own jobs start by then."""
    fed = Federation.of([[3, 3, 3], [1, 1], []])
    strict, printed = (Optimal(("selfish",), selfishness=reading) for reading in ("strict", "printed"))
    assert checkers.selfishness_restriction(strict.run(fed), "strict").holds
    assert checkers.selfishness_restriction(printed.run(fed), "printed").holds
    assert printed.run(fed).makespan <= strict.run(fed).makespan


def test_schedules_refuse_what_cannot_run():
    fed = Federation.of([[2], [1]])
    for machine, start, message in [
        (((0,), (0,)), ((0,), (1,)), "two jobs overlap on machine 1 of 'O1' at 1"),
        (((0,), (2,)), ((0,), (0,)), "job 1 of 'O2' is on machine 2"),
        (((0,), (1,)), ((0,), (-1,)), "at -1"),
        (((0,), ()), ((0,), ()), "one machine and one start"),
    ]:
        with pytest.raises(InputError, match=message):
            Schedule(fed, machine, start)
    slots = LptLpt().run(Federation.of([["1/2", "1/2"], []], machines=[1, 2])).slots()
    assert [(s.host, s.machine, s.start, s.end) for s in slots] == [
        (0, 0, 0, Fraction(1, 2)),
        (1, 0, 0, Fraction(1, 2)),
    ]
    assert Local("spt").run(Federation.of([[3, 1]])).totals == (5,)


def test_deadlines_between_grid_points_are_rounded_down():
    """Two jobs of length 4 on one machine end at 8; a deadline of 7 is one unit of 4, not two."""
    assert pack([[4, 4]], 1, [7]).machines is None
    assert pack([[4, 4]], 1, [8]).upper == 8
    assert pack([[4, 4], [8]], 2, [7, None]).machines is not None


@settings(deadline=None, derandomize=True, max_examples=40)
@given(fed=federations(max_organizations=3, max_jobs=5, max_size=4), extra=st.lists(st.integers(0, 11), min_size=3))
def test_deadlines_off_the_grid_equal_those_below(fed, extra):
    """Lengths twelve times as long with deadlines in between: as feasible as with the deadlines rounded down."""
    due = [sum(row) + extra[k % 3] % 3 - 1 for k, row in enumerate(fed.sizes)]
    coarse = pack(fed.sizes, len(fed), due)
    fine = pack(
        [[12 * p for p in row] for row in fed.sizes], len(fed), [12 * d + extra[k % 3] for k, d in enumerate(due)]
    )
    assert (coarse.machines is None) == (fine.machines is None)
    assert fine.upper is None or fine.upper == 12 * coarse.upper


def test_what_is_not_proved_is_not_called_optimal(monkeypatch):
    """A run asks for the optimum; with nothing proved it says so instead of handing out the best schedule known."""
    fed = Federation.of([[3, 3], [1, 1, 1], [1, 1, 1]])
    known = Optimum(Local().run(fed), Fraction(4), False, "race")
    monkeypatch.setattr(Optimal, "solve", lambda self, federation, time_limit=None: known)
    with pytest.raises(
        TooLargeError, match=r"8 jobs on 3 machines.*nothing is proved to be optimal; round the lengths"
    ):
        Optimal().run(fed)


@pytest.mark.parametrize("unit", [1, 10**9])
def test_a_packing_whose_proof_was_stopped_has_a_bound_below_it(monkeypatch, unit):
    """5 is the least: stopped before that is proved, the packing is told with the bound of the moment, in any unit."""
    sizes = [[3 * unit, 3 * unit], [2 * unit]]
    stopped = Answer("feasible", 3.9999999, lambda expression: 0)

    def solve(model, *limits, **options):
        return replace(stopped, value=cp_sat.solve(model, *limits, **options).value)

    monkeypatch.setattr(packing, "solve", solve)
    found = pack(sizes, 2, [None, None])
    assert (found.lower, found.upper, found.complete) == (4 * unit, 5 * unit, False)
    monkeypatch.setattr(packing, "solve", lambda model, *limits, **options: replace(stopped, status="stopped"))
    found = pack(sizes, 2, [None, None])
    assert (found.machines, found.lower, found.upper, found.complete) == (None, 4 * unit, None, False)


@pytest.mark.parametrize("constraint", ["selfish", "local-total"])
def test_a_long_proof_reports_itself_and_ends_at_ctrl_c(constraint: str) -> None:
    """Forty jobs keep the solver busy for many minutes; what is known at the first report is returned."""
    rng = random.Random(5)
    fed = Federation.of([[rng.randint(20, 99) for _ in range(8)] for _ in range(5)])
    told: list[str] = []

    def report(done: int, total: int | None, note: str = "") -> None:
        told.append(note)
        if len(told) == 2:
            raise KeyboardInterrupt

    answer = Optimal(constraints=(constraint,)).solve(fed, progress=report)
    assert told == ["seconds in the solver"] * 2
    assert not answer.complete
    assert answer.lower <= answer.schedule.makespan


def test_what_the_race_proves_is_in_the_unit_of_the_lengths(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound without CP-SAT is made one unit too low, so that the race is run."""
    free = optimal._free

    def weak(federation: Federation, cp_sat: bool = True, **limits: Any) -> Any:
        answer = free(federation, cp_sat, **limits)
        return answer if cp_sat else replace(answer, lower=answer.lower - 1)

    monkeypatch.setattr(optimal, "_free", weak)
    found = Optimal().solve(Federation.of([["3/2", "3/2"], ["3/2"]]))
    assert (found.schedule.makespan, found.lower, found.complete) == (3, 3, True)
