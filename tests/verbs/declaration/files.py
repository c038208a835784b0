"""Scenarios and custom mechanisms of kind ``declaration`` that several files of tests use."""

from __future__ import annotations

from fractions import Fraction as F
from types import SimpleNamespace
from typing import Any


def scenario(rule: str = "evcg-postpone", **blocks: Any) -> dict[str, Any]:
    return {
        "format": 1,
        "kind": "declaration",
        "cluster": {"powers": [1]},
        "agents": [{"name": "ann", "length": 2, "declares": 1}, {"name": "bob", "length": 2}],
        "mechanism": {"rule": rule},
        "domain": {"lengths": [1, 2], "declarations": [1, 2]},
    } | blocks


HEAD = {"verb", "kind", "scenario", "method", "exact", "complete", "version", "request"}
"""Keys of every record."""


class Queue:
    """Shortest declaration first on one machine of power 1, unpaid."""

    def run(self, declared: Any, lengths: Any) -> Any:
        order = sorted(range(len(declared)), key=lambda n: (declared[n], n))
        ends = {n: sum((lengths[k] for k in order[: place + 1]), F(0)) for place, n in enumerate(order)}
        return SimpleNamespace(output=[ends[n] for n in range(len(order))], payments=[0] * len(order))
