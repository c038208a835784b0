"""Altered and malicious certificates: the package's checker, the one of one file, and the proved one answer alike.

    python attacks.py [COUNT] [FOLDER]

``make`` has built the theorems before. A cover is altered at random, COUNT times; what a checker then says of it is
compared with coqc's verdict, a lemma each. Some changes do no harm, and all three accept them.
"""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from consortium.games.placement.all_lengths import check_shape, coq
from consortium.games.placement.all_lengths.answers import prove
from consortium.games.placement.all_lengths.shapes import Shape
from consortium.games.reading import Refused, Unreadable
from consortium.verbs.check import program

HERE = Path(__file__).parent
JOBS = (3, 2, 1, 0)
HEAD = """From Coq Require Import List.
Require Import Numbers CertificateText Cover Shapes.
Import ListNotations.
Definition verdict (shape : org4 -> nat) (ts : list text) : bool :=
  check_cover_organizations dec4 all4 shape (fun _ => all4) 1 1 None (cover_of all4 O1 ts).
"""


def altered(data: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """One change: a node is lost, doubled, or exchanged for another one; a number in it is another."""
    data = copy.deepcopy(data)
    nodes = data["nodes"]
    kind = rng.choice(["lost", "doubled", "exchanged", "S", "S", "zero", "Q", "Q", "row", "multiplier"])
    at = rng.choice(
        [i for i, node in enumerate(nodes) if node[0] == {"zero": "S"}.get(kind, kind)] or range(len(nodes))
    )
    content = nodes[at][1]
    if kind == "lost":
        del nodes[at]
    elif kind == "doubled":
        nodes.insert(at, rng.choice(nodes))
    elif kind == "exchanged":
        other = rng.randrange(len(nodes))
        nodes[at], nodes[other] = nodes[other], nodes[at]
    elif kind == "zero":
        nodes[at][1] = [0] * len(content)
    elif kind == "S":
        content[rng.randrange(len(content))] += rng.choice([-1, 1])
    elif kind == "Q":
        content[rng.randrange(len(content))] = rng.randrange(len(JOBS))
    else:
        pair = rng.choice(rng.choice([node[1] for node in nodes if node[0] == "E"]))
        pair[kind == "multiplier"] = rng.choice([0, pair[1] + 1]) if kind == "multiplier" else rng.randrange(12)
    return data


def malicious() -> list[dict[str, Any]]:
    """A split by the zero form, whose two sides "contradict themselves", of a shape without a proof; empty trees."""
    base = json.loads(prove(Shape((1, 1, 1, 1)), "pure-equilibrium", method="cover").certificate or "")
    zero: list[Any] = [["S", [0] * 10], ["E", [[0, 1]]], ["E", [[0, 1]]]]
    return [base | {"jobs": [6, 1, 1, 2], "nodes": nodes} for nodes in (zero, [["E", []]], [["E", [[0, 1]]]], [])]


def accepts(data: dict[str, Any], folder: Path) -> bool:
    """The verdict of the package's checker, and of the file by itself, without assertions too."""
    try:
        check_shape.check(data)
        verdict = True
    except (Refused, Unreadable):
        verdict = False
    (folder / "proof.json").write_text(json.dumps(data))
    (folder / "check_shape.py").write_text(program("shape"))
    command = [sys.executable, "-O", str(folder / "check_shape.py"), str(folder / "proof.json")]
    alone = subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert alone == verdict, data
    return verdict


def lemma(i: int, data: dict[str, Any], verdict: bool) -> str:
    """That the proved checker says the same."""
    jobs, says = " ".join(map(str, data["jobs"])), str(verdict).lower()
    checked = f'verdict (shape4 {jobs}) ["{coq.text_of(data)}"%text]'
    return f"Lemma l{i} : {checked} = {says}.\nProof. vm_cast_no_check (eq_refl {says}). Qed.\n"


def main(count: int = 200, build: Path = HERE / "build" / "rationals") -> None:
    """Compare the verdicts; coqc ends at the first lemma that is not so."""
    rng = random.Random(7)
    honest = json.loads(prove(Shape(JOBS), "pure-equilibrium", method="cover").certificate or "")
    cases = [honest, *malicious(), *(altered(honest, rng) for _ in range(count))]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        verdicts = [accepts(data, folder) for data in cases]
        assert verdicts[:5] == [True] + [False] * 4
        (folder / "Attacks.v").write_text(HEAD + "".join(map(lemma, range(len(cases)), cases, verdicts)))
        subprocess.run(["coqc", "-Q", str(build.resolve()), "", "Attacks.v"], cwd=folder, check=True)
    print(f"{count} altered certificates: {sum(verdicts[5:])} accepted, the others refused, by all checkers alike.")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 200, *map(Path, sys.argv[2:3]))
