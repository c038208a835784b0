"""The plane of two lengths that ``prove`` draws: which are free, what the others are, and who is where in it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final

from ...games.placement.all_lengths.plane import Rows, plane, usual
from ...games.placement.all_lengths.shapes import Shape
from ...scenarios.any_lengths import ShapeSpec
from ...support.errors import InputError
from ...support.exact import Rational
from ...support.progress import Clock, Progress
from .options import AUTO, SHAPE_PROPERTIES
from .records import AreaRow, PlaneRow

QUICK: Final = 300
"""Placements of one organization's jobs, at most, in a plane that nobody chose."""


def asked_lengths(
    spec: ShapeSpec, chosen: str | Rows | None, name: str, game: Sequence[Sequence[Rational]] | None = None
) -> Rows | None:
    """Lengths of each organization as listed, two of them free; ``None`` where no plane is asked for, or none is usual.

    Of ``game``, or small lengths, where nobody says which. Raises InputError for lengths that are no game of the shape,
    the longest first, and where nobody chooses a place.
    """
    existence, ratio = SHAPE_PROPERTIES[0], SHAPE_PROPERTIES[-1]
    if chosen is None or chosen == AUTO:
        large = len(spec.jobs) ** max(spec.jobs) > QUICK
        lengths = [[Fraction(k) for k in range(count, 0, -1)] for count in spec.jobs]
        return None if chosen is None or large or name != existence else usual(game or lengths)
    assert not isinstance(chosen, str)
    if name == ratio:
        raise InputError(f"plane: found lengths together with property {name!r}; expected a property of equilibria")
    if tuple(map(len, chosen)) != spec.jobs:
        counts = ", ".join(map(str, spec.jobs))
        raise InputError(
            f"plane: found {text(chosen)}; expected lengths of {counts} jobs, organization by organization"
        )
    for row in chosen:
        fixed = [value for value in row if isinstance(value, Fraction)]
        if any(a < b for a, b in pairwise(fixed)):
            raise InputError(f"plane: found {text([row])} for an organization; expected the longest job first")
    return chosen


def text(rows: Rows) -> str:
    """Lengths as the option is written.

    >>> text([["x", 1], ["y"]])
    'x, 1; y'
    """
    return "; ".join(", ".join(map(str, row)) for row in rows)


def plane_row(spec: ShapeSpec, shape: Shape, rows: Rows, clock: Clock, progress: Progress | None) -> PlaneRow:
    """Which placement is an equilibrium where."""
    order, names = spec.by_priority, spec.names
    areas = []
    for area in plane(shape, [rows[k] for k in order], clock, progress):
        placement = None
        if area.hosts is not None:
            hosts = [names[order[host]] for host in area.hosts]
            rows_of = {names[order[a]]: hosts[i:end] for a, (i, end) in enumerate(pairwise(shape.starts))}
            placement = {name: rows_of[name] for name in names}
        areas.append(AreaRow(placement=placement, share=area.share, polygons=area.polygons))
    return PlaneRow(lengths=dict(zip(names, rows, strict=True)), areas=tuple(areas))
