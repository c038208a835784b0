"""Rules for users who share machines that nobody owns (Cordeiro 2012, chapter 6).

Public names load on first use, so that the catalogue can be read without numpy.

>>> from consortium.agents.users import Community
>>> from consortium.mechanisms.multiuser import lst
>>> lst(Community.of(("makespan", [2]), ("total-completion", [1, 1])), [3, None]).point
(3, 5)
"""

from __future__ import annotations

import importlib
from typing import Any

_HOME = {
    "edf": "earliest",
    "lst": "latest",
    "LstKernel": "latest",
    "lst_printed": "printed",
    "multicmax": "multi",
    "multisum": "multi",
    "multimixed": "multi",
    "pareto_set": "pareto",
    "pareto_front": "pareto",
    "pareto_grid": "grid",
    "multimixed_ratios": "multi",
    "fairest": "fairest_point",
    "refine": "refinement",
    "refine_printed": "refinement",
    "Fairness": "fairness",
    "fairness_metrics": "fairness",
    "zenith": "bounds",
    "zenith_low": "bounds",
    "nadir": "bounds",
    "Outcome": "schedule",
    "Slot": "schedule",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    """Import a public name from its module on first use."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted((*globals(), *_HOME))
