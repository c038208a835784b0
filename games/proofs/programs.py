"""Declaration mechanisms as programs over ``b_1 .. b_N`` (declarations) and ``theta_1 .. theta_N`` (lengths).

A mechanism of the package runs in two stages, plan and run, so that a plan is made once for all lengths. Its allocation
is chosen by the comparisons that its goal makes; welfare at the end is not computed, because nothing depends on it.
A mechanism of one's own runs as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import Any

from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.protocol import DeclarationMechanism, Outcome, Welfare, play
from ...mechanisms.declaration.two_rounds import TwoRounds
from ...support.exact import Extended


@dataclass(frozen=True)
class MechanismProgram:
    """A mechanism with so many agents; its results are everybody's output time, then everybody's payment.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> MechanismProgram(build("vcg-postpone", Cluster.of([1])), 2).names
    ('b1', 'b2', 'theta1', 'theta2')
    """

    mechanism: DeclarationMechanism
    n_agents: int

    def __reduce__(self) -> tuple[Any, ...]:
        return MechanismProgram, (self.mechanism, self.n_agents)  # stages are made again

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Declarations first, then lengths."""
        return tuple(f"{what}{n}" for what in ("b", "theta") for n in range(1, self.n_agents + 1))

    @cached_property
    def stages(self) -> tuple[Callable[[Any, Sequence[Any]], Any], ...]:
        """Plan and run, or for a mechanism of one's own the run alone."""
        n = self.n_agents
        own: Any = self.mechanism
        if type(own) not in (OneRound, TwoRounds):
            return (lambda _, x: results_of(play(own, x[:n], x[n:])),)
        quiet = silent(own)
        return (lambda _, x: quiet.plan(x[:n]), lambda plan, x: results_of(quiet.follow(plan, x[n:])))

    @property
    def is_own(self) -> bool:
        """Whether code runs that is not the package's: a mechanism, an allocation rule or a goal of one's own."""
        own: Any = self.mechanism
        one = own.one if type(own) is TwoRounds else own
        if type(one) is not OneRound or one.allocate is not None:
            return True
        return type(one.goal).__module__.partition(".")[0] != __name__.partition(".")[0]


def results_of(outcome: Outcome) -> tuple[Any, ...]:
    """Everybody's output time, then everybody's payment."""
    return (*outcome.output, *outcome.payments)


class _Silent(OneRound):
    """A mechanism whose welfare nobody asks for: to compute it would compare times that matter to nobody."""

    def welfare(self, times: Sequence[Extended]) -> Welfare:
        """Nothing."""
        return Fraction(0)


def silent(mechanism: OneRound | TwoRounds) -> OneRound | TwoRounds:
    """The mechanism without welfare."""
    if isinstance(mechanism, TwoRounds):
        one = silent(mechanism.one)
        assert isinstance(one, OneRound)
        return TwoRounds(one, mechanism.holdback)
    return _Silent(**{f.name: getattr(mechanism, f.name) for f in fields(OneRound)})
