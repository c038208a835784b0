"""Designed payments and allocations of random instances: what a reference that shares nothing finds, and no more."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from consortium.games.design.allocation import best_allocation
from consortium.games.design.certificate import as_certificate, plan_again
from consortium.games.design.check_design import check
from consortium.games.design.cycles import least_fine, negative_cycle
from consortium.games.design.envy import bare, envy
from consortium.games.design.payments import Question, best_payments, plans, with_fine
from consortium.games.verification.domain import Domain
from consortium.mechanisms.declaration import build
from consortium.mechanisms.declaration.one_round import OneRound
from consortium.mechanisms.declaration.penalties import Cutoff
from consortium.mechanisms.declaration.protocol import DeclarationMechanism
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import LexicalMax, Makespan, SumOfTimes, WeightedMakespan, WeightedSum
from consortium.support.errors import InputError

from . import reference
from .reference import Instance, random_allocation, random_instance

GOALS: dict[str, Any] = {
    "sum": SumOfTimes,
    "makespan": Makespan,
    "lexical-max": LexicalMax,
    "weighted-sum": WeightedSum,
    "weighted-makespan": WeightedMakespan,
}


class Custom:
    """A mechanism of one's own, of which only the output times are looked at."""

    def __init__(self, own: DeclarationMechanism) -> None:
        self.own = own

    def run(self, declared: Any, lengths: Any) -> Any:
        return self.own.run(declared, lengths)


def mechanism_of(instance: Instance) -> OneRound:
    """The mechanism of an instance, without payments."""
    name, parameter = instance.goal
    goal = GOALS[name]() if parameter is None else GOALS[name](parameter)
    kind = "absolute" if instance.absolute else "difference"
    cutoff = None if instance.cutoff is None else Cutoff(kind, instance.cutoff)
    options = {"penalty": instance.penalty, "cutoff": cutoff, "ties": instance.ties}
    made = bare(build("designed", Cluster.of(instance.powers), goal, tool=instance.tool, price="0", **options))
    assert type(made) is OneRound
    return made


def question_of(instance: Instance) -> Question:
    most = instance.objective in ("most rent", "strictness")
    return Question(
        Domain.of(instance.lengths, instance.declarations),
        "dominant" if instance.dominant else "ex-post",
        instance.objective.removeprefix("most "),
        most,
        instance.conditions,
        instance.cap,
        instance.fine,
        instance.values,
        instance.prior or None,
    )


def judge(instance: Instance) -> str:
    """Compare everything that is found with the reference; what it was."""
    mechanism, question = mechanism_of(instance), question_of(instance)
    graphs = envy(Custom(mechanism) if instance.custom else mechanism, question.domain, question.concept)
    fine, worst = least_fine(graphs)
    assert fine == reference.least_fine(instance)
    cycle = negative_cycle(with_fine(graphs, instance.fine))
    assert (cycle is None) == (fine <= instance.fine)
    if cycle is not None:
        assert worst is not None
        checked(as_certificate(question, mechanism, "random", cycle=cycle), mechanism, "no payments known in advance")
        return "impossible"
    planned = plans(mechanism, Cluster.of(instance.powers), question.declared)
    expected = reference.best(instance)
    if expected == "unbounded":
        with pytest.raises(InputError, match="is unbounded on this domain"):
            best_payments(question, graphs, planned)
        return "unbounded"
    answer = best_payments(question, graphs, planned)
    assert (answer.status, answer.value) == ("impossible" if expected is None else "optimal", expected)
    certificate = as_certificate(question, mechanism, "random", payments=answer, graphs=graphs)
    if expected is None:
        checked(certificate, mechanism, "no payments make")
        return "contradiction"
    assert not reference.breaks(instance, answer.table)
    assert reference.objective_of(instance, answer.table) == expected
    checked(certificate, mechanism, "none are better")
    if fine and fine == instance.fine:
        checked(as_certificate(question, mechanism, "", cycle=worst, payments=answer), mechanism, "a smaller fine")
    return "optimal"


def checked(certificate: dict[str, object], mechanism: DeclarationMechanism, text: str) -> None:
    """A certificate is accepted, says this, and has the plans of the mechanism."""
    assert text in check(json.loads(json.dumps(certificate)))
    assert plan_again(certificate, mechanism) is None


@pytest.mark.parametrize("block", range(10))
def test_random_instances(block: int, thinning: int) -> None:
    """Implementable or not, the least fine, the best payments and their certificates."""
    seen = dict.fromkeys(("impossible", "contradiction", "optimal", "unbounded"), 0)
    for k in range(100 // thinning // (1 if thinning == 1 else 4)):
        seen[judge(random_instance(random.Random(100 * block + k)))] += 1
    assert seen["optimal"] > 0


@pytest.mark.parametrize("block", range(5))
def test_random_allocations(block: int, thinning: int) -> None:
    """Schedules and payments together: lotteries by the linear program of the reference, else by trying every rule."""
    values = set()
    for k in range(20 // thinning):
        instance = random_allocation(random.Random(f"allocation {block} {k}"))
        mechanism, question = mechanism_of(instance), question_of(instance)
        for money in (True, False):
            certain = best_allocation(question, mechanism, lottery=False, money=money)
            by_lot = best_allocation(question, mechanism, lottery=True, money=money)
            assert certain.value == certain.bound == reference.rule_cost(instance, money)
            assert by_lot.value == by_lot.bound == reference.lottery_cost(instance, money)
            for chosen in (certain, by_lot):
                text = "none are better" if chosen.table else "schedules make"
                checked(as_certificate(question, mechanism, "", chosen=chosen, money=money), mechanism, text)
            values.add((certain.value, by_lot.value))
    assert len(values) > 1
