"""Which classes of potential games a game is in, each with what shows it.

>>> from consortium.games.normal_form import NormalFormGame
>>> game = NormalFormGame.from_arrays([[[0, 2], [1, 3]], [[0, 6], [3, 9]]], sense="cost")
>>> {name: verdict.holds for name, verdict in potentials(game).items()}["ordinal"]
True
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from ...support.errors import TooLargeError
from ...support.exact import magnitude
from ...support.progress import Clock, Progress
from ..normal_form import NormalFormGame
from ..protocol import Game, count_profiles
from .differences import exact, weighted
from .orders import acyclic_best_responses, generalized_ordinal, ordinal, weakly_acyclic
from .results import Verdict

MAX_CELLS: Final = 10_000_000
"""Profiles times players: a graph of moves has about twice as many edges."""
BYTES_PER_CELL: Final = 150
DECIDED_BY: Final[Mapping[str, Callable[[NormalFormGame], Verdict]]] = MappingProxyType(
    {
        "exact": exact,
        "weighted": weighted,
        "ordinal": ordinal,
        "generalized_ordinal": generalized_ordinal,
        "weakly_acyclic": weakly_acyclic,
        "acyclic_best_responses": acyclic_best_responses,
    }
)


def potentials(
    game: NormalFormGame, clock: Clock | None = None, progress: Progress | None = None
) -> dict[str, Verdict]:
    """Verdicts by class, in the order of :data:`.results.CLASSES`; fewer when the clock runs out, or on Ctrl-C.

    A potential of one of the first four classes is one of all classes after it, and is told there again.
    Raises TooLargeError before any work.
    """
    check_cells(game)
    found: dict[str, Verdict] = {}
    try:
        for number, (name, decide) in enumerate(DECIDED_BY.items()):
            if clock is not None and clock.expired():
                break
            if progress is not None:
                progress(number, len(DECIDED_BY), "kinds of potential")
            stronger = next((v for v in found.values() if v.holds and v is not found.get("weakly_acyclic")), None)
            found[name] = decide(game) if stronger is None or name == "weighted" else _again(stronger)
    except KeyboardInterrupt:
        pass
    return found


def _again(stronger: Verdict) -> Verdict:
    """The same potential, of a class that asks for less."""
    return Verdict(True, stronger.potential, stronger.unit)


def check_cells(game: Game) -> None:
    """Raise TooLargeError, with the numbers, for a game whose moves are too many for a graph."""
    cells = count_profiles(game) * len(game.players)
    if cells > MAX_CELLS:
        raise TooLargeError(
            f"potential: {magnitude(count_profiles(game))} profiles of {len(game.players)} players; the limit is "
            f"{MAX_CELLS:,} profiles times players, for whose moves a graph fits the memory"
        )
