"""``prove`` for all real lengths: what it proves, leaves open, refuses and writes."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import consortium
from consortium.games.proofs import certificate
from consortium.games.proofs.prover import Prover
from consortium.mechanisms.declaration import build
from consortium.mechanisms.declaration.claims import CLAIMS, GROUPS, claims_of
from consortium.reports.figures import figure_of
from consortium.scheduling.clusters import Cluster
from consortium.support.errors import NotKeptError
from consortium.support.status import Status
from consortium.verbs.declaration.prove import mechanism_of

from ...command_line import command
from ...reports.cases import cluster
from .files import Queue

RULES = ("straightforward", "light-vcg", "harsh", "vcg-renice", "vcg-postpone", "postpone-unpaid", "verified")


def verdicts(record: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every row of a record of ``verify`` or ``prove``, by name."""
    yield from (("dominant", record.dominant), ("ex_post", record.ex_post))
    for name, row in record.properties.items():
        if name != "any_others":
            yield name, row
    yield from ((f"any {name}", row) for name, row in record.properties["any_others"].items())


@pytest.mark.parametrize("rule", RULES)
def test_proofs_and_enumeration_never_disagree(rule: str) -> None:
    tried = dict(verdicts(consortium.verify(cluster(rule) | {"domain": {"lengths": [1, 2, 3]}})))
    proved = dict(verdicts(consortium.prove(cluster(rule))))
    assert [name for name in proved if name != "payments_nonnegative"] == list(tried)
    for name, row in proved.items():
        assert row.holds is not None
        assert name not in tried or not (row.holds and tried[name].holds is False), name
        assert row.status == ("proved" if row.holds else "refuted")
        assert (row.witness is None) == row.holds
        assert row.scope == "2 agents, 1 machine of power 1, all positive lengths; not for all N"


@pytest.mark.parametrize(
    ("lengths", "scope"),
    [
        ("positive", "all positive lengths"),
        ({"from": 0, "to": 3}, "all positive lengths up to 3"),
        ({"from": "1/2", "to": 3}, "all lengths from 1/2 to 3"),
    ],
)
def test_a_domain_that_cannot_be_enumerated_is_proved(lengths: Any, scope: str) -> None:
    record = consortium.prove(cluster("light-vcg") | {"domain": {"lengths": lengths}})
    assert record.method == "proof"
    assert record.to_dict()["domain"] == {"lengths": lengths}
    assert f", {scope};" in record.dominant.scope
    numbers = [*record.dominant.witness.lengths.values(), *record.dominant.witness.declarations.values()]
    ends = lengths if isinstance(lengths, dict) else {"from": 0, "to": 10**9}
    assert all(Fraction(ends["from"]) <= x <= ends["to"] and x > 0 for x in numbers)


@pytest.mark.parametrize("verb", ["search", "verify", "compare"])
def test_what_enumerates_refuses_such_a_domain(verb: str) -> None:
    source = cluster("light-vcg") | {"domain": {"lengths": {"from": 0, "to": 3}}}
    with pytest.raises(consortium.InputError) as refused:
        consortium.ask(verb, source)
    assert str(refused.value) == (
        "domain.lengths: found { from = 0, to = 3 }, more numbers than can be tried; expected lists of numbers "
        "(prove takes such a domain, and of search only the dynamics best-response-over-reals)"
    )
    assert consortium.run(source).agents[0].output == 2  # which needs no domain
    assert consortium.curve(source, "ann").truth == 2


def test_a_property_that_is_named_is_proved_alone() -> None:
    record = consortium.prove(cluster("vcg-postpone"), property="just")
    assert (record.verdict, record.status, record.complete) == (True, Status.PROVED, True)
    others = [row for name, row in verdicts(record) if name != "just"]
    assert {(row.holds, row.status, row.cells, row.limit) for row in others} == {(None, "open", 0, "not-asked")}
    everything = consortium.prove(cluster("vcg-postpone"))
    assert everything.properties["just"].holds
    assert everything.properties["budget_balanced"].holds is False
    assert (everything.status, everything.complete) == (Status.PROVED, True)  # that of dominant


def test_a_time_limit_leaves_the_rest_open() -> None:
    record = consortium.prove(cluster("vcg-postpone"), time_limit=0)
    assert (record.verdict, record.status, record.complete) == (None, Status.STOPPED, False)
    assert {row.status for _, row in verdicts(record)} == {"open"}
    assert record.dominant.limit == "time"
    rows = consortium.check(record)
    assert not [row for _, _, row in rows if row.holds is False]


def test_ctrl_c_keeps_what_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    prove = Prover.prove

    def interrupted(self: Prover, statement: str, *more: Any, **options: Any) -> Any:
        if statement == "ex-post":
            signal.raise_signal(signal.SIGINT)
        return prove(self, statement, *more, **options)

    monkeypatch.setattr(Prover, "prove", interrupted)
    record = consortium.prove(cluster("vcg-postpone"))
    assert record.dominant.holds
    assert (record.status, record.complete) == (Status.PROVED, False)
    left = [row for name, row in verdicts(record) if name != "dominant"]
    assert {(row.status, row.limit) for row in left} == {("open", "ctrl-c")}


class Sharing:
    """A mechanism of one's own: everybody waits for all, and pays as given."""

    def __init__(self, payment: Any) -> None:
        self.payment = payment

    def run(self, declared: Any, lengths: Any) -> Any:
        return SimpleNamespace(output=[sum(lengths)] * len(lengths), payments=[self.payment(b) for b in declared])


def test_a_mechanism_of_ones_own_is_proved_unchanged() -> None:
    record = consortium.prove(cluster("light-vcg"), mechanism=Sharing(lambda b: 0))
    assert record.dominant.holds
    assert [rule["rule"] for rule in record.to_dict()["custom_rules"].values()] == [f"{__name__}:Sharing"]
    lie = consortium.prove(cluster("light-vcg"), mechanism=Sharing(lambda b: max(0, 5 - b))).dominant
    assert lie.status == "refuted"
    assert lie.witness.replay == ()
    assert lie.witness.utility_lie - lie.witness.utility_truth == lie.max_gain > 0


def test_state_is_found_out() -> None:
    class Counting(Sharing):
        runs = 0

        def run(self, declared: Any, lengths: Any) -> Any:
            self.runs += 1
            return SimpleNamespace(output=[sum(lengths)] * len(lengths), payments=[self.runs] * len(declared))

    with pytest.raises(consortium.MechanismError, match="asked twice for lengths"):
        consortium.prove(cluster("light-vcg"), mechanism=Counting(None))


def test_what_refuses_another_statement_leaves_that_open() -> None:
    """The first lie looked at pays; only who goes on to long jobs meets the product."""
    short = Sharing(lambda b: b if b < 10**9 else b * b)
    record = consortium.prove(cluster("light-vcg"), mechanism=short)
    assert (record.verdict, record.status, record.complete) == (False, Status.REFUTED, False)
    rent = record.properties["rent_nonnegative"]
    assert (rent.status, rent.cells) == ("open", 0)
    assert rent.limit == "refused"
    with pytest.raises(consortium.MechanismError, match="a product of two symbolic numbers \\("):
        consortium.prove(cluster("light-vcg"), mechanism=short, property="rent-nonnegative")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"symbol": "mechanism.penalty"}, "symbol: found 'mechanism.penalty'; expected PATH=NAME, as in"),
        ({"symbol": "mechanism.penalty=p", "property": "just"}, "together with property 'just'; expected a concept"),
        (
            {"property": "bayesian"},
            "property: found 'bayesian', which verify tries case by case; expected one of dominant, ",
        ),
        ({"property": "group-ex-post"}, "property: found 'group-ex-post', which verify tries case by case"),
        ({"property": "jst"}, "property: 'jst' is not known"),
        ({"sample": 3}, "option of prove on kind 'declaration'"),
    ],
)
def test_options_that_are_not_for_proofs_are_refused(options: dict[str, Any], sentence: str) -> None:
    for ask in (consortium.prove, lambda source, **more: consortium.estimate("prove", source, **more)):
        with pytest.raises(consortium.ConsortiumError) as refused:
            ask(cluster("vcg-postpone"), **options)
        assert sentence in str(refused.value)


def test_custom_code_is_expected_to_branch_as_rules_do() -> None:
    source = {**cluster("custom"), "cluster": {"powers": [1]}}
    estimates = [consortium.estimate("prove", source, mechanism=rule) for rule in (Queue(), build_postpone)]
    plain = consortium.estimate("prove", {**source, "mechanism": {"rule": "vcg-postpone"}})
    assert all(row.seconds == pytest.approx(plain.seconds, rel=0.5) for row in estimates)
    assert all("custom code may branch more or less often" in row.note for row in estimates)


def test_a_list_of_lengths_restricts_no_proof() -> None:
    record = consortium.prove(cluster("light-vcg") | {"domain": {"lengths": [1]}}, property="dominant")
    assert record.domain.lengths == "positive"
    assert record.dominant.holds is False


def test_a_symbol_has_its_safe_values() -> None:
    record = consortium.prove("agmon2003/5.3-constant-up-to-3", symbol="mechanism.penalty=p", property="dominant")
    told = record.to_dict()
    assert told["dominant"]["holds"] is False  # of the penalty in the scenario, which is 2
    safe = told["dominant"]["safe"]
    assert {key: safe[key] for key in ("symbol", "from", "to", "from_included", "to_included")} == {
        "symbol": "p",
        "from": "8/3",
        "to": None,
        "from_included": True,
        "to_included": False,
    }
    assert Fraction(8, 3) - Fraction(1, 50) < Fraction(safe["refuted_at"]) < Fraction(8, 3)
    assert "safe" not in told["ex_post"]
    for penalty, holds in (("8/3", True), (3, True), (safe["refuted_at"], False), ("133/50", False)):
        again = consortium.prove(
            "agmon2003/5.3-constant-up-to-3", overrides={"mechanism.penalty": penalty}, property="dominant"
        )
        assert again.verdict is holds


def test_certificates_are_written_and_hold(tmp_path: Any) -> None:
    for name in ("proof.json", "proof.json.gz"):
        consortium.prove(cluster("vcg-postpone"), certificate=tmp_path / name)
        assert certificate.check(tmp_path / name).holds
    consortium.prove(cluster("light-vcg"), property="dominant", certificate=tmp_path / "none.json")
    assert not (tmp_path / "none.json").exists()  # nothing is proved


def build_postpone(machines: Cluster) -> Any:
    """In the order of the file, on the first machine."""
    return build("evcg-postpone", machines, allocate=lambda b: [[*range(len(b))], *([] for _ in machines.powers[1:])])


@pytest.mark.parametrize("asked", ["dominant", None])
def test_what_is_refuted_is_named_in_the_certificate_of_the_rest(asked: str | None, tmp_path: Path) -> None:
    record = consortium.prove(
        {**cluster("harsh"), "cluster": {"powers": [1, 2]}},
        mechanism=Queue(),
        property=asked,
        certificate=str(tmp_path / "proof.json"),
    )
    refuted = {re.sub("^any (.*)", r"\1_any_others", name) for name, row in verdicts(record) if row.holds is False}
    ((_, _, row),) = consortium.check(tmp_path / "proof.json")
    listed = re.match(r"Asked for and refuted: (.*?)\. Proved for", row.actual)
    assert refuted
    assert listed
    assert {part.replace("-", "_") for part in listed[1].split(", ")} == refuted


def test_a_certificate_that_cannot_be_written(tmp_path: Any) -> None:
    with pytest.raises(consortium.InputError, match=r"certificate: found .* that can be written \(it is a folder\)"):
        consortium.prove(cluster("vcg-postpone"), certificate=tmp_path)
    with pytest.raises(NotKeptError, match="No space left on device") as failed:
        consortium.prove(cluster("vcg-postpone"), certificate="/dev/full")
    assert failed.value.record.dominant.holds  # type: ignore[attr-defined]


def test_the_command_says_which_certificate_it_wrote(tmp_path: Path) -> None:
    unwritten = "proof.json: nothing is written, for nothing was found that a certificate shows\n"
    for rule, text in (("vcg-postpone", "wrote proof.json\n"), ("light-vcg", unwritten)):
        words = ["agmon2003/5.2.1", "--set", f"mechanism.rule={rule}", "--property", "dominant"]
        assert command("prove", *words, "--certificate", "proof.json", cwd=tmp_path).stderr == text


def test_a_study_proves() -> None:
    """``verb = "prove"`` in a study, a measure of its record."""
    results = consortium.study(
        {
            "format": 1,
            "kind": "study",
            "verb": "prove",
            "options": {"property": "dominant"},
            "base": {"scenario": "agmon2003/5.2.1"},
            "vary": {"mechanism.rule": ["light-vcg", "vcg-postpone"]},
            "measures": {"dominant": "dominant.status"},
        }
    )
    assert [row["dominant"] for row in results.rows()] == ["refuted", "proved"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["agmon2003/5.2.1", "--set", "mechanism.rule=vcg-postpone"], 0),
        (["agmon2003/5.2.1", "--property", "ex-post"], 1),
        (["agmon2003/5.2.1", "--property", "lower-margin"], 0),  # that of the verdict asked for, others refuted or not
        (["agmon2003/5.2.1", "--set", "mechanism.rule=vcg-postpone", "--time-limit", "0"], 3),
        (["agmon2003/6.9-makespan-all-lengths", "--dry-run"], 0),
    ],
)
def test_exit_codes_are_those_of_the_verdict_asked_for(words: list[str], code: int, tmp_path: Path) -> None:
    assert command("prove", *words, cwd=tmp_path).returncode == code


@pytest.mark.parametrize("verb", ["search", "verify"])
def test_other_verbs_name_prove_for_an_interval(verb: str, tmp_path: Path) -> None:
    ended = command(verb, "agmon2003/6.9-makespan-all-lengths", cwd=tmp_path)
    assert ended.returncode == 2
    assert "prove takes such a domain" in ended.stderr


def test_the_scope_of_a_custom_rule_names_the_machines_of_its_scenario(tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    source = {**cluster("harsh"), "cluster": {"powers": [1, 2]}}
    record = consortium.prove(source, mechanism=Queue(), property="rent-nonnegative", certificate=str(file))
    scope = "2 agents, 2 machines of powers 1 and 2, all positive lengths; not for all N"
    assert {row.scope for name, row in verdicts(record)} == {scope}
    assert json.loads(file.read_text())["about"] == scope


@pytest.mark.parametrize("claim", CLAIMS)
def test_every_claim_of_the_catalogue_is_proved_refuted_or_refused_by_name(claim: str, tmp_path: Path) -> None:
    """Claims on coalitions are refused; all others have a verdict, which the certificate of a proof repeats."""
    path = tmp_path / "proof.json"
    if claim in GROUPS:
        with pytest.raises(consortium.InputError, match=f"found '{claim}', which verify tries case by case; expected"):
            consortium.prove(cluster("evcg-postpone"), property=claim)
        return
    record = consortium.prove(cluster("evcg-postpone"), property=claim, certificate=str(path))
    assert record.verdict is (claim in claims_of(mechanism_of(cluster("evcg-postpone"))))
    assert path.exists() == record.verdict
    if record.verdict:
        assert certificate.check(path).holds
    plain = consortium.prove(cluster("evcg-postpone"), property=claim)
    assert all(row.holds is not False for _, _, row in consortium.check(plain))


def test_the_record_of_a_lie_has_its_region_and_all_regions_where_asked() -> None:
    source = cluster("light-vcg")
    found = consortium.prove(source, regions=True)
    row = found.to_dict()["ex_post"]
    assert row["region"] == {
        "agent": "ann",
        "where": ["theta2 < theta1", "b1 < theta2"],
        "gain": "theta2 - b1",
        "most": 1,
    }
    regions = row["regions"]
    assert (regions["complete"], regions["most"], len(regions["lies"])) == (True, 1, 4)
    assert found.to_dict()["dominant"]["regions"]["most"] == "inf"
    assert [area["region"] for area in regions["plane"]] == [1, 2]
    assert "b1 < theta1, theta1 < theta2" in str(found)
    assert r"b1 \textless{} theta1, theta1 \textless{} theta2" in found.to_latex()
    axes = figure_of(found).axes
    assert [len(one.patches) for one in axes] == [len(found.dominant.regions.plane), 2]
    assert consortium.prove(source).ex_post.regions is None
    assert all(row.holds is not False for _, _, row in consortium.check(found))
    proved = consortium.prove(cluster("vcg-postpone"), regions=True)
    assert (proved.dominant.region, proved.dominant.regions) == (None, None)


def test_gains_may_be_allowed_up_to_a_multiple_of_the_length(tmp_path: Path) -> None:
    source, path = cluster("light-vcg"), tmp_path / "proof.json"
    record = consortium.prove(source, property="ex-post", gain_at_most=1, certificate=str(path))
    assert (record.verdict, record.ex_post.gain_at_most) == (True, 1)
    assert "beyond 1 times her length" in certificate.check(path).sentence
    assert "gains of at most 1 times the liar's length allowed" in str(record)
    refuted = consortium.prove(source, property="ex-post", gain_at_most="9/10")
    assert refuted.ex_post.witness.gain > Fraction(9, 10) * refuted.ex_post.witness.length
    assert "A lie can gain more than 9/10 times the liar's length even when the others tell the truth" in str(refuted)
    with pytest.raises(consortium.InputError, match="gain: found at most 1 of just; expected a number >= 0, of"):
        consortium.prove(source, gain_at_most=1, property="just")
    with pytest.raises(consortium.InputError, match="together with gain_at_most; expected a concept"):
        consortium.prove(source, gain_at_most=1, symbol="agents[1].value=v")
