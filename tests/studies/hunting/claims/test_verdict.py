"""How claims are decided: what the registry lists as refuted is, on its scenario; what it promises holds on others."""

from __future__ import annotations

from fractions import Fraction

import pytest
from numpy.random import default_rng

import consortium
from consortium.mechanisms.declaration import build
from consortium.scenarios.reader import load
from consortium.studies.hunting.claims.verdict import UnfitError, hunting_of
from consortium.studies.hunting.target import Target
from consortium.support.errors import ConsortiumError
from consortium.verbs.rules import every

REFUTED = [(one.info, claim) for one in every() for claim in sorted(one.info.refuted)]
PROMISED = [(one.info, claim) for one in every() for claim in sorted(one.info.claims)]
SLOW = {"pure-equilibrium", "contributions-nonnegative"}
QUICK = 19
"""One in so many is tried in the default run."""


def marked(cases):
    return [
        pytest.param(
            rule,
            claim,
            id=f"{rule.id}-{claim}",
            marks=[pytest.mark.exhaustive] if i % QUICK or claim in SLOW or rule.id == "rand" else [],
        )
        for i, (rule, claim) in enumerate(cases)
    ]


def test_every_claim_of_the_registry_can_be_decided():
    for one in every():
        assert set(one.info.claims) | set(one.info.refuted) <= set(hunting_of(one.kind).claims), one.info.id


class Alternating:
    """Everybody's first job before anybody's second, on the first machine there is."""

    def run(self, federation):
        rows = [organization.lengths for organization in federation.organizations]
        host = next(k for k, organization in enumerate(federation.organizations) if organization.machines)
        now = 0
        for i, k in sorted((i, k) for k, lengths in enumerate(rows) for i in range(len(lengths))):
            yield k, i, host, 0, now
            now += rows[k][i]


class ShortestFirst:
    def order(self, host, jobs):
        return sorted(jobs, key=lambda job: job.length)


class LastFirst:
    def choose(self, pool):
        return max(pool.waiting)


class AsListed:
    def schedule(self, community):
        now = 0
        for u, user in enumerate(community.users):
            for i, length in enumerate(user.jobs):
                yield u, i, 0, now
                now += length


def paid_later(cluster):
    return build("verified", cluster)


CUSTOM = [("declaration", paid_later), ("federation", Alternating()), ("federation", ShortestFirst()),
          ("sharing", LastFirst()), ("multiuser", AsListed())]  # fmt: skip
SELDOM = ("bystander", "designed")
"""Rules that random instances seldom fit: with one machine and three agents, and with a price in the file."""
PAIRS = [
    (one.kind, one.info.id, None, claim)
    for one in every()
    if one.info.id not in SELDOM
    for claim in hunting_of(one.kind).claims
]
PAIRS += [(kind, None, rule, claim) for kind, rule in CUSTOM for claim in hunting_of(kind).claims]
THIRD = 3
"""One pair in so many is tried in the default run, all of the kinds whose claims many rules have nothing of."""


@pytest.mark.parametrize("every_one", [False, pytest.param(True, marks=pytest.mark.exhaustive)])
def test_every_claim_of_every_rule_is_decided_or_refused_at_the_first_instance(every_one: bool) -> None:
    """Instances that the rule refuses apart, nothing else ends a hunt, and no claim is promised and refused."""
    decided, refused = set(), set()
    for number, (kind, rule, mechanism, claim) in enumerate(PAIRS):
        if not every_one and kind in ("declaration", "sharing") and number % THIRD:
            continue
        target = Target.of(rule, claim, mechanism=mechanism, kind=kind, time_limit=20)
        rng, verdicts = default_rng(1), []
        for size in (0, 1, 0, 1, 0, 0, 0, 0):
            data = target.draw(rng, size)
            try:
                verdicts.append(target.verdict(data).broken)
            except UnfitError as error:
                assert not verdicts
                assert claim in str(error) or "contributions" in str(error)
                refused.add((target.rule, claim))
                break
            except ConsortiumError:  # too large for the rule, or no machine at all
                continue
            if verdicts[-1] is not None:
                decided.add((target.rule, claim))
                break
        else:
            pytest.fail(f"{target.rule}, {claim}: undecided, {verdicts}")
    assert decided
    assert refused
    promised = {(one.info.id, claim) for one in every() for claim in {*one.info.claims, *one.info.refuted}}
    assert not refused & promised


def test_a_claim_that_a_rule_does_not_promise_is_verified_and_replayed():
    record = consortium.hunt("optimal", "own-jobs-first", time_limit=30)
    assert record.broken
    assert {row.holds for _, _, row in consortium.check(record.to_dict()["replay"][0])} == {True}
    with pytest.raises(UnfitError, match="tomos-ratio is about rules with a schedule that they start from"):
        consortium.hunt("ilba", "tomos-ratio")


@pytest.mark.parametrize(("rule", "claim"), marked(REFUTED))
def test_what_is_refuted_is_broken_by_its_scenario(rule, claim):
    target = Target.of(rule.id, claim)
    data = load(rule.refuted[claim]).to_dict()
    own = {key: value for key, value in data["mechanism"].items() if key in ("thresholds", "levels", "solver")}
    data["mechanism"] = target.base["mechanism"] | own
    verdict = target.verdict(data)
    assert verdict.broken is True
    assert verdict.expect


@pytest.mark.parametrize("margin", ["upper-margin", "lower-margin"])
def test_arbitrary_others_break_a_margin_that_truthful_others_leave(margin):
    data = load("agmon2003/7.3-vcg-renice").to_dict()
    assert [Target.of("vcg-renice", margin + end).verdict(data).broken for end in ("", "-any-others")] == [False, True]


@pytest.mark.parametrize(("order", "broken", "near"), [((0, 1), True, 5), ((1, 0), False, 0)])
def test_the_smallest_total_is_of_those_who_minimise_totals(order, broken, near):
    users = [{"jobs": [5]}, {"jobs": [1], "objective": "total-completion"}]
    target = Target.of(None, "smallest-total", mechanism=AsListed(), kind="multiuser")
    verdict = target.verdict(target.base | {"users": [users[u] for u in order]})
    assert (verdict.broken, verdict.near) == (broken, near)


@pytest.mark.parametrize(
    ("jobs", "near"), [([[2, 2], [1]], Fraction(8, 5)), ([[7], [5]], 1), ([[6, 2], []], Fraction(4, 3))]
)
def test_a_makespan_far_above_the_lower_bound_is_near(jobs, near):
    """Everybody at home, beside the longest job and the mean work of a machine."""
    target = Target.of("local", "no-job-delayed")
    verdict = target.verdict(target.base | {"organizations": [{"jobs": own} for own in jobs]})
    assert verdict.near == near


@pytest.mark.parametrize("count", [2, pytest.param(60, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize(("rule", "claim"), marked(PROMISED))
def test_what_is_promised_holds_on_random_instances(rule, claim, count):
    target, rng, ruled = Target.of(rule.id, claim, time_limit=20), default_rng(len(rule.id)), 0
    for i in range(count):
        try:
            verdict = target.verdict(hunting_of(target.kind).draw(target.base, rng, i % 3))
        except ConsortiumError:  # too large for its rule, or no machine at all
            continue
        ruled += 1
        assert verdict.broken is not True, (i, verdict)
    assert ruled or rule.id in SELDOM
