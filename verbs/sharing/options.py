"""Options of the verbs on scenarios of kind ``sharing``, and of ``audit``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import date, datetime, time
from typing import Annotated, Any, Final, Self

from pydantic import PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from ...mechanisms.sharing.catalogue import ORDERINGS_MAX, PARALLEL, QOS_MAX
from ...scenarios import sharing as scenarios
from ...scenarios import sharing_fields
from ...scenarios.fields import Positive, Whole, choice, expected, integer, integer_schema
from ...scenarios.problems import brief
from ...scenarios.sharing import SHARES, shares
from ...scenarios.sharing_fields import HalfLife
from ...support.errors import InputError
from ...support.units import seconds_of
from ..options import (
    COMPARED,
    LIMITED,
    MECHANISM,
    NOT_IN_FILES,
    OUTPUT,
    WORKERS,
    Count,
    CountOrNone,
    Field,
    Flag,
    Folder,
    NameText,
    Options,
    Own,
    Path,
    Processes,
    Ratio,
    Rules,
    Seconds,
    Seed,
    Switch,
    Workers,
    listed,
    whole,
)
from .dumps import from_dumps

SHARED: Final = (
    f"one of {', '.join(SHARES)}, whole numbers >= 0 like 4,2,1, such numbers by name like atlas=4,cms=2 or by path "
    "like physics=6,physics/atlas=4,life=4, or a dump of Slurm's accounts"
)
PARENTS: Final = "a dump of Slurm's accounts, or the account above each like atlas=physics,cms=physics"


class Run(Options):
    """``run``."""

    mechanism: Own = Field(None, description=MECHANISM)
    list: CountOrNone = Field(100, description="Rows of the schedule to list.")
    seed: Seed | None = Field(None, description="Random seed; overrides the scenario's.")
    time_limit: Seconds | None = Field(None, description=LIMITED)
    measure: Annotated[Switch, Flag("", doors=frozenset({"python", "file"}))] = Field(
        True, description="Also run the reference and say how far from it the schedule is."
    )


class Verify(Options):
    """``verify``."""

    mechanism: Own = Field(None, description=MECHANISM)
    property: NameText | None = Field(
        None,
        description="Whose verdict counts: manipulation (all moves), split, merge, delay, pad, or an axiom of the "
        "utility: starting-times, number-of-tasks, strategy-resistance.",
    )
    organization: NameText | None = Field(None, description="Only this one manipulates; default: each in turn.")
    max_delay: Count = Field(3, description="Longest delay and longest padding to try, in units of time.")
    max_splits: Count = Field(32, description="At most so many ways, evenly spaced, to split each job.")
    max_moment: Annotated[integer(1, 5), Flag("N", whole)] = Field(  # type: ignore[valid-type]
        3, description="The axioms are checked on all schedules up to this moment."
    )
    seed: Seed | None = Field(None, description="Random seed; overrides the scenario's.")
    time_limit: Seconds | None = Field(None, description=LIMITED)


class Compare(Options):
    """``compare``."""

    rules: Rules | None = Field(None, description=COMPARED)
    seed: Seed | None = Field(None, description="Random seed; overrides the scenario's.")
    processes: Processes = Field(
        1, description="Worker processes, for windows of a log; 0: all cores, if it is worth it."
    )
    store: Path | None = Field(None, description="Keep finished windows of a log here, and resume from it.")
    time_limit: Seconds | None = Field(None, description=LIMITED)


def _shares_by_name(value: object) -> Any:
    if isinstance(value, str) and value not in SHARES and os.path.isfile(value):
        return value
    try:
        if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
            return dict(zip(value, shares(list(value.values())), strict=True))
        return shares(value)
    except PydanticCustomError as error:
        raise expected(SHARED, (error.context or {}).get("near")) from None


def _parents(value: object) -> Any:
    try:
        return value if isinstance(value, str) and value.strip() else sharing_fields.parents(value)
    except PydanticCustomError:
        raise expected(PARENTS) from None


def _slurm(value: object) -> Any:
    """A folder of dumps, or settings by name that were read from one."""
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, Mapping) and value and all(isinstance(word, str) for pair in value.items() for word in pair):
        return dict(value)
    raise expected("a folder with dumps of Slurm, or settings as read from them, like SchedulerType=sched/backfill")


def _qos(value: object) -> dict[str, int]:
    """Priorities of QOS by name."""
    what = f"the priority of each QOS, from 0 to {QOS_MAX:,}, like urgent=10,normal=0"
    if not isinstance(value, Mapping) or not value or not all(isinstance(name, str) for name in value):
        raise expected(what)
    for name, priority in value.items():
        try:
            Whole(0, QOS_MAX).read(priority)
        except ValueError:
            raise expected(f"{what}; priority of {name}: found {brief(priority)}") from None
    return dict(value)


def pairs_of(text: str) -> object:
    """``atlas=physics,cms=physics``, or a file."""
    pairs = [part.partition("=") for part in listed(text)]
    return {child: above for child, _, above in pairs} if all(equals for _, equals, _ in pairs) else text


def _other_rules(value: object) -> dict[str, Any]:
    """Rules by label: a name or several, a table by label, or one object of the user's own."""
    if isinstance(value, Mapping) and value and all(isinstance(label, str) and label for label in value):
        return dict(value)
    rules = list(value) if isinstance(value, list | tuple) else [value]
    if not rules or any(rule is None or rule == "" or isinstance(rule, bool | int | float) for rule in rules):
        raise expected("a rule or several, with options as in rand:samples=75, or a custom rule as in mine=lpt.py:LPT")
    rules = [rule.strip() if isinstance(rule, str) else rule for rule in rules]
    labels = [rule if isinstance(rule, str) else getattr(rule, "label", "own") for rule in rules]
    if len(set(labels)) < len(labels):
        raise expected("each rule once, and a label for each of several custom rules")
    return dict(zip(labels, rules, strict=True))


def shares_of(text: str) -> object:
    """``zipf``, ``equal``, numbers like ``4,2,1``, or numbers by name like ``atlas=4,cms=2``."""
    parts = [part.rpartition("=") for part in listed(text)]
    if not parts or not all(number.removeprefix("-").isdecimal() for _, _, number in parts):
        return text
    if all(equals for _, equals, _ in parts):
        return {name.strip(): int(number) for name, _, number in parts}
    return text if any(equals for _, equals, _ in parts) else [int(number) for _, _, number in parts]


def weights_of(text: str) -> object:
    """Weights by resource as slurm.conf says them: ``CPU=1.0,Mem=0.25G,GRES/gpu=2.0``."""
    weights = {name: weight for name, _, weight in (part.partition("=") for part in listed(text))}
    return weights if len(weights) == len(listed(text)) else text


Owners = Annotated[scenarios.Owners, Flag("COLUMN|N", whole)]
Shares = Annotated[scenarios.Shares, Flag("HOW", shares_of)]
SharesByName = Annotated[Any, PlainValidator(_shares_by_name), WithJsonSchema({}), Flag("HOW", shares_of)]
Parents = Annotated[Any, PlainValidator(_parents), WithJsonSchema({}), Flag("FILE|NAME=PARENT,...", pairs_of)]
Dumped = Annotated[Any, PlainValidator(_slurm), WithJsonSchema({}), Flag("FOLDER|NAME=VALUE,...", pairs_of)]
Priorities = Annotated[dict[str, int], PlainValidator(_qos), WithJsonSchema({}), Flag("NAME=PRIORITY,...", shares_of)]
Weights = Annotated[sharing_fields.Weights, Flag("NAME=WEIGHT,...", weights_of)]
WEIGHED: Final = (
    "A job counts as so many billing units: Slurm's TRESBillingWeights, e.g. cpu=1,mem=0.25G,gres/gpu=10. "
    "Machines are then billing units."
)
OtherRules = Annotated[
    dict[str, Any],
    PlainValidator(_other_rules),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}, {"type": "object"}]}),
    Flag("RULE[,RULE]", listed, custom=True),
]
"""Other rules by label."""
Moment = Annotated[int, Whole(0, scenarios.TIME_MAX), Flag("SECONDS", whole)]
"""Seconds after the first submission."""


def _duration(value: object) -> int:
    seconds = seconds_of(value) if isinstance(value, str) else None
    return Whole(1, scenarios.TIME_MAX).read(value if seconds is None else seconds)


Duration = Annotated[
    int,
    PlainValidator(_duration),
    WithJsonSchema({"anyOf": [integer_schema(1, scenarios.TIME_MAX), {"type": "string", "minLength": 1}]}),
    Flag("TIME", whole),
]
Orderings = Annotated[int, Whole(1, ORDERINGS_MAX), Flag("N", whole)]
Windows = Annotated[int, Whole(1, scenarios.WINDOWS_MAX), Flag("N", whole)]


DATE: Final = "a date like 2026-11-01 or 2026-11-01T12:00, or seconds >= 0 after the first submission"


def _date_or_seconds(value: object) -> int | datetime:
    with suppress(ValueError):
        if isinstance(value, int):
            return Whole(0, scenarios.TIME_MAX).read(value)
        if isinstance(value, str):
            return datetime.fromisoformat(value.strip())
    if isinstance(value, date):
        return value if isinstance(value, datetime) else datetime.combine(value, time())
    raise expected(DATE)


DateOrSeconds = Annotated[
    int | datetime,
    PlainValidator(_date_or_seconds),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "python": "date"}]}),
    Flag("DATE|SECONDS", whole),
]
"""Seconds after the first submission, or a date of the cluster's clock."""


NIGHTLY: Final = "nightly"
PROFILES: Final[Mapping[str, Mapping[str, Any]]] = {
    NIGHTLY: {"consecutive": True, "rules": {"recorded": "recorded", "fair-share": "fair-share"}},
    "committee": {"duration": 7 * 86_400, "windows": 20, "rules": {"fair-share": "fair-share", "fifo": "fifo"}},
    "what-if": {"duration": 86_400, "busiest": 10},
}
"""Options that a purpose needs: every day and what it says of fairness; enough windows to tell, few rules to explain;
the days on which rules differ."""
WAYS: Final = ("consecutive", "start", "busiest", "min_load")
"""Options that choose windows, not random ones."""

WHO, RULES, WHEN, FAIR, WORK = "Organizations", "Rules", "Windows", "What fair is", "Work"
"""Groups of the options of audits."""
LIMIT: Final = (
    "With a column, at most so many organizations, the rest as others; default: so many that these have at most a "
    "tenth of the work, from 5 to 14."
)
IN_FORCE: Final = "The rule in force, which the cluster uses."
MACHINES: Final = "Machines in total; default: the log's header, or its peak."
START: Final = "One window, so many seconds after the first submission; default: random windows."
SCENARIO, JOBS = "Scenario", "Jobs"
"""Groups of the options of imports."""


class LogOptions(Options):
    """What all questions about a log share: whose jobs, which windows, which rule is in force."""

    organizations: Owners | None = Field(
        None,
        description="A column (account, group, queue, partition, user) or a number of bags of users; default: account "
        "or group where the log names several, else 5 bags.",
        group=WHO,
    )
    machines: Count | None = Field(None, description=MACHINES, group=WHO, rare=True)
    shares: SharesByName | None = Field(
        None,
        description="Machines of each: equal, zipf, numbers, numbers by name (atlas=40,cms=30), or a dump of Slurm's "
        "accounts (sshare -alP).",
        group=WHO,
    )
    parents: Parents | None = Field(
        None,
        description="In which account each account is (atlas=physics,cms=physics), or a dump that says it, such as "
        "sshare -alP or lines like atlas|physics: for fair-tree and multifactor, and those of one parent keep together "
        "when contributions are counted (Owen's value).",
        group=WHO,
        rare=True,
    )
    slurm: Dumped | None = Field(
        None,
        description="Shares, parents, weights, half-life, the rule, priorities of QOS, backfilling and machines as the "
        "dumps in this folder say (sshare -alP, sacctmgr -P show qos, scontrol show config, show partition, "
        "show node); options given beside it win.",
        group=WHO,
    )
    partition: NameText | None = Field(
        None, description="Only this partition's jobs; machines: as many as they had at once.", group=WHO, rare=True
    )
    weights: Weights | None = Field(None, description=WEIGHED, group=WHO, rare=True)
    limit: Count | None = Field(None, description=LIMIT, group=WHO, rare=True)
    rule: NameText = Field("fair-share", description=IN_FORCE, group=RULES)
    qos: Priorities | None = Field(
        None,
        description="Priority of each QOS (urgent=10,normal=0), for multifactor with a weight qos; others have 0.",
        group=RULES,
        rare=True,
    )
    rules: Rules | None = Field(None, description="Rules to run, e.g. fifo,rand:samples=75; default: all.", group=RULES)
    profile: Annotated[choice(*PROFILES), Flag("NAME")] | None = Field(  # type: ignore[valid-type]
        None,
        description="Options for a purpose, where none is given: nightly (every day, recorded and fair-share, into "
        "--store, told in a few lines), committee (20 weeks at random, fair-share and fifo), what-if (the ten "
        "fullest days).",
        group=WHEN,
    )
    duration: Duration | None = Field(
        None,
        description="Length of a window, in seconds or like 1d; default: 50000, or a whole shorter log.",
        group=WHEN,
    )
    windows: Windows = Field(10, description="Random windows.", group=WHEN)
    since: DateOrSeconds | None = Field(
        None, description="Windows open from here on: a date, or seconds like --start.", group=WHEN
    )
    until: DateOrSeconds | None = Field(
        None, description="Windows end by then; a date is its beginning.", group=WHEN, rare=True
    )
    start: Moment | None = Field(None, description=START, group=WHEN, rare=True)
    consecutive: Annotated[Switch, Flag("")] = Field(
        False,
        description="One window after another, all that open in the part looked at, from midnight; of a day each "
        "without --duration.",
        group=WHEN,
        rare=True,
    )
    busiest: Count | None = Field(
        None, description="The so many fullest windows that do not overlap, not random ones.", group=WHEN, rare=True
    )
    min_load: Annotated[Positive, Flag("NUMBER")] | None = Field(
        None,
        description="Random windows of at least this load: work submitted in them over what the machines can do.",
        group=WHEN,
        rare=True,
    )
    zero: Annotated[choice("drop", "one"), Flag("HOW")] = Field(  # type: ignore[valid-type]
        "drop", description="Jobs of run time 0: drop them, or count them as one second.", group=WHEN, rare=True
    )
    seed: Seed = Field(0, description="Root of all random choices.", group=WORK, rare=True)
    processes: Workers = Field(1, description=WORKERS, group=WORK, rare=True)
    time_limit: Seconds | None = Field(None, description=LIMITED, group=WORK)

    def resolved(self) -> Self:
        """The options with what dumps of Slurm say in the place of their names, and those of the profile."""
        options = self.model_copy(update=from_dumps(self))
        named = {name for name in options.model_fields_set if getattr(options, name) is not None}
        profile = PROFILES.get(self.profile or "", {})
        again = profile.keys() <= named  # as a record says it
        if self.profile == NIGHTLY and not again and getattr(self, "store", "") is None:
            raise InputError(
                f"profile: {NIGHTLY} keeps its windows for the nights to come; expected --store FILE beside it"
            )
        ways = {"windows", *WAYS}  # one of them is enough
        chosen = {
            name: value
            for name, value in profile.items()
            if name in type(self).model_fields and name not in named and not (named & ways and name in ways)
        }
        return options.model_copy(update=chosen)


class ReplayOptions(LogOptions):
    """What the questions share that replay windows under several rules and measure them against REF."""

    parallel: Annotated[choice(*PARALLEL), Flag("HOW")] = Field(  # type: ignore[valid-type]
        "copies",
        description="How the rules that are queues run parallel jobs: as copies of one machine each, rigid (all at "
        "once, in order) or easy (rigid with EASY backfilling).",
        group=RULES,
        rare=True,
    )
    against: Annotated[choice("auto", "ref", "sampled"), Flag("HOW")] = Field(  # type: ignore[valid-type]
        "auto",
        description="What fair is: ref (exact, up to 14 organizations), sampled contributions, or auto, which samples "
        "where ref would take too long.",
        group=FAIR,
        rare=True,
    )
    samples: Orderings | None = Field(
        None,
        description="Orderings to sample in a window, at least 32; default: as many as take some seconds.",
        group=FAIR,
        rare=True,
    )
    epsilon: Ratio | None = Field(
        None,
        description="Sample until contributions are off by at most this part of what all contribute.",
        group=FAIR,
        rare=True,
    )
    confidence: Ratio | None = Field(
        None, description="Confidence of the sampling error; default: 19/20.", group=FAIR, rare=True
    )
    store: Path | None = Field(None, description="Keep finished windows here and resume from it.", group=WORK)


class Audit(ReplayOptions):
    """``audit`` of a job log: is it shared fairly?"""

    rule: NameText | None = Field(  # type: ignore[assignment]  # none until the log is known
        None,
        description=f"{IN_FORCE[:-1]}; default: recorded, what the cluster did, where the log says when jobs started, "
        "else fair-share.",
        group=RULES,
    )
    decay: Annotated[HalfLife, Flag("TIME")] | None = Field(
        None,
        description="Usage also with this half-life (Slurm's PriorityDecayHalfLife), e.g. 7d; without --rules, "
        "fair-share with it beside without.",
        group=RULES,
        rare=True,
    )
    openmetrics: Annotated[Path | None, Flag("FILE", doors=NOT_IN_FILES)] = Field(
        None, description="Also write the numbers as OpenMetrics text, for monitoring.", group=OUTPUT, rare=True
    )
    owners: Annotated[Path | None, Flag("FILE", doors=NOT_IN_FILES)] = Field(
        None,
        description="Also write everybody of the column as CSV, those that count as others too: jobs, use, waits.",
        group=OUTPUT,
        rare=True,
    )
    series: Annotated[Switch, Flag("", drawing=True)] = Field(
        False, description="Also follow one window over time, as --plot does.", group=OUTPUT, rare=True
    )


class AuditGaming(LogOptions):
    """``audit_gaming``: who could gain by presenting its jobs otherwise?"""

    rules: Rules | None = Field(
        None, description="Rules by label, where --rule is one of these labels.", group=RULES, rare=True
    )
    tries: Count = Field(100, description="Presentations to try for each organization and window.", group=WORK)
    examples: Folder | None = Field(
        None, description="Write the jobs, true and presented, as scenarios into this folder.", group=OUTPUT
    )


class AuditSwitch(ReplayOptions):
    """``audit_switch``: who would win and who would lose by another rule?"""

    to: OtherRules = Field(description="The other rule, or several, e.g. fifo or fifo,rand:samples=75.", group=RULES)
    rules: Rules | None = Field(
        None, description="Rules by label, where --rule or --to name some by their labels.", group=RULES, rare=True
    )


class AuditTrend(Options):
    """``audit_trend``: unfairness over time, of the windows in a store."""

    rule: NameText | None = Field(
        None, description="The rule, one of those that were run; default: recorded, else the first."
    )
    every: Annotated[choice("window", "day", "week", "month"), Flag("HOW")] = Field(  # type: ignore[valid-type]
        "week", description="Length of a period: window, day, week (from Monday) or month."
    )
    since: DateOrSeconds | None = Field(
        None, description="Only windows that open from here on: a date, or seconds after the first submission."
    )
    account: NameText | None = Field(
        None, description="Only what this organization loses to others; default: all of them together."
    )


class Import(Options):
    """``import``: a window of the log, read when the scenario is run."""

    organizations: Owners = Field(
        5, description="A number, to which users are dealt at random, or a column.", group=SCENARIO
    )
    limit: Count | None = Field(None, description=LIMIT, group=SCENARIO, rare=True)
    machines: Count | None = Field(None, description=MACHINES, group=SCENARIO)
    shares: Shares = Field("zipf", description="zipf, equal, or machines per organization.", group=SCENARIO)
    weights: Weights | None = Field(None, description=WEIGHED, group=SCENARIO, rare=True)
    rule: NameText = Field("ref", description="The mechanism's rule to start with.", group=SCENARIO)
    start: Moment | None = Field(None, description=START, group=JOBS, rare=True)
    duration: Duration = Field(50_000, description="Length of a window, in seconds or like 1d.", group=JOBS)
    windows: Windows = Field(1, description="How many windows to compare.", group=JOBS)
    seed: Seed | None = Field(None, description="Random seed of the scenario; default: 0.", group=JOBS)
