"""Where numba may have kept a kernel, told without numba, whose import takes longer than many an answer.

>>> written_before(lambda x: x)  # what has no file is not kept
False
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from functools import cache
from pathlib import Path
from types import FunctionType


def written_before(function: FunctionType) -> bool:
    """Whether some process has kept a compiled form of the function, which need not be up to date.

    Only the names of files are looked at, where numba puts them and where we do; what it finds in the end is its own
    business.
    """
    code = function.__code__
    file = Path(code.co_filename)
    version = f"py{sys.version_info.major}{sys.version_info.minor}{getattr(sys, 'abiflags', '')}"
    name = f"{file.stem}.{function.__qualname__}-{code.co_firstlineno}.{version}.nbi"
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    try:
        if not chosen and (file.parent / "__pycache__" / name).exists():
            return True
        folders = [_spare(), *([Path(chosen)] if chosen else _caches())]
        return any((inside / name).exists() for folder in folders if folder.is_dir() for inside in folder.iterdir())
    except OSError:
        return False


def _caches() -> list[Path]:
    """Where a user's caches may be; each has a folder for every folder of modules."""
    home = Path(os.path.expanduser("~"))
    return [Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "numba", home / "Library" / "Caches" / "numba"]


def _spare() -> Path:
    """Among the temporary files, with the user's number."""
    return Path(tempfile.gettempdir()) / f"consortium-kernels{'' if (user := _user()) is None else f'-{user}'}"


def _user() -> int | None:
    return os.getuid() if hasattr(os, "getuid") else None


@cache
def spare_folder() -> Path | None:
    """A folder among the temporary files, or ``None``. Kernels are code: nobody else may write there."""
    user = _user()
    try:
        folder = _spare()
        if folder.parent == Path.cwd():  # the last resort of Python's search is not a place for our files
            return None
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    private = user is None or (found.st_uid == user and not found.st_mode & 0o077)
    return folder if stat.S_ISDIR(found.st_mode) and private else None
