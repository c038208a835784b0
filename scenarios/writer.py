"""Write a scenario dict as a TOML file that people like to read: plain values before tables, short lists on one line.

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
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import tomli_w

from ..support.errors import InputError
from .scenario import plain

WIDTH = 110
INDENT = " " * 4


def dumps(data: Mapping[str, Any]) -> str:
    """TOML text of a scenario dict. ``None`` values are left out, fractions become quoted texts."""
    lines = iter(tomli_w.dumps(_writable(plain(data))).rstrip("\n").split("\n"))
    return "\n".join(text for line in lines for text in _filled(line, lines)) + "\n"


def write(data: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write a scenario dict to a file. Raises InputError when the file cannot be written."""
    try:
        Path(path).write_text(dumps(data), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{os.fspath(path)}: cannot be written ({error.strerror or error})") from None


def _writable(value: Any) -> Any:
    """The value without what is None; InputError for what is neither text nor exact."""
    if isinstance(value, dict):
        return {key: _writable(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_writable(item) for item in value]
    if isinstance(value, bool | int | str):
        return value
    raise InputError(f"a scenario cannot hold {type(value).__name__} values")


def _filled(line: str, rest: Iterator[str]) -> Iterator[str]:
    """The lines of an assignment; of lists, which the library breaks after every item, as many items as fit."""
    if not line.endswith("["):
        yield line
        return
    items, _ = _items(rest)
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
