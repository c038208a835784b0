"""A certificate of a shape as a folder of Coq: coqc proves there what the certificate says.

The folder has the project's theorems that it takes (``theorems/``: the game, the checker and its proof), the
certificate as a text that the proved checker reads, the theorem, and ``check.sh``. Nothing of it is trusted: coqc
checks all of it, and the statement is in terms of ``Game.v`` alone.

The text has the numbers of :func:`numbers_of`, each in base 32. Forms and placements stand in tables, the frequent ones
first, and the tree has their numbers: coqc takes longer to read a certificate than to check it.

>>> data = {"jobs": [1, 0], "nodes": [["S", [1]], ["E", [[0, 1]]], ["Q", [0]]]}
>>> list(numbers_of(data))
[1, 1, 2, 1, 1, 0, 1, 0, 1, 0, 1, 2]
>>> digits(3), digits(1000)
('3', 'o8')
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from ....support.errors import InputError
from ....support.files import write_text

THEOREMS: Final = Path(__file__).parents[3] / "theorems"
NUMBERS: Final = "Numbers"
"""The numbers that theorems take; ``numbers/rationals.v`` are those without axioms."""
REQUIRED: Final = re.compile(r"^Require (?:Import |Export )?([\w ]+)\.$", re.MULTILINE)
PIECE: Final = 8_000
"""Characters of a string, so that no parser runs out of stack."""
CHECKED: Final = {"pure-equilibrium": "Shapes"}
"""By property, the file that has the proved checker of its certificates."""

CERTIFICATE: Final = """\
(* A certificate as CoverText.v reads it: {nodes:,} nodes. *)
From Coq Require Import List.
Require Import CoverText.
Import ListNotations.

{parts}
Definition certificate : list text := [{names}].
"""
STATEMENT: Final = """\
(* {sentence}

   cost, deviate: Game.v. A strategy says for each number of a job, from 0, on whose machine it is. *)
From Coq Require Import List.
Require Import Numbers Game {checker}.
Require Certificate.
Import ListNotations.

Theorem every_game_has_an_equilibrium :
  forall jobs : Fin.t {count} -> list num,
    (forall a x, In x (jobs a) -> 0 <= x) ->
    (forall a, (length (jobs a) <= nth (proj1_sig (Fin.to_nat a)) [{shape}] 0)%nat) ->
    exists p : Fin.t {count} -> nat -> Fin.t {count}, forall (a : Fin.t {count}) (d : nat -> Fin.t {count}),
      cost Fin.eq_dec (organizations {count}) jobs (fun _ => organizations {count}) p a <=
      cost Fin.eq_dec (organizations {count}) jobs (fun _ => organizations {count}) (deviate Fin.eq_dec p a d) a.
Proof.
  apply (certificate_sound [{shape}]%nat Certificate.certificate). vm_cast_no_check (eq_refl true).
Qed.

Check every_game_has_an_equilibrium.
Print Assumptions every_game_has_an_equilibrium.
"""
SCRIPT: Final = """\
# coqc (Coq 8.16 or later, no other library) proves the theorem of Statement.v, and prints what it rests on.
set -e
cd "$(dirname "$0")"
for file in {files}; do
  coqc -Q . "" $file.v
done
"""


def write_folder(data: Mapping[str, Any], folder: Path, sentence: str) -> None:
    """Write a certificate that its checker accepts, and what coqc needs to prove what it says.

    Parameters
    ----------
    data
        The certificate.
    folder
        Is made where there is none.
    sentence
        What the certificate proves, in words.

    Raises
    ------
    InputError
        A certificate that the proved checker does not know, or a folder that cannot be written.
    """
    checker = checker_of(data)
    texts = dict(theorems(checker))
    text = "".join(map(digits, numbers_of(data)))
    pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
    texts["Certificate"] = CERTIFICATE.format(
        nodes=len(data["nodes"]),
        parts="\n".join(f'Definition part{i} : text := "{piece}"%text.' for i, piece in enumerate(pieces)),
        names="; ".join(f"part{i}" for i in range(len(pieces))),
    )
    shape = "; ".join(map(str, data["jobs"]))
    texts["Statement"] = STATEMENT.format(sentence=sentence, checker=checker, count=len(data["jobs"]), shape=shape)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written ({error.strerror or error})") from None
    for name, content in texts.items():
        write_text(folder / f"{name}.v", content)
    write_text(folder / "check.sh", SCRIPT.format(files=" ".join(texts)))


def checker_of(data: Mapping[str, Any]) -> str:
    """The file with the checker of a certificate. Raises InputError where none is proved."""
    name = data.get("property")
    if name not in CHECKED:
        raise InputError(f"property: found {name!r:.40}; the checker proved in Coq knows {', '.join(CHECKED)}")
    if data["ranks"] is not None:
        raise InputError("ranks: found priority to jobs; the checker proved in Coq knows priority to organizations")
    return CHECKED[name]


def theorems(name: str) -> Iterator[tuple[str, str]]:
    """Name and text of a file of the theorems, after those that it takes; a file may come more than once."""
    path = THEOREMS / ("numbers/rationals.v" if name == NUMBERS else f"{name}.v")
    content = path.read_text(encoding="utf-8")
    for names in REQUIRED.findall(content):
        for other in names.split():
            if other == NUMBERS or (THEOREMS / f"{other}.v").exists():
                yield from theorems(other)
    yield name, content


def digits(number: int) -> str:
    """A number >= 0 in base 32; a digit after which more follow is another character than the same as the last one."""
    text = chr(48 + number % 32)
    while number := number // 32:
        text = chr(80 + number % 32) + text
    return text


def numbers_of(data: Mapping[str, Any]) -> Iterator[int]:
    """The numbers of a certificate's text, as ``theorems/CoverText.v`` says."""
    nodes, size = data["nodes"], sum(data["jobs"])
    tables = []
    for kind in "SQ":
        rows = Counter(tuple(content) for name, content in nodes if name == kind)
        tables.append({row: number for number, (row, _) in enumerate(rows.most_common())})
        yield from (size, len(rows))
        values = [a for row in tables[-1] for a in row]
        yield from values if kind == "Q" else [2 * a if a >= 0 else -2 * a - 1 for a in values]
    forms, places = tables
    depths = [0]
    for kind, content in nodes:
        depth = depths.pop()
        if kind == "S":
            yield 2 * forms[tuple(content)] + 1
            depths += [depth + 1] * 2
        elif kind == "Q":
            yield 2 * places[tuple(content)] + 2
        else:
            yield from (0, len(content))
            yield from (number for row, m in content for number in (depth - 1 - row, m))
