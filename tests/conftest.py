"""Settings for every test: property tests draw the same examples on every automatic run, new ones at a desk."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from . import browser, distribution, sweeps

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # a shell starts its background jobs so, and every process that a test starts would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    # each of the processes that tests start would compile every module anew, and this one every test
    sys.dont_write_bytecode = False

BUSY = [HealthCheck.too_slow]  # a machine may have more to do than to draw examples
settings.register_profile("ci", derandomize=True, deadline=None, suppress_health_check=BUSY)
settings.register_profile("desk", deadline=None, suppress_health_check=BUSY)
settings.load_profile("ci" if os.environ.get("CI") else "desk")


gc.set_threshold(100_000, 20, 50)  # else looking for garbage takes half of the time of parsing all modules

FEW = 20
"""A property with fewer examples is always tried on all of them."""

_SETTINGS = "_hypothesis_internal_use_settings"  # where ``@given`` keeps them; there is no public name


def pytest_configure(config: pytest.Config) -> None:
    """Sweeps that a run leaves out are not made for it: they are more than all its tests together."""
    sweeps.left_out = _left_out(config)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """``thinning`` is what a test divides the length of its sweep by; in full it is run by ``-m exhaustive``.

    The sweep of a property is its number of examples.
    """
    if is_hypothesis_test(metafunc.function) and getattr(metafunc.function, _SETTINGS).max_examples >= FEW:
        metafunc.fixturenames.append("thinning")
    if "thinning" in metafunc.fixturenames:
        full = pytest.param(1, id="full", marks=pytest.mark.exhaustive)
        part = pytest.param(sweeps.PART, id="part")
        metafunc.parametrize("thinning", [part] if _left_out(metafunc.config) else [part, full])


def pytest_itemcollected(item: Any) -> None:
    """Whoever visits pages needs a browser."""
    if "visitor" in getattr(item, "fixturenames", ()):
        item.add_marker(pytest.mark.browser)


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: Any, obj: object) -> list[pytest.Item] | None:
    """Nor are tests that are nothing but sweeps."""
    marks = getattr(obj, "pytestmark", ())
    return [] if any(mark.name == "exhaustive" for mark in marks) and _left_out(collector.config) else None


def _left_out(config: pytest.Config) -> bool:
    """Whether this run leaves the sweeps in full out."""
    chosen = config.option.markexpr
    return "not exhaustive" in chosen and " or " not in chosen


def pytest_collection_finish() -> None:
    """The tests stay to the end: nobody needs to look again and again which of them are garbage."""
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sweeps may take longer than the limit of an ordinary test."""
    for item in items:
        if item.get_closest_marker("exhaustive"):
            item.add_marker(pytest.mark.timeout(3000))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: Any) -> Generator[None, Any, Any]:
    """Properties are tried on as many examples as their thinning leaves."""
    thinning = item.callspec.params.get("thinning", 1) if hasattr(item, "callspec") else 1
    if thinning == 1 or not is_hypothesis_test(item.obj):
        return (yield)
    every: settings = getattr(item.obj, _SETTINGS)
    setattr(item.obj, _SETTINGS, settings(every, max_examples=every.max_examples // thinning))
    try:
        return (yield)
    finally:
        setattr(item.obj, _SETTINGS, every)


@pytest.fixture(scope="session")
def distributions() -> ModuleType:
    """The helper module :file:`distribution.py`."""
    return distribution


@pytest.fixture(scope="module")  # Playwright's event loop would be in the way of other modules' own
def chromium() -> Iterator[Any]:
    """A browser; see :file:`browser.py`."""
    browser.asked_for()
    try:
        with browser.chromium() as running:
            yield running
    except browser.NoBrowserError as error:
        browser.skipped_or_failed(error)


@pytest.fixture
def visitor(chromium: Any) -> Iterator[browser.Visitor]:
    """Opens pages in a real browser; at the end nothing may have gone wrong in them."""
    opened = browser.Visitor(chromium)
    yield opened
    opened.close()
    assert not opened.troubles


@pytest.fixture(scope="session")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """``asked(name, **options)``: the record of a case of the tests of tables and figures; each is asked once."""
    from .reports.cases import record

    return cache(lambda name, **more: record(name, tmp_path_factory.mktemp("log"), **more))


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Path]:
    """A folder on this process's path for distributions that a test makes; they and their modules are forgotten."""
    with distribution.installed(tmp_path):
        yield tmp_path
