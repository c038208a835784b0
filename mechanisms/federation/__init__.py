"""Federations: central schedulers and coordination mechanisms of organizations that pool machines (Cordeiro 2012).

Public names load on first use, so that the catalogue stays readable without numpy, numba or CP-SAT.
"""

from __future__ import annotations

import importlib
from typing import Any

_HOME = {
    "Coordination": "coordination",
    "HEURISTICS": "arrays",
    "Ilba": "ilba",
    "LessHelpedFirst": "pulling",
    "Local": "local",
    "LptLpt": "pulling",
    "Optimal": "optimal",
    "Optimum": "optimal",
    "ParetoFront": "pareto",
    "ParetoPoint": "pareto",
    "PriorityEquilibrium": "priority_equilibrium",
    "Relaxation": "relaxed",
    "Relaxed2": "relaxed",
    "Relaxed3": "relaxed3",
    "RelaxedPrinted2": "relaxed",
    "Schedule": "schedule",
    "Slot": "schedule",
    "SptLpt": "pulling",
    "Tomos": "tomos",
    "jain": "metrics",
    "lower_bound": "metrics",
    "lower_bounds": "metrics",
    "makespans": "arrays",
    "organization_ranks": "coordination",
    "pareto_front": "pareto",
    "stretch": "metrics",
    "stretches": "metrics",
    "unconstrained_optimum": "optimal",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted((*globals(), *_HOME))
