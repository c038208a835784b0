"""Certificates of proofs beside the scenarios that they are about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...games.proofs.certificate import Replayed, replay_tree
from ...scenarios.reader import Source, load
from ...scheduling.errors import InputError
from .model import model


def replay_against(certificate: Mapping[str, Any], source: Source) -> Replayed:
    """Run the mechanism of a scenario along every path of a checked certificate's tree.

    Raises InputError where the scenario is no declaration.
    """
    scenario = load(source)
    if scenario.kind != "declaration":
        raise InputError(f"{scenario.name}: found a scenario of kind {scenario.kind!r}; expected 'declaration'")
    return replay_tree(certificate, model(scenario).mechanism)
