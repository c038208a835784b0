"""Claims about mechanisms of kind ``declaration``: incentives and properties by ``verify``, payments by ``run``.

``verify`` tries all lengths and declarations of the scenario's domain, by default those of the file; a run is the one
profile that the file declares.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from numpy.random import Generator

from ....games.verification.results import MARGINS, PROPERTIES
from ....support.errors import InputError
from .verdict import Answer, Case, Decide, Hunting, Verdict, number, of_family, upto


def _incentive(concept: str) -> Decide:
    key = concept.replace("-", "_")

    def decide(case: Case) -> Verdict:
        row = case.ask("verify", property=concept)[key]
        return _verdict(row, {key: _refuted(row)}, {"property": concept})

    return decide


def _group(concept: str, notion: str) -> Decide:
    key = concept.replace("-", "_")

    def decide(case: Case) -> Verdict:
        options = {"coalitions": len(case.scenario.spec.agents), "notion": notion, "property": f"group-{concept}"}
        row = case.ask("verify", **options)["group"][key]
        return _verdict(row, {"group": {key: _refuted(row)}}, options)

    return decide


def _property(name: str, any_others: bool = False) -> Decide:
    def decide(case: Case) -> Verdict:
        options = {} if any_others else {"property": name.replace("_", "-")}
        properties = case.ask("verify", **options)["properties"]
        row = properties["any_others"][name] if any_others else properties[name]
        expect: dict[str, Any] = {name: {"holds": False}}
        return _verdict(row, {"properties": {"any_others": expect} if any_others else expect}, options)

    return decide


def _refuted(row: Answer) -> dict[str, Any]:
    return {"holds": False} | ({} if row.get("max_gain") is None else {"max_gain": row["max_gain"]})


def _verdict(row: Answer, expect: Mapping[str, Any], options: Mapping[str, Any]) -> Verdict:
    near = number(row.get("max_gain"))
    if row["holds"] is not False:
        return Verdict(None if row["holds"] is None else False, near)
    return Verdict(True, near, {"verify": {**expect, **({"options": dict(options)} if options else {})}})


def _truthful(row: Answer) -> bool:
    return number(row["declares"]) == number(row["length"])


def _never_negative(field: str, truthful: bool = False) -> Decide:
    """A number of the agents of a run, perhaps of those alone who tell the truth, whatever the others declare."""

    def decide(case: Case) -> Verdict:
        rows = [row for row in case.ask("run")["agents"] if not truthful or _truthful(row)]
        if not rows:
            return Verdict(False)
        worst = min(rows, key=lambda row: number(row[field]) or 0)
        least = number(worst[field]) or 0
        return Verdict(least < 0, -least, {"run": {"agents": {worst["name"]: {field: worst[field]}}}})

    return decide


def _rent_in_equilibrium(case: Case) -> Verdict:
    """Only where everybody declares the truth."""
    record = case.ask("run")
    rent = number(record["rent"]) or 0
    truthful = all(map(_truthful, record["agents"]))
    return Verdict(truthful and rent < 0, -rent if truthful else None, {"run": {"rent": record["rent"]}})


CLAIMS: Final[Mapping[str, Decide]] = {
    "dominant": _incentive("dominant"),
    "ex-post": _incentive("ex-post"),
    **{
        f"group-{concept}-{notion}": _group(concept, notion)
        for concept in ("dominant", "ex-post")
        for notion in ("all-gain", "none-lose", "total")
    },
    **{name.replace("_", "-"): _property(name) for name in PROPERTIES},
    **{f"{name.replace('_', '-')}-any-others": _property(name, any_others=True) for name in MARGINS},
    "payments-nonnegative": _never_negative("payment"),
    "rent-nonnegative-in-equilibrium": _rent_in_equilibrium,
    "individually-rational-any-others": _never_negative("utility", truthful=True),
}
"""Every claim of the catalogue."""


def _parameters(base: Mapping[str, Any], rng: Generator, size: int) -> dict[str, Any]:
    """One to three agents: what is verified grows with (lengths and declarations) to the power of 2 N."""
    agents = upto(rng, 1, 2 if size == 0 else 3)
    cluster = {} if "cluster" in base else {"machines": upto(rng, 1, 2), "fastest": 3}
    longest = 3 if agents == 3 else 2 + size
    return {"agents": agents, "longest": longest, "declares": ("truth", "random")[upto(rng, 0, 1)], **cluster}


def _check(base: Mapping[str, Any]) -> None:
    """A designed rule needs a price for all lengths."""
    mechanism = base["mechanism"]
    if mechanism["rule"] == "designed" and ("price" not in mechanism or mechanism.get("table")):
        present = "a table of prices, which refuses declarations off it" if mechanism.get("table") else "no price"
        raise InputError(f"hunt: found rule 'designed' with {present}; expected mechanism.price, a formula")


HUNTING: Final = Hunting(CLAIMS, of_family(_parameters), ("agents", "machines", "longest"), check=_check)
