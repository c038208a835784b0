"""Random work to be shared, from a seed: bags of similar jobs that arrive as a Poisson process.

Model: users submit bags of jobs. A bag belongs to a user drawn by Zipf's law, holds a geometric number of jobs, and
its jobs have similar lengths: a log-normal length for the bag times a log-normal factor per job, rounded, at least 1.
Given their number, the moments of a Poisson process are uniform, so every bag arrives at a uniform moment of the
window. Bags are drawn until their work reaches ``load * machines * duration``; the last one is cut there. Users are
dealt round-robin to organizations and machines divided by Zipf's law (or equally).

The shape of the default lengths (median 1,000 s, mean about 3,000 s, bags of 5) stands between the logs of small
capacity clusters; what matters for fairness is that work comes in bursts and that lengths vary by orders of magnitude.

>>> work = poisson_bags(np.random.default_rng(1), Bags(machines=7, load=0.5, duration=50_000))
>>> len(work.names), sum(work.machines), round(work.load, 2)
(5, 7, 0.5)
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, Self, TypeAlias

import numpy as np
from pydantic import Field, model_validator

from ...support.errors import TooLargeError
from ..columns import IntArray
from ..partition import Shares, divide
from ..windows import MAX_COPIES, SharedWork
from .parameters import Count, Dealt, Parameters, Real


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
