"""Tables of correlated play: both extremes with their bounds, and how each is played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..tables import LISTED, Table, more, table

NAMES = {"coarse": "coarse correlated equilibria", "correlated": "correlated equilibria"}


def correlated(data: Mapping[str, Any]) -> list[Table]:
    """The extremes side by side, then their distributions; none where it was not asked."""
    answer = data.get("correlated")
    if not answer:
        return []
    social = "social_welfare" if data.get("sense") == "payoff" else "social_cost"
    sides = [(side, answer[side]) for side in ("best", "worst") if answer[side]]
    rows = [
        {
            "": side,
            social: row.get(social),
            "bound": row["bound"],
            "proved": row["proved"],
            "multipliers": len(row["multipliers"]),
        }
        for side, row in sides
    ]
    price = answer["price_of_total_anarchy"]
    note = "" if price is None else f"price of total anarchy (worst against optimum): {price}"
    name = NAMES[answer["concept"]]
    tables = [table(name, rows, ["", social, "bound", "proved", "multipliers"], note if sides else "there is none")]
    for side, row in sides:
        played = row["distribution"]
        if not played:
            continue
        left_out = more(len(played) - LISTED, "--json shows them")
        tables.append(table(f"{name}: {side}", played[:LISTED], ["probability", "profile"], left_out))
    return tables
