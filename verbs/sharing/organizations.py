"""What an audit says of each organization, in numbers and in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...scheduling.exact import Rational
from ...scheduling.units import duration_text
from ...workloads.partition import OTHERS
from ..records import Row, Statistic
from .windows import WindowResult


@dataclass(frozen=True, kw_only=True)
class AuditedRow(Row):
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


def organization_rows(results: Sequence[WindowResult], label: str) -> list[AuditedRow]:
    """Every organization under one rule, sums over the windows."""
    found = [result.of(label) for result in results]
    all_machines = sum(sum(result.machines) for result in results)
    all_parts = sum(sum(r.parts) for r in found)
    rows = []
    for u, name in enumerate(results[0].names if results else ()):
        machines = sum(result.machines[u] for result in results)
        parts = sum(r.parts[u] for r in found)
        share, usage = machines / all_machines, parts / all_parts if all_parts else 0.0
        utility = sum(r.utility[u] for r in found)
        fair = sum(result.fair[u] for result in results)
        contribution = sum((result.shapley[u] for result in results), Fraction(0))
        rows.append(
            AuditedRow(
                rule=label,
                name=name,
                machines=Statistic(machines / len(results)),
                share=Statistic(share),
                usage=Statistic(usage),
                factor=Statistic(2.0 ** (-usage / share)) if share else None,
                level=(Statistic(share / usage) if usage else math.inf) if share or usage else None,
                utility=utility,
                fair=fair,
                contribution=contribution,
                excess=_excess(utility, contribution),
                fair_excess=_excess(fair, contribution),
                delay=Statistic(float(Fraction(fair - utility, parts))) if parts else None,
            )
        )
    return rows


def _excess(utility: int, contribution: Fraction) -> Statistic | None:
    return Statistic(100 * float(utility / contribution - 1)) if contribution > 0 else None


def explained(rows: Iterable[AuditedRow]) -> tuple[str, ...]:
    """The rows of one rule in words, who received least of what it contributed first."""
    worst_first = sorted(rows, key=lambda row: -math.inf if row.excess is None else row.excess.value)
    return tuple(map(sentence, worst_first))


def _compared(excess: float) -> str:
    if abs(excess) < 0.05:
        return "what was contributed, within 0.05 %"
    return f"{abs(excess):.3g} % {'more' if excess > 0 else 'less'} than was contributed"


def sentence(row: AuditedRow) -> str:
    """What a row says, in words.

    >>> row = AuditedRow(
    ...     rule="fifo", name="atlas", machines=Statistic(4), share=Statistic(0.5), usage=Statistic(0.5),
    ...     factor=Statistic(0.5), level=Statistic(1), utility=88, fair=99, contribution=Fraction(100),
    ...     excess=Statistic(-12), fair_excess=Statistic(-1), delay=Statistic(3))
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
    late = duration_text(abs(row.delay.value))
    return f"{received}; fair would be {fair}. {their} work was done {late} {when} than fair."


def _count(value: Rational) -> str:
    return "0" if value == 0 else f"{float(value):.3g}"
