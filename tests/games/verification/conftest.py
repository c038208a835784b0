from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


def by_path(file: str) -> ModuleType:
    """A helper module of this folder: test folders are not packages."""
    name = f"tests_games_incentives_{file}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{file}.py"))
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@pytest.fixture(scope="session")
def plain() -> ModuleType:
    """The plain reference."""
    return by_path("plain")


@pytest.fixture(scope="session")
def twins() -> ModuleType:
    """Random rules with their plain twins."""
    return by_path("twins")
