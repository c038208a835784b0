"""Jobs in scenario files of kind ``sharing``: short lists, or tables that say more.

>>> found = Problems()
>>> read_jobs([(0, 3), {"release": 0, "length": 2, "machines": 4}], "organizations[0].jobs", found)
((0, 3), Job(release=0, length=2, due=None, machines=4, estimate=None))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, TypeAlias

from pydantic import PlainValidator, WithJsonSchema

from ..mechanisms.sharing.catalogue import COPIES_MAX
from ..mechanisms.sharing.instance import Job
from .blocks import join, read_block
from .fields import DIGITS, Block, Listing, described, expected, integer, integer_schema
from .problems import Problems, Said

AnyJob: TypeAlias = tuple[int, ...] | Job
"""``(release, length)``, ``(release, length, due)``, or what a table says."""

LOWS: Final = (0, 1, 1 - 10**DIGITS)
FORM: Final = (
    f"[release, length] or [release, length, due], integers of at most {DIGITS:,} digits with release >= 0 and "
    "length >= 1, or a table { release, length, due, machines, estimate }"
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


def _job(value: object) -> tuple[int, ...] | Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value  # read later, with the path of each key
    if not isinstance(value, list | tuple) or len(value) not in (2, 3):
        raise expected(FORM)
    for part, low in zip(value, LOWS, strict=False):
        if isinstance(part, bool) or not isinstance(part, int) or part < low or part >= 10**DIGITS:
            raise expected(FORM)
    return tuple(value)


SCHEMA: Final = {
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


Jobs: TypeAlias = Listing[Annotated[Any, PlainValidator(_job), WithJsonSchema(SCHEMA)]]


def read_jobs(items: list[Any], path: str, problems: Problems) -> tuple[AnyJob, ...]:
    """Jobs as listed; those written as tables are read, each with its own path."""
    found: list[AnyJob] = []
    for i, item in enumerate(items):
        if isinstance(item, Mapping):
            block = read_block(JobBlock, item, join(path, i), problems)
            item = Job(0, 1) if block is None else Job(**dict(block))
        found.append(item)
    copies = sum(job.machines if isinstance(job, Job) else 1 for job in found)
    if copies > COPIES_MAX:
        problems.add(path, Said(f"{copies:,} machines, counted once for each job"), f"at most {COPIES_MAX:,}")
    return tuple(found)


def check_wide(parallel: str, most: int, queues: Iterable[Sequence[AnyJob]], problems: Problems) -> None:
    """Note jobs that could never start on all their machines at once, because there are fewer."""
    for u, queue in enumerate(queues):
        for i, job in enumerate(queue):
            if isinstance(job, Job) and job.machines > most:
                where = join("organizations", u, "jobs", i, "machines")
                problems.add(where, job.machines, f"at most {most}, all machines, for parallel = {parallel!r}")


def undated(job: AnyJob) -> bool:
    """Whether a job has no due date."""
    return job.due is None if isinstance(job, Job) else len(job) == 2
