"""What an audit says: rows per rule, rows per organization, sentences, and one window over time."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from ...mechanisms.sharing.instance import SharingInstance
from ...mechanisms.sharing.outcome import SharingOutcome
from ...scheduling.exact import Rational
from ...workloads.partition import OTHERS
from ...workloads.windows import SharedWork
from ..records import Statistic
from .windows import RECORDED, Choice, RuleResult, WindowResult, instance_of, recorded, rule_seed, run_choice

MOMENTS: Final = 24


@dataclass(frozen=True)
class OrganizationRow:
    """One organization under one rule, all windows together.

    Attributes
    ----------
    machines
        Average over the windows (the same everywhere unless ranks are random).
    share, usage
        S and U: parts of the machines, and of the machine time used under the rule.
    factor, level
        ``2**(-U/S)`` and ``S/U``; ``None`` where they do not exist.
    utility, contribution
        psi under the rule, and the Shapley value that REF finds for it.
    fair
        psi in REF's schedule.
    excess, fair_excess
        ``utility / contribution - 1`` and ``fair / contribution - 1`` in per cent; ``None`` unless the contribution is
        positive. Who has little work and lends machines receives less than it contributes under any rule.
    delay
        ``(fair - utility) / parts``: seconds by which a unit of its work was done later than in REF's schedule, on
        average (negative: earlier); ``None`` when none of it was done.
    """

    rule: str
    name: str
    machines: Statistic
    share: Statistic
    usage: Statistic
    factor: Statistic | None
    level: Statistic | float | None
    utility: int
    fair: int
    contribution: Fraction
    excess: Statistic | None
    fair_excess: Statistic | None
    delay: Statistic | None


def rule_rows(results: Sequence[WindowResult], wanted: Sequence[Choice], scenario: str, complete: bool) -> list[Any]:
    """One row per rule: mean and population standard deviation of unfairness, mean utilization, mean run time."""
    rows = []
    for choice in wanted:
        found = [result.of(choice.label) for result in results]
        unfairness = [float(r.unfairness) for r in found]
        busy = [float(r.utilization) for r in found if r.utilization is not None]
        values = {
            "unfairness": Statistic(float(np.mean(unfairness))) if found else None,
            "deviation": Statistic(float(np.std(unfairness))) if found else None,
            "utilization": Statistic(float(np.mean(busy))) if busy else None,
            "seconds": Statistic(float(np.mean([r.seconds for r in found]))) if found else None,
        }
        rows.append({"rule": choice.label, "scenario": scenario, "values": values, "complete": complete})
    return rows


def window_rows(results: Sequence[WindowResult]) -> list[dict[str, Any]]:
    """One row per window: where it opens, its jobs and load, the machines, and every rule's unfairness."""
    return [
        {
            "window": result.index + 1,
            "start": result.start,
            "jobs": result.n_jobs,
            "load": Statistic(result.load),
            "p_tot": result.p_tot,
            "machines": result.machines,
            "unfairness": {rule.label: Statistic(float(rule.unfairness)) for rule in result.rules},
        }
        for result in results
    ]


def organization_rows(results: Sequence[WindowResult], label: str) -> list[OrganizationRow]:
    """Every organization under one rule, sums over the windows."""
    names = results[0].names if results else ()
    rows = []
    for u, name in enumerate(names):
        found: list[RuleResult] = [result.of(label) for result in results]
        machines = sum(result.machines[u] for result in results)
        share = machines / sum(sum(result.machines) for result in results)
        mine, everybody = sum(r.parts[u] for r in found), sum(sum(r.parts) for r in found)
        usage = mine / everybody if everybody else 0.0
        utility = sum(r.utility[u] for r in found)
        fair = sum(result.fair[u] for result in results)
        contribution = sum((result.shapley[u] for result in results), Fraction(0))
        rows.append(
            OrganizationRow(
                label,
                name,
                Statistic(machines / len(results)),
                Statistic(share),
                Statistic(usage),
                Statistic(2.0 ** (-usage / share)) if share else None,
                (Statistic(share / usage) if usage else math.inf) if share or usage else None,
                utility,
                fair,
                contribution,
                _excess(utility, contribution),
                _excess(fair, contribution),
                Statistic(float(Fraction(fair - utility, mine))) if mine else None,
            )
        )
    return rows


def _excess(utility: int, contribution: Fraction) -> Statistic | None:
    return Statistic(100 * float(utility / contribution - 1)) if contribution > 0 else None


def _compared(excess: float) -> str:
    if abs(excess) < 0.05:
        return "what was contributed, within 0.05 %"
    return f"{abs(excess):.3g} % {'more' if excess > 0 else 'less'} than was contributed"


def sentence(row: OrganizationRow) -> str:
    """What a row says, in words.

    >>> share = [Statistic(0.5)] * 5
    >>> numbers = 88, 99, Fraction(100), Statistic(-12), Statistic(-1), Statistic(3)
    >>> row = OrganizationRow("fifo", "atlas", *share, *numbers)
    >>> sentence(row)
    'atlas received 12 % less than it contributed; fair would be 1 % less. Its work was done 3 s later than fair.'
    """
    they, their = ("they", "Their") if row.name == OTHERS else ("it", "Its")
    if not (row.utility or row.fair or row.contribution):
        return f"{row.name} took no part: {they} contributed and received nothing."
    if row.excess is None or row.fair_excess is None:
        return (
            f"{row.name} received {_count(row.utility)}; the contribution is {_count(row.contribution)}, so there is "
            f"nothing to compare with. Fair would be {_count(row.fair)}."
        )
    received = f"{row.name} received {_compared(row.excess.value)}".replace("was contributed", f"{they} contributed")
    if row.delay is None:
        nothing = f"{they} had no work" if not row.fair else f"none of {their.lower()} work was done"
        return f"{received}; {nothing}."
    if abs(row.delay.value) < 0.05:
        return f"{received}, as in the fair schedule."
    fair = _compared(row.fair_excess.value).replace(" than was contributed", "")
    when = "earlier" if row.delay.value < 0 else "later"
    return f"{received}; fair would be {fair}. {their} work was done {abs(row.delay.value):.3g} s {when} than fair."


def _count(value: Rational) -> str:
    return "0" if value == 0 else f"{float(value):.3g}"


def time_series(work: SharedWork, index: int, choice: Choice, seed: int, moments: int = MOMENTS) -> dict[str, Any]:
    """Follow one window: psi - phi of every organization under a rule, machines in use, and machines asked for.

    phi is REF's Shapley value, evaluated at each moment. Machines asked for are the jobs running or waiting.
    """
    instance = instance_of(work)
    times = sorted({work.until * (i + 1) // moments for i in range(moments)} - {0})
    own_seed = rule_seed(seed, index, choice.label)
    balance: dict[str, list[Statistic]] = {name: [] for name in work.names}
    for t in times:
        deserved = run_choice(instance, Choice("ref", "ref"), t, 0).contribution
        received = _followed(instance, work, choice, t, own_seed).utility
        assert deserved is not None
        for name, psi, phi in zip(work.names, received, deserved, strict=True):
            balance[name].append(Statistic(float(psi - phi)))
    outcome = _followed(instance, work, choice, work.until, own_seed)
    ran = outcome.start >= 0
    starts, stops = outcome.start[ran], (outcome.start + instance.length)[ran]
    busy = [int(((starts < t) & (stops >= t)).sum()) for t in times]
    waiting = [int((instance.release < t).sum() - (starts < t).sum()) for t in times]
    return {
        "window": index + 1,
        "start": work.start,
        "rule": choice.label,
        "times": times,
        "machines": sum(work.machines),
        "busy": busy,
        "asked": [b + w for b, w in zip(busy, waiting, strict=True)],
        "balance": balance,
    }


def _followed(instance: SharingInstance, work: SharedWork, choice: Choice, until: int, seed: int) -> SharingOutcome:
    if choice.rule == RECORDED:
        return recorded(instance, dataclasses.replace(work, until=until))
    return run_choice(instance, choice, until, seed)
