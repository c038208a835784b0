"""Tables of the potentials of a game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..tables import Table, cell, listing, shortened, table


def tables(verdicts: Mapping[str, Any]) -> list[Table]:
    """One row per class with what refutes it; the potential of the first class that the game is in."""
    rows = [
        {"class": name.replace("_", " "), "holds": verdict and verdict["holds"], "shown_by": _evidence(verdict)}
        for name, verdict in verdicts.items()
    ]
    tables = [table("potentials", rows, ["class", "holds", "shown_by"])]
    for name, verdict in verdicts.items():
        if verdict and verdict["holds"]:
            witness = verdict["witness"]
            values = witness["potential"]
            left_out = witness.get("potential_left_out") or 0
            return [*tables, listing(f"{name.replace('_', ' ')} potential", values, ["profile", "value"], left_out)]
    return tables


def _evidence(verdict: Mapping[str, Any] | None) -> str:
    if verdict is None:
        return "not decided"
    witness = verdict["witness"]
    if verdict["holds"]:
        weights = witness.get("weights")
        return f"potential with weights {cell(weights)}" if weights else "potential"
    if "trap" in witness:
        return shortened(f"no way to an equilibrium from {cell(witness['trap'])}")
    rings = [" -> ".join(map(cell, [*ring, ring[0]])) for ring in witness["cycles"]]
    return shortened("; ".join(rings))
