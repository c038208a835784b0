"""The users of a published experiment: the most active ones of a log with the longest jobs of each.

Nothing is drawn but, where it is asked for, the order of the users.
"""

from __future__ import annotations

from typing import Any, Final, Literal, Self

from numpy.random import Generator
from pydantic import Field, model_validator

from ..selection import longest
from .base import Draw, Family
from .logs import FromLog
from .parameters import Count, Exact


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


def prepare(parameters: LongestJobs) -> Draw:
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
    Family(
        "longest-jobs",
        "multiuser",
        LongestJobs,
        prepare,
        "the most active users of a job log with the longest jobs of each",
        "Cordeiro 2012, section 6.3",
    ),
)
