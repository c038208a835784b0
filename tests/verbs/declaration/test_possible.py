"""Custom rules that hand out what no schedule on the cluster can keep, and prices that are told too late."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import consortium
from consortium.games.proofs import prove
from consortium.mechanisms.declaration import build
from consortium.mechanisms.declaration.protocol import ImpossibleError
from consortium.scheduling.clusters import Cluster
from consortium.support.status import Status


class Rule:
    """Output times by a function of declarations and lengths, and prices likewise."""

    def __init__(self, output: Any, payments: Any = lambda b, x: [0] * len(b)) -> None:
        self.output, self.payments = output, payments

    def run(self, declared: Any, lengths: Any) -> Any:
        return SimpleNamespace(output=self.output(declared, lengths), payments=self.payments(declared, lengths))


def together(b: Any, x: Any) -> Any:
    return [sum(x)] * len(x)


def halved(b: Any, x: Any) -> Any:
    return [y / 2 for y in x]


def believed(b: Any, x: Any) -> Any:
    """Possible for the truth alone: nobody looks at how long a job is."""
    return [sum(b)] * len(b)


def scenario(powers: Any = (1,), lengths: Any = (2, 2), domain: Any = (1, 2, 3)) -> dict[str, Any]:
    agents = [{"name": name, "length": x} for name, x in zip(("ann", "bob", "cat"), lengths, strict=False)]
    cluster, options = {"powers": [*powers]}, {"lengths": [*domain], "declarations": [*domain]}
    given = {"cluster": cluster, "agents": agents, "mechanism": {"rule": "harsh"}, "domain": options}
    return {"format": 1, "kind": "declaration"} | given


VERBS = [
    ("run", {}), ("search", {}), ("curve", {"agent": "bob"}), ("verify", {}), ("verify", {"property": "just"}),
    ("prove", {}), ("prove", {"property": "dominant"}),
]  # fmt: skip


@pytest.mark.parametrize(("verb", "options"), VERBS)
def test_two_jobs_at_once_on_one_machine(verb: str, options: dict[str, Any]) -> None:
    words = r"Rule.run: for declarations .* found output times .* of ann, .* of bob; expected times that a schedule"
    with pytest.raises(ImpossibleError, match=words):
        consortium.ask(verb, scenario(), mechanism=Rule(halved), **options)
    assert consortium.ask(verb, scenario(), mechanism=Rule(together), **options).kind == "declaration"


def test_a_lie_that_is_believed_is_impossible_only_off_the_truth() -> None:
    assert consortium.run(scenario(), mechanism=Rule(believed)).agents[0].output == 4
    for verb in ("search", "verify", "prove", "curve"):
        with pytest.raises(ImpossibleError, match="at most"):
            consortium.ask(verb, scenario(), mechanism=Rule(believed), **({"agent": "ann"} if verb == "curve" else {}))
    for rules in ({"custom": Rule(believed)}, {"built-in": "harsh", "custom": Rule(halved)}):
        with pytest.raises(ImpossibleError):
            consortium.compare(scenario(), rules=rules)
    liar = scenario()
    liar["agents"][0]["declares"] = 1
    with pytest.raises(ImpossibleError, match=r"found output times 3 of ann, 3 of bob; .* 4 units of work at most 3"):
        consortium.run(liar, mechanism=Rule(believed))


@pytest.mark.parametrize("verb", ["verify", "prove"])
def test_asked_whether_it_is_possible_the_answer_is_a_record(verb: str, tmp_path: Path) -> None:
    record = consortium.ask(verb, scenario(), mechanism=Rule(believed), property="feasible")
    found = record.properties["feasible"]
    assert (record.status, record.verdict, found.holds) == (Status.REFUTED, False, False)
    witness = found.witness
    assert witness["work"] == sum(witness["lengths"][name] for name in witness["members"]) > witness["possible"]
    assert {record.dominant.holds, *(record.properties[name].holds for name in ("just", "priced_in_advance"))} == {None}
    assert "possible" in str(record)
    (tmp_path / "record.json").write_text(json.dumps(record.to_dict()))
    assert not [row for _, _, row in consortium.check(str(tmp_path / "record.json")) if row.holds is False]
    fine = consortium.ask(verb, scenario(), mechanism=Rule(together), property="feasible")
    assert (fine.status, fine.verdict) == (Status.PROVED, True)


def in_parallel(b: Any, x: Any) -> Any:
    """McNaughton's rule on two equal machines: jobs move, and end all at once."""
    return [max(sum(x) / 2, *x)] * len(x)


@pytest.mark.parametrize(
    ("powers", "output", "possible"),
    [
        ((1, 1), in_parallel, True),
        ((1, "3/4"), in_parallel, False),
        ((1, 2), lambda b, x: [y / 2 if k == 0 else y for k, y in enumerate(x)], True),
        ((1, 2), lambda b, x: [y / 2 for y in x], False),
        ((2,), lambda b, x: [sum(x[: k + 1]) / 2 for k, _ in enumerate(x)], True),
        ((1,), lambda b, x: [math.inf, *x[1:]], True),  # who never gets her output needs no time
        ((1,), lambda b, x: [None, *x[1:]], True),
    ],
)
def test_proofs_of_what_is_possible_are_certified(powers: Any, output: Any, possible: bool, tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    options = {"property": "feasible", "certificate": str(path)}
    record = consortium.prove(scenario(powers), mechanism=Rule(output), **options)
    assert (record.properties["feasible"].status, path.exists()) == ("proved" if possible else "refuted", possible)
    verified = consortium.verify(scenario(powers), mechanism=Rule(output), property="feasible")
    assert verified.verdict is possible
    if possible:
        (checked,) = [row for _, _, row in consortium.check(str(path))]
        assert checked.holds
        data = json.loads(path.read_text())
        for slower in ([[1, 4]], [[1, 2], [0, 1]], []):
            data["statements"][0]["powers"] = slower
            path.write_text(json.dumps(data))
            finite = [k for k in range(2) if output((1, 1), (1, 1))[k] not in (None, math.inf)]
            if slower != [[1, 4]]:
                with pytest.raises(consortium.InputError, match="not a certificate: expected powers"):
                    consortium.check(str(path))
            else:
                assert [row.holds for _, _, row in consortium.check(str(path))] == [not finite]


# prices ---------------------------------------------------------------------------------------------------------------

PRICES = {
    "told": (lambda b, x: [b[1], -b[0]], True, False),
    "by the length": (lambda b, x: [max(0, x[0] - 10), 0], False, True),
    "by the other's length": (lambda b, x: [0, min(x[0], b[0])], False, True),
    "in the end the same": (lambda b, x: [x[0] + b[1] - x[0], 1], True, True),
}


@pytest.mark.parametrize("name", PRICES)
def test_what_is_paid_depends_on_what_is_declared_alone(name: str) -> None:
    payments, advance, nonnegative = PRICES[name]
    given, rule = scenario(domain=(1, 2, 12)), Rule(together, payments)
    verified, proved = consortium.verify(given, mechanism=rule), consortium.prove(given, mechanism=rule)
    row = consortium.compare(given, rules={"mine": rule}).rows[0]
    for answer in (verified.properties["priced_in_advance"], proved.properties["priced_in_advance"]):
        assert answer.holds is advance
        if not advance:
            world = [[*answer.witness[part].values()] for part in ("declarations", "lengths")]
            who = list(answer.witness["lengths"]).index(answer.witness["agent"])
            paid = [payments(world[0], x)[who] for x in (world[0], world[1])]
            assert paid == [answer.witness["payment_as_declared"], answer.witness["payment"]]
            assert paid[0] != paid[1]
    assert (row.values["priced_in_advance"], row.values["feasible"]) == (advance, True)
    assert proved.properties["payments_nonnegative"].holds is nonnegative
    asked = consortium.prove(given, mechanism=rule, property="payments-nonnegative")
    assert asked.verdict is nonnegative


def test_rules_of_the_package_say_so_at_once_and_replay() -> None:
    for rule, advance in (("vcg-postpone", True), ("verified", False), ("verified-printed", False)):
        given = scenario(lengths=(1, 2)) | {"mechanism": {"rule": rule}}
        record = consortium.verify(given)
        assert record.properties["feasible"].holds is True
        assert record.properties["priced_in_advance"].holds is advance
        assert all(row.holds for _, _, row in consortium.check(record))
        sampled = consortium.verify(given, sample=200, property="priced-in-advance")
        assert sampled.verdict is (None if advance else False)
    alone = scenario((1, 1)) | {"mechanism": {"rule": "verified"}}
    assert consortium.verify(alone).properties["priced_in_advance"].holds is True


def test_the_grid_and_the_proof_agree() -> None:
    kinds = {
        "one after the other": lambda b, x: [*itertools.accumulate(x)],
        "as declared": lambda b, x: [max(s, t) for s, t in zip(*map(itertools.accumulate, (b, x)), strict=True)],
        "shares": lambda b, x: [len(x) * y for y in x],
        "longest last": lambda b, x: [min(x), max(x) + min(x)],
    }
    tally = [0, 0]
    for (name, output), powers in itertools.product(
        kinds.items(), ((1,), (1, 1), ("1/2",), ("1/2", "1/2"), (2, "1/3"))
    ):
        asked = {"mechanism": Rule(output), "property": "feasible"}
        verified, proved = (consortium.ask(verb, scenario(powers), **asked).verdict for verb in ("verify", "prove"))
        assert verified is proved, (name, powers)
        tally[verified] += 1
    assert min(tally) > 5


@pytest.mark.parametrize("rule", ["verified", "evcg-postpone", "light-vcg"])
def test_built_in_rules_make_schedules_for_all_lengths(rule: str) -> None:
    assert prove(build(rule, Cluster.of([1, 2])), 2, "feasible", method="code").holds
