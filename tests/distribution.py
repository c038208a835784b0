"""Small distributions for tests: what others would install beside the package, found through its entry points."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from subprocess import CompletedProcess

from consortium.support import loading

from . import command_line


def make_distribution(
    folder: Path, name: str, modules: Mapping[str, str], entry_points: Mapping[str, Mapping[str, str]]
) -> None:
    """Write modules (``{name: source}``) and entry points (``{group: {name: "module:object"}}``) into a folder.

    Where the folder is on ``sys.path``, the distribution is installed.
    """
    for module, source in modules.items():
        (folder / f"{module}.py").write_text(source)
    info = folder / f"{name.replace('-', '_')}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    sections = [[f"[{group}]", *(f"{n} = {ref}" for n, ref in refs.items())] for group, refs in entry_points.items()]
    (info / "entry_points.txt").write_text("\n".join(line for section in sections for line in section) + "\n")


@contextlib.contextmanager
def installed(folder: Path) -> Iterator[None]:
    """The folder on this process's path, so that the distributions in it are found; they are forgotten afterwards."""
    before = sys.path[:]
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    loading.forget()
    try:
        yield
    finally:
        sys.path[:] = before
        loading.forget()
        inside = f"{folder}{os.sep}"
        for name, module in list(sys.modules.items()):
            if (getattr(module, "__file__", None) or "").startswith(inside):
                del sys.modules[name]


def command(folder: Path, *arguments: str) -> CompletedProcess[str]:
    """The command line, run in the folder and with what is installed there."""
    with installed(folder):
        return command_line.command(*arguments, cwd=folder)
