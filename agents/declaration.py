"""Agents who own one job each, know its length and declare one.

Model (Agmon 2003, 3.1, 3.6 and 7.5): agent ``n`` has a job of private length ``theta[n] > 0`` (work) and a private
valuation ``V[n]`` of having it done; her utility is ``V[n] - T[n] - P[n]`` (output time, payment). A strategy turns
the length into a declaration. A strategy knows no rules: the game hands it the agent's utility as a function of her
declaration, and the declarations it may consider; only a strategy that ``reacts`` looks at them.

Conventions: lengths, values and declarations are exact rationals. Ties of :class:`BestReply`: the truth if it is
among the best declarations, otherwise the smallest of them.

>>> from fractions import Fraction
>>> ann = Agent("ann", Fraction(2), strategy=Scaled(Fraction(1, 2)))
>>> ann.declare()
Fraction(1, 1)
>>> Agent("bob", Fraction(2), strategy=BestReply()).declare(lambda b: -b, [Fraction(1), Fraction(3)])
Fraction(1, 1)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, TypeAlias

from ..support.errors import InputError
from ..support.exact import Extended, Rational, rational

UtilityOfDeclaration: TypeAlias = Callable[[Fraction], Extended]
"""What the game tells a strategy: the agent's utility (``-inf`` if never done) as a function of her declaration."""


@dataclass(frozen=True)
class Strategy:
    """A way to declare. ``reacts`` says whether :meth:`declare` needs the utility and the candidates."""

    reacts: ClassVar[bool] = False

    def declare(
        self, length: Fraction, utility: UtilityOfDeclaration | None = None, candidates: Sequence[Fraction] = ()
    ) -> Fraction:
        """Declaration (work, > 0) of an agent whose job has ``length``."""
        return length


@dataclass(frozen=True)
class Truthful(Strategy):
    """Declare the private length.

    >>> Truthful().declare(Fraction(3))
    Fraction(3, 1)
    """


@dataclass(frozen=True)
class Fixed(Strategy):
    """Declare the same number whatever the length. Raises InputError unless ``declaration > 0``.

    >>> Fixed(Fraction(1, 10)).declare(Fraction(3))
    Fraction(1, 10)
    """

    declaration: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "declaration", _positive(self.declaration, "declaration"))

    def declare(self, length: Fraction, *_: Any, **__: Any) -> Fraction:
        """Return the fixed declaration."""
        return self.declaration


@dataclass(frozen=True)
class Scaled(Strategy):
    """Declare a multiple of the length. Raises InputError unless ``factor > 0``.

    >>> Scaled(Fraction(1, 2)).declare(Fraction(3))
    Fraction(3, 2)
    """

    factor: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "factor", _positive(self.factor, "factor"))

    def declare(self, length: Fraction, *_: Any, **__: Any) -> Fraction:
        """Return ``factor * length``."""
        return self.factor * length


@dataclass(frozen=True)
class BestReply(Strategy):
    """Declare what pays most, all else equal; the truth is always among the candidates.

    Ties: the truth if it is among the best, else the smallest best declaration.

    >>> BestReply().declare(Fraction(2), lambda b: 0, [Fraction(1), Fraction(3)])
    Fraction(2, 1)
    """

    reacts: ClassVar[bool] = True

    def declare(
        self, length: Fraction, utility: UtilityOfDeclaration | None = None, candidates: Sequence[Fraction] = ()
    ) -> Fraction:
        """Best of ``candidates`` and the truth. Raises InputError when no utility is given."""
        if utility is None:
            raise InputError("strategy 'best-reply': found no utility function; the game has to supply one")
        gains = {choice: utility(choice) for choice in sorted({length, *candidates})}
        best = max(gains.values())
        return length if gains[length] == best else next(choice for choice in gains if gains[choice] == best)


@dataclass(frozen=True)
class Agent:
    """One agent: name, private length (work, > 0), private value of a done job, and how she declares.

    Raises InputError when ``length`` is not positive or a number is not exact.

    >>> Agent("ann", 2)
    Agent(name='ann', length=Fraction(2, 1), value=Fraction(0, 1), strategy=Truthful())
    """

    name: str
    length: Rational
    value: Rational = Fraction(0)
    strategy: Strategy = field(default_factory=Truthful)

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", _positive(self.length, f"agent {self.name!r}: length"))
        object.__setattr__(self, "value", rational(self.value, f"agent {self.name!r}: value"))

    def declare(self, utility: UtilityOfDeclaration | None = None, candidates: Sequence[Fraction] = ()) -> Fraction:
        """Ask the strategy; ``utility`` and ``candidates`` matter only if it ``reacts``."""
        return self.strategy.declare(Fraction(self.length), utility, candidates)


def _positive(value: object, where: str) -> Fraction:
    number = rational(value, where)
    if number <= 0:
        raise InputError(f"{where}: found {number}; expected a number > 0")
    return number
