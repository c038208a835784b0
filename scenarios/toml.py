"""TOML text to plain values, decimals exact; whatever the text holds, the answer is values or :class:`ScenarioError`.

The parser of the standard library takes time that grows with the square of a dotted key's parts, and refuses a huge
integer without saying where. Both are looked for first, by one expression that passes over the text once: each of its
parts takes all it can and gives nothing back.

>>> parse_text("length = 0.1")
{'length': Decimal('0.1')}
"""

from __future__ import annotations

import re
import tomllib
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from .fields import DIGITS
from .problems import BadNumber, Problem, Said, ScenarioError

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


def parse_text(text: str, where: str = "scenario") -> dict[str, Any]:
    """Parse TOML text. Raises ScenarioError, never anything else."""
    _refuse_long(text, where)
    try:
        return tomllib.loads(text, parse_float=_decimal)
    except ValueError as error:  # also of an integer with more digits than Python converts
        raise ScenarioError(where, [Problem("", Said(str(error)), "valid TOML 1.0")]) from None
    except RecursionError:
        raise ScenarioError(
            where, [Problem("", Said("tables or lists nested very deeply"), "at most a few levels")]
        ) from None


def _refuse_long(text: str, where: str) -> None:
    """Refuse dotted keys and integers of more parts and digits than anything has."""
    if text.count(".") < MAX_PARTS and _SUSPECT.search(text) is None:
        return  # nearly every text
    match = _TOO_LONG.match(text)
    if match is None:
        return
    if match["key"] is not None:
        what, wanted = f"a dotted key of {len(match['key']):,} characters", "tables at most a few levels deep"
    else:
        what, wanted = f"a number of {len(match['number']):,} characters", f"at most {DIGITS:,} digits"
    line = text.count("\n", 0, match.start("key" if match["key"] is not None else "number")) + 1
    raise ScenarioError(where, [Problem(f"line {line}", Said(what), wanted)])


def _decimal(text: str) -> Decimal | BadNumber:
    try:
        value = Decimal(text.replace("_", ""))
    except InvalidOperation:
        return BadNumber(text)
    return value if value.is_finite() else BadNumber(text)
