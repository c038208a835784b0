"""The arithmetic of welfare expressions: exact, closed to everything else, and never slow."""

from __future__ import annotations

import math
import pickle
import random
import time
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.scheduling.arithmetic import Expression
from consortium.support.errors import InputError

NAMES = ("ann", "bob")


def value(text: str, *quantities: Fraction | float | int) -> Fraction | float:
    return Expression.parse(text, NAMES).value(quantities)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-(ann + 9*bob)", -29),
        ("-ann**2", -4),
        ("(-ann)^2", 4),
        ("ann - bob - 1", -2),
        ("ann - -bob", 5),
        ("12 / ann / bob", 2),
        ("ann / bob * 3", 2),
        ("min(ann, bob, 1/2) + max(ann, bob) + abs(ann - bob)", Fraction(9, 2)),
        ("0.1 * ann + 1e-1", Fraction(3, 10)),
        (".5", Fraction(1, 2)),
        ("bob**0", 1),
        ("ann**9", 512),
        ("  ann\n+\tbob ", 5),
        ("((ann**3)**3)**2", 2**18),
        ("-" * 3000 + "ann", 2),
        ("+".join(["ann"] * 900), 1800),
    ],
)
def test_value(text: str, expected: Fraction | int) -> None:
    assert value(text, 2, 3) == expected
    assert isinstance(value(text, 2, 3), Fraction)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "column 1: found the end; expected a number, a name or '('"),
        ("__import__('os')", "column 1: '__import__' is not known; known: abs, ann, bob, max, min."),
        ("ann.real", "column 4: found '.'; expected an operator or the end"),
        ("ann + (bob", "column 11: found the end; expected ')'"),
        ("ann(2)", "column 4: found '('; expected an operator or the end"),
        ("open('x')", "column 1: 'open' is not known"),
        ("anne", "column 1: 'anne' is not known; known: abs, ann, bob, max, min. Did you mean 'ann'?"),
        ("min", "column 1: 'min' is not known"),
        ("abs(ann, bob)", "column 1: abs takes one argument; found 2"),
        ("ann ** bob", "expected one of the digits 0 to 9 as the exponent"),
        ("ann ** 10", "expected one of the digits 0 to 9 as the exponent"),
        ("ann ** -1", "expected one of the digits 0 to 9 as the exponent"),
        ("ann ** 1e9", "expected one of the digits 0 to 9 as the exponent"),
        ("ann ** 2 ** 3", "column 10: found '**'; expected parentheses around a power"),
        ("9**9**9", "column 5: found '**'; expected parentheses around a power"),
        ("((9**9)**9)**9", "column 12: the degree is 729 here; at most 100"),
        ("*".join(["ann"] * 101), "the degree is 101 here; at most 100"),
        ("1e10000000", "column 1: the number has more than 1,000 digits or an exponent beyond 1,000"),
        ("9" * 3000, "column 1: the number"),
        ("(" * 10_000, "column 4001: the text has 10,000 characters; at most 4,000"),
        ("(" * 100, "column 51: found '('; expected at most 50 nested parentheses"),
        ("1_000", "column 1: '1_000' is not a number"),
        ("0x10", "column 1: found '0x10'; expected a number"),
        ("nan + inf", "column 1: 'nan' is not known"),
        ("ann; bob", "column 4: found ';'"),
        ("ann == bob", "column 5: found '='"),
        ("ann if bob", "column 5: found 'if'; expected an operator or the end"),
        ("[ann]", "column 1: found '['"),
        ("lambda: 0", "column 1: 'lambda' is not known"),
        ("ann ,bob", "column 5: found ','"),
        ("٣ + ann", "column 1: '٣' is not a number"),
        ("a" * 3999, "is not known"),
        ("min()", "column 5: found ')'; expected a number, a name or '('"),
    ],
)
def test_hostile_text_is_refused_at_once(text: str, message: str) -> None:
    start = time.perf_counter()
    with pytest.raises(InputError) as error:
        Expression.parse(text, NAMES)
    assert message in str(error.value)
    assert len(str(error.value)) < 400
    assert time.perf_counter() - start < 5  # a hang, not a speed, is what this guards against


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-(ann + bob)", -math.inf),
        ("bob / ann", 0),
        ("ann / bob", math.inf),
        ("ann / -bob", -math.inf),
        ("min(ann, bob)", 3),
        ("abs(-ann)", math.inf),
        ("(-ann)**2", math.inf),
        ("(-ann)**3", -math.inf),
        ("ann**0", 1),
        ("ann - ann", -math.inf),
        ("1 + min(ann - ann, 5)", -math.inf),
        ("0 * ann", -math.inf),
        ("ann / ann", -math.inf),
        ("ann * ann", math.inf),
        ("ann * -bob", -math.inf),
    ],
)
def test_a_job_that_never_ends(text: str, expected: Fraction | float) -> None:
    assert value(text, math.inf, 3) == expected


def test_division_by_zero_names_the_column_and_the_quantities() -> None:
    with pytest.raises(InputError, match=r"column 3: division by zero where ann = 2, bob = 2"):
        value("1 / (ann - bob)", 2, 2)
    with pytest.raises(InputError, match="division by zero"):
        value("ann / 0", math.inf, 2)


def test_a_value_too_long_to_print_is_refused() -> None:
    with pytest.raises(InputError, match="the value has more than 4,000 digits"):
        value("((" + "9" * 90 + ")**9 * ann)**9", 2, 3)


LEAVES = st.sampled_from(["ann", "bob", "2", "0.5", "7"])
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from("+-*/"), inner),
        st.builds("-{}".format, inner),
        st.builds("({})**{}".format, inner, st.integers(0, 2)),
        st.builds("{}({}, {})".format, st.sampled_from(["min", "max"]), inner, inner),
        st.builds("abs({})".format, inner),
        st.builds("{} - {} * {} + {}".format, inner, inner, inner, inner),
    ),
    max_leaves=6,
)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(TREES, st.fractions(-3, 3, max_denominator=3), st.fractions(-3, 3, max_denominator=3))
def test_agrees_with_python(text: str, ann: Fraction, bob: Fraction) -> None:
    """Python's own parser and Fractions, with the literals made exact, are the reference."""
    parsed = Expression.parse(text, NAMES)
    names = {"ann": ann, "bob": bob, "F": Fraction}
    exact = text.replace("0.5", "F(1,2)").replace("7", "F(7)")
    try:
        expected = eval(exact, names)
    except ZeroDivisionError:
        with pytest.raises(InputError, match="division by zero"):
            parsed.value([ann, bob])
        return
    found = parsed.value([ann, bob])
    if isinstance(expected, float):  # int / int in the reference: 2 / 2
        assert float(found) == pytest.approx(expected)
    else:
        assert found == expected


@settings(deadline=None, derandomize=True, max_examples=500)
@given(st.text(alphabet="ab.()*/+-^,12e_ 'nx\\\n\"[]", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    message = "column"
    try:
        Expression.parse(text, ("a", "b"))
    except InputError as error:
        message = str(error)
    assert "column" in message


@settings(deadline=None, derandomize=True, max_examples=300)
@given(TREES)
def test_linear_means_linear(text: str) -> None:
    """Whatever is called linear agrees with its coefficients everywhere we look."""
    parsed = Expression.parse(text, NAMES)
    coefficients = parsed.linear()
    if coefficients is not None:
        for ann in (Fraction(-2), Fraction(1, 3), Fraction(5)):
            for bob in (Fraction(-1), Fraction(7, 2)):
                assert parsed.value([ann, bob]) == coefficients[0] + coefficients[1] * ann + coefficients[2] * bob


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-(ann + 9*bob)", (0, -1, -9)),
        ("2*(3 - ann)*4 + bob/(1/2)", (24, -8, 2)),
        ("(1 + 1)**3 * ann**1", (0, 8, 0)),
        ("ann*bob", None),
        ("1/ann", None),
        ("ann/0", None),
        ("ann**2", None),
        ("abs(ann)", None),
        ("min(1, 2)*ann", None),
    ],
)
def test_linear(text: str, expected: tuple[int, ...] | None) -> None:
    assert Expression.parse(text, NAMES).linear() == expected


@settings(max_examples=60)
@given(st.integers(0, 10**9))
def test_no_value_is_longer_than_was_foreseen(seed: int) -> None:
    rng = random.Random(seed)

    def grown(depth: int) -> str:
        if depth == 0:
            return rng.choice(["ann", "bob", str(rng.randint(0, 10**30)), "0.125", "1e40"])
        one, other = grown(depth - 1), grown(rng.randrange(depth))
        return rng.choice(
            [f"({one} + {other})", f"({one} * {other})", f"({one} - {other})", f"({one} / {other})", f"abs({one})",
             f"min({one}, {other})", f"({one})**{rng.randint(0, 3)}"]
        )  # fmt: skip

    try:
        expression = Expression.parse(grown(3), ["ann", "bob"])
        quantities = [Fraction(rng.randint(1, 10**40), rng.randint(1, 10**40)) for _ in range(2)]
        value = expression.value(quantities)
    except InputError:
        return
    assert isinstance(value, Fraction)
    above = max(q.numerator.bit_length() for q in quantities)
    below = max(q.denominator.bit_length() for q in quantities)
    assert max(value.numerator.bit_length(), value.denominator.bit_length() - 1) <= expression.bits(above, below)


def test_four_hundred_powers_of_quotients_are_refused_before_they_are_computed() -> None:
    names = [f"a{i}" for i in range(20)]
    text = "+".join(f"(a{i}/a{(i + k) % 20})**9" for k in range(1, 16) for i in range(20))
    expression = Expression.parse(text, names)
    before = time.process_time()
    with pytest.raises(InputError, match=r"found a value of up to [0-9,]+ digits; expected at most 39,456 digits"):
        expression.value([Fraction(10**999 + i) for i in range(20)])
    assert time.process_time() - before < 0.5
    assert expression.value([Fraction(3)] * 20) == 300
    with pytest.raises(InputError, match="expected at most 39,456 digits"):
        Expression.parse("+".join(["(1e1000 / 7e999)**9"] * 190), names)


def test_another_process_can_be_given_an_expression() -> None:
    expression = Expression.parse("ann / bob", NAMES)
    assert expression.value([Fraction(1), Fraction(2)]) == pickle.loads(pickle.dumps(expression)).value([1, 2])


@pytest.mark.parametrize("text", [None, 3, b"ann", ["ann"]])
def test_what_is_no_text(text: Any) -> None:
    with pytest.raises(InputError, match="expected a text"):
        Expression.parse(text, ["ann"])


@pytest.mark.parametrize(
    ("text", "degree"),
    [
        ("a*b - (a + 2)**3 / 4", 3),
        ("-(a - b)*(b - 1)", 2),
        ("3", 0),
        ("a**0 + b**1", 1),
        ("-a - 2*b", 1),
        ("a*b*a/2", 3),
    ],
)
def test_the_degree_of_a_polynomial(text: str, degree: int) -> None:
    assert Expression.parse(text, ["a", "b"]).degree() == degree


@pytest.mark.parametrize("text", ["a / b", "max(a, 2)", "abs(a)", "a / (b - b)"])
def test_an_expression_that_is_no_polynomial_has_no_degree(text: str) -> None:
    assert Expression.parse(text, ["a", "b"]).degree() is None
