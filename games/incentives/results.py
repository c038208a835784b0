"""Records of incentive checks, and the one convention about gains that every method shares.

A *gain* is what a lie pays over the truth: utility of the lie minus utility of the truth, in the same situation.
Utilities are exact, or ``-inf`` for a job that never ends: a lie that kills a job which the truth completes gains
``-inf``, a lie that saves a job which the truth loses gains ``inf``, and where both lose it the gain is 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Self, TypeAlias

from ...support.exact import Extended
from .domain import Concept, Profile

METHODS: Final = ("auto", "kernel", "general", "reduction")
"""What can be asked for."""
Method: TypeAlias = str
"""``"kernel"``, ``"general"``, ``"sample"`` or ``"reduction"``."""


def gain_of(lie: Extended, truth: Extended) -> Extended:
    """Utility of the lie minus utility of the truth; 0 when both are the same infinity.

    >>> import math
    >>> gain_of(Fraction(2), Fraction(3)), gain_of(-math.inf, -math.inf), gain_of(-math.inf, Fraction(0))
    (Fraction(-1, 1), Fraction(0, 1), -inf)
    """
    return Fraction(0) if lie == truth else lie - truth


@dataclass(frozen=True)
class Witness:
    """One situation in which a lie pays, everything needed to play it again.

    Attributes
    ----------
    agent
        Who lies, from 0.
    length, lie
        Her true length and what she declares instead.
    declarations
        Everybody's declarations, with the lie in her place.
    lengths
        Everybody's true lengths.
    utility_truth, utility_lie, gain
        Exact, or infinite; ``gain = utility_lie - utility_truth``.
    """

    agent: int
    length: Fraction
    lie: Fraction
    declarations: Profile
    lengths: Profile
    utility_truth: Extended
    utility_lie: Extended
    gain: Extended

    @property
    def truthful(self) -> Profile:
        """Everybody's declarations when she tells the truth."""
        return (*self.declarations[: self.agent], self.length, *self.declarations[self.agent + 1 :])


@dataclass(frozen=True)
class IncentiveCheck:
    """Verdict of one incentive check.

    Attributes
    ----------
    concept
        ``"dominant"`` or ``"ex-post"``.
    holds
        No lie pays; ``None`` when none was found but not everything was tried.
    cases
        Comparisons of the truth with one lie that this answer covers.
    total
        Comparisons in the whole domain; ``cases == total`` when complete.
    max_gain
        Largest gain from a lie, ``None`` without a case.
    witness
        Situation of the largest gain when a lie pays, the first one in the order: agent, others' declarations,
        others' lengths (the last agent's change fastest), own length, lie.
    method
        How it was found.
    complete
        The answer covers the whole domain.
    seed
        Of a sample, else ``None``.
    note
        What else a reader should know; empty for most.
    open
        The method came to its end without an answer, as the reduction may.
    """

    concept: Concept
    holds: bool | None
    cases: int
    total: int
    max_gain: Extended | None
    witness: Witness | None
    method: Method
    complete: bool
    seed: int | None = None
    exact: bool = True
    note: str = ""
    open: bool = False

    @classmethod
    def of_nothing(cls, concept: Concept, total: int, method: Method, note: str = "", open: bool = False) -> Self:
        """An answer that covers no case."""
        return cls(concept, None, 0, total, None, None, method, False, note=note, open=open)

    @property
    def stopped(self) -> bool:
        """Whether Ctrl-C or the end of the time allowed cut it short; a sample and an open reduction are not that."""
        return not (self.complete or self.open) and self.seed is None


def verdict(max_gain: Extended | None, complete: bool) -> bool | None:
    """``holds`` for a largest gain: False as soon as a lie pays, True only when everything was tried.

    >>> verdict(Fraction(1), False), verdict(Fraction(0), True), verdict(None, False)
    (False, True, None)
    """
    if max_gain is not None and max_gain > 0:
        return False
    return True if complete else None
