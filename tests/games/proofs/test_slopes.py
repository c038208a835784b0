"""Truth by the slope of a formula of prices: beside proofs by the code, grids, and the rules whose prices it writes."""

from __future__ import annotations

import random
from fractions import Fraction as F
from typing import Any

import pytest

import consortium
from consortium.games.proofs.prover import prove
from consortium.games.proofs.slopes import bounded, refused
from consortium.games.verification import Domain, check_incentives
from consortium.mechanisms.declaration import Cutoff, build
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import Makespan
from consortium.support.errors import InputError

from ...reports.cases import cluster

PIECES = ("S", "own", "all", "other(1)", "S/2", "own/2", "all/3", "own/4", "W")
CONTROLS: tuple[dict[str, Any], ...] = (
    {}, {"penalty": "exact"}, {"tool": "run-on"}, {"tool": "bare"}, {"tool": "renice"}, {"penalty": F(1, 2)},
    {"goal": Makespan(), "penalty": "exact"}, {"tool": "renice", "goal": Makespan(), "penalty": "repaired"},
)  # fmt: skip


def designed(price: str, powers: tuple[int, ...] = (1, 2), **options: Any) -> Any:
    return build("designed", Cluster.of(powers), price=price, **options)


def some_price(rng: random.Random) -> str:
    """A price that takes off E, often piecewise."""
    one, two, three = (rng.choice(PIECES) for _ in range(3))
    return rng.choice((
        f"{one} - E", f"max({one}, {two}) - E", f"min({one}, {two}) - E", f"({one} + {two})/2 - E",
        f"max({one} - E, {two} - E)", f"{one}/2 + max({two}, {three})/3 - E", f"2*min({one}, {two}/2) - {three}/4 - E",
    ))  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_what_a_slope_shows_is_true_by_the_code_and_on_grids(seed: int) -> None:
    """What is shown for any number of agents, or two, is proved for two by the code and holds of three on a grid."""
    rng, shown = random.Random(seed), 0
    for _ in range(12):
        powers = rng.choice(((1,), (1, 1), (1, 2), (2,)))
        mechanism = designed(some_price(rng), powers, **rng.choice(CONTROLS))
        if refused(mechanism):
            continue
        for concept in ("dominant", "ex-post"):
            for agents in (None, 2):
                if bounded(mechanism, concept, agents) is None:
                    continue
                assert prove(mechanism, 2, concept, method="code").holds
                shown += agents is None
                if agents is None:
                    grid = Domain.of([1, 2, F(7, 2)], agents=3)
                    assert check_incentives(mechanism, grid, concept).holds
                break
    assert shown


@pytest.mark.parametrize("agents", [2, 3, 5])
def test_built_in_prices_are_found_again(agents: int) -> None:
    """Equal share for so many agents only; EVCG, full time and nothing but the planned time for any number."""
    share = designed(f"S/{agents} - E")
    assert bounded(share, "dominant", agents)
    assert bounded(share, "dominant", 4 * agents) is None is bounded(share, "dominant", None)
    assert bounded(designed("S - E", penalty="exact"), "dominant", None)
    assert bounded(designed("all/2 - E", tool="run-on"), "ex-post", None)
    assert bounded(designed("all/2 - E", tool="run-on"), "dominant", None) is None
    assert bounded(designed("all/2 - E", allocate=lambda declared: [[], [*range(len(declared))]]), "dominant", None)


def test_a_falling_or_a_steep_price_is_left_to_the_code() -> None:
    for price in ("other(1) - own - E", "2*S - E", "own - E"):
        proof = prove(designed(price, penalty="exact"), 2, "dominant")
        assert (proof.holds, proof.method) == (False, "code")
        open_ = prove(designed(price, penalty="exact"), 2, "dominant", method="slope")
        assert (open_.holds, open_.limit) == (None, "inconclusive")


@pytest.mark.parametrize(
    ("mechanism", "reason"),
    [
        (
            build("light-vcg", Cluster.of([1])),
            "found 'light-vcg'; expected a rule in one round whose price is a formula",
        ),
        (designed("S/2"), "found 'S/2'; expected a price that takes off E"),
        (designed("max(S - E, own)"), "expected a price that takes off E"),
        (designed("W - E", goal=Makespan()), "expected a price without W, which jumps with the allocation"),
        (designed("own/2 - E", tool="order-only"), "expected the control postpone, run-on, bare or renice"),
        (designed("own/2 - E", cutoff=Cutoff("absolute", 3)), "found a cut-off"),
        (designed("+".join(["max(S, own)"] * 8) + " - E"), "expected a price of at most 200 branches"),
        (designed(f"({'+'.join(['max(S, own)'] * 60)})/60 - E"), "expected a price of at most 200 branches"),
    ],
)
def test_what_a_slope_says_nothing_of_is_refused_by_name(mechanism: Any, reason: str) -> None:
    with pytest.raises(InputError) as refusal:
        prove(mechanism, 2, "ex-post", method="slope")
    assert reason in str(refusal.value)


def test_a_record_says_any_number_of_agents_and_why() -> None:
    source = cluster("designed") | {
        "mechanism": {"rule": "designed", "price": "max(S/2, own/4) - E", "penalty": "exact"}
    }
    row = consortium.prove(source).to_dict()["dominant"]
    assert (row["status"], row["method"]) == ("proved", "slope")
    assert row["scope"] == "any number of agents, 1 machine of power 1, all positive lengths"
    assert row["slopes"] == {"branches": [[0, "1/4"], ["1/2", 0]], "within": "S"}
    assert [one.holds for _, _, one in consortium.check(consortium.prove(source)) if one.holds is not None]
