"""Where compiled kernels are kept on disk, so that only the first process compiles them.

numba keeps them in the folder that ``NUMBA_CACHE_DIR`` names, else beside their module, else in the user's cache. Where
none of these takes them (a read-only installation without a home, a full disk), a folder of the user's among the
temporary files does; where that fails too, every process compiles its own. A file that cannot be read back, because it
is empty or was damaged, is compiled anew and replaced. All that is lost is time: nothing here is an error, and nothing
is said about it.

What is kept holds for the texts that it was made of. numba looks at the file of the kernel alone, but the kernels and
pieces that it calls are compiled into it, wherever they stand: the :func:`digest` of all of them is looked at as well.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from types import FunctionType
from typing import Any, Final

import numba
import numpy as np
from numba.core import caching
from numba.core.runtime.nrt import rtsys

from .code_names import names_in
from .kernel_places import spare_folder
from .lazy_imports import prepare_compiling

_config: Any = numba.config  # numba's annotations leave its settings out
_open: Any = caching.FunctionCache
_WORD: Final = re.compile(r"[A-Za-z_]\w*")


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

    def holds_any(self) -> bool:
        """Whether something is kept for the function as it is now, for whichever signature."""
        with suppress(Exception):  # damage, which is mended when something is loaded
            return any(place._cache_file._load_index() for place in self._places())
        return False

    def load_overload(self, signature: Any, target: Any) -> Any:
        """What numba keeps for a signature, or ``None``.

        numba's own way in takes in all that it can compile before it looks, for longer than many an answer takes. What
        is compiled already needs the runtime alone.
        """
        rtsys.initialize(target)
        for place in self._places():
            try:
                found = place._load_overload(signature, target)
            except Exception:  # damage makes the reading of a pickle fail in any way
                found = None
                with suppress(Exception):
                    place.flush()  # else saving would stumble over the same file
            if found is not None:
                return found
        prepare_compiling()
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
        opened = _open(function)
    except (RuntimeError, OSError):
        return None
    kept = opened._cache_file
    kept._source_stamp = (kept._source_stamp, digest(function))
    return opened


def digest(function: FunctionType) -> str:
    """Of all that is compiled with a function: the files of what it calls and of its named tuples, and its constants.

    Constants count by their values, which may come from any file; code that stands in no file counts by itself.
    """
    found = _Sources()
    found.add(function)
    whole = hashlib.sha256(repr(found.values).encode())
    for file in sorted(found.files):
        whole.update(hashed(file))
    return whole.hexdigest()


class _Sources:
    """Where the code comes from that functions, and those that they call, are compiled from."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.values: list[tuple[str, object]] = []
        self._seen: set[object] = set()

    def add(self, function: FunctionType) -> None:
        """A function of Python's, which may have been linked already."""
        code = function.__code__
        if code not in self._seen:
            self._seen.add(code)
            if hashed(code.co_filename):
                self.files.add(code.co_filename)
            else:
                self.values.append((function.__name__, code.co_code))
            self._names(names_in(code) | _words(function), function.__globals__)

    def _names(self, names: set[str], namespace: Mapping[str, Any]) -> None:
        for name in sorted(names & namespace.keys()):
            value = namespace[name]
            used = getattr(value, "py_func", value)  # of numba's dispatcher
            if isinstance(used, FunctionType):
                self.add(used)
            elif isinstance(value, type) and hasattr(value, "_fields"):
                self._named_tuple(value)
            elif isinstance(value, np.ndarray):
                self.values.append((name, (value.dtype.str, value.shape, value.tobytes())))
            elif isinstance(value, int | float | str | tuple):
                self.values.append((name, value))

    def _named_tuple(self, kind: type) -> None:
        module = sys.modules.get(kind.__module__)
        if kind not in self._seen and module is not None:
            self._seen.add(kind)
            self.files.add(getattr(module, "__file__", None) or "")
            self._names(_words(kind), vars(module))


def _words(annotated: Any) -> set[str]:
    """The names in annotations."""
    return {word for text in annotated.__annotations__.values() for word in _WORD.findall(str(text))}


@cache
def hashed(file: str) -> bytes:
    """A digest of a file's content; nothing for what is none, such as a prompt."""
    try:
        return hashlib.sha256(Path(file).read_bytes()).digest()
    except OSError:
        return b""
