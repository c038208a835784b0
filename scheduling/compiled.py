"""The one door to numba: ``compiled`` makes a kernel of a function, ``plain`` takes the function back out of it.

A kernel checks nothing, runs without the interpreter's lock and is kept on disk (:mod:`.kernel_cache`). Its callers
validate, copy and prove beforehand that no integer overflows (:func:`consortium.scheduling.exact.fits_int64`); where
int64 does not suffice they run the plain function on object arrays of Python integers. Both take named tuples of arrays
and numbers, which group what belongs together.

Modules with kernels are imported by their callers only when a kernel is needed, because importing numba takes a good
part of a second.

>>> from consortium.scheduling.compiled import compiled, plain
>>> @compiled
... def double(x: int) -> int:
...     return 2 * x
>>> double(4), plain(double)(10**30) == 2 * 10**30
(8, True)
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

import numba
import numba.extending
from numpy.typing import NDArray

from .kernel_cache import KernelCache

P = ParamSpec("P")
R = TypeVar("R")

_njit: Any = numba.njit  # its annotations leave out some of its options

Ints: TypeAlias = NDArray[Any]
"""int64, or Python integers in an object array."""


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """``numba.njit``, typed as the function; what is typed at a prompt is not kept on disk."""
    return _kernel(function, nogil=True)


def lean(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel that allocates nothing (numba refuses others), so that no references need to be counted.

    Arrays that come in NamedTuples are otherwise counted at every use, which doubles the time of a short loop.
    """
    return _kernel(function, _nrt=False)


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """A lean kernel that only other kernels call: without the wrappers for Python, which take longest to compile."""
    return cast(Callable[P, R], _njit(_nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function))


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """A piece of one kernel with a name of its own: written out where it is called, so it is compiled only there.

    numba's cache looks at the file of the calling kernel alone: after a change here touch that file.
    """
    return cast(Callable[P, R], _njit(inline="always")(function))


def piece(function: Callable[P, R]) -> Callable[P, R]:
    """A piece of several kernels: compiled with each that calls it; called from Python it is the plain function."""
    return numba.extending.register_jitable(function)


def _kernel(function: Callable[P, R], **options: bool) -> Callable[P, R]:
    kernel = _njit(**options)(function)
    if not function.__code__.co_filename.startswith("<"):
        kernel._cache = KernelCache(cast(FunctionType, function))  # as numba's own enable_caching() does
    return cast(Callable[P, R], kernel)


def plain(kernel: Callable[P, R]) -> Callable[P, R]:
    """The function behind a kernel, run by the interpreter, as are the kernels that it calls (not recursive ones)."""
    function: Any = cast(Any, kernel).py_func
    names = dict(function.__globals__)
    for name in function.__code__.co_names:
        if hasattr(names.get(name), "py_func"):
            names[name] = plain(names[name])
    return cast(Callable[P, R], FunctionType(function.__code__, names, function.__name__, None, function.__closure__))
