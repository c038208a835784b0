"""How large the house is, and how much of it a question enters: lines, modules, files whose functions run, options.

``python benchmarks/house.py`` prints the figures of the installed checkout; with the folder of another checkout, which
has an environment of its own in ``.venv``, it prints those of both side by side.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import json
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

HERE = Path(__file__).resolve().parent.parent
OUTSIDE = {"tests", "docs", "benchmarks", "theorems", "build", "dist"}
SHORT = 60
"""Lines of a module that is hardly one."""

COMMANDS = {
    "run": "run agmon2003/5.2.1",
    "verify": "verify agmon2003/5.2.1",
    "search": "search cordeiro2012/corollary-5.7",
    "audit": "audit LOG --organizations group --windows 2 --rules fair-share,fifo --seed 1",
}
HELP = "run search verify prove compare curve audit check import hunt report scenarios rules families schema explore"
LOG = "LPC-EGEE-2004-1.2-cln.swf.gz"


def sources(root: Path) -> Iterator[Path]:
    """Every module of the package."""
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).parts
        if parts[0] not in OUTSIDE and not any(part.startswith(".") for part in parts):
            yield path


def lines(paths: Iterator[Path] | list[Path]) -> int:
    """Lines of files, blank ones and comments included."""
    return sum(len(path.read_text().splitlines()) for path in paths)


def bound_names(path: Path) -> Iterator[str]:
    """Names that a module binds: functions, classes, arguments and variables."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg


def size(root: Path) -> dict[str, int]:
    """What can be counted without running anything."""
    retired = tomllib.loads((HERE / "docs" / "glossary.toml").read_text())["retired"]
    paths = list(sources(root))
    modules = [path for path in paths if path.name != "__init__.py"]
    return {
        "lines of the package": lines(paths),
        "modules": len(modules),
        f"modules under {SHORT} lines": sum(len(path.read_text().splitlines()) < SHORT for path in modules),
        "lines of tests": lines(sorted((root / "tests").rglob("*.py"))),
        "names from the retired words": sum(
            name.strip("_").lower() in retired for p in paths for name in bound_names(p)
        ),
    }


def entered(arguments: list[str]) -> int:
    """Files of the package whose functions run while the command line answers."""
    import consortium

    root = str(Path(consortium.__file__).resolve().parent)
    files: set[str] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_flags & inspect.CO_OPTIMIZED:  # not the bodies of modules and classes
            files.add(code.co_filename)

    from consortium.cli.app import ended

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            ended(arguments)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return sum(str(Path(file).resolve()).startswith(root) for file in files if not file.startswith("<"))


def options(command: str) -> int:
    """Options that the short help of a command lists, the two that ask for help included; 0 for no such command."""
    done = subprocess.run([sys.executable, "-m", "consortium", command, "--help"], capture_output=True, text=True)
    listed = {line.strip(" │|").split()[0] for line in done.stdout.splitlines() if line.strip(" │|").startswith("--")}
    return len(listed) if done.returncode == 0 else 0


def answer_of(root: Path, *arguments: str) -> str:
    """What this script answers in the environment of a checkout."""
    python = root / ".venv" / "bin" / "python"
    command = [str(python if python.exists() else sys.executable), __file__, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def figures(root: Path) -> dict[str, int]:
    """All figures of a checkout."""
    import os

    row = size(root)
    traces = os.environ.get("CONSORTIUM_TRACES", "")
    for name, line in COMMANDS.items():
        if "LOG" in line and not traces:
            continue
        command = [str(Path(traces) / LOG) if word == "LOG" else word for word in line.split()]
        row[f"files that {name} enters"] = int(answer_of(root, "--entered", json.dumps(command)))
    for command in HELP.split():
        row[f"options of {command} --help"] = int(answer_of(root, "--options", command))
    return row


def main() -> None:
    """Print the figures, of another checkout beside them."""
    if sys.argv[1:2] == ["--entered"]:
        print(entered(json.loads(sys.argv[2])))
    elif sys.argv[1:2] == ["--options"]:
        print(options(sys.argv[2]))
    else:
        roots = [Path(text).resolve() for text in sys.argv[1:]] + [HERE]
        columns = [figures(root) for root in roots]
        for name in columns[-1]:
            print(f"{name:<32}" + "".join(f"{column.get(name, '-'):>10,}" for column in columns))


if __name__ == "__main__":
    main()
