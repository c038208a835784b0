"""Many exact numbers over one denominator, which become Fractions when somebody looks at them.

Model: ``numerators[i] / denominator``, int64 or Python's integers. A column stands where a tuple of
Fractions stood: it compares, hashes, prints, slices and joins as that tuple. Making a hundred thousand Fractions takes
longer than computing with all of their numerators, and few who ask for a schedule look at each of its jobs.

>>> import numpy as np
>>> times = ExactColumn(np.array([1, 2, 3]), 2)
>>> times[1], times[:2], times == (Fraction(1, 2), Fraction(1), Fraction(3, 2)), times.total()
(Fraction(1, 1), (Fraction(1, 2), Fraction(1, 1)), True, Fraction(3, 1))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from numpy.typing import NDArray


class ExactColumn(Sequence[Fraction]):
    """A sequence of Fractions that behaves as the tuple of them, :attr:`whole`.

    Parameters
    ----------
    numerators
        Shape (n,), int64 or of Python integers; not to be changed afterwards.
    denominator
        Of all of them, > 0.
    """

    def __init__(self, numerators: NDArray[Any], denominator: int) -> None:
        self.numerators, self.denominator = numerators, denominator

    @cached_property
    def whole(self) -> tuple[Fraction, ...]:
        """All of them, made once."""
        return tuple(Fraction(top, self.denominator) for top in self.numerators.tolist())

    def total(self) -> Fraction:
        """Their sum, without making them."""
        return Fraction(sum(self.numerators.tolist()), self.denominator)

    def __len__(self) -> int:
        return len(self.numerators)

    @overload
    def __getitem__(self, index: int) -> Fraction: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Fraction, ...]: ...
    def __getitem__(self, index: int | slice) -> Fraction | tuple[Fraction, ...]:
        if isinstance(index, slice) or "whole" in vars(self):
            return self.whole[index]
        return Fraction(int(self.numerators[index]), self.denominator)

    def __iter__(self) -> Iterator[Fraction]:
        return iter(self.whole)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ExactColumn):
            other = other.whole
        return self.whole == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.whole)

    def __repr__(self) -> str:
        return repr(self.whole)

    def __add__(self, other: tuple[Any, ...]) -> tuple[Any, ...]:
        return (*self.whole, *other)

    def __radd__(self, other: tuple[Any, ...]) -> tuple[Any, ...]:
        return (*other, *self.whole)

    def __reduce__(self) -> tuple[Any, ...]:
        return ExactColumn, (self.numerators, self.denominator)
