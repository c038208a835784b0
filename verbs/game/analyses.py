"""What ``search`` answers besides pure equilibria when it is asked to: one :class:`Analysis` for each.

``check`` and ``--dry-run`` reach its proofs and its cost through the same entry. A time limit is shared: the pure
search and every analysis get equal parts of what is left when their turn comes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ...games.protocol import Game
from ...games.results import SearchResult
from ...support.errors import InputError
from ...support.loading import load
from ...support.progress import Clock, Progress
from .options import BEST_RESPONSE, Search

if TYPE_CHECKING:
    from .search import Setup


@dataclass(frozen=True)
class Analysis:
    """An analysis that ``search`` makes when it is asked to; its parts are references into the module that knows it.

    Attributes
    ----------
    option
        Of the options, what asks for it.
    field
        Of the record, where the answer stands.
    answer
        Reference to ``(setup, options, result, clock, progress) -> (row, complete)``: a row of the record, and whether
        it covers all that was asked. ``result``: what the search for pure equilibria has found.
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


ANALYSES: Final[tuple[Analysis, ...]] = (
    Analysis(
        "coalitions",
        "coalitions",
        ".verbs.game.coalitions:answer",
        ".verbs.game.coalitions:predicted_cost",
        proofs=".verbs.game.analysis_proofs:prove_coalitions",
        details=("notion",),
    ),
    Analysis(
        "correlated",
        "correlated",
        ".verbs.game.correlated:answer",
        ".verbs.game.correlated:cost",
        proofs=".verbs.game.analysis_proofs:prove_correlated",
    ),
    Analysis(
        "dynamics",
        "dynamics",
        ".verbs.game.learning:answer",
        ".verbs.game.learning:predicted_cost",
        details=("rounds", "seed"),
    ),
    Analysis(
        "potential",
        "potential",
        ".verbs.game.potential:answer",
        ".verbs.game.potential:predicted_cost",
    ),
    Analysis(
        "quantal",
        "quantal",
        ".verbs.game.mixed:answer",
        ".verbs.game.mixed:cost",
    ),
)
"""In the order in which they are answered."""
MIXED_COST: Final = ".verbs.game.mixed:mixed_cost"
"""Reference to ``(game) -> (seconds, bytes)`` of mixed equilibria, which the search itself answers."""


def chosen_analyses(options: Search) -> list[Analysis]:
    """The analyses that are asked for."""
    return [analysis for analysis in ANALYSES if getattr(options, analysis.option) not in (None, False, BEST_RESPONSE)]


def first_part(options: Search) -> float | None:
    """Seconds for the search for pure equilibria; ``None`` without a limit."""
    return None if options.time_limit is None else options.time_limit / (1 + len(chosen_analyses(options)))


def answers(
    setup: Setup,
    options: Search,
    result: SearchResult,
    clock: Clock,
    progress: Progress | None,
    stopped: Callable[[], bool],
) -> dict[str, tuple[Any, bool]]:
    """Answers by field of the record.

    ``clock`` is that of the whole verb; analyses whose turn comes after Ctrl-C (``stopped``) have no time left.
    """
    chosen, by_field = chosen_analyses(options), dict[str, tuple[Any, bool]]()
    for place, analysis in enumerate(chosen):
        left = 0.0 if stopped() else clock.left()
        own = Clock(None if left is None else left / (len(chosen) - place))
        by_field[analysis.field] = load(analysis.answer)(setup, options, result, own, progress)
    return by_field


def predicted_cost(game: Game, options: Search) -> tuple[float, int]:
    """Seconds and bytes of all analyses, beside the search for pure equilibria.

    Raises InputError for a detail of an analysis that is not asked for.
    """
    _check_details(options)
    costs = [load(analysis.cost)(game, options) for analysis in chosen_analyses(options)]
    if options.mixed:
        costs.append(load(MIXED_COST)(game))
    return sum(seconds for seconds, _ in costs), max((memory for _, memory in costs), default=0)


def _check_details(options: Search) -> None:
    chosen = chosen_analyses(options)
    for analysis in ANALYSES:
        for name in analysis.details:
            if analysis not in chosen and name in options.model_fields_set:
                problem = f"{name}: found {getattr(options, name)!r}, which nothing uses"
                raise InputError(f"{problem}; expected a value of {analysis.option} that does")
