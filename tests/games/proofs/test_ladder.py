"""Which rung settles what, what it says, and what none of them does."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import pytest

from consortium.games.proofs.prover import Proof, prove
from consortium.games.proofs.questions import Lengths
from consortium.games.proofs.strategies import try_strategies
from consortium.mechanisms.declaration import build
from consortium.mechanisms.declaration.protocol import play
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import Makespan, WeightedSum
from consortium.support.errors import InputError, UnknownNameError
from consortium.support.progress import Clock


def proof(name: str, powers: Any, agents: int, concept: str = "dominant", goal: Any = None, **options: Any) -> Proof:
    method, up_to = options.pop("method", "auto"), options.pop("up_to", None)
    return prove(build(name, Cluster.of(powers), goal, **options), agents, concept, up_to, method=method)


def test_the_cheapest_rung_that_can_settles() -> None:
    by_reduction = proof("evcg-postpone", [1, 2], 8, goal=Makespan())
    assert (by_reduction.status, by_reduction.method) == ("proved", "reduction")
    assert by_reduction.note == "by the reduction: for every goal and allocation rule"
    assert by_reduction.scope.startswith("8 agents")
    free = proof("vcg-postpone", [1, 2], 2, penalty="static-end")
    assert (free.status, free.method, free.note) == (
        "proved",
        "any-allocation",
        "for any allocation with the smallest sum",
    )
    code = proof("harsh", [1, 2], 2)
    assert (code.status, code.method, code.note) == ("proved", "code", "by the full code")


def test_the_tie_rule_alone_decides_and_only_the_full_code_sees_it() -> None:
    one: dict[str, Any] = {"concept": "ex-post", "goal": Makespan(), "penalty": "printed"}
    by_sum = proof("evcg-renice", [1], 2, **one)
    assert (by_sum.status, by_sum.method) == ("proved", "code")
    assert by_sum.note == "by the full code; left open by the reduction; left open for any allocation"
    listed = proof("evcg-renice", [1], 2, ties="listed", **one)
    assert (listed.status, listed.method) == ("refuted", "reduction")
    assert listed.note == "by the reduction, and played on the mechanism"


@pytest.mark.parametrize("penalty", ["printed", "printed-common"])
def test_the_printed_share_is_refuted_beyond_the_usual_domain(penalty: str) -> None:
    rule = build("evcg-renice", Cluster.of([1, 3]), Makespan(), penalty=penalty)
    found = prove(rule, 3, "ex-post")
    assert found.status == "refuted"
    witness: Any = found.witness
    lie = play(rule, witness.declarations, witness.lengths).utilities
    truth = play(rule, witness.truthful, witness.lengths).utilities
    assert lie is not None
    assert truth is not None
    assert lie[witness.agent] - truth[witness.agent] == witness.gain > 0


def test_a_number_that_is_safe_up_to_a_length() -> None:
    rule: dict[str, Any] = {"goal": WeightedSum((1, 9)), "penalty": 2}
    assert proof("evcg-postpone", [1], 2, up_to=2, **rule).method == "reduction"
    refuted = proof("evcg-postpone", [1], 2, up_to=3, **rule)
    assert refuted.status == "refuted"
    assert max(refuted.witness.lengths) <= 3  # type: ignore[union-attr]


def test_beyond_the_full_code_it_is_open_with_an_estimate() -> None:
    found = proof("evcg-renice", [1, 3], 6, "ex-post", Makespan(), penalty="printed")
    assert found.status == "open"
    assert "left open by the reduction" in found.note
    assert "the full code was not tried, which would look at about 10,000,000 cells for each of 6 agents" in found.note


def test_a_method_that_is_asked_for_is_the_only_one() -> None:
    one: dict[str, Any] = {"concept": "ex-post", "goal": Makespan(), "penalty": "printed"}
    for method in ("reduction", "any-allocation"):
        found = proof("evcg-renice", [1], 2, method=method, **one)
        assert (found.status, found.method) == ("open", method)
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
    assert (found.holds, found.parts) == (None, ())
    assert "the time limit" in found.note
    limited = try_strategies(build("vcg-postpone", Cluster.of([1])), 3, Lengths(), "dominant", clock=Clock(0))
    assert limited.done
    assert not limited.explored.done


def test_two_rounds_are_left_to_the_full_code() -> None:
    found = proof("vcg-renice", [1], 2, "ex-post", rounds=2, values=[F(9), F(9)], up_to=1)
    assert (found.status, found.method, found.note) == ("proved", "code", "by the full code")
