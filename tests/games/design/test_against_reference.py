"""Designed payments and allocations of random instances: what a reference that shares nothing finds, and no more."""

from __future__ import annotations

import json
import random

import pytest

from consortium.games.design.certificate import as_certificate, plan_again
from consortium.games.design.check_design import check
from consortium.games.design.cycles import least_fine, negative_cycle
from consortium.games.design.envy import bare, envy
from consortium.games.design.payments import Question, best_payments, plans, with_fine
from consortium.games.verification.domain import Domain
from consortium.mechanisms.declaration import build
from consortium.mechanisms.declaration.penalties import Cutoff
from consortium.mechanisms.declaration.protocol import DeclarationMechanism
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import Makespan, SumOfTimes, WeightedMakespan, WeightedSum
from consortium.support.errors import InputError

from . import reference
from .reference import Instance, random_instance

GOALS = {"sum": SumOfTimes, "makespan": Makespan, "weighted-sum": WeightedSum, "weighted-makespan": WeightedMakespan}


def mechanism_of(instance: Instance) -> DeclarationMechanism:
    """The mechanism of an instance, without payments."""
    name, parameter = instance.goal
    goal = GOALS[name]() if parameter is None else GOALS[name](parameter)
    cutoff = None if instance.cutoff is None else Cutoff("difference", instance.cutoff)
    options = {"penalty": instance.penalty, "cutoff": cutoff, "ties": instance.ties}
    return bare(build("designed", Cluster.of(instance.powers), goal, tool=instance.tool, price="0", **options))


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
    graphs = envy(mechanism, question.domain, question.concept)
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
