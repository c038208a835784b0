r"""Expected utilities of the built-in rules in one round, from the cost tables of the incentive check.

Under truthful others an agent's cost is a cell of her table (:mod:`.tables`) for each profile of the
others' lengths; an expectation is one sum of cells times whole weights ``w_k(x) = p_k(x) W_k``, where ``W_k`` is the
common denominator of agent ``k``'s probabilities. Sums are of Python integers.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import lcm, prod
from typing import Any

import numpy as np

from ...mechanisms.declaration.one_round import OneRound
from ...support.exact import INF, Extended
from .expectations import Expectations
from .machine import Arrays, prepare
from .plans import Ints, Plans, needed
from .prior import expectation
from .results import Expected
from .tables import Tables
from .truth_tables import AgentCheck


class Tabulated(Expectations):
    """What everybody expects of a built-in rule in one round, the others being truthful.

    Raises TimeoutError where not all profiles have plans in which at most one agent lies, and after the clock's end.
    """

    def __init__(self, mechanism: OneRound, plans: Plans, of: Expectations) -> None:
        super().__init__(of.runs, of.domain, of.prior, mechanism.goal, of.progress, of.clock)
        self.mechanism, self.plans = mechanism, plans
        self.values = mechanism.values or (Fraction(0),) * self.domain.n_agents
        self._kept: tuple[AgentCheck, Tables, tuple[Ints, Any, int]] | None = None
        self.wholes = [lcm(*(p.denominator for _, p in own)) for own in self.prior.distributions]

    @cached_property
    def arrays(self) -> Arrays:
        """The plans in integers."""
        if not self.plans.ready[needed(self.domain, "ex-post", self.plans.digit)].all():
            raise TimeoutError
        return prepare(self.mechanism, self.plans)

    def row(self, agent: int, x: Fraction) -> dict[Fraction, Extended]:
        """Her expected utility by declaration; one agent's tables are kept at a time."""
        self.clock.check()
        if self._kept is None or self._kept[0].agent != agent:
            costs, self._kept = AgentCheck(self.mechanism, self.arrays, "ex-post", agent), None
            others = self._profiles([k for k in range(self.domain.n_agents) if k != agent])
            self._kept = costs, costs.build([agent], progress=self.progress), others
        costs, tables, (base, weights, whole) = self._kept
        row: dict[Fraction, Extended] = {}
        for b in self.domain.options(agent, x):
            at = base + self.domain.strides[agent] * self.domain.universe[agent].index(b)
            place = self.domain.partners(agent, b).index(x)
            cells = tables.cells[tables.offset[tables.table[agent][at]] + place]
            if (np.abs(cells) == self.arrays.scale.infinity).any():
                row[b] = -INF
            else:
                mean = _sum(cells + costs.paid[at, agent], weights, whole)
                row[b] = self.values[agent] - mean / self.arrays.scale.time
        return row

    def expected(self) -> Expected:
        """What everybody expects at the truth, where nobody's job is late."""
        utilities = []
        for own, likely in zip(self.interim, self.prior.distributions, strict=True):
            mean = expectation((p, own[x][x]) for x, p in likely)
            assert isinstance(mean, Fraction)  # nobody's job is killed at the truth
            utilities.append(mean)
        rows, weights, whole = self._profiles(list(range(self.domain.n_agents)))
        times = self.arrays.planned[rows]
        output = _sum(times.sum(axis=1), weights, whole) / self.arrays.scale.time
        rent = sum(self.values, Fraction(0)) - sum(utilities, Fraction(0)) - output
        welfare = -output if self.mechanism.goal.by_sum else self._welfare(times, weights, whole)
        return Expected(tuple(utilities), rent, welfare)

    def _welfare(self, times: Any, weights: Any, whole: int) -> Extended | None:
        """Expected welfare, profile by profile; ``None`` where it is no number."""
        values: list[tuple[Fraction, Extended]] = []
        for i, (row, weight) in enumerate(zip(times.tolist(), weights.tolist(), strict=True)):
            if i % 256 == 0 and self.clock.expired():
                raise TimeoutError
            value = self.mechanism.goal.value([Fraction(t, self.arrays.scale.time) for t in row])
            if isinstance(value, tuple):
                return None
            values.append((Fraction(weight, whole), value))
        return expectation(values)

    def _profiles(self, agents: list[int]) -> tuple[Ints, Any, int]:
        """Profiles in which these agents are truthful and all others declare their first number: rows and weights.

        The weights are whole and sum to the last of the three.
        """
        rows, weights = np.zeros(1, dtype=np.int64), np.ones(1, dtype=object)
        for k in agents:
            digits = [self.domain.universe[k].index(x) for x in self.prior.support[k]]
            rows = np.add.outer(rows, self.domain.strides[k] * np.array(digits, dtype=np.int64)).reshape(-1)
            likely = np.array([int(p * self.wholes[k]) for _, p in self.prior.distributions[k]], dtype=object)
            weights = np.multiply.outer(weights, likely).reshape(-1)
        return rows, weights, prod(self.wholes[k] for k in agents)


def _sum(values: Any, weights: Any, whole: int) -> Fraction:
    """Sum of values times weights, over the sum of the weights."""
    return Fraction(int((values.astype(object) * weights).sum()), whole)
