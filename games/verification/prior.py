r"""Independent finite priors over private lengths (Harsanyi 1967-68).

Model: agent ``n`` has length ``x`` with probability ``p_n(x) > 0``, independently of the others; what has probability 0
is left out. Everybody knows all ``p_n``, and besides only her own length. Expectations are exact; an infinity of
positive probability wins, and where both infinities have one there is no expectation.

>>> prior = Prior.of([{1: "1/2", 3: "1/2", 5: 0}, {2: 1}])
>>> [tuple(map(str, own)) for own in prior.support], [(str(x[0]), str(p)) for x, p in prior.others(1)]
([('1', '3'), ('2',)], [('1', '1/2'), ('3', '1/2')])
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

from ...support.errors import InputError
from ...support.exact import Extended, rational
from .domain import Domain, Profile, insert

Distribution = tuple[tuple[Fraction, Fraction], ...]
"""Lengths with their probabilities, all positive, by increasing length."""


@dataclass(frozen=True)
class Prior:
    """A distribution per agent; :meth:`of` reads them from tables.

    Raises InputError for no agent, a length or probability that is not positive, or a sum that is not 1.
    """

    distributions: tuple[Distribution, ...]

    def __post_init__(self) -> None:
        if not self.distributions:
            raise InputError("prior: found no agent; expected at least one")
        for number, own in enumerate(self.distributions, 1):
            if any(x <= 0 or p <= 0 for x, p in own) or len({x for x, _ in own}) < len(own):
                raise InputError(
                    f"prior[{number}]: found {dict(own)}; expected different lengths > 0, likely ones only"
                )
            total = sum(p for _, p in own)
            if total != 1:
                raise InputError(f"prior[{number}]: found probabilities with the sum {total}; expected 1")

    @classmethod
    def of(cls, tables: Sequence[Mapping[Any, Any]]) -> Prior:
        """Read probabilities by length, one table per agent; lengths of probability 0 are dropped."""
        rows = []
        for i, table in enumerate(tables, 1):
            own = {rational(x, f"prior[{i}]"): rational(p, f"prior[{i}]") for x, p in table.items()}
            rows.append(tuple((x, own[x]) for x in sorted(own) if own[x]))
        return cls(tuple(rows))

    @property
    def support(self) -> tuple[Profile, ...]:
        """Possible lengths per agent, increasing."""
        return tuple(tuple(x for x, _ in own) for own in self.distributions)

    @property
    def n_profiles(self) -> int:
        """Number of profiles of lengths."""
        return prod(map(len, self.distributions))

    def profiles(self) -> Iterator[tuple[Profile, Fraction]]:
        """Everybody's lengths with their probability, the last agent's changing fastest."""
        return _products(self.distributions)

    def others(self, agent: int) -> Iterator[tuple[Profile, Fraction]]:
        """The others' lengths, a 0 in the agent's own place, with their probability."""
        distributions = (*self.distributions[:agent], *self.distributions[agent + 1 :])
        return ((insert(lengths, agent), p) for lengths, p in _products(distributions))

    def cases(self, domain: Domain) -> int:
        """Comparisons of the truth with one lie, each an expectation."""
        return sum(len(domain.lies(n, x)) for n, own in enumerate(self.support) for x in own)

    def within(self, domain: Domain) -> Domain:
        """The domain with the possible lengths for its lengths; declarations as they are.

        Raises InputError unless all of them are lengths of the domain.
        """
        if len(self.distributions) != domain.n_agents:
            raise InputError(f"prior: found {len(self.distributions)} distributions for {domain.n_agents} agents")
        for name, likely, lengths in zip(domain.names, self.support, domain.lengths, strict=True):
            for x in set(likely) - set(lengths):
                raise InputError(f"domain.lengths: found no {x} for {name}; expected every length of the prior")
        return Domain(self.support, domain.declarations, domain.names)


def _products(distributions: Sequence[Distribution]) -> Iterator[tuple[Profile, Fraction]]:
    for row in itertools.product(*distributions):
        yield tuple(x for x, _ in row), prod((p for _, p in row), start=Fraction(1))


def expectation(weighted: Iterable[tuple[Fraction, Extended]]) -> Extended | None:
    """Sum of values times (positive) probabilities; ``None`` where infinities of both signs occur.

    >>> half, one, two = Fraction(1, 2), Fraction(1), Fraction(2)
    >>> expectation([(half, one), (half, two)]), expectation([(half, one), (half, float("inf"))])
    (Fraction(3, 2), inf)
    """
    total, infinite = Fraction(0), set[float]()
    for p, value in weighted:
        if isinstance(value, float):
            infinite.add(value)
        else:
            total += p * value
    if len(infinite) > 1:
        return None
    return infinite.pop() if infinite else total
