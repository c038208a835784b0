"""Kind ``federation``: organizations own machines and jobs (Cordeiro 2012, chapters 3 to 5).

The blocks below are the file format; :func:`read` checks them and builds a :class:`FederationSpec`, or a
:class:`~.any_lengths.ShapeSpec` where the lengths of the jobs are free.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Annotated, Any, Final

from pydantic import PlainValidator, WithJsonSchema

from ..agents.organizations import MAX_MACHINES, Federation, Job, Organization, Placement
from ..mechanisms.federation.catalogue import (
    BASES,
    CONSTRAINTS,
    JOB_ORDERS,
    JUDGED_BY,
    KEEPS,
    LOCAL_ORDERS,
    OBJECTIVES,
    ONE_MACHINE,
    PRIORITIES,
    READINGS,
    SOLVERS,
)
from ..mechanisms.kinds import info
from ..support.errors import join_names
from .any_lengths import COUNTED, MAX_JOBS, ShapeSpec, free_jobs
from .any_lengths import conditions as conditions_of_shapes
from .blocks import RuleBlock, join, read_block, read_listed, read_mechanism, unique_names
from .conditions import PRESENT, Condition, every, fits, one_of, where, with_keys, with_values, without
from .fields import (
    WITHOUT,
    Block,
    Listing,
    Name,
    Number,
    Positive,
    described,
    expected,
    explained,
    integer,
    integer_schema,
    named,
    number_schema,
    word,
)
from .problems import MISSING, Problems, Words
from .scenario import Format


@dataclass(frozen=True)
class FederationSpec:
    """A checked scenario of kind ``federation``.

    Attributes
    ----------
    federation
        Organizations with machines and jobs.
    rule
        Name of the rule.
    options
        What the rule is built with: keyword arguments of its class.
    reference, selfishness
        How schedules are judged; ``reference`` is ``None`` for the default of each constraint.
    placement
        The profile that ``run`` and ``verify`` judge; every job at home by default.
    """

    federation: Federation
    rule: str
    options: Mapping[str, Any]
    reference: str | None
    selfishness: str
    placement: Placement

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the organizations in order."""
        return self.federation.names


GIVEN_ORDER: Final = MappingProxyType({"rule": "coordination", "priority": "jobs", "order": "given"})
"""What a mechanism says for which every job has a priority of its own; without it none has one."""
RANKED: Final = with_values(mechanism=with_values(**{key: one_of([value]) for key, value in GIVEN_ORDER.items()}))
"""Files in which every job has a priority of its own."""
RELAXED: Final = frozenset({"local", "local-total"})
"""Constraints that cooperation relaxes."""


# --- the blocks of the file -----------------------------------------------------------------------------------------


class JobBlock(Block):
    """One job written as a table."""

    length: Positive = described(..., "processing time", unit="time")
    name: Name | None = described(
        None,
        "name, unique among the jobs of the organization, by which --set finds it; tables number jobs",
        without="none",
    )
    priority: integer(1) | None = described(  # type: ignore[valid-type]
        None, "1 is the highest, all different; for priority = 'jobs' and order = 'given' only", without="none"
    )


def _jobs(value: object) -> object:
    """A list, whose items are read later, each with its own path; or a number of jobs of any lengths."""
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, int) and not isinstance(value, bool):
        if 0 <= value <= MAX_JOBS:
            return value
        raise expected(f"a number of jobs from 0 to {MAX_JOBS:,}, or a list of lengths")
    raise expected("a list of lengths, or of tables { length, name, priority }; or a number of jobs of any lengths")


class OrganizationBlock(Block):
    """One of ``[[organizations]]``."""

    name: Name | None = described(None, "name, unique", without='"O1", "O2", ...')
    machines: integer() = described(  # type: ignore[valid-type]
        1, "machines owned", unit="machines", json_schema_extra={"minimum": 1, "maximum": MAX_MACHINES}
    )
    jobs: Annotated[
        Any,
        PlainValidator(_jobs),
        WithJsonSchema(
            {
                "anyOf": [
                    {
                        "type": "array",
                        "items": {"anyOf": [number_schema(0, strict=True), JobBlock.model_json_schema()]},
                    },
                    integer_schema(0, MAX_JOBS),
                ]
            }
        ),
    ] = described(
        ...,
        "lengths, or tables { length, name, priority }; may be empty; a number (of all organizations): so many jobs of "
        "any lengths, for prove",
        unit="time",
    )
    priorities: Listing[integer(1)] | None = described(  # type: ignore[valid-type]
        None,
        "where jobs is a number, priority = 'jobs' and order = 'given': priority of each job, the longest first, 1 the "
        "highest",
        without="none",
    )


def _order(value: object) -> object:
    """Names of organizations, or one of the orders of jobs; which of the two fits is checked with ``priority``."""
    if isinstance(value, list | tuple):
        return tuple(word(item, "a list of the organizations' names") for item in value)
    if isinstance(value, str):
        return value
    raise expected(f"a list of the organizations' names, or one of {', '.join(JOB_ORDERS)}")


ORDER_OF_EQUILIBRIUM: Final[Mapping[str, str]] = MappingProxyType(
    {"description": "names of all organizations, the highest priority first", WITHOUT: "as listed"}
)
"""What there is to say of ``order`` where jobs have no priorities."""


class MechanismBlock(RuleBlock):
    """``[mechanism]``."""

    kind = "federation"
    always = JUDGED_BY
    priority: explained(PRIORITIES) = described(  # type: ignore[valid-type]
        "organizations", "who goes first among foreign jobs on a machine"
    )
    order: Annotated[
        Any,
        PlainValidator(_order),
        WithJsonSchema({"anyOf": [named(JOB_ORDERS), {"type": "array", "items": {"type": "string"}}]}),
    ] = described(
        None,
        "with priority = 'organizations' a list of all their names, the highest priority first; with "
        "priority = 'jobs' a name below: which jobs go first",
        without="organizations as listed; for jobs the longest first",
    )
    objective: explained(OBJECTIVES) = described("makespan", "what each organization minimises")  # type: ignore[valid-type]
    local_order: explained(LOCAL_ORDERS) | None = described(  # type: ignore[valid-type]
        None,
        "in which order an organization's own jobs run alone",
        without='"lpt"; for less-helped-first "listed"',
    )
    cooperation: Annotated[Number, WithJsonSchema(number_schema(1))] = described(
        Fraction(1),
        "alpha >= 1: how many times as long as alone an organization accepts; of optimal only with "
        "the constraint 'local' or 'local-total'",
    )
    base: explained(BASES) = described(  # type: ignore[valid-type]
        "optimal", "the rule, with its defaults, that makes the schedule to start from"
    )
    solver: explained(SOLVERS) = described("lpt", "how an organization places its jobs")  # type: ignore[valid-type]
    keep: explained(KEEPS) = described(  # type: ignore[valid-type]
        "load", "for solver = 'exact' only: what stays at home among optimal placements"
    )
    constraints: Listing[explained(CONSTRAINTS)] = described(  # type: ignore[valid-type]
        list, "what the schedule must respect", without="none"
    )
    reference: explained(LOCAL_ORDERS) | None = described(  # type: ignore[valid-type]
        None,
        "the local schedule against which local constraints are judged",
        without='"lpt"; for local-total "spt"',
    )
    selfishness: explained(READINGS) = described("strict", "how the selfish constraint is read")  # type: ignore[valid-type]

    @classmethod
    def conditions(cls) -> list[Condition]:
        """Keys that need others, and whose order ``order`` is."""
        relaxed = with_values(constraints={"contains": one_of(RELAXED)})
        by_job, by_name = with_values(priority=one_of(["jobs"])), {"type": "array", "items": {"type": "string"}}
        kept = with_values(rule=one_of(["optimal"]), cooperation=PRESENT)
        equilibrium = with_values(rule=one_of(["priority-equilibrium"]))
        return [
            Condition({}, where(constraints={"uniqueItems": True}), "each constraint once"),
            Condition(
                with_keys("keep"),
                with_values(solver=one_of(["exact"])),
                "no such key unless solver = 'exact'",
                at="keep",
            ),
            Condition(kept, relaxed, "constraints with 'local' or 'local-total', to relax", at="cooperation"),
            Condition(by_job, where(order=one_of(JOB_ORDERS)), f"one of {', '.join(JOB_ORDERS)} for priority = 'jobs'"),
            Condition(
                {"not": by_job},
                where(order={"type": "array"}),
                "a list of the organizations' names, highest priority first",
            ),
            Condition({"not": by_job}, where(order={"uniqueItems": True}), "every organization once"),
            Condition(equilibrium, where(order={**by_name, **ORDER_OF_EQUILIBRIUM})),
        ]


class FederationFile(Block):
    """A whole file of kind ``federation`` (for the JSON Schema)."""

    organizations: Listing[OrganizationBlock] = described(..., "who owns machines and jobs", min_length=1)
    mechanism: MechanismBlock = described(..., "the placement game, or a central rule")
    placement: dict[str, Listing[Name]] = described(
        dict,
        "the profile that run and verify judge: by name of the organization the host of each of its jobs",
        without="every job at home",
    )

    @classmethod
    def conditions(cls) -> list[Condition]:
        """Rules for organizations of one machine, and for jobs that have priorities."""
        with_priority = every({"type": "object", **with_keys("priority")})
        *most, last = (f"{key} = {value!r}" for key, value in GIVEN_ORDER.items())
        conditions = [
            Condition(
                RANKED,
                where(organizations=every(where(jobs=with_priority))),
                "a priority of its own for every job, which order = 'given' needs",
            ),
            Condition(
                {"not": RANKED},
                where(organizations=every(where(jobs=every(without("priority"))))),
                f"no such key unless {', '.join(most)} and {last}",
            ),
        ]
        small = where(organizations=every(where(machines={"const": 1})))
        for rule in ONE_MACHINE:
            alone = one_of([rule])
            uses = {"anyOf": [with_values(rule=alone), with_values(rule=one_of(["tomos"]), base=alone)]}
            what = f"1 machine per organization, which {rule!r} needs"
            conditions.append(Condition(with_values(mechanism=uses), small, what))
        return [*conditions, *conditions_of_shapes(RANKED)]


# --- reading --------------------------------------------------------------------------------------------------------


def read(data: Mapping[str, Any], problems: Problems) -> FederationSpec | ShapeSpec | None:
    """Check every block and build the spec; on problems note all of them and return ``None``."""
    organizations = _organizations(data.get("organizations", MISSING), problems)
    mechanism, own = read_mechanism(MechanismBlock, data, problems)
    names = [org.name for org in organizations]
    if mechanism is not None:
        _check_order(mechanism, names, problems)
        if "cooperation" in info("federation", mechanism.rule).options and mechanism.cooperation < 1:
            problems.add("mechanism.cooperation", data["mechanism"]["cooperation"], "a number >= 1")
    counted, n_jobs = fits(COUNTED, data), sum(len(org.jobs) for org in organizations)
    _check_priorities(organizations, counted, problems)
    if counted and n_jobs > MAX_JOBS:
        problems.add("organizations", Words(f"{n_jobs:,} jobs"), f"at most {MAX_JOBS:,} jobs of any lengths")
    placement = _placement(data.get("placement", {}), organizations, problems)
    if problems.noted or mechanism is None:
        return None
    options = MappingProxyType(own or _options(mechanism, data["mechanism"]))
    if counted:
        ranks = tuple(tuple(job.priority or 0 for job in org.jobs) for org in organizations)
        priorities = ranks if fits(RANKED, data) else None
        counts = tuple(len(org.jobs) for org in organizations)
        return ShapeSpec(tuple(names), counts, priorities, mechanism.rule, options)
    federation = Federation(tuple(organizations))
    return FederationSpec(
        federation,
        mechanism.rule,
        options,
        mechanism.reference,
        mechanism.selfishness,
        federation.check_placement(placement),
    )


def _options(block: MechanismBlock, raw: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments of the rule's class, of what the file says."""
    used = info("federation", block.rule).options - JUDGED_BY
    options = {key: getattr(block, key) for key in raw if key in used}
    if "constraints" in options:
        options["constraints"] = tuple(options["constraints"])
    if block.rule in ("optimal", "tomos") and block.reference is not None:
        options["reference"] = block.reference
    if block.rule == "optimal":
        options["selfishness"] = block.selfishness
    return options


def _organizations(value: object, problems: Problems) -> list[Organization]:
    """Organizations in order, also of blocks with problems, so that references to them are not errors."""
    blocks, names = read_listed(OrganizationBlock, value, "organizations", problems)
    result = []
    for k, (name, block) in enumerate(zip(names, blocks, strict=True)):
        if block is None:
            result.append(Organization(name, (), 1))
            continue
        path = join("organizations", k)
        if block.machines < 1:
            problems.add(join(path, "machines"), block.machines, f"at least 1 machine for organization {name!r}")
        left = MAX_MACHINES - sum(org.machines for org in result)
        if block.machines > left:
            problems.add(join(path, "machines"), block.machines, f"at most {MAX_MACHINES:,} machines in all")
        machines = block.machines if 1 <= block.machines <= left else 1
        if isinstance(block.jobs, int):
            jobs = free_jobs(block.jobs, block.priorities, path, problems)
        else:
            jobs = _read_jobs(block.jobs, join(path, "jobs"), problems)
        result.append(Organization(name, jobs, machines))
    return result


def _read_jobs(items: list[Any], path: str, problems: Problems) -> tuple[Job, ...]:
    jobs = []
    for i, item in enumerate(items):
        where = join(path, i)
        table = item if isinstance(item, Mapping) else {"length": item}
        before = len(problems.noted)
        block = read_block(JobBlock, table, where, problems)
        if not isinstance(item, Mapping) and len(problems.noted) > before:
            problem = problems.noted.pop()  # the item is the length: its path ends here
            problems.add(where, item, problem.expected, problem.near)
        jobs.append(Job(Fraction(1)) if block is None else Job(block.length, block.name, block.priority))
    unique_names([job.name for job in jobs], path, problems)
    return tuple(jobs)


def _check_order(block: MechanismBlock, names: list[str], problems: Problems) -> None:
    """Names that are known, and all of them."""
    order, everybody = block.order, set(names)
    if isinstance(order, str) or order is None or block.priority == "jobs" or problems.about("mechanism.priority"):
        return
    if not names or len(everybody) < len(names):  # which is said already
        return
    for i, name in enumerate(order):
        if name not in everybody:
            problems.unknown(join("mechanism.order", i), name, names, "an organization:")
    missing = [name for name in names if name not in order]
    if missing and set(order) <= everybody:
        problems.add("mechanism.order", list(order), f"every organization, also {join_names(missing)}")


def _check_priorities(organizations: list[Organization], counted: bool, problems: Problems) -> None:
    """Priorities that differ; ``counted``: of jobs of any lengths."""
    seen: dict[int, str] = {}
    for k, org in enumerate(organizations):
        for i, job in enumerate(org.jobs):
            where = join("organizations", k, "priorities" if counted else "jobs", i)
            if job.priority is not None and seen.setdefault(job.priority, where) != where:
                what = f"a priority of its own ({seen[job.priority]} has it already)"
                problems.add(where if counted else f"{where}.priority", job.priority, what)


def _placement(value: object, organizations: list[Organization], problems: Problems) -> list[list[int]]:
    names = [org.name for org in organizations]
    placement = [[k] * len(org.jobs) for k, org in enumerate(organizations)]
    if not isinstance(value, Mapping):
        problems.add("placement", value, "a table: per organization a list with one host per job")
        return placement
    number = {name: k for k, name in reversed(list(enumerate(names)))}  # the first of that name
    for name, hosts in value.items():
        if name not in number:
            problems.unknown(join("placement", str(name)), str(name), names, "an organization:")
            continue
        k = number[name]
        if not isinstance(hosts, list | tuple) or len(hosts) != len(organizations[k].jobs):
            problems.add(join("placement", name), hosts, f"a list of {len(organizations[k].jobs)} hosts, one per job")
            continue
        for i, host in enumerate(hosts):
            if isinstance(host, str) and host in number:
                placement[k][i] = number[host]
            else:
                problems.unknown(join("placement", name, i), str(host), names, "an organization:")
    return placement


FORMAT = Format(FederationFile, read)
