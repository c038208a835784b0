"""Conditions over the measures of a task: a small comparison language, parsed by hand and never run as code.

Grammar (``when`` of a study's ``[stop]``)::

    condition  = joined { "or" joined }
    joined     = negated { "and" negated }
    negated    = "not" negated | comparison
    comparison = operand [ ("==" | "!=" | "<" | "<=" | ">" | ">=") operand ] | "(" condition ")"
    operand    = number | text | "true" | "false" | "null" | name of a measure

A number is an integer, a decimal or a fraction (``-3/2``), read exactly; a text stands in single or double quotes; a
name is letters, digits, ``_``, ``-`` and ``.``, not beginning with a digit. An operand alone is a measure and holds
where it is true.

Values are those of JSON records: ``"3/2"`` is the number 3/2, ``"inf"`` and ``"-inf"`` are above and below every
number, floats count as what they are to the last bit, ``nan`` as null. ``==`` compares numbers with numbers, texts with
texts, and so on: values of different sorts are different, true is not 1. An order comparison is false unless both sides
are numbers; so one with null is, and ``not`` of it true.

Limits, reported with the column (from 1): 4,000 characters, 50 nested parentheses or negations.

>>> condition = Condition.parse("exists == false or anarchy > 7/4", ["exists", "anarchy"])
>>> condition.holds({"exists": True, "anarchy": "2"}), condition.holds({"exists": True, "anarchy": None})
(True, False)
>>> Condition.parse("exist == false", ["exists", "anarchy"])
Traceback (most recent call last):
    ...
consortium.support.errors.UnknownNameError: condition, column 1: 'exist' is not known; known: anarchy, exists. Did \
you mean 'exists'?
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, NoReturn, TypeAlias

from ...support.errors import InputError, quote, unknown_name
from ...support.exact import Extended, rational

MAX_CHARACTERS: Final = 4_000
MAX_NESTING: Final = 50

EQUAL: Final[Mapping[str, bool]] = {"==": True, "!=": False}
ORDER: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
CONSTANTS: Final[Mapping[str, bool | None]] = {"true": True, "false": False, "null": None}
WORDS: Final = ("and", "or", "not")

_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<number>[+-]?(?:[0-9]+/[0-9]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?))(?![\w./])
    |(?P<name>[^\W\d][\w.-]*)|(?P<text>'[^']*'|"[^"]*")|(?P<sign>==|!=|<=|>=|<|>|\(|\)))""",
    re.VERBOSE,
)

Test: TypeAlias = Callable[[Mapping[str, Any]], bool]
"""Whether a part of a condition holds for measures."""
Operand: TypeAlias = Callable[[Mapping[str, Any]], Any]


@dataclass(frozen=True)
class Condition:
    """A condition over named measures.

    Attributes
    ----------
    text
        As it was written.
    names
        The measures that it uses, in the order of their first use.
    """

    text: str
    names: tuple[str, ...]
    _test: Test

    @classmethod
    def parse(cls, text: str, names: Collection[str]) -> Condition:
        """Read a condition in which the given measures may occur.

        Raises InputError with the column for what is no condition, UnknownNameError for a name that is no measure.
        """
        if not isinstance(text, str) or not text.strip():
            raise InputError(f"condition: found {quote(text)}; expected a text such as 'exists == false'")
        if len(text) > MAX_CHARACTERS:
            raise InputError(f"condition: found {len(text):,} characters; expected at most {MAX_CHARACTERS:,}")
        parser = _Parser(text, names)
        test = parser.whole()
        return cls(text, tuple(parser.used), test)

    def holds(self, measures: Mapping[str, Any]) -> bool:
        """Whether it holds for these values: JSON values, or exact numbers.

        Raises InputError where a measure that it uses is missing.
        """
        missing = [name for name in self.names if name not in measures]
        if missing:
            raise InputError(f"condition {self.text!r}: found no value of {missing[0]!r}")
        return self._test(measures)


def value_of(found: Any) -> Any:
    """A value as conditions compare it: numbers exact (or infinite), ``nan`` as null, anything else as it is.

    >>> value_of("6/4"), value_of(0.5), value_of("-inf"), value_of(True), value_of("ann")
    (Fraction(3, 2), Fraction(1, 2), -inf, True, 'ann')
    """
    if isinstance(found, bool) or found is None:
        return found
    if isinstance(found, float):
        return None if math.isnan(found) else Fraction(found) if math.isfinite(found) else found
    if isinstance(found, str) and found in ("inf", "-inf"):
        return float(found)
    try:
        return rational(found)
    except InputError:
        return found


def _is_number(value: Any) -> bool:
    return isinstance(value, Fraction | float)


def _equal(left: Any, right: Any) -> bool:
    """Equal and of one sort: true is not 1."""
    return isinstance(left, bool) == isinstance(right, bool) and bool(left == right)


def _ordered(sign: str, left: Extended | Any, right: Extended | Any) -> bool:
    return _is_number(left) and _is_number(right) and ORDER[sign](left, right)


@dataclass(frozen=True)
class _Token:
    """A piece of the text: its sort (a group of the pattern, or ``"end"``), what it says, and its column from 1."""

    sort: str
    text: str
    column: int


class _Parser:
    """Recursive descent, one method per line of the grammar."""

    def __init__(self, text: str, names: Collection[str]) -> None:
        self.tokens = _tokens(text)
        self.names = names
        self.used: dict[str, None] = {}
        self.depth = 0

    def whole(self) -> Test:
        test = self.condition()
        if self.tokens[0].sort != "end":
            self.refuse("'and', 'or' or the end")
        return test

    def condition(self) -> Test:
        return _any_of(self.joined("or", self.conjunction))

    def conjunction(self) -> Test:
        return _all_of(self.joined("and", self.negated))

    def joined(self, word: str, part: Callable[[], Test]) -> list[Test]:
        parts = [part()]
        while self.take("name", word):
            parts.append(part())
        return parts

    def negated(self) -> Test:
        if not self.take("name", "not"):
            return self.comparison()
        self.deeper()
        negated = self.negated()
        self.depth -= 1
        return lambda measures: not negated(measures)

    def comparison(self) -> Test:
        if self.take("sign", "("):
            self.deeper()
            test = self.condition()
            if not self.take("sign", ")"):
                self.refuse("')'")
            self.depth -= 1
            return test
        first = self.tokens[0]
        left = self.operand()
        sign = self.tokens[0].text if self.tokens[0].sort == "sign" else ""
        if sign not in EQUAL and sign not in ORDER:
            if first.sort == "name" and first.text not in CONSTANTS:
                return lambda measures: left(measures) is True
            self.refuse("a comparison (==, !=, <, <=, >, >=)")
        self.tokens.pop(0)
        test = _compared(sign, left, self.operand())
        if self.tokens[0].text in EQUAL or self.tokens[0].text in ORDER:
            self.refuse("'and' between two comparisons")
        return test

    def operand(self) -> Operand:
        token = self.tokens[0]
        if token.sort == "number":
            value: Any = rational(token.text, f"condition, column {token.column}")
        elif token.sort == "text":
            value = value_of(token.text[1:-1])
        elif token.sort == "name" and token.text in CONSTANTS:
            value = CONSTANTS[token.text]
        elif token.sort == "name" and token.text not in WORDS:
            return self.measure()
        else:
            self.refuse("a measure, a number, a text in quotes, true, false or null")
        self.tokens.pop(0)
        return lambda measures: value

    def measure(self) -> Operand:
        token = self.tokens.pop(0)
        if token.text not in self.names:
            raise unknown_name(f"condition, column {token.column}", token.text, self.names)
        self.used[token.text] = None
        return lambda measures: value_of(measures[token.text])

    def take(self, sort: str, text: str) -> bool:
        """Whether this piece comes next; then it is used up."""
        found = self.tokens[0].sort == sort and self.tokens[0].text == text
        if found:
            self.tokens.pop(0)
        return found

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_NESTING:
            self.refuse(f"at most {MAX_NESTING} nested parentheses and negations")

    def refuse(self, wanted: str) -> NoReturn:
        token = self.tokens[0]
        found = "the end" if token.sort == "end" else quote(token.text)
        raise InputError(f"condition, column {token.column}: found {found}; expected {wanted}")


def _tokens(text: str) -> list[_Token]:
    found, at, stripped = [], 0, text.rstrip()
    while at < len(stripped):
        match = _TOKEN.match(stripped, at)
        if match is None:
            begin = at + len(stripped[at:]) - len(stripped[at:].lstrip())
            wanted = "a closing quote" if stripped[begin] in "'\"" else "a measure, a number or a comparison"
            hint = "; '==' compares" if stripped[begin] == "=" else ""
            raise InputError(f"condition, column {begin + 1}: found {stripped[begin:][:20]!r}; expected {wanted}{hint}")
        sort = str(match.lastgroup)
        found.append(_Token(sort, match[sort], match.start(sort) + 1))
        at = match.end()
    return [*found, _Token("end", "", len(text) + 1)]


def _compared(sign: str, left: Operand, right: Operand) -> Test:
    if sign in EQUAL:
        return lambda measures: _equal(left(measures), right(measures)) is EQUAL[sign]
    return lambda measures: _ordered(sign, left(measures), right(measures))


def _any_of(tests: Sequence[Test]) -> Test:
    return tests[0] if len(tests) == 1 else lambda measures: any(test(measures) for test in tests)


def _all_of(tests: Sequence[Test]) -> Test:
    return tests[0] if len(tests) == 1 else lambda measures: all(test(measures) for test in tests)
