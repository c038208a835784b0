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
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from ..scheduling.errors import InputError, TooLargeError
from .columns import IntArray
from .partition import Shares, divide
from .windows import MAX_COPIES, SharedWork


@dataclass(frozen=True)
class Bags:
    """Parameters of :func:`poisson_bags`.

    Attributes
    ----------
    machines, organizations, shares
        As for a log (see :class:`~.windows.Plan`).
    load
        Work released over what the machines can do, at least 0; above 1 the queue grows all the time.
    duration
        Window (s).
    users
        Number of users, at least as many as organizations.
    bag
        Mean number of jobs of a bag, at least 1.
    median, spread
        Of a bag's length (s): median, and standard deviation of its natural logarithm.
    jitter
        Standard deviation of the logarithm of the factor between jobs of one bag.
    """

    machines: int = 70
    load: float = 0.95
    duration: int = 50_000
    organizations: int = 5
    users: int = 50
    bag: float = 5.0
    median: float = 1_000.0
    spread: float = 1.5
    jitter: float = 0.2
    shares: Shares = "zipf"

    def __post_init__(self) -> None:
        rules = {
            "machines": (self.machines, self.machines >= 1, "at least 1"),
            "load": (self.load, 0 <= self.load < np.inf, "a number >= 0"),
            "duration": (self.duration, self.duration >= 1, "at least 1 second"),
            "users": (self.users, self.users >= self.organizations >= 1, "at least as many as organizations"),
            "bag": (self.bag, 1 <= self.bag < np.inf, "at least 1"),
            "median": (self.median, 1 <= self.median < 1e9, "1 to 10**9 seconds"),
            "spread": (self.spread, 0 <= self.spread <= 5, "0 to 5"),
            "jitter": (self.jitter, 0 <= self.jitter <= 5, "0 to 5"),
        }
        for name, (value, holds, expected) in rules.items():
            if not holds:
                raise InputError(f"{name}: found {value}; expected {expected}")


SETTINGS: Final[Mapping[str, Bags]] = MappingProxyType(
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
