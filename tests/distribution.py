"""Small distributions for tests: what others would install beside the package, found through its entry points."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


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


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line in a fresh interpreter, run in the folder and with what is installed there."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), str(ROOT / ".types")])}
    line = [sys.executable, "-m", "consortium", *arguments]
    return subprocess.run(line, capture_output=True, text=True, cwd=folder, env=environment, stdin=subprocess.DEVNULL)
