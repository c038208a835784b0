"""Tables of records on scenarios of kind ``federation``."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ..game.tables import search as search_tables
from ..tables import Table, cell, comparison, facts, table

__all__ = ["compare", "run", "search", "verify"]

LISTED = 60
"""Jobs shown in a table unless the record was cut already."""


def readable(value: Any) -> Any:
    """A long fraction as a decimal, marked as rounded; anything else as it is (the record keeps it exact).

    >>> readable("790321/1180492"), readable("3/2"), readable(4)
    ('0.669484 (rounded)', '3/2', 4)
    """
    if isinstance(value, str) and "/" in value and len(value) > 11:
        return f"{float(Fraction(value)):.6g} (rounded)"
    return value


def compare(data: Mapping[str, Any]) -> list[Table]:
    """One row per rule."""
    rows = [{**row, "values": {k: readable(v) for k, v in row["values"].items()}} for row in data["rows"]]
    return comparison({**data, "rows": rows})


def run(data: Mapping[str, Any]) -> list[Table]:
    """Organizations, what everybody sees, where every job runs."""
    rows = [{key: readable(value) for key, value in row.items()} for row in data["organizations"]]
    columns = ["name", "local", "makespan", "total_completion", "cost", "lower_bound", "stretch"]
    if any(row["epsilon"] is not None for row in rows):
        columns += ["epsilon", "regret"]
    pairs: list[tuple[str, Any]] = [
        ("social cost", data["social_cost"]),
        ("lower bound LB", data["lower_bound"]),
        ("Jain index of makespan / LB", readable(data["jain"])),
        ("stretch (largest makespan / LB)", readable(data["stretch"])),
        ("cooperation (largest makespan / local, at least 1)", readable(data["cooperation"])),
        ("local constraint", data["local_constraint"]),
        ("selfishness restriction", data["selfishness_restriction"]),
    ]
    if "guess" in data:
        pairs.append(("guess of the optimum", data["guess"]))
    if data.get("optimum_at_least") is not None:
        pairs.append(("optimum at least", data["optimum_at_least"]))
    if data.get("feasible") is False:
        pairs.append(("feasible", False))
    jobs = data["jobs"]
    hidden = max(0, len(jobs) - LISTED) + data.get("jobs_left_out", 0)
    note = f"{hidden:,} more not listed" if hidden else ""
    listed = table("schedule", jobs[:LISTED], ["organization", "job", "host", "machine", "start", "end"], note)
    return [table(f"run: {data['scenario']}", rows, columns), facts("federation", pairs), listed]


def search(data: Mapping[str, Any]) -> list[Table]:
    """The tables of every game, with the optimum over all schedules in its place."""
    tables = search_tables(data)
    first = tables[0]
    extra = ("makespan: optimum of all schedules", cell(data["unconstrained_optimum"]))
    at = next(i for i, row in enumerate(first.rows) if row[0].endswith(": optimum")) + 1
    rows = (*first.rows[:at], extra, *first.rows[at:])
    return [Table(first.title, first.columns, rows, first.note), *tables[1:]]


def verify(data: Mapping[str, Any]) -> list[Table]:
    """Equilibrium, constraints and claims, each with who breaks it."""
    rows = []
    stable = data["equilibrium"]
    if stable is not None:
        witness = stable["witness"]
        told = (
            f"{witness['organization']} gains by {cell(witness['placement'])}: {cell(witness['cost'])} becomes "
            f"{cell(witness['better'])}"
            if witness
            else ""
        )
        rows.append({"property": "equilibrium", "holds": stable["holds"], "counterexample": told})
    for name in ("local_constraint", "selfishness_restriction"):
        broken = _told(data["witnesses"].get(name))
        rows.append({"property": name.replace("_", " "), "holds": data[name], "counterexample": broken})
    for name, found in data["claims"].items():
        rows.append({"property": f"claim: {name}", "holds": found["holds"], "counterexample": _told(found["witness"])})
    tables = [table(f"verify: {data['scenario']}", rows, ["property", "holds", "counterexample"])]
    if stable is not None:
        pairs = [("epsilon (multiplicative)", stable["epsilon"]), ("regret (additive)", stable["regret"])]
        tables.append(facts("distance from equilibrium", pairs))
    return tables


def _told(witness: Mapping[str, Any] | None) -> str:
    if not witness:
        return ""
    who = "the federation" if witness["organization"] is None else witness["organization"]
    job = "" if witness["job"] is None else f", job {witness['job']}"
    return f"{who}{job}: {cell(witness['value'])} instead of at most {cell(witness['bound'])}"
