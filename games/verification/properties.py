"""The properties of a mechanism case by case, by running it or from cost tables (:mod:`.results` defines them).

The rent of rules that are paid after the run is asked of all declarations and lengths. There agent ``n`` bears
``C_n(b, theta_n)``, the output times had everybody else been truthful, and pays that minus her own output time. So the
rent is ``sum_n C_n(b, theta_n) - T_n(b, theta)``: a sum over machines, each part depending on the lengths on that
machine alone. Its extremes are found from the tables, once per different list of jobs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...mechanisms.custom import call
from ...mechanisms.declaration.claims import AFTER_THE_RUN
from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.prices import Table
from ...mechanisms.declaration.protocol import DeclarationMechanism, play, unchecked
from ...mechanisms.declaration.two_rounds import TwoRounds, one_round_of
from ...scheduling.clusters import Cluster
from ...scheduling.deadlines import too_much
from ...support.errors import InputError, MechanismError, TooLargeError
from ...support.exact import Extended
from ..proofs.programs import Limits
from .domain import Domain, Profile, with_entry
from .machine import OWN_TIME, RENT, Arrays, prepare
from .plans import Plans, billed
from .results import MARGINS, PropertyWitness
from .running import Judge, Runs
from .tables import build_tables, company, possible_lengths
from .truth_tables import CONTENT, AgentCosts, elsewhere

Evidence: TypeAlias = PropertyWitness | None
Situation: TypeAlias = tuple[int | None, Profile, Profile]
"""Agent (``None``: nobody's), declarations, lengths."""
OF_PAYMENTS = ("rent_nonnegative", "budget_balanced", "payments_nonnegative")
OF_INSTITUTION = (*OF_PAYMENTS, "accepts_every_input", "feasible", "priced_in_advance")
NEAR = Fraction(1, 2**20)
"""Distance from the truth, relative to the declaration, that is taken for code that is not piecewise linear."""


class Property(Judge[Situation, PropertyWitness]):
    """Whether a property holds; with ``any_others`` a margin's others are arbitrary.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> one = (Fraction(1),)
    >>> runs = Runs(build("light-vcg", Cluster.of([1])))
    >>> Property(runs, Domain.of([1], agents=1), "individually_rational").look((0, one, one)).values
    {'utility': Fraction(-1, 1)}
    """

    def __init__(self, runs: Runs, domain: Domain, name: str, any_others: bool = False) -> None:
        self.mechanism: Any = runs.mechanism
        of_institution = name in OF_INSTITUTION
        self.only_declared = name in OF_PAYMENTS and pays_in_advance(runs, domain)
        self.anything = any_others or name == "just" or (of_institution and not self.only_declared)
        self._as_declared: dict[Profile, tuple[Extended, ...]] = {}
        self.agents: Sequence[int | None] = [None] if of_institution else range(domain.n_agents)
        super().__init__(runs, domain, name, 0)
        self.any_others, self.total = any_others, sum(map(self.cases, self.agents))

    def cases(self, agent: int | None) -> int:
        """Number of situations of an agent, or of the institution."""
        return prod(map(len, self._lists(agent)))

    def every(self) -> Iterator[tuple[int, Situation]]:
        """All situations, agent by agent."""
        for agent in self.agents:
            for pairs in itertools.product(*self._lists(agent)):
                yield 1, (agent, tuple(b for b, _ in pairs), tuple(x for _, x in pairs))

    def random(self, size: int, rng: np.random.Generator) -> Iterator[Situation]:
        """Every agent equally often."""
        for count in range(size):
            agent = self.agents[count % len(self.agents)]
            pairs = [own[int(rng.integers(len(own)))] for own in self._lists(agent)]
            yield agent, tuple(b for b, _ in pairs), tuple(x for _, x in pairs)

    def _lists(self, agent: int | None) -> list[list[tuple[Fraction, Fraction]]]:
        """What each agent may declare and be."""
        domain = self.domain
        if self.only_declared:
            return [[(b, b) for b in own] for own in domain.universe]
        return [
            [(b, x) for b in domain.universe[n] for x in domain.partners(n, b)]
            if self.anything and n != agent
            else [(x, x) for x in domain.lengths[n]]
            for n in range(domain.n_agents)
        ]

    def look(self, case: Situation) -> PropertyWitness | None:
        """Evidence against the property in a situation."""
        agent, declared, lengths = case
        if agent is None:
            return self._of_institution(declared, lengths)
        if self.name == "just":
            return self._late(agent, declared, lengths)
        if self.name == "individually_rational":
            utility = self.runs.utilities(declared, lengths)[agent]
            return PropertyWitness(agent, declared, lengths, {"utility": utility}) if utility < 0 else None
        return self._jump(agent, declared, lengths, -1 if self.name == "upper_margin" else 1)

    def _of_institution(self, declared: Profile, lengths: Profile) -> PropertyWitness | None:
        match self.name:
            case "accepts_every_input":
                return self._refused(declared, lengths)
            case "feasible":
                return self._impossible(declared, lengths)
            case "priced_in_advance":
                return self._repriced(declared, lengths)
            case "payments_nonnegative":
                payments = self.runs.outcome(declared, lengths).payments
                least = min(range(len(payments)), key=payments.__getitem__)
                values = {"payment": payments[least]}
                return PropertyWitness(least, declared, lengths, values) if payments[least] < 0 else None
        return self._rent(declared, lengths)

    def _impossible(self, declared: Profile, lengths: Profile) -> PropertyWitness | None:
        """Jobs that no schedule ends in time; runs that are possible are remembered."""
        try:
            outcome = play(unchecked(self.mechanism), declared, lengths, self.runs.values)
        except MechanismError:
            raise
        except InputError:
            return None
        excess = too_much(self.mechanism.cluster.powers, lengths, outcome.output)
        if excess is None:
            self.runs.remember(declared, lengths, outcome)
            return None
        members, work, possible = excess
        return PropertyWitness(None, declared, lengths, {"work": work, "possible": possible}, members)

    def _repriced(self, declared: Profile, lengths: Profile) -> PropertyWitness | None:
        """A payment that is another one than if all declarations were true."""
        if declared not in self._as_declared:
            self._as_declared[declared] = self.runs.outcome(declared, declared).payments
        payments = self.runs.outcome(declared, lengths).payments
        for n, (expected, paid) in enumerate(zip(self._as_declared[declared], payments, strict=True)):
            if expected != paid:
                values = {"payment_as_declared": expected, "payment": paid}
                return PropertyWitness(n, declared, lengths, values)
        return None

    def _rent(self, declared: Profile, lengths: Profile) -> PropertyWitness | None:
        rent = self.runs.outcome(declared, lengths).rent
        fine = rent >= 0 if self.name == "rent_nonnegative" else rent == 0
        return None if fine else PropertyWitness(None, declared, lengths, {"rent": rent})

    def _refused(self, declared: Profile, lengths: Profile) -> PropertyWitness | None:
        try:
            outcome = self.runs.outcome(declared, lengths)
        except MechanismError:
            raise
        except InputError:
            return PropertyWitness(None, declared, lengths, {})
        kills = bool(getattr(self.mechanism, "kills_liars", False)) or (
            type(self.mechanism) is OneRound and self.mechanism.tools.alive == "kill"
        )
        for n, output in enumerate(outcome.output):
            if output == math.inf and not (kills and declared[n] != lengths[n]):
                return PropertyWitness(n, declared, lengths, {"output": output})
        return None

    def _late(self, agent: int, declared: Profile, lengths: Profile) -> PropertyWitness | None:
        planned = self.runs.outcome(declared, declared).output[agent]
        output = self.runs.outcome(declared, lengths).output[agent]
        if planned is None or output is None or output <= planned:
            return None
        return PropertyWitness(agent, declared, lengths, {"planned": planned, "output": output})

    def _jump(self, agent: int, declared: Profile, lengths: Profile, side: int) -> PropertyWitness | None:
        at_truth = self.runs.utilities(declared, lengths)[agent]
        limit = self._limit(agent, declared, lengths, side)
        if limit == at_truth:
            return None
        return PropertyWitness(agent, declared, lengths, {"utility": at_truth, "limit": limit})

    def _limit(self, agent: int, declared: Profile, lengths: Profile, side: int) -> Extended:
        """Utility as the length approaches the declaration: symbolically, or from two lengths; linear between them."""
        if (limit := self._symbolic(agent, declared, lengths, side)) is not None:
            return limit
        step, proved = linear_within(self.mechanism, agent, declared, lengths)
        self.exact = self.exact and proved

        def utility(distance: Fraction) -> Extended:
            length = declared[agent] + side * distance
            world = with_entry(lengths, agent, length)
            utilities = self.runs.outcome(declared, world).utilities
            assert utilities is not None
            return utilities[agent]

        far, near = utility(step), utility(step / 2)
        if math.inf in (abs(far), abs(near)):
            return near
        return 2 * near - far

    def _symbolic(self, agent: int, declared: Profile, lengths: Profile, side: int) -> Extended | None:
        """The limit, where the mechanism's code tells it; code that is not piecewise linear is not asked again."""
        if self._limits is None:
            return None
        try:
            return self._limits.utility(agent, declared, lengths, side)
        except (MechanismError, TooLargeError):
            self._limits = None
            return None

    @cached_property
    def _limits(self) -> Limits | None:
        """Limits of a custom mechanism; those of the built-in rules are proved without it, and sooner."""
        if type(self.mechanism) in (OneRound, TwoRounds):
            return None
        return Limits(self.mechanism, self.domain.n_agents, self.runs.values)


def undefined(mechanism: object, name: str) -> bool:
    """Whether a property means nothing here: a cluster is missing, or prices near a declaration are."""
    if name == "feasible":
        return not isinstance(getattr(mechanism, "cluster", None), Cluster)
    one = one_round_of(mechanism)
    return name in MARGINS and one is not None and isinstance(one.price, Table)


def by_construction(mechanism: object, name: str) -> bool:
    """Whether a property needs no look at cases: a built-in mechanism makes a schedule, and says how it is paid."""
    one = one_round_of(mechanism)
    if one is None or type(mechanism) not in (OneRound, TwoRounds):
        return False
    return name == "feasible" or (name == "priced_in_advance" and one.payment not in AFTER_THE_RUN)


def pays_in_advance(runs: Runs, domain: Domain) -> bool:
    """Whether the mechanism tells payments before the run. Raises MechanismError where it then takes others."""
    mechanism: Any = runs.mechanism
    if runs.in_advance is None:
        runs.in_advance = (
            mechanism.payment not in AFTER_THE_RUN if type(mechanism) is OneRound else _planned(runs, domain)
        )
    return runs.in_advance


def _planned(runs: Runs, domain: Domain) -> bool:
    mechanism: Any = runs.mechanism
    if getattr(mechanism, "plan", None) is None:
        return False
    name = type(mechanism).__name__
    declared = tuple(own[0] for own in domain.universe)
    try:
        planned = getattr(call(mechanism.plan, f"{name}.plan", declared=declared), "payments", None)
        paid = runs.outcome(declared, declared).payments
    except MechanismError:
        raise
    except InputError:
        return False  # accepts_every_input will say so
    if planned is not None and tuple(planned) != paid:
        raise MechanismError(
            f"{name}: for declarations ({', '.join(map(str, declared))}) plan tells the "
            f"payments {', '.join(map(str, planned))}, and run takes {', '.join(map(str, paid))}"
        )
    return planned is not None


def linear_within(
    mechanism: DeclarationMechanism, agent: int, declared: Profile, lengths: Profile
) -> tuple[Fraction, bool]:
    """A distance from her declaration, on either side of which her utility is linear in her length; whether proved.

    It is proved for the built-in mechanisms, a guess for a custom one. At distance ``d`` from the truth every time of a
    built-in mechanism is ``a + s d`` with ``a`` a multiple of the common unit of all times and payments and ``|s|``
    at most the steepest slope. Two of them can only change order where ``d`` is at least the unit over twice that
    slope; and from a utility with another ``a`` this one stays away by more than half the unit.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> truth = (Fraction(1, 2), Fraction(2))
    >>> linear_within(build("harsh", Cluster.of([1])), 0, truth, truth)
    (Fraction(1, 24), True)
    """
    one = one_round_of(mechanism)
    if one is None or not isinstance(mechanism, OneRound | TwoRounds) or type(mechanism) not in (OneRound, TwoRounds):
        return declared[agent] * NEAR, False
    plan = mechanism.plan(declared)
    slowest = min(one.cluster.powers)
    shares = [p for p in plan.penalties if p is not None] if one.tools.alive == "renice" else []
    steepest = (len(declared) + 1) / (slowest * min(shares, default=Fraction(1)))
    parts = [x / c for x in {*declared, *lengths} for c in one.cluster.powers]
    parts += [part / share for part in parts for share in {*shares}]
    parts += [x for x in (*plan.planned, *(plan.payments or ()), *plan.penalties) if x is not None]
    parts += [plan.optimal_sum]
    if one.cutoff is not None:
        parts += [one.cutoff.limit(b) / c for b in declared for c in one.cluster.powers]
        parts += [one.cutoff.limit(b) - b for b in declared if one.cutoff.limit(b) > b]
    unit = Fraction(1, math.lcm(*(x.denominator for x in parts)))
    return min(unit / (4 * steepest), min(declared) / 4), True


# by tables -----------------------------------------------------------------------------------------------------------


def property_parts(mechanism: OneRound, judge: Property, plans: Plans | None) -> Iterator[tuple[int, Evidence]]:
    """The cases of a property agent by agent, or all at once; none where a plan is missing."""
    name, domain, any_others = judge.name, judge.domain, judge.any_others
    if name in ("accepts_every_input", "priced_in_advance"):
        yield judge.total, _too_long(mechanism, domain) if name == "accepts_every_input" else _late_price(judge)
        return
    if plans is None or not plans.ready.all():
        return
    arrays = prepare(mechanism, plans)
    if name in OF_PAYMENTS:
        yield judge.total, _rent(mechanism, arrays, name)
        return
    if name in MARGINS:
        arrays = prepare(mechanism, plans, refine=4 * (domain.n_agents + 1) * (arrays.scale.steepest + 1))
    for n in range(domain.n_agents):
        cases = judge.cases(n)
        if name == "just":
            yield cases, _late(mechanism, arrays, n)
        elif name == "individually_rational":
            yield cases, _poor(mechanism, arrays, n)
        else:
            yield cases, _jump(mechanism, arrays, n, 0 if name == "upper_margin" else 2, any_others)


def _too_long(mechanism: OneRound, domain: Domain) -> Evidence:
    """One off a table, the first declaration beyond an absolute cut-off, or the first job that a cut-off stops."""
    cutoff = mechanism.cutoff
    if isinstance(mechanism.price, Table):
        return PropertyWitness(0, mechanism.price.beyond(), None, {})
    if cutoff is None:
        return None
    plain = tuple(own[0] for own in domain.universe)
    behind = tuple(domain.partners(n, b)[0] for n, b in enumerate(plain))
    for n, options in enumerate(domain.universe):
        for b in options:
            for x in domain.partners(n, b):
                declared, lengths = with_entry(plain, n, b), with_entry(behind, n, x)
                try:
                    outcome = mechanism.run(declared, lengths)
                except InputError:
                    return PropertyWitness(n, declared, None, {})
                if x > cutoff.limit(b):
                    return PropertyWitness(n, declared, lengths, {"output": outcome.output[n] or Fraction(0)})
    return None


def _late_price(judge: Property) -> Evidence:
    """The first payment after the run that is not what it would be if declarations were true."""
    mechanism, domain = judge.mechanism, judge.domain
    for declared in itertools.product(*domain.universe):
        if mechanism.payment == "verified" and max(map(len, mechanism.allocation(declared).lists)) < 2:
            continue  # alone on a machine: nobody makes others wait, and her own time is not among what she pays
        for lengths in itertools.product(*(domain.partners(n, b) for n, b in enumerate(declared))):
            if (witness := judge.look((None, declared, lengths))) is not None:
                return witness
    return None


def _rent(mechanism: OneRound, arrays: Arrays, name: str) -> Evidence:
    if not billed(mechanism):
        return None if mechanism.payment == "none" else _rent_after_the_run(mechanism, arrays, name)
    rents = arrays.paid.sum(axis=1)
    bad = np.flatnonzero(rents < 0 if name == "rent_nonnegative" else rents != 0)
    if not len(bad):
        return None
    row = int(bad[0])
    return PropertyWitness(None, arrays.plans.declared(row), None, {"rent": arrays.time(rents[row])})


def _poor(mechanism: OneRound, arrays: Arrays, agent: int) -> Evidence:
    """A truthful profile in which the agent ends below 0; everybody's output is at the planned time there."""
    costs = AgentCosts(mechanism, arrays, "ex-post", agent)
    borne = costs.paid[:, agent]
    for n in range(costs.domain.n_agents):
        if costs.bears(n):
            borne = borne + arrays.planned[:, n] * (arrays.plans.place[:, n] == arrays.plans.place[:, agent])
    value = Fraction(0) if mechanism.values is None else mechanism.values[agent]
    for row in np.flatnonzero(truthful(arrays.plans, range(costs.domain.n_agents))).tolist():
        if (ends := value - arrays.time(borne[row])) < 0:
            declared = arrays.plans.declared(row)
            return PropertyWitness(agent, declared, declared, {"utility": ends})
    return None


def truthful(plans: Plans, agents: Iterable[int]) -> NDArray[np.bool_]:
    """Profiles in which these agents may be truthful."""
    domain, fits = plans.domain, plans.ready.copy()
    for n in agents:
        fits &= np.array([b in domain.lengths[n] for b in domain.universe[n]])[plans.digit[:, n]]
    return fits


def _late(mechanism: OneRound, arrays: Arrays, agent: int) -> Evidence:
    """A truthful agent whose output is later than planned."""
    view = _View(mechanism, arrays, agent, any_others=True, near=False)
    late = {table: block[0] > arrays.planned[view.tables.rows[table], agent] for table, block in view.blocks()}

    def times(row: int, cells: Any) -> dict[str, Extended]:
        return {"planned": arrays.time(arrays.planned[row, agent]), "output": arrays.time(cells[0])}

    return view.witness(late, times)


def _jump(mechanism: OneRound, arrays: Arrays, agent: int, side: int, any_others: bool) -> Evidence:
    """A limit that differs from the utility at the truth; ``side`` 0: from below, 2: from above."""
    view = _View(mechanism, arrays, agent, any_others)
    value = Fraction(0) if mechanism.values is None else mechanism.values[agent]
    jumps = {table: view.whole(block[side]) != view.whole(block[1]) for table, block in view.blocks()}

    def utilities(row: int, cells: Any) -> dict[str, Extended]:
        truth, limit = (arrays.total(view.whole(cells[own]), view.paid[row, agent]) for own in (1, side))
        return {"utility": value - truth, "limit": value - limit}

    return view.witness(jumps, utilities)


class _View(AgentCosts):
    """Tables of one agent whose own lengths are her declaration and, with ``near``, an infinitesimal to either side."""

    def __init__(self, mechanism: OneRound, arrays: Arrays, agent: int, any_others: bool, near: bool = True) -> None:
        super().__init__(mechanism, arrays, "dominant" if any_others else "ex-post", agent)
        self.near, self.unit = near, arrays.scale.refine
        if not near:
            self.content = OWN_TIME
        self.wanted = truthful(arrays.plans, [agent] if any_others else range(self.domain.n_agents))
        self.tables = self.tabulate(self.wanted)

    def own_lengths(self, b: Fraction) -> tuple[int, ...]:
        """Her declaration, and its neighbours."""
        declared = self.arrays.units(b)
        return (declared - 1, declared, declared + 1) if self.near else (declared,)

    def blocks(self) -> Iterator[tuple[int, Any]]:
        """Each table as an array, her own lengths first, then those of each of the others on her machine."""
        for table, row in enumerate(self.tables.rows.tolist()):
            yield table, self._block(row)[1]

    def _block(self, row: int) -> tuple[list[int], Any]:
        jobs, cells = self.tables.array(self.arrays, self.agent, row)
        return [n for n in jobs if n != self.agent], np.moveaxis(cells, jobs.index(self.agent), 0)

    def whole(self, cost: Any) -> Any:
        """Cost, or costs, without the infinitesimal part, in the same unit; an infinite one is a multiple of it."""
        return (cost + self.unit // 2) // self.unit * self.unit

    def witness(self, bad: dict[int, Any], values: Callable[[int, Any], dict[str, Extended]]) -> Evidence:
        """First profile whose table has a bad place; ``values(row, cells)`` gets the agent's cells at that place."""
        failing = [table for table, where in bad.items() if np.any(where)]
        if not failing:
            return None
        row = int(np.flatnonzero(np.isin(self.tables.table[self.agent], failing) & self.wanted)[0])
        others, block = self._block(row)
        places = np.argwhere(bad[int(self.tables.table[self.agent][row])])[0]
        declared = self.arrays.plans.declared(row)
        lengths = [self.domain.meant(n, b, self.concept)[0] for n, b in enumerate(declared)]
        for n, place in zip(others, places.tolist(), strict=True):
            lengths[n] = self.domain.meant(n, declared[n], self.concept)[place]
        lengths[self.agent] = declared[self.agent]
        return PropertyWitness(self.agent, declared, tuple(lengths), values(row, block[(slice(None), *places)]))


def _rent_after_the_run(mechanism: OneRound, arrays: Arrays, name: str) -> Evidence:
    """The first profile whose rent can be negative, or other than 0, at the lengths of its least or largest one."""
    plans, domain = arrays.plans, arrays.plans.domain
    lengths = possible_lengths(arrays, lambda n, b: tuple(map(arrays.units, domain.partners(n, b))))
    every, content = np.arange(len(plans.digit)), RENT + CONTENT[mechanism.payment]
    least = sum(elsewhere(arrays, n)[:, n] for n in range(domain.n_agents))
    most, tables = least.copy(), []
    for n in range(domain.n_agents):  # the tables of whoever runs first on a machine
        tables.append(build_tables(arrays, [n], lengths, company(arrays, n, every)[:, 0] == n, content))
        number, offset = tables[n].table[n], tables[n].offset.tolist()
        parts, rows = [tables[n].cells[a:b] for a, b in itertools.pairwise(offset)], np.flatnonzero(number >= 0)
        least[rows] += np.array([part.min() for part in parts], dtype=least.dtype)[number[rows]]
        most[rows] += np.array([part.max() for part in parts], dtype=least.dtype)[number[rows]]
    bad = np.flatnonzero(least < 0 if name == "rent_nonnegative" else (least != 0) | (most != 0))
    if not len(bad):
        return None
    row = int(bad[0])
    rent, pick = (least[row], np.argmin) if least[row] != 0 else (most[row], np.argmax)
    declared = plans.declared(row)
    world = list(declared)
    for n, own in enumerate(tables):
        if own.table[n][row] >= 0:
            jobs, cells = own.array(arrays, n, row)
            for job, place in zip(jobs, np.unravel_index(int(pick(cells)), cells.shape), strict=True):
                world[job] = domain.partners(job, declared[job])[int(place)]
    return PropertyWitness(None, declared, tuple(world), {"rent": arrays.time(rent)})
