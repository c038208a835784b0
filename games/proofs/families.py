"""Mechanisms with numbers in them that are symbols too: a penalty, a cut-off, valuations.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> rule = build("evcg-postpone", Cluster.of([1]), penalty=2)
>>> placed(rule, "penalty", 2)(Fraction(3)).penalty
Fraction(3, 1)
>>> valued(rule, 2).names
('V1', 'V2')
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, Final, TypeAlias

from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.penalties import Cutoff
from ...mechanisms.declaration.protocol import DeclarationMechanism, play
from ...mechanisms.declaration.two_rounds import TwoRounds
from ...support.errors import InputError, unknown_name
from .programs import results_of, silent

Make: TypeAlias = Callable[..., DeclarationMechanism]
PLACES: Final = ("penalty", "cutoff", "values")


@dataclass(frozen=True)
class Family:
    """Mechanisms, one for each choice of some positive numbers.

    Attributes
    ----------
    names
        Of the numbers.
    make
        From the numbers to the mechanism.
    values
        From the numbers to the agents' valuations; None for the mechanism's own, else 0.
    """

    names: tuple[str, ...]
    make: Make
    values: Callable[..., Sequence[Any]] | None = None

    def at(self, numbers: Sequence[Any], n_agents: int) -> tuple[Any, Sequence[Any]]:
        """The mechanism at these numbers, and the valuations."""
        made: Any = self.make(*numbers)
        if self.values is not None:
            return made, self.values(*numbers)
        return made, getattr(made, "values", None) or (Fraction(0),) * n_agents


@dataclass(frozen=True)
class FamilyProgram:
    """A family with so many agents; its results are output times, payments and valuations, one each per agent."""

    family: Family
    n_agents: int

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Declarations, lengths, and the family's numbers."""
        lengths = [f"{what}{n}" for what in ("b", "theta") for n in range(1, self.n_agents + 1)]
        return (*lengths, *self.family.names)

    @cached_property
    def stages(self) -> tuple[Callable[[Any, Sequence[Any]], Any], ...]:
        """Make the mechanism and plan; run."""
        return self._plan, self._run

    def _plan(self, _: Any, x: Sequence[Any]) -> Any:
        n = self.n_agents
        made, values = self.family.at(x[2 * n :], n)
        if type(made) not in (OneRound, TwoRounds):
            return made, None, values
        quiet = silent(made)
        return quiet, quiet.plan(x[:n]), values

    def _run(self, before: Any, x: Sequence[Any]) -> tuple[Any, ...]:
        n = self.n_agents
        made, plan, values = before
        b, theta = x[:n], x[n : 2 * n]
        return (*results_of(play(made, b, theta) if plan is None else made.follow(plan, theta)), *values)


@dataclass(frozen=True)
class Making:
    """The first thing that a family does, alone: making the mechanism. No results."""

    family: Family

    @property
    def names(self) -> tuple[str, ...]:
        """The family's numbers."""
        return self.family.names

    @property
    def stages(self) -> tuple[Callable[[Any, Sequence[Any]], Any], ...]:
        """Make the mechanism."""
        return (self._make,)

    def _make(self, _: Any, x: Sequence[Any]) -> tuple[Any, ...]:
        self.family.make(*x)
        return ()


def valued(mechanism: DeclarationMechanism, n_agents: int) -> Family:
    """A mechanism with every agent's valuation a symbol.

    Raises InputError for a mechanism of one's own that has valuations in it: it has to be given as a function of them.
    """
    names = tuple(f"V{n}" for n in range(1, n_agents + 1))
    own: Any = mechanism
    if type(own) in (OneRound, TwoRounds):
        return Family(names, partial(_valued, own), _same)
    if getattr(own, "values", None) is not None:
        raise InputError(
            f"values: found 'any' for {type(own).__name__}, which has valuations of its own; expected a mechanism "
            "without the attribute values"
        )
    return Family(names, partial(_unchanged, own), _same)


def _valued(mechanism: OneRound | TwoRounds, *numbers: Any) -> OneRound | TwoRounds:
    return _with(mechanism, values=numbers)


def _unchanged(mechanism: DeclarationMechanism, *_: Any) -> DeclarationMechanism:
    return mechanism


def _same(*numbers: Any) -> tuple[Any, ...]:
    return numbers


def placed(mechanism: DeclarationMechanism, place: str, agents: int) -> Make:
    """A rule of the package as a function of one of its numbers.

    Parameters
    ----------
    mechanism
        In one round or two.
    place
        ``"penalty"`` (a duration, the same for all), ``"cutoff"`` (its bound) or ``"values"`` (the same valuation for
        all); of one agent, from 1, ``"penalty[2]"`` or ``"values[2]"``.
    agents
        How many there are.

    Raises
    ------
    InputError
        The mechanism has no such number, or is not piecewise linear in it; UnknownNameError for another place.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> placed(build("vcg-renice", Cluster.of([1])), "penalty", 2)
    Traceback (most recent call last):
        ...
    consortium.support.errors.InputError: symbol penalty: times are divided by the share of a renice, so they are \
not linear in it; expected the penalty of a rule that postpones
    """
    own: Any = mechanism
    if type(own) not in (OneRound, TwoRounds):
        raise InputError(
            f"symbol {place}: found {type(own).__name__}; expected a rule of the package, or a function from the "
            "number to a mechanism"
        )
    one: OneRound = own.one if isinstance(own, TwoRounds) else own
    what, agent = _parsed(place, agents)
    if what == "cutoff":
        if one.cutoff is None:
            raise InputError(f"symbol {place}: found a mechanism without a cut-off; expected one with it")
        kind = one.cutoff.kind
        return lambda number: _with(own, cutoff=Cutoff(kind, number))
    before: Any = one.penalty if what == "penalty" else one.values or (Fraction(0),) * agents
    if what == "penalty":
        _check_penalty(one, place)
        if agent is None:
            return lambda number: _with(own, penalty=number)
        if isinstance(before, str):
            raise InputError(f"symbol {place}: found the penalty {before!r}; expected a list with one for each agent")
        before = before if isinstance(before, tuple) else (before,) * agents
    if agent is None:
        return lambda number: _with(own, values=(number,) * agents)
    return lambda number: _with(own, **{what: (*before[:agent], number, *before[agent + 1 :])})


def _parsed(place: str, agents: int) -> tuple[str, int | None]:
    """What is meant, and whose, from 0."""
    found = re.fullmatch(r"(\w+)(?:\[(\d+)\])?", place)
    if found is not None and found[1] == "powers":
        raise InputError(
            f"symbol {place}: lengths are divided by powers, so that times are not linear in both; expected numbers"
        )
    if found is None or found[1] not in PLACES or (found[1] == "cutoff" and found[2]):
        raise unknown_name("symbol", place, PLACES)
    if found[2] is None:
        return found[1], None
    if not 1 <= int(found[2]) <= agents:
        raise InputError(f"symbol {place}: expected the number of an agent, from 1 to {agents}")
    return found[1], int(found[2]) - 1


def _check_penalty(one: OneRound, place: str) -> None:
    if one.penalty is None:
        raise InputError(f"symbol {place}: rule {one.rule!r} takes no penalty; expected one that postpones")
    if one.tools.alive != "postpone":
        raise InputError(
            f"symbol {place}: times are divided by the share of a renice, so they are not linear in it; expected the "
            "penalty of a rule that postpones"
        )


def _with(mechanism: OneRound | TwoRounds, **changed: Any) -> OneRound | TwoRounds:
    """The mechanism with other numbers."""
    if isinstance(mechanism, TwoRounds):
        return replace(mechanism, one=replace(mechanism.one, **changed))
    return replace(mechanism, **changed)
