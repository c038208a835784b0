"""Where compiled kernels are kept on disk, so that only the first process compiles them.

numba keeps them in the folder that ``NUMBA_CACHE_DIR`` names, else beside their module, else in the user's cache. Where
none of these takes them (a read-only installation without a home, a full disk), a folder of the user's among the
temporary files does; where that fails too, every process compiles its own. A file that cannot be read back, because it
is empty or was damaged, is compiled anew and replaced. All that is lost is time: nothing here is an error, and nothing
is said about it.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
from numba.core import caching

_config: Any = numba.config  # numba's annotations leave its settings out
_open: Any = caching.FunctionCache


class KernelCache(caching.NullCache):
    """The compiled forms of one function, in the first place that has or takes them; places are opened when needed."""

    def __init__(self, function: FunctionType) -> None:
        self._function = function

    @cached_property
    def _usual(self) -> Any:
        return _opened(self._function)

    @cached_property
    def _spare(self) -> Any:
        folder = spare_folder()
        if folder is None:
            return None
        chosen, _config.CACHE_DIR = _config.CACHE_DIR, str(folder)
        try:
            return _opened(self._function)
        finally:
            _config.CACHE_DIR = chosen

    def _places(self) -> Iterator[Any]:
        for name in ("_usual", "_spare"):
            if (place := getattr(self, name)) is not None:
                yield place

    def load_overload(self, signature: Any, target: Any) -> Any:
        """What numba keeps for a signature, or ``None``."""
        for place in self._places():
            try:
                found = place.load_overload(signature, target)
            except Exception:  # damage makes the reading of a pickle fail in any way
                found = None
                with suppress(Exception):
                    place.flush()  # else saving would stumble over the same file
            if found is not None:
                return found
        return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep what was compiled for a signature, where that can be done."""
        for place in self._places():
            with suppress(Exception):  # a full disk, or a folder that was removed meanwhile
                place.save_overload(signature, compiled)
                return


def _opened(function: FunctionType) -> Any:
    """What numba itself opens for a function, or ``None`` where it finds no folder to write to."""
    try:
        return _open(function)
    except (RuntimeError, OSError):
        return None


@cache
def spare_folder() -> Path | None:
    """A folder among the temporary files, or ``None``. Kernels are code: nobody else may write there."""
    user = os.getuid() if hasattr(os, "getuid") else None
    try:
        folder = Path(tempfile.gettempdir())
        if folder == Path.cwd():  # the last resort of Python's search is not a place for our files
            return None
        folder = folder / ("consortium-kernels" if user is None else f"consortium-kernels-{user}")
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    private = user is None or (found.st_uid == user and not found.st_mode & 0o077)
    return folder if stat.S_ISDIR(found.st_mode) and private else None
