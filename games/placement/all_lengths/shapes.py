"""Shapes of placement games: how many jobs each organization has, of any lengths.

A *shape* says for each organization, the highest priority first, how many jobs it has; everybody owns one machine and
minimises its makespan. The lengths of an organization are any positive numbers, the longest first. A form of them is
written in their differences, ``x[a, i] = p[a, i] - p[a, i+1] >= 0`` (the last length is the last difference): sorted
lengths become all vectors without negative entries, and a form is never negative where no coefficient is.

>>> shape = Shape((2, 1))
>>> shape.lengths([1, 2, 4])
((3, 2), (4,))
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal, TypeAlias

from ....support.exact import Rational
from ....support.status import Status

Property: TypeAlias = Literal["pure-equilibrium", "price-of-anarchy", "price-of-stability", "epsilon", "ratio"]
Lengths: TypeAlias = tuple[tuple[Rational, ...], ...]
"""A game of a shape: lengths by organization in the shape's order, the longest first."""


@dataclass(frozen=True)
class Shape:
    """How many jobs each organization has.

    Attributes
    ----------
    jobs
        By organization, the highest priority first; 0 is allowed.
    ranks
        With priority to jobs: by organization the rank of each of its jobs, the longest first; 1 goes first of all.
        ``None`` with priority to organizations.
    """

    jobs: tuple[int, ...]
    ranks: tuple[tuple[int, ...], ...] | None = None

    @cached_property
    def owners(self) -> tuple[int, ...]:
        """Owner of each job; jobs are numbered organization by organization, the longest first."""
        return tuple(a for a, count in enumerate(self.jobs) for _ in range(count))

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Number of each organization's first job, and of all jobs."""
        return (0, *itertools.accumulate(self.jobs))

    def lengths(self, point: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """Lengths by organization from their differences."""
        return tuple(
            tuple(sum(point[i:end]) for i in range(start, end)) for start, end in itertools.pairwise(self.starts)
        )


@dataclass(frozen=True)
class Answer:
    """What is known of all games of a shape.

    Attributes
    ----------
    status
        Of the statement; without a bound ``proved`` says that the value is exact.
    value, at_least, at_most
        The largest price, ratio or least epsilon of all games: exactly, and between what it is known to be.
    attained
        Whether some game has the value; ``False``: it is only approached.
    theorem
        Name of the theorem that answers, or that bounds what is open; ``None`` where a certificate does, or nothing.
    regions
        Leaves of the tree.
    lengths
        A game beyond the bound or without equilibrium, or one that attains the value: lengths by organization in the
        shape's order, the longest first.
    certificate
        Text of the file that proves it; ``None`` without one.
    done
        Share that was decided: of all lengths, of the placements whose prices are bounded, or of a rule's paths.
    next
        A game that is not decided, as ``lengths``.
    """

    status: Status
    value: Fraction | None = None
    at_least: Fraction | None = None
    at_most: Fraction | None = None
    attained: bool | None = None
    theorem: str | None = None
    regions: int | None = None
    lengths: Lengths | None = None
    certificate: str | None = None
    done: Fraction = Fraction(1)
    next: Lengths | None = None
