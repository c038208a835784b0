"""Declaration mechanisms as programs over ``b_1 .. b_N`` (declarations) and ``theta_1 .. theta_N`` (lengths).

The allocation of a mechanism of the package is chosen by the comparisons that its goal makes; welfare at the end is not
computed, because nothing depends on it. A custom mechanism runs as it is. A :class:`Family` has numbers that are
symbols too: a penalty, a cut-off, valuations. :class:`Limits` runs a program infinitely near a situation: one-sided
limits of utility.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> rule = build("evcg-postpone", Cluster.of([1]), penalty=2)
>>> placed(rule, "penalty", 2)(Fraction(3)).penalty
Fraction(3, 1)
>>> valued(rule, 2).names
('V1', 'V2')
>>> from types import SimpleNamespace
>>> class Fined:
...     def run(self, declared, lengths):
...         fine = [Fraction(5) if x > b else Fraction(0) for b, x in zip(declared, lengths)]
...         return SimpleNamespace(output=lengths, payments=fine)
>>> one = (Fraction(2),)
>>> limits = Limits(Fined(), 1)
>>> limits.utility(0, one, one, -1), limits.utility(0, one, one, 1)
(Fraction(-2, 1), Fraction(-7, 1))
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, Final, TypeAlias

from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.penalties import Cutoff
from ...mechanisms.declaration.prices import Formula
from ...mechanisms.declaration.protocol import DeclarationMechanism, Welfare, play, unchecked, utility
from ...mechanisms.declaration.two_rounds import TwoRounds, refuse_table
from ...support.errors import InputError, unknown_name
from ...support.exact import Extended, Rational, scale
from .execution import Tree, value_at


@dataclass(frozen=True)
class MechanismProgram:
    """A mechanism, or a family of them, with so many agents.

    Its results are everybody's output time, then everybody's payment; of a family then everybody's valuation.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> MechanismProgram(build("vcg-postpone", Cluster.of([1])), 2).names
    ('b1', 'b2', 'theta1', 'theta2')
    """

    mechanism: DeclarationMechanism | Family
    n_agents: int

    def __post_init__(self) -> None:
        refuse_table(self.mechanism, "lengths")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Declarations, lengths, and the numbers of a family."""
        names = [f"{what}{n}" for what in ("b", "theta") for n in range(1, self.n_agents + 1)]
        return (*names, *(self.mechanism.names if isinstance(self.mechanism, Family) else ()))

    def run(self, x: Sequence[Any]) -> tuple[Any, ...]:
        """The mechanism at these numbers."""
        return self.end(self.begin(x), x)

    def begin(self, x: Sequence[Any]) -> tuple[Any, Any, Sequence[Any]]:
        """Mechanism, its plan (none of a custom one), and the valuations of a family."""
        n, made = self.n_agents, self._quiet
        values: Sequence[Any] = ()
        if isinstance(self.mechanism, Family):
            own, values = self.mechanism.at(x[2 * n :], n)
            made = unchecked(silent(own))
        return made, made.plan(x[:n]) if type(made) in (_Silent, TwoRounds) else None, values

    def end(self, begun: tuple[Any, Any, Sequence[Any]], x: Sequence[Any]) -> tuple[Any, ...]:
        """The run itself."""
        (made, plan, values), n = begun, self.n_agents
        lengths = x[n : 2 * n]
        outcome = play(made, x[:n], lengths) if plan is None else made.follow(plan, lengths)
        return (*outcome.output, *outcome.payments, *values)

    @cached_property
    def _quiet(self) -> Any:
        return unchecked(silent(self.mechanism))

    @property
    def is_own(self) -> bool:
        """Whether code runs that is not the package's: a custom mechanism, allocation rule or goal."""
        own: Any = self.mechanism
        one = own.one if type(own) is TwoRounds else own
        if type(one) is not OneRound or one.allocate is not None:
            return True
        return type(one.goal).__module__.partition(".")[0] != __name__.partition(".")[0]


class _Silent(OneRound):
    """A mechanism whose welfare nobody asks for: to compute it would compare times that matter to nobody."""

    def welfare(self, times: Sequence[Extended]) -> Welfare:
        """Nothing."""
        return Fraction(0)


def silent(mechanism: Any) -> Any:
    """A mechanism without welfare, if it is one of the package; a custom one as it is."""
    if type(mechanism) is TwoRounds:
        return TwoRounds(silent(mechanism.one), mechanism.holdback)
    if type(mechanism) is not OneRound:
        return mechanism
    return _Silent(**{f.name: getattr(mechanism, f.name) for f in fields(OneRound)})


Make: TypeAlias = Callable[..., DeclarationMechanism]
PLACES: Final = ("penalty", "cutoff", "values")


@dataclass(frozen=True)
class Family:
    """Mechanisms, one for each choice of some positive numbers."""

    names: tuple[str, ...]  # of the numbers
    make: Make  # from the numbers to the mechanism
    # from the numbers to the agents' valuations; None for the mechanism's own, else 0
    values: Callable[..., Sequence[Any]] | None = None

    def at(self, numbers: Sequence[Any], n_agents: int) -> tuple[Any, Sequence[Any]]:
        """The mechanism at these numbers, and the valuations."""
        made: Any = self.make(*numbers)
        if self.values is not None:
            return made, self.values(*numbers)
        return made, getattr(made, "values", None) or (Fraction(0),) * n_agents


def valued(mechanism: DeclarationMechanism, n_agents: int) -> Family:
    """A mechanism with every agent's valuation a symbol.

    Raises InputError for a custom mechanism that has valuations in it: it has to be given as a function of them.
    """
    names = tuple(f"V{n}" for n in range(1, n_agents + 1))
    own: Any = mechanism
    if type(own) not in (OneRound, TwoRounds) and getattr(own, "values", None) is not None:
        raise InputError(
            f"values: found 'any' for {type(own).__name__}, which has valuations of its own; expected a mechanism "
            "without the attribute values"
        )
    return Family(names, partial(with_values, own), _same)


def with_values(mechanism: Any, *values: Any) -> Any:
    """A mechanism with other valuations, if it is one of the package; a custom one as it is."""
    return _with(mechanism, values=values) if type(mechanism) in (OneRound, TwoRounds) else mechanism


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
        if one.penalty is None:
            raise InputError(f"symbol {place}: rule {one.rule!r} takes no penalty; expected one that postpones")
        if one.tools.alive != "postpone":
            raise InputError(
                f"symbol {place}: times are divided by the share of a renice, so they are not linear in it; expected "
                "the penalty of a rule that postpones"
            )
        if agent is None:
            return lambda number: _with(own, penalty=number)
        if isinstance(before, str | Formula):
            raise InputError(f"symbol {place}: found the penalty {before!r}; expected a list with one for each agent")
        before = before if isinstance(before, tuple) else (before,) * agents
    if agent is None:
        return lambda number: _with(own, values=(number,) * agents)
    return lambda number: _with(own, **{what: (*before[:agent], number, *before[agent + 1 :])})


def _parsed(place: str, agents: int) -> tuple[str, int | None]:
    """What is meant, and whose, from 0."""
    match = re.fullmatch(r"(\w+)(?:\[(\d+)\])?", place)
    if match is not None and match[1] == "powers":
        raise InputError(
            f"symbol {place}: lengths are divided by powers, so that times are not linear in both; expected numbers"
        )
    if match is None or match[1] not in PLACES or (match[1] == "cutoff" and match[2]):
        raise unknown_name("symbol", place, PLACES)
    if match[2] is None:
        return match[1], None
    if not 1 <= int(match[2]) <= agents:
        raise InputError(f"symbol {place}: expected the number of an agent, from 1 to {agents}")
    return match[1], int(match[2]) - 1


def _with(mechanism: OneRound | TwoRounds, **changed: Any) -> OneRound | TwoRounds:
    """The mechanism with other numbers."""
    if isinstance(mechanism, TwoRounds):
        return replace(mechanism, one=replace(mechanism.one, **changed))
    return replace(mechanism, **changed)


class Limits:
    """Limits of a mechanism's utilities; what its code did once is not run again.

    ``values``: the agents' valuations; by default the mechanism's own, else 0.
    """

    def __init__(
        self, mechanism: DeclarationMechanism, n_agents: int, values: Sequence[Rational] | None = None
    ) -> None:
        own: Any = mechanism
        self.tree = Tree(MechanismProgram(mechanism, n_agents))
        worth = values if values is not None else getattr(own, "values", None) or (0,) * n_agents
        self._values = tuple(map(Fraction, worth))

    def utility(
        self, agent: int, declared: Sequence[Fraction], lengths: Sequence[Fraction], side: int
    ) -> Extended | None:
        """Utility as the agent's length comes near the one given, from above (1) or below (-1).

        None where the mechanism refuses its input there. Raises NotPiecewiseLinear and MechanismError as
        :func:`.prover.prove` does.
        """
        point, _ = scale([1, *declared, *lengths])
        perturbation = [0] * len(point)
        perturbation[1 + len(declared) + agent] = side
        leaf = self.tree.leaf(point, tuple(perturbation))
        if leaf.results is None:
            return None
        output, payment = (value_at(leaf.results[k], point) for k in (agent, len(declared) + agent))
        spent, paid = (float(t) if isinstance(t, str) else t for t in (output, payment))
        return utility(self._values[agent], spent, paid or Fraction(0))
