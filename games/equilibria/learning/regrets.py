"""What play was worth: average social cost, external and internal regret, from the definitions.

Model: a profile ``s`` was played ``t(s)`` times in ``T`` rounds. The *external regret* of player ``i`` is her average
cost less the least average cost of one fixed strategy, ``(1/T) (sum_s t(s) C_i(s) - min_a sum_s t(s) C_i(a, s_-i))``:
negative where the play was better for her than any fixed strategy. Her *internal regret* is the largest
``(1/T) sum_{s: s_i = r} t(s) (C_i(s) - C_i(a, s_-i))`` over strategies ``r`` that she played and any ``a``: at least 0.
Play without external regret is a coarse correlated equilibrium, without internal regret a correlated one (Hart and
Mas-Colell 2000).

Infinite costs: sums are taken first, then compared; equal infinities differ by 0. A sum of ``inf`` and ``-inf`` is
refused (:mod:`.lines`).

>>> from consortium.games.normal_form import NormalFormGame
>>> pennies = NormalFormGame.from_arrays([[[0, 1], [1, 0]], [[1, 0], [0, 1]]], sense="cost")
>>> play = {(0, 0): 2, (1, 0): 1}
>>> average_social_cost(pennies, play), [(str(r.external), str(r.internal)) for r in regrets_of(pennies, play)]
(Fraction(1, 1), [('1/3', '1/3'), ('1/3', '1/3')])

References
----------
S. Hart, A. Mas-Colell, "A simple adaptive procedure leading to correlated equilibrium", Econometrica 68, 2000.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ....support.exact import Extended
from ....support.progress import Clock
from ...protocol import Game, Profile, add, regret, social_cost
from .lines import Lines, Sums


def average_social_cost(game: Game, counts: Mapping[Profile, int]) -> Extended:
    """Social cost of a round on average. Raises InputError for a sum of inf and -inf.

    ``counts``: how often every profile was played, at least once each.
    """
    return add(*(social_cost(game, s) * n for s, n in counts.items())) / sum(counts.values())


def regrets_of(game: Game, counts: Mapping[Profile, int], clock: Clock | None = None) -> tuple[Regrets, ...]:
    """Everybody's regrets.

    Raises TooLargeError where a player has too many strategies to list, TimeoutError when the clock runs out.
    """
    lines = Lines(game, clock)
    return tuple(_regrets(lines, player, counts) for player in range(len(game.players)))


def _regrets(lines: Lines, player: int, counts: Mapping[Profile, int]) -> Regrets:
    game, rounds = lines.game, sum(counts.values())
    number = {strategy: place for place, strategy in enumerate(game.strategies(player))}
    by_own: dict[int, list[Profile]] = {}
    for profile in counts:
        by_own.setdefault(number[profile[player]], []).append(profile)
    everything = Sums.of(game, player, rounds)
    paid: Extended = Fraction(0)
    internal: Extended = Fraction(0)
    for own, profiles in by_own.items():
        here = everything.empty()
        for profile in profiles:
            here.add(lines(player, profile), counts[profile])
        paid = add(paid, here.value(own))
        internal = max(internal, regret(here.value(own), here.value(here.least())))
        everything.add(here.line)
    external = regret(paid, everything.value(everything.least()))
    return Regrets(external / rounds, internal / rounds)


@dataclass(frozen=True)
class Play:
    """A game played round after round."""

    rule: str  # how everybody went on
    trail: tuple[Profile, ...]  # the profile of every round
    complete: bool  # whether all rounds were played

    @cached_property
    def counts(self) -> Mapping[Profile, int]:
        """How often every profile was played: most often first, equals as they were first played."""
        return dict(Counter(self.trail).most_common())


@dataclass(frozen=True)
class Regrets:
    """Regrets of play, averages per round; see :func:`consortium.games.equilibria.learning.regrets.regrets_of`."""

    external: Extended  # what the best fixed strategy would have saved; negative where none would have saved anything
    internal: Extended  # what another strategy would have saved in all rounds that played a certain one; at least 0
