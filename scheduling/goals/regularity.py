"""Whether a goal is regular for a number of agents (definition 3.21): by argument, or by trying a grid of times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product

from ...support.exact import Rational
from .base import Goal


@dataclass(frozen=True)
class Regularity:
    """Answer of :func:`check_regular`.

    Attributes
    ----------
    holds
        True or False when settled; None when no counterexample was found on the grid, which proves nothing.
    method
        ``"argument"`` (known of this goal) or ``"enumeration"``.
    cases
        Comparisons made.
    witness
        ``(times, agent, earlier, later)``: with the others' times fixed, moving ``agent`` (from 0) from ``earlier`` to
        ``later`` does not make the goal strictly smaller. None unless refuted.
    """

    holds: bool | None
    method: str
    cases: int
    witness: tuple[tuple[Fraction, ...], int, Fraction, Fraction] | None


def check_regular(goal: Goal, n_agents: int, times: Sequence[Rational] = (1, 2, 3, 4)) -> Regularity:
    """Whether the goal is regular for ``n_agents`` agents: each later time alone makes it strictly smaller.

    What a goal knows of itself settles it by an argument, and a refutation still carries a witness, from the grid
    ``times`` and the goal's own telling times. Any other goal is tried on every vector of these times and every pair
    of neighbours among them (pairs further apart follow, because strict decrease is transitive); without a
    counterexample the answer is None.

    >>> from consortium.scheduling.goals import ExpressionGoal, Makespan, SumOfTimes
    >>> check_regular(SumOfTimes(), 3).holds
    True
    >>> check_regular(Makespan(), 2).witness
    ((Fraction(1, 1), Fraction(2, 1)), 0, Fraction(1, 1), Fraction(2, 1))
    >>> check_regular(ExpressionGoal("-a*b", ("a", "b")), 2).holds is None
    True
    """
    known = goal.regular_for(n_agents)
    if known:
        return Regularity(True, "argument", 0, None)
    grid = sorted({Fraction(t) for t in times})
    cases, witness = _refute(goal, n_agents, sorted({*grid, *goal.telling_times(grid)}))
    if known is False:
        return Regularity(False, "argument", cases, witness)
    return Regularity(None if witness is None else False, "enumeration", cases, witness)


def _refute(
    goal: Goal, n_agents: int, grid: list[Fraction]
) -> tuple[int, tuple[tuple[Fraction, ...], int, Fraction, Fraction] | None]:
    cases = 0
    for base in product(grid, repeat=n_agents):
        for agent in range(n_agents):
            for earlier, later in pairwise(grid):
                if base[agent] != earlier:
                    continue
                cases += 1
                moved = (*base[:agent], later, *base[agent + 1 :])
                if not goal.value(moved) < goal.value(base):  # type: ignore[operator]
                    return cases, (base, agent, earlier, later)
    return cases, None
