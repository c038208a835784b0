"""A certificate as a folder that coqc checks: it is proved there, what is altered is not, and the rest is refused."""

from __future__ import annotations

import copy
import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import consortium
from consortium.cli.app import ended
from consortium.games.placement.all_lengths import check_shape, coq
from consortium.support.errors import InputError

from .reference import Shape, cover

SHAPES = [(2, 2), (2, 1, 1), (2, 1, 0, 0), (1, 2, 0, 2, 0)]
needs_coqc = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")


def certificate(jobs: tuple[int, ...]) -> dict[str, Any]:
    return dict(json.loads(json.dumps(cover(Shape(jobs), "pure-equilibrium", None))))


def coqc(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", str(folder / "check.sh")], capture_output=True, text=True, check=False)


def compiled(folder: Path, name: str) -> int:
    command = ["coqc", "-Q", ".", "", f"{name}.v"]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode


def numbers_read(text: str) -> list[int]:
    """The numbers of a text in base 32, by their definition."""
    numbers, number = [], 0
    for character in text:
        code = ord(character) - 48
        assert 0 <= code < 64
        number = 32 * number + code % 32
        if code < 32:
            numbers, number = [*numbers, number], 0
    return numbers


@pytest.mark.parametrize("jobs", SHAPES)
def test_the_text_says_what_the_certificate_says(jobs: tuple[int, ...]) -> None:
    """Read back by a reader of its own, node by node."""
    data = certificate(jobs)
    numbers = iter(numbers_read("".join(map(coq.digits, coq.numbers_of(data)))))

    def table() -> list[list[int]]:
        width, count = next(numbers), next(numbers)
        return [[next(numbers) for _ in range(width)] for _ in range(count)]

    forms = [[-(n // 2) - 1 if n % 2 else n // 2 for n in row] for row in table()]
    places, nodes = table(), []
    depths = [0]
    while depths:
        depth, n = depths.pop(), next(numbers)
        if n == 0:
            pairs = [(next(numbers), next(numbers)) for _ in range(next(numbers))]
            nodes.append(["E", [[depth - 1 - back, m] for back, m in pairs]])
        elif n % 2:
            nodes.append(["S", forms[n // 2]])
            depths += [depth + 1, depth + 1]
        else:
            nodes.append(["Q", places[n // 2 - 1]])
    assert nodes == data["nodes"]
    assert next(numbers, None) is None


@needs_coqc
def test_coqc_proves_a_certificate(tmp_path: Path) -> None:
    """Of five organizations, two of them without jobs."""
    jobs = (1, 2, 0, 2, 0)
    data = certificate(jobs)
    assert all(row.holds for _, _, row in consortium.check(data, coq=tmp_path / "new" / "folder"))
    ran = coqc(tmp_path / "new" / "folder")
    assert ran.returncode == 0, ran.stderr
    assert "Closed under the global context" in ran.stdout
    assert f"[{'; '.join(map(str, jobs))}]" in ran.stdout


@needs_coqc
def test_coqc_refuses_what_the_checker_refuses(tmp_path: Path) -> None:
    """Written although they are refused: another form, another host. ``theorems/attacks.py`` has some hundreds."""
    data, rng = certificate((2, 2)), random.Random(1)
    coq.write_folder(data, tmp_path, "a proof")
    assert coqc(tmp_path).returncode == 0
    for wanted, values in {"S": (-1, 0, 1), "Q": (0, 1)}.items():
        refused = False
        while not refused:
            altered = copy.deepcopy(data)
            content = rng.choice([content for kind, content in altered["nodes"] if kind == wanted])
            content[rng.randrange(len(content))] = rng.choice(values)
            try:
                check_shape.check(altered)
            except check_shape.Refused:
                refused = True
        coq.write_folder(altered, tmp_path, "no proof")
        codes = [compiled(tmp_path, name) for name in ("Certificate", "Statement")]
        assert codes[0] == 0 != codes[1]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"property": "epsilon", "at_most": [2, 1]}, "property: found 'epsilon'; the checker proved in Coq knows"),
        ({"ranks": [[1, 3], [2, 4]]}, "ranks: found priority to jobs"),
    ],
)
def test_what_the_proved_checker_does_not_know_is_refused(change: dict[str, Any], says: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=says):
        coq.write_folder(certificate((2, 2)) | change, tmp_path / "none", "")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("files", "folder", "code", "says"),
    [
        (["proof.json"], "proof", 0, "'sh proof/check.sh' has coqc prove it"),
        (["wrong.json"], "proof", 1, "refused: "),
        (["proof.json", "wrong.json"], "proof", 2, "--coq: found 2 files; expected one"),
        (["minimal/federation"], "proof", 2, "found a scenario; expected the certificate of a shape"),
        (["mechanism.json"], "proof", 2, "found no certificate of a shape"),
        (["proof.json"], "wrong.json", 2, "--coq wrong.json: cannot be written (it is no folder)"),
    ],
)
def test_the_command(
    files: list[str],
    folder: str,
    code: int,
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    data = certificate((2, 1, 0, 0))
    Path("proof.json").write_text(json.dumps(data))
    Path("wrong.json").write_text(json.dumps(data | {"nodes": [["Q", [0, 0, 1]]]}))
    Path("mechanism.json").write_text('{"kind": "proof"}')
    assert ended(["check", *files, "--coq", folder]) == code
    printed = capsys.readouterr()
    assert says in printed.out + printed.err
    assert Path("proof").exists() == (code == 0)


def test_a_folder_has_all_that_its_files_require() -> None:
    names = [name for name, _ in coq.theorems("Shapes")]
    assert names[-1] == "Shapes"
    assert {"Numbers", "Game", "Cover", "CoverText", "AnyLengths"} < set(names)
    assert all("Admitted" not in text for _, text in coq.theorems("Shapes"))
