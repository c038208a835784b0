"""Who refers to whom, by name: which compiled kernels hold a mutated definition, and which functions lead to them.

A kernel that numba keeps on disk is recognised by the files that it was compiled from, and those of a mutant are let
pass for unchanged. So a mutant needs all kernels thrown away that reach the mutated definition, however far, and its
tests are those of the functions that call such a kernel.

Definitions are written ``path:name``: functions, methods (``Work.at``), classes without their methods, and names that
are assigned at the top of a module.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

DOORS = {"jit", "lean"}
"""What makes kernels: see :mod:`consortium.support.jit`."""


class Names:
    """The definitions of the package below ``root`` and their references."""

    def __init__(self, root: Path, paths: list[str]) -> None:
        self.kernels: set[str] = set()
        self.users: dict[str, set[str]] = defaultdict(set)
        self._imports: dict[str, dict[str, tuple[str, str]]] = {}
        self._paths = set(paths)
        trees = {path: ast.parse((root / path).read_text(encoding="utf-8")) for path in paths}
        for path, tree in trees.items():
            self._imports[path] = dict(self._imported(path, tree))
        for path, tree in trees.items():
            for name, node in _definitions(tree):
                if _is_kernel(node):
                    self.kernels.add(f"{path}:{name}")
                for used in self._references(path, node):
                    self.users[used].add(f"{path}:{name}")

    def reaching(self, definition: str) -> set[str]:
        """The definition, the kernels that hold it and what else refers to it on the way to them."""
        found, open_ = {definition}, [definition]
        while open_:
            at = open_.pop()
            new = self.users[at] - found
            found |= new
            open_ += [user for user in new if user in self.kernels or _is_constant(user)]
        return found

    def stale(self, definition: str) -> set[tuple[str, str]]:
        """Kernels to throw away, as numba names their files: module and function."""
        kernels = self.reaching(definition) & self.kernels
        return {(PurePosixPath(path).stem, name) for path, _, name in (k.partition(":") for k in kernels)}

    def _imported(self, path: str, tree: ast.Module) -> Iterator[tuple[str, tuple[str, str]]]:
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.level:
                base = PurePosixPath(path).parents[node.level - 1]
                module = base.joinpath(*(node.module or "").split(".")) if node.module else base
                for alias in node.names:
                    yield alias.asname or alias.name, (str(module), alias.name)

    def _references(self, path: str, node: ast.AST) -> Iterator[str]:
        for part in _code(node):
            if isinstance(part, ast.Name):
                yield self._resolved(path, part.id)
            elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
                module, name = self._imports[path].get(part.value.id, ("", ""))
                if (inside := f"{module}/{name}.py".removeprefix("./")) in self._paths:
                    yield self._resolved(inside, part.attr)

    def _resolved(self, path: str, name: str) -> str:
        """Where a name of this module is defined, through whatever imports it again."""
        if name not in self._imports[path]:
            return f"{path}:{name}"
        module, original = self._imports[path][name]
        for file in (f"{module}.py", f"{module}/__init__.py"):
            if (file := file.removeprefix("./")) in self._paths and (file, original) != (path, name):
                return self._resolved(file, original)
        return f"{module}:{original}"


def _definitions(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            methods = [child for child in node.body if isinstance(child, ast.FunctionDef)]
            yield from ((f"{node.name}.{method.name}", method) for method in methods)
            rest = [child for child in node.body if child not in methods]
            yield node.name, ast.Module([*rest, *map(ast.Expr, node.bases)], [])
        elif isinstance(node, ast.Assign):
            yield from ((target.id, node.value) for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            yield node.target.id, node.value


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """What is run or compiled: no annotations."""
    yield node
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _code(child)


def _is_kernel(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and any(
        isinstance(decorator, ast.Name) and decorator.id in DOORS for decorator in node.decorator_list
    )


def _is_constant(definition: str) -> bool:
    name = definition.partition(":")[2]
    return name.isupper()
