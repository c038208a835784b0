"""The verdicts that the package ships are those that the prover finds, and contradict no entry of the registry."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import proved_claims
import pytest

from consortium.games.proofs.prover import Prover
from consortium.games.proofs.questions import Lengths
from consortium.games.proofs.statements import STATEMENTS
from consortium.mechanisms.declaration import build
from consortium.mechanisms.declaration import catalogue as proved
from consortium.mechanisms.declaration.catalogue import RULES
from consortium.mechanisms.kinds import RuleInfo
from consortium.scheduling.clusters import Cluster
from consortium.verbs.rules import claim_rows, find


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_verdicts_agree_with_the_registry(rule: RuleInfo) -> None:
    for statement in STATEMENTS:
        verdicts = proved.verdicts(rule.id, statement)
        assert set(verdicts) == {(n, proved.written(powers)) for n, powers in proved.cases(rule.id)}
        if statement in rule.claims:
            assert set(verdicts.values()) == {"proved"} or not proved.cases(rule.id)
        if statement in rule.refuted:
            assert "refuted" in verdicts.values() or statement == "individually-rational"


@pytest.mark.parametrize(
    "rule", [rule for rule in RULES if (2, (1,)) in proved.cases(rule.id)], ids=lambda rule: rule.id
)
@pytest.mark.parametrize("powers", [(1,), (1, 2)])
def test_two_agents_once_more(rule: RuleInfo, powers: tuple[int, ...]) -> None:
    prover = Prover(build(rule.id, Cluster.of(powers)), 2, Lengths())
    for statement in STATEMENTS:
        assert prover.prove(statement).status == proved.verdicts(rule.id, statement)[2, proved.written(powers)]


@pytest.mark.exhaustive
def test_all_of_it_once_more(capsys: pytest.CaptureFixture[str]) -> None:
    assert proved_claims.main([]) == 0
    assert "vcg-postpone" in capsys.readouterr().out


def test_the_command_writes_and_compares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = ["--rule", "harsh", "--statement", "ex-post"]
    monkeypatch.setattr(proved_claims, "verdicts", cache(proved_claims.verdicts))  # proved once
    assert proved_claims.main(part) == 0
    monkeypatch.setattr(proved_claims, "FILE", tmp_path / "proved.json")
    assert proved_claims.main([*part, "--write"]) == 0
    assert set(json.loads((tmp_path / "proved.json").read_text())["rules"]) == {"harsh"}
    monkeypatch.setattr(proved_claims, "verdicts", lambda rule, statement: {})
    assert proved_claims.main(part) == 1


def test_claims_say_how_they_are_known() -> None:
    known = {row.claim: row for row in claim_rows(find("evcg-postpone"))}
    assert known["dominant"].status == "proved"
    assert "N <= 8 by the reduction" in known["dominant"].how
    assert known["payments-nonnegative"].status == "proved"
    assert (known["lower-margin"].status, known["lower-margin"].how) == ("refuted", "agmon2003/7.3-evcg-postpone")
    assert {row.status for row in claim_rows(find("ilba"))} == {"tested", "refuted"}
