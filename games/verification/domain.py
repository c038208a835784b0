"""The finite domain on which an incentive check is exhaustive.

Model: agent ``n`` has a private length out of ``lengths[n]`` and declares one out of ``declarations[n]``; her own
length is always among her declarations, so an agent of length ``x`` may declare ``declarations[n]`` or ``x``. Agents
count from 0; lengths and declarations are kept sorted, without repetition.

Two concepts (Agmon 2003, definitions 3.33 and 3.34). *Dominant*: truth is at least as good as every lie for every
length of hers, whatever the others' lengths are and whatever they declare. *Ex-post*: the same when the others are
truthful. One *case* is one comparison of the truth with one lie in one such situation.

>>> domain = Domain.of([1, 2], [1, 2, 3], agents=2)
>>> domain.cases("dominant"), domain.cases("ex-post")
(48, 16)
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any, Literal, TypeAlias

from ...support.errors import InputError, unknown_name
from ...support.exact import Rational, rational

Concept: TypeAlias = Literal["dominant", "ex-post"]
CONCEPTS: tuple[Concept, ...] = ("dominant", "ex-post")
Profile: TypeAlias = tuple[Fraction, ...]


def check_concept(concept: str) -> Concept:
    """Return ``concept``, or raise UnknownNameError with the nearest name."""
    for name in CONCEPTS:
        if concept == name:
            return name
    raise unknown_name("concept", concept, CONCEPTS)


@dataclass(frozen=True)
class Domain:
    """Possible lengths and declarations per agent; :meth:`of` reads them from one list for everybody as well.

    Raises InputError when there is no agent, an agent has no length, or a number is not positive.

    >>> Domain.of([[1], [2, 1]], [[3], []]).options(0, Fraction(1))
    (Fraction(1, 1), Fraction(3, 1))
    """

    lengths: tuple[Profile, ...]
    declarations: tuple[Profile, ...]
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        n = len(self.lengths)
        if n == 0:
            raise InputError("domain.lengths: found no agent; expected at least one")
        if len(self.declarations) != n or len(self.names) != n or len(set(self.names)) != n:
            raise InputError(
                f"domain: found {n} lists of lengths, {len(self.declarations)} of declarations and "
                f"{len(set(self.names))} different names; expected one of each per agent"
            )
        for name, own in zip(self.names, self.lengths, strict=True):
            if not own:
                raise InputError(f"domain.lengths.{name}: found no length; expected at least one")

    @classmethod
    def of(
        cls,
        lengths: Sequence[Any],
        declarations: Sequence[Any] | None = None,
        *,
        agents: int | None = None,
        names: Sequence[str] | None = None,
    ) -> Domain:
        """Read a domain.

        Parameters
        ----------
        lengths
            Numbers for everybody, or one list of numbers per agent.
        declarations
            The same for declarations; by default every agent may declare her possible lengths.
        agents
            Number of agents; needed unless a list per agent, or ``names``, tells it.
        names
            Default ``a1``, ``a2``, ...
        """
        listed = [agents, None if names is None else len(names)]
        listed += [len(values) for values in (lengths, declarations) if values and _nested(values)]
        counts = {count for count in listed if count is not None}
        if len(counts) != 1:
            text = " and ".join(map(str, sorted(counts))) or "nothing"
            raise InputError(f"domain: found {text} as the number of agents; expected one number")
        n = counts.pop()
        own = _per_agent(lengths, n, "domain.lengths")
        declared = own if declarations is None else _per_agent(declarations, n, "domain.declarations")
        return cls(own, declared, tuple(names) if names is not None else tuple(f"a{i}" for i in range(1, n + 1)))

    @property
    def n_agents(self) -> int:
        """Number of agents."""
        return len(self.lengths)

    def options(self, agent: int, length: Fraction) -> Profile:
        """What an agent of this length may declare, sorted; the truth is among it."""
        return tuple(sorted({*self.declarations[agent], length}))

    def lies(self, agent: int, length: Fraction) -> Profile:
        """Declarations other than the truth, sorted."""
        return tuple(b for b in self.options(agent, length) if b != length)

    @cached_property
    def universe(self) -> tuple[Profile, ...]:
        """Per agent everything that she declares at some length, sorted."""
        return tuple(
            tuple(sorted({*declared, *own})) for declared, own in zip(self.declarations, self.lengths, strict=True)
        )

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """By how much the number of a profile grows as an agent moves to her next declaration."""
        return tuple(prod(len(own) for own in self.universe[n + 1 :]) for n in range(self.n_agents))

    def profile(self, number: int) -> Profile:
        """Declarations of the profile with this number, from 0; the last agent's change fastest."""
        declared = []
        for own in reversed(self.universe):
            number, digit = divmod(number, len(own))
            declared.append(own[digit])
        return tuple(reversed(declared))

    def partners(self, agent: int, declaration: Fraction) -> Profile:
        """Lengths with which the agent may make this declaration, sorted."""
        if declaration in self.declarations[agent]:
            return self.lengths[agent]
        return tuple(x for x in self.lengths[agent] if x == declaration)

    def spoken(self, agent: int, concept: Concept) -> Profile:
        """Declarations of an agent who is one of the others, sorted: her possible lengths for ex-post."""
        return self.lengths[agent] if concept == "ex-post" else self.universe[agent]

    def meant(self, agent: int, declaration: Fraction, concept: Concept) -> Profile:
        """Lengths behind a declaration of one of the others, sorted: the declaration itself for ex-post."""
        return (declaration,) if concept == "ex-post" else self.partners(agent, declaration)

    def situations(self, agent: int, concept: Concept) -> Iterator[tuple[Profile, Profile]]:
        """(declarations, lengths) of the others, each with a 0 in the agent's own place.

        Ordered by the declarations, then the lengths; the last agent's change fastest.
        """
        others = [k for k in range(self.n_agents) if k != agent]
        for declared in itertools.product(*(self.spoken(k, concept) for k in others)):
            behind = (self.meant(k, b, concept) for k, b in zip(others, declared, strict=True))
            for lengths in itertools.product(*behind):
                yield insert(declared, agent), insert(lengths, agent)

    def cases(self, concept: Concept) -> int:
        """Number of comparisons of the truth with one lie, in closed form."""
        pairs = [sum(len(self.meant(k, b, concept)) for b in self.spoken(k, concept)) for k in range(self.n_agents)]
        lies = [sum(len(self.lies(k, x)) for x in own) for k, own in enumerate(self.lengths)]
        return sum(lies[n] * prod(pairs[:n] + pairs[n + 1 :]) for n in range(self.n_agents))

    @property
    def profiles(self) -> int:
        """Number of declaration profiles."""
        return prod(map(len, self.universe))

    @property
    def alike(self) -> bool:
        """Whether all agents have the same lengths and declarations."""
        return len(set(self.lengths)) == 1 and len(set(self.universe)) == 1 and len(set(self.declarations)) == 1


def insert(others: Profile, agent: int, own: Fraction = Fraction(0)) -> Profile:
    """The others' numbers with ``own`` in the agent's place.

    >>> insert((Fraction(1), Fraction(2)), 1, Fraction(5))
    (Fraction(1, 1), Fraction(5, 1), Fraction(2, 1))
    """
    return (*others[:agent], own, *others[agent:])


def with_entry(profile: Profile, agent: int, own: Fraction = Fraction(0)) -> Profile:
    """A profile with another number in the agent's place.

    >>> with_entry((Fraction(1), Fraction(2)), 1, Fraction(5))
    (Fraction(1, 1), Fraction(5, 1))
    """
    return (*profile[:agent], own, *profile[agent + 1 :])


def _nested(values: Sequence[Any]) -> bool:
    return all(isinstance(v, Sequence) and not isinstance(v, str) for v in values)


def _per_agent(values: Sequence[Any], n_agents: int, where: str) -> tuple[Profile, ...]:
    if values and _nested(values):
        return tuple(_sorted(own, f"{where}[{i}]") for i, own in enumerate(values, 1))
    return (_sorted(values, where),) * n_agents


def _sorted(values: Sequence[Rational | str], where: str) -> Profile:
    exact = {rational(v, f"{where}[{i}]") for i, v in enumerate(values, 1)}
    for value in exact:
        if value <= 0:
            raise InputError(f"{where}: found {value}; expected lengths > 0")
    return tuple(sorted(exact))
