"""Every claim of every sharing rule on generated instances; every refuted one on its shipped scenario."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from fractions import Fraction

import pytest

import consortium
from consortium.mechanisms.kinds import RuleInfo, info, rules
from consortium.mechanisms.sharing import SharingInstance, SharingOutcome, job_utility, simulate
from consortium.mechanisms.sharing.catalogue import RULES


def instances(seed: str) -> Iterator[tuple[SharingInstance, int]]:
    rng = random.Random(seed)
    for _ in range(60):
        k = rng.randint(1, 5)
        queues = [[(rng.randint(0, 9), rng.randint(1, 6)) for _ in range(rng.randint(0, 6))] for _ in range(k)]
        yield SharingInstance.of([rng.randint(0, 2) for _ in range(k)], queues), rng.choice([1, 8, 15])


def jobs(outcome: SharingOutcome) -> list[tuple[int, int, int, int, int]]:
    """(owner, release, length, start, machine) in queue order."""
    i = outcome.instance
    columns = (i.owner, i.release, i.length, outcome.start, outcome.machine)
    return list(zip(*(c.tolist() for c in columns), strict=True))


def greedy(outcome: SharingOutcome) -> bool:
    rows = jobs(outcome)
    for t in range(outcome.until):
        busy = sum(0 <= s <= t < s + p for _, _, p, s, _ in rows)
        idle = outcome.instance.n_machines - busy
        if idle > 0 and any(r <= t and (s > t or s < 0) for _, r, _, s, _ in rows):
            return False
    return True


def first_in_first_out(outcome: SharingOutcome) -> bool:
    rows = jobs(outcome)
    order = [(s if s >= 0 else outcome.until, owner) for owner, _, _, s, _ in rows]
    mine = [[s for s, owner in order if owner == u] for u in range(outcome.instance.n_organizations)]
    return all(starts == sorted(starts) for starts in mine)


def feasible(outcome: SharingOutcome) -> bool:
    ran = [(machine, s, s + p, r) for _, r, p, s, machine in jobs(outcome) if s >= 0]
    if any(s < r or s >= outcome.until or not 0 <= m < outcome.instance.n_machines for m, s, _, r in ran):
        return False
    ran.sort()
    return all(a[0] != b[0] or a[2] <= b[1] for a, b in itertools.pairwise(ran))


def whole_value(outcome: SharingOutcome) -> bool:
    assert outcome.contribution is not None
    return sum(outcome.contribution) == outcome.value


def simplified_value(outcome: SharingOutcome) -> bool:
    assert outcome.contribution is not None
    return sum(outcome.contribution) == simulate(outcome.instance, rule="fifo", until=outcome.until).value


def tally(outcome: SharingOutcome) -> bool:
    owner = outcome.instance.machine_owners(outcome.instance.n_machines).tolist()
    given = [0] * outcome.instance.n_organizations
    for _, _, p, s, m in jobs(outcome):
        if s >= 0:
            given[owner[m]] += job_utility(s, p, outcome.until)
    return outcome.contribution == tuple(map(Fraction, given))


CHECKERS = {
    "greedy": greedy,
    "first-in-first-out": first_in_first_out,
    "feasible": feasible,
    "shares-the-whole-value": whole_value,
    "shares-the-simplified-value": simplified_value,
    "tally-equals-utility": tally,
}
MOVE = {"no-gain-by-splitting": "split", "no-gain-by-delaying": "delay", "no-gain-by-padding": "pad"}


def test_every_claim_has_a_checker_and_none_is_refuted_too() -> None:
    for rule in RULES:
        assert rule.claims <= set(CHECKERS), rule.id
        assert not rule.claims & set(rule.refuted), rule.id
    assert list(rules("sharing")) == [rule.id for rule in RULES]
    assert info("sharing", "ref").load() is simulate


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
@pytest.mark.parametrize("timing", ["next", "now"])
def test_claims_hold_on_generated_instances(rule: RuleInfo, timing: str) -> None:
    if timing == "now" and "timing" not in rule.options:
        timing = "next"
    for seed, (instance, until) in enumerate(instances(f"{rule.id} {timing}")):
        outcome = simulate(instance, rule=rule.id, until=until, timing=timing, seed=seed)
        for claim in rule.claims:
            assert CHECKERS[claim](outcome), (claim, instance.machines, until)


@pytest.mark.parametrize(("rule", "claim"), [(rule, claim) for rule in RULES for claim in rule.refuted])
def test_refuted_claims_fail_on_their_shipped_scenario(rule: RuleInfo, claim: str) -> None:
    name = rule.refuted[claim]
    if claim == "contributions-nonnegative":
        assert min(row.contribution for row in consortium.run(name).organizations) < 0
        return
    found = consortium.verify(name, property=MOVE[claim])
    assert found.manipulation["max_gain"] > 0
    assert found.manipulation["move"] == MOVE[claim]
    rows = consortium.check(found)
    assert rows
    assert all(row.holds for _, _, row in rows)
