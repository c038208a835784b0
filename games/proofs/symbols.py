r"""Numbers that stand for many: linear forms in the lengths and declarations of everybody.

Model: the symbols are ``x_1, ..., x_k``; a :class:`Form` is ``(a_0 + a_1 x_1 + ... + a_k x_k) / d`` with integers ``a``
and ``d > 0``. Forms add, subtract, and are multiplied and divided by constants, exactly. Where a form is compared with
another one, an *oracle* says how the comparison comes out, and remembers it: so code that was written for numbers runs
on symbols unchanged, and what it did holds for all numbers for which the comparisons come out alike. A form without
symbols is a plain :class:`~fractions.Fraction` again.

Comparisons are asked as one kind of question, "is this form below zero?": ``a == b`` is that neither difference is.
A choice among many (:func:`...support.exact.first_least`) is asked as another one, "which is the least, the first of
equals?": where the first is the answer all differences have one sign, so that the numbers meant are convex again.

Not piecewise linear, and refused with the place: products of forms (unless all symbols are the powers of one number), a
division by one, digits (``int()``, ``round()``,
``//``, ``%``, ``.numerator``), floats. So is what would answer without asking the oracle:

* hashes. A set, a dict or a cache compares only what has the same hash, so ``b in {1, 2}`` would be False everywhere,
  and a cache would hand on what was found under other answers. ``b in (1, 2)`` compares, and is taken.
* text, except in a ``raise`` statement: an error may show the number, nothing may depend on how it is written.

Code may catch a refusal, but not undo it: :func:`symbolic_fractions` raises it again at the end.

>>> from fractions import Fraction
>>> class Always:
...     def negative(self, form):
...         return False
...     def read(self):
...         return False
>>> x, y = symbols(("x", "y"), Always())
>>> 2 * x - y + Fraction(1, 2)
<1/2 + 2*x - y>
>>> (x + 1) - x
Fraction(1, 1)
>>> max(x, y) is x
True
"""

from __future__ import annotations

import dis
import gc
import math
import numbers
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from operator import add, sub
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final, NoReturn, Protocol

from ...support.errors import InputError, MechanismError, source_line
from ...support.exact import Symbolic

Vector = tuple[int, ...]
"""Coefficients of a form: of the constant first, then of every symbol."""


class Oracle(Protocol):
    """Whoever answers comparisons.

    With an attribute ``powers`` that is true the symbols are the powers of one number, and forms may be multiplied.
    """

    def negative(self, form: Form) -> bool:
        """Whether the form is below zero."""

    def least(self, forms: Sequence[Vector]) -> int:
        """Which of these forms is the least, the first of equals."""

    def read(self) -> bool:
        """Note that the text of a form was asked for; whether something may depend on it."""


class NotPiecewiseLinear(MechanismError):
    """Code did with a symbol what is not piecewise linear."""


class Form(Symbolic):
    """A linear form; see the module. ``top``: integer coefficients, the constant's first; ``bottom`` > 0."""

    __slots__ = ("bottom", "names", "oracle", "top")

    top: Vector
    bottom: int
    names: tuple[str, ...]
    oracle: Oracle

    def __new__(cls, top: Vector, bottom: int, names: tuple[str, ...], oracle: Oracle) -> Form:
        """A form as it stands; :func:`symbols` makes the first ones."""
        self = object.__new__(cls)
        self.top, self.bottom, self.names, self.oracle = top, bottom, names, oracle
        return self

    # arithmetic -----------------------------------------------------------------------------------------------------

    def _like(self, top: Vector, bottom: int) -> Fraction:
        if not any(top[1:]):
            return Fraction(top[0], bottom)
        return Form(top, bottom, self.names, self.oracle)

    def _plus(self, other: Any, sign: int) -> Any:
        if type(other) is Form:
            if other.oracle is not self.oracle:
                refuse_kept()
            if other.bottom == self.bottom:
                return self._like(tuple(map(add if sign > 0 else sub, self.top, other.top)), self.bottom)
            bottom = math.lcm(self.bottom, other.bottom)
            p, q = bottom // self.bottom, sign * (bottom // other.bottom)
            return self._like(tuple([p * a + q * b for a, b in zip(self.top, other.top, strict=True)]), bottom)
        ratio = _ratio(other)
        if ratio is None:
            return sign * other if isinstance(other, float) and math.isinf(other) else _refuse_operand(other)
        bottom = math.lcm(self.bottom, ratio[1])
        p = bottom // self.bottom
        first, *slopes = self.top
        top = (p * first + sign * (bottom // ratio[1]) * ratio[0], *([p * a for a in slopes] if p != 1 else slopes))
        return Form(top, bottom, self.names, self.oracle)

    def __add__(self, other: Any) -> Any:
        return self._plus(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._plus(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return (-self)._plus(other, 1)

    def __neg__(self) -> Form:
        return Form(tuple([-a for a in self.top]), self.bottom, self.names, self.oracle)

    def __pos__(self) -> Form:
        return self

    def __abs__(self) -> Form:
        return -self if self.oracle.negative(self) else self

    def _times(self, top: int, bottom: int) -> Fraction:
        if bottom < 0:
            top, bottom = -top, -bottom
        if top == 0:
            return Fraction(0)
        common = math.gcd(top, self.bottom)
        top, below = top // common, self.bottom // common
        top_scaled = [top * a for a in self.top]
        if bottom != 1:
            shared = math.gcd(bottom, *top_scaled)
            top_scaled, bottom = [a // shared for a in top_scaled], bottom // shared
        return Form(tuple(top_scaled), below * bottom, self.names, self.oracle)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Symbolic):
            return self._product(other)
        ratio = _ratio(other)
        if ratio is None:
            if isinstance(other, float) and math.isinf(other):
                return -other if self < 0 else other if self > 0 else math.nan
            return _refuse_operand(other)
        return self._times(*ratio)

    __rmul__ = __mul__

    def _product(self, other: Symbolic) -> Fraction:
        """The product of two forms in the powers of one number, as far as there are powers."""
        if type(other) is not Form or not self._has_powers:
            refuse("a product of two symbolic numbers")
        if other.oracle is not self.oracle:
            refuse_kept()
        top = [0] * (2 * len(self.top) - 1)
        for i, a in enumerate(self.top):
            for j, b in enumerate(other.top):
                top[i + j] += a * b
        if any(top[len(self.top) :]):
            refuse(f"a power of a symbolic number above {len(self.names)}")
        return self._like(tuple(top[: len(self.top)]), self.bottom * other.bottom)

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Symbolic):
            refuse("a division by a symbolic number")
        ratio = _ratio(other)
        if ratio is None:
            return Fraction(0) if isinstance(other, float) and math.isinf(other) else _refuse_operand(other)
        if ratio[0] == 0:
            raise ZeroDivisionError("division of a symbolic number by zero")
        return self._times(ratio[1], ratio[0])

    def __rtruediv__(self, other: Any) -> NoReturn:
        refuse("a division by a symbolic number")

    @property
    def _has_powers(self) -> bool:
        return getattr(self.oracle, "powers", False)

    # comparisons ----------------------------------------------------------------------------------------------------

    def __lt__(self, other: Any) -> Any:
        difference = self._plus(other, -1)
        return difference if difference is NotImplemented else _negative(difference)

    def __gt__(self, other: Any) -> Any:
        difference = self._plus(other, -1)
        return difference if difference is NotImplemented else _negative(-difference)

    def __le__(self, other: Any) -> Any:
        difference = self._plus(other, -1)
        return difference if difference is NotImplemented else not _negative(-difference)

    def __ge__(self, other: Any) -> Any:
        difference = self._plus(other, -1)
        return difference if difference is NotImplemented else not _negative(difference)

    def __eq__(self, other: object) -> Any:
        difference = self._plus(other, -1)
        if difference is NotImplemented:
            return difference
        return not _negative(difference) and not _negative(-difference)

    def __bool__(self) -> bool:
        return bool(self != 0)

    def first_least(self, costs: Sequence[Fraction], then: Sequence[Fraction]) -> int:
        """As :func:`...support.exact.first_least`.

        One question finds a least cost. Who else has it is asked only of those whose second number may be smaller:
        to have few of them, the question has the likely smaller ones first.
        """
        seconds = self._vectors(then)
        order = sorted(range(len(costs)), key=lambda k: (sum(seconds[k]), k))
        at = self._least([costs[k] for k in order])
        first = order[at]
        rivals = [k for k in order[at + 1 :] if not _always_after(k, first, seconds)]
        tied = sorted([first, *(k for k in rivals if not costs[first] < costs[k])])
        return tied[self._least([then[k] for k in tied])]

    def _least(self, values: Sequence[Fraction]) -> int:
        """The index of the least, the first of equals: asked of those that may be, where there are several."""
        vectors = self._vectors(values)
        able = [k for k in range(len(vectors)) if not any(_always_after(k, j, vectors) for j in range(len(vectors)))]
        if len(able) == 1:
            return able[0]
        if any(type(value) is Form and value.oracle is not self.oracle for value in values):
            refuse_kept()
        return able[self.oracle.least([vectors[k] for k in able])]

    def _vectors(self, values: Sequence[Fraction]) -> list[Vector]:
        """Numbers as vectors over one denominator, in smallest integers."""
        zeros = (0,) * (len(self.top) - 1)
        pairs = [(v.top, v.bottom) if type(v) is Form else ((v.numerator, *zeros), v.denominator) for v in values]
        bottom = math.lcm(*(b for _, b in pairs))
        scaled = [[a * (bottom // b) for a in top] for top, b in pairs]
        common = math.gcd(*(a for vector in scaled for a in vector)) or 1
        return [tuple([a // common for a in vector]) for vector in scaled]

    def __hash__(self) -> NoReturn:  # type: ignore[override]
        refuse(
            "the hash of a symbolic number, by which sets, dicts and caches look numbers up; compare with == instead"
        )

    # what numbers have and forms do not -----------------------------------------------------------------------------

    def _digits(self, *_: Any) -> NoReturn:
        refuse("the digits of a symbolic number")

    numerator = denominator = _numerator = _denominator = property(_digits)
    __class__ = property(lambda self: Fraction)
    __int__ = __trunc__ = __floor__ = __ceil__ = __round__ = __float__ = __complex__ = __index__ = _digits  # type: ignore[assignment]
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = _digits  # type: ignore[assignment]
    as_integer_ratio = limit_denominator = is_integer = _digits  # type: ignore[assignment]

    def __pow__(self, other: Any, modulo: Any = None) -> Any:
        if type(other) is int and modulo is None and 0 <= other <= (len(self.names) if self._has_powers else 1):
            return math.prod([self] * other, start=Fraction(1))
        refuse("a power of a symbolic number")

    def __rpow__(self, other: Any) -> NoReturn:
        refuse("a power to a symbolic number")

    def __repr__(self) -> str:
        if self.oracle.read():
            refuse_unless_raised()
        return f"<{written(self.top, self.bottom, self.names)}>"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return str(self)

    def __reduce__(self) -> NoReturn:
        refuse("a copy in another process of a symbolic number")

    def __copy__(self) -> Form:
        return self

    def __deepcopy__(self, memo: Any) -> Form:
        return self


def _always_after(k: int, j: int, vectors: Sequence[Vector]) -> bool:
    """Whether number ``k`` is above number ``j`` for all positive symbols, or the same number and later."""
    if k == j or any(a < b for a, b in zip(vectors[k], vectors[j], strict=True)):
        return False
    return vectors[k] != vectors[j] or k > j


def primitive(vector: Sequence[int]) -> Vector:
    """The same direction in smallest integers."""
    common = math.gcd(*vector)
    return tuple([a // common for a in vector]) if common > 1 else tuple(vector)


def numbers_at(point: Vector) -> tuple[Fraction, ...]:
    """The numbers of a point of integers, of which the first says how many make 1."""
    return tuple([Fraction(z, point[0]) for z in point[1:]])


def symbols(names: Sequence[str], oracle: Oracle) -> tuple[Form, ...]:
    """One form per name, each that symbol alone."""
    names = tuple(names)
    return tuple(
        Form(tuple([int(k == j) for k in range(len(names) + 1)]), 1, names, oracle) for j in range(1, len(names) + 1)
    )


def written(top: Vector, bottom: int, names: Sequence[str]) -> str:
    """The form as text, ``1/2 + 2*x - y``.

    >>> written((0, -1, 2), 3, ("x", "y"))
    '-1/3*x + 2/3*y'
    """
    text = ""
    for a, name in zip(top, ("", *names), strict=True):
        if a == 0:
            continue
        size = Fraction(abs(a), bottom)
        term = name if name and size == 1 else f"{size}*{name}" if name else str(size)
        text += (" - " if a < 0 else " + ") + term if text else ("-" if a < 0 else "") + term
    return text or "0"


@contextmanager
def symbolic_fractions() -> Iterator[None]:
    """Inside, ``Fraction(x)`` of a form is that form, so that code which makes its numbers exact takes symbols too.

    ``Fraction(x, y)`` with a form ``x`` is the quotient. One thread at a time; what stood before is restored. Whatever
    was refused inside is raised at the end, even if the code caught it: what it did then holds of symbols only.
    """
    with _LOCK:
        original = Fraction.__new__
        before = _REFUSED.copy()
        _REFUSED.clear()

        def new(cls: type[Fraction], numerator: Any = 0, denominator: Any = None, **options: Any) -> Any:
            if isinstance(numerator, Form):
                return numerator if denominator is None else numerator / denominator
            if isinstance(denominator, Form):
                refuse("a division by a symbolic number")
            return original(cls, numerator, denominator, **options)

        Fraction.__new__ = staticmethod(new)  # type: ignore[method-assign]
        try:
            yield
            if _REFUSED:
                raise _REFUSED[0]
        except Exception:
            if _REFUSED:
                raise _REFUSED[0] from None
            raise
        finally:
            Fraction.__new__ = staticmethod(original)  # type: ignore[assignment, method-assign]
            _REFUSED[:] = before


_LOCK: Final = threading.RLock()
_REFUSED: Final[list[NotPiecewiseLinear]] = []
"""What was refused since :func:`symbolic_fractions` was entered."""


def refuse(what: str, with_place: bool = True) -> NoReturn:
    """Raise NotPiecewiseLinear, with the line of the user's code that did it, or else of whoever did."""
    place = ""
    if with_place:
        frames = list(_callers())
        own = (one for one in frames if not _packages(one) and not _file(one).startswith(_LIBRARY))
        frame = next(own, frames[0])
        place = f" ({source_line(_file(frame), frame.f_lineno)})"
    error = NotPiecewiseLinear(f"not piecewise linear: {what}{place}")
    _REFUSED.append(error)
    raise error


def refuse_kept(with_place: bool = True) -> NoReturn:
    """Refuse a form of another run."""
    refuse("a symbolic number that the code kept from another run", with_place)


def refuse_unless_raised() -> None:
    """Refuse that the code reads a form as text, unless the text goes nowhere but into a ``raise`` statement.

    What happens between here and there is looked up in the code itself: up to the next ``raise`` the text must not be
    stored, branched on or thrown away. The package's own messages are known to be right.
    """
    for frame in _callers():
        if _packages(frame):
            return
        end = _where_to(frame)
        if end == "RAISE_VARARGS":
            return
        if end not in ("RETURN_VALUE", "YIELD_VALUE"):
            break
    refuse("the text of a symbolic number, used elsewhere than in a raise statement")


def _where_to(frame: FrameType) -> str:
    """The instruction that takes what the current one of a frame makes: it ends a straight piece of code."""
    for step in dis.get_instructions(frame.f_code):
        if step.offset > frame.f_lasti and (step.opname.startswith(_TAKES) or step.opcode in _JUMPS):
            return step.opname
    return ""


def _callers() -> Iterator[FrameType]:
    """Who called, the nearest first, without arithmetic, its oracle and those who run the code."""
    frame: FrameType | None = sys._getframe(1)
    outside = False
    while frame is not None and not (outside and _file(frame) == _RUNNER):
        if _file(frame) not in _OURS:
            outside = True
            yield frame
        frame = frame.f_back


def own_steps(run: Callable[[], object]) -> list[tuple[CodeType, int]]:
    """Every instruction of the user's code while something runs, in order: the code and the place in it."""
    steps: list[tuple[CodeType, int]] = []
    is_collecting = gc.isenabled()
    gc.disable()  # its callbacks, Hypothesis's for one, run whenever memory fills up
    try:
        _watch(run, steps)
    finally:
        if is_collecting:
            gc.enable()
    return steps


if sys.version_info >= (3, 12):  # where a trace misses instructions of the code that it meets for the first time

    def _watch(run: Callable[[], object], steps: list[tuple[CodeType, int]]) -> None:
        monitoring, thread = sys.monitoring, threading.get_ident()

        def stepped(code: CodeType, offset: int) -> Any:
            if threading.get_ident() == thread:
                if not _own(sys._getframe(1)):
                    return monitoring.DISABLE
                steps.append((code, offset))

        with _MONITORED:
            tools = [monitoring.get_tool(number) for number in range(6)]
            if None not in tools:
                raise InputError(
                    "a proof watches which instructions run; found all six tools of sys.monitoring in use "
                    f"({', '.join(map(str, tools))}); expected a free one: end a debugger or profiler"
                )
            tool = tools.index(None)
            monitoring.use_tool_id(tool, __name__)
            try:
                monitoring.register_callback(tool, monitoring.events.INSTRUCTION, stepped)
                monitoring.set_events(tool, monitoring.events.INSTRUCTION)
                run()
            finally:
                monitoring.set_events(tool, 0)
                monitoring.free_tool_id(tool)
                monitoring.restart_events()

else:

    def _watch(run: Callable[[], object], steps: list[tuple[CodeType, int]]) -> None:
        def called(frame: FrameType, event: str, _: object) -> Any:
            if event == "call" and not _own(frame):
                return None
            frame.f_trace_lines, frame.f_trace_opcodes = False, True
            if event == "opcode":
                steps.append((frame.f_code, frame.f_lasti))
            return called

        before = sys.gettrace()
        sys.settrace(called)
        try:
            run()
        finally:
            sys.settrace(before)


def _own(frame: FrameType) -> bool:
    return not (_packages(frame) or _librarys(frame))


def _librarys(frame: FrameType) -> bool:
    """Whether it is Python's own code, what it has written for its named tuples and data classes included."""
    name = str(frame.f_globals.get("__name__")).partition(".")[0]
    made = name in sys.stdlib_module_names or name.startswith("namedtuple_")
    return made or _file(frame).startswith((_LIBRARY, "<frozen "))


def _file(frame: FrameType) -> str:
    return frame.f_code.co_filename


def _packages(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).startswith(_PACKAGE)


_MONITORED: Final = threading.Lock()
_TAKES: Final = ("RAISE", "RETURN", "YIELD", "STORE", "DELETE", "POP", "LIST_APPEND", "SET_ADD", "MAP_ADD")
_JUMPS: Final = frozenset((*dis.hasjrel, *dis.hasjabs))
_RUNNER: Final = str(Path(__file__).with_name("execution.py"))
_OURS: Final = frozenset({__file__, sys.modules["fractions"].__file__, _RUNNER})
_PACKAGE: Final = __name__.removesuffix("games.proofs.symbols")
_LIBRARY: Final = str(Path(os.__file__).parent) + os.sep
"""Python's library and what is installed."""


def _negative(difference: Any) -> bool:
    """Whether a difference is below zero: the oracle's answer, or the sign of a constant."""
    return difference.oracle.negative(difference) if type(difference) is Form else bool(difference < 0)


def _ratio(other: Any) -> tuple[int, int] | None:
    """Numerator and denominator of an exact constant; None for anything else."""
    if isinstance(other, int):
        return int(other), 1
    if isinstance(other, Fraction) and not isinstance(other, Symbolic):
        return other.numerator, other.denominator
    if isinstance(other, numbers.Rational) and not isinstance(other, Symbolic):  # numpy's integers, for one
        return int(other.numerator), int(other.denominator)
    return None


def _refuse_operand(other: Any) -> Any:
    """What to answer for what is no exact constant: refused if it is a number, else its own business."""
    if isinstance(other, float) and math.isfinite(other):
        refuse(f"the float {float(other)!r}; write '{Fraction(other).limit_denominator(10**6)}', an int or a Fraction")
    if isinstance(other, numbers.Number):
        refuse(f"the {type(other).__name__} {'' if isinstance(other, Symbolic) else other}".rstrip())
    return NotImplemented
