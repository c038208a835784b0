r"""Numbers that stand for many: linear forms in the lengths and declarations of everybody.

Model: the symbols are ``x_1, ..., x_k``; a :class:`Form` is ``(a_0 + a_1 x_1 + ... + a_k x_k) / d`` with integers ``a``
and ``d > 0``. Forms add, subtract, and are multiplied and divided by constants, exactly. Where a form is compared with
another one, an *oracle* says how the comparison comes out, and remembers it: so code that was written for numbers runs
on symbols unchanged, and what it did holds for all numbers for which the comparisons come out alike. A form without
symbols is a plain :class:`~fractions.Fraction` again.

Comparisons are asked as one kind of question, "is this form below zero?": ``a == b`` is that neither difference is.

Not piecewise linear, and refused with the place: products of forms, a division by one, digits (``int()``, ``round()``,
``//``, ``%``, ``.numerator``, text), floats.

>>> from fractions import Fraction
>>> class Always:
...     def negative(self, form):
...         return False
...     def read(self):
...         pass
>>> x, y = symbols(("x", "y"), Always())
>>> 2 * x - y + Fraction(1, 2)
<1/2 + 2*x - y>
>>> (x + 1) - x
Fraction(1, 1)
>>> max(x, y) is x
True
"""

from __future__ import annotations

import math
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, Final, NoReturn, Protocol

from ...scheduling.errors import MechanismError
from ...scheduling.exact import Symbolic

Vector = tuple[int, ...]
"""Coefficients of a form: of the constant first, then of every symbol."""


class Oracle(Protocol):
    """Whoever answers comparisons."""

    def negative(self, form: Form) -> bool:
        """Whether the form is below zero."""

    def read(self) -> None:
        """Note that the text of a form was asked for."""


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
            if other.bottom == self.bottom:
                return self._like(tuple([a + sign * b for a, b in zip(self.top, other.top, strict=True)]), self.bottom)
            bottom = math.lcm(self.bottom, other.bottom)
            p, q = bottom // self.bottom, sign * (bottom // other.bottom)
            return self._like(tuple([p * a + q * b for a, b in zip(self.top, other.top, strict=True)]), bottom)
        ratio = _ratio(other)
        if ratio is None:
            return sign * other if isinstance(other, float) and math.isinf(other) else _refuse_operand(other)
        bottom = math.lcm(self.bottom, ratio[1])
        p = bottom // self.bottom
        first, *rest = self.top
        top = (p * first + sign * (bottom // ratio[1]) * ratio[0], *([p * a for a in rest] if p != 1 else rest))
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
        found = [top * a for a in self.top]
        if bottom != 1:
            shared = math.gcd(bottom, *found)
            found, bottom = [a // shared for a in found], bottom // shared
        return Form(tuple(found), below * bottom, self.names, self.oracle)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Form):
            refuse("a product of two symbolic numbers")
        ratio = _ratio(other)
        if ratio is None:
            if isinstance(other, float) and math.isinf(other):
                return -other if self < 0 else other if self > 0 else math.nan
            return _refuse_operand(other)
        return self._times(*ratio)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Form):
            refuse("a division by a symbolic number")
        ratio = _ratio(other)
        if ratio is None:
            return Fraction(0) if isinstance(other, float) and math.isinf(other) else _refuse_operand(other)
        if ratio[0] == 0:
            raise ZeroDivisionError("division of a symbolic number by zero")
        return self._times(ratio[1], ratio[0])

    def __rtruediv__(self, other: Any) -> NoReturn:
        refuse("a division by a symbolic number")

    # comparisons ----------------------------------------------------------------------------------------------------

    def __lt__(self, other: Any) -> Any:
        return other > 0 if _infinite(other) else _negative(self - other)

    def __gt__(self, other: Any) -> Any:
        return other < 0 if _infinite(other) else _negative(other - self)

    def __le__(self, other: Any) -> Any:
        return other > 0 if _infinite(other) else not _negative(other - self)

    def __ge__(self, other: Any) -> Any:
        return other < 0 if _infinite(other) else not _negative(self - other)

    def __eq__(self, other: object) -> Any:
        if _infinite(other):
            return False
        if not isinstance(other, int | Fraction | float):
            return NotImplemented
        difference: Any = self - other
        return not _negative(difference) and not _negative(-difference)

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __hash__(self) -> int:  # type: ignore[override]
        # one for all, so that a dict or a set goes on to compare forms with each other
        return _HASH

    # what numbers have and forms do not -----------------------------------------------------------------------------

    @property
    def numerator(self) -> NoReturn:
        """Refused: digits."""
        refuse("the numerator of a symbolic number")

    @property
    def denominator(self) -> NoReturn:
        """Refused: digits."""
        refuse("the denominator of a symbolic number")

    def _digits(self, *_: Any) -> NoReturn:
        refuse("the digits of a symbolic number")

    __int__ = __trunc__ = __floor__ = __ceil__ = __round__ = __float__ = __complex__ = __index__ = _digits  # type: ignore[assignment]
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = _digits  # type: ignore[assignment]
    as_integer_ratio = limit_denominator = is_integer = _digits  # type: ignore[assignment]

    def __pow__(self, other: Any, modulo: Any = None) -> Any:
        if other == 1:
            return self
        if other == 0:
            return Fraction(1)
        refuse("a power of a symbolic number")

    def __rpow__(self, other: Any) -> NoReturn:
        refuse("a power to a symbolic number")

    def __repr__(self) -> str:
        # a message of refusal may show the number; an outcome may not depend on its text
        self.oracle.read()
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


_HASH: Final = 0x5EED


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

    ``Fraction(x, y)`` with a form ``x`` is the quotient. One thread at a time; what stood before is restored.
    """
    with _LOCK:
        original = Fraction.__new__

        def new(cls: type[Fraction], numerator: Any = 0, denominator: Any = None, **options: Any) -> Any:
            if isinstance(numerator, Form):
                return numerator if denominator is None else numerator / denominator
            if isinstance(denominator, Form):
                refuse("a division by a symbolic number")
            return original(cls, numerator, denominator, **options)

        Fraction.__new__ = staticmethod(new)  # type: ignore[method-assign]
        try:
            yield
        finally:
            Fraction.__new__ = staticmethod(original)  # type: ignore[assignment, method-assign]


_LOCK: Final = threading.RLock()


def refuse(what: str) -> NoReturn:
    """Raise NotPiecewiseLinear, with the line of the code that did it."""
    raise NotPiecewiseLinear(f"not piecewise linear: {what}{_place()}")


def _place() -> str:
    """Where the code stands that is not the package's own arithmetic."""
    for frame in reversed(traceback.extract_stack()):
        if frame.filename not in _OURS:
            return f" (line {frame.lineno} of {frame.filename}: {frame.line})"
    return ""


_OURS: Final = frozenset({__file__, sys.modules["fractions"].__file__})


def _infinite(other: object) -> bool:
    return isinstance(other, float) and math.isinf(other)


def _negative(difference: Any) -> bool:
    """Whether a difference is below zero: the oracle's answer, or the sign of a constant."""
    return difference.oracle.negative(difference) if type(difference) is Form else bool(difference < 0)


def _ratio(other: Any) -> tuple[int, int] | None:
    """Numerator and denominator of an exact constant; None for anything else."""
    if isinstance(other, int):
        return int(other), 1
    if isinstance(other, Fraction):
        return other.numerator, other.denominator
    return None


def _refuse_operand(other: Any) -> Any:
    if isinstance(other, float):
        refuse(f"the float {other!r}; write '{Fraction(other).limit_denominator(10**6)}', an int or a Fraction")
    return NotImplemented
