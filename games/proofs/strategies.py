"""Proof strategies from the cheapest to the dearest: the slope, the reduction, any allocation, the full code.

*The slope* is about prices that are formulas (:mod:`.slopes`). The next two are about VCG and EVCG rules in one round
that renice or postpone, and about ``dominant`` and ``ex-post``. They prove more than is claimed, so what they leave
open may hold all the same: a lie that seems to pay is played on the mechanism, and refutes the claim only if it pays
there. In two rounds the stayers' allocation is another choice for each set of them, and their S another one: these
rules are left to the full code.

*Any allocation.* For each of the ``K = (N + M - 1)!/(M - 1)!`` allocations there is the mechanism that always makes
this one. If under each of them the truth is worth no less than ``V_n - S(theta_n, b_-n)``, with S the smallest sum of
output times, and no lie is worth more, then no lie pays under any rule that chooses one of them for the truth and one
for the lie. So ``3 K`` questions per agent stand for ``K^2``. Where the goal is the sum the allocation attains S: an
allocation refuses the declarations for which it does not, which leaves VCG payments, and waiting for the static end of
a machine, as they are meant.

*Anonymity.* A mechanism that gives agents other outcomes when they have other numbers, ties included, may say
``anonymous = True``, which is proved before it is used: then the first agent stands for all, with the others by
increasing declaration. That is sound: whoever is renumbered keeps declaration, length and outcome, so that every
situation is one of the first agent's, and one with the others in that order. Lengths stay free.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> rule = build("vcg-postpone", Cluster.of([1, 2]), penalty="static-end")
>>> trees = allocation_trees(rule, 2)
>>> request = partial(allocation_questions, "dominant", rule, 2, Lengths())
>>> explored = explore_all(request, trees, Effort(max_cells=1_000))
>>> len(trees) - 1, explored.done, explored.cells
(6, True, 196)
>>> harsh = build("harsh", Cluster.of([1]))
>>> prove_anonymity(harsh, Tree(MechanismProgram(harsh, 2)), 2, Lengths(), Effort())
Traceback (most recent call last):
    ...
consortium.support.errors.MechanismError: OneRound: found anonymous = True, but outcomes for declarations (1, 1) and\
 lengths (1, 1) change when the agents change places; make ties independent of the agents' order or drop anonymous
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import islice, permutations
from typing import Any, Final, NamedTuple

from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.protocol import rule_name
from ...scheduling.allocations import Allocation, allocations, n_allocations
from ...scheduling.clusters import Cluster
from ...scheduling.sums import optimal_sum
from ...support.errors import InputError, TooLargeError, unknown_name
from ..verification.domain import insert
from ..verification.results import PropertyWitness, Witness
from ..verification.running import Runs, not_anonymous
from . import reduction, slopes
from .execution import Code, Tree
from .exploration import INTERRUPTED, Ask, Effort, Explored, Lemma, Verdict, explore_all
from .programs import MechanismProgram
from .questions import Lengths, Question, name_list
from .reduction import by_sum
from .statements import CONCEPTS, Request, bounds, relabelings
from .symbols import Vector, numbers_at


def allocation_trees(mechanism: OneRound, n_agents: int) -> tuple[Tree, ...]:
    """S first, then the mechanism under each allocation."""
    listed = allocations(n_agents, mechanism.cluster.n_machines)
    fixed = [replace(mechanism, allocate=_always(mechanism, Allocation(lists))) for lists in listed]
    names = tuple(f"x{n}" for n in range(1, n_agents + 1))
    least = Tree(Code(names, lambda x: (optimal_sum(mechanism.cluster, x),)))
    return (least, *[Tree(MechanismProgram(one, n_agents)) for one in fixed])


def allocation_questions(concept: str, mechanism: OneRound, n_agents: int, lengths: Lengths) -> tuple[Question, ...]:
    """The questions about :func:`allocation_trees` that imply a concept; both sides of the bound have one valuation."""
    codes = range(1, 1 + n_allocations(n_agents, mechanism.cluster.n_machines))
    return bounds(concept, n_agents, lengths, codes)


def _always(mechanism: OneRound, allocation: Allocation) -> Callable[[tuple[Fraction, ...]], Allocation]:
    """The allocation rule that makes always this one, where the goal allows it."""
    cluster = mechanism.cluster
    attains = by_sum(mechanism)

    def allocate(declared: tuple[Fraction, ...]) -> Allocation:
        if attains and sum(allocation.end_times(cluster, declared)) > optimal_sum(cluster, declared):
            raise InputError("this allocation does not have the smallest sum of output times")
        return allocation

    return allocate


def prove_anonymity(mechanism: object, tree: Tree, n_agents: int, lengths: Lengths, effort: Effort) -> Explored:
    """Prove that outcomes move with the agents, for two renumberings of which all others are made.

    Raises MechanismError, with the numbers, where they do not. The proof may be stopped by a limit.
    """
    ask = partial(relabelings, n_agents, lengths)
    explored = explore_all(ask, (tree,), effort._replace(processes=1))
    if explored.failure is not None:
        question, z = explored.failure
        exact = numbers_at(question.runs[0].point(z))
        raise not_anonymous(mechanism, "outcomes", exact[:n_agents], exact[n_agents:])
    return explored


STRATEGIES: Final = ("slope", "reduction", "any-allocation")
IN_TURN: Final = {"auto": STRATEGIES, "certified": STRATEGIES[2:]}
"""What is tried before the full code; a slope and a reduction have no certificate."""
METHODS: Final = ("auto", "certified", *STRATEGIES, "code")
"""What can be asked for: one of three, or several in turn."""
MAX_QUESTIONS: Final = 1_500
"""Questions about any allocation that are asked when nobody asked for this method."""
MAX_FREE: Final = 60_000
"""Cells that each of the reduction and any allocation may take then."""
MAX_TRIES: Final = 200
"""Most plays to turn a failing inequality into a lie that pays."""
MAX_AGENTS: Final = 4
"""For more agents the full code is not tried where the other methods left a rule open, unless it is asked for."""


INCONCLUSIVE: Final = "inconclusive"


class Proved(NamedTuple):
    """One question that holds: its lemmas refute everything else."""

    question: Question
    lemmas: tuple[Lemma, ...]


@dataclass(frozen=True)
class Proof(Verdict):
    """Verdict on one statement for all lengths.

    Attributes
    ----------
    statement
        One of :data:`.statements.STATEMENTS`.
    witness
        A situation in which it fails.
    trees
        The code as decision trees, as far as it was needed; the runs of a part say of which they are.
    request
        What was to be proved, as a certificate says it; None where there is no certificate.
    method
        Which strategy gave the verdict: ``"slope"``, ``"reduction"``, ``"any-allocation"`` or ``"code"``.
    allocations
        Allocation rules for which reduction or any allocation has proved it: ``"all"`` or, where the goal is the sum,
        those that attain the ``"smallest-sum"``.
    slopes, any_number
        What a slope has shown, and whether for any number of agents.
    refuses
        Whether declarations are left out, which the mechanism refuses.
    numbers
        Of a family the numbers of the witness, by name.

    ``limit`` is also ``"inconclusive"``, of a strategy that was asked for, or ``"agents"``: too many for the full code.
    """

    statement: str = ""
    witness: Witness | PropertyWitness | None = None
    trees: tuple[Tree, ...] = ()
    request: Request | None = None
    method: str = "code"
    allocations: str | None = None
    refuses: bool = False
    numbers: Mapping[str, Fraction] = field(default_factory=dict)
    slopes: slopes.Bounded | None = None
    any_number: bool = False

    @property
    def parts(self) -> tuple[Proved, ...]:
        """What was proved, question by question."""
        one = self.explored
        parts = zip(one.questions, one.lemmas, one.proved, strict=True)
        return tuple(Proved(question, tuple(lemmas)) for question, lemmas, proved in parts if proved)

    @property
    def done(self) -> bool:
        """Whether there is a verdict, or time is up."""
        return self.holds is not None or self.explored.why in INTERRUPTED


def scope_of(source: object, agents: int | None, lengths: Lengths) -> str:
    """For whom a verdict is said: agents, machines (the ``cluster`` of the source, if it has one), set of lengths.

    ``agents``: ``None`` for any number of them.
    """
    cluster = getattr(source, "cluster", None)
    machines = ""
    if isinstance(cluster, Cluster):
        powers = name_list([str(power) for power in cluster.powers])
        several = len(cluster.powers) > 1
        machines = (
            f", {len(cluster.powers)} machines of powers {powers}" if several else f", 1 machine of power {powers}"
        )
    if agents is None:
        return f"any number of agents{machines}, {lengths}"
    return f"{agents} agent{'s' if agents > 1 else ''}{machines}, {lengths}; not for all N"


@dataclass(frozen=True)
class Strategies:
    """The strategies before the full code, for one mechanism, and what may be spent on each.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> proof = Strategies(build("vcg-postpone", Cluster.of([1, 2])), 6, Lengths(), Effort()).prove("dominant")
    >>> proof.method, proof.allocations
    ('reduction', 'smallest-sum')
    """

    mechanism: Any
    n_agents: int
    lengths: Lengths
    effort: Effort

    def prove(self, statement: str, method: str = "auto") -> Proof:
        """Try each of them in turn, or the one that is asked for.

        What they leave open has a limit, unless none of them says anything. Raises UnknownNameError for an unknown
        method, InputError where the one asked for says nothing about the mechanism or the statement.
        """
        if method not in METHODS:
            raise unknown_name("method", method, METHODS)
        requested = method in STRATEGIES
        proof = Proof(None, scope_of(self.mechanism, self.n_agents, self.lengths), statement=statement)
        for name in (method,) if requested else IN_TURN.get(method, ()):
            if reason := self._outside(name, statement):
                if requested:
                    raise InputError(f"method {method!r}: {reason}")
                continue
            strategies = {"slope": self._by_slope, "reduction": self._by_reduction, "any-allocation": self._free}
            proof = strategies[name](proof, requested)
            if proof.done:
                break
        return proof

    def _outside(self, method: str, statement: str) -> str:
        """Why a strategy says nothing here; empty where it does."""
        mechanism = self.mechanism
        if statement not in CONCEPTS:
            return f"found the statement {statement!r}; expected {' or '.join(CONCEPTS)}"
        if method == "slope":
            return slopes.refused(mechanism)
        if not (reduction.covers if method == "reduction" else reduction.billed)(mechanism):
            rule = rule_name(mechanism)
            penalty = " with a penalty other than 'static-end' or a formula" if method == "reduction" else ""
            return f"found {rule!r}; expected a VCG or EVCG rule in one round that renices or postpones{penalty}"
        if statement == "dominant" and mechanism.tools.alive == "renice" and self.n_agents > 1:
            return "rules that renice are proved ex-post only"
        return ""

    def _by_slope(self, before: Proof, requested: bool) -> Proof:
        """The full price of a formula, for any number of agents or for so many."""
        for agents in (None, self.n_agents):
            bounds = slopes.bounded(self.mechanism, before.statement, agents)
            if bounds is not None:
                scope = scope_of(self.mechanism, agents, self.lengths)
                more: dict[str, Any] = {"slopes": bounds, "any_number": agents is None, "scope": scope}
                return replace(before, holds=True, method="slope", **more)
        return replace(before, limit=INCONCLUSIVE) if requested else before

    def _by_reduction(self, before: Proof, requested: bool) -> Proof:
        """The reduction; a failing inequality is played."""
        obligations = reduction.Obligations(self.mechanism, self.n_agents, self.lengths).all()
        trees = tuple(Tree(one) for one in obligations)
        proof = self._explored(before, "reduction", partial(reduction.questions, obligations), trees, requested)
        failure = proof.explored.failure
        if failure is not None and (witness := self._played(*failure)):
            return replace(proof, holds=False, limit="", witness=witness)
        return proof

    def _free(self, before: Proof, requested: bool) -> Proof:
        """Each allocation in turn, unless there are more of them than somebody would ask for."""
        n_questions = 3 * self.n_agents * n_allocations(self.n_agents, self.mechanism.cluster.n_machines)
        if not requested and n_questions > MAX_QUESTIONS:
            return replace(before, limit=INCONCLUSIVE)
        trees = allocation_trees(self.mechanism, self.n_agents)
        ask = partial(allocation_questions, before.statement, self.mechanism, self.n_agents, self.lengths)
        return self._explored(before, "any-allocation", ask, trees, requested)

    def _explored(self, before: Proof, method: str, ask: Ask, trees: tuple[Tree, ...], requested: bool) -> Proof:
        most = self.effort.max_cells if requested else min(self.effort.max_cells, MAX_FREE)
        explored = explore_all(ask, trees, self.effort._replace(max_cells=most, processes=1))
        proof = replace(before, explored=explored, trees=trees, method=method)
        if not explored.done:
            return replace(proof, limit=explored.why or INCONCLUSIVE)
        return replace(proof, holds=True, limit="", allocations="smallest-sum" if by_sum(self.mechanism) else "all")

    def _played(self, question: Question, z: Vector) -> Witness | None:
        """A lie that pays under the mechanism's own allocation, where an inequality about lies fails."""
        if question.side != "below":
            return None
        theta, lie, *others = numbers_at(z)
        runs = Runs(self.mechanism)
        for agent in range(self.n_agents):
            for order in islice(permutations(others), MAX_TRIES // self.n_agents):
                if self.effort.clock is not None and self.effort.clock.expired():
                    return None
                profile = insert(order, agent)
                try:
                    witness = runs.gain(agent, theta, lie, profile, profile)
                except TooLargeError:
                    return None
                if witness.gain > 0:
                    return witness
        return None
