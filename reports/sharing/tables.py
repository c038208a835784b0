"""Tables of records on scenarios of kind ``sharing``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from ..tables import Table, comparison, facts, listing, table
from .audit_tables import audit

FAIR: Final = "fair is what ref does with timing next, jobs of several machines as copies; unfairness: how far from it"

__all__ = ["audit", "compare", "run", "verify"]


def compare(data: Mapping[str, Any]) -> list[Table]:
    """One row per rule, then what every organization got under it, beside the fair schedule."""
    rows = data["organizations"]
    columns = ["rule", "name", "utility", "fair", "contribution"]
    if len({row["scenario"] for row in rows}) > 1:
        columns.insert(1, "scenario")
    each = [listing("what everybody got", rows, columns)] if rows else []
    return [*(replace(rules, note=FAIR) for rules in comparison(data)), *each]


def run(data: Mapping[str, Any]) -> list[Table]:
    """Organizations, what they have together, values of coalitions, and a short schedule."""
    columns = ["name", "machines", "jobs", "utility", "contribution", "parts"]
    if all(row["contribution"] is None for row in data["organizations"]):
        columns.remove("contribution")
    note = f"at {data['until']}; parts: machine time received"
    tables = [table(f"run: {data['scenario']}", data["organizations"], columns, note), _together(data)]
    if data.get("coalitions"):
        tables.append(table("coalitions", data["coalitions"], ["name", "value"]))
    names = [row["name"] for row in data["organizations"]]
    rows = [
        {"start": start, "organization": names[owner - 1], "job": job, "machine": machine}
        for start, owner, job, machine in data["schedule"]
    ]
    if rows:
        columns = ["start", "organization", "job", "machine"]
        tables.append(listing("schedule", rows, columns, data["schedule_left_out"]))
    return tables


def _together(data: Mapping[str, Any]) -> Table:
    pairs: list[tuple[str, Any]] = [("value (sum of utilities)", data["value"]), ("utilization", data["utilization"])]
    if data["reference"] is not None:
        pairs += [
            ("delta: distance from the fair utilities", data["delta"]),
            ("p_tot: unit parts done in the fair schedule", data["p_tot"]),
            ("unfairness = delta / p_tot", data["unfairness"]),
        ]
    if "window" in data:
        window = data["window"]
        pairs += [("log", window["log"]), ("window opens at", window["start"]), ("load", window["load"])]
    note = "" if data["reference"] is None else f"fair: {data['reference']}"
    return facts("together", pairs, note)


def verify(data: Mapping[str, Any]) -> list[Table]:
    """The largest gain by a manipulation, its witness, and the axioms of the utility."""
    tables = []
    found = data["manipulation"]
    if found is not None:
        note = _verdict(data)
        who = [] if found["holds"] else [("by", found["organization"]), ("move", found["move"])]
        tables.append(
            facts(
                f"verify: {data['scenario']}",
                [("moves tried", found["cases"]), ("largest gain", found["max_gain"]), *who],
                note,
            )
        )
        if found["witness"] is not None:
            tables.append(_witness(found["witness"]))
        if "each" in found:
            tables.append(table("each organization's best move", found["each"], ["name", "cases", "move", "max_gain"]))
    rows = [
        {"axiom": name.replace("_", " "), "holds": axiom["holds"], "cases": axiom["cases"], **_example(axiom)}
        for name, axiom in data["axioms"].items()
    ]
    columns = ["axiom", "holds", "cases", "moment", "schedules", "values"]
    note = "a schedule lists (start, length)"
    if all(axiom["holds"] for axiom in data["axioms"].values()):
        columns, note = columns[:3], ""
    tables.append(table(f"axioms of the utility {data['utility']}", rows, columns, note))
    return tables


def _verdict(data: Mapping[str, Any]) -> str:
    """What the moves tried say: of the rest of a stopped search nothing, of the utility what its own axiom says."""
    if data["manipulation"]["holds"]:
        return "No move pays." if data["complete"] else "No move that was tried pays."
    resistant = data["axioms"].get("strategy_resistance")
    proof = resistant is not None and resistant["holds"]
    return "The utility is strategy-proof, the mechanism is not." if proof else "The mechanism is not strategy-proof."


def _witness(witness: Mapping[str, Any]) -> Table:
    return facts(
        "witness",
        [
            ("organization", witness["organization"]),
            ("move", f"{witness['move']} job {witness['job']}"),
            ("jobs as presented", ", ".join(f"({r}, {p})" for r, p in witness["jobs"])),
            ("utility as is", witness["utility_as_is"]),
            ("utility with the move", witness["utility_with_move"]),
            ("gain", witness["gain"]),
        ],
    )


def case(axiom: Mapping[str, Any]) -> str:
    """A counterexample to an axiom in one line; empty where it holds."""
    found = _example(axiom)
    if found["moment"] is None:
        return ""
    return f"at {found['moment']}: {found['schedules']} are worth {found['values']}"


def _example(axiom: Mapping[str, Any]) -> dict[str, Any]:
    example = axiom["counterexample"]
    if example is None:
        return {"moment": None, "schedules": None, "values": None}
    schedules = [" + ".join(f"({s}, {p})" for s, p in schedule) or "nothing" for schedule in example["schedules"]]
    values = "; ".join(str(value) for value in example["values"])
    return {"moment": example["moment"], "schedules": "; ".join(schedules), "values": values}
