"""Every default is a choice: those of options with their ranges, and those of functions and fields, stand in a table.

Whoever changes one changes a line of ``defaults.txt`` as well, which ``python -m tests.test_defaults`` writes anew.
``None``, which says that nothing was chosen, is left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from consortium.mechanisms.kinds import GAME, KINDS
from consortium.support.loading import load

from .test_dependencies import ROOT, package_modules

TABLE: Final = Path(__file__).with_name("defaults.txt")
CHOSEN: Final = {"default", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "minLength", "maxLength"}
"""What a schema says of a value that somebody chose."""
FIELDS: Final = {"Field", "described", "col"}
"""Calls that declare a field of a class, its default and its range."""


def chosen(schema: Mapping[str, Any]) -> Iterator[str]:
    """Defaults and ends of ranges in a JSON Schema, those of its alternatives and items included."""
    for key, value in schema.items():
        if key in CHOSEN and value is not None:
            yield f"{key}={value!r}"
        for inner in value if key == "anyOf" else [value] if key in ("items", "additionalProperties") else []:
            yield from chosen(inner) if isinstance(inner, Mapping) else ()


def options() -> Iterator[str]:
    """Those of every verb's options."""
    for kind in (*KINDS, GAME):
        for verb in kind.verbs:
            for name, schema in sorted(load(verb.options).model_json_schema()["properties"].items()):
                if choices := " ".join(chosen(schema)):
                    yield f"{kind.name} {verb.name} {name}: {choices}"


def parts(name: str, value: ast.expr | None) -> Iterator[tuple[str, ast.expr]]:
    """A default, or what a call that declares a field says of it, each by its name."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in FIELDS:
        yield from ((name, each) for each in value.args[:1])
        yield from ((f"{name}.{each.arg}", each.value) for each in value.keywords)
    elif value is not None:
        yield name, value


def defaults(tree: ast.AST, inside: str) -> Iterator[str]:
    """Those of functions, methods and annotated fields that are, or hold, a number or a switch."""
    for node in ast.iter_child_nodes(tree):
        found: list[tuple[str, ast.expr | None]] = []
        if isinstance(node, ast.FunctionDef):
            named = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
            found += zip(named[::-1], node.args.defaults[::-1], strict=False)
            found += zip([each.arg for each in node.args.kwonlyargs], node.args.kw_defaults, strict=True)
        elif isinstance(node, ast.ClassDef):
            found += ((ast.unparse(each.target), each.value) for each in node.body if isinstance(each, ast.AnnAssign))
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            values = [part for name, value in found for part in parts(name, value) if numbers(part[1])]
            if values:
                texts = sorted(f"{name}={ast.unparse(value)}" for name, value in values)
                yield f"{inside}{node.name}: {' '.join(texts)}"
            yield from defaults(node, f"{inside}{node.name}.")


def numbers(value: ast.expr) -> bool:
    """Whether there are numbers or switches in an expression."""
    return any(isinstance(each, ast.Constant) and isinstance(each.value, int | float) for each in ast.walk(value))


def lines() -> list[str]:
    modules = [(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")) for path in package_modules()]
    return [*options(), *(f"{name} {line}" for name, code in sorted(modules) for line in defaults(ast.parse(code), ""))]


def test_defaults_are_those_of_the_table() -> None:
    """Which quotation marks an expression is written with depends on the version of Python."""
    kept = TABLE.read_text(encoding="utf-8").splitlines()
    assert [line.replace("'", '"') for line in lines()] == [line.replace("'", '"') for line in kept]


if __name__ == "__main__":
    TABLE.write_text("\n".join(lines()) + "\n", encoding="utf-8")
