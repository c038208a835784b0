"""``search --potential``: which classes of potential games a game is in, with the potential or what refutes it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ...games.equilibria.potential.classify import BYTES_PER_CELL, DECIDED_BY, check_cells, potentials
from ...games.equilibria.potential.differences import Verdict
from ...games.normal_form import NormalFormGame, table_bytes
from ...games.protocol import Game, Profile, count_profiles
from ...games.results import SearchResult
from ...support.progress import Clock, Progress
from ..costs import MOVE_CELL
from .options import Search
from .records import ClassRow, PotentialRow, ValueRow, WitnessRow

if TYPE_CHECKING:
    from .search import Setup


def answer(
    setup: Setup, options: Search, result: SearchResult, clock: Clock, progress: Progress | None
) -> tuple[Any, bool]:
    """The classes decided in time. Raises TooLargeError for a game whose moves are too many."""
    check_cells(setup.game)
    try:
        game = setup.table(options, clock, progress)
    except (KeyboardInterrupt, TimeoutError):
        return None, False
    verdicts = potentials(game, clock, progress)
    rows = {name: row(verdicts[name], game, setup, options) if name in verdicts else None for name in DECIDED_BY}
    return PotentialRow(**rows), len(verdicts) == len(DECIDED_BY)


def row(verdict: Verdict, game: NormalFormGame, setup: Setup, options: Search) -> ClassRow:
    """A verdict as records write it, with as much of the potential as lists may have."""

    def written(number: int) -> Any:
        return setup.profile(game.profile(number))

    if verdict.holds:
        size = count_profiles(game)
        listed = range(size if options.list is None else min(size, options.list))
        values = {game.profile(n): verdict.value(n) for n in listed}
        return ClassRow(holds=True, witness=shown_potential(setup, values, verdict.weights, size - len(listed)))
    cycles = tuple(tuple(map(written, ring)) for ring in verdict.cycles) or None
    trap = None if verdict.trap is None else written(verdict.trap)
    return ClassRow(holds=False, witness=WitnessRow(cycles=cycles, trap=trap))


def shown_potential(
    setup: Setup, values: Mapping[Profile, Fraction], weights: tuple[Fraction, ...] | None, left_out: int = 0
) -> WitnessRow:
    """A potential as records write it: of payoffs where the game is given in these."""
    sign = -1 if setup.sense == "payoff" else 1
    return WitnessRow(
        weights=None if weights is None else dict(zip(setup.game.players, weights, strict=True)),
        potential=tuple(ValueRow(profile=setup.profile(p), value=sign * value) for p, value in values.items()),
        potential_left_out=left_out or None,
    )


def predicted_cost(game: Game, options: Search) -> tuple[float, int]:
    """Seconds and bytes of all classes. Raises TooLargeError for a game whose moves are too many."""
    check_cells(game)
    cells = count_profiles(game) * len(game.players)
    return cells * MOVE_CELL, table_bytes(game) + cells * BYTES_PER_CELL
