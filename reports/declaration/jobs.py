"""Jobs of records on scenarios of kind ``declaration``: every agent who stays has one, there from the beginning."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ...support.errors import InputError
from ..jobs import Job


def run(data: Mapping[str, Any]) -> list[Job]:
    """From the first work on a job to the last, pauses included; two may share a machine between them.

    Raises InputError for a rule of one's own that does not say when it works.
    """
    return [_job(row) for row in data["agents"] if row["stayed"]]


def _job(row: Mapping[str, Any]) -> Job:
    work, ends = row["work"], row["output"] != "inf" or row["killed"]
    if not work and ends:
        raise InputError(f"jobs: the record does not say when the job of {row['name']} is worked on")
    return Job(
        owner=row["name"],
        number=1,
        submitted=Fraction(0),
        started=Fraction(work[0][0]) if work else None,
        ended=Fraction(work[-1][1]) if work and ends and work[-1][1] != "inf" else None,
        machine=row["machine"] - 1 if work else None,
        killed=row["killed"],
    )
