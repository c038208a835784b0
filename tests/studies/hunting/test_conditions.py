"""Conditions and the same trees evaluated as the language is defined, and what is refused, with its place."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from consortium.studies.hunting import Condition
from consortium.support.errors import InputError

NAMES = ("exists", "anarchy", "a.b", "two-friends", "andy")
VALUES = [True, False, None, 0, 1, -2, "3/2", "1.5", "inf", "-inf", 0.5, math.nan, "ann", "", Fraction(3, 2), 10**40]
WRITTEN = ["true", "false", "null", "0", "1", "-2", "3/2", "1.50", ".5", "5e-1", "'inf'", "'ann'", '"ann"', '""']
MEANT = [True, False, None, 0, 1, -2, "3/2", "3/2", "1/2", "1/2", "inf", "ann", "ann", ""]


def sort_and_value(value):
    """The definition: true is no number, ``"3/2"`` is one, ``nan`` is null."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "null", 0
    if isinstance(value, bool):
        return "truth", value
    if value in ("inf", "-inf"):
        return "number", float(value)
    try:
        return "number", Fraction(value)
    except ValueError:
        return "text", value


def compared(sign, left, right):
    (one, x), (other, y) = sort_and_value(left), sort_and_value(right)
    if sign == "==":
        return (one, x) == (other, y)
    if sign == "!=":
        return (one, x) != (other, y)
    return one == other == "number" and {"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[sign]


def operand(rng):
    """A text and its value for measures."""
    if rng.random() < 0.6:
        name = rng.choice(NAMES)
        return name, lambda measures: measures[name]
    i = rng.randrange(len(WRITTEN))
    return WRITTEN[i], lambda measures: MEANT[i]


def tree(rng, depth):
    """A condition as a text that has all its parentheses or only those needed, and its value for measures."""
    shape = rng.choice(["comparison", "measure", "not", "and", "or"]) if depth else "comparison"
    if shape == "measure":
        name = rng.choice(NAMES)
        return name, (lambda measures: measures[name] is True), 3
    if shape == "comparison":
        (one, left), (other, right) = operand(rng), operand(rng)
        sign = rng.choice(["==", "!=", "<", "<=", ">", ">="])
        space = rng.choice(["", " ", "  \n"]) if sign != "<" or not other.startswith("=") else " "
        return f"{one} {sign}{space}{other}", (lambda measures: compared(sign, left(measures), right(measures))), 3
    if shape == "not":
        text, test, level = tree(rng, depth - 1)
        return f"not {text if level >= 2 else f'({text})'}", (lambda measures: not test(measures)), 2
    mine = {"and": 1, "or": 0}[shape]
    parts = [tree(rng, depth - 1) for _ in range(rng.randint(2, 3))]
    texts = [text if level > mine and rng.random() < 0.8 else f"({text})" for text, _, level in parts]
    join = all if shape == "and" else any
    return f" {shape} ".join(texts), (lambda measures: join([test(measures) for _, test, _ in parts])), mine


@pytest.mark.parametrize("count", [600, pytest.param(50_000, marks=pytest.mark.exhaustive)])
def test_conditions_mean_what_is_defined(count):
    rng = random.Random("conditions")
    for _ in range(count):
        text, test, _ = tree(rng, rng.randint(0, 4))
        condition = Condition.parse(text, NAMES)
        for _ in range(3):
            measures = {name: rng.choice(VALUES) for name in NAMES}
            assert condition.holds(measures) is test(measures), (text, measures)


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("", 0, "expected a text"),
        ("exists = true", 8, "'==' compares"),
        ("exists == 1/0", 11, "denominator is zero"),
        ("1 < anarchy < 3", 13, "'and' between"),
        ("exists and", 11, "found the end"),
        ("(exists == 1", 13, "expected ')'"),
        ("exists == 'b", 11, "closing quote"),
        ("exists == 1 b", 13, "'and', 'or' or the end"),
        ("3", 1, "a comparison"),
        ("true", 1, "a comparison"),
        ("exists == 1/2x", 11, "'1/2x'"),
        ("exists == and", 11, "found 'and'"),
        ("exists == ²", 11, "not known"),
        ("anarchi > 1", 1, "Did you mean 'anarchy'"),
        ("exists ! 1", 8, "a comparison"),
        ("exists == __import__('os')", 11, "not known"),
        (f"{'(' * 51}exists{')' * 51}", 51, "at most 50"),
        ("(exists == 1) == true", 15, "'==' beside a condition"),
        ("exists == not anarchy", 11, "found 'not'"),
        (f"exists == {'9' * 1001}", 11, "1,000 digits"),
        (f"exists == '{'a' * 4000}'", 0, "at most 4,000"),
    ],
)
def test_what_is_no_condition_is_refused_with_its_column(text, column, words):
    with pytest.raises(InputError) as refused:
        Condition.parse(text, NAMES)
    assert words in str(refused.value)
    assert column == 0 or f"column {column}:" in str(refused.value)


def test_a_condition_knows_its_measures_and_misses_their_values():
    assert Condition.parse("not anarchy < 2 or exists", NAMES).names == ("anarchy", "exists")
    with pytest.raises(InputError, match="no value of 'exists'"):
        Condition.parse("exists == false", NAMES).holds({})


def test_two_negations_are_none():
    for count in (0, 1, 2, 51, 900):
        assert Condition.parse("not " * count + "exists", NAMES).holds({"exists": True}) is (count % 2 == 0)
