"""Everything that can be asked of a mechanism on a finite domain: cases, who judges them, and how they are looked at.

Each of four questions is a judge of its own cases: truth and coalitions (:mod:`.running`), properties
(:mod:`.properties`), expectations (:mod:`.expectations`). Cases are looked at in tables, for the built-in rules in one
round, by running the mechanism, or in a random sample; :func:`.running.conclude` makes the answer of what they show. A
:class:`Verifier` asks several questions of one mechanism, with plans and runs made once; the functions ask one of them.

After Ctrl-C, or when time is up, what comes next is not begun: its answers are open, with no case tried.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> domain = Domain.of([1, 2, 3], agents=3)
>>> postpone = check_incentives(build("evcg-postpone", Cluster.of([1, 2])), domain)
>>> postpone.holds, postpone.cases, postpone.max_gain
(True, 1458, Fraction(0, 1))
>>> light = check_incentives(build("light-vcg", Cluster.of([1, 2])), domain, "ex-post")
>>> light.holds, light.max_gain, light.witness.lie, light.witness.lengths
(False, Fraction(1, 1), Fraction(1, 1), (Fraction(1, 1), Fraction(3, 1), Fraction(3, 1)))
>>> pairs = check_groups(build("vcg-postpone", Cluster.of([1])), Domain.of([1, 2, 3], agents=2), Coalitions((1, 2)))
>>> pairs.dominant.holds, pairs.dominant.cases, pairs.ex_post.holds
(False, 180, False)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypedDict, TypeVar, Unpack

from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.protocol import DeclarationMechanism, OnCluster
from ...scheduling.goals import SumOfTimes
from ...scheduling.welfare import Goal
from ...support.errors import unknown_name
from ...support.interrupts import noticed
from ...support.progress import Clock, Progress
from .coalitions import Coalitions, GroupWitness
from .cost import USUAL, Budget, affordable, choose_method, costs, estimate, property_cost
from .domain import CONCEPTS, Concept, Domain, check_concept
from .expectations import Expectations
from .joint_tables import JointTables
from .orbits import plan_domain
from .plans import Plans
from .prior import Prior
from .prior_tables import Tabulated
from .properties import Property, by_construction, property_parts, undefined
from .results import (
    MARGINS,
    PROPERTIES,
    BayesianCheck,
    ByConcept,
    Check,
    Properties,
    PropertyWitness,
    Witness,
)  # fmt: skip
from .running import JointLies, Judge, Runs, Truth, Values, check_by_running, conclude
from .truth_tables import covers, truth_parts

W = TypeVar("W")


class Options(TypedDict, total=False):
    """How a question is answered, see :class:`Verifier`."""

    method: str
    sample: int | None
    seed: int
    values: Values
    progress: Progress | None
    time_limit: float | None
    budget: Budget
    plans: Plans | None


@dataclass(frozen=True)
class Audit:
    """Both concepts of incentive compatibility, all properties, and what else was requested.

    ``bayesian``: expectations where there is a prior; ``groups``: coalitions.
    """

    incentives: ByConcept[Check[Witness]]
    properties: Properties
    bayesian: BayesianCheck | None = None
    groups: ByConcept[Check[GroupWitness] | None] | None = None

    @property
    def complete(self) -> bool:
        """Whether every answer covers the whole domain."""
        parts = (self.incentives, self.properties, self.bayesian, self.groups)
        return all(part is None or part.complete for part in parts)


@dataclass
class Verifier:
    """Questions about one mechanism on one domain; plans and runs are made once, one clock ends all.

    Attributes
    ----------
    mechanism
        A built-in mechanism, or any object with ``run(declared, lengths)``.
    domain
        Possible lengths and declarations.
    method
        ``"kernel"`` (tables: built-in rules in one round) or ``"general"`` (anything, by running); ``"auto"`` takes the
        kernel where it applies.
    sample
        Try so many random cases instead of all; ``seed`` fixes which.
    values
        The agents' valuations, for a mechanism that has none of its own (the built-in ones are built with them).
    progress, time_limit
        Who hears how far it is, and the seconds after which to stop with what there is.
    budget
        Refuse work that is predicted to take more.
    plans
        Plans of the same mechanism and domain for the concept ``"dominant"``, see :func:`.orbits.plan_domain`.
    stopped
        Ctrl-C or the clock cut an answer short, or a custom mechanism is impossible: nothing more is begun.
    kept
        Properties that are answered already.
    """

    mechanism: DeclarationMechanism
    domain: Domain
    method: str = "auto"
    sample: int | None = None
    seed: int = 0
    values: Values = None
    progress: Progress | None = None
    time_limit: float | None = None
    budget: Budget = USUAL
    plans: Plans | None = None
    stopped: bool = False
    kept: dict[str, Check[PropertyWitness]] = field(default_factory=dict)
    clock: Clock = field(init=False)

    def __post_init__(self) -> None:
        self.clock = Clock(self.time_limit)

    @cached_property
    def runs(self) -> Runs:
        """Runs of the mechanism, remembered for all questions."""
        return Runs(self.mechanism, self.values)

    def plan(self, concept: Concept = "dominant") -> Plans:
        """The plans that tables of a concept need; those for dominant serve everything and are kept."""
        assert isinstance(self.mechanism, OneRound)  # the kernel covers nothing else
        if self.plans is not None:
            return self.plans
        plans = plan_domain(self.mechanism, self.domain, concept, progress=self.progress, clock=self.clock)
        if concept == "dominant":
            self.plans = plans
        return plans

    def truth(self, concept: Concept) -> Check[Witness]:
        """Whether the truth is a best reply. Raises TooLargeError where that is predicted to be beyond the budget."""
        method = choose_method(self.mechanism, self.method, self.sample)
        if self.stopped:
            return Check.of_nothing(concept, self.domain.cases(concept), method)
        if method == "general" or (method == "kernel" and self.plans is None):
            estimate(self.mechanism, self.domain, concept, method=method).refuse(self.budget)
        judge = Truth(self.runs, self.domain, concept)
        if method == "kernel" and covers(self.mechanism):
            return self._concluded(judge, truth_parts(self.mechanism, self.plan(concept), concept, self.progress))
        return self._concluded(judge)

    def incentives(self) -> ByConcept[Check[Witness]]:
        """Both concepts; plans are made once."""
        method = choose_method(self.mechanism, self.method, self.sample)
        if method == "kernel" and self.plans is None and not self.stopped:
            estimate(self.mechanism, self.domain).refuse(self.budget)
            self.plan()
        return ByConcept(*(self.truth(concept) for concept in CONCEPTS))

    def groups(self, coalitions: Coalitions) -> ByConcept[Check[GroupWitness] | None]:
        """Whether no joint lie pays, in the concepts that ``coalitions`` names.

        Raises TooLargeError as :meth:`truth` does.
        """
        method = choose_method(self.mechanism, self.method, self.sample)
        if not self.stopped and self.sample is None:
            planned = self.plans is not None
            size = estimate(self.mechanism, self.domain, method=method, coalitions=coalitions, planned=planned)
            size.refuse(self.budget)
        checks: dict[Concept, Check[GroupWitness]] = {}
        for concept in coalitions.concepts:
            judge = JointLies(self.runs, self.domain, concept, coalitions)
            if self.stopped:
                checks[concept] = Check.of_nothing(concept, judge.total, method)
            else:
                checks[concept] = self._concluded(judge, self._joint_parts(judge) if method == "kernel" else None)
        return ByConcept(checks.get("dominant"), checks.get("ex-post"))

    def _joint_parts(self, judge: JointLies) -> Iterator[tuple[int, Any]]:
        """From the tables, which are made when the first part is taken: by then Ctrl-C is listened to."""
        yield from self.joint_tables.parts(judge)

    @cached_property
    def joint_tables(self) -> JointTables:
        """Everybody's tables, which serve both concepts."""
        assert isinstance(self.mechanism, OneRound)
        return JointTables(self.mechanism, self.plan(), self.progress)

    def property(self, name: str, any_others: bool = False) -> Check[PropertyWitness]:
        """One of :data:`.results.PROPERTIES`; ``any_others`` is for the margins.

        Raises UnknownNameError for another property, InputError when the mechanism refuses a declaration
        (``accepts_every_input`` reports that), TooLargeError when tables do not fit or the budget is too small.
        """
        if name not in PROPERTIES:
            raise unknown_name("property", name, PROPERTIES)
        any_others = any_others and name in MARGINS
        if self.stopped:
            return Check.of_nothing(name, 0, "")
        judge = Property(self.runs, self.domain, name, any_others)
        if undefined(self.mechanism, name):
            return Check.of_nothing(name, judge.total, "", complete=True)
        if self.sample is None and by_construction(self.mechanism, name):
            return self._concluded(judge, iter([(judge.total, None)]))
        if self.sample is None and covers(self.mechanism):
            plans = None if name in ("accepts_every_input", "priced_in_advance") else self.plan()
            return self._concluded(judge, property_parts(self.mechanism, judge, plans))
        if self.sample is None and name != "accepts_every_input":  # which has to find out whether it runs at all
            for cost in property_cost(self.mechanism, self.domain, judge.total):
                cost.refuse(self.budget)
        return self._concluded(judge)

    def properties(self) -> Properties:
        """All properties, and the margins again with arbitrary others."""
        checks = {name: self.kept.get(name) or self.property(name) for name in PROPERTIES}
        return Properties(**checks, any_others={name: self.property(name, any_others=True) for name in MARGINS})

    def bayesian(self, prior: Prior, goal: Goal | None = None) -> BayesianCheck:
        """Compare what a truthful agent expects with what every lie promises, for all her likely lengths.

        The others are truthful; a sample tries nothing. ``goal``: what welfare is for a mechanism that tells none,
        default the sum of output times. An unfinished answer has the lengths that were come to. Raises InputError
        where a likely length is none of the domain, MechanismError where a utility has no expectation, because it is
        ``inf`` and ``-inf``, both with positive probability.
        """
        method = choose_method(self.mechanism, self.method, self.sample)
        judge = Expectations(self.runs, self.domain, prior, goal or SumOfTimes(), self.progress, self.clock)
        tables = method == "kernel" and covers(self.mechanism)
        if tables and isinstance(self.mechanism, OneRound):
            judge = Tabulated(self.mechanism, self.plan("ex-post"), judge)
        check, expected = self._concluded(judge, judge.parts() if tables else None), None
        if sum(map(len, judge.interim)) == sum(map(len, prior.support)):
            with suppress(KeyboardInterrupt, TimeoutError):
                expected = judge.expected()
        self.stopped |= expected is None and self.sample is None
        return BayesianCheck(
            **{
                **vars(check),
                "holds": check.holds if expected is not None or check.holds is False else None,
                "complete": expected is not None,
            },
            interim=tuple(judge.interim),
            least=None if expected is None else min(row[x] for own in judge.interim for x, row in own.items()),
            expected=expected,
        )

    def _concluded(self, judge: Judge[Any, W], parts: Iterator[tuple[int, Any]] | None = None) -> Check[W]:
        """The answer from tables, else by running; that it was cut short is noted, even of a sample."""
        watch: dict[str, Any] = {"progress": self.progress, "clock": self.clock}
        with noticed() as interrupted:
            if parts is None:
                check = check_by_running(judge, sample=self.sample, seed=self.seed, **watch)
            else:
                check = conclude(judge, parts, "kernel", **watch)
        self.stopped |= interrupted() or check.stopped
        return check


def check_incentives(
    mechanism: DeclarationMechanism, domain: Domain, concept: Concept = "dominant", **options: Unpack[Options]
) -> Check[Witness]:
    """Check incentive compatibility on a finite domain.

    Parameters
    ----------
    mechanism, domain, options
        As for :class:`Verifier`.
    concept
        ``"dominant"`` (Agmon 2003, definition 4.1) or ``"ex-post"`` (4.2).

    Returns
    -------
    Check
        Exact verdict with the number of comparisons and a witness where a lie pays.

    Raises
    ------
    TooLargeError
        The prediction (:func:`.cost.estimate`) is beyond the budget and no sample was requested.
    InputError, UnknownNameError
        Arguments do not fit together.
    """
    return Verifier(mechanism, domain, **options).truth(check_concept(concept))


def check_groups(
    mechanism: DeclarationMechanism, domain: Domain, coalitions: Coalitions, **options: Unpack[Options]
) -> ByConcept[Check[GroupWitness] | None]:
    """Check group strategyproofness in the concepts of ``coalitions``; errors as in :func:`check_incentives`."""
    return Verifier(mechanism, domain, **options).groups(coalitions)


def check_properties(mechanism: DeclarationMechanism, domain: Domain, **options: Unpack[Options]) -> Properties:
    """Check all of :data:`.results.PROPERTIES`, and the margins again with arbitrary others.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> answer = check_properties(build("harsh", Cluster.of([1])), Domain.of([1, 2], agents=2))
    >>> [name for name in PROPERTIES if not getattr(answer, name).holds]
    ['upper_margin', 'lower_margin', 'individually_rational']
    """
    return Verifier(mechanism, domain, **options).properties()


def check_bayesian(
    mechanism: DeclarationMechanism, domain: Domain, prior: Prior, goal: Goal | None = None, **options: Unpack[Options]
) -> BayesianCheck:
    """Check Bayesian incentive compatibility, see :meth:`Verifier.bayesian`.

    A mechanism that is incentive compatible ex post is so under every prior; the converse fails.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> thirds = Prior.of([{1: "1/3", 2: "1/3", 3: "1/3"}] * 2)
    >>> light = check_bayesian(build("light-vcg", Cluster.of([1])), Domain.of([1, 2, 3], agents=2), thirds)
    >>> light.holds, light.max_gain, light.witness.length, light.witness.lie
    (False, Fraction(1, 1), Fraction(3, 1), Fraction(1, 1))
    """
    return Verifier(mechanism, domain, **options).bayesian(prior, goal)


def audit(
    mechanism: DeclarationMechanism,
    domain: Domain,
    *,
    prior: Prior | None = None,
    goal: Goal | None = None,
    coalitions: Coalitions | None = None,
    **options: Unpack[Options],
) -> Audit:
    """Check both concepts and all properties, expectations under a ``prior`` and joint lies of ``coalitions``.

    Where a custom mechanism hands out what no schedule can keep, nothing else is asked of it: all else is open.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> answer = audit(build("vcg-postpone", Cluster.of([1, 2])), Domain.of([1, 2], agents=2))
    >>> answer.incentives.dominant.holds, answer.properties.just.holds, answer.complete
    (True, True, True)
    """
    verifier, tables = Verifier(mechanism, domain, **options), True
    if verifier.sample is None:
        parts = costs(mechanism, domain, method=verifier.method, prior=prior, coalitions=coalitions)
        tables = affordable(parts, verifier.method, verifier.budget)
        verifier.budget = Budget(None, None)  # all parts were predicted
        if not tables:
            verifier.method = "general"  # which remembers no more than there is time to run
        elif covers(mechanism):
            verifier.plan()
    impossible = False
    if isinstance(mechanism, OnCluster):
        verifier.kept["feasible"] = verifier.property("feasible")
        impossible = verifier.kept["feasible"].holds is False
        verifier.stopped |= impossible
    bayesian = None if prior is None or impossible else verifier.bayesian(prior, goal)
    incentives = verifier.incentives()
    groups = None if coalitions is None else verifier.groups(coalitions)
    verifier.stopped |= not tables
    return Audit(incentives, verifier.properties(), bayesian, groups)
