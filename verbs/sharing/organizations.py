"""What an audit says of each organization, in numbers and in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from ...scheduling.intervals import ratio
from ...support.exact import Rational
from ...support.units import duration_text, three_digits
from ...workloads.partition import OTHERS
from ..records import OPTIONAL, Row, Statistic
from .decayed import decayed_rows, usage_numbers
from .results import WindowResult


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
    parts, fair_parts
        Seconds of its work that were done under the rule, and in REF's schedule.
    delay, delay_low, delay_high
        ``(fair - utility) / fair_parts``: seconds by which a second of its work that REF does was done later than
        there, on average, at most the length of a window (negative: earlier); work not done counts up to the end of the
        window. ``None`` when REF does none of it. With Student's limits of 95 per cent over the windows.
    decayed_usage, decayed_factor, decayed_level
        As usage, factor and level, where a second counts half for each half-life of its age at the end of its window;
        ``None`` where no half-life was asked about.
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
    parts: int
    fair_parts: int
    delay: Statistic | None
    delay_low: Statistic | None
    delay_high: Statistic | None
    decayed_usage: Statistic | None = field(default=None, metadata=OPTIONAL)
    decayed_factor: Statistic | None = field(default=None, metadata=OPTIONAL)
    decayed_level: Statistic | float | None = field(default=None, metadata=OPTIONAL)


def organization_rows(results: Sequence[WindowResult], label: str) -> list[AuditedRow]:
    """Every organization under one rule, sums over the windows."""
    found = [result.of(label) for result in results]
    measures = [result.against(label) for result in results]
    all_machines = sum(sum(result.machines) for result in results)
    all_parts = sum(sum(r.parts) for r in found)
    names = results[0].names if results else ()
    shares = [sum(result.machines[u] for result in results) / all_machines for u in range(len(names))]
    decayed = decayed_rows(results, label, shares)
    rows = []
    for u, name in enumerate(names):
        machines = sum(result.machines[u] for result in results)
        parts = sum(r.parts[u] for r in found)
        usage, factor, level = usage_numbers(shares[u], parts / all_parts if all_parts else 0.0)
        utility = sum(r.utility[u] for r in found)
        fair = sum(measure.fair[u] for measure in measures)
        contribution = sum((measure.shapley[u] for measure in measures), Fraction(0))
        fair_parts = [measure.fair_parts[u] for measure in measures]
        delay = None
        if any(fair_parts):
            late = [float(measure.fair[u] - r.utility[u]) for measure, r in zip(measures, found, strict=True)]
            delay = ratio(late, fair_parts)
        rows.append(
            AuditedRow(
                rule=label,
                name=name,
                machines=Statistic(machines / len(results)),
                share=Statistic(shares[u]),
                usage=usage,
                factor=factor,
                level=level,
                utility=utility,
                fair=fair,
                contribution=contribution,
                excess=_excess(utility, contribution),
                fair_excess=_excess(fair, contribution),
                parts=parts,
                fair_parts=sum(fair_parts),
                delay=_statistic(delay and delay.value),
                delay_low=_statistic(delay and delay.low),
                delay_high=_statistic(delay and delay.high),
                decayed_usage=decayed[u][0],
                decayed_factor=decayed[u][1],
                decayed_level=decayed[u][2],
            )
        )
    return rows


def _excess(utility: int, contribution: Fraction) -> Statistic | None:
    return Statistic(100 * float(utility / contribution - 1)) if contribution > 0 else None


def _statistic(value: float | None) -> Statistic | None:
    return None if value is None else Statistic(value)


def explained(rows: Iterable[AuditedRow]) -> tuple[str, ...]:
    """The rows of one rule in words; whom the rule makes wait longest first, who had no work last."""
    worst_first = sorted(rows, key=lambda row: math.inf if row.delay is None else -row.delay.value)
    return tuple(map(sentence, worst_first))


def sentence(row: AuditedRow) -> str:
    """What a row says, in words: the delay that is the rule's doing, then what was received of what was contributed.

    >>> row = AuditedRow(
    ...     rule="fifo", name="atlas", machines=Statistic(4), share=Statistic(0.5), usage=Statistic(0.5),
    ...     factor=Statistic(0.5), level=Statistic(1), utility=88, fair=99, contribution=Fraction(100),
    ...     excess=Statistic(-12), fair_excess=Statistic(-1), parts=30, fair_parts=30, delay=Statistic(90),
    ...     delay_low=Statistic(20), delay_high=Statistic(160))
    >>> print(sentence(row).replace(". ", "." + chr(10)))
    atlas: its work was done 1 min 30 s later than fair (20 s to 2 min 40 s).
    It received 12 % less than it contributed; 1 % less would be fair.
    """
    many = row.name == OTHERS
    they, their = ("they", "their") if many else ("it", "its")
    if not (row.utility or row.fair or row.contribution):
        return f"{row.name} took no part: {they} contributed and received nothing."
    told = f"{row.name}: {_timed(row, they, their)}"
    if row.excess is None or row.fair_excess is None:
        return (
            f"{told}. {they.capitalize()} received {_count(row.utility)}; the contribution is "
            f"{_count(row.contribution)}, so there is nothing to compare with. Fair would be {_count(row.fair)}."
        )
    if not row.utility and not row.fair:
        return f"{told}. {they.capitalize()} received nothing for what {they} contributed."
    compared = f"{they.capitalize()} received {_compared(row.excess.value, they)}"
    fair = _apart(row.fair_excess.value)
    return f"{told}. {compared}; {fair} would be fair." if row.utility != row.fair else f"{told}. {compared}."


def _timed(row: AuditedRow, they: str, their: str) -> str:
    """How much later than fair the work was done, whether windows as these can tell, and what was not done."""
    if row.delay is None:
        return (
            f"{they} had no work done, nor would fair do any"
            if not row.parts
            else f"{their} work was done, fair would do none"
        )
    certain = row.delay_high is None or row.delay_high.value - row.delay.value < 0.05
    if abs(row.delay.value) < 0.05 and row.parts == row.fair_parts and certain:
        return f"{their} work was done when fair would do it"
    when = "earlier" if row.delay.value < 0 else "later"
    told = f"{their} work was done {duration_text(abs(row.delay.value))} {when} than fair"
    if row.delay_low is not None and row.delay_high is not None:
        low, high = row.delay_low.value, row.delay_high.value
        if low <= 0 <= high:
            told += f", which may be chance ({duration_text(low)} to {duration_text(high)})"
        else:
            near, far = sorted((abs(low), abs(high)))
            told += f" ({duration_text(near)} to {duration_text(far)})"
    elif row.delay.value:
        told += " (one window, so no limits)"
    return told + _undone(row, their)


def _undone(row: AuditedRow, their: str) -> str:
    less = row.fair_parts - row.parts
    if not less:
        return ""
    share = f"{100 * abs(less) / row.fair_parts:.2g} %"
    if less > 0:
        return f"; {share} of what fair does of it was not done before a window ended"
    return f"; {share} more of it was done than fair does"


def _compared(excess: float, they: str) -> str:
    if abs(excess) < 0.05:
        return f"what {they} contributed, within 0.05 %"
    return f"{_apart(excess)} than {they} contributed"


def _apart(excess: float) -> str:
    if abs(excess) < 0.05:
        return "as much"
    return f"{three_digits(abs(excess))} % {'more' if excess > 0 else 'less'}"


def _count(value: Rational) -> str:
    return "0" if value == 0 else f"{float(value):.3g}"
