"""Tables of coalitions of agents: whether a joint lie pays, and the one that pays most."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..tables import Table, cell, facts, table

MEANS: Final = {
    "all-gain": "every member gains",
    "none-lose": "nobody of them loses and one gains",
    "total": "the members' gains add up to more than 0",
}
AGAINST: Final = {"dominant": "others declare anything (dominant)", "ex_post": "others are truthful (ex post)"}


def groups(data: Mapping[str, Any] | None) -> list[Table]:
    """Both concepts, then each joint lie that pays; no table where nothing was asked."""
    if data is None:
        return []
    rows = [{"no joint lie pays": AGAINST[name], **data[name]} for name in AGAINST]
    sizes = ", ".join(map(str, data["sizes"]))
    note = f"it pays when {MEANS[data['notion']]} ({data['notion']}); coalitions of {sizes}"
    tables = [table("coalitions", rows, ["no joint lie pays", "holds", "cases", "max_gain"], note)]
    for name in AGAINST:
        if data[name]["witness"]:
            tables.append(_lie(f"a joint lie that pays ({name.replace('_', ' ')})", data[name]))
    return tables


def _lie(title: str, found: Mapping[str, Any]) -> Table:
    witness = found["witness"]
    pairs = [
        ("members", ", ".join(witness["members"])),
        ("true lengths", witness["lengths"]),
        ("everybody declares", witness["declarations"]),
        ("utilities of the truth", witness["utilities_truth"]),
        ("utilities of the lie", witness["utilities_lie"]),
    ]
    if witness.get("transfers") is not None:
        paid = [f"{one['from']} pays {one['to']} {cell(one['amount'])}" for one in witness["transfers"]]
        pairs.append(("side payments", "; ".join(paid) or "none needed"))
    return facts(title, [*pairs, ("gain", found["max_gain"])])
