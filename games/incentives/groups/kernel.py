"""Joint lies at full speed: every case of a domain from the cost tables of single agents, in integers.

A group's case compares the members' costs in two profiles of declarations at the same true lengths, and each cost is
a cell of a table over the lengths on one machine (:mod:`..kernel.tables`), found by the members' own plans. One *item*
is a coalition at some true lengths: all declarations of the others, and for each all joint lies. What cannot gain more
than the best so far is left at the first member who shows it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....support.jit import lean, piece
from ...coalitions.results import ALL_GAIN, NONE_LOSE
from ..kernel.machine import Runs, advance


class Choices(NamedTuple):
    """Who may say what; ``x`` is the place of a true length among an agent's."""

    members: Any
    """``members[s, :size[s]]``: the agents of coalition ``s``."""
    size: Any
    lengths: Any
    """``lengths[n]``: how many an agent has."""
    said: Any
    """``said[n, x, :options[n, x]]``: numbers of her possible declarations."""
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


class Found(NamedTuple):
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


@piece
def _cost(n: int, p: int, x: Any, runs: Runs, costs: Costs) -> Any:
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


@piece
def _gain(before: Any, after: Any, infinity: Any) -> Any:
    """What one member gains; nothing where her job never ends either way."""
    if before == after:
        return 0 * infinity
    if after == infinity:
        return -infinity
    return infinity if before == infinity else before - after


@piece
def _together(others: int, q: int, best: Any, notion: int, runs: Runs, costs: Costs, scratch: Scratch) -> Any:
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


@piece
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


@piece
def _profile(truthful: int, honest: int, choices: Choices, scratch: Scratch) -> int:
    """The profile in which places from ``truthful`` on, and those before ``honest``, tell the truth."""
    profile = 0
    for j in range(scratch.who.size):
        n = scratch.who[j]
        x = scratch.x[n]
        told = choices.truth[n, x] if j >= truthful or j < honest else choices.said[n, x, scratch.at[j]]
        profile += choices.stride[n] * told
    return profile


@lean
def joint_gains(
    first: int, last: int, choices: Choices, runs: Runs, costs: Costs, found: Found, scratch: Scratch
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
            known = costs.table[0, truth] >= 0
            for j in range(others, n_agents if known else 0):
                scratch.before[j] = _cost(scratch.who[j], truth, scratch.x, runs, costs)
            for _ in range(lies):
                q = _profile(n_agents, honest, choices, scratch)
                if known and q != truth and costs.table[0, q] >= 0:
                    found.cases[item] += 1
                    gain = _together(others, q, found.gains[item], choices.notion, runs, costs, scratch)
                    if gain > found.gains[item]:
                        found.gains[item], found.where[item] = gain, q
                advance(scratch.at, scratch.sizes)
