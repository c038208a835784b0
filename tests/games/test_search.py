"""Enumeration, dynamics, checkers and search against references written from the definitions."""

from __future__ import annotations

import itertools
import math
import signal
import subprocess
import sys
import time
from fractions import Fraction
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.games import checkers, enumeration
from consortium.games.dynamics import best_response_dynamics
from consortium.games.enumeration import response_graph, sink_components
from consortium.games.normal_form import NormalFormGame, check_table_size
from consortium.games.protocol import Outcome, count_profiles
from consortium.games.results import Equilibria, Findings
from consortium.games.search import choose_method, search
from consortium.support.errors import ContradictionError, InputError, TooLargeError, UnknownNameError
from consortium.support.progress import Clock

INF = math.inf
Cell = Any


# The reference: dictionaries, itertools.product, the definitions.


def profiles(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    return list(itertools.product(*(range(m) for m in shape)))


def lowest(arrays: list[Any], shape: tuple[int, ...], i: int, p: tuple[int, ...]) -> Cell:
    return min(arrays[i][(*p[:i], s, *p[i + 1 :])] for s in range(shape[i]))


def regret_of(arrays: list[Any], shape: tuple[int, ...], p: tuple[int, ...]) -> Cell:
    gaps = []
    for i in range(len(shape)):
        cost, best = arrays[i][p], lowest(arrays, shape, i, p)
        gaps.append(0 if cost == best else INF if INF in (cost, -best) else cost - best)
    return max(gaps)


def epsilon_of(arrays: list[Any], shape: tuple[int, ...], p: tuple[int, ...]) -> Cell:
    factors: list[Cell] = [Fraction(1)]
    for i in range(len(shape)):
        cost, best = arrays[i][p], lowest(arrays, shape, i, p)
        if cost != best:
            factors.append(INF if best <= 0 or cost == INF else Fraction(cost) / Fraction(best))
    return max(factors)


def sinks_of(arrays: list[Any], shape: tuple[int, ...]) -> list[set[tuple[int, ...]]]:
    graph: networkx.DiGraph[Any] = networkx.DiGraph()
    for p in profiles(shape):
        graph.add_node(p)
        for i in range(len(shape)):
            best = lowest(arrays, shape, i, p)
            for s in range(shape[i]):
                q = (*p[:i], s, *p[i + 1 :])
                if arrays[i][q] == best < arrays[i][p]:
                    graph.add_edge(p, q)
    parts = networkx.strongly_connected_components(graph)
    return [c for c in parts if all(w in c for v in c for w in graph.successors(v))]


def random_arrays(data: st.DataObject, cells: st.SearchStrategy[Cell]) -> tuple[list[Any], tuple[int, ...]]:
    shape = tuple(data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    size = math.prod(shape)
    arrays = []
    for _ in shape:
        array = np.empty(size, dtype=object)
        array[:] = data.draw(st.lists(cells, min_size=size, max_size=size))
        arrays.append(array.reshape(shape))
    return arrays, shape


SMALL = st.integers(0, 3)
EXTENDED = st.one_of(st.integers(-2, 4), st.fractions(-2, 4, max_denominator=3), st.just(INF))
LARGE = st.integers(2**80, 2**80 + 3)


@pytest.mark.parametrize("cells", [SMALL, EXTENDED, LARGE], ids=["ties", "rationals-and-inf", "beyond-int64"])
@settings(max_examples=30, deadline=None, derandomize=True)
@given(data=st.data())
def test_enumeration_equals_the_definitions(cells: st.SearchStrategy[Cell], data: st.DataObject) -> None:
    arrays, shape = random_arrays(data, cells)
    game = NormalFormGame.from_arrays(arrays, sense="cost")
    everything = profiles(shape)
    assert (game.table.dtype == np.int64) == (cells is not LARGE)
    for flat, p in enumerate(everything):
        assert game.profile(flat) == p
        assert game.costs(p) == tuple(a[p] for a in arrays)
        assert checkers.max_regret(game, p) == regret_of(arrays, shape, p)
        assert checkers.epsilon(game, p) == epsilon_of(arrays, shape, p)
    stable = [i for i, p in enumerate(everything) if regret_of(arrays, shape, p) == 0]
    assert enumeration.pure_equilibria(game).tolist() == stable
    least = min((regret_of(arrays, shape, p), i) for i, p in enumerate(everything))
    assert enumeration.smallest_regret(game) == least
    factor, where = min((epsilon_of(arrays, shape, p), i) for i, p in enumerate(everything))
    assert enumeration.smallest_epsilon(game) == ((factor, where) if factor != INF else (None, None))
    for cap in (Fraction(1), Fraction(4, 3), Fraction(2)):
        near = [i for i, p in enumerate(everything) if epsilon_of(arrays, shape, p) <= cap]
        assert enumeration.approximate_equilibria(game, cap).tolist() == near
    expected = sinks_of(arrays, shape)
    sinks = [{everything[i] for i in s} for s in sink_components(game)]
    assert len(sinks) == len(expected)
    assert all(s in expected for s in sinks)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(data=st.data())
def test_search_equals_the_definitions(data: st.DataObject) -> None:
    arrays, shape = random_arrays(data, st.integers(1, 4))
    game = NormalFormGame.from_arrays(arrays, sense="cost", social="max")
    found = search(game)
    social = {p: max(a[p] for a in arrays) for p in profiles(shape)}
    stable = [p for p in profiles(shape) if regret_of(arrays, shape, p) == 0]
    assert found.complete
    assert found.profiles == math.prod(shape)
    assert found.optimum.social_cost == min(social.values())
    assert found.equilibria.count == len(stable)
    assert [o.profile for o in found.equilibria.listed] == stable
    if not stable:
        assert found.equilibria == Equilibria(exists=False, count=0)
        assert found.price_of_anarchy is None
        assert found.smallest_epsilon is not None
        assert found.smallest_epsilon > 1
        return
    assert found.equilibria.best.profile == min(stable, key=social.__getitem__)
    assert found.price_of_anarchy == Fraction(max(social[p] for p in stable), min(social.values()))
    assert found.price_of_stability == Fraction(min(social[p] for p in stable), min(social.values()))
    assert found.smallest_epsilon == 1
    assert found.smallest_regret == 0


@settings(max_examples=100, deadline=None, derandomize=True)
@given(data=st.data())
def test_dynamics_follow_the_rule(data: st.DataObject) -> None:
    """Round robin, only strict gains, the first best response; a repeated round start is a cycle."""
    arrays, shape = random_arrays(data, SMALL)
    game = NormalFormGame.from_arrays(arrays, sense="cost")
    start = tuple(data.draw(st.integers(0, m - 1)) for m in shape)
    here, moves, starts = start, 0, []
    while here not in starts:
        starts.append(here)
        for i in range(len(shape)):
            best = lowest(arrays, shape, i, here)
            if best < arrays[i][here]:
                s = min(s for s in range(shape[i]) if arrays[i][(*here[:i], s, *here[i + 1 :])] == best)
                here, moves = (*here[:i], s, *here[i + 1 :]), moves + 1
    found = best_response_dynamics(game, start)
    assert (found.start, found.final.profile, found.steps, found.complete) == (start, here, moves, True)
    assert found.converged == (regret_of(arrays, shape, here) == 0)
    assert (found.cycle is None) == found.converged
    if found.cycle is not None:
        assert found.cycle[0] == here
        assert checkers.is_best_response_cycle(game, found.cycle)
        assert not checkers.is_best_response_cycle(game, found.cycle[:-1])


class Congestion:
    """An oracle game without a table: three drivers, two roads of different slope, exact fractions."""

    players = ("ann", "bob", "eve")
    calls = 0

    def strategies(self, player: int) -> tuple[str, ...]:
        return ("motorway", "lane")

    def costs(self, profile: tuple[str, ...]) -> tuple[Fraction, ...]:
        self.calls += 1
        slope = {"motorway": Fraction(1, 2), "lane": Fraction(1)}
        return tuple(slope[s] * profile.count(s) for s in profile)


def test_any_object_with_the_protocol_is_a_game() -> None:
    found = search(Congestion())
    assert found.players == ("ann", "bob", "eve")
    assert found.method == "enumeration"
    assert found.equilibria.count == 3
    assert {p.profile.count("lane") for p in found.equilibria.listed} == {1}
    assert found.price_of_anarchy == 1
    assert checkers.strategy_values(Congestion(), 0, ("lane", "lane", "lane")) == {
        "motorway": Fraction(1, 2),
        "lane": Fraction(3),
    }


def test_payoffs_keep_their_sense() -> None:
    """The prisoner's dilemma: welfare 2 at the equilibrium, 6 at best; costs are the negated payoffs."""
    game = NormalFormGame.from_arrays([[[3, 0], [5, 1]], [[3, 5], [0, 1]]], sense="payoff")
    found = search(game)
    assert found.sense == "payoff"
    assert found.equilibria.worst == Outcome((1, 1), (Fraction(-1), Fraction(-1)), Fraction(-2))
    assert found.price_of_anarchy == 3
    assert game.payoffs(0).tolist() == [[3, 0], [5, 1]]


def test_infinite_costs_are_kept_apart_from_large_ones() -> None:
    game = NormalFormGame.from_arrays([[[INF, INF], [5, INF]], [[INF, 2], [3, INF]]], sense="cost")
    assert game.table.dtype == np.int64
    assert [game.profile(i) for i in enumeration.pure_equilibria(game)] == [(0, 1), (1, 0)]  # inf against inf: no gain
    assert game.social_cost((0, 1)) == INF
    assert checkers.player_regrets(game, (0, 0)) == (INF, INF)
    # where nobody can reach a finite cost, nobody has a regret
    stuck = NormalFormGame.from_arrays([[INF, INF]], sense="cost")
    assert search(stuck).equilibria.count == 2


def test_float_arrays_need_a_meaning() -> None:
    with pytest.raises(InputError, match=r"arrays\[0\]: found the float 0\.1; say what floats mean"):
        NormalFormGame.from_arrays([np.array([0.1, 0.2])], sense="cost")
    binary = NormalFormGame.from_arrays([np.array([0.1, 2.0])], sense="cost", floats="binary")
    assert binary.costs((0,)) == (Fraction(0.1),)
    decimal = NormalFormGame.from_arrays([np.array([0.1, 2.0])], sense="cost", floats="decimal")
    assert decimal.costs((0,)) == (Fraction(1, 10),)
    whole = NormalFormGame.from_arrays([np.array([3.0, INF])], sense="cost")
    assert (whole.costs((0,)), whole.costs((1,))) == ((3,), (INF,))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.uint64, np.int64])
def test_integer_types_do_not_wrap(dtype: type[np.generic]) -> None:
    top = np.iinfo(dtype).max  # type: ignore[type-var]
    game = NormalFormGame.from_arrays([np.array([top, 0], dtype=dtype)], sense="payoff")
    assert game.costs((0,)) == (-int(top),)
    assert search(game).equilibria.listed[0].profile == (0,)


@pytest.mark.parametrize(
    ("arrays", "options", "message"),
    [
        ([[1, 2], [3, 4]], {"sense": "cost"}, r"arrays: found shapes \[\(2,\), \(2,\)\]"),
        ([[[1]], [[2]]], {"sense": "profit"}, "sense: found 'profit'; expected 'cost' or 'payoff'"),
        ([[1, 2]], {"sense": "cost", "players": ["a", "b"]}, "players: found"),
        ([[1, 2]], {"sense": "cost", "labels": [["x", "x"]]}, "repeat"),
        ([[1, 2]], {"sense": "cost", "labels": [["x"]]}, "labels: found"),
        ([[1, 2]], {"sense": "cost", "social": [1, 2, 3]}, "social: found the shape"),
        ([[1, 2]], {"sense": "cost", "social": "mean"}, "social: found 'mean'"),
        ([[math.nan, 2]], {"sense": "cost"}, "NaN"),
        ([["a", "b"]], {"sense": "cost"}, "found the type"),
        ([[[INF, 1]], [[-INF, 1]]], {"sense": "cost"}, "inf and -inf"),
    ],
)
def test_bad_arrays_are_named(arrays: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        NormalFormGame.from_arrays(arrays, **options)


def test_bad_profiles_are_named() -> None:
    game = NormalFormGame.from_arrays([[1, 2]], sense="cost", players=["ann"], labels=[["x", "y"]])
    with pytest.raises(InputError, match="'ann' has no strategy 'z'"):
        checkers.is_nash(game, ("z",))
    with pytest.raises(InputError, match="found 2 strategies; expected 1"):
        checkers.is_nash(game, ("x", "y"))


class Vast(Congestion):
    """Too many profiles for any table; counting them must be all the work."""

    players = tuple(f"p{i}" for i in range(60))


def test_size_is_refused_before_work_starts() -> None:
    game = Vast()
    with pytest.raises(TooLargeError, match="1,152,921,504,606,846,976 profiles"):
        search(game, "enumeration")
    assert count_profiles(game) == 2**60
    assert game.calls == 0
    with pytest.raises(TooLargeError, match="the limit is 10"):
        check_table_size(Congestion(), max_bytes=10)


def test_unknown_method_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'enumeration'"):
        search(Congestion(), method="enumeraton")


def test_time_limit_and_interrupt_keep_what_is_known() -> None:
    stopped = search(Congestion(), time_limit=0)
    assert not stopped.complete
    assert stopped.equilibria.exists is None
    assert stopped.dynamics is None  # nobody was asked: no run of 0 moves

    def interrupt(done: int, total: int | None, note: str = "") -> None:
        if note == "profiles tabulated":
            raise KeyboardInterrupt

    partial = search(Congestion(), progress=interrupt)
    assert not partial.complete
    assert partial.dynamics.converged
    assert partial.equilibria.exists  # the one that the dynamics reached
    assert partial.price_of_anarchy is None


def test_ctrl_c_in_one_part_leaves_no_time_for_those_that_follow() -> None:
    """Dynamics answer it with what they have; neither the solver nor the mixed equilibria begin after that."""
    said: list[str] = []

    def press(done: int, total: int | None, note: str = "") -> None:
        said.append(note)
        if note == "best-response moves":
            signal.raise_signal(signal.SIGINT)

    pennies = NormalFormGame.from_arrays([[[0, 1], [1, 0]], [[1, 0], [0, 1]]], sense="cost")
    found = search(pennies, mixed=True, progress=press)
    assert (found.complete, found.dynamics, found.equilibria.exists) == (False, None, None)
    assert found.mixed.stopped
    assert set(said) == {"best-response moves"}


class Unfinished(Congestion):
    """Brings a solver that is stopped when it knows the first and the last equilibrium."""

    known = tuple(
        Outcome(profile, Congestion().costs(profile), sum(Congestion().costs(profile)))
        for profile in (("lane", "motorway", "motorway"), ("motorway", "motorway", "lane"))
    )

    def search_methods(self) -> dict[str, Any]:
        first, last = self.known
        return {"half": lambda options: Findings(Equilibria(True, None, first, last, self.known), complete=False)}


def test_what_an_unfinished_search_knows_is_not_replaced_by_where_dynamics_end() -> None:
    found = search(Unfinished(), method="half")
    assert (found.complete, found.equilibria.exists) == (False, True)
    assert found.dynamics.converged
    assert (found.equilibria.best, found.equilibria.worst) == Unfinished.known
    assert found.equilibria.listed == Unfinished.known


class Liar(Congestion):
    """Brings a solver that claims nonsense."""

    def search_methods(self) -> dict[str, Any]:
        wrong = Outcome(("lane",) * 3, (Fraction(3),) * 3, Fraction(9))
        return {"wrong": lambda options: Findings(Equilibria(True, 1, wrong, wrong, (wrong,)))}


def test_every_answer_is_rechecked() -> None:
    with pytest.raises(ContradictionError, match="claimed to be an equilibrium"):
        search(Liar(), method="wrong")
    assert choose_method(Liar())[0] == "enumeration"


def test_checkers_import_no_solver() -> None:
    code = (
        "import sys, consortium.games.checkers\n"
        "solvers = ['search', 'solvers', 'enumeration', 'dynamics', 'mixed', 'placement', 'normal_form']\n"
        "print([s for s in solvers if 'consortium.games.' + s in sys.modules], 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[]", "False"]


def test_response_graph_for_small_games() -> None:
    pennies = NormalFormGame.from_arrays([[[0, 1], [1, 0]], [[1, 0], [0, 1]]], sense="cost", players=["a", "b"])
    graph = response_graph(pennies)
    assert sorted(graph.edges(data="player")) == [
        ((0, 0), (0, 1), "b"),
        ((0, 1), (1, 1), "a"),
        ((1, 0), (0, 0), "a"),
        ((1, 1), (1, 0), "b"),
    ]
    assert search(pennies).sinks == (4,)


class Slow(Congestion):
    """Costs take long enough for a time limit to strike between two rounds of the dynamics."""

    def costs(self, profile: Any) -> Any:
        time.sleep(0.002)
        return super().costs(profile)


def test_dynamics_that_the_limit_cut_short_are_not_reported() -> None:
    """A few moves without an end are neither an equilibrium nor a cycle: nothing is claimed of them."""
    assert not best_response_dynamics(Slow(), clock=Clock(0.001)).complete
    stopped = search(Slow(), time_limit=0.001)
    assert (stopped.dynamics, stopped.complete) == (None, False)


def test_mixed_equilibria_cut_short_leave_the_search_incomplete() -> None:
    pennies = NormalFormGame.from_arrays([[[0, 1], [1, 0]], [[1, 0], [0, 1]]], sense="cost")

    def interrupt(done: int, total: int | None, note: str = "") -> None:
        if note == "mixed equilibria":
            raise KeyboardInterrupt

    found, stopped = search(pennies, mixed=True), search(pennies, mixed=True, progress=interrupt)
    assert (found.complete, found.mixed.stopped) == (True, False)
    assert (stopped.complete, stopped.mixed.stopped, stopped.mixed.complete) == (False, True, False)


@pytest.mark.parametrize("cell", [2**60, 2**61, -(2**61), 2**61 + 1, 10**30])
def test_no_finite_cost_is_taken_for_infinity(cell: int) -> None:
    """In a table of Python integers every integer is a cost, also the one that stands for infinity in int64."""
    game = NormalFormGame.from_arrays([[[cell, 1]], [[0, 0]]], sense="cost")
    assert game.costs((0, 0)) == (cell, 0)
    assert game.social_cost((0, 0)) == cell
    assert game.payoffs(0).tolist() == [[-cell, -1]]
    assert enumeration.smallest_epsilon(game)[0] == 1
