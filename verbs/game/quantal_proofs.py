"""What a logit equilibrium in a record proves: that it is one, by the definition.

Each probability is the logit response to what the others do, within rounding; on which branch it lies is not proved.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ...games.asking import costs_of
from ..expect import ABSENT, Comparison
from ..proving import Claim, Comparisons, attempt, leaves
from .quantal import CONCEPT

if TYPE_CHECKING:
    from .proofs import Proofs

ROUNDING: Final = 1e-9
SHARP: Final = 1e-13
"""What rounding a cost leaves of a probability, for each unit of lambda times the largest cost."""


def prove(claim: Claim, proofs: Proofs) -> Comparisons:
    """A row for every part of every response, and the values of lambda that were asked for."""
    asked = sorted(set(proofs.options.quantal or ()))
    rows = claim["responses"].rows()
    for row, precision in zip(rows, asked, strict=False):
        yield from row["lambda"].proves(precision)
        yield from attempt(row, _response, row, float(precision), proofs)
    for row in rows[len(asked) :]:
        yield row["lambda"].wrong("nothing that was asked for")
    yield from claim["concept"].proves(CONCEPT)
    yield from claim["complete"].proves(len(rows) == len(asked))


def _response(row: Claim, precision: float, proofs: Proofs) -> Comparisons:
    """Probabilities, costs, regrets and error of one response, from the probabilities that it states."""
    game, payoff = proofs.game, proofs.asked.sense == "payoff"
    mixes = [
        _probabilities(mix, game.strategies(k))
        for k, mix in enumerate(row["probabilities"].by_name(list(game.players)))
    ]
    costs, regrets, logit, sharpest, error = [], [], {}, 0.0, 0.0
    for k, (player, mix) in enumerate(zip(game.players, mixes, strict=True)):
        values = _values(k, mixes, proofs)
        weights = [math.exp(-precision * (value - min(values))) for value in values]
        logit[player] = [weight / sum(weights) for weight in weights]
        costs.append(sum(p * value for p, value in zip(mix.values(), values, strict=True)))
        regrets.append(costs[-1] - min(values))
        sharpest = max(sharpest, *map(abs, values))
        error = max(error, *(abs(p - q) for p, q in zip(mix.values(), logit[player], strict=True)))
    slack = ROUNDING + SHARP * precision * sharpest
    yield from _near(row["probabilities"], logit, slack)
    yield from _near(row["payoffs" if payoff else "costs"], [-c for c in costs] if payoff else costs, slack * sharpest)
    yield from _near(row["regrets"], regrets, slack * sharpest)
    yield from _near(row["error"], error, slack)


def _probabilities(mix: Claim, strategies: Sequence[Any]) -> dict[Any, float]:
    """By strategy. Raises InputError for others than one for each."""
    parts = mix.rows()
    if len(parts) != len(strategies):
        raise mix.refused("one probability for each strategy")
    return dict(zip(strategies, map(_probability, parts), strict=True))


def _probability(part: Claim) -> float:
    """A float from 0 to 1. Raises InputError for anything else."""
    if not isinstance(part.value, float) or not 0 <= part.value <= 1 + ROUNDING:
        raise part.refused("a float from 0 to 1")
    return part.value


def _values(player: int, mixes: Sequence[Mapping[Any, float]], proofs: Proofs) -> list[float]:
    """What each strategy of a player costs on average against what the others do."""
    found = []
    for own in proofs.game.strategies(player):
        total = 0.0
        for profile in itertools.product(*mixes[:player], [own], *mixes[player + 1 :]):
            if proofs.clock.expired():
                raise TimeoutError
            chance = math.prod(mix[s] for k, (mix, s) in enumerate(zip(mixes, profile, strict=True)) if k != player)
            total += chance * float(costs_of(proofs.game, profile)[player])
        found.append(total)
    return found


def _near(claim: Claim, found: Any, slack: float) -> Comparisons:
    """A row for each float, which holds within rounding."""
    said, seen = dict(leaves(claim.value, claim.key)), dict(leaves(found, claim.key))
    for place in {**said, **seen}:
        one, other = said.get(place, ABSENT), seen.get(place, ABSENT)
        close = isinstance(one, float) and isinstance(other, float) and abs(one - other) <= slack
        yield Comparison(place, one, other, close)
