"""Incentive compatibility and its companions, checked exhaustively on a finite domain.

:func:`check_incentives` asks whether the truth is always the best reply, :func:`check_properties` asks for the rest,
:func:`audit` for everything; :func:`estimate` says beforehand what that costs. Verdicts are exact, count what they
compared and come with witnesses that can be played again.

>>> from consortium.games.incentives import Domain, check_incentives
>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> check_incentives(build("vcg-renice", Cluster.of([1])), Domain.of([1, 2], agents=2)).holds
False
"""

from __future__ import annotations

import importlib
from typing import Any

_HOME = {
    "Audit": "everything",
    "Domain": "domain",
    "Estimate": "cost",
    "IncentiveCheck": "results",
    "Incentives": "check",
    "Witness": "results",
    "audit": "everything",
    "check_both": "check",
    "check_incentives": "check",
    "check_properties": "properties",
    "check_property": "properties",
    "estimate": "cost",
}
__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    """Load a public name from its module on first use (kernels bring numba)."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
