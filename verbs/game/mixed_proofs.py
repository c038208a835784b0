"""What mixed equilibria in a record prove: their costs and regrets, from the definition.

That a list is complete follows from no profile in it: it is proved by listing all vertices again, which is asking
again. The components follow from the list, if it is complete.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from ...games.equilibria.mixed.profiles import components
from ...games.protocol import Game, costs_of
from ...support.exact import Extended
from ...support.progress import Clock
from ..proving import Claim, Comparisons, attempt
from .mixed import numbered

LISTED: Final = "agrees with the equilibria of the record; that none is missing is proved by asking again"


def prove_mixed(claim: Claim, game: Game, payoff: bool, clock: Clock) -> Comparisons:
    """Rows about every profile, about what the two lists may hold, and about the components."""
    for name, exact in (("equilibria", True), ("approximate", False)):
        rows = claim[name].rows()
        for row in rows:
            yield from attempt(row, _profile, row, game, payoff, exact, clock)
        if len({repr(row["probabilities"].value) for row in rows}) < len(rows):
            yield claim[name].wrong("the same profile twice")
    if claim["components"].given:
        yield from attempt(claim["components"], _components, claim, game)


def _profile(claim: Claim, game: Game, payoff: bool, exact: bool, clock: Clock) -> Comparisons:
    """Expected costs and regrets of a profile; no regret in a list of equilibria, some regret in one of others."""
    mixes = [
        _weights(mix, game.strategies(k)) for k, mix in enumerate(claim["probabilities"].by_name(list(game.players)))
    ]

    def expected(k: int, own: dict[Any, Fraction]) -> Extended:
        played = [*mixes[:k], own, *mixes[k + 1 :]]
        total: Extended = Fraction(0)
        for profile in itertools.product(*([s for s, chance in mix.items() if chance] for mix in played)):
            if clock.expired():
                raise TimeoutError
            chance = Fraction(1)
            for mix, strategy in zip(played, profile, strict=True):
                chance *= mix[strategy]
            total += chance * costs_of(game, profile)[k]
        return total

    costs = [expected(k, mix) for k, mix in enumerate(mixes)]
    least = [min(expected(k, {s: Fraction(1)}) for s in game.strategies(k)) for k in range(len(mixes))]
    regrets = [cost - best for cost, best in zip(costs, least, strict=True)]
    if any(regrets) == exact:
        yield claim["probabilities"].wrong(f"regrets {', '.join(map(str, regrets))}")
        return
    worth = {"payoffs": [-c for c in costs]} if payoff else {"costs": costs}
    told = {"probabilities": claim["probabilities"].value, "regrets": regrets, "exact": exact}
    yield from claim.proves(told | worth)


def _weights(mix: Claim, strategies: Sequence[Any]) -> dict[Any, Fraction]:
    """Probabilities by strategy. Raises InputError for others than one for each, together 1."""
    weights = [part.number() for part in mix.rows()]
    if len(weights) != len(strategies) or sum(weights) != 1 or min(weights) < 0:
        raise mix.refused("one probability for each strategy, together 1")
    return dict(zip(strategies, weights, strict=True))


def _components(claim: Claim, game: Game) -> Comparisons:
    """The components of the equilibria listed; the first two players who have a choice are the two sides."""
    pairs = []
    for row in claim["equilibria"].rows():
        mixes = [
            tuple(part.number() for part in mix.rows()) for mix in row["probabilities"].by_name(list(game.players))
        ]
        choosing = [mix for mix in mixes if len(mix) > 1]
        pairs.append((choosing[0], choosing[1] if len(choosing) > 1 else ()))
    yield from claim["components"].agrees(numbered(components(pairs)), LISTED)
