"""Jobs of records on scenarios of kind ``sharing``."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ...verbs.sharing.model import setting
from ..jobs import Job, scenario_of, whole


def run(data: Mapping[str, Any]) -> list[Job]:
    """Every job that started before the end; those that were released, from the scenario or its log."""
    whole(data["schedule_left_out"], len(data["schedule"]))
    instance = setting(scenario_of(data)).instance
    found = []
    for (start, organization, job, machine), end in zip(data["schedule"], data["ends"], strict=True):
        released = instance.release[instance.first[organization - 1] + job - 1]
        found.append(
            Job(
                owner=instance.names[organization - 1],
                number=job,
                submitted=Fraction(int(released)),
                started=Fraction(start),
                ended=Fraction(end),
                machine=machine - 1,
            )
        )
    return found
