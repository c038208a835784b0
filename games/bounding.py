r"""What a search that was stopped still proves of social costs and prices.

An optimum costs at most what any profile met costs, an equilibrium found is no better than the best and no worse than
the worst, so equilibria and profiles found bound both prices from one side, and what is proved of all equilibria from
the other. All of it is exact, and of prices only where there are any (:func:`~consortium.games.protocol.price`).
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

from ..support.exact import Extended
from .protocol import Outcome, Sense, price
from .results import Bounds, Equilibria


def settled(bounds: Bounds, known: Equilibria) -> Bounds:
    """The bounds, where all equilibria are known and only further answers are open."""
    if known.count is None or known.best is None or known.worst is None:
        return bounds
    return dataclasses.replace(bounds, worst_at_most=known.worst.social_cost, best_at_least=known.best.social_cost)


def priced(bounds: Bounds, known: Equilibria, optimum: Outcome | None, least: Extended | None, sense: Sense) -> Bounds:
    """The bounds with those on epsilon and the prices that follow; what a solver has proved of a price stays.

    Parameters
    ----------
    bounds
        What is proved of all equilibria.
    known
        Equilibria found.
    optimum
        The optimum, where it is proved.
    least
        Social cost of the cheapest profile met.
    sense
        Of the game.

    >>> found = Outcome((0, 0), (Fraction(3), Fraction(3)), Fraction(6))
    >>> bounds, known = Bounds(worst_at_most=Fraction(8)), Equilibria(True, None, found, found)
    >>> here = priced(bounds, known, None, Fraction(5), "cost")
    >>> here.price_of_anarchy_at_least, here.price_of_anarchy_at_most, here.price_of_stability_at_least
    (Fraction(6, 5), None, Fraction(1, 1))
    >>> best = Outcome((1, 1), (Fraction(2), Fraction(2)), Fraction(4))
    >>> here = priced(bounds, known, best, Fraction(4), "cost")
    >>> here.price_of_anarchy_at_most, here.price_of_stability_at_most
    (Fraction(2, 1), Fraction(3, 2))
    """
    floor = None if optimum is None else optimum.social_cost
    best, worst = (None if one is None else one.social_cost for one in (known.best, known.worst))
    lower = least if bounds.best_at_least is None else bounds.best_at_least
    found: dict[str, Any] = {
        "epsilon_at_least": Fraction(1),
        "epsilon_at_most": None if best is None else Fraction(1),
        "price_of_anarchy_at_least": _at_least(price(lower if worst is None else worst, least, sense)),
        "price_of_anarchy_at_most": price(bounds.worst_at_most, floor, sense),
        "price_of_stability_at_least": _at_least(price(lower, least, sense)),
        "price_of_stability_at_most": price(best, floor, sense),
    }
    return dataclasses.replace(bounds, **{k: v for k, v in found.items() if getattr(bounds, k) is None})


def _at_least(found: Fraction | None) -> Fraction | None:
    """No equilibrium is better than the optimum."""
    return None if found is None else max(Fraction(1), found)
