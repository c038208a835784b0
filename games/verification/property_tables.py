"""Properties of the built-in rules in one round, from the cost tables (:mod:`.results` has the definitions).

The rent of rules that are paid after the run is asked of all declarations and lengths. There agent ``n`` bears
``C_n(b, theta_n)``, the output times had everybody else been truthful, and pays that minus her own output time. So the
rent is ``sum_n C_n(b, theta_n) - T_n(b, theta)``: a sum over machines, each part depending on the lengths on that
machine alone. Its extremes are found from the tables, once per different list of jobs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...mechanisms.declaration.one_round import OneRound
from ...support.errors import InputError
from ...support.exact import Extended
from ...support.progress import Clock, Progress
from .domain import Concept, Domain
from .machine import OWN_TIME, Arrays, prepare
from .orbits import plan_domain
from .plans import BILLED, Plans
from .properties import cases_of
from .results import Check, PropertyWitness
from .tables import Meant, Tables, build_tables, company, possible_lengths
from .truth_tables import CONTENT, elsewhere

Evidence: TypeAlias = PropertyWitness | None


def check_with_tables(
    mechanism: OneRound,
    domain: Domain,
    name: str,
    any_others: bool = False,
    *,
    plans: Plans | None = None,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> Check[PropertyWitness]:
    """Check one property of a built-in rule; ``plans`` of an earlier check (both concepts) are taken if given."""
    total = cases_of(domain, name, any_others, in_advance=mechanism.payment not in CONTENT)
    if name == "accepts_every_input":
        witness = _too_long(mechanism, domain)
        return Check.of(name, total, total, witness, "kernel")
    plans = plan_domain(mechanism, domain, progress=progress, clock=clock) if plans is None else plans
    done, witness = 0, None
    if plans.ready.all():
        try:
            for count, evidence in _questions(mechanism, domain, name, any_others, plans, total):
                done += count
                witness = witness or evidence
                if progress is not None:
                    progress(done, total, name)
                if clock is not None and clock.expired():
                    break
        except KeyboardInterrupt:
            pass
    return replace(Check.of(name, done, total, witness, "kernel"), any_others=any_others)


def _questions(
    mechanism: OneRound, domain: Domain, name: str, any_others: bool, plans: Plans, total: int
) -> Iterator[tuple[int, Evidence]]:
    """(cases, witness) of each part of a property."""
    if name in ("rent_nonnegative", "budget_balanced"):
        yield total, _rent(mechanism, prepare(mechanism, plans), name)
        return
    refined = prepare(mechanism, plans)
    if name != "just":
        refined = prepare(mechanism, plans, refine=4 * (domain.n_agents + 1) * (refined.scale.steepest + 1))
    each = [_share(domain, name, any_others, n) for n in range(domain.n_agents)]
    assert sum(each) == total
    for n, cases in enumerate(each):
        if name == "just":
            yield cases, _late(mechanism, refined, n)
        elif name == "individually_rational":
            yield cases, _poor(mechanism, refined, n)
        else:
            yield cases, _jump(mechanism, refined, n, 0 if name == "upper_margin" else 2, any_others)


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
    """A truthful profile in which the agent ends below 0."""
    view = _View(mechanism, arrays, agent, any_others=False)
    value = Fraction(0) if mechanism.values is None else mechanism.values[agent]

    def utility(row: int, cell: Any) -> Extended:
        return value - arrays.total(view.whole(cell), view.paid[row, agent])

    # a table may serve profiles with different bills, so every profile is asked
    cost = {table: block[0, 1, 0] for table, block in view.blocks()}
    for row in np.flatnonzero(view.wanted).tolist():
        ends = utility(row, cost[int(view.tables.table[agent][row])])
        if ends < 0:
            declared = arrays.plans.declared(row)
            return PropertyWitness(agent, declared, declared, {"utility": ends})
    return None


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


class _View:
    """Tables of one agent whose own lengths are her declaration and, with ``near``, an infinitesimal to either side."""

    def __init__(self, mechanism: OneRound, arrays: Arrays, agent: int, any_others: bool, near: bool = True) -> None:
        plans, domain = arrays.plans, arrays.plans.domain
        self.arrays, self.agent, self.domain = arrays, agent, domain
        self.content = CONTENT.get(mechanism.payment, OWN_TIME) if near else OWN_TIME
        self.concept: Concept = "dominant" if any_others else "ex-post"
        self.near = near
        self.unit = arrays.scale.refine
        truthful = np.ones(len(plans.digit), dtype=bool)
        for n, own in enumerate(domain.universe):
            if n == agent or not any_others:
                truthful &= np.array([b in domain.lengths[n] for b in own])[plans.digit[:, n]]
        self.wanted = truthful & plans.ready
        self.paid = arrays.paid if self.content == OWN_TIME else elsewhere(arrays, agent)
        self.tables = build_tables(arrays, [agent], possible_lengths(arrays, self._meant), self.wanted, self.content)

    def _meant(self, n: int, b: Fraction) -> tuple[int, ...]:
        declared = self.arrays.units(b)
        if n == self.agent:
            return (declared - 1, declared, declared + 1) if self.near else (declared,)
        if self.content != OWN_TIME:
            return (declared,)  # the payment counts the others as truthful
        return tuple(map(self.arrays.units, self.domain.meant(n, b, self.concept)))

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

    def first_profile(self, tables: set[int]) -> int:
        """First wanted profile with one of these tables."""
        hits = np.isin(self.tables.table[self.agent], sorted(tables)) & self.wanted
        return int(np.flatnonzero(hits)[0])

    def witness(self, bad: dict[int, NDArray[np.bool_]], values: Callable[[int, Any], dict[str, Extended]]) -> Evidence:
        """First profile whose table has a bad place; ``values(row, cells)`` gets the agent's cells at that place."""
        failing = {table for table, where in bad.items() if where.any()}
        if not failing:
            return None
        row = self.first_profile(failing)
        table = int(self.tables.table[self.agent][row])
        jobs, counts, at = self._shape(table)
        before, after = (int(i) for i in np.argwhere(bad[table])[0])
        block = dict(self.blocks())[table]
        places = [*_digits(before, counts[:at]), 0, *_digits(after, counts[at + 1 :])]
        declared = self.arrays.plans.declared(row)
        lengths = [self.domain.meant(n, b, self.concept)[0] for n, b in enumerate(declared)]
        for n, place in zip(jobs, places, strict=True):
            if n != self.agent and self.content == OWN_TIME:
                lengths[n] = self.domain.meant(n, declared[n], self.concept)[int(place)]
        lengths[self.agent] = declared[self.agent]
        return PropertyWitness(self.agent, declared, tuple(lengths), values(row, block[before, :, after]))


def _digits(number: int, counts: list[int]) -> list[int]:
    """Place of a cell along each axis, the last one fastest."""
    digits = []
    for count in reversed(counts):
        number, digit = divmod(number, count)
        digits.append(digit)
    return digits[::-1]


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
