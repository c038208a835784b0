"""From the cheapest proof to the dearest: by the reduction, for any allocation, by the full code.

The first two rungs are about VCG and EVCG rules in one round that renice or postpone, and about ``dominant`` and
``ex-post``. They prove more than was asked, so what they cannot prove may hold all the same: a lie that seems to pay is
played on the mechanism, and refutes it only if it pays there. In two rounds the stayers' allocation is another choice
for each set of them, and their S another one: these rules are left to the full code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import islice, permutations
from typing import Any, Final

from ...mechanisms.declaration.one_round import OneRound
from ...scheduling.allocations import n_allocations
from ...support.errors import InputError, TooLargeError, unknown_name
from ...support.progress import Clock, Progress
from ..incentives.domain import insert
from ..incentives.general import Runs
from ..incentives.results import Witness
from . import any_allocation, reduction
from .exploring import INTERRUPTED, MAX_CELLS, Ask, Explored, explore_all
from .statements import CONCEPTS, Lengths, Question
from .symbols import Vector
from .tree import Tree

RUNGS: Final = ("reduction", "any-allocation")
IN_TURN: Final = {"auto": RUNGS, "certified": RUNGS[1:]}
"""What is tried before the full code; a reduction has no certificate."""
METHODS: Final = ("auto", "certified", *RUNGS, "code")
"""What can be asked for: one of three, or several in turn."""
MAX_WALKS: Final = 1_500
"""Questions about any allocation that are asked when nobody asked for this method."""
MAX_FREE: Final = 60_000
"""Cells that each of the first two rungs may take then."""
MAX_TRIES: Final = 200
"""Most plays to turn a failing inequality into a lie that pays."""
MAX_AGENTS: Final = 4
"""For more agents the full code is not tried where the other methods left a rule open, unless it is asked for."""
CELLS_AT_MOST: Final = 16_000
"""Of one agent among so many, measured for rules that postpone, goal ``sum``."""
GROWTH: Final = 25
"""How many times more for each further agent."""


@dataclass(frozen=True)
class Climb:
    """What the rungs before the full code found.

    Attributes
    ----------
    method
        The last rung that was tried; empty if none was.
    found
        What became of its questions.
    trees
        The code that they are about.
    note
        How it was proved or refuted; else what the rungs left open, and why.
    witness
        A lie that pays.
    """

    method: str = ""
    found: Explored = field(default_factory=lambda: Explored((), [], why="nothing was asked"))
    trees: tuple[Tree, ...] = ()
    note: str = ""
    witness: Witness | None = None

    @property
    def done(self) -> bool:
        """Whether there is a verdict, or time is up."""
        return self.method != "" and (self.found.done or self.witness is not None or self.found.why in INTERRUPTED)


def climb(
    mechanism: object,
    n_agents: int,
    lengths: Lengths,
    statement: str,
    method: str = "auto",
    *,
    check: bool = True,
    clock: Clock | None = None,
    progress: Progress | None = None,
    max_cells: int = MAX_CELLS,
) -> Climb:
    """Try the rungs before the full code, or the one that is asked for.

    Raises UnknownNameError for an unknown method, InputError where the one asked for says nothing about the mechanism
    or the statement.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> climb(build("vcg-postpone", Cluster.of([1, 2])), 6, Lengths(), "dominant").note
    'by the reduction: for every allocation with the smallest sum'
    """
    if method not in METHODS:
        raise unknown_name("method", method, METHODS)
    asked = method in RUNGS
    climbed = Climb()
    for name in (method,) if asked else IN_TURN.get(method, ()):
        reason = _outside(name, mechanism, n_agents, statement)
        if reason and asked:
            raise InputError(f"method {method!r}: {reason}")
        if reason:
            continue
        most = max_cells if asked else min(max_cells, MAX_FREE)
        rung = _Rung(mechanism, n_agents, lengths, check, clock, progress, most)
        climbed = rung.reduced(climbed) if name == "reduction" else rung.walked(climbed, statement, asked)
        if climbed.done:
            break
    return climbed


def beyond(agents: int) -> str:
    """Why the full code is not tried for so many agents.

    >>> beyond(5)
    'the full code was not tried, which would look at about 400,000 cells for each of 5 agents'
    """
    cells = CELLS_AT_MOST * GROWTH ** (agents - MAX_AGENTS)
    return f"the full code was not tried, which would look at about {cells:,} cells for each of {agents} agents"


def _outside(method: str, mechanism: object, n_agents: int, statement: str) -> str:
    """Why a rung says nothing here; empty where it does."""
    if statement not in CONCEPTS:
        return f"found the statement {statement!r}; expected {' or '.join(CONCEPTS)}"
    if not (reduction.covers if method == "reduction" else reduction.billed)(mechanism):
        rule = getattr(mechanism, "rule", type(mechanism).__name__)
        penalty = " with a penalty other than 'static-end'" if method == "reduction" else ""
        return f"found {rule!r}; expected a VCG or EVCG rule in one round that renices or postpones{penalty}"
    assert isinstance(mechanism, OneRound)
    if statement == "dominant" and mechanism.tools.alive == "renice" and n_agents > 1:
        return "rules that renice are proved ex-post only"
    return ""


@dataclass(frozen=True)
class _Rung:
    """One mechanism, and what may be spent on a rung."""

    mechanism: Any
    n_agents: int
    lengths: Lengths
    check: bool
    clock: Clock | None
    progress: Progress | None
    max_cells: int

    def reduced(self, before: Climb) -> Climb:
        """The reduction; a failing inequality is played."""
        asked = reduction.Obligations(self.mechanism, self.n_agents, self.lengths).all()
        trees = tuple(Tree(one, self.check) for one in asked)
        found = self._explored(partial(reduction.questions, asked), trees)
        witness = None
        if found.done:
            note = "by the reduction: for every " + (self._smallest or "goal and allocation rule")
        elif found.failure is not None and (witness := self._played(*found.failure)):
            note = "by the reduction, and played on the mechanism"
        else:
            note = _noted(before, f"left open by the reduction{_why(found)}")
        return Climb("reduction", found, trees, note, witness)

    def walked(self, before: Climb, statement: str, asked: bool) -> Climb:
        """Each allocation in turn, unless there are more of them than somebody would ask for."""
        walks = 3 * self.n_agents * n_allocations(self.n_agents, self.mechanism.cluster.n_machines)
        if not asked and walks > MAX_WALKS:
            return replace(before, note=_noted(before, f"{walks:,} questions about any allocation were not asked"))
        trees = any_allocation.trees(self.mechanism, self.n_agents, self.check)
        ask = partial(any_allocation.asked, statement, self.mechanism, self.n_agents, self.lengths)
        found = self._explored(ask, trees)
        if found.done:
            return Climb("any-allocation", found, trees, f"for any {self._smallest or 'allocation'}")
        return Climb("any-allocation", found, trees, _noted(before, f"left open for any allocation{_why(found)}"))

    @property
    def _smallest(self) -> str:
        """For which allocations it is proved, if not for all."""
        return "allocation with the smallest sum" if reduction.by_sum(self.mechanism) else ""

    def _explored(self, ask: Ask, trees: Sequence[Tree]) -> Explored:
        return explore_all(ask, trees, self.clock, self.progress, max_cells=self.max_cells, processes=1)

    def _played(self, question: Question, z: Vector) -> Witness | None:
        """A lie that pays under the mechanism's own allocation, where an inequality about lies fails."""
        if question.side != "below":
            return None
        theta, lie, *others = (Fraction(x, z[0]) for x in z[1:])
        runs = Runs(self.mechanism)
        for agent in range(self.n_agents):
            for said in islice(permutations(others), MAX_TRIES // self.n_agents):
                if self.clock is not None and self.clock.expired():
                    return None
                profile = insert(said, agent)
                try:
                    found = runs.gain(agent, theta, lie, profile, profile)
                except TooLargeError:
                    return None
                if found.gain > 0:
                    return found
        return None


def _why(found: Explored) -> str:
    return f", stopped by {found.why}" if found.why else ""


def _noted(before: Climb, more: str) -> str:
    return f"{before.note}; {more}" if before.note else more
