"""Tables of ``audit --gaming``: what each organization could gain, by which move, and what that means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...support.units import three_digits
from ...verbs.sharing.gaming_telling import above
from ..tables import Table, table
from .times import time


def gaming(data: Mapping[str, Any]) -> list[Table]:
    """One row per organization, largest gains by move; then the same in words, and what was left out; none unasked."""
    found = data.get("gaming")
    if found is None:
        return []
    rows = [_row(row) for row in found["organizations"]]
    note = (
        "largest gain found in one window, per cent of what the organization has there as its jobs are; 0 (proved): no "
        "such presentation can pay; at most: no presentation gains more in any window"
    )
    words = (("what could be gained", found["told"]), ("what this supposes and leaves out", found["limits"]))
    tables = [table(f"who could game {found['rule']}", rows, list(rows[0]), note)] if rows else []
    return [*tables, *(Table(head, (), tuple((line,) for line in lines)) for head, lines in words if lines)]


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    moves = {move["move"]: _percent(move) for move in row["moves"]}
    mixed = next(move for move in row["moves"] if move["move"] == "mixture")
    return {
        "organization": row["name"],
        **moves,
        "at most": "-" if mixed["at_most"] is None else f"{above(mixed['at_most'])} %",
        "earlier": time(row["earlier"]),
        "window": "-" if row["window"] is None else row["window"],
        "tried": row["tried"],
    }


def _percent(move: Mapping[str, Any]) -> str:
    if move["proved"] is not None:
        return "0 (proved)"
    return "from nothing" if move["percent"] is None else f"{three_digits(move['percent'])} %"
