"""An oracle that answers as plain numbers at a point do."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from consortium.games.proofs.execution import plain_sign
from consortium.games.proofs.symbols import Form


class At:
    """The point; ``asked`` counts what depends on it."""

    def __init__(self, *point: Fraction) -> None:
        self.point, self.asked = (Fraction(1), *point), 0

    def value(self, form: Any) -> Fraction:
        return self._sum(form.top) / form.bottom if isinstance(form, Form) else Fraction(form)

    def _sum(self, form: Sequence[int]) -> Fraction:
        return sum((a * z for a, z in zip(form, self.point, strict=True)), Fraction(0))

    def negative(self, form: Form) -> bool:
        self.asked += plain_sign(form.top) is None
        return self._sum(form.top) < 0

    def least(self, forms: Sequence[tuple[int, ...]]) -> int:
        self.asked += 1
        sums = [self._sum(form) for form in forms]
        return sums.index(min(sums))

    def read(self) -> bool:
        return False
