"""Write a scenario dict as a TOML file that people like to read: short lists on one line, tables in the format's order.

>>> data = {"format": 1, "kind": "declaration", "cluster": {"powers": [1, "3/2"]}, "agents": [{"length": 2}]}
>>> print(dumps(data), end="")
format = 1
kind = "declaration"
<BLANKLINE>
[cluster]
powers = [1, "3/2"]
<BLANKLINE>
[[agents]]
length = 2
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..scheduling.errors import InputError
from .scenario import plain

WIDTH = 110


def dumps(data: Mapping[str, Any]) -> str:
    """TOML text of a scenario dict. ``None`` values are left out, fractions become quoted texts."""
    return "\n".join(_table(plain(data), "")).strip("\n") + "\n"


def write(data: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write a scenario dict to a file. Raises InputError when the file cannot be written."""
    try:
        Path(path).write_text(dumps(data), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{os.fspath(path)}: cannot be written ({error.strerror or error})") from None


def _table(table: Mapping[str, Any], path: str) -> list[str]:
    """Lines of a table: plain values first, then sub-tables, then lists of tables."""
    lines, later = [], []
    for key, value in table.items():
        where = f"{path}.{_key(key)}" if path else _key(key)
        if isinstance(value, dict):
            later += ["", f"[{where}]", *_table(value, where)] if value else ["", f"[{where}]"]
        elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            for item in value:
                later += ["", f"[[{where}]]", *_table(item, where)]
        elif value is not None:
            lines += _assignment(_key(key), value)
    return lines + later


def _assignment(key: str, value: Any) -> list[str]:
    text = f"{key} = {_inline(value)}"
    if len(text) <= WIDTH or not isinstance(value, list):
        return [text]
    lines, line = [f"{key} = ["], "   "
    for item in value:
        piece = f" {_inline(item)},"
        if len(line) + len(piece) > WIDTH and line.strip():
            lines.append(line)
            line = "   "
        line += piece
    return [*lines, line, "]"]


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _text(key)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _inline(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return "[" + ", ".join(_inline(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(k)} = {_inline(v)}" for k, v in value.items()) + " }" if value else "{}"
    raise InputError(f"a scenario cannot hold {type(value).__name__} values")
