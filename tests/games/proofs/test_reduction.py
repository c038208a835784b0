"""The reduction: against numbers and the full code, and with faults planted in the code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction as F
from itertools import islice, permutations
from typing import Any

import pytest

from consortium.games.proofs import reduction
from consortium.games.proofs.execution import Tree
from consortium.games.proofs.exploration import Effort, Explored, explore_all
from consortium.games.proofs.prover import prove
from consortium.games.proofs.questions import Lengths
from consortium.games.proofs.reduction import Obligation, Obligations, covers, questions
from consortium.mechanisms.declaration import Cutoff, build
from consortium.mechanisms.declaration.execution import Machine
from consortium.mechanisms.declaration.one_round import OneRound
from consortium.mechanisms.declaration.penalties import Situation
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import Makespan, WeightedSum

POSITIVE = Lengths()
CLUSTERS = [(1,), (1, 1), (1, 2), (1, 3)]
SHARES = ["repaired", "repaired-common", "printed", "printed-common", "safe", F(1, 2), F(2, 3)]
WAITS: list[tuple[object, Cutoff | None]] = [
    ("exact", None),
    ("exact", Cutoff("difference", 1)),
    ("exact", Cutoff("absolute", 3)),
    ("tight", Cutoff("difference", 1)),
    ("printed", Cutoff("difference", 1)),
    ("printed-common", Cutoff("difference", 1)),
    ("printed-absolute", Cutoff("absolute", 3)),
    (F(2), None),
    (F(1), Cutoff("difference", 1)),
]


EXHAUSTIVE = [pytest.param(powers, 2, 1, marks=pytest.mark.exhaustive) for powers in CLUSTERS]


def rules(powers: tuple[int, ...], goal: Any) -> Iterator[OneRound]:
    """Every named penalty and some numbers, for both tools and both payments."""
    for payment in ("vcg", "evcg"):
        given = goal if payment == "evcg" else None
        for share in SHARES:
            yield build(f"{payment}-renice", Cluster.of(powers), given, penalty=share)
        for wait, cutoff in WAITS:
            yield build(f"{payment}-postpone", Cluster.of(powers), given, penalty=wait, cutoff=cutoff)


def obligations(mechanism: OneRound, agents: int, lengths: Lengths = POSITIVE) -> list[Obligation]:
    return Obligations(mechanism, agents, lengths).all()


def reduced(mechanism: OneRound, agents: int, lengths: Lengths = POSITIVE) -> Explored:
    asked = obligations(mechanism, agents, lengths)
    return explore_all(lambda: questions(asked), [Tree(one) for one in asked], Effort(max_cells=10**5))


@pytest.mark.parametrize(("powers", "agents", "every"), [((1, 2), 2, 3), *EXHAUSTIVE], ids=str)
def test_agrees_with_numbers_and_the_full_code(powers: tuple[int, ...], agents: int, every: int) -> None:
    """Of a rule that is proved the full code says the same; where an inequality fails, it fails in plain fractions."""
    seen = set()
    for mechanism in islice(rules(powers, WeightedSum((1, 9, 2)[:agents])), 0, None, every):
        found = reduced(mechanism, agents)
        seen.add(found.done)
        if found.failure is None:
            concept = "ex-post" if mechanism.tools.alive == "renice" else "dominant"
            for one in {mechanism, replace(mechanism, ties="listed")}:
                assert prove(one, agents, concept, method="code").holds is True, one
        else:
            question, z = found.failure
            assert question.side == "below"
            failing = obligations(mechanism, agents)[question.runs[0].code]
            assert max(failing.excess([F(x, z[0]) for x in z[1:]])) > 0, mechanism
    assert seen == {True, False}


def test_penalties_that_are_safe_for_every_goal_and_those_that_are_not() -> None:
    """The findings of the thesis, repaired: (6.9) never, (6.10) on identical machines, 1/N always, and the waits."""
    for powers in [(1,), (1, 1), (1, 3)]:
        safe = {
            share: reduced(build("evcg-renice", Cluster.of(powers), Makespan(), penalty=share), 3).done
            for share in SHARES[:5]
        }
        assert safe == {
            "repaired": True,
            "repaired-common": True,
            "printed": False,
            "printed-common": powers != (1, 3),
            "safe": True,
        }, powers
        for wait, cutoff in WAITS[:7]:
            rule = build("evcg-postpone", Cluster.of(powers), Makespan(), penalty=wait, cutoff=cutoff)
            assert reduced(rule, 3).done, (powers, wait)


def test_a_number_is_safe_in_a_box() -> None:
    rule = build("evcg-postpone", Cluster.of([1]), WeightedSum((1, 9)), penalty=2)
    assert reduced(rule, 2, Lengths(end=F(2))).done
    assert not reduced(rule, 2, Lengths(end=F(3))).done
    listed = build("evcg-postpone", Cluster.of([1]), WeightedSum((1, 9)), penalty=[2, 3])
    assert not reduced(listed, 2, Lengths(end=F(3))).done
    assert reduced(listed, 2, Lengths(end=F(2))).done


def test_eight_agents_are_within_reach() -> None:
    for rule, cells in (("evcg-renice", 350), ("evcg-postpone", 400)):
        found = reduced(build(rule, Cluster.of([1, 3, 2]), Makespan()), 8)
        assert found.done
        assert found.cells < cells


@pytest.mark.parametrize("tool", ["renice", "postpone"])
@pytest.mark.parametrize("powers", [(1,), (1, 3)], ids=str)
def test_a_penalty_one_per_cent_too_kind_is_not_proved(
    tool: str, powers: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    shares, durations = Situation.shares, Situation.durations

    def larger(self: Situation, rule: Any) -> Any:
        return tuple(min(F(1), share * F(101, 100)) for share in shares(self, rule))

    def shorter(self: Situation, rule: Any, cutoff: Any) -> Any:
        return tuple(wait * F(99, 100) for wait in durations(self, rule, cutoff))

    rule = build(f"evcg-{tool}", Cluster.of(powers), Makespan())
    assert reduced(rule, 2).done
    monkeypatch.setattr(Situation, "shares", larger)
    monkeypatch.setattr(Situation, "durations", shorter)
    failed = reduced(rule, 2)
    assert failed.failure[0].side == "below"


def test_a_machine_that_goes_wrong_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """A remainder that does not wait, a plan that the truthful do not meet, a share that is not kept."""
    run_remainder, begin = reduction.run_remainder, Machine.begin

    def at_once(power: Any, remainder: Any, free: Any, limit: Any) -> Any:
        return run_remainder(power, remainder._replace(release=remainder.plan), free, limit)

    def delayed(self: Machine, job: Any, run: Any, penalties: Any, total: Any) -> None:
        begin(self, job, run, penalties, total)
        self.clock += job.declared / 100

    def faster(self: Machine, job: Any, run: Any, penalties: Any, total: Any) -> None:
        begin(self, job, run, {n: min(F(1), share * 2) for n, share in penalties.items()}, total)

    for target, name, fault, tool in (
        (reduction, "run_remainder", at_once, "postpone"),
        (Machine, "begin", delayed, "postpone"),
        (Machine, "begin", delayed, "renice"),
        (Machine, "begin", faster, "renice"),
    ):
        rule = build(f"evcg-{tool}", Cluster.of([1, 2]), Makespan())
        with monkeypatch.context() as patched:
            patched.setattr(target, name, fault)
            failed = reduced(rule, 3)
        assert failed.failure is not None, fault
        assert failed.failure[0].side == "run"


def test_what_it_is_about() -> None:
    one = Cluster.of([1, 2])
    assert covers(build("vcg-postpone", one))
    assert not covers(build("vcg-postpone", one, penalty="static-end"))
    assert not covers(build("vcg-postpone", one, rounds=2))
    assert not covers(build("light-vcg", one))
    assert not covers(build("harsh", one))


def test_ranks_are_those_of_the_sum_allocation() -> None:
    """The slopes by rank are those of A_Sigma, whoever is numbered first, and equal jobs are among equal ranks."""
    for powers in [*CLUSTERS, (2, 3, 3)]:
        rule = build("evcg-renice", Cluster.of(powers), Makespan())
        assert isinstance(rule, OneRound)
        slopes = Obligations(rule, 4, Lengths()).slopes
        for sizes in ((5, 4, 2, 1), (3, 3, 2, 2), (2, 1, 1, 1), (1, 1, 1, 1)):
            for b in set(permutations(map(F, sizes))):
                situation = Situation(rule.cluster, b, (0,) * 4, (1,) * 4)
                for own, slope in zip(b, situation.slopes, strict=True):
                    assert slope in [s for s, size in zip(slopes, sizes, strict=True) if size == own]
