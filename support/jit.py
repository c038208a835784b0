"""The one door to numba: :func:`jit` makes a kernel of a function, :func:`plain` takes the function back out of it.

A kernel checks nothing and runs without the interpreter's lock. Its callers validate, copy and prove beforehand that no
integer overflows (:func:`consortium.support.exact.fits_int64`); where int64 does not suffice they run the plain
function on object arrays of Python integers. Both take named tuples of arrays and numbers, which group what belongs
together.

Nothing is compiled, and numba is not even imported, before a kernel is called from Python for the first time. Compiling
takes seconds, so a caller who knows how much work a call is asks :func:`quickest`, which leaves the small ones to
the interpreter: the answers are the same. The threshold is one number for all kernels, a fifth of it where one is on
disk; to predict from its code how long one takes to compile was measured, and is no faster.

numba keeps what it compiled on disk: in the folder that ``NUMBA_CACHE_DIR`` names, else beside the module, else in the
user's cache. Where none of these can be written or read, every process compiles its own.

>>> from consortium.support.jit import jit, plain
>>> @jit
... def double(x: int) -> int:
...     return 2 * x
>>> double(4), plain(double)(10**30) == 2 * 10**30
(8, True)
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final, Generic, ParamSpec, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from .loading import load

P = ParamSpec("P")
R = TypeVar("R")

Ints: TypeAlias = NDArray[Any]
"""int64, or Python integers in an object array."""

INTERPRETED: Final = 1_000_000
"""Steps of one call that are left to the interpreter, about a microsecond each: as long as numba takes to compile.
Small calls may take five times as many together."""
LOADED: Final = 5
"""So many times fewer steps, of one call or all together, are left to the interpreter where the kernel is on disk."""

COMPILED: Final[list[str]] = []
"""Names of the kernels that this process has compiled or loaded, so that somebody who takes the time can tell."""

_WORD: Final = re.compile(r"[A-Za-z_]\w*")


class Kernel(Generic[P, R]):
    """A function with its compiled form and its form for the interpreter; in either, with the kernels that it calls.

    Attributes
    ----------
    py_func
        The function.
    steps
        Of small calls so far, see :func:`quickest`.
    """

    def __init__(self, function: Callable[P, R], **options: bool) -> None:
        self.py_func, self.steps, self._options = cast(FunctionType, function), 0, options
        self.__doc__, self.__name__, self.__module__ = function.__doc__, function.__name__, function.__module__

    @cached_property
    def compiled(self) -> Any:
        """Numba's dispatcher, kept on disk unless the function was typed at a prompt."""
        COMPILED.append(self.__name__)
        return self._linked(lambda kernel: kernel._piece(**self._options), self._kept)

    @cached_property
    def interpreted(self) -> Callable[P, R]:
        """The function, with the kernels that it calls interpreted as well."""
        return cast(Callable[P, R], self._linked(lambda kernel: kernel.interpreted, lambda function: function))

    def small(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Interpret on arrays of int64; numbers come back as Python's, as they do from the compiled form."""
        return cast(R, _numbers(self.interpreted(*args, **kwargs)))

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the compiled form."""
        try:
            return cast(R, self.compiled(*args, **kwargs))
        except (OSError, EOFError, pickle.UnpicklingError):  # of the cache: a full disk, a damaged file
            self.compiled = _njit(self.compiled.py_func, **self._options)
            return cast(R, self.compiled(*args, **kwargs))

    @cached_property
    def digest(self) -> str:
        """Of all that is compiled."""
        return _digest(self.py_func)

    @cached_property
    def on_disk(self) -> bool:
        """Whether an earlier process has left the compiled form where numba keeps it: its folder, or the module's."""
        folder, files = os.environ.get("NUMBA_CACHE_DIR"), f"*{self.digest}*.nbi"
        sibling = Path(self.py_func.__code__.co_filename).parent / "__pycache__"
        return any(Path(folder).rglob(files) if folder else sibling.glob(files))

    def _kept(self, function: FunctionType) -> Any:
        function.__qualname__ += f"-{self.digest}"  # of which numba makes the names of its files
        try:
            return _njit(function, **self._options, cache=not function.__code__.co_filename.startswith("<"))
        except RuntimeError:  # there is no folder that it could write to
            return _njit(function, **self._options)

    @cache  # noqa: B019  # kernels live as long as their module
    def _piece(self, **options: bool) -> Any:
        """What a kernel with the same options calls, which is kept on disk as a part of it."""
        return self._linked(
            lambda kernel: kernel._piece(**options), lambda copy: _njit(copy, no_cpython_wrapper=True, **options)
        )

    def _linked(self, form: Callable[[Kernel[..., Any]], Any], make: Callable[[FunctionType], Any]) -> Any:
        """What is made of the function, with a form of each kernel that it calls in the place of the kernel."""
        function = self.py_func
        names = dict(function.__globals__)
        for name in _names(function.__code__):
            if isinstance(used := names.get(name), Kernel) and used is not self:
                names[name] = form(used)
        copy = FunctionType(function.__code__, names, self.__name__, function.__defaults__, function.__closure__)
        copy.__qualname__, copy.__module__ = function.__qualname__, function.__module__
        made = names[self.__name__] = make(copy)
        return made


def jit(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel of a function, typed as the function; kernels call each other by name."""
    return Kernel(function)


def lean(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel in which nothing is allocated (numba refuses it otherwise), so that no references need to be counted.

    Arrays that come in named tuples are otherwise counted at every use, which doubles the time of a short loop.
    """
    return Kernel(function, _nrt=False)


def plain(kernel: Callable[P, R]) -> Callable[P, R]:
    """The function behind a kernel, run by the interpreter, as are the kernels that it calls."""
    return cast("Kernel[P, R]", kernel).interpreted


def quickest(kernel: Callable[P, R], steps: int) -> Callable[P, R]:
    """The kernel where a call, or small ones together, take as long as compiling it; else its plain function.

    Parameters
    ----------
    kernel
        Its arguments are within int64.
    steps
        About how many times an innermost line of the kernel will run in this call, at most.

    >>> @jit
    ... def double(x: int) -> int:
    ...     return 2 * x
    >>> quickest(double, 1)(4), quickest(double, 1) is double, quickest(double, 10**9) is double
    (8, False, True)
    """
    typed = cast("Kernel[P, R]", kernel)
    typed.steps += steps
    return kernel if compiles(typed, steps) else typed.small


def compiles(kernel: Kernel[..., Any], steps: int, weight: int = 1) -> bool:
    """Whether a call of so many steps is worth compiling, so many thresholds long, or loading, or it has been done."""
    if "compiled" in vars(kernel):
        return True
    longest = max(steps, kernel.steps // 5)
    return longest > weight * INTERPRETED or (longest > INTERPRETED // LOADED and kernel.on_disk)


def fitting(kernel: Callable[P, R], int64: bool, steps: int) -> Callable[P, R]:
    """The plain function where int64 does not suffice, else the :func:`quickest` form."""
    return quickest(kernel, steps) if int64 else plain(kernel)


def _njit(function: FunctionType, **options: bool) -> Any:
    njit: Any = load("numba:njit")  # its annotations leave out some of its options
    return njit(nogil=True, no_cfunc_wrapper=True, **options)(function)


def _numbers(answer: Any) -> Any:
    if type(answer) is tuple:
        return tuple(map(_numbers, answer))
    return answer.item() if hasattr(answer, "item") and not hasattr(answer, "__len__") else answer


def _names(code: CodeType) -> set[str]:
    """Global names and attributes that code looks up, those of functions inside it included."""
    inside = [part for part in code.co_consts if isinstance(part, CodeType)]
    return set(code.co_names).union(*map(_names, inside))


def _digest(function: FunctionType) -> str:
    """Of all that is compiled with a function: files of the kernels and named tuples that it uses, and constants.

    numba looks at the file of the function alone, so a change in another one would leave old code in its cache.
    """
    files, constants, seen, waiting = set[str](), list[tuple[str, str]](), set[object](), list[Any]([function])
    while waiting:
        one = waiting.pop()
        module = sys.modules.get(one.__module__)
        if one in seen or (module is None and isinstance(one, type)):
            continue
        seen.add(one)
        if isinstance(one, type):  # a named tuple
            names, namespace, file = _words(one), vars(module), getattr(module, "__file__", None) or ""
        else:
            names, namespace, file = _names(one.__code__) | _words(one), one.__globals__, one.__code__.co_filename
        files.add(file)
        for name in names & namespace.keys():
            value = namespace[name]
            if isinstance(value, Kernel):
                waiting.append(value.py_func)
            elif isinstance(value, type) and hasattr(value, "_fields"):
                waiting.append(value)
            elif isinstance(value, np.ndarray):
                constants.append((name, f"{value.dtype} {value.tolist()}"))
            elif isinstance(value, int | float | str | tuple):
                constants.append((name, repr(value)))
    whole = hashlib.sha256(repr(sorted(constants)).encode())
    for path in sorted(files):
        with suppress(OSError):  # a prompt is no file
            whole.update(Path(path).read_bytes())
    return whole.hexdigest()[:16]


def _words(annotated: Any) -> set[str]:
    """The names in annotations."""
    return {word for text in annotated.__annotations__.values() for word in _WORD.findall(str(text))}


# numba knows ``target[:] = source`` and ``min`` too, but compiles them in 3 and 0.6 s where these take 0.1 s: it writes
# out an error message that names both shapes, and an error for what is empty


@jit
def overwrite(target: Ints, source: Ints) -> None:
    """``target[:] = source`` in one dimension; what ``target`` has beyond the length of ``source`` stays."""
    for place in range(source.size):
        target[place] = source[place]


@jit
def least(values: Ints) -> int:
    """Smallest of at least one number."""
    smallest: int = values[0]
    for value in values:
        smallest = min(smallest, value)
    return smallest
