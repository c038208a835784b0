"""One reader for texts of formulas: arithmetic for goals, comparisons for conditions; never run as code.

A :class:`Language` says which operators, functions and constants there are and how closely they bind. :func:`read`
makes a tree of a text; every error has its column (from 1), what was found there and what was expected. Numbers are
read exactly. Limits: 4,000 characters and 50 nested parentheses.

Python's own parser was tried and needs more: names may be words of Python, decimals must stay exact, and its errors do
not say what was expected, so that the same pass over the tokens comes first and one over its tree afterwards.

A tree is a tuple: ``("number" | "text" | "constant", value, column)``, ``("name", name)``, ``("+", terms)``,
``("-", x)``, ``("*", factors, column)``, ``("/", top, bottom, column)``, ``("**", base, exponent, column)``,
``(function, arguments)``, ``("or" | "and", parts)``, ``("not", x)``, ``(comparison, left, right, column)``. Columns are
those of the operator.

>>> read("-(ann + 9*bob)", ["ann", "bob"], ARITHMETIC, "goal")
('-', ('+', (('name', 'ann'), ('*', (('number', Fraction(9, 1), 9), ('name', 'bob')), 10))))
>>> read("not exists or price > 7/4", ["exists", "price"], CONDITIONS, "condition")
('or', (('not', ('name', 'exists')), ('>', ('name', 'price'), ('number', Fraction(7, 4), 23), 21)))
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from .errors import InputError, quote, unknown_name
from .exact import rational

MAX_CHARACTERS: Final = 4_000
MAX_NESTING: Final = 50
POWERS: Final = ("**", "^")
COMPARISONS: Final = ("==", "!=", "<=", ">=", "<", ">")

Tree: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True)
class Language:
    """What may be written."""

    tokens: re.Pattern[str]  # a pattern with the groups ``number``, ``name``, ``text`` and ``sign``
    # operators, prefixes: signs and words between two operands and before one, and how closely they bind
    operators: Mapping[str, int]
    prefixes: Mapping[str, int]
    functions: Mapping[str, int]  # names before parentheses, and the number of their arguments; 0: any from one on
    constants: Mapping[str, Any]  # names with a value of their own
    # operand, operator: what may stand at the place of an operand and after one, for messages
    operand: str
    operator: str


ARITHMETIC: Final = Language(
    tokens=re.compile(
        r"(?P<number>\.?\d(?:[eE][+-]|[\w.])*)|(?P<name>[^\W\d]\w*)|(?P<text>(?!))|(?P<sign>\*\*|[-+*/^(),])"
    ),
    operators={"+": 1, "-": 1, "*": 2, "/": 2, "**": 4, "^": 4},
    prefixes={"+": 3, "-": 3},
    functions={"abs": 1, "max": 0, "min": 0},
    constants={},
    operand="a number, a name or '('",
    operator="an operator or the end",
)
"""Sums, products, quotients, and powers with a digit for an exponent (``^`` is ``**``)."""

CONDITIONS: Final = Language(
    tokens=re.compile(
        r"(?P<number>[+-]?\.?\d(?:[eE][+-]|[\w./])*)|(?P<name>[^\W\d][\w.-]*)"
        r"""|(?P<text>'[^']*'|"[^"]*")|(?P<sign>[=!<>]=|[<>()])"""
    ),
    operators={"or": 1, "and": 2, **dict.fromkeys(COMPARISONS, 4)},
    prefixes={"not": 3},
    functions={},
    constants={"true": True, "false": False, "null": None},
    operand="a measure, a number, a text in quotes, true, false or null",
    operator="a comparison (==, !=, <, <=, >, >=), 'and', 'or' or the end",
)
"""Comparisons of two operands, joined by and, or and not; names may have dots and hyphens, ``3/2`` is one number."""


def read(text: str, names: Collection[str], language: Language, where: str) -> Tree:
    """The tree of a text in which the given names may occur; ``where`` opens the messages.

    Raises InputError for anything outside the language or beyond the limits.

    >>> read("2 * (x", ["x"], ARITHMETIC, "goal")
    Traceback (most recent call last):
        ...
    consortium.support.errors.InputError: goal, column 7: found the end; expected ')'
    """
    if not isinstance(text, str):
        raise InputError(f"{where}: found {type(text).__name__}; expected a text")
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"{where}, column {MAX_CHARACTERS + 1}: the text has {len(text):,} characters; at most {MAX_CHARACTERS:,}"
        )
    return _Reader(text, names, language, where).whole()


@dataclass(frozen=True)
class _Token:
    """A piece of a text: a group of the pattern, ``"other"`` or ``"end"``; what it says; its column from 1."""

    sort: str
    text: str
    column: int


class _Reader:
    """Precedence climbing: an operand, then operators that bind as closely as asked, each with what follows it."""

    def __init__(self, text: str, names: Collection[str], language: Language, where: str) -> None:
        self.names, self.language, self.where = names, language, where
        self.tokens = _tokens(text, language)[::-1]
        self.depth = 0

    @property
    def next(self) -> _Token:
        return self.tokens[-1]

    def whole(self) -> Tree:
        tree = self.expression(1)
        if self.next.sort != "end":
            raise self.refuse(self.language.operator)
        return tree

    def expression(self, level: int) -> Tree:
        """What binds at least as closely as ``level``."""
        tree = self.operand(level)
        while self.language.operators.get(self.next.text, 0) >= level:
            operator = self.tokens.pop()
            if operator.text in POWERS:
                tree = ("**", tree, self.exponent(), operator.column)
                continue
            right = self.expression(self.language.operators[operator.text] + 1)
            tree = _joined(operator, tree, right)
            if operator.text in COMPARISONS and self.next.text in COMPARISONS:
                raise self.refuse("'and' between two comparisons")
        return tree

    def operand(self, level: int) -> Tree:
        odd, prefixes, first = False, self.language.prefixes, self.next.text
        while prefixes.get(self.next.text, 0) >= level:  # two of them are none
            odd ^= self.tokens.pop().text != "+"
        if odd:
            return ("not" if first == "not" else "-", self.expression(max(prefixes.values())))
        if self.next.text == "(" and self.next.sort == "sign":
            (tree,) = self.group(1)
            return tree
        token = self.tokens.pop()
        where = f"{self.where}, column {token.column}"
        if token.sort == "number":
            if not token.text.isascii() or "_" in token.text:
                raise InputError(f"{where}: {quote(token.text)} is not a number")
            return "number", rational(token.text, where), token.column
        if token.sort == "text":
            return "text", token.text[1:-1], token.column
        if token.sort == "name" and token.text in self.language.constants:
            return "constant", self.language.constants[token.text], token.column
        if token.sort == "name" and token.text in self.language.functions and self.next.text == "(":
            return self.call(token, where)
        if token.sort != "name" or token.text in (*self.language.operators, *prefixes):
            self.tokens.append(token)
            raise self.refuse("a closing quote" if token.text in ("'", '"') else self.language.operand)
        if token.text not in self.names:
            raise InputError(str(unknown_name(where, token.text, {*self.names, *self.language.functions})))
        return "name", token.text

    def call(self, function: _Token, where: str) -> Tree:
        most = self.language.functions[function.text]
        arguments = self.group(0)
        if most and len(arguments) != most:
            raise InputError(f"{where}: {function.text} takes one argument; found {len(arguments)}")
        return function.text, arguments

    def group(self, most: int) -> tuple[Tree, ...]:
        """Expressions between parentheses, at most so many; 0: any number."""
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise self.refuse(f"at most {MAX_NESTING} nested parentheses")
        parts: list[Tree] = []
        while not parts or (self.next.text == "," and len(parts) != most):
            self.tokens.pop()
            parts.append(self.expression(1))
        if self.next.text != ")":
            raise self.refuse("')'")
        self.tokens.pop()
        self.depth -= 1
        return tuple(parts)

    def exponent(self) -> int:
        if not (len(self.next.text) == 1 and self.next.text in "0123456789"):
            raise self.refuse("one of the digits 0 to 9 as the exponent")
        digit = int(self.tokens.pop().text)
        if self.next.text in POWERS:
            raise self.refuse("parentheses around a power of a power")
        return digit

    def refuse(self, expected: str) -> InputError:
        token = self.next
        text = "the end" if token.sort == "end" else quote(token.text)
        hint = "; '==' compares" if token.text == "=" and "==" in self.language.operators else ""
        return InputError(f"{self.where}, column {token.column}: found {text}; expected {expected}{hint}")


def _tokens(text: str, language: Language) -> list[_Token]:
    """Whatever belongs to no token becomes one of a single character, which is refused at its turn."""
    tokens, at, end = [], 0, len(text.rstrip())
    while at < end:
        match = language.tokens.match(text, at)
        if match or not text[at].isspace():
            tokens.append(_Token(str(match.lastgroup) if match else "other", match[0] if match else text[at], at + 1))
        at = match.end() if match else at + 1
    return [*tokens, _Token("end", "", len(text) + 1)]


def _joined(operator: _Token, left: Tree, right: Tree) -> Tree:
    """Two operands; sums, products, conjunctions and disjunctions of many are flat."""
    kind = operator.text
    if kind == "/" or kind in COMPARISONS:
        return kind, left, right, operator.column
    if kind == "-":
        kind, right = "+", ("-", right)
    parts = (*left[1], right) if left[0] == kind else (left, right)
    return (kind, parts, operator.column) if kind == "*" else (kind, parts)
