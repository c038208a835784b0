"""Limits found by walking the code are those of two lengths between which the utility is proved linear."""

from __future__ import annotations

import math
import random
from fractions import Fraction as F
from types import SimpleNamespace
from typing import Any

import pytest

from consortium.games.proofs.programs import Limits, silent
from consortium.games.verification import Domain
from consortium.games.verification.check import Verifier
from consortium.games.verification.properties import linear_within
from consortium.games.verification.results import MARGINS
from consortium.mechanisms.declaration import build
from consortium.mechanisms.declaration.penalties import Cutoff
from consortium.mechanisms.declaration.protocol import play
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import LexicalMax, Makespan, SumOfTimes

RULES: list[tuple[str, dict[str, Any]]] = [
    ("straightforward", {}),
    ("light-vcg", {}),
    ("harsh", {}),
    ("verified", {}),
    ("verified-printed", {}),
    ("vcg-renice", {}),
    ("vcg-postpone", {"cutoff": Cutoff("difference", 1)}),
    ("evcg-renice", {"penalty": "printed"}),
    ("evcg-postpone", {"penalty": F(1, 3)}),
    ("evcg-postpone", {"penalty": "printed-absolute", "cutoff": Cutoff("absolute", 5)}),
    ("evcg-postpone", {"rounds": 2, "values": [6, 9, 12]}),
    ("vcg-renice", {"rounds": 2, "values": [6, 9, 12], "holdback": "printed"}),
]


def extrapolated(mechanism: Any, agent: int, declared: tuple[F, ...], lengths: tuple[F, ...], side: int) -> F | float:
    step, proved = linear_within(mechanism, agent, declared, lengths)
    assert proved
    found = []
    for distance in (step, step / 2):
        world = (*lengths[:agent], declared[agent] + side * distance, *lengths[agent + 1 :])
        utilities = play(mechanism, declared, world).utilities
        found.append(utilities[agent])
    far, near = found
    return near if math.isinf(near) else 2 * near - far


@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize(("rule", "options"), RULES, ids=[f"{rule} {', '.join(options)}" for rule, options in RULES])
def test_limits_of_the_rules_are_those_that_are_proved_by_distance(
    rule: str, options: dict[str, Any], side: int, thinning: int
) -> None:
    rng = random.Random(f"{rule} {side}")
    sums = rule.startswith(("vcg", "verified", "light"))
    for powers in ([1], [1, 2]):
        goal = SumOfTimes() if sums else rng.choice([SumOfTimes(), Makespan(), LexicalMax()])
        mechanism = build(rule, Cluster.of(powers), goal, **options)
        limits = Limits(mechanism, 3)
        for _ in range(15 // thinning):
            declared = tuple(F(rng.randint(1, 8), 2) for _ in range(3))
            agent = rng.randrange(3)
            others = tuple(x if rng.random() < 0.5 else F(rng.randint(1, 8), 2) for x in declared)
            lengths = (*others[:agent], declared[agent], *others[agent + 1 :])
            found = limits.utility(agent, declared, lengths, side)
            assert found == extrapolated(mechanism, agent, declared, lengths, side), (declared, lengths)


class Fined:
    """She who is longer than declared pays; ``steep`` times what she is longer, and at once ``jump``."""

    def __init__(self, jump: F, steep: int) -> None:
        self.jump, self.steep = jump, steep

    def run(self, declared: Any, lengths: Any) -> Any:
        late = [x - b for b, x in zip(declared, lengths, strict=True)]
        payments = [self.jump + self.steep * d if d > 0 else F(0) for d in late]
        return SimpleNamespace(output=lengths, payments=payments)


class Squared(Fined):
    def run(self, declared: Any, lengths: Any) -> Any:
        answer = super().run(declared, lengths)
        return SimpleNamespace(
            output=answer.output, payments=[p + (b * b) / 9 for p, b in zip(answer.payments, declared, strict=True)]
        )


@pytest.mark.parametrize("options", [{}, {"rounds": 2, "values": [9, 9]}], ids=["one round", "two rounds"])
def test_a_proof_compares_no_times_for_a_welfare_that_nobody_asks_for(options: dict[str, Any]) -> None:
    """Each comparison may split a cell: with them the code of a rule for the makespan has a third more of them."""
    rule = build("evcg-postpone", Cluster.of([1, 2]), goal=Makespan(), penalty=2, **options)
    told, quiet = (play(one, (F(2), F(3)), (F(1), F(3))) for one in (rule, silent(rule)))
    assert told.welfare != 0
    assert quiet.welfare == quiet.plan.welfare == 0
    assert quiet.utilities == told.utilities


@pytest.mark.parametrize("name", MARGINS)
@pytest.mark.parametrize("any_others", [False, True])
@pytest.mark.parametrize("kind", [Fined, Squared])
@pytest.mark.parametrize(("jump", "steep"), [(F(0), 10**9), (F(1, 10**9), 0), (F(2), 3)])
def test_margins_of_ones_own_are_exact_where_the_code_is_piecewise_linear(
    name: str, any_others: bool, kind: type[Fined], jump: F, steep: int
) -> None:
    found = Verifier(kind(jump, steep), Domain.of([1, 2], agents=2)).property(name, any_others=any_others)
    assert found.holds == (name == "upper_margin" or jump == 0)
    assert found.exact == (kind is Fined)


def test_a_kink_nearer_than_any_guess_is_no_jump() -> None:
    """A utility that falls steeply, but only within a billionth of the truth: continuous, and the guess saw a jump."""

    class Ramp:
        def run(self, declared: Any, lengths: Any) -> Any:
            late = [min(F(1), 10**9 * max(F(0), x - b)) for b, x in zip(declared, lengths, strict=True)]
            return SimpleNamespace(output=lengths, payments=late)

    found = Verifier(Ramp(), Domain.of([1, 2], agents=2)).property("lower_margin")
    assert found.holds
    assert found.exact
