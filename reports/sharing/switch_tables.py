"""The tables of what another rule would change: who wins, who loses, of whom nothing can be said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..tables import Table, table
from .times import limits, time

_VERDICTS: Final = {"wins": "wins", "loses": "loses", "same": "nothing changes", "open": "cannot be told"}


def switched(data: Mapping[str, Any]) -> list[Table]:
    """One row per organization, then the same in words; nothing where no other rule was asked about."""
    switch = data.get("switch")
    if not switch:
        return []
    before, after = data["rule"], switch["rule"]
    delays = {(row["rule"], row["name"]): row for row in data["organizations"]}
    rows = []
    for row in switch["organizations"]:
        old, new = (delays[rule, row["name"]] for rule in (before, after))
        rows.append(
            {
                "organization": row["name"],
                f"later than fair under {before}": time(old["delay"]),
                f"under {after}": time(new["delay"]),
                "change": time(row["change"]),
                "95 % limits": limits(row["change_low"], row["change_high"]),
                "": _VERDICTS[row["verdict"]],
            }
        )
    head = f"what if: {after} instead of {before}"
    note = (
        "change: how much later a second of its work would be done, mean of the same windows under both, Student's "
        "limits; below 0: earlier. Everybody submits the same jobs at the same moments"
    )
    words = Table(f"who wins and who loses by {after}", (), tuple((line,) for line in switch["explanation"]))
    return [table(head, rows, list(rows[0]), note), words]
