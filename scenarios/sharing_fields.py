"""Values in scenario files of kind ``sharing``, and in the options of its verbs: jobs, half-lives, parents, weights.

A job is a short list, or a table that says more. A half-life is Slurm's ``PriorityDecayHalfLife``, weights of trackable
resources are its ``TRESBillingWeights``.

>>> problems = Problems()
>>> read_jobs([(0, 3), {"release": 0, "length": 2, "machines": 4}], "organizations[0].jobs", problems)
((0, 3), Job(release=0, length=2, due=None, machines=4, estimate=None, qos=None))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, TypeAlias

from pydantic import PlainValidator, WithJsonSchema

from ..mechanisms.sharing.catalogue import COPIES_MAX, HALF_LIFE_MAX, QOS_MAX
from ..mechanisms.sharing.instance import Job
from ..support.errors import InputError
from ..support.units import seconds_of
from ..workloads.resources import SEVERAL, SINGLE, factor, is_resource, likely
from .blocks import join, read_block
from .conditions import Schema
from .fields import DIGITS, Block, Listing, described, expected, integer, integer_schema, number
from .problems import Problems, Words

_HALF_LIFE: Final = "a whole number >= 1, or a text like '7d', '36h' or '7-0' (days-hours)"


def half_life(value: object) -> int:
    """Read units of time, seconds where a text says days or hours, or raise the validator's error."""
    time = seconds_of(value) if isinstance(value, str) else value
    if isinstance(time, bool) or not isinstance(time, int) or time < 1:
        raise expected(_HALF_LIFE)
    if time > HALF_LIFE_MAX:
        raise expected(f"{_HALF_LIFE}, at most {HALF_LIFE_MAX}")
    return time


HalfLife = Annotated[
    int,
    PlainValidator(half_life),
    WithJsonSchema({"anyOf": [integer_schema(1, HALF_LIFE_MAX), {"type": "string", "minLength": 1}]}),
]
"""How long past usage takes to count half."""


_PARENTS: Final = 'the account above each, by name, like { atlas = "physics", cms = "physics" }'


def parents(value: object) -> dict[str, str]:
    """Read the account above each, or raise the validator's error."""
    if not isinstance(value, Mapping) or not value:
        raise expected(_PARENTS)
    if any(not isinstance(name, str) or not name.strip() for pair in value.items() for name in pair):
        raise expected(_PARENTS)
    return {child.strip(): above.strip() for child, above in value.items()}


Parents = Annotated[
    dict[str, str],
    PlainValidator(parents),
    WithJsonSchema({"type": "object", "minProperties": 1, "additionalProperties": {"type": "string", "minLength": 1}}),
]
"""In which account each account or organization lies."""


_WEIGHTS: Final = 'weights >= 0 by resource, not all 0, like { cpu = 1, mem = "0.25G", "gres/gpu" = 10 }'


def weights(value: object) -> dict[str, str]:
    """Read billing units per unit of each resource, or raise the validator's error; names in lower case."""
    if not isinstance(value, Mapping) or not value:
        raise expected(_WEIGHTS)
    units: dict[str, str] = {}
    for key, weight in value.items():
        name = key.strip().lower() if isinstance(key, str) else ""
        if not is_resource(name):
            names = ", ".join((*SINGLE, *(f"{group}..." for group in SEVERAL)))
            raise expected(f"{_WEIGHTS}; {str(key)[:40]!r} is none of the resources {names}", likely(name))
        if name in units:
            raise expected(f"{_WEIGHTS}; {name} stands there twice")
        units[name] = _weight(name, weight)
    if not any(factor(name, weight) for name, weight in units.items()):
        raise expected(_WEIGHTS)
    return units


def _weight(name: str, value: object) -> str:
    """A weight as a text that :func:`factor` reads."""
    text = value.strip() if isinstance(value, str) else str(number(value, _WEIGHTS))
    try:
        factor(name, text)
    except InputError as error:
        raise expected(f"{_WEIGHTS}; {error}") from None
    return text


_WEIGHT_SCHEMA: Final[Schema] = {
    "type": "object",
    "minProperties": 1,
    "additionalProperties": {
        "anyOf": [
            {"type": "number", "minimum": 0},
            {"type": "string", "pattern": r"^\s*[0-9]{1,30}(\.[0-9]{1,30}|/0*[1-9][0-9]{0,29})?[KMGTPkmgtp]?\s*$"},
        ]
    },
}

Weights = Annotated[dict[str, str], PlainValidator(weights), WithJsonSchema(_WEIGHT_SCHEMA)]
"""Billing units per unit of each resource, by name."""


def shortest(weights: Mapping[str, str]) -> dict[str, Any]:
    """Weights as a file says them: whole numbers without quotes."""
    return {name: int(weight) if weight.isdecimal() else weight for name, weight in weights.items()}


AnyJob: TypeAlias = tuple[int, ...] | Job
"""``(release, length)``, ``(release, length, due)``, or what a table says."""

_LOWS: Final = (0, 1, 1 - 10**DIGITS)
_JOB: Final = (
    f"[release, length] or [release, length, due], integers of at most {DIGITS:,} digits with release >= 0 and "
    "length >= 1, or a table { release, length, due, machines, estimate, qos }"
)


class JobBlock(Block):
    """One job written as a table."""

    release: integer(0) = described(..., "when it is known", unit="time")  # type: ignore[valid-type]
    length: integer(1) = described(..., "processing time", unit="time")  # type: ignore[valid-type]
    due: integer() | None = described(None, "due date", unit="time", without="none")  # type: ignore[valid-type]
    machines: integer(1, COPIES_MAX) = described(  # type: ignore[valid-type]
        1, "machines that it takes; at once where mechanism.parallel says so", unit="machines"
    )
    estimate: integer(1) | None = described(  # type: ignore[valid-type]
        None, "length that it is believed to have, for parallel = 'easy'", unit="time", without="its length"
    )
    qos: integer(0, QOS_MAX) | None = described(  # type: ignore[valid-type]
        None, "priority of its QOS, for the rule multifactor", without="0"
    )


def _job(value: object) -> tuple[int, ...] | Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value  # read later, with the path of each key
    if not isinstance(value, list | tuple) or len(value) not in (2, 3):
        raise expected(_JOB)
    for part, low in zip(value, _LOWS, strict=False):
        if isinstance(part, bool) or not isinstance(part, int) or part < low or part >= 10**DIGITS:
            raise expected(_JOB)
    return tuple(value)


_JOB_SCHEMA: Final = {
    "anyOf": [
        {
            "type": "array",
            "prefixItems": [integer_schema(0), integer_schema(1), integer_schema()],
            "minItems": 2,
            "maxItems": 3,
        },
        JobBlock.model_json_schema(),
    ]
}


Jobs: TypeAlias = Listing[Annotated[Any, PlainValidator(_job), WithJsonSchema(_JOB_SCHEMA)]]


def read_jobs(items: list[Any], path: str, problems: Problems) -> tuple[AnyJob, ...]:
    """Jobs as listed; those written as tables are read, each with its own path."""
    jobs: list[AnyJob] = []
    for i, item in enumerate(items):
        if isinstance(item, Mapping):
            block = read_block(JobBlock, item, join(path, i), problems)
            item = Job(0, 1) if block is None else Job(**dict(block))
        jobs.append(item)
    copies = sum(job.machines if isinstance(job, Job) else 1 for job in jobs)
    if copies > COPIES_MAX:
        problems.add(path, Words(f"{copies:,} machines, counted once for each job"), f"at most {COPIES_MAX:,}")
    return tuple(jobs)


def check_wide(parallel: str, most: int, queues: Iterable[Sequence[AnyJob]], problems: Problems) -> None:
    """Note jobs that could never start on all their machines at once, because there are fewer."""
    for u, queue in enumerate(queues):
        for i, job in enumerate(queue):
            if isinstance(job, Job) and job.machines > most:
                where = join("organizations", u, "jobs", i, "machines")
                problems.add(where, job.machines, f"at most {most}, all machines, for parallel = {parallel!r}")
