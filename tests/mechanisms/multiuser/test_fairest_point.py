"""The exact fairest point against every schedule; the refinement against the exact fairest point."""

from __future__ import annotations

import random
import signal
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.agents.users import Community
from consortium.mechanisms.multiuser import Fairness, LstKernel, fairest, lst, pareto_set, refine, refine_printed
from consortium.mechanisms.multiuser.fairest_point import _placements, _Table, descend
from consortium.mechanisms.multiuser.refinement import geometric_corners
from consortium.support.errors import InputError, TooLargeError, UnknownNameError

from . import reference as brute
from .reference import community

M, S = "makespan", "total-completion"

NORMS = [1, 2, 3, "max", "mean", "geometric"]


def functions(rng, users):
    weights = tuple(Fraction(rng.randint(1, 6), rng.randint(1, 3)) for _ in range(users))
    for norm in NORMS:
        yield Fairness(norm, rng.choice(["average", "sum"]), rng.choice(["none", "zenith", "nadir"]))
        yield Fairness(norm, "average", "none", weights)


@pytest.mark.parametrize("kinds", [(M, S), (S, M), (M, M, S), (M, S, M), (M, M, M), (M,), (S,)])
def test_fairest_is_the_best_of_every_schedule(kinds, thinning: int) -> None:
    """Smallest key, of equal keys the lexicographically smallest point; over all points, not only Pareto ones."""
    rng = random.Random(str(kinds))
    for _ in range(25 // thinning):
        sizes = tuple(tuple(rng.randint(1, 4) for _ in range(rng.randint(1, 2 + (k == S)))) for k in kinds)
        shared = community(kinds, sizes)
        if sum(shared.n_jobs) > 6:
            continue
        every = brute.points(kinds, sizes)
        for fairness in functions(rng, len(kinds)):
            measure = fairness.bind(shared)
            answer = fairest(shared, fairness)
            assert (answer.key, answer.outcome.point) == min((measure.key(x), x) for x in every)
            assert answer.outcome.point in brute.pareto(kinds, sizes)
            assert len(answer.outcome.slots) == sum(shared.n_jobs)


@pytest.mark.parametrize("kinds", [(M, S), (M, M, S), (M, S, M), (M, M, M)])
def test_the_fairest_is_the_same_whatever_is_in_hand_to_begin_with(monkeypatch, kinds) -> None:
    """The program keeps what is as good as the solution in hand, and with the worst one in hand that is everything."""
    rng = random.Random(f"worst {kinds}")
    for _ in range(6):
        sizes = tuple(tuple(rng.randint(1, 4) for _ in range(2 if k == S else 1)) for k in kinds)
        shared, every = community(kinds, sizes), brute.points(kinds, sizes)
        for fairness in functions(rng, len(kinds)):
            measure = fairness.bind(shared)
            monkeypatch.setattr(_Table, "incumbent", lambda table, every=every: max(every, key=table.measure.key))
            answer = fairest(shared, fairness)
            assert (answer.key, answer.outcome.point) == min((measure.key(x), x) for x in every)


def test_fairest_beyond_one_machine_is_the_best_of_every_schedule() -> None:
    rng = random.Random(8)
    for machines, kinds, sizes in [
        (2, (M, M), ((1, 2), (3,))),
        (2, (M, S), ((2, 2), (1, 3))),
        (1, (S, S), ((1, 3), (2, 2))),
        (1, (S, S, M), ((1, 3), (2,), (2,))),
    ]:
        shared = community(kinds, sizes, machines)
        for fairness in functions(rng, len(kinds)):
            measure = fairness.bind(shared)
            answer = fairest(shared, fairness)
            assert answer.outcome.method == "enumeration"
            assert (answer.key, answer.outcome.point) == min(
                (measure.key(x), x) for x in brute.pareto(kinds, sizes, machines)
            )


def test_fairest_refuses_what_is_out_of_reach() -> None:
    with pytest.raises(TooLargeError, match="multimixed gives a point"):
        fairest(Community.of((S, [1] * 200), (S, [2] * 200)))
    with pytest.raises(TooLargeError, match=r"20 makespan users and 22 jobs give 3,145,728 states"):
        fairest(Community.of(*[(M, [i + 1]) for i in range(20)], (S, [1, 2])))


@given(
    st.lists(st.lists(st.integers(1, 40), min_size=1, max_size=2), min_size=1, max_size=3),
    st.lists(st.integers(1, 40), min_size=1, max_size=8),
    st.sampled_from(NORMS),
    st.sampled_from(["index", "work"]),
)
@settings(max_examples=120, deadline=None, derandomize=True)
def test_refinement_is_certified_by_the_optimum(blocks, jobs, norm, ties) -> None:
    """Every level's bound is a bound, the best never gets worse, and what it calls proved is the optimum."""
    shared = Community.of(*[(M, block) for block in blocks], (S, jobs))
    fairness = Fairness(norm)
    best = fairest(shared, fairness)
    result = refine(shared, fairness, levels=9, ties=ties)
    assert result.levels[0].point == lst(shared, [None] * len(shared.users), ties).point
    before = None
    for level in result.levels:
        assert level.bound <= best.key <= level.key
        assert level.gap >= level.value / best.value - 1 - 1e-12
        assert before is None or (level.key <= before.key and level.bound >= before.bound)
        before = level
        if level.proved:
            assert level.key == best.key == level.bound
    assert result.outcome.point in set(pareto_set(shared))
    assert result.outcome.exact == result.proved
    if shared.work < 60:
        assert result.proved


def test_refinement_converges_to_the_optimum(thinning: int) -> None:
    """On small communities twelve levels are enough to prove it, whatever the norm."""
    rng = random.Random(4)
    for _ in range(40 // thinning):
        blocks = [[rng.randint(1, 6)] for _ in range(rng.randint(1, 2))]
        shared = Community.of(*[(M, b) for b in blocks], (S, [rng.randint(1, 6) for _ in range(rng.randint(1, 4))]))
        for norm in NORMS:
            result = refine(shared, Fairness(norm), levels=12)
            assert result.proved
            assert result.key == fairest(shared, Fairness(norm)).key


def test_refinement_with_makespan_users_only() -> None:
    """EDF on one machine proves; list-EDF on two gives a gap but never claims a proof."""
    one = community((M, M, M), ((2,), (3,), (7,)))
    result = refine(one, levels=10)
    assert result.proved
    assert result.key == fairest(one).key
    two = community((M, M), ((1, 2), (3,)), 2)
    result = refine(two, levels=8)
    assert not result.proved
    assert result.levels[-1].bound <= fairest(two).key <= result.key


def test_printed_rule_certifies_nothing_and_is_never_better(thinning: int) -> None:
    rng = random.Random(6)
    worse = 0
    for _ in range(120 // thinning):
        blocks = [[rng.randint(1, 5)] for _ in range(2)]
        shared = Community.of(*[(M, b) for b in blocks], (S, [rng.randint(1, 5) for _ in range(rng.randint(1, 3))]))
        printed, sound = refine_printed(shared, levels=6), refine(shared, levels=12)
        assert not printed.proved
        assert all(level.bound is None and level.gap is None for level in printed.levels)
        assert printed.key >= sound.key
        worse += printed.key > sound.key
    assert worse > 15 // thinning


@given(st.integers(1, 10**6), st.integers(0, 10**7), st.integers(0, 7))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_corners_are_exact_floors(low, more, halvings) -> None:
    corners = geometric_corners(low, low + more, halvings)
    cells = 2**halvings
    assert (corners[0], corners[-1]) == (low, low + more)
    for a, corner in enumerate(corners):
        power = low ** (cells - a) * (low + more) ** a
        assert corner**cells <= power < (corner + 1) ** cells


def test_boxes_are_kept_when_asked_for() -> None:
    shared = Community.of((M, [3]), (M, [5]), (S, [1, 2, 2]))
    result = refine(shared, levels=5, keep_boxes=True)
    for level, following in zip(result.levels, [*result.levels[1:], None], strict=True):
        assert len(level.boxes) == level.cells
        assert sum(box.fate == "split" for box in level.boxes) == level.active
        assert following is None or following.cells == 4 * level.active
    assert result.levels[0].boxes[0].low == (3, 5)
    assert result.levels[0].boxes[0].high == (13, 13)
    assert not refine(shared, levels=2).levels[0].boxes


def test_permuting_users_permutes_the_answer() -> None:
    one = fairest(Community.of((M, [3]), (M, [5]), (S, [1, 2, 2]))).outcome.point
    other = fairest(Community.of((S, [1, 2, 2]), (M, [5]), (M, [3]))).outcome.point
    assert other == one[::-1]


def test_lengths_beyond_int64() -> None:
    """Python integers take over: the same cells, keys scaled exactly."""
    small = Community.of((M, [3]), (M, [5]), (S, [1, 2, 2]))
    factor = 2**62
    large = Community.of((M, [3 * factor]), (M, [5 * factor]), (S, [factor, 2 * factor, 2 * factor]))
    assert fairest(large).key == factor**2 * fairest(small).key
    assert refine(large, levels=5).levels[0].key == factor**2 * refine(small, levels=1).key
    assert refine(large, levels=5).levels[-1].bound <= fairest(large).key <= refine(large, levels=5).key


def test_limits_and_interrupts_leave_what_is_known() -> None:
    shared = Community.of((M, [300]), (M, [500]), (S, [100, 211, 223]))
    stopped = refine(shared, levels=20, max_cells=10)
    assert not stopped.outcome.complete
    assert 1 <= len(stopped.levels) < 20
    assert not refine(shared, levels=20, time_limit=0).outcome.complete
    assert len(refine(shared, levels=20, time_limit=0).levels) == 1
    calls = []

    def interrupt(done, total, note="") -> None:
        calls.append(note)
        if len(calls) == 3:
            raise KeyboardInterrupt

    result = refine(shared, levels=20, progress=interrupt)
    assert not result.outcome.complete
    assert len(result.levels) == 2
    assert result.outcome.point is not None
    assert calls[0] == "cells of level 1"


def test_the_fairest_point_hears_ctrl_c_wherever_it_is(monkeypatch) -> None:
    """While a first solution is refined, which answers it itself, and before the dynamic program begins."""
    shared, measure = Community.of((M, [3]), (M, [2, 2]), (S, [1, 4])), Fairness()
    reports: list[int] = []
    fairest(shared, measure, lambda done, total, note="": reports.append(done))
    assert reports.count(0) >= 4  # sets of two blocks

    def answered(*arguments, **options):
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        return refine(*arguments, **options)

    monkeypatch.setattr("consortium.mechanisms.multiuser.fairest_point.refine", answered)
    with pytest.raises(KeyboardInterrupt):
        fairest(shared, measure)


def test_refinement_refuses_what_it_cannot_solve() -> None:
    with pytest.raises(InputError, match="refine: nobody minimises the makespan"):
        refine(Community.of((S, [1, 2])))
    with pytest.raises(InputError, match=r"refine: 1 total-completion user\(s\) on 2 machine\(s\)"):
        refine(Community.of((S, [1, 2]), (M, [1]), machines=2))
    with pytest.raises(InputError, match="levels: found 0; expected at least 1"):
        refine(Community.of((S, [1, 2]), (M, [1])), levels=0)
    with pytest.raises(UnknownNameError, match="discard: 'sund' is not known"):
        refine(Community.of((S, [1, 2]), (M, [1])), discard="sund")
    with pytest.raises(UnknownNameError, match="solver"):
        refine(Community.of((S, [1, 2]), (M, [1])), solver="edf")


@pytest.mark.parametrize("norm", [1, 2, 3, "max", "mean", "geometric"])
def test_fairest_on_larger_communities_is_the_best_of_the_pareto_set(norm, thinning) -> None:
    """Large enough for the tangent bound and the solution in hand to matter: thousands of Pareto-optimal points."""
    rng = random.Random(12)
    for _ in range(max(1, 4 // thinning)):
        blocks = [[rng.randint(1, 300)] for _ in range(3)]
        shared = Community.of(*[(M, b) for b in blocks], (S, [rng.randint(1, 60) for _ in range(14)]))
        weights = tuple(Fraction(rng.randint(1, 9)) for _ in range(4))
        fairness = Fairness(norm, weights=weights)
        measure = fairness.bind(shared)
        best = min((measure.integer_key(x), x) for x in pareto_set(shared))
        assert fairest(shared, fairness).outcome.point == best[1]


def test_descent_ends_on_a_plan_that_no_other_place_of_one_block_betters() -> None:
    rng, better_than_its_start = random.Random(2), 0
    for _ in range(20):
        shared = Community.of(
            *[(M, [rng.randint(1, 30)]) for _ in range(2)], (S, [rng.randint(1, 30) for _ in range(4)])
        )
        measure, points = Fairness().bind(shared), pareto_set(shared)
        start = rng.choice(points)
        kernel = LstKernel(shared)
        better = descend(kernel, measure, start)
        assert better in points
        plan = kernel.plan([better[u] for u in shared.makespan_users])
        assert plan is not None
        for block in range(2):
            for trial in _placements([step for step in plan if step[0] != block], block, 4):
                assert measure.key(better) <= measure.key(kernel.reached(trial))
        better_than_its_start += measure.key(better) < measure.key(start)
    assert better_than_its_start > 5
