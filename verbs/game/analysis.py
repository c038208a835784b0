"""An analysis of ``search`` besides pure equilibria: where its answer stands, what it is about, what it answers.

They are listed in :mod:`.analyses`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...games.normal_form import MAX_BYTES, NormalFormGame
from ...games.protocol import Game
from ...games.results import SearchResult
from ...support.progress import Clock, Progress
from .options import Search

if TYPE_CHECKING:
    from .search import Setup


def table_limit(options: Search) -> int:
    """Bytes that a table of all profiles may take."""
    return MAX_BYTES if options.max_bytes is None else options.max_bytes


@dataclass(frozen=True)
class Analysis:
    """An analysis that ``search`` makes when it is asked to.

    Attributes
    ----------
    option
        Of the options, what asks for it.
    field
        Of the record, where the answer stands.
    answer
        Reference to ``(Asking) -> Answer``.
    cost
        Reference to ``(game, options) -> (seconds, bytes)``, predicted.
    details
        Options that mean nothing without it.
    proofs
        Reference to ``(claim, proofs) -> Comparisons``: what a certificate in the answer proves, where ``claim`` is the
        field of the record and ``proofs`` the :class:`.proofs.Proofs` of all of it (game, options, reader of profiles,
        clock, and what was proved before); empty where it has none and is only asked again.
    """

    option: str
    field: str
    answer: str
    cost: str
    details: tuple[str, ...] = ()
    proofs: str = ""


@dataclass(frozen=True)
class Answer:
    """What an analysis found: a row of the record, and whether it covers all that was asked."""

    row: Any
    complete: bool


@dataclass(frozen=True)
class Task:
    """What an analysis is about.

    Attributes
    ----------
    setup
        The game, and how its outcomes are written.
    options
        All options of the verb.
    result
        What the search for pure equilibria has found.
    clock, progress
        The analysis' part of the time, and the receiver of progress reports.
    """

    setup: Setup
    options: Search
    result: SearchResult
    clock: Clock
    progress: Progress | None

    @property
    def game(self) -> Game:
        """The game."""
        return self.setup.game

    @cached_property
    def arrays(self) -> NormalFormGame:
        """The table of all profiles. Raises TooLargeError, or TimeoutError when the clock runs out."""
        most = table_limit(self.options)
        return NormalFormGame.from_game(self.game, max_bytes=most, progress=self.progress, clock=self.clock)
