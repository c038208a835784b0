"""Theorems on placement games: constructions are equilibria by the definition, and no price exceeds the sharp one."""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from consortium.agents.organizations import Federation, Placement
from consortium.games.placement.all_lengths.by_theorem import SHARP_PRICE, SHARP_RATIOS, proof
from consortium.games.placement.all_lengths.coq import theorems
from consortium.games.placement.all_lengths.shapes import Shape
from consortium.games.placement.bounds import largest_equilibrium_cost, sharp_price
from consortium.games.placement.game import PlacementGame
from consortium.games.placement.theorems import THEOREMS, promised, theorem_of
from consortium.games.search import search
from consortium.mechanisms.federation.catalogue import CHECKED, RULES, evidence
from consortium.mechanisms.federation.claims import proved_ratio
from consortium.mechanisms.federation.coordination import Coordination
from consortium.mechanisms.federation.heuristics import HEURISTICS, Ilba, LessHelpedFirst, LptLpt, SptLpt
from consortium.mechanisms.federation.optimal import Optimal
from consortium.scheduling.ready_times import least_makespan
from consortium.support.errors import InputError
from consortium.workloads import federation as families

from ...sweeps import full

TRUST = Path(__file__).resolve().parents[3] / "docs" / "explanation" / "what-you-have-to-trust.md"


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


def test_three_beside_long_single_jobs() -> None:
    """Machines of who has one job, as long as all work of each of the three, are of no use to these (T1, corollary)."""
    rng, looked = random.Random(8), 0
    for _ in range(40):
        jobs = lengths_of(rng, [rng.randint(0, 4) for _ in range(3)])
        jobs += [[max(map(sum, jobs)) + rng.randint(0, 1) or 1] for _ in range(rng.randint(1, 3))]
        rng.shuffle(jobs)
        game = PlacementGame(Federation.of(jobs))
        three = next(theorem for theorem in THEOREMS if theorem.name == "three-organizations")
        assert three.holds(game)
        profile = three.build(game)
        assert not any(gains(jobs, list(range(len(jobs))), profile, k) for k in range(len(jobs)))
        looked += theorem_of(game) is three
    assert looked > 5


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
    with pytest.raises(InputError, match="no theorem promises an equilibrium"):
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
    while looked < 30:
        game = game_of(rng, rng.choice([2, 3, 4]), 3, rng.choice([2, 4, 9]))
        found = search(game, "enumeration") if game.n_classes and 0 < game.federation.n_jobs <= 7 else None
        if found is None or found.equilibria.worst is None:
            continue
        looked += 1
        assert found.equilibria.worst.social_cost <= largest_equilibrium_cost(game)
        sharp, best = sharp_price(game), Optimal().solve(game.federation).lower
        assert sharp is None or found.equilibria.worst.social_cost <= sharp * best


@pytest.mark.parametrize("method", ["dynamics", "branch-and-bound", "cuts"])
def test_longest_first_bounds_epsilon(method: str) -> None:
    """The game has no equilibrium, so that nothing else is known of epsilon before the search is done."""
    game = PlacementGame(Federation.of([[35, 22, 22, 17, 13, 5], [14], [9], [42, 2]]))
    bounds = search(game, method, time_limit=0).bounds
    assert bounds is not None
    assert bounds.epsilon_at_most is not None
    assert Fraction(49, 48) <= bounds.epsilon_at_most <= Fraction(11, 8)


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


# --- many games, by programs that share nothing with the package ----------------------------------------------------


SHARES = [100, *full([1])]
"""A default run looks at one in a hundred of the games of a sweep."""


def gains(jobs: list[list[int]], rank: list[int], profile: Placement, k: int) -> bool:
    """Whether a reply pays an organization: one machine each, owners first, then by rank."""

    def load(a: int, machine: int) -> int:
        return sum(p for p, host in zip(jobs[a], profile[a], strict=True) if host == machine)

    ready = [
        sum(load(b, h) for b in range(len(jobs)) if b != k and (b == h or rank[b] < rank[k])) * (h != k)
        for h in range(len(jobs))
    ]
    cost = max((ready[h] + load(k, h) for h in profile[k]), default=0)

    def cheaper(ends: list[int], left: list[int]) -> bool:
        return not left or any(
            end + left[0] < cost and cheaper([*ends[:h], end + left[0], *ends[h + 1 :]], left[1:])
            for h, end in enumerate(ends)
        )

    return bool(jobs[k]) and cheaper(ready, sorted(jobs[k], reverse=True))


def lengths_of(rng: random.Random, counts: list[int]) -> list[list[int]]:
    """Few lengths, so that there are ties, or many; sometimes all of an organization's are equal."""
    longest = rng.choice([2, 3, 6, 50])
    rows = [[rng.randint(1, longest) for _ in range(count)] for count in counts]
    return [[row[0]] * len(row) if row and rng.random() < 0.2 else row for row in rows]


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize(("name", "games"), [("three", 50_000), ("two-or-equal", 50_000), ("two-first", 3_000)])
def test_constructions_of_many_games(name: str, games: int, share: int) -> None:
    """T1, T2 and T8: nobody gains by any reply, in games with ties and organizations without jobs."""
    rng = random.Random(f"{name} {share}")
    theorems = {theorem.name: theorem for theorem in THEOREMS}
    looked = 0
    while looked < games // share:
        if name == "three":
            jobs = lengths_of(rng, [rng.randint(0, 5) for _ in range(3)])
            theorem = theorems["three-organizations"]
        elif name == "two-or-equal":
            jobs = lengths_of(rng, [rng.randint(0, 4) for _ in range(rng.randint(2, 6))])
            jobs = [row if len(row) <= 2 else [row[0]] * len(row) for row in jobs]
            theorem = theorems["two-jobs-or-equal-jobs"]
        else:
            jobs = lengths_of(rng, [rng.randint(2, 3), rng.choice([2, 4]), *rng.choices([0, 0, 1, 2], k=3)])
            theorem = theorems["two-job-first"]
            jobs = jobs if len(jobs[0]) == 2 else [[], *jobs, []]
        rng.shuffle(jobs) if name != "two-first" else None
        federation = Federation.of(jobs)
        order = list(range(len(jobs))) if name == "two-first" else rng.sample(range(len(jobs)), len(jobs))
        game = PlacementGame(federation, Coordination(order=tuple(federation.names[k] for k in order)))
        if name == "two-first" and not theorem.holds(game):
            continue
        looked += 1
        assert theorem.holds(game), jobs
        rank = [order.index(k) for k in range(len(jobs))]
        profile = theorem.build(game)
        assert not any(gains(jobs, rank, profile, k) for k in range(len(jobs))), (jobs, order, profile)


class Enumerated:
    """All profiles of many games of one shape: costs and largest loads, an array each with a line for every profile."""

    def __init__(self, counts: tuple[int, ...], rank: list[int], lengths: NDArray[np.int64]) -> None:
        n, owners = len(counts), [k for k, count in enumerate(counts) for _ in range(count)]
        self.profiles = list(itertools.product(range(n), repeat=len(owners)))
        self.counts, self.owners = counts, owners
        zero = np.zeros(len(lengths), np.int64)
        self.costs = np.zeros((len(self.profiles), n, len(lengths)), np.int64)
        self.makespans = np.zeros((len(self.profiles), len(lengths)), np.int64)
        for s, profile in enumerate(self.profiles):
            loads = [[zero] * n for _ in range(n)]
            for j, (k, host) in enumerate(zip(owners, profile, strict=True)):
                loads[k][host] = loads[k][host] + lengths[:, j]
            for k, host in set(zip(owners, profile, strict=True)):
                before = [loads[b][host] for b in range(n) if b != k and (b == host or rank[b] < rank[k]) and host != k]
                self.costs[s, k] = np.maximum(self.costs[s, k], sum(before, loads[k][host]))
            self.makespans[s] = np.max([sum((loads[k][h] for k in range(n)), zero) for h in range(n)], axis=0)

    def equilibria(self) -> NDArray[np.bool_]:
        """Which profile of which game is one: no other with the others' jobs where they are costs its owner less."""
        stable = np.ones(self.makespans.shape, np.bool_)
        for k in range(len(self.counts)):
            groups: dict[tuple[int, ...], list[int]] = {}
            for s, profile in enumerate(self.profiles):
                others = tuple(h for h, owner in zip(profile, self.owners, strict=True) if owner != k)
                groups.setdefault(others, []).append(s)
            for group in groups.values():
                stable[group] &= self.costs[group, k] <= self.costs[group, k].min(axis=0)
        return stable


def check_prices(counts: tuple[int, ...], rank: list[int], lengths: NDArray[np.int64]) -> int:
    """How many equilibria were looked at: none costs more than the sharp price times the least makespan."""
    games = Enumerated(counts, rank, lengths)
    stable, most = games.equilibria(), Fraction(4, 3) if len(counts) == 2 else 2 - Fraction(1, len(counts) - 1)
    worst = np.where(stable, games.makespans, 0).max(axis=0)
    assert (most.denominator * worst <= most.numerator * games.makespans.min(axis=0)).all()
    if len(counts) == 3:  # T1 once more
        assert stable.any(axis=0).all()
    return int(stable.sum())


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize(
    "counts",
    [(2, 2), (3, 2), (4, 3), (2, 1, 1), (3, 2, 0), (2, 2, 2), (3, 2, 1), (4, 1, 1), (2, 2, 1, 0), (2, 1, 1, 1)],
)
def test_no_price_of_many_games_is_above_the_sharp_one(counts: tuple[int, ...], share: int) -> None:
    """T3 on 100,000 games, under every order of the organizations in turn."""
    rng = np.random.default_rng(share)
    orders = list(itertools.permutations(range(len(counts))))[:: 1 if share == 1 else 7]
    for order in orders:
        longest = rng.choice([2, 3, 5, 9, 100])
        lengths = rng.integers(1, longest, (-(-10_000 // share // len(orders)), sum(counts)), endpoint=True)
        assert check_prices(counts, list(order), lengths)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize(("organizations", "work"), [(2, 9), (3, 7)])
def test_no_price_of_small_work_is_above_the_sharp_one(organizations: int, work: int, share: int) -> None:
    """All games of integer lengths with so much work in all, N = 2 also for every division of the work."""
    work -= 2 * (share > 1)
    shapes: dict[tuple[int, ...], list[list[int]]] = {}
    for total in range(1, work + 1):
        for parts in itertools.product(range(total + 1), repeat=organizations):
            if sum(parts) == total:
                for rows in itertools.product(*map(partitions, parts)):
                    shapes.setdefault(tuple(map(len, rows)), []).append([p for row in rows for p in row])
    for counts, games in shapes.items():
        if sum(counts) <= (9 if organizations == 2 else 6):
            check_prices(counts, list(range(organizations)), np.array(games))


def partitions(total: int, most: int | None = None) -> list[tuple[int, ...]]:
    """All ways to write a number as a sum, the largest part first."""
    if total == 0:
        return [()]
    largest = total if most is None else min(most, total)
    return [(part, *rest) for part in range(largest, 0, -1) for rest in partitions(total - part, part)]


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("rule", [Ilba(), LptLpt(), LessHelpedFirst("lpt"), SptLpt(), LessHelpedFirst("listed")])
def test_ratios_of_many_runs(rule: Any, share: int) -> None:
    """T5 on 20,000 runs, a fifth by each rule."""
    rng = np.random.default_rng(share)
    for n, n_jobs in ((2, 4), (2, 7), (3, 5), (3, 7), (4, 6), (4, 7), (5, 7), (6, 6)):
        games = max(1, 500 // share)
        sizes = rng.integers(1, rng.choice([2, 3, n, 9]), (games, n_jobs), endpoint=True)
        counts = np.array([np.bincount(rng.integers(0, n, n_jobs), minlength=n) for _ in range(games)])
        most = proved_ratio(rule, Federation.of([[1]] * n))
        for row, owned in zip(sizes.tolist(), counts, strict=True):
            jobs = iter(row)
            end = rule.run(Federation.of([list(itertools.islice(jobs, own)) for own in owned])).makespan
            if end * n > most * sum(row) and end > most * max(row):  # the bound that needs no search does not do
                assert end <= most * least_makespan(row, [[0] * n] * n_jobs)


def test_what_coq_has_checked_is_there() -> None:
    """The page of statements takes the files that vouch for theorems, and What you have to trust names them."""
    games = [game_of(random.Random(seed), 1 + seed % 4, 3, 3) for seed in range(300)]
    proofs = {theorem.proof(game) for game in games if (theorem := theorem_of(game))}
    proofs |= {proof(name, Shape((2, 1)), rule) for name in (SHARP_PRICE, SHARP_RATIOS) for rule in (Ilba(), LptLpt())}
    named = {each.removeprefix("Coq: ") for each in proofs - {"on paper"}}
    assert len(named) >= 10
    assert "on paper" in proofs
    assert named <= theorems("Theorems", {}).keys()
    assert set(CHECKED) <= {rule.id for rule in RULES if "approximation-ratio" in rule.claims}
    assert evidence("ilba", "approximation-ratio")[1].endswith("one machine each: Coq, IterativeLoadBalancing")
    assert named | set(CHECKED.values()) <= set(re.findall(r"`(\w+)`", TRUST.read_text(encoding="utf-8")))
