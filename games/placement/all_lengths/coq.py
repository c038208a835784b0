"""A certificate of a shape as a folder of Coq: coqc proves there what the certificate says.

The folder has the project's theorems that it takes (``theorems/``: the game, the checkers and their proofs), the
certificate as a text that a proved checker reads, the theorem, and ``check.sh``. Nothing of it is trusted: coqc checks
all of it, and the statement is in terms of ``Game.v`` and ``PriorityToJobs.v`` alone.

The text has lists of integers (:func:`lists_of`), in base 32. Forms and placements of a cover stand in tables, the
frequent ones first, and the tree has their numbers: coqc takes as long to read a certificate as to check it.

>>> data = {"property": "pure-equilibrium", "jobs": [1, 0], "nodes": [["S", [1]], ["E", [[0, 1]]], ["Q", [0]]]}
>>> list(lists_of(data))
[[1, 1], (1,), (0,), [0], [0, 1], [-1]]
>>> digits(3), digits(1000)
('3', 'o8')
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ....support.errors import InputError
from ....support.files import write_text, writing_errors

THEOREMS: Final = Path(__file__).parents[3] / "theorems"
NUMBERS: Final = "Numbers"
"""The numbers that theorems take; ``numbers/rationals.v`` are those without axioms."""
REQUIRED: Final = re.compile(r"^Require (?:Import |Export )?([\w ]+)\.$", re.MULTILINE)
PIECE: Final = 8_000
"""Characters of a string, so that no parser runs out of stack."""

STABLE: Final = "(forall a d, pays jobs p a <= pays jobs (deviate dec p a d) a)"
BOUNDED: Final = (
    "0 <= M -> (forall a, pays jobs q a <= M) ->\n    forall a, inj {bottom} * pays jobs p a <= inj {top} * M"
)
COVER: Final = "  destruct ({sound} _ _ _ _ accepted jobs {arguments}) as (p & H). exists p. "
CLAIMS: Final = {
    "pure-equilibrium": (f"exists p, {STABLE}", f"{COVER}exact (Shapes.equilibrium_of dec _ _ p H)."),
    "epsilon": (
        "exists p, forall a d,\n    inj {bottom} * pays jobs p a <= inj {top} * pays jobs (deviate dec p a d) a",
        f"{COVER}exact (proj1 H).",
    ),
    "price-of-stability": (
        f"exists p, {STABLE} /\\\n    forall q M, {BOUNDED}",
        f"{COVER}\n  split; [exact (Shapes.equilibrium_of dec _ _ p H)|exact (proj2 H _ _ eq_refl)].",
    ),
    "price-of-anarchy": (
        f"forall p q M, {STABLE} ->\n    {BOUNDED}",
        "  exact ({sound} _ _ _ accepted jobs {arguments}).",
    ),
}
"""By property, what is claimed of the jobs, and its proof from ``accepted``."""

CERTIFICATE: Final = """\
(* A certificate as CertificateText.v reads it. *)
From Coq Require Import List.
Require Import CertificateText.
Import ListNotations.

{parts}
Definition certificate : list text := [{names}].
"""
STATEMENT: Final = """\
(* {sentence}

   num, inj: numbers, and integers as numbers (Numbers.v); cost, deviate: Game.v; cost_jobs: PriorityToJobs.v.
   A placement p says for each organization and number of a job, from 0, on whose machine it is. *)
From Coq Require Import List ZArith Sorted.
Require Import Numbers Game PriorityToJobs.
Require Shapes Cover PriceTree Certificate.
Import ListNotations.

Inductive org : Set := {constructors}.
Definition dec (a b : org) : {{a = b}} + {{a <> b}}.
Proof. decide equality. Defined.
Definition organizations : list org := [{names}].
Definition shape (a : org) : nat := match a with {counts} end.
{order}

Lemma nodup : NoDup organizations.
Proof. repeat constructor; simpl; intuition discriminate. Qed.
Lemma complete a : In a organizations.
Proof. destruct a; simpl; auto {deep}. Qed.
Lemma accepted : {accepted} = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Theorem proved : forall jobs : org -> list num,
  (forall a x, In x (jobs a) -> 0 <= x) ->
  {jobs} ->
  {claim}.
Proof.
  intros jobs {assumed}.
{proof}
Qed.

Check proved.
Print Assumptions proved.
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
        A certificate that no proved checker knows, or a folder that cannot be written.
    """
    if data.get("property") not in CLAIMS:
        raise InputError(
            f"property: found {data.get('property')!r:.40}; the checkers proved in Coq know {', '.join(CLAIMS)}"
        )
    texts = theorems("Shapes", {})
    text = text_of(data)
    pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
    texts["Certificate"] = CERTIFICATE.format(
        parts="\n".join(f'Definition part{i} : text := "{piece}"%text.' for i, piece in enumerate(pieces)),
        names="; ".join(f"part{i}" for i in range(len(pieces))),
    )
    texts["Statement"] = statement(data, sentence)
    with writing_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for name, content in texts.items():
        write_text(folder / f"{name}.v", content)
    write_text(folder / "check.sh", SCRIPT.format(files=" ".join(texts)))


def statement(data: Mapping[str, Any], sentence: str) -> str:
    """The file with the theorem: a claim on costs as they are defined, and its proof from what a checker accepts."""
    jobs, ranks, name = data["jobs"], data["ranks"], data["property"]
    top, bottom = data["at_most"] or (1, 1)
    names = [f"O{a}" for a in range(1, len(jobs) + 1)]
    check, reader = "cover", "Cover.cover_of organizations"
    least = "(length (jobs a) <= shape a)%nat"
    if name == "price-of-anarchy":
        check, reader, least = "price", "PriceTree.price_trees organizations shape", "length (jobs a) = shape a"
    if ranks is None:
        kind, served, assumed, arguments = "organizations", "(fun _ => organizations)", "N K", "N K"
        order = (
            "(* Every machine serves its owner first, then the others in this order. *)\n"
            "Definition pays (jobs : org -> list num) := cost dec organizations jobs (fun _ => organizations)."
        )
        hypotheses, orders = f"(forall a, {least})", f"{served} (fun _ => nodup) (fun _ => complete)"
    else:
        kind, served, assumed, orders = "jobs", "ranking", "N S K", "ranking"
        places = sorted((rank, f"({names[a]}, {n}%nat)") for a, one in enumerate(ranks) for n, rank in enumerate(one))
        order = (
            "(* Every machine serves its owner's jobs first, then the others in this order. *)\n"
            f"Definition ranking : list (org * nat) := [{'; '.join(job for _, job in places)}].\n"
            "Definition pays (jobs : org -> list num) := cost_jobs dec organizations jobs ranking."
        )
        hypotheses = "(forall a, Sorted (fun x y => y <= x) (jobs a)) ->\n  (forall a, length (jobs a) = shape a)"
        arguments = "(Shapes.sorted_lengths shape jobs N S K)"
    numbers = f"{top} {bottom}" if check == "price" else f"{top} {bottom} None"
    if name == "price-of-stability":
        numbers = f"1 1 (Some ({top}, {bottom})%Z)"
    sound = f"Shapes.{check}_to_{kind} dec organizations nodup complete shape {orders}"
    checker = f"Shapes.check_{check}_{kind} dec organizations shape {served}"
    claim, proof = (part.format(top=top, bottom=bottom, sound=sound, arguments=arguments) for part in CLAIMS[name])
    return STATEMENT.format(
        sentence=sentence,
        constructors=" | ".join(names),
        names="; ".join(names),
        counts=" | ".join(f"{name} => {count}" for name, count in zip(names, jobs, strict=True)),
        order=order,
        deep=len(names) + 2,
        accepted=f"{checker} {numbers}\n  ({reader} O1 Certificate.certificate)",
        jobs=hypotheses,
        claim=claim,
        assumed=assumed,
        proof=proof,
    )


def theorems(name: str, texts: dict[str, str]) -> dict[str, str]:
    """The texts of a file of the theorems and of those that it takes, each after those that it takes itself."""
    path = THEOREMS / ("numbers/rationals.v" if name == NUMBERS else f"{name}.v")
    if name not in texts and path.exists():
        content = path.read_text(encoding="utf-8")
        for other in " ".join(REQUIRED.findall(content)).split():
            theorems(other, texts)
        texts[name] = content
    return texts


def text_of(data: Mapping[str, Any]) -> str:
    """Lists of integers in base 32, as ``theorems/CertificateText.v`` reads them: 0, -1, 1, .. are 0, 1, 2, .."""
    lists = lists_of(data)
    return "".join(digits(len(one)) + "".join([digits(2 * a if a >= 0 else -2 * a - 1) for a in one]) for one in lists)


def digits(number: int) -> str:
    """A number >= 0 in base 32; a digit after which more follow is another character than the same as the last one."""
    text = chr(48 + number % 32)
    while number := number // 32:
        text = chr(80 + number % 32) + text
    return text


def lists_of(data: Mapping[str, Any]) -> Iterator[Sequence[int]]:
    """The lists of a certificate's text, as ``theorems/Cover.v`` and ``theorems/PriceTree.v`` say at their ends."""
    if data["property"] == "price-of-anarchy":
        for *_, nodes in sorted(data["roots"], key=lambda root: root[:3]):
            for kind, *content in nodes:
                if kind == "D":
                    yield [-content[0] - 1, *content[1]]
                else:
                    yield content if kind == "O" else [a for pair in content[1] for a in pair]
        return
    nodes = data["nodes"]
    tables = [
        [row for row, _ in Counter(tuple(content) for name, content in nodes if name == kind).most_common()]
        for kind in "SQ"
    ]
    yield [len(table) for table in tables]
    for table in tables:
        yield from table
    forms, places = ({row: number for number, row in enumerate(table)} for table in tables)
    for kind, content in nodes:
        if kind == "E":
            yield [a for pair in content for a in pair]
        else:
            yield [forms[tuple(content)] if kind == "S" else -places[tuple(content)] - 1]
