"""Two rounds: agents learn their price and may leave; those who stay play again with the same declarations.

Model (Agmon 2003, 7.5). Round 1 announces planned times ``E_n`` and payments ``P_n`` for all agents; ``n`` stays if
and only if ``V_n >= E_n + P_n`` (under EVCG the same ``S_N(b)`` for everybody). Round 2 is the one-round mechanism
among the stayers. Since a lie could drive others out, a liar who stays gets her output not before
``E_n^ + S_N(theta_n, b_-n) - S_N^(b)``, where ``S_N`` is over all agents and ``S_N^`` over the stayers (*hold-back*).
Both sums over the stayers, ``holdback = "printed"``, is how (7.5) prints it; then lies can pay. ``"hold"`` is among an
agent's controls when the hold-back is what delays her.

A goal that tells agents apart is restricted to the stayers (:meth:`consortium.scheduling.Goal.among`): the weights of
leavers drop out, and in an expression (or another goal not known to be symmetric) a leaver's output time counts as 0.
When nobody stays, nothing runs.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> two = build("evcg-postpone", Cluster.of([1]), rounds=2, values=[10, "7/2"])
>>> two.run([2, 1], [1, 1]).stayed, two.run([2, 1], [1, 1]).utilities
((True, False), (Fraction(7, 1), Fraction(0, 1)))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

from ...scheduling.clusters import Cluster, check_lengths
from ...scheduling.sums import optimal_sum
from ...scheduling.welfare import Goal
from ...support.errors import InputError
from ...support.exact import Extended, Rational
from .one_round import OneRound
from .protocol import Offer, Outcome, Plan, check_profile, utility


@dataclass(frozen=True)
class TwoRounds:
    """A one-round mechanism that agents may leave once they know the price; make it with :func:`.factory.build`."""

    one: OneRound
    holdback: str = "repaired"

    @property
    def rule(self) -> str:
        """Name of the rule."""
        return self.one.rule

    @property
    def cluster(self) -> Cluster:
        """The machines."""
        return self.one.cluster

    @property
    def goal(self) -> Goal:
        """What the institution maximises."""
        return self.one.goal

    @property
    def values(self) -> tuple[Fraction, ...] | None:
        """V_n per agent, ``None`` for 0; they decide who stays."""
        return self.one.values

    def plan(self, declared: Sequence[Rational]) -> Plan:
        """Both realization stages; times, payments and penalties are the second round's, the offer the first's."""
        first = self.one.plan(declared)
        assert first.payments is not None
        offer = Offer(tuple(end for end in first.planned if end is not None), first.payments)
        values = self.one.worth(len(first.declared))
        stayed = tuple(v >= t + p for v, t, p in zip(values, offer.planned, offer.payments, strict=True))
        members = [n for n, stays in enumerate(stayed) if stays]
        if len(members) == len(stayed):
            return replace(first, first_round=offer, second_round=first)
        second = self.among(members, len(stayed)).plan([first.declared[n] for n in members])
        return replace(
            first,
            allocation=None,
            places=_spread(second.places, members, stayed, None),
            planned=_spread(second.planned, members, stayed, None),
            payments=_spread(second.payments or (), members, stayed, Fraction(0)),
            penalties=_spread(second.penalties, members, stayed, None),
            welfare=second.welfare,
            stayed=stayed,
            first_round=offer,
            second_round=second,
        )

    def run(self, declared: Sequence[Rational], lengths: Sequence[Rational]) -> Outcome:
        """Both rounds, the run of those who stayed, and the hold-back."""
        b, theta = check_profile(declared, lengths)
        return self.follow(self.plan(b), theta)

    def follow(self, plan: Plan, lengths: Sequence[Rational]) -> Outcome:
        """Run true lengths under a plan made before; ``run`` is ``follow(plan(declared), lengths)``."""
        theta = check_lengths(lengths, "lengths")
        members = [n for n, stays in enumerate(plan.stayed) if stays]
        among = self.among(members, len(theta))
        assert plan.second_round is not None
        run = among.follow(plan.second_round, [theta[n] for n in members])
        output, controls = self._hold_back(plan, theta, members, run)
        spread_output = _spread(output, members, plan.stayed, None)
        payments = plan.payments or ()
        values = self.one.worth(len(theta))
        return Outcome(
            output=spread_output,
            payments=payments,
            utilities=tuple(utility(v, t, p) for v, t, p in zip(values, spread_output, payments, strict=True)),
            stayed=plan.stayed,
            plan=plan,
            work=_spread(run.work or (), members, plan.stayed, ()),
            controls=_spread(controls, members, plan.stayed, ()),
            killed=_spread(run.killed or (), members, plan.stayed, False),
            welfare=among.welfare(output),
        )

    def _hold_back(
        self, plan: Plan, lengths: tuple[Fraction, ...], members: list[int], run: Outcome
    ) -> tuple[list[Extended], list[tuple[str, ...]]]:
        """Output times and controls of the stayers after the hold-back."""
        stayers = [plan.declared[n] for n in members]
        least = optimal_sum(self.cluster, stayers) if stayers else Fraction(0)
        output, controls = [t for t in run.output if t is not None], list(run.controls or ())
        for place, n in enumerate(members):
            if lengths[n] == plan.declared[n]:
                continue
            if self.holdback == "repaired":
                honest = [*plan.declared[:n], lengths[n], *plan.declared[n + 1 :]]
            else:
                honest = [*stayers[:place], lengths[n], *stayers[place + 1 :]]
            planned = plan.planned[n]
            assert planned is not None
            held = planned + optimal_sum(self.cluster, honest) - least
            if held > output[place]:
                output[place] = held
                controls[place] = (*controls[place], "hold")
        return output, controls

    def among(self, members: list[int], n_agents: int) -> OneRound:
        """The one-round mechanism for the stayers only."""
        one = self.one
        if len(members) == n_agents:
            return one
        values, penalty = one.values, one.penalty
        return replace(
            one,
            goal=one.goal.among(members, n_agents),
            values=None if values is None else tuple(values[n] for n in members),
            penalty=tuple(penalty[n] for n in members) if isinstance(penalty, tuple) else penalty,
        )


def one_round_of(mechanism: object) -> OneRound | None:
    """The rule of a built-in mechanism, in one round or two; ``None`` of any other."""
    one = mechanism.one if isinstance(mechanism, TwoRounds) else mechanism
    return one if isinstance(one, OneRound) else None


def refuse_table(mechanism: object, where: str) -> None:
    """Raise InputError where a mechanism has prices for some declarations only."""
    one = one_round_of(mechanism)
    if one is not None and one.price is not None and not one.price.for_all_lengths:
        raise InputError(
            f"{where}: found rule {one.rule!r} with a table of prices, which refuses declarations off it; expected a "
            "rule for all lengths, such as a price that is a formula"
        )


_T = TypeVar("_T")


def _spread(some: Sequence[_T], members: Sequence[int], stayed: Sequence[bool], absent: _T) -> tuple[_T, ...]:
    """Answers of the stayers in the numbering of all agents, ``absent`` for leavers."""
    by_agent = dict(zip(members, some, strict=True))
    return tuple(by_agent.get(n, absent) for n in range(len(stayed)))
