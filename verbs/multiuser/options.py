"""Options of the verbs on scenarios of kind ``multiuser``."""

from __future__ import annotations

from typing import Annotated

from ...scenarios.fields import choice
from ..options import (
    COMPARED,
    LIMITED,
    Count,
    CountOrNone,
    Field,
    Flag,
    NameText,
    Options,
    Ratio,
    Rules,
    Seconds,
    Seed,
    WithRule,
)

EFFORT = "How many times the usual limits of time and memory an exact rule may exceed."


class Run(WithRule):
    """``run``."""

    list: CountOrNone = Field(100, description="Points of a Pareto set to list.", group="Limits")
    effort: Count = Field(1, description=EFFORT, group="Limits", rare=True)
    time_limit: Seconds | None = Field(None, description=LIMITED, group="Limits")


class Compare(Options):
    """``compare``."""

    rules: Rules | None = Field(None, description=COMPARED, group="Question")
    effort: Count = Field(1, description=EFFORT, group="Limits", rare=True)
    time_limit: Seconds | None = Field(None, description=LIMITED, group="Limits")


class Import(Options):
    """``import``: the most active users with their longest jobs."""

    users: Count = Field(
        3, description="How many users; the first minimises her total completion time.", group="Scenario"
    )
    part: Ratio = Field(
        "1/10",
        validate_default=True,
        description="Part of each user's jobs, the longest, rounded up.",
        group="Jobs",
        rare=True,
    )
    measure: Annotated[choice("run", "work"), Flag("HOW")] = Field(  # type: ignore[valid-type]
        "run", description="Longest by run time (run) or by processors times run time (work).", group="Jobs", rare=True
    )
    machines: Count = Field(1, description="Machines.", group="Scenario")
    rule: NameText = Field("fairest", description="The mechanism's rule to start with.", group="Scenario")
    unit: Count = Field(1, description="Seconds per unit of length, rounded up.", group="Jobs", rare=True)
    seed: Seed | None = Field(None, description="Random seed; without one the documented choice is made.", group="Jobs")
