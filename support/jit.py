"""The one door to numba: ``compiled`` makes a kernel of a function, ``plain`` takes the function back out of it.

A kernel checks nothing, runs without the interpreter's lock and is kept on disk (:mod:`.kernel_cache`). Its callers
validate, copy and prove beforehand that no integer overflows (:func:`consortium.support.exact.fits_int64`); where
int64 does not suffice they run the plain function on object arrays of Python integers. Both take named tuples of arrays
and numbers, which group what belongs together.

Nothing is compiled, and numba is not even imported, before a kernel is called from Python for the first time. That
takes seconds where nothing is kept on disk yet, so a caller who knows about how much work a call is asks
:func:`quickest`, which leaves little work to the interpreter: its answers are the same. How much is little depends on
how long the kernel takes to compile, and whether it has been; how much it was is measured, for searches often end long
before they must.

>>> from consortium.support.jit import compiled, plain
>>> @compiled
... def double(x: int) -> int:
...     return 2 * x
>>> double(4), plain(double)(10**30) == 2 * 10**30
(8, True)
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property
from types import FunctionType
from typing import Any, Final, Generic, ParamSpec, TypeAlias, TypeVar, cast

from numpy.typing import NDArray

from .code_names import names_in
from .kernel_places import written_before
from .lazy_imports import numba, prepare_compiling

P = ParamSpec("P")
R = TypeVar("R")

Ints: TypeAlias = NDArray[Any]
"""int64, or Python integers in an object array."""

IMPORTING: Final = 150_000
COMPILING: Final = 250
"""Steps of one kernel that are left to the interpreter, a microsecond each, before numba is imported, and for every
byte of its code before it is compiled: half of what either takes, so that no question waits much longer than it had
to, whichever way its work turns out."""
KEPT: Final = 60_000
"""The same where some process has compiled it: then this one is likely to need it as well."""
LOADED: Final = 10_000
"""The same where numba is imported and the kernel is kept on disk: about as long as it takes to load."""

LINKED: Final[list[str]] = []
"""Names of the kernels that this process has compiled or loaded, so that somebody who takes the time can tell."""


class Kernel(Generic[P, R]):
    """A function and its compiled form.

    Attributes
    ----------
    py_func
        The function.
    steps
        Left to the interpreter so far, see :func:`quickest`.
    thought
        What the callers thought of those that have been taken.
    """

    def __init__(self, function: Callable[P, R], compile: Callable[[FunctionType], Any], python: bool = True) -> None:
        self.py_func = cast(FunctionType, function)
        self.__doc__, self.__name__, self.__module__ = function.__doc__, function.__name__, function.__module__
        self.steps = self.thought = 0
        self._compile, self._python = compile, python

    @cached_property
    def form(self) -> Any:
        """What is called from Python, see :attr:`linked`."""
        LINKED.append(self.__name__)
        return self.linked

    @cached_property
    def linked(self) -> Any:
        """What other kernels call: made once, of the function with what stands for the kernels that it calls."""
        function = _copied(self.py_func)
        made = self._compile(function)
        names = function.__globals__
        names.update({name: made if used is self else used.linked for name, used in _used(self.py_func).items()})
        return made

    @cached_property
    def code(self) -> int:
        """Bytes of its code and of all that it calls: how long compiling takes is about in proportion."""
        found: set[Kernel[..., Any]] = set()
        _gather(self, found)
        return sum(len(kernel.py_func.__code__.co_code) for kernel in found)

    @cached_property
    def perhaps_kept(self) -> bool:
        """Whether an earlier process has compiled it as it is or as it was, told without importing numba."""
        return written_before(self.py_func)

    @cached_property
    def kept(self) -> bool:
        """Whether an earlier process has compiled it, and kept it on disk; to be sure, numba is imported."""
        from .kernel_cache import KernelCache

        found = getattr(self.linked, "_cache", None)
        return isinstance(found, KernelCache) and found.holds_any()

    @cached_property
    def interpreted(self) -> Callable[P, R]:
        """The function, with the kernels that it calls interpreted as well."""
        function = _copied(self.py_func)
        used = _used(self.py_func)
        function.__globals__.update({name: function if k is self else k.interpreted for name, k in used.items()})
        return cast(Callable[P, R], function)

    def small(self, steps: int) -> Callable[P, R]:
        """The function on arrays of int64; numbers come back as Python's, as they do from the compiled form.

        The steps that it is thought to take count until it is called, and from then on those that it takes.
        """
        self.steps += steps
        counted = steps

        def run(*args: P.args, **kwargs: P.kwargs) -> R:
            nonlocal counted
            begin = time.thread_time()
            answer = _numbers(self.interpreted(*args, **kwargs))
            self.steps += int(1e6 * (time.thread_time() - begin)) - counted
            self.thought += counted
            counted = 0
            return cast(R, answer)

        return run

    def likely(self, steps: int) -> int:
        """Steps of a call that is thought to take so many: fewer where others took fewer, but not below a quarter."""
        return max(steps // 4, steps * self.steps // self.thought) if self.steps < self.thought else steps

    def worth_it(self, steps: int) -> bool:
        """Whether so many steps of the interpreter take longer than numba, as far as one can tell before they end."""
        if (LINKED or (steps > KEPT and self.perhaps_kept)) and self.kept:
            return True
        return steps > (0 if LINKED else IMPORTING) + COMPILING * self.code

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the compiled form; of a piece that is none by itself, the function."""
        run = self.form if self._python else self.interpreted
        return cast(R, run(*args, **kwargs))


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """``numba.njit``, typed as the function; what is typed at a prompt is not kept on disk."""
    return Kernel(function, lambda linked: _kept(linked, nogil=True, no_cfunc_wrapper=True))


def lean(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel that allocates nothing (numba refuses others), so that no references need to be counted.

    Arrays that come in NamedTuples are otherwise counted at every use, which doubles the time of a short loop.
    """
    return Kernel(function, lambda linked: _kept(linked, _nrt=False, nogil=True, no_cfunc_wrapper=True))


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """A lean kernel that only other kernels call: without the wrappers for Python, which take longest to compile."""
    return Kernel(
        function, lambda linked: _njit(_nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)(linked), False
    )


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """A piece of one kernel with a name of its own: written out where it is called, so it is compiled only there."""
    return Kernel(function, lambda linked: _njit(inline="always")(linked), False)


def piece(function: Callable[P, R]) -> Callable[P, R]:
    """A piece of several kernels: compiled with each that calls it; called from Python it is the plain function."""
    return Kernel(function, _registered, False)


def plain(kernel: Callable[P, R]) -> Callable[P, R]:
    """The function behind a kernel, run by the interpreter, as are the kernels that it calls."""
    return cast("Kernel[P, R]", kernel).interpreted


def quickest(kernel: Callable[P, R], steps: int) -> Callable[P, R]:
    """The kernel, or its plain function while all that was asked of it takes less than compiling it would.

    Parameters
    ----------
    kernel
        Its arguments are within int64, or it is not compiled for them anyway.
    steps
        About how many times an innermost line of the kernel will run in this call, at most.

    >>> @compiled
    ... def double(x: int) -> int:
    ...     return 2 * x
    >>> quickest(double, 1) is double, quickest(double, 10**9) is double
    (False, True)
    """
    known = cast("Kernel[P, R]", kernel)
    left = known.steps + known.likely(steps)
    if "form" in vars(known) or (left > LOADED and known.worth_it(left)):
        return kernel
    return known.small(steps)


def fitting(kernel: Callable[P, R], int64: bool, steps: int) -> Callable[P, R]:
    """The plain function where int64 does not suffice, else the :func:`quickest` form."""
    return quickest(kernel, steps) if int64 else plain(kernel)


def _numbers(answer: Any) -> Any:
    if type(answer) is tuple:
        return tuple(map(_numbers, answer))
    return answer.item() if hasattr(answer, "item") and not hasattr(answer, "__len__") else answer


def _used(function: FunctionType) -> dict[str, Kernel[..., Any]]:
    """The kernels that a function calls by name, those inside its own functions included."""
    names = {name: function.__globals__.get(name) for name in names_in(function.__code__)}
    return {name: value for name, value in names.items() if isinstance(value, Kernel)}


def _gather(kernel: Kernel[..., Any], found: set[Kernel[..., Any]]) -> None:
    """A kernel and all that it calls."""
    if kernel not in found:
        found.add(kernel)
        for used in _used(kernel.py_func).values():
            _gather(used, found)


def _copied(function: FunctionType) -> FunctionType:
    """The same function with names of its own, in which others can stand for those it was written with."""
    copy = FunctionType(
        function.__code__, dict(function.__globals__), function.__name__, function.__defaults__, function.__closure__
    )
    copy.__qualname__, copy.__module__ = function.__qualname__, function.__module__
    return copy


def _njit(**options: Any) -> Any:
    return numba().njit(**options)


def _kept(function: FunctionType, **options: bool) -> Any:
    kernel = _njit(**options)(function)
    if function.__code__.co_filename.startswith("<"):
        prepare_compiling()
        return kernel
    from .kernel_cache import KernelCache

    kernel._cache = KernelCache(function)  # as numba's own enable_caching() does
    return kernel


def _registered(function: FunctionType) -> Any:
    return numba().extending.register_jitable(function)
