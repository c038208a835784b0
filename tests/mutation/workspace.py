"""A copy of the tree to mutate, with caches of compiled code of its own, so that the checkout is never touched."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from numba.core.caching import _CacheLocator

from .calls import Profiled, digest, read_calls, write_calls

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Workspace:
    """``tree``: the copy; ``warm``: kernels compiled from it unmutated; ``scratch``: those of the mutant at hand."""

    folder: Path

    @property
    def tree(self) -> Path:
        return self.folder / "tree"

    @property
    def warm(self) -> Path:
        return self.folder / "warm"

    @property
    def scratch(self) -> Path:
        return self.folder / "scratch"

    def environment(self, cache: Path) -> dict[str, str]:
        """For the tests: the copy is imported, property tests draw the same examples, no bytecode is kept."""
        return {
            "PYTHONPATH": str(self.tree / ".types"),
            "NUMBA_CACHE_DIR": str(cache),
            "CI": "true",
            "MPLBACKEND": "Agg",
            "OMP_NUM_THREADS": "1",
        }

    def refresh(self) -> None:
        """Make the copy that of the checkout: what git knows and what it would add. Files that are equal stay."""
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        wanted = {name for name in listed.split("\0") if name and (ROOT / name).exists()}
        for name in sorted(wanted):
            source, target = ROOT / name, self.tree / name
            if source.is_symlink():
                if not target.is_symlink():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.symlink_to(os.readlink(source))
            elif not target.exists() or target.read_bytes() != source.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)
        self._take_kernels(wanted)
        for path in list(self.tree.rglob("*.py")):
            if not path.is_relative_to(self.tree / ".types") and path.relative_to(self.tree).as_posix() not in wanted:
                path.unlink()

    def _take_kernels(self, names: set[str]) -> None:
        """Kernels that the checkout keeps beside its modules are those of the copy too; numba refuses them if not."""
        for folder in {(ROOT / name).parent for name in names if name.endswith(".py")}:
            target = self.warm / _CacheLocator.get_suitable_cache_subpath(self.tree / folder.relative_to(ROOT) / "m.py")
            for path in (folder / "__pycache__").glob("*.nb[ic]"):
                target.mkdir(parents=True, exist_ok=True)
                if not (target / path.name).exists():
                    shutil.copy2(path, target)

    def calls(self) -> dict[str, Profiled]:
        """What every test calls; tests of new and changed files are run under the profiler first, unmutated."""
        kept = read_calls(self.folder / "calls.json")
        now = {
            path.relative_to(self.tree).as_posix(): digest(path) for path in (self.tree / "tests").rglob("test_*.py")
        }
        known = {file: one for file, one in kept.items() if now.get(file) == one.digest}
        rooms: dict[str, list[str]] = {}
        for file in sorted(now.keys() - known.keys()):
            rooms.setdefault(str(PurePosixPath(file).parent), []).append(file)
        for room, files in rooms.items():
            print(f"profiling the tests of {room}", flush=True)
            command = [sys.executable, "-m", "tests.mutation.profile", str(self.folder), *files]
            environment = os.environ | self.environment(self.warm)
            subprocess.run(command, cwd=self.tree, env=environment, check=True)
            known |= read_calls(self.folder / "new.json")
            write_calls(self.folder / "calls.json", known)
        return known

    def chill(self, kernels: set[tuple[str, str]]) -> None:
        """Make ``scratch`` a copy of ``warm`` without these kernels, each a module's name and a function's."""
        shutil.rmtree(self.scratch, ignore_errors=True)
        shutil.copytree(self.warm, self.scratch, copy_function=os.link)  # numba replaces files, never writes in them
        for module, function in kernels:
            for path in self.scratch.rglob(f"{module}.{function}-*"):
                path.unlink()

    def thaw(self, stale: set[tuple[str, str]], but: str) -> None:
        """Keep what a mutant's tests compiled and the mutant is no part of; of its own module, nothing."""
        for path in self.scratch.rglob("*.nb[ic]"):
            module, _, rest = path.name.partition(".")
            target = self.warm / path.relative_to(self.scratch)
            another = module != but and (module, rest.partition("-")[0]) not in stale
            if another and not (target.exists() and target.samefile(path)):
                target.parent.mkdir(parents=True, exist_ok=True)
                path.replace(target)
