"""One-sided limits of utility, by walking the code of a mechanism infinitely near a situation.

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

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from ...mechanisms.declaration.protocol import DeclarationMechanism, utility
from ...support.exact import Extended, Rational
from .programs import MechanismProgram
from .symbols import Vector
from .tree import Node, Tree, value_at


class Limits:
    """Limits of a mechanism's utilities; what its code did once is not run again.

    ``values``: the agents' valuations; by default the mechanism's own, else 0.
    """

    def __init__(
        self, mechanism: DeclarationMechanism, n_agents: int, values: Sequence[Rational] | None = None
    ) -> None:
        own: Any = mechanism
        self.tree = Tree(MechanismProgram(mechanism, n_agents))
        given = values if values is not None else getattr(own, "values", None) or (0,) * n_agents
        self._values = tuple(map(Fraction, given))

    def utility(
        self, agent: int, declared: Sequence[Fraction], lengths: Sequence[Fraction], side: int
    ) -> Extended | None:
        """Utility as the agent's length comes near the one given, from above (1) or below (-1).

        None where the mechanism refuses its input there. Raises NotPiecewiseLinear and MechanismError as
        :func:`.prover.prove` does.
        """
        numbers = (*declared, *lengths)
        unit = lcm(*(x.denominator for x in numbers))
        point = (unit, *(int(x * unit) for x in numbers))
        drift = [0] * len(point)
        drift[1 + len(declared) + agent] = side
        leaf = self.tree.leaf(point, tuple(drift))
        return utility_at(leaf, agent, len(declared), self._values[agent], point)


def utility_at(leaf: Node, agent: int, n_agents: int, value: Fraction, point: Vector) -> Extended | None:
    """What a leaf of a :class:`~.programs.MechanismProgram` says of an agent's utility at a point."""
    if leaf.results is None:
        return None
    output, payment = (value_at(leaf.results[k], point) for k in (agent, n_agents + agent))
    spent, paid = (float(t) if isinstance(t, str) else t for t in (output, payment))
    return utility(value, spent, paid or Fraction(0))
