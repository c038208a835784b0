"""What an answer may depend on besides the question: the versions of the package, of Python and of the solvers.

>>> versions()["consortium"] == __version__
True
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from functools import cache
from typing import Final

from .. import __version__
from ..support.loading import version

PACKAGE: Final = "consortium"
SOLVERS: Final = ("mpmath", "nashpy", "networkx", "numba", "numpy", "ortools", "pygambit", "scipy", "sympy")
"""Distributions that compute or draw something; one that is not installed has no version."""


@cache
def versions() -> Mapping[str, str]:
    """Versions in this process by the name of the distribution."""
    solvers = {name: found for name in SOLVERS if (found := version(name)) is not None}
    return {PACKAGE: __version__, "python": platform.python_version(), **solvers}


def differing(theirs: Mapping[str, str], ours: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Names whose versions differ, with theirs and ours; ``"none"`` stands for what is not there.

    >>> differing({"numpy": "2.1", "scipy": "1.15"}, {"numpy": "2.2", "scipy": "1.15"})
    {'numpy': ('2.1', '2.2')}
    """
    pairs = {name: (theirs.get(name, "none"), ours.get(name, "none")) for name in sorted({*theirs, *ours})}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
