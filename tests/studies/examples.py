"""Small studies that tests share."""

from __future__ import annotations

from typing import Any

BASE: dict[str, Any] = {
    "kind": "federation",
    "organizations": [{"jobs": [1, 2]}, {"jobs": [3]}, {"jobs": [2, 2]}],
    "mechanism": {"rule": "coordination", "priority": "organizations"},
}


def anarchy(**changes: Any) -> dict[str, Any]:
    """A study of prices of anarchy of random federations."""
    found: dict[str, Any] = {
        "format": 1,
        "kind": "study",
        "verb": "search",
        "replicates": 3,
        "seed": 7,
        "base": {"kind": "federation", "mechanism": {"rule": "coordination", "priority": "organizations"}},
        "family": {"name": "uniform-jobs", "organizations": 2, "jobs": 2, "longest": 9},
        "vary": {"family.organizations": [2, 3], "mechanism.priority": ["organizations", "jobs"]},
        "measures": {"anarchy": "price_of_anarchy", "exists": "equilibria.exists"},
    }
    found.update(changes)
    return {key: value for key, value in found.items() if value is not None}
