"""The declaration game of a scenario as a search asks about it: a profile is a table of declarations by agent."""

from __future__ import annotations

from fractions import Fraction

from ...games.declaration.game import DeclarationGame
from ...games.protocol import Outcome
from ...scenarios.scenario import Scenario
from ...support.exact import Extended, rational
from ..game.search import Posed, in_order
from .model import Model, model
from .options import Search


def posed(scenario: Scenario, options: Search) -> Posed:
    """The game with the declarations that the file lists."""
    m = model(scenario, options.mechanism)
    return as_posed(m, m.game(), started(m, options))


def started(m: Model, options: Search) -> tuple[Fraction, ...]:
    """Where dynamics start: at the truth unless ``start`` says otherwise."""
    start = in_order(options.start, m.spec.names)
    return m.lengths if start is None else tuple(rational(b, "start") for b in start)


def as_posed(m: Model, game: DeclarationGame, begin: tuple[Fraction, ...]) -> Posed:
    """How outcomes of a game of these agents are written."""
    names = m.spec.names

    def social(outcome: Outcome) -> list[Extended]:
        return [-part for part in game.welfare(outcome.profile)]

    return Posed(game, begin, lambda p: dict(zip(names, p, strict=True)), None if game.numeric else social)
