"""Designed payments in use: tables hold where they were designed for, rules without chance are the best of all."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from consortium.games.design.allocation import best_allocation
from consortium.games.design.certificate import as_certificate
from consortium.games.design.check_design import check
from consortium.games.design.envy import bare, envy
from consortium.games.design.payments import Question, best_payments, plans
from consortium.games.verification.check import check_incentives
from consortium.games.verification.domain import Domain
from consortium.mechanisms.declaration import build
from consortium.mechanisms.declaration.one_round import OneRound
from consortium.mechanisms.declaration.penalties import Cutoff
from consortium.scheduling.clusters import Cluster
from consortium.support.errors import InputError
from consortium.support.progress import Clock

from . import reference


@pytest.mark.parametrize(("tool", "concept"), [("renice", "ex-post"), ("postpone", "dominant"), ("bare", "ex-post")])
def test_a_designed_table_holds_and_takes_what_it_promised(tool: str, concept: str) -> None:
    cluster, domain = Cluster.of([1, 2]), Domain.of([1, 2, 3], agents=2)
    mechanism = bare(build("designed", cluster, tool=tool, price="0"))
    question = Question(domain, concept, conditions=frozenset({"prices-nonnegative"}))  # type: ignore[arg-type]
    answer = best_payments(
        question, envy(mechanism, domain, question.concept), plans(mechanism, cluster, question.declared)
    )
    rows = [
        {
            "declarations": dict(zip(domain.names, b, strict=True)),
            "payments": dict(zip(domain.names, paid, strict=True)),
        }
        for b, paid in answer.table.items()
    ]
    designed = build("designed", cluster, tool=tool, table=rows)
    found = check_incentives(designed, domain, question.concept)
    assert found.holds
    assert max(sum(designed.run(b, b).payments) for b in question.truthful) == answer.value


@pytest.mark.parametrize(
    ("tool", "dominant", "money", "lengths"),
    [
        (tool, dominant, money, (1, 2))
        for tool in ("bare", "postpone")
        for dominant in (True, False)
        for money in (True, False)
    ],
)
def test_best_of_all_rules_one_by_one(tool: str, dominant: bool, money: bool, lengths: tuple[int, ...]) -> None:
    """All 16 rules of two agents with two lengths, and lotteries by the linear program of the reference."""
    own = tuple(map(F, lengths))
    case = reference.Instance((F(1),), tool, (own, own), (own, own), dominant=dominant, conditions=frozenset())
    mechanism = bare(
        build("designed", Cluster.of([1]), tool=tool, price="0", penalty="exact" if tool == "postpone" else None)
    )
    assert type(mechanism) is OneRound
    concept = "dominant" if dominant else "ex-post"
    question = Question(Domain.of(lengths, agents=2), concept, "spread", conditions=frozenset())  # type: ignore[arg-type]
    certain = best_allocation(question, mechanism, lottery=False, money=money)
    assert certain.value == certain.bound == reference.rule_cost(case, money)
    by_lot = best_allocation(question, mechanism, lottery=True, money=money)
    assert by_lot.value == reference.lottery_cost(case, money)
    for chosen in (certain, by_lot):
        assert "none are better" in check(as_certificate(question, mechanism, "", chosen=chosen, money=money))


def test_time_that_is_up_leaves_no_graphs() -> None:
    """Plans that were cut short would be graphs without most cases, and everything could be implemented."""
    mechanism = bare(build("evcg-renice", Cluster.of([1, 2]), allocate=lambda declared: [[0, 1, 2], []]))
    with pytest.raises(TimeoutError):
        envy(mechanism, Domain.of([1, 2, 3], agents=3), "dominant", clock=Clock(0))


def test_declarations_above_an_absolute_cutoff_are_refused_by_name() -> None:
    mechanism = bare(build("vcg-postpone", Cluster.of([1]), cutoff=Cutoff("absolute", 2)))
    with pytest.raises(InputError, match=r"cutoff.absolute = 2: agent \d declares 3"):
        envy(mechanism, Domain.of([1, 2, 3], agents=2), "dominant")


@pytest.mark.parametrize(
    ("objective", "conditions", "more", "text"),
    [
        ("rent", (), {}, "found no floor under the payments"),
        ("rent", ("no-deficit", "cap"), {}, "found None as the cap"),
        ("rent", ("no-deficit",), {"cap": F(1)}, "found 1 as the cap"),
        ("rent", ("no-deficit", "takes-part"), {"values": (F(1),)}, "takes-part: found numbers of 1 agents"),
        ("rent-prior", ("no-deficit",), {}, "rent-prior: found numbers of 0 agents"),
    ],
)
def test_questions_without_an_answer(
    objective: str, conditions: tuple[str, ...], more: dict[str, object], text: str
) -> None:
    with pytest.raises(InputError, match=text):
        Question(Domain.of([1, 2], agents=2), "dominant", objective, conditions=frozenset(conditions), **more)  # type: ignore[arg-type]


def test_lengths_of_zero_are_impossible() -> None:
    with pytest.raises(InputError, match="expected lengths > 0"):
        Domain.of([0, 1], agents=2)
