"""``search``: the record of a game's equilibria, shared by every kind, and searches on games that are no scenarios.

A user's own object with the :class:`consortium.games.protocol.Game` protocol, numpy payoff arrays, or a Gambit ``.nfg``
file go through the same solvers as scenarios do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...games.protocol import Game, Outcome, Profile
from ...games.results import SearchResult
from ...games.search import search as search_equilibria
from ...scheduling.errors import InputError
from ...scheduling.exact import rational
from ...scheduling.progress import Progress
from ..records import Answer

LISTED = 10
"""Rows listed by default."""


def search_game(
    source: Any,
    *,
    method: str | None = None,
    list: int = LISTED,
    time_limit: float | None = None,
    epsilon: Any = None,
    mixed: bool = False,
    start: Sequence[Any] | Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Answer:
    """Search any game.

    Parameters
    ----------
    source
        An object with the ``Game`` protocol, or payoff arrays, one per player (maximised; axis ``k`` is player ``k``).
    method, list, time_limit, epsilon, mixed
        As in :func:`consortium.games.search.search`; ``list`` is the most rows in a list.
    start
        Where dynamics start: strategies in player order, or by player's name.
    """
    game = as_game(source)
    players = tuple(game.players)
    result = search_equilibria(
        game,
        method,
        limit=list,
        time_limit=time_limit,
        epsilon=None if epsilon is None else rational(epsilon, "epsilon"),
        mixed=mixed,
        start=by_name(start, players) if isinstance(start, Mapping) else start,
        progress=progress,
    )
    return search_answer(result, lambda profile: dict(zip(players, profile, strict=True)))


def as_game(source: Any) -> Game:
    """The source if it is a game, else the game of its payoff arrays. Raises InputError for anything else."""
    if isinstance(source, Game):
        return source
    from ...games.normal_form import NormalFormGame

    listed = [source] if isinstance(source, np.ndarray) else source
    if isinstance(listed, Sequence) and listed and all(isinstance(a, np.ndarray) for a in listed):
        return NormalFormGame.from_arrays(listed, sense="payoff")
    raise InputError(
        f"search: found {type(source).__name__}; expected a scenario, an object with players, strategies(player) and "
        "costs(profile), or numpy payoff arrays, one per player"
    )


def by_name(values: Mapping[str, Any], players: Sequence[str]) -> tuple[Any, ...]:
    """Values in player order from a mapping by name. Raises InputError for a missing or unknown name."""
    wrong = [name for name in values if name not in players] + [name for name in players if name not in values]
    if wrong:
        raise InputError(f"start: found {', '.join(values)}; expected exactly {', '.join(players)} (see {wrong[0]!r})")
    return tuple(values[name] for name in players)


def search_answer(
    result: SearchResult,
    profile: Callable[[Profile], Any],
    social: Callable[[Outcome], Any] | None = None,
    strategy: Callable[[Any], Any] = lambda value: value,
) -> Answer:
    """The record of a search.

    Parameters
    ----------
    result
        What the games floor found.
    profile
        How a profile is written in the record.
    social
        How the social cost of an outcome is written; ``None`` for a number.
    strategy
        How a strategy is written, in mixed equilibria.
    """
    payoff = result.sense == "payoff"

    def show(outcome: Outcome | None) -> dict[str, Any] | None:
        if outcome is None:
            return None
        if payoff:
            return {
                "profile": profile(outcome.profile),
                "payoffs": {p: -c for p, c in zip(result.players, outcome.costs, strict=True)},
                "social_welfare": -outcome.social_cost,
            }
        return {
            "profile": profile(outcome.profile),
            "costs": dict(zip(result.players, outcome.costs, strict=True)),
            "social_cost": social(outcome) if social else outcome.social_cost,
        }

    known, optimum = result.equilibria, show(result.optimum)
    body: dict[str, Any] = {
        "sense": result.sense,
        "why": result.why,
        "players": result.players,
        "profiles": result.profiles,
        "equilibria": {
            "exists": known.exists,
            "count": known.count,
            "best": show(known.best),
            "worst": show(known.worst),
            "listed": [show(outcome) for outcome in known.listed],
        },
        "optimum": optimum,
        "price_of_anarchy": None if social else result.price_of_anarchy,
        "price_of_stability": None if social else result.price_of_stability,
        "smallest_epsilon": result.smallest_epsilon,
        "smallest_epsilon_profile": _profile_of(result.smallest_epsilon_at, profile),
        "smallest_regret": result.smallest_regret,
        "smallest_regret_profile": _profile_of(result.smallest_regret_at, profile),
        "sinks": result.sinks,
        "dynamics": _dynamics(result, profile),
    }
    if result.approximate is not None:
        body["approximate"] = {
            "count": result.approximate_count,
            "listed": [show(outcome) for outcome in result.approximate],
        }
    if result.mixed is not None:
        body["mixed"] = _mixed(result, strategy)
    if result.bounds is not None:
        body["bounds"] = result.bounds
    if result.certificate is not None:
        body["certificate"] = result.certificate
    return Answer(method=result.method, body=body, exact=result.exact, complete=result.complete)


def _profile_of(outcome: Outcome | None, profile: Callable[[Profile], Any]) -> Any:
    return None if outcome is None else profile(outcome.profile)


def _dynamics(result: SearchResult, profile: Callable[[Profile], Any]) -> dict[str, Any] | None:
    run = result.dynamics
    if run is None:
        return None
    return {
        "start": profile(run.start),
        "rule": run.rule,
        "converged": run.converged,
        "steps": run.steps,
        "cycle": None if run.cycle is None else [profile(p) for p in run.cycle],
        "final": profile(run.final.profile),
    }


def _mixed(result: SearchResult, strategy: Callable[[Any], Any]) -> dict[str, Any]:
    found = result.mixed
    assert found is not None  # the caller looked
    sign = -1 if result.sense == "payoff" else 1
    return {
        "method": found.method,
        "complete": found.complete,
        "note": found.note,
        "equilibria": [
            {
                "probabilities": dict(zip(result.players, pair.strategies, strict=True)),
                "payoffs" if sign < 0 else "costs": [sign * c for c in pair.costs],
                "regrets": pair.regrets,
                "exact": pair.exact,
            }
            for pair in found.equilibria
        ],
    }
