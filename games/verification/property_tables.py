"""Properties of the built-in rules in one round, from the cost tables (:mod:`.results` has the definitions).

The rent of rules that are paid after the run is asked of all declarations and lengths. There agent ``n`` bears
``C_n(b, theta_n)``, the output times had everybody else been truthful, and pays that minus her own output time. So the
rent is ``sum_n C_n(b, theta_n) - T_n(b, theta)``: a sum over machines, each part depending on the lengths on that
machine alone. Its extremes are found from the tables, once per different list of jobs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...mechanisms.declaration.one_round import OneRound
from ...support.errors import InputError
from ...support.exact import Extended
from .domain import Domain
from .machine import OWN_TIME, Arrays, prepare
from .plans import BILLED, Plans
from .properties import OF_PAYMENTS, Property
from .results import MARGINS, PropertyWitness
from .tables import Meant, Tables, build_tables, company, possible_lengths
from .truth_tables import CONTENT, AgentCosts, elsewhere

Evidence: TypeAlias = PropertyWitness | None


def property_parts(mechanism: OneRound, judge: Property, plans: Plans | None) -> Iterator[tuple[int, Evidence]]:
    """The cases of a property agent by agent, or all at once; none where a plan is missing."""
    name, domain, any_others = judge.name, judge.domain, judge.any_others
    if name == "accepts_every_input":
        yield judge.total, _too_long(mechanism, domain)
        return
    if plans is None or not plans.ready.all():
        return
    arrays = prepare(mechanism, plans)
    if name in OF_PAYMENTS:
        yield judge.total, _rent(mechanism, arrays, name)
        return
    if name in MARGINS:
        arrays = prepare(mechanism, plans, refine=4 * (domain.n_agents + 1) * (arrays.scale.steepest + 1))
    each = [_share(domain, name, any_others, n) for n in range(domain.n_agents)]
    assert sum(each) == judge.total
    for n, cases in enumerate(each):
        if name == "just":
            yield cases, _late(mechanism, arrays, n)
        elif name == "individually_rational":
            yield cases, _poor(mechanism, arrays, n)
        else:
            yield cases, _jump(mechanism, arrays, n, 0 if name == "upper_margin" else 2, any_others)


def _share(domain: Domain, name: str, any_others: bool, agent: int) -> int:
    """Cases of one agent."""
    if name == "just" or any_others:
        pairs = [
            sum(len(domain.options(k, x)) for x in domain.lengths[k]) for k in range(domain.n_agents) if k != agent
        ]
        return len(domain.lengths[agent]) * prod(pairs)
    return prod(len(own) for own in domain.lengths)


def _too_long(mechanism: OneRound, domain: Domain) -> Evidence:
    """The first declaration beyond an absolute cut-off, or the first job that a cut-off stops."""
    cutoff = mechanism.cutoff
    if cutoff is None:
        return None
    plain = [own[0] for own in domain.universe]
    for n, options in enumerate(domain.universe):
        for b in options:
            for x in domain.partners(n, b):
                declared = (*plain[:n], b, *plain[n + 1 :])
                others = [domain.partners(k, c)[0] for k, c in enumerate(plain)]
                lengths = (*others[:n], x, *others[n + 1 :])
                try:
                    outcome = mechanism.run(declared, lengths)
                except InputError:
                    return PropertyWitness(n, declared, None, {})
                if x > cutoff.limit(b):
                    return PropertyWitness(n, declared, lengths, {"output": outcome.output[n] or Fraction(0)})
    return None


def _rent(mechanism: OneRound, arrays: Arrays, name: str) -> Evidence:
    if mechanism.payment not in BILLED:
        return None if mechanism.payment == "none" else RentAfterTheRun(mechanism, arrays).violation(name)
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
    late = {table: block[:, 0, :] > arrays.planned[view.tables.rows[table], agent] for table, block in view.blocks()}

    def times(row: int, cells: Any) -> dict[str, Extended]:
        return {"planned": arrays.time(arrays.planned[row, agent]), "output": arrays.time(cells[0])}

    return view.witness(late, times)


def _jump(mechanism: OneRound, arrays: Arrays, agent: int, side: int, any_others: bool) -> Evidence:
    """A limit that differs from the utility at the truth; ``side`` 0: from below, 2: from above."""
    view = _View(mechanism, arrays, agent, any_others)
    value = Fraction(0) if mechanism.values is None else mechanism.values[agent]
    jumps = {table: view.whole(block[:, side, :]) != view.whole(block[:, 1, :]) for table, block in view.blocks()}

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

    def _shape(self, table: int) -> tuple[list[int], list[int], int]:
        """Jobs on her machine, number of lengths of each, and her position."""
        row = self.tables.rows[table]
        jobs = [n for n in company(self.arrays, self.agent, np.array([row]))[0].tolist() if n >= 0]
        counts = [int(self.tables.lengths.count[n, self.arrays.plans.digit[row, n]]) for n in jobs]
        return jobs, counts, jobs.index(self.agent)

    def blocks(self) -> Iterator[tuple[int, Any]]:
        """Each table as an array (lengths of those before her, her own, of those behind her)."""
        for table in range(len(self.tables.rows)):
            _, counts, at = self._shape(table)
            cells = self.tables.cells[self.tables.offset[table] : self.tables.offset[table + 1]]
            yield table, cells.reshape(prod(counts[:at]), counts[at], prod(counts[at + 1 :]))

    def whole(self, cost: Any) -> Any:
        """Cost, or costs, without the infinitesimal part, in the same unit; an infinite one is a multiple of it."""
        return (cost + self.unit // 2) // self.unit * self.unit

    def witness(self, bad: dict[int, NDArray[np.bool_]], values: Callable[[int, Any], dict[str, Extended]]) -> Evidence:
        """First profile whose table has a bad place; ``values(row, cells)`` gets the agent's cells at that place."""
        failing = [table for table, where in bad.items() if where.any()]
        if not failing:
            return None
        row = int(np.flatnonzero(np.isin(self.tables.table[self.agent], failing) & self.wanted)[0])
        table = int(self.tables.table[self.agent][row])
        jobs, counts, at = self._shape(table)
        before, after = (int(i) for i in np.argwhere(bad[table])[0])
        block = dict(self.blocks())[table]
        front, back = np.unravel_index(before, counts[:at]), np.unravel_index(after, counts[at + 1 :])
        places: list[Any] = [*front, 0, *back]
        declared = self.arrays.plans.declared(row)
        lengths = [self.domain.meant(n, b, self.concept)[0] for n, b in enumerate(declared)]
        for n, place in zip(jobs, places, strict=True):
            if n != self.agent and self.content == OWN_TIME:
                lengths[n] = self.domain.meant(n, declared[n], self.concept)[int(place)]
        lengths[self.agent] = declared[self.agent]
        return PropertyWitness(self.agent, declared, tuple(lengths), values(row, block[before, :, after]))


@dataclass(frozen=True)
class _Range:
    """Smallest and largest part of the rent on one machine, and the lengths' places where they occur."""

    least: Any
    most: Any
    at_least: tuple[int, ...]
    at_most: tuple[int, ...]


class RentAfterTheRun:
    """Extremes of the rent of each declaration profile."""

    def __init__(self, mechanism: OneRound, arrays: Arrays) -> None:
        self.arrays, domain = arrays, arrays.plans.domain
        everybody = np.ones(len(arrays.plans.digit), dtype=bool)
        anything = possible_lengths(arrays, lambda n, b: tuple(map(arrays.units, domain.partners(n, b))))
        self.lengths = anything
        self.own, self.borne, self.fixed = [], [], []
        for n in range(domain.n_agents):
            neutral = possible_lengths(arrays, self._neutral(n))
            self.own.append(build_tables(arrays, [n], anything, everybody, OWN_TIME))
            self.borne.append(build_tables(arrays, [n], neutral, everybody, CONTENT[mechanism.payment]))
            self.fixed.append(elsewhere(arrays, n)[:, n])
        self._known: dict[tuple[int, int], _Range] = {}

    def violation(self, name: str) -> PropertyWitness | None:
        """The first declaration profile whose rent can be negative, or other than 0."""
        for row in range(len(self.arrays.plans.digit)):
            parts = [self._range(row, jobs) for jobs in self._lists(row)]
            fixed = sum(column[row] for column in self.fixed)
            least, most = (fixed + sum(getattr(part, side) for part in parts) for side in ("least", "most"))
            if least < 0 or (name == "budget_balanced" and (least, most) != (0, 0)):
                return self._witness(row, parts, "at_least" if least != 0 else "at_most", least if least != 0 else most)
        return None

    def _neutral(self, agent: int) -> Meant:
        """Her possible lengths, everybody else truthful."""
        domain = self.arrays.plans.domain

        def meant(n: int, b: Fraction) -> tuple[int, ...]:
            return tuple(map(self.arrays.units, domain.partners(n, b) if n == agent else (b,)))

        return meant

    def _lists(self, row: int) -> list[list[int]]:
        """Jobs of each machine that has any."""
        lists = [[n for n in jobs if n >= 0] for jobs in self.arrays.runs.order[row].tolist()]
        return [jobs for jobs in lists if jobs]

    def _range(self, row: int, jobs: list[int]) -> _Range:
        first = jobs[0]
        # the number of a table of the first job stands for the whole list: machine, jobs, order, possible lengths
        key = first, int(self.own[first].table[first][row])
        if key not in self._known:
            shape = [int(self.lengths.count[n, self.arrays.plans.digit[row, n]]) for n in jobs]
            rent = np.zeros(shape, dtype=self.arrays.scale.dtype)
            for axis, n in enumerate(jobs):
                alone = [1] * len(jobs)
                alone[axis] = shape[axis]
                rent = rent + _cells(self.borne[n], n, row).reshape(alone) - _cells(self.own[n], n, row).reshape(shape)
            low, high = (
                tuple(int(i) for i in np.unravel_index(int(pick(rent)), shape)) for pick in (np.argmin, np.argmax)
            )
            self._known[key] = _Range(rent[low], rent[high], low, high)
        return self._known[key]

    def _witness(self, row: int, parts: list[_Range], side: str, rent: Any) -> PropertyWitness:
        plans, domain = self.arrays.plans, self.arrays.plans.domain
        declared = plans.declared(row)
        lengths = list(declared)
        for jobs, part in zip(self._lists(row), parts, strict=True):
            for n, place in zip(jobs, getattr(part, side), strict=True):
                lengths[n] = domain.partners(n, declared[n])[place]
        return PropertyWitness(None, declared, tuple(lengths), {"rent": self.arrays.time(rent)})


def _cells(tables: Tables, agent: int, row: int) -> Any:
    number = tables.table[agent][row]
    return tables.cells[tables.offset[number] : tables.offset[number + 1]]
