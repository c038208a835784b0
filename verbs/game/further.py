"""What ``search`` answers besides pure equilibria when it is asked to: one :class:`.topic.Topic` for each question.

A topic is a table of references into the module of this folder that knows it. Its option asks for it, its field of the
record is the answer, and ``check`` and ``--dry-run`` reach its proofs and its cost through the same entry.
A time limit is shared: the pure search and every topic get equal parts of what is left when their turn comes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ...games.protocol import Game
from ...games.results import SearchResult
from ...support.errors import InputError
from ...support.loading import load
from ...support.progress import Clock, Progress
from .mixed import mixed_cost
from .options import BEST_RESPONSE, Search
from .topic import Answer, Asking, Topic

if TYPE_CHECKING:
    from .search import Posed


TOPICS: Final[tuple[Topic, ...]] = (
    Topic(
        "coalitions",
        "coalitions",
        ".verbs.game.coalitions:answer",
        ".verbs.game.coalitions:predicted_cost",
        proofs=".verbs.game.coalitions_proofs:prove",
        details=("notion",),
    ),
    Topic(
        "correlated",
        "correlated",
        ".verbs.game.correlated:answer",
        ".verbs.game.correlated:cost",
        proofs=".verbs.game.correlated_proofs:prove",
    ),
    Topic(
        "dynamics",
        "dynamics",
        ".verbs.game.learning:answer",
        ".verbs.game.learning:predicted_cost",
        details=("rounds", "seed"),
    ),
    Topic(
        "potential",
        "potential",
        ".verbs.game.potential:answer",
        ".verbs.game.potential:predicted_cost",
    ),
    Topic(
        "quantal",
        "quantal",
        ".verbs.game.quantal:answer",
        ".verbs.game.quantal:cost",
    ),
)
"""In the order in which they are answered."""


def topics(options: Search) -> list[Topic]:
    """The questions that are asked."""
    return [topic for topic in TOPICS if getattr(options, topic.option) not in (None, False, BEST_RESPONSE)]


def first_part(options: Search) -> float | None:
    """Seconds for the search for pure equilibria; ``None`` without a limit."""
    return None if options.time_limit is None else options.time_limit / (1 + len(topics(options)))


def answers(
    posed: Posed,
    options: Search,
    result: SearchResult,
    clock: Clock,
    progress: Progress | None,
    stopped: Callable[[], bool],
) -> dict[str, Answer]:
    """Answers by field of the record.

    ``clock`` is that of the whole verb; topics whose turn comes after Ctrl-C (``stopped``) have no time left.
    """
    asked, found = topics(options), dict[str, Answer]()
    for place, topic in enumerate(asked):
        left = 0.0 if stopped() else clock.left()
        own = Clock(None if left is None else left / (len(asked) - place))
        found[topic.field] = load(topic.answer)(Asking(posed, options, result, own, progress))
    return found


def predicted_cost(game: Game, options: Search) -> tuple[float, int]:
    """Seconds and bytes of all that is asked, beside the search for pure equilibria.

    Raises InputError for a detail of a question that is not asked.
    """
    _check_details(options)
    costs = [load(topic.cost)(game, options) for topic in topics(options)]
    if options.mixed:
        costs.append(mixed_cost(game))
    return sum(seconds for seconds, _ in costs), max((memory for _, memory in costs), default=0)


def _check_details(options: Search) -> None:
    asked = topics(options)
    for topic in TOPICS:
        for name in topic.details:
            if topic not in asked and name in options.model_fields_set:
                found = f"{name}: found {getattr(options, name)!r}, which nothing uses"
                raise InputError(f"{found}; expected a value of {topic.option} that does")
