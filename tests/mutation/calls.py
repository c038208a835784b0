"""Which test calls which function of the package: a pytest plugin on top of the interpreter's own profiler.

Functions are written ``path:name``, where the name is that of the outermost function (or method) that holds the code:
``games/search.py:search``, ``scheduling/work.py:Work.at``, and ``path:<module>`` for the body of a module. What runs
inside of a compiled kernel calls nothing that the profiler could see; :mod:`tests.mutation.names` follows kernels by
their names.

Only a few cases of a parametrized test are run; the others are taken to call and to cost the same. A test that takes
long is not run to its end: that it takes long is all that matters.
"""

from __future__ import annotations

import hashlib
import json
import signal
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from cProfile import Profile
from dataclasses import asdict, dataclass
from pathlib import Path
from types import CodeType
from typing import NoReturn

import pytest

CASES = 3
PATIENCE = 2.0
SLOW = 8.0
"""Cases of a parametrized test; seconds after which a test is given up; what it then counts for."""


@dataclass(frozen=True)
class Trial:
    """A test that passes: what it cost and what it called."""

    name: str
    file: str
    seconds: float  # of the processor
    calls: frozenset[str]


@dataclass
class Profiled:
    """The tests of one file at the moment when it had this digest."""

    digest: str
    tests: dict[str, tuple[float, list[str]]]


class _Slow(pytest.skip.Exception):
    """Nobody catches it on the way, not even a property test."""


def _give_up(signum: int, frame: object) -> NoReturn:
    raise _Slow(f"takes longer than {PATIENCE:g} s")


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


class Calls:
    """The plugin: ``files`` fills up while pytest runs."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.files: dict[str, Profiled] = {}
        self._found: dict[CodeType, str | None] = {}
        self._importing: dict[str, frozenset[str]] = {}
        self._unknown: set[str] = set()
        self._slow: set[str] = set()
        self._like: dict[str, list[str]] = {}
        signal.signal(signal.SIGPROF, _give_up)

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Generator[None, object, object]:
        with self._watch() as called:
            result = yield
        name = collector.nodeid.partition("::")[0]
        self._importing[name] = self._importing.get(name, frozenset()) | called
        return result

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        cases: dict[str, list[pytest.Item]] = {}
        for item in items:
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
        for some in cases.values():
            chosen = some[:: -(-len(some) // CASES)]
            self._like[chosen[0].nodeid] = [item.nodeid for item in some if item not in chosen]
        skipped = {name for like in self._like.values() for name in like}
        items[:] = [item for item in items if item.nodeid not in skipped]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        signal.setitimer(signal.ITIMER_PROF, PATIENCE, 1.0)
        try:
            return (yield)
        except _Slow:
            self._slow.add(item.nodeid)
            raise
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        start = time.process_time()
        with self._watch() as called:
            result = yield
        file = item.nodeid.partition("::")[0]
        profiled = self.files.setdefault(file, Profiled(digest(self.root / file), {}))
        if item.nodeid not in self._unknown or item.nodeid in self._slow:
            seconds = SLOW if item.nodeid in self._slow else round(time.process_time() - start, 3)
            names = sorted(called | self._importing.get(file, frozenset()))
            for name in (item.nodeid, *self._like.get(item.nodeid, [])):
                profiled.tests[name] = (seconds, names)
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:
            self._unknown.add(report.nodeid)

    @contextmanager
    def _watch(self) -> Iterator[set[str]]:
        called: set[str] = set()
        profile = Profile(builtins=False)
        try:
            profile.enable()
        except ValueError:  # somebody else is profiling: a collector inside of another one
            yield called
            return
        try:
            yield called
        finally:
            profile.disable()
            for entry in profile.getstats():
                if isinstance(entry.code, CodeType) and (name := self._name(entry.code)):
                    called.add(name)

    def _name(self, code: CodeType) -> str | None:
        if code not in self._found:
            path = Path(code.co_filename).resolve()
            inside = path.is_relative_to(self.root) and not path.is_relative_to(self.root / "tests")
            function = code.co_qualname.partition(".<locals>")[0]
            function = "<module>" if function.startswith("<") else function
            self._found[code] = f"{path.relative_to(self.root).as_posix()}:{function}" if inside else None
        return self._found[code]


def read_calls(path: Path) -> dict[str, Profiled]:
    """What was kept, by test file; nothing if nothing was."""
    if not path.exists():
        return {}
    data = json.loads(path.read_text(encoding="utf-8"))
    names = data["names"]
    return {
        file: Profiled(
            digest=one["digest"],
            tests={test: (seconds, [names[i] for i in called]) for test, (seconds, called) in one["tests"].items()},
        )
        for file, one in data["files"].items()
    }


def write_calls(path: Path, files: dict[str, Profiled]) -> None:
    names = sorted({name for one in files.values() for _, called in one.tests.values() for name in called})
    number = {name: i for i, name in enumerate(names)}
    data = {file: asdict(one) for file, one in sorted(files.items())}
    for one in data.values():
        one["tests"] = {
            t: (seconds, [number[name] for name in called]) for t, (seconds, called) in one["tests"].items()
        }
    path.write_text(json.dumps({"names": names, "files": data}), encoding="utf-8")


def tests_of(files: dict[str, Profiled]) -> list[Trial]:
    return [
        Trial(name, file, seconds, frozenset(called))
        for file, one in files.items()
        for name, (seconds, called) in one.tests.items()
    ]
