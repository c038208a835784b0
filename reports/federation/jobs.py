"""Jobs of records on scenarios of kind ``federation``: all are there from the beginning."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import accumulate
from typing import Any

from ..jobs import Job, scenario_of, whole


def run(data: Mapping[str, Any]) -> list[Job]:
    """Every job; machines are numbered organization after organization."""
    whole(data.get("jobs_left_out"), len(data["jobs"]))
    organizations = scenario_of(data).spec.federation.organizations
    before = accumulate((each.machines for each in organizations), initial=0)
    first = {each.name: count for each, count in zip(organizations, before, strict=False)}
    return [
        Job(
            owner=row["organization"],
            number=row["job"],
            submitted=Fraction(0),
            started=Fraction(row["start"]),
            ended=Fraction(row["end"]),
            machine=first[row["host"]] + row["machine"] - 1,
        )
        for row in data["jobs"]
    ]
