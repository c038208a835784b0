"""A short name for what a scenario says: equal for two that ask the same, however their numbers are written.

>>> one = digest({"format": 1, "kind": "federation", "organizations": [{"jobs": [1.5]}], "title": "one"})
Traceback (most recent call last):
    ...
consortium.scheduling.errors.InputError: digest: found the float 1.5; expected an exact number: an int, a text or a ...
>>> three, half = digest({"length": "3/2", "source": "here"}), digest({"length": Decimal("1.50")})
>>> three == half, len(three)
(True, 64)
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from typing import Any, Final

from ..scheduling.errors import InputError
from ..scheduling.exact import rational

UNSAID: Final = frozenset({"title", "source", "expect"})
"""Top-level keys that change no answer."""

_NUMBER: Final = re.compile(r"\s*[+-]?[0-9]")


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
    exact = _exact(said, frozenset(_numeric_names(said)))
    return sha256(json.dumps(exact, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _numeric_names(value: Any) -> Iterable[str]:
    """Names that look like numbers; hardly anybody is called so."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key == "name" and isinstance(item, str) and _NUMBER.match(item):
                yield item
            elif not isinstance(item, str | int):
                yield from _numeric_names(item)
    elif isinstance(value, list | tuple) and value and not isinstance(value[0], int):
        for item in value:
            yield from _numeric_names(item)


def _exact(value: Any, names: frozenset[str]) -> Any:
    """The same with every number in one form: an integer, or a text ``p/q``."""
    if isinstance(value, str):
        return _number(value, names)
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, list | tuple):
        return [_exact(item, names) for item in value]
    if isinstance(value, Mapping):
        return {str(_number(key, names)): _exact(item, names) for key, item in value.items()}
    if isinstance(value, Fraction | Decimal):
        return _plain(rational(value))
    shown = f"the float {value!r}" if isinstance(value, float) else repr(value)
    raise InputError(f"digest: found {shown}; expected an exact number: an int, a text or a Fraction")


def _number(text: str, names: frozenset[str]) -> str | int:
    """A text as the number that it is, or as it is."""
    if not _NUMBER.match(text) or text in names:
        return text
    try:
        return _plain(rational(text))
    except InputError:  # a text that only begins like a number
        return text


def _plain(number: Fraction) -> str | int:
    return number.numerator if number.denominator == 1 else f"{number.numerator}/{number.denominator}"
