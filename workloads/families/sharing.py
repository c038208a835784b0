"""Random families of kind ``sharing``: queues of organizations that own the machines of a pool.

An instance of random queues draws numbers of jobs, numbers of machines, lengths, releases and due dates, as far as they
are random. Each queue is in order of release; equal releases are as drawn. Jobs have due dates where the base scenario
judges by tardiness.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Self

from numpy.random import Generator
from pydantic import Field, model_validator

from ..log import Owner
from ..partition import Shares
from ..windows import Plan, SharedWork
from .bags import SETTINGS, Bags, Setting, poisson_bags
from .base import Draw, Family
from .combined import combined
from .lengths import Lengths
from .logs import FromLog
from .owners import Organizations
from .parameters import LONGEST, Count, Dealt, Length


def needed(base: Mapping[str, Any]) -> Mapping[str, Any]:
    """Due dates, where the base's utility counts what is late and the format therefore wants them."""
    mechanism = base.get("mechanism")
    return {"due": True} if isinstance(mechanism, Mapping) and mechanism.get("utility") == "tardiness" else {}


class Queues(Organizations, Lengths):
    """Organizations with machines, perhaps none, and queues of jobs."""

    latest: Annotated[int, Field(ge=0, le=LONGEST)] = Field(
        0, description="releases are uniform on the integers from 0 to so much (units of time)"
    )
    due: bool = Field(False, description="jobs have due dates; true where the base's utility is tardiness")
    slack: Annotated[int, Field(ge=0, le=LONGEST)] = Field(
        0, description="a due date is uniform on the integers from release plus length to so much later"
    )
    until: Length | None = Field(
        None, description="moment of evaluation; default: when one machine could have done all (units of time)"
    )

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.scale.denominator != 1:
            raise ValueError(f"scale: found {self.scale}; expected an integer, for moments are integers here")
        machines = self.machines if isinstance(self.machines, tuple) else (self.machines, self.most_machines or 0)
        if not sum(machines):
            raise ValueError("machines: found 0 for everybody; expected at least one machine in the pool")
        return self


def prepare(parameters: Queues) -> Draw:
    """Instances of any distribution of lengths; where nobody is dealt a machine, any organization gets one."""
    p, count, own, deal = parameters, parameters.counts(), parameters.owned(), parameters.dealt()

    def draw(rng: Generator) -> dict[str, Any]:
        counts, machines = count(rng), own(rng)
        if not any(machines):
            machines[int(rng.integers(p.organizations))] = 1
        lengths: list[list[Any]] = [*deal(rng, counts)]  # integers, for the scale is one
        released = iter(rng.integers(0, p.latest + 1, size=sum(counts)).tolist())
        queues = [[[next(released), length] for length in row] for row in lengths]
        if p.due:
            later = iter(rng.integers(0, p.slack + 1, size=sum(counts)).tolist())
            queues = [[[r, length, r + length + next(later)] for r, length in queue] for queue in queues]
        rows = [{"machines": m, "jobs": sorted(q, key=_release)} for m, q in zip(machines, queues, strict=True)]
        return {"until": p.until or _done(queues), "organizations": p.named(rows)}

    return draw


def _release(job: list[int]) -> int:
    return job[0]


def _done(queues: list[list[list[int]]]) -> int:
    """A moment, at least 1, by which any one machine has done all jobs."""
    jobs = [job for queue in queues for job in queue]
    return max(max((job[0] for job in jobs), default=0) + sum(job[1] for job in jobs), 1)


# --- bags, and windows of logs --------------------------------------------------------------------------------------


class PoissonBags(Bags):
    """A setting by name, and whatever differs from it."""

    setting: Setting = Field("busy", description="what the other parameters are unless given")

    @model_validator(mode="before")
    @classmethod
    def _of_setting(cls, given: dict[str, Any]) -> dict[str, Any]:
        setting = SETTINGS.get(given.get("setting", "busy"))
        return given if setting is None else {**setting.model_dump(exclude_unset=True), **given}


class LogWindow(FromLog):
    """A window of a job log, its users dealt to organizations."""

    duration: int = Field(50_000, ge=1, le=10**12, description="window (s)")
    start: Annotated[int, Field(ge=0, le=10**12)] | None = Field(
        None, description="opening, in seconds after the log's first submission; default: random"
    )
    machines: Count | None = Field(
        None, description="machines of all organizations; default: what the log's header states"
    )
    organizations: Dealt | Owner = Field(
        5, description="a number, to which users are dealt at random, or a column: one organization per value"
    )
    shares: Shares = Field(
        "zipf", description="how machines are divided: by Zipf's law, equally, or a number per organization"
    )
    limit: Count | None = Field(None, description="with a column: at most so many organizations, the rest as one")
    warmup: int = Field(
        0, ge=0, le=10**12, description="look back so many seconds for jobs that still run or wait at the opening"
    )


def _scenario(work: SharedWork) -> dict[str, Any]:
    """What shared work fills of a scenario."""
    rows = zip(work.names, work.machines, work.queues(), strict=True)
    organizations = [{"name": name, "machines": machines, "jobs": jobs} for name, machines, jobs in rows]
    return {"until": work.until, "organizations": organizations}


def prepare_bags(parameters: PoissonBags) -> Draw:
    """Instances of :func:`~.bags.poisson_bags`."""
    return lambda rng: _scenario(poisson_bags(rng, parameters))


def prepare_window(parameters: LogWindow) -> Draw:
    """Windows of :class:`~..windows.Plan`."""
    log, p = parameters.read(), parameters
    plan = Plan(p.duration, p.start, p.machines, p.organizations, p.shares, p.limit, p.warmup)
    return lambda rng: _scenario(plan.drawn(log, rng))


FAMILIES: Final = (
    *combined("sharing", Queues, prepare, "organizations with machines and queues", needed),
    Family(
        "poisson-bags",
        "sharing",
        PoissonBags,
        prepare_bags,
        "bags of similar jobs that arrive as a Poisson process",
    ),
    Family("log-window", "sharing", LogWindow, prepare_window, "a random window of a job log"),
)
