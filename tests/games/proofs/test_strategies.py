"""Proof strategies: which one gives the verdict, the bound between truth and lies, and the promise of anonymity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction as F
from functools import partial
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest

from consortium.games.proofs.execution import Tree
from consortium.games.proofs.exploration import Effort, Explored, explore_all
from consortium.games.proofs.programs import MechanismProgram
from consortium.games.proofs.prover import prove
from consortium.games.proofs.questions import Lengths
from consortium.games.proofs.strategies import (
    Proof,
    Strategies,
    allocation_questions,
    allocation_trees,
    prove_anonymity,
)
from consortium.games.verification import Domain, check_incentives
from consortium.mechanisms.declaration import Cutoff, build
from consortium.mechanisms.declaration.one_round import OneRound
from consortium.mechanisms.declaration.penalties import Situation
from consortium.mechanisms.declaration.protocol import play
from consortium.scheduling.allocations import allocations
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import Makespan, WeightedSum
from consortium.scheduling.sums import optimal_sum
from consortium.support.errors import InputError, MechanismError, UnknownNameError
from consortium.support.progress import Clock


def proof(name: str, powers: Any, agents: int, concept: str = "dominant", goal: Any = None, **options: Any) -> Proof:
    method, up_to = options.pop("method", "auto"), options.pop("up_to", None)
    return prove(build(name, Cluster.of(powers), goal, **options), agents, concept, up_to, method=method)


def test_the_cheapest_strategy_that_can_gives_the_verdict() -> None:
    by_reduction = proof("evcg-postpone", [1, 2], 8, goal=Makespan())
    assert (by_reduction.status, by_reduction.method, by_reduction.allocations) == ("proved", "reduction", "all")
    assert by_reduction.scope.startswith("8 agents")
    free = proof("vcg-postpone", [1, 2], 2, penalty="static-end")
    assert (free.status, free.method, free.allocations) == ("proved", "any-allocation", "smallest-sum")
    code = proof("harsh", [1, 2], 2)
    assert (code.status, code.method, code.allocations) == ("proved", "code", None)


def test_the_tie_rule_alone_decides_and_only_the_full_code_sees_it() -> None:
    one: dict[str, Any] = {"concept": "ex-post", "goal": Makespan(), "penalty": "printed"}
    by_sum = proof("evcg-renice", [1], 2, **one)
    assert (by_sum.status, by_sum.method, by_sum.limit) == ("proved", "code", "")
    listed = proof("evcg-renice", [1], 2, ties="listed", **one)
    assert (listed.status, listed.method, listed.limit) == ("refuted", "reduction", "")


@pytest.mark.parametrize("penalty", ["printed", "printed-common"])
def test_the_printed_share_is_refuted_beyond_the_usual_domain(penalty: str) -> None:
    rule = build("evcg-renice", Cluster.of([1, 3]), Makespan(), penalty=penalty)
    found = prove(rule, 3, "ex-post")
    assert found.status == "refuted"
    witness: Any = found.witness
    lie = play(rule, witness.declarations, witness.lengths).utilities
    truth = play(rule, witness.truthful, witness.lengths).utilities
    assert lie[witness.agent] - truth[witness.agent] == witness.gain > 0


def test_a_number_that_is_safe_up_to_a_length() -> None:
    rule: dict[str, Any] = {"goal": WeightedSum((1, 9)), "penalty": 2}
    assert proof("evcg-postpone", [1], 2, up_to=2, **rule).method == "reduction"
    refuted = proof("evcg-postpone", [1], 2, up_to=3, **rule)
    assert refuted.status == "refuted"
    assert max(refuted.witness.lengths) <= 3  # type: ignore[union-attr]


def test_beyond_the_full_code_it_is_open() -> None:
    found = proof("evcg-renice", [1, 3], 6, "ex-post", Makespan(), penalty="printed")
    assert (found.status, found.limit) == ("open", "agents")


def test_a_method_that_is_asked_for_is_the_only_one() -> None:
    one: dict[str, Any] = {"concept": "ex-post", "goal": Makespan(), "penalty": "printed"}
    for method in ("reduction", "any-allocation"):
        found = proof("evcg-renice", [1], 2, method=method, **one)
        assert (found.status, found.method, found.limit) == ("open", method, "inconclusive")
    repaired = replace(proof("evcg-renice", [1, 3], 2, "ex-post", Makespan(), method="any-allocation"), scope="")
    assert repaired.status == "proved"
    assert proof("vcg-postpone", [1], 2, method="code").method == "code"
    certified = [proof(rule, [1], 2, method="certified") for rule in ("vcg-postpone", "harsh")]
    assert [one.method for one in certified] == ["any-allocation", "code"]
    assert all(one.request is not None for one in certified)
    assert proof("vcg-postpone", [1], 2).request is None


@pytest.mark.parametrize(
    ("rule", "options", "concept", "method", "message"),
    [
        ("vcg-postpone", {"penalty": "static-end"}, "dominant", "reduction", "other than 'static-end'"),
        ("vcg-postpone", {"rounds": 2}, "dominant", "reduction", "in one round"),
        ("harsh", {}, "dominant", "any-allocation", "found 'harsh'"),
        ("vcg-renice", {}, "dominant", "reduction", "ex-post only"),
        ("vcg-renice", {}, "just", "reduction", "found the statement 'just'; expected dominant or ex-post"),
    ],
)
def test_a_method_that_says_nothing_refuses(rule: str, options: Any, concept: str, method: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        proof(rule, [1], 2, concept, method=method, **options)


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="'reduction'"):
        proof("vcg-renice", [1], 2, method="reductoin")


def test_time_stops_the_strategies() -> None:
    found = prove(build("vcg-postpone", Cluster.of([1])), 3, time_limit=0)
    assert (found.holds, found.parts, found.limit) == (None, (), "time")
    limited = Strategies(build("vcg-postpone", Cluster.of([1])), 3, Lengths(), Effort(Clock(0))).prove("dominant")
    assert limited.done
    assert not limited.explored.done


def test_two_rounds_are_left_to_the_full_code() -> None:
    found = proof("vcg-renice", [1], 2, "ex-post", rounds=2, values=[F(9), F(9)], up_to=1)
    assert (found.status, found.method) == ("proved", "code")


def any_allocation(mechanism: OneRound, concept: str, agents: int = 2) -> Explored:
    trees = allocation_trees(mechanism, agents)
    ask = partial(allocation_questions, concept, mechanism, agents, Lengths())
    return explore_all(ask, trees, Effort(max_cells=10**5))


def rule(name: str, powers: Sequence[int], penalty: object, cutoff: int | None = None) -> OneRound:
    limit = None if cutoff is None else Cutoff("difference", cutoff)
    goal = Makespan() if name.startswith("evcg") else None
    made = build(name, Cluster.of(powers), goal, penalty=penalty, cutoff=limit)
    assert isinstance(made, OneRound)
    return made


RULES: list[tuple[Any, ...]] = [
    ("evcg-renice", (1,), "repaired"),
    ("evcg-renice", (1,), "printed"),
    ("evcg-renice", (1,), "printed-common"),
    ("evcg-renice", (1, 3), "repaired-common"),
    ("evcg-renice", (1, 3), "printed-common"),
    ("vcg-renice", (1, 2), "printed"),
    ("evcg-postpone", (1,), "exact"),
    ("evcg-postpone", (1,), 1),
    ("evcg-postpone", (1, 2), "tight", 1),
    ("vcg-postpone", (1, 1), "static-end"),
    ("vcg-postpone", (1, 2), "static-end"),
]


@pytest.mark.parametrize("given", RULES, ids=str)
def test_the_bound_is_what_numbers_say(given: tuple[Any, ...]) -> None:
    """Proved: it stands on a grid, allocation by allocation. Not proved: it falls at the point."""
    mechanism = rule(*given)
    concept = "ex-post" if mechanism.tools.alive == "renice" else "dominant"
    found = any_allocation(mechanism, concept)
    if found.failure is not None:
        question, z = found.failure
        _, *numbers = question.runs[0].point(z)
        exact = tuple(F(x, z[0]) for x in numbers)
        lists = list(allocations(2, mechanism.cluster.n_machines))[question.runs[0].code - 1]
        assert not stands(mechanism, lists, question.agent or 0, exact[:2], exact[2:])
        return
    grid = [F(1), F(2), F(3)]
    for lists in allocations(2, mechanism.cluster.n_machines):
        for declared in product(grid, repeat=2):
            for lengths in product(grid, repeat=2):
                for agent in (0, 1):
                    if concept == "dominant" or lengths[1 - agent] == declared[1 - agent]:
                        assert stands(mechanism, lists, agent, declared, lengths)


def stands(mechanism: OneRound, lists: Any, agent: int, declared: Any, lengths: Any) -> bool:
    """Whether V - S(theta_n, b_-n) is between truth and lie here; an allocation for the sum must have the smallest."""
    outcome = replace(mechanism, allocate=lambda _: lists).run(declared, lengths)
    if mechanism.goal.by_sum and sum(outcome.plan.planned) > optimal_sum(mechanism.cluster, declared):
        return True
    honest = (*declared[:agent], lengths[agent], *declared[agent + 1 :])
    least, utility = -optimal_sum(mechanism.cluster, honest), outcome.utilities[agent]
    return bool(utility >= least if declared == honest else utility <= least)


@pytest.mark.parametrize(
    ("given", "agents"),
    [
        *((one, 2) for one in RULES if one[2] not in ("printed", 1)),
        *(pytest.param(one, 3, marks=pytest.mark.exhaustive) for one in RULES if "renice" in one[0]),
    ],
    ids=str,
)
def test_what_is_proved_is_what_the_code_does(given: tuple[Any, ...], agents: int) -> None:
    mechanism = rule(*given)
    concept = "ex-post" if mechanism.tools.alive == "renice" else "dominant"
    if any_allocation(mechanism, concept, agents).done:
        assert prove(mechanism, agents, concept, method="code").holds is True


def test_an_allocation_rule_without_sense_is_covered() -> None:
    mechanism = rule("evcg-postpone", (1, 2), "exact")
    assert any_allocation(mechanism, "dominant").done
    lists = list(allocations(2, 2))

    def allocate(declared: Any) -> Any:
        return lists[int(sum(7 * b * b + n * b for n, b in enumerate(declared))) % len(lists)]

    odd = replace(mechanism, allocate=allocate)
    assert check_incentives(odd, Domain.of([1, 2, 3, 4], agents=2), "dominant", method="general").holds is True


def test_a_penalty_one_per_cent_too_kind_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    shares, durations = Situation.shares, Situation.durations
    renice, postpone = rule("evcg-renice", (1, 3), "repaired"), rule("evcg-postpone", (1, 3), "exact")
    assert any_allocation(renice, "ex-post").done
    assert any_allocation(postpone, "dominant").done
    monkeypatch.setattr(Situation, "shares", lambda s, r: tuple(min(F(1), x * F(101, 100)) for x in shares(s, r)))
    monkeypatch.setattr(Situation, "durations", lambda s, r, c: tuple(x * F(99, 100) for x in durations(s, r, c)))
    assert any_allocation(renice, "ex-post").failure is not None
    assert any_allocation(postpone, "dominant").failure is not None


class Together:
    """One machine, shortest declaration first, equal ones together at the end of both; no payments."""

    def __init__(self, anonymous: bool = True) -> None:
        self.anonymous = anonymous

    def run(self, declared: Any, lengths: Any) -> Any:
        output = [sum((x for b, x in zip(declared, lengths, strict=True) if b <= own), F(0)) for own in declared]
        return SimpleNamespace(output=tuple(output), payments=(F(0),) * len(output))


class Harsh(Together):
    """The same, but whoever lies never gets her output."""

    def run(self, declared: Any, lengths: Any) -> Any:
        planned = super().run(declared, declared).output
        output = [t if b == x else float("inf") for t, b, x in zip(planned, declared, lengths, strict=True)]
        return SimpleNamespace(output=tuple(output), payments=(F(0),) * len(output))


class First(Together):
    """The same, but a tie goes to the first."""

    def run(self, declared: Any, lengths: Any) -> Any:
        output = [
            sum((x for k, (b, x) in enumerate(zip(declared, lengths, strict=True)) if (b, k) <= (own, n)), F(0))
            for n, own in enumerate(declared)
        ]
        return SimpleNamespace(output=tuple(output), payments=(F(0),) * len(output))


class Fussy(Together):
    """The same, but refuses what the last one declares beyond 100: far from any small domain."""

    def run(self, declared: Any, lengths: Any) -> Any:
        if declared[-1] > 100:
            raise InputError("too long")
        return super().run(declared, lengths)


@pytest.mark.parametrize(("concept", "agents"), [("dominant", 1), ("dominant", 2), ("dominant", 3), ("just", 2)])
@pytest.mark.parametrize("kind", [Together, Harsh])
def test_the_promise_changes_no_verdict(kind: type[Together], concept: str, agents: int) -> None:
    alike, apart = (prove(kind(anonymous), agents, concept) for anonymous in (True, False))
    assert alike.holds == apart.holds
    assert alike.holds is not None
    if alike.holds:
        sides = [part.question.side for part in alike.parts]
        assert sides.count("anonymous") == min(agents - 1, 2)
        assert {part.question.agent for part in alike.parts if part.question.side != "anonymous"} == {0}
        assert len({part.question.agent for part in apart.parts}) == agents


@pytest.mark.parametrize(("kind", "numbers"), [(First, r"\((\d+), \1\)"), (Fussy, r"\d{3}")])
def test_a_broken_promise_is_an_error_with_the_numbers(kind: type[Together], numbers: str) -> None:
    expected = rf"{kind.__name__}: found anonymous = True, but outcomes for declarations .*{numbers}.* change when"
    with pytest.raises(MechanismError, match=expected):
        prove(kind(), 2)
    assert prove(kind(False), 2).holds is not None


def test_agents_with_other_values_are_not_alike() -> None:
    """One agent does not stand for the other where it matters to her what her job is worth."""
    proofs = [prove(Harsh(), 2, "individually-rational", up_to=3, values=values) for values in ((6, 6), (6, 5), (5, 5))]
    assert [proof.holds for proof in proofs] == [True, False, False]
    assert proofs[1].witness.agent == 1


def test_a_promise_that_is_not_proved_in_time_is_not_used() -> None:
    mechanism = Harsh()
    tree = Tree(MechanismProgram(mechanism, 3))
    assert prove_anonymity(mechanism, tree, 3, Lengths(), Effort(max_cells=5)).why == "cells"
