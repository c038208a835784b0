"""Which placement games the solvers without a table cover; nothing heavy is imported here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...scheduling.cp_sat import LIMIT, OVERFLOW
from ...support.exact import magnitude
from ..results import Coverage
from .best_reply import MAX_SUBSET_JOBS
from .boxes.patterns import MOST, patterns

if TYPE_CHECKING:
    from .game import PlacementGame


def by_cuts(game: PlacementGame) -> Coverage:
    """The constraint search (:mod:`.cuts`): one machine per organization, makespans, work within the solver's range."""
    work = sum(map(sum, game.federation.sizes))
    if _by_loads(game) is None and not within_range(len(game.federation), work):
        return Coverage(
            False,
            f"the organizations' work of {magnitude(work)} units of {game.federation.unit} is beyond the constraint "
            f"solver, which takes up to {most_work(len(game.federation)):,}",
            too_large=True,
        )
    return _by_loads(game) or Coverage(True, "the constraint search needs none")


def within_range(organizations: int, work: int, factor: int = 1) -> bool:
    """Whether the solver can add what the constraints of :mod:`.cuts_model` add, multiplied by ``factor``."""
    return work <= LIMIT and 8 * organizations**2 * (work + 1) * factor < OVERFLOW


def most_work(organizations: int) -> int:
    """The largest work within range."""
    return min(LIMIT, (OVERFLOW - 1) // (8 * organizations**2) - 1)


def by_boxes(game: PlacementGame) -> Coverage:
    """The search over boxes (:mod:`.boxes`): priority to organizations, few ways to split an organization's jobs."""
    if game.rule.priority == "jobs":
        return _by_loads(game) or Coverage(False, "priority to jobs")
    hosts = len(game.federation)
    for name, row in zip(game.players, game.federation.sizes, strict=True):
        if game.single and patterns(tuple(sorted(row)), hosts - 1) is None:
            why = f"the {len(row)} jobs of {name!r} can be split among {hosts} hosts in more than {MOST:,} ways"
            return Coverage(False, why, too_large=True)
    return _by_loads(game) or Coverage(True, "the search over boxes of home loads needs none")


def by_home_loads(game: PlacementGame) -> Coverage:
    """The search over home loads (:mod:`.home_loads`): priority to organizations as well."""
    if game.rule.priority == "jobs":
        return _by_loads(game) or Coverage(False, "priority to jobs")
    return _by_loads(game) or Coverage(True, "the search over home loads needs none")


MAX_DEVIATIONS = 100_000
"""Placements of one organization's jobs that are tried to check an equilibrium; some seconds."""


def by_dynamics(game: PlacementGame) -> Coverage:
    """Best-response dynamics and bounds (:mod:`.met`): every game."""
    return Coverage(True, "best-response dynamics and bounds, which need none, leave open what they do not prove")


def playable(game: PlacementGame) -> bool:
    """Whether best responses can be found, and checked without a solver, in a reasonable time.

    With one machine each and makespans both pack jobs; elsewhere they go through an organization's placements.
    """
    most = max(map(len, game.federation.sizes))
    return game.single or (most <= MAX_SUBSET_JOBS and len(game.federation) ** most <= MAX_DEVIATIONS)


def _by_loads(game: PlacementGame) -> Coverage | None:
    """Why costs are more than sums of loads, ``None`` when they are not."""
    if game.single:
        return None
    return Coverage(False, "sums of completion times" if game.total else "several machines per organization")
