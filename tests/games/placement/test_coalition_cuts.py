"""Coalitions in placement games without a table, against all placements and all joint deviations."""

from __future__ import annotations

import itertools
import random
import signal
from dataclasses import replace
from fractions import Fraction
from typing import Any, get_args

import numpy as np
import pytest

from consortium.agents.organizations import Federation
from consortium.games.equilibria.coalitions.results import Notion, pays
from consortium.games.placement import coalition_cuts as module
from consortium.games.placement.coalition_cuts import CoalitionModel, Exclusion, coalition_search, refuted, upsetting
from consortium.games.placement.game import PlacementGame
from consortium.games.placement.joint_deviations import smallest_deviation
from consortium.games.placement.tree_search import TooManyError, equilibria
from consortium.games.protocol import Outcome, Profile
from consortium.games.search import search
from consortium.mechanisms.federation.coordination import Coordination
from consortium.scheduling.cp_sat import solve
from consortium.support.errors import TooLargeError
from consortium.support.progress import Clock

NOTIONS = get_args(Notion)
MOST = {1: 3, 2: 6, 3: 6, 4: 5}  # jobs, so that all deviations from all placements are quickly tried


def random_game(rng: random.Random) -> PlacementGame:
    """Either priority in any order, lengths from all equal to all different, organizations without jobs."""
    n = rng.choice([1, 2, 3, 3, 3, 3, 4])
    jobs: list[list[int]] = [[] for _ in range(n)]
    longest = rng.choice([1, 2, 3, 4, 5, 9])
    for _ in range(rng.choice([MOST[n], rng.randint(0, MOST[n])])):
        jobs[rng.randrange(n)].append(rng.randint(1, longest))
    names = Federation.of(jobs).names
    rule = rng.choice([Coordination(order=tuple(rng.sample(names, n))), Coordination("jobs", "shortest")])
    return PlacementGame(Federation.of(jobs), rng.choice([rule, Coordination("jobs")]))


def smallest_upsetting(game: PlacementGame, notion: Notion) -> dict[Profile, int]:
    """For every placement the size of the smallest coalition that a joint deviation pays; beyond all where none does.

    From the definition, on the table of all costs.
    """
    table, n = game.tabulate(), len(game.players)
    found = {}
    for place in np.ndindex(*table.table.shape[1:]):
        profile = tuple(labels[i] for labels, i in zip(table.labels, place, strict=True))
        found[profile] = n + 1
        for size in range(n, 0, -1):
            for members in itertools.combinations(range(n), size):
                free = tuple(slice(None) if k in members else i for k, i in enumerate(place))
                gains = np.array([table.table[k][place] - table.table[k][free] for k in members]).reshape(size, -1)
                some = (gains > 0).any(0)
                paid = {
                    "all-gain": (gains > 0).all(0),
                    "none-lose": (gains >= 0).all(0) & some,
                    "total": gains.sum(0) > 0,
                    "any-gains": some,
                }[notion]
                if paid.any():
                    found[profile] = size
    return found


def checked(seeds: range) -> int:
    """Compare searches with the definition; how many had to prove something."""
    claims = 0
    for seed in seeds:
        rng = random.Random(seed)
        game, notion = random_game(rng), rng.choice(NOTIONS)
        upset = smallest_upsetting(game, notion)
        result = search(game, method=rng.choice(["enumeration", "cuts"]), time_limit=rng.choice([None, None, 0]))
        for size in range(1, len(game.players) + 1):
            found = coalition_search(game, size, notion, result, Clock(None))
            stable = [game.social_cost(profile) for profile, least in upset.items() if least > size]
            worst, best = max(stable, default=None), min(stable, default=None)
            assert (found.exists, social(found.worst), social(found.best)) == (bool(stable), worst, best), seed
            assert found.complete
            assert all(upset[o.profile] > size for o in (found.best, found.worst) if o is not None)
            optimum = min(map(game.social_cost, upset))
            price = None if worst is None or best is None or not optimum else (worst / optimum, best / optimum)
            assert price == (
                None if found.price_of_anarchy is None else (found.price_of_anarchy, found.price_of_stability)
            )
            proved = found.certificate
            assert all(refuted(game, notion, claim) for claim in proved)
            for claim in proved:
                met = [p for p in upset if claim.least <= game.social_cost(p) / game.federation.unit <= claim.most]
                assert all(upset[p] <= size for p in met)
            claims += bool(proved)
    return claims


def social(found: Outcome | None) -> Any:
    return None if found is None else found.social_cost


@pytest.mark.parametrize("seeds", [range(3, 8), pytest.param(range(2000, 3000), marks=pytest.mark.exhaustive)])
def test_searches_against_all_placements(seeds: range) -> None:
    assert checked(seeds) > 1


@pytest.mark.parametrize("seeds", [range(1008, 1010), pytest.param(range(4000, 5000), marks=pytest.mark.exhaustive)])
def test_cuts_against_all_placements(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same where the equilibria are too many to be listed."""
    monkeypatch.setattr(module, "LISTED", 0)
    assert checked(seeds) > 1


def test_a_smallest_coalition_is_found_or_there_is_none(thinning: int) -> None:
    for seed in range(15 // thinning):
        rng = random.Random(seed)
        game, notion = random_game(rng), rng.choice(NOTIONS)
        upset = smallest_upsetting(game, notion)
        for profile in rng.sample(sorted(upset), min(3, len(upset))):
            size = rng.randint(1, len(profile))
            found = smallest_deviation(game, profile, size, notion)
            assert (None if upset[profile] > size else upset[profile]) == (
                None if found is None else len(found.members)
            )
            if found is not None:
                before, after = game.costs(profile), game.costs(found.applied(profile))
                assert found.costs_before == tuple(before[k] for k in found.members)
                assert found.costs_after == tuple(after[k] for k in found.members)
                assert pays(notion, found.costs_before, found.costs_after)


def test_a_joint_cut_says_that_the_deviation_does_not_pay(thinning: int) -> None:
    """Of all equilibria of one social cost, some remain for the solver where the joint placement does not upset all."""
    for seed in range(15 // thinning):
        rng = random.Random(seed)
        game, notion = random_game(rng), rng.choice(NOTIONS)
        players = range(len(game.players))
        members = sorted(rng.sample(players, rng.randint(1, len(players))))
        cut = tuple((k, rng.choice(game.strategies(k))) for k in members)
        stable = [p for p, least in smallest_upsetting(game, "all-gain").items() if least > 1]
        left = {p for p in stable if upsetting(game, notion, [cut], p) is None}
        for cost in {int(game.social_cost(p) / game.federation.unit) for p in stable}:
            here = {p for p in left if game.social_cost(p) == cost * game.federation.unit}
            model = CoalitionModel(game, notion, unilateral(game), [cut])
            model.within(cost, cost)
            answer = solve(model.cp)
            assert answer.has_solution == bool(here)
            if answer.has_solution:
                assert game.ends(model.read(answer.value)) in [game.ends(p) for p in here]


def unilateral(game: PlacementGame) -> list[tuple[int, tuple[int, ...]]]:
    return [(k, s) for k in range(len(game.players)) for s in game.strategies(k)]


def loads(game: PlacementGame, profile: Profile) -> tuple[tuple[int, ...], ...]:
    sizes, hosts = game.federation.sizes, range(len(game.players))
    return tuple(
        tuple(sum(size for size, host in zip(sizes[k], row, strict=True) if host == h) for h in hosts)
        for k, row in enumerate(profile)
    )


@pytest.mark.parametrize("seeds", [range(20), pytest.param(range(20, 1500), marks=pytest.mark.exhaustive)])
def test_every_equilibrium_of_a_window_is_listed_once_by_its_loads(seeds: range) -> None:
    for seed in seeds:
        rng = random.Random(seed)
        game = random_game(rng)
        if game.rule.priority == "jobs":
            continue
        total = sum(map(sum, game.federation.sizes))
        least = rng.randint(0, total)
        most = rng.randint(least, total)
        stable = [p for p, size in smallest_upsetting(game, "all-gain").items() if size > 1]
        expected = {loads(game, p) for p in stable if least <= game.social_cost(p) / game.federation.unit <= most}
        found = [loads(game, p) for p in equilibria(game, least, most)]
        assert sorted(found) == sorted(expected), seed


def test_equilibria_are_listed_within_limits() -> None:
    game = PlacementGame(Federation.of([[1, 1, 1], [1, 1], [1]]))
    with pytest.raises(TimeoutError):
        list(equilibria(game, 0, 6, Clock(0)))
    with pytest.raises(TooManyError):
        list(equilibria(game, 0, 6, nodes=0))


@pytest.mark.parametrize("listed", [0, 2_000])
def test_a_claim_that_says_more_or_rests_on_less_is_not_refuted(listed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LISTED", listed)
    game = PlacementGame(Federation.of([[3, 1, 1], [3, 2], [1]]))
    (claim,) = coalition_search(game, 3, "none-lose", search(game), Clock(None)).certificate
    assert refuted(game, "none-lose", claim)
    assert (claim.equilibria is None) == (listed == 0)
    assert not refuted(game, "none-lose", replace(claim, joint=()))
    if listed:
        assert not refuted(game, "none-lose", replace(claim, equilibria=0))
    assert refuted(game, "none-lose", Exclusion(2, 1, (), ()))
    with pytest.raises(TimeoutError):
        refuted(game, "none-lose", claim, Clock(0))


@pytest.mark.exhaustive
def test_without_an_equilibrium_nothing_is_left_to_prove() -> None:
    game = PlacementGame(Federation.of([[35, 22, 22, 17, 13, 5], [14], [9], [42, 2]]))
    found = coalition_search(game, 4, "all-gain", search(game, method="branch-and-bound"), Clock(None))
    assert (found.exists, found.worst, found.certificate, found.complete) == (False, None, (), True)


def test_lengths_of_nineteen_digits() -> None:
    """A common factor changes nothing; without one the numbers are refused before any work."""
    scale = 10**18
    game = PlacementGame(Federation.of([[5 * scale, 4 * scale], [2 * scale], [3 * scale, 5 * scale]]))
    assert coalition_search(game, 2, "all-gain", search(game, method="cuts"), Clock(None)).exists is False
    odd = PlacementGame(Federation.of([[5 * scale, 4 * scale], [2 * scale + 1], [3 * scale, 5 * scale]]))
    result = search(odd, method="enumeration")
    with pytest.raises(TooLargeError, match="beyond the constraint solver"):
        coalition_search(odd, 2, "all-gain", result, Clock(None))
    with pytest.raises(TooLargeError, match="round the lengths"):
        smallest_deviation(odd, odd.default_profile, 2)


@pytest.mark.parametrize(
    ("game", "why"),
    [
        (PlacementGame(Federation.of([[1, 2], [1]], machines=[2, 1])), "several machines"),
        (PlacementGame(Federation.of([[1, 2], [1]]), Coordination(objective="total-completion")), "sums of completion"),
    ],
)
def test_other_costs_are_refused(game: PlacementGame, why: str) -> None:
    with pytest.raises(TooLargeError, match=why):
        coalition_search(game, 2, "all-gain", search(game), Clock(None))
    with pytest.raises(TooLargeError, match=why):
        smallest_deviation(game, game.default_profile, 2)


@pytest.mark.parametrize("priority", ["organizations", "jobs"])
def test_a_search_that_is_stopped_says_what_it_knows(priority: Any) -> None:
    game = PlacementGame(Federation.of([[3, 1, 1], [3, 2], [1], [1]]), Coordination(priority))
    result = search(game)
    found = coalition_search(game, 4, "none-lose", result, Clock(0))
    assert (found.exists, found.complete, found.price_of_anarchy) == (None, False, None)
    assert found.bounds.worst_at_most == result.equilibria.worst.social_cost
    assert found.bounds.price_of_anarchy_at_most == result.price_of_anarchy
    with pytest.raises(TimeoutError):
        smallest_deviation(game, game.default_profile, 2, clock=Clock(0))


def test_ctrl_c_leaves_what_is_known() -> None:
    game = PlacementGame(Federation.of([[3, 2], [2, 2], [1]]), Coordination("jobs"))

    def pressed(*_: Any) -> None:
        signal.raise_signal(signal.SIGINT)

    found = coalition_search(game, 3, "total", search(game), Clock(None), pressed)
    assert not found.complete
    assert found.bounds is not None


def test_unknown_equilibria_leave_the_bounds_of_the_optimum() -> None:
    """After a search that was stopped at once the answer is the same, from weaker bounds."""
    game = PlacementGame(Federation.of([[3, 1, 1], [3, 2], [1], [1]]))
    known, unknown = (coalition_search(game, 2, "total", search(game, time_limit=t), Clock(None)) for t in (None, 0))
    assert (known.exists, social(known.worst), social(known.best)) == (
        unknown.exists,
        social(unknown.worst),
        social(unknown.best),
    )
    assert unknown.price_of_stability == known.price_of_stability


def test_a_coalition_of_one_is_nobody_s_coalition() -> None:
    game = PlacementGame(Federation.of([[3, 1, 1], [3, 2], [1], [1]]))
    result = search(game)
    for notion in NOTIONS:
        found = coalition_search(game, 1, notion, result, Clock(None))
        assert (found.price_of_anarchy, found.price_of_stability) == (result.price_of_anarchy, Fraction(1))
