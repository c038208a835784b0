"""What many windows say together: a row per rule, per window and per organization, and rules in pairs.

Rules run on the same windows, so two are compared by the differences window by window: they are told apart when
Student's interval of 95 per cent of the mean difference leaves 0 out.

Beside what a contribution says stand the numbers that operators know. With ``S`` the organization's part of the
machines and ``U`` its part of the machine time used, the fair-share factor is :math:`2^{-U/S}` (1 nothing used, 1/2
exactly its share) and LevelFS is :math:`S/U` (above 1: under-served). Both compare usage with share and look neither at
when work was done nor at who was there to use the machines. With a half-life a second of machine time counts 1 when it
has just been used and half of that a half-life later (Slurm's ``PriorityDecayHalfLife``); these are statistics in
floating point, while the rules decide in integers (:mod:`consortium.mechanisms.sharing.kernels.decay`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, Literal

import numpy as np

from ...mechanisms.sharing.orderings import Structure, leaves
from ...mechanisms.sharing.sampled import Sample
from ...support.intervals import Interval, mean, needed, ratio
from ...workloads.clock import clock_of
from ...workloads.slurm import standings
from ..records import ComparisonRow, Statistic
from .audit_records import AuditedRow, DifferenceRow, ReferenceRow, SwitchedRow
from .model import Rule
from .plan import Windows
from .records import WindowRow
from .results import Ended, WindowResult
from .verdict import common_loss, delays, independent, losses
from .windows import REFERENCE

COLUMNS: Final = ("unfairness", "unfairness_low", "unfairness_high", "deviation", "utilization", "seconds")
AUDITED: Final = (*COLUMNS, "to_others", "to_others_low", "to_others_high", "common")
"""Values of a rule in a comparison of a log's windows, and in an audit."""


def rule_rows(
    results: Sequence[WindowResult],
    rules: Sequence[Rule],
    scenario: str,
    complete: bool = True,
    columns: Sequence[str] = COLUMNS,
) -> tuple[ComparisonRow, ...]:
    """One row per rule: unfairness, utilization and run time, means over the windows.

    ``unfairness_low`` (at least 0) and ``unfairness_high`` are Student's limits of 95 per cent of the mean unfairness,
    ``deviation`` is the population standard deviation; ``to_others`` and ``common`` are the parts of the unfairness
    that one loses to another, and that all lose together.
    """
    rows, several = [], independent(results) if "to_others" in columns else None
    for rule in rules:
        of_rule = [result.of(rule.label) for result in results]
        unfairness = [float(r.unfairness) for r in of_rule]
        values = {
            **with_limits("unfairness", mean(unfairness, several) if of_rule else None, least=0.0),
            "deviation": Statistic(float(np.std(unfairness))) if of_rule else None,
            "utilization": _mean([float(r.utilization) for r in of_rule if r.utilization is not None]),
            "seconds": _mean([r.seconds for r in of_rule]),
            **with_limits(
                "to_others", mean([float(r.to_others) for r in of_rule], several) if of_rule else None, least=0.0
            ),
            "common": statistic(common.value) if (common := common_loss(results, rule.label)) else None,
        }
        values = {column: values[column] for column in columns}
        rows.append(ComparisonRow(rule=rule.label, scenario=scenario, values=values, complete=complete))
    return tuple(rows)


def statistic(value: float | None) -> Statistic | None:
    """A number as a record has it."""
    return None if value is None else Statistic(value)


def with_limits(name: str, interval: Interval | None, least: float = -math.inf) -> dict[str, Any]:
    """A number with its limits, of at least ``least``, as fields of a record: ``name``, ``name_low``, ``name_high``."""
    if interval is None:
        return dict.fromkeys((name, f"{name}_low", f"{name}_high"))
    low = None if interval.low is None else max(least, interval.low)
    return {name: Statistic(interval.value), f"{name}_low": statistic(low), f"{name}_high": statistic(interval.high)}


def _mean(values: Sequence[float]) -> Statistic | None:
    return Statistic(float(np.mean(values))) if values else None


def window_rows(results: Sequence[WindowResult], windows: Windows, busy: bool = False) -> tuple[WindowRow, ...]:
    """One row per window of the log; ``busy`` where it opens on the busy cluster."""
    clock, first = clock_of(windows.log), int(windows.log.submit.min())
    return tuple(
        WindowRow(
            window=result.index + 1,
            start=result.start,
            opens=None if clock is None else clock.text(first + result.start),
            jobs=result.fair.n_jobs,
            running=result.running if busy else None,
            waiting=result.waiting if busy else None,
            provisional=(busy and windows.provisional(first + result.start)) or None,
            load=Statistic(result.load),
            p_tot=result.fair.p_tot,
            machines=result.machines,
            unfairness={rule.label: Statistic(float(rule.unfairness)) for rule in result.rules},
            to_others={rule.label: Statistic(float(rule.to_others)) for rule in result.rules} if busy else None,
        )
        for result in results
    )


# --- organizations --------------------------------------------------------------------------------------------------


def organization_rows(
    results: Sequence[WindowResult], label: str, accounts: Mapping[str, int] | None = None
) -> list[AuditedRow]:
    """Every organization under one rule, sums over the windows; ``accounts``: shares by path, of a tree of accounts."""
    of_rule = [result.of(label) for result in results]
    measures = [result.fair for result in results]
    all_machines = sum(sum(result.machines) for result in results)
    names = results[0].names if results else ()
    shares = [sum(result.machines[u] for result in results) / all_machines for u in range(len(names))]
    lost, late = losses(results, label), delays(results, label)
    used = _used(names, shares, [sum(parts) for parts in zip(*(r.parts for r in of_rule), strict=True)], accounts)
    totals = [sum(each) for each in zip(*(r.decayed for r in of_rule if r.decayed is not None), strict=True)]
    decayed = _used(names, shares, totals, accounts) if totals else [{} for _ in names]
    rows = []
    for u, name in enumerate(names):
        machines = sum(result.machines[u] for result in results)
        parts = sum(r.parts[u] for r in of_rule)
        utility = sum(r.utility[u] for r in of_rule)
        fair = sum(measure.utility[u] for measure in measures)
        contribution = sum((measure.shapley[u] for measure in measures), Fraction(0))
        fair_parts = [measure.parts[u] for measure in measures]
        rows.append(
            AuditedRow(
                rule=label,
                name=name,
                machines=Statistic(machines / len(results)),
                share=Statistic(shares[u]),
                **used[u],
                utility=utility,
                fair=fair,
                contribution=contribution,
                excess=_excess(utility, contribution),
                fair_excess=_excess(fair, contribution),
                parts=parts,
                fair_parts=sum(fair_parts),
                **with_limits("delay", late[u].interval),
                **with_limits("loss", lost[u].interval),
                **{f"decayed_{name}": value for name, value in decayed[u].items()},
            )
        )
    return rows


def _excess(utility: int, contribution: Fraction) -> Statistic | None:
    return Statistic(100 * float(utility / contribution - 1)) if contribution > 0 else None


def _used(
    names: Sequence[str], shares: Sequence[float], amounts: Sequence[float], accounts: Mapping[str, int] | None
) -> list[dict[str, Any]]:
    """Of each organization usage U, fair-share factor ``2**(-U/S)``, LevelFS ``S/U`` and FairShare by Fair Tree.

    ``None`` where they do not exist. In a tree of accounts LevelFS is among siblings; else there is no FairShare.
    """
    whole = sum(amounts)
    stands = standings(accounts, dict(zip(names, map(float, amounts), strict=True))) if accounts else {}
    used = []
    for name, share, amount in zip(names, shares, amounts, strict=True):
        usage = amount / whole if whole else 0.0
        level = (share / usage if usage else math.inf) if share or usage else None
        level = stands[name].level if stands and level is not None else level
        fields = {
            "usage": Statistic(usage),
            "factor": Statistic(2.0 ** (-usage / share)) if share else None,
            "level": level if level in (None, math.inf) else Statistic(level),
            "fair_tree": Statistic(stands[name].factor) if stands else None,
        }
        used.append(fields)
    return used


# --- rules in pairs -------------------------------------------------------------------------------------------------


def difference_rows(results: Sequence[WindowResult], rules: Sequence[Rule], in_force: str) -> tuple[DifferenceRow, ...]:
    """How much less fair each other rule is than the rule in force; nothing is said of REF, which is the measure."""
    if not results:
        return ()
    others = [rule for rule in rules if rule.label != in_force]
    labels = [rule.label for rule in others if rule.rule != REFERENCE.rule or rule.options]  # all are held against REF
    rows, several = [], independent(results)
    for label in labels:
        apart = [float(result.of(label).to_others - result.of(in_force).to_others) for result in results]
        rows.append(DifferenceRow(rule=label, windows=needed(apart), **with_limits("difference", mean(apart, several))))
    return tuple(rows)


def switched_rows(
    results: Sequence[WindowResult],
    in_force: str,
    other: str,
    ends: Mapping[str, Sequence[Ended] | None] = MappingProxyType({}),
) -> tuple[SwitchedRow, ...]:
    """What another rule changes for each organization; both rules by their labels, as what all have in the end."""
    rows, several = [], independent(results)
    before, after = ends.get(in_force), ends.get(other)
    for u, name in enumerate(results[0].names if results else ()):
        late = [float(result.of(in_force).utility[u] - result.of(other).utility[u]) for result in results]
        parts = [result.fair.parts[u] for result in results]
        change, in_the_end = ratio(late, parts, independent=several) if any(parts) else None, None
        if before is not None and after is not None and any(end.work[u] for end in before):
            later = [float(new.late[u] - old.late[u]) for old, new in zip(before, after, strict=True)]
            in_the_end = ratio(later, [end.work[u] for end in before], independent=several)
        received = sum(result.of(other).parts[u] - result.of(in_force).parts[u] for result in results)
        rows.append(
            SwitchedRow(
                rule=other,
                name=name,
                **with_limits("change", change),
                **with_limits("change_ended", in_the_end),
                received=received,
                verdict=_verdict(late, change, in_the_end),
                windows=needed(late, parts),
            )
        )
    return tuple(rows)


def _verdict(
    late: Sequence[float], change: Interval | None, in_the_end: Interval | None
) -> Literal["wins", "loses", "same", "open"]:
    if not any(late) and (in_the_end is None or not in_the_end.value):
        return "same"
    if change is None or not change.tells or (in_the_end is not None and in_the_end.value * change.value <= 0):
        return "open"
    return "wins" if change.value < 0 else "loses"


# --- how exact the reference is -------------------------------------------------------------------------------------


def reference_row(results: Sequence[WindowResult], sample: Sample, names: Sequence[str]) -> ReferenceRow | None:
    """What the windows say together of sampled contributions; ``None`` without windows."""
    sampled = [(result, result.accuracy) for result in results if result.accuracy is not None]
    if not sampled:
        return None

    def average(of: Callable[[Any, float, int], tuple[float, float]]) -> Statistic:
        pairs = [of(accuracy, float(sum(result.fair.shapley)), result.fair.p_tot) for result, accuracy in sampled]
        values = [part / whole for part, whole in pairs if whole]
        return Statistic(float(np.mean(values)) if values else 0.0)

    return ReferenceRow(
        orderings=min(accuracy.orderings for _, accuracy in sampled),
        schedules=min(accuracy.schedules for _, accuracy in sampled),
        confidence=sample.confidence,
        sampling=average(lambda accuracy, value, parts: (accuracy.sampling, value)),
        order=average(lambda accuracy, value, parts: (accuracy.order, value)),
        bound=average(lambda accuracy, value, parts: (accuracy.sampling + accuracy.order, parts)),
        halves=average(lambda accuracy, value, parts: (float(accuracy.halves), 1)),
        unions=() if sample.structure is None else _unions(sample.structure, names),
    )


def _unions(structure: Structure, names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    children = structure if isinstance(structure, tuple) else (structure,)
    return tuple(tuple(names[u] for u in leaves(child)) for child in children if isinstance(child, tuple))
