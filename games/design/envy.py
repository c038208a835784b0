"""Who envies whom: how much later a lie brings the output, for every agent, declaration of the others, length and lie.

Given who runs where and what job control does, payments known in advance make the truth best if and only if ``P(theta,
others) - P(lie, others) <= w`` for every such case: ``w`` is how much later the lie brings the output than the truth,
in the situation of the others where that is least (dominant: whatever their lengths are behind their declarations;
ex post: they are truthful). For fixed declarations of the others these are edges of a graph over the agent's own
declarations, the *envy graph*, and payments are its potentials [Roc87]_. Everything that :mod:`.payments` and
:mod:`.cycles` say is read off these numbers.

Where a lie never brings the output there is no edge, and where both never do no constraint arises: no payment can
matter. Ties between allocations are those of the mechanism; other ties give other numbers.

References
----------
.. [Roc87] J.-C. Rochet, "A necessary and sufficient condition for rationalizability in a quasi-linear context",
   Journal of Mathematical Economics 16, 1987.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import lcm
from operator import ne
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...mechanisms.declaration.claims import AFTER_THE_RUN
from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.protocol import DeclarationMechanism
from ...mechanisms.declaration.two_rounds import TwoRounds
from ...support.errors import InputError
from ...support.exact import INF, Extended, fits_int64
from ...support.progress import Clock, Progress
from ..verification.domain import Concept, Domain, Profile, with_entry
from ..verification.machine import prepare
from ..verification.orbits import plan_domain
from ..verification.plans import needed
from ..verification.running import Runs
from ..verification.truth_tables import AgentCheck, covers

Label: TypeAlias = tuple[Any, ...]
"""Name of a row of a linear program: what it says, and of whom and where."""


class Case(NamedTuple):
    """One edge: an agent of a length declares something else; ``w`` is how much later the lie brings her output.

    ``others`` are their declarations and ``lengths`` their true lengths where that is least, each with a 0 in the
    agent's own place.
    """

    agent: int
    others: Profile
    true: Fraction
    declared: Fraction
    later: Extended
    lengths: Profile


@dataclass(frozen=True)
class Graphs:
    """The envy graphs of one agent, one for each declaration of the others.

    Attributes
    ----------
    agent
        Whose they are.
    others
        The others' declarations, a 0 in her own place.
    nodes
        Her declarations, sorted.
    truths
        Which of them are her possible lengths, by number.
    weight
        ``w`` in units of ``1/unit`` by graph, length and declaration; 0 where there is no edge.
    edge
        Whether there is one.
    unit
        Of the weights.
    worst
        The others' true lengths behind an edge, by graph, length and declaration.
    fine
        What a lie costs besides, which the weights contain.
    """

    agent: int
    others: tuple[Profile, ...]
    nodes: Profile
    truths: tuple[int, ...]
    weight: NDArray[Any]
    edge: NDArray[np.bool_]
    unit: int
    worst: Callable[[int, int, int], Profile] = field(compare=False)
    fine: Fraction = Fraction(0)

    def at(self, others: Profile, declared: Fraction) -> Profile:
        """The profile of these declarations of the others and one of hers."""
        return with_entry(others, self.agent, declared)

    def row(self, place: Sequence[int]) -> tuple[Label, Fraction]:
        """An edge as a row of a linear program: its name, and how much later the lie brings the output.

        ``place``: graph, number of the length, number of the declaration.
        """
        graph, own, lie = place
        label = ("truth", self.agent, self.others[graph], self.nodes[self.truths[own]], self.nodes[lie])
        return label, Fraction(int(self.weight[graph, own, lie]), self.unit)

    @property
    def essential(self) -> NDArray[np.bool_]:
        """Edges without which potentials may differ: no two others are lighter in sum, nor as light on the way."""
        kept, truths, size = self.edge.copy(), np.array(self.truths), len(self.nodes)
        none = 2 * int(np.abs(self.weight).max(initial=0)) + 1
        steps = np.full((len(self.others), size, size), none, dtype=np.int64 if fits_int64(2 * none) else object)
        steps[:, truths] = np.where(self.edge, self.weight, none)
        for k in range(size):
            two = steps[:, truths, k, None] + steps[:, k, None, :]
            between = (truths[:, None] < k) & (k < np.arange(size)) | (truths[:, None] > k) & (k > np.arange(size))
            kept &= (two > self.weight) | ((two == self.weight) & ~between)
        return kept

    def case(self, graph: int, own: int, lie: int) -> Case:
        """An edge, with the others' true lengths that make it."""
        true, declared = self.nodes[self.truths[own]], self.nodes[lie]
        later = Fraction(int(self.weight[graph, own, lie]), self.unit) - self.fine
        return Case(self.agent, self.others[graph], true, declared, later, self.worst(graph, own, lie))


def bare(mechanism: DeclarationMechanism) -> DeclarationMechanism:
    """The mechanism without its payments: who runs where, and job control.

    Raises InputError for two rounds and for payments that are settled after the run, whose agents do not bear a price
    known in advance and a delay.
    """
    if isinstance(mechanism, TwoRounds):
        raise InputError("design: found a mechanism in two rounds; expected one round, whose price is known in advance")
    if type(mechanism) is OneRound:
        if mechanism.payment in AFTER_THE_RUN:
            raise InputError(
                f"design: rule {mechanism.rule!r} is paid after the run; expected one whose price is known in advance"
            )
        return replace(mechanism, payment="none", values=None)
    return mechanism


def envy(
    mechanism: DeclarationMechanism,
    domain: Domain,
    concept: Concept,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> tuple[Graphs, ...]:
    """The envy graphs of every agent.

    Parameters
    ----------
    mechanism
        One without payments, see :func:`bare`; of a custom one only the output times are looked at.
    domain, concept
        Possible lengths and declarations, and which situations of the others count.
    progress, clock
        Who hears how far it is; TimeoutError when time is up.

    Raises HopelessError where a truthful agent may never get her output and by a lie would.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> light = bare(build("light-vcg", Cluster.of([1])))
    >>> first, _ = envy(light, Domain.of([1, 2], agents=2), "dominant")
    >>> first.others, first.weight.tolist(), first.unit
    (((Fraction(0, 1), Fraction(1, 1)), (Fraction(0, 1), Fraction(2, 1))), [[[0, 2], [-2, 0]], [[0, 1], [0, 0]]], 1)
    """
    if covers(mechanism):
        plans = plan_domain(mechanism, domain, concept, progress=progress, clock=clock)
        if not plans.ready[needed(domain, concept, plans.digit)].all():  # it stops early, with what there is
            (clock or Clock(None)).check()
            raise KeyboardInterrupt
        arrays = prepare(mechanism, plans)
        return tuple(_tabulated(AgentCheck(mechanism, arrays, concept, n)) for n in range(domain.n_agents))
    runs = Outputs(mechanism)
    return tuple(_run(runs, domain, concept, n, progress, clock) for n in range(domain.n_agents))


class HopelessError(Exception):
    """A truthful agent may never get her output, and by a lie she does: no payment can make up for that."""

    def __init__(self, case: Case) -> None:
        super().__init__(case)
        self.case = case


def _tabulated(check: AgentCheck) -> Graphs:
    """From the cost tables of built-in rules; a truthful job is never alive at its planned end, so never lost."""
    tables = check.build([check.agent])
    groups, gains = check.each(tables)
    domain, scale = check.domain, check.arrays.scale
    truths, nodes = domain.lengths[check.agent], domain.universe[check.agent]
    edge = gains > -scale.infinity  # what is no lie of this length has no gain
    weight = np.where(edge, -gains, 0)
    if not fits_int64(int(np.abs(weight).max(initial=0)) * (len(nodes) + 1)):  # a path is a sum of them
        weight = weight.astype(object)

    def worst(graph: int, own: int, lie: int) -> Profile:
        gain = Fraction(-int(weight[graph, own, lie]), scale.time)
        return with_entry(check.situation(int(groups[graph]), gain, (truths[own], nodes[lie]))[2], check.agent)

    others = tuple(with_entry(check.arrays.plans.declared(int(row)), check.agent) for row in groups)
    return Graphs(check.agent, others, nodes, tuple(map(nodes.index, truths)), weight, edge, scale.time, worst)


class Outputs:
    """Output times of a mechanism, each run made once.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> Outputs(build("harsh", Cluster.of([1])))((Fraction(1), Fraction(2)), (Fraction(1), Fraction(3)))
    (Fraction(1, 1), inf)
    """

    def __init__(self, mechanism: DeclarationMechanism) -> None:
        self.runs = Runs(mechanism)
        self.kept: dict[tuple[Profile, Profile], tuple[Extended, ...]] = {}

    def __call__(self, declared: Profile, lengths: Profile) -> tuple[Extended, ...]:
        """When everybody gets her output. Raises InputError for an agent who leaves."""
        if (declared, lengths) not in self.kept:
            output = self.runs.outcome(declared, lengths).output
            if None in output:
                raise InputError("design: found agents who leave; expected a mechanism in which all stay")
            self.kept[declared, lengths] = tuple(t for t in output if t is not None)
        return self.kept[declared, lengths]


def _run(
    outputs: Outputs, domain: Domain, concept: Concept, agent: int, progress: Progress | None, clock: Clock | None
) -> Graphs:
    """By running every case."""
    nodes, truths = domain.universe[agent], domain.lengths[agent]
    behind: dict[Profile, list[Profile]] = {}
    for declared, lengths in domain.situations(agent, concept):
        behind.setdefault(declared, []).append(lengths)
    others = tuple(behind)
    later: dict[tuple[int, int, int], tuple[Extended, Profile]] = {}
    for graph, declared in enumerate(others):
        if progress is not None:
            progress(graph, len(others), f"cases of {domain.names[agent]}")
        if clock is not None:
            clock.check()
        for own, true in enumerate(truths):
            for lie in domain.lies(agent, true):
                delays = _delays(outputs, agent, declared, true, lie, behind[declared])
                # of several situations one in which few of the others lie: it is read as the reason
                worst = min(delays, key=lambda each: (each[0], sum(map(ne, declared, each[1]))), default=None)
                if worst is None:
                    continue
                if worst[0] == -INF:
                    raise HopelessError(Case(agent, declared, true, lie, -INF, worst[1]))
                later[graph, own, nodes.index(lie)] = worst
    unit = lcm(*(w.denominator for w, _ in later.values() if isinstance(w, Fraction)))
    shape = (len(others), len(truths), len(nodes))
    whole = {at: int(w * unit) for at, (w, _) in later.items()}
    small = fits_int64(max(map(abs, whole.values()), default=0) * (len(nodes) + 1))
    weight, edge = np.zeros(shape, dtype=np.int64 if small else object), np.zeros(shape, dtype=bool)
    for at, w in whole.items():
        weight[at], edge[at] = w, True
    places = tuple(map(nodes.index, truths))
    return Graphs(agent, others, nodes, places, weight, edge, unit, lambda *at: later[at][1])


def _delays(
    outputs: Outputs, agent: int, others: Profile, true: Fraction, lie: Fraction, behind: list[Profile]
) -> Iterator[tuple[Extended, Profile]]:
    """How much later the lie brings the output in each situation of the others in which that is a constraint."""
    honest, lied = (with_entry(others, agent, b) for b in (true, lie))
    for lengths in behind:
        world = with_entry(lengths, agent, true)
        there, here = outputs(lied, world)[agent], outputs(honest, world)[agent]
        if there != INF:
            yield there - here, lengths


def profiles(domain: Domain, concept: Concept) -> Iterator[Profile]:
    """Declarations that are made while at most one agent lies (ex post), or all; the last agent's change fastest."""
    for declared in itertools.product(*domain.universe):
        lies = sum(b not in own for b, own in zip(declared, domain.lengths, strict=True))
        if concept == "dominant" or lies <= 1:
            yield declared
