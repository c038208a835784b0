r"""Audit of a job log: is the way the cluster is shared fair, measured against what each organization contributes?

The log's jobs are replayed in windows under every rule of the catalogue. REF, the Shapley-fair scheduler, is the
reference: for each organization it knows the contribution :math:`\phi` (its Shapley value in machine time weighted by
how early it was given) and a schedule that serves everybody as closely to the contribution as any greedy one. A rule's
unfairness is :math:`\sum_u |\psi_u - \psi^*_u| / p_{tot}`: the average undeserved delay, or advance, of a second of
work, in seconds.

Beside these stand the numbers that operators know. With ``S`` the organization's part of the machines and ``U`` its
part of the machine time used, the fair-share factor is :math:`2^{-U/S}` (1 nothing used, 1/2 exactly its share) and
LevelFS is :math:`S/U` (above 1: under-served). Both compare usage with share and look neither at when work was done nor
at who was there to use the machines; contribution does.

Known: contributions can be negative (an organization whose machines only let others be served in a worse order), then
no percentage is given.

Sources: P. Skowron and K. Rzadca, "Non-monetary fair scheduling: a cooperative game theory approach" (SPAA 2013), and
"Fair share is not enough: measuring fairness in scheduling with cooperative game theory" (PPAM 2013).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

from ...mechanisms.sharing.simulation import COPIES
from ...scenarios.reader import load
from ...scheduling.errors import InputError
from ...scheduling.progress import Clock, Progress, limited
from ...workloads.clock import clock_of
from ...workloads.log import Log
from ...workloads.reading import read_log
from ...workloads.windows import Plan
from ..openmetrics import save
from ..records import OPTIONAL, ComparisonRow, Row
from .audit_plan import assumed, plan_of
from .decayed import counted_from, decayed_label, half_life_of
from .gaming import refuse
from .gaming_answer import gamed
from .gaming_rows import GamingRow
from .growing import Growing
from .model import SharingRecord, kept
from .monitoring import families
from .openings import chosen, question, windows_of
from .options import Audit
from .organizations import AuditedRow, explained, organization_rows
from .parallel import as_run
from .past import KeptWindow, Past, kept_windows
from .period import period_of
from .results import WindowResult
from .rules import RECORDED, Rule, is_whole, rules_of
from .series import SeriesRow, time_series
from .starts import started, starts_known
from .summary import COLUMNS, WindowRow, rule_rows, window_rows
from .switch import SwitchRow, label_of, switched, with_other
from .telling import dominated, over_full, told_apart
from .trend import DEFAULT, Trend, trend_of
from .warm import asked_of_recorded, lookback, not_the_same, warmed
from .weighing import weighed_log
from .workers import measure_all
from .yardstick import YardstickRow, sampled_told, yardstick_for, yardstick_row


@dataclass(frozen=True, kw_only=True)
class LogRow(Row):
    """The log, and the account of what was left out of it.

    ``first`` and ``last`` are the dates of its first and last submission on the clock of the zone ``clock``, where the
    log says them.
    """

    name: str
    source: str
    first: str | None = field(default=None, metadata=OPTIONAL)
    last: str | None = field(default=None, metadata=OPTIONAL)
    clock: str | None = field(default=None, metadata=OPTIONAL)
    report: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class PlanRow(Row):
    """How windows are cut, see :class:`consortium.workloads.Plan`.

    Attributes
    ----------
    warmup_recorded
        Seconds before a window from which ``recorded`` takes jobs over, where it takes more than the rules.
    since, until
        Seconds after the first submission: windows open and end between them; only where they were asked for.
    part
        The same in words, as dates where the log says them.
    busiest, min_load
        How windows were chosen, where that was not at random among all.
    parallel
        How queues run jobs of several processors, where not as copies.
    """

    duration: int
    start: int | None
    machines: int | None
    organizations: int | str
    shares: str | tuple[int, ...]
    limit: int | None
    warmup: int
    warmup_recorded: int | None = field(default=None, metadata=OPTIONAL)
    since: int | None = field(default=None, metadata=OPTIONAL)
    until: int | None = field(default=None, metadata=OPTIONAL)
    part: str | None = field(default=None, metadata=OPTIONAL)
    busiest: int | None = field(default=None, metadata=OPTIONAL)
    min_load: Fraction | None = field(default=None, metadata=OPTIONAL)
    parallel: str | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True, kw_only=True)
class AuditRecord(SharingRecord):
    """Rules and organizations of a log, all windows together.

    ``explanation`` says the rows under ``rule`` in words, ``comparison`` how it stands beside the other rules,
    ``assumed`` what all of it rests on although nobody said so, ``switch`` what another rule would change, and
    ``gaming`` who could game the rule. ``decay`` is the half-life, in seconds, of the numbers that have one.
    ``yardstick`` stands where REF was sampled.
    """

    verb: ClassVar[str] = "audit"
    main: ClassVar[str] = "rows"
    log: LogRow
    plan: PlanRow
    rule: str
    columns: tuple[str, ...]
    rows: tuple[ComparisonRow, ...]
    organizations: tuple[AuditedRow, ...]
    explanation: tuple[str, ...]
    comparison: tuple[str, ...]
    assumed: tuple[str, ...]
    windows: tuple[WindowRow, ...]
    switch: SwitchRow | None = field(default=None, metadata=OPTIONAL)
    series: SeriesRow | None = field(default=None, metadata=OPTIONAL)
    trend: Trend | None = field(default=None, metadata=OPTIONAL)
    decay: int | None = field(default=None, metadata=OPTIONAL)
    gaming: GamingRow | None = field(default=None, metadata=OPTIONAL)
    yardstick: YardstickRow | None = field(default=None, metadata=OPTIONAL)


def audit(path: str | os.PathLike[str], options: Audit, progress: Progress | None = None) -> AuditRecord:
    """Replay a log under the rules and measure who got less than it contributed.

    Raises InputError when the log does not hold what is asked for; TooLargeError for more than 14 organizations where
    they are not to be sampled, and beyond the limit on memory.
    """
    return audit_log(read_log(Path(path), zero=options.zero), options, progress)


def audit_log(log: Log, options: Audit, progress: Progress | None = None) -> AuditRecord:
    """The audit of a log that was read."""
    log, units = weighed_log(log, options)
    log, doubted = started(log, options)
    plan, rules = ruled(log, options)
    shown = {key: value for key, value in asdict(plan).items() if key not in ("seed", "whole")}  # which stand elsewhere
    if options.parallel != COPIES:
        shown["parallel"] = options.parallel
    half_life = half_life_of(options, rules)
    refuse(options, rules)
    windows = windows_of(log, plan, options)
    work, sample, rules = yardstick_for(windows, options, rules)  # refused before anything runs
    back = lookback(log, rules, options)
    warm = warmed(windows, back)
    before = {"log": log.name, "jobs": len(log), **shown, **asked_of_recorded(back)}
    limit, clock = limited(progress, options.time_limit), Clock(options.time_limit)
    results, complete, failure, every = measure_all(
        windows.window,
        windows.number,
        rules,
        options.seed,
        asked={**question(plan, options), **asked_of_recorded(back)},
        growing=Growing(windows, Past(log, plan, period_of(log, options.since, options.until)), before, back),
        warm=warm,
        half_life=half_life,
        processes=options.processes,
        store=options.store,
        progress=limit,
        clock=clock,
        sample=sample,
    )
    yardstick = None if sample is None else yardstick_row(results, sample, work.names)
    organizations = tuple(row for rule in rules for row in organization_rows(results, rule.label))
    series = None
    if options.series and complete:
        rule = next(rule for rule in rules if rule.label == options.rule)
        worst = max(results, key=lambda result: result.of(rule.label).unfairness)  # the first of them, if equal
        try:
            window = warm if warm is not None and rule.rule == RECORDED else windows.window
            series = time_series(window(worst.index), worst.index, rule, options.seed, sample)
        except KeyboardInterrupt:  # the windows are known all the same
            complete = False
    seen = [result.index for result in results] if complete else []
    gaming = gamed(windows.window, seen, rules, options, limit)
    record = AuditRecord(
        kind="sharing",
        scenario=log.name,
        method="simulation",
        exact=False,
        complete=complete and gaming.complete,
        seed=options.seed,
        log=_log_row(log),
        plan=PlanRow(**shown, warmup_recorded=back, **chosen(log, options)),
        rule=options.rule,
        columns=COLUMNS,
        rows=rule_rows(results, rules, log.name),
        organizations=organizations,
        explanation=explained(row for row in organizations if row.rule == options.rule),
        comparison=(
            *windows.said,
            *told_apart(results, rules, options.rule),
            *dominated(results, options.rule),
            *not_the_same(results, rules, back),
            *over_full(results, rules),
        ),
        decay=half_life,
        assumed=(
            *assumed(log, options, plan),
            *units,
            *as_run(log, plan, rules),
            *counted_from(plan, half_life),
            *doubted,
            *sampled_told(yardstick, len(work.names)),
        ),
        windows=window_rows(results, log),
        switch=None if options.switch_to is None else switched(results, options.rule, label_of(options.switch_to)),
        series=series,
        gaming=gaming.row,
        yardstick=yardstick,
        trend=_trend(every or kept_windows(results, log), results, log, options),
    )
    return kept(record, failure or gaming.failure or _monitored(record, options.openmetrics))


def _trend(windows: Sequence[KeptWindow], results: Sequence[WindowResult], log: Log, options: Audit) -> Trend | None:
    """The trend over the windows of all audits, if it was asked for or there are older ones."""
    if options.trend is None and len(windows) <= len(results):
        return None
    return trend_of(windows, log, options.rule, options.trend or DEFAULT)


def _monitored(record: AuditRecord, path: str | None) -> str | None:
    """Write the numbers where they were asked for; why they could not be written, in a sentence."""
    if path is None:
        return None
    try:
        save(families(record), path)
    except InputError as error:
        return str(error)
    return None


def _log_row(log: Log) -> LogRow:
    clock = clock_of(log)
    dates = {}
    if clock is not None:
        first, last = clock.text(int(log.submit.min())), clock.text(int(log.submit.max()))
        dates = {"first": first, "last": last, "clock": clock.zone}
    return LogRow(name=log.name, source=log.source, report=log.report.to_dict(), **dates)


def ruled(log: Log, options: Audit) -> tuple[Plan, tuple[Rule, ...]]:
    """How windows are cut, and the rules to run on them; parallel jobs are kept whole where one of them asks for it."""
    plan = plan_of(log, options)
    rules = rules_for(log, plan, options)
    return replace(plan, whole=any(map(is_whole, rules))), rules


def rules_for(log: Log, plan: Plan, options: Audit) -> tuple[Rule, ...]:
    """The rules asked for: those that ``compare`` would run on such a scenario, and the one that the cluster uses."""
    trace = {"file": log.name, "duration": plan.duration, "organizations": plan.organizations, "shares": plan.shares}
    scenario = load(
        {"format": 1, "kind": "sharing", "trace": trace, "mechanism": {"rule": "fifo", "parallel": options.parallel}}
    )
    found = rules_of(scenario, options.rules)
    if options.rules is None and options.decay is not None:
        label = decayed_label(options.decay)
        found = (*found, *rules_of(scenario, {label: label}))
    if options.rules is None and starts_known(log):
        found = (*found, Rule(RECORDED, RECORDED))
    if options.rule not in [rule.label for rule in found]:
        found = (*found, *rules_of(scenario, {options.rule: options.rule}))
    return found if options.switch_to is None else with_other(found, scenario, options.rule, options.switch_to)
