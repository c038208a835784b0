"""Penalties designed for all lengths, with known payments: proved, the least of their form, and by brute force."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction as F
from random import Random

import pytest

from consortium.games.design.formulas import priced
from consortium.games.design.templates import design_penalty
from consortium.games.proofs import Lengths, prove, safe_values
from consortium.games.proofs.programs import placed
from consortium.games.verification import Domain, check_incentives
from consortium.mechanisms.declaration.penalties import check_penalty

from ...mechanisms.declaration import plainly
from .test_templates import attacks, refusal, setting_of, weights

LATE = "max(other(1) - own, 0)"
HALVES = "max(S, W/2 + own/2) - E"


def case_of(powers, goal, price=None):
    """A rule that postpones, and the same for the plain reference."""
    rule, plain = setting_of(powers, goal, "postpone")
    return (rule, plain) if price is None else (priced(rule, [price]), (*plain[:2], "designed", plain[3], price))


def waiting(rule, text):
    """The rule with these waits."""
    return replace(rule, penalty=check_penalty(text, "postpone"))


CASES = [  # powers, goal, price, concept, features, least r
    ([1], weights(1, 9), None, "dominant", ("S", "own", "all", LATE), F(8, 11)),
    ([1], weights(1, 9), None, "ex-post", ("own",), F(8)),
    ([1], weights(1, 3), None, "ex-post", ("E", "W"), F(2, 5)),
    ([1], weights(1, 3), None, "dominant", ("own", "all"), F(1, 2)),
    ([1, 3], weights(1, 3), None, "dominant", ("S", "own", LATE, "E"), F(1, 4)),
    ([1], weights(1, 3), HALVES, "ex-post", ("S", "own", LATE), F(2, 5)),
    ([2, 3], weights(1, 3), "min(S, other(1) + own/4) - E", "ex-post", ("S", "own", LATE), F(1, 7)),
    ([1], ("sum", None), "min(2*own, own + other(1)) - E", "ex-post", ("S",), F(0)),
    ([1, 2], weights(1, 9, 5), None, "ex-post", ("S",), F(8, 19)),
    pytest.param([1], weights(1, 9, 5), None, "dominant", ("S",), F(1), marks=pytest.mark.exhaustive),
    ([1], weights(1, 9), None, "dominant", ("own - other(1)",), None),  # never negative are multiples of 0 only
    ([1, 2], ("sum", None), "0 - own", "dominant", ("S",), None),  # overstating pays, and is never made to wait
    ([1, 2], ("sum", None), "2*S - E", "dominant", ("S",), None),  # what a lie saves grows with the length for ever
]


@pytest.mark.parametrize(("powers", "goal", "price", "concept", "features", "least"), CASES)
def test_least_penalties_for_all_lengths(powers, goal, price, concept, features, least) -> None:
    (rule, plain), agents = case_of(powers, goal, price), len(goal[1] or "ab")
    design = design_penalty(rule, agents, features, concept)
    assert (design.status, design.value) == ("impossible" if least is None else "optimal", least)
    certificate = design.bound_certificate()
    assert refusal(certificate, plain) is refusal(certificate, plain, rule) is None
    if len(design.limits) > 1:  # one row stays true with another multiplier
        assert [changed for changed in attacks(certificate) if refusal(changed, plain, rule) is None] == []
    if (goal, concept) == (weights(1, 9), "dominant"):  # in others a change is as true: both agents' S is the same
        assert [changed for changed in attacks(certificate) if refusal(changed, plain) is None] == []
    if least is None:
        return
    assert set(design.proofs) == {concept, "penalties-nonnegative", "penalty-ratio"}
    wait = design.formulas[0]
    assert design.mechanism == waiting(rule, wait)
    assert prove(design.mechanism, agents, concept, method="code").holds
    if least:  # with shorter waits of this form a lie pays
        shorter = f"{1 - F(1, 100) / least}*({wait})"
        assert prove(waiting(rule, shorter), agents, concept, method="code").witness.gain > 0


@pytest.mark.parametrize("seed", range(4))
def test_on_grids_no_lie_pays_by_plain_runs_and_by_kernels(seed) -> None:
    """Random rules: the waits found and shorter ones, the largest gain by plain runs and by the package."""
    rng = Random(seed)
    powers, goal = rng.choice([[1], [1, 2], [2, 3]]), weights(1, rng.randint(2, 9))
    price = rng.choice([None, HALVES, "min(S, other(1) + own/4) - E"])
    rule, (c, _, name, *_) = case_of(powers, goal, price)
    design = design_penalty(rule, 2, ("S", LATE, "own"), "ex-post")
    lengths = tuple(sorted(rng.sample([F(1, 10), F(1), F(101, 100), F(2), F(3), F(9), F(901, 100), F(13)], 5)))
    for share in (F(1), F(3, 4)):
        wait = f"{share}*({(*design.formulas, 'S/3')[0]})"
        mechanism = waiting(rule, wait)

        def worth(n, b, theta, wait=wait):
            return plainly.one_round(name, c, tuple(b), tuple(theta), goal, wait, price=price)["utilities"][n]

        most = max(
            worth(n, plainly.with_entry(b, n, lie), b) - worth(n, b, b)
            for *b, lie in itertools.product(lengths, repeat=3)
            for n in range(2)
            if lie != b[n]
        )
        domain = Domain.of([lengths] * 2)
        checks = [check_incentives(mechanism, domain, "ex-post", method=method) for method in ("kernel", "general")]
        assert [check.max_gain for check in checks] == [most, most]
        assert most <= 0 or share < 1 or design.status == "impossible"


@pytest.mark.parametrize("end", [F(2), F(3), F(9, 2)])
def test_a_constant_is_the_smallest_that_is_safe(end) -> None:
    rule, _ = case_of([1], weights(1, 9))
    lengths = Lengths(F(1), end)
    design = design_penalty(rule, 2, ("1",), lengths=lengths)
    safe = safe_values(placed(rule, "penalty", 2), "p", agents=2, lengths=lengths).interval.low
    assert (design.coefficients[0]["1"], design.value) == (safe, safe / 3)  # S(1, 1) is 3
    assert design_penalty(rule, 2, ("1", "S"), lengths=lengths).value <= design.value
