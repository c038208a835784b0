"""What can be wrong with a scenario: one :class:`Problem` each, all reported together.

>>> print(Problem("agents[2].length", -1, "a number > 0"))
agents[2].length: found -1; expected a number > 0
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

from ..support.errors import InputError, join_names, nearest, printable


class _Missing:
    def __repr__(self) -> str:
        return "nothing"


MISSING: Final = _Missing()
"""Stands for a value that is not there."""


@dataclass(frozen=True)
class Words:
    """Words that stand for a found value and are printed as they are: ``found an unknown key``."""

    text: str


UNKNOWN_KEY: Final = Words("an unknown key")


@dataclass(frozen=True)
class BadNumber:
    """Text that stood where TOML allows a number but that is no finite number of bearable size."""

    text: str


def brief(value: object, limit: int = 60) -> str:
    """Text of a found value, short enough for one line and quick for any value."""
    if isinstance(value, Words):
        return value.text
    if isinstance(value, BadNumber):
        text = value.text
    elif isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, int) and abs(value) >= 10**60:
        return f"an integer of about {value.bit_length() * 30103 // 100000 + 1} digits"
    elif isinstance(value, Fraction):
        text = str(value) if value.denominator.bit_length() < 200 else "a fraction with a huge denominator"
    elif isinstance(value, Decimal):
        text = str(value)
    elif isinstance(value, dict):
        text = "a table" if value else "an empty table"
    elif isinstance(value, list | tuple):
        short = len(value) <= 4 and not any(isinstance(v, dict | list) for v in value)
        text = "[" + ", ".join(brief(v, 15) for v in value) + "]" if short else f"a list of {len(value)}"
    elif value is MISSING:
        return "nothing"
    else:
        text = repr(value if not isinstance(value, str) else value[: limit + 1])
    return text if len(text) <= limit else text[: limit - 3] + "..."


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: where (counting from 1), what was found, what was expected, and the nearest name."""

    path: str
    value: object
    expected: str
    near: str | None = None

    def __str__(self) -> str:
        hint = f". Did you mean {self.near!r}?" if self.near else ""
        where = f"{self.path if len(self.path) <= 200 else self.path[:197] + '...'}: " if self.path else ""
        return printable(f"{where}found {brief(self.value)}; expected {self.expected}{hint}")


MOST: Final = 200
"""So many problems are reported of one scenario."""
TOO_MANY: Final = Problem("", Words(f"more than {MOST} problems"), f"none; these are the first {MOST}")


class TooManyError(Exception):
    """There are more problems than are reported."""


class Problems:
    """A collector: readers add to it and go on, so that every problem of a file is seen in one go.

    After :data:`MOST` of them it raises :class:`TooManyError`, which the reader of files catches: nobody reads more,
    and a file of a million mistakes is refused as quickly as any other.
    """

    def __init__(self) -> None:
        self.noted: list[Problem] = []
        self.partial = False
        """Whether blocks have been read without their bad keys: what is said again of such a key follows from that."""

    def add(self, path: str, value: object, expected: str, near: str | None = None) -> None:
        """Note one problem, unless it only follows from one that is noted."""
        if self.partial and any(within(path, each.path) for each in self.noted):
            return
        if len(self.noted) == MOST:
            raise TooManyError
        self.noted.append(Problem(path, value, expected, near))

    def about(self, path: str) -> bool:
        """Whether a problem is noted of what stands at a path, of a part of it or of what it is part of."""
        return any(within(path, each.path) or within(each.path, path) for each in self.noted)

    def unknown(self, path: str, name: str, names: Iterable[str], what: str = "one of") -> None:
        """Note a name that is none of those there are, with the nearest one."""
        self.add(path, name, *one_of(name, names, what))


def one_of(value: object, names: Iterable[str], what: str = "one of") -> tuple[str, str | None]:
    """What is expected where a name is not known, and the name nearest to it.

    >>> one_of("fifa", ["fifo", "ref"])
    ('one of fifo, ref', 'fifo')
    """
    listed = list(names)
    near = nearest(value, listed) if isinstance(value, str) else None
    return f"{what} {join_names(listed)}" if listed else what, near


def within(path: str, whole: str) -> bool:
    """Whether a path is another one, or leads to a part of what stands there."""
    return path.startswith(whole) and path[len(whole) : len(whole) + 1] in ("", ".", "[")


class ScenarioError(InputError):
    """A scenario cannot be used. ``problems`` holds every reason, ``source`` names the file or says 'scenario'."""

    def __init__(self, source: str, problems: Iterable[Problem]) -> None:
        self.source = source
        self.problems = tuple(problems)
        super().__init__("\n".join(f"{source}: {problem}" for problem in self.problems))
