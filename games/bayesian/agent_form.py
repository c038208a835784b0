r"""The agent form of a declaration game under a prior: one player for each agent and each length she may have.

Model: a strategy of agent ``n`` tells for every length ``x`` of positive probability what to declare. In the agent
form (Selten 1975) the player "``n`` of length ``x``" chooses that declaration alone, among ``domain.options(n, x)``.
Her cost is what agent ``n`` expects once she knows ``x``: ``V_n`` minus her expected utility over the others' lengths,
the declarations those of the others' players of these lengths. It is a conditional expectation, not one times the
probability of ``x``, so that it is the number an agent compares; the equilibria are the same, and they are the pure
Bayes-Nash equilibria. The social cost is minus the expected welfare; where welfare is no number there is none
(``numeric``), and the table has zeros in its place.

Known: a player's cost does not depend on what the same agent declares at other lengths.

>>> from consortium.games.bayesian.checker import outcomes
>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> prior, domain = Prior.of([{1: "1/2", 2: "1/2"}] * 2), Domain.of([1, 2], agents=2)
>>> game = AgentForm(outcomes(build("light-vcg", Cluster.of([1]))), domain, prior)
>>> game.players[1], game.strategies(1), game.costs(tuple(map(Fraction, (1, 1, 1, 2))))
('a1 of length 2', (Fraction(1, 1), Fraction(2, 1)), (Fraction(7, 2), Fraction(9, 2), Fraction(7, 2), Fraction(9, 2)))
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import lcm, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...mechanisms.declaration.protocol import Outcome
from ...scheduling.goals.base import Goal
from ...scheduling.goals.sum import SumOfTimes
from ...support.errors import MechanismError
from ...support.exact import INF, Extended
from ...support.progress import Clock, Progress
from ..incentives.domain import Domain, Profile
from ..normal_form import FINITE, INFINITE, NormalFormGame
from .prior import Prior, expectation
from .results import Played, Strategy, welfare


@dataclass(frozen=True)
class AgentForm:
    """A mechanism under a prior, as a game of its types.

    Attributes
    ----------
    played
        What becomes of declarations and true lengths, utilities filled in.
    domain, prior
        What may be declared, and the odds of the lengths.
    values
        V_n, default 0.
    goal
        What welfare is where the mechanism tells none; default the sum of output times.
    """

    played: Played
    domain: Domain
    prior: Prior
    values: tuple[Fraction, ...] = ()
    goal: Goal = field(default_factory=SumOfTimes)

    def __post_init__(self) -> None:
        self.prior.within(self.domain)
        if not self.values:
            object.__setattr__(self, "values", (Fraction(0),) * self.domain.n_agents)

    @cached_property
    def types(self) -> tuple[tuple[int, Fraction], ...]:
        """Agent and length of each player."""
        return tuple((n, x) for n, own in enumerate(self.prior.support) for x in own)

    @cached_property
    def players(self) -> tuple[str, ...]:
        """Each agent with each length."""
        return tuple(f"{self.domain.names[n]} of length {x}" for n, x in self.types)

    def strategies(self, player: int) -> Profile:
        """Declarations, increasing; the truth is among them."""
        return self.domain.options(*self.types[player])

    def costs(self, profile: Profile) -> tuple[Extended, ...]:
        """What each player expects to bear."""
        maps = self.strategies_of(profile)
        found = []
        for n, x in self.types:
            weighted = (
                (p, self._cost(n, self.played(_said(maps, lengths), lengths)))
                for others, p in self.prior.others(n)
                for lengths in [(*others[:n], x, *others[n + 1 :])]
            )
            found.append(self._exists(expectation(weighted)))
        return tuple(found)

    def social_cost(self, profile: Profile) -> Extended:
        """Minus the expected welfare; 0 where it is no number."""
        if not self.numeric:
            return Fraction(0)
        maps = self.strategies_of(profile)
        weighted = ((p, -welfare(self.played(_said(maps, x), x), self.goal)) for x, p in self.prior.profiles())
        return self._exists(expectation(weighted))

    @cached_property
    def numeric(self) -> bool:
        """Whether welfare is a number."""
        lengths, _ = next(self.prior.profiles())
        return not isinstance(welfare(self.played(lengths, lengths), self.goal), tuple)

    def strategies_of(self, profile: Profile) -> tuple[Strategy, ...]:
        """The agents' strategies, from the players' declarations."""
        maps: list[dict[Fraction, Fraction]] = [{} for _ in self.prior.support]
        for (n, x), b in zip(self.types, profile, strict=True):
            maps[n][x] = b
        return tuple(maps)

    def tabulate(self, progress: Progress | None = None, clock: Clock | None = None) -> NormalFormGame:
        """The game as arrays: the mechanism runs once for each profile of lengths and of declarations there.

        Raises TimeoutError when the clock runs out.
        """
        return _Tabulating(self, progress, clock or Clock(None)).game()

    def _cost(self, agent: int, outcome: Outcome) -> Extended:
        assert outcome.utilities is not None  # whoever plays fills them in
        worth = outcome.utilities[agent]
        return -worth if isinstance(worth, float) else self.values[agent] - worth

    def _exists(self, found: Extended | None) -> Extended:
        if found is None:
            raise MechanismError("prior: found inf and -inf, both with positive probability; expected an expectation")
        return found


def _said(maps: tuple[Mapping[Fraction, Fraction], ...], lengths: Profile) -> Profile:
    return tuple(own[x] for own, x in zip(maps, lengths, strict=True))


@dataclass(frozen=True)
class _Cells:
    """Whole numbers, zeros where they are infinite, and where that is."""

    whole: NDArray[Any]
    plus: NDArray[np.bool_]
    minus: NDArray[np.bool_]


class _Tabulating:
    """All costs of an agent form: those at each profile of lengths, then their weighted sums."""

    def __init__(self, form: AgentForm, progress: Progress | None, clock: Clock) -> None:
        self.form, self.progress, self.clock = form, progress, clock
        self.options = [form.strategies(player) for player in range(len(form.types))]
        self.place = {known: i for i, known in enumerate(form.types)}
        self.whole = prod(lcm(*(p.denominator for _, p in own)) for own in form.prior.distributions)
        self.steps = sum(
            prod(len(form.domain.options(n, x)) for n, x in enumerate(row)) for row, _ in form.prior.profiles()
        )
        self.done = 0

    def game(self) -> NormalFormGame:
        """Costs per unit ``1 / (whole unit)``, where ``unit`` makes every cost whole and ``whole`` every weight."""
        form = self.form
        given = {lengths: self._at(lengths) for lengths, _ in form.prior.profiles()}
        unit = lcm(*(c.denominator for costs, _ in given.values() for c in costs if isinstance(c, Fraction)))
        social_unit = lcm(*(c.denominator for _, costs in given.values() for c in costs if isinstance(c, Fraction)))
        dtype = self._dtype([costs for costs, _ in given.values()], unit, len(form.types))
        social_dtype = self._dtype([costs for _, costs in given.values()], social_unit, 1)
        cost = {x: self._cells(costs, (form.domain.n_agents,), x, unit, dtype) for x, (costs, _) in given.items()}
        social = {x: self._cells(costs, (1,), x, social_unit, social_dtype) for x, (_, costs) in given.items()}
        shape = tuple(map(len, self.options))
        table = np.empty((len(form.types), *shape), dtype=dtype)
        for player, (n, x) in enumerate(form.types):
            worlds = [((*o[:n], x, *o[n + 1 :]), p) for o, p in form.prior.others(n)]
            table[player] = self._mean(cost, worlds, n, dtype)
        total = np.empty(shape, dtype=social_dtype)
        total[...] = self._mean(social, list(form.prior.profiles()), 0, social_dtype)
        return NormalFormGame(
            form.players, tuple(self.options), table, self.whole * unit, total, self.whole * social_unit
        )

    def _at(self, lengths: Profile) -> tuple[list[Extended], list[Extended]]:
        """Costs, agent after agent for each profile of declarations, and social costs."""
        form, costs, social = self.form, list[list[Extended]](), list[Extended]()
        for said in itertools.product(*(form.domain.options(n, x) for n, x in enumerate(lengths))):
            self._report()
            outcome = form.played(said, lengths)
            costs.append([form._cost(n, outcome) for n in range(len(lengths))])
            social.append(-welfare(outcome, form.goal) if form.numeric else Fraction(0))
        return [c for own in zip(*costs, strict=True) for c in own], social

    def _report(self) -> None:
        if self.done % 64 == 0:
            if self.clock.expired():
                raise TimeoutError(f"{self.done} of {self.steps} runs")
            if self.progress is not None:
                self.progress(self.done, self.steps, "runs for strategies")
        self.done += 1

    def _dtype(self, rows: list[list[Extended]], unit: int, players: int) -> Any:
        """int64 where every sum that is formed stays within what tables may hold, else Python integers."""
        largest = max((abs(c) for row in rows for c in row if isinstance(c, Fraction)), default=Fraction(0))
        return np.int64 if largest * unit * self.whole * players < FINITE else object

    def _cells(self, costs: list[Extended], head: tuple[int, ...], lengths: Profile, unit: int, dtype: Any) -> _Cells:
        shape = (*head, *(len(self.form.domain.options(n, x)) for n, x in enumerate(lengths)))
        whole = np.array([int(c * unit) if isinstance(c, Fraction) else 0 for c in costs], dtype=dtype)
        plus, minus = (np.array([c == infinite for c in costs], dtype=bool) for infinite in (INF, -INF))
        return _Cells(whole.reshape(shape), plus.reshape(shape), minus.reshape(shape))

    def _mean(
        self, given: Mapping[Profile, _Cells], worlds: list[tuple[Profile, Fraction]], row: int, dtype: Any
    ) -> Any:
        """Weighted sum over profiles of lengths, with one axis per player, of length 1 where nothing depends on her."""
        total: Any = np.zeros((1,) * len(self.options), dtype=dtype)
        plus: Any = np.zeros((1,) * len(self.options), dtype=bool)
        minus = plus
        for lengths, p in worlds:
            if self.clock.expired():
                raise TimeoutError("weighted sums")
            axes = [1] * len(self.options)
            for known in enumerate(lengths):
                axes[self.place[known]] = len(self.options[self.place[known]])
            cells = given[lengths]
            total = total + int(p * self.whole) * cells.whole[row].reshape(axes)
            plus = plus | cells.plus[row].reshape(axes)
            minus = minus | cells.minus[row].reshape(axes)
        if (plus & minus).any():
            self.form._exists(None)
        if not (plus.any() or minus.any()):
            return total
        infinite: Any = INFINITE if dtype == np.int64 else INF
        return np.where(plus, infinite, np.where(minus, -infinite, total))
