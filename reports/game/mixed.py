"""Tables of mixed play: equilibria with their components, profiles near some, quantal responses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..tables import Table, table


def mixed(answer: Mapping[str, Any], costs: str) -> list[Table]:
    """Equilibria as numbered rows, the sets that the components are made of, and what is none.

    ``costs``: the key of what everybody pays or gets.
    """
    columns = ["probabilities", costs, "regrets", "exact"]
    rows = answer["equilibria"]
    parts = answer.get("components")
    numbered = [{"number": i, **row} for i, row in enumerate(rows, 1)] if parts else rows
    first = ["number", *columns] if parts else columns
    tables = [table(f"mixed equilibria ({answer['method']})", numbered, first, reach(answer))]
    if parts:
        sets = [{"component": i, "hull of": subset} for i, part in enumerate(parts, 1) for subset in part]
        tables.append(table("components of equilibria, by maximal convex sets", sets, ["component", "hull of"]))
    if answer.get("approximate"):
        note = "their exact regrets are positive: they are no equilibria"
        tables.append(table("profiles near mixed equilibria", answer["approximate"], columns, note))
    return tables


def reach(answer: Mapping[str, Any]) -> str:
    """Whether equilibria may be missing from the list."""
    if not answer["complete"]:
        return "more may be missing"
    if answer.get("components"):
        return "proved: every equilibrium is in the hull of a set in components"
    return "proved: these are all equilibria"


def quantal(answer: Mapping[str, Any], costs: str) -> list[Table]:
    """A row for each lambda."""
    note = "statistics, on the branch that begins at lambda 0"
    if not answer["complete"]:
        note += "; stopped before the last lambda"
    columns = ["lambda", "probabilities", costs, "regrets"]
    return [table(f"quantal response equilibria ({answer['concept']})", answer["responses"], columns, note)]
