"""Tables of what records of kind ``declaration`` tell under a prior."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ..tables import Table, facts, table


def expectations(data: Mapping[str, Any] | None) -> list[Table]:
    """Whether truth pays in expectation, what each length expects of each declaration; nothing without a prior."""
    if not data:
        return []
    expected, witness = data["expected"] or {}, data["witness"]
    pairs: list[tuple[str, Any]] = [
        ("truth is a best reply in expectation (Bayesian)", data["holds"]),
        ("cases", f"{data['cases']:,} of {data['total']:,}"),
        ("largest expected gain from a lie", data["max_gain"]),
    ]
    if witness:
        pairs += [
            ("a lie that pays", f"{witness['agent']} of length {witness['length']} declares {witness['lie']}"),
            ("expected utility of the truth", witness["interim_truth"]),
            ("expected utility of the lie", witness["interim_lie"]),
        ]
    pairs += [
        ("least expected utility, own length known", data["least_interim_utility"]),
        ("expected utilities", expected.get("utilities")),
        ("expected rent", expected.get("rent")),
        ("expected welfare", expected.get("welfare")),
    ]
    return [facts("under the prior, everybody truthful", pairs), *_interim(data["interim"])]


def _interim(interim: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> list[Table]:
    """A row per agent and length; no table where none was come to."""
    rows = [{"agent": name, "length": x, **row} for name, own in interim.items() for x, row in own.items()]
    said = sorted({b for row in rows for b in row} - {"agent", "length"}, key=_number)
    if not rows:
        return []
    shown = [{key: row.get(key, "") for key in ("agent", "length", *said)} for row in rows]
    return [table("expected utility by declaration", shown, ["agent", "length", *said])]


def equilibria(data: Mapping[str, Any] | None) -> list[Table]:
    """Bayes-Nash equilibria; nothing where they were not asked for."""
    if not data:
        return []
    best, worst = data["best"] or {}, data["worst"] or {}
    pairs = [
        ("profiles of strategies", f"{data['profiles']:,}"),
        ("equilibria", data["count"]),
        ("expected social cost: best equilibrium", best.get("social_cost")),
        ("expected social cost: worst equilibrium", worst.get("social_cost")),
        ("expected social cost: first best", data["first_best"]),
        ("price of anarchy (worst equilibrium against first best)", data["price_of_anarchy"]),
    ]
    found = [facts("Bayes-Nash equilibria under the prior", pairs)]
    for which, outcome in (("best", best), ("worst", worst)):
        if outcome and (which == "best" or outcome != best):
            rows = [{"agent": name, **own} for name, own in outcome["strategies"].items()]
            lengths = sorted({x for row in rows for x in row} - {"agent"}, key=_number)
            rows = [{key: row.get(key, "") for key in ("agent", *lengths)} for row in rows]
            found.append(table(f"{which} equilibrium: declarations by length", rows, ["agent", *lengths]))
    return found


def _number(text: str) -> Fraction:
    """An exact number that is a key."""
    return Fraction(text)
