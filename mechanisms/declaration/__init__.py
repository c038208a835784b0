"""Rules for one owner of a cluster whose agents declare the length of their job (Agmon 2003).

A mechanism reads the declarations, fixes an allocation, payments and penalties, and then watches the run: a job that
ends early, on time or not at all by its planned end triggers job control. What is needed of a mechanism, and of yours,
is in :mod:`.protocol`; the ten built-in rules are made by :func:`build`.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> light = build("light-vcg", Cluster.of([1]))
>>> light.run(["1/10", "1/5"], [1, "11/10"]).output
(Fraction(1, 1), Fraction(21, 10))
"""

from __future__ import annotations

import importlib
from typing import Any

_HOME = {
    "Cutoff": "penalties",
    "DeclarationMechanism": "protocol",
    "OneRound": "rules",
    "Outcome": "protocol",
    "Plan": "protocol",
    "TwoRounds": "rounds",
    "build": "rules",
    "claims_of": "claims",
    "play": "protocol",
}
__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    """Load a public name from its module on first use (the catalogue stays import-light)."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
