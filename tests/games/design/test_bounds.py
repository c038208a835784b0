"""What payments of any form take at least, beside the least of formulas."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest

from consortium.games.design import check_design
from consortium.games.design.bounds import any_payments
from consortium.games.design.cells import Condition
from consortium.games.design.certificate import as_certificate
from consortium.games.design.envy import bare, envy
from consortium.games.design.payments import Question, best_payments, plans
from consortium.games.design.templates import design_formula
from consortium.games.proofs import Lengths
from consortium.games.verification.domain import Domain
from consortium.mechanisms.declaration import build
from consortium.scheduling.clusters import Cluster
from consortium.support.progress import Clock

from .test_templates import FIVE, NO_DEFICIT, NO_GIFTS, SPAN, SUM, setting_of, slow, weights

STEPS = F(7, 8)  # of what a jump costs, by a staircase of eight steps
RANKED = (*FIVE, "other(1)", "other(2)")
TEN = [F(10) ** k for k in range(-3, 7)]
TABLE = [
    # powers, agents, goal, tool, concept, conditions, features, per agent, least r, printed bound, share of r
    ([1], 2, weights(1, 9), "run-on", "ex-post", NO_DEFICIT, FIVE, False, F(8, 11), "0.63636", STEPS),
    ([1], 2, weights(1, 2), "run-on", "ex-post", NO_DEFICIT, FIVE, False, F(1, 4), "0.218749", STEPS),
    ([1], 2, weights(1, 3), "half", "ex-post", NO_DEFICIT, FIVE, False, F(2, 5), "0.34999", STEPS),
    ([1], 2, weights(1, 9), "half", "ex-post", NO_GIFTS, FIVE, True, F(8, 9), "0.88801", 1),
    ([1], 2, weights(1, 9), "run-on", "ex-post", NO_GIFTS, FIVE, False, F(1), "0.99778", 1),
    ([1], 3, SUM, "run-on", "ex-post", NO_GIFTS, FIVE, False, F(2), "1.991", 1),
    ([1, 2], 2, SUM, "postpone", "dominant", NO_GIFTS, FIVE, False, F(1, 3), "0.33289", 1),
    ([1, 3], 2, SPAN, "run-on", "ex-post", NO_DEFICIT, FIVE, False, F(1, 4), "0.218748", STEPS),
    ([1, 2], 2, SPAN, "run-on", "ex-post", NO_DEFICIT, FIVE, False, F(0), "0", 1),
    ([1, 2], 3, SUM, "postpone", "dominant", NO_GIFTS, RANKED, False, F(1, 3), "0.33283", 1),
]
SLOW = (2, 3, 4, 7, 9)


def least_on(rule, domain, concept, conditions):
    """The least ratio of rent to S on a domain, by its certificate."""
    unpaid, question = bare(rule), Question(domain, concept, "rent-ratio", conditions=frozenset(conditions))
    graphs = envy(unpaid, domain, concept)
    payments = best_payments(question, graphs, plans(unpaid, rule.cluster, question.declared))
    assert payments.status == "optimal"
    certificate = as_certificate(question, unpaid, "a rule", payments=payments, graphs=graphs)
    assert f"least rent-ratio {payments.value}" in check_design.check(certificate).replace("with ", "least ")
    return payments.value


@pytest.mark.parametrize(
    ("powers", "agents", "goal", "tool", "concept", "conditions", "features", "own", "least", "printed", "share"),
    [pytest.param(*row, marks=[slow] if k in SLOW else []) for k, row in enumerate(TABLE)],
)
def test_no_payments_whatever_take_less(
    powers, agents, goal, tool, concept, conditions, features, own, least, printed, share
) -> None:
    rule, _ = setting_of(powers, goal, tool)
    design = design_formula(rule, agents, features, conditions, concept, own)
    bound = any_payments(design, rule)
    assert design.value == least
    assert F(printed) <= bound.value <= least * share
    assert (bound.domain is None) == (bound.value == 0)
    if bound.domain is not None and bound.domain.profiles < 100:
        assert least_on(rule, bound.domain, concept, conditions) == bound.value


def test_what_is_open_stays_open_by_these_domains() -> None:
    """Sum of three agents on two machines: formulas take 2; no payments less than 1, nearly. And 0 on small lengths."""
    rule, _ = setting_of([1, 2], SUM, "run-on")
    value = least_on(rule, Domain.of(TEN[::3], agents=3), "ex-post", NO_GIFTS)
    assert 1 - F(1, 10**5) < value < 1
    rule, _ = setting_of([1, 2], SPAN, "postpone")
    assert least_on(rule, Domain.of([1, 2, 3], agents=3), "ex-post", NO_DEFICIT) == 0


def test_bounds_of_intervals_of_other_domains_and_of_a_moment() -> None:
    rule, _ = setting_of([1], weights(1, 9), "run-on")
    design = design_formula(rule, 2, (*FIVE, "1"), concept="ex-post", lengths=Lengths(F(1), F(10)))
    bound = any_payments(design, rule, Lengths(F(1), F(10)))
    assert 0 < bound.value <= design.value
    assert all(1 <= x <= 10 for own in bound.domain.lengths for x in own)
    design = design_formula(rule, 2, concept="ex-post")
    own = Domain.of([[F(1), F(101, 100)], [F(1809, 200), F(1827, 200)]])
    late = any_payments(design, rule, own=own, clock=Clock(0))
    assert (late.value, late.complete) == (0, False)
    heard = []

    def stop(done, total, note="") -> None:
        heard.append(note)
        if len(heard) == 2:
            raise KeyboardInterrupt

    assert any_payments(design, rule, own=own, progress=stop).domain == own
    assert heard[0] == "payments of any form at 4 profiles"


def test_the_largest_payment_in_units_of_s_has_a_bound_too() -> None:
    rule = build("evcg-renice", Cluster.of([1]), setting_of([1], weights(1, 9), "run-on")[0].goal, penalty=1)
    design = design_formula(rule, 2, concept="ex-post", objective="payment-ratio")
    bound = any_payments(design, rule)
    assert F(1, 2) < bound.value < design.value == F(9, 10)


@pytest.mark.parametrize(
    ("form", "rows", "fails"),
    [
        ((-1, 1), ((-1, 1),), None),  # the cell is where it holds
        ((-1, 1), ((-2, 1),), None),  # it holds beyond the cell, too
        ((-1, 1), (), (1, 0)),
        ((1, 0), (), None),
    ],
)
def test_where_a_condition_fails_most(form: tuple[int, ...], rows: Any, fails: Any) -> None:
    question: Any = None  # which only names it
    condition = Condition("dominant", 0, question, (form,), tuple((row, False) for row in rows), (1, 1))
    assert condition.worst([1]) == fails
