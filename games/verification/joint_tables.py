"""Joint lies of coalitions under a built-in rule: every case of a domain, from the cost tables of single agents.

A case compares the members' costs in two profiles of declarations at the same true lengths, and each cost is a cell of
a table over the lengths on one machine (:mod:`.tables`), found by the members' own plans; all agents' tables are in
memory at one time. At given true lengths an agent's costs are one array, with an axis for everybody's declarations, and
a coalition's gains are what her costs at the truth, along the axes of the members, are above the others. These arrays
serve all coalitions before the next true lengths are looked at. Ctrl-C, or the end of the time allowed, leaves a
partial answer. The mechanism itself plays the witness.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import partial, reduce
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ...mechanisms.declaration.one_round import OneRound
from ...support.errors import TooLargeError
from ...support.progress import Progress
from .coalitions import GroupNotion, GroupWitness
from .machine import Arrays, prepare
from .plans import Plans
from .running import Candidate, JointLies, Runs
from .tables import MAX_CELLS, Tables, company
from .truth_tables import CONTENT, AgentCheck

Lie: TypeAlias = tuple[int, tuple[int, ...], int]
"""Number of a coalition, places of everybody's true lengths, number of the profile that is declared."""


class World(NamedTuple):
    """Everybody's true lengths, and arrays over the declarations that these allow, with an axis for each agent."""

    truth: tuple[int, ...]
    """Place of the true declaration on each axis."""
    costs: Sequence[Any]
    """Each agent's costs."""
    rows: Any
    """Numbers of the profiles."""
    planned: Any
    """Which of them have a plan."""


class JointTables:
    """Everybody's costs on one domain, for checks of both concepts. Profiles without a plan are left out of them."""

    def __init__(self, mechanism: OneRound, plans: Plans, progress: Progress | None = None) -> None:
        self.mechanism, self.domain = mechanism, plans.domain
        self.arrays = prepare(mechanism, plans)
        self.costs = [_Costs(*pair) for pair in _tables(mechanism, self.arrays, progress)]
        endless = any((one.cells == self.arrays.scale.infinity).any() for one in self.costs)
        self.infinity = self.arrays.scale.infinity if endless else None

    def parts(self, judge: JointLies) -> Iterator[tuple[int, Candidate[GroupWitness] | None]]:
        """Every case whose plans are known: all true lengths in turn, and at each of them coalition by coalition.

        Of equal gains the first coalition's is played, though another one's may have been found before.
        """
        most, candidate, lies = 0, None, dict[int, Lie]()
        for places in itertools.product(*(range(len(own)) for own in self.domain.lengths)):
            world = self._world(judge, places)
            for number, members in enumerate(judge.members):
                cases, gains, rows = self._gains(judge, members, world)
                best = int(gains.max())
                if best > most or (best == most > 0 and number < lies[best][0]):
                    lies[best] = number, places, int(rows.reshape(-1)[gains.argmax()])
                    most, candidate = best, Candidate(self.arrays.time(best), partial(self._played, judge, lies, best))
                yield cases, candidate

    def _played(self, judge: JointLies, lies: Mapping[int, Lie], gain: int) -> GroupWitness | None:
        number, places, row = lies[gain]
        lengths = tuple(own[x] for own, x in zip(self.domain.lengths, places, strict=True))
        declared = self.arrays.plans.declared(row)
        return Runs(self.mechanism).joint_lie(judge.coalitions, judge.members[number], lengths, declared)

    def _world(self, judge: JointLies, places: tuple[int, ...]) -> World:
        """The arrays at true lengths, each given by its place among the agent's.

        Where those outside a coalition are honest, only what some coalition can declare has its costs there.
        """
        domain, plans = self.domain, self.arrays.plans
        shape = tuple(map(len, domain.universe))
        lengths = [own[x] for own, x in zip(domain.lengths, places, strict=True)]
        spoken = [domain.options(n, length) for n, length in enumerate(lengths)]
        truth = [own.index(length) for own, length in zip(domain.universe, lengths, strict=True)]
        grid = np.ix_(*([own.index(b) for b in options] for own, options in zip(domain.universe, spoken, strict=True)))
        within: Any = slice(None)
        if judge.honest:
            within = np.flatnonzero(np.count_nonzero(plans.digit != truth, axis=1) <= max(judge.coalitions.sizes))
        costs = []
        for one in self.costs:
            every = np.zeros(len(plans.digit), self.arrays.scale.dtype)
            every[within] = one.at(places, within)
            costs.append(every.reshape(shape)[grid])
        rows = np.arange(len(plans.digit)).reshape(shape)[grid]
        axes = zip(spoken, lengths, strict=True)
        return World(tuple(options.index(length) for options, length in axes), costs, rows, plans.ready[rows])

    def _gains(self, judge: JointLies, members: tuple[int, ...], world: World) -> tuple[int, Any, Any]:
        """Cases of a coalition; what each joint lie gains if it pays, else nothing, and its profile.

        The others' axes come first; who is outside changes slower than who is inside.
        """
        agents = range(len(world.truth))
        spoken, honest = [slice(None)] * len(agents), [slice(at, at + 1) for at in world.truth]
        lied = tuple(honest[n] if judge.honest and n not in members else spoken[n] for n in agents)
        true = tuple(honest[n] if judge.honest or n in members else spoken[n] for n in agents)
        gains = [_gain(world.costs[n][true], world.costs[n][lied], self.infinity) for n in members]
        planned = world.planned[true] & world.planned[lied]
        together = planned * _together(gains, judge.coalitions.notion, self.infinity)
        order = [*(n for n in agents if n not in members), *members]
        cases = int(np.count_nonzero(planned)) - int(np.count_nonzero(world.planned[true]))  # the truth is no lie
        return cases, together.transpose(order), world.rows[lied].transpose(order)


class _Costs:
    """What one agent bears in every profile: a cell of her tables, found by the true lengths, and what is paid."""

    def __init__(self, check: AgentCheck, tables: Tables) -> None:
        arrays, domain = check.arrays, check.domain
        self.digit, self.infinity, self.paid = arrays.plans.digit, arrays.scale.infinity, check.paid[:, check.agent]
        self.cells, self.first = tables.cells, tables.offset[np.maximum(tables.table[check.agent], 0)]
        self.strides, stride = np.zeros_like(self.digit), np.ones(len(self.digit), dtype=np.int64)
        for jobs in company(arrays, check.agent, np.arange(len(self.digit))).T[::-1]:
            there = np.flatnonzero(jobs >= 0)
            k = jobs[there]
            self.strides[there, k] = stride[there]
            stride[there] *= tables.lengths.count[k, self.digit[there, k]]
        shape = (*tables.lengths.count.shape, max(map(len, domain.lengths)))
        self.places = np.zeros(shape, dtype=np.int64)  # of each length behind each declaration
        for k, own in enumerate(domain.lengths):
            units = list(map(arrays.units, own))
            for d in range(len(domain.universe[k])):
                for place, length in enumerate(tables.lengths.behind(k, d)):
                    if length in units:
                        self.places[k, d, units.index(length)] = place

    def at(self, places: Sequence[int], rows: Any) -> Any:
        """Her cost in some profiles at these true lengths."""
        steps = (self.strides[rows, k] * self.places[k, self.digit[rows, k], x] for k, x in enumerate(places))
        value = self.cells[sum(steps, self.first[rows])]
        return np.where(value == self.infinity, value, value + self.paid[rows])


def _gain(before: Any, after: Any, infinity: Any) -> Any:
    """What one member gains, nothing where her job never ends either way; without an infinity all costs are finite."""
    if infinity is None:
        return before - after
    gain = np.where(before == infinity, infinity, before - after)
    return np.where(before == after, 0, np.where(after == infinity, -infinity, gain))


def _together(gains: Sequence[Any], notion: GroupNotion, infinity: Any) -> Any:
    """What a joint lie gains from what each member does, above 0 only where it pays."""
    least = reduce(np.minimum, gains)
    if notion == "all-gain":
        return least
    if infinity is None:
        total, lost = sum(gains), False
    else:
        total, lost = sum(np.where(abs(gain) == infinity, 0, gain) for gain in gains), least == -infinity
        total = np.where(reduce(np.maximum, gains) == infinity, infinity, total)
    return np.where(least < 0 if notion == "none-lose" else lost, 0, total)


def _tables(mechanism: OneRound, arrays: Arrays, progress: Progress | None) -> list[tuple[AgentCheck, Tables]]:
    """Each agent's tables; shared where no payment makes them read the others' lengths in a way of their own.

    Raises TooLargeError when together they do not fit into memory.
    """
    everybody = range(arrays.plans.domain.n_agents)
    checks = [AgentCheck(mechanism, arrays, "dominant", n) for n in everybody]
    if mechanism.payment not in CONTENT:
        shared = checks[0].build(everybody, progress=progress)
        return [(check, shared) for check in checks]
    pairs, cells = [], 0
    for check in checks:
        pairs.append((check, check.build([check.agent], progress=progress)))
        cells += len(pairs[-1][1].cells)
        if cells > MAX_CELLS:
            raise TooLargeError(
                f"the agents need tables of more than {cells} cells; the limit is {MAX_CELLS}. "
                "Take a smaller domain, or a sample"
            )
    return pairs
