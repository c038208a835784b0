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
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.payments import AFTER_THE_RUN
from ...mechanisms.declaration.protocol import DeclarationMechanism, Outcome, play, utility
from ...mechanisms.declaration.two_rounds import TwoRounds
from ...scheduling.clusters import Cluster
from ...scheduling.errors import InputError, MechanismError
from ...scheduling.exact import INF, Extended, Rational, rational
from ...scheduling.progress import Clock, Progress
from ..incentives.domain import Profile
from ..incentives.properties.results import PropertyWitness
from ..incentives.results import Witness, gain_of
from .cells import Lemma
from .exploring import explore_all
from .families import Family, FamilyProgram, valued
from .programs import MechanismProgram
from .statements import CONCEPTS, Asked, Lengths, Question
from .symbols import Vector
from .tree import Tree, value_at

MAX_CELLS = 5_000_000
"""More cells than this are not looked at."""


@dataclass(frozen=True)
class Proved:
    """One question that holds: its lemmas refute everything else."""

    question: Question
    lemmas: tuple[Lemma, ...]


@dataclass(frozen=True)
class Proof:
    """Verdict on one statement for all lengths.

    Attributes
    ----------
    statement
        One of :data:`.statements.STATEMENTS`.
    holds
        ``None`` when open.
    scope
        For whom it is said, in one sentence.
    cells, lemmas
        Cells looked at and refutations found.
    note
        How it was proved, or why it is open.
    witness
        A situation in which it fails.
    parts
        What was proved, question by question.
    trees
        The code as decision trees, as far as it was needed.
    asked
        What was to be proved, as a certificate says it; None where there is no certificate.
    """

    statement: str
    holds: bool | None
    scope: str
    cells: int
    lemmas: int
    note: str
    witness: Witness | PropertyWitness | None = None
    parts: tuple[Proved, ...] = ()
    trees: tuple[Tree, ...] = ()
    asked: Asked | None = None

    @property
    def status(self) -> str:
        """``"proved"``, ``"refuted"`` or ``"open"``."""
        return {True: "proved", False: "refuted", None: "open"}[self.holds]


def prove(
    mechanism: DeclarationMechanism,
    agents: int = 3,
    concept: str = "dominant",
    up_to: Rational | None = None,
    *,
    lengths: Lengths | None = None,
    values: Sequence[Rational] | Literal["any"] | None = None,
    check: bool = True,
    max_cells: int = MAX_CELLS,
    processes: int = 0,
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
        For how many agents; a proof says nothing about other numbers of them.
    concept
        ``"dominant"``, ``"ex-post"`` or one of :data:`.statements.PROPERTIES`.
    up_to, lengths
        Lengths and declarations meant: all positive ones, those up to a number, or an interval.
    values
        The agents' valuations; by default the mechanism's own, else 0. ``"any"``: whatever positive numbers they are.
    check
        Compare every leaf with a run on plain fractions: finds code that is no function of its numbers.
    max_cells, time_limit
        Stop there, with the statement open. Ctrl-C does the same.
    processes
        1 works in this process; 0 takes all processors for what takes long, if the mechanism can be sent to another
        process.

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
    """
    if agents < 1:
        raise InputError(f"agents: found {agents}; expected at least 1")
    meant = lengths or Lengths(end=None if up_to is None else rational(up_to, "up_to"))
    family = None
    if values == "any":
        family, values = valued(mechanism, agents), None
    return Prover(mechanism, agents, meant, values, check=check, family=family).prove(
        concept, Clock(time_limit), progress, max_cells=max_cells, processes=processes
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
        check: bool = True,
        family: Family | None = None,
    ) -> None:
        own: Any = mechanism
        self.mechanism, self.agents, self.lengths, self.family = mechanism, agents, lengths, family
        given = values if values is not None else (getattr(own, "values", None) or [Fraction(0)] * agents)
        self.values = tuple(rational(v, f"values[{i}]") for i, v in enumerate(given, 1))
        if len(self.values) != agents:
            raise InputError(f"values: found {len(self.values)} for {agents} agents; expected one each")
        program = MechanismProgram(mechanism, agents) if family is None else FamilyProgram(family, agents)
        self.tree = Tree(program, check)

    def prove(
        self,
        statement: str,
        clock: Clock | None = None,
        progress: Progress | None = None,
        *,
        max_cells: int = MAX_CELLS,
        processes: int = 0,
    ) -> Proof:
        """One statement, by the full code."""
        asked = self.asked(statement)
        found = explore_all(asked.questions, (self.tree,), clock, progress, max_cells=max_cells, processes=processes)
        whole = zip(found.questions, found.lemmas, found.proved, strict=True)
        parts = tuple(Proved(question, tuple(lemmas)) for question, lemmas, proved in whole if proved)
        note, witness = "by the full code", None
        if found.failure is not None:
            witness = self.witness(statement, *found.failure)
            note += self._numbers(*found.failure)
        elif not found.done:
            so_far = f"{len(parts)} of {len(found.questions)} parts and {found.cells:,} cells proved"
            note = f"stopped by {found.why}, with {so_far}"
        holds = True if found.done else None if witness is None else False
        scope = scope_of(self.mechanism, self.agents, self.lengths)
        n_lemmas = sum(map(len, found.lemmas))
        return Proof(statement, holds, scope, found.cells, n_lemmas, note, witness, parts, (self.tree,), asked)

    def asked(self, statement: str) -> Asked:
        """A statement about the mechanism; agents who value things differently are not alike, whatever it says."""
        return Asked(
            statement,
            self.agents,
            self.lengths,
            self.values,
            parameters=() if self.family is None else self.family.names,
            kills_liars=kills_liars(self.mechanism),
            anonymous=bool(getattr(self.mechanism, "anonymous", False)) and len(set(self.values)) == 1,
            in_advance=in_advance(self.mechanism),
        )

    def _numbers(self, question: Question, z: Vector) -> str:
        """What the numbers of the family are at a point, in words."""
        if self.family is None:
            return ""
        numbers = question.runs[0].point(z)[1 + 2 * self.agents :]
        told = [f"{name} = {Fraction(x, z[0])}" for name, x in zip(self.family.names, numbers, strict=True)]
        return f", at {', '.join(told)}"

    def _one(self, question: Question, z: Vector) -> tuple[Prover, Question]:
        """The mechanism at the numbers of a point, and the question about it alone."""
        assert self.family is not None
        known = 1 + 2 * self.agents
        numbers = [Fraction(x, z[0]) for x in question.runs[0].point(z)[known:]]
        made, values = self.family.at(numbers, self.agents)
        runs = tuple(
            replace(run, places=run.places[:known], drift=None if run.drift is None else run.drift[:known])
            for run in question.runs
        )
        return Prover(made, self.agents, self.lengths, values), replace(question, runs=runs)

    def witness(self, statement: str, question: Question, z: Vector) -> Witness | PropertyWitness:
        """The situation of a counterexample, played once more on plain numbers."""
        if self.family is not None:
            one, asked = self._one(question, z)
            return one.witness(statement, asked, z)
        declared, lengths = self._situation(question, -1, z)
        n = question.agent
        if statement in CONCEPTS:
            assert n is not None
            told, _ = self._situation(question, 0, z)
            truth, lie = (self._utility(n, b, lengths) for b in (told, declared))
            gain = gain_of(lie, truth)
            return Witness(n, lengths[n], declared[n], declared, lengths, truth, lie, gain)
        values: dict[str, Any] = {}
        if statement in ("rent-nonnegative", "budget-balanced"):
            values = {"rent": self._play(declared, lengths).rent}
        elif statement == "individually-rational":
            assert n is not None
            values = {"utility": self._utility(n, declared, lengths)}
        elif statement == "just":
            assert n is not None
            outputs = [self._play(declared, x).output[n] for x in (declared, lengths)]
            values = dict(zip(("planned", "output"), outputs, strict=True))
        elif statement == "accepts-every-input":
            n, values = self._refusal(declared, lengths)
        else:
            at, near = (self._limit(question, k, z) for k in (0, 1))
            values = {"utility": at, "limit": near}
        return PropertyWitness(n, declared, lengths, values)

    def _situation(self, question: Question, run: int, z: Vector) -> tuple[Profile, Profile]:
        """Declarations and lengths of a run at a point."""
        _, *numbers = question.runs[run].point(z)
        exact = tuple(Fraction(x, z[0]) for x in numbers)
        return exact[: self.agents], exact[self.agents :]

    def _play(self, declared: Profile, lengths: Profile) -> Outcome:
        return play(self.mechanism, declared, lengths, self.values)

    def _utility(self, n: int, declared: Profile, lengths: Profile) -> Extended:
        utilities = self._play(declared, lengths).utilities
        assert utilities is not None  # play() fills them in
        return utilities[n]

    def _refusal(self, declared: Profile, lengths: Profile) -> tuple[int | None, dict[str, Any]]:
        """Whose job never ends and that it does not; nobody and nothing where the input itself is refused."""
        try:
            output = self._play(declared, lengths).output
        except MechanismError:
            raise
        except InputError:
            return None, {}
        return output.index(INF), {"output": INF}

    def _limit(self, question: Question, run: int, z: Vector) -> Extended:
        """Utility at a point, or infinitely near it where the run drifts."""
        one, n = question.runs[run], question.agent
        assert n is not None
        point = one.point(z)
        results = self.tree.leaf(point, one.drift).results
        assert results is not None
        output, payment = (value_at(results[k], point) for k in (n, self.agents + n))
        numbers = [None if t is None else INF if isinstance(t, str) else t for t in (output, payment)]
        return utility(self.values[n], numbers[0], numbers[1] or Fraction(0))


def kills_liars(mechanism: DeclarationMechanism) -> bool:
    """Whether a job that never ends is the punishment of a lie."""
    one = mechanism.one if isinstance(mechanism, TwoRounds) else mechanism
    return one.tools.alive == "kill" if isinstance(one, OneRound) else bool(getattr(one, "kills_liars", False))


def in_advance(mechanism: DeclarationMechanism) -> bool:
    """Whether a rule of the package fixes payments before the run."""
    one = mechanism.one if isinstance(mechanism, TwoRounds) else mechanism
    return isinstance(one, OneRound) and one.payment not in AFTER_THE_RUN


def scope_of(mechanism: DeclarationMechanism, agents: int, lengths: Lengths) -> str:
    """For whom a verdict is said: agents, machines, set of lengths."""
    cluster = getattr(mechanism, "cluster", None)
    machines = ""
    if isinstance(cluster, Cluster):
        powers = [str(power) for power in cluster.powers]
        listed = powers[0] if len(powers) == 1 else f"{', '.join(powers[:-1])} and {powers[-1]}"
        machines = (
            f", {len(powers)} machines of powers {listed}" if len(powers) > 1 else f", 1 machine of power {listed}"
        )
    return f"{agents} agent{'s' if agents > 1 else ''}{machines}, {lengths}; not for all N"
