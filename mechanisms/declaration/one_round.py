"""One round: allocate by the declarations, run the true lengths, settle.

A one-round mechanism is four choices: the tools of the run (:mod:`.execution`), the payment, the penalty for jobs alive
at their planned end (:mod:`.penalties`) and the goal that the allocation maximises.

Payments, with ``E`` the planned output times and ``S(b)`` the smallest sum of output times for the declarations:

- ``none``: 0;
- ``vcg`` (Agmon 2003, 5.1): what the others wait, ``sum of E_k over k != n``;
- ``evcg`` (6.1): ``S(b) - E_n``; equal to ``vcg`` where the allocation attains S(b);
- ``shapley-share``, ``equal-share``, ``full-time``, ``bystander``, and ``designed`` by a formula or a table: see
  :mod:`.prices`;
- ``verified`` (4.4, after Nisan and Ronen): known after the run only. ``-T_n(b, theta)`` plus the sum over all agents
  ``k`` of ``T_k(b, (theta_n, b_-n))``, the output times had everybody but her been truthful; the agent then bears
  exactly that sum. ``verified-printed`` sums over ``k != n`` as the thesis prints it, and truth is no longer a best
  reply.

Ties: between optimal allocations as ``ties`` says (``"sum"``: smallest sum of output times first, then the
lexicographically smallest places; ``"listed"``: only the latter); A_Sigma, from which the penalties are taken, always
the latter. S(b), planned time plus payment under EVCG, and the utilities of the truthful do not depend on ties.

Incentives never use that the allocation is optimal: with ``heuristic=True``, or any fixed function ``allocate`` from
declarations to an allocation, the EVCG rules keep them, only welfare is lost.

>>> mechanism = OneRound("vcg-renice", Cluster.of([1]), Tools("renice"), "vcg", penalty="repaired")
>>> outcome = mechanism.run([1, 3], [2, 3])
>>> outcome.output, outcome.payments, outcome.controls
((Fraction(3, 1), Fraction(6, 1)), (Fraction(4, 1), Fraction(1, 1)), (('renice',), ('early',)))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from operator import index
from typing import Literal

from ...scheduling.allocations import Allocation
from ...scheduling.clusters import Cluster, check_lengths
from ...scheduling.goals import SumOfTimes
from ...scheduling.optimal import optimal_allocation
from ...scheduling.sums import sum_allocation
from ...scheduling.welfare import Goal
from ...support.errors import InputError, MechanismError, quote
from ...support.exact import Extended, Rational
from ..custom import call, entries
from .claims import AFTER_THE_RUN, Payment
from .execution import Job, JobRun, Tools, run_machine
from .penalties import Cutoff, PenaltyRule, Situation
from .prices import Formula, Price, Quantities, Table, payments
from .protocol import Outcome, Plan, Welfare, check_profile, utility

Ties = Literal["sum", "listed"]
Allocate = Callable[[tuple[Fraction, ...]], Allocation | Sequence[Sequence[int]]]
"""An allocation rule of your own: declarations to an allocation, or to each machine's agents in order (from 0)."""


@dataclass(frozen=True)
class OneRound:
    """A mechanism in one round; make it with :func:`.factory.build`, which checks that the options fit together.

    ``values`` (V_n, default 0) enter the utilities only. ``penalty`` and ``cutoff`` are ``None`` where unused.
    """

    rule: str
    cluster: Cluster
    tools: Tools
    payment: Payment
    goal: Goal = field(default_factory=SumOfTimes)
    penalty: PenaltyRule | Formula | None = None
    cutoff: Cutoff | None = None
    ties: Ties = "sum"
    heuristic: bool = False
    allocate: Allocate | None = None
    values: tuple[Fraction, ...] | None = None
    price: Price | None = None

    def allocation(self, declared: tuple[Fraction, ...]) -> Allocation:
        """Who runs where: the optimum of the goal for the declarations, or what ``allocate`` or a table says."""
        if isinstance(self.price, Table) and (designed := self.price.row(declared).allocation) is not None:
            return designed
        if self.allocate is not None:
            return own_allocation(self.allocate, self.cluster, declared)
        if self.goal.by_sum:
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
        of = Quantities.of(self.cluster, b, self.allocation(b))
        return Plan(
            declared=b,
            allocation=of.allocation,
            places=of.allocation.places,
            planned=of.planned,
            payments=None if self.payment in AFTER_THE_RUN else self.payments(of),
            penalties=self.penalties(of),
            optimal_sum=of.least,
            welfare=self.welfare(of.planned),
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
        paid = self._bills(plan, theta, output) if plan.payments is None else plan.payments
        worth = self.worth(len(theta))
        return Outcome(
            output=output,
            payments=paid,
            utilities=tuple(utility(v, t, p) for v, t, p in zip(worth, output, paid, strict=True)),
            stayed=plan.stayed,
            plan=plan,
            work=tuple(tuple(run.work) for run in runs),
            controls=tuple(tuple(run.controls) for run in runs),
            killed=tuple(run.killed for run in runs),
            welfare=self.welfare(output),
        )

    def worth(self, n_agents: int) -> tuple[Fraction, ...]:
        """V_n of so many agents. Raises InputError where there are values for another number of them."""
        values = self.values if self.values is not None else (Fraction(0),) * n_agents
        if len(values) != n_agents:
            raise InputError(f"values: found {len(values)} for {n_agents} agents; expected one each")
        return values

    def welfare(self, times: Sequence[Extended]) -> Welfare:
        """What the goal says of output times, planned or in the end; a proof, which needs none of it, leaves it out."""
        return self.goal.value(times)

    def payments(self, of: Quantities) -> tuple[Fraction, ...]:
        """What everybody pays in advance."""
        if self.price is not None:
            return self.price.payments(of)
        return (Fraction(0),) * len(of.declared) if self.payment == "none" else payments(self.payment, of)

    def penalties(self, of: Quantities) -> tuple[Fraction | None, ...]:
        """Everybody's share after a renice, or wait of a postponed remainder; ``None`` where there is none."""
        if self.penalty is None:
            return (None,) * len(of.declared)
        if isinstance(self.penalty, Formula):
            return tuple(max(Fraction(0), wait) for wait in self.penalty.payments(of))
        situation = Situation(
            cluster=self.cluster,
            declared=of.declared,
            machines=tuple(machine for machine, _ in of.allocation.places),
            behind=of.allocation.jobs_to_end,
        )
        if self.tools.alive == "renice":
            return situation.shares(self.penalty)
        return situation.durations(self.penalty, self.cutoff)

    def _bills(self, plan: Plan, lengths: tuple[Fraction, ...], output: Sequence[Extended]) -> tuple[Extended, ...]:
        """Payments of the verified rules, known after the run: it is run again as if all others had been truthful."""
        bills: list[Extended] = []
        for n, length in enumerate(lengths):
            times = [run.output for run in self._execute(plan, (*plan.declared[:n], length, *plan.declared[n + 1 :]))]
            bills.append(sum(t for k, t in enumerate(times) if self.payment == "verified" or k != n) - output[n])
        return tuple(bills)

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


def own_allocation(allocate: Allocate, cluster: Cluster, declared: tuple[Fraction, ...]) -> Allocation:
    """What a custom allocation rule says, checked: every agent once, one list per machine.

    >>> own_allocation(lambda declared: [[1, 0], []], Cluster.of([1, 2]), (Fraction(2), Fraction(1))).places
    ((0, 1), (0, 0))
    """
    answer = call(allocate, "allocate", declared=declared)
    if not isinstance(answer, Allocation):
        what = f"an Allocation, or per machine its agents in order, every number from 0 to {len(declared) - 1} once"
        read = partial(entries, where="allocate", what=what, declared=declared)
        lists = [list(read(machine)) for machine in read(answer)]
        try:
            answer = Allocation(tuple(tuple(map(index, machine)) for machine in lists))
        except (TypeError, InputError):
            raise MechanismError(f"allocate: found {quote(lists)}; expected {what}") from None
    if len(answer.lists) != cluster.n_machines or answer.n_jobs != len(declared):
        raise MechanismError(
            f"allocate: found {len(answer.lists)} lists with {answer.n_jobs} agents; expected one list per machine, "
            f"{cluster.n_machines} in all, with {len(declared)} agents"
        )
    return answer
