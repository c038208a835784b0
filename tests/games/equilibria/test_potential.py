"""Potentials against their definitions: numbers on profiles are looked for by trying, moves by walking them."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import cache
from typing import Any

import networkx
import numpy as np
import pytest
from scipy.optimize import linprog

from consortium.games.equilibria.potential.classify import DECIDED_BY, potentials
from consortium.games.equilibria.potential.differences import CLASSES, Verdict
from consortium.games.normal_form import NormalFormGame
from consortium.support.errors import TooLargeError
from consortium.support.progress import Clock

from . import potential_checker as checker

INF = math.inf
Profile = tuple[int, ...]
Shape = tuple[int, ...]


# the definitions, on dictionaries


def moves(shape: Shape) -> list[tuple[int, Profile, Profile]]:
    """Who moves, from where, to where."""
    return [
        (i, s, (*s[:i], a, *s[i + 1 :]))
        for s in itertools.product(*map(range, shape))
        for i in range(len(shape))
        for a in range(shape[i])
        if a != s[i]
    ]


def change(before: Any, after: Any) -> Any:
    return 0 if before == after else after - before


def has_exact(costs: list[Any], shape: Shape) -> bool:
    """Walk from the first profile to all others, and look whether every move agrees."""
    value = {(0,) * len(shape): 0}
    for _ in shape:
        for i, s, t in moves(shape):
            if s in value and t not in value:
                value[t] = value[s] + change(costs[i][s], costs[i][t])
    return all(
        abs(change(costs[i][s], costs[i][t])) != INF and value[t] - value[s] == change(costs[i][s], costs[i][t])
        for i, s, t in moves(shape)
    )


def has_weighted(costs: list[Any], shape: Shape) -> bool:
    """Some ``u_i >= 1`` and ``P`` with ``u_i (C_i(t) - C_i(s)) = P(t) - P(s)``; weights are the reciprocals."""
    place = {s: len(shape) + n for n, s in enumerate(itertools.product(*map(range, shape)))}
    rows = []
    for i, s, t in moves(shape):
        row = [0.0] * (len(shape) + len(place))
        row[i], row[place[s]], row[place[t]] = change(costs[i][s], costs[i][t]), 1, -1
        if not math.isfinite(row[i]):
            return False
        rows.append(row)
    if not rows:
        return True
    for i in range(len(shape)):  # a weight of her own absorbs a player's unit; left so, floats would lose one of two
        unit = 10**18 if any(abs(row[i]) >= 10**18 for row in rows) else 1
        for row in rows:
            row[i] /= unit
    bounds = [(1, None)] * len(shape) + [(None, None)] * len(place)
    return bool(linprog([0] * len(rows[0]), A_eq=rows, b_eq=[0] * len(rows), bounds=bounds).status == 0)


@cache
def ranks(n: int) -> list[tuple[int, ...]]:
    """All ways to order ``n`` things with ties."""
    return [p for p in itertools.product(range(n), repeat=n) if set(p) == set(range(max(p, default=-1) + 1))]


def some_order(shape: Shape, fits: Any) -> bool:
    """Whether some ranking of the profiles fits all moves."""
    profiles = list(itertools.product(*map(range, shape)))
    every = moves(shape)
    return any(
        all(fits(i, s, t, value[s] - value[t]) for i, s, t in every)
        for value in (dict(zip(profiles, order, strict=True)) for order in ranks(len(profiles)))
    )


def sign(x: Any) -> int:
    return (x > 0) - (x < 0)


def has_ordinal(costs: list[Any], shape: Shape) -> bool:
    return some_order(shape, lambda i, s, t, falls: sign(falls) == -sign(change(costs[i][s], costs[i][t])))


def has_generalized(costs: list[Any], shape: Shape) -> bool:
    return some_order(shape, lambda i, s, t, falls: falls > 0 or costs[i][t] >= costs[i][s])


def improvements(costs: list[Any], shape: Shape, best: bool) -> Any:
    """Gains as edges; only best responses if asked."""
    graph = networkx.DiGraph()
    graph.add_nodes_from(itertools.product(*map(range, shape)))
    for i, s, t in moves(shape):
        least = min(costs[i][(*s[:i], a, *s[i + 1 :])] for a in range(shape[i]))
        if costs[i][t] < costs[i][s] and (not best or costs[i][t] == least):
            graph.add_edge(s, t)
    return graph


def is_weakly_acyclic(costs: list[Any], shape: Shape) -> bool:
    graph = improvements(costs, shape, best=False)
    ends = {s for s in graph if not graph.out_degree(s)}
    return all(s in ends or networkx.descendants(graph, s) & ends for s in graph)


def by_definition(costs: list[Any], shape: Shape) -> dict[str, bool]:
    """All classes; orders by trying where there are few profiles, else as graphs."""
    gains = improvements(costs, shape, best=False)
    found = {
        "exact": has_exact(costs, shape),
        "weighted": has_weighted(costs, shape),
        "generalized_ordinal": networkx.is_directed_acyclic_graph(gains),
        "weakly_acyclic": is_weakly_acyclic(costs, shape),
        "acyclic_best_responses": networkx.is_directed_acyclic_graph(improvements(costs, shape, best=True)),
    }
    weak = networkx.DiGraph((s, t) for i, s, t in moves(shape) if costs[i][t] <= costs[i][s])
    number = {s: n for n, part in enumerate(networkx.strongly_connected_components(weak)) for s in part}
    found["ordinal"] = all(number[s] != number[t] for i, s, t in moves(shape) if costs[i][t] < costs[i][s])
    if math.prod(shape) <= 4:
        assert found["ordinal"] == has_ordinal(costs, shape)
        assert found["generalized_ordinal"] == has_generalized(costs, shape)
    return found


# random games, most of them near one of the classes


SHAPES = [(2, 2), (2, 3), (3, 3), (2, 2, 2), (1, 3), (2, 1, 3), (4,), (1, 1), (3, 2, 2), (2, 2, 2, 2)]


def random_costs(rng: np.random.Generator, shape: Shape) -> list[Any]:
    """From a potential, or none; then perhaps duplicates, infinities, or a single cell that is off."""
    kind = rng.integers(6)
    top = int(rng.choice([2, 3, 6]))
    potential = rng.integers(0, top, shape)
    arrays = []
    for i in range(len(shape)):
        dummy = rng.integers(0, 4, tuple(1 if k == i else m for k, m in enumerate(shape)))
        if kind == 0:
            own = rng.integers(0, top, shape)
        elif kind in (1, 2, 5):
            own = potential * (int(rng.integers(1, 4)) if kind == 2 else 1) + dummy
        elif kind == 3:
            own = np.array([3, 7, 12, 19, 30, 50])[potential] * int(rng.integers(1, 4)) + dummy
        else:
            own = potential + rng.integers(0, 2, shape) * (rng.random() < 0.5)
        arrays.append(own.astype(object))
    if kind == 5:
        i, place = int(rng.integers(len(shape))), tuple(int(rng.integers(m)) for m in shape)
        arrays[i][place] += 1
    if rng.random() < 0.2:
        end = INF if rng.random() < 0.7 else -INF
        for own in arrays:
            own[rng.random(shape) < 0.3] = end
    if rng.random() < 0.1:
        arrays = [own * 10**18 if not any(abs(c) == INF for c in own.flat) else own for own in arrays]
    if shape[-1] > 1 and rng.random() < 0.3:
        for own in arrays:
            own[..., 1] = own[..., 0]
    return arrays


def check(costs: list[Any], shape: Shape) -> dict[str, Verdict]:
    """Every verdict is that of the definition, and what it carries shows it."""
    game = NormalFormGame.from_arrays(costs, sense="cost", social=np.zeros(shape, dtype=int))
    asked, expected = checker.CostsOnce(game), by_definition(costs, shape)
    alone = {name: decide(game) for name, decide in DECIDED_BY.items()}
    for found in (potentials(game), alone):
        assert {name: v.holds for name, v in found.items()} == {name: expected[name] for name in DECIDED_BY}
        for name, verdict in found.items():
            if verdict.holds:
                value = {game.profile(n): verdict.value(n) for n in range(game.social.size)}
                assert checker.is_potential(name, asked, value.__getitem__, verdict.weights), name
            elif verdict.trap is not None:
                assert checker.is_trap(asked, game.profile(verdict.trap), 1000)
            else:
                rings = [[game.profile(n) for n in ring] for ring in verdict.cycles]
                assert checker.refutes(name, asked, rings), name
    return alone


@pytest.mark.parametrize("seeds", [range(24), pytest.param(range(24, 3000), marks=pytest.mark.exhaustive)])
def test_verdicts_are_those_of_the_definitions(seeds):
    seen = dict.fromkeys(CLASSES, 0)
    for seed in seeds:
        rng = np.random.default_rng(seed)
        shape = SHAPES[seed % len(SHAPES)]
        for name, verdict in check(random_costs(rng, shape), shape).items():
            seen[name] += verdict.holds
    assert all(seen.values())
    assert seen["exact"] < seen["ordinal"] < seen["weakly_acyclic"]


# each class without the stronger one, and what the spec says of shipped scenarios


SEPARATED = {
    "weighted": ([[0, 0], [0, 1]], [[0, 0], [0, 2]]),
    "ordinal": ([[0, 1], [1, 3]], [[0, 1], [1, 2]]),
    "generalized_ordinal": ([[0, 0], [0, 1]], [[0, 1], [1, 0]]),
    "weakly_acyclic": ([[0, 1, 0], [1, 0, 0], [0, 0, -1]], [[1, 0, 0], [0, 1, 0], [0, 0, -1]]),
}


def test_an_order_is_found_by_trying_as_well():
    """Six profiles have 4,683 rankings with ties."""
    for seed in range(2):
        rng = np.random.default_rng(seed)
        costs = [rng.integers(0, 3, (2, 3)).astype(object) for _ in range(2)]
        found = check(costs, (2, 3))
        assert found["ordinal"].holds == has_ordinal(costs, (2, 3))
        assert found["generalized_ordinal"].holds == has_generalized(costs, (2, 3))


def test_a_checker_believes_no_other_potential_and_no_other_ring():
    game = NormalFormGame.from_arrays([[[0, 2], [1, 3]], [[0, 6], [3, 9]]], sense="cost")
    asked, verdict = checker.CostsOnce(game), potentials(game)["exact"]
    right = {game.profile(n): verdict.value(n) for n in range(4)}
    assert not checker.is_potential("exact", asked, {**right, (1, 1): 8}.__getitem__)
    for wrong in (dict.fromkeys(right, 0), {p: -v for p, v in right.items()}):
        for name in CLASSES:
            assert not checker.is_potential(name, asked, wrong.__getitem__, (Fraction(1), Fraction(1)))
    assert not checker.is_potential("weighted", asked, right.__getitem__, (Fraction(1), Fraction(2)))
    ring = [(0, 0), (0, 1), (1, 1), (1, 0)]
    for rings in ([], [[]], [ring], [ring, ring], [[(0, 0), (1, 1)]], [[(0, 0)]]):
        assert not any(checker.refutes(name, asked, rings) for name in CLASSES)
    assert checker.is_trap(asked, (1, 1), 10) is False


def test_what_is_infinite_has_no_exact_potential_unless_it_stays_so():
    game = NormalFormGame.from_arrays([[INF, 3]], sense="cost")
    assert {name: v.holds for name, v in potentials(game).items()} == dict.fromkeys(CLASSES, True) | {
        "exact": False,
        "weighted": False,
    }
    stays = NormalFormGame.from_arrays([[[INF, 1], [INF, 2]], [[0, 0], [0, 0]]], sense="cost")
    assert not potentials(stays)["exact"].holds  # of the second column her cost changes by 1, of the first by nothing
    same = NormalFormGame.from_arrays([[[INF, INF], [INF, INF]], [[0, 1], [0, 1]]], sense="cost")
    assert potentials(same)["exact"].holds


@pytest.mark.parametrize("name", SEPARATED)
def test_every_class_is_larger_than_the_one_before(name):
    found = potentials(NormalFormGame.from_arrays(SEPARATED[name], sense="cost"))
    held = [kind for kind in CLASSES if found[kind].holds]
    assert name in held
    assert CLASSES[CLASSES.index(name) - 1] not in held


def test_too_many_moves_are_refused_before_any_work():
    class Large:
        players = ("a", "b")

        def strategies(self, player: int) -> range:
            return range(10_000)

        def costs(self, profile: Any) -> list[int]:
            raise AssertionError("no work was to be done")

    with pytest.raises(TooLargeError, match="potential: 100,000,000 profiles of 2 players; the limit is 10,000,000"):
        potentials(Large())  # type: ignore[arg-type]


def test_verdicts_so_far_are_kept_when_time_is_up():
    game = NormalFormGame.from_arrays([[[0, 1], [1, 0]], [[1, 0], [0, 1]]], sense="cost")
    assert potentials(game, Clock(0)) == {}

    def impatient(done: int, total: int | None, note: str = "") -> None:
        if done == 2:
            raise KeyboardInterrupt

    assert list(potentials(game, progress=impatient)) == ["exact", "weighted"]
