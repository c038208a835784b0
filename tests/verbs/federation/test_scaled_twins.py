"""Federations of any numbers: scaled twins answer alike, kernels equal their plain forms, refusals are sentences."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cached_property
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import consortium
from consortium.agents.organizations import MAX_MACHINES, Federation
from consortium.games.dynamics import best_response
from consortium.games.enumeration import regrets
from consortium.games.placement.game import PlacementGame
from consortium.mechanisms.federation import HEURISTICS
from consortium.mechanisms.federation.coordination import Coordination
from consortium.support.errors import ConsortiumError, InputError, TooLargeError

from ..twins import WIDE, differences

GAMES: list[dict[str, Any]] = [
    {"rule": "coordination", "priority": "organizations"},
    {"rule": "coordination", "priority": "jobs", "order": "longest"},
    {"rule": "coordination", "priority": "organizations", "objective": "total-completion"},
    {"rule": "coordination", "priority": "jobs", "order": "shortest", "objective": "total-completion"},
]
CENTRAL: list[dict[str, Any]] = [
    {"rule": "local", "local_order": "spt"},
    {"rule": "ilba"},
    {"rule": "less-helped-first"},
    {"rule": "lpt-lpt"},
    {"rule": "spt-lpt"},
    {"rule": "tomos", "cooperation": 2},
    {"rule": "optimal"},
    {"rule": "optimal", "constraints": ["local"], "cooperation": "3/2"},
    {"rule": "optimal", "constraints": ["local-total", "selfish"]},
]
SINGLE: list[dict[str, Any]] = [
    {"rule": "relaxed-2"},
    {"rule": "relaxed-2-printed"},
    {"rule": "relaxed-3"},
    {"rule": "priority-equilibrium"},
    {"rule": "priority-equilibrium", "solver": "listed"},
    {"rule": "priority-equilibrium", "solver": "exact"},
    {"rule": "priority-equilibrium", "solver": "exact", "keep": "count"},
]
GUESSING = frozenset(["relaxed-2", "relaxed-2-printed", "relaxed-3"])
"""They guess in integers over the common denominator, so whole factors make their guesses finer."""


def scenario(jobs: Any, machines: Any, mechanism: dict[str, Any], factor: Fraction | int = 1) -> dict[str, Any]:
    rows = [
        {"jobs": [str(Fraction(p) * factor) for p in row], "machines": m} for row, m in zip(jobs, machines, strict=True)
    ]
    return {"format": 1, "kind": "federation", "organizations": rows, "mechanism": mechanism}


@st.composite
def instances(draw: st.DrawFn, machines: int = 2) -> tuple[list[list[int]], list[int]]:
    """One to three organizations, some without jobs, few different lengths so that ties are frequent."""
    n = draw(st.integers(1, 3))
    row = st.lists(st.integers(1, 5), max_size=3)
    jobs = draw(st.lists(row, min_size=n, max_size=n).filter(lambda rows: sum(map(len, rows)) <= 6))
    return jobs, draw(st.lists(st.integers(1, machines), min_size=n, max_size=n))


def twins(verb: Any, data: Any, wide: Any, factor: Any, **options: Any) -> None:
    records = [verb(one, **options).to_dict() for one in (data, wide)]
    assert differences(*records, factor) == []


@settings(max_examples=25, deadline=None, derandomize=True)
@given(instance=instances(), rule=st.sampled_from(GAMES + CENTRAL), factor=st.sampled_from(WIDE))
def test_runs_and_verdicts_of_scaled_twins(instance: Any, rule: dict[str, Any], factor: Any) -> None:
    data, wide = scenario(*instance, rule), scenario(*instance, rule, factor)
    twins(consortium.run, data, wide, factor)
    twins(consortium.verify, data, wide, factor)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(instance=instances(machines=1), rule=st.sampled_from(SINGLE), factor=st.sampled_from(WIDE))
def test_runs_and_verdicts_of_scaled_twins_with_one_machine_each(
    instance: Any, rule: dict[str, Any], factor: Any
) -> None:
    assume(rule["rule"] not in GUESSING or any(instance[0]))  # without jobs the first guess is 1, whatever the unit
    factor = WIDE[1] if rule["rule"] in GUESSING else factor
    data, wide = scenario(*instance, rule), scenario(*instance, rule, factor)
    twins(consortium.run, data, wide, factor)
    twins(consortium.verify, data, wide, factor)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(instance=instances(), rule=st.sampled_from(GAMES), factor=st.sampled_from(WIDE))
def test_searches_and_comparisons_of_scaled_twins(instance: Any, rule: dict[str, Any], factor: Any) -> None:
    jobs, machines = instance
    data, wide = scenario(jobs, machines, rule), scenario(jobs, machines, rule, factor)
    single = "objective" not in rule and set(machines) == {1}
    by_rank = single and rule["priority"] == "organizations"
    methods = ["enumeration"] + ["cuts"] * single + ["branch-and-bound"] * by_rank
    for method in methods:
        twins(consortium.search, data, wide, factor, method=method)
    twins(consortium.compare, data, wide, factor, rules=["coordination", "local", "ilba", "lpt-lpt", "optimal"])


@pytest.fixture
def finer_grid(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A switch: federations on a grid 10^18 times finer than they need, which takes them beyond int64."""
    plain = Federation.__dict__["_grid"].func

    def _grid(self: Federation) -> Any:
        sizes, unit = plain(self)
        return tuple(tuple(p * 10**18 for p in row) for row in sizes), unit / 10**18

    def switch() -> None:
        finer = cached_property(_grid)
        finer.__set_name__(Federation, "_grid")
        monkeypatch.setattr(Federation, "_grid", finer)

    return switch


def plain_and_compiled(finer_grid: Any, ask: Any, cases: list[Any]) -> None:
    """The same answers from int64 arrays and, on the finer grid, from Python's integers."""
    narrow = [ask(case) for case in cases]
    finer_grid()
    assert [ask(case) for case in cases] == narrow


def random_instances(seed: int, count: int, machines: int) -> list[tuple[list[list[int]], list[int]]]:
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        n = rng.randint(1, 3)
        jobs: list[list[int]] = [[] for _ in range(n)]
        for _ in range(rng.randint(0, 6)):
            jobs[rng.randrange(n)].append(rng.randint(1, 5))
        found.append((jobs, [rng.randint(1, machines) for _ in range(n)]))
    return found


def test_every_kernel_agrees_with_its_plain_form(finer_grid: Any) -> None:
    def ask(case: Any) -> Any:
        jobs, machines = case
        fed = Federation.of(jobs, machines)
        made = [rule().run(fed) for rule in HEURISTICS.values()]
        games = [PlacementGame(fed, Coordination(**kind)) for kind in KINDS]
        tables = [(t.costs(p), t.social_cost(p)) for g in games for t in [g.tabulate()] for p in [g.default_profile]]
        replies = [best_response(g, k, g.default_profile) for g in games for k in range(len(fed))]
        return [(s.machine, s.makespans, s.totals) for s in made], tables, replies

    plain_and_compiled(finer_grid, ask, random_instances(1, 25, 2))


KINDS: list[dict[str, Any]] = [{key: kind[key] for key in kind if key != "rule"} for kind in GAMES]


def test_every_search_agrees_with_its_plain_form(finer_grid: Any) -> None:
    def ask(case: Any) -> Any:
        answers = []
        for kind in GAMES:
            data = scenario(*case, kind)
            methods = ["enumeration"]
            if "objective" not in kind and set(case[1]) == {1} and kind["priority"] == "organizations":
                methods += ["branch-and-bound"]
            answers += [consortium.search(data, method=method).to_dict() for method in methods]
            answers += [consortium.run(data).to_dict(), consortium.verify(data).to_dict()]
        return answers

    plain_and_compiled(finer_grid, ask, random_instances(2, 4, 2))


COROLLARY = [[35, 22, 22, 17, 13, 5], [14], [9], [42, 2]]


@pytest.mark.parametrize("base", [10**12, 10**18, 10**30, Fraction(1, 10**30 + 57)])
def test_corollary_5_7_at_any_scale(base: Any) -> None:
    """No equilibrium, smallest epsilon 49/48, whatever the unit: the common factor goes before any solver is asked."""
    found = consortium.search(scenario(COROLLARY, [1] * 4, GAMES[0], base), method="cuts")
    assert (found.complete, found.equilibria.exists, found.smallest_epsilon) == (True, False, Fraction(49, 48))
    assert found.smallest_regret == base


def test_lengths_beyond_the_constraint_search_are_refused_in_a_sentence() -> None:
    """Without a common factor: cuts, and their dry run, name the limit and what else there is; the others answer."""
    data = scenario([[10**30 + 1, 10**30], [10**30], []], [1, 1, 1], GAMES[0])
    for ask in (consortium.search, lambda data, **options: consortium.api.estimate("search", data, **options)):
        with pytest.raises(
            TooLargeError, match=r"about 10\^30 units .*takes up to [\d,]+; .* ask for 'branch-and-bound',? .*'enum"
        ):
            ask(data, method="cuts")
    found = [consortium.search(data, method=method) for method in ("enumeration", "branch-and-bound", None)]
    assert found[0].equilibria.count == found[1].equilibria.count == found[2].equilibria.count
    assert found[2].equilibria.worst.social_cost == found[0].equilibria.worst.social_cost
    assert found[0].equilibria.exists


def test_a_search_that_cannot_prove_an_epsilon_keeps_what_it_knows() -> None:
    """Without a common factor an epsilon has terms beyond the solver; that nothing is stable is known by then."""
    jobs = [[p * 10**9 for p in row] for row in COROLLARY]
    jobs[0][0] += 1
    found = consortium.search(scenario(jobs, [1] * 4, GAMES[0]), method="cuts")
    assert found.equilibria.exists is False
    assert found.smallest_epsilon is None or found.complete
    if not found.complete:
        assert 1 <= found.bounds.epsilon_at_least <= found.bounds.epsilon_at_most


def test_refusals_beyond_the_solvers_are_sentences() -> None:
    """No common factor, no luck with bounds: each rule names what is too large, the limit and the way out."""
    odd = [[10**30 + 7, 10**30 + 3, 10**30 + 1], [10**30 + 2, 10**30 + 9], [2 * 10**30 + 5, 10**29 + 3]]
    for constraints in (["local"], ["local-total"], ["selfish"]):
        data = scenario(odd, [1, 1, 1], {"rule": "optimal", "constraints": constraints})
        try:
            record = consortium.run(data)
            assert record.social_cost is not None
        except TooLargeError as error:
            assert "about 10^30" in str(error) or "about 10^31" in str(error)
            assert "takes up to" in str(error)
            assert "round the lengths" in str(error)


def test_a_long_wait_behind_a_huge_job_is_finite() -> None:
    """Costs of n jobs are up to n times the work: in a table of int64 they may not look like infinity."""
    huge = 3 * 2**56
    game = PlacementGame(Federation.of([[huge + 1], [2] * 6]), Coordination(objective="total-completion"))
    table = game.tabulate()
    away = ((0,), (0,) * 6)
    assert table.costs(away) == game.costs(away)
    assert regrets(table)[0] == game.costs(away)[1] - 2 * 21


def test_machines_beyond_memory_are_refused_before_any_work() -> None:
    data = scenario([[1], [2]], [10**9, 1], {"rule": "lpt-lpt"})
    for ask in (consortium.run, consortium.verify, lambda d: consortium.api.estimate("run", d)):
        with pytest.raises(ConsortiumError, match=r"organizations\[1\]\.machines.*at most 100,000 machines in all"):
            ask(data)
    with pytest.raises(InputError, match="machines: found 100,001 in all; the limit is 100,000"):
        Federation.of([[1], [2]], [MAX_MACHINES, 1])
    assert Federation.of([[1], [2]], [MAX_MACHINES - 1, 1]).n_machines == MAX_MACHINES


def test_machines_within_the_limit_run() -> None:
    """More machines than jobs stay empty, and cost no more than their lists."""
    for rule in ("local", "lpt-lpt", "optimal"):
        record = consortium.run(scenario([[3, 2], [4]], [2_000, 1], {"rule": rule}))
        assert (record.social_cost, record.complete) == (4, True)
    wide = scenario([[3, 2], [4, 1]], [2_000, 1], {"rule": "optimal", "constraints": ["selfish", "local-total"]})
    assert consortium.run(wide).social_cost == 4


def test_a_placement_beyond_the_check_is_judged_as_far_as_it_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run is there; what could not be computed is null, names the limit, and the record is not complete."""
    monkeypatch.setattr("consortium.games.placement.checker.MAX_TRIED", 3)
    data = scenario([[9, 8, 7, 6], [5]], [1, 1], GAMES[0])
    record = consortium.run(data)
    first, second = record.to_dict()["organizations"]
    assert (first["epsilon"], first["regret"], first["makespan"]) == (None, None, 30)
    assert first["limit"] == "size"
    assert "limit" not in second
    assert "what O1 could gain is not known: some placements are too many to compare" in str(record)
    assert (record.complete, record.social_cost) == (False, 30)
    verdict = consortium.verify(data)
    assert (verdict.verdict, verdict.complete) == (None, False)
    assert verdict.to_dict()["equilibrium"] == {
        "holds": None, "epsilon": None, "regret": None, "witness": None, "limit": "size",
    }  # fmt: skip


def test_one_who_gains_refutes_whatever_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("consortium.games.placement.checker.MAX_TRIED", 6)
    data = scenario([[9, 8, 7, 6], [5, 5], []], [1, 1, 1], GAMES[0])
    record = consortium.verify(data)
    assert (record.verdict, record.complete) == (False, True)
    row = record.equilibrium
    assert (row.holds, row.epsilon, row.witness.organization, row.witness.better) == (False, None, "O2", 5)
    assert row.limit == "size"


def test_more_jobs_than_calls_fit_the_stack() -> None:
    jobs = [[k % 7 + 1 for k in range(1_500)], [3]]
    record = consortium.run(scenario(jobs, [1, 1], GAMES[0]), list=0)
    assert record.social_cost == sum(jobs[0])
    assert (record.organizations[0].epsilon, record.complete) == (None, False)
    assert record.organizations[0].limit == "size"


@pytest.mark.parametrize("machines", [1, 2])
def test_a_time_limit_ends_what_is_reached_alone(machines: int) -> None:
    """By packing, and by trying all placements: the placement is judged, what organizations reach alone is not."""
    data = scenario([[9, 8, 7, 6], [5, 4]], [machines] * 2, GAMES[0])
    record = consortium.run(data, time_limit=0)
    assert {row.limit for row in record.organizations} == {"time"}
    assert (record.complete, record.social_cost) == (False, consortium.run(data).social_cost)
    assert "the time was over" in str(record)
    assert consortium.verify(data, time_limit=0).equilibrium.limit == "time"
