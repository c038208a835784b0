"""``verify`` by proof for all real lengths: what it proves, leaves open, refuses and writes."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

import consortium
from consortium.games.proofs import certificate
from consortium.games.proofs.prover import Prover
from consortium.support.errors import NotKeptError
from consortium.support.status import Status

from ..reports.cases import cluster

RULES = ("straightforward", "light-vcg", "harsh", "vcg-renice", "vcg-postpone", "postpone-unpaid", "verified")


def verdicts(record: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every row of a record of ``verify``, by name."""
    yield from (("dominant", record.dominant), ("ex_post", record.ex_post))
    for name, row in record.properties.items():
        if name != "any_others":
            yield name, row
    yield from ((f"any {name}", row) for name, row in record.properties["any_others"].items())


@pytest.mark.parametrize("rule", RULES)
def test_proofs_and_enumeration_never_disagree(rule: str) -> None:
    tried = dict(verdicts(consortium.verify(cluster(rule) | {"domain": {"lengths": [1, 2, 3]}})))
    proved = dict(verdicts(consortium.verify(cluster(rule), proof=True)))
    assert list(proved) == list(tried)
    for name, row in proved.items():
        assert row.holds is not None
        assert not (row.holds and tried[name].holds is False), name
        assert row.status == ("proved" if row.holds else "refuted")
        assert (row.witness is None) == row.holds
        assert row.cases is None
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
    record = consortium.verify(cluster("light-vcg") | {"domain": {"lengths": lengths}})
    assert record.method == "proof"
    assert record.to_dict()["domain"] == {"lengths": lengths}
    assert f", {scope};" in record.dominant.scope
    numbers = [*record.dominant.witness.lengths.values(), *record.dominant.witness.declarations.values()]
    ends = lengths if isinstance(lengths, dict) else {"from": 0, "to": 10**9}
    assert all(Fraction(ends["from"]) <= x <= ends["to"] and x > 0 for x in numbers)


@pytest.mark.parametrize("verb", ["search", "compare"])
def test_what_enumerates_refuses_such_a_domain(verb: str) -> None:
    source = cluster("light-vcg") | {"domain": {"lengths": {"from": 0, "to": 3}}}
    with pytest.raises(consortium.InputError) as refused:
        consortium.ask(verb, source)
    assert str(refused.value) == (
        "domain.lengths: found { from = 0, to = 3 }, more numbers than can be tried; expected lists of numbers "
        "(verify alone proves for all lengths, and of search only the dynamics best-response-over-reals play on all of "
        "them)"
    )
    assert consortium.run(source).agents[0].output == 2  # which needs no domain
    assert consortium.curve(source, "ann").truth == 2


def test_a_property_that_is_named_is_proved_alone() -> None:
    record = consortium.verify(cluster("vcg-postpone"), proof=True, property="just")
    assert (record.verdict, record.status, record.complete) == (True, Status.PROVED, True)
    others = [row for name, row in verdicts(record) if name != "just"]
    assert {(row.holds, row.status, row.cells, row.note) for row in others} == {(None, "open", 0, "not asked for")}
    everything = consortium.verify(cluster("vcg-postpone"), proof=True)
    assert everything.properties["just"].holds
    assert everything.properties["budget_balanced"].holds is False
    assert (everything.status, everything.complete) == (Status.PROVED, True)  # that of dominant


def test_a_time_limit_leaves_the_rest_open() -> None:
    record = consortium.verify(cluster("vcg-postpone"), proof=True, time_limit=0)
    assert (record.verdict, record.status, record.complete) == (None, Status.STOPPED, False)
    assert {row.status for _, row in verdicts(record)} == {"open"}
    assert record.dominant.note.endswith("stopped by the time limit")
    rows = consortium.replay(record)
    assert not [row for _, _, row in rows if row.holds is False]


def test_ctrl_c_keeps_what_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    prove = Prover.prove

    def interrupted(self: Prover, statement: str, *more: Any, **options: Any) -> Any:
        if statement == "ex-post":
            signal.raise_signal(signal.SIGINT)
        return prove(self, statement, *more, **options)

    monkeypatch.setattr(Prover, "prove", interrupted)
    record = consortium.verify(cluster("vcg-postpone"), proof=True)
    assert record.dominant.holds
    assert (record.status, record.complete) == (Status.PROVED, False)
    left = [row for name, row in verdicts(record) if name != "dominant"]
    assert {(row.status, row.note) for row in left} == {("open", "stopped by Ctrl-C")}


class Sharing:
    """A mechanism of one's own: everybody waits for what all others declare, and pays as given."""

    def __init__(self, payment: Any) -> None:
        self.payment = payment

    def run(self, declared: Any, lengths: Any) -> Any:
        return SimpleNamespace(output=list(lengths), payments=[self.payment(b) for b in declared])


def test_a_mechanism_of_ones_own_is_proved_unchanged() -> None:
    record = consortium.verify(cluster("light-vcg"), mechanism=Sharing(lambda b: 0), proof=True)
    assert record.dominant.holds
    assert record.asked is None
    lie = consortium.verify(cluster("light-vcg"), mechanism=Sharing(lambda b: max(0, 5 - b)), proof=True).dominant
    assert lie.status == "refuted"
    assert lie.witness.replay == ()
    assert lie.witness.utility_lie - lie.witness.utility_truth == lie.max_gain > 0


@pytest.mark.parametrize(
    ("payment", "sentence"),
    [
        (lambda b: b * b, "a product of two symbolic numbers"),
        (lambda b: b * 0.5, "the float 0.5; write '1/2', an int or a Fraction"),
        (lambda b: round(b), "the digits of a symbolic number"),
    ],
)
def test_what_is_not_piecewise_linear_is_refused_with_the_line(payment: Any, sentence: str) -> None:
    with pytest.raises(consortium.MechanismError, match=sentence) as refused:
        consortium.verify(cluster("light-vcg"), mechanism=Sharing(payment), proof=True)
    assert "\n" not in str(refused.value)
    assert f"(line {payment.__code__.co_firstlineno} of {__file__}: " in str(refused.value)


def test_state_is_found_out() -> None:
    class Counting(Sharing):
        runs = 0

        def run(self, declared: Any, lengths: Any) -> Any:
            self.runs += 1
            return SimpleNamespace(output=list(lengths), payments=[self.runs] * len(declared))

    with pytest.raises(consortium.MechanismError, match="asked twice for lengths"):
        consortium.verify(cluster("light-vcg"), mechanism=Counting(None), proof=True)


def test_what_refuses_another_statement_leaves_that_open() -> None:
    """The first lie looked at pays; only who goes on to long jobs meets the product."""
    short = Sharing(lambda b: b if b < 10**9 else b * b)
    record = consortium.verify(cluster("light-vcg"), mechanism=short, proof=True)
    assert (record.verdict, record.status, record.complete) == (False, Status.REFUTED, False)
    rent = record.properties["rent_nonnegative"]
    assert (rent.status, rent.cells) == ("open", 0)
    assert "a product of two symbolic numbers (line" in rent.note
    with pytest.raises(consortium.MechanismError, match="a product of two symbolic numbers"):
        consortium.verify(cluster("light-vcg"), mechanism=short, proof=True, property="rent-nonnegative")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"proof": True, "sample": 3}, "sample: found 3 together with a proof for all lengths, which tries no cases"),
        (
            {"proof": True, "method": "general"},
            "method: found 'general' together with a proof for all lengths, which tries no cases",
        ),
        (
            {"symbol": "mechanism.penalty=p"},
            "symbol: found 'mechanism.penalty=p' without a proof; expected proof = true or a set of lengths",
        ),
        (
            {"certificate": "x.json"},
            "certificate: found 'x.json' without a proof; expected proof = true or a set of lengths",
        ),
        (
            {"proof": True, "symbol": "mechanism.penalty"},
            "symbol: found 'mechanism.penalty'; expected PATH=NAME, as in mechanism.penalty=p",
        ),
    ],
)
def test_options_that_do_not_go_together_are_refused(options: dict[str, Any], sentence: str) -> None:
    for ask in (consortium.verify, lambda source, **more: consortium.estimate("verify", source, **more)):
        with pytest.raises(consortium.InputError) as refused:
            ask(cluster("vcg-postpone"), **options)
        assert str(refused.value) == sentence


def test_a_symbol_has_its_safe_values() -> None:
    record = consortium.verify("agmon2003/5.3-constant-up-to-3", symbol="mechanism.penalty=p", property="dominant")
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
        again = consortium.verify(
            "agmon2003/5.3-constant-up-to-3", overrides={"mechanism.penalty": penalty}, property="dominant"
        )
        assert again.verdict is holds


def test_certificates_are_written_and_hold(tmp_path: Any) -> None:
    for name in ("proof.json", "proof.json.gz"):
        consortium.verify(cluster("vcg-postpone"), proof=True, certificate=tmp_path / name)
        assert certificate.check(tmp_path / name).holds
    consortium.verify(cluster("light-vcg"), proof=True, property="dominant", certificate=tmp_path / "none.json")
    assert not (tmp_path / "none.json").exists()  # nothing is proved


def test_a_certificate_that_cannot_be_written(tmp_path: Any) -> None:
    with pytest.raises(consortium.InputError, match=r"certificate: found .* that can be written \(it is a folder\)"):
        consortium.verify(cluster("vcg-postpone"), proof=True, certificate=tmp_path)
    with pytest.raises(NotKeptError, match="No space left on device") as failed:
        consortium.verify(cluster("vcg-postpone"), proof=True, certificate="/dev/full")
    assert failed.value.record.dominant.holds  # type: ignore[attr-defined]


@pytest.mark.parametrize("place", ["dominant", "ex_post"])
@pytest.mark.parametrize(
    ("field", "value"), [("gain", 2), ("lie", 3), ("utility_lie", 0), ("lengths.ann", 4), ("agent", "bob")]
)
def test_a_witness_that_is_altered_is_caught_without_asking_again(
    place: str, field: str, value: Any, stored: Any
) -> None:
    record = stored("declaration-verify-proof")
    here = record[place]["witness"]
    *above, last = field.split(".")
    for step in above:
        here = here[step]
    here[last] = value
    rows = consortium.replay(record, time_limit=0)
    assert [row for _, _, row in rows if row.holds is False and row.key.startswith(place)]
