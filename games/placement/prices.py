"""What is known of the price of anarchy of a placement game before its equilibria are."""

from __future__ import annotations

from fractions import Fraction


def price_bounds(
    organizations: int, worst: int | None, worst_at_most: int | None, optimum: int | None, optimum_at_most: int | None
) -> tuple[Fraction | None, Fraction | None]:
    """Least and most that the price of anarchy can be, if there is an equilibrium.

    One machine per organization: it is never more than ``2 - 1/N`` (Cordeiro 2012, Theorem 5.8).

    Parameters
    ----------
    organizations
        How many there are.
    worst, worst_at_most
        Largest cost of an equilibrium that is known, and of any.
    optimum, optimum_at_most
        Bounds on the least cost of all placements.

    >>> price_bounds(3, 7, 8, 5, 6), price_bounds(3, None, 30, 5, None)
    ((Fraction(7, 6), Fraction(8, 5)), (None, Fraction(5, 3)))
    """
    most = 2 - Fraction(1, organizations)
    if worst_at_most is not None and optimum:
        most = min(most, Fraction(worst_at_most, optimum))
    least = None
    if worst is not None and optimum_at_most:
        least = max(Fraction(1), Fraction(worst, optimum_at_most))
    return least, most
