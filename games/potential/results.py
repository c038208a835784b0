"""What is found about the potentials of a game."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from numpy.typing import NDArray

CLASSES: Final = ("exact", "weighted", "ordinal", "generalized_ordinal", "weakly_acyclic", "acyclic_best_responses")
"""Each of the first five implies the next one; generalized ordinal games also have acyclic best responses, and games
with acyclic best responses are weakly acyclic."""


@dataclass(frozen=True, eq=False)
class Verdict:
    """Whether a game is in a class, and what shows it. Profiles are numbered in C order.

    Attributes
    ----------
    holds
        Whether it is.
    potential
        One number per profile, in ``unit``; ``None`` where it is not.
    unit
        What 1 in ``potential`` stands for.
    weights
        One per player, of a weighted potential.
    cycles
        What refutes: rings of profiles, of which each follows from the one before by one player's move.
    trap
        What refutes weak acyclicity: a profile from which no gains lead to an equilibrium.
    """

    holds: bool
    potential: NDArray[Any] | None = None
    unit: Fraction = Fraction(1)
    weights: tuple[Fraction, ...] | None = None
    cycles: tuple[tuple[int, ...], ...] = ()
    trap: int | None = None

    def value(self, profile: int) -> Fraction:
        """The potential of a profile. Only where there is one."""
        assert self.potential is not None
        return int(self.potential[profile]) * self.unit
