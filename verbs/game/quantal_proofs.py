"""What a logit equilibrium in a record proves: that it is one, by the definition.

Each probability is the logit response to what the others do, within rounding; the branch it lies on is not proved.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ...games.asking import costs_of
from ..proving import Claim, Comparisons, attempt
from ..records import Statistic

if TYPE_CHECKING:
    from .proofs import Proofs

ROUNDING: Final = 1e-9
"""Of probabilities; the largest exponent adds :data:`SHARP` times itself."""
SHARP: Final = 1e-13


def prove(claim: Claim, proofs: Proofs) -> Comparisons:
    """A row for every part of every response, and the lambdas asked for."""
    asked = sorted(set(proofs.options.quantal or ()))
    rows = claim["responses"].rows()
    for row, precision in zip(rows, asked, strict=False):
        yield from row["lambda"].proves(precision)
        yield from attempt(row, _response, row, float(precision), proofs)
    for row in rows[len(asked) :]:
        yield row["lambda"].wrong("no lambda that was asked for")
    yield from claim["complete"].proves(len(rows) == len(asked))


def _response(row: Claim, precision: float, proofs: Proofs) -> Comparisons:
    """Probabilities, costs and regrets of one response."""
    players = list(proofs.game.players)
    mixes = [
        dict(zip(proofs.game.strategies(k), map(_float, mix.rows()), strict=True))
        for k, mix in enumerate(row["probabilities"].by_name(players))
    ]
    costs, regrets, response, sharpest = [], [], {}, 0.0
    for k, (player, mix) in enumerate(zip(players, mixes, strict=True)):
        values = _values(k, mixes, proofs)
        least = min(values.values())
        weights = {s: math.exp(-precision * (value - least)) for s, value in values.items()}
        response[player] = [weight / sum(weights.values()) for weight in weights.values()]
        costs.append(sum(mix[s] * value for s, value in values.items()))
        regrets.append(costs[-1] - least)
        sharpest = max(sharpest, precision * max(map(abs, values.values())))
    slack = ROUNDING + SHARP * sharpest
    for player, own in response.items():
        yield from _near(row["probabilities"][player], own, slack)
    largest = max(map(abs, costs), default=0.0)
    payoff = proofs.asked.sense == "payoff"
    yield from _near(row["payoffs" if payoff else "costs"], [-c if payoff else c for c in costs], slack * largest)
    yield from _near(row["regrets"], regrets, slack * largest)
    error = max(abs(mix[s] - p) for mix, own in zip(mixes, response.values(), strict=True) for s, p in zip(mix, own))
    yield from _near(row, [error], slack, ["error"])
