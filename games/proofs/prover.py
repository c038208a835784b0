"""Proofs for all lengths: what holds of a mechanism wherever lengths and declarations are, or the point where it fails.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> proof = prove(build("vcg-postpone", Cluster.of([1, 2])), agents=2)
>>> proof.holds, proof.scope
(True, '2 agents, 2 machines of powers 1 and 2, all positive lengths; not for all N')
>>> failure = prove(build("light-vcg", Cluster.of([1, 2])), agents=3, concept="ex-post")
>>> failure.holds, failure.witness.gain > 0
(False, True)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

from ...mechanisms.custom import kept_in
from ...mechanisms.declaration.claims import AFTER_THE_RUN
from ...mechanisms.declaration.protocol import DeclarationMechanism
from ...mechanisms.declaration.two_rounds import one_round_of
from ...scheduling.clusters import Cluster
from ...support.errors import InputError, MechanismError
from ...support.exact import Rational, rational
from ...support.progress import Clock, Progress
from ..verification.domain import Domain, Profile
from ..verification.properties import OF_INSTITUTION, Property
from ..verification.results import PropertyWitness, Witness
from ..verification.running import Runs
from .execution import Tree, two_answers
from .exploration import INTERRUPTED, MAX_CELLS, Effort, Explored, explore_all
from .programs import Family, MechanismProgram, valued, with_values
from .questions import Lengths, Question
from .statements import CONCEPTS, Request
from .strategies import INCONCLUSIVE, MAX_AGENTS, STRATEGIES, Proof, Strategies, prove_anonymity, scope_of
from .symbols import Vector, numbers_at

SAMPLES = 16
"""Points per question at which custom code is run once more."""


def prove(
    mechanism: DeclarationMechanism,
    agents: int = 3,
    concept: str = "dominant",
    up_to: Rational | None = None,
    *,
    lengths: Lengths | None = None,
    values: Sequence[Rational] | Literal["any"] | None = None,
    method: str = "auto",
    max_cells: int = MAX_CELLS,
    at_most: Rational = 0,
    processes: int = 1,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Proof:
    """Prove or refute a statement about a mechanism for all lengths and declarations.

    Parameters
    ----------
    mechanism
        A rule of the package or any object with ``run(declared, lengths)`` whose code adds, subtracts, compares, and
        multiplies by constants.
    agents
        For how many agents; a proof says nothing about other numbers of them, unless its scope is any number.
    concept
        ``"dominant"``, ``"ex-post"`` or one of :data:`.statements.PROPERTIES`.
    up_to, lengths
        Lengths and declarations meant: all positive ones, those up to a number, or an interval.
    values
        The agents' valuations; by default the mechanism's own, else 0. ``"any"``: whatever positive numbers they are,
        by the full code.
    method
        ``"slope"``, ``"reduction"``, ``"any-allocation"``, ``"code"``, or ``"auto"``: each in turn, where it says
        something (:mod:`.strategies`); ``"certified"``: the same without the first two, which have no certificate.
    at_most
        Of a concept: a lie may gain so many times the liar's length.
    max_cells, time_limit
        Stop there, with the statement open. Ctrl-C does the same.
    processes
        0 takes all processors for what takes long, if the mechanism can be sent to another process; a script needs
        ``if __name__ == "__main__"`` for that. By default the work is done in this process.

    Returns
    -------
    Proof
        Holds, refuted with the situation, or open with what was proved.

    Raises
    ------
    NotPiecewiseLinear
        The code does something else with a length; the message has the line.
    MechanismError
        The mechanism fails, keeps state or is random.
    InputError
        The arguments do not fit, or the mechanism refuses all declarations.
    """
    if agents < 1:
        raise InputError(f"agents: found {agents}; expected at least 1")
    meant = lengths or Lengths(end=None if up_to is None else rational(up_to, "up_to"))
    family = None
    if values == "any":
        family, values = valued(mechanism, agents), None
    return Prover(mechanism, agents, meant, values, family=family).prove(
        concept,
        Clock(time_limit),
        progress,
        max_cells=max_cells,
        method=method,
        processes=processes,
        at_most=rational(at_most, "at_most"),
    )


class Prover:
    """Statements about one mechanism, on one decision tree that grows with them.

    ``family``: of mechanisms, of which this is one; then the statements are about all of them.
    """

    def __init__(
        self,
        mechanism: DeclarationMechanism,
        agents: int,
        lengths: Lengths,
        values: Sequence[Rational] | None = None,
        *,
        family: Family | None = None,
    ) -> None:
        own: Any = mechanism
        self.mechanism, self.agents, self.lengths, self.family = mechanism, agents, lengths, family
        worth = values if values is not None else (getattr(own, "values", None) or [Fraction(0)] * agents)
        self.values = tuple(rational(v, f"values[{i}]") for i, v in enumerate(worth, 1))
        if len(self.values) != agents:
            raise InputError(f"values: found {len(self.values)} for {agents} agents; expected one each")
        self.program = MechanismProgram(mechanism, agents)
        self.tree = Tree(self.program if family is None else MechanismProgram(family, agents))
        self._alike = Explored(proved=[False])  # of the promise to treat agents alike, proved once

    def prove(
        self,
        statement: str,
        clock: Clock | None = None,
        progress: Progress | None = None,
        *,
        max_cells: int = MAX_CELLS,
        method: str = "auto",
        processes: int = 1,
        at_most: Fraction = Fraction(0),
    ) -> Proof:
        """One statement, by the methods of :mod:`.strategies`.

        Raises InputError for a gain ``at_most`` that is negative, or not that of a lie.
        """
        if at_most < 0 or (at_most and statement not in CONCEPTS):
            concepts = " or ".join(CONCEPTS)
            raise InputError(f"gain: found at most {at_most} of {statement}; expected a number >= 0, of {concepts}")
        effort = Effort(clock, progress, max_cells, processes)
        if self.family is not None:
            return self._by_code(statement, effort, at_most)
        proof = Strategies(self.mechanism, self.agents, self.lengths, effort).prove(statement, method)
        if proof.holds is False and at_most:  # a lie pays, but perhaps not that much
            proof = replace(proof, holds=None, witness=None, limit=INCONCLUSIVE)
        if proof.done or method in STRATEGIES:
            return replace(proof, request=self.request(statement)) if proof.method == "any-allocation" else proof
        if proof.limit and self.agents > MAX_AGENTS:
            return replace(proof, limit="agents")
        return self._by_code(statement, effort, at_most)

    def _by_code(self, statement: str, effort: Effort, at_most: Fraction) -> Proof:
        """One statement, by the mechanism's own code compared with itself."""
        request = replace(self.request(statement), at_most=at_most)
        self.probe(request.questions())
        proof = Proof(None, self.scope, statement=statement, trees=(self.tree,))
        alike = Explored()
        if request.anonymous:
            if not self._alike.done:
                self._alike = prove_anonymity(self.mechanism, self.tree, self.agents, self.lengths, effort)
            alike = self._alike
            if alike.why in INTERRUPTED:
                return replace(proof, limit=alike.why, explored=alike)
            if not alike.done:
                request, alike = replace(request, anonymous=False), Explored()
        explored = explore_all(request.questions, (self.tree,), effort)
        proof = replace(proof, request=request, explored=alike.and_then(explored))
        if explored.failure is not None:
            witness = self.witness(statement, *explored.failure, at_most)
            names = () if self.family is None else self.family.names
            numbers = dict(zip(names, self._situation(*explored.failure)[2], strict=True))
            return replace(proof, holds=False, witness=witness, numbers=numbers)
        if not explored.done:
            return replace(proof, limit=explored.why)
        return replace(proof, holds=True, refuses=self.confirm(explored))

    @property
    def scope(self) -> str:
        """For whom its verdicts are said."""
        return scope_of(self.mechanism, self.agents, self.lengths)

    def request(self, statement: str) -> Request:
        """A statement about the mechanism; agents who value things differently are not alike, whatever it says."""
        own: Any = self.mechanism
        one = one_round_of(own)
        cluster: Any = getattr(own, "cluster", None)
        if statement == "feasible" and not isinstance(cluster, Cluster):
            raise InputError(f"feasible: found {type(own).__name__} on no machines; expected an attribute cluster")
        return Request(
            statement,
            self.agents,
            self.lengths,
            self.values,
            parameters=() if self.family is None else self.family.names,
            kills_liars=bool(getattr(own, "kills_liars", False)) if one is None else one.tools.alive == "kill",
            anonymous=self.family is None and bool(getattr(own, "anonymous", False)) and len(set(self.values)) == 1,
            in_advance=one is not None and one.payment not in AFTER_THE_RUN,
            powers=cluster.powers if statement == "feasible" else (),
        )

    def probe(self, questions: Sequence[Question]) -> None:
        """Run custom code here and there, far away too, before all cells are looked at: endless steps show."""
        for question in questions if self.program.is_own else ():
            for point in question.samples(self.lengths, SAMPLES):
                self.tree.leaf(point)

    def confirm(self, explored: Explored) -> bool:
        """Look once more at what is about to be called proved; whether it leaves out refused declarations."""
        if not self.tree.leaves:  # there is but one length: nobody can lie, and nothing was run
            one = self.lengths.start
            self.tree.leaf((one.denominator, *[one.numerator] * (len(self.tree.program.names))))
        if self.program.is_own:
            points = [point for question in explored.questions for point in question.samples(self.lengths, SAMPLES)]
            before = kept_in(self.program)
            self.tree.audit(points, self._meant)
            if kept_in(self.program) != before:
                raise MechanismError(
                    f"{type(self.mechanism).__name__}: what it keeps changed while it ran, as a counter does or a list "
                    "that grows; a proof needs a function of the numbers"
                )
        refusals = [leaf.refusal for leaf in self.tree.ends() if leaf.refusal is not None]
        if explored.cells and not explored.judged and refusals:
            raise InputError(f"the mechanism refuses all declarations that this is about: {refusals[0]}")
        return bool(refusals)

    def _meant(self, point: Vector) -> bool:
        """Whether declarations and lengths are among those meant."""
        return all(x in self.lengths for x in numbers_at(point)[: 2 * self.agents])

    def witness(
        self, statement: str, question: Question, z: Vector, at_most: Fraction = Fraction(0)
    ) -> Witness | PropertyWitness:
        """The situation of a counterexample, played once more on plain numbers."""
        declared, lengths, numbers = self._situation(question, z)
        mechanism, values = self.mechanism, self.values
        if self.family is not None:
            mechanism, worth = self.family.at(numbers, self.agents)
            values = tuple(worth)
        plain = statement.removesuffix("-any-others").removesuffix("-in-equilibrium")
        n, name = question.agent, plain.replace("-", "_")
        runs = Runs(with_values(mechanism, *values), values)
        if statement in CONCEPTS:
            assert n is not None
            lie = runs.gain(n, lengths[n], declared[n], declared, lengths)
            witness: Witness | PropertyWitness | None = lie if lie.gain > at_most * lengths[n] else None
        else:
            judge = Property(runs, Domain.of(sorted({*declared}), agents=self.agents), name)
            witness = judge.look((None if name in OF_INSTITUTION else n, declared, lengths))
        if witness is None:  # plain numbers do not fail as the symbols do
            raise two_answers(self.program.names, (*declared, *lengths))
        return witness

    def _situation(self, question: Question, z: Vector) -> tuple[Profile, Profile, Profile]:
        """Declarations and lengths of the last run at a point, and the numbers of the family."""
        exact, n = numbers_at(question.runs[-1].point(z)), self.agents
        return exact[:n], exact[n : 2 * n], exact[2 * n :]
