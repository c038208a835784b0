"""The plane of two lengths, against the definition of an equilibrium at random points of it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from consortium.games.placement.all_lengths import plane as module
from consortium.games.placement.all_lengths.plane import Area, Polygon, plane, usual
from consortium.games.placement.all_lengths.shapes import Shape
from consortium.support.progress import Clock

from .reference import Shape as Reference

PLANES: list[tuple[tuple[int, ...], Any, Any]] = [
    ((2, 1, 1), None, [["x", 1], ["y"], [Fraction(3, 2)]]),
    ((2, 2, 1), None, [[Fraction(7, 3), "x"], ["y", 1], [2]]),
    ((2, 2, 1), ((1, 3), (2, 4), (5,)), [["x", 2], ["y", 3], [1]]),
    ((3, 1, 0), ((4, 1, 2), (3,), ()), [["x", "y", 1], [2], []]),
    ((3, 2), None, [[3, "x", "y"], [4, 3]]),
    ((2,), None, [["x", "y"]]),
]


def holds(polygon: Polygon, x: Fraction, y: Fraction) -> bool:
    """Whether a point is strictly inside."""
    ends = zip(polygon, [*polygon[1:], polygon[0]], strict=True)
    turns = [(u - a) * (y - b) - (v - b) * (x - a) for (a, b), (u, v) in ends]
    return min(turns) > 0 or max(turns) < 0


def share(areas: list[Area]) -> Fraction:
    return sum((area.share for area in areas), Fraction(0))


@pytest.mark.parametrize(("jobs", "ranks", "rows"), PLANES)
def test_areas_hold_what_is_an_equilibrium_by_definition(jobs: Any, ranks: Any, rows: Any) -> None:
    """At random points, corners and middles of sides: each belongs to one area at most, whose placement stays there."""
    areas, game, rng = plane(Shape(jobs, ranks), rows), Reference(jobs, ranks), np.random.default_rng(3)
    assert share(areas) == 1
    assert all(area.hosts is not None for area in areas) == (ranks is None or jobs != (2, 2, 1))
    corners = [corner for area in areas for polygon in area.polygons for corner in polygon]
    end = max(max(corner) for corner in corners)
    points = [(end * int(a) / 999, end * int(b) / 997) for a, b in rng.integers(1, 997, (60, 2))]
    for x, y in [*points, *corners]:
        lengths = [{"x": x, "y": y}.get(value, value) for row in rows for value in row]
        around = [area for area in areas for polygon in area.polygons if holds(polygon, x, y)]
        assert len(around) <= 1
        for area in around or [area for area in areas if any((x, y) in polygon for polygon in area.polygons)]:
            if area.hosts is not None:
                assert game.stays(lengths, area.hosts)
            elif around:
                assert not game.equilibria(lengths)


def test_small_differences_do_not_matter_far_away() -> None:
    """Whatever is true at the edge of the plane is so beyond it, if the free lengths grow together."""
    jobs, rows = (2, 2, 2), [["x", 1], ["y", 1], [2, 1]]
    areas, game = plane(Shape(jobs), rows), Reference(jobs)
    end = max(x for area in areas for polygon in area.polygons for x, _ in polygon)
    (corner,) = [area for area in areas if any((end, end) in polygon for polygon in area.polygons)]
    assert corner.hosts is not None
    assert all(game.stays([far, 1, far + 1, 1, 2, 1], corner.hosts) for far in (end, 10 * end, 1000 * end))


def test_what_is_not_looked_at_is_not_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    shape, rows = Shape((2, 2, 1), ((1, 3), (2, 4), (5,))), [["x", 2], ["y", 3], [1]]
    assert plane(shape, rows, Clock(0)) == []
    whole = plane(shape, rows)
    for limit in ("PARTS", "MOST_PLACEMENTS"):
        with monkeypatch.context() as patch:
            patch.setattr(module, limit, 2)
            part = plane(shape, rows)
        assert 0 < share(part) < 1
        assert all(area.hosts is not None for area in part)
    huge = [[Fraction(10**30), "x"], ["y", 3], [1]]
    assert plane(shape, huge) == []
    calls = []

    def stopped(done: int, total: int | None, note: str = "") -> None:
        calls.append(note)
        if len(calls) == 2:
            raise KeyboardInterrupt

    part = plane(shape, rows, progress=stopped)
    assert [area.polygons for area in part if area.hosts is not None] == [area.polygons for area in whole[:2]]


def test_two_lengths_are_free() -> None:
    assert usual([[2, 1], [], [5, 4]]) == [["x", 1], [], ["y", 4]]
    assert usual([[], [3, 2, 1]]) == [[], ["x", "y", 1]]
    assert usual([[1], []]) is None
