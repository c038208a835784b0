"""Shapley-fair on-line scheduling: REF and its approximations, and the fair shares they are measured against.

Source: P. Skowron, K. Rzadca, "Non-monetary fair scheduling - a cooperative game theory approach", SPAA 2013 and its
full version; "Fair share is not enough", 2014. Errors of the papers are corrected; see the errata page of the
documentation.
"""

from __future__ import annotations

import importlib
from typing import Any

_PUBLIC = {
    "Coalitions": "outcome",
    "SharingInstance": "instance",
    "SharingMeasures": "outcome",
    "SharingOutcome": "outcome",
    "job_utility": "plain",
    "measures": "outcome",
    "shapley_values": "shapley",
    "simulate": "simulation",
    "throughput": "outcome",
    "utilities_of": "outcome",
}

__all__ = sorted(_PUBLIC)


def __getattr__(name: str) -> Any:
    """Load the module behind a public name on first use."""
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_PUBLIC[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
