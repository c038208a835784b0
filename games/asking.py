"""Asking a game, whoever wrote it: its players, strategies and costs, checked, so that a slip is told by its name.

Solvers and checkers read costs through :func:`costs_of`; :func:`check_game` looks at players and strategies once,
before any work.

>>> class Silent:
...     players = ("ann", "bob")
...     def strategies(self, player):
...         return ["in", "out"]
...     def costs(self, profile):
...         return [1]
>>> costs_of(Silent(), ("in", "in"))
Traceback (most recent call last):
    ...
consortium.support.errors.MechanismError: Silent.costs: found 1 cost on ('in', 'in'); expected 2, one per player
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Set
from typing import Any

from ..mechanisms.custom import call
from ..support.errors import InputError, MechanismError
from ..support.exact import Extended
from .protocol import Game, HasSize, HasSocialCost, Outcome, Profile, add, exact_cost


def costs_of(game: Game, profile: Profile) -> tuple[Extended, ...]:
    """Exact costs of a profile, one per player. Raises MechanismError for an answer that is something else."""
    name = f"{type(game).__name__}.costs"
    answer = _listed(call(game.costs, name, profile=profile), name, "exact costs, one per player")
    if len(answer) != len(game.players):
        found = f"{len(answer)} cost{'s' * (len(answer) != 1)}"
        raise MechanismError(f"{name}: found {found} on {profile}; expected {len(game.players)}, one per player")
    try:
        return tuple(map(exact_cost, answer))
    except InputError as error:
        raise MechanismError(f"{name}: {error}, on {profile}") from None


def social_cost(game: Game, profile: Profile) -> Extended:
    """Social cost of a profile: the game's own, or the sum of the costs."""
    if isinstance(game, HasSocialCost):
        return exact_cost(game.social_cost(profile))
    return add(*costs_of(game, profile))


def outcome(game: Game, profile: Profile) -> Outcome:
    """The profile with its costs."""
    return Outcome(profile, costs_of(game, profile), social_cost(game, profile))


def check_game(game: Game) -> None:
    """Look at players and strategies before any work.

    Raises MechanismError for players that are no different names, and for strategies that are none, repeat, cannot be
    told apart (not hashable) or come from a generator, which could be asked only once. Strategies of a game that only
    counts them (:class:`~consortium.games.protocol.HasSize`) are not listed.
    """
    name = type(game).__name__
    players = _listed(game.players, f"{name}.players", "names of the players")
    if not players or len(set(players)) < len(players) or not all(isinstance(p, str) for p in players):
        raise MechanismError(f"{name}.players: found {players}; expected at least one name, all different")
    if isinstance(game, HasSize):
        return
    for number, player in enumerate(players):
        where = f"{name}.strategies({number})"
        own = _listed(call(game.strategies, f"{name}.strategies", player=number), where, "strategies")
        if not own:
            raise MechanismError(f"{where}: found no strategy of {player!r}; expected at least one")
        if not all(isinstance(strategy, Hashable) for strategy in own):
            raise MechanismError(f"{where}: found strategies that cannot be hashed; expected tuples, texts or numbers")
        if len(set(own)) < len(own):
            twice = next(s for i, s in enumerate(own) if s in own[:i])
            raise MechanismError(f"{where}: found {twice!r} twice; expected strategies that differ")


def _listed(answer: Any, where: str, what: str) -> tuple[Any, ...]:
    """The items of a list, tuple or array; what can be read only once, or has no order, is refused."""
    if isinstance(answer, str | bytes | Mapping | Set) or not hasattr(answer, "__len__"):
        raise MechanismError(f"{where}: found {_named(answer)}; expected a list of {what}")
    return tuple(answer)


def _named(answer: Any) -> str:
    article = "an" if type(answer).__name__[0] in "aeiou" else "a"
    return f"{article} {type(answer).__name__}" if answer is not None else "nothing"
