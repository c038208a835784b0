"""Which coalitions RAND watches, and with what weight each enters a contribution.

An ordering adds the organizations one after the other; ``u`` is credited with what it adds to those before it. Over a
multiset of ``N`` orderings the contribution of ``u`` is ``1/N`` times a sum of ``weight[c, u] * v(c)`` over the
coalitions that occur, with integer weights.

>>> watched = from_orderings([(0, 1), (1, 0)], 2)
>>> watched.masks, watched.weights.tolist(), watched.count
((1, 2, 3), [[1, -1], [-1, 1], [1, 1]], 2)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from ...support.errors import InputError, TooLargeError
from ...support.exact import Rational
from .arrays import IntArray
from .catalogue import SAMPLES_MAX
from .ranges import common_multiple

SAMPLES: Final = 15
"""Random orderings unless told otherwise."""

ORDERINGS: Final = ("samples", "orderings", "epsilon", "confidence")
"""Options of rand that say which orderings, or how many."""

ALL: Final = "all"
ALL_MAX: Final = 16
"""Largest number of organizations for ``samples = "all"`` (2**16 simplified schedules)."""


@dataclass(frozen=True, eq=False)
class Watched:
    """Coalitions as bit masks, integer weights of shape (coalitions, k), and the number ``count`` they divide by."""

    masks: tuple[int, ...]
    weights: IntArray
    count: int


def from_orderings(orderings: Iterable[Sequence[int]], k: int) -> Watched:
    """Coalitions and weights of given orderings of ``0..k-1``, repeated ones counted repeatedly."""
    table: dict[int, list[int]] = {}
    count = 0
    for ordering in orderings:
        if sorted(ordering) != list(range(k)):
            raise InputError(f"orderings: found {list(ordering)}; expected each of 0..{k - 1} once")
        before = 0
        for u in ordering:
            with_u = before | (1 << u)
            table.setdefault(with_u, [0] * k)[u] += 1
            if before:
                table.setdefault(before, [0] * k)[u] -= 1
            before = with_u
        count += 1
    if not count:
        raise InputError("orderings: found none; expected at least one")
    masks = tuple(sorted(table))
    return Watched(masks, np.array([table[mask] for mask in masks], dtype=np.int64), count)


def all_orderings(k: int) -> Watched:
    """Every ordering once: exact Shapley values of the simplified game from ``2**k - 1`` schedules."""
    _check_all(k)
    multiple = common_multiple(k)
    weights = np.zeros((2**k - 1, k), dtype=np.int64)
    for mask in range(1, 2**k):
        size = mask.bit_count()
        joining = multiple * math.factorial(size - 1) * math.factorial(k - size) // math.factorial(k)
        leaving = multiple * math.factorial(size) * math.factorial(k - size - 1) // math.factorial(k) if size < k else 0
        for u in range(k):
            weights[mask - 1, u] = joining if mask >> u & 1 else -leaving
    return Watched(tuple(range(1, 2**k)), weights, multiple)


def random_orderings(k: int, samples: int, rng: np.random.Generator) -> Watched:
    """``samples`` orderings drawn independently and uniformly."""
    _check_samples(samples)
    return from_orderings((rng.permutation(k).tolist() for _ in range(samples)), k)


def _check_all(k: int) -> None:
    if k > ALL_MAX:
        raise TooLargeError(f'samples = "all" keeps 2**k schedules; found k = {k}, the limit is {ALL_MAX}')


def _check_samples(samples: int) -> None:
    if samples < 1:
        raise InputError(f"samples: found {samples}; expected at least 1")
    if samples > SAMPLES_MAX:
        raise TooLargeError(f"rand would draw {samples:,} orderings; the limit is {SAMPLES_MAX:,}")


def sample_size(k: int, epsilon: Rational, confidence: Rational) -> int:
    """Orderings that make RAND an epsilon-approximation with the given probability on unit jobs (Theorem 5.6).

    ``ceil(k^2 / epsilon^2 * ln(k / (1 - confidence)))``.

    >>> sample_size(5, Fraction(1, 2), Fraction(9, 10))
    392
    """
    if epsilon <= 0:
        raise InputError(f"epsilon: found {epsilon}; expected more than 0")
    if not 0 <= confidence < 1:
        raise InputError(f"confidence: found {confidence}; expected at least 0 and less than 1")
    return max(1, math.ceil(k * k / Fraction(epsilon) ** 2 * Fraction(math.log(k / (1 - Fraction(confidence))))))


def count_orderings(
    k: int,
    samples: int | str | None = None,
    orderings: Sequence[Sequence[int]] | None = None,
    epsilon: Rational | None = None,
    confidence: Rational | None = None,
) -> int | str:
    """How many orderings these options of RAND ask for, or :data:`ALL`; 15 without any.

    >>> count_orderings(3), count_orderings(3, samples="all"), count_orderings(3, orderings=[(0, 1, 2)])
    (15, 'all', 1)
    """
    given = [samples is not None, orderings is not None, epsilon is not None or confidence is not None]
    if sum(given) > 1:
        raise InputError("rand: give samples, or orderings, or epsilon and confidence")
    if orderings is not None:
        return len(orderings)
    if samples == ALL:
        _check_all(k)
        return ALL
    if epsilon is not None or confidence is not None:
        if epsilon is None or confidence is None:
            raise InputError("rand: epsilon and confidence go together")
        samples = sample_size(k, epsilon, confidence)
    if samples is None:
        samples = SAMPLES
    if isinstance(samples, bool) or not isinstance(samples, int):
        raise InputError(f"samples: found {samples!r}; expected a number of orderings or 'all'")
    _check_samples(samples)
    return samples


def watched(
    k: int, rng: np.random.Generator, orderings: Sequence[Sequence[int]] | None = None, **options: Any
) -> Watched:
    """The coalitions that the options of :func:`count_orderings` ask for."""
    count = count_orderings(k, orderings=orderings, **options)
    if orderings is not None:
        return from_orderings(orderings, k)
    return all_orderings(k) if isinstance(count, str) else random_orderings(k, count, rng)
