r"""Fairness functions that may be minimised, with exact keys, and metrics that may only be reported.

Model (Cordeiro 2012, section 6.1): user ``u`` enters with ``y_u = w_u x_u / r_u``. ``x_u`` is her makespan, or her
average (``values="sum"``: total) completion time; ``w_u > 0`` a weight; ``r_u`` is 1, or her zenith, or her nadir.
Smaller is better:

====================  ==========================  ===============================
norm                  key (exact, compared)       value (float, shown)
====================  ==========================  ===============================
``p = 1, 2, 3, ...``  sum of ``y_u ** p``         p-th root of the key
``"mean"``            sum of ``y_u``              key / number of users
``"geometric"``       product of ``y_u``          root of order number of users
``"max"``             largest ``y_u``             the key
====================  ==========================  ===============================

All of them increase when somebody is worse off, so some minimum is Pareto-optimal. ``"max"`` does so only weakly: among
its minima the lexicographically smallest point is Pareto-optimal, and that is the tie rule everywhere.

Jain's index, the min-max ratio and the variance are *not* monotone (:data:`.catalogue.NOT_MONOTONE`), so their optimum
may hurt everybody: they are reported by :func:`fairness_metrics` and refused as a norm.

>>> shared = Community.of(("makespan", [2]), ("total-completion", [1, 1]))
>>> measure = Fairness().bind(shared)
>>> measure.key((3, 5)), measure.key((2, 7))
(Fraction(61, 4), Fraction(65, 4))
>>> fairness_metrics(measure.values((3, 5)))["jain"]
Fraction(121, 122)
"""

from __future__ import annotations

import math
import operator
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any, Final

from ...agents.users import Community
from ...scheduling.metrics import jain
from ...support.errors import InputError, TooLargeError, check_name, unknown_name
from ...support.exact import Rational, rational, scale
from .catalogue import ALLOWED_NORMS, MAX_NORM, NORMS, REFERENCES, VALUES, Norm, Reference, Values, norm_refusal
from .schedule import nadir, zenith

MAX_BITS: Final = 12_000
"""Keys beyond this could not be printed exactly."""


def check_norm(norm: object) -> None:
    """Raise unless ``norm`` can be minimised; for a metric the message says why it cannot.

    >>> check_norm("jain")
    Traceback (most recent call last):
        ...
    consortium.support.errors.InputError: fairness.norm: 'jain' cannot be optimised, because it is not monotone:
    from (1, 2, 2) to (1, 1, 2) nobody is worse off, yet Jain's index falls from 25/27 to 8/9. Its optimum may hurt
    everybody; it is reported with every result. Expected 1, 2, 3, ..., 'max', 'mean' or 'geometric'
    """
    if isinstance(norm, int) and not isinstance(norm, bool):
        if not 1 <= norm <= MAX_NORM:
            raise InputError(f"fairness.norm: found {norm}; expected {ALLOWED_NORMS}, integers up to {MAX_NORM}")
        return
    if not isinstance(norm, str):
        raise InputError(f"fairness.norm: found {norm!r}; expected {ALLOWED_NORMS}")
    refusal = norm_refusal(norm)
    if refusal is not None:
        raise InputError(f"fairness.norm: {norm!r} {refusal}. Expected {ALLOWED_NORMS}")
    if norm not in NORMS:
        raise unknown_name("fairness.norm", norm, (*NORMS, "1", "2", "3"))


@dataclass(frozen=True)
class Fairness:
    """A fairness function, before it meets a community.

    Attributes
    ----------
    norm
        1, 2, 3, ..., ``"max"``, ``"mean"`` or ``"geometric"``.
    values
        Total-completion users enter by their ``"average"`` or by the ``"sum"`` of their completion times. The choice
        decides the optimum: with sums their term dwarfs everybody else's.
    relative_to
        What every value is divided by: ``"none"`` (1), ``"zenith"`` or ``"nadir"``.
    weights
        One positive number per user, or ``None`` for 1 each.
    references
        Own divisors, one positive number per user, instead of ``relative_to``: a default policy's values, in time,
        averages where ``values`` says so.
    """

    norm: Norm = 2
    values: Values = "average"
    relative_to: Reference = "none"
    weights: tuple[Rational, ...] | None = None
    references: tuple[Rational, ...] | None = None

    def __post_init__(self) -> None:
        check_norm(self.norm)
        check_name("fairness.values", self.values, VALUES)
        check_name("fairness.relative_to", self.relative_to, REFERENCES)
        if self.references is not None and self.relative_to != "none":
            raise InputError("fairness: give relative_to or references, not both")

    def bind(self, shared: Community) -> Measure:
        """The function for one community: references looked up, coefficients made integers."""
        weights = _positive("fairness.weights", self.weights, shared)
        own = _positive("fairness.references", self.references, shared)
        ideal = None
        if self.relative_to != "none":
            ideal = zenith(shared) if self.relative_to == "zenith" else nadir(shared)
        coefficients = []
        for u, user in enumerate(shared.users):
            if ideal is not None:  # time and averaging cancel
                coefficients.append(weights[u] / ideal[u])
                continue
            averaged = user.objective == "total-completion" and self.values == "average"
            coefficients.append(weights[u] * shared.unit / own[u] / (len(user.jobs) if averaged else 1))
        integers, denominator = scale(coefficients)
        measure = Measure(self.norm, integers, denominator)
        worst = [shared.work * n for n in shared.n_jobs]
        bits = max(measure.integer_key(worst).bit_length(), measure.exact(1).denominator.bit_length())
        if bits > MAX_BITS:
            raise TooLargeError(
                f"fairness: keys would have up to {bits * 30103 // 100000} digits; the limit is {MAX_BITS * 3 // 10}; "
                "take a smaller norm, or lengths of fewer digits"
            )
        return measure


def _positive(where: str, numbers: Sequence[Rational] | None, shared: Community) -> list[Fraction]:
    if numbers is None:
        return [Fraction(1)] * len(shared.users)
    if len(numbers) != len(shared.users):
        raise InputError(f"{where}: found {len(numbers)}; expected one per user, {len(shared.users)}")
    exact = [rational(value, f"{where}[{i}]") for i, value in enumerate(numbers, 1)]
    for number, value in enumerate(exact, 1):
        if value <= 0:
            raise InputError(f"{where}[{number}]: found {value}; expected more than 0")
    return exact


@dataclass(frozen=True)
class Measure:
    """A fairness function on the points of one community: ``y_u = coefficients[u] * x_u / denominator``.

    ``x_u`` is the integer of the point. Keys as integers (:meth:`integer_key`) compare like :meth:`key`, which
    divides by the constant that belongs to them.
    """

    norm: Norm
    coefficients: tuple[int, ...]
    denominator: int

    @property
    def power(self) -> int:
        """Exponent of each user's term in the key."""
        return self.norm if isinstance(self.norm, int) else 1

    @property
    def combine(self) -> Callable[[Any, Any], Any]:
        """How the terms of two users join: sum, product or maximum."""
        if self.norm == "geometric":
            return operator.mul
        return max if self.norm == "max" else operator.add

    @property
    def neutral(self) -> int:
        """Key of no user at all."""
        return 1 if self.norm == "geometric" else 0

    def term(self, user: int, value: int) -> int:
        """Contribution of one user to the integer key."""
        return int((self.coefficients[user] * value) ** self.power)

    def integer_key(self, point: Sequence[int]) -> int:
        """Integer that orders points as the key does."""
        return int(reduce(self.combine, (self.term(u, x) for u, x in enumerate(point)), self.neutral))

    def exact(self, integer_key: int) -> Fraction:
        """The key that an integer key stands for."""
        users = len(self.coefficients) if self.norm == "geometric" else 1
        return Fraction(integer_key, self.denominator ** (self.power * users))

    def key(self, point: Sequence[int]) -> Fraction:
        """Exact comparison key of a point (see the table above)."""
        return self.exact(self.integer_key(point))

    def values(self, point: Sequence[int]) -> tuple[Fraction, ...]:
        """What each user enters with, ``y_u``."""
        return tuple(Fraction(a * x, self.denominator) for a, x in zip(self.coefficients, point, strict=True))

    def value(self, key: Fraction) -> float:
        """The function itself from its key: root taken, mean divided; a float, ``inf`` beyond the range of floats."""
        users = len(self.coefficients)
        if self.norm == "mean":
            return _root(key / users, 1)
        return _root(key, users if self.norm == "geometric" else self.power)

    def ratio(self, key: Fraction, other: Fraction) -> float:
        """Value of one key over the value of another, at any size of the keys; exactly 1.0 for equal ones."""
        return _root(key / other, len(self.coefficients) if self.norm == "geometric" else self.power)


def _root(number: Fraction, order: int) -> float:
    """Root of a non-negative rational as a float, also where the rational itself is beyond floats."""
    bits = number.numerator.bit_length() - number.denominator.bit_length()
    shift = bits // order  # the root is about 2 ** shift
    mantissa = number / Fraction(2) ** (shift * order)
    try:
        return math.ldexp(math.sqrt(mantissa) if order == 2 else float(mantissa) ** (1 / order), shift)
    except OverflowError:
        return math.inf


def fairness_metrics(values: Iterable[Rational]) -> dict[str, Fraction | None]:
    """Jain's index, the min-max ratio and the variance of positive values (Cordeiro 2012, section 6.1).

    Jain: ``(sum y)^2 / (k sum y^2)``; min-max: smallest over largest; variance: ``sum (y - mean)^2 / (k - 1)`` with
    the mean over the ``k`` users (the thesis prints ``n``), ``None`` for a single user.

    >>> fairness_metrics([1, 2, 2])["jain"], fairness_metrics([1, 1, 2])["jain"]
    (Fraction(25, 27), Fraction(8, 9))
    >>> fairness_metrics([2, 2, 2])["min_max"], fairness_metrics([1, 2, 2])["min_max"]
    (Fraction(1, 1), Fraction(1, 2))
    >>> fairness_metrics([1, 2, 3])["variance"], fairness_metrics([1, 1, 3])["variance"]
    (Fraction(1, 1), Fraction(4, 3))
    """
    exact = [Fraction(v) for v in values]
    return {
        "jain": jain(exact),
        "min_max": min(exact) / max(exact),
        "variance": statistics.variance(exact) if len(exact) > 1 else None,
    }
