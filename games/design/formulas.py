"""Payments as formulas, and why none of their form take less: what a design for all lengths comes to.

>>> formula_of({"S": Fraction(1, 2), "E": Fraction(-1), "W": Fraction(0), "max(own, E)": Fraction(3)})
'S/2 + 3*max(own, E) - E'
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.prices import Formula, OwnFormulas
from ..proofs.strategies import Proof
from ..proofs.symbols import Vector
from .cells import Condition


@dataclass(frozen=True)
class Limit:
    """A limit of situations: a condition, the ray of its cell's closure at which it is met, and how often it is taken.

    The ray plus e times the point inside the cell is in the cell, but for a factor, for every e > 0.
    """

    condition: Condition
    ray: Vector
    multiplier: Fraction

    @property
    def point(self) -> dict[str, Fraction]:
        """Lengths and declarations by name; where nothing is a fixed number, all multiples of them are limits too."""
        unit, names = self.ray[0] or 1, self.condition.question.names
        return {name: Fraction(z, unit) for name, z in zip(names, self.ray[1:], strict=True)}

    def as_row(self) -> dict[str, Any]:
        """As plain data; agents count from 1."""
        one = self.condition
        return {
            "statement": one.statement,
            "agent": None if one.agent is None else one.agent + 1,
            "side": one.question.side,
            "names": list(one.question.names),
            "limit": list(self.ray),
            "inside": list(one.inside),
            "tests": [{"row": list(row), "strict": strict} for row, strict in one.rows],
            "forms": [list(form) for form in one.forms],
            "multiplier": list(self.multiplier.as_integer_ratio()),
        }


@dataclass(frozen=True)
class FormulaDesign:
    """The best payments of a template, or the proof that there are none.

    Attributes
    ----------
    status
        ``"optimal"`` (found, proved, and no coefficients do better), ``"impossible"``, or ``"open"``.
    concept, objective, conditions, features, n_agents, per_agent
        What was asked for.
    value
        The least r; None unless optimal.
    bound
        What r is at least, as far as is known; None where it is impossible.
    coefficients
        By feature: one mapping for all agents, or one each. Empty unless optimal.
    formulas
        The payments, one formula for all or one each.
    mechanism
        The rule with these payments.
    proofs
        Of the concept, the conditions and the objective, by name. A bound ``R <= r S`` is proved as no deficit of the
        payments ``r S/N - P_n``, one on each payment as payments ``r S - P_n`` that are never negative.
    limits
        Why r is at least the bound, or why it is impossible.
    iterations, cells
        Linear programs solved, and cells looked at.
    limit
        What left it open: ``"time"``, ``"ctrl-c"`` or ``"cells"``.
    """

    status: str
    concept: str
    objective: str
    conditions: tuple[str, ...]
    features: tuple[str, ...]
    n_agents: int
    per_agent: bool
    value: Fraction | None = None
    bound: Fraction | None = None
    coefficients: tuple[Mapping[str, Fraction], ...] = ()
    formulas: tuple[str, ...] = ()
    mechanism: OneRound | None = None
    proofs: Mapping[str, Proof] = field(default_factory=dict)
    limits: tuple[Limit, ...] = ()
    iterations: int = 0
    cells: int = 0
    limit: str = ""

    def bound_certificate(self) -> dict[str, Any]:
        """Why r is at least the bound, or why it is impossible, as plain data that :mod:`.check_bound` adds up again.

        ``unknowns`` says what the forms of a row belong to: the constant 1, each coefficient (feature and agent, null
        for all agents), and r. Taken with the multipliers (numerator and denominator), the rows at their limits sum to
        ``r - bound >= 0``; where ``bound`` is null they sum to a negative constant. Without rows the bound is 0, the
        least that payments without a deficit allow.
        """
        owners = range(1, self.n_agents + 1) if self.per_agent else (None,)
        return {
            "format": 1,
            "kind": "formula-bound",
            "agents": self.n_agents,
            "concept": self.concept,
            "objective": self.objective,
            "conditions": list(self.conditions),
            "unknowns": [1, *([feature, owner] for owner in owners for feature in self.features), "r"],
            "bound": None if self.bound is None else list(self.bound.as_integer_ratio()),
            "rows": [limit.as_row() for limit in self.limits],
        }


def formula_of(coefficients: Mapping[str, Fraction]) -> str:
    """A sum of features as the text of a formula, what is added first."""
    text = ""
    for feature, x in sorted(coefficients.items(), key=lambda item: item[1] < 0):
        if x:
            text += (" - " if x < 0 else " + ") + _times(feature, abs(x))
    return "0" if not text else f"-{text[3:]}" if text[1] == "-" else text[3:]


def _times(feature: str, x: Fraction) -> str:
    """A feature times a positive number."""
    whole = feature if re.fullmatch(r"\w+|\w+\([^()]*\)", feature) else f"({feature})"
    if x.numerator == 1:
        return whole if x == 1 else f"{whole}/{x.denominator}"
    return f"{x}*{whole}"


def priced(setting: OneRound, texts: Sequence[str]) -> OneRound:
    """The rule with other payments: a formula for all agents, or one each."""
    price = Formula(texts[0]) if len(texts) == 1 else OwnFormulas.of(texts)
    return replace(setting, rule="designed", payment="designed", price=price)
