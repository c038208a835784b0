"""The one door to numba: ``compiled`` makes a kernel of a function, ``plain`` takes the function back out of it.

A kernel checks nothing, runs without the interpreter's lock and is kept on disk next to its module; where nothing can
be written it is compiled in every process. Its callers validate, copy and prove beforehand that no integer overflows
(:func:`consortium.scheduling.exact.fits_int64`); where int64 does not suffice they run the plain function on object
arrays of Python integers. Both take named tuples of arrays and numbers, which group what belongs together.

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
import numpy as np
from numpy.typing import NDArray

P = ParamSpec("P")
R = TypeVar("R")

Ints: TypeAlias = NDArray[Any]
"""int64, or Python integers in an object array."""
Bools: TypeAlias = NDArray[np.bool_]


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """``numba.njit``, typed as the function; what is typed at a prompt is not kept on disk."""
    kept = not function.__code__.co_filename.startswith("<")
    try:
        kernel = numba.njit(nogil=True, cache=kept)(function)
    except RuntimeError:  # neither beside the module nor in the user's cache can anything be written
        kernel = numba.njit(nogil=True)(function)
    return cast(Callable[P, R], kernel)


def plain(kernel: Callable[P, R]) -> Callable[P, R]:
    """The function behind a kernel, run by the interpreter, as are the kernels that it calls (not recursive ones)."""
    function: Any = cast(Any, kernel).py_func
    names = dict(function.__globals__)
    for name in function.__code__.co_names:
        if hasattr(names.get(name), "py_func"):
            names[name] = plain(names[name])
    return cast(Callable[P, R], FunctionType(function.__code__, names, function.__name__, None, function.__closure__))
