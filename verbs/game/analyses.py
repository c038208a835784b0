"""What ``search`` answers besides pure equilibria when it is asked to: one :class:`.analysis.Analysis` for each.

An analysis is a table of references into the module of this folder that knows it. Its option asks for it, its field of
the record is the answer, and ``check`` and ``--dry-run`` reach its proofs and its cost through the same entry. A time
limit is shared: the pure search and every analysis get equal parts of what is left when their turn comes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ...games.protocol import Game
from ...games.results import SearchResult
from ...support.errors import InputError
from ...support.loading import load
from ...support.progress import Clock, Progress
from .analysis import Analysis, Answer, Task
from .options import BEST_RESPONSE, Search

if TYPE_CHECKING:
    from .search import Setup


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
) -> dict[str, Answer]:
    """Answers by field of the record.

    ``clock`` is that of the whole verb; analyses whose turn comes after Ctrl-C (``stopped``) have no time left.
    """
    chosen, by_field = chosen_analyses(options), dict[str, Answer]()
    for place, analysis in enumerate(chosen):
        left = 0.0 if stopped() else clock.left()
        own = Clock(None if left is None else left / (len(chosen) - place))
        by_field[analysis.field] = load(analysis.answer)(Task(setup, options, result, own, progress))
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
