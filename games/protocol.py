"""What every solver and checker of this floor asks of a game, and the records they hand back.

Model: a finite game in pure strategies. Players have names and count from 0; a *profile* is a tuple with one strategy
per player, in player order; a strategy is any hashable value. Every player *minimises* an exact cost: int, Fraction
or ``math.inf``. A game of payoffs enters with ``sense = "payoff"``; its costs are the negated payoffs.

Words: the *regret* of a player is what the best unilateral deviation saves (additive); the *epsilon* of a profile is
the smallest factor ``e`` such that ``c_k <= e * c_k(deviation)`` for every player and deviation (multiplicative,
Cordeiro 2012, Definition 5.3), 1 exactly at a pure equilibrium and infinite when a player could reach a cost that is
not positive or leave an infinite one. A player at a best response counts 1 whatever the sign of her cost. An equal
cost is never a profitable move, so ties never break an equilibrium.

Any object with :class:`Game`'s three members works everywhere; the other protocols are faster ways that a solver uses
when it finds them, two of which stand with what they answer: :class:`.normal_form.HasTable` and
:class:`.results.HasMethods`.

Solvers and checkers read costs through :func:`costs_of`, so that a slip of a custom game is reported by its name;
:func:`check_game` looks at players and strategies once, before any work.

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

import math
from collections.abc import Hashable, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, runtime_checkable

from ..mechanisms.custom import call, exact
from ..support.errors import InputError, MechanismError, quote
from ..support.exact import INF, Extended

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Strategy: TypeAlias = Hashable
Profile: TypeAlias = tuple[Any, ...]
Cost: TypeAlias = int | Fraction | float
"""An exact cost: int, Fraction, or an infinite float; never another float."""
Sense: TypeAlias = Literal["cost", "payoff"]


@runtime_checkable
class Game(Protocol):
    """A finite game of costs: the least that every solver needs.

    ``players`` are distinct names. ``strategies(player)`` lists the strategies of the player with that number, in the
    order that breaks ties (the first best response is *the* best response); it is asked again and again and must not
    change. ``costs(profile)`` are the exact costs, one per player, minimised.
    """

    @property
    def players(self) -> tuple[str, ...]:
        """Names, in player order."""

    def strategies(self, player: int) -> Sequence[Any]:
        """Strategies of a player, in tie order."""

    def costs(self, profile: Profile) -> Sequence[Cost]:
        """One exact cost per player."""


@runtime_checkable
class HasBestResponse(Protocol):
    """A game that finds a best response faster than by trying every strategy."""

    def best_response(self, player: int, profile: Profile) -> Any:
        """First strategy, in the order of ``strategies``, of least cost against the others' part of the profile."""


@runtime_checkable
class HasSocialCost(Protocol):
    """A game with its own measure of what a profile costs everybody; without it the sum of the costs is used."""

    def social_cost(self, profile: Profile) -> Cost:
        """Exact social cost of a profile, minimised."""


@runtime_checkable
class HasClasses(Protocol):
    """A game in which some profiles are the same but for names, such as which of two equal jobs is where."""

    def n_classes(self, numbers: NDArray[np.int64]) -> int:
        """How many of these profiles are left when such profiles count as one.

        ``numbers`` are places in the table of all profiles, with every profile all that are the same.
        """


@runtime_checkable
class HasSize(Protocol):
    """A game whose strategies are too many to list, but easily counted."""

    def n_strategies(self, player: int) -> int:
        """How many strategies the player has."""


@dataclass(frozen=True)
class Outcome:
    """A profile with what it costs.

    Attributes
    ----------
    profile
        One strategy per player.
    costs
        Exact costs, one per player, minimised (negated payoffs for a game of payoffs).
    social_cost
        Exact social cost, minimised.
    """

    profile: Profile
    costs: tuple[Extended, ...]
    social_cost: Extended


def exact_cost(value: Cost) -> Extended:
    """A cost as a Fraction or an infinity; any other float is refused.

    >>> exact_cost(3), exact_cost(INF)
    (Fraction(3, 1), inf)
    >>> exact_cost(0.5)
    Traceback (most recent call last):
        ...
    consortium.support.errors.InputError: cost: found the float 0.5; costs are exact: int, Fraction or an infinity
    """
    if isinstance(value, float) and value in (INF, -INF):
        return value
    if value is None or isinstance(value, str | float):
        value = float(value) if isinstance(value, float) else value  # one of numpy looks otherwise
        what = "the float " if isinstance(value, float) else "the text " if value is not None else ""
        raise InputError(f"cost: found {what}{value!r}; costs are exact: int, Fraction or an infinity")
    return exact(value, "cost")


def sense_of(game: Game) -> Sense:
    """``"payoff"`` where the costs are negated payoffs; a game that does not say has costs."""
    sense: Sense = getattr(game, "sense", "cost")
    return sense


def count_profiles(game: Game) -> int:
    """Size of the space of profiles, without listing it where the game can count.

    >>> from consortium.games.normal_form import NormalFormGame
    >>> count_profiles(NormalFormGame.from_arrays([[[0, 1, 2]], [[0, 0, 0]]], sense="cost"))
    3
    """
    return math.prod(count_strategies(game, player) for player in range(len(game.players)))


def count_strategies(game: Game, player: int) -> int:
    """Number of strategies of one player."""
    return game.n_strategies(player) if isinstance(game, HasSize) else len(game.strategies(player))


def add(*values: Extended) -> Extended:
    """Exact sum; one infinity wins, opposite infinities are refused.

    >>> add(Fraction(1, 2), Fraction(1, 2)), add(Fraction(1), INF)
    (Fraction(1, 1), inf)
    """
    infinite = {v for v in values if isinstance(v, float)}
    if len(infinite) > 1:
        raise InputError("sum: found inf and -inf among the terms; the sum does not exist")
    return infinite.pop() if infinite else sum((Fraction(v) for v in values), Fraction(0))


def regret(cost: Extended, best: Extended) -> Extended:
    """What moving from ``cost`` to ``best`` saves; 0 when both are the same infinity.

    >>> regret(Fraction(5), Fraction(3)), regret(INF, INF), regret(INF, Fraction(3))
    (Fraction(2, 1), Fraction(0, 1), inf)
    """
    if cost == best:
        return Fraction(0)
    return add(cost, -best)


def ratio(cost: Extended, best: Extended) -> Extended:
    """Smallest factor ``e >= 1`` with ``cost <= e * best``, where ``best <= cost``; infinite when there is none.

    >>> ratio(Fraction(3), Fraction(2)), ratio(Fraction(0), Fraction(0)), ratio(Fraction(3), Fraction(0))
    (Fraction(3, 2), Fraction(1, 1), inf)
    """
    if cost == best:
        return Fraction(1)
    if best <= 0 or cost == INF:
        return INF
    return Fraction(cost) / Fraction(best)


def price(worst: Extended | None, optimum: Extended | None, sense: Sense = "cost") -> Fraction | None:
    """Social cost of an equilibrium over the optimum (welfare: the other way round); ``None`` unless both are positive.

    >>> price(Fraction(4), Fraction(3)), price(Fraction(-3), Fraction(-4), "payoff"), price(None, Fraction(3))
    (Fraction(4, 3), Fraction(4, 3), None)
    """
    if worst is None or optimum is None or isinstance(worst, float) or isinstance(optimum, float):
        return None
    top, bottom = (worst, optimum) if sense == "cost" else (-optimum, -worst)
    return top / bottom if top > 0 and bottom > 0 else None


def check_profile(game: Game, profile: Sequence[Any]) -> Profile:
    """The profile as a tuple; raises InputError unless it has one known strategy per player."""
    strategies = tuple(profile)
    if len(strategies) != len(game.players):
        raise InputError(f"profile: found {len(strategies)} strategies; expected {len(game.players)}, one per player")
    if isinstance(game, HasSize):
        game.costs(strategies)  # too many to list: the game itself refuses what it does not know
        return strategies
    for player, strategy in enumerate(strategies):
        if strategy not in game.strategies(player):
            raise InputError(
                f"profile: player {game.players[player]!r} has no strategy {strategy!r}; "
                f"known: {', '.join(map(repr, list(game.strategies(player))[:8]))}"
            )
    return strategies


def costs_of(game: Game, profile: Profile) -> tuple[Extended, ...]:
    """Exact costs of a profile, one per player. Raises MechanismError for an answer that is something else."""
    name = f"{type(game).__name__}.costs"
    answer = _listed(call(game.costs, name, profile=profile), name, "exact costs, one per player")
    if len(answer) != len(game.players):
        count = f"{len(answer)} cost{'s' * (len(answer) != 1)}"
        raise MechanismError(f"{name}: found {count} on {profile}; expected {len(game.players)}, one per player")
    try:
        return tuple(map(exact_cost, answer))
    except InputError as error:
        raise MechanismError(f"{name}: {error}, on {profile}") from None


def social_cost(game: Game, profile: Profile) -> Extended:
    """Social cost of a profile: the game's own, or the sum of the costs."""
    if isinstance(game, HasSocialCost):
        name = f"{type(game).__name__}.social_cost"
        answer = call(game.social_cost, name, profile=profile)
        try:
            return exact_cost(answer)
        except InputError as error:
            raise MechanismError(f"{name}: {error}, on {profile}") from None
    return add(*costs_of(game, profile))


def outcome(game: Game, profile: Profile) -> Outcome:
    """The profile with its costs."""
    return Outcome(profile, costs_of(game, profile), social_cost(game, profile))


def check_game(game: Game) -> None:
    """Look at players and strategies before any work.

    Raises MechanismError for players that are no different names, and for strategies that are none, repeat, cannot be
    told apart (not hashable) or come from a generator, which can be read only once. Strategies of a game that only
    counts them (:class:`~consortium.games.protocol.HasSize`) are not listed.
    """
    name = type(game).__name__
    players = _listed(game.players, f"{name}.players", "names of the players")
    if not players or len(set(players)) < len(players) or not all(isinstance(p, str) for p in players):
        raise MechanismError(f"{name}.players: found {players}; expected at least one name, all different")
    if sense_of(game) not in ("cost", "payoff"):
        raise MechanismError(f"{name}.sense: found {quote(sense_of(game))}; expected 'cost' or 'payoff'")
    if isinstance(game, HasSize):
        return
    for number, player in enumerate(players):
        where = f"{name}.strategies({number})"
        answer = call(game.strategies, f"{name}.strategies", player=number)
        if hasattr(answer, "iloc"):  # whose [0] is what has the label 0
            raise MechanismError(f"{where}: found {_named(answer)} of pandas; expected a list of strategies")
        own = _listed(answer, where, "strategies")
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
    try:
        return tuple(answer)
    except OverflowError:
        raise MechanismError(f"{where}: found more than can be listed; expected a list of {what}") from None


def _named(answer: Any) -> str:
    article = "an" if type(answer).__name__[0] in "aeiou" else "a"
    return f"{article} {type(answer).__name__}" if answer is not None else "nothing"
