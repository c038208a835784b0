r"""Pure Bayes-Nash equilibria of a declaration mechanism under a prior, and what they cost.

They are the pure Nash equilibria of the *agent form* (Selten 1975), which has one player for each agent and each length
she may have. A strategy of agent ``n`` tells for every length ``x`` of positive probability what to declare; the player
"``n`` of length ``x``" chooses that declaration alone, among ``domain.options(n, x)``. Her cost is what agent ``n``
expects once she knows ``x``: ``V_n`` minus her expected utility over the others' lengths, the declarations those of the
others' players of these lengths. It is a conditional expectation, not one times the probability of ``x``, so that it is
the number an agent compares. The social cost is minus the expected welfare; where welfare is no number there is none
(``numeric``), and the table has zeros in its place. A player's cost does not depend on what the same agent declares at
other lengths. Equilibria are found in the table by :mod:`consortium.games.enumeration` and checked again, length by
length, from the definition (:mod:`.expectations`).

The *first best* is the expected least social cost where everybody's length is known: minus the expected best welfare of
a schedule of the true lengths, whatever the mechanism.

>>> from consortium.games.verification import Domain, Prior
>>> from consortium.mechanisms.declaration import build
>>> thirds, machine = Prior.of([{1: "1/3", 2: "1/3", 3: "1/3"}] * 2), Cluster.of([1])
>>> found = bayes_nash(build("light-vcg", machine), Domain.of([1, 2, 3], agents=2), thirds, machine)
>>> found.count, found.first_best, found.worst.social_cost, found.price_of_anarchy
(6, Fraction(50, 9), Fraction(6, 1), Fraction(27, 25))
>>> prior, domain = Prior.of([{1: "1/2", 2: "1/2"}] * 2), Domain.of([1, 2], agents=2)
>>> game = agent_form(build("light-vcg", machine), domain, prior, SumOfTimes())
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

from ...mechanisms.declaration.protocol import DeclarationMechanism
from ...scheduling.clusters import Cluster
from ...scheduling.goals import SumOfTimes
from ...scheduling.optimal import optimal_allocation
from ...scheduling.sums import optimal_sum
from ...scheduling.welfare import Goal
from ...support.errors import ContradictionError, MechanismError, TooLargeError
from ...support.exact import INF, Extended, magnitude
from ...support.progress import Clock, Progress
from ..enumeration import extremes, pure_equilibria
from ..normal_form import FINITE, INFINITE, MAX_BYTES, NormalFormGame, table_bytes
from ..protocol import count_profiles, price
from .cost import distinct_runs, probe
from .domain import Domain, Profile, with_entry
from .expectations import expected_social_cost, interim_utility, is_bayes_nash
from .prior import Prior, expectation
from .results import BayesNash, BayesOutcome, Played, Strategy
from .running import Runs, Values


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
        return tuple(
            self.cost(n, interim_utility(self.played, self.prior, maps, n, x, b))
            for (n, x), b in zip(self.types, profile, strict=True)
        )

    def cost(self, agent: int, utility: Extended) -> Extended:
        """V_n minus a utility; infinite ones have no other part."""
        return -utility if isinstance(utility, float) else self.values[agent] - utility

    def social_cost(self, profile: Profile) -> Extended:
        """Minus the expected welfare; 0 where it is no number."""
        if not self.numeric:
            return Fraction(0)
        mean = expected_social_cost(self.played, self.prior, self.strategies_of(profile), self.goal)
        if mean is None:
            raise MechanismError(NO_MEAN)
        return mean

    @cached_property
    def numeric(self) -> bool:
        """Whether welfare is a number."""
        lengths, _ = next(self.prior.profiles())
        return not isinstance(self.played(lengths, lengths).welfare_by(self.goal), tuple)

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


NO_MEAN = "prior: found inf and -inf, both with positive probability; expected an expectation"


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
        self.place = {one: i for i, one in enumerate(form.types)}
        self.whole = prod(lcm(*(p.denominator for _, p in own)) for own in form.prior.distributions)
        self.steps = sum(
            prod(len(form.domain.options(n, x)) for n, x in enumerate(row)) for row, _ in form.prior.profiles()
        )
        self.done = 0

    def game(self) -> NormalFormGame:
        """Costs per unit ``1 / (whole unit)``, where ``unit`` makes every cost whole and ``whole`` every weight."""
        form = self.form
        outcomes = {lengths: self._at(lengths) for lengths, _ in form.prior.profiles()}
        unit = lcm(*(c.denominator for costs, _ in outcomes.values() for c in costs if isinstance(c, Fraction)))
        social_unit = lcm(*(c.denominator for _, costs in outcomes.values() for c in costs if isinstance(c, Fraction)))
        dtype = self._dtype([costs for costs, _ in outcomes.values()], unit, len(form.types))
        social_dtype = self._dtype([costs for _, costs in outcomes.values()], social_unit, 1)
        cost = {x: self._cells(costs, (form.domain.n_agents,), x, unit, dtype) for x, (costs, _) in outcomes.items()}
        social = {x: self._cells(costs, (1,), x, social_unit, social_dtype) for x, (_, costs) in outcomes.items()}
        shape = tuple(map(len, self.options))
        table = np.empty((len(form.types), *shape), dtype=dtype)
        for player, (n, x) in enumerate(form.types):
            worlds = [(with_entry(o, n, x), p) for o, p in form.prior.others(n)]
            table[player] = self._mean(cost, worlds, n, dtype)
        total = np.empty(shape, dtype=social_dtype)
        total[...] = self._mean(social, list(form.prior.profiles()), 0, social_dtype)
        return NormalFormGame(
            form.players, tuple(self.options), table, self.whole * unit, total, self.whole * social_unit
        )

    def _at(self, lengths: Profile) -> tuple[list[Extended], list[Extended]]:
        """Costs, agent after agent for each profile of declarations, and social costs."""
        form, costs, social = self.form, list[list[Extended]](), list[Extended]()
        for declared in itertools.product(*(form.domain.options(n, x) for n, x in enumerate(lengths))):
            self._report()
            outcome = form.played(declared, lengths)
            assert outcome.utilities is not None  # whoever plays fills them in
            costs.append(list(itertools.starmap(form.cost, enumerate(outcome.utilities))))
            social.append(-outcome.welfare_by(form.goal) if form.numeric else Fraction(0))
        return [c for own in zip(*costs, strict=True) for c in own], social

    def _report(self) -> None:
        if self.done % 64 == 0:
            self.clock.check()
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
        self, parts: Mapping[Profile, _Cells], worlds: list[tuple[Profile, Fraction]], row: int, dtype: Any
    ) -> Any:
        """Weighted sum over profiles of lengths, with one axis per player, of length 1 where nothing depends on her."""
        total: Any = np.zeros((1,) * len(self.options), dtype=dtype)
        plus: Any = np.zeros((1,) * len(self.options), dtype=bool)
        minus = plus
        for lengths, p in worlds:
            self.clock.check()
            axes = [1] * len(self.options)
            for player in enumerate(lengths):
                axes[self.place[player]] = len(self.options[self.place[player]])
            cells = parts[lengths]
            total = total + int(p * self.whole) * cells.whole[row].reshape(axes)
            plus = plus | cells.plus[row].reshape(axes)
            minus = minus | cells.minus[row].reshape(axes)
        if (plus & minus).any():
            raise MechanismError(NO_MEAN)
        if not (plus.any() or minus.any()):
            return total
        infinite: Any = INFINITE if dtype == np.int64 else INF
        return np.where(plus, infinite, np.where(minus, -infinite, total))


_SECONDS_PER_CELL = 10e-9
_SECONDS_PER_OPTIMUM = 100e-6


def bayes_nash(
    mechanism: DeclarationMechanism,
    domain: Domain,
    prior: Prior,
    cluster: Cluster,
    *,
    goal: Goal | None = None,
    values: Values = None,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> BayesNash:
    """Count the equilibria, and name the best and the worst.

    Parameters
    ----------
    mechanism
        A built-in mechanism, or any object with ``run(declared, lengths)``.
    domain
        Possible lengths, the likely ones among them, and declarations.
    prior
        Odds of everybody's length.
    cluster, goal
        Of the first best, and of welfare where the mechanism tells none; the goal is by default the mechanism's, or
        the sum of output times.
    values
        The agents' valuations, for a mechanism that has none of its own.
    progress, clock
        Who watches; Ctrl-C and the end of the time leave an unfinished answer.

    Raises
    ------
    TooLargeError
        The table of all strategies does not fit into memory, or the goal has no exact optimum at this size.
    InputError
        A likely length is none of the domain.
    MechanismError
        A cost has no expectation, because it is ``inf`` and ``-inf``, both with positive probability.
    """
    clock, goal = clock or Clock(None), goal or getattr(mechanism, "goal", None) or SumOfTimes()
    form = agent_form(mechanism, domain, prior, goal, values)
    size = refuse_large(form)
    least: Extended | None = None
    try:
        least = first_best(prior, cluster, goal, clock)
        arrays = form.tabulate(progress, clock)
        stable = pure_equilibria(arrays, clock)
    except (KeyboardInterrupt, TimeoutError):
        return BayesNash(size, None, None, None, least, None, False)
    ends = [arrays.profile(i) for i in extremes(arrays, stable)] if len(stable) and form.numeric else []
    best, worst = (_checked(form, end, arrays.social_cost(end)) for end in ends) if ends else (None, None)
    ratio = None if worst is None else price(worst.social_cost, least)
    return BayesNash(size, len(stable), best, worst, least, ratio, True)


def agent_form(
    mechanism: DeclarationMechanism, domain: Domain, prior: Prior, goal: Goal, values: Values = None
) -> AgentForm:
    """The agent form of a mechanism; a built-in one plans once per profile of declarations."""
    own = values if values is not None else getattr(mechanism, "values", None)
    worth = tuple(map(Fraction, own)) if own is not None else ()
    return AgentForm(Runs(mechanism, values).outcome, domain, prior, worth, goal)


def refuse_large(form: AgentForm) -> int:
    """Number of profiles of strategies. Raises TooLargeError where their table would not fit into memory."""
    size, need = count_profiles(form), table_bytes(form)
    if need > MAX_BYTES:
        raise TooLargeError(
            f"prior: {magnitude(size)} profiles of strategies (what to declare, for each length of each agent) need "
            f"a table of {magnitude(need)} bytes; the limit is {MAX_BYTES:,}. Take fewer lengths or declarations"
        )
    return size


def cost(mechanism: DeclarationMechanism, domain: Domain, prior: Prior) -> tuple[float, int]:
    """Predicted seconds and bytes. Raises TooLargeError as the search does."""
    form = agent_form(mechanism, domain, prior, SumOfTimes())
    size, runs = refuse_large(form), distinct_runs(prior.within(domain), "dominant")
    cells = size * (len(form.types) + prior.n_profiles)
    seconds = runs * probe(mechanism, domain) + cells * _SECONDS_PER_CELL + prior.n_profiles * _SECONDS_PER_OPTIMUM
    return seconds, table_bytes(form)


def first_best(prior: Prior, cluster: Cluster, goal: Goal, clock: Clock | None = None) -> Extended | None:
    """Minus the expected best welfare of the true lengths; ``None`` where welfare is no number.

    Raises TooLargeError where the goal has no exact optimum at this size, TimeoutError when the clock runs out.
    """
    values: list[tuple[Fraction, Extended]] = []
    for lengths, p in prior.profiles():
        if clock is not None and clock.expired():
            raise TimeoutError
        value = least_cost(cluster, goal, lengths)
        if value is None:
            return None
        values.append((p, value))
    return expectation(values)


def least_cost(cluster: Cluster, goal: Goal, lengths: Profile) -> Extended | None:
    """Minus the best welfare of a schedule of these lengths; ``None`` where it is no number. Raises TooLargeError."""
    value = -optimal_sum(cluster, lengths) if goal.by_sum else optimal_allocation(cluster, lengths, goal).value
    return None if isinstance(value, tuple) else -value


def _checked(form: AgentForm, profile: Profile, claimed: Extended) -> BayesOutcome:
    """An equilibrium with its cost, both found again from the definition. Raises ContradictionError."""
    strategies = form.strategies_of(profile)
    if not is_bayes_nash(form.played, form.domain, form.prior, strategies):
        raise ContradictionError(
            f"prior: {profile} was found to be an equilibrium; an agent gains by another declaration"
        )
    social = expected_social_cost(form.played, form.prior, strategies, form.goal)
    if social is None or social != claimed:
        raise ContradictionError(f"prior: the social cost of {profile} was found to be {claimed}; checked: {social}")
    return BayesOutcome(strategies, social)
