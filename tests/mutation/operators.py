r"""Mutations of a source text: one small, plausible slip each.

Operators look at the syntax tree and answer with edits of the text, so that all lines stay where they are. What is no
code of the package's behaviour stays untouched: docstrings, annotations, errors and their messages, and what only a
type checker reads.

>>> for found in candidates("def share(a, n):\n    return a / n if n > 1 else a\n"):
...     print(found.operator, "|", found.mutant.splitlines()[1].strip())
condition | return a / n if not (n > 1) else a
comparison | return a / n if n >= 1 else a
constant | return a / n if n > 2 else a
constant | return a / n if n > 0 else a
arithmetic | return a * n if n > 1 else a
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from types import CodeType
from typing import TypeAlias

Edit: TypeAlias = tuple[int, int, str]
"""Replace what stands between two offsets (of bytes)."""

_COMPARISON = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
_ARITHMETIC = {"+": "-", "-": "+", "*": "//", "/": "*", "//": "*"}
_EXTREME = {
    "min": "max",
    "max": "min",
    "minimum": "maximum",
    "maximum": "minimum",
    "argmin": "argmax",
    "argmax": "argmin",
}
_MESSAGES = re.compile(r"Error$|^problems\.|^warn|_error$")


@dataclass(frozen=True)
class Mutation:
    """One edit of one text, ``operator`` being the kind of slip."""

    operator: str
    function: str  # outermost function or method around it: "Work.at"; "<module>"
    definition: str  # what the module's text defines there: "Work.at", or the name that is assigned
    source: bytes
    edits: tuple[Edit, ...]

    @property
    def mutant(self) -> str:
        """The whole text with the edit."""
        return self._edited().decode()

    @property
    def line(self) -> int:
        return self.source.count(b"\n", 0, self.edits[0][0]) + 1

    @property
    def before(self) -> str:
        return self._line_of(self.source)

    @property
    def after(self) -> str:
        """The line as mutated; statements of several lines are removed with ``pass`` on their first."""
        return self._line_of(self._edited())

    def _edited(self) -> bytes:
        text = self.source
        for start, end, new in sorted(self.edits, reverse=True):
            text = text[:start] + new.encode() + text[end:]
        return text

    def _line_of(self, text: bytes) -> str:
        start = self.source.rfind(b"\n", 0, self.edits[0][0]) + 1
        return text[start:].partition(b"\n")[0].decode().strip()

    def changes(self) -> bool:
        """Whether the mutant is Python and its bytecode another one."""
        try:
            return _signature(compile(self.mutant, "m", "exec")) != _signature(compile(self.source, "m", "exec"))
        except SyntaxError:
            return False

    def id(self, path: str) -> str:
        """The same as long as function and line stay the same, wherever they stand."""
        text = "\0".join((path, self.function, self.operator, self.before, self.after))
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def candidates(text: str) -> list[Mutation]:
    """All mutations of a text, in the order of the tree."""
    return list(_Walk(text.encode()).run())


def _signature(code: CodeType) -> tuple[object, ...]:
    constants = tuple(_signature(c) if isinstance(c, CodeType) else (type(c), repr(c)) for c in code.co_consts)
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_flags


Found: TypeAlias = Iterator[tuple[str, tuple[Edit, ...]]]


class _Walk:
    """Goes over a tree; each ``_on_<node>`` gives the operators' edits."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.starts = [0, *(m.end() for m in re.finditer(rb"\n", source))]

    def run(self) -> Iterator[Mutation]:
        yield from self._inside(ast.parse(self.source), "<module>", "<module>", ())

    def _inside(self, node: ast.AST, function: str, definition: str, above: tuple[ast.AST, ...]) -> Iterator[Mutation]:
        if _no_behaviour(node):
            return
        function, definition = _names(node, function, definition, above)
        handler: Callable[[ast.AST, tuple[ast.AST, ...]], Found] | None
        handler = getattr(self, f"_on_{type(node).__name__}", None)
        if handler is not None and self._located(node, above):
            for operator, edits in handler(node, above):
                yield Mutation(operator, function, definition, self.source, edits)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "format_spec"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from self._inside(child, function, definition, (*above, node))

    # -- places ---------------------------------------------------------------

    def _span(self, node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, ast.expr | ast.stmt | ast.arg)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self.starts[node.lineno - 1] + node.col_offset
        return start, self.starts[node.end_lineno - 1] + node.end_col_offset

    def _located(self, node: ast.AST, above: tuple[ast.AST, ...]) -> bool:
        """Whether the tree says where the node stands: inside f-strings Python before 3.12 does not always."""
        if not isinstance(node, ast.expr) or not any(isinstance(n, ast.JoinedStr) for n in above):
            return True
        start, end = self._span(node)
        try:
            found = ast.parse(b"(" + self.source[start:end] + b")", mode="eval").body
        except SyntaxError:
            return False
        return ast.dump(found) == ast.dump(node)

    def _token(self, left: ast.AST, right: ast.AST, table: dict[str, str]) -> Iterator[Edit]:
        """The operator between two operands, exchanged by the table; parentheses and comments may stand there too."""
        start, end = self._span(left)[1], self._span(right)[0]
        gap = re.sub(rb"#[^\n]*", lambda m: b" " * len(m[0]), self.source[start:end])
        found = re.fullmatch(rb"[\s)]*([^\s()]+)[\s(]*", gap)
        if found is not None and (old := found[1].decode()) in table:
            yield start + found.start(1), start + found.end(1), table[old]

    # -- operators ------------------------------------------------------------

    def _on_Compare(self, node: ast.Compare, above: tuple[ast.AST, ...]) -> Found:
        for left, right in pairwise([node.left, *node.comparators]):
            for edit in self._token(left, right, _COMPARISON):
                yield "comparison", (edit,)

    def _on_BinOp(self, node: ast.BinOp, above: tuple[ast.AST, ...]) -> Found:
        for edit in self._token(node.left, node.right, _ARITHMETIC):
            yield "arithmetic", (edit,)

    def _on_AugAssign(self, node: ast.AugAssign, above: tuple[ast.AST, ...]) -> Found:
        for edit in self._token(node.target, node.value, {f"{a}=": f"{b}=" for a, b in _ARITHMETIC.items()}):
            yield "arithmetic", (edit,)
        yield from self._removed(node)

    def _on_Constant(self, node: ast.Constant, above: tuple[ast.AST, ...]) -> Found:
        kind = "default" if above and isinstance(above[-1], ast.arguments | ast.keyword) else "constant"
        if isinstance(node.value, bool):
            if kind == "default":
                yield kind, ((*self._span(node), str(not node.value)),)
        elif isinstance(node.value, int):
            for other in (node.value + 1, node.value - 1):
                yield kind, ((*self._span(node), str(other) if other >= 0 else f"({other})"),)

    def _on_BoolOp(self, node: ast.BoolOp, above: tuple[ast.AST, ...]) -> Found:
        for left, right in pairwise(node.values):
            for edit in self._token(left, right, {"and": "or", "or": "and"}):
                yield "logic", (edit,)

    def _on_UnaryOp(self, node: ast.UnaryOp, above: tuple[ast.AST, ...]) -> Found:
        if isinstance(node.op, ast.Not):
            yield "logic", ((self._span(node)[0], self._span(node.operand)[0], ""),)

    def _on_Call(self, node: ast.Call, above: tuple[ast.AST, ...]) -> Found:
        function = node.func
        name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
        end = self._span(function)[1]
        if name in _EXTREME:
            yield "extreme", ((end - len(name), end, _EXTREME[name]),)
        if name == "sorted":
            end = self._span(node)[1]
            yield "order", ((end, end, "[::-1]"),)

    def _on_Subscript(self, node: ast.Subscript, above: tuple[ast.AST, ...]) -> Found:
        bounds = [node.slice.lower, node.slice.upper] if isinstance(node.slice, ast.Slice) else [node.slice]
        parts = [p for b in bounds for p in (b.elts if isinstance(b, ast.Tuple) else [b])]
        for part in parts:
            if isinstance(part, ast.Name | ast.BinOp):
                start, end = self._span(part)
                yield "index", ((start, start, "("), (end, end, ") + 1"))

    def _on_Break(self, node: ast.Break, above: tuple[ast.AST, ...]) -> Found:
        yield "loop", ((*self._span(node), "continue"),)

    def _on_Continue(self, node: ast.Continue, above: tuple[ast.AST, ...]) -> Found:
        yield "loop", ((*self._span(node), "break"),)

    def _on_If(self, node: ast.If | ast.IfExp, above: tuple[ast.AST, ...]) -> Found:
        start, end = self._span(node.test)
        yield "condition", ((start, start, "not ("), (end, end, ")"))

    _on_IfExp = _on_If

    def _on_comprehension(self, node: ast.comprehension, above: tuple[ast.AST, ...]) -> Found:
        for test in node.ifs:
            start, end = self._span(test)
            yield "condition", ((start, start, "not ("), (end, end, ")"))

    def _on_Return(self, node: ast.Return, above: tuple[ast.AST, ...]) -> Found:
        if not isinstance(above[-1], ast.FunctionDef):
            yield "return", ((*self._span(node), self._pass(node)),)

    def _on_Expr(self, node: ast.Expr, above: tuple[ast.AST, ...]) -> Found:
        if isinstance(node.value, ast.Call):
            yield from self._removed(node)

    def _on_Assign(self, node: ast.Assign, above: tuple[ast.AST, ...]) -> Found:
        """Only what replaces a value: a name that was never bound is found by whoever runs the line."""
        around = next((n for n in reversed(above) if isinstance(n, ast.FunctionDef)), None)
        names = {n.id for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name)}
        inside = ast.walk(around) if around is not None else ()
        earlier = [n for n in inside if isinstance(n, ast.Name | ast.arg) and n.lineno < node.lineno]
        bound = {n.arg for n in earlier if isinstance(n, ast.arg)}
        bound |= {n.id for n in earlier if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        if around is not None and names <= bound:
            yield from self._removed(node)

    def _removed(self, node: ast.stmt) -> Found:
        yield "statement", ((*self._span(node), self._pass(node)),)

    def _pass(self, node: ast.stmt) -> str:
        start, end = self._span(node)
        return "pass" + "\n" * self.source.count(b"\n", start, end)


def _no_behaviour(node: ast.AST) -> bool:
    if isinstance(node, ast.Raise | ast.Assert | ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return True
    if isinstance(node, ast.Call) and _MESSAGES.search(ast.unparse(node.func)):
        return True
    if isinstance(node, ast.keyword) and node.arg == "strict":  # of zip: an assertion
        return True
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in (
        "Annotated", "Callable", "ClassVar", "Final", "dict", "frozenset", "list", "set", "tuple", "type",
    )  # fmt: skip


def _names(node: ast.AST, function: str, definition: str, above: tuple[ast.AST, ...]) -> tuple[str, str]:
    """Function and definition for what is inside of this node."""
    at_top = all(isinstance(n, ast.Module | ast.If | ast.Try) for n in above)
    in_class = bool(above) and isinstance(above[-1], ast.ClassDef) and function == "<module>"
    if isinstance(node, ast.FunctionDef | ast.ClassDef) and (at_top or in_class):
        name = f"{definition}.{node.name}" if in_class else node.name
        return (function if isinstance(node, ast.ClassDef) else name), name
    if at_top and isinstance(node, ast.Assign | ast.AnnAssign):
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        return function, target.id if isinstance(target, ast.Name) else definition
    return function, definition
