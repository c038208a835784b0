"""All equilibria of a placement game whose social cost lies in a window, one by one, from the tree of boxes.

Equilibria are told apart by loads, that is by how much work every organization places on every host: what anybody pays,
or could pay alone or with others, depends on nothing else.

>>> from consortium.agents.organizations import Federation
>>> from consortium.games.placement.game import PlacementGame
>>> list(equilibria(PlacementGame(Federation.of([[2], [1]])), 0, 3))
[((0,), (1,)), ((1,), (0,))]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from ....support.progress import Clock, Progress
from ...protocol import Profile
from ..placements import with_loads
from .patterns import splits
from .state import Window
from .tree import FOUND, FULL, UNFINISHED
from .walk import Walk

if TYPE_CHECKING:
    from ..game import PlacementGame

NODES: Final = 20_000
"""Nodes between two looks at how much has been done."""


class TooManyError(Exception):
    """There are more nodes than were allowed."""


def equilibria(
    game: PlacementGame,
    least: int,
    most: int,
    clock: Clock | None = None,
    progress: Progress | None = None,
    nodes: int | None = None,
) -> Iterator[Profile]:
    """One placement for all equilibria with the same loads, social costs from ``least`` to ``most`` units.

    Raises :class:`.walk.Stopped` when the clock runs out, :class:`TooManyError` after so many nodes. The game is one
    that :func:`..coverage.by_boxes` covers.
    """
    sizes = tuple(game.federation.sizes[k] for k in game.by_priority)
    walk = Walk(splits(sizes, np.int64 if game.compiled else object), game.compiled, clock or Clock(None), progress)
    walk.start(Window(least, most, -1, 0, every=True))
    while walk.ended == UNFINISHED:
        if nodes is not None and walk.nodes >= nodes:
            raise TooManyError
        if walk.go(NODES) == FOUND:
            yield placed(game, walk.loads)
            walk.resume()
    if walk.ended == FULL:
        raise TooManyError


def placed(game: PlacementGame, loads: Sequence[Sequence[int]]) -> Profile:
    """The first placement with these loads: what every organization places on every host, both by priority."""
    profile: list[tuple[int, ...]] = [()] * len(game.by_priority)
    for k, row in zip(game.by_priority, loads, strict=True):
        own = [0] * len(row)
        for host, load in zip(game.by_priority, row, strict=True):
            own[host] = load
        profile[k] = next(with_loads(game.federation.sizes[k], tuple(own)))
    return tuple(profile)
