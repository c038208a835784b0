"""Errors of the package: every one says what is wrong, where, what was found, what was expected and the way out.

All derive from :class:`ConsortiumError` and from the fitting builtin, so ``except ValueError`` keeps working.

>>> from consortium.support.errors import unknown_name
>>> print(unknown_name("rule", "vcg-renise", ["vcg-renice", "harsh"]))
rule: 'vcg-renise' is not known; known: harsh, vcg-renice. Did you mean 'vcg-renice'?
"""

from __future__ import annotations

import difflib
import itertools
import linecache
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

_NAME: Final = 200
"""Characters that are shown of a name; one with more is near to none."""
_COMPARED: Final = 300
"""So many names are compared at most."""
_LISTED: Final = 200
"""So many names are listed at most."""


class ConsortiumError(Exception):
    """Base of every error that the package raises on purpose. Its text can be shown: control characters are escaped."""

    def __str__(self) -> str:
        return printable(super().__str__())


class InputError(ConsortiumError, ValueError):
    """An argument is out of its range; the message names it, the value found and what was expected."""


class NotKeptError(InputError):
    """An answer could not be written where it was to be kept; ``record`` has it as far as it is known."""

    def __init__(self, message: str, record: object) -> None:
        super().__init__(message)
        self.record = record


class MechanismError(InputError):
    """A mechanism of one's own broke down or answered what makes no sense; the message names it, the call and why."""


class ContradictionError(ConsortiumError, AssertionError):
    """A checker refutes what a solver found: it is wrong, or a game's ``costs()`` do not always answer the same."""


class UnknownNameError(ConsortiumError, LookupError):
    """A name (rule, option, agent, scenario) is not known; the message carries the nearest known one."""


class TooLargeError(ConsortiumError, ValueError):
    """The exact answer is out of reach at this size; the message carries the size and the limit."""


class OutOfMemoryError(TooLargeError, MemoryError):
    """The machine has not enough memory; the message carries what was asked, and the estimate where there is one."""


class ExtensionError(ConsortiumError, ImportError):
    """What another installed distribution announces cannot be used; the message names it, its entry point and why."""


class ExtensionWarning(UserWarning):
    """What another installed distribution announces is left out; the message is that of the error that using it has."""


@contextmanager
def whole_record(
    where: str, thing: str = "record", expected: str = "a record as --json printed it, by this version"
) -> Iterator[None]:
    """A block in which whatever is wrong with a record from a file is an InputError of that file."""
    try:
        yield
    except ConsortiumError:
        raise
    except Exception as error:
        raise InputError(f"{where}: found no whole {thing} ({described(error):.100}); expected {expected}") from None


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """Closest known name, or ``None`` when nothing is close.

    Quick for any names: none is close to one of more than 200 characters, and of more than 300 known ones only those
    are looked at that begin or end alike.

    >>> nearest("makspan", ["makespan", "sum"])
    'makespan'
    >>> nearest("zzz", ["makespan", "sum"]) is None
    True
    """
    names = list(candidates)
    if len(name) > _NAME:
        return None
    if len(names) > _COMPARED:
        alike = (each for each in names if each[:3] == name[:3] or each[-3:] == name[-3:])
        names = list(itertools.islice(alike, _COMPARED))
    close = difflib.get_close_matches(name, names, n=1)
    return close[0] if close else None


def join_names(names: Sequence[str]) -> str:
    """Names between commas, of very many the first.

    >>> join_names(["a", "b"]), join_names([str(i) for i in range(300)])[-21:]
    ('a, b', '198, 199 and 100 more')
    """
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more:,} more" if more > 0 else "")


def printable(text: str) -> str:
    r"""The text as a terminal may show it: control characters and what no encoding has are escaped.

    >>> printable("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    return text if text.isprintable() else "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)


def quote(value: object) -> str:
    """``repr`` of any value that was found, short enough for a line.

    >>> quote("ann"), quote(10**5000)
    ("'ann'", 'an int')
    """
    try:
        text = repr(value[:_NAME] if isinstance(value, str) else value)
    except Exception:  # an integer with more digits than Python prints, an object that cannot say what it is
        name = type(value).__name__
        return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
    text = " ".join(text.split("\n"))
    return text if len(text) <= _NAME else text[: _NAME - 3] + "..."


def described(error: BaseException) -> str:
    """The type of an error, and what it says if it says anything.

    >>> described(ValueError("too long")), described(AssertionError())
    ('ValueError: too long', 'AssertionError')
    """
    try:
        text = str(error)
    except Exception:  # somebody's own, whose text fails as well
        text = ""
    return ": ".join(filter(None, (type(error).__name__, text)))


def source_line(file: str, line: int) -> str:
    """A line of somebody's code, as ``FILE:LINE: code``; a file below the current folder by its name from there."""
    near = os.path.relpath(file) if os.path.isabs(file) else file
    text = linecache.getline(file, line).strip()
    return f"{file if near.startswith(os.pardir) else near}:{line}" + (f": {text}" if text else "")


def missing(label: str, about: str) -> str:
    """What is said where something has to be given and was not: what it is called, and what it means.

    >>> missing("option --claim", "Promise to break.")
    'Missing option --claim: promise to break.'
    """
    return f"Missing {label}: {about[:1].lower() if about[1:2].islower() else about[:1]}{about[1:]}"


def unknown_name(where: str, name: object, candidates: Iterable[str]) -> UnknownNameError:
    """Error for a misspelt name: where it stood, what is known, what is nearest."""
    names = sorted(candidates)
    near = nearest(name, names) if isinstance(name, str) else None
    hint = f" Did you mean {near!r}?" if near else ""
    known_ones = f"known: {join_names(names)}." if names else "there is none."
    return UnknownNameError(f"{where}: {quote(name)} is not known; {known_ones}{hint}")


def check_name(where: str, name: object, candidates: Collection[str]) -> None:
    """Raise UnknownNameError, as :func:`unknown_name` makes it, unless the name is a candidate."""
    if name not in candidates:
        raise unknown_name(where, name, candidates)
