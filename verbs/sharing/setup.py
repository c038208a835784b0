"""What the options of an audit mean for a log: its plan and windows, the rules to run, and what fair is.

Logs do not say who owns what; what nobody said is noted (:class:`.records.PlanRow`). A few jobs of many real logs have
no waiting time, or a negative one (a clock that was set back): they are left out of the whole audit, so that all rules
share the same jobs; where they are many, what the cluster did is not known.

A window opens on the busy cluster, with the jobs that ran and those that waited by the log's own record
(:mod:`consortium.workloads.windows`), for all rules and for the reference alike; so what the cluster did stands beside
the rules, on the same jobs, and is the rule in force unless another one is named.

REF keeps a schedule for every coalition, which is done for up to 14 organizations. Beyond, or where it is named,
contributions are sampled (:mod:`consortium.mechanisms.sharing.sampled`), with bounds on their error.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeGuard

import numpy as np

from ...mechanisms.kinds import rules as names_of_rules
from ...mechanisms.sharing.orderings import is_flat, structure, tree
from ...mechanisms.sharing.sampled import CONFIDENCE, Sample, sampled_memory
from ...mechanisms.sharing.simulation import COPIES, memory
from ...scenarios.reader import load
from ...support.errors import InputError, TooLargeError, unknown_name
from ...workloads.clock import clock_of
from ...workloads.log import Log, selected
from ...workloads.partition import of_partition
from ...workloads.reading import read_log
from ...workloads.resources import weighed, weights_text
from ...workloads.slurm import WITHIN, by_machines, in_lowest_terms, leaves_of, parents_of
from ...workloads.windows import Plan, SharedWork
from ..records import Statistic
from .audit_records import LogRow, ParallelRow, PlanRow
from .model import RECORDED, Rule, instance_of, is_ours, is_recorded, is_whole, rules_of
from .options import Audit, AuditGaming, AuditSwitch, LogOptions, ReplayOptions
from .plan import MAX_ORGANIZATIONS, Period, Windows, period_of, plan_of, total_machines, ways_of, windows_of, work_of
from .windows import REFERENCE, job_starts

FEW: Final = 20
"""Jobs may have no known start if at most one in so many has none."""
REF_STARTS: Final = 3 * 10**7
"""Most job starts of all coalitions in a window, unless exact contributions are named."""


LogSource: TypeAlias = str | os.PathLike[str] | Log
"""The path of a log, or a log."""


USUAL: Final = "fair-share"
"""The rule in force where nobody says it and nothing is recorded."""


class Setup(NamedTuple):
    """What is replayed: the log as it was cut, the windows, and the rule in force (with others, :func:`rules_for`).

    ``starts_unknown`` counts jobs without a known start, where they are too many to be left out.
    """

    log: Log
    options: LogOptions
    plan: Plan
    rules: tuple[Rule, ...]
    windows: Windows
    starts_unknown: int | None

    @property
    def in_force(self) -> Rule:
        """The rule that the cluster uses."""
        return next(rule for rule in self.rules if rule.label == self.options.rule)


def setup_of(source: LogSource, options: LogOptions) -> Setup:
    """The setup of an audit of a log, which is read where it was not. Raises InputError for what cannot be done."""
    log = source if isinstance(source, Log) else read_log(Path(source), zero=options.zero)
    if options.partition is not None:
        log = of_partition(log, options.partition)
    if options.weights is not None:
        log = weighed(log, options.weights)
    log, starts_unknown = _with_starts(log, options)
    if options.rule is None:
        options = options.model_copy(update={"rule": RECORDED if starts_known(log) else USUAL})
    plan = plan_of(log, options)
    rules = rules_for(log, plan, options)
    decays = [rule.options.get("decay") for rule in rules] + [getattr(options, "decay", None)]
    half_lives = tuple(sorted({decay for decay in decays if decay}))
    weighed_qos = any(rule.options.get("qos") for rule in rules)
    plan = replace(
        plan,
        whole=any(map(is_whole, rules)),
        half_lives=half_lives,
        qos=options.qos or {} if weighed_qos else None,  # all count 0 where nothing says what they are worth
    )
    return Setup(log, options, plan, rules, windows_of(log, plan, options), starts_unknown)


# --- the log and its plan, for the record -----------------------------------------------------------------------------


def starts_known(log: Log) -> bool:
    """Whether the log says of every job when it started, or that it had not when the log ended."""
    return bool(((log.column("wait") >= 0) | log.waiting).all())


def _with_starts(log: Log, options: LogOptions) -> tuple[Log, int | None]:
    """The log without jobs of unknown start where what the cluster did is run; how many, where they are many."""
    if starts_known(log) or not (
        options.rules is None or options.rule in (None, RECORDED) or any(map(is_recorded, options.rules.values()))
    ):
        return log, None
    wait = np.where(log.waiting, 0, log.column("wait"))
    unknown = int((wait < 0).sum())
    if unknown * FEW > len(log):
        return log, unknown
    reasons = (("no start is known", wait == -1), ("started before it was submitted (a clock set back?)", wait < -1))
    index, skipped = selected(log, reasons)
    return log.take(index, replace(log.report, kept=len(log) - unknown, skipped=skipped)), None


def log_fields(setup: Setup) -> dict[str, Any]:
    """The fields that the records of all audits of a log have."""
    return {
        "kind": "sharing",
        "scenario": setup.log.name,
        "exact": False,
        "seed": setup.options.seed,
        "log": _log_row(setup),
        "plan": plan_row(setup),
        "rule": setup.in_force.label,
        "parallel_jobs": parallel_row(setup),
    }


def _log_row(setup: Setup) -> LogRow:
    """What a record says of the log."""
    log, clock, dates = setup.log, clock_of(setup.log), {}
    if clock is not None:
        first, last = clock.text(int(log.submit.min())), clock.text(int(log.submit.max()))
        dates = {"first": first, "last": last, "clock": clock.zone}
    return LogRow(
        name=log.name, source=log.source, report=log.report.to_dict(), starts_unknown=setup.starts_unknown, **dates
    )


def part_of(setup: Setup) -> Period:
    """The part of the log in which windows lie; those one after another fill it."""
    options = setup.options
    return setup.windows.covered if options.consecutive else period_of(setup.log, options.since, options.until)


def plan_row(setup: Setup) -> PlanRow:
    """What a record says of the plan: what holds, and what of that nobody said."""
    log, options, plan = setup.log, setup.options, setup.plan
    cut = {key: value for key, value in asdict(plan).items() if key not in ("seed", "busy", "whole", "half_lives")}
    source: Literal["option", "header", "peak", "shares"] = "peak" if log.peak_processors() is not None else "shares"
    if options.machines is not None or log.max_processors() is not None:
        source = "header" if options.machines is None else "option"
    assumed = {
        "organizations": isinstance(plan.organizations, int) and options.organizations is None,
        "machines": source in ("peak", "shares"),
        "shares": options.shares is None,
    }
    parallel = parallel_of(options)
    part = part_of(setup)
    whole = options.since is None and options.until is None and not options.consecutive
    return PlanRow(
        **cut,
        assumed=tuple(name for name, holds in assumed.items() if holds),
        machines_from=source,
        **_together(log, plan),
        shares_sum=_shares_sum(options, plan),
        weights=None if options.weights is None else weights_text(options.weights),
        accounts=dict(options.shares) if is_tree(options.shares) else None,
        parents=parents_in(options) or None,
        slurm=options.slurm,
        partition=options.partition,
        since=None if options.since is None else part.since,
        until=None if options.until is None else part.until,
        part=None if whole else part.text(log),
        consecutive=options.consecutive or None,
        busiest=options.busiest,
        min_load=options.min_load,
        open_share=setup.windows.open_share,
        parallel=None if parallel == COPIES else parallel,
        profile=options.profile,
    )


def _together(log: Log, plan: Plan) -> dict[str, Any]:
    """How many owners count as one, and what part of the work is theirs."""
    if isinstance(plan.organizations, int):
        return {}
    work = work_of(log, plan.organizations, plan.limit)
    together = np.unique(log.column(plan.organizations)).size - work.size
    return {"together": int(together) + 1, "together_work": Statistic(float(work[-1]))} if together else {}


def _shares_sum(options: LogOptions, plan: Plan) -> int | None:
    """The sum of shares that were read as weights; Slurm's are weights anyway."""
    if options.shares is None or isinstance(options.shares, str) or is_tree(options.shares):
        return None
    if "RawShares" in (options.slurm or ()):
        return None
    shares = options.shares.values() if isinstance(options.shares, Mapping) else options.shares
    return None if sum(shares) == total_machines(plan) else sum(shares)


# --- rules ------------------------------------------------------------------------------------------------------------


def parallel_of(options: LogOptions) -> str:
    """How the rules that are queues run parallel jobs."""
    return options.parallel if isinstance(options, ReplayOptions) else COPIES


def rules_for(log: Log, plan: Plan, options: LogOptions) -> tuple[Rule, ...]:
    """The rules to run, the rule in force among them.

    An audit runs those that are named, else all that ``compare`` would run and what the cluster did; a switch the rule
    in force and the others; to game a rule it alone.
    """
    trace = {"file": log.name, "duration": plan.duration, "organizations": plan.organizations, "shares": plan.shares}
    mechanism: dict[str, Any] = {"rule": "multifactor", "parallel": parallel_of(options)}  # which takes all of these
    if options.qos:
        mechanism["max_qos"] = max(1, *options.qos.values())
    if parents := parents_in(options):
        mechanism["parents"] = parents
    scenario = load({"format": 1, "kind": "sharing", "trace": trace, "mechanism": mechanism})
    if isinstance(options, Audit):
        rules = rules_of(scenario, options.rules)
        if options.rules is None and options.decay is not None:
            label = _decayed_label(options.decay)
            rules = (*rules, *rules_of(scenario, {label: label}))
        first = {options.rule or USUAL} | ({RECORDED} if options.rules is None and starts_known(log) else set())
        lacking = sorted(first - {rule.label for rule in rules}, key=lambda label: not is_recorded(label))
        return (*rules_of(scenario, {label: label for label in lacking}), *rules) if lacking else rules
    by_label = options.rules or {}
    rules = rules_of(scenario, {options.rule: by_label.get(options.rule, options.rule)})
    if isinstance(options, AuditGaming) and rules[0].rule == RECORDED:  # nobody knows what it would have done otherwise
        raise InputError(
            f"rule: the rule in force is {RECORDED}, what the cluster did; expected a rule that can be run again"
        )
    if isinstance(options, AuditSwitch):
        rules = (*rules, *rules_of(scenario, _others(rules[0], options)))
    return rules


def parents_in(options: LogOptions) -> dict[str, str]:
    """The account above each: as given, else by the paths of shares."""
    return dict(options.parents or (parents_of(options.shares) if is_tree(options.shares) else {}))


def is_tree(shares: Any) -> TypeGuard[Mapping[str, int]]:
    """Whether shares are those of accounts within accounts, by path."""
    return isinstance(shares, Mapping) and any(WITHIN in path for path in shares)


def accounts_of(setup: Setup, work: SharedWork) -> Mapping[str, int] | None:
    """Shares by path of a tree of accounts: as given, else those of parents add up their accounts' machines."""
    shares, parents = setup.options.shares, parents_in(setup.options)
    if is_tree(shares) and set(work.names) <= leaves_of(shares).keys():
        return shares
    return by_machines(dict(zip(work.names, work.machines, strict=True)), parents) if parents else None


def _decayed_label(half_life: int) -> str:
    """fair-share with a half-life, as ``--rules`` takes it.

    >>> _decayed_label(604_800), _decayed_label(5_400), _decayed_label(10)
    ('fair-share:decay=7d', 'fair-share:decay=90min', 'fair-share:decay=10s')
    """
    units = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))
    unit, length = next((unit, length) for unit, length in units if half_life % length == 0)
    return f"fair-share:decay={half_life // length}{unit}"


def _others(rule: Rule, options: AuditSwitch) -> dict[str, Any]:
    """The rules that may take the place of the rule in force, by label: names, labels of other rules, or custom rules.

    Raises InputError for the rule in force and for what the cluster did; UnknownNameError for names.
    """
    by_label, others = options.rules or {}, dict[str, Any]()
    for label, other in options.to.items():
        if isinstance(other, str):
            other = by_label.get(other, other)
        elif label in by_label:
            raise InputError(f"to: another of the rules is called {label!r}; expected its name, or no such rule")
        if is_recorded(other):
            raise InputError(f"to: {label!r} is what the cluster did, to which nobody can change; expected a rule")
        if label == rule.label:
            raise InputError(f"to: {label!r} is the rule in force; expected another, or another rule in force")
        name = other.partition(":")[0] if isinstance(other, str) else None
        if name is not None and name not in names_of_rules("sharing"):
            raise unknown_name("to", name, dict.fromkeys((*names_of_rules("sharing"), *by_label)))
        others[label] = other
    return others


def parallel_row(setup: Setup) -> ParallelRow | None:
    """What a record says of jobs that take several processors; ``None`` where all are sequential."""
    log, machines = setup.log, total_machines(setup.plan)
    if int(log.processors.max(initial=1)) == 1:
        return None

    def labels(way: str) -> tuple[str, ...]:
        return tuple(rule.label for rule in setup.rules if rule.options.get("parallel") == way)

    copies = tuple(rule.label for rule in setup.rules if not is_whole(rule) and rule.rule != RECORDED)
    return ParallelRow(
        jobs=len(log),
        rigid=labels("rigid"),
        easy=labels("easy"),
        copies=copies,
        requested=int((log.column("limit") > 0).sum()),
        too_wide=int((log.processors > machines).sum()),
    )


def question(setup: Setup, sample: Sample | None) -> dict[str, Any]:
    """How windows are chosen and measured, not which: what all windows of a store have in common.

    Organizations stand in the order of their work in the log at hand, which is another every night. So what is said of
    them by name is kept by name, as it was said.
    """
    options, parallel = setup.options, parallel_of(setup.options)
    of_replay = ("seed", "start", "whole", "half_lives", "qos")
    cut = {key: value for key, value in asdict(setup.plan).items() if key not in of_replay}
    if isinstance(options.shares, Mapping):
        shares = dict(sorted(in_lowest_terms(options.shares).items()))
        cut |= {"machines": total_machines(setup.plan), "shares": shares, "limit": options.limit}
    drawn = None if sample is None else asdict(sample)
    if drawn is not None and sample is not None and sample.structure is not None:
        drawn["structure"] = dict(sorted(parents_in(options).items()))
    return {
        **cut,
        "chosen": next(iter(ways_of(options)), "random"),
        **({} if options.min_load is None else {"min_load": str(options.min_load)}),
        **({} if options.weights is None else {"weights": weights_text(options.weights)}),
        **({} if options.partition is None else {"partition": options.partition}),
        **({} if parallel == COPIES else {"parallel": parallel}),
        **({} if drawn is None else {"sample": drawn}),
        "seed": options.seed,
    }


# --- what fair is -----------------------------------------------------------------------------------------------------


def reference_for(setup: Setup) -> tuple[SharedWork, Sample | None, tuple[Rule, ...]]:
    """The first window, how contributions are sampled (``None``: REF), and the rules to run.

    REF is among these only if it is named, where contributions are sampled.

    Raises
    ------
    InputError
        Options that contradict each other. TooLargeError for what takes more than there is.
    """
    options, rules, work = setup.options, setup.rules, setup.windows.window()
    assert isinstance(options, ReplayOptions)
    sample = sample_of(options, work, len(rules))
    if sample is None:
        return work, None, rules
    instance = instance_of(work)
    sampled_memory(instance, work.until, sample)
    if options.rules is None:
        rules = tuple(rule for rule in rules if rule.rule != REFERENCE.rule)
    for rule in rules:
        if is_ours(rule):
            memory(instance, rule.rule, until=work.until, **rule.options)
    return work, sample, rules


def sample_of(options: ReplayOptions, work: SharedWork, rules: int) -> Sample | None:
    """How contributions are sampled, by the first window; ``None``: REF.

    Raises
    ------
    InputError
        Options that contradict each other. TooLargeError for more organizations than REF takes, where it is named.
    """
    k = len(work.names)
    if options.parents is not None and is_tree(options.shares) and is_flat(tree(work.names, options.parents)):
        options = options.model_copy(
            update={"parents": None}
        )  # of those that are there tonight none have one in common
    named = [name for name in ("samples", "epsilon", "confidence", "parents") if getattr(options, name) is not None]
    if options.against == "ref" and named:
        if named[0] == "parents" and options.slurm is not None:
            raise InputError(
                "against: found 'ref', which samples nothing; expected auto or sampled, because dumps of Slurm say "
                "that accounts lie within others, and what these contribute (Owen's value) is sampled"
            )
        raise InputError(
            f"{named[0]}: cannot be combined with against = 'ref', which samples nothing; leave out one of the two"
        )
    if options.samples is not None and options.epsilon is not None:
        raise InputError("samples: cannot be combined with epsilon, which sets their number")
    if options.epsilon is not None and not 0 < options.epsilon <= 1:
        raise InputError(f"epsilon: found {options.epsilon}; expected a number above 0 and at most 1")
    if options.confidence is not None and not 0 < options.confidence < 1:
        raise InputError(f"confidence: found {options.confidence}; expected a number above 0 and below 1")
    if options.against == "ref" and k > MAX_ORGANIZATIONS:
        raise TooLargeError(
            f"{k} organizations; at most {MAX_ORGANIZATIONS}, because REF looks at every coalition. "
            "Give a smaller limit, or against = 'sampled'"
        )
    if options.against == "ref" or (options.against == "auto" and not named and _affordable(work, rules)):
        return None
    confidence = CONFIDENCE if options.confidence is None else options.confidence
    unions = None if options.parents is None else structure(work.names, options.parents)
    return Sample(options.samples, options.epsilon, confidence, unions)


def _affordable(work: SharedWork, rules: int) -> bool:
    k = len(work.names)
    if k > MAX_ORGANIZATIONS or job_starts(len(work), k, rules) > REF_STARTS:
        return False
    try:
        memory(instance_of(work), "ref", until=work.until)
    except TooLargeError:
        return False
    return True
