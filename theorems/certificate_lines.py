"""Certificates of shapes as files that Coq checks: ``python certificate_lines.py proof.json.gz > Proof.v``.

The text is that of the certificate, a node on each line; it is not trusted. ``coqc -Q BUILD "" Proof.v`` proves the
theorem at the end of the file, BUILD being the folder where ``theorems/`` is built.
"""

from __future__ import annotations

import gzip
import json
import sys
from typing import Any

PIECE = 4_000
"""Characters of a string: Coq's parser does not take much longer ones."""


def _node(node: list[Any]) -> str:
    kind, *content = node
    if kind == "E":
        content = [":".join(map(str, pair)) for pair in content[0]]
    elif kind == "L":
        content = [content[0], *(":".join(map(str, pair)) for pair in content[1])]
    elif kind == "D":
        content = [content[0], *content[1]]
    elif kind in "SQ":
        content = content[0]
    return " ".join(map(str, [kind, *content]))


def price_tree_text(certificate: dict[str, Any]) -> str:
    """The trees of a price, in the order of their placements, organizations and machines; R begins another tree."""
    roots = sorted(certificate["roots"], key=lambda root: (root[0][::-1], root[1], root[2]))
    return "".join("\n".join(["R", *map(_node, nodes), ""]) for _, _, _, nodes in roots)


def cover_text(certificate: dict[str, Any]) -> str:
    """The nodes of a cover."""
    return "".join(_node(node) + "\n" for node in certificate["nodes"])


def coq_file(certificate: dict[str, Any]) -> str:
    """A file of Coq with the certificate, what it claims, and the test."""
    jobs, ranks, name = certificate["jobs"], certificate["ranks"], certificate["property"]
    priced = name == "price-of-anarchy"
    top, bottom = certificate["at_most"] or (1, 1)
    names = [f"O{a}" for a in range(len(jobs))]
    if ranks:
        places = sorted((r, f"(O{a}, {n}%nat)") for a, one in enumerate(ranks) for n, r in enumerate(one))
        order, cost = f"[{'; '.join(text for _, text in places)}]", "cost_jobs dec all jobs ranking"
        stable, lengths = "equilibrium_jobs dec all jobs ranking p", "sorted_of_shape shape jobs"
        given, kind = "shape ranking", "jobs"
    else:
        order, cost = "fun _ : org => all", "cost dec all jobs ranking"
        stable, lengths = "equilibrium dec all jobs ranking p", "(forall a x, In x (jobs a) -> 0 <= x) ->"
        lengths += f"\n  (forall a, (length (jobs a) {'=' if priced else '<='} shape a)%nat)"
        given, kind = "ranking (fun _ => nodup) (fun _ => all_in) shape", "organizations"
    bounded = f"0 <= M -> (forall a, {cost} q a <= M) ->\n  forall a, inj {bottom} * {cost} p a <= inj {top} * M"
    text = price_tree_text(certificate) if priced else cover_text(certificate)
    if priced:
        claim = f"forall p q M, {stable} -> {bounded}"
        rest = "" if ranks else " (fun _ => nodup) (fun _ => all_in)"
        trees = f"(price_trees all shape certificate){rest}"
        used = f"price_to_{kind} dec all shape nodup all_in ranking {top} {bottom} {trees}"
    else:
        exact, claims = (
            ("stability", f"{stable} /\\\n  forall q M, {bounded}")
            if name == "price-of-stability"
            else ("existence", stable)
            if name == "pure-equilibrium"
            else ("epsilon", f"forall a d,\n  inj {bottom} * {cost} p a <= inj {top} * {cost} (deviate dec p a d) a")
        )
        claim = f"exists p, {claims}"
        numbers = "" if name == "pure-equilibrium" else f" {top} {bottom}"
        used = f"{exact}_to_{kind} dec all nodup all_in {given}{numbers} (cover_items all certificate)"
    counts = " | ".join(f"{name} => {k}" for name, k in zip(names, jobs, strict=True))
    pieces = ";\n".join(f'"{text[at : at + PIECE]}"%lines' for at in range(0, len(text), PIECE))
    return f"""From Coq Require Import List ZArith.
Require Import Numbers Game PriorityToJobs Terms PriceOfShape CoverOfShape CertificateLines.
Import ListNotations.
Inductive org : Set := {" | ".join(names)}.
Definition dec (a b : org) : {{a = b}} + {{a <> b}}. Proof. decide equality. Defined.
Definition all := [{"; ".join(names)}].
Lemma nodup : NoDup all. Proof. repeat constructor; simpl; intuition discriminate. Qed.
Lemma all_in a : In a all. Proof. destruct a; simpl; auto 40. Qed.
Definition shape (a : org) : nat := match a with {counts} end.
Definition ranking := {order}.
Definition certificate : list text := [
{pieces}].
Theorem proved : forall jobs : org -> list num, {lengths} ->
  {claim}.
Proof. apply ({used}). vm_cast_no_check (eq_refl true). Qed.
Print Assumptions proved.
"""


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    print(coq_file(json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)), end="")
