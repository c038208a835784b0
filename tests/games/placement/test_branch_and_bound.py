"""The search over boxes against the table of all profiles, window by window; its trees, its limits, its plain form."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from consortium.agents.organizations import Federation
from consortium.games import checkers
from consortium.games.enumeration import enumeration_search
from consortium.games.placement import branch_and_bound, tree_search
from consortium.games.placement.branch_and_bound import branch_and_bound_search
from consortium.games.placement.certificate import Tree, read
from consortium.games.placement.checker import holds
from consortium.games.placement.game import PlacementGame
from consortium.games.placement.patterns import Runs, patterns, splits
from consortium.games.placement.tree_kernel import EXHAUSTED, FULL, STABLE, Window
from consortium.games.placement.tree_search import TreeSearch
from consortium.games.protocol import Outcome
from consortium.games.results import Equilibria, Options
from consortium.games.search import search
from consortium.mechanisms.federation.coordination import Coordination
from consortium.support.errors import InputError, TooLargeError
from consortium.support.progress import Clock

COROLLARY = [[35, 22, 22, 17, 13, 5], [14], [9], [42, 2]]
MOST = {1: 6, 2: 9, 3: 8, 4: 7, 5: 6}  # jobs, so that all profiles are quickly tried


def random_game(rng: random.Random, least: int = 1) -> PlacementGame:
    """Any order of priorities, lengths from all equal to all different, organizations without jobs."""
    n = rng.choice([least, 2, 3, 3, 4, 4, 5])
    jobs: list[list[int]] = [[] for _ in range(n)]
    longest = rng.choice([1, 2, 4, 6, 12, 40])
    for _ in range(rng.randint(0, MOST[n])):
        jobs[rng.randrange(n)].append(rng.randint(1, longest))
    names = Federation.of(jobs).names
    return PlacementGame(Federation.of(jobs), Coordination(order=tuple(rng.sample(names, n))))


def asked(seconds: float | None = None, limit: int = 10**6) -> Options:
    return Options(limit, None, Clock(seconds), None, 2**31)


def social(found: Outcome | None) -> Any:
    return None if found is None else found.social_cost


def table(game: PlacementGame) -> Equilibria:
    return enumeration_search(game, asked()).equilibria


def by_rank(game: PlacementGame) -> tuple[tuple[int, ...], ...]:
    return tuple(game.federation.sizes[k] for k in game.by_priority)


def costs_of(loads: list[list[int]]) -> tuple[int, ...]:
    """What everybody pays, from what everybody places where: home first, then by priority."""
    n = len(loads)
    costs = []
    for k in range(n):
        before = [loads[h][h] + sum(loads[j][h] for j in range(k) if j != h) for h in range(n)]
        costs.append(max([loads[k][k], *(before[h] + loads[k][h] for h in range(n) if h != k and loads[k][h])]))
    return tuple(costs)


def floor(sizes: tuple[int, ...], least: int) -> int:
    """Where all other hosts must be busy until, so that no job moved brings a cost of ``least`` down."""
    sums = {sum(part) for m in range(len(sizes) + 1) for part in itertools.combinations(sizes, m)}
    return least - min(s for s in sums if s > sum(sizes) - least)


def windows(rng: random.Random, sizes: tuple[tuple[int, ...], ...], costs: set[tuple[int, ...]]) -> Iterator[Window]:
    """Around what equilibria cost, and anywhere."""
    total = sum(map(sum, sizes))
    some = rng.sample(sorted(costs), min(2, len(costs)))
    for payer in range(-1, len(sizes)):
        top = total if payer < 0 else sum(sizes[payer])
        here = [max(c) if payer < 0 else c[payer] for c in some]
        for least in {0, top, rng.randint(0, top), *here, *(c + 1 for c in here)}:
            if payer < 0 or 1 <= least <= top:
                low = 0 if payer < 0 else floor(sizes[payer], least)
                for most in {total, rng.randint(0, total), *(max(c) for c in some[:1])}:
                    yield Window(least, most, payer, low)


def compare_windows(rng: random.Random, games: int) -> int:
    """Whether a window has an equilibrium, and the proof where it has none; how many windows had."""
    found = 0
    for _ in range(games):
        game = random_game(rng)
        sizes, unit = by_rank(game), game.federation.unit
        costs = {tuple(int(o.costs[k] / unit) for k in game.by_priority) for o in table(game).listed}
        tree = TreeSearch(splits(sizes, np.int64), True, Clock(None), None)
        for window in windows(rng, sizes, costs):
            tree.start(window)
            wanted = any(
                max(c) <= window.most and (max(c) if window.payer < 0 else c[window.payer]) >= window.least
                for c in costs
            )
            assert tree.go(10**7) == (STABLE if wanted else EXHAUSTED), (sizes, window)
            if wanted:
                assert costs_of(tree.loads) in costs
                found += 1
            else:
                payer = None if window.payer < 0 else window.payer
                proof = Tree(window.least, window.most, payer, tree.nodes, tree.decisions())
                assert holds(sizes, proof), (sizes, window)
    return found


@pytest.mark.parametrize("games", [8, pytest.param(3_000, marks=pytest.mark.exhaustive)])
def test_every_window_has_an_equilibrium_exactly_where_the_table_has_one(games: int) -> None:
    assert compare_windows(random.Random(1), games) > 3 * games


def compare_searches(rng: random.Random, games: int) -> None:
    for _ in range(games):
        game = random_game(rng)
        every, result = enumeration_search(game, asked()), branch_and_bound_search(game, asked())
        assert result.complete
        assert result.bounds is None
        assert (result.smallest_epsilon, result.smallest_regret) == (every.smallest_epsilon, every.smallest_regret)
        assert social(result.optimum) == social(every.optimum)
        for one, other in ((result.equilibria, every.equilibria),):
            assert (one.exists, one.count, one.classes) == (other.exists, other.count, other.classes)
            assert (social(one.best), social(one.worst)) == (social(other.best), social(other.worst))
            assert sorted(o.profile for o in one.listed) == sorted(o.profile for o in other.listed)
            assert one.classes == len({alike(game, o.profile) for o in one.listed})
        assert all(holds(by_rank(game), tree) for tree in result.certificate.trees)


def alike(game: PlacementGame, profile: Any) -> Any:
    """The same for profiles that differ by an exchange of equal jobs of one organization."""
    return tuple(tuple(sorted(zip(*row, strict=True))) for row in zip(game.federation.sizes, profile, strict=True))


def test_more_equilibria_than_are_listed_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figure 5.5 as printed, three organizations of seven unit jobs among six: the list has what the search reached."""
    game = PlacementGame(Federation.of([[1] * 7, [1] * 7, [4, 3], [1], [1], [1]]))
    monkeypatch.setattr("consortium.games.placement.branch_and_bound.COUNTED", 10**7)
    equilibria = branch_and_bound_search(game, asked(limit=100)).equilibria
    matrices = list(tree_search.equilibria(game, 4, 6))
    assert (equilibria.count, equilibria.classes) == (304_885_350, len(matrices))
    assert len(equilibria.listed) == 3


def test_counting_stops_where_equilibria_are_very_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(branch_and_bound, "COUNTED", 0)
    equilibria = branch_and_bound_search(PlacementGame(Federation.of([[1] * 9] * 4)), asked()).equilibria
    assert (equilibria.exists, equilibria.count, equilibria.classes) == (True, None, None)


@pytest.mark.parametrize("games", [12, pytest.param(3_000, marks=pytest.mark.exhaustive)])
def test_searches_equal_the_table(games: int) -> None:
    compare_searches(random.Random(3), games)


def test_the_plain_form_decides_the_same() -> None:
    """Python's integers beyond int64: the same trees, numbers a large factor apart."""
    rng = random.Random(5)
    factor = 10**18
    for _ in range(8):
        game = random_game(rng, 2)
        sizes = by_rank(game)
        wide = tuple(tuple(p * factor for p in row) for row in sizes)
        total = sum(map(sum, sizes))
        trees = (
            TreeSearch(splits(sizes, np.int64), True, Clock(None), None),
            TreeSearch(splits(wide, object), False, Clock(None), None),
        )
        for least in (1, total // 2, total):
            for tree, scale in zip(trees, (1, factor), strict=True):
                tree.start(Window(least * scale, total * scale, -1, 0))
            assert trees[0].go(200) == trees[1].go(200)
            assert trees[0].nodes == trees[1].nodes
            assert [[p * factor for p in row] for row in trees[0].loads] == trees[1].loads


def test_lengths_beyond_int64_are_searched() -> None:
    odd = [[10**30 + 1, 10**30], [10**30], []]
    game = PlacementGame(Federation.of(odd))
    found = branch_and_bound_search(game, asked())
    assert not game.compiled
    assert social(found.equilibria.worst) == social(table(game).worst)
    assert all(holds(by_rank(game), tree) for tree in found.certificate.trees)


@pytest.mark.parametrize("sizes", [(), (3,), (2, 1), (2, 2, 2), (5, 3, 2, 2), (1, 2, 3, 4, 6)])
@pytest.mark.parametrize("foreign", [0, 1, 2, 4])
def test_patterns_are_what_placements_make(sizes: tuple[int, ...], foreign: int) -> None:
    made = set()
    for hosts in itertools.product(range(foreign + 1), repeat=len(sizes)):
        loads = [sum(p for p, h in zip(sizes, hosts, strict=True) if h == host) for host in range(foreign + 1)]
        made.add((loads[0], tuple(sorted((x for x in loads[1:] if x), reverse=True))))
    assert patterns(sizes, foreign) == tuple(sorted(made))


def test_random_dynamics_end_at_equilibria() -> None:
    """With the same numbers in both kinds of integers."""
    rng, ending = random.Random(6), 0
    for _ in range(30):
        game = random_game(rng, 2)
        sizes, unit = by_rank(game), game.federation.unit
        costs = {tuple(int(o.costs[k] / unit) for k in game.by_priority) for o in table(game).listed}
        answers = []
        for dtype in (np.int64, object):
            runs = Runs.at_random(splits(sizes, dtype), 7, 20)
            answers.append((runs.play().tolist(), runs.loads.tolist()))
        assert answers[0] == answers[1]
        ends = {costs_of(loads) for ended, loads in zip(*answers[0], strict=True) if ended}
        assert ends <= costs
        assert ends or not costs
        ending += bool(ends)
    assert ending > 20


def test_a_move_costs_the_least_of_all_placements() -> None:
    rng, gains = random.Random(8), 0
    for _ in range(60):
        game = random_game(rng, 1)
        sizes = by_rank(game)
        runs = Runs.at_random(splits(sizes, np.int64), rng.randrange(1000), 4)
        k, before = rng.randrange(len(sizes)), runs.loads.copy()
        gained = runs._improve(np.arange(4), k)
        for loads, after, moved in zip(before.tolist(), runs.loads.tolist(), gained, strict=True):
            tried = [
                [
                    *loads[:k],
                    [sum(p for p, h in zip(sizes[k], hosts, strict=True) if h == host) for host in range(len(sizes))],
                    *loads[k + 1 :],
                ]
                for hosts in itertools.product(range(len(sizes)), repeat=len(sizes[k]))
            ]
            least = min(costs_of(other)[k] for other in tried)
            assert moved == (least < costs_of(loads)[k])
            assert after in tried if moved else after == loads
            assert costs_of(after)[k] == least
            gains += moved
    assert gains > 20


def refutation(jobs: list[list[int]]) -> tuple[tuple[tuple[int, ...], ...], Tree]:
    """A game and the largest tree of its search."""
    game = PlacementGame(Federation.of(jobs))
    return by_rank(game), max(branch_and_bound_search(game, asked()).certificate.trees, key=lambda tree: tree.nodes)


SMALL = [[8], [1, 5], [9, 2], [7, 6, 5]]


def kinds(words: list[str]) -> set[str]:
    return {"=" if "=" in word else ">" if ">" in word else ":" if ":" in word else "-" for word in words}


def test_every_decision_of_a_tree_matters() -> None:
    """A word left out, altered or repeated is refused; so is what the tree does not prove."""
    sizes, tree = refutation(SMALL)
    words = tree.decisions.split() if tree.decisions else []
    assert kinds(words) == {"-", "=", ">", ":"}
    assert holds(sizes, tree)
    for number, word in enumerate(words):
        for other in ([], [word, word], ["=0"], ["-"] if word != "-" else ["1>3"]):
            forged = " ".join([*words[:number], *other, *words[number + 1 :]])
            assert not holds(sizes, replace(tree, decisions=forged)), (number, other)
    assert tree.most is not None
    assert not holds(sizes, replace(tree, most=tree.most + 1))
    assert not holds(sizes, replace(tree, decisions=None))


def test_a_placement_left_out_is_missed() -> None:
    """With the node it leads to, so that the number of decisions is right."""
    sizes, tree = refutation(SMALL)
    words = tree.decisions.split() if tree.decisions else []
    tried = 0
    for number, word in enumerate(words):
        cost, _, rows = word.partition(":")
        if rows and words[number + 1] == "-":  # the first child is a single node
            fewer = f"{cost}:{';'.join(rows.split(';')[1:])}"
            forged = " ".join([*words[:number], fewer, *words[number + 2 :]])
            assert not holds(sizes, replace(tree, decisions=forged)), number
            tried += 1
    assert tried > 0


def test_a_split_that_gives_nothing_away_is_no_step() -> None:
    """Else a node could be called the same as the node above it."""
    sizes, tree = refutation(COROLLARY)
    assert holds(sizes, tree)
    assert (tree.least, tree.most, tree.payer) == (0, None, None)
    assert not holds(sizes, replace(tree, decisions="4>1000 - =0"))
    assert not holds(sizes, replace(tree, decisions="4>10 4>1000 - =1 =0"))


@pytest.mark.parametrize("text", ["x", "1>", "3:1,,2", "=-1", "1:2:3", ">4", f"={'9' * 5000}"])
def test_words_that_are_no_decisions_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="decision"):
        list(read(text))


TWELVE = (  # organizations of two jobs: the worst equilibrium known costs 33
    *((9, 4), (3, 11), (7, 11), (19, 16), (7, 9), (9, 13)),
    *((17, 11), (12, 3), (16, 15), (4, 1), (5, 16), (18, 17)),
)
EIGHT = ((17, 17, 16), (14, 19, 19), (14, 5, 14), (12, 7, 15), (15, 2, 19), (19, 2, 4), (16, 12, 15), (17, 9, 12))


def test_hosts_that_cannot_be_busy_enough_leave_little_to_search() -> None:
    """Without that, eight million nodes are not enough for the first proof, and the second one needs 72,699."""
    tree = TreeSearch(splits(TWELVE, np.int64), True, Clock(None), None)
    tree.start(Window(34, sum(map(sum, TWELVE)), 11, floor(TWELVE[11], 34)))
    assert tree.go(2_000) == EXHAUSTED
    assert holds(TWELVE, Tree(34, None, 11, tree.nodes, tree.decisions()))
    tree = TreeSearch(splits(EIGHT, np.int64), True, Clock(None), None)
    tree.start(Window(0, 46, -1, 0))
    assert tree.go(10_000) == EXHAUSTED


def test_without_equilibrium() -> None:
    """The counterexample to Corollary 5.7: one small tree, and epsilon from the constraint search."""
    game = PlacementGame(Federation.of(COROLLARY))
    found = search(game, method="branch-and-bound")
    assert (found.equilibria.exists, found.smallest_epsilon, found.smallest_regret) == (False, Fraction(49, 48), 1)
    assert found.complete
    assert [tree.nodes < 100 for tree in found.certificate.trees] == [True]
    assert len(found.certificate.claims) == 2


def test_edges() -> None:
    nobody = search(PlacementGame(Federation.of([[], []])), method="branch-and-bound")
    assert (nobody.complete, nobody.equilibria.exists, nobody.price_of_anarchy) == (True, True, None)
    lone = search(PlacementGame(Federation.of([[2, 3]])), method="branch-and-bound")
    assert (lone.complete, lone.price_of_anarchy) == (True, 1)
    alike = search(PlacementGame(Federation.of([[1] * 30, [1] * 30, [1]])), method="branch-and-bound")
    assert (alike.complete, alike.price_of_anarchy, alike.price_of_stability) == (True, 1, 1)


def test_what_it_does_not_cover_is_left_to_the_constraint_search() -> None:
    many = PlacementGame(Federation.of([list(range(1, 13)), [5, 4], [3], [2], [1], [1]]))
    assert search(many, time_limit=0).method == "cuts"
    with pytest.raises(TooLargeError, match="the 12 jobs of 'O1' can be split among 6 hosts in more than 25,000 ways"):
        search(many, method="branch-and-bound")
    with pytest.raises(InputError, match=r"'branch-and-bound' cannot search this game .*; ask for 'cuts'"):
        search(PlacementGame(Federation.of([[2, 2], [1]]), Coordination("jobs")), method="branch-and-bound")


HARD = [[random.Random(7 * k + i).randint(1, 19) for i in range(3)] for k in range(11)]


def test_stopped_searches_have_bounds() -> None:
    """By the clock, wherever it strikes: every bound is true of what a longer search knows."""
    game = PlacementGame(Federation.of(HARD))
    longer = (search(game, method="branch-and-bound", time_limit=seconds) for seconds in (1, 10, 100))
    known = next(each for each in longer if each.equilibria.exists)
    for seconds in (0, 0.02, 0.3):
        found = search(game, method="branch-and-bound", time_limit=seconds)
        assert (found.complete, found.price_of_anarchy) == (False, None)
        assert found.bounds.worst_at_most is not None
        assert found.bounds.best_at_least is not None
        assert found.bounds.worst_at_most >= social(known.equilibria.worst)
        assert found.bounds.best_at_least <= social(known.equilibria.best)
        anarchy = social(known.equilibria.worst) / social(known.optimum)
        assert found.bounds.price_of_anarchy_at_most is not None
        assert anarchy <= found.bounds.price_of_anarchy_at_most <= 2 - Fraction(1, 11)
        assert (found.bounds.price_of_anarchy_at_least or 1) <= found.bounds.price_of_anarchy_at_most
        for tree in found.certificate.trees:
            assert tree.nodes < 2_000 or tree.decisions is None or holds(by_rank(game), tree)


def test_room_that_is_used_up_ends_the_search_with_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_search, "NODE_BYTES", 1 << 13)
    found = branch_and_bound_search(PlacementGame(Federation.of(HARD)), asked())
    assert (found.complete, found.equilibria.exists) == (False, True)
    assert found.bounds is not None
    small = TreeSearch(splits(by_rank(PlacementGame(Federation.of(HARD))), np.int64), True, Clock(None), None)
    small.start(Window(0, 36, -1, 0))
    assert small.go(10**6) == FULL


def test_ctrl_c_ends_the_search_with_what_is_known() -> None:
    code = (
        "import os, signal, threading\n"
        "from consortium.agents.organizations import Federation\n"
        "from consortium.games.placement.game import PlacementGame\n"
        "from consortium.games.search import search\n"
        "def press(done, total, note=''):\n"
        "    if note == 'nodes' and done:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        f"found = search(PlacementGame(Federation.of({HARD})), 'branch-and-bound', progress=press)\n"
        "worst, most = found.equilibria.worst.social_cost, found.bounds.worst_at_most\n"
        "print(found.complete, found.equilibria.exists, most >= worst)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.split() == ["False", "True", "True"]


def test_equilibria_found_are_equilibria() -> None:
    """At a size without a table, by the checker; the certificate follows."""
    rng = random.Random(8)
    game = PlacementGame(Federation.of([[rng.randint(1, 19) for _ in range(4)] for _ in range(4)]))
    found = search(game, method="branch-and-bound")
    assert found.complete
    assert all(checkers.is_nash(game, o.profile) for o in found.equilibria.listed)
    assert all(holds(by_rank(game), tree) for tree in found.certificate.trees)


def test_a_longer_search_remembers_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory of nodes met grows and begins empty: the answer is the same."""
    game = PlacementGame(Federation.of([[9, 7, 5, 2], [8, 6, 3], [7, 4, 4], [5, 5, 1], [6, 2]]))
    answers: list[Any] = []
    for few in (1 << 4, 1 << 12):
        monkeypatch.setattr(tree_search, "FEW", few)
        found = branch_and_bound_search(game, asked())
        answers.append((found.equilibria.best, found.equilibria.worst, found.complete))
    assert answers[0] == answers[1]


def test_small_trees_exclude_no_equilibrium() -> None:
    """Whatever window they claim, also one from 0 on, in which everybody's cost always is."""
    rng, excluded = random.Random(3), 0
    for _ in range(4):
        game = PlacementGame(Federation.of([[rng.randint(1, 5) for _ in range(rng.randint(1, 3))] for _ in range(3)]))
        listed = search(game, method="enumeration", limit=10_000).equilibria.listed
        costs = [[game.costs(o.profile)[k] for k in game.by_priority] for o in listed]
        total = sum(map(sum, game.federation.sizes))
        for payer, most, decisions in itertools.product((None, 0, 1, 2), (None, total // 3), ("-", "2>2 - -")):
            paid = [max(row) if payer is None else row[payer] for row in costs if most is None or max(row) <= most]
            for least in range(-1, total + 1):
                if holds(by_rank(game), Tree(least, most, payer, 1, decisions)):
                    excluded += 1
                    assert max(paid, default=-2) < least
    assert excluded > 150


FEW = ((5, 4, 3, 2), (4, 3, 2), (3, 2, 1), (2, 1))
MANY = tuple(tuple(2**i + k for i in range(14)) for k in range(4))


@pytest.mark.parametrize(
    ("sizes", "decisions", "refusal"),
    [
        (FEW, "14:" + "0,0,0,0;" * 600_000 + "14,0,0,0", InputError),
        (FEW, "- " * 3_000_000, TooLargeError),
        (FEW, "1>0 " + "=0 " * 3_000_000, TooLargeError),
        (MANY, "1>0 -", TooLargeError),
        (tuple(tuple(2**i + k for i in range(6)) for k in range(200)), "1>0 -", TooLargeError),
        (FEW, "1>5 - -", TimeoutError),
    ],
    ids=["placements", "words", "references", "jobs", "organizations", "time"],
)
def test_a_hostile_tree_is_followed_within_limits(sizes: Any, decisions: str, refusal: type[Exception]) -> None:
    with pytest.raises(refusal):
        holds(sizes, Tree(0, None, None, 1, decisions), Clock(0 if refusal is TimeoutError else None))
