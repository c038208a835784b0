"""What coalitions leave stable, as a table of a ``search`` record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...verbs.game.records import CoalitionsRow
from ..tables import Table, facts, pairs_of


def coalitions(answer: Mapping[str, Any], social: str) -> Table:
    """Existence, the best and the worst, prices; ``social``: the key of a social cost, or of a welfare."""
    word = social.replace("_", " ")
    pairs = pairs_of(answer, CoalitionsRow, ["exists", "count"])
    for name in ("best", "worst"):
        row = answer[name]
        pairs += [(f"{name} one", row["profile"]), (f"{word}: {name} one", row.get(social))] if row else []
    pairs += pairs_of(answer, CoalitionsRow, ["price_of_anarchy", "price_of_stability"])
    bounds = {key.replace("_", " "): value for key, value in (answer.get("bounds") or {}).items() if value is not None}
    if bounds:
        pairs += pairs_of({"bounds": bounds}, CoalitionsRow, ["bounds"])
    return facts(f"no coalition of up to {answer['size']} gains ({answer['notion']})", pairs)
