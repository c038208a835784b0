"""A short name for what a scenario says: equal for two that ask the same, however their numbers are written.

>>> one, other = digest({"length": "3/2", "title": "one"}), digest({"length": Decimal("1.50")})
>>> one == other, len(one)
(True, 64)
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Set
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from typing import Any, Final

from ..support.errors import InputError
from ..support.exact import rational

UNSAID: Final = frozenset({"title", "source", "expect"})
"""Top-level keys that change no answer."""

_written: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
_FIRST: Final = frozenset("0123456789+-. \t")
"""What a text that is a number may begin with."""


def digest(scenario: Mapping[str, Any]) -> str:
    """SHA-256, in hexadecimal digits, of what a scenario says.

    Names, the order of lists and the seed matter; title, source, expected values and the order of keys do not. A number
    counts by its value: ``"3/2"``, ``1.5`` in a file and ``Fraction(3, 2)`` are the same, and so are ``2`` and ``"2"``;
    but a text that is a ``name`` of the scenario is that name wherever it stands. What is not written is not filled in:
    a default that is written makes another digest. A file that the scenario names counts by its name.

    Parameters
    ----------
    scenario
        A scenario as a dict that the reader accepts.

    Raises
    ------
    InputError
        For what no scenario can hold: a float, an object of another class.
    """
    said = {key: value for key, value in scenario.items() if key not in UNSAID}
    names: set[str] = set()
    exact = _exact(said, names)
    if names:  # hardly anybody is called like a number; then such texts are names wherever they stand
        exact = _exact(said, names)
    return sha256(_written(exact).encode()).hexdigest()


def _exact(value: Any, names: set[str]) -> Any:
    """The same with every number in one form: an integer, or a text ``p/q``; names that look like numbers are noted."""
    kind = type(value)
    if kind is str:
        return _number(value, names)
    if kind is int or kind is bool or value is None:
        return value
    if kind is list or kind is tuple:
        return [item if type(item) is int else _exact(item, names) for item in value]
    if kind is dict or isinstance(value, Mapping):
        name = value.get("name")
        if type(name) is str and name[:1] in _FIRST:
            names.add(name)
        return {
            key if key[:1] not in _FIRST else str(_number(key, names)): _exact(item, names)
            for key, item in value.items()
        }
    if isinstance(value, Fraction | Decimal):
        return _plain(rational(value))
    shown = f"the float {value!r}" if kind is float else repr(value)
    raise InputError(f"digest: found {shown}; expected an exact number: an int, a text or a Fraction")


def _number(text: str, names: Set[str]) -> str | int:
    """A text as the number that it is, or as it is."""
    if text[:1] not in _FIRST or text in names:
        return text
    over, _, under = text.partition("/")
    try:
        if over.isdecimal() and under.isdecimal() and int(under):  # nearly all fractions there are
            return _plain(Fraction(int(over), int(under)))
        return _plain(rational(text))
    except ValueError:  # a text that only begins like a number
        return text


def _plain(number: Fraction) -> str | int:
    return number.numerator if number.denominator == 1 else f"{number.numerator}/{number.denominator}"
