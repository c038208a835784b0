"""The built-in mechanisms: :func:`build` makes each of the ten rules from its name and options.

A one-round mechanism is four choices: the tools of the run (:mod:`.execution`), the payment (:mod:`.payments`), the
penalty for jobs alive at their planned end (:mod:`.penalties`) and the goal that the allocation maximises. Two rounds
are in :mod:`.rounds`.

Ties: between optimal allocations as ``ties`` says (``"sum"``: smallest sum of output times first, then the
lexicographically smallest places; ``"listed"``: only the latter); A_Sigma, from which the penalties are taken, always
the latter. S(b), planned time plus payment under EVCG, and the utilities of the truthful do not depend on ties.

Incentives never use that the allocation is optimal: with ``heuristic=True``, or any fixed function ``allocate`` from
declarations to an allocation, the EVCG rules keep them, only welfare is lost.

>>> from consortium.scheduling.clusters import Cluster
>>> mechanism = build("vcg-renice", Cluster.of([1]))
>>> outcome = mechanism.run([1, 3], [2, 3])
>>> outcome.output, outcome.payments, outcome.controls
((Fraction(3, 1), Fraction(6, 1)), (Fraction(4, 1), Fraction(1, 1)), (('renice',), ('early',)))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from ...scheduling.allocations import Allocation
from ...scheduling.clusters import Cluster, check_lengths
from ...scheduling.errors import InputError, MechanismError, unknown_name
from ...scheduling.exact import Extended, Rational, rational
from ...scheduling.optimal import optimal_allocation, optimal_sum, sum_allocation
from ...scheduling.welfare import Goal, SumOfTimes
from .catalogue import CUTOFF_NEEDED, HOLDBACKS, PENALTIES, SUM_ONLY
from .execution import Job, JobRun, Tools, run_machine
from .payments import Payment, after_the_run, in_advance
from .penalties import Cutoff, PenaltyRule, Situation, check_penalty
from .protocol import Outcome, Plan, call, check_profile, utility

if TYPE_CHECKING:
    from .rounds import TwoRounds

Ties = Literal["sum", "listed"]
Allocate = Callable[[tuple[Fraction, ...]], Allocation | Sequence[Sequence[int]]]
"""An allocation rule of your own: declarations to an allocation, or to each machine's agents in order (from 0)."""

DESIGNS: Mapping[str, tuple[Tools, Payment]] = MappingProxyType(
    {
        "straightforward": (Tools("run-on", close=False, early=False), "none"),
        "light-vcg": (Tools("run-on", close=False, early=False), "vcg"),
        "harsh": (Tools("kill", close=False, early=False), "none"),
        "vcg-renice": (Tools("renice"), "vcg"),
        "vcg-postpone": (Tools("postpone"), "vcg"),
        "evcg-renice": (Tools("renice"), "evcg"),
        "evcg-postpone": (Tools("postpone"), "evcg"),
        "postpone-unpaid": (Tools("postpone"), "none"),
        "verified": (Tools("run-on"), "verified"),
        "verified-printed": (Tools("run-on"), "verified-printed"),
    }
)
"""Tools and payment of each rule."""


@dataclass(frozen=True)
class OneRound:
    """A mechanism in one round; make it with :func:`build`, which checks that the options fit together.

    ``values`` (V_n, default 0) enter the utilities only. ``penalty`` and ``cutoff`` are ``None`` where unused.
    """

    rule: str
    cluster: Cluster
    tools: Tools
    payment: Payment
    goal: Goal = field(default_factory=SumOfTimes)
    penalty: PenaltyRule | None = None
    cutoff: Cutoff | None = None
    ties: Ties = "sum"
    heuristic: bool = False
    allocate: Allocate | None = None
    values: tuple[Fraction, ...] | None = None

    def allocation(self, declared: tuple[Fraction, ...]) -> Allocation:
        """Who runs where: the optimum of the goal for the declarations, or what ``allocate`` says."""
        if self.allocate is not None:
            return own_allocation(self.allocate, self.cluster, declared)
        if isinstance(self.goal, SumOfTimes):
            return sum_allocation(self.cluster, declared)
        return optimal_allocation(
            self.cluster, declared, self.goal, ties=self.ties, heuristic=self.heuristic
        ).allocation

    def plan(self, declared: Sequence[Rational]) -> Plan:
        """The realization stage: allocation, payments and penalties, a function of the declarations alone.

        Raises InputError for a length that is not positive, and where a declaration exceeds an absolute cut-off.
        """
        b = check_lengths(declared, "declared")
        if self.cutoff is not None:
            self.cutoff.check(b)
        allocation = self.allocation(b)
        planned = allocation.end_times(self.cluster, b)
        best = optimal_sum(self.cluster, b)
        return Plan(
            declared=b,
            allocation=allocation,
            places=allocation.places,
            planned=planned,
            payments=in_advance(self.payment, planned, best),
            penalties=self._penalties(b, allocation),
            optimal_sum=best,
            welfare=self.goal.value(planned),
            stayed=(True,) * len(b),
        )

    def run(self, declared: Sequence[Rational], lengths: Sequence[Rational]) -> Outcome:
        """Plan by the declarations, run the true lengths, and settle."""
        b, theta = check_profile(declared, lengths)
        return self.follow(self.plan(b), theta)

    def follow(self, plan: Plan, lengths: Sequence[Rational]) -> Outcome:
        """Run true lengths under a plan made before; ``run`` is ``follow(plan(declared), lengths)``."""
        theta = check_lengths(lengths, "lengths")
        runs = self._execute(plan, theta)
        output = tuple(run.output for run in runs)
        payments: tuple[Extended, ...]
        if plan.payments is not None:
            payments = plan.payments
        else:
            payments = after_the_run(
                self.payment,
                output,
                plan.declared,
                theta,
                lambda others: [run.output for run in self._execute(plan, others)],
            )
        values = self.values if self.values is not None else (Fraction(0),) * len(theta)
        if len(values) != len(theta):
            raise InputError(f"values: found {len(values)} for {len(theta)} agents; expected one each")
        return Outcome(
            output=output,
            payments=payments,
            utilities=tuple(utility(v, t, p) for v, t, p in zip(values, output, payments, strict=True)),
            stayed=plan.stayed,
            plan=plan,
            work=tuple(run.work for run in runs),
            controls=tuple(run.controls for run in runs),
            killed=tuple(run.killed for run in runs),
            welfare=self.goal.value(output),
        )

    def _penalties(self, declared: tuple[Fraction, ...], allocation: Allocation) -> tuple[Fraction | None, ...]:
        if self.penalty is None:
            return (None,) * len(declared)
        situation = Situation(
            cluster=self.cluster,
            declared=declared,
            machines=tuple(machine for machine, _ in allocation.places),
            behind=allocation.jobs_to_end,
        )
        if self.tools.alive == "renice":
            return situation.shares(self.penalty)
        return situation.durations(self.penalty, self.cutoff)

    def _execute(self, plan: Plan, lengths: tuple[Fraction, ...]) -> list[JobRun]:
        """Run every machine; answers in the order of the agents."""
        assert plan.allocation is not None
        planned = [end for end in plan.planned if end is not None]
        limits = {} if self.cutoff is None else {n: self.cutoff.limit(b) for n, b in enumerate(plan.declared)}
        runs: dict[int, JobRun] = {}
        for power, jobs in zip(self.cluster.powers, plan.allocation.lists, strict=True):
            listed = [Job(n, plan.declared[n], lengths[n], planned[n]) for n in jobs]
            static_end = planned[jobs[-1]] if jobs else Fraction(0)
            penalties = {n: self._penalty_of(plan, n, planned[n], static_end) for n in jobs}
            runs.update({run.agent: run for run in run_machine(power, listed, self.tools, penalties, limits)})
        return [runs[n] for n in range(len(lengths))]

    def _penalty_of(self, plan: Plan, agent: int, planned: Fraction, static_end: Fraction) -> Fraction:
        """What :func:`.execution.run_machine` takes: a share for renice, a release time for postpone."""
        penalty = plan.penalties[agent]
        if self.tools.alive == "postpone":
            return static_end if penalty is None else planned + penalty
        return Fraction(1) if penalty is None else penalty


def build(
    rule: str,
    cluster: Cluster,
    goal: Goal | None = None,
    *,
    penalty: object = None,
    cutoff: Cutoff | None = None,
    rounds: int = 1,
    holdback: str = "repaired",
    ties: Ties = "sum",
    heuristic: bool = False,
    allocate: Allocate | None = None,
    values: Sequence[Rational] | None = None,
) -> OneRound | TwoRounds:
    """Make one of the ten rules.

    Parameters
    ----------
    rule
        Its name, see :data:`.catalogue.RULES`.
    cluster
        The machines.
    goal
        What the institution maximises; default the negated sum of output times.
    penalty
        A name, a number or a list of numbers, see :mod:`.penalties`; default ``"repaired"`` for renice and ``"exact"``
        for postpone.
    cutoff
        Bound on the work of postponed jobs; default none.
    rounds
        2 lets agents leave once they know the price (``vcg-*`` and ``evcg-*``).
    holdback
        In two rounds: ``"repaired"``, or ``"printed"`` as the thesis has it, under which lies can pay.
    ties, heuristic, allocate
        How the allocation is chosen, see the module.
    values
        V_n per agent; default 0.

    Raises
    ------
    UnknownNameError
        A name is not known.
    InputError
        Options do not fit: a penalty or cut-off that the rule does not use, a penalty without the cut-off that it
        needs, a goal other than the sum where only the sum is defined, two rounds for a rule without them.

    Examples
    --------
    >>> from consortium.scheduling.clusters import Cluster
    >>> build("harsh", Cluster.of([1, 2]), penalty="safe")
    Traceback (most recent call last):
        ...
    consortium.scheduling.errors.InputError: mechanism.penalty: rule 'harsh' takes none, found 'safe'
    """
    if rule not in DESIGNS:
        raise unknown_name("mechanism.rule", rule, DESIGNS)
    tools, payment = DESIGNS[rule]
    chosen = _penalty(rule, tools, penalty)
    _check_cutoff(rule, tools, chosen, cutoff)
    goal = SumOfTimes() if goal is None else goal
    by_sum = isinstance(goal, SumOfTimes) and allocate is None
    for what, needs_sum in ((f"rule {rule!r}", rule in SUM_ONLY), ("penalty 'static-end'", chosen == "static-end")):
        if needs_sum and not by_sum:
            found = repr(goal.id) if allocate is None else "an allocation rule of your own"
            raise InputError(f"welfare.goal: {what} is defined for the goal 'sum' only, found {found}")
    if ties not in ("sum", "listed"):
        raise unknown_name("welfare.ties", ties, ("sum", "listed"))
    one = OneRound(
        rule=rule,
        cluster=cluster,
        tools=tools,
        payment=payment,
        goal=goal,
        penalty=chosen,
        cutoff=cutoff,
        ties=ties,
        heuristic=heuristic,
        allocate=allocate,
        values=None if values is None else tuple(rational(v, f"values[{i}]") for i, v in enumerate(values, 1)),
    )
    return _rounds(one, rounds, holdback)


def own_allocation(allocate: Allocate, cluster: Cluster, declared: tuple[Fraction, ...]) -> Allocation:
    """What an allocation rule of one's own says, checked: every agent once, one list per machine.

    >>> own_allocation(lambda declared: [[1, 0], []], Cluster.of([1, 2]), (Fraction(2), Fraction(1))).places
    ((0, 1), (0, 0))
    """
    found = call(allocate, "allocate", declared=declared)
    if not isinstance(found, Allocation):
        try:
            found = Allocation(tuple(tuple(machine) for machine in found))
        except (TypeError, InputError):
            raise MechanismError(
                f"allocate: found {found!r}; expected an Allocation, or per machine the list of its agents in order, "
                f"every number from 0 to {len(declared) - 1} once"
            ) from None
    if len(found.lists) != cluster.n_machines or found.n_jobs != len(declared):
        raise MechanismError(
            f"allocate: found {len(found.lists)} lists with {found.n_jobs} agents; expected one list per machine, "
            f"{cluster.n_machines} in all, with {len(declared)} agents"
        )
    return found


def _rounds(one: OneRound, rounds: int, holdback: str) -> OneRound | TwoRounds:
    if holdback not in HOLDBACKS:
        raise unknown_name("mechanism.holdback", holdback, HOLDBACKS)
    if rounds == 1:
        return one
    if rounds != 2:
        raise InputError(f"mechanism.rounds: found {rounds!r}; expected 1 or 2")
    if not one.rule.startswith(("vcg-", "evcg-")):
        raise InputError(f"mechanism.rounds: rule {one.rule!r} has one round only, found 2")
    from .rounds import TwoRounds  # here, because two rounds are built from one

    return TwoRounds(one, holdback)


def _penalty(rule: str, tools: Tools, penalty: object) -> PenaltyRule | None:
    if rule not in PENALTIES:
        if penalty is not None:
            raise InputError(f"mechanism.penalty: rule {rule!r} takes none, found {penalty!r}")
        return None
    return PENALTIES[rule][0] if penalty is None else check_penalty(penalty, tools.alive)


def _check_cutoff(rule: str, tools: Tools, penalty: PenaltyRule | None, cutoff: Cutoff | None) -> None:
    if cutoff is not None and tools.alive != "postpone":
        raise InputError(f"mechanism.cutoff: rule {rule!r} takes none, found {cutoff.kind} = {cutoff.bound}")
    needed = CUTOFF_NEEDED.get(penalty) if tools.alive == "postpone" and isinstance(penalty, str) else None
    if needed is not None and (cutoff is None or cutoff.kind != needed):
        found = "none" if cutoff is None else f"the {cutoff.kind} one"
        raise InputError(f"mechanism.cutoff: penalty {penalty!r} needs the {needed} cut-off, found {found}")
