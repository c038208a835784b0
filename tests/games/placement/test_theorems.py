"""Theorems on placement games: constructions are equilibria by the definition, and no price exceeds the sharp one."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import pytest

from consortium.agents.organizations import Federation, Placement
from consortium.games.placement.bounds import largest_equilibrium_cost, sharp_price
from consortium.games.placement.game import PlacementGame
from consortium.games.placement.theorems import THEOREMS, promised, theorem_of
from consortium.games.search import search
from consortium.mechanisms.federation.claims import proved_ratio
from consortium.mechanisms.federation.coordination import Coordination
from consortium.mechanisms.federation.heuristics import HEURISTICS, Ilba, LessHelpedFirst
from consortium.mechanisms.federation.optimal import Optimal
from consortium.support.errors import UnknownNameError
from consortium.workloads import federation as families


def game_of(rng: random.Random, organizations: int, most_jobs: int, longest: int) -> PlacementGame:
    """A game with ties, idle organizations, some with several machines, under either priority and objective."""
    jobs = [[rng.randint(1, longest) for _ in range(rng.randint(0, most_jobs))] for _ in range(organizations)]
    machines = [1] * organizations if rng.random() < 0.6 else [rng.randint(1, 3) for _ in range(organizations)]
    objective = rng.choice(["makespan", "makespan", "total-completion"])
    if rng.random() < 0.7:
        federation = Federation.of(jobs, machines)
        order = tuple(rng.sample(federation.names, organizations))
        return PlacementGame(federation, Coordination("organizations", order, objective))
    numbers = iter(rng.sample(range(1, 100), sum(map(len, jobs))))
    priorities = [[next(numbers) for _ in row] for row in jobs]
    federation = Federation.of(jobs, machines, priorities=priorities)
    return PlacementGame(federation, Coordination("jobs", "given", objective))


def replies(game: PlacementGame, profile: Placement, player: int) -> Iterator[Placement]:
    """Every profile that the player can reach alone."""
    for hosts in itertools.product(range(len(profile)), repeat=len(profile[player])):
        yield (*profile[:player], hosts, *profile[player + 1 :])


def is_equilibrium(game: PlacementGame, profile: Placement) -> bool:
    """By the definition: the schedule of every deviation is made."""

    def cost(placement: Placement, player: int) -> Fraction:
        return game.rule.costs(game.federation, placement)[player]

    return all(cost(profile, k) <= cost(other, k) for k in range(len(profile)) for other in replies(game, profile, k))


def small(game: PlacementGame) -> bool:
    return all(len(game.players) ** len(row) <= 130 for row in game.federation.sizes)


@pytest.mark.parametrize("seed", range(3))
def test_every_construction_is_an_equilibrium(seed: int) -> None:
    rng = random.Random(seed)
    met: Counter[str] = Counter()
    for _ in range(150):
        game = game_of(rng, rng.choice([2, 3, 3, 4, 5]), 4, rng.choice([2, 3, 9]))
        for theorem in THEOREMS if small(game) else ():
            if theorem.holds(game):
                met[theorem.name] += 1
                assert is_equilibrium(game, theorem.build(game)), (theorem.name, game)
    assert min(met[theorem.name] for theorem in THEOREMS) >= 3, met


def test_the_tie_of_three_organizations_matters() -> None:
    """O2 can pay 6 with everything at home, behind O3's work too; then O3 would leave for O1's machine."""
    game = PlacementGame(Federation.of([[1], [3, 3, 3], [2, 1]]))
    three = next(theorem for theorem in THEOREMS if theorem.name == "three-organizations")
    assert is_equilibrium(game, three.build(game))
    assert not is_equilibrium(game, ((0,), (1, 1, 2), (2, 2)))


@pytest.mark.parametrize("scale", [1, 10**18])
def test_many_jobs_and_large_numbers(scale: int) -> None:
    rng = random.Random(3)
    game = PlacementGame(Federation.of([[scale * rng.randint(1, 50) for _ in range(20)] for _ in range(3)]))
    found = search(game, "theorem")
    assert found.equilibria.exists
    assert found.equilibria.best is not None  # and the checker of every search has looked at it


@pytest.mark.parametrize(
    ("jobs", "machines"),
    [([[35, 22, 22, 17, 13, 5], [14], [9], [42, 2]], None), ([[22, 17, 17, 13, 13, 5], [8], [28, 2]], [2, 1, 1])],
)
def test_no_theorem_covers_a_game_without_equilibrium(jobs: list[list[int]], machines: list[int] | None) -> None:
    game = PlacementGame(Federation.of(jobs, machines))
    assert theorem_of(game) is None
    assert promised(game) is None
    with pytest.raises(UnknownNameError, match="theorem"):
        search(game, "theorem")


def test_a_search_that_is_stopped_knows_the_equilibrium() -> None:
    rng = random.Random(1)
    game = PlacementGame(Federation.of([[rng.randint(1, 10**6) for _ in range(9)] for _ in range(3)]))
    for method in ("branch-and-bound", "cuts", "dynamics"):
        found = search(game, method, time_limit=0)
        assert found.equilibria.exists
        assert found.equilibria.best is not None


# --- prices ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_no_equilibrium_costs_more_than_the_sharp_price(seed: int) -> None:
    rng = random.Random(seed)
    looked = 0
    while looked < 40:
        game = game_of(rng, rng.choice([2, 3, 4]), 3, rng.choice([2, 4, 9]))
        found = search(game, "enumeration") if game.n_classes and 0 < game.federation.n_jobs <= 8 else None
        if found is None or found.equilibria.worst is None:
            continue
        looked += 1
        assert found.equilibria.worst.social_cost <= largest_equilibrium_cost(game)
        sharp, best = sharp_price(game), Optimal().solve(game.federation).lower
        assert sharp is None or found.equilibria.worst.social_cost <= sharp * best


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_the_family_attains_it(n: int) -> None:
    game = PlacementGame(Federation.of(families.sharp_price(n).jobs))
    found = search(game, time_limit=60)
    assert found.complete
    assert found.price_of_anarchy == found.price_of_stability == sharp_price(game)
    assert sharp_price(game) == (Fraction(4, 3) if n == 2 else 2 - Fraction(1, n - 1))


def test_with_the_other_order_stability_is_cheaper() -> None:
    """The even family, O2 before O1: there is also an equilibrium of makespan 4."""
    federation = Federation.of(families.sharp_price(4).jobs)
    found = search(PlacementGame(federation, Coordination(order=("O2", "O1", "O3", "O4"))))
    assert (found.price_of_anarchy, found.price_of_stability) == (Fraction(5, 3), Fraction(4, 3))


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_ratios_of_central_rules_are_attained(n: int) -> None:
    longest, shortest = Federation.of(families.sharp_price(n).jobs), Federation.of(families.sharp_ratio(n).jobs)
    for name, make in HEURISTICS.items():
        rule = make() if name != "less-helped-first" else LessHelpedFirst("lpt")
        federation = shortest if name == "spt-lpt" else longest
        best = Optimal().solve(federation).lower
        assert rule.run(federation).makespan == proved_ratio(rule, federation) * best
    for rule in (Ilba("listed"), LessHelpedFirst("listed")):
        best = Optimal().solve(shortest).lower
        assert rule.run(shortest).makespan == proved_ratio(rule, shortest) * best == (2 - Fraction(1, n)) * best


def test_no_schedule_of_a_heuristic_is_worse() -> None:
    rng = random.Random(9)
    for _ in range(300):
        n = rng.randint(2, 5)
        federation = Federation.of([[rng.randint(1, 6) for _ in range(rng.randint(0, 4))] for _ in range(n)])
        for make in HEURISTICS.values():
            rule = make()
            least = Optimal().solve(federation).lower
            assert rule.run(federation).makespan <= proved_ratio(rule, federation) * least
