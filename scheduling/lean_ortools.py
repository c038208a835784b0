"""CP-SAT without pandas, which its Python module imports for functions that the house does not use.

Importing pandas takes longer than most of our searches. Only two of its names are needed while
``ortools.sat.python.cp_model`` is imported, as annotations; so something else stands in its place meanwhile, which
imports pandas when it is asked for anything: code of others that uses the same module finds all of it.
"""

from __future__ import annotations

import importlib
import sys
from contextlib import suppress
from functools import cache
from types import ModuleType
from typing import Any, Final, cast

PANDAS: Final = "pandas"
ANNOTATIONS: Final = ("Index", "Series")


class _Pandas(ModuleType):
    """Stands for pandas: types that mean nothing while it is in its place, pandas itself from then on."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(PANDAS) is not self:
            return getattr(importlib.import_module(PANDAS), name)
        if name in ANNOTATIONS:
            return type(name, (), {})
        raise AttributeError(name)


@cache
def cp_model() -> Any:
    """The module ``ortools.sat.python.cp_model``; with a version that wants more of pandas, pandas is imported."""
    name = "ortools.sat.python.cp_model"
    if PANDAS not in sys.modules:
        sys.modules[PANDAS] = _Pandas(PANDAS)
        try:
            with suppress(AttributeError, ImportError):
                return importlib.import_module(name)
        finally:
            del sys.modules[PANDAS]
    return cast(Any, importlib.import_module(name))
