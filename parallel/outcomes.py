"""What is known of a finished task, and what its answer depends on: the question, and the versions of the solvers."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, TypeAlias

from .. import __version__
from ..support.errors import InputError, quote
from ..support.loading import version

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"
Status: TypeAlias = Literal["done", "failed", "stopped"]

OF_EVERY_TASK: Final = ("task", "replicate", "seed", "status", "seconds", "digest", "error")
"""Columns of a table of results that are there whatever is varied and measured."""
MOST: Final = 1_900
"""Columns; SQLite has room for 2,000."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a task."""

    task: int  # its number, at least 0
    status: Status  # ``"stopped"``: ended by a limit of its own
    seconds: float  # of wall clock time
    # seed, replicate: where its instance comes from
    seed: int
    replicate: int
    digest: str  # of its instance
    # varied, measures: by name; a measure that is not known is missing, which is not the same as ``None``
    varied: Mapping[str, JSON]
    measures: Mapping[str, JSON]
    error: str | None = None  # why it has failed, in a sentence
    record: str | None = None  # all that was found, as JSON text


@dataclass(frozen=True)
class Columns:
    """Names of what is varied and of what is measured, in the order in which they are shown.

    Raises
    ------
    InputError
        Names that do not differ in more than the case of their letters, which SQL does not see; too many; an empty one.
    """

    varied: tuple[str, ...]
    measures: tuple[str, ...]

    def __post_init__(self) -> None:
        names = self.varied + self.measures
        if len(names) > MOST:
            raise InputError(f"columns: found {len(names):,} varied keys and measures; expected at most {MOST:,}")
        seen = dict.fromkeys(OF_EVERY_TASK, "a column of every table")
        for name in names:
            if not name or not name.isprintable():
                raise InputError(f"columns: found the name {quote(name)}; expected letters that can be printed")
            if (folded := name.casefold()) in seen:
                raise InputError(
                    f"columns: found the name {quote(name)} beside {seen[folded]}; expected varied keys and measures "
                    f"whose names differ in more than upper and lower case"
                )
            seen[folded] = quote(name)


PACKAGE: Final = "consortium"
SOLVERS: Final = ("mpmath", "nashpy", "networkx", "numba", "numpy", "ortools", "pygambit", "scipy", "sympy")
"""Distributions that compute or draw something; one that is not installed has no version."""


@cache
def versions() -> Mapping[str, str]:
    """Versions of the package, of Python and of the solvers in this process, by name.

    >>> versions()["consortium"] == __version__
    True
    """
    solvers = {name: installed for name in SOLVERS if (installed := version(name)) is not None}
    return {PACKAGE: __version__, "python": platform.python_version(), **solvers}


def differing(theirs: Mapping[str, str], ours: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Names whose versions differ, with theirs and ours; ``"none"`` stands for what is not there.

    >>> differing({"numpy": "2.1", "scipy": "1.15"}, {"numpy": "2.2", "scipy": "1.15"})
    {'numpy': ('2.1', '2.2')}
    """
    pairs = {name: (theirs.get(name, "none"), ours.get(name, "none")) for name in sorted({*theirs, *ours})}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


MAX_DIFFERENCES: Final = 5
"""Differences that a message lists."""


def differences(stored: Mapping[str, JSON], request: Mapping[str, JSON]) -> str:
    """The first differences in words; empty where there is none. The order of the keys counts below the first level.

    >>> differences({"seed": 3, "vary": {"n": [2, 3]}}, {"seed": 3, "vary": {"n": [2, 4]}})
    'vary.n.1 = 3 (asked: 4)'
    """
    keys = sorted({*stored, *request})
    texts = [text for key in keys for text in _below(key, stored.get(key, _nothing), request.get(key, _nothing))]
    more = f" and {len(texts) - MAX_DIFFERENCES} more" if len(texts) > MAX_DIFFERENCES else ""
    return ", ".join(texts[:MAX_DIFFERENCES]) + more


class _Nothing:
    """Stands for a key that is not there."""

    def __repr__(self) -> str:
        return "nothing"


_nothing = _Nothing()


def _below(path: str, stored: JSON | _Nothing, request: JSON | _Nothing) -> Iterator[str]:
    if isinstance(stored, dict) and isinstance(request, dict):
        for key in dict.fromkeys([*stored, *request]):
            yield from _below(f"{path}.{key}", stored.get(key, _nothing), request.get(key, _nothing))
        if list(stored) != list(request) and set(stored) == set(request):
            yield f"the keys of {path} in the order {', '.join(stored)} (asked: {', '.join(request)})"
    elif isinstance(stored, list) and isinstance(request, list) and len(stored) == len(request):
        for place, pair in enumerate(zip(stored, request, strict=True)):
            yield from _below(f"{path}.{place}", *pair)
    elif _nothing in (stored, request) or json.dumps(stored) != json.dumps(request):
        yield f"{path} = {quote(stored)} (asked: {quote(request)})"
