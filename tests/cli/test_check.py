"""``consortium check``: exit codes, the second replay, and the checker as a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from consortium.cli.app import ended
from consortium.games.proofs import check_proof
from consortium.games.proofs.certificate import as_certificate, text, write_certificate
from consortium.games.proofs.prover import prove
from consortium.mechanisms.declaration import build
from consortium.scheduling.clusters import Cluster

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


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With a proof, a proof that lacks its lemmas, and two scenarios."""
    monkeypatch.chdir(tmp_path)
    proof = prove(build("vcg-postpone", Cluster.of([1, 2])), 2, method="code")
    write_certificate([proof], "proof.json.gz")
    Path("wrong.json").write_text(text(as_certificate([proof]) | {"lemmas": []}))
    for rule in ("vcg-postpone", "verified"):
        Path(f"{rule}.toml").write_text(SCENARIO.format(rule))
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["proof.json.gz"], 0, "Proved for 2 agents"),
        (["proof.json.gz", "--against", "vcg-postpone.toml"], 0, "the same on all 27 paths of the tree"),
        (["proof.json.gz", "--against", "verified.toml"], 1, "1 wrong"),
        (["wrong.json"], 1, "refused: the tree is unfinished below node"),
        (["wrong.json", "--against", "vcg-postpone.toml"], 1, "refused: the tree is unfinished below node"),
        (["nothing.json"], 2, "nothing.json"),
        (["verified.toml", "proof.json.gz"], 0, "Proved for 2 agents"),
        (["proof.json.gz", "--against", "nothing.toml"], 2, "expected an existing file"),
        (["proof.json.gz", "--against", "minimal/federation"], 2, "expected 'declaration'"),
    ],
)
def test_exit_codes_and_sentences(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, says: str
) -> None:
    assert ended(["check", *arguments]) == code
    printed = capsys.readouterr()
    assert says in printed.out + printed.err
    assert "Traceback" not in printed.err


def test_the_checker_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(["check", "--print-checker"]) == 0
    assert capsys.readouterr().out == Path(check_proof.__file__).read_text()
