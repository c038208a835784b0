"""Files that shall be written: the door that refuses, before any work is done, a path that cannot be.

Asking first costs nothing, and an answer of an hour is not lost to a misspelt folder. What goes wrong later (a disk
that is full by then) is still told by who writes.

>>> check_destination("no-such-folder/anarchy.svg", "figure")
Traceback (most recent call last):
    ...
consortium.support.errors.InputError: figure no-such-folder/anarchy.svg: cannot be written (no folder no-such-folder)
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from .errors import InputError, quote


def check_destination(path: object, what: str, endings: Sequence[str] = (), *, folder: bool = False) -> None:
    """Raise InputError unless a file can be written there.

    Parameters
    ----------
    path
        Where; anything that is no path is refused in a sentence too.
    what
        What shall be written, or the option that says where: ``"figure"``, ``"--output"``.
    endings
        Those that the name may have, in lower case with their dot; none: any.
    folder
        Whether it is a folder that files are written into; it is made where there is none.
    """
    if not isinstance(path, str | os.PathLike) or not os.fspath(path):
        raise InputError(f"{what}: found {quote(path)}; expected the path of a {'folder' if folder else 'file'}")
    text = os.fsdecode(path)
    if endings and not text.lower().endswith(tuple(endings)):
        *others, last = endings
        known = f"{', '.join(others)} or {last}" if others else last
        raise InputError(f"{what} {text}: expected a file name that ends in {known}")
    why = unwritable(text, folder=folder)
    if why is not None:
        raise InputError(f"{what} {text}: cannot be written ({why})")


def unwritable(path: str, *, folder: bool = False) -> str | None:
    """Why a file (or files in a folder) cannot be written there; ``None`` where nothing is seen to be in the way.

    >>> unwritable("."), unwritable("results.csv"), unwritable("new/results", folder=True)
    ('it is a folder', None, None)
    """
    place = Path(path)
    try:
        with suppress(FileNotFoundError):
            os.stat(path)  # unlike what follows, it says what is wrong with a name that no file system takes
        if place.is_dir() and not folder:
            return "it is a folder"
        if place.exists() and not place.is_dir() and folder:
            return "it is no folder"
        if place.exists():
            return None if os.access(place, os.W_OK) else "permission denied"
        parent = next(above for above in place.parents if above.exists()) if folder else place.parent
        if not parent.is_dir():
            return f"no folder {parent}"
        return None if os.access(parent, os.W_OK | os.X_OK) else f"permission denied in {parent}"
    except (OSError, ValueError) as error:
        return getattr(error, "strerror", None) or str(error)
