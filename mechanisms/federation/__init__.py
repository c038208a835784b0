"""Federations: central schedulers and coordination mechanisms of organizations that pool machines (Cordeiro 2012).

Public names load on first use, so that the catalogue stays readable without numpy, numba or CP-SAT.
"""

from __future__ import annotations

import importlib
from typing import Any

_HOME = {
    "Schedule": "schedule",
    "Slot": "schedule",
    "Local": "local",
    "Coordination": "coordination",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted((*globals(), *_HOME))
