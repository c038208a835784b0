r"""Is this profile an equilibrium, and if not, by how much: checks that share no code with any solver.

They try every deviation through ``game.strategies`` and ``game.costs`` and may be run on anybody's answer. Games whose
strategies are too many to list have a checker of their own in :mod:`.registry`, written from the definition as well.

Epsilon is additive in some libraries, scaled in others and multiplicative in the scheduling literature; here *regret*
is additive and *epsilon* multiplicative, always.

>>> from consortium.games.normal_form import NormalFormGame
>>> game = NormalFormGame.from_arrays([[[2, 4], [3, 3]], [[1, 1], [1, 1]]], sense="cost")
>>> is_nash(game, (0, 0)), player_regrets(game, (1, 0)), epsilon(game, (1, 0))
(True, (Fraction(1, 1), Fraction(0, 1)), Fraction(3, 2))
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..support.exact import Extended
from .protocol import Game, Profile, check_profile, costs_of, ratio, regret
from .registry import ability


def strategy_values(game: Game, player: int, profile: Sequence[Any]) -> dict[Any, Extended]:
    """Cost of every strategy of a player against the others' part of the profile, in the order of ``strategies``."""
    here = check_profile(game, profile)
    return {s: costs_of(game, (*here[:player], s, *here[player + 1 :]))[player] for s in game.strategies(player)}


def cost_and_best(game: Game, profile: Sequence[Any]) -> tuple[tuple[Extended, Extended], ...]:
    """Per player her cost and the least cost that she could reach alone."""
    here = check_profile(game, profile)
    certify = ability(game, "certify")
    if certify is not None:
        return tuple(certify(game, here))
    costs = costs_of(game, here)
    return tuple((costs[k], min(strategy_values(game, k, here).values())) for k in range(len(game.players)))


def player_regrets(game: Game, profile: Sequence[Any]) -> tuple[Extended, ...]:
    """What each player could save by changing her own strategy (additive, at least 0)."""
    return tuple(regret(cost, best) for cost, best in cost_and_best(game, profile))


def max_regret(game: Game, profile: Sequence[Any]) -> Extended:
    """Largest regret of a player."""
    return max(player_regrets(game, profile))


def epsilon(game: Game, profile: Sequence[Any]) -> Extended:
    """Smallest factor for which the profile is an epsilon-approximate equilibrium; ``inf`` when no factor is enough."""
    return max((ratio(cost, best) for cost, best in cost_and_best(game, profile)), default=Fraction(1))


def is_nash(game: Game, profile: Sequence[Any], tol: int | Fraction = 0) -> bool:
    """Whether no player can save more than ``tol`` (additive, exact) by changing her own strategy."""
    return max_regret(game, profile) <= tol


def is_best_response_move(game: Game, before: Profile, after: Profile) -> bool:
    """Whether exactly one player changed, strictly gained and reached her least cost against the others."""
    changed = [k for k, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    if len(changed) != 1:
        return False
    k = changed[0]
    cost, best = cost_and_best(game, before)[k]
    return best < cost and costs_of(game, after)[k] == best


def is_best_response_cycle(game: Game, profiles: Sequence[Profile]) -> bool:
    """Whether the profiles, closed to a ring, are best-response moves all the way round."""
    ring = [check_profile(game, p) for p in profiles]
    return len(ring) > 1 and all(
        is_best_response_move(game, before, after) for before, after in zip(ring, ring[1:] + ring[:1], strict=True)
    )
