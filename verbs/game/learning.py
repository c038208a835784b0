"""``search --dynamics RULE`` of rules that learn: the play, and what it was worth."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from ...games.dynamics import default_profile
from ...games.equilibria.learning.lines import HasLines
from ...games.equilibria.learning.play import INERTIA, check_rule, play
from ...games.equilibria.learning.regrets import Play, Regrets, average_social_cost, regrets_of
from ...games.normal_form import COMFORTABLE, NormalFormGame, table_bytes
from ...games.protocol import Game, count_strategies
from ...games.results import SearchResult
from ...support.errors import TooLargeError
from ...support.progress import Clock, Progress
from ..costs import LEARNING_ROUND, LINE_CELL, PLACED_PROFILE, REPLY
from .options import Search
from .records import LearningRow, PlayRow

if TYPE_CHECKING:
    from .search import Setup

COUNTING: Final = 5.0
"""Seconds in which regrets are counted up although the time limit has passed."""


def answer(
    setup: Setup, options: Search, result: SearchResult, clock: Clock, progress: Progress | None
) -> tuple[Any, bool]:
    """The rounds that were played in time. Raises TooLargeError for a rule that is not for so many strategies."""
    check_rule(setup.game, options.dynamics)
    try:
        game = setup.table(options, clock, progress) if tabulated(setup.game) else setup.game
    except (KeyboardInterrupt, TimeoutError):
        return None, False
    start = default_profile(setup.game) if setup.start is None else tuple(setup.start)
    played = play(game, options.dynamics, start, options.rounds, options.seed, clock=clock, progress=progress)
    left = clock.left()
    regrets = counted(game, played, Clock(None if left is None else max(left, COUNTING)))
    return row(setup, game, played, regrets, options.list), played.complete and regrets is not None


def tabulated(game: Game) -> bool:
    """Whether the table of all profiles is small enough to be made for this."""
    return isinstance(game, NormalFormGame) or table_bytes(game) <= COMFORTABLE


def counted(game: Game, played: Play, clock: Clock) -> tuple[Regrets | None, ...] | None:
    """Everybody's regrets, each ``None`` where strategies are too many to list; ``None`` where time was up."""
    try:
        return regrets_of(game, played.counts, clock)
    except TooLargeError:
        return (None,) * len(game.players)
    except (KeyboardInterrupt, TimeoutError):
        return None


def row(
    setup: Setup, game: Game, played: Play, regrets: tuple[Regrets | None, ...] | None, limit: int | None = None
) -> LearningRow:
    """Play as records write it, with at most ``limit`` profiles listed."""
    listed = [PlayRow(profile=setup.profile(profile), count=n) for profile, n in played.counts.items()][:limit]
    regrets = regrets or (None,) * len(game.players)
    sign, word = (-1, "average_social_welfare") if setup.sense == "payoff" else (1, "average_social_cost")
    # what a kind writes in another form than a number has no average
    worth = {} if setup.social else {word: sign * average_social_cost(game, played.counts)}
    each = {} if setup.social else {p: sign * average_social_cost(game, {p: 1}) for p in played.counts}
    return LearningRow(
        start=setup.profile(played.trail[0]),
        rule=played.rule,
        rounds=len(played.trail),
        plays=tuple(listed),
        plays_left_out=len(played.counts) - len(listed) or None,
        last=setup.profile(played.trail[-1]),
        external_regret={p: None if r is None else r.external for p, r in zip(game.players, regrets, strict=True)},
        internal_regret={p: None if r is None else r.internal for p, r in zip(game.players, regrets, strict=True)},
        social=tuple(each[p] for p in played.trail) if each else (),
        **worth,
    )


def predicted_cost(game: Game, options: Search) -> tuple[float, int]:
    """Seconds and bytes of the rounds asked for. Raises TooLargeError for a rule that is not for so many strategies."""
    check_rule(game, options.dynamics)
    players = range(len(game.players))
    rounds, width = options.rounds, sum(count_strategies(game, player) for player in players)
    seconds = rounds * len(players) * LEARNING_ROUND
    if tabulated(game):
        return seconds + rounds * width * LINE_CELL, table_bytes(game)
    if isinstance(game, HasLines):  # then best responses are quick as well
        return seconds + rounds * (width * PLACED_PROFILE if options.dynamics != INERTIA else len(players) * REPLY), 0
    return seconds + rounds * width * seconds_of(game), 0


def seconds_of(game: Game) -> float:
    """Seconds of one profile, the second time: the first one may load and compile."""
    here = default_profile(game)
    game.costs(here)
    began = time.process_time()
    game.costs(here)
    return time.process_time() - began
