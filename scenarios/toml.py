"""TOML text to plain values, decimals exact, and scenario dicts to TOML files that people like to read.

Whatever a text holds, :func:`parse_text` answers with values or :class:`ScenarioError`. The parser of the standard
library takes time that grows with the square of a dotted key's parts, and refuses a huge integer without saying where.
Both are looked for first, by one expression that passes over the text once: each of its parts takes all it can and
gives nothing back.

>>> parse_text("length = 0.1")
{'length': Decimal('0.1')}

:func:`dumps` writes plain values before tables, and short lists on one line.

>>> data = {"format": 1, "kind": "declaration", "cluster": {"powers": [1, "3/2"]}, "agents": [{"length": 2}]}
>>> print(dumps(data), end="")
format = 1
kind = "declaration"
agents = [
    { length = 2 },
]
<BLANKLINE>
[cluster]
powers = [1, "3/2"]
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import tomli_w

from ..support.errors import InputError
from ..support.files import write_text
from .fields import DIGITS
from .problems import MOST, BadNumber, Problem, ScenarioError, Words, brief
from .scenario import plain

MAX_PARTS: Final = 60

_KEY: Final = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_DOTTED: Final = rf"(?:{_KEY}[ \t]*+\.[ \t]*+){{{MAX_PARTS},}}+"
_DIGITS: Final = rf"[0-9][0-9_]{{{DIGITS + 100},}}+"
_OTHER: Final = "|".join(
    (
        r"[^\w\"'#-]++",
        r"[\w-]++",
        r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"""|\Z)',
        r"'''(?:[^']|'(?!''))*+(?:'''|\Z)",
        r'"(?:[^"\\\n]|\\.)*+"?',
        r"'[^'\n]*+'?",
        r"#[^\n]*+",
    )
)
"""Spaces and signs, words, strings of each sort (ended or not) and comments: everything is one of these."""
_TOO_LONG: Final = re.compile(
    rf"(?:(?!{_DOTTED}|{_DIGITS})(?:{_OTHER}))*+(?:(?P<key>{_DOTTED})|(?P<number>{_DIGITS}))", re.DOTALL | re.ASCII
)
_SUSPECT: Final = re.compile(rf"(?<![0-9_])[0-9_]{{{DIGITS + 100}}}")


PAGE: Final = "a scenario in TOML, or a record: the page of a report has a link that saves its record"
"""What is expected in the place of a page."""


def parse_text(text: str, where: str = "scenario") -> dict[str, Any]:
    """Parse TOML text. Raises ScenarioError, never anything else."""
    _refuse_long(text, where)
    try:
        return tomllib.loads(text, parse_float=_decimal)
    except ValueError as error:  # also of an integer with more digits than Python converts
        if text.lstrip()[:9].lower() == "<!doctype":
            raise ScenarioError(where, [Problem("", Words("a page of HTML"), PAGE)]) from None
        raise ScenarioError(where, _no_toml(text, str(error))) from None
    except RecursionError:
        raise ScenarioError(
            where, [Problem("", Words("tables or lists nested very deeply"), "at most a few levels")]
        ) from None


_PLACE: Final = re.compile(r"(.*) \(at line (\d+), column (\d+)\)")
_BARE: Final = re.compile(r"[=\[,]\s*(-?\d+\s*/\s*\d+)\s*(?=[],}#]|$)")
"""A fraction without quotes."""
_WORD: Final = re.compile(r"=\s*([A-Za-z][\w-]*)\s*(?=[],}#]|$)")
"""A word without quotes."""
_UNANSWERED: Final = re.compile(r"[=\[,]\s*\?")


def _no_toml(text: str, error: str) -> list[Problem]:
    """What is wrong where the parser stopped, by the text of the line: fractions without quotes, ``?`` not answered."""
    place = _PLACE.fullmatch(error)
    lines = text.split("\n")
    if place is None or int(place[2]) > len(lines):
        return [Problem("", Words(error), "valid TOML 1.0")]
    reason, number, column = place[1], int(place[2]), place[3]
    line = lines[number - 1].strip()
    if _UNANSWERED.search(line):
        open_ = [(i, each.strip()) for i, each in enumerate(lines, 1) if _UNANSWERED.search(each) and i >= number]
        return [Problem(f"line {i}", each, "an answer in the place of the question mark") for i, each in open_[:MOST]]
    if fraction := _BARE.search(line):
        return [Problem(f"line {number}", line, f'fractions in quotes, "{fraction[1]}"')]
    what = Words(f"{brief(line)} ({reason} at column {column})")
    bare = _WORD.search(line) if reason == "Invalid value" else None  # yes and no stand in the tables of check
    hint = f': true or false, or text in quotes, "{bare[1]}"' if bare else ""
    return [Problem(f"line {number}", what, f"valid TOML 1.0{hint}")]


def _refuse_long(text: str, where: str) -> None:
    """Refuse dotted keys and integers of more parts and digits than anything has."""
    if text.count(".") < MAX_PARTS and _SUSPECT.search(text) is None:
        return  # nearly every text
    match = _TOO_LONG.match(text)
    if match is None:
        return
    if match["key"] is not None:
        what, limit = f"a dotted key of {len(match['key']):,} characters", "tables at most a few levels deep"
    else:
        what, limit = f"a number of {len(match['number']):,} characters", f"at most {DIGITS:,} digits"
    line = text.count("\n", 0, match.start("key" if match["key"] is not None else "number")) + 1
    raise ScenarioError(where, [Problem(f"line {line}", Words(what), limit)])


def _decimal(text: str) -> Decimal | BadNumber:
    try:
        value = Decimal(text.replace("_", ""))
    except InvalidOperation:
        return BadNumber(text)
    return value if value.is_finite() else BadNumber(text)


WIDTH = 110
INDENT = " " * 4


def dumps(data: Mapping[str, Any]) -> str:
    """TOML text of a scenario dict. ``None`` values are left out, fractions become quoted texts."""
    lines = iter(tomli_w.dumps(_writable(plain(data))).rstrip("\n").split("\n"))
    return "\n".join(text for line in lines for text in _filled(line, lines)) + "\n"


def write(data: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write a scenario dict to a file. Raises InputError when the file cannot be written."""
    write_text(path, dumps(data))


def _writable(value: Any) -> Any:
    """The value without what is None; InputError for what is neither text nor exact."""
    if isinstance(value, dict):
        return {key: _writable(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_writable(item) for item in value]
    if isinstance(value, bool | int | str):
        return value
    raise InputError(f"a scenario cannot hold {type(value).__name__} values")


def _filled(line: str, lines: Iterator[str]) -> Iterator[str]:
    """The lines of an assignment; of lists, which the library breaks after every item, as many items as fit."""
    if not line.endswith("["):
        yield line
        return
    items, _ = _items(lines)
    whole = line + ", ".join(items) + "]"
    tables = any(item.startswith("{ ") for item in items)
    if len(whole) <= WIDTH and not tables:
        yield whole
        return
    yield line
    filled = ""
    for item in items:
        if filled and (tables or len(INDENT + filled) + len(item) + 2 > WIDTH):
            yield INDENT + filled.rstrip()
            filled = ""
        filled += f"{item}, "
    yield INDENT + filled.rstrip()
    yield "]"


def _items(lines: Iterator[str]) -> tuple[list[str], str]:
    """The items of a list that has been opened, lists inside them on one line, and the line that closes it."""
    items: list[str] = []
    for line in lines:
        item = line.strip()
        if item.startswith("]"):
            return items, item
        while item.endswith("["):
            inner, closing = _items(lines)
            item += ", ".join(inner) + closing
        items.append(item.removesuffix(","))
    raise AssertionError("the library closes every list")
