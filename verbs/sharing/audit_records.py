"""What audits of logs answer: their records, each field declared once."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar, Literal

from ...support.fields import col, row
from ..records import ComparisonRow, Row, Statistic
from .records import SCENARIOS, SharingRecord, WindowRow

LOW, HIGH = (
    "lower limit of the mean, 95 per cent confidence (Student)",
    "upper limit of the mean, 95 per cent confidence",
)
LOW_OF_ALL, HIGH_OF_ALL = (
    "lower limit of the mean, 95 per cent confidence for all organizations that matter together",
    "upper limit of the mean, likewise",
)


@row
class LogRow(Row):
    """The log, and the account of what was left out of it."""

    name: str = col("name of the log")
    source: str = col("where the log comes from, as its header says")
    first: str | None = col("date of the first submission, where the log says dates", optional=True, default=None)
    last: str | None = col("date of the last submission", optional=True, default=None)
    clock: str | None = col("zone of the clock of these dates", optional=True, default=None)
    starts_unknown: int | None = col(
        "jobs whose start is not known, where they keep recorded from being measured", optional=True, default=None
    )
    report: Mapping[str, Any] = col("jobs read and kept, what was left out and why")


@row
class ParallelRow(Row):
    """How jobs of several processors were run, in a log that has some."""

    jobs: int = col("jobs of the log", format=",")
    rigid: tuple[str, ...] = col("rules that start a job on all its machines at once, while the queue waits")
    easy: tuple[str, ...] = col("rules that do so with EASY backfilling")
    copies: tuple[str, ...] = col("rules that run as many sequential jobs")
    requested: int = col("jobs that say what run time they requested, with which backfilling plans", format=",")
    too_wide: int = col("jobs that take more than all machines, which rules that keep jobs whole leave out", format=",")


@row
class PlanRow(Row):
    """How windows are cut from the log, see :class:`consortium.workloads.Plan`, and what of that nobody said."""

    duration: int = col("length of a window", unit="s", format=",")
    start: int | None = col("opening of the one window, after the first submission; none: several", unit="s")
    machines: int | None = col("machines in total; none: the shares say it", format=",")
    organizations: int | str = col("the column that names the organizations, or the number of bags of users")
    shares: str | tuple[int, ...] = col("how machines are dealt: equal, zipf, or the machines of each organization")
    limit: int | None = col("most organizations of a column, the rest as others")
    assumed: tuple[str, ...] = col("what of this nobody said: organizations, machines, shares", default=())
    machines_from: Literal["option", "header", "peak", "shares"] = col("where the number of machines comes from")
    together: int | None = col("owners that count as one, others", optional=True, default=None, format=",")
    together_work: Statistic | None = col(
        "part of all work of the log that is theirs", unit="1", optional=True, default=None
    )
    shares_sum: int | None = col(
        "sum of the shares given, where they are weights of another number of machines", optional=True, default=None
    )
    weights: str | None = col("billing units of each resource; a job counts as so many", optional=True, default=None)
    accounts: Mapping[str, int] | None = col(
        "shares of accounts among those in the same one, by path", optional=True, default=None
    )
    parents: Mapping[str, str] | None = col("the account above each account", optional=True, default=None)
    qos: Mapping[str, int] | None = col(
        "priority of each QOS, where a rule weighs them; of others 0", optional=True, default=None
    )
    slurm: Mapping[str, str] | None = col(
        "settings that were read from dumps and that no option says; CPUs: the machines", optional=True, default=None
    )
    partition: str | None = col("the partition whose jobs are looked at", optional=True, default=None)
    since: int | None = col(
        "windows open from here on, after the first submission", unit="s", optional=True, default=None
    )
    until: int | None = col("windows end by then, after the first submission", unit="s", optional=True, default=None)
    part: str | None = col("the two as dates, where the log says dates", optional=True, default=None)
    consecutive: bool | None = col("one window after another, not random ones", optional=True, default=None)
    busiest: int | None = col("so many of the fullest windows, not random ones", optional=True, default=None)
    min_load: Fraction | None = col("least load of random windows", unit="1", optional=True, default=None)
    open_share: Statistic | None = col(
        "part of the time in which a window of that load opens", unit="1", optional=True, default=None
    )
    parallel: str | None = col("how queues run parallel jobs, where not as copies", optional=True, default=None)
    profile: str | None = col("the purpose whose options were taken", optional=True, default=None)


@row
class ReferenceRow(Row):
    """How contributions were sampled, and how exact they are; see Theorem 5.6 for the bound of unit jobs."""

    orderings: int = col("orderings of the organizations looked at in a window, the fewest", format=",")
    schedules: int = col("schedules of coalitions looked at in a window, the fewest", format=",")
    confidence: Fraction = col("how surely the bound on the sampling error holds in a window", unit="1")
    sampling: Statistic = col("bound on the sampling errors together, part of what all contribute; mean", unit="1")
    order: Statistic = col(
        "error by the order in which coalitions serve their members, measured, part of what all contribute", unit="1"
    )
    bound: Statistic = col("both errors per second of work: by so much unfairness may be off; mean", unit="s")
    halves: Statistic = col("by so much schedules that follow two halves of the sample differ", unit="s")
    unions: tuple[tuple[str, ...], ...] = col("organizations that keep together when contributions are counted")


@row
class AuditedRow(Row):
    """One organization under one rule, all windows together."""

    rule: str = col("label of the rule")
    name: str = col("name of the organization", label="organization")
    machines: Statistic = col("its machines, mean of the windows", format=".6g")
    share: Statistic = col("S, part of the machines that it owns", label="share S", unit="1", format="share")
    usage: Statistic = col("U, part of the machine time used that it got", label="usage U", unit="1", format="share")
    factor: Statistic | None = col("2^(-U/S)", label="fair-share factor 2^(-U/S)", format=".3f")
    level: Statistic | float | None = col(
        "S/U; in a tree of accounts of the parts of its siblings together", label="LevelFS S/U", format=".3f"
    )
    utility: int = col("psi under the rule", label="received psi", format=".4g")
    fair: int = col("psi in the schedule of REF", label="fair psi*", format=".4g")
    contribution: Fraction = col("phi, its Shapley value as REF finds it", label="contributed phi", format=".4g")
    excess: Statistic | None = col(
        "psi / phi - 1 in per cent; none unless phi is positive", label="psi against phi", format="signed"
    )
    fair_excess: Statistic | None = col(
        "psi* / phi - 1 in per cent; none unless phi is positive", label="psi* against phi", format="signed"
    )
    parts: int = col("work of its jobs done under the rule", unit="s", format=",")
    fair_parts: int = col("work of its jobs done by REF", unit="s", format=",")
    delay: Statistic | None = col(
        "how much later than REF does it a second of its work was done, on average; negative: earlier; work that was "
        "not done counts up to the end of the window; none where REF does none",
        label="later than fair",
        unit="s",
        format="duration",
    )
    delay_low: Statistic | None = col(LOW_OF_ALL, unit="s")
    delay_high: Statistic | None = col(HIGH_OF_ALL, unit="s")
    loss: Statistic | None = col(
        "what it loses to others for each second of its work: its delay less what all lose together, as far as others "
        "gain it; negative: what it gains; none where REF does none",
        label="lost to others",
        unit="s",
        format="duration",
        default=None,
    )
    loss_low: Statistic | None = col(LOW_OF_ALL, unit="s", default=None)
    loss_high: Statistic | None = col(HIGH_OF_ALL, unit="s", default=None)
    decayed_usage: Statistic | None = col(
        "usage with a half-life", unit="1", format="share", optional=True, default=None
    )
    decayed_factor: Statistic | None = col("factor with a half-life", format=".3f", optional=True, default=None)
    decayed_level: Statistic | float | None = col("level with a half-life", format=".3f", optional=True, default=None)
    fair_tree: Statistic | None = col(
        "its rank by Fair Tree among the organizations over their number, in a tree of accounts",
        label="FairShare",
        format=".3f",
        optional=True,
        default=None,
    )
    decayed_fair_tree: Statistic | None = col("fair_tree with a half-life", format=".3f", optional=True, default=None)


@row
class DifferenceRow(Row):
    """How much less fair another rule is than the rule in force, in pairs on the same windows."""

    rule: str = col("label of the other rule")
    difference: Statistic = col(
        "mean of what one loses to another under it (to_others) less that under the rule in force; negative: fairer",
        unit="s",
    )
    difference_low: Statistic | None = col(LOW, unit="s")
    difference_high: Statistic | None = col(HIGH, unit="s")
    windows: int | None = col("how many windows would tell the two apart, if others scatter like these", format=",")


@row
class FairnessRow(Row):
    """Whether the cluster is shared fairly under the rule in force, and why; losses are those of its organizations."""

    answer: Literal["fair", "unfair", "open"] = col(
        "unfair where somebody surely loses more to others than the tolerance, or surely waits beyond it for any cause "
        "(held) while another surely does not; fair where surely nobody does"
    )
    tolerance: Statistic = col("the loss to others for each second of work that matters to people", unit="s")
    wait: Statistic | None = col(
        "mean waiting time of the jobs submitted in the windows, up to their ends, of which the tolerance is a tenth",
        unit="s",
    )
    matter: tuple[str, ...] = col(
        "organizations with at least a hundredth of the work, who surely loses first, then who loses most"
    )
    loser: str | None = col("the first of them; none where nobody loses")
    gainer: str | None = col(
        "who of them gains most from others; none where nobody gains, nor beside unfair where nobody surely does"
    )
    windows: int | None = col("how many windows would tell, if others scatter like these", format=",")
    disjoint: int | None = col(
        "how many windows without overlap the part of the log holds, where that is fewer", optional=True, default=None
    )
    busy: Statistic | None = col("part of the machine time in use on the cluster, mean of the windows", unit="1")
    replayed: Statistic | None = col("part of the machine time in use in the fair schedule", unit="1")
    held: str | None = col(
        "who is surely later than fair by more than the tolerance although it does not surely lose that to others, "
        "where another surely is not, or nothing else decides the answer",
        optional=True,
        default=None,
    )
    wronged: tuple[str, ...] = col("who surely loses more than the tolerance to others", optional=True, default=())
    forgiven: str | None = col(
        "of whom most of the waiting lies before windows opened, who surely loses first; none where it is of nobody",
        optional=True,
        default=None,
    )
    forgiven_part: Statistic | None = col("the part of it that does", unit="1", optional=True, default=None)
    longer: int | None = col(
        "a length of windows at which that would be less than half", unit="s", optional=True, default=None
    )
    independent: Statistic | None = col(
        "as many windows without overlap as cover the same time, where some overlap", optional=True, default=None
    )


@row
class WaitRow(Row):
    """How long an organization's jobs waited under the rule in force, and in the fair schedule, all windows together.

    Jobs are those submitted in a window or waiting when it opened; a parallel job waits until all its copies have
    started. Fields that begin with fair are those of the schedule of REF.
    """

    name: str = col("name of the organization", label="organization")
    jobs: int = col("its jobs that waited or could have", format=",")
    still: int = col("of these jobs that wait at the end of a window; they count with the time waited", format=",")
    wait: Statistic | None = col("mean waiting time", unit="s")
    wait_median: Statistic | None = col("median waiting time", unit="s")
    wait_high: Statistic | None = col("95 per cent of its jobs wait no longer", unit="s")
    slowdown: Statistic | None = col("mean bounded slowdown: waiting and run time over a run time of at least 10 s")
    slowdown_median: Statistic | None = col("median bounded slowdown")
    slowdown_high: Statistic | None = col("95 per cent of its jobs have no higher one")
    share: Statistic = col("part of the machines that it owns", unit="1")
    usage: Statistic | None = col("part of the machine time used that it got", unit="1")
    fair_still: int = col("jobs that wait at the end of a window", format=",")
    fair_wait: Statistic | None = col("mean waiting time", unit="s")
    fair_wait_median: Statistic | None = col("median waiting time", unit="s")
    fair_wait_high: Statistic | None = col("95 per cent of its jobs wait no longer", unit="s")
    fair_slowdown: Statistic | None = col("mean bounded slowdown")
    fair_slowdown_median: Statistic | None = col("median bounded slowdown")
    fair_slowdown_high: Statistic | None = col("95 per cent of its jobs have no higher one")
    fair_usage: Statistic | None = col("part of the machine time used that it gets", unit="1")


@row
class SeriesRow(Row):
    """One window under one rule over time."""

    window: int = col("number of the window, from 1")
    start: int = col("its opening, after the first submission", unit="s", format=",")
    rule: str = col("label of the rule")
    times: tuple[int, ...] = col("moments of the window", unit="s")
    machines: int = col("machines in total", format=",")
    busy: tuple[int, ...] = col("machines in use at each moment")
    requested: tuple[int, ...] = col("machines of jobs running or waiting at each moment")
    balance: Mapping[str, tuple[Statistic, ...]] = col("psi - phi of every organization by name, at each moment")


@row
class LogRecord(SharingRecord):
    """Base of the audits of a log: which log, which windows, which rule is in force."""

    log: LogRow = col("the log")
    plan: PlanRow = col("how windows were cut from it")
    rule: str = col("the rule in force, which the cluster uses")


@row
class ReplayRecord(LogRecord):
    """Base of the audits that replay windows under several rules, measured against REF."""

    columns: tuple[str, ...] = col("names of the values of a rule, see rows")
    rows: tuple[ComparisonRow, ...] = col(
        "each rule: unfairness, with Student's limits of 95 per cent, population standard deviation, utilization and "
        "run time; to_others, what one loses to another for each second of work, with limits, and common, what all "
        "lose together; means of the windows"
    )
    organizations: tuple[AuditedRow, ...] = col("everybody under each rule")
    windows: tuple[WindowRow, ...] = col("the windows")
    reference: ReferenceRow | None = col("how REF was sampled, where it was", optional=True, default=None)
    parallel_jobs: ParallelRow | None = col("how parallel jobs were run", optional=True, default=None)


@row
class AuditRecord(ReplayRecord):
    """Is the cluster shared fairly? Rules and organizations of a log, all windows together."""

    verb: ClassVar[str] = "audit"
    main: ClassVar[str] = "rows"
    fairness: FairnessRow | None = col("the answer under the rule in force; none without windows", default=None)
    before: FairnessRow | None = col(
        "of a nightly audit the answer of the windows before the last", optional=True, default=None
    )
    waits: tuple[WaitRow, ...] = col("how long everybody's jobs waited under the rule in force", default=())
    differences: tuple[DifferenceRow, ...] = col("the other rules beside the rule in force, in pairs", default=())
    series: SeriesRow | None = col("the least fair window over time", optional=True, default=None)
    decay: int | None = col("half-life of the numbers that have one", unit="s", optional=True, default=None)


@row
class SwitchedRow(Row):
    """What another rule changes for one organization."""

    rule: str = col("label of the other rule")
    name: str = col("name of the organization", label="organization")
    change: Statistic | None = col(
        "how much later than under the rule in force a second of its work would be done; negative: earlier; none "
        "where REF does none of it",
        unit="s",
    )
    change_low: Statistic | None = col(LOW, unit="s")
    change_high: Statistic | None = col(HIGH, unit="s")
    verdict: Literal["wins", "loses", "same", "open"] = col(
        "wins and loses where the limits leave 0 out and the change in the end has the same sign, same where nothing "
        "changes in any window"
    )
    windows: int | None = col("how many windows would tell, if others scatter like these", format=",")
    change_ended: Statistic | None = col(
        "the change when all jobs have run to their end, nobody submitting more; none where some never start",
        unit="s",
        default=None,
    )
    change_ended_low: Statistic | None = col(LOW, unit="s", default=None)
    change_ended_high: Statistic | None = col(HIGH, unit="s", default=None)
    received: int = col("how much more machine time it receives in all windows together", unit="s", default=0)


@row
class SwitchRecord(ReplayRecord):
    """What would another rule change? Who would win, who would lose, and whether it is fairer."""

    verb: ClassVar[str] = "audit_switch"
    main: ClassVar[str] = "changes"
    differences: tuple[DifferenceRow, ...] = col("each other rule: how much less fair it is, in pairs")
    changes: tuple[SwitchedRow, ...] = col("what each other rule changes for everybody")


@row
class TrendRow(Row):
    """The windows of one period under one rule."""

    since: str = col("the date that the period or window begins with, or the second after the first submission")
    windows: int = col("windows that open in it", format=",")
    provisional: int = col("of them, those that may still change: not all of their jobs had ended", format=",")
    load: Statistic = col("mean load of the windows", unit="1", format=".2f")
    to_others: Statistic = col(
        "mean of what one loses to or gains from another for each second of work; of one account what it loses, "
        "negative: gains",
        label="lost to others",
        unit="s",
    )
    to_others_low: Statistic | None = col(LOW, unit="s")
    to_others_high: Statistic | None = col(HIGH, unit="s")
    unfairness: Statistic = col(
        "mean unfairness of the windows; of one account how much later than fair its work is done", unit="s"
    )
    unfairness_low: Statistic | None = col(LOW, unit="s")
    unfairness_high: Statistic | None = col(HIGH, unit="s")


@row
class LastRow(Row):
    """The last period against the one before it, by Welch's interval of the difference of their means."""

    difference: Statistic = col("mean lost to others in the last period less that in the one before", unit="s")
    difference_low: Statistic | None = col("lower limit, 95 per cent confidence; none: too few windows", unit="s")
    difference_high: Statistic | None = col("upper limit, 95 per cent confidence; none: too few windows", unit="s")


@row
class TrendRecord(SharingRecord):
    """Unfairness of a rule period by period, of all windows that a store keeps."""

    verb: ClassVar[str] = "audit_trend"
    main: ClassVar[str] = "rows"
    every: str = col("length of a period: window, day, week or month")
    rule: str = col("label of the rule")
    rows: tuple[TrendRow, ...] = col("the periods, in order")
    last: LastRow | None = col("the last period against the one before; none without two of several windows")
    same_organizations: bool = col("whether all windows have the same organizations")
    account: str | None = col("whose loss it is; none: that of all", optional=True, default=None)


MOVES = "split, merge, delay, pad, flood, account or walltime"
AMOUNT = "parts of each job, jobs joined to one, seconds, or per cent of the machines or of the time asked for"
NET = "the smaller of its gains in the window and when all jobs have run to their end, net of what it gains alone"


@row
class MoveRow(Row):
    """The largest gain by one move, or their mixture, in one window."""

    move: str = col(f"{MOVES}, or mixture")
    gain: int = col(f"{NET}, in units of psi; 0 where nothing that was tried pays")
    window: int | None = col("number of the window; none where nothing that was tried pays")
    percent: Statistic | None = col("gain for what it has there as its jobs are, in per cent; none where that is 0")
    earlier: Statistic | None = col(
        "net of what it gains alone, by how much earlier a second of its work is done, more work done in the window "
        "counted with it; none where none is done",
        unit="s",
    )
    at_most: Statistic | None = col("no window allows more per cent, whatever is presented; none where a utility is 0")
    proved: tuple[str, ...] | None = col("why the move cannot pay in any window; none where it may")
    searched: bool = col("whether it was tried: not every rule takes one more organization", default=True)


@row
class HabitRow(Row):
    """What is done to all jobs alike in all windows: the habit that pays best, of those that do."""

    move: str = col(MOVES)
    amount: int = col(AMOUNT)
    gain: int = col(f"{NET}, in all windows together, in units of psi")
    percent: Statistic = col("gain for what it has, in per cent")
    low: Statistic | None = col(LOW)
    high: Statistic | None = col(HIGH)
    others: int = col("what everybody else gains by it in all windows together, in units of psi")
    others_ended: int = col("the same when all jobs have run to their end", default=0)


@row
class StepRow(Row):
    """One step on the queue as presented so far."""

    move: str = col(MOVES)
    first: int = col("number of the first job, from 1")
    last: int = col("number of the last job, included")
    amount: int = col(AMOUNT)


@row
class PayerRow(Row):
    """Who else has jobs, and what the largest gain of an organization costs it."""

    name: str = col("name of the organization", label="organization")
    later: Statistic | None = col("by how much later a second of its work is done in the window", unit="s")
    later_ended: Statistic | None = col("the same when all jobs have run to their end", unit="s")


@row
class GamedRow(Row):
    """What one organization could gain; from window to replay about the window of the largest gain."""

    name: str = col("name of the organization", label="organization")
    tried: int = col("presentations tried", format=",")
    windows: int = col("windows in which it has jobs", format=",")
    moves: tuple[MoveRow, ...] = col("largest gains by each move, and by mixing them")
    habit: HabitRow | None = col("the best that needs no foresight; none where none pays in all windows together")
    window: int | None = col("number of the window; none where nothing pays")
    utility: int | None = col("its utility there as its jobs are")
    parts: int | None = col("seconds of its work done there as its jobs are", unit="s")
    jobs: int | None = col("its jobs there", format=",")
    gain: int = col(f"{NET}, in units of psi")
    percent: Statistic | None = col("gain for what it has there as its jobs are, in per cent")
    earlier: Statistic | None = col(
        "net of what it gains alone, by how much earlier a second of its work is done there", unit="s"
    )
    others: int = col("what everybody else gains by it, in units of psi; negative: their loss")
    alone: int = col("what the same would gain there if nobody else had jobs, in units of psi")
    steps: tuple[StepRow, ...] = col("what is done to its jobs")
    held: int | None = col("of its jobs those that ran or waited when the window opened", default=None, format=",")
    received: int | None = col("seconds of its work done there as presented", unit="s", default=None)
    gross: int = col("gain there, what it would gain alone included", default=0)
    gross_ended: int = col("the same when all jobs have run to their end", default=0)
    earlier_ended: Statistic | None = col(
        "net of what it gains alone, by how much earlier a second of its work is done when all jobs have run to their "
        "end",
        unit="s",
        default=None,
    )
    others_ended: int = col("what everybody else gains by it when all jobs have run to their end", default=0)
    alone_ended: int = col("what the same would gain alone when all jobs have run to their end", default=0)
    payers: tuple[PayerRow, ...] = col("what it costs everybody else", default=())
    idle: Statistic | None = col(
        "the most that anything tried gains in one window and would gain alone as well, in per cent of what it has",
        default=None,
    )
    elsewhere: Statistic | None = col(
        "of a rule that draws: gain of the same steps under other seeds, in per cent", optional=True, default=None
    )
    elsewhere_low: Statistic | None = col(LOW, optional=True, default=None)
    elsewhere_high: Statistic | None = col(HIGH, optional=True, default=None)
    replay: tuple[Mapping[str, Any], ...] = col(
        f"the jobs as they are and as presented, {SCENARIOS}; none for a custom rule and for very many jobs",
        evidence=True,
        default=(),
    )


@row
class GamingRecord(LogRecord):
    """Who could game the rule in force? What was found by a search that knows all jobs to come."""

    verb: ClassVar[str] = "audit_gaming"
    main: ClassVar[str] = "organizations"
    tries: int = col("presentations to try for each organization and window", format=",")
    organizations: tuple[GamedRow, ...] = col("what each organization could gain")
    windows: int = col("windows that were searched", format=",")
    not_begun: int = col("searches of an organization in a window that were stopped before they began", format=",")
    random: bool = col("whether the rule makes random choices")
    custom: bool = col("whether the rule is an object, which no scenario can hold")
    parallel_jobs: ParallelRow | None = col("how parallel jobs were run", optional=True, default=None)
