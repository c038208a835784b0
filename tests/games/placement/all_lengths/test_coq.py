"""A certificate as a folder that coqc checks: it is proved there, what is altered is not, and the rest is refused."""

from __future__ import annotations

import copy
import json
import random
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import consortium
from consortium.cli.app import ended
from consortium.games.placement.all_lengths import check_shape, coq
from consortium.support.errors import InputError

from .reference import Shape, cover, price

needs_coqc = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")

Ranks = tuple[tuple[int, ...], ...] | None
KINDS: dict[str, tuple[tuple[int, ...], Ranks, str, Fraction | None]] = {
    "equilibrium": ((1, 2, 0, 2, 0), None, "pure-equilibrium", None),
    "equilibrium-jobs": ((2, 2), ((1, 3), (2, 4)), "pure-equilibrium", None),
    "epsilon": ((2, 1, 1), None, "epsilon", Fraction(3, 2)),
    "epsilon-jobs": ((2, 1), ((1, 3), (2,)), "epsilon", Fraction(3, 2)),
    "stability": ((2, 1, 1), None, "price-of-stability", Fraction(3, 2)),
    "stability-jobs": ((2, 1), ((1, 3), (2,)), "price-of-stability", Fraction(4, 3)),
    "anarchy": ((2, 1), None, "price-of-anarchy", Fraction(1)),
    "anarchy-jobs": ((1, 2), ((2,), (1, 3)), "price-of-anarchy", Fraction(4, 3)),
}
"""A shape, with ranks where there is priority to jobs, the property and its bound."""


def certificate(kind: str) -> dict[str, Any]:
    jobs, ranks, name, bound = KINDS[kind]
    shape = Shape(jobs, ranks)
    made = price(shape, bound or Fraction(1)) if name == "price-of-anarchy" else cover(shape, name, bound)
    return dict(json.loads(json.dumps(made)))


def compiled(folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    command = ["coqc", "-Q", ".", "", f"{name}.v"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def theorems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the command, in which coqc has been through all of it."""
    folder = tmp_path_factory.mktemp("coq") / "new" / "folder"
    assert all(row.holds for _, _, row in consortium.check(certificate("equilibrium"), coq=folder))
    ran = subprocess.run(["sh", str(folder / "check.sh")], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "Closed under the global context" in ran.stdout
    assert "<= pays jobs (deviate dec p a d) a" in ran.stdout
    return folder


def altered(data: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Another number somewhere in the tree."""
    data = copy.deepcopy(data)
    lists, todo = list[list[Any]](), [data["roots"] if "roots" in data else data["nodes"]]
    while todo:
        one = todo.pop()
        todo += [item for item in one if isinstance(item, list)]
        lists += [one] if any(isinstance(item, int) for item in one) else []
    one = rng.choice(lists)
    at = rng.choice([i for i, item in enumerate(one) if isinstance(item, int)])
    one[at] = max(one[at] + rng.choice([-1, 1]), 0)
    return data


def refused(data: dict[str, Any]) -> bool:
    try:
        check_shape.check(data)
    except check_shape.Refused:
        return True
    except check_shape.Unreadable:
        pass
    return False


@needs_coqc
@pytest.mark.slow  # all theorems are compiled first
@pytest.mark.parametrize("kind", KINDS)
def test_coqc_proves_what_the_checker_accepts(kind: str, theorems: Path) -> None:
    """And not what it refuses: written although it is, with another number. ``theorems/attacks.py`` has hundreds."""
    data, rng = certificate(kind), random.Random(1)
    assert not refused(data)
    wrong = next(other for other in (altered(data, rng) for _ in range(1000)) if refused(other))
    for one, accepted in ((data, True), (wrong, False)):
        coq.write_folder(one, theorems, "a proof")
        assert compiled(theorems, "Certificate").returncode == 0
        ran = compiled(theorems, "Statement")
        assert (ran.returncode == 0) == accepted, ran.stderr
        assert ("Closed under the global context" in ran.stdout) == accepted


def test_a_property_without_a_proved_checker_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"property: found 'fair'; the checkers proved in Coq know pure-equilibrium, "):
        coq.write_folder(certificate("equilibrium") | {"property": "fair"}, tmp_path / "none", "")
    assert not (tmp_path / "none").exists()


def test_errors_name_the_argument(tmp_path: Path) -> None:
    for sources, says in ((["minimal/federation"], "for coq$"), ({"kind": "proof"}, "which coq expects")):
        with pytest.raises(InputError, match=says):
            consortium.check(sources, coq=tmp_path / "none")


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
    data = certificate("stability")
    Path("proof.json").write_text(json.dumps(data))
    Path("wrong.json").write_text(json.dumps(data | {"nodes": [["Q", [0, 0, 1, 2]]]}))
    Path("mechanism.json").write_text('{"kind": "proof"}')
    assert ended(["check", *files, "--coq", folder]) == code
    printed = capsys.readouterr()
    assert says in printed.out + printed.err
    assert Path("proof").exists() == (code == 0)


def lists(text: str) -> list[list[int]]:
    """What a text says, as ``theorems/CertificateText.v`` reads it."""
    numbers, number = list[int](), 0
    for code in text.encode():
        number = 32 * number + code - (48 if code < 80 else 80)
        if code < 80:
            numbers.append(number)
            number = 0
    found, at = list[list[int]](), 0
    while at < len(numbers):
        end = at + 1 + numbers[at]
        found.append([-(a // 2) - 1 if a % 2 else a // 2 for a in numbers[at + 1 : end]])
        at = end
    return found


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "anarchy" not in kind])
def test_the_text_of_a_cover_says_its_nodes(kind: str) -> None:
    """As ``theorems/Cover.v`` reads it; that coqc accepts it takes all theorems, and is a slow test."""
    data = certificate(kind)
    (forms, places), *rest = lists(coq.text_of(data))
    rows, hosts, nodes = rest[:forms], rest[forms : forms + places], rest[forms + places :]
    read = list[tuple[str, Any]]()
    for one in nodes:
        if len(one) == 1:
            read.append(("S", rows[one[0]]) if one[0] >= 0 else ("Q", hosts[-one[0] - 1]))
        else:
            read.append(("E", [[one[i], one[i + 1]] for i in range(0, len(one), 2)]))
    assert read == [(name, content) for name, content in data["nodes"]]
    assert {name for name, _ in read} >= {"S", "Q"} or len(read) == 1


@pytest.mark.parametrize("kind", ["anarchy", "anarchy-jobs"])
def test_the_text_of_a_bound_on_the_price_says_its_trees(kind: str) -> None:
    """As ``theorems/PriceTree.v`` reads it."""
    data, read = certificate(kind), list[list[Any]]()
    for one in lists(coq.text_of(data)):
        if len(one) == 1:
            read.append(["O", *one])
        elif one and one[0] < 0:
            read.append(["D", -one[0] - 1, one[1:]])
        else:
            read.append(["L", [[one[i], one[i + 1]] for i in range(0, len(one), 2)]])
    nodes = [node for *_, nodes in sorted(data["roots"], key=lambda root: root[:3]) for node in nodes]
    assert read == [[kind, pairs[-1]] if kind == "L" else [kind, *pairs] for kind, *pairs in nodes]


def test_a_folder_has_all_that_its_files_require() -> None:
    texts = coq.theorems("Shapes", {})
    assert list(texts)[-1] == "Shapes"
    assert {"Numbers", "Game", "Cover", "PriceTree", "CertificateText", "AnyLengths"} < set(texts)
    assert all("Admitted" not in text for text in texts.values())
