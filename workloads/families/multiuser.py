"""Random families of kind ``multiuser``: users with jobs and objectives, on the base's machines or others.

An instance draws the numbers of jobs, where they are random, then the lengths. Of the users of a published experiment,
the most active ones of a log with the longest jobs of each, nothing is drawn but, where it is asked for, their order.
"""

from __future__ import annotations

from typing import Any, Final, Literal, Self

from numpy.random import Generator
from pydantic import Field, model_validator

from ..selection import longest
from .base import Count, CountOrNone, Draw, Exact, Family, Named, between, few
from .lengths import FromLog, Lengths, combined


class Users(Named, Lengths):
    """Users, each with at least one job."""

    users: Count = Field(3, description="number of users")
    jobs: Count = Field(4, description="jobs of each user")
    fewest: Count | None = Field(None, description="then the jobs of each are uniform from so many to jobs")
    totals: CountOrNone = Field(
        0, description="so many users, the first ones, minimise their total completion time, the others their makespan"
    )
    machines: Count | None = Field(None, description="machines that all share; default: the base's")

    @model_validator(mode="after")
    def _agreed(self) -> Self:
        if self.fewest is not None and self.fewest > self.jobs:
            raise ValueError(f"fewest: found {self.fewest}; expected at most jobs, {self.jobs}")
        if self.totals > self.users:
            raise ValueError(f"totals: found {self.totals}; expected at most users, {self.users}")
        few("users", self.users, self.jobs)
        return self.check_names(self.users)


def prepare(parameters: Users) -> Draw:
    """Instances of any distribution of lengths."""
    n, fewest, jobs, totals = parameters.users, parameters.fewest, parameters.jobs, parameters.totals
    count, deal, named = between(jobs if fewest is None else fewest, jobs, n), parameters.dealt(), parameters.named
    objectives = ["total-completion"] * totals + ["makespan"] * (n - totals)
    head = {} if parameters.machines is None else {"machines": parameters.machines}

    def draw(rng: Generator) -> dict[str, Any]:
        lengths = deal(rng, count(rng))
        rows = [{"objective": one, "jobs": row} for one, row in zip(objectives, lengths, strict=True)]
        return {**head, "users": named(rows)}

    return draw


class LongestJobs(FromLog):
    """The most active users of a log, each with the longest of her jobs."""

    users: Count = Field(3, description="number of users, the most active ones")
    total: Count | None = Field(
        None, description="which of them, by activity, minimises her total completion time; default: all their makespan"
    )
    part: Exact = Field("1/10", description="which part of the jobs of each, rounded up", validate_default=True)
    measure: Literal["run", "work"] = Field(
        "run", description="what makes a job long: its run time, or processors times run time"
    )
    shuffled: bool = Field(False, description="users in a random order instead of by activity")

    @model_validator(mode="after")
    def _agreed(self) -> Self:
        if self.total is not None and self.total > self.users:
            raise ValueError(f"total: found {self.total}; expected at most users, {self.users}")
        if not 0 < self.part <= 1:
            raise ValueError(f"part: found {self.part}; expected a fraction above 0 and at most 1")
        return self


def prepare_longest(parameters: LongestJobs) -> Draw:
    """The users with run times in seconds."""
    p = parameters
    chosen = longest(p.read(), p.users, (p.part.numerator, p.part.denominator), p.measure)
    rows: list[dict[str, Any]] = [
        {
            "name": one.name,
            "objective": "total-completion" if number == p.total else "makespan",
            "jobs": list(one.lengths),
        }
        for number, one in enumerate(chosen, 1)
    ]

    def draw(rng: Generator) -> dict[str, Any]:
        return {"users": [rows[i] for i in rng.permutation(p.users)] if p.shuffled else rows}

    return draw


FAMILIES: Final = (
    *combined("multiuser", Users, prepare, "users with jobs"),
    Family(
        "longest-jobs",
        "multiuser",
        LongestJobs,
        prepare_longest,
        "the most active users of a job log with the longest jobs of each",
        "Cordeiro 2012, section 6.3",
    ),
)
