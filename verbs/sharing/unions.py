"""Which organizations keep together: accounts within parent accounts, as in Slurm's tree.

The file has one account a line with its parent, as ``sacctmgr -nP list associations format=Account,ParentName`` prints
them (``physics|science``), or separated by commas, semicolons or tabs. A line with names of columns (Account,
ParentName) says where they stand; lines without a parent say nothing. A parent may have a parent.

>>> structure(["atlas", "cms", "bio"], {"atlas": "physics", "cms": "physics", "physics": "root", "bio": "root"})
((0, 1), 2)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from ...mechanisms.sharing.circles import Structure, leaves
from ...support.errors import InputError, join_names

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
    found: dict[str, str] = {}
    account, parent = 0, 1
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in re.split(f"[{re.escape(SEPARATORS)}]", line)]
        named = [cell.lower() for cell in cells]
        if not found and any(name in named for name in _PARENT) and any(name in named for name in _ACCOUNT):
            account = next(named.index(name) for name in _ACCOUNT if name in named)
            parent = next(named.index(name) for name in _PARENT if name in named)
            continue
        if len(cells) <= max(account, parent):
            raise InputError(f"parents: line {number} of {path}: found {line!r}; expected an account and its parent")
        child, above = cells[account], cells[parent]
        if child and above and found.setdefault(child, above) != above:
            raise InputError(f"parents: line {number} of {path}: {child} has the parents {found[child]} and {above}")
    return found


def structure(names: Sequence[str], parents: dict[str, str]) -> Structure:
    """Organizations by number, those with a common parent in a tuple, and so on upwards.

    An account with accounts below it, and jobs of its own, is one of its union. Raises InputError for an account above
    itself, or where the parents are of others, or common to no two organizations or to all.
    """
    above = set(parents.values())
    tree: dict[str, Any] = {}
    for u, name in enumerate(names):
        node = tree
        for step in (*_path(name, parents), *((name,) if name in above else ())):
            node = node.setdefault(f"/{step}", {})
        node[name] = u
    found = _nested(tree)
    if not isinstance(found, tuple) or all(isinstance(child, int) for child in found):
        if not any(name in parents for name in names):
            raise InputError(
                f"parents: found those of {join_names(list(parents))}; expected some of {join_names(names)}"
            )
        raise InputError(f"parents: found none that several, but not all, of {join_names(names)} have in common")
    return found


def _path(name: str, parents: dict[str, str]) -> list[str]:
    """The accounts above one, the outermost first."""
    path: list[str] = []
    while name in parents:
        name = parents[name]
        if name in path:
            raise InputError(f"parents: {name} is above itself; expected a tree")
        path.insert(0, name)
    return path


def _nested(node: Any) -> Structure:
    """A tree as tuples, where one child alone stands for its parent."""
    if isinstance(node, int):
        return node
    children = tuple(map(_nested, node.values()))
    return children[0] if len(children) == 1 else children


def unions_told(found: Structure, names: Sequence[str]) -> str:
    """The unions in words: those of the outermost that hold several."""
    several = [child for child in children(found) if isinstance(child, tuple)]
    return "; ".join(" with ".join(names[u] for u in leaves(child)) for child in several)


def children(found: Structure) -> Iterable[Structure]:
    """What the outermost union holds."""
    return found if isinstance(found, tuple) else (found,)
