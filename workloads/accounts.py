"""Accounts within parent accounts, as in Slurm's tree.

The file has one account a line with its parent, as ``sacctmgr -nP list associations format=Account,ParentName`` prints
them (``physics|science``), or separated by commas, semicolons or tabs. A line with names of columns (Account,
ParentName) says where they stand; lines without a parent say nothing. A parent may have a parent.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from ..support.errors import InputError

SEPARATORS: Final = "|,;\t"
_ACCOUNT: Final = ("account", "name")
_PARENT: Final = ("parentname", "par name", "parent")


def read_parents(path: str) -> dict[str, str]:
    """The parent of each account.

    Raises
    ------
    InputError
        A file that cannot be read, a line without a separator, or an account with two parents.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise InputError(f"parents: {path} cannot be read: {why}") from None
    parents: dict[str, str] = {}
    account, parent = 0, 1
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in re.split(f"[{re.escape(SEPARATORS)}]", line)]
        named = [cell.lower() for cell in cells]
        if not parents and any(name in named for name in _PARENT) and any(name in named for name in _ACCOUNT):
            account = next(named.index(name) for name in _ACCOUNT if name in named)
            parent = next(named.index(name) for name in _PARENT if name in named)
            continue
        if len(cells) <= max(account, parent):
            raise InputError(f"parents: line {number} of {path}: found {line!r}; expected an account and its parent")
        child, above = cells[account], cells[parent]
        if child and above and parents.setdefault(child, above) != above:
            raise InputError(f"parents: line {number} of {path}: {child} has the parents {parents[child]} and {above}")
    return parents
