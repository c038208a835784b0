"""Fixtures of this folder: the brute-force reference, and a maker of communities."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from consortium.agents.users import Community


@pytest.fixture(scope="session")
def brute():
    """The module ``reference.py`` beside this file."""
    spec = importlib.util.spec_from_file_location("multiuser_reference", Path(__file__).with_name("reference.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def community():
    """Community from the reference's description."""

    def make(kinds, sizes, machines=1):
        return Community.of(*zip(kinds, sizes, strict=True), machines=machines)

    return make
