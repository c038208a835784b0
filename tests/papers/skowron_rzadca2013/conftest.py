"""The plain reference of the sharing rules, from the tests of the rules."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

_PATH = Path(__file__).resolve().parents[2] / "mechanisms" / "sharing" / "conftest.py"


@pytest.fixture(scope="session")
def plain() -> ModuleType:
    """Definitions of the papers, unit of time by unit of time, sharing no code with the package."""
    spec = importlib.util.spec_from_file_location("fair_reference", _PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
