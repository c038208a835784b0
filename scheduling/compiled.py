"""One typed door to numba: ``compiled`` is ``numba.njit(cache=True)`` with the signature kept for type checkers.

Modules that use it are kernels: imported by their callers only when a kernel is needed, because importing numba takes
a good part of a second. The plain function stays reachable as ``kernel.py_func``, which also runs on object arrays of
Python integers where int64 does not suffice (:func:`plain`).

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
from typing import Any, ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")

_njit: Any = numba.njit  # its annotations leave out some of its options


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """``numba.njit`` with an on-disk cache, for functions of modules; a function typed at a prompt is not cached."""
    in_a_module = not function.__code__.co_filename.startswith("<")
    return cast(Callable[P, R], numba.njit(cache=in_a_module)(function))


def lean(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel that allocates nothing (numba refuses others), so that no references need to be counted.

    Arrays that come in NamedTuples are otherwise counted at every use, which doubles the time of a short loop.
    """
    return cast(Callable[P, R], _njit(cache=True, _nrt=False)(function))


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """A lean kernel that only other kernels call: without the wrappers for Python, which take longest to compile."""
    return cast(Callable[P, R], _njit(_nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function))


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """A piece of one kernel with a name of its own: written out where it is called, so it is compiled only there.

    numba's cache looks at the file of the calling kernel alone: after a change here touch that file.
    """
    return cast(Callable[P, R], numba.njit(inline="always")(function))


def plain(kernel: Callable[P, R]) -> Callable[P, R]:
    """The function behind a kernel, run by the interpreter, as are the kernels that it calls (not recursive ones)."""
    function: Any = cast(Any, kernel).py_func
    names = dict(function.__globals__)
    for name in function.__code__.co_names:
        if hasattr(names.get(name), "py_func"):
            names[name] = plain(names[name])
    return cast(Callable[P, R], FunctionType(function.__code__, names, function.__name__, None, function.__closure__))
