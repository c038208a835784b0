"""Settings for every test: property tests draw the same examples on every automatic run, new ones at a desk."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

from consortium.scheduling import loading

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # a shell starts its background jobs so, and every process that a test starts would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("desk", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "desk")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sweeps may take longer than the limit of an ordinary test."""
    for item in items:
        if item.get_closest_marker("exhaustive"):
            item.add_marker(pytest.mark.timeout(3000))


@pytest.fixture(scope="session")
def distributions() -> ModuleType:
    """The helper module :file:`distribution.py`: test folders are not packages."""
    spec = importlib.util.spec_from_file_location("tests_distribution", Path(__file__).with_name("distribution.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on this process's path for distributions that a test makes; they and their modules are forgotten."""
    monkeypatch.syspath_prepend(tmp_path)
    loading.forget()
    yield tmp_path
    monkeypatch.undo()
    loading.forget()
    for name, module in list(sys.modules.items()):
        if tmp_path in Path(getattr(module, "__file__", None) or "").parents:
            del sys.modules[name]
