"""``search``: the record of a game's equilibria, shared by every kind, and searches on games that are no scenarios.

A user's own object with the :class:`consortium.games.protocol.Game` protocol, numpy payoff arrays, or a Gambit ``.nfg``
file go through the same solvers as scenarios do.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from ...games.dynamics import STARTS
from ...games.normal_form import NormalFormGame, table_bytes
from ...games.protocol import Game, Outcome, check_game, count_profiles, count_strategies
from ...games.registry import methods
from ...games.results import SearchResult
from ...games.search import search as search_equilibria
from ...games.search import unsearched
from ...mechanisms.custom import Named, call
from ...support.errors import InputError
from ...support.interrupts import noticed
from ...support.numbers import Floats
from ...support.progress import Clock, Progress
from ..costs import GAME, TABLE_CELL, predicted
from ..records import Estimate
from .analyses import answers, chosen_analyses, mixed_row, plan, seconds_of
from .options import DRAWN, Search
from .records import ApproximateRow, BoundsRow, EquilibriaRow, SearchRecord
from .setup import Setup

DYNAMICS: Final = "dynamics"
"""The method of games whose table is too large."""
PASSES: Final = 5
"""So often every strategy is tried in a run of best responses, and to check where it ended."""


def search(source: Any, options: Search, progress: Progress | None = None) -> SearchRecord:
    """Search any game: an object with the ``Game`` protocol, or payoff arrays, one per player."""
    setup = setup_of(source, options)
    _, fields = searched(setup, options, progress)
    return SearchRecord(kind="game", scenario=label_of(source), game=setup.game, **fields)


def estimate(source: Any, options: Search) -> Estimate:
    """Size of the space, and the method that would be used: ``--dry-run`` of a game that is no scenario."""
    game = as_game(source, options.floats)
    planned, size = plan(game, options), count_profiles(game)
    size_only = Estimate("search", "game", label_of(source), size, "profiles", note=planned.note)
    (seconds, memory), tried = planned.cost, 0
    if planned.method == DYNAMICS:
        tried = STARTS * PASSES * sum(count_strategies(game, player) for player in range(len(game.players)))
    elif planned.method is not None:
        tried, memory = size, max(memory, table_bytes(game))
        seconds += size * (len(game.players) + 1) * TABLE_CELL
    # of arrays there is nothing to fill
    timed = 0.0 if isinstance(game, NormalFormGame) else tried * seconds_of(game)
    if options.time_limit is not None:
        seconds, timed = min(seconds, options.time_limit), min(timed, options.time_limit)
    return predicted(size_only, GAME, seconds, memory, timed)


def setup_of(source: Any, options: Search) -> Setup:
    """The game that is asked about; a profile is a table by player."""
    game = as_game(source, options.floats)
    players = tuple(game.players)
    return Setup(game, in_order(options.start, players), lambda profile: dict(zip(players, profile, strict=True)))


def label_of(source: Any) -> str | None:
    """What a record calls a game of one's own: where it comes from, or its title, if it has one."""
    if isinstance(source, str | os.PathLike | Named):
        return source.reference if isinstance(source, Named) else os.fspath(source)
    title = getattr(source, "title", None)
    return title if isinstance(title, str) else None


def searched(
    setup: Setup, options: Search, progress: Progress | None, others: bool = False
) -> tuple[SearchResult, dict[str, Any]]:
    """What the games floor finds with the options of the verb, and the fields of the record that every kind shares.

    ``others``: whether the kind answers something else besides.
    """
    clock = Clock(options.time_limit)
    method, _, refused, why = plan(setup.game, options, others)
    share = 1 + len(chosen_analyses(options))
    own = Clock(None if options.time_limit is None else options.time_limit / share)
    with noticed() as stopped:
        result = unsearched(setup.game, why)
        if method is not None:
            result = search_equilibria(
                setup.game,
                options.method,
                limit=options.list,
                time_limit=own.left(),
                epsilon=options.epsilon,
                mixed=options.mixed and "mixed" not in refused,
                max_bytes=options.table_limit,
                start=setup.start,
                progress=progress,
            )
        limited = any(one.partial for one in methods(setup.game) if one.name == result.method)
        at_end = (limited or bool(result.unchecked)) and not (own.expired() or stopped())
        # what nothing has checked proves nothing else
        certain = unsearched(setup.game, why) if result.unchecked else result
        analysed = answers(setup, options, certain, clock, progress, stopped, refused)
    fields = _fields(result, setup) | {name: row for name, (row, _) in analysed.items()}
    fields["start"] = setup.start
    fields["seed"] = options.seed if options.dynamics in DRAWN else None
    searched_all = method is None or result.complete or at_end
    complete = searched_all and all(complete for _, complete in analysed.values())
    fields |= ended(complete, refused)
    left = {"complete": False, "verdict": None, "open": complete} if at_end and not result.complete else {}
    return result, fields | left


def ended(complete: bool, refused: dict[str, str]) -> dict[str, Any]:
    """The fields that say how far a search came: to its ``complete`` end, if all else than what is refused is known."""
    left = {"refused": refused, "verdict": None, "open": complete} if refused else {"refused": None}
    return {"complete": complete and not refused, **left}


def as_game(source: Any, floats: Floats = "refuse") -> Game:
    """The source if it is a game, else that of a Gambit file, of payoff arrays, or of another program's game.

    ``floats`` says what floats in arrays mean; numbers with a decimal point in a file are exact unless ``"binary"``.

    Raises MechanismError for a game whose players or strategies are none, InputError for anything else.
    """
    if isinstance(source, Named):
        made = isinstance(source.thing, type) or not hasattr(source.thing, "players")
        source = call(source.thing, source.reference) if made and callable(source.thing) else source.thing
    if isinstance(source, type):
        raise InputError(f"search: found the class {source.__name__}; expected a game, such as {source.__name__}()")
    if isinstance(source, Game):
        if floats != "refuse":
            raise InputError(f"floats: found {floats!r}, which nothing uses; costs of such a game are exact numbers")
        check_game(source)
        return source
    from ...games.interchange import from_pygambit, from_quantecon_arrays, read_efg, read_nfg

    if isinstance(source, str | os.PathLike):
        return (read_efg if os.fspath(source).endswith(".efg") else read_nfg)(source, floats=floats)
    if hasattr(source, "to_nfg"):  # pygambit's
        return from_pygambit(source, floats=floats)
    if hasattr(source, "nums_actions") and hasattr(source, "payoff_arrays"):  # QuantEcon's
        return from_quantecon_arrays(source.payoff_arrays, floats=floats)
    source = getattr(source, "payoff_matrices", source)  # nashpy's
    source = np.asarray(source) if hasattr(source, "__array__") else source  # that of pandas, too
    listed: Any = [source] if isinstance(source, np.ndarray) and source.ndim == 1 else source
    several = isinstance(listed, Sequence) and listed
    if isinstance(source, np.ndarray) or (
        several and all(hasattr(each, "__array__") or isinstance(each, list | tuple) for each in listed)
    ):
        return NormalFormGame.from_arrays(listed, sense="payoff", floats=floats)
    raise InputError(
        f"search: found {type(source).__name__}; expected a scenario, an object with players, strategies(player) and "
        "costs(profile), the path of a .nfg or .efg file, a nashpy, QuantEcon or pygambit game, or payoff arrays, one "
        "per player"
    )


def in_order(start: Any, players: Sequence[str]) -> tuple[Any, ...] | None:
    """Where dynamics start, in player order, from a mapping by name or a list. Raises InputError for wrong names."""
    if not isinstance(start, Mapping):
        return start  # type: ignore[no-any-return]  # None or a tuple, by the option's type
    wrong = [name for name in start if name not in players] + [name for name in players if name not in start]
    if wrong:
        raise InputError(
            f"start: found {', '.join(map(str, start))}; expected exactly {', '.join(players)} (see {wrong[0]!r})"
        )
    return tuple(start[name] for name in players)


def _fields(result: SearchResult, setup: Setup) -> dict[str, Any]:
    def profile_of(outcome: Outcome | None) -> Any:
        return None if outcome is None else setup.profile(outcome.profile)

    near = result.approximate
    return setup.shared(SearchRecord, result) | {
        "exact": True,
        "equilibria": EquilibriaRow(**setup.shared(EquilibriaRow, result.equilibria)),
        "smallest_epsilon_profile": profile_of(result.smallest_epsilon_at),
        "smallest_regret_profile": profile_of(result.smallest_regret_at),
        "dynamics": None if result.dynamics is None else setup.dynamics(result.dynamics),
        "approximate": None
        if near is None
        else ApproximateRow(count=result.approximate_count, listed=tuple(map(setup.row, near))),
        "mixed": None if result.mixed is None else mixed_row(setup, result.mixed),
        "bounds": setup.bounds(BoundsRow, result.bounds),
        "unchecked": result.unchecked or None,
    }
