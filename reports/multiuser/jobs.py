"""Jobs of records on scenarios of kind ``multiuser``: all are there from the beginning."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ...support.errors import InputError
from ..jobs import Job


def run(data: Mapping[str, Any]) -> list[Job]:
    """Every job. Raises InputError for a set of points, which is no schedule."""
    if not data["jobs"]:
        raise InputError("jobs: the record has no schedule (its rule answers a set of points, or found none)")
    return [
        Job(
            owner=row["user"],
            number=row["job"],
            submitted=Fraction(0),
            started=Fraction(row["start"]),
            ended=Fraction(row["end"]),
            machine=row["machine"] - 1,
        )
        for row in data["jobs"]
    ]
