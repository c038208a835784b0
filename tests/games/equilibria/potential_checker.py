"""Is this a potential, and does this ring or profile refute one: straight from the definitions, through ``costs``.

Everything is tried move by move, so that it takes time in proportion to profiles times strategies; :class:`CostsOnce`
asks for every profile once. Equal infinities differ by nothing; a change by an infinite amount is no difference of
finite potentials.

>>> from consortium.games.normal_form import NormalFormGame
>>> game = CostsOnce(NormalFormGame.from_arrays([[[0, 2], [1, 3]], [[0, 6], [3, 9]]], sense="cost"))
>>> value = {(0, 0): 0, (0, 1): 6, (1, 0): 1, (1, 1): 7}
>>> is_potential("exact", game, value.__getitem__), refutes("exact", game, [[(0, 0), (1, 0), (1, 1), (0, 1)]])
(True, False)
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from consortium.games.checkers import is_best_response_cycle
from consortium.games.protocol import Game, Profile, check_profile, costs_of, regret
from consortium.support.exact import Extended


class CostsOnce:
    """A game whose costs are asked once."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._known: dict[Profile, tuple[Extended, ...]] = {}

    def costs(self, profile: Profile) -> tuple[Extended, ...]:
        """Exact costs of a profile."""
        if profile not in self._known:
            self._known[profile] = costs_of(self.game, profile)
        return self._known[profile]

    def profiles(self) -> Iterator[Profile]:
        """All profiles, in C order."""
        return itertools.product(*(self.game.strategies(player) for player in range(len(self.game.players))))

    def moves(self, here: Profile) -> Iterator[tuple[int, Profile]]:
        """Who may move from a profile, and to which."""
        for player, own in enumerate(here):
            for other in self.game.strategies(player):
                if other != own:
                    yield player, (*here[:player], other, *here[player + 1 :])

    def saves(self, player: int, before: Profile, after: Profile) -> Extended:
        """What a player's move saves her: negative where it costs her more, 0 between equal infinities."""
        return regret(self.costs(before)[player], self.costs(after)[player])

    def best(self, player: int, here: Profile) -> Extended:
        """The least cost that a player can reach from a profile."""
        own = [after for mover, after in self.moves(here) if mover == player]
        return min(self.costs(p)[player] for p in (here, *own))


def is_potential(
    name: str, costs: CostsOnce, value: Callable[[Profile], Any], weights: Sequence[Fraction] | None = None
) -> bool:
    """Whether numbers on profiles are a potential of a class (of a weakly acyclic game: some gain lowers them, unless
    nobody can gain).
    """
    if name == "weakly_acyclic":
        return all(_leads_down(costs, here, value) for here in costs.profiles())
    factor = [Fraction(1)] * len(costs.game.players) if name == "exact" else weights
    for here in costs.profiles():
        for player, after in costs.moves(here):
            saves, falls = costs.saves(player, here, after), value(here) - value(after)
            if name in ("exact", "weighted"):
                right = factor is not None and saves == factor[player] * falls
            elif name == "ordinal":
                right = (saves > 0) == (falls > 0) and (saves < 0) == (falls < 0)
            elif name == "generalized_ordinal":
                right = falls > 0 or saves <= 0
            else:
                right = falls > 0 or saves <= 0 or costs.costs(after)[player] != costs.best(player, here)
            if not right:
                return False
    return factor is None or min(factor) > 0


def _leads_down(costs: CostsOnce, here: Profile, value: Callable[[Profile], Any]) -> bool:
    gains = [after for player, after in costs.moves(here) if costs.saves(player, here, after) > 0]
    return not gains or any(value(after) < value(here) for after in gains)


def refutes(name: str, costs: CostsOnce, rings: Sequence[Sequence[Profile]]) -> bool:
    """Whether rings of profiles show that a game has no potential of a class.

    One ring of moves refutes all classes but the weighted potentials, where several may be needed: together they leave
    no positive weights.
    """
    walks = [_moves_of(costs.game, [check_profile(costs.game, p) for p in ring]) for ring in rings]
    if not walks or any(moves is None for moves in walks):
        return False
    changes = [[(i, costs.saves(i, a, b)) for i, a, b in moves or ()] for moves in walks]
    if name in ("exact", "weighted") and any(isinstance(saves, float) for moves in changes for _, saves in moves):
        return True
    if name == "weighted":
        return _no_weights([_by_player(moves) for moves in changes])
    saved = [saves for _, saves in changes[0]]
    if len(walks) > 1:
        return False
    if name == "exact":
        return sum(saved) != 0
    if name == "ordinal":
        return min(saved) >= 0 and max(saved) > 0
    if name == "generalized_ordinal":
        return min(saved) > 0
    return name == "acyclic_best_responses" and is_best_response_cycle(costs.game, rings[0])


def is_trap(costs: CostsOnce, start: Profile) -> bool:
    """Whether no gains lead from a profile to an equilibrium."""
    visited = [check_profile(costs.game, start)]
    for here in visited:
        gains = [after for player, after in costs.moves(here) if costs.saves(player, here, after) > 0]
        if not gains:
            return False
        visited += [after for after in dict.fromkeys(gains) if after not in visited]
    return True


def _moves_of(game: Game, ring: Sequence[Profile]) -> list[tuple[int, Profile, Profile]] | None:
    """The moves round a ring: who, from where, to where; ``None`` where a step is not one player's move."""
    moves = []
    for before, after in zip(ring, [*ring[1:], *ring[:1]], strict=True):
        movers = [player for player, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
        if len(movers) != 1:
            return None
        moves.append((movers[0], before, after))
    return moves or None


def _by_player(moves: Sequence[tuple[int, Any]]) -> dict[int, Fraction]:
    """What a walk saves every player together, where that is not 0."""
    total: dict[int, Fraction] = {}
    for player, saves in moves:
        total[player] = total.get(player, Fraction(0)) + saves
    return {player: saves for player, saves in total.items() if saves}


def _no_weights(sums: Sequence[Mapping[int, Fraction]]) -> bool:
    """Whether no ``w > 0`` gives ``sum_i sums[i] / w_i = 0`` for all; only equations of one or two players are used."""
    ratio: dict[int, dict[int, Fraction]] = {}
    for equation in sums:
        if len(equation) == 1:
            return True
        if len(equation) == 2:
            (i, a), (j, b) = equation.items()
            if a * b > 0 or ratio.get(i, {}).get(j, -b / a) != -b / a:
                return True
            ratio.setdefault(i, {})[j], ratio.setdefault(j, {})[i] = -b / a, -a / b  # w_j / w_i, w_i / w_j
    for root in ratio:
        weight, waiting = {root: Fraction(1)}, [root]
        for i in waiting:
            for j, factor in ratio[i].items():
                if j not in weight:
                    weight[j] = weight[i] * factor
                    waiting.append(j)
                elif weight[j] != weight[i] * factor:
                    return True
    return False
