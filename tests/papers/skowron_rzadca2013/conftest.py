"""The plain reference of the sharing rules, from the tests of the rules."""

from __future__ import annotations

from types import ModuleType

import pytest

from ...mechanisms.sharing import reference


@pytest.fixture(scope="session")
def plain() -> ModuleType:
    """Definitions of the papers, unit of time by unit of time, sharing no code with the package."""
    return reference
