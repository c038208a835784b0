"""Fairness functions: keys, values, references, and the metrics that may not be optimised."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.agents.users import Community
from consortium.mechanisms.multiuser import Fairness, fairness_metrics
from consortium.mechanisms.multiuser.catalogue import NOT_MONOTONE
from consortium.support.errors import InputError, UnknownNameError

M, S = "makespan", "total-completion"
SHARED = Community.of((M, [2]), (S, [1, 3]))  # zenith (2, 5), nadir (6, 9)


@pytest.mark.parametrize(
    ("fairness", "key", "value"),
    [
        (Fairness(1), 3 + Fraction(7, 2), 6.5),
        (Fairness("mean"), Fraction(13, 2), 3.25),
        (Fairness(2), 9 + Fraction(49, 4), math.sqrt(21.25)),
        (Fairness(3), 27 + Fraction(343, 8), 69.875 ** (1 / 3)),
        (Fairness("max"), Fraction(7, 2), 3.5),
        (Fairness("geometric"), Fraction(21, 2), math.sqrt(10.5)),
        (Fairness(1, values="sum"), 10, 10.0),
        (Fairness(1, relative_to="zenith"), Fraction(3, 2) + Fraction(7, 5), 2.9),
        (Fairness(1, relative_to="nadir"), Fraction(1, 2) + Fraction(7, 9), 0.5 + 7 / 9),
        (Fairness(1, values="sum", relative_to="zenith"), Fraction(29, 10), 2.9),
        (Fairness(1, weights=(2, Fraction(1, 7))), 6 + Fraction(1, 2), 6.5),
        (Fairness(1, references=(3, 7)), 1 + Fraction(1, 2), 1.5),
    ],
)
def test_keys_and_values(fairness, key, value) -> None:
    measure = fairness.bind(SHARED)
    assert measure.key((3, 7)) == key
    assert measure.value(measure.key((3, 7))) == pytest.approx(value, rel=1e-14)


def test_time_units_enter_the_key() -> None:
    """The same community measured in halves: a key of power two is four times smaller."""
    halves = Community.of((M, ["1"]), (S, ["1/2", "3/2"]))
    assert Fairness().bind(halves).key((3, 7)) * 4 == Fairness().bind(SHARED).key((3, 7))
    assert Fairness(relative_to="nadir").bind(halves).key((3, 7)) == Fairness(relative_to="nadir").bind(SHARED).key(
        (3, 7)
    )


@given(
    st.lists(st.integers(1, 50), min_size=2, max_size=2),
    st.lists(st.integers(1, 50), min_size=2, max_size=2),
    st.sampled_from([1, 2, 5, "max", "mean", "geometric"]),
)
@settings(max_examples=200, deadline=None, derandomize=True)
def test_integer_keys_order_like_exact_keys_and_are_monotone(x, y, norm) -> None:
    measure = Fairness(norm, weights=(Fraction(2, 3), 5)).bind(SHARED)
    a, b = measure.integer_key(x), measure.integer_key(y)
    assert (a < b) == (measure.key(x) < measure.key(y))
    assert measure.exact(a) == measure.key(x)
    if all(p <= q for p, q in zip(x, y, strict=True)) and x != y:
        assert a < b or (norm == "max" and a == b)


def test_value_of_a_key_beyond_floats() -> None:
    measure = Fairness().bind(Community.of((M, [10**200])))
    assert measure.value(measure.key((10**200,))) == pytest.approx(1e200, rel=1e-14)
    assert Fairness(7).bind(SHARED).value(Fraction(10**400)) == pytest.approx(10 ** (400 / 7), rel=1e-12)


@pytest.mark.parametrize(
    ("metric", "before", "after", "found"),
    [
        ("jain", (1, 2, 2), (1, 1, 2), (Fraction(25, 27), Fraction(8, 9))),
        ("min-max", (2, 2, 2), (1, 2, 2), (1, Fraction(1, 2))),
        ("variance", (1, 2, 3), (1, 1, 3), (1, Fraction(4, 3))),
    ],
)
def test_metrics_are_refused_as_norms_with_the_step_that_shows_why(metric, before, after, found) -> None:
    name = metric.replace("-", "_")
    assert (fairness_metrics(before)[name], fairness_metrics(after)[name]) == found
    with pytest.raises(InputError) as error:
        Fairness(metric)
    assert str(error.value).startswith(f"fairness.norm: '{metric}' cannot be optimised, because it is not monotone")
    assert f"from {before} to {after} nobody is worse off" in str(error.value)
    assert "Expected 1, 2, 3, ..., 'max', 'mean' or 'geometric'" in str(error.value)
    assert metric in NOT_MONOTONE


def test_variance_of_one_user_does_not_exist() -> None:
    assert fairness_metrics([3]) == {"jain": 1, "min_max": 1, "variance": None}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Fairness(0), "fairness.norm: found 0; expected 1, 2, 3"),
        (lambda: Fairness(True), "fairness.norm: found True"),
        (lambda: Fairness(1.5), "fairness.norm: found 1.5"),
        (lambda: Fairness(weights=(1,)).bind(SHARED), "fairness.weights: found 1; expected one per user, 2"),
        (lambda: Fairness(weights=(1, 0)).bind(SHARED), r"fairness.weights\[2\]: found 0; expected more than 0"),
        (lambda: Fairness(references=(1, -1)).bind(SHARED), r"fairness.references\[2\]: found -1"),
        (lambda: Fairness(relative_to="zenith", references=(1, 1)), "give relative_to or references, not both"),
    ],
)
def test_bad_functions_are_refused(make, message) -> None:
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize(
    "wrong", [{"norm": "geometrc"}, {"values": "avg"}, {"relative_to": "zentih"}], ids=["norm", "values", "relative_to"]
)
def test_misspelt_names_are_refused(wrong) -> None:
    with pytest.raises(UnknownNameError, match="is not known"):
        Fairness(**wrong)
