"""Random families of kind ``multiuser``: users with jobs and objectives, on the base's machines or others.

An instance draws the numbers of jobs, where they are random, then the lengths.
"""

from __future__ import annotations

from typing import Any, Final, Self

from numpy.random import Generator
from pydantic import Field, model_validator

from .base import Draw
from .combined import combined
from .lengths import Lengths
from .owners import between, few
from .parameters import Count, CountOrNone, Named


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


FAMILIES: Final = combined("multiuser", Users, prepare, "users with jobs")
