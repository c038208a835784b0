"""Roots of polynomials against a computer algebra system, on factors with rational and irrational roots."""

from __future__ import annotations

import random
from fractions import Fraction as F
from functools import reduce

import pytest

from consortium.scheduling.expressions import Expression
from consortium.scheduling.polynomials import Polynomial, at, first_root, minus, plus, shifted, times

from ..sweeps import thinned


def drawn(rng: random.Random) -> Polynomial:
    """A product of lines and parabolas, some of them twice: rational, irrational and multiple roots."""

    def factor() -> Polynomial:
        if rng.random() < 0.5:
            return F(rng.randint(-6, 6), rng.randint(1, 3)), F(rng.choice([-2, -1, 1, 3]))
        return F(rng.randint(-6, 6)), F(rng.randint(-4, 4)), F(rng.choice([-1, 1, 2]))

    factors = [factor() for _ in range(rng.randint(1, 3))]
    product = reduce(times, [*factors, *factors[: rng.randint(0, 1)]])
    return (*product, F(0)) if rng.random() < 0.2 else product


@pytest.mark.parametrize("seed", thinned(range(60)))
def test_the_first_root_is_that_of_sympy(seed: int) -> None:
    import sympy

    rng = random.Random(seed)
    p, low = drawn(rng), F(rng.randint(-4, 4), rng.randint(1, 3))
    high, width = low + F(rng.randint(1, 8), rng.randint(1, 3)), F(1, rng.choice([1, 10, 1000]))
    found = first_root(p, low, high, width)
    coefficients = [sympy.Rational(c.numerator, c.denominator) for c in reversed(p)]
    real = sympy.real_roots(sympy.Poly(coefficients, sympy.Symbol("x")))
    roots = sorted({r for r in real if sympy.Rational(str(low)) < r < sympy.Rational(str(high))})
    if not roots:
        assert found is None
        return
    assert found is not None
    if roots[0].is_rational:
        assert found == (F(str(roots[0])),) * 2
    else:
        begin, end = found
        assert low <= begin < roots[0] < end <= high
        assert end - begin <= width
        assert len(roots) == 1 or roots[1] >= end


def test_sums_products_and_shifts_have_the_values_that_they_should() -> None:
    rng = random.Random(1)
    for _ in range(50):
        p, q, x = drawn(rng), drawn(rng), F(rng.randint(-9, 9), 4)
        assert at(plus(p, q), x) == at(p, x) + at(q, x)
        assert at(minus(p, q), x) == at(p, x) - at(q, x)
        assert at(times(p, q), x) == at(p, x) * at(q, x)
        assert at(shifted(p, x), F(2)) == at(p, x + 2)


@pytest.mark.parametrize("text", ["a*b - (a + 2)**3 / 4", "-(a - b)*(b - 1)", "3", "a**0 + b**1", "-a - 2*b"])
def test_an_expression_along_lines_is_its_value_at_every_point(text: str) -> None:
    expression = Expression.parse(text, ["a", "b"])
    along = expression.along([(F(1), F(2)), (F(3), F(-1, 2))])
    assert along is not None
    for x in (F(0), F(5, 3), F(-7)):
        assert at(along, x) == expression.value([1 + 2 * x, 3 - x / 2])


@pytest.mark.parametrize("text", ["a / b", "max(a, 2)", "abs(a)", "a / (b - b)", "1 / (2 - 2)"])
def test_an_expression_that_is_no_polynomial_says_so(text: str) -> None:
    assert Expression.parse(text, ["a", "b"]).along([(F(1), F(2))] * 2) is None
