"""Payments designed for all lengths: the table of known values, each proved again and its bound added up again."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from fractions import Fraction as F
from operator import mul
from random import Random

import pytest

from consortium.games.design import check_bound, templates
from consortium.games.design.formulas import FormulaDesign, formula_of
from consortium.games.design.templates import design_formula
from consortium.games.proofs import Lengths, prove, prove_property, require
from consortium.games.proofs.execution import implied
from consortium.games.proofs.questions import ALL_LENGTHS
from consortium.games.proofs.statements import CONCEPTS
from consortium.mechanisms.declaration import build
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import Makespan, SumOfTimes, WeightedSum
from consortium.support.errors import InputError, MechanismError, UnknownNameError
from consortium.support.progress import Clock

from ..stand_alone import checker
from .bound_checker import refusal as refused_by_plain_runs

FIVE = templates.FEATURES
SUM, SPAN = ("sum", None), ("makespan", 1)
NO_DEFICIT, NO_GIFTS = ("no-deficit",), ("prices-nonnegative",)
TOOLS = {"run-on": ("evcg-renice", F(1)), "half": ("evcg-renice", F(1, 2)), "postpone": ("evcg-postpone", F(0))}


def replay_bound(certificate, setting, lengths=ALL_LENGTHS):
    """How the rule differs from a certificate that adds up (``check_bound``); empty where it does not.

    It is run again in the cell of each row, which has to come near the row's limit and to have its forms.
    """
    unknowns = certificate["unknowns"][1:-1]
    features, per_agent = tuple(dict.fromkeys(feature for feature, _ in unknowns)), unknowns[0][1] is not None
    objective, conditions, n_agents = (certificate[key] for key in ("objective", "conditions", "agents"))
    what = FormulaDesign("open", certificate["concept"], objective, conditions, features, n_agents, per_agent)
    every = templates._Search(what, setting, lengths).all
    questions = {(one.agent, one.side, one.names): (concept, one) for concept, one in every.questions()}
    for row in certificate["rows"]:
        statement, agent = row["statement"], None if row["agent"] is None else row["agent"] - 1
        limit, inside = tuple(row["limit"]), tuple(row["inside"])
        about = agent if statement in CONCEPTS else None
        concept, question = questions.get((about, row["side"], tuple(row["names"])), ("", None))
        if question is None:
            return f"{statement}: found a question that is none of its own"
        ends = [every.tree.leaf(run.point(inside)) for run in question.runs]
        tests = [(vector, inside, strict) for vector, strict in question.domain]
        for form in every.positive(question)(ends):
            tests += [(form, inside, True), (form, limit, False)]
        for run in question.runs:
            for test, answer in every.tree.path(run.point(inside))[0]:
                signs = [(form, -1 if below else 1) for form, below in implied(test, answer)]
                tests += [(tuple([sign * a for a in form]), run.point(limit), False) for form, sign in signs]
        if any(sum(map(mul, vector, z)) < strict for vector, z, strict in tests):
            return f"{statement}: found {row['limit']}, which is no limit of the cell of {row['inside']}"
        claims = [(one or concept, n, forms) for one, n, forms in every.claims(question, ends)]
        if (statement, agent, tuple(map(tuple, row["forms"]))) not in claims:
            return f"{statement}: found other forms than those of the rule"
    return ""


def refusal(certificate, plain, rule=None):
    """Why a certificate proves nothing, by the small checker and the package's own runs, or by plain runs alone."""
    if rule is None:
        return refused_by_plain_runs(certificate, plain)
    try:
        check_bound.check(certificate)
    except check_bound.Refused as why:
        return str(why)
    return replay_bound(certificate, rule) or None


def weights(*numbers):
    return "weighted-sum", tuple(map(F, numbers))


def setting_of(powers, goal, tool):
    """A rule, and the same for the plain reference."""
    made = {"sum": SumOfTimes, "makespan": Makespan, "weighted-sum": lambda: WeightedSum(goal[1])}[goal[0]]()
    rule, penalty = TOOLS[tool]
    return build(rule, Cluster.of(powers), made, penalty=penalty), (tuple(map(F, powers)), goal, rule, penalty)


slow = pytest.mark.exhaustive
TABLE = [
    # powers, agents, goal, tool, concept, conditions, features, per agent, least r
    ([1], 2, weights(1, 9), "run-on", "ex-post", NO_DEFICIT, FIVE, False, F(8, 11)),
    ([1], 2, weights(1, 9), "half", "ex-post", NO_DEFICIT, FIVE, False, F(8, 11)),
    ([1], 2, weights(1, 2), "run-on", "ex-post", NO_DEFICIT, FIVE, False, F(1, 4)),
    ([1], 2, weights(1, 3), "run-on", "ex-post", NO_DEFICIT, FIVE, False, F(2, 5)),
    ([1], 2, weights(1, 9), "half", "ex-post", NO_GIFTS, FIVE, True, F(8, 9)),
    ([1], 2, weights(1, 9), "run-on", "ex-post", NO_GIFTS, FIVE, False, F(1)),
    ([1], 2, SUM, "run-on", "ex-post", NO_GIFTS, FIVE, False, F(1)),
    ([1], 3, SUM, "run-on", "ex-post", NO_GIFTS, FIVE, False, F(2)),
    ([1, 2], 2, SUM, "postpone", "dominant", NO_GIFTS, FIVE, False, F(1, 3)),
    ([1, 2], 2, SPAN, "run-on", "ex-post", NO_DEFICIT, FIVE, False, F(0)),
    ([1, 2], 2, SPAN, "run-on", "ex-post", ("balanced",), ("W", "E", "own", "all"), False, F(0)),
    ([1, 3], 2, SPAN, "run-on", "ex-post", NO_DEFICIT, FIVE, False, F(1, 4)),
    ([1], 4, SUM, "run-on", "ex-post", NO_GIFTS, ("E", "all"), False, F(3)),
    ([1, 2], 3, SUM, "run-on", "ex-post", NO_GIFTS, FIVE, False, F(2)),
    ([1, 2], 3, weights(1, 9, 5), "run-on", "ex-post", NO_DEFICIT, FIVE, False, F(8, 19)),
    ([1, 2], 3, SUM, "postpone", "dominant", NO_GIFTS, ("S", "E", "own", "all"), False, F(4, 5)),
    ([1, 2], 3, SUM, "postpone", "dominant", NO_GIFTS, (*FIVE, "other(1)", "other(2)"), False, F(1, 3)),
    ([1, 2], 3, SPAN, "run-on", "ex-post", NO_DEFICIT, FIVE, False, F(2, 7)),
    ([1, 2], 3, SPAN, "postpone", "ex-post", NO_DEFICIT, FIVE, False, F(2, 7)),
]
FAST = 12


@pytest.mark.parametrize(
    ("powers", "agents", "goal", "tool", "concept", "conditions", "features", "per_agent", "least"),
    [pytest.param(*row, marks=[slow] if k >= FAST else []) for k, row in enumerate(TABLE)],
)
def test_least_rents_for_all_lengths(
    powers, agents, goal, tool, concept, conditions, features, per_agent, least
) -> None:
    rule, plain = setting_of(powers, goal, tool)
    design = design_formula(rule, agents, features, conditions, concept, per_agent)
    assert (design.status, design.value, design.bound) == ("optimal", least, least)
    assert refusal(design.bound_certificate(), plain) is refusal(design.bound_certificate(), plain, rule) is None
    mechanism = design.mechanism
    if not per_agent:
        mechanism = build(
            "designed", rule.cluster, rule.goal, tool=rule.tools.alive, penalty=rule.penalty, price=design.formulas[0]
        )
    names = {templates.CONDITIONS[condition] for condition in conditions} | {concept}
    assert all(prove(mechanism, agents, name, method="code").holds for name in names)

    def rent(*b):
        plan = mechanism.plan(b)
        require(sum(plan.payments) <= least * plan.optimal_sum, "the rent is at most so much of S")

    assert prove_property(rent, agents).holds
    assert all(proof.holds for proof in design.proofs.values())
    assert len(design.proofs) == len(conditions) + 2


def test_a_template_too_small_is_impossible_for_three_situations() -> None:
    rule, plain = setting_of([1], weights(1, 9), "run-on")
    design = design_formula(rule, 2, ("S", "E"), concept="ex-post")
    assert (design.status, design.value, design.bound, design.formulas) == ("impossible", None, None, ())
    assert sorted(limit.condition.statement for limit in design.limits) == ["ex-post", "ex-post", "no-deficit"]
    assert refusal(design.bound_certificate(), plain) is None


@pytest.mark.parametrize("omega", [F(3, 2), F(101, 100), F(100), F(7, 3)])
def test_weights_on_one_machine_as_in_the_closed_form(omega) -> None:
    rule, plain = setting_of([1], weights(1, omega), "run-on")
    best = "other(1) + min(own, other(1))/2"  # the rule of the theorem is one multiple of this, minus E
    design = design_formula(rule, 2, (best, "E"), concept="ex-post")
    assert design.value == (omega - 1) / (omega + 2)
    assert design.coefficients == ({best: 1 + design.value, "E": F(-1)},)
    assert refusal(design.bound_certificate(), plain) is None


def random_case(seed):
    rng = Random(seed)
    powers = rng.choice([[1], [1, 1], [1, 2], [2, 3]])
    goal = rng.choice([SUM, SPAN, weights(1, rng.randint(2, 6))])
    tool = rng.choice([*TOOLS])
    features = rng.sample([*FIVE, "other(1)", "max(own, other(1))", "min(E, own)", "1"], rng.randint(2, 6))
    conditions = rng.sample([*templates.CONDITIONS], rng.randint(1, 2))
    concept = rng.choice(["ex-post", "ex-post", "dominant"])
    return powers, goal, tool, features, conditions, concept, rng.random() < 0.3, rng.choice(templates.OBJECTIVES)


@pytest.mark.parametrize("seeds", [range(6), pytest.param(range(100, 180), marks=slow)])
def test_answers_of_random_templates_are_proved_on_both_sides(seeds) -> None:
    seen = set()
    for seed in seeds:
        powers, goal, tool, features, conditions, concept, per_agent, objective = random_case(seed)
        rule, plain = setting_of(powers, goal, tool)
        design = design_formula(rule, 2, features, conditions, concept, per_agent, objective=objective)
        assert refusal(design.bound_certificate(), plain) is refusal(design.bound_certificate(), plain, rule) is None
        assert design.status == ("impossible" if design.bound is None else "optimal"), seed
        assert all(proof.holds for proof in design.proofs.values()), seed
        seen.add(design.status)
    assert seen == {"optimal", "impossible"}


def attacks(certificate):
    """Certificates with one thing changed that matters."""
    for k, row in enumerate(certificate["rows"]):
        for change in (
            {"multiplier": [-row["multiplier"][0], row["multiplier"][1]]},
            {"multiplier": [row["multiplier"][0] + 1, row["multiplier"][1]]},
            {"limit": [*row["limit"][:-1], row["limit"][-1] + 1]},
            {"inside": [*row["inside"][:-1], 0]},
            {"statement": "balanced" if row["statement"] != "no-deficit" else "rent-ratio"},
            {"side": {"below": "above", "above": "below", "": "below"}[row["side"]], "agent": 3 - (row["agent"] or 2)},
            {"forms": [row["forms"][0], row["forms"][2], row["forms"][1], *row["forms"][3:]]},
            {"tests": [{"row": [-a for a in test["row"]], "strict": True} for test in row["tests"]]},
        ):
            changed = copy.deepcopy(certificate)
            changed["rows"][k] |= change
            yield changed
        yield {**certificate, "rows": certificate["rows"][:k] + certificate["rows"][k + 1 :]}
    yield {**certificate, "bound": [1, 100] if certificate["bound"] is None else [9, 10]}


@pytest.mark.parametrize("features", [FIVE, ("S", "E")])
def test_changed_certificates_are_refused(features) -> None:
    rule, plain = setting_of([1], weights(1, 9), "run-on")
    certificate = design_formula(rule, 2, features, concept="ex-post").bound_certificate()
    for known in ((plain,), (plain, rule)):
        assert refusal(certificate, *known) is None
        assert [changed for changed in attacks(certificate) if refusal(changed, *known) is None] == []


@pytest.mark.parametrize(
    ("text", "code", "start"),
    [
        (
            None,
            0,
            "For 2 agents and payments in S, E, W, own, all (ex-post, no-deficit, rent-ratio): "
            "in units of S, r is at least 8/11",
        ),
        ("[1]", 2, "Unreadable: not a certificate"),
        ("{", 2, "Unreadable: "),
        (
            '{"kind": "proof", "format": 1}',
            2,
            "Unreadable: expected a certificate of kind 'formula-bound'",
        ),
        ("wrong", 1, "Refused: the rows add up to "),
    ],
)
def test_the_checker_stands_alone(text, code, start, tmp_path) -> None:
    rule, _ = setting_of([1], weights(1, 9), "run-on")
    certificate = design_formula(rule, 2, concept="ex-post").bound_certificate()
    if text in (None, "wrong"):
        text = json.dumps(certificate | ({} if text is None else {"bound": [9, 10]}))
    path = tmp_path / "bound.json"
    path.write_text(text)
    answer = subprocess.run(
        [sys.executable, "-I", checker("formula-bound"), str(path)], capture_output=True, text=True, check=False
    )
    assert (answer.returncode, answer.stdout[: len(start)], answer.stderr) == (code, start, "")


def test_lengths_of_an_interval_without_the_jump_cost_nothing() -> None:
    rule, _ = setting_of([1], weights(1, 9), "run-on")
    near, far = (
        design_formula(rule, 2, (*FIVE, "1"), concept="ex-post", lengths=Lengths(F(1), F(end))) for end in (8, 10)
    )
    assert (near.value, far.value) == (0, F(8, 11))


def test_the_same_answer_twice() -> None:
    rule, _ = setting_of([1], weights(1, 9), "run-on")
    one, other = (design_formula(rule, 2, concept="ex-post") for _ in range(2))
    assert one.bound_certificate() == other.bound_certificate()
    assert one.formulas == other.formulas


def test_a_limit_keeps_what_the_ratio_is_at_least() -> None:
    rule, plain = setting_of([1], weights(1, 3), "run-on")
    bounds = []
    for rounds in (0, 2, 4, 6):
        calls = iter(range(rounds))

        def stop(done, total, note="", calls=calls) -> None:
            if next(calls, None) is None:
                raise KeyboardInterrupt

        design = design_formula(rule, 2, concept="ex-post", progress=stop)
        assert (design.status, design.limit, design.value) == ("open", "ctrl-c", None)
        assert refusal(design.bound_certificate(), plain) is None
        bounds.append(design.bound)
    assert bounds == sorted(bounds)
    assert bounds[-1] == F(2, 5)
    late = design_formula(rule, 2, concept="ex-post", clock=Clock(0))
    assert (late.status, late.limit, late.bound) == ("open", "time", 0)


class Counting:
    """An allocation rule with a memory."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, declared):
        self.calls += 1
        return [[0, 1]] if self.calls < 40 else [[1, 0]]


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"features": ("S", "S")}, InputError, "template: found S, S"),
        ({"features": ()}, InputError, "template: found no features"),
        ({"features": ("S*own",)}, InputError, r"template: S\*own, column 2: found a product of two quantities"),
        ({"features": ("other(2)",)}, InputError, r"other\(2\) with 2 agents"),
        ({"conditions": ()}, InputError, "subject_to: found no floor"),
        ({"conditions": ("no-defizit",)}, UnknownNameError, "no-deficit"),
        ({"concept": "expost"}, UnknownNameError, "ex-post"),
        ({"objective": "rent"}, UnknownNameError, "rent-ratio"),
        ({"n_agents": 0}, InputError, "agents: found 0"),
        ({"setting": build("verified", Cluster.of([1]))}, InputError, "design: found verified"),
        ({"setting": build("vcg-renice", Cluster.of([1]), rounds=2)}, InputError, "design: found TwoRounds"),
        ({"setting": build("harsh", Cluster.of([1]), allocate=Counting())}, MechanismError, "two answers"),
    ],
)
def test_what_cannot_be_designed_is_said(arguments, error, text) -> None:
    usual = {"setting": build("evcg-renice", Cluster.of([1])), "n_agents": 2, "concept": "ex-post"}
    with pytest.raises(error, match=text):
        design_formula(**(usual | arguments))


def test_custom_allocations_are_designed_for_too() -> None:
    """Shortest first by hand is the sum's allocation but for ties, so that a half of S each is balanced."""
    by_hand = build(
        "evcg-renice",
        Cluster.of([1]),
        penalty=1,
        allocate=lambda b: [[0, 1]] if b[0] < b[1] else [[1, 0]],
    )
    design = design_formula(by_hand, 2, ("S", "E"), ("balanced",), "ex-post")
    assert (design.value, design.formulas) == (0, ("S/2 - E",))


def test_formulas_are_written_as_files_hold_them() -> None:
    coefficients = {"S": F(3, 7), "E": F(-1), "all": F(0), "own + E": F(2), "max(own, E)": F(-1, 2), "W": F(1)}
    assert formula_of(coefficients) == "3/7*S + 2*(own + E) + W - E - max(own, E)/2"
    assert (formula_of({"S": F(0)}), formula_of({"E": F(-2)})) == ("0", "-2*E")
