"""Costs that kernels know how to minimise: the closed vocabulary between goals and optimisers.

A goal that orders schedules as one of these costs does (reversed) says so in :meth:`.base.Goal.cost`, and optimisers,
incentive checks and curves treat it accordingly; which method they have for which form is theirs to say. Every other
goal goes the general way, by enumeration.

>>> Cost.weighted((Fraction(2), Fraction(2))).form, Cost.weighted((Fraction(2), Fraction(1))).form
(<Form.SUM: 'the sum of the times'>, <Form.WEIGHTED: 'the sum of the weighted times'>)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from ...support.errors import InputError
from ...support.exact import Rational


class Form(Enum):
    """What is minimised."""

    SUM = "the sum of the times"
    WEIGHTED = "the sum of the weighted times"
    LARGEST = "the largest weighted time, or the sum of the largest times"
    LEXICAL = "the largest time, then the second largest, and so on"
    SQUARED = "the sum of the squared distances from a target"


@dataclass(frozen=True)
class Cost:
    """A cost of the output times; smaller is better.

    Attributes
    ----------
    form
        What is minimised.
    weights
        Per agent, >= 0; empty where all are 1. Only WEIGHTED and LARGEST have weights, LARGEST with ``count`` 1 only.
    count
        How many of the largest times LARGEST adds up.
    target
        Of SQUARED.
    """

    form: Form
    weights: tuple[Rational, ...] = ()
    count: int = 1
    target: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if self.weights and (self.form not in (Form.WEIGHTED, Form.LARGEST) or self.count > 1):
            raise InputError(f"weights: found {len(self.weights)}; expected none for {self.form.value}")

    @classmethod
    def weighted(cls, weights: Sequence[Rational]) -> Cost:
        """The sum of the weighted times; equal positive weights order schedules as the plain sum does."""
        plain = not weights or (weights[0] > 0 and all(w == weights[0] for w in weights))
        return cls(Form.SUM) if plain else cls(Form.WEIGHTED, tuple(weights))

    @classmethod
    def largest(cls, count: int, n_agents: int) -> Cost:
        """The sum of the ``count`` largest times of ``n_agents``: all of them from ``n_agents`` on."""
        return cls(Form.SUM) if count >= n_agents else cls(Form.LARGEST, count=count)
