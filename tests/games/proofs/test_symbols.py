"""Symbolic numbers beside plain ones: arithmetic, comparisons, refusals with their line, nothing left over."""

from __future__ import annotations

import copy
import gc
import math
import pickle
import statistics
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.games.proofs.symbols import Form, NotPiecewiseLinear, own_steps, symbolic_fractions, symbols, written
from consortium.support.errors import InputError
from consortium.support.exact import is_symbolic, rational

from .oracle import At

NAMES = ("x", "y", "z")


small = st.fractions(min_value=-5, max_value=5, max_denominator=6)
points = st.tuples(*[st.fractions(min_value=F(1, 9), max_value=5, max_denominator=9)] * 3)
constants = st.one_of(small, st.integers(-4, 4), st.booleans())
WHAT = ("+", "-", "r-", "*", "r*", "/", "neg", "abs", "max", "min", "sort", "swap")
steps = st.lists(st.tuples(st.sampled_from(WHAT), constants), max_size=12)


def walked(numbers: tuple[Any, ...], program: list[tuple[str, Any]]) -> list[Any]:
    """A random calculation, the same for plain numbers and symbols."""
    a, b, c = numbers
    for what, k in program:
        match what:
            case "+":
                a = a + b + k
            case "-":
                a = b - a - k
            case "r-":
                a = k - a
            case "*":
                a = a * k + b
            case "r*":
                a = k * a - c
            case "/":
                a = a / k if k else a
            case "neg":
                a = +(-a)
            case "abs":
                b = abs(a - c)
            case "max":
                b = max(a, b, F(k))  # an int could be divided by an int, which is a float in any code
            case "min":
                c = min(c, a + k)
            case "sort":
                a, b, c = sorted([c, b, a], reverse=True)
            case "swap":
                a, b, c = b, c, sum([a, b, F(k)])
    return [a, b, c]


@settings(max_examples=25, deadline=None)
@given(points, steps)
def test_calculations_come_out_as_with_plain_numbers(point: tuple[F, ...], program: list[tuple[str, Any]]) -> None:
    at = At(*point)
    found = walked(symbols(NAMES, at), program)
    assert [at.value(one) for one in found] == walked(point, program)
    for one in found:
        assert isinstance(one, int | F)
        assert not isinstance(one, Form) or any(one.top[1:])


@settings(max_examples=25, deadline=None)
@given(points, steps, constants)
def test_comparisons_come_out_as_with_plain_numbers(
    point: tuple[F, ...], program: list[tuple[str, Any]], constant: Any
) -> None:
    symbolic, plain = (walked(numbers, program) for numbers in (symbols(NAMES, At(*point)), point))
    for others in ((constant, math.inf, -math.inf, np.int64(2), *symbolic), (constant, math.inf, -math.inf, 2, *plain)):
        one = symbolic[0] if others[-1] is symbolic[-1] else plain[0]
        found = [
            [one < k, one <= k, one > k, one >= k, one == k, one != k, k < one, k <= one, k > one, k >= one, k == one]
            for k in others
        ]
        if one is symbolic[0]:
            first = found
    assert first == found
    assert bool(symbolic[0]) == bool(plain[0])
    assert (symbolic[0] in (1, constant, 2)) == (plain[0] in (1, constant, 2))


X, Y, Z = symbols(NAMES, At(F(1), F(2), F(3)))


def test_constants_are_plain_numbers_again() -> None:
    assert type(X + 1 - X) is F
    assert type((X + Y) / 2 - X / 2 - Y * F(1, 2)) is F
    assert type(X * 0) is F
    assert type(0 * X + 1) is F


def test_infinities() -> None:
    assert (X + math.inf, math.inf + X, X - math.inf, math.inf - X) == (math.inf, math.inf, -math.inf, math.inf)
    assert (X * math.inf, -X * math.inf, X / math.inf) == (math.inf, -math.inf, 0)
    assert math.inf > X
    assert not math.inf == X  # noqa: SIM201
    assert -math.inf != X
    assert -math.inf < X
    assert max(X, math.inf) == math.inf


def test_fractions_of_symbols() -> None:
    with symbolic_fractions():
        assert F(X) is X
        assert F(X, 2) == X / 2
        assert F(3, 2) == F("1.5") == F(1.5) == F(Decimal("1.5"))
        assert F(numerator=X) is X
        assert rational(X) is X
        with symbolic_fractions():
            assert F(Y) is Y
        assert F(Y) is Y
    assert is_symbolic([1, X])


def test_what_numbers_have() -> None:
    assert (X**1, X**0) == (X, 1)
    assert (X.real, X.imag, X.conjugate()) == (X, 0, X)
    assert copy.copy(X) is X
    assert copy.deepcopy([X])[0] is X
    assert f"{2 * X - Y / 3 + 1}" == "<1 + 2*x - 1/3*y>"
    assert written((0, 0), 1, ("x",)) == "0"
    assert statistics.median([X, Y, Z, Z]) == (Y + Z) / 2
    assert sum(np.array([X, Y]) * 2) == 2 * (X + Y)
    assert X != "x"
    assert X is not None


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: X * Y, "a product"),
    (lambda: X * X, "a product"),
    (lambda: X / Y, "a division"),
    (lambda: 1 / X, "a division"),
    (lambda: 1.5 / X, "a division"),
    (lambda: X**2, "a power"),
    (lambda: X**-1, "a power"),
    (lambda: X**1.0, "a power"),
    (lambda: X**Y, "a power"),
    (lambda: 2**X, "a power"),
    (lambda: pow(X, 1, 5), "a power"),
    (lambda: X.numerator, "the numerator"),
    (lambda: X.denominator, "the denominator"),
    (lambda: hash(X), "the hash"),
    (lambda: {X}, "the hash"),
    (lambda: {(X, 1): 2}, "the hash"),
    (lambda: X in {1, 2}, "the hash"),
    (lambda: X + 0.5, "the float 0.5; write '1/2'"),
    (lambda: 0.25 * X, "the float 0.25; write '1/4'"),
    (lambda: X < 0.5, "the float 0.5"),
    (lambda: np.float64(0.5) < X, "the float 0.5"),
    (lambda: math.nan == X, "the float nan"),
    (lambda: X + 1j, "the complex 1j"),
    (lambda: X == 1 + 0j, "the complex"),
    (lambda: Decimal(2) > X, "the Decimal 2"),
    (lambda: Decimal(2) == X, "the Decimal 2"),
    (lambda: pickle.dumps(X), "a copy in another process"),
    (lambda: X + symbols(NAMES, At(F(1), F(1), F(1)))[0], "kept from another run"),
    (lambda: symbols(NAMES, At(F(1), F(1), F(1)))[0] == X, "kept from another run"),
]
DIGITS: list[Callable[[], Any]] = [
    lambda: int(X), lambda: float(X), lambda: complex(X), lambda: round(X), lambda: round(X, 2), lambda: X // 1,
    lambda: 7 // X, lambda: X % 2, lambda: 7 % X, lambda: divmod(X, 2), lambda: divmod(7, X), lambda: X.is_integer(),
    lambda: X.as_integer_ratio(), lambda: X.limit_denominator(9), lambda: range(X), lambda: [1, 2][X],
    lambda: [0] * X, lambda: format(int(X), "d"), lambda: math.floor(X), lambda: math.ceil(X), lambda: math.trunc(X),
    lambda: math.sqrt(X), lambda: math.isinf(X), lambda: math.gcd(X, 2), lambda: math.isclose(X, 1),
    lambda: math.fsum([X]), lambda: math.log(X), lambda: math.copysign(1, X), lambda: np.array([X], dtype=float),
    lambda: np.float64(X), lambda: np.sqrt(np.array([X], dtype=float)), lambda: statistics.fmean([X]),
    lambda: statistics.mean([X, Y]), lambda: bin(X), lambda: chr(X),
]  # fmt: skip


@pytest.mark.parametrize(("act", "what"), [*REFUSED, *[(act, "the digits") for act in DIGITS]])
def test_refusals_name_the_line(act: Callable[[], Any], what: str) -> None:
    original = F.__new__
    with pytest.raises(NotPiecewiseLinear, match="not piecewise linear: ") as info, symbolic_fractions():
        act()
    assert what in str(info.value)
    assert "test_symbols.py:" in str(info.value)
    assert F.__new__ is original


def test_a_division_of_a_constant_is_refused_by_its_constructor_too() -> None:
    with pytest.raises(NotPiecewiseLinear, match="a division by a symbolic number"), symbolic_fractions():
        F(1, X)
    with pytest.raises(ZeroDivisionError):
        X / 0


def test_fractions_are_themselves_again_after_errors() -> None:
    original = F.__new__
    for error in (ValueError, KeyboardInterrupt, NotPiecewiseLinear):
        with pytest.raises(error), symbolic_fractions():
            raise error
        assert F.__new__ is original
    with pytest.raises(TypeError):
        F(object())  # type: ignore[call-overload]


def caught_twice() -> None:
    for act in (lambda: X * X, lambda: int(X)):
        with pytest.raises(NotPiecewiseLinear):
            act()


def test_what_was_refused_stays_refused() -> None:
    with pytest.raises(NotPiecewiseLinear, match="a product"), symbolic_fractions():
        caught_twice()
    with symbolic_fractions():
        assert F(X) is X  # and is forgotten afterwards


def test_instructions_are_seen_the_first_time_that_code_runs() -> None:
    """On every version of Python: from 3.12 on a trace sees them from the second time on."""
    made: dict[str, Any] = {}
    exec("def least(x):\n    return min([k for k in range(x) if k != 1], key=lambda k: -k)", made)
    first, second = (own_steps(lambda: made["least"](3)) for _ in range(2))
    assert first == second
    assert {code.co_name for code, _ in first} >= {"least", "<lambda>"}


@pytest.mark.skipif(sys.version_info < (3, 12), reason="traces instead")
def test_watchers_of_instructions_may_all_be_in_use() -> None:
    free = [number for number in range(6) if sys.monitoring.get_tool(number) is None]
    for number in free:
        sys.monitoring.use_tool_id(number, f"tool {number}")
    try:
        with pytest.raises(InputError, match=r"in use .*tool 4.*; expected a free one"):
            own_steps(int)
    finally:
        for number in free:
            sys.monitoring.free_tool_id(number)
    assert own_steps(int) == []


def test_a_collection_of_garbage_is_no_instruction_of_the_code() -> None:
    """Hypothesis counts the seconds of collections in Python: what it does is no step of a rule."""
    made, before = [], gc.get_threshold()

    def collecting(phase: str, info: dict[str, int]) -> None:
        made.append(phase)

    gc.callbacks.append(collecting)
    gc.set_threshold(1)
    try:
        steps = own_steps(lambda: [[k] for k in range(99)])
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(collecting)
    assert made
    assert gc.isenabled()
    assert {code.co_name for code, _ in steps} <= {"<lambda>", "<listcomp>"}
