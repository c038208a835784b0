"""``consortium check``: exit codes, sentences, the comparison of a tree with a mechanism, the checker as a file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import consortium
from consortium.cli.app import ended
from consortium.games.proofs.certificate import as_certificate, text, write_certificate
from consortium.games.proofs.prover import prove
from consortium.mechanisms.declaration import build
from consortium.scheduling.clusters import Cluster
from consortium.verbs.check import program

SCENARIO = """
format = 1
kind = "declaration"
title = "Two agents"
[cluster]
powers = [1, 2]
[[agents]]
length = 2
[[agents]]
length = 1
[mechanism]
rule = "{}"
"""
RULE = """
from consortium.mechanisms.declaration import build

def mine(cluster):
    return build("vcg-postpone", cluster)

def other(cluster):
    return build("evcg-renice", cluster)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With a proof, a proof that lacks its lemmas, and two scenarios."""
    monkeypatch.chdir(tmp_path)
    proof = prove(build("vcg-postpone", Cluster.of([1, 2])), 2, method="code")
    write_certificate([proof], "proof.json.gz")
    Path("wrong.json").write_text(text(as_certificate([proof]) | {"lemmas": []}))
    Path("mine.py").write_text(RULE)
    for rule in ("vcg-postpone", "verified", "custom"):
        Path(f"{rule}.toml").write_text(SCENARIO.format(rule))
    Path("expects.toml").write_text(SCENARIO.format("verified") + "[expect.run]\nagents.a1.replay = 2\n")
    tenth = SCENARIO.format("verified").replace("length = 1\n", "length = 0.1\n")
    Path("tenth.toml").write_text(tenth + '[expect.run]\nagents.2.length = "1/10"\n')
    Path("keys.json").write_text('{"rent": 3}')
    Path("broken.json").write_text("[1, ")
    Path("kind.json").write_text('{"verb": "curve", "kind": "sharing", "request": {"options": {}, "log": "x"}}')
    Path("scenario.json").write_text('{"verb": "run", "kind": "sharing", "request": {"options": {}, "scenario": {}}}')
    record = consortium.run("agmon2003/5.2.1").to_dict()
    for name, change in {"honest": {}, "record": {"rent": 7}, "other": {"told": 3, "version": "0"}}.items():
        Path(f"{name}.json").write_text(json.dumps(record | change))
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["proof.json.gz"], 0, "Proved for 2 agents"),
        (["proof.json.gz", "--against", "vcg-postpone.toml"], 0, "the same on all 27 paths of the tree"),
        (["proof.json.gz", "--against", "verified.toml"], 1, "1 wrong"),
        (["proof.json.gz", "--against", "custom.toml", "--mechanism", "mine.py:mine"], 0, "the same on all 27 paths"),
        (["proof.json.gz", "--against", "verified.toml", "--mechanism", "mine.py:mine"], 0, "the same on all 27 paths"),
        (["proof.json.gz", "--against", "vcg-postpone.toml", "--mechanism", "mine.py:other"], 1, "1 wrong"),
        (["proof.json.gz", "--against", "custom.toml"], 2, "stands for a custom rule"),
        (["proof.json.gz", "--against", "custom.toml", "--mechanism", "mine.py:mine,mine.py:other"], 2, "2 rules"),
        (["wrong.json"], 1, "refused: the tree is unfinished below node"),
        (["wrong.json", "--against", "vcg-postpone.toml"], 1, "refused: the tree is unfinished below node"),
        (
            ["proof.json.gz", "--against", "custom.toml", "--mechanism", "mine.py:other"],
            1,
            "mechanism of prove, proof.json.gz (expected the same on every path of the tree, found the code ",
        ),
        (["expects.toml"], 1, "1 wrong"),
        (["nothing.json"], 2, "nothing.json"),
        (["tenth.toml", "--floats", "decimal"], 0, "Holds: all that tenth.toml says"),
        (["tenth.toml", "--floats", "binary"], 1, "1 wrong"),
        (["verified.toml", "proof.json.gz"], 0, "Proved for 2 agents"),
        (["proof.json.gz", "--against", "nothing.toml"], 2, "expected an existing file"),
        (["proof.json.gz", "--against", "minimal/federation"], 2, "expected 'declaration'"),
        (["proof.json.gz"], 0, "; not for all N') is for 'consortium check --against' to show."),
        (["keys.json"], 2, "error: keys.json: verb: found nothing; expected a record, as --json prints it"),
        (["broken.json"], 2, "error: broken.json: found Expecting value"),
        (["kind.json"], 2, "error: kind.json: kind: found 'sharing'; expected one that has curve: declaration"),
        (["scenario.json"], 2, "error: scenario.json: request.scenario: format: found nothing"),
        (
            ["record.json"],
            1,
            "Does not hold: rent of run, record.json (expected 7, found 2/5).\n42 values checked, 1 wrong.",
        ),
        (["vcg-postpone.toml", "honest.json"], 0, "Holds: all that honest.json says."),
        (["honest.json", "other.json"], 0, "Holds: all that was checked."),
        (["honest.json", "agmon2003/5.2.1"], 0, "Holds: all that honest.json and agmon2003/5.2.1 say."),
        (
            ["other.json"],
            0,
            "Holds: all that was checked.\nNot checked: 1 value of other.json (a field of version 0).\n42",
        ),
    ],
)
def test_exit_codes_and_sentences(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, says: str
) -> None:
    assert ended(["check", *arguments]) == code
    printed = capsys.readouterr()
    assert says in printed.out + printed.err
    assert ("to show" in printed.out) == ("Proved" in printed.out and "--against" not in arguments)
    assert "Traceback" not in printed.err
    assert not (code == 2 and "--against" in arguments and printed.out)  # a mechanism is made before anything is said


def test_the_checker_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(["check", "--print-checker"]) == 0
    assert capsys.readouterr().out == program("proof")


@pytest.mark.parametrize(
    ("scenario", "options"),
    [
        ("agmon2003/5.2.1", ["--subject-to", ""]),
        ("agmon2003/5.2.1", ["--template", "S,E", "--set", "mechanism.rule=vcg-postpone"]),
    ],
)
def test_the_printed_checker_is_that_of_the_certificate(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, scenario: str, options: list[str]
) -> None:
    path = tmp_path / "made.json.gz"
    assert ended(["design", scenario, *options, "--certificate", str(path)]) == 0
    capsys.readouterr()
    assert ended(["check", "--print-checker", str(path)]) == 0
    (tmp_path / "checker.py").write_text(capsys.readouterr().out)
    command = [sys.executable, "-I", "-S", str(tmp_path / "checker.py"), str(path)]
    alone = subprocess.run(command, capture_output=True, text=True)
    assert (alone.returncode, alone.stderr) == (0, "")
    assert ended(["check", str(path)]) == 0
    assert alone.stdout.strip() in capsys.readouterr().out


def test_a_scenario_has_no_checker(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    assert ended(["check", "--print-checker", "honest.json"]) == 2
    assert ended(["check", "--print-checker", "proof.json.gz", "wrong.json"]) == 2
    assert "expected one certificate" in capsys.readouterr().err
