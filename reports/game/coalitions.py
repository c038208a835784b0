"""What coalitions leave stable, as a table of a ``search`` record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..tables import Table, facts


def coalitions(found: Mapping[str, Any], social: str) -> Table:
    """Existence, the best and the worst, prices; ``social``: the key of a social cost, or of a welfare."""
    word = social.replace("_", " ")
    pairs: list[tuple[str, Any]] = [("a stable profile exists", found["exists"]), ("stable profiles", found["count"])]
    for name in ("best", "worst"):
        row = found[name]
        pairs += [(f"{name} one", row["profile"]), (f"{word}: {name} one", row.get(social))] if row else []
    pairs += [
        ("price of anarchy (worst stable against optimum)", found["price_of_anarchy"]),
        ("price of stability (best stable against optimum)", found["price_of_stability"]),
    ]
    known = {key.replace("_", " "): value for key, value in (found.get("bounds") or {}).items() if value is not None}
    if known:
        pairs.append(("proved so far", known))
    return facts(f"no coalition of up to {found['size']} gains ({found['notion']})", pairs)
