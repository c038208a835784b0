"""The placement game against a reference that rebuilds every schedule and tries every placement."""

from __future__ import annotations

import itertools
import subprocess
import sys
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.agents.organizations import Federation
from consortium.games import checkers, enumeration
from consortium.games.dynamics import best_response
from consortium.games.normal_form import NormalFormGame
from consortium.games.placement import table
from consortium.games.placement.checker import cost_and_best
from consortium.games.placement.game import PlacementGame
from consortium.games.search import search
from consortium.mechanisms.federation.coordination import Coordination
from consortium.scheduling import ready_times
from consortium.support.errors import InputError, TooLargeError

KINDS = [
    {"priority": "organizations"},
    {"priority": "organizations", "order": "backwards"},
    {"priority": "jobs", "order": "longest"},
    {"priority": "jobs", "order": "shortest"},
    {"priority": "jobs", "order": "given"},
    {"priority": "organizations", "objective": "total-completion"},
    {"priority": "jobs", "order": "longest", "objective": "total-completion"},
]


def reference_costs(game: PlacementGame, profile: Any, ranks: dict[tuple[int, int], int]) -> list[Any]:
    """Every host: own jobs longest (shortest) first, then foreign ones by rank, each on the machine free first."""
    fed, total = game.federation, game.rule.objective == "total-completion"
    jobs = [[job.length for job in org.jobs] for org in fed.organizations]
    ends: list[list[Any]] = [[] for _ in jobs]
    for host, org in enumerate(fed.organizations):
        own = [(k, i) for k, i in ranks if k == host and profile[k][i] == host]
        own.sort(key=lambda job: (jobs[job[0]][job[1]] * (1 if total else -1), job))
        foreign = [(k, i) for k, i in ranks if k != host and profile[k][i] == host]
        foreign.sort(key=ranks.__getitem__)
        free = [Fraction(0)] * org.machines
        for k, i in own + foreign:
            machine = free.index(min(free))
            free[machine] += jobs[k][i]
            ends[k].append(free[machine])
    return [sum(row) if total else max(row, default=0) for row in ends]


def rank_by_hand(game: PlacementGame, order: str | None, given_ranks: Any) -> dict[tuple[int, int], int]:
    jobs = [[job.length for job in org.jobs] for org in game.federation.organizations]
    everything = [(k, i) for k, row in enumerate(jobs) for i in range(len(row))]
    longest = 1 if game.rule.objective == "total-completion" else -1  # where sums count, guests run shortest first
    keys = {
        None: lambda k, i: (k, longest * jobs[k][i], i),
        "backwards": lambda k, i: (-k, longest * jobs[k][i], i),
        "longest": lambda k, i: (-jobs[k][i], k, i),
        "shortest": lambda k, i: (jobs[k][i], k, i),
        "given": lambda k, i: given_ranks[k][i],
    }
    everything.sort(key=lambda job: keys[order](*job))
    return {job: r for r, job in enumerate(everything)}


@st.composite
def games(draw: st.DrawFn, machines: int = 3, lengths: Any = None) -> tuple[PlacementGame, dict[tuple[int, int], int]]:
    kind = dict(draw(st.sampled_from(KINDS)))
    n = draw(st.integers(1, 3))
    length = st.integers(1, 5) if lengths is None else lengths
    jobs = draw(
        st.lists(st.lists(length, max_size=3), min_size=n, max_size=n).filter(lambda js: sum(map(len, js)) <= 6)
    )
    count = sum(map(len, jobs))
    numbers = iter(draw(st.permutations(range(1, count + 1))))
    given_ranks = [[next(numbers) for _ in row] for row in jobs]
    owned = draw(st.lists(st.integers(1, machines), min_size=n, max_size=n))
    fed = Federation.of(jobs, owned, priorities=given_ranks)
    order = kind.get("order")
    if order == "backwards":
        kind["order"] = fed.names[::-1]
    game = PlacementGame(fed, Coordination(**kind))
    return game, rank_by_hand(game, order, given_ranks)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(data=st.data())
def test_blocks_are_the_runs_of_one_owner_in_the_order_of_ranks(data: st.DataObject) -> None:
    game, ranks = data.draw(games())
    runs = [list(run) for _, run in itertools.groupby(sorted(ranks, key=ranks.__getitem__), key=lambda job: job[0])]
    assert [block.owner for block in game.blocks] == [run[0][0] for run in runs]
    for block, run in zip(game.blocks, runs, strict=True):
        assert sorted((k, i) for own in block.jobs.values() for i in own for k in [block.owner]) == sorted(run)
        assert all(game.federation.sizes[block.owner][i] == size for size, own in block.jobs.items() for i in own)


def check(game: PlacementGame, ranks: dict[tuple[int, int], int], profile: Any) -> None:
    costs = reference_costs(game, profile, ranks)
    assert list(game.costs(profile)) == costs
    assert game.social_cost(profile) == (sum(costs) if game.total else max(costs))
    pairs = cost_and_best(game, profile)
    for k in range(len(game.players)):
        values = {s: reference_costs(game, (*profile[:k], s, *profile[k + 1 :]), ranks)[k] for s in game.strategies(k)}
        assert best_response(game, k, profile)[0] == min(values, key=lambda s: (values[s], s))
        assert pairs[k] == (costs[k], min(values.values()))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(data=st.data(), one_machine=st.booleans())
def test_costs_best_responses_and_checker(data: st.DataObject, one_machine: bool) -> None:
    game, ranks = data.draw(games(machines=1 if one_machine else 3))
    n = len(game.federation)
    profile = tuple(tuple(data.draw(st.integers(0, n - 1)) for _ in row) for row in game.federation.sizes)
    check(game, ranks, profile)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(data=st.data())
def test_lengths_beyond_int64_and_fractions(data: st.DataObject) -> None:
    """The uncompiled forms of the kernels give the same answers on numbers that int64 cannot hold."""
    lengths = st.sampled_from([2**70, 2**70 + 1, Fraction(1, 3), 3])
    game, ranks = data.draw(games(machines=2, lengths=lengths))
    check(game, ranks, game.default_profile)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(data=st.data())
def test_table_equals_the_costs(data: st.DataObject) -> None:
    game, ranks = data.draw(games())
    table = NormalFormGame.from_game(game)
    for flat, profile in enumerate(itertools.product(*(game.strategies(k) for k in range(len(game.players))))):
        assert table.profile(flat) == profile
        assert list(table.costs(profile)) == reference_costs(game, profile, ranks)
        assert table.social_cost(profile) == game.social_cost(profile)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(data=st.data(), most=st.sampled_from([1, 5]))
def test_a_table_in_parts_is_the_whole(data: st.DataObject, most: int) -> None:
    game, _ = data.draw(games(machines=2))
    jobs, hosts, n = game._jobs, len(game.players), game.federation.n_jobs
    made, whole = ((np.zeros((hosts, hosts**n), np.int64), np.zeros(hosts**n, np.int64)) for _ in range(2))
    done = list(table.filled(jobs, game.total, *made, most))
    assert done == list(range(0, hosts**n, hosts**n // len(done)))
    assert list(table.filled(jobs, game.total, *whole, 2 ** (hosts * n))) == [0]
    assert all((one == other).all() for one, other in zip(made, whole, strict=True))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(data=st.data())
def test_equilibria_are_counted_up_to_exchanging_jobs_that_nobody_can_tell_apart(data: st.DataObject) -> None:
    game, ranks = data.draw(games(lengths=st.integers(1, 2)))
    sizes = game.federation.sizes
    ordered = sorted(ranks, key=ranks.__getitem__)
    same = [
        (k, i, j) for (k, i), (owner, j) in itertools.pairwise(ordered) if k == owner and sizes[k][i] == sizes[k][j]
    ]
    left = {o.profile for o in search(game, method="enumeration", limit=10**6).equilibria.listed}
    found, classes = search(game, method="enumeration").equilibria, 0
    while left:
        classes += 1
        reached = [left.pop()]
        for profile in reached:
            for k, i, j in same:
                row = list(profile[k])
                row[i], row[j] = row[j], row[i]
                twin = (*profile[:k], tuple(row), *profile[k + 1 :])
                if twin != profile and twin not in reached:
                    reached.append(twin)
                    left.remove(twin)  # it is an equilibrium as well
    assert found.classes == classes


@settings(max_examples=200, deadline=None, derandomize=True)
@given(data=st.data())
def test_branch_and_bound_with_many_jobs(data: st.DataObject) -> None:
    """Nine jobs on up to five hosts with random other loads: least cost by trying every placement's loads."""
    n = data.draw(st.integers(2, 5))
    mine = data.draw(st.lists(st.integers(1, 9), min_size=4, max_size=9 if n < 4 else 6))
    others = data.draw(st.lists(st.lists(st.integers(1, 9), max_size=3), min_size=n - 1, max_size=n - 1))
    place = data.draw(st.integers(0, n - 1))
    jobs = [*others[:place], mine, *others[place:]]
    rule = data.draw(
        st.sampled_from([Coordination(), Coordination("jobs", "shortest"), Coordination("jobs", "longest")])
    )
    game = PlacementGame(Federation.of(jobs), rule)
    profile = tuple(tuple(data.draw(st.integers(0, n - 1)) for _ in row) for row in jobs)
    ranks = game.ranks
    ahead = {
        (i, host): sum(
            jobs[k][j]
            for k in range(n)
            for j, where in enumerate(profile[k])
            if where == host != place and k != place and (k == host or ranks[k][j] < ranks[place][i])
        )
        for i in range(len(mine))
        for host in range(n)
    }
    best: Any = None
    for hosts in itertools.product(range(n), repeat=len(mine)):
        load, late = [0] * n, [0] * n
        for i, h in enumerate(hosts):
            load[h] += mine[i]
            late[h] = max(late[h], ahead[i, h])
        cost = max(load[h] + late[h] for h in set(hosts))
        best = min(best, (cost, hosts)) if best is not None else (cost, hosts)
    assert best_response(game, place, profile)[0] == best[1]
    assert cost_and_best(game, profile)[place][1] == best[0]


def test_undecided_searches_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    game = PlacementGame(Federation.of([[35, 22, 22, 17, 13, 5], [14], [9], [42, 2]]))
    monkeypatch.setattr(ready_times, "FEW_NODES", 2)
    monkeypatch.setattr(ready_times, "MAX_NODES", 2)
    stopped = SimpleNamespace(ended=False, has_solution=False)  # a time limit of nothing is sometimes enough
    monkeypatch.setattr(ready_times, "solve", lambda *arguments, **options: stopped)
    with pytest.raises(TooLargeError, match=r"best response of 'O1': 6 jobs on 4 machines, .* are not decided"):
        best_response(game, 0, game.default_profile)
    monkeypatch.setattr("consortium.games.placement.checker.MAX_TRIED", 10)
    with pytest.raises(TooLargeError, match="checking 'O1': 6 jobs on 4 hosts are not decided"):
        checkers.cost_and_best(game, game.default_profile)


def test_the_checker_imports_no_solver() -> None:
    code = (
        "import sys, consortium.games.placement.checker\n"
        "solvers = ['search', 'enumeration', 'placement.best_reply', 'placement.game']\n"
        "print([s for s in solvers if 'consortium.games.' + s in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[]"]


def test_equilibria_need_not_be_list_schedules() -> None:
    """O1 = {5, 1}, O2 = {3}, O3 empty: the 1 may wait behind the 3 while the machine of O3 idles; it ends at 4."""
    game = PlacementGame(Federation.of([[5, 1], [3], []]))
    assert checkers.is_nash(game, ((0, 1), (1,), ()))
    assert game.costs(((0, 1), (1,), ())) == (5, 3, 0)


def test_organizations_without_jobs_and_single_organizations() -> None:
    lone = search(PlacementGame(Federation.of([[2, 3]])))
    assert (lone.profiles, lone.equilibria.count, lone.price_of_anarchy) == (1, 1, 1)
    idle = search(PlacementGame(Federation.of([[], [2]])))
    assert idle.equilibria.count == 2
    nobody = search(PlacementGame(Federation.of([[], []])))
    assert (nobody.equilibria.count, nobody.smallest_epsilon, nobody.price_of_anarchy) == (1, 1, None)


def test_search_on_fractions_equals_search_on_integers() -> None:
    thirds = search(PlacementGame(Federation.of([["2/3", "2/3"], ["1/3"]])))
    whole = search(PlacementGame(Federation.of([[2, 2], [1]])))
    assert thirds.equilibria.count == whole.equilibria.count
    assert thirds.price_of_anarchy == whole.price_of_anarchy
    assert thirds.equilibria.worst.social_cost * 3 == whole.equilibria.worst.social_cost


def test_refusals() -> None:
    game = PlacementGame(Federation.of([[1] * 11, *([[1]] * 9)]))
    with pytest.raises(TooLargeError, match="found 100,000,000,000; the limit is 1,000,000"):
        game.strategies(0)
    with pytest.raises(InputError, match=r"placement.O1\[1\]: found 12"):
        game.costs(((12,) * 11, *[(0,)] * 9))
    with pytest.raises(InputError, match="missing"):
        PlacementGame(Federation.of([[1], [2]]), Coordination("jobs", "given"))
    many = PlacementGame(Federation.of([[1] * 15, []], [2, 1]))
    with pytest.raises(TooLargeError, match="found 15 jobs; the limit is 14"):
        best_response(many, 0, many.default_profile)


def test_dynamics_reach_an_equilibrium_by_hand() -> None:
    """O1 = {2, 2} sends its second job away; then nobody gains."""
    game = PlacementGame(Federation.of([[2, 2], [1]]))
    found = search(game)
    assert (found.dynamics.steps, found.dynamics.final.profile) == (1, ((0, 1), (1,)))
    assert enumeration.pure_equilibria(NormalFormGame.from_game(game)).size == found.equilibria.count
