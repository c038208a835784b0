"""Which placement games the solvers without a table cover; nothing heavy is imported here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..results import Coverage

if TYPE_CHECKING:
    from .game import PlacementGame


def by_cuts(game: PlacementGame) -> Coverage:
    """The constraint search (:mod:`.cuts`): one machine per organization and makespans."""
    return _by_loads(game) or Coverage(True, "the constraint search needs none")


def by_home_loads(game: PlacementGame) -> Coverage:
    """The search over home loads (:mod:`.home_loads`): priority to organizations as well."""
    if game.rule.priority == "jobs":
        return _by_loads(game) or Coverage(False, "priority to jobs")
    return _by_loads(game) or Coverage(True, "the search over home loads needs none")


def _by_loads(game: PlacementGame) -> Coverage | None:
    """Why costs are more than sums of loads, ``None`` when they are not."""
    if game.single:
        return None
    return Coverage(False, "sums of completion times" if game.total else "several machines per organization")
