"""Truth against every lie of a built-in rule, from cost tables, without running through lengths that cannot matter.

Every plan is made once; every agent's cost is a table over the true lengths on her machine (:mod:`.tables`), shared
between profiles. In one situation the truth and a lie share all true lengths but not the plan: the agent may sit on
another machine. Her cost after the truth depends on the lengths of those who share her machine then, her cost after the
lie on those who share her machine now. The largest gain over all lengths of the others is therefore found from the two
tables alone: for each combination of lengths of the agents in *both* companies, take the largest cost of the truth over
the rest of the first company and the smallest cost of the lie over the rest of the second. Lengths of everybody else
multiply the number of cases and change nothing. (A gain grows with the cost of the truth and falls with the cost of the
lie, the conventions for infinite costs included, so the extremes of the two may be taken separately.)

The answer is that of trying every comparison: same verdict, number of cases, largest gain and witness. Work grows with
the ``N |B|^N |L|`` pairs of plans times the lengths on one machine, not with the ``N |B|^N |L|^N`` comparisons, which
are counted in closed form. All cores are used. Ctrl-C, or the end of the time allowed, leaves a partial answer.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ...mechanisms.declaration.one_round import OneRound
from ...support.exact import Extended
from ...support.jit import fitting, jit
from ...support.progress import Progress
from .domain import Concept, Profile, insert
from .machine import OWN_TIME, TIMES_OF_ALL, TIMES_OF_OTHERS, Arrays, Lengths, RunArrays, company_size, prepare
from .plans import Ints, Plans, needed, row_ids
from .results import Witness, gain_of
from .running import Candidate, Runs
from .tables import Tables, build_tables, company, in_chunks, possible_lengths


class Costs(NamedTuple):
    """An agent's tables."""

    table: Any
    """``table[p]``: number of the profile's table."""
    count: Any
    """``count[n, d]``: how many lengths are behind declaration ``d`` of agent ``n``."""
    offset: Any
    cells: Any
    """Table ``t`` is ``cells[offset[t] : offset[t + 1]]``, the length of the last job of the machine fastest."""
    paid: Any
    """``paid[p, n]``: what is added to the table's cost."""


class Choices(NamedTuple):
    """What an agent may say."""

    focus: int
    """The agent."""
    bases: Any
    """One profile per group, in which her declaration is number 0."""
    stride: int
    """Adding this to a profile moves to her next declaration."""
    truths: Any
    """``truths[x]``: number of the declaration that is the truth for her length ``x``."""
    lies: Any
    """``lies[x, d]``: place of the length among those behind a declaration, -1 where she cannot declare that."""


@jit
def _shared(focus: int, p: int, q: int, place: Any, digit: Any, count: Any, strides: Any) -> int:
    """Number of combinations of lengths of those on the agent's machine in both plans; their strides in scratch."""
    size = 1
    for n in range(place.shape[1]):
        strides[n] = 0
        if n != focus and place[p, n] == place[p, focus] and place[q, n] == place[q, focus]:
            strides[n] = size
            size *= count[n, digit[p, n]]
    return size


@jit
def _extremes(
    sign: int, focus: int, fixed: int, p: int, runs: RunArrays, costs: Costs, strides: Any, extremes: Any
) -> None:
    """Largest (sign 1) or smallest (sign -1, negated) cost per combination of shared lengths, own length fixed."""
    place, order, digit, count, cells = runs.place, runs.order, runs.digit, costs.count, costs.cells
    jobs = order[p, place[p, focus]]
    n_jobs = company_size(jobs)
    odometer = np.zeros(n_jobs, np.int64)
    inner = 1  # cells between two of her lengths: all combinations of those behind her
    i = n_jobs - 1
    while jobs[i] != focus:
        inner *= count[jobs[i], digit[p, jobs[i]]]
        i -= 1
    skip = inner * (count[focus, digit[p, focus]] - 1)
    cell = costs.offset[costs.table[p]] + inner * fixed
    done = 0
    where = 0
    running = True
    while running:
        extremes[where] = max(extremes[where], sign * cells[cell])
        cell += 1
        done += 1
        if done == inner:
            done = 0
            cell += skip
        running = False
        i = n_jobs - 1
        while i >= 0 and not running:
            n = jobs[i]
            if n != focus:
                odometer[i] += 1
                where += strides[n]
                running = odometer[i] < count[n, digit[p, n]]
                if not running:
                    where -= strides[n] * odometer[i]
                    odometer[i] = 0
            i -= 1


@jit
def _largest(size: int, worst: Any, best: Any, change: Any, infinity: Any) -> Any:
    """Largest gain; ``worst`` costs of the truth, ``best`` negated costs of the lie, for each shared combination."""
    top = -infinity
    for k in range(size):
        if worst[k] == infinity:
            gain = infinity if -best[k] < infinity else 0 * infinity
        elif -best[k] == infinity:
            gain = -infinity
        else:
            gain = worst[k] + best[k] + change
        top = max(top, gain)
    return top


@jit
def best_gains(first: int, last: int, choices: Choices, runs: RunArrays, costs: Costs, gains: Any) -> None:
    """Largest gains of the agent in groups ``first .. last - 1``; ``-infinity`` where every lie loses the job.

    ``gains``: the answer, ``-infinity`` at first; by group, and by her length and her lie or with one place for all.
    """
    focus, bases, stride, truths, lies = choices
    place, digit, infinity, count, paid = runs.place, runs.digit, runs.infinity, costs.count, costs.paid
    largest = 0
    for table in range(costs.offset.size - 1):
        largest = max(largest, costs.offset[table + 1] - costs.offset[table])
    worst, best = np.zeros(largest, costs.cells.dtype), np.zeros(largest, costs.cells.dtype)
    strides = np.zeros(place.shape[1], np.int64)
    for group in range(first, last):
        for own in range(truths.size):
            p = bases[group] + stride * truths[own]
            row = min(own, gains.shape[1] - 1)
            for lie in range(lies.shape[1]):
                if lies[own, lie] < 0 or lie == truths[own]:
                    continue
                q = bases[group] + stride * lie
                size = _shared(focus, p, q, place, digit, count, strides)
                worst[:size] = -infinity
                best[:size] = -infinity
                _extremes(1, focus, lies[own, truths[own]], p, runs, costs, strides, worst)
                _extremes(-1, focus, lies[own, lie], q, runs, costs, strides, best)
                gain = _largest(size, worst, best, paid[p, focus] - paid[q, focus], infinity)
                column = min(lie, gains.shape[2] - 1)
                gains[group, row, column] = max(gains[group, row, column], gain)


CONTENT = {"verified": TIMES_OF_ALL, "verified-printed": TIMES_OF_OTHERS}
"""What the agent bears under a payment settled after the run; under the others it is her own output time."""


def covers(mechanism: object) -> TypeGuard[OneRound]:
    """Whether the kernel knows the run of this mechanism: the built-in rules in one round, and nothing derived."""
    return type(mechanism) is OneRound


def truth_parts(
    mechanism: OneRound, plans: Plans, concept: Concept, progress: Progress | None = None
) -> Iterator[tuple[int, Candidate[Witness] | None]]:
    """Comparisons of agent after agent with the best of each part; profiles without a plan are left out."""
    arrays = prepare(mechanism, plans)
    checks = [AgentCheck(mechanism, arrays, concept, n) for n in range(arrays.plans.domain.n_agents)]
    shared = concept == "dominant" and arrays.plans.domain.alike and mechanism.payment not in CONTENT
    tables = checks[0].build(range(len(checks)), progress=progress) if shared else None
    for check in checks:
        yield from check.parts(check.build([check.agent], progress=progress) if tables is None else tables)


class AgentCosts:
    """What one agent bears under every plan, as tables over the lengths on her machine.

    Attributes
    ----------
    concept
        What the others may declare and be.
    content
        What a table holds, see :data:`.machine.OWN_TIME`; where it is not her own time, the payment counts the others
        as truthful.
    paid
        What is added to a table's cost, by profile and agent.
    """

    def __init__(self, mechanism: OneRound, arrays: Arrays, concept: Concept, agent: int) -> None:
        self.mechanism, self.arrays, self.concept, self.agent = mechanism, arrays, concept, agent
        self.domain = arrays.plans.domain
        self.content = CONTENT.get(mechanism.payment, OWN_TIME)
        self.paid = arrays.paid if self.content == OWN_TIME else elsewhere(arrays, agent)

    def bears(self, n: int) -> bool:
        """Whether the output time of an agent on her machine is part of what she bears."""
        return self.content == TIMES_OF_ALL or (n == self.agent) == (self.content == OWN_TIME)

    def own_lengths(self, b: Fraction) -> tuple[int, ...]:
        """Her lengths behind a declaration, in units."""
        return tuple(map(self.arrays.units, self.domain.partners(self.agent, b)))

    def lengths(self) -> Lengths:
        """The lengths behind everybody's declarations."""

        def behind(n: int, b: Fraction) -> tuple[int, ...]:
            if n == self.agent:
                return self.own_lengths(b)
            meant = self.domain.meant(n, b, self.concept) if self.content == OWN_TIME else (b,)
            return tuple(map(self.arrays.units, meant))

        return possible_lengths(self.arrays, behind)

    def tabulate(
        self, which: NDArray[np.bool_], agents: Sequence[int] | None = None, progress: Progress | None = None
    ) -> Tables:
        """Her tables in these profiles; of other agents too, whose lengths are read as those of the others."""
        return build_tables(self.arrays, agents or [self.agent], self.lengths(), which, self.content, progress)


class AgentCheck(AgentCosts):
    """All comparisons of one agent's truth with her lies."""

    def __init__(self, mechanism: OneRound, arrays: Arrays, concept: Concept, agent: int) -> None:
        super().__init__(mechanism, arrays, concept, agent)
        self.stride = self.domain.strides[agent]
        self.options = len(self.domain.universe[agent])

    def build(self, agents: Sequence[int], group: int | None = None, progress: Progress | None = None) -> Tables:
        """Tables of these agents, read as this one reads them; only the profiles of one group if given."""
        which = needed(self.domain, self.concept, self.arrays.plans.digit)
        if group is not None:
            which = np.zeros_like(which)
            which[group + self.stride * np.arange(self.options)] = True
        return self.tabulate(which, agents, progress)

    def parts(self, tables: Tables) -> Iterator[tuple[int, Candidate[Witness] | None]]:
        """The comparisons, some groups at a time."""
        every = self._bases()
        bases, number = self._different(tables, every)
        cases = np.zeros(len(bases), dtype=object)
        np.add.at(cases, number, self._cases(every))
        gains = self._blank(len(bases), 1, 1)
        for first, last in self._fill(tables, bases, gains):
            where = first + int(np.argmax(gains[first:last]))
            gain, count = self.arrays.time(gains[where, 0, 0]), int(cases[first:last].sum())
            yield count, Candidate(gain, partial(self.witness, int(bases[where]), gain)) if count else None

    def each(self, tables: Tables) -> tuple[Ints, Any]:
        """All groups, and the largest gain by group, length and declaration; ``-infinity`` where nothing is gained."""
        every = self._bases()
        bases, number = self._different(tables, every)
        gains = self._blank(len(bases), len(self.domain.lengths[self.agent]), self.options)
        for _ in self._fill(tables, bases, gains):
            pass
        return every, gains[number]

    def _blank(self, *shape: int) -> Any:
        return np.full(shape, -self.arrays.scale.infinity, dtype=self.arrays.scale.dtype)

    def _fill(self, tables: Tables, bases: Ints, gains: Any) -> Iterator[tuple[int, int]]:
        """Write the gains of these groups, some at a time."""
        choices = self._choices(bases)
        costs = Costs(tables.table[self.agent], tables.lengths.count, tables.offset, tables.cells, self.paid)
        lengths = int(np.diff(tables.offset).max(initial=1))
        steps = len(bases) * choices.lies.size * lengths * self.domain.n_agents
        kernel = fitting(best_gains, self.arrays.scale.compiled, steps)

        def work(first: int, last: int) -> None:
            kernel(first, last, choices, self.arrays.runs, costs, gains)

        yield from in_chunks(work, len(bases), kernel)

    def _different(self, tables: Tables, bases: Ints) -> tuple[Ints, Ints]:
        """First profile of each kind of group, in order, and the kind of every group.

        Two groups are of one kind when the agent has the same tables, the same differences of payments, and meets the
        same companions, whoever they are, at the same places of the lists: every comparison then has the same gain.
        """
        columns: list[Any] = []
        names = np.full((len(bases), self.domain.n_agents), -1, dtype=np.int64)
        named = np.zeros(len(bases), dtype=np.int64)
        rows = np.arange(len(bases))
        for d in range(self.options):
            here = bases + self.stride * d
            columns.append(tables.table[self.agent][here])
            columns.append(self.paid[here, self.agent] - self.paid[bases, self.agent])
            for jobs in company(self.arrays, self.agent, here).T:
                new = (jobs >= 0) & (names[rows, jobs] < 0)
                names[rows[new], jobs[new]] = named[new]
                named += new
                columns.append(np.where(jobs < 0, -1, names[rows, jobs]))
        first, number = row_ids(columns)
        return bases[first], number

    def witness(self, group: int, gain: Extended) -> Witness:
        """First situation of a group with this gain, played again by the mechanism itself."""
        own, lie, world = self.situation(group, gain)
        declared = self.arrays.plans.declared(group + self.stride * self._digit(lie))
        return Runs(self.mechanism).gain(self.agent, own, lie, declared, world)

    def situation(
        self, group: int, gain: Extended, case: tuple[Fraction, Fraction] | None = None
    ) -> tuple[Fraction, Fraction, Profile]:
        """Length, lie and all true lengths of the first situation of a group with this gain.

        ``case``: which length and lie; without, any.
        """
        tables = self.build([self.agent], group)
        for others, own, lie in self._situations(group):
            p, q = group + self.stride * self._digit(own), group + self.stride * self._digit(lie)
            world = insert(others, self.agent, own)
            fits = case is None or case == (own, lie)
            if fits and gain_of(-self._cost(tables, q, world), -self._cost(tables, p, world)) == gain:
                break
        return own, lie, world

    def _bases(self) -> Ints:
        """Groups: profiles with own declaration number 0, the others' possible, all their plans known."""
        plans, domain = self.arrays.plans, self.domain
        fits = plans.digit[:, self.agent] == 0
        for k, own in enumerate(domain.universe):
            if k != self.agent:
                spoken = domain.spoken(k, self.concept)
                fits &= np.array([b in spoken for b in own])[plans.digit[:, k]]
        bases: Ints = np.flatnonzero(fits)
        planned = plans.ready[bases[:, None] + self.stride * np.arange(self.options)].all(axis=1)
        whole: Ints = bases[planned]
        return whole

    def _cases(self, bases: Ints) -> Any:
        """Comparisons in each group."""
        own = sum(len(self.domain.lies(self.agent, x)) for x in self.domain.lengths[self.agent])
        cases = np.full(len(bases), own, dtype=object)
        digit = self.arrays.plans.digit[bases]
        for k, options in enumerate(self.domain.universe):
            if k != self.agent:
                counts = [len(self.domain.meant(k, b, self.concept)) for b in options]
                cases *= np.array(counts, dtype=object)[digit[:, k]]
        return cases

    def _digit(self, b: Fraction) -> int:
        return self.domain.universe[self.agent].index(b)

    def _choices(self, bases: Ints) -> Choices:
        """What she may say in these groups."""
        own = self.domain.lengths[self.agent]
        truths = np.array([self._digit(x) for x in own])
        lies = np.full((len(own), self.options), -1, dtype=np.int64)
        for d, b in enumerate(self.domain.universe[self.agent]):
            for place, x in enumerate(self.domain.partners(self.agent, b)):
                lies[own.index(x), d] = place
        return Choices(self.agent, bases, self.stride, truths, lies)

    def _situations(self, group: int) -> Iterator[tuple[Profile, Fraction, Fraction]]:
        """The others' lengths, own length and lie, in order; who never shares her machine keeps the first length."""
        plans, domain = self.arrays.plans, self.domain
        rows = group + self.stride * np.arange(self.options)
        near = set(np.unique(company(self.arrays, self.agent, rows)).tolist())
        declared = plans.declared(group)
        behind = [domain.meant(k, declared[k], self.concept) for k in range(domain.n_agents)]
        choices = [b if k in near else b[:1] for k, b in enumerate(behind) if k != self.agent]
        for others in itertools.product(*choices):
            for own in domain.lengths[self.agent]:
                for lie in domain.lies(self.agent, own):
                    yield others, own, lie

    def _cost(self, tables: Tables, row: int, lengths: Profile) -> Extended:
        """Cost of the agent in one profile at these lengths, from her table."""
        arrays, at = self.arrays, list[int]()
        jobs, cells = tables.array(arrays, self.agent, row)
        for n in jobs:
            behind = tables.lengths.behind(n, arrays.plans.digit[row, n])
            at.append(behind.index(arrays.units(lengths[n])) if len(behind) > 1 else 0)
        return arrays.total(cells[tuple(at)], self.paid[row, self.agent])


def elsewhere(arrays: Arrays, agent: int) -> Any:
    """Planned output times on the machines where the agent is not, summed; shape (profiles, agents)."""
    place = arrays.plans.place
    apart = place != place[:, agent][:, None]
    return np.repeat((arrays.planned * apart).sum(axis=1)[:, None], place.shape[1], axis=1)
