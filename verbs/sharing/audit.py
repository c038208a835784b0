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
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

from ...mechanisms.sharing.sampled import Sample
from ...mechanisms.sharing.simulation import COPIES
from ...scenarios.reader import load
from ...support.errors import InputError
from ...support.progress import Clock, Progress, limited
from ...workloads.log import Log
from ...workloads.reading import read_log
from ...workloads.windows import Plan, SharedWork
from ..openmetrics import save
from .audit_plan import assumed, plan_of
from .audit_record import AuditRecord, PlanRow, log_row
from .decayed import counted_from, decayed_label, half_life_of
from .gaming import refuse
from .gaming_answer import gamed
from .gaming_rows import GamingRow
from .growing import Growing
from .model import kept
from .monitoring import families
from .openings import Windows, chosen, question, windows_of
from .options import Audit
from .organizations import explained, organization_rows
from .parallel import as_run
from .past import KeptWindow, Past, kept_windows
from .period import period_of
from .results import WindowResult
from .rules import RECORDED, Rule, is_whole, rules_of
from .series import SeriesRow, time_series
from .starts import started, starts_known
from .summary import COLUMNS, rule_rows, window_rows
from .switch import label_of, switched, with_other
from .telling import dominated, over_full, told_apart
from .trend import DEFAULT, Trend, trend_of
from .warm import asked_of_recorded, lookback, not_the_same, warmed
from .weighing import weighed_log
from .workers import Measured, measure_all
from .yardstick import sampled_told, yardstick_for, yardstick_row


def audit(path: str | os.PathLike[str], options: Audit, progress: Progress | None = None) -> AuditRecord:
    """Replay a log under the rules and measure who got less than it contributed.

    Raises InputError when the log does not hold what is asked for; TooLargeError for more than 14 organizations where
    they are not to be sampled, and beyond the limit on memory.
    """
    return audit_log(read_log(Path(path), zero=options.zero), options, progress)


class _Asked(NamedTuple):
    """What is replayed, and how. ``warm`` makes the windows of ``recorded``, which take over ``back`` seconds of jobs
    from before where that is not ``None``; ``units`` and ``doubted`` say what was done to the log.
    """

    log: Log
    options: Audit
    plan: Plan
    rules: tuple[Rule, ...]
    windows: Windows
    work: SharedWork
    sample: Sample | None
    half_life: int | None
    back: int | None
    warm: Callable[[int], SharedWork] | None
    units: tuple[str, ...]
    doubted: tuple[str, ...]

    @property
    def shown(self) -> dict[str, Any]:
        """The fields of the plan that the record shows in their place."""
        shown = {key: value for key, value in asdict(self.plan).items() if key not in ("seed", "whole")}
        return shown if self.options.parallel == COPIES else {**shown, "parallel": self.options.parallel}


def audit_log(log: Log, options: Audit, progress: Progress | None = None) -> AuditRecord:
    """The audit of a log that was read."""
    asked = _asked(log, options)
    limit, clock = limited(progress, options.time_limit), Clock(options.time_limit)
    measured = _measured(asked, limit, clock)
    series, complete = _worst(asked, measured)
    seen = [result.index for result in measured.windows] if complete else []
    gaming = gamed(asked.windows.window, seen, asked.rules, options, limit)
    record = _record(asked, measured, complete=complete and gaming.complete, series=series, gaming=gaming.row)
    return kept(record, measured.failure or gaming.failure or _monitored(record, options.openmetrics))


def _asked(log: Log, options: Audit) -> _Asked:
    """What the options mean for this log; whatever cannot be done is refused here, before anything runs."""
    log, units = weighed_log(log, options)
    log, doubted = started(log, options)
    plan, rules = ruled(log, options)
    half_life = half_life_of(options, rules)
    refuse(options, rules)
    windows = windows_of(log, plan, options)
    work, sample, rules = yardstick_for(windows, options, rules)
    back = lookback(log, rules, options)
    warm = warmed(windows, back)
    return _Asked(log, options, plan, rules, windows, work, sample, half_life, back, warm, units, doubted)


def _measured(asked: _Asked, progress: Progress | None, clock: Clock) -> Measured:
    """The windows, measured now or kept from before."""
    log, options, plan, back = asked.log, asked.options, asked.plan, asked.back
    past = Past(log, plan, period_of(log, options.since, options.until))
    return measure_all(
        asked.windows.window,
        asked.windows.number,
        asked.rules,
        options.seed,
        asked={**question(plan, options), **asked_of_recorded(back)},
        growing=Growing(asked.windows, past, back),
        warm=asked.warm,
        half_life=asked.half_life,
        processes=options.processes,
        store=options.store,
        progress=progress,
        clock=clock,
        sample=asked.sample,
    )


def _worst(asked: _Asked, measured: Measured) -> tuple[SeriesRow | None, bool]:
    """The time series of the least fair window, if it was asked for; and whether all that was asked for is known."""
    if not asked.options.series or not measured.complete:
        return None, measured.complete
    rule = next(rule for rule in asked.rules if rule.label == asked.options.rule)
    worst = max(measured.windows, key=lambda result: result.of(rule.label).unfairness)  # the first of them, if equal
    window = asked.warm if asked.warm is not None and rule.rule == RECORDED else asked.windows.window
    try:
        return time_series(window(worst.index), worst.index, rule, asked.options.seed, asked.sample), True
    except KeyboardInterrupt:  # the windows are known all the same
        return None, False


def _record(
    asked: _Asked, measured: Measured, *, complete: bool, series: SeriesRow | None, gaming: GamingRow | None
) -> AuditRecord:
    log, options, plan, rules, results = asked.log, asked.options, asked.plan, asked.rules, measured.windows
    yardstick = None if asked.sample is None else yardstick_row(results, asked.sample, asked.work.names)
    organizations = tuple(row for rule in rules for row in organization_rows(results, rule.label))
    return AuditRecord(
        kind="sharing",
        scenario=log.name,
        method="simulation",
        exact=False,
        complete=complete,
        seed=options.seed,
        log=log_row(log),
        plan=PlanRow(**asked.shown, warmup_recorded=asked.back, **chosen(log, options)),
        rule=options.rule,
        columns=COLUMNS,
        rows=rule_rows(results, rules, log.name),
        organizations=organizations,
        explanation=explained(row for row in organizations if row.rule == options.rule),
        comparison=(
            *asked.windows.said,
            *told_apart(results, rules, options.rule),
            *dominated(results, options.rule),
            *not_the_same(results, rules, asked.back),
            *over_full(results, rules),
        ),
        decay=asked.half_life,
        assumed=(
            *assumed(log, options, plan),
            *asked.units,
            *as_run(log, plan, rules),
            *counted_from(plan, asked.half_life),
            *asked.doubted,
            *sampled_told(yardstick, len(asked.work.names)),
        ),
        windows=window_rows(results, log),
        switch=None if options.switch_to is None else switched(results, options.rule, label_of(options.switch_to)),
        series=series,
        gaming=gaming,
        yardstick=yardstick,
        trend=_trend(measured.kept or kept_windows(results, log), results, log, options),
    )


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
