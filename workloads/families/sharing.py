"""Random families of kind ``sharing``: queues of organizations that own the machines of a pool.

An instance of random queues draws numbers of jobs, numbers of machines, lengths, releases and due dates, as far as they
are random. Each queue is in order of release; equal releases are as drawn. Jobs have due dates where the base scenario
judges by tardiness.

Bags: users submit bags of jobs. A bag belongs to a user drawn by Zipf's law, holds a geometric number of jobs, and
its jobs have similar lengths: a log-normal length for the bag times a log-normal factor per job, rounded, at least 1.
Given their number, the moments of a Poisson process are uniform, so every bag arrives at a uniform moment of the
window. Bags are drawn until their work reaches ``load * machines * duration``; the last one is cut there. Users are
dealt round-robin to organizations and machines divided by Zipf's law (or equally). The shape of the default lengths
(median 1,000 s, mean about 3,000 s, bags of 5) stands between the logs of small capacity clusters; what matters for
fairness is that work comes in bursts and that lengths vary by orders of magnitude.

>>> work = poisson_bags(np.random.default_rng(1), Bags(machines=7, load=0.5, duration=50_000))
>>> len(work.names), sum(work.machines), round(work.load, 2)
(5, 7, 0.5)
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, Self, TypeAlias

import numpy as np
from numpy.random import Generator
from pydantic import Field, model_validator

from ...support.errors import TooLargeError
from ..log import IntArray, Owner
from ..partition import Shares, divide
from ..windows import MAX_COPIES, Plan, SharedWork
from .base import LONGEST, Count, Dealt, Draw, Family, Length, Organizations, Parameters, Real
from .lengths import FromLog, Lengths, combined


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
        rows = [
            {"machines": m, "jobs": sorted(q, key=lambda job: job[0])} for m, q in zip(machines, queues, strict=True)
        ]
        return {"until": p.until or _done(queues), "organizations": p.named(rows)}

    return draw


def _done(queues: list[list[list[int]]]) -> int:
    """A moment, at least 1, by which any one machine has done all jobs."""
    jobs = [job for queue in queues for job in queue]
    return max(max((job[0] for job in jobs), default=0) + sum(job[1] for job in jobs), 1)


# --- bags, and windows of logs --------------------------------------------------------------------------------------


class Bags(Parameters):
    """Parameters of :func:`poisson_bags`; machines and organizations are as for a log (:class:`~..windows.Plan`)."""

    machines: int = Field(default=70, ge=1, le=10**12, description="machines of all organizations")
    load: Real = Field(
        default=0.95, ge=0, description="work released over what the machines can do; above 1 the queue grows"
    )
    duration: int = Field(default=50_000, ge=1, le=10**12, description="window (s)")
    organizations: Dealt = Field(default=5, description="number of organizations")
    users: Count = Field(default=50, description="number of users, at least as many as organizations")
    bag: Real = Field(default=5.0, ge=1, le=1e9, description="mean number of jobs of a bag")
    median: Real = Field(default=1_000.0, ge=1, le=1e9, description="median length of a bag's jobs (s)")
    spread: Real = Field(
        default=1.5, ge=0, le=5, description="standard deviation of the natural logarithm of a bag's length"
    )
    jitter: Real = Field(default=0.2, ge=0, le=5, description="the same of the factor between jobs of one bag")
    shares: Shares = Field(
        default="zipf", description="how machines are divided: by Zipf's law, equally, or a number per organization"
    )

    @model_validator(mode="after")
    def _agreed(self) -> Self:
        if self.users < self.organizations:
            raise ValueError(f"users: found {self.users}; expected at least as many as organizations")
        divide(self.machines, self.organizations, self.shares, np.random.default_rng(0))  # raises where it cannot
        return self


Setting: TypeAlias = Literal["moderate", "busy", "overload", "busy-long", "busy-many"]

SETTINGS: Final[Mapping[Setting, Bags]] = MappingProxyType(
    {
        "moderate": Bags(load=0.7),
        "busy": Bags(load=0.95),
        "overload": Bags(load=1.2),
        "busy-long": Bags(load=0.95, duration=500_000),
        "busy-many": Bags(load=0.95, organizations=8),
    }
)
"""Five settings on 70 machines in which the rules differ: load, duration and number of organizations vary."""


def poisson_bags(rng: np.random.Generator, bags: Bags = SETTINGS["busy"]) -> SharedWork:
    """One random instance; the same generator state gives the same instance.

    Raises
    ------
    TooLargeError
        The work needs more than 50 million jobs.
    """
    target = bags.load * bags.machines * bags.duration
    if target / bags.median > MAX_COPIES:
        raise TooLargeError(f"about {target / bags.median:,.0f} jobs; the limit is {MAX_COPIES:,}")
    none = np.empty(0, dtype=np.int64)
    lengths: list[IntArray] = [none]
    sizes: list[IntArray] = [none]
    done = 0
    while done < target:  # in batches: one bag after the other until the work is there
        size = rng.geometric(1 / bags.bag, size=256)
        scale = bags.median * np.exp(bags.spread * rng.standard_normal(256))
        drawn = np.repeat(scale, size) * np.exp(bags.jitter * rng.standard_normal(int(size.sum())))
        batch = np.maximum(np.rint(np.minimum(drawn, 1e12)), 1).astype(np.int64)
        lengths.append(batch)
        sizes.append(size)
        done += int(batch.sum())
    length = np.concatenate(lengths)
    size = np.concatenate(sizes)
    length = length[: int(np.searchsorted(np.cumsum(length), target)) + 1] if target else length[:0]
    bag = np.repeat(np.arange(size.size), size)[: length.size]
    release = rng.integers(0, bags.duration, size=size.size)[bag]
    activity = 1 / np.arange(1, bags.users + 1)
    user = rng.choice(bags.users, size=size.size, p=activity / activity.sum())[bag]
    seat = np.empty(bags.users, dtype=np.int64)
    seat[rng.permutation(bags.users)] = np.arange(bags.users) % bags.organizations
    machines = divide(bags.machines, bags.organizations, bags.shares, rng)
    order = np.argsort(release, kind="stable")
    names = tuple(f"O{u + 1}" for u in range(bags.organizations))
    return SharedWork(names, machines, seat[user][order], release[order], length[order], bags.duration)


class PoissonBags(Bags):
    """A setting by name, and whatever differs from it."""

    setting: Setting = Field("busy", description="what the other parameters are unless given")

    @model_validator(mode="before")
    @classmethod
    def _of_setting(cls, values: dict[str, Any]) -> dict[str, Any]:
        setting = SETTINGS.get(values.get("setting", "busy"))
        return values if setting is None else {**setting.model_dump(exclude_unset=True), **values}


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
    busy: bool = Field(False, description="open with the jobs that ran and waited then, not on an empty cluster")


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
    plan = Plan(p.duration, p.start, p.machines, p.organizations, p.shares, p.limit, p.busy)
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
