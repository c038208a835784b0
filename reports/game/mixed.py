"""Tables of mixed play: equilibria with their components, profiles near some, quantal responses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..tables import Table, table


def mixed(found: Mapping[str, Any], costs: str) -> list[Table]:
    """Equilibria as numbered rows, the sets that the components are made of, and what is none.

    ``costs``: the key of what everybody pays or gets.
    """
    columns = ["probabilities", costs, "regrets", "exact"]
    rows = found["equilibria"]
    parts = found.get("components")
    numbered = [{"number": i, **row} for i, row in enumerate(rows, 1)] if parts else rows
    first = ["number", *columns] if parts else columns
    tables = [table(f"mixed equilibria ({found['method']})", numbered, first, reach(found))]
    if parts:
        sets = [{"component": i, "hull of": subset} for i, part in enumerate(parts, 1) for subset in part]
        tables.append(table("components of equilibria, by maximal convex sets", sets, ["component", "hull of"]))
    if found.get("approximate"):
        note = "their exact regrets are positive: they are no equilibria"
        tables.append(table("profiles near mixed equilibria", found["approximate"], columns, note))
    return tables


def reach(found: Mapping[str, Any]) -> str:
    """Whether equilibria may be missing from the list."""
    if not found["complete"]:
        return "more may be missing"
    if found.get("components"):
        return "proved: every equilibrium is in the hull of a set in components"
    return "proved: these are all equilibria"


def quantal(found: Mapping[str, Any], costs: str) -> list[Table]:
    """A row for each lambda."""
    note = "statistics, on the branch that begins at lambda 0"
    if not found["complete"]:
        note += "; stopped before the last lambda"
    columns = ["lambda", "probabilities", costs, "regrets"]
    return [table(f"quantal response equilibria ({found['concept']})", found["responses"], columns, note)]
