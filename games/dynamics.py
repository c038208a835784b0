r"""Best-response dynamics, with a certificate when they never end.

Rule (``round-robin``): players move in the listed order, round after round; a player moves only if she strictly gains,
and then to the first best response in the order of her strategies. A round without a move ends at a pure equilibrium.
The state at the start of a round decides everything after it, so a profile seen at two round starts proves a cycle,
and the moves between the two are the certificate.

>>> from consortium.games.normal_form import NormalFormGame
>>> pennies = NormalFormGame.from_arrays([[[0, 1], [1, 0]], [[1, 0], [0, 1]]], sense="cost")
>>> best_response_dynamics(pennies).cycle
((0, 1), (1, 1), (1, 0), (0, 0))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ..mechanisms.custom import entries
from ..support.errors import TooLargeError
from ..support.exact import Extended
from ..support.interrupts import noticed
from ..support.progress import Clock, Progress
from .protocol import Game, HasBestResponse, HasSize, Outcome, Profile, check_profile, costs_of, outcome
from .registry import ability
from .results import Coverage, Equilibria, Findings, Options

STARTS: Final = 30
"""Random profiles from which dynamics start."""
ROUNDS: Final = 50
"""Rounds of one run: most end after a few or cycle."""
SEED: Final = 0


@dataclass(frozen=True)
class Dynamics:
    """A run of best-response dynamics.

    Attributes
    ----------
    start
        First profile.
    rule
        ``"round-robin"``.
    converged
        Whether a round passed without a move: ``final`` is then a pure equilibrium.
    steps
        Moves made.
    cycle
        The profiles of a cycle of moves, starting at a round start, each one move from the next and the last one move
        from the first; ``None`` when there was none.
    final
        Where it stopped, with its costs.
    complete
        Whether it stopped by itself: converged or cycled.
    """

    start: Profile
    rule: str
    converged: bool
    steps: int
    cycle: tuple[Profile, ...] | None
    final: Outcome
    complete: bool


def best_response(game: Game, player: int, profile: Profile) -> tuple[Any, Extended]:
    """First best response of a player and its cost: by the game's own method, else by one known for games of its class,
    else by trying every strategy.

    >>> from consortium.agents.organizations import Federation
    >>> from consortium.games.placement.game import PlacementGame
    >>> best_response(PlacementGame(Federation.of([[2, 2], [1]])), 0, ((0, 0), (1,)))
    ((0, 1), Fraction(3, 1))
    """

    def cost(strategy: Any) -> Extended:
        return costs_of(game, (*profile[:player], strategy, *profile[player + 1 :]))[player]

    if isinstance(game, HasBestResponse):
        answer = game.best_response(player, profile)
        return answer, cost(answer)
    best_reply = ability(game, "best_reply")
    if best_reply is not None:
        answer = best_reply(game, player, profile)
        return answer, cost(answer)
    values = [(s, cost(s)) for s in game.strategies(player)]
    return min(values, key=lambda pair: pair[1])


def best_response_dynamics(
    game: Game,
    start: Sequence[Any] | None = None,
    *,
    max_rounds: int | None = None,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> Dynamics:
    """Play best responses, round robin, until nobody gains or a round start repeats.

    Parameters
    ----------
    game
        Any game.
    start
        First profile; default: the game's ``default_profile`` where it has one, else everybody's first strategy.
    max_rounds, clock
        Stop after so many rounds, or when the clock runs out (``complete`` is then false).
    progress
        Told the number of moves.
    """
    here = check_profile(game, start) if start is not None else default_profile(game)
    trail: list[Profile] = [here]  # every profile visited, one per move
    seen: dict[Profile, int] = {}  # round start -> its place on the trail

    def ended(converged: bool = False, cycle: tuple[Profile, ...] | None = None) -> Dynamics:
        complete = converged or cycle is not None
        return Dynamics(trail[0], "round-robin", converged, len(trail) - 1, cycle, outcome(game, trail[-1]), complete)

    try:
        while here not in seen:
            if (max_rounds is not None and len(seen) >= max_rounds) or (clock is not None and clock.expired()):
                return ended()
            seen[here] = len(trail) - 1
            before = len(trail)
            for player in range(len(game.players)):
                if clock is not None and clock.expired():
                    return ended()
                answer, cost = best_response(game, player, here)
                if cost < costs_of(game, here)[player]:
                    here = (*here[:player], answer, *here[player + 1 :])
                    trail.append(here)
            if progress is not None:
                progress(len(trail) - 1, None, "best-response moves")
            if len(trail) == before:
                return ended(converged=True)
    except KeyboardInterrupt:
        return ended()
    return ended(cycle=tuple(trail[seen[here] : -1]))


def default_profile(game: Game) -> Profile:
    """Where dynamics start: the game's own ``default_profile``, else everybody's first strategy."""
    own = getattr(game, "default_profile", None)
    if own is not None:
        return entries(own, f"{type(game).__name__}.default_profile", "a strategy of every player")
    return tuple(game.strategies(k)[0] for k in range(len(game.players)))


def by_dynamics(game: Game) -> Coverage:
    """Every game whose strategies can be listed, as a check of an equilibrium has to."""
    if isinstance(game, HasSize):
        return Coverage(False, "its strategies are too many to list")
    return Coverage(True, "best-response dynamics need none, and leave open what they do not reach")


def dynamics_search(game: Game, options: Options) -> Findings:
    """Equilibria that best responses reach from random profiles; of all others, nothing."""
    rng, strategies = np.random.default_rng(SEED), [game.strategies(k) for k in range(len(game.players))]
    starts = (tuple(own[int(rng.integers(len(own)))] for own in strategies) for _ in range(STARTS))
    reached = sorted(reached_from(game, starts, options), key=lambda one: one.social_cost)
    if not reached:
        return Findings(Equilibria(None), complete=False)
    listed = tuple(reached[: options.limit])
    return Findings(Equilibria(True, None, reached[0], reached[-1], listed), complete=False)


def reached_from(game: Game, starts: Iterable[Profile], options: Options) -> list[Outcome]:
    """The equilibria, each once, at which best responses end within :data:`ROUNDS`, as far as there is time."""
    reached: dict[Profile, Outcome] = {}
    for number, start in enumerate(starts):
        if options.clock.expired():
            break
        if options.progress is not None:
            options.progress(number, None, "dynamics played")
        with noticed() as stopped:
            try:
                run = best_response_dynamics(game, start, max_rounds=ROUNDS, clock=options.clock)
            except TooLargeError:  # one of the best responses is out of reach
                continue
            if run.converged:
                reached[run.final.profile] = run.final
        if stopped():
            break
    return list(reached.values())
