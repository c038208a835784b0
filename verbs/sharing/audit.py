r"""Audit of a job log: is the way the cluster is shared fair, measured against what each organization contributes?

The log's jobs are replayed in windows under every rule of the catalogue. REF, the Shapley-fair scheduler, is the
reference: for each organization it knows the contribution :math:`\phi` (its Shapley value in machine time weighted by
how early it was given) and a schedule that serves everybody as closely to the contribution as any greedy one. A rule's
unfairness is :math:`\sum_u |\psi_u - \psi^*_u| / p_{tot}`: the average undeserved delay, or advance, of a second of
work, in seconds. What would another rule change (:func:`audit_switch`) is asked of the same windows: users are taken to
submit the same jobs at the same moments whatever the rule.

Known: contributions can be negative (an organization whose machines only let others be served in a worse order), then
no percentage is given.

Sources: P. Skowron and K. Rzadca, "Non-monetary fair scheduling: a cooperative game theory approach" (SPAA 2013), and
"Fair share is not enough: measuring fairness in scheduling with cooperative game theory" (PPAM 2013).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ...mechanisms.sharing.sampled import Sample
from ...support.errors import InputError
from ...support.fields import columns
from ...support.progress import Clock, Progress, limited
from ...workloads.windows import SharedWork, last_event
from ..records import Statistic
from .audit_records import AuditedRow, AuditRecord, SeriesRow, SwitchRecord
from .model import Rule, instance_of
from .openmetrics import Family, save
from .options import NIGHTLY, Audit, AuditSwitch, ReplayOptions
from .owners import save_owners
from .records import kept
from .setup import (
    LogSource,
    Setup,
    accounts_of,
    log_fields,
    parallel_row,
    part_of,
    question,
    reference_for,
    setup_of,
)
from .store import History, stored
from .summary import AUDITED, difference_rows, organization_rows, reference_row, rule_rows, switched_rows, window_rows
from .verdict import fairness_row, wait_rows
from .windows import REFERENCE, Measured, ended, follow, measure_all, rule_seed, sampled

MOMENTS: Final = 24
"""Moments at which a window is followed."""
PREFIX: Final = "consortium_audit_"


def audit(source: LogSource, options: Audit, progress: Progress | None = None) -> AuditRecord:
    """Replay a log under the rules and measure who got less than it contributed.

    Raises InputError when the log does not hold what is named; TooLargeError for more than 14 organizations where they
    are not to be sampled, and beyond the limit on memory.
    """
    replay = Replay.of(source, options, half_life=True)
    measured = replay.measure(progress)
    series, complete = _worst(replay, measured)
    in_force, parallel = replay.setup.in_force.label, parallel_row(replay.setup) is not None
    before = measured.windows[:-1] if options.profile == NIGHTLY else ()
    record = AuditRecord(
        complete=complete,
        fairness=fairness_row(measured.windows, in_force, replay.rules, _disjoint(replay), parallel),
        before=fairness_row(before, in_force, replay.rules, _disjoint(replay), parallel),
        waits=wait_rows(measured.windows, in_force),
        differences=difference_rows(measured.windows, replay.rules, in_force),
        decay=replay.half_life,
        series=series,
        **replay.fields(measured),
    )
    return kept(record, measured.failure or _save(replay.setup, record, options))


def audit_switch(source: LogSource, options: AuditSwitch, progress: Progress | None = None) -> SwitchRecord:
    """Who would win and who would lose if other rules took the place of the rule in force, and are they fairer?"""
    replay = Replay.of(source, options)
    measured = replay.measure(progress)
    of_label, windows = {rule.label: rule for rule in replay.rules}, replay.setup.windows
    labels = (options.rule, *options.to)
    ends = {label: ended(windows, measured.windows, of_label[label], options.seed) for label in labels}
    record = SwitchRecord(
        complete=measured.complete,
        differences=difference_rows(measured.windows, replay.rules, options.rule),
        changes=tuple(row for to in options.to for row in switched_rows(measured.windows, options.rule, to, ends)),
        **replay.fields(measured),
    )
    return kept(record, measured.failure)


@dataclass(frozen=True)
class Replay:
    """What is replayed, under which rules, and measured against what.

    ``work`` is the first window.
    """

    setup: Setup
    options: ReplayOptions
    rules: tuple[Rule, ...]
    work: SharedWork
    sample: Sample | None
    half_life: int | None

    @classmethod
    def of(cls, source: LogSource, options: ReplayOptions, half_life: bool = False) -> Replay:
        """What the options mean for a log; whatever cannot be done is refused here, before anything runs."""
        setup = setup_of(source, options)
        work, sample, rules = reference_for(setup)
        assert isinstance(setup.options, ReplayOptions)  # those given, with the rule in force
        seconds = getattr(setup.options, "decay", None) or setup.in_force.options.get("decay") if half_life else None
        return cls(setup, setup.options, rules, work, sample, seconds)

    def measure(self, progress: Progress | None) -> Measured:
        """The windows, measured now or kept from before."""
        options, setup = self.options, self.setup

        def history() -> History:
            return History(setup.windows, part_of(setup), self.half_life)

        with stored(options.store, question(setup, self.sample), self.rules, history) as shelf:
            return measure_all(
                setup.windows,
                self.rules,
                options.seed,
                shelf,
                half_life=self.half_life,
                processes=options.processes,
                progress=limited(progress, options.time_limit),
                clock=Clock(options.time_limit),
                sample=self.sample,
            )

    def fields(self, measured: Measured) -> dict[str, Any]:
        """The fields that all records of replays have."""
        setup, results, rules = self.setup, measured.windows, self.rules
        tree = accounts_of(setup, self.work)
        return {
            **log_fields(setup),
            "method": "simulation",
            "columns": AUDITED,
            "rows": rule_rows(results, rules, setup.log.name, columns=AUDITED),
            "organizations": tuple(row for rule in rules for row in organization_rows(results, rule.label, tree)),
            "windows": window_rows(results, setup.windows, busy=True),
            "reference": None if self.sample is None else reference_row(results, self.sample, self.work.names),
        }


def _disjoint(replay: Replay) -> int:
    """How many windows without overlap the part of the log holds; more tell less than they seem to."""
    part = part_of(replay.setup)
    until = min(part.until, last_event(replay.setup.log) - int(replay.setup.log.submit.min()))
    return max(1, (until - max(0, part.since) + 1) // replay.setup.plan.duration)


# --- one window over time -------------------------------------------------------------------------------------------


def _worst(replay: Replay, measured: Measured) -> tuple[SeriesRow | None, bool]:
    """The time series of the least fair window, if it is wanted; and whether everything is known."""
    options = replay.options
    if not (isinstance(options, Audit) and options.series and measured.complete):
        return None, measured.complete
    rule = replay.setup.in_force
    worst = max(measured.windows, key=lambda result: result.of(rule.label).to_others)  # the first of them, if equal
    work = replay.setup.windows.window(worst.index)
    try:
        return time_series(work, worst.index, rule, options.seed, replay.sample), True
    except KeyboardInterrupt:  # the windows are known all the same
        return None, False


def time_series(work: SharedWork, index: int, rule: Rule, seed: int, sample: Sample | None = None) -> SeriesRow:
    """Follow window number ``index`` (from 0) under a rule: psi - phi of everybody, and the load."""
    instance = instance_of(work)
    times = sorted({work.until * (i + 1) // MOMENTS for i in range(MOMENTS)} - {0})
    own_seed = rule_seed(seed, work.number, rule.label)
    balance: dict[str, list[Statistic]] = {name: [] for name in work.names}
    if sample is None:
        contributions = (follow(REFERENCE, instance, work, t, 0).contribution for t in times)
    else:
        contributions = (tuple(phi) for phi in sampled(instance, work.until, sample, seed, work.number).at(times))
    for t, deserved in zip(times, contributions, strict=True):
        received = follow(rule, instance, work, t, own_seed).utility
        assert deserved is not None  # REF always knows its Shapley values
        for name, psi, phi in zip(work.names, received, deserved, strict=True):
            balance[name].append(Statistic(float(psi - phi)))
    outcome = follow(rule, instance, work, work.until, own_seed)
    ran = outcome.start >= 0
    starts, stops = outcome.start[ran], (outcome.start + instance.length)[ran]
    busy = [int(((starts < t) & (stops >= t)).sum()) for t in times]
    waiting = [int((instance.release < t).sum() - (starts < t).sum()) for t in times]
    return SeriesRow(
        window=index + 1,
        start=work.start,
        rule=rule.label,
        times=tuple(times),
        machines=sum(work.machines),
        busy=tuple(busy),
        requested=tuple(b + w for b, w in zip(busy, waiting, strict=True)),
        balance={name: tuple(values) for name, values in balance.items()},
    )


# --- monitoring -----------------------------------------------------------------------------------------------------

_OF_RULES: Final = (
    ("lost_to_others_seconds", "to_others", "What a second of work loses to or gains from others, mean of windows."),
    ("lost_to_others_low_seconds", "to_others_low", "Lower limit of that, 95 per cent confidence."),
    ("lost_to_others_high_seconds", "to_others_high", "Upper limit of that, 95 per cent confidence."),
    ("unfairness_seconds", "unfairness", "Average undeserved delay or advance of a second of work, mean of windows."),
    ("unfairness_low_seconds", "unfairness_low", "Lower limit of the unfairness, 95 per cent confidence."),
    ("unfairness_high_seconds", "unfairness_high", "Upper limit of the unfairness, 95 per cent confidence."),
    ("utilization_ratio", "utilization", "Part of the machine time in use under the rule."),
)
_OF_ORGANIZATIONS: Final = ("share", "usage", "loss", "loss_low", "loss_high", "delay", "delay_low", "delay_high")
"""Fields whose gauges have the name, the unit and the text of their declaration."""
_OVER: Final = "Over all windows that were measured, not the last alone."
_UNITS: Final = {"s": "seconds", "1": "ratio"}


def _save(setup: Setup, record: AuditRecord, options: Audit) -> str | None:
    """Write the numbers for a monitoring system, and everybody's; why they could not be written, in a sentence."""
    try:
        if options.openmetrics is not None:
            save(families(record), options.openmetrics)
        if options.owners is not None:
            save_owners(setup, options.owners)
    except InputError as error:
        return str(error)
    return None


def families(record: AuditRecord) -> list[Family]:
    """Gauges of an audit: of every rule, and of the organizations under the rule in force."""
    log, rows = {"log": record.log.name}, record.rows
    loads = [row.load.value for row in record.windows]
    whole = (
        ("complete", "Whether all windows were measured.", float(record.complete)),
        ("windows", "Windows that were measured.", float(len(record.windows))),
        (
            "provisional_windows",
            "Windows that may still change, because not all of their jobs had ended.",
            float(sum(bool(row.provisional) for row in record.windows)),
        ),
        ("window_seconds", "Length of a window.", float(record.plan.duration)),
        (
            "load_ratio",
            "Work submitted in a window over what machines can do, mean.",
            sum(loads) / len(loads) if loads else None,
        ),
    )
    gauges = [_family(name, about, [(log, value)]) for name, about, value in whole]
    in_force = [({**log, "rule": row.rule}, float(row.rule == record.rule)) for row in rows]
    gauges.append(_family("rule_in_force", "1 for the rule that the cluster uses, else 0.", in_force))
    for name, key, about in _OF_RULES:
        gauges.append(_family(name, about, [({**log, "rule": row.rule}, _value(row.values[key])) for row in rows]))
    mine = [row for row in record.organizations if row.rule == record.rule]
    for key in _OF_ORGANIZATIONS:
        column = columns(AuditedRow)[key]
        about = f"{column.meaning[0].upper()}{column.meaning[1:]}. {_OVER}"
        samples = [({**log, "rule": row.rule, "organization": row.name}, _value(getattr(row, key))) for row in mine]
        gauges.append(_family(f"{key}_{_UNITS[column.unit]}", about, samples))
    return gauges


def _family(name: str, about: str, samples: Sequence[tuple[Mapping[str, str], float | None]]) -> Family:
    unit = next((unit for unit in ("seconds", "ratio") if name.endswith(f"_{unit}")), "")
    return Family(PREFIX + name, about, unit, samples)


def _value(value: Any) -> float | None:
    return value.value if isinstance(value, Statistic) else None
