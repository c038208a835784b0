"""Tables of records on scenarios of kind ``declaration``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...verbs.declaration.options import NOT_ASKED
from ..game import tables as game
from ..tables import Table, cell, comparison, facts, shortened, table
from .bayesian import equilibria, expectations
from .groups import groups

__all__ = ["compare", "prove", "run", "search", "verify"]

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


def search(data: Mapping[str, Any]) -> list[Table]:
    """The game at the true lengths, then what the prior adds."""
    return [*game.search(data), *equilibria(data.get("bayes_nash"))]


AGAINST: Final = {"dominant": "whatever the others do (dominant)", "ex_post": "to truthful others (ex post)"}


def verify(data: Mapping[str, Any]) -> list[Table]:
    """Incentive compatibility, the lie that pays if there is one, and the properties."""
    concepts = _concepts(data)
    properties = each_property(data.get("properties") or {})
    rows = [{"truth is a best reply": AGAINST[name], **row} for name, row in concepts.items()]
    columns = ["truth is a best reply", "holds", "cases", "max_gain"]
    if any(row["note"] for row in rows):
        columns.append("note")
    tables = [table(f"verify: {data['scenario']}", rows, columns), *_lies(concepts)]
    tables += [*expectations(data.get("bayesian")), *groups(data.get("group"))]
    return [*tables, _properties(properties)] if properties else tables


def prove(data: Mapping[str, Any]) -> list[Table]:
    """What is proved, refuted or open for all lengths; what was not asked for is left out."""
    title, concepts = f"prove: {data['scenario']}", _concepts(data)
    tables: list[Table] = []
    for head, statements in {"truth is a best reply": concepts, "property": each_property(data["properties"])}.items():
        rows = {AGAINST.get(name, name): row for name, row in statements.items() if row["note"] != NOT_ASKED}
        if rows:
            tables.append(_proved(title if not tables else "properties", head, rows))
        if statements is concepts:
            tables += [*_lies(concepts), *_safe(concepts)]
    return tables


def _concepts(data: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The two senses in which the truth may be a best reply, those that a record has."""
    return {name: data[name] for name in AGAINST if data.get(name)}


def _lies(concepts: Mapping[str, Mapping[str, Any]]) -> list[Table]:
    """A table for each lie that pays."""
    return [
        _lie(f"a lie that pays ({name.replace('_', ' ')})", row["witness"])
        for name, row in concepts.items()
        if row["witness"]
    ]


def _safe(concepts: Mapping[str, Mapping[str, Any]]) -> list[Table]:
    """For which values of a symbol the truth is a best reply; no table where no symbol was asked about."""
    rows = [
        {
            "truth is a best reply": AGAINST[name],
            "safe values": _condition(row["safe"]),
            "refuted_at": row["safe"]["refuted_at"],
        }
        for name, row in concepts.items()
        if row.get("safe")
    ]
    return [table("safe values", rows, ["truth is a best reply", "safe values", "refuted_at"])] if rows else []


def _condition(safe: Mapping[str, Any]) -> str:
    """An interval as a condition on its symbol."""
    if safe["from"] is None:
        return "none"
    low, high = ("<=" if safe[f"{end}_included"] else "<" for end in ("from", "to"))
    above = "" if safe["to"] is None else f" {high} {cell(safe['to'])}"
    return f"{cell(safe['from'])} {low} {safe['symbol']}{above}"


def _proved(title: str, head: str, statements: Mapping[str, Mapping[str, Any]]) -> Table:
    """Statements of one sort; the scope is that of all of them."""
    rows = [
        {head: name, **row, "counterexample": shortened(_briefly(row["witness"])) if row["witness"] else ""}
        for name, row in statements.items()
    ]
    columns = [head, "status", "cells", "lemmas", "counterexample", "note"]
    if not any(row["counterexample"] for row in rows):
        columns.remove("counterexample")
    notes = [f"scope: {next(iter(statements.values()))['scope']}"]
    if any(row["counterexample"].endswith("...") for row in rows):
        notes.append(CUT)
    return table(title, rows, columns, "; ".join(notes))


def _briefly(witness: Mapping[str, Any]) -> str:
    """Of a lie what it gains, which has a table of its own; else the numbers that disagree, and where."""
    return f"gain {cell(witness['gain'])}" if "gain" in witness else told(witness)


CUT: Final = "counterexamples are cut; --json has them whole, with runs that replay them"


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


def _properties(properties: Mapping[str, Mapping[str, Any]]) -> Table:
    rows = []
    for name, found in properties.items():
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
    columns = ["property", "holds", "cases", "counterexample"]
    return table("properties on the domain", rows, columns, CUT if cut else "")


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
