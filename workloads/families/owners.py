"""How many jobs and machines owners have: organizations that own machines, and users that own none.

>>> Organizations(organizations=3, jobs=2).counts()(np.random.default_rng(1))
[2, 2, 2]
>>> Organizations(organizations=3, total=7).counts()(np.random.default_rng(1))
[2, 4, 1]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Final, Self, TypeAlias

import numpy as np
from numpy.random import Generator
from pydantic import Field, model_validator

from .base import Count, CountOrNone, Named

Counts: TypeAlias = Callable[[Generator], list[int]]
"""From a generator to a number for each owner."""

MOST_JOBS: Final = 10**7
"""Most jobs of one instance; more is no scenario that anybody reads."""


def between(low: int, high: int | None, n: int) -> Counts:
    """``n`` numbers: uniform from ``low`` to ``high``, or ``low`` each where there is no choice; then nothing is drawn.

    >>> between(2, None, 3)(np.random.default_rng(1))
    [2, 2, 2]
    """
    if high is None or high == low:
        return lambda rng: [low] * n
    return lambda rng: rng.integers(low, high + 1, size=n).tolist()


def few(what: str, owners: int, jobs: int) -> None:
    """Refuse instances with more jobs than anybody reads. Raises ValueError (the reader of parameters says where)."""
    if owners * jobs > MOST_JOBS:
        raise ValueError(f"jobs: found {owners:,} {what} with {jobs:,} jobs; expected at most {MOST_JOBS:,} in all")


class Organizations(Named):
    """Organizations with machines and jobs."""

    organizations: Count = Field(4, description="number of organizations")
    machines: CountOrNone | Annotated[tuple[CountOrNone, ...], Field(strict=False)] = Field(
        1, description="machines of each, or a list of them, one number per organization"
    )
    most_machines: CountOrNone | None = Field(
        None, description="then the machines of each are uniform from machines to so many"
    )
    jobs: CountOrNone = Field(4, description="jobs of each organization")
    fewest: CountOrNone | None = Field(None, description="then the jobs of each are uniform from so many to jobs")
    total: CountOrNone | None = Field(
        None, description="jobs of all instead of jobs: each job goes to any organization, equally likely"
    )

    @model_validator(mode="after")
    def _agreed(self) -> Self:
        if self.total is not None and (self.is_set("jobs") or self.is_set("fewest")):
            raise ValueError(f"total: found {self.total} beside jobs or fewest; expected total or those")
        if self.fewest is not None and self.fewest > self.jobs:
            raise ValueError(f"fewest: found {self.fewest}; expected at most jobs, {self.jobs}")
        if isinstance(self.machines, tuple):
            if len(self.machines) != self.organizations or self.most_machines is not None:
                text = f"{len(self.machines)} numbers" + (" beside most_machines" if self.most_machines else "")
                raise ValueError(f"machines: found a list of {text}; expected {self.organizations}, or one number")
        elif self.most_machines is not None and self.most_machines < self.machines:
            raise ValueError(f"most_machines: found {self.most_machines}; expected at least machines, {self.machines}")
        few("organizations", self.organizations, self.jobs if self.total is None else 0)
        return self.check_names(self.organizations)

    def counts(self) -> Counts:
        """Number of jobs of every organization."""
        n, total = self.organizations, self.total
        if total is not None:
            odds = np.full(n, 1 / n)
            return lambda rng: rng.multinomial(total, odds).tolist()
        return between(self.jobs if self.fewest is None else self.fewest, self.jobs, n)

    def owned(self) -> Counts:
        """Number of machines of every organization."""
        machines = self.machines
        if isinstance(machines, tuple):
            return lambda rng: list(machines)
        return between(machines, self.most_machines, self.organizations)
