"""Values of JSON as cells of SQLite and back, without loss; texts of records, compressed.

An integer within 64 bits is an INTEGER, any other number that is not one a REAL, and everything else TEXT: a string as
it is (so are fractions, ``3/2``), larger integers by their digits, ``true``, ``false``, ``null``, lists and objects as
JSON. A string that would be taken for one of these is written as JSON too, with its quotation marks: ``"true"``. NULL
is what is not there.

>>> [cell(value) for value in (1, 10**20, "3/2", True, None, "true", [1])]
[1, '100000000000000000000', '3/2', 'true', 'null', '"true"', '[1]']
>>> [of_cell(cell(value)) for value in (10**20, "3/2", True, None, "true", "12")]
[100000000000000000000, '3/2', True, None, 'true', '12']
"""

from __future__ import annotations

import json
import math
import zlib
from typing import Final, NoReturn, TypeAlias

from .outcomes import JSON

Cell: TypeAlias = int | float | str

BEGINNINGS: Final = frozenset('"[{tfn-0123456789 \t\n\r')
"""First characters of what can be JSON."""
COMPRESSED: Final = 500
"""Bytes from which a record is compressed."""
LEVEL: Final = 3
"""Of zlib: a search of 2,400 bytes takes 750 in 26 microseconds, with level 6 720 in 43."""


def cell(value: JSON) -> Cell:
    """The cell for a value. Raises ValueError or TypeError for what is not JSON, or has too many digits for Python."""
    match value:
        case str():
            return json.dumps(value) if _ambiguous(value) else value
        case float() if math.isfinite(value):
            return value
        case int() if value is not True and value is not False:
            return value if -(2**63) <= value < 2**63 else str(value)
    return json.dumps(value, allow_nan=False)


def of_cell(found: Cell) -> JSON:
    """The value of a cell that is not NULL."""
    if not isinstance(found, str) or found[:1] not in BEGINNINGS:
        return found
    try:
        value: JSON = _READER.decode(found)
    except ValueError:
        return found
    return value


def _ambiguous(text: str) -> bool:
    """Whether a string would be read as something else, or cannot be a text of SQLite."""
    if "\0" in text or not _encodable(text):
        return True
    if text[:1] not in BEGINNINGS:  # most texts: an attempt to read one costs five times as much
        return False
    try:
        _READER.decode(text)
    except ValueError:
        return False
    except RecursionError:
        return True
    return True


def _encodable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _refused(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_READER: Final = json.JSONDecoder(parse_constant=_refused)


def packed(record: str) -> tuple[int, str | bytes]:
    """The size of a record in bytes and its text; of a longer one, compressed by zlib, as SQLite's ``sqlar`` has it."""
    data = record.encode("utf-8", "surrogatepass")
    if len(data) >= COMPRESSED:
        small = zlib.compress(data, LEVEL)
        if len(small) < len(data):
            return len(data), small
    return len(data), record if _encodable(record) else data


def unpacked(size: int, stored: str | bytes) -> str:
    """The text of a record.

    >>> unpacked(*packed("[1]")), unpacked(*packed("[1]" * 1000)) == "[1]" * 1000
    ('[1]', True)
    """
    if isinstance(stored, str):
        return stored
    return (stored if len(stored) == size else zlib.decompress(stored)).decode("utf-8", "surrogatepass")
