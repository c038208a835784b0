"""The group check for the built-in rules in one round: the kernel's arrays, its answer, and the witness played again.

The plans and tables are those of the check of one liar; all agents' tables are in memory at one time, because a
coalition's members have a cell each. Work is in chunks, on all cores; Ctrl-C, or the end of the time allowed, leaves a
partial answer that says how many cases it covers.
"""

from __future__ import annotations

from contextlib import suppress
from math import prod
from typing import Any

import numpy as np

from ....mechanisms.declaration.one_round import OneRound
from ....support.errors import ConsortiumError, TooLargeError
from ....support.jit import fitting
from ....support.progress import Clock, Progress
from ...coalitions.results import CODES
from ..domain import Concept, Domain
from ..general import Runs
from ..kernel.arrays import Arrays, prepare
from ..kernel.check import CONTENT, AgentCheck
from ..kernel.plans import Plans
from ..kernel.tables import MAX_CELLS, Tables, in_chunks
from .general import joint_lie
from .kernel import Choices, Costs, Found, Scratch, joint_gains
from .results import Coalitions, GroupCheck, GroupWitness, cases

CHUNK = 2_000_000
"""Cases between two reports, about: a fraction of a second."""


class GroupTables:
    """Everybody's costs on one domain, for checks of both concepts. Profiles without a plan are left out of them."""

    def __init__(
        self, mechanism: OneRound, plans: Plans, progress: Progress | None = None, compiled: bool | None = None
    ) -> None:
        self.mechanism, self.domain = mechanism, plans.domain
        self.arrays = prepare(mechanism, plans, compiled=compiled)
        self.costs = _costs(self.arrays, _tables(mechanism, self.arrays, progress))

    def check(
        self, concept: Concept, coalitions: Coalitions, *, progress: Progress | None = None, clock: Clock | None = None
    ) -> GroupCheck:
        """Try every case whose plans are known; on Ctrl-C or when time is up, what was tried so far."""
        members = coalitions.members(self.domain.n_agents)
        worlds = prod(map(len, self.domain.lengths))
        choices, runs = _choices(self.domain, concept, coalitions), self.arrays.runs
        n_items, total, tried = len(members) * worlds, cases(self.domain, concept, coalitions), 0
        found = Found(
            np.zeros(n_items, self.arrays.scale.dtype), np.zeros(n_items, np.int64), np.zeros(n_items, np.int64)
        )

        def work(first: int, last: int) -> None:
            scratch = Scratch.of(self.domain.n_agents, self.arrays.scale.dtype)
            steps = (last - first) * (total // max(n_items, 1) + 1) * self.domain.n_agents
            kernel = fitting(joint_gains, self.arrays.scale.compiled, steps)
            kernel(first, last, choices, runs, self.costs, found, scratch)

        def done(first: int, last: int) -> bool:
            nonlocal tried
            tried += int(found.cases[first:last].sum())
            if progress is not None:
                progress(tried, total, "coalitions")
            return clock is None or not clock.expired()

        chunk = max(1, n_items // 20_000, min(n_items // 32, CHUNK * n_items // max(total, 1)))
        with suppress(KeyboardInterrupt):
            in_chunks(work, n_items, chunk, self.arrays.scale.compiled, done)
        witness = None
        if n_items and (found.gains > 0).any():
            item = int(np.argmax(found.gains))
            coalition, world = divmod(item, worlds)
            witness = self._witness(coalitions, members[coalition], world, int(found.where[item]), found.gains[item])
        return GroupCheck.found(concept, tried, total, witness, "kernel")

    def _witness(
        self, coalitions: Coalitions, members: tuple[int, ...], world: int, row: int, gain: Any
    ) -> GroupWitness:
        """A joint lie played again by the mechanism itself."""
        places = np.unravel_index(world, [len(own) for own in self.domain.lengths])
        lengths = tuple(own[int(x)] for own, x in zip(self.domain.lengths, places, strict=True))
        declared = self.arrays.plans.declared(row)
        found = joint_lie(Runs(self.mechanism), coalitions, members, declared, lengths)
        if found is None or found.gain != self.arrays.time(gain):
            raise ConsortiumError(
                f"rule {self.mechanism.rule!r}: the check found a gain of {self.arrays.time(gain)} for agents "
                f"{', '.join(str(n + 1) for n in members)} at declarations {declared} and lengths "
                f"{lengths}, the mechanism itself one of {None if found is None else found.gain}; please report"
            )
        return found


def _tables(mechanism: OneRound, arrays: Arrays, progress: Progress | None) -> list[tuple[AgentCheck, Tables]]:
    """Each agent's tables; shared where no payment makes them read the others' lengths in a way of their own.

    Raises TooLargeError when together they do not fit into memory.
    """
    everybody = range(arrays.plans.domain.n_agents)
    checks = [AgentCheck(mechanism, arrays, "dominant", n) for n in everybody]
    if mechanism.payment not in CONTENT:
        shared = checks[0].build(everybody, progress=progress)
        return [(check, shared) for check in checks]
    found, cells = [], 0
    for check in checks:
        found.append((check, check.build([check.agent], progress=progress)))
        cells += len(found[-1][1].cells)
        if cells > MAX_CELLS:
            raise TooLargeError(
                f"the agents need tables of more than {cells} cells; the limit is {MAX_CELLS}. "
                "Take a smaller domain, or a sample"
            )
    return found


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
                known = part.lengths.theta[start : start + part.lengths.count[k, d]].tolist()
                for x, length in enumerate(own):
                    if (units := arrays.units(length)) in known:
                        at[n, k, d, x] = known.index(units)
    paid = np.stack([check.paid[:, check.agent] for check, _ in tables], axis=1)
    return Costs(np.stack(rows), count, at, offset, np.concatenate([part.cells for part in parts]), paid)


def _choices(domain: Domain, concept: Concept, coalitions: Coalitions) -> Choices:
    """Who may say what."""
    agents = range(domain.n_agents)
    listed = coalitions.members(domain.n_agents)
    members = np.full((len(listed), domain.n_agents), -1, dtype=np.int64)
    for s, one in enumerate(listed):
        members[s, : len(one)] = one
    most = max(map(len, domain.lengths)), max(map(len, domain.universe))
    said, options, truth = np.zeros((len(agents), *most), np.int64), *np.zeros((2, len(agents), most[0]), np.int64)
    for n in agents:
        number = {b: d for d, b in enumerate(domain.universe[n])}
        for x, length in enumerate(domain.lengths[n]):
            spoken = [number[b] for b in domain.options(n, length)]
            said[n, x, : len(spoken)], options[n, x], truth[n, x] = spoken, len(spoken), number[length]
    stride = np.array([prod(len(own) for own in domain.universe[n + 1 :]) for n in agents], dtype=np.int64)
    return Choices(
        members,
        np.array([len(one) for one in listed], dtype=np.int64),
        np.array([len(own) for own in domain.lengths], dtype=np.int64),
        said,
        options,
        truth,
        stride,
        int(concept == "ex-post"),
        CODES[coalitions.notion],
    )
