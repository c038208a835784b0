"""Joint lies of coalitions under a built-in rule: every case of a domain, from the cost tables of single agents.

A case compares the members' costs in two profiles of declarations at the same true lengths, and each cost is a cell of
a table over the lengths on one machine (:mod:`.tables`), found by the members' own plans; all agents' tables are in
memory at one time. One *item* is a coalition at some true lengths: all declarations of the others, and for each all
joint lies. What cannot gain more than the best so far is left at the first member who shows it. Work is in chunks, on
all cores; Ctrl-C, or the end of the time allowed, leaves a partial answer. The mechanism itself plays the witness.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ...mechanisms.declaration.one_round import OneRound
from ...support.errors import TooLargeError
from ...support.jit import fitting, jit, lean
from ...support.progress import Progress
from ..equilibria.coalitions.results import ALL_GAIN, CODES, NONE_LOSE
from .coalitions import GroupWitness
from .domain import Domain, Profile
from .machine import Arrays, RunArrays, advance, prepare
from .plans import Plans
from .running import Candidate, JointLies, Runs
from .tables import MAX_CELLS, Tables, in_chunks
from .truth_tables import CONTENT, AgentCheck


class Choices(NamedTuple):
    """Who may say what; ``x`` is the place of a true length among an agent's."""

    members: Any
    """``members[s, :size[s]]``: the agents of coalition ``s``."""
    size: Any
    lengths: Any
    """``lengths[n]``: how many an agent has."""
    numbers: Any
    """``numbers[n, x, :options[n, x]]``: numbers of her possible declarations."""
    options: Any
    truth: Any
    """``truth[n, x]``: number of the true declaration."""
    stride: Any
    """Adding this to a profile moves an agent to her next declaration."""
    honest: int
    """Whether the others tell the truth."""
    notion: int


class Costs(NamedTuple):
    """Everybody's tables; ``n`` is whose cost it is."""

    table: Any
    """``table[n, p]``: number of her table in a profile, negative where the profile has no plan."""
    count: Any
    """``count[n, k, d]``: how many lengths her tables know behind declaration ``d`` of agent ``k``."""
    at: Any
    """``at[n, k, d, x]``: which of them a length is."""
    offset: Any
    cells: Any
    paid: Any
    """``paid[p, n]``: what is added to the cell."""


class Gains(NamedTuple):
    """The answer, one entry per item."""

    gains: Any
    """Largest gain of a lie that pays, 0 for none."""
    where: Any
    """First profile with it."""
    cases: Any
    """Cases that were compared."""


class Scratch(NamedTuple):
    """Room for one caller; places ``0 .. others - 1`` are those outside the coalition, its members come behind them."""

    x: Any
    """Everybody's true length, by agent."""
    who: Any
    """The agent of a place."""
    at: Any
    """Which of her possible declarations the agent of a place makes; the last place changes fastest."""
    sizes: Any
    before: Any
    """By place: what the truth costs a member."""

    @classmethod
    def of(cls, n_agents: int, dtype: Any) -> Scratch:
        """Room for so many agents."""
        x, who, at, sizes = np.zeros((4, n_agents), np.int64)
        return cls(x, who, at, sizes, np.zeros(n_agents, dtype))


@jit
def _cost(n: int, p: int, x: Any, runs: RunArrays, costs: Costs) -> Any:
    """Cost of an agent in a profile at true lengths ``x``."""
    m = runs.place[p, n]
    cell = 0
    for i in range(x.size):
        k = runs.order[p, m, i]
        if k < 0:
            break
        d = runs.digit[p, k]
        cell = cell * costs.count[n, k, d] + costs.at[n, k, d, x[k]]
    value = costs.cells[costs.offset[costs.table[n, p]] + cell]
    return value if value == runs.infinity else value + costs.paid[p, n]


@jit
def _gain(before: Any, after: Any, infinity: Any) -> Any:
    """What one member gains; nothing where her job never ends either way."""
    if before == after:
        return 0 * infinity
    if after == infinity:
        return -infinity
    return infinity if before == infinity else before - after


@jit
def _together(others: int, q: int, best: Any, notion: int, runs: RunArrays, costs: Costs, scratch: Scratch) -> Any:
    """Gain of the joint lie in profile ``q`` if it pays more than ``best >= 0``, else 0."""
    infinity = runs.infinity
    total, endless = 0 * infinity, False
    for j in range(others, scratch.who.size):
        gain = _gain(scratch.before[j], _cost(scratch.who[j], q, scratch.x, runs, costs), infinity)
        if notion == ALL_GAIN:
            if gain <= best:
                return 0 * infinity
            total = gain if j == others else min(total, gain)
        else:
            if gain == -infinity or (notion == NONE_LOSE and gain < 0):
                return 0 * infinity
            endless |= gain == infinity
            total += 0 * infinity if gain == infinity else gain
    if endless:
        total = infinity
    return total if total > best else 0 * infinity


@jit
def _take_places(item: int, worlds: int, choices: Choices, scratch: Scratch) -> int:
    """Lengths and places of an item, everybody's first declaration; returns how many are outside the coalition."""
    n_agents = choices.lengths.size
    coalition, world = item // worlds, item % worlds
    others, inside = 0, 0
    for k in range(n_agents - 1, -1, -1):  # the last agent's length changes fastest
        scratch.x[k] = world % choices.lengths[k]
        world //= choices.lengths[k]
    size = choices.size[coalition]
    for n in range(n_agents):
        member = inside < size and choices.members[coalition, inside] == n
        place = n_agents - size + inside if member else others
        scratch.who[place], scratch.at[place] = n, 0
        scratch.sizes[place] = 1 if choices.honest and not member else choices.options[n, scratch.x[n]]
        inside += member
        others += not member
    return others


@jit
def _profile(truthful: int, honest: int, choices: Choices, scratch: Scratch) -> int:
    """The profile in which places from ``truthful`` on, and those before ``honest``, tell the truth."""
    profile = 0
    for j in range(scratch.who.size):
        n = scratch.who[j]
        x = scratch.x[n]
        option = choices.truth[n, x] if j >= truthful or j < honest else choices.numbers[n, x, scratch.at[j]]
        profile += choices.stride[n] * option
    return profile


@lean
def joint_gains(
    first: int, last: int, choices: Choices, runs: RunArrays, costs: Costs, answer: Gains, scratch: Scratch
) -> None:
    """Try all cases of items ``first .. last - 1``; item ``s * worlds + w`` is coalition ``s`` at lengths ``w``."""
    n_agents, worlds = choices.lengths.size, 1
    for n in range(n_agents):
        worlds *= choices.lengths[n]
    for item in range(first, last):
        others = _take_places(item, worlds, choices, scratch)
        honest = others if choices.honest else 0
        contexts, lies = 1, 1
        for j in range(n_agents):
            if j < others:
                contexts *= scratch.sizes[j]
            else:
                lies *= scratch.sizes[j]
        for _ in range(contexts):
            truth = _profile(others, honest, choices, scratch)
            planned = costs.table[0, truth] >= 0
            for j in range(others, n_agents if planned else 0):
                scratch.before[j] = _cost(scratch.who[j], truth, scratch.x, runs, costs)
            for _ in range(lies):
                q = _profile(n_agents, honest, choices, scratch)
                if planned and q != truth and costs.table[0, q] >= 0:
                    answer.cases[item] += 1
                    gain = _together(others, q, answer.gains[item], choices.notion, runs, costs, scratch)
                    if gain > answer.gains[item]:
                        answer.gains[item], answer.where[item] = gain, q
                advance(scratch.at, scratch.sizes)


CHUNK = 2_000_000
"""Cases between two reports, about: a fraction of a second."""


class JointTables:
    """Everybody's costs on one domain, for checks of both concepts. Profiles without a plan are left out of them."""

    def __init__(self, mechanism: OneRound, plans: Plans, progress: Progress | None = None) -> None:
        self.mechanism, self.domain = mechanism, plans.domain
        self.arrays = prepare(mechanism, plans)
        self.costs = _costs(self.arrays, _tables(mechanism, self.arrays, progress))

    def parts(self, judge: JointLies) -> Iterator[tuple[int, Candidate[GroupWitness] | None]]:
        """Every case whose plans are known, some items at a time."""
        worlds = prod(map(len, self.domain.lengths))
        choices = _choices(self.domain, judge)
        n_items = len(judge.members) * worlds
        answer = Gains(
            np.zeros(n_items, self.arrays.scale.dtype), np.zeros(n_items, np.int64), np.zeros(n_items, np.int64)
        )
        kernel = fitting(joint_gains, self.arrays.scale.compiled, judge.total * self.domain.n_agents)

        def work(first: int, last: int) -> None:
            scratch = Scratch.of(self.domain.n_agents, self.arrays.scale.dtype)
            kernel(first, last, choices, self.arrays.runs, self.costs, answer, scratch)

        chunk = max(1, n_items // 20_000, min(n_items // 32, CHUNK * n_items // max(judge.total, 1)))
        for first, last in in_chunks(work, n_items, kernel, chunk):
            item = first + int(np.argmax(answer.gains[first:last]))
            best, (coalition, world) = answer.gains[item], divmod(item, worlds)
            lie = (judge.members[coalition], self._lengths(world), self.arrays.plans.declared(int(answer.where[item])))
            replay = partial(Runs(self.mechanism).joint_lie, judge.coalitions, *lie)
            yield int(answer.cases[first:last].sum()), Candidate(self.arrays.time(best), replay) if best > 0 else None

    def _lengths(self, world: int) -> Profile:
        places = np.unravel_index(world, [len(own) for own in self.domain.lengths])
        return tuple(own[int(x)] for own, x in zip(self.domain.lengths, places, strict=True))


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


def _costs(arrays: Arrays, tables: list[tuple[AgentCheck, Tables]]) -> Costs:
    """The tables of all agents as the kernel reads them."""
    domain = arrays.plans.domain
    parts = list({id(part): part for _, part in tables}.values())
    first_cell = np.cumsum([0, *(len(part.cells) for part in parts)])
    first_table = np.cumsum([0, *(len(part.offset) - 1 for part in parts)])
    rows = []
    for check, part in tables:
        number = part.table[check.agent]
        here = next(i for i, other in enumerate(parts) if other is part)
        rows.append(np.where(number < 0, -1, number + first_table[here]))
    offset = np.concatenate([part.offset[:-1] + start for part, start in zip(parts, first_cell, strict=False)])
    most = max(map(len, domain.lengths))
    count = np.stack([part.lengths.count for _, part in tables])
    at = np.zeros((*count.shape, most), dtype=np.int64)
    for n, (_, part) in enumerate(tables):
        for k, own in enumerate(domain.lengths):
            for d in range(len(domain.universe[k])):
                start = part.lengths.start[k, d]
                lengths = part.lengths.theta[start : start + part.lengths.count[k, d]].tolist()
                for x, length in enumerate(own):
                    if (units := arrays.units(length)) in lengths:
                        at[n, k, d, x] = lengths.index(units)
    paid = np.stack([check.paid[:, check.agent] for check, _ in tables], axis=1)
    return Costs(np.stack(rows), count, at, offset, np.concatenate([part.cells for part in parts]), paid)


def _choices(domain: Domain, judge: JointLies) -> Choices:
    """Who may say what."""
    agents = range(domain.n_agents)
    members = np.full((len(judge.members), domain.n_agents), -1, dtype=np.int64)
    for s, one in enumerate(judge.members):
        members[s, : len(one)] = one
    most = max(map(len, domain.lengths)), max(map(len, domain.universe))
    numbers, options, truth = np.zeros((len(agents), *most), np.int64), *np.zeros((2, len(agents), most[0]), np.int64)
    for n in agents:
        number = {b: d for d, b in enumerate(domain.universe[n])}
        for x, length in enumerate(domain.lengths[n]):
            spoken = [number[b] for b in domain.options(n, length)]
            numbers[n, x, : len(spoken)], options[n, x], truth[n, x] = spoken, len(spoken), number[length]
    return Choices(
        members,
        np.array([len(one) for one in judge.members], dtype=np.int64),
        np.array([len(own) for own in domain.lengths], dtype=np.int64),
        numbers,
        options,
        truth,
        np.array(domain.strides, dtype=np.int64),
        int(judge.honest),
        CODES[judge.coalitions.notion],
    )
