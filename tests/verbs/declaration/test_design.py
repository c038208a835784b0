"""``design`` on kind ``declaration``: what is answered, how it is refused, and that the answer is a rule that holds."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from typing import Any

import pytest

import consortium
from consortium.mechanisms.declaration import build
from consortium.scheduling.clusters import Cluster
from consortium.support.errors import InputError, MechanismError, TooLargeError
from consortium.verbs.declaration.design import tool_of
from consortium.verbs.declaration.model import model
from consortium.verbs.declaration.options import Design, features

from .files import Queue, scenario

MAKESPAN = "agmon2003/6.10-makespan-enumerated"
GRID = {"domain": {"lengths": [1, 2, 3], "declarations": [1, 2, 3]}}


def three(rule: str = "light-vcg", **changes: Any) -> dict[str, Any]:
    """Two agents on one machine, each of 1, 2 or 3."""
    return scenario(mechanism={"rule": rule}, **(GRID | changes))


@pytest.mark.parametrize(
    ("source", "options", "value", "rule"),
    [
        (MAKESPAN, {"concept": "ex-post", "subject_to": ["no-deficit", "prices-nonnegative"]}, 2, 16),
        (MAKESPAN, {"concept": "ex-post"}, 0, 16),
        ("agmon2003/5.2.1", {}, 0, Fraction(31, 10)),
        ("agmon2003/5.9", {"subject_to": ["prices-nonnegative"]}, 0, 6),
        ("agmon2003/7.1-rent", {"least": "rent-sum"}, 6, Fraction(-319, 100)),
        ("agmon2003/3.1.2", {"least": "rent-sum", "concept": "ex-post"}, 18, None),
    ],
)
def test_the_least_rent_beside_the_rules(source: str, options: dict[str, Any], value: Any, rule: Any) -> None:
    record = consortium.design(source, **options)
    assert (record["status"], record.value, record.bound, record.verdict) == ("optimal", value, value, True)
    assert rule is None or record.compared[0].value == rule


def test_a_cycle_says_why_there_are_no_payments() -> None:
    record = consortium.design(three("vcg-renice"))
    assert (record["status"], record.verdict, record.value, record.table) == ("impossible", False, None, None)
    assert sum(case.later for case in record.cycle) == -2
    assert [(case.true, case.declared) for case in record.cycle] == [(1, 2), (2, 1)]
    assert record.least_fine == 1
    assert consortium.design(three("vcg-renice"), payments=1)["status"] == "optimal"
    assert consortium.design(three("vcg-renice"), payments="1/2")["status"] == "impossible"


def test_conditions_that_contradict_each_other_are_named() -> None:
    record = consortium.design(three("vcg-postpone"), subject_to=["no-deficit", "takes-part"])
    assert record["status"] == "impossible"
    assert {row.row[0] for row in record.rows} >= {"no-deficit", "takes-part"}
    assert consortium.design(three("vcg-postpone"), subject_to=["balanced", "cap=0"])["status"] == "optimal"


def test_without_a_floor_any_payments_will_do() -> None:
    record = consortium.design(three(), subject_to=[], concept="ex-post")
    assert (record["status"], record.value, record.rows) == ("implementable", None, ())
    assert len(record.table) == 9
    unpaid = consortium.design(three("vcg-postpone"), payments="none")
    assert (unpaid["status"], unpaid.value) == ("implementable", 0)
    refuted = consortium.design(three(), payments="none", concept="ex-post")
    assert (refuted["status"], refuted.rows[0].row[0]) == ("impossible", "truth")


@pytest.mark.parametrize(
    ("source", "options"),
    [
        (three("vcg-postpone"), {"subject_to": ["prices-nonnegative"]}),
        (three("vcg-renice"), {"concept": "ex-post", "most": "strictness"}),
        (three(), {"concept": "ex-post", "allocation": "any"}),
        (three("harsh"), {}),
        (MAKESPAN, {"concept": "ex-post", "subject_to": ["no-deficit", "prices-nonnegative"]}),
        ("agmon2003/7.1-rent", {"least": "spread"}),
    ],
)
def test_the_answer_is_a_rule_that_holds(source: Any, options: dict[str, Any]) -> None:
    record = consortium.design(source, **options)
    designed = consortium.load(source, {"mechanism": record.to_dict()["mechanism"]})
    verified = consortium.verify(designed, property=options.get("concept", "dominant"))
    assert verified.verdict is True
    assert verified.properties["rent_nonnegative"].holds is True
    assert not [row for _, _, row in consortium.check(record) if row.holds is False]


@pytest.mark.parametrize(
    ("lottery", "corners"),
    [
        ("lottery", [(2, 50), (Fraction(3, 2), Fraction(101, 2)), (0, 54)]),
        ("any", [(3, 50), (2, 53), (0, 54)]),
    ],
)
def test_the_frontier_of_rent_and_cost(lottery: str, corners: list[tuple[Any, Any]]) -> None:
    options = {"allocation": lottery, "concept": "ex-post", "subject_to": ["prices-nonnegative"], "frontier": True}
    record = consortium.design(three(), **options)
    assert [(corner.rent, corner.cost) for corner in record.frontier] == corners
    assert record.value == 50


def test_a_custom_rule_is_asked_for_its_output_times_only() -> None:
    record = consortium.design(three(), mechanism=Queue())
    assert record.mechanism is None
    assert record["status"] in ("optimal", "impossible")
    with pytest.raises(InputError, match="found a custom mechanism"):
        consortium.design(three(), mechanism=Queue(), allocation="any")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"least": "rent", "subject_to": []}, "found no floor under the payments"),
        ({"most": "rent"}, "found no limit of the payments"),
        ({"most": "rent", "least": "rent"}, "found 'rent' besides least"),
        ({"frontier": True}, "expected allocation = 'any' or 'lottery'"),
        ({"least": "rent-prior"}, "expected a table \\[prior\\]"),
        ({"subject_to": ["no-deficits"]}, "Did you mean 'no-deficit'"),
        ({"subject_to": ["cap"]}, "cap=NUMBER"),
        ({"subject_to": ["cap=1", "cap=2"]}, "each condition once"),
        ({"payments": -1}, "a number >= 0"),
    ],
)
def test_questions_without_an_answer_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        consortium.design(three(), **options)


@pytest.mark.parametrize("source", ["agmon2003/7.5.1-truth", "agmon2003/4.4-off-equilibrium"])
def test_prices_that_are_not_known_in_advance_are_refused(source: str) -> None:
    with pytest.raises(InputError, match="whose price is known in advance"):
        consortium.design(source)


def test_limits_and_time() -> None:
    record = consortium.design(three("vcg-postpone"), time_limit=0)
    assert (record["status"], record.verdict, record.complete) == ("open", None, False)
    many = scenario(
        mechanism={"rule": "light-vcg"}, domain={"lengths": [*range(1, 40)], "declarations": [*range(1, 40)]}
    )
    with pytest.raises(TooLargeError, match="comparisons of the truth with a lie are too many"):
        consortium.design(many, allocation="any")
    assert consortium.estimate("design", three()).size == 18


def test_a_job_that_only_a_lie_ends_is_hopeless() -> None:
    class Spiteful:
        """Whoever declares 1 gets her output; whoever declares more does so only if that is not the truth."""

        def run(self, declared: Any, lengths: Any) -> Any:
            from types import SimpleNamespace

            late = float("inf")
            output = [late if b == x == 2 else 100 * b for b, x in zip(declared, lengths, strict=True)]
            return SimpleNamespace(output=output, payments=[0] * len(declared))

    record = consortium.design(scenario(domain={"lengths": [1, 2], "declarations": [1, 2]}), mechanism=Spiteful())
    assert record["status"] == "impossible"
    assert [case.later for case in record.cycle] == [float("-inf")]


def test_the_job_control_of_a_rule_is_written_as_files_say_it() -> None:
    tools = {"light-vcg": "bare", "harsh": "kill", "vcg-renice": "renice", "vcg-postpone": "postpone"}
    mechanisms = {rule: {"rule": rule} for rule in tools}
    mechanisms["designed"] = {"rule": "designed", "tool": "order-only", "price": "0"}
    for rule, mechanism in mechanisms.items():
        built: Any = model(consortium.load(scenario(mechanism=mechanism))).mechanism
        assert tool_of(built)["tool"] == tools.get(rule, "order-only")


@pytest.mark.parametrize(
    ("source", "options", "says"),
    [
        ("agmon2003/5.9", {}, "with rent 0"),
        ("agmon2003/5.9", {"allocation": "lottery", "concept": "ex-post"}, "with cost 17"),
        ("agmon2003/5.9", {"subject_to": ["no-deficit", "takes-part"]}, "no payments make the truth best"),
        (MAKESPAN, {}, "no payments known in advance"),
    ],
)
def test_certificates_are_checked_and_compared_with_the_rule(
    source: str, options: dict[str, Any], says: str, tmp_path: Any
) -> None:
    path = tmp_path / "design.json.gz"
    record = consortium.design(source, certificate=str(path), **options)
    assert record.certificate == str(path)
    rows = [row for _, _, row in consortium.check(path, against=source)]
    assert [row.holds for row in rows] == [True, True]
    assert says in rows[0].actual
    other = consortium.load(source, {"cluster.powers": [7, 5]})
    assert [row.holds for _, _, row in consortium.check(path, against=other)] == [True, False]


def test_the_bound_of_a_formula_has_a_certificate(tmp_path: Any) -> None:
    weighted = three("evcg-renice", welfare={"goal": "weighted-sum", "weights": {"ann": 1, "bob": 9}})
    weighted["mechanism"]["penalty"] = 1
    path = str(tmp_path / "bound.json")
    template = ["S", "E", "W", "own", "all"]
    record = consortium.design(weighted, template=template, concept="ex-post", certificate=path)
    assert (record["status"], record.value, record.method) == ("optimal", Fraction(8, 11), "template")
    ((_, _, row),) = consortium.check(path)
    assert (row.holds, "r is at least 8/11" in row.actual) == (True, True)
    priced = consortium.load(weighted, {"mechanism": record.to_dict()["mechanism"]})
    assert consortium.prove(priced, property="ex-post").verdict
    none = consortium.design(weighted, template=["S", "E"], concept="ex-post")
    assert (none["status"], len(none.rows)) == ("impossible", 3)
    with pytest.raises(InputError, match="a formula has the least"):
        consortium.design(weighted, template=template, least="spread")
    with pytest.raises(InputError, match=r"certificate: .*: found a custom mechanism"):
        consortium.design(three(), mechanism=Queue(), certificate=path)


def test_a_bound_of_0_needs_a_floor_and_no_rows(tmp_path: Any) -> None:
    path = tmp_path / "bound.json"
    record = consortium.design(three("vcg-postpone"), template=["S", "E"], certificate=str(path))
    assert (record.value, record.rows, record.certificate) == (0, (), str(path))
    ((_, _, row),) = consortium.check(path)
    assert (row.holds, "r is at least 0, by 0 limit situations" in row.actual) == (True, True)
    bottomless = json.loads(path.read_text()) | {"conditions": []}
    path.write_text(json.dumps(bottomless))
    assert "nothing keeps r from falling" in consortium.check(path)[0][2].actual


def test_the_scenario_under_the_rule_found_is_written(tmp_path: Any) -> None:
    path = str(tmp_path / "designed.toml")
    record = consortium.design(MAKESPAN, concept="ex-post", subject_to=["prices-nonnegative"], output=path)
    assert (record.value, record.output) == (2, path)
    verified = consortium.verify(path, property="ex-post")
    assert verified.ex_post.holds
    assert consortium.load(path).expect["design"]["value"] == 2
    rows = {(verb, row.key): row.holds for _, verb, row in consortium.check(path)}
    assert rows == {("verify", "ex_post.holds"): True, ("design", "value"): True}
    compared = consortium.design(path, concept="ex-post", subject_to=["prices-nonnegative"]).compared
    assert [(row.rule, row.value) for row in compared] == [("designed", 2)]
    with pytest.raises(InputError, match="it is a folder"):
        consortium.design(three("vcg-postpone"), output=str(tmp_path))
    with pytest.raises(InputError, match=r"output: found .*one.json, the file of the certificate; expected another"):
        consortium.design(MAKESPAN, output=tmp_path / "one.json", certificate=tmp_path / "one.json")


def test_payments_with_a_fine_are_no_rule_without_it(tmp_path: Any) -> None:
    path = tmp_path / "fined.toml"
    unpaid = consortium.design(MAKESPAN, output=str(path))  # none exist, so nothing is written
    assert (unpaid["status"], unpaid.output) == ("impossible", None)
    record = consortium.design(MAKESPAN, payments=unpaid.least_fine)
    assert (record["status"], record.mechanism) == ("optimal", None)
    assert "a fine of 2/3 on each lie that is seen" in str(record)


def by_declaration(cluster: Cluster) -> Any:
    """The shortest first on the only machine."""
    return build("evcg-postpone", cluster, allocate=lambda b: [sorted(range(len(b)), key=lambda n: (b[n], n))])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"payments": 1}, "payments = 1, a fine, is part of it; expected payments = 'any'"),
        ({"allocation": "lottery"}, "a lottery is part of it; expected allocation = 'any' or 'rule'"),
        ({"mechanism": Queue()}, r"Queue is code; expected a function of the cluster \(FILE.py:FUNCTION\) .*build"),
        ({"mechanism": by_declaration, "template": ["E"]}, r"build.*tool=.postpone., price=FORMULA"),
        ({"mechanism": by_declaration, "penalty_template": ["E"]}, "penalty=FORMULA"),
    ],
)
def test_an_output_that_cannot_be_is_refused_before_any_work(
    options: Any, message: str, tmp_path: Any, monkeypatch: Any
) -> None:
    path = tmp_path / "found.toml"
    for work in ("_paid", "_designed", "_formula", "_penalty"):
        monkeypatch.setattr(f"consortium.verbs.declaration.design.{work}", None)
    with pytest.raises(InputError, match=f"output: no file can hold the rule: .*{message}"):
        consortium.design(three(), output=str(path), **options)


def test_where_paying_nothing_is_as_good_nobody_pays(tmp_path: Any) -> None:
    scenario = three("postpone-unpaid", cluster={"powers": [1]})
    path = tmp_path / "nothing.json"
    for options in ({}, {"subject_to": []}, {"least": "rent-sum"}):
        record = consortium.design(scenario, **options, certificate=str(path))
        assert {paid for row in record.table for paid in row.payments.values()} == {0}
        assert "obody has to pay anything" in str(record)
        assert all(row.holds for _, _, row in consortium.check(path))
    spread = consortium.design(scenario, least="spread")  # here to pay something is better
    assert {paid for row in spread.table for paid in row.payments.values()} != {0}
    assert "The prices below are one way to reach it" in str(spread)


def test_a_formula_written_to_a_file_expects_its_proof(tmp_path: Any) -> None:
    path = str(tmp_path / "formula.toml")
    consortium.design(three("vcg-postpone", cluster={"powers": [1]}), template=["S", "E"], output=path)
    assert [(verb, row.key, row.holds) for _, verb, row in consortium.check(path)] == [
        ("prove", "dominant.status", True)
    ]


def test_a_table_for_an_allocation_of_ones_own_is_written(tmp_path: Any) -> None:
    path = str(tmp_path / "found.toml")
    record = consortium.design(three(cluster={"powers": [1]}), mechanism=by_declaration, output=path)
    assert record.output == path
    assert consortium.verify(path, property="dominant").verdict is True


def test_each_agent_can_have_a_formula_of_her_own() -> None:
    weighted = three("evcg-renice", welfare={"goal": "weighted-sum", "weights": {"ann": 1, "bob": 9}})
    weighted["mechanism"]["penalty"] = "1/2"
    options: dict[str, Any] = {"template": ["S", "E", "W", "own", "all"], "concept": "ex-post"}
    options["subject_to"] = ["prices-nonnegative"]
    record = consortium.design(weighted, **options, per_agent=True)
    assert (record["status"], record.value, set(record.formula)) == ("optimal", Fraction(8, 9), {"ann", "bob"})
    bound = record.any_payments
    assert 0 < bound.gap == record.value - bound.bound < Fraction(1, 1000)
    assert consortium.design(weighted, **options).value == Fraction(17, 19)
    assert (len(record.price.piecewise()), record.to_latex().count("\\[ P_n(b) = ")) == (2, 2)
    assert f"bob pays {record.mechanism['price']['bob']}." in str(record)
    designed = consortium.load(weighted, {"mechanism": record.to_dict()["mechanism"]})
    assert consortium.verify(designed, property="ex-post").verdict
    unequal = three("designed")
    unequal["mechanism"]["price"] = {"ann": "own - E", "bob": "2*S - E"}
    gains = [consortium.verify(unequal, method=method).ex_post.max_gain for method in ("kernel", "general")]
    assert gains == [3, 3]
    assert consortium.prove(designed, property="ex-post").verdict
    assert {row.rule: row["values"]["ex_post"] for row in consortium.compare(designed).rows}["designed"] is True
    assert not [row for _, _, row in consortium.check(record, time_limit=60) if row.holds is False]
    for wrong, message in (
        ({"per_agent": True}, "without a template"),
        ({"per_agent": True, "template": ["S"], "subject_to": ["balanced", "anonymous"]}, "besides anonymous"),
    ):
        with pytest.raises(InputError, match=message):
            consortium.design(weighted, **wrong)


def test_a_penalty_is_designed_for_the_prices_of_the_rule(tmp_path: Any) -> None:
    weighted = three("evcg-postpone", welfare={"goal": "weighted-sum", "weights": {"ann": 1, "bob": 9}})
    bound, found = (str(tmp_path / name) for name in ("bound.json", "found.toml"))
    record = consortium.design(weighted, penalty_template=["S", "own"], certificate=bound, output=found)
    assert (record["status"], record.value, record.objective) == ("optimal", Fraction(8, 11), "least penalty-ratio")
    assert (record.penalty, record.formula, record.subject_to) == ({"S": Fraction(8, 11), "own": 0}, None, ())
    assert record.mechanism == {"rule": "evcg-postpone", "penalty": "8/11*S"}
    assert "What is left of a job longer than declared waits 8/11*S after its planned end." in str(record)
    assert r"\[ s_n(b) = \frac{8 S(b)}{11} \]" in record.to_latex()
    ((_, _, row),) = consortium.check(bound)
    assert (row.holds, "waits in S, own" in row.actual, "r is at least 8/11" in row.actual) == (True, True, True)
    assert not [row for _, _, row in consortium.check(record, time_limit=60) if row.holds is False]
    command = [sys.executable, "-m", "consortium", "prove", found, "--property", "dominant"]
    fresh = subprocess.run(command, capture_output=True, text=True, check=True)  # exit code 0: proved
    assert fresh.stdout.startswith("Telling the truth is a best reply whatever the others declare")
    assert "Impossible for penalties of" in str(consortium.design(weighted, penalty_template=["own - other(1)"]))


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ({}, {"template": ["S"]}, "template: found S besides penalty_template.*unknown together"),
        ({}, {"per_agent": True}, "per_agent: found True besides penalty_template.*one penalty is for all"),
        ({}, {"subject_to": ["balanced"]}, "subject_to: found"),
        ({}, {"mechanism": Queue()}, "penalty_template: Queue: found a custom mechanism"),
        ({}, {"penalty_template": ["S*S"]}, r"penalty_template: S\*S, column 2: found a product"),
        ({"rule": "vcg-renice"}, {}, "expected one that postpones"),
        ({"rule": "verified"}, {}, "is paid after the run"),
        ({"rounds": 2}, {}, "in two rounds"),
    ],
)
def test_what_no_penalty_is_designed_for_is_said(changes: Any, options: Any, message: str) -> None:
    source = scenario(mechanism={"rule": "vcg-postpone"} | changes)
    with pytest.raises(InputError, match=message):
        consortium.design(source, **{"penalty_template": ["S"], **options})


def test_one_formula_for_all_is_anonymous_and_of_a_domain_the_least_is_said_beside_it() -> None:
    source, template = three("evcg-postpone", cluster={"powers": [1, 2]}), ["S", "E", "own", "all"]
    conditions = ["prices-nonnegative", "anonymous"]
    record = consortium.design(source, template=template, subject_to=conditions)
    assert (record.subject_to, record.value) == (tuple(conditions), Fraction(1, 3))
    least = consortium.design(source, least="rent-ratio", subject_to=["prices-nonnegative"]).value
    assert least == Fraction(1, 7)
    assert least < record.any_payments.bound < Fraction(1, 3)
    lengths = {key: [str(x) for x in own] for key, own in record.any_payments.lengths.items()}
    again = three("evcg-postpone", cluster={"powers": [1, 2]}, domain={"lengths": lengths, "declarations": lengths})
    asked = consortium.design(again, least="rent-ratio", subject_to=["prices-nonnegative"])
    assert asked.value == record.any_payments.bound
    zero = consortium.design(three("vcg-postpone"), template=["E", "S"])
    assert (zero.any_payments.bound, zero.any_payments.gap, zero.any_payments.lengths) == (0, 0, None)
    assert "No payments of any form have less." in str(zero)


def test_features_are_split_outside_parentheses() -> None:
    assert features("S,max(own,2), other(1)") == ["S", "max(own,2)", "other(1)"]
    assert Design().subject_to == ("no-deficit",)
    with pytest.raises(MechanismError):
        consortium.design(three(), mechanism=lambda cluster: 3)

    def listed(declared: Any) -> Any:
        return [list(range(len(declared)))]

    with pytest.raises(MechanismError, match=r"is build\('designed', cluster, allocate=listed, price='0'\)"):
        consortium.design(three(), mechanism=listed)


def test_what_is_known_when_time_is_up_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    from consortium.games.design import programs

    def stopped(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(programs, "heard", stopped)
    record = consortium.design(three("vcg-postpone"), least="payment")
    assert (record["status"], record.bound, record.least_fine, record.complete) == ("open", 0, 0, False)
    large = three(domain={"lengths": [*range(1, 600)], "declarations": [*range(1, 600)]})
    with pytest.raises(TooLargeError, match="717,602 payments"):
        consortium.design(large)
    assert consortium.estimate("design", three(), template=["S", "E"]).unit == "coefficients"
