"""Run tests in a fork of this process, which has imported everything but the package itself.

Libraries take seconds to import, the package a fraction of one; so each run of tests costs little more than the tests.
A mutant that never ends is ended by the processor's own clock, which compiled code cannot ignore.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import resource
import select
import signal
import sys
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from .calls import Trial
from .workspace import Workspace

LIBRARIES = (
    "numpy", "numba", "numba.extending", "hypothesis", "hypothesis.strategies", "networkx", "sympy", "scipy.optimize",
    "scipy.sparse", "pydantic", "typer.testing", "rich.progress", "matplotlib.pyplot", "ortools.sat.python.cp_model",
    "nashpy", "jsonschema", "tomli_w", "pandas", "_pytest.assertion.rewrite", "concurrent.futures.process",
)  # fmt: skip

COLLECTING, LONGEST, TIMES = 60, 25, 8
"""Seconds of the processor for collecting, and for a test: so many, and so many times what it takes unmutated."""

MEMORY = 12 << 30


@dataclass(frozen=True)
class Outcome:
    """``verdict``: "killed", "timeout" or "survived"; ``by``: the test; ``why``: its first words."""

    verdict: str
    by: str = ""
    why: str = ""


def warm_up() -> None:
    """Import what the forks share."""
    for name in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    import numba

    numba.njit(lambda x: x + 1)(1)


class KeepStamps:
    """Let numba believe that a file is as it was: it would compile all kernels of a file again, for one mutant each.

    Which of them may be kept is known better here; the others are thrown away (:meth:`Workspace.chill`).
    """

    def __init__(self) -> None:
        from numba.core import caching

        self._kept: dict[str, object] = {}
        self._mixin: Any = getattr(caching, "_SourceFileBackedLocatorMixin", None)
        if self._mixin is not None:
            self._stamp = self._mixin.get_source_stamp
            self._mixin.get_source_stamp = lambda locator: self._kept.get(locator._py_file) or self._stamp(locator)

    @contextlib.contextmanager
    def of(self, path: Path) -> Iterator[None]:
        """Inside, the stamp of this file is today's."""

        class Locator:
            _py_file = str(path)

        if self._mixin is not None:
            self._kept[Locator._py_file] = self._stamp(Locator())
        yield
        self._kept.clear()


class _Reporter:
    """The plugin in the fork: picks and orders the tests, sets the clock, tells the parent."""

    def __init__(self, tests: list[Trial], told: int) -> None:
        self.place = {test.name: n for n, test in enumerate(tests)}
        self.limits = {test.name: LONGEST + TIMES * test.seconds for test in tests}
        self.told = told

    def tell(self, *words: str) -> None:
        os.write(self.told, ("\t".join(" ".join(word.split())[:300] for word in words) + "\n").encode())

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((i for i in items if i.nodeid in self.place), key=lambda i: self.place[i.nodeid])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self.tell("test", item.nodeid)
        signal.setitimer(signal.ITIMER_PROF, self.limits[item.nodeid])
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.tell("failed", report.nodeid, _words(report))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.tell("failed", report.nodeid, _words(report))


def _words(report: pytest.TestReport | pytest.CollectReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message if crash is not None else report.longrepr)


def run_tests(tests: list[Trial], workspace: Workspace, log: Path) -> Outcome:
    """Run the tests in this order until one fails."""
    heard, told = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(heard)
            _fork(tests, workspace, log, told)
        finally:
            os._exit(70)
    os.close(told)
    at, outcome = "collecting", None
    try:
        for kind, name, why in _lines(heard):
            if kind == "test":
                at = name
            elif outcome is None:
                outcome = Outcome("killed", name, why)
    except TimeoutError:
        outcome = outcome or Outcome("timeout", at, "waits")
    finally:
        os.close(heard)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL) if outcome else None
        _, status, _ = os.wait4(child, 0)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # what the tests started and left
    if outcome is not None:
        return outcome
    if os.WIFSIGNALED(status):
        timeout = os.WTERMSIG(status) == signal.SIGPROF
        return Outcome("timeout" if timeout else "killed", at, signal.Signals(os.WTERMSIG(status)).name)
    code = os.WEXITSTATUS(status)
    return Outcome("survived") if code in (0, 5) else Outcome("killed", at, f"exit code {code}")


def _lines(heard: int) -> Iterator[tuple[str, str, str]]:
    """What the fork tells, line by line. Raises TimeoutError when it is silent for too long."""
    rest = b""
    while True:
        if not select.select([heard], [], [], 4 * (COLLECTING + LONGEST))[0]:
            raise TimeoutError
        new = os.read(heard, 1 << 16)
        if not new:
            return
        *lines, rest = (rest + new).split(b"\n")
        for line in lines:
            kind, name, *why = line.decode(errors="replace").split("\t")
            yield kind, name, "".join(why)


def _fork(tests: list[Trial], workspace: Workspace, log: Path, told: int) -> None:
    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, COLLECTING)
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, target in ((nothing, 0), (out, 1), (out, 2)):
        os.dup2(number, target)
    os.chdir(workspace.tree)
    os.environ.update(workspace.environment(workspace.scratch))
    os.environ |= {"PYTHONDONTWRITEBYTECODE": "1", "CONSORTIUM_MUTANT": "1"}
    sys.dont_write_bytecode = True
    sys.path[:] = [str(workspace.tree / ".types"), *(p for p in sys.path if p and Path(p) != Path.cwd())]
    for name in [name for name in sys.modules if name.partition(".")[0] in ("tests", "consortium")]:
        del sys.modules[name]
    import numba

    numba.config.CACHE_DIR = str(workspace.scratch)
    files = list(dict.fromkeys(test.file for test in tests))
    arguments = ["-x", "-q", "--tb=short", "-p", "no:cacheprovider", *files]
    code = pytest.main(arguments, plugins=[_Reporter(tests, told)])
    sys.stdout.flush()
    os._exit(int(code))
