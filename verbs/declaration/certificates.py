"""Certificates of proofs: written from the command line, and beside the scenarios that they are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...games.proofs.certificate import Replayed, replay_tree, write_certificate
from ...games.proofs.prover import Proof
from ...scenarios.reader import Source, load
from ...support.errors import InputError, NotKeptError
from ..records import Record
from .model import model


def keep_certificate(proofs: Sequence[Proof], path: str, record: Record) -> None:
    """Write the certificate of the statements that hold, those of the first one's trees; none hold: no file.

    Raises NotKeptError with the record where it cannot be written.
    """
    proved = [proof for proof in proofs if proof.holds and proof.trees]
    alike = [proof for proof in proved if proof.trees == proved[0].trees]
    if not alike:
        return
    try:
        write_certificate(alike, path)
    except OSError as error:
        raise NotKeptError(f"certificate: {path}: cannot be written ({error.strerror or error})", record) from None


def replay_against(certificate: Mapping[str, Any], source: Source) -> Replayed:
    """Run the mechanism of a scenario along every path of a checked certificate's tree.

    Raises InputError where the scenario is no declaration.
    """
    scenario = load(source)
    if scenario.kind != "declaration":
        raise InputError(f"{scenario.name}: found a scenario of kind {scenario.kind!r}; expected 'declaration'")
    return replay_tree(certificate, model(scenario).mechanism)
