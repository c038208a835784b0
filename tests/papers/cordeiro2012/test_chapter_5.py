"""Chapter 5: the placement game. Published numbers, and the counterexamples to published statements."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from consortium.agents.organizations import Federation
from consortium.games import checkers
from consortium.games.dynamics import best_response, best_response_dynamics
from consortium.games.equilibria.potential.classify import potentials
from consortium.games.normal_form import NormalFormGame
from consortium.games.placement.cuts import replay
from consortium.games.placement.game import PlacementGame
from consortium.games.search import search
from consortium.mechanisms.federation import unconstrained_optimum
from consortium.mechanisms.federation.coordination import Coordination

from ...sweeps import thinned

pytestmark = pytest.mark.paper("Cordeiro 2012, chapter 5")

COROLLARY_57 = [[35, 22, 22, 17, 13, 5], [14], [9], [42, 2]]
CONTROL = [[35, 22, 22, 17, 13, 5], [14], [9], [42, 1]]


def by_organization(jobs: Any, machines: Any = None, order: Any = None) -> PlacementGame:
    return PlacementGame(Federation.of(jobs, machines), Coordination(order=order))


def by_job(jobs: Any, ranks: Any) -> PlacementGame:
    return PlacementGame(Federation.of(jobs, priorities=ranks), Coordination("jobs", "given"))


# Corollary 5.7: "priority to organizations always induces a pure Nash equilibrium". It does not.


def test_corollary_57_fails() -> None:
    """No pure equilibrium; enumeration of all 4^10 placements, branch and bound and deviation cuts agree."""
    game = by_organization(COROLLARY_57)
    table = search(game, method="enumeration")
    cuts = search(game, method="cuts")
    tree = search(game, method="branch-and-bound")
    assert table.profiles == 4**10
    assert [r.equilibria.exists for r in (table, cuts, tree)] == [False, False, False]
    assert [r.complete for r in (table, cuts, tree)] == [True, True, True]
    assert table.smallest_epsilon == cuts.smallest_epsilon == Fraction(49, 48)
    assert table.smallest_regret == cuts.smallest_regret == 1
    assert table.optimum is not None
    assert cuts.optimum is not None
    assert table.optimum.social_cost == cuts.optimum.social_cost == 47
    assert table.sinks == (6,)
    assert replay(game, cuts.certificate)


@pytest.mark.exhaustive
def test_best_responses_of_corollary_57_go_round() -> None:
    """It refutes that best responses are acyclic, and every class of potentials: a ring of gains to least costs."""
    game = by_organization(COROLLARY_57)
    table = NormalFormGame.from_game(game)
    found = potentials(table)
    assert len(found) == 6
    assert not any(verdict.holds for verdict in found.values())
    (ring,) = found["acyclic_best_responses"].cycles
    assert len(ring) > 1
    for here, there in zip(ring, (*ring[1:], ring[0]), strict=True):
        before, after = table.profile(here), table.profile(there)
        (mover,) = (k for k in range(4) if before[k] != after[k])
        least = min(game.costs((*before[:mover], own, *before[mover + 1 :]))[mover] for own in game.strategies(mover))
        assert game.costs(after)[mover] == least < game.costs(before)[mover]


def test_corollary_57_control_has_exactly_one_equilibrium() -> None:
    """With a last job of 1 instead of 2 branch and bound counts one equilibrium, of cost 48."""
    game = by_organization(CONTROL)
    tree, cuts = search(game, method="branch-and-bound"), search(game, method="cuts")
    assert tree.equilibria.count == 1
    assert tree.equilibria.best == tree.equilibria.worst == cuts.equilibria.best == cuts.equilibria.worst
    assert cuts.price_of_anarchy == cuts.price_of_stability == Fraction(48, 47)


def test_corollary_57_best_responses_run_in_a_circle_of_four() -> None:
    game = by_organization(COROLLARY_57)
    found = best_response_dynamics(game)
    assert found.cycle is not None
    assert checkers.is_best_response_cycle(game, found.cycle)
    costs = [game.costs(p) for p in found.cycle]
    turn = costs.index((48, 14, 9, 44))
    assert costs[turn:] + costs[:turn] == [(48, 14, 9, 44), (48, 14, 9, 43), (47, 14, 9, 46), (49, 14, 9, 44)]


def test_corollary_57_first_instance_found() -> None:
    found = search(by_organization([[39, 25, 24, 19, 14, 5], [16], [10], [47, 2]]), method="cuts")
    assert found.equilibria.exists is False
    assert found.smallest_epsilon == Fraction(54, 53)


def small_jobs(organizations: int, most: int, length: int) -> Iterator[list[list[int]]]:
    rows = [
        sorted(r) for n in range(most + 1) for r in itertools.combinations_with_replacement(range(1, length + 1), n)
    ]
    return map(list, itertools.product(rows, repeat=organizations))


def test_two_organizations_with_one_machine_always_have_an_equilibrium() -> None:
    """All games with up to three jobs of lengths 1 to 3 each; the organization with less work stays at home."""
    for jobs in small_jobs(2, 3, 3):
        game = by_organization(jobs)
        less = min((0, 1), key=lambda k: sum(jobs[k]))
        profile = game.default_profile
        reply = best_response(game, 1 - less, profile)[0]
        profile = (reply, profile[1]) if less == 1 else (profile[0], reply)
        assert checkers.is_nash(game, profile)


@pytest.mark.exhaustive
def test_no_equilibrium_is_missing_for_three_organizations_or_several_machines() -> None:
    """Random games, N = 3 with one machine, N = 2 with several: dynamics or enumeration find an equilibrium in each."""
    rng = random.Random(5)
    for _ in range(2000):
        jobs = [[rng.randint(1, 9) for _ in range(rng.randint(0, 3))] for _ in range(3)]
        assert (
            best_response_dynamics(by_organization(jobs)).converged or search(by_organization(jobs)).equilibria.exists
        )
    for _ in range(500):
        jobs = [[rng.randint(1, 6) for _ in range(rng.randint(0, 3))] for _ in range(2)]
        game = by_organization(jobs, rng.choice([(2, 1), (1, 2), (2, 2)]))
        assert best_response_dynamics(game).converged or search(game).equilibria.exists


def test_job_priorities_smallest_instance_without_equilibrium() -> None:
    game = by_job([[3, 1, 2], [2, 3], []], [[3, 5, 1], [4, 2], []])
    for method in ("enumeration", "cuts"):
        found = search(game, method=method)
        assert found.equilibria.exists is False
        assert found.smallest_epsilon == Fraction(5, 4)


# Theorem 5.4: job priorities, no epsilon-approximate equilibrium below (2 + 4 delta) / (1 + 3 delta).

DELTAS = [Fraction(1, 100), Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(1)]


def figure_51(delta: Fraction, low: tuple[int, ...] = (5, 6, 7, 8, 9)) -> PlacementGame:
    """``low``: ranks of the jobs without a stated priority (three deltas, the first jobs of O4 and O5)."""
    long = 1 + 2 * delta
    jobs = [[delta], [delta], [delta], [long, long], [long] * 4]
    return by_job(jobs, [[low[0]], [low[1]], [low[2]], [low[3], 2], [low[4], 1, 3, 4]])


@pytest.mark.parametrize("delta", thinned(DELTAS))
def test_theorem_54_smallest_epsilon(delta: Fraction) -> None:
    game = figure_51(delta)
    found = search(game, method="cuts")
    assert found.profiles == 5**9
    assert found.equilibria.exists is False
    assert found.smallest_epsilon == (2 + 4 * delta) / (1 + 3 * delta)
    assert found.smallest_epsilon < 2
    assert replay(game, found.certificate)


@pytest.mark.exhaustive
def test_theorem_54_by_enumeration() -> None:
    found = search(figure_51(Fraction(1, 10)), method="enumeration")
    assert found.equilibria.count == 0
    assert found.smallest_epsilon == Fraction(24, 13)


@pytest.mark.exhaustive
@pytest.mark.parametrize("delta", thinned(DELTAS))
def test_theorem_54_for_other_orders_of_the_low_priorities(delta: Fraction) -> None:
    for low in [(5, 6, 7, 8, 9), (7, 8, 9, 5, 6), (9, 5, 7, 6, 8), (8, 9, 5, 7, 6)]:
        assert search(figure_51(delta, low), method="enumeration").smallest_epsilon == (2 + 4 * delta) / (1 + 3 * delta)


# Theorem 5.5: the reduction from PARTITION, printed and repaired.


def figure_52(numbers: list[int], extra: int) -> PlacementGame:
    """``extra``: what the large jobs have beyond half the sum; 3 is printed, 4 repairs the construction.

    Priorities: the jobs of O3, then the rest shortest first (ties by organization). Lengths are doubled: 2.5 occurs.
    """
    large = Fraction(sum(numbers), 2) + extra
    jobs = [[1], [1], [large, *numbers], [large, 1, 3], [large, Fraction(5, 2)]]
    order = [(2, i) for i in range(len(jobs[2]))]
    order += sorted(((k, i) for k in (0, 1, 3, 4) for i in range(len(jobs[k]))), key=lambda j: (jobs[j[0]][j[1]], j))
    rank = {job: r for r, job in enumerate(order, 1)}
    return by_job(jobs, [[rank[k, i] for i in range(len(row))] for k, row in enumerate(jobs)])


def test_theorem_55_the_printed_reduction_fails() -> None:
    """(10, 10) can be partitioned, so there should be no equilibrium; O4 leaves its job of length 1 behind its 3."""
    game = figure_52([10, 10], 3)
    found = search(game, method="cuts")
    assert found.profiles == 5**10
    assert found.equilibria.exists is True
    assert all(checkers.is_nash(game, o.profile) for o in found.equilibria.listed)


def test_theorem_55_repaired() -> None:
    """With large jobs of S/2 + 4: no equilibrium for the partitionable (10, 10), equilibria for the others."""
    yes = search(figure_52([10, 10], 4), method="cuts")
    assert yes.equilibria.exists is False
    assert yes.smallest_epsilon == Fraction(29, 28)
    for numbers in ([10, 12], [10, 30], [20, 40]):
        assert search(figure_52(numbers, 4), method="cuts").equilibria.exists is True


@pytest.mark.exhaustive
def test_theorem_55_equilibria_counted() -> None:
    """All 5^10 placements: printed 12 for the yes-instance; repaired 0, and 8, 12, 12 for no-instances."""
    counts = [search(figure_52([10, 10], 3), method="enumeration").equilibria.count]
    counts += [
        search(figure_52(s, 4), method="enumeration").equilibria.count for s in ([10, 10], [10, 12], [10, 30], [20, 40])
    ]
    assert counts == [12, 0, 8, 12, 12]


# Theorem 5.6: false for exact solvers.


def test_theorem_56_exact_rebalancing_is_no_equilibrium() -> None:
    """{4,4,4}, {2,2}, {}: O1 keeps 8 at home and sends a 4 behind O2; O2 leaves, and O1 could reach 6."""
    game = by_organization([[4, 4, 4], [2, 2], []])
    assert (
        game.costs(((0, 0, 1), (1, 1), ()))[0]
        == game.costs((best_response(game, 0, game.default_profile)[0], (1, 1), ()))[0]
    )
    profile = ((0, 0, 1), (1, 2), ())
    assert checkers.epsilon(game, profile) == Fraction(4, 3)
    assert checkers.player_regrets(game, profile) == (2, 0, 0)


def section_53_outcomes(jobs: list[list[int]]) -> set[Any]:
    """Every outcome of the construction with an exact solver, over all optimal choices of every organization."""
    game = by_organization(jobs)
    profiles = {game.default_profile}
    for k in range(len(jobs)):
        following = set()
        for p in profiles:
            # lower-priority foreign jobs are displaced: nobody below k has moved yet, so p holds none
            values = {s: game.costs((*p[:k], s, *p[k + 1 :]))[k] for s in game.strategies(k)}
            best = min(values.values())
            following |= {(*p[:k], s, *p[k + 1 :]) for s, v in values.items() if v == best}
        profiles = following
    return profiles


def test_theorem_56_no_tie_break_by_home_load_saves_it() -> None:
    """{11,8,5,3}, {9,6}, {2}, {5}: keeping the most work at home leaves epsilon 13/12 whatever else is chosen."""
    jobs = [[11, 8, 5, 3], [9, 6], [2], [5]]
    game = by_organization(jobs)
    profiles = {game.default_profile}
    for k in range(4):
        following = set()
        for p in profiles:
            values = {s: game.costs((*p[:k], s, *p[k + 1 :]))[k] for s in game.strategies(k)}
            best = [s for s, v in values.items() if v == min(values.values())]
            kept = {s: sum(size for size, h in zip(jobs[k], s, strict=True) if h == k) for s in best}
            following |= {(*p[:k], s, *p[k + 1 :]) for s in best if kept[s] == max(kept.values())}
        profiles = following
    assert {checkers.epsilon(game, p) for p in profiles} == {Fraction(13, 12)}
    assert {checkers.is_nash(game, p) for p in section_53_outcomes(jobs)} == {True, False}


def test_theorem_56_no_tie_break_at_all_helps_without_equilibria() -> None:
    outcomes = section_53_outcomes(CONTROL)
    assert any(checkers.is_nash(by_organization(CONTROL), p) for p in outcomes)
    broken = by_organization(COROLLARY_57)
    some = itertools.islice(sorted(section_53_outcomes(COROLLARY_57)), 20)
    assert not any(checkers.is_nash(broken, p) for p in some)


# Theorem 5.8 and Figure 5.5: price of anarchy.


def figure_55(k: int, printed: bool = False) -> list[list[int]]:
    """K - 1 organizations of 2K + 1 unit jobs (repaired: one job of K + 1 and K unit jobs), {K + 1, K}, K times {1}."""
    first = [1] * (2 * k + 1) if printed else [k + 1] + [1] * k
    return [list(first) for _ in range(k - 1)] + [[k + 1, k]] + [[1]] * k


def figure_55c(jobs: list[list[int]], k: int) -> Any:
    """The profile of Figure 5.5c: K unit jobs of every O1 .. O(K-1) go to the last K organizations, one each."""
    rows: list[tuple[int, ...]] = [(i,) * (len(jobs[i]) - k) + tuple(range(k, 2 * k)) for i in range(k - 1)]
    rows.append((k - 1, k))  # O_K keeps K + 1 and waits for the K unit jobs on another host
    rows += [(k + i,) for i in range(k)]
    return tuple(rows)


@pytest.mark.parametrize("k", [2, 3, pytest.param(4, marks=pytest.mark.exhaustive)])
def test_figure_55_repaired_family_is_tight(k: int) -> None:
    """Figure 5.5c becomes an equilibrium of cost 2K, the worst there is; the optimum is K + 1 and can be stable."""
    jobs = figure_55(k)
    game = by_organization(jobs)
    drawn = figure_55c(jobs, k)
    assert game.social_cost(drawn) == 2 * k
    assert checkers.is_nash(game, drawn)
    found = search(game, method="cuts")
    assert found.price_of_anarchy == Fraction(2 * k, k + 1)
    assert found.price_of_stability == 1
    assert found.complete
    assert replay(game, found.certificate)


def test_figure_55_printed_is_an_equilibrium_only_for_two() -> None:
    """From K = 3 on O1 can do better than K + 1; another profile still costs 2K."""
    two, three = figure_55(2, printed=True), figure_55(3, printed=True)
    assert checkers.is_nash(by_organization(two), figure_55c(two, 2))
    game, drawn = by_organization(three), figure_55c(three, 3)
    pairs = checkers.cost_and_best(game, drawn)
    assert [c for c, _ in pairs] == [4, 4, 6, 1, 1, 1]
    assert [b for _, b in pairs] == [3, 4, 6, 1, 1, 1]
    found = search(game, method="cuts")
    assert found.profiles == 6**19
    assert found.price_of_anarchy == Fraction(6, 4)
    assert found.price_of_stability == 1


@pytest.mark.exhaustive
@pytest.mark.parametrize(("k", "printed"), [(4, True), (5, False), (5, True)])
def test_figure_55_larger(k: int, printed: bool) -> None:
    found = search(by_organization(figure_55(k, printed)), method="cuts")
    assert found.complete
    assert found.price_of_anarchy == Fraction(2 * k, k + 1)


def test_theorem_58_fails_with_several_machines_but_two_minus_one_over_all_machines_holds() -> None:
    """M = (1, 7), {5, 4} and 28 unit jobs, O2 first: an equilibrium of 8 against the unconstrained optimum 5."""
    game = by_organization([[5, 4], [1] * 28], (1, 7), ("O2", "O1"))
    profile = ((0, 1), (1,) * 28)
    assert game.social_cost(profile) == 8
    assert checkers.is_nash(game, profile)
    assert Fraction(8, 5) > 2 - Fraction(1, 2)
    assert Fraction(8, 5) <= 2 - Fraction(1, 8)
    assert unconstrained_optimum(game.federation) == 5


@pytest.mark.parametrize("priority", ["organizations", "jobs"])
def test_theorem_58_upper_bound_on_random_games(priority: str, thinning: int) -> None:
    """No equilibrium costs more than (2 - 1/N) times the optimum, for either kind of priority (m = 1)."""
    rng = random.Random(58)
    prices: list[Fraction] = []
    while (
        len(prices) < 15 // thinning
    ):  # games in which selfishness costs something: in most of them there is nothing to bound
        n, each, top = rng.choice([(2, 4, 4), (2, 5, 5), (3, 3, 3)])
        jobs = [[rng.randint(1, top) for _ in range(rng.randint(1, each))] for _ in range(n)]
        game = PlacementGame(
            Federation.of(jobs), Coordination(priority, None if priority == "organizations" else "longest")
        )
        found = search(game, method="enumeration", limit=1)
        if found.price_of_anarchy is not None and found.price_of_anarchy > 1:
            assert found.price_of_anarchy <= 2 - Fraction(1, n)
            prices.append(found.price_of_anarchy / (2 - Fraction(1, n)))
    assert max(prices) >= Fraction(3, 4)  # some come near the bound
