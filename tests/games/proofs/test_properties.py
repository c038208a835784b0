"""Properties of one's own: proved for all positive numbers, or refuted at a point that plain fractions confirm."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from consortium import InputError, MechanismError
from consortium.games.proofs.properties import UnmetError, prove_property, require
from consortium.games.proofs.questions import Lengths
from consortium.games.proofs.symbols import NotPiecewiseLinear
from consortium.mechanisms.declaration import build, play
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import Makespan

GRID = [Fraction(n, 2) for n in range(1, 9)]


def random_property(rng: np.random.Generator) -> Any:
    """Requirements that compare random forms, in nested branches."""
    rows = rng.integers(-3, 4, size=(4, 4))

    def form(k: int, x: Any, y: Any, z: Any) -> Any:
        return int(rows[k][0]) + int(rows[k][1]) * x + int(rows[k][2]) * y + int(rows[k][3]) * z

    def check(x: Any, y: Any, z: Any) -> None:
        largest = max(form(0, x, y, z), form(1, x, y, z))
        if form(2, x, y, z) < 0:
            require(largest >= form(3, x, y, z), "below")
        elif x + y == z:
            require(largest != 3, "on the line")
        else:
            require(largest <= 40 * (x + y + z) + 3, "above")

    return check


def failing(function: Any, point: tuple[Fraction, ...]) -> str | None:
    try:
        function(*point)
    except UnmetError as unmet:
        return str(unmet)
    return None


def test_random_properties_agree_with_every_point_of_a_grid() -> None:
    rng, seen = np.random.default_rng(11), set()
    for _ in range(60):
        function = random_property(rng)
        found = prove_property(function, up_to=4)
        seen.add(found.status)
        if found.holds:
            assert not any(failing(function, point) for point in itertools.product(GRID, repeat=3))
        else:
            assert failing(function, tuple(found.failure.point.values())) == found.failure.text
            assert all(0 < x <= 4 for x in found.failure.point.values())
    assert seen == {"proved", "refuted"}


def test_a_property_of_a_mechanism() -> None:
    rule = build("evcg-postpone", Cluster.of([1, 2]), Makespan())

    def nobody_is_paid(b1: Any, b2: Any, b3: Any) -> None:
        require(all(p >= 0 for p in play(rule, (b1, b2, b3), (b1, b2, b3)).payments), "somebody is paid")

    assert prove_property(nobody_is_paid).holds

    def late(b: Any, other: Any, x: Any) -> None:
        planned, run = (play(rule, (b, other), (length, other)).output[0] for length in (b, x))
        require(run <= planned, "later than planned")

    found = prove_property(late, ["b", "b2", "x"])
    assert found.failure.point["x"] > found.failure.point["b"]


def test_numbers_are_named_counted_or_read_from_the_function() -> None:
    def least(*numbers: Any) -> None:
        require(min(numbers) < 3, "all large")

    found = prove_property(least, 3)
    assert list(found.failure.point) == ["x1", "x2", "x3"]
    assert prove_property(least, 2, up_to=2).holds
    inside = prove_property(least, ["a"], numbers=Lengths(Fraction(1), Fraction(2)))
    assert (inside.holds, inside.scope) == (True, "a: all numbers from 1 to 2")
    for wrong in (0, [], ["a", "a"]):
        with pytest.raises(InputError, match="symbols: found"):
            prove_property(least, wrong)


def test_numbers_that_are_refused_are_not_judged() -> None:
    def small(x: Any) -> None:
        if x > 5:
            raise InputError("too large")
        require(x <= 5, "never")

    assert prove_property(small).holds


def test_limits_leave_it_open() -> None:
    def many(*numbers: Any) -> None:
        require(sorted(numbers)[0] <= sorted(numbers)[-1], "never")

    stopped = prove_property(many, 4, max_cells=5)
    assert (stopped.holds, stopped.status, stopped.limit, stopped.cells) == (None, "open", "cells", 5)
    assert prove_property(many, 4, time_limit=0).limit == "time"
    assert prove_property(many, 4).holds


def test_what_is_out_of_reach_is_refused_with_its_line() -> None:
    def product(x: Any, y: Any) -> None:
        require(x * y > 0, "a product")

    with pytest.raises(NotPiecewiseLinear, match="a product of two symbolic numbers") as refused:
        prove_property(product)
    assert f"test_properties.py:{product.__code__.co_firstlineno + 1}: " in str(refused.value)


def test_a_function_that_remembers_is_found_out() -> None:
    calls: list[int] = []

    def counting(x: Any) -> None:
        calls.append(1)
        require(len(calls) % 2 == 1, "every second time")

    with pytest.raises(MechanismError, match="two answers for the same numbers"):
        prove_property(counting)
