"""Faster ways to tabulate a game than one call of ``costs`` per profile, by class of games: references, loaded late.

A model knows no solver, and a table is asked for on a model's floor, so this stands between them.

>>> from consortium.games.normal_form import NormalFormGame
>>> tabulator(NormalFormGame.from_arrays([[0, 1]], sense="cost")) is None
True
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ..support.loading import load_for

if TYPE_CHECKING:
    from ..support.progress import Clock, Progress
    from .normal_form import NormalFormGame

Tabulator: TypeAlias = "Callable[[Any, Progress | None, Clock | None], NormalFormGame | None]"
"""``tabulate(game, progress, clock)``: the game as arrays, ``None`` where it has no faster way for this one."""

TABULATORS: Final[Mapping[str, str]] = MappingProxyType(
    {".games.declaration.game:DeclarationGame": ".games.declaration.table:tabulate"}
)


def tabulator(game: object) -> Tabulator | None:
    """The faster way for games of this class."""
    found: Tabulator | None = load_for(game, TABULATORS)
    return found
