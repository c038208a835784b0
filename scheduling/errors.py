"""Errors of the package: every one says what is wrong, where, what was found, what was expected and the way out.

All derive from :class:`ConsortiumError` and from the fitting builtin, so ``except ValueError`` keeps working.

>>> from consortium.scheduling.errors import unknown_name
>>> print(unknown_name("rule", "vcg-renise", ["vcg-renice", "harsh"]))
rule: 'vcg-renise' is not known; known: harsh, vcg-renice. Did you mean 'vcg-renice'?
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class ConsortiumError(Exception):
    """Base of every error that the package raises on purpose."""


class InputError(ConsortiumError, ValueError):
    """An argument is out of its range; the message names it, the value found and what was expected."""


class NotKeptError(InputError):
    """An answer could not be written where it was to be kept; ``record`` has it as far as it is known."""

    def __init__(self, message: str, record: object) -> None:
        super().__init__(message)
        self.record = record


class MechanismError(InputError):
    """A mechanism of one's own broke down or answered what makes no sense; the message names it, the call and why."""


class UnknownNameError(ConsortiumError, LookupError):
    """A name (rule, option, agent, scenario) is not known; the message carries the nearest known one."""


class TooLargeError(ConsortiumError, ValueError):
    """The exact answer is out of reach at this size; the message carries the size and the limit."""


class OutOfMemoryError(TooLargeError, MemoryError):
    """The machine has not enough memory; the message carries what was asked, and the estimate where there is one."""


class ExtensionError(ConsortiumError, ImportError):
    """What another installed distribution announces cannot be used; the message names it, its entry point and why."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Closest known name, or ``None`` when nothing is close.

    >>> nearest("makspan", ["makespan", "sum"])
    'makespan'
    >>> nearest("zzz", ["makespan", "sum"]) is None
    True
    """
    close = difflib.get_close_matches(name, list(known), n=1)
    return close[0] if close else None


def unknown_name(where: str, name: str, known: Iterable[str]) -> UnknownNameError:
    """Error for a misspelt name: where it stood, what is known, what is nearest."""
    names = sorted(known)
    near = nearest(name, names)
    hint = f" Did you mean {near!r}?" if near else ""
    return UnknownNameError(f"{where}: {name!r} is not known; known: {', '.join(names)}.{hint}")
