"""Calling what a user wrote: whatever goes wrong inside is told with the call, the place and the input."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

from ..scheduling.errors import ConsortiumError, MechanismError


def call(function: Callable[..., Any], name: str, **arguments: object) -> Any:
    """Call a mechanism of one's own; an error of Python's becomes a MechanismError that says on what and where.

    Errors of the package pass: they say themselves what is wrong, or refuse an input on purpose.

    >>> call(lambda lengths: lengths[2], "Mine.run", lengths=(1, 2))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    consortium.scheduling.errors.MechanismError: Mine.run(lengths) failed with IndexError: tuple index out of range ...
    """
    try:
        return function(*arguments.values())
    except ConsortiumError:
        raise
    except Exception as error:
        on = ", ".join(f"{key} = {_shown(value)}" for key, value in arguments.items())
        *_, place = traceback.extract_tb(error.__traceback__)
        where = "" if place.filename == __file__ else f" (line {place.lineno} of {place.filename})"
        raise MechanismError(
            f"{name}({', '.join(arguments)}) failed with {type(error).__name__}: {error}{where}, on {on}"
        ) from error


def _shown(value: object) -> str:
    """Numbers as they are written: ``(1, 3/2)``."""
    return f"({', '.join(map(str, value))})" if type(value) is tuple else str(value)
