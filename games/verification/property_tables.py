"""Properties of the built-in rules in one round, from the cost tables (:mod:`.results` has the definitions).

The rent of rules that are paid after the run is asked of all declarations and lengths. There agent ``n`` bears
``C_n(b, theta_n)``, the output times had everybody else been truthful, and pays that minus her own output time. So the
rent is ``sum_n C_n(b, theta_n) - T_n(b, theta)``: a sum over machines, each part depending on the lengths on that
machine alone. Its extremes are found from the tables, once per different list of jobs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...mechanisms.declaration.one_round import OneRound
from ...support.errors import InputError
from ...support.exact import Extended
from .domain import Domain
from .machine import OWN_TIME, RENT, Arrays, prepare
from .plans import BILLED, Plans
from .properties import OF_PAYMENTS, Property
from .results import MARGINS, PropertyWitness
from .tables import build_tables, company, possible_lengths
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
    for n in range(domain.n_agents):
        cases = judge.cases(n)
        if name == "just":
            yield cases, _late(mechanism, arrays, n)
        elif name == "individually_rational":
            yield cases, _poor(mechanism, arrays, n)
        else:
            yield cases, _jump(mechanism, arrays, n, 0 if name == "upper_margin" else 2, any_others)


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
