r"""Rules by which everybody goes on at once, round after round.

Round 1 plays the start. After every round:

* ``best-response-with-inertia``: each keeps her strategy with probability 1/2, else takes her first best response to
  the others' last play; one that plays a best response already stays.
* ``fictitious-play`` (Brown 1951, with joint beliefs): everybody takes the first strategy of least average cost against
  what the others have played together so far. Nothing is drawn.
* ``regret-matching`` (Hart and Mas-Colell 2000, unconditional): everybody draws a strategy with probability
  proportional to its positive external regret, what it would have saved so far; where there is none, she keeps hers.

Draws are exact: integers below an integer, from the bytes of one generator, player after player. Regrets that are
infinite come before all others and are equally likely.

>>> from consortium.games.normal_form import NormalFormGame
>>> pennies = NormalFormGame.from_arrays([[[0, 1], [1, 0]], [[1, 0], [0, 1]]], sense="cost")
>>> play(pennies, "fictitious-play", (0, 0), 5).trail
((0, 0), (0, 1), (0, 1), (1, 1), (1, 1))

References
----------
G. W. Brown, "Iterative solution of games by fictitious play", in Activity Analysis of Production and Allocation, 1951.
S. Hart, A. Mas-Colell, "A simple adaptive procedure leading to correlated equilibrium", Econometrica 68, 2000.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ....support.errors import TooLargeError, unknown_name
from ....support.exact import magnitude, scale
from ....support.progress import Clock, Progress
from ...dynamics import best_response
from ...protocol import Game, Profile, check_profile, costs_of, count_strategies
from .lines import Lines, Sums
from .regrets import Play

INERTIA: Final = "best-response-with-inertia"
FICTITIOUS: Final = "fictitious-play"
MATCHING: Final = "regret-matching"
MAX_STRATEGIES: Final = 1_000_000
"""Strategies of all players together, for the rules that weigh every one of them in every round."""


def play(
    game: Game,
    rule: str,
    start: Profile,
    rounds: int,
    seed: int = 0,
    *,
    clock: Clock | None = None,
    progress: Progress | None = None,
) -> Play:
    """Play so many rounds by a rule.

    Parameters
    ----------
    game
        Any game; faster where it is a table, knows its best responses or whole lines of costs.
    rule
        ``"best-response-with-inertia"``, ``"fictitious-play"`` or ``"regret-matching"``.
    start
        Round 1.
    rounds
        At least 1.
    seed
        Of what is drawn.
    clock, progress
        Time limit and receiver of reports; when time is up, or on Ctrl-C, the rounds played so far are returned.

    Raises
    ------
    TooLargeError
        The rule weighs every strategy, and there are too many.
    """
    check_rule(game, rule)
    trail = [check_profile(game, start)]
    try:
        after = RULES[rule](game, rounds, np.random.default_rng(seed), clock or Clock(None))
        while len(trail) < rounds:
            if progress is not None and len(trail) % 64 == 0:
                progress(len(trail), rounds, "rounds played")
            trail.append(after(trail[-1]))
    except (KeyboardInterrupt, TimeoutError):
        pass
    return Play(rule, tuple(trail), len(trail) == rounds)


def check_rule(game: Game, rule: str) -> None:
    """Raise UnknownNameError for no rule, TooLargeError for one that weighs more strategies than can be listed."""
    if rule not in RULES:
        raise unknown_name("dynamics", rule, RULES)
    count = sum(count_strategies(game, player) for player in range(len(game.players)))
    if rule != INERTIA and count > MAX_STRATEGIES:
        raise TooLargeError(
            f"{rule}: found {magnitude(count)} strategies, and every round weighs each of them; the limit is "
            f"{MAX_STRATEGIES:,}; {INERTIA} only asks for best responses"
        )


class Inertia:
    """Best responses, or the same again."""

    def __init__(self, game: Game, rounds: int, rng: np.random.Generator, clock: Clock) -> None:
        self.game, self.rng, self.clock = game, rng, clock
        self.known: dict[tuple[int, Profile], Any] = {}

    def __call__(self, here: Profile) -> Profile:
        """Everybody's next strategy."""
        return tuple(own if below(self.rng, 2) else self._reply(k, here) for k, own in enumerate(here))

    def _reply(self, player: int, here: Profile) -> Any:
        """The first best response; the own strategy where it is one."""
        self.clock.check()
        if (player, here) not in self.known:
            answer, cost = best_response(self.game, player, here)
            gains = cost < costs_of(self.game, here)[player]
            self.known[player, here] = answer if gains else here[player]
        return self.known[player, here]


class Fictitious:
    """The best strategy against all that was played before."""

    def __init__(self, game: Game, rounds: int, rng: np.random.Generator, clock: Clock) -> None:
        self.lines = Lines(game, clock)
        self.own = [game.strategies(player) for player in range(len(game.players))]
        self.sums = [Sums.of(game, player, rounds) for player in range(len(game.players))]

    def __call__(self, here: Profile) -> Profile:
        """Everybody's next strategy."""
        for player, sums in enumerate(self.sums):
            sums.add(self.lines(player, here))
        return tuple(own[sums.least()] for own, sums in zip(self.own, self.sums, strict=True))


class Matching:
    """Drawn by what each strategy would have saved."""

    def __init__(self, game: Game, rounds: int, rng: np.random.Generator, clock: Clock) -> None:
        self.lines, self.rng = Lines(game, clock), rng
        self.own = [game.strategies(player) for player in range(len(game.players))]
        self.number = [{strategy: place for place, strategy in enumerate(own)} for own in self.own]
        self.sums = [Sums.of(game, player, rounds) for player in range(len(game.players))]
        self.paid = [Sums.of(game, player, rounds, size=1) for player in range(len(game.players))]

    def __call__(self, here: Profile) -> Profile:
        """Everybody's next strategy."""
        return tuple(self._next(player, here) for player in range(len(here)))

    def _next(self, player: int, here: Profile) -> Any:
        sums, paid = self.sums[player], self.paid[player]
        line = self.lines(player, here)
        sums.add(line)
        paid.add(line.only(self.number[player][here[player]]))
        weights = _saved(paid, sums).cumsum()
        if not weights[-1]:
            return here[player]
        return self.own[player][int(np.searchsorted(weights, below(self.rng, int(weights[-1])), side="right"))]


def _saved(paid: Sums, sums: Sums) -> NDArray[Any]:
    """Positive external regret of every strategy, in integers without a common factor, so that units do not matter.

    Where there are infinite ones, 1 for each of these.
    """
    (finite, above, under), (cost, too_much, nothing) = sums.line, paid.line
    if nothing[0]:
        return np.zeros(finite.size, np.int64)
    if too_much[0] or under.any():
        return np.asarray(~above if too_much[0] else under).astype(np.int64)
    weights = np.where(above, 0, np.maximum(cost[0] - finite, 0))
    if weights.dtype == np.int64:
        return np.asarray(weights // max(1, int(np.gcd.reduce(weights))))
    whole, _ = scale(weights.tolist())
    shared = max(1, math.gcd(*whole))
    return np.array([w // shared for w in whole], dtype=object)


def below(rng: np.random.Generator, count: int) -> int:
    """An integer from 0 to ``count - 1``, all equally likely, however large; the same on every machine.

    >>> [below(np.random.default_rng(seed), 10**20) for seed in (0, 1)], below(np.random.default_rng(0), 1)
    ([30196613304486625887, 35946237640716349394], 0)
    """
    bits = (count - 1).bit_length()
    while True:
        value = int.from_bytes(rng.bytes(-(-bits // 8)), "little") & ((1 << bits) - 1)
        if value < count:
            return value


RULES: Final[Mapping[str, Callable[[Game, int, np.random.Generator, Clock], Callable[[Profile], Profile]]]] = {
    INERTIA: Inertia,
    FICTITIOUS: Fictitious,
    MATCHING: Matching,
}
