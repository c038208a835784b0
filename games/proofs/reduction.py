r"""The reduction: VCG and EVCG rules for every goal and allocation rule at once, by inequalities on S.

Let ``S(b)`` be the smallest sum of output times and ``delay`` the output time minus the planned one. Under these
payments the utility is ``V - S(b) - delay``, so no lie pays where ``delay <= 0`` for the truth and

    ``S(theta_n, b_-n) - S(b) <= delay``  for a lie ``b_n``

(Agmon 2003, lemmas 5.2, 6.4, 6.5 and 6.7, as repaired). This is asked of symbols, in obligations that are proved
cell by cell:

*Steps of a run.* The package's own machine takes one job, from any state that it can be in, and one remainder, on a
machine that is free at any time. Postpone, whatever the others do: the truth has no delay, too much declared no
negative one, too little at least ``wait + (theta - b)/c``. Renice, with the others truthful, for each share that can
occur: the same with ``(theta - b)/(s c)``. The state after a step is again one of those before it, so this holds for
lists of any length.

*Lies above the truth.* ``S(theta, x) <= S(b, x)``: S grows.

*Lies below the truth.* The inequality with the smallest delay that any allocation can give, from the package's own
penalties: on each machine, at each rank.

What is without loss of generality. S is a function of the multiset of lengths, and penalties look at the others through
it only, at herself through her machine, ``f`` and her slope of A_Sigma. So the others are named by size, ``x1`` the
largest. In A_Sigma the jobs have the multipliers in the order of their sizes, and only equal jobs can change places:
each rank is therefore asked of all sizes for which it is possible, equality included, whatever breaks ties. Where the
goal is the sum the allocation is one with the smallest sum, and she is only where her multiplier is ``f/c``. A penalty
common to all is no kinder than her own; of one that the longest list sets, lists are as even as they can be.

A failing obligation is not yet a lie that pays: no allocation rule need lead there.

>>> from consortium.games.proofs.exploration import Effort, explore_all
>>> from consortium.games.proofs.execution import Tree
>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> from consortium.scheduling.goals import Makespan
>>> rule = build("evcg-renice", Cluster.of([1, 3]), Makespan())
>>> asked = Obligations(rule, 3, Lengths()).all()
>>> found = explore_all(lambda: questions(asked), [Tree(one) for one in asked], Effort(max_cells=1_000))
>>> found.done, sorted({one.side for one in asked})
(True, ['above', 'below', 'run'])
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

from ...mechanisms.declaration.execution import Job, JobRun, Machine, Remainder, run_remainder
from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.penalties import Cutoff, Situation
from ...mechanisms.declaration.prices import Formula
from ...scheduling.clusters import integer_times
from ...scheduling.sums import optimal_sum, smallest_multipliers
from ...support.exact import INF, Extended, scale
from .execution import Node
from .questions import Lengths, Question, Run
from .statements import ALWAYS
from .symbols import Vector

Excess: TypeAlias = Callable[[Sequence[Any]], tuple[Any, ...]]
Condition: TypeAlias = tuple[dict[str, int | Fraction], bool]
"""A row by the names of its symbols, ``""`` for the constant, and whether it is strict."""


def billed(mechanism: object) -> bool:
    """Whether utility is ``V - S(b) - delay``: one round, payments in advance, renice or postpone.

    VCG payments are EVCG payments where the allocation attains S, which is where they are defined.
    """
    return (
        type(mechanism) is OneRound
        and (mechanism.payment == "evcg" or (mechanism.payment == "vcg" and by_sum(mechanism)))
        and mechanism.tools.alive in ("renice", "postpone")
    )


def covers(mechanism: object) -> bool:
    """Whether the reduction is about this mechanism: waits by a static end or a formula depend on more than places."""
    if not billed(mechanism) or not isinstance(mechanism, OneRound):
        return False
    return mechanism.penalty not in (None, "static-end") and not isinstance(mechanism.penalty, Formula)


def by_sum(mechanism: OneRound) -> bool:
    """Whether its allocation attains S."""
    return mechanism.goal.by_sum and mechanism.allocate is None


@dataclass(frozen=True)
class Obligation:
    """Forms that must not be positive wherever some inequalities hold: a program, and the question about it."""

    side: str  # ``"run"``, ``"above"`` or ``"below"``
    names: tuple[str, ...]  # the symbols; they are the question's coordinates too
    conditions: tuple[Condition, ...]  # what holds of them beyond being positive
    excess: Excess = field(compare=False)
    lengths: Lengths = field(default_factory=Lengths)  # where the symbols are, if they are those of agents

    def run(self, x: Sequence[Any]) -> tuple[Any, ...]:
        """The forms."""
        return self.excess(x)

    def question(self, code: int) -> Question:
        """The question, about the tree of that number."""
        size = 1 + len(self.names)
        rows = list(self.lengths.rows(size))
        for entries, strict in self.conditions:
            rows.append((scale([entries.get(name, 0) for name in ("", *self.names)])[0], strict))
        run = Run(tuple(range(size)), code=code)
        return Question(None, self.side, self.names, tuple(rows), (run,), _none_positive)


def questions(obligations: Sequence[Obligation]) -> tuple[Question, ...]:
    """One each, about trees in the same order."""
    return tuple(one.question(code) for code, one in enumerate(obligations))


def _none_positive(leaves: Sequence[Node]) -> Sequence[Vector]:
    results = leaves[0].results
    if results is None or "inf" in results:
        return (ALWAYS,)
    return [one[0] for one in results if isinstance(one, tuple)]


@dataclass(frozen=True)
class Obligations:
    """What is to be proved of a mechanism with so many agents."""

    mechanism: OneRound
    n_agents: int
    lengths: Lengths

    def all(self) -> list[Obligation]:
        """Steps of a run, lies above the truth, lies below it."""
        steps = self._renicing() if self.mechanism.tools.alive == "renice" else self._postponing()
        return [*steps, self._above(), *self._below()]

    # places ---------------------------------------------------------------------------------------------------------

    @cached_property
    def slopes(self) -> tuple[Fraction, ...]:
        """``f/c`` of A_Sigma by rank, the largest job's first."""
        per_work, unit = integer_times(self.mechanism.cluster)
        return tuple(Fraction(v, unit) for v in smallest_multipliers(per_work, self.n_agents))

    def _places(self) -> Iterator[tuple[int, int, int]]:
        """Rank in A_Sigma, machine and jobs from hers to its end: the last as few as they can be."""
        cluster, n = self.mechanism.cluster, self.n_agents
        machines = [cluster.powers.index(power) for power in dict.fromkeys(cluster.powers)]
        for rank, slope in enumerate(self.slopes):
            for machine in machines:
                behind = slope * cluster.powers[machine]
                if not by_sum(self.mechanism):
                    yield rank, machine, -(-n // cluster.n_machines) if self._rules[0] == "printed-common" else 1
                elif behind.denominator == 1:
                    yield rank, machine, int(behind)

    @cached_property
    def _rules(self) -> tuple[str | Fraction, ...]:
        """Penalties none of which is harsher than what she can meet: one, or each number of a list."""
        rule = self.mechanism.penalty
        assert rule is not None and not isinstance(rule, Formula)  # noqa: PT018
        if isinstance(rule, tuple):
            return tuple(dict.fromkeys(rule))
        if isinstance(rule, str) and rule.endswith("-common"):
            longest = rule == "printed-common" and self.mechanism.tools.alive == "renice"
            return (rule if longest and not by_sum(self.mechanism) else rule.removesuffix("-common"),)
        return (rule,)

    def _situation(self, declared: tuple[Any, ...], machine: int, behind: int) -> Situation:
        n = self.n_agents
        return Situation(self.mechanism.cluster, declared, (machine,) * n, (behind,) * n, self.slopes)

    # steps of a run -------------------------------------------------------------------------------------------------

    def _renicing(self) -> Iterator[Obligation]:
        """A machine where everybody so far was truthful takes a job."""
        ones = (Fraction(1),) * self.n_agents  # shares do not depend on sizes but through ranks
        shares = {
            self._situation(ones, machine, f).shares(rule)[rank]
            for rule in self._rules
            for rank, machine, behind in self._places()
            for f in ((behind,) if by_sum(self.mechanism) else range(behind, self.n_agents + 1))
        }
        for power in dict.fromkeys(self.mechanism.cluster.powers):
            for share in sorted(shares):  # one that is common to all may come from another machine
                for first in (True, False):
                    names = ("said", "length") if first else ("said", "length", "before")
                    yield Obligation("run", names, (), self._renice(power, share, first))

    def _renice(self, power: Fraction, share: Fraction, first: bool) -> Excess:
        tools = self.mechanism.tools

        def excess(x: Sequence[Any]) -> tuple[Any, ...]:
            declared, length = x[:2]
            before = Fraction(0) if first else x[2]
            planned = (before + declared) / power
            machine, run = Machine(power, tools, before / power, before), JobRun(0, planned)
            machine.begin(Job(0, declared, length, planned), run, {0: share}, before + declared)
            if length < declared:
                return (planned - run.output,)
            if length > declared:
                return (planned + (length - declared) / (share * power) - run.output,)
            ahead, count = machine.clock - planned, machine.declared - before - declared
            return (run.output - planned, ahead, -ahead, count, -count, machine.late)

        return excess

    def _postponing(self) -> Iterator[Obligation]:
        """A machine that is not behind its plan takes a job; a machine free at any time takes a remainder."""
        for power in dict.fromkeys(self.mechanism.cluster.powers):
            in_time: Condition = ({"before": 1, "clock": -power}, False)
            for first in (True, False):
                for last in (True, False):
                    state = () if first else ("before", "clock")
                    names = ("said", "length", "release", *state, *(() if last else ("behind",)))
                    conditions = () if first else (in_time,)
                    yield Obligation("run", names, conditions, self._segment(power, names))
            late: Condition = ({"length": 1, "said": -1}, True)
            queued = ("said", "length", "release", "plan", "free", "planned")
            if self.mechanism.cutoff is None:
                yield Obligation("run", queued, (late,), self._remainder(power))
            else:
                room: Condition = ({"limit": 1, "said": -1}, False)
                yield Obligation("run", (*queued, "limit"), (late, room), self._remainder(power))

    def _segment(self, power: Fraction, names: tuple[str, ...]) -> Excess:
        tools = self.mechanism.tools

        def excess(x: Sequence[Any]) -> tuple[Any, ...]:
            at = dict(zip(names, x, strict=True))
            declared, length, release = x[:3]
            before, clock, behind = (at.get(name, Fraction(0)) for name in ("before", "clock", "behind"))
            planned = (before + declared) / power
            machine, run = Machine(power, tools, clock, before), JobRun(0, planned)
            machine.begin(Job(0, declared, length, planned), run, {0: release}, before + declared + behind)
            count = machine.declared - before - declared
            state = (machine.clock - planned, clock - machine.clock, count, -count, machine.late)
            if length > declared:
                kept = machine.queue[0].release - release
                return (*state, kept, -kept, planned - run.output)
            return (*state, run.output - planned if length == declared else planned - run.output)

        return excess

    def _remainder(self, power: Fraction) -> Excess:
        def excess(x: Sequence[Any]) -> tuple[Any, ...]:
            declared, length, release, plan, free, planned, *limits = x
            run = JobRun(0, planned)
            limit: Extended = limits[0] if limits else INF
            run_remainder(power, Remainder(Job(0, declared, length, planned), run, release, plan), free, limit)
            if run.output == INF:
                return ()  # nothing is worse
            return (release + (length - declared) / power - run.output,)

        return excess

    # lies -----------------------------------------------------------------------------------------------------------

    @property
    def _names(self) -> tuple[str, ...]:
        return ("theta", "lie", *(f"x{k}" for k in range(1, self.n_agents)))

    def _above(self) -> Obligation:
        cluster = self.mechanism.cluster

        def excess(x: Sequence[Any]) -> tuple[Any, ...]:
            theta, lie, *others = x
            return (optimal_sum(cluster, (theta, *others)) - optimal_sum(cluster, (lie, *others)),)

        above: Condition = ({"lie": 1, "theta": -1}, True)
        return Obligation("above", self._names, (above, *_falling(self._names[2:])), excess, self.lengths)

    def _below(self) -> Iterator[Obligation]:
        for rule in self._rules:
            for rank, machine, behind in self._places():
                order = (*self._names[2 : 2 + rank], "lie", *self._names[2 + rank :])
                apart: Condition = ({"theta": 1, "lie": -1}, True)
                conditions = (apart, *_falling(order), *self._completed())
                excess = self._lie(rule, rank, machine, behind)
                yield Obligation("below", self._names, conditions, excess, self.lengths)

    def _completed(self) -> Iterator[Condition]:
        """What the cut-off says of a lie below the truth whose job is not killed."""
        cutoff: Cutoff | None = self.mechanism.cutoff
        if cutoff is None:
            return
        bound = Fraction(cutoff.bound)
        if cutoff.kind == "difference":
            yield {"": bound, "lie": 1, "theta": -1}, False
        else:
            for name in self._names:
                yield {"": bound, name: -1}, False

    def _lie(self, rule: str | Fraction, rank: int, machine: int, behind: int) -> Excess:
        cluster, cutoff = self.mechanism.cluster, self.mechanism.cutoff
        seconds = 1 / cluster.powers[machine]
        renices = self.mechanism.tools.alive == "renice"

        def excess(x: Sequence[Any]) -> tuple[Any, ...]:
            theta, lie, *others = x
            declared = (*others[:rank], lie, *others[rank:])
            situation = self._situation(declared, machine, behind)
            late = (theta - lie) * seconds
            if renices:
                delay = late / situation.shares(rule)[rank]
            else:
                wait = situation.durations(rule, cutoff)[rank]
                assert wait is not None
                delay = late + wait
            return (optimal_sum(cluster, (theta, *others)) - optimal_sum(cluster, declared) - delay,)

        return excess


def _falling(names: Sequence[str]) -> tuple[Condition, ...]:
    """The symbols from the largest to the smallest."""
    return tuple(({a: 1, b: -1}, False) for a, b in pairwise(names))
