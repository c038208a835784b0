"""The contract of the catalogue: every claim of every rule is checked, and what is not claimed is refuted."""

from __future__ import annotations

import itertools
import re
from fractions import Fraction
from functools import lru_cache
from operator import mul
from pathlib import Path
from random import Random

import pytest

from consortium.games.placement.all_lengths.coq import theorems
from consortium.mechanisms.declaration import build, claims_of
from consortium.mechanisms.declaration.catalogue import CHECKED, CLAIMS, OPEN, PENALTIES, RULES
from consortium.mechanisms.declaration.protocol import play
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import Makespan
from consortium.support.errors import InputError
from consortium.support.exact import INF

from .instances import GRID, TWO_ROUNDS, game, length, package, power
from .shipped import Shipped

TINY = Fraction(1, 10**40)  # for one-sided limits: far below every length and difference that is generated
LITTLE = Fraction(1, 10**20)


def put(profile, n, x):
    return (*profile[:n], x, *profile[n + 1 :])


def gains(mechanism, b, theta, lies):
    """What each lie pays each agent over the truth, the others as in (b, theta)."""
    for n, own in enumerate(theta):
        truth = play(mechanism, put(b, n, own), theta).utilities[n]
        for lie in lies:
            told = play(mechanism, put(b, n, lie), theta).utilities[n]
            yield Fraction(0) if told == truth else told - truth


# A checker tells whether the claim survives one profile; ``lies`` are declarations worth trying.


def dominant(mechanism, b, theta, lies):
    return all(gain <= 0 for gain in gains(mechanism, b, theta, lies))


def ex_post(mechanism, b, theta, lies):
    return all(gain <= 0 for gain in gains(mechanism, theta, theta, lies))


def rent_nonnegative(mechanism, b, theta, lies):
    return play(mechanism, b, theta).rent >= 0


def rent_nonnegative_in_equilibrium(mechanism, b, theta, lies):
    return play(mechanism, theta, theta).rent >= 0


def payments_nonnegative(mechanism, b, theta, lies):
    return min(play(mechanism, b, theta).payments) >= 0


def budget_balanced(mechanism, b, theta, lies):
    return play(mechanism, b, theta).rent == 0


def priced_in_advance(mechanism, b, theta, lies):
    return play(mechanism, b, theta).payments == play(mechanism, b, b).payments == mechanism.plan(b).payments


def just(mechanism, b, theta, lies):
    outcome = play(mechanism, b, theta)
    told = [n for n, t in enumerate(outcome.output) if b[n] == theta[n] and t is not None]
    return all(outcome.output[n] <= outcome.plan.planned[n] for n in told)


def jumps(mechanism, b, theta, step):
    """Change of each agent's utility when her own length moves from her declaration by an infinitesimal step."""
    for n, own in enumerate(b):
        still = play(mechanism, b, put(theta, n, own)).utilities[n]
        moved = play(mechanism, b, put(theta, n, own + step)).utilities[n]
        yield abs(moved - still) if moved > -INF else INF


def upper_margin_any_others(mechanism, b, theta, lies):
    return all(jump < LITTLE for jump in jumps(mechanism, b, theta, -TINY))


def lower_margin_any_others(mechanism, b, theta, lies):
    return all(jump < LITTLE for jump in jumps(mechanism, b, theta, TINY))


def upper_margin(mechanism, b, theta, lies):
    return upper_margin_any_others(mechanism, b, b, lies)


def lower_margin(mechanism, b, theta, lies):
    return lower_margin_any_others(mechanism, b, b, lies)


def feasible(mechanism, b, theta, lies):
    """Nobody has her output before her machine has done her work; what each machine does is checked elsewhere."""
    cluster = getattr(mechanism, "one", mechanism).cluster
    output = play(mechanism, b, theta).output
    timed = [n for n, t in enumerate(output) if t not in (None, INF)]
    fastest = sorted(cluster.powers, reverse=True)
    return all(
        sum(theta[n] for n in jobs) <= sum(map(mul, fastest, sorted((output[n] for n in jobs), reverse=True)))
        for size in range(1, len(timed) + 1)
        for jobs in itertools.combinations(timed, size)
    )


def accepts_every_input(mechanism, b, theta, lies):
    """Nothing is refused, and a job that is stopped would be stopped for the smallest lie of its kind, too."""
    try:
        killed = play(mechanism, b, theta).killed
    except InputError:
        return False
    for n, stopped in enumerate(killed):
        slight = b[n] + (TINY if theta[n] > b[n] else -TINY)
        if stopped and not play(mechanism, b, put(theta, n, slight)).killed[n]:
            return False
    return True


def individually_rational(mechanism, b, theta, lies):
    return min(play(mechanism, theta, theta).utilities) >= 0


def individually_rational_any_others(mechanism, b, theta, lies):
    return all(u >= 0 for n, u in enumerate(play(mechanism, b, theta).utilities) if b[n] == theta[n])


def pays_all_gain(gains):
    return min(gains) > 0


def pays_none_lose(gains):
    return min(gains) >= 0 and max(gains) > 0


def pays_total(gains):
    return min(gains) > -INF and sum(gains) > 0


@lru_cache(maxsize=1000)
def utilities(mechanism, declared, theta):
    return play(mechanism, declared, theta).utilities


def no_group(pays, anything):
    """No coalition has a joint lie that pays, the others declaring as in ``b`` (anything) or the truth.

    Of many agents each tries one lie: there are enough ways to combine them.
    """

    def survives(mechanism, b, theta, lies):
        others = b if anything else theta
        lies = lies if len(theta) <= 2 else lies[:1]
        for size in range(1, len(theta) + 1):
            for members in itertools.combinations(range(len(theta)), size):
                truth = tuple(theta[k] if k in members else x for k, x in enumerate(others))
                for said in itertools.product(*(sorted({*lies, theta[n]}) for n in members)):
                    declared = truth
                    for n, lie in zip(members, said, strict=True):
                        declared = put(declared, n, lie)
                    before, after = (utilities(mechanism, told, theta) for told in (truth, declared))
                    if pays([Fraction(0) if after[n] == before[n] else after[n] - before[n] for n in members]):
                        return False
        return True

    return survives


CHECKERS = {
    "dominant": dominant,
    "ex-post": ex_post,
    **{
        f"group-{concept}-{notion}": no_group(pays, anything)
        for notion, pays in (("all-gain", pays_all_gain), ("none-lose", pays_none_lose), ("total", pays_total))
        for concept, anything in (("dominant", True), ("ex-post", False))
    },
    "rent-nonnegative": rent_nonnegative,
    "rent-nonnegative-in-equilibrium": rent_nonnegative_in_equilibrium,
    "payments-nonnegative": payments_nonnegative,
    "budget-balanced": budget_balanced,
    "priced-in-advance": priced_in_advance,
    "just": just,
    "upper-margin": upper_margin,
    "lower-margin": lower_margin,
    "upper-margin-any-others": upper_margin_any_others,
    "lower-margin-any-others": lower_margin_any_others,
    "accepts-every-input": accepts_every_input,
    "feasible": feasible,
    "individually-rational": individually_rational,
    "individually-rational-any-others": individually_rational_any_others,
}
LARGE = Fraction(10**6)  # a lie, or a length, out of all proportion


def test_every_claim_has_a_checker():
    assert set(CHECKERS) == set(CLAIMS)


def plain(rule, powers, **options):
    """The rule with its default options, on one machine where it asks for that; a designed one has some price."""
    options |= {"price": "S/2 - E"} if rule == "designed" else {}
    return build(rule, Cluster.of(powers[:1] if rule == "bystander" else powers), **options)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_catalogue_is_complete(rule):
    """Each claim is promised, or refuted by name; 'any others' is refuted wherever the weaker claim is."""
    refuted = set(rule.refuted)
    refuted |= {f"{claim}-any-others" for claim in refuted}
    assert not rule.claims & refuted
    if rule.id == "designed":  # what else holds depends on the price
        assert rule.claims < claims_of(plain(rule.id, [1, 2]))
    else:
        assert rule.claims | (refuted & set(CLAIMS)) | OPEN.get(rule.id, set()) == set(CLAIMS)
        assert not OPEN.get(rule.id, set()) & (rule.claims | refuted)
        assert claims_of(plain(rule.id, [1, 2])) == rule.claims
    assert ("penalty" in rule.options) == (rule.id in PENALTIES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_refuted_claims_fail_on_the_shipped_scenario(rule):
    for claim, name in rule.refuted.items():
        scenario = Shipped(name)
        assert scenario.rule == rule.id
        mechanism = package(scenario.rule, scenario.c, scenario.options)
        assert not CHECKERS[claim](mechanism, scenario.b, scenario.theta, scenario.b), (claim, name)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_claims_of_the_default_options(rule, thinning):
    rng = Random(rule.id)
    for _ in range(50 // thinning):
        n = rng.choice([3, 4] if rule.id == "bystander" else [1, 2, 3, 3, 4])
        theta = tuple(length(rng) for _ in range(n))
        b = tuple(x if rng.random() < 0.4 else length(rng) for x in theta)
        mechanism = plain(rule.id, [power(rng) for _ in range(rng.randint(1, 3))])
        lies = [*rng.sample(GRID, 2), rng.choice([LARGE, 1 / LARGE, *b])]
        for claim in rule.claims:
            assert CHECKERS[claim](mechanism, b, theta, lies), (claim, mechanism, b, theta)


@pytest.mark.parametrize(("rules", "rounds", "count"), [([r.id for r in RULES], 1, 160), (TWO_ROUNDS, 2, 120)])
def test_claims_of_any_options(rules, rounds, count, thinning):
    for seed in range(count // thinning):
        rng = Random(seed)
        rule, c, b, theta, options = game(rng, rules, max_agents=3, rounds=rounds)
        mechanism = package(rule, c, options)
        lies = [*rng.sample(GRID, 2), *b]
        if "H_abs" in options:
            theta, lies = tuple(min(x, options["H_abs"]) for x in theta), [x for x in lies if x <= options["H_abs"]]
        for claim in claims_of(mechanism):
            assert CHECKERS[claim](mechanism, b, theta, lies), (claim, mechanism, b, theta)


@pytest.mark.parametrize("kind", ["difference", "absolute"])
def test_a_cut_off_does_not_accept_every_input(kind):
    from consortium.mechanisms.declaration import Cutoff

    mechanism = build("evcg-postpone", Cluster.of([1]), cutoff=Cutoff(kind, 2))
    assert "accepts-every-input" not in claims_of(mechanism)
    assert not accepts_every_input(mechanism, (Fraction(1),), (Fraction(4),), ())


def test_a_goal_that_rewards_delay_is_not_promised_a_rent():
    scenario = Shipped("agmon2003/7.2")
    mechanism = package(scenario.rule, scenario.c, scenario.options)
    assert "rent-nonnegative" not in claims_of(mechanism)
    assert not rent_nonnegative(mechanism, scenario.b, scenario.theta, ())


def test_the_printed_hold_back_is_not_promised_truthfulness():
    scenario = Shipped("agmon2003/7.5.1")
    mechanism = package(scenario.rule, scenario.c, scenario.options)
    assert not {"dominant", "ex-post"} & claims_of(mechanism)
    assert not ex_post(mechanism, scenario.b, scenario.theta, scenario.b)


@pytest.mark.parametrize(
    ("penalty", "goal", "powers", "claimed"),
    [
        ("printed", None, [1, 2], True),
        ("printed", Makespan(), [1, 1], False),
        ("printed-common", None, [1, 2], True),
        ("printed-common", Makespan(), [1, 1], True),
        ("printed-common", Makespan(), [1, 2], False),
        ("repaired", Makespan(), [1, 2], True),
    ],
)
def test_printed_penalties_are_claimed_where_they_are_safe(penalty, goal, powers, claimed):
    """For the sum of times; the common penalty also on identical machines."""
    mechanism = build("evcg-renice", Cluster.of(powers), goal, penalty=penalty)
    assert ("ex-post" in claims_of(mechanism)) == claimed


def test_what_coq_has_checked_is_there() -> None:
    """Claims that name a file of theorems/: the rule has the claim, and the page of statements takes the file."""
    claims = {(rule.id, claim) for rule in RULES for claim in rule.claims}
    assert set(CHECKED) <= claims
    assert set(CHECKED.values()) <= theorems("PaymentTheorems", {}).keys()
    trust = Path(__file__).resolve().parents[3] / "docs" / "explanation" / "what-you-have-to-trust.md"
    assert set(CHECKED.values()) <= set(re.findall(r"`(\w+)`", trust.read_text(encoding="utf-8")))
