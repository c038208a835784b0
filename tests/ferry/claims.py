"""What the rules of the ferry claim, and how a hunt decides it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.random import Generator

from consortium.studies.hunting.claims.verdict import Case, Hunting, Verdict, upto

CLAIMS = {"orderly": "nobody is overtaken by who came later"}


def orderly(case: Case) -> Verdict:
    """By the verb that checks it."""
    row = case.ask("verify")["orderly"]
    return Verdict(not row["holds"], None, {"verify": {"orderly": {"holds": False}}})


def draw(base: Mapping[str, Any], rng: Generator, size: int) -> dict[str, Any]:
    """Cars that come in any order."""
    names = [f"car{i}" for i in range(1, upto(rng, 2, 4 + size) + 1)]
    return {**base, "cars": [names[i] for i in rng.permutation(len(names))], "places": upto(rng, 1, 3)}


HUNTING = Hunting({"orderly": orderly}, draw)
