"""Modules that others import and the house does without: something stands in their place until they are used.

``ortools.sat.python.cp_model`` imports pandas for functions that we do not call, and numba imports ``scipy.linalg`` to
see whether there is linear algebra, of which no kernel has any. Either takes longer to import than most answers to
find. Who uses them all the same, in the same process, gets the real ones.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from types import ModuleType
from typing import Any

from .loading import load


class _StandIn(ModuleType):
    """While it stands in its place, its names are types that mean nothing; from then on, what they really are."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is not self:
            return load(f"{self.__name__}:{name}")
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


@contextmanager
def standing_in(module: str) -> Iterator[None]:
    """Imports of a module inside the block get one that stands for it, unless it has been imported before."""
    if module in sys.modules:
        yield
        return
    sys.modules[module] = _StandIn(module)
    try:
        yield
    finally:
        del sys.modules[module]


@cache
def cp_model() -> Any:
    """``ortools.sat.python.cp_model`` without pandas; with it, should a version of ortools want more than names."""
    with suppress(Exception), standing_in("pandas"):
        from ortools.sat.python import cp_model as lean

        return lean
    from ortools.sat.python import cp_model as whole

    return whole


@cache
def numba() -> Any:
    """Import numba without what compiling needs (:func:`prepare_compiling`), and without classes, not used here."""
    with standing_in("numba.experimental"):
        import numba as found

    return found


@cache
def prepare_compiling() -> None:
    """Import what numba knows of arrays, without ``scipy.linalg``."""
    with standing_in("scipy.linalg.cython_blas"):
        import numba.np.arraymath  # noqa: F401  # which looks for it
