"""Questions about runs of code: over which numbers, which runs are compared, and what must hold where they end.

A question has coordinates of its own, ``z = (1, z_1, ..., z_k)``; in each run they stand for the code's symbols. Its
claim is a function of the leaves at which the runs end: forms none of which may be positive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from operator import mul
from random import Random
from typing import Final, NamedTuple, TypeAlias

from ...support.errors import InputError
from ...support.exact import scale
from .execution import Entry, Node, Place
from .symbols import Vector

Rows: TypeAlias = tuple[tuple[Vector, bool], ...]
"""Vectors, each above zero (True) or at least zero (False)."""


class Together(NamedTuple):
    """Forms that must not be positive all at the same point."""

    forms: tuple[Vector, ...]


Claim: TypeAlias = Callable[[Sequence[Node]], Sequence[Vector | Together]]
"""From the leaves of the runs to forms in the question's coordinates, without last zeros; none may be positive."""


@dataclass(frozen=True)
class Lengths:
    """The lengths and declarations meant: all positive numbers, or those of an interval.

    ``start`` is included unless it is 0; ``end`` is included, None for no end. Raises InputError where nothing is left.

    >>> str(Lengths()), str(Lengths(Fraction(1), Fraction(3))), str(Lengths(end=Fraction(3)))
    ('all positive lengths', 'all lengths from 1 to 3', 'all positive lengths up to 3')
    """

    start: Fraction = Fraction(0)
    end: Fraction | None = None

    def __post_init__(self) -> None:
        if self.start < 0:
            raise InputError(f"lengths: found {self.start} as their start; expected a number >= 0")
        if self.end is not None and (self.end < self.start or self.end == 0):
            raise InputError(f"lengths: found {self.end} as their end; expected a number > 0, not below {self.start}")

    def __str__(self) -> str:
        return self.text("lengths")

    def text(self, what: str) -> str:
        """In words, for numbers that are called so."""
        if self.start == 0:
            return f"all positive {what}" + ("" if self.end is None else f" up to {self.end}")
        return f"all {what} from {self.start}" + (" on" if self.end is None else f" to {self.end}")

    def __contains__(self, x: Fraction) -> bool:
        """Whether a number is one of them."""
        return x > 0 and self.start <= x and (self.end is None or x <= self.end)

    def sample(self, rng: Random) -> Fraction:
        """One of them, small or large, whole or not."""
        if self.end is None:
            return self.start + Fraction(rng.randint(1, 9), rng.choice((1, 1, 2, 7))) * 10 ** rng.choice(
                (0, 0, 0, 1, 5)
            )
        parts = rng.choice((1, 2, 3, 4, 60, 997))
        return self.start + (self.end - self.start) * Fraction(rng.randint(0, parts), parts)

    def rows(self, n_coordinates: int, n_others: int = 0) -> Rows:
        """What holds of every coordinate: it is positive and, but for the last ``n_others``, within the interval."""
        rows = [(sparse_vector(n_coordinates, {j: 1}), True) for j in range(n_coordinates)]
        for j in range(1, n_coordinates - n_others):
            if self.start > 0:
                rows.append((bound_row(self.start, j, n_coordinates), False))
            if self.end is not None:
                rows.append((bound_row(self.end, j, n_coordinates, -1), False))
        return tuple(rows)


ALL_LENGTHS: Final = Lengths()


@dataclass(frozen=True)
class Run:
    """One run: of which code, and what stands for its symbols.

    ``code``: its number among the trees. ``places``: per coordinate of the code (the constant's first) the question's
    coordinate. ``perturbation``: per coordinate of the code how it moves, infinitely little; None for not at all.
    """

    places: tuple[int, ...]
    perturbation: tuple[int, ...] | None = None
    code: int = 0

    def vector(self, form: Vector, n_coordinates: int) -> Vector:
        """A form of the code in the question's coordinates; zeros at its end may be left out."""
        vector = [0] * n_coordinates
        for a, place in zip(form, self.places, strict=False):
            vector[place] += a
        return tuple(vector)

    def slope(self, form: Vector) -> int:
        """How a form moves, in units of what is infinitely small."""
        return 0 if self.perturbation is None else sum(a * d for a, d in zip(form, self.perturbation, strict=True))

    def point(self, z: Vector) -> Vector:
        """The code's point for the question's."""
        return tuple([z[place] for place in self.places])

    def place(self, z: Vector) -> Place:
        """The code's place for the question's point: moved infinitely little from the code's point."""
        return (self.point(z),) if self.perturbation is None else (self.point(z), self.perturbation)


@dataclass(frozen=True)
class Question:
    """One thing to prove about runs."""

    agent: int | None  # whose case it is, from 0; None for what concerns the institution
    side: str  # where the lie is, ``"below"`` or ``"above"`` the truth; or the name of another part of a proof
    names: tuple[str, ...]  # the question's coordinates after the constant
    domain: Rows  # what is known of them
    runs: tuple[Run, ...]  # what is run: for a lie the truth first
    claim: Claim = field(compare=False)  # forms that must not be positive at the ends
    # of a lie: what it gains, where the runs end; None where a run refuses its input
    gain: Callable[[Sequence[Node]], Entry] | None = field(default=None, compare=False)

    @property
    def n_coordinates(self) -> int:
        """The constant and the named ones."""
        return 1 + len(self.names)

    def samples(self, lengths: Lengths, count: int) -> Iterator[Vector]:
        """So many points of each run, always the same ones; some of their numbers are alike."""
        rng = Random(0)
        tries = 0
        most = 10_000 if lengths.start != lengths.end else 1  # of one length there is one point, if any
        while count and (tries := tries + 1) <= most:
            numbers = [Fraction(1)]
            for _ in self.names:
                alike = len(numbers) > 1 and rng.random() < 0.25
                numbers.append(rng.choice(numbers[1:]) if alike else lengths.sample(rng))
            z, _ = scale(numbers)
            if all(sum(map(mul, row, z)) >= strict for row, strict in self.domain):
                count -= 1
                yield from (run.point(z) for run in self.runs)


def name_list(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> name_list(["x"]), name_list(["x", "y", "z"])
    ('x', 'x, y and z')
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def bound_row(bound: Fraction, j: int, size: int, sign: int = 1) -> Vector:
    """``sign * (z_j - bound z_0)`` with integers: at least 0 where the coordinate is at least the bound, or at most."""
    return sparse_vector(size, {0: -sign * bound.numerator, j: sign * bound.denominator})


def sparse_vector(size: int, entries: Mapping[int, int]) -> Vector:
    """The vector with these entries by coordinate, else 0."""
    return tuple([entries.get(i, 0) for i in range(size)])
