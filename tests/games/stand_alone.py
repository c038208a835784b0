"""The checkers of certificates as programs of their own, as ``consortium check --print-checker`` prints them."""

from __future__ import annotations

import ast
import sys
import tempfile
from functools import cache
from pathlib import Path

from consortium.verbs.check import program


@cache
def checker(kind: str) -> Path:
    """A file with the checker of a kind of certificates."""
    path = Path(tempfile.mkdtemp()) / f"check_{kind}.py"
    path.write_text(program(kind))
    return path


def needs_only_python(path: Path) -> bool:
    """Whether a program imports of the standard library alone, and no assertion of it can be switched off."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {"." * node.level + (node.module or "") for node in nodes if isinstance(node, ast.ImportFrom)}
    alone = {name.partition(".")[0] for name in names} <= sys.stdlib_module_names
    return alone and not any(isinstance(node, ast.Assert) for node in nodes)
