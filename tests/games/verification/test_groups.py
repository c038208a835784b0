"""Joint lies against the definition, written down plainly: random rules and domains, and mechanisms of one's own."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction
from typing import Any
from unittest import mock

import pytest

from consortium.games.verification import machine
from consortium.games.verification.check import audit, check_groups
from consortium.games.verification.coalitions import GROUP_NOTIONS, Coalitions, GroupWitness
from consortium.games.verification.domain import CONCEPTS, Domain
from consortium.games.verification.joint_tables import JointTables
from consortium.games.verification.orbits import plan_domain
from consortium.games.verification.running import JointLies, Runs, check_by_running, conclude
from consortium.mechanisms.declaration import build
from consortium.mechanisms.declaration.protocol import Outcome
from consortium.scheduling.clusters import Cluster
from consortium.support.errors import InputError, TooLargeError, UnknownNameError

from ...sweeps import full, thinned
from . import twins

INF = math.inf
KINDS = 42  # rules with their penalties and cut-offs: one per seed, in turn


def options(domain: Domain, n: int, length: Fraction) -> list[Fraction]:
    return sorted({*domain.declarations[n], length})


def gain(notion: str, before: list[Any], after: list[Any]) -> Any:
    """What a joint lie pays by the notion, None if it does not pay."""
    gains = [0 if new == old else new - old for old, new in zip(before, after, strict=True)]
    if notion == "all-gain":
        return min(gains) if min(gains) > 0 else None
    if notion == "none-lose":
        return sum(gains) if min(gains) >= 0 and max(gains) > 0 else None
    return sum(gains) if -INF not in gains and sum(gains) > 0 else None


def plainly(utilities: Any, domain: Domain, concept: str, coalitions: Coalitions) -> tuple[Any, ...]:
    """Cases, largest gain of a lie that pays, and the first such case; utilities(b, theta) is everybody's."""
    agents, tried, best, first = range(len(domain.lengths)), 0, None, None
    for size in coalitions.sizes:
        for members in itertools.combinations(agents, size):
            others = [k for k in agents if k not in members]
            for theta in itertools.product(*domain.lengths):
                around = [[theta[k]] if concept == "ex-post" else options(domain, k, theta[k]) for k in others]
                for said in itertools.product(*around):
                    for lies in itertools.product(*(options(domain, n, theta[n]) for n in members)):
                        b = dict(zip((*others, *members), (*said, *lies), strict=True))
                        declared = tuple(b[k] for k in agents)
                        honest = tuple(theta[k] if k in members else b[k] for k in agents)
                        if declared == honest:
                            continue
                        tried += 1
                        truth, lie = utilities(honest, theta), utilities(declared, theta)
                        found = gain(coalitions.notion, [truth[n] for n in members], [lie[n] for n in members])
                        if found is not None and (best is None or found > best):
                            best, first = found, (members, declared, theta)
    return tried, best, first


def summary(answer: Any) -> tuple[Any, ...]:
    assert answer.complete
    assert answer.cases == answer.total
    assert answer.holds == (answer.witness is None)
    w = answer.witness
    return answer.cases, answer.max_gain, None if w is None else (w.members, w.declarations, w.lengths)


@pytest.mark.parametrize("seed", [*thinned([*range(21, KINDS), *range(21)]), *full(range(1000, 1000 + 24 * KINDS))])
def test_every_rule_equals_the_definition(seed: int) -> None:
    """The first has a lie that pays a pair in total and costs one of them: where nobody may lose it pays nothing."""
    mechanism, twin, domain = twins.situation(seed)
    coalitions = Coalitions.of(domain.n_agents, GROUP_NOTIONS[seed // 3 % 3], agents=domain.n_agents)
    plans = plan_domain(mechanism, domain)
    tables = JointTables(mechanism, plans)
    with mock.patch.object(machine, "ROOM", 0):  # Python integers
        wide = JointTables(mechanism, plans)
    for concept in CONCEPTS:
        wanted = plainly(lambda b, theta: twin.run(b, theta)[2], domain, concept, coalitions)
        judge = JointLies(Runs(mechanism), domain, concept, coalitions)
        assert summary(conclude(judge, tables.parts(judge), "kernel")) == wanted, (seed, concept)
        if wanted[0] < 1000:
            assert summary(conclude(judge, wide.parts(judge), "kernel")) == wanted, (seed, concept)
            assert summary(check_by_running(judge)) == wanted, seed


@pytest.mark.parametrize("size", [1, 2])
def test_costs_are_looked_up_once_for_all_coalitions(size: int) -> None:
    """And where the others are honest, of profiles in which no more lie than there are in a coalition."""
    mechanism, domain = build("vcg-postpone", Cluster.of([1, 2])), Domain.of([1, 2, 3], agents=3)
    tables, looked_up = JointTables(mechanism, plan_domain(mechanism, domain)), []
    for costs in tables.costs:
        costs.at = mock.Mock(side_effect=costs.at)  # type: ignore[method-assign]
    for concept in CONCEPTS:
        coalitions = Coalitions((size,), "total")
        judge = JointLies(Runs(mechanism), domain, concept, coalitions)
        found = summary(conclude(judge, tables.parts(judge), "kernel"))
        assert found == plainly(Runs(mechanism).utilities, domain, concept, coalitions)
        for costs in tables.costs:
            asked = costs.at.call_args_list  # type: ignore[attr-defined]
            assert len({call.args[0] for call in asked}) == len(asked) == 3**3
            looked_up.append(
                {len(range(3**3)[call.args[1]] if concept == "dominant" else call.args[1]) for call in asked}
            )
            costs.at.reset_mock()  # type: ignore[attr-defined]
    near = sum(math.comb(3, liars) * 2**liars for liars in range(size + 1))
    assert looked_up == [{3**3}] * 3 + [{near}] * 3


class Anything:
    """Times and payments out of a hat, jobs that never end among them."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def run(self, declared: Any, lengths: Any) -> Outcome:
        rng = random.Random(f"{self.seed} {declared} {lengths}")
        times = tuple(rng.choice([Fraction(1), Fraction(2), Fraction(3, 2), INF]) for _ in lengths)
        return Outcome(times, tuple(Fraction(rng.randint(-2, 2), 2) for _ in lengths))


@pytest.mark.parametrize("seed", range(60))
def test_a_mechanism_of_ones_own_equals_the_definition(seed: int) -> None:
    rng = random.Random(seed)
    domain = Domain.of(
        [rng.sample([1, 2, 3], rng.randint(1, 2)) for _ in range(2)], [rng.sample([1, 2], 1) for _ in range(2)]
    )
    coalitions = Coalitions((1, 2) if seed % 2 else (2,), GROUP_NOTIONS[seed % 3])
    mechanism = Anything(seed)
    utilities = Runs(mechanism).utilities
    found = check_groups(mechanism, domain, coalitions)
    for concept, answer in zip(CONCEPTS, found.checks, strict=True):
        assert answer.method == "general"
        assert summary(answer) == plainly(utilities, domain, concept, coalitions)
    if coalitions.notion == "total":
        for answer in found.checks:
            if answer.witness is not None:
                everybody_gains(answer.witness)


def everybody_gains(witness: GroupWitness) -> None:
    """After the side payments, but for a member whose job never ends either way."""
    after = dict(zip(witness.members, witness.utilities_lie, strict=True))
    for paid in witness.transfers():
        assert paid.amount > 0
        after[paid.payer] -= paid.amount
        after[paid.payee] += paid.amount
    for n, before in zip(witness.members, witness.utilities_truth, strict=True):
        assert after[n] > before or after[n] == before == -INF


def test_small_numbers_and_large_ones_have_the_same_answers() -> None:
    """Beyond int64 the same kernel runs on Python integers."""
    pairs = Coalitions((1, 2), "total")
    small, large = (
        check_groups(build("evcg-renice", Cluster.of([1, 2])), Domain.of([a, 2 * a, 3 * a], agents=2), pairs)
        for a in (1, 10**18)
    )
    for here, there in zip(small.checks, large.checks, strict=True):
        assert here.cases == there.cases
        assert here.max_gain * 10**18 == there.max_gain


RULES = ("harsh", "postpone-unpaid", "vcg-postpone", "evcg-postpone", "verified", "vcg-renice", "evcg-renice")


@pytest.mark.parametrize("agents", [2, pytest.param(3, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("powers", [(1,), (1, 1), (1, 2)])
@pytest.mark.parametrize("rule", RULES)
def test_pairs_under_the_built_in_rules(rule: str, powers: tuple[int, ...], agents: int) -> None:
    """Pairs break every paid and controlled rule; renice on one machine not weakly, to truthful others."""
    mechanism, domain = build(rule, Cluster.of(powers)), Domain.of([1, 2, 3], agents=agents)
    held = {notion: check_groups(mechanism, domain, Coalitions((2,), notion)) for notion in GROUP_NOTIONS}
    weakly, strongly, in_total = (held[notion] for notion in GROUP_NOTIONS)
    if rule == "harsh":
        assert all(check.holds for found in held.values() for check in found.checks)
    elif rule == "postpone-unpaid":
        assert all(check.holds for found in (weakly, strongly) for check in found.checks)
    else:
        assert not any(check.holds for found in (strongly, in_total) for check in found.checks)
        one_machine = rule.endswith("renice") and powers == (1,)
        assert weakly.ex_post.holds == one_machine
        assert weakly.dominant.holds == (one_machine and agents == 2)  # there are no others then


@pytest.mark.parametrize("rule", ["vcg-renice", "evcg-renice"])
def test_renice_on_one_machine_with_four_agents(rule: str) -> None:
    mechanism, domain = build(rule, Cluster.of([1])), Domain.of([1, 2, 3], agents=4)
    everybody = Coalitions((2, 3, 4), "all-gain", ("ex-post",))
    assert check_groups(mechanism, domain, everybody).ex_post.holds


def test_a_time_limit_of_nothing_and_ctrl_c_leave_everything_open() -> None:
    mechanism, domain, pairs = build("harsh", Cluster.of([1])), Domain.of([1, 2], agents=2), Coalitions((2,))

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    for ways in ({"method": "general", "time_limit": 0}, {"progress": stop}, {"method": "general", "progress": stop}):
        domain = Domain.of([1, 2, 3, 4], agents=3)
        found = check_groups(mechanism, domain, pairs, **ways)
        assert found.stopped
        assert not found.complete
        assert [check.holds for check in found.checks] == [None, None]
    stopped = audit(mechanism, domain, coalitions=pairs, time_limit=0)
    assert [check.cases for check in stopped.groups.checks] == [0, 0]
    assert not stopped.complete


def test_a_sample_refutes_and_proves_nothing() -> None:
    domain, pairs = Domain.of([1, 2, 3], agents=3), Coalitions((2, 3))
    friends = check_groups(build("vcg-postpone", Cluster.of([1, 1])), domain, pairs, sample=500, seed=1)
    assert friends == check_groups(build("vcg-postpone", Cluster.of([1, 1])), domain, pairs, sample=500, seed=1)
    assert [check.holds for check in friends.checks] == [False, False]
    harsh = check_groups(build("harsh", Cluster.of([1])), domain, pairs, sample=50)
    assert [(check.holds, check.cases, check.stopped) for check in harsh.checks] == [(None, 50, False)] * 2


def test_nothing_to_lie_about_holds() -> None:
    found = check_groups(build("light-vcg", Cluster.of([1])), Domain.of([1], agents=2), Coalitions((1, 2)))
    assert [(check.holds, check.cases) for check in found.checks] == [(True, 0)] * 2


@pytest.mark.parametrize("asked", [[4], [0, 1], 0, []])
def test_sizes_that_no_coalition_has_are_refused(asked: Any) -> None:
    with pytest.raises(InputError, match="expected sizes from 1 to 3"):
        Coalitions.of(asked, agents=3)


def test_more_than_everybody_is_everybody() -> None:
    assert Coalitions.of(9, agents=3).sizes == (1, 2, 3)
    assert Coalitions.of([3, 2], agents=3).sizes == (2, 3)


def test_what_does_not_fit_is_refused() -> None:
    mechanism, domain = build("harsh", Cluster.of([1])), Domain.of([1, 2], agents=2)
    with pytest.raises(InputError, match=r"any-gains.*liar of her own"):
        Coalitions((2,), "any-gains")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="'kernels' is not known; known: auto, general, kernel"):
        check_groups(mechanism, domain, Coalitions((2,)), method="kernels")
    with pytest.raises(TooLargeError):
        check_groups(mechanism, Domain.of(range(1, 9), agents=6), Coalitions((1, 2, 3, 4, 5, 6)))
