"""Clusters of related machines.

Model: machine ``m`` has a power ``c_m > 0`` (work per unit of time); a job of length ``b`` (work) that has machine
``m`` to itself takes ``b / c_m`` units of time (Agmon 2003, section 3.1). Machines count from 0 and keep the order in
which they are listed; every tie rule refers to that order. Powers are exact.

>>> cluster = Cluster.of([1, "3/2"])
>>> cluster.n_machines, [3 / power for power in cluster.powers]
(2, [Fraction(3, 1), Fraction(2, 1)])
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..support.errors import InputError
from ..support.exact import Rational, rational, scale


@dataclass(frozen=True)
class Cluster:
    """Related machines, each with its power (work per unit of time).

    Parameters
    ----------
    powers
        One positive :class:`~fractions.Fraction` per machine, at least one; :meth:`of` reads ints and text as well.

    Raises
    ------
    InputError
        No machine, or a power that is not a positive rational.

    Examples
    --------
    >>> Cluster.of([2, "0.5"]).powers
    (Fraction(2, 1), Fraction(1, 2))
    >>> Cluster.of([1, 0])
    Traceback (most recent call last):
        ...
    consortium.support.errors.InputError: powers[2]: found 0; expected a number > 0
    """

    powers: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        if not self.powers:
            raise InputError("powers: found no machine; expected at least one")
        exact = tuple(rational(power, f"powers[{m}]") for m, power in enumerate(self.powers, 1))
        for m, power in enumerate(exact, 1):
            if power <= 0:
                raise InputError(f"powers[{m}]: found {power}; expected a number > 0")
        object.__setattr__(self, "powers", exact)

    @classmethod
    def of(cls, powers: Iterable[Rational | str]) -> Cluster:
        """Cluster with these powers, each an int, a Fraction or text such as ``"3/2"``.

        >>> Cluster.of([1, 1]).n_machines
        2
        """
        return cls(tuple(rational(power, f"powers[{m}]") for m, power in enumerate(powers, 1)))

    @property
    def n_machines(self) -> int:
        """Number of machines.

        >>> Cluster.of([1, 2, 3]).n_machines
        3
        """
        return len(self.powers)


def check_lengths(lengths: Iterable[Rational | str], where: str = "lengths") -> tuple[Fraction, ...]:
    """Job lengths as positive Fractions; raises InputError naming the job (from 1) and the value found.

    >>> check_lengths([1, "1/2"])
    (Fraction(1, 1), Fraction(1, 2))
    """
    values: tuple[Any, ...] = tuple(lengths)
    kinds = set(map(type, values))
    if kinds == {int} and min(values) > 0:  # equal lengths share one number: many jobs have few lengths
        made = {length: Fraction(length) for length in set(values)}
        return tuple(map(made.__getitem__, values))
    if kinds <= {int, Fraction}:
        exact = tuple(length if type(length) is Fraction else Fraction(length) for length in values)
    else:
        exact = tuple(rational(length, f"{where}[{n}]") for n, length in enumerate(values, 1))
    for n, length in enumerate(exact, 1):
        if length <= 0:  # not its numerator: a symbol of a proof has none
            raise InputError(f"{where}[{n}]: found {length}; expected a number > 0")
    return exact


def integer_lengths(lengths: Sequence[Rational]) -> tuple[list[int], int]:
    """Positive lengths as integers with their common denominator; numbers are scaled without a Fraction of each.

    Raises InputError as :func:`check_lengths` does.

    >>> integer_lengths([2, Fraction(1, 2)])
    ([4, 1], 2)
    """
    kinds = set(map(type, lengths))
    if kinds == {int} and min(lengths) > 0:
        return [length.numerator for length in lengths], 1
    exact = lengths if kinds <= {int, Fraction} else check_lengths(lengths)
    integers, unit = scale(exact)
    if min(integers, default=1) <= 0:
        check_lengths(lengths)
    return list(integers), unit


def integer_times(cluster: Cluster) -> tuple[list[int], int]:
    """Times per unit of work, ``1 / c_m``, as integers with their common denominator.

    >>> integer_times(Cluster.of([1, "3/2"]))
    ([3, 2], 3)
    """
    unit = math.lcm(*{power.numerator for power in cluster.powers})
    return [power.denominator * (unit // power.numerator) for power in cluster.powers], unit
