"""Kind ``sharing``: organizations pool machines, jobs arrive over time (Skowron and Rzadca 2013).

The blocks below are the file format; :func:`read` checks them and builds a :class:`SharingSpec`. Jobs are listed per
organization, or come from a window of a job log named in ``[trace]``, which is read when a verb runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Annotated, Any, Final

from pydantic import PlainValidator, WithJsonSchema

from ..mechanisms.sharing.catalogue import (
    MACHINE_ORDERS,
    MACHINES_MAX,
    PARALLEL,
    QOS_MAX,
    SAMPLES_MAX,
    TIMINGS,
    WEIGHT_MAX,
)
from ..mechanisms.sharing.utilities import DEFAULT, UTILITIES, Utility
from ..support.loading import usable
from .blocks import RuleBlock, join, read_block, read_listed, read_mechanism
from .conditions import PRESENT, Condition, every, one_of, where, with_keys, with_values, without
from .fields import (
    Block,
    Listing,
    Name,
    Positive,
    Whole,
    choose,
    described,
    expected,
    explained,
    integer,
    integer_schema,
    name_or,
    named,
    number,
    number_schema,
)
from .problems import MISSING, Problems
from .scenario import Format
from .sharing_fields import AnyJob, HalfLife, Jobs, Parents, Weights, check_wide, read_jobs

TIME_MAX: Final = 2**61
"""Seconds of a log."""
WINDOWS_MAX: Final = 1_000_000
BAGS_MAX: Final = 10_000
OWNERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "group": "the group of the job's user",
        "user": "the user",
        "queue": "the queue",
        "partition": "the partition",
        "account": "the account, in Slurm dumps only",
    }
)
"""Columns of a log that can say whose a job is."""
SHARES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "zipf": "by Zipf's law, the k-th organization 1/k as many as the first",
        "equal": "as equally as possible",
    }
)
"""How machines are divided among organizations."""
ALL: Final = "all"
WRITTEN: Final = ("until", "organizations")
"""Keys in whose place a job log may stand."""
ONE_OF: Final = ("samples", "orderings", "epsilon")
"""Keys of rand that exclude each other."""
BOTH: Final = (("epsilon", "confidence"), ("confidence", "epsilon"))
"""Keys of rand that need each other."""


@dataclass(frozen=True)
class OrganizationSpec:
    """One organization: machines, and jobs ``(release, length)``, ``(release, length, due)`` or tables, as listed."""

    name: str
    machines: int
    jobs: tuple[AnyJob, ...]


# --- the blocks of the file -----------------------------------------------------------------------------------------


_samples: Final = name_or(
    (ALL,), Whole(1, SAMPLES_MAX).read, f"a number of orderings from 1 to {SAMPLES_MAX:,}, or {ALL!r}"
)


class _UtilityNames:
    """Names in the JSON Schema, listed when it is written: those of other distributions are looked up only then."""

    def __get_pydantic_json_schema__(self, core_schema: object, handler: object) -> dict[str, Any]:
        return named({name: utility.summary for name, utility in _utilities().items()})


def _confidence(value: object) -> Fraction:
    what = "a number from 0 to less than 1"
    probability = number(value, what)
    if not 0 <= probability < 1:
        raise expected(what)
    return probability


def _counts(value: object) -> tuple[int, ...]:
    if not isinstance(value, list | tuple) or not value:
        raise expected("a list")
    return tuple(map(Whole(0, MACHINES_MAX).read, value))


_BAGS: Final = f"a number of organizations from 1 to {BAGS_MAX:,}, or one of {', '.join(OWNERS)}"
shares: Final = name_or(
    SHARES, _counts, f"one of {', '.join(SHARES)}, or a list of machines, one count per organization"
)
"""Reader of how machines are divided."""

Owners = Annotated[
    int | str,
    PlainValidator(name_or(OWNERS, Whole(1, BAGS_MAX).read, _BAGS)),
    WithJsonSchema({"anyOf": [integer_schema(1, BAGS_MAX), named(OWNERS)]}),
]
Shares = Annotated[
    str | tuple[int, ...],
    PlainValidator(shares),
    WithJsonSchema(
        {"anyOf": [named(SHARES), {"type": "array", "items": integer_schema(0, MACHINES_MAX), "minItems": 1}]}
    ),
]


class OrganizationBlock(Block):
    """One of ``[[organizations]]``."""

    name: Name | None = described(None, "name, unique", without='"O1", "O2", ...')
    machines: integer(0, MACHINES_MAX) = described(1, "machines owned", unit="machines")  # type: ignore[valid-type]
    jobs: Jobs = described(
        list,
        "[release, length], [release, length, due] or a table that says more; released together they start as listed",
        unit="time",
        without="none",
    )


class MechanismBlock(RuleBlock):
    """``[mechanism]``."""

    kind = "sharing"
    timing: explained(TIMINGS) = described("next", "for which moment the rule compares")  # type: ignore[valid-type]
    samples: (
        Annotated[
            int | str,
            PlainValidator(_samples),
            WithJsonSchema({"anyOf": [integer_schema(1, SAMPLES_MAX), {"const": ALL}]}),
        ]
        | None
    ) = described(
        None,
        f"orderings of the organizations to draw, or {ALL!r}; not besides orderings or epsilon",
        without="15",
    )
    orderings: Listing[Listing[integer(1)]] | None = described(  # type: ignore[valid-type]
        None,
        "these orderings, lists of the organizations' numbers; not besides samples or epsilon",
        without="drawn",
        min_length=1,
    )
    epsilon: Positive | None = described(
        None,
        "draw enough orderings for this error of contributions, relative to the value; needs confidence",
        without="see samples",
    )
    confidence: (
        Annotated[Fraction, PlainValidator(_confidence), WithJsonSchema(number_schema(0, exclusiveMaximum=1))] | None
    ) = described(None, "probability with which the error is kept, for unit jobs; needs epsilon", without="see samples")
    machine_order: explained(MACHINE_ORDERS) = described(  # type: ignore[valid-type]
        "random", "in which order free machines are given away"
    )
    parallel: explained(PARALLEL) = described(  # type: ignore[valid-type]
        "copies", "how a job of several machines is run"
    )
    utility: Annotated[str, PlainValidator(lambda value: choose(value, UTILITIES)), _UtilityNames()] = described(
        DEFAULT, "what a schedule is worth to an organization"
    )

    decay: HalfLife | None = described(
        None,
        "past usage counts half after so long: units of time, or a text like '7d' in seconds",
        unit="time",
        without="all usage counts alike",
    )
    parents: Parents | None = described(
        None, "the account that an organization lies in, by name, and so on upwards", without="none lies in another"
    )
    age: integer(0, WEIGHT_MAX) = described(  # type: ignore[valid-type]
        0, "weight of a job's age, up to max_age, in its priority"
    )
    max_age: HalfLife = described(604_800, "age that counts as much as any longer one", unit="time")
    fairshare: integer(0, WEIGHT_MAX) = described(  # type: ignore[valid-type]
        0, "weight of its organization's fair share in a job's priority"
    )
    size: integer(0, WEIGHT_MAX) = described(  # type: ignore[valid-type]
        0, "weight of a job's machines, as a part of all, in its priority"
    )
    qos: integer(0, WEIGHT_MAX) = described(  # type: ignore[valid-type]
        0, "weight of the priority of a job's QOS, as a part of max_qos, in its priority"
    )
    max_qos: integer(1, QOS_MAX) = described(  # type: ignore[valid-type]
        1, "priority of a QOS that counts as much as any larger one"
    )

    def made_with(self, keys: Iterable[str]) -> dict[str, Any]:
        """What a rule of ours is made with, of the keys that a file gives: orderings count organizations from 0."""
        options = {key: getattr(self, key) for key in keys if key != "rule"}
        if "orderings" in options:
            options["orderings"] = tuple(tuple(u - 1 for u in ordering) for ordering in options["orderings"])
        return options

    @classmethod
    def conditions(cls) -> list[Condition]:
        """Keys of rand that exclude or need each other, and orderings of different numbers."""
        rand = one_of(["rand"])
        conditions = [
            Condition(
                with_values(rule=rand, **{key: PRESENT}),
                without(*ONE_OF[i + 1 :]),
                f"nothing beside {key}; give one of them",
            )
            for i, key in enumerate(ONE_OF[:-1])
        ]
        conditions += [
            Condition(with_values(rule=rand, **{one: PRESENT}), with_keys(other), f"a number, which {one} needs")
            for one, other in BOTH
        ]
        return [*conditions, Condition({}, where(orderings=every({"uniqueItems": True})))]


class _Dealt(Block):
    """Of ``[trace]``: among whom the machines are dealt, which can be checked whatever else is wrong."""

    machines: integer(1, MACHINES_MAX) | None = described(  # type: ignore[valid-type]
        None, "machines in total", unit="machines", without="the log's header, or the sum of the shares"
    )
    organizations: Owners = described(5, "a number of organizations, to which users are dealt at random, or a column")
    limit: integer(1) | None = described(  # type: ignore[valid-type]
        None,
        "with a column, at most so many organizations, of which the last is others: all the rest together",
        without="all of them",
    )
    shares: Shares = described("zipf", "machines of each organization: how, or a list", unit="machines")


class TraceBlock(_Dealt):
    """``[trace]``."""

    file: Name = described(
        ..., "SWF or `sacct -P` dump, plain or gzip; looked up beside the scenario, then in $CONSORTIUM_TRACES"
    )
    start: integer(0, TIME_MAX) | None = described(  # type: ignore[valid-type]
        None, "when the window begins, after the log's first submission", unit="seconds", without="random windows"
    )
    duration: integer(1, TIME_MAX) = described(..., "length of a window", unit="seconds")  # type: ignore[valid-type]
    windows: integer(1, WINDOWS_MAX) = described(1, "random windows to compare")  # type: ignore[valid-type]
    weights: Weights | None = described(
        None,
        "a job counts as that many billing units (TRESBillingWeights), machines are such units; of Slurm dumps",
        without="processors",
    )


def _utilities() -> dict[str, Utility]:
    """All utilities by name; those of other distributions that cannot be used are left out, with a warning."""
    return usable(UTILITIES, UTILITIES.__getitem__)


class SharingFile(Block):
    """A whole file of kind ``sharing`` (for the JSON Schema)."""

    until: integer(0) = described(  # type: ignore[valid-type]
        int, "moment at which everything is evaluated", unit="time", without="must be given, without [trace]"
    )
    organizations: Listing[OrganizationBlock] = described(
        list, "who owns machines and has jobs", without="must be given, without [trace]", min_length=1
    )
    trace: TraceBlock = described(
        TraceBlock,
        "a window of a job log, in place of until and [[organizations]]",
        without="until and [[organizations]]",
    )
    mechanism: MechanismBlock = described(..., "the rule that serves waiting jobs")

    @classmethod
    def conditions(cls) -> list[Condition]:
        """Either a log or everything written, and utilities that need due dates."""
        dated = one_of(name for name, utility in _utilities().items() if utility.needs_due_dates)
        due = with_values(mechanism=with_values(utility=dated))
        logged, dated = with_keys("trace"), every({"minItems": 3, "required": ["due"]})
        return [
            Condition(logged, without(*WRITTEN), "nothing beside [trace], which says it"),
            Condition({"not": logged}, with_keys(*WRITTEN)),
            Condition(due, without("trace"), "another utility: a job log has no due dates", at="mechanism.utility"),
            Condition(
                due,
                where(organizations=every(where(jobs=dated))),
                lambda file: f"a due date, which {file['mechanism']['utility']} needs",
                once=True,
            ),
        ]


class _Until(Block):
    until: integer(0)  # type: ignore[valid-type]


@dataclass(frozen=True)
class SharingSpec:
    """A checked scenario of kind ``sharing``: either ``organizations`` and ``until``, or ``trace``.

    ``options``: what a rule of another distribution is made with.
    """

    until: int | None
    organizations: tuple[OrganizationSpec, ...]
    trace: TraceBlock | None
    mechanism: MechanismBlock
    options: Mapping[str, Any] = field(default_factory=dict)


# --- reading --------------------------------------------------------------------------------------------------------


def read(data: Mapping[str, Any], problems: Problems) -> SharingSpec | None:
    """Check every block and build the spec; on problems note all of them and return ``None``."""
    before = len(problems.noted)
    mechanism, own = read_mechanism(MechanismBlock, data, problems)
    until, organizations, trace = None, None, None
    if "trace" in data:
        trace = read_block(TraceBlock, data["trace"], "trace", problems)
        _check_trace(data["trace"], problems)
    else:
        head = read_block(_Until, {k: data[k] for k in ("until",) if k in data}, "", problems)
        until = None if head is None else head.until
        organizations = _organizations(data.get("organizations", MISSING), problems)
    if mechanism is not None:
        _check_orderings(mechanism, _count(organizations, trace), problems)
        if mechanism.parallel != "copies":
            queues = [o.jobs for o in organizations or ()]
            check_wide(mechanism.parallel, sum(o.machines for o in organizations or ()), queues, problems)
    if mechanism is None or len(problems.noted) > before:
        return None
    return SharingSpec(until, organizations or (), trace, mechanism, MappingProxyType(own))


def _organizations(value: object, problems: Problems) -> tuple[OrganizationSpec, ...] | None:
    blocks, names = read_listed(OrganizationBlock, value, "organizations", problems, instead=", or [trace]")
    organizations = [
        OrganizationSpec(name, b.machines, read_jobs(b.jobs, join("organizations", i, "jobs"), problems))
        for i, (name, b) in enumerate(zip(names, blocks, strict=True))
        if b is not None
    ]
    if sum(o.machines for o in organizations) > MACHINES_MAX:
        problems.add(
            "organizations", sum(o.machines for o in organizations), f"at most {MACHINES_MAX:,} machines together"
        )
    return tuple(organizations) if blocks and len(organizations) == len(blocks) else None


def _count(organizations: tuple[OrganizationSpec, ...] | None, trace: TraceBlock | None) -> int | None:
    """Number of organizations, where the file alone says it."""
    if organizations is not None:
        return len(organizations)
    return trace.organizations if trace is not None and isinstance(trace.organizations, int) else None


def _check_orderings(block: MechanismBlock, count: int | None, problems: Problems) -> None:
    for i, ordering in enumerate(block.orderings or ()):
        k = count if count is not None else len(ordering)
        if sorted(ordering) != list(range(1, k + 1)):
            problems.add(join("mechanism.orderings", i), ordering, f"each organization's number, 1 to {k}, once")


def _check_trace(raw: object, problems: Problems) -> None:
    parts = {key: raw[key] for key in _Dealt.model_fields if key in raw} if isinstance(raw, Mapping) else {}
    trace = read_block(_Dealt, parts, "trace", Problems())  # whose problems are noted already
    if trace is None:
        return
    bags = None if problems.about("trace.organizations") else trace.organizations  # how many is not known of a column
    if trace.limit is not None and isinstance(bags, int):
        problems.add("trace.limit", trace.limit, "nothing beside a number of organizations, which says it")
    if isinstance(trace.shares, str):
        return
    if isinstance(bags, int) and len(trace.shares) != bags:
        problems.add("trace.shares", list(trace.shares), f"one per organization, {bags}")
    if trace.machines is not None and trace.machines != sum(trace.shares):
        problems.add("trace.machines", trace.machines, f"{sum(trace.shares)}, the sum of trace.shares, or nothing")


FORMAT = Format(SharingFile, read)
