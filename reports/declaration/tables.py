"""Tables of records on scenarios of kind ``declaration``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..game.tables import search
from ..tables import Table, cell, comparison, facts, shortened, table

__all__ = ["compare", "run", "search", "verify"]

compare = comparison


def run(data: Mapping[str, Any]) -> list[Table]:
    """Agents, then what the institution sees."""
    agents = data["agents"]
    columns = ["name", "length", "declares"]
    if not all(row["stayed"] for row in agents):
        columns.append("stayed")
    columns += ["machine", "position", "planned", "output", "payment", "utility"]
    if any(row["penalty"] is not None for row in agents):
        columns.append("penalty")
    columns.append("controls")
    tables = [table(f"run: {data['scenario']}", agents, columns)]
    if data.get("first_round"):
        tables.append(table("first round: the offer", data["first_round"], ["name", "planned", "payment"]))
    welfare = data["welfare"]
    pairs = [
        ("smallest sum of output times S(b)", data["optimal_sum"]),
        ("rent (sum of payments)", data["rent"]),
        ("welfare, planned", welfare["planned"]),
        ("welfare, final", welfare["final"]),
    ]
    return [*tables, facts("institution", pairs)]


def verify(data: Mapping[str, Any]) -> list[Table]:
    """Incentive compatibility, the lie that pays if there is one, and the properties."""
    concepts = ("dominant", "ex_post")
    against = {"dominant": "whatever the others do (dominant)", "ex_post": "to truthful others (ex post)"}
    rows = [{"truth is a best reply": against[name], **data[name]} for name in concepts if data.get(name)]
    columns = ["truth is a best reply", "holds", "cases", "max_gain"]
    if any(row["note"] for row in rows):
        columns.append("note")
    tables = [table(f"verify: {data['scenario']}", rows, columns)]
    for name in concepts:
        witness = (data.get(name) or {}).get("witness")
        if witness:
            tables.append(_lie(f"a lie that pays ({name.replace('_', ' ')})", witness))
    if data.get("properties"):
        tables.append(_properties(data["properties"]))
    return tables


def _lie(title: str, witness: Mapping[str, Any]) -> Table:
    pairs = [
        ("agent", witness["agent"]),
        ("true length", witness["length"]),
        ("lie", witness["lie"]),
        ("everybody declares", witness["declarations"]),
        ("true lengths", witness["lengths"]),
        ("utility of the truth", witness["utility_truth"]),
        ("utility of the lie", witness["utility_lie"]),
        ("gain", witness["gain"]),
    ]
    return facts(title, pairs)


def _properties(properties: Mapping[str, Any]) -> Table:
    rows = []
    for name, found in each_property(properties).items():
        witness = found.get("witness")
        rows.append(
            {
                "property": name,
                "holds": found["holds"],
                "cases": found["cases"],
                "counterexample": "" if not witness else shortened(told(witness)),
            }
        )
    cut = any(row["counterexample"].endswith("...") for row in rows)
    note = "counterexamples are cut; --json has them whole, with runs that replay them" if cut else ""
    return table("properties on the domain", rows, ["property", "holds", "cases", "counterexample"], note)


def each_property(properties: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The properties by readable name, those of Definition 4.6 among them."""
    listed = {name: found for name, found in properties.items() if name != "any_others"}
    listed |= {f"{name}, any others": found for name, found in properties.get("any_others", {}).items()}
    return {name.replace("_", " "): found for name, found in listed.items()}


def told(witness: Mapping[str, Any]) -> str:
    """The numbers that disagree first, then who and where."""
    where = {k: v for k, v in witness.items() if k in ("agent", "declarations", "lengths") and v is not None}
    numbers = {k: v for k, v in witness.items() if k not in ("agent", "declarations", "lengths", "replay")}
    return "; ".join(f"{key.replace('_', ' ')} {cell(value)}" for key, value in (*numbers.items(), *where.items()))


def curve(data: Mapping[str, Any]) -> list[Table]:
    """Pieces of the utility, and its values at the breakpoints."""
    jumps = set(map(str, data["jumps"]))
    truth = str(data["truth"])
    marks = {
        str(row["declares"]): ", ".join(
            word
            for word, on in (
                ("truth", str(row["declares"]) == truth),
                ("jump", str(row["declares"]) in jumps),
                ("best", row["declares"] == data["best"]["declares"]),
            )
            if on
        )
        for row in data["points"]
    }
    points = [{**row, "": marks[str(row["declares"])]} for row in data["points"]]
    tables = [
        table(
            f"curve: utility of {data['agent']}, {data['scenario']}",
            data["pieces"],
            ["from", "to", "slope", "at_from", "at_to"],
            "; ".join(("at from, at to: limits inside the piece", *doubts(data))),
        ),
        table("at the breakpoints", points, ["declares", "utility", ""]),
    ]
    if data["isolated"]:
        rows = [{"from": a, "to": b} for a, b in data["isolated"]]
        tables.append(table("not exact: intervals that hold a breakpoint, or were not looked at", rows, ["from", "to"]))
    return tables


def doubts(data: Mapping[str, Any]) -> list[str]:
    """What of a curve is not exact, and not complete."""
    if data["exact"]:
        return []
    if data["method"] == "enclosure":
        told = "not exact: found by running the mechanism; what lies between two declarations tried may be missed"
    else:
        told = "not exact: the pieces are proved, the places between them are known as intervals only"
    return [told] if data["complete"] else [told, "stopped before the whole range was looked at"]
