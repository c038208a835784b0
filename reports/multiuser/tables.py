"""Tables of records on scenarios of kind ``multiuser``, and their jobs for other programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from ...support.errors import InputError
from ...verbs.multiuser.records import FairnessRow, JobRow, LevelRow, MetricsRow, UserRow
from ..jobs import Job
from ..markup import Table
from ..tables import comparison, facts, listing, pairs_of, table

__all__ = ["compare", "jobs", "run"]

COMPARED: Final = (
    "fairness key: what is compared, exactly, smaller is fairer; over optimum: so far above the smallest fairness, 0.1 "
    "for 10 % (-: not known); min max: the smallest of the users' values over the largest"
)


def compare(data: Mapping[str, Any]) -> list[Table]:
    """One row per rule, and what its columns mean."""
    return [replace(one, note=COMPARED) for one in comparison(data)]


def run(data: Mapping[str, Any]) -> list[Table]:
    """Users, then the Pareto set or the point's fairness, the levels of a refinement, and a short schedule."""
    tables = [_users(data)]
    if data["pareto"] is not None:
        tables.append(_pareto(data))
    if data["fairness"] is not None:
        tables.append(_fairness(data["fairness"], data["metrics"]))
        if data["fairness"]["levels"]:
            tables.append(_levels(data["fairness"]["levels"]))
    if data["jobs"]:
        jobs = sorted(data["jobs"], key=lambda job: (job["machine"], Fraction(job["start"])))
        tables.append(listing("schedule", jobs, ["machine", "start", "end", "user", "job"], of=JobRow))
    return tables


def _users(data: Mapping[str, Any]) -> Table:
    columns = ["name", "objective", "value", "zenith", "nadir"]
    if any(row["guarantee"] is not None for row in data["users"]):
        columns.append("guarantee")
    note = "zenith: the best value alone; nadir: no Pareto-optimal point is worse"
    if data["point"] is None and data["pareto"] is None:
        note = "No schedule meets the thresholds."
        if not data["complete"]:
            note = "Stopped before a point was known; zenith and nadir bound everybody's value."
        elif data["method"] == "lst-printed":
            note = "No schedule was found within the thresholds."
    return table(f"run: {data['scenario']}", data["users"], columns, note, of=UserRow)


def _pareto(data: Mapping[str, Any]) -> Table:
    names = [row["name"] for row in data["users"]]
    rows = [dict(zip(names, point, strict=True)) for point in data["pareto"]]
    note = f"{data['pareto_count']:,} points"
    if data["pareto_left_out"]:
        note += f", {data['pareto_left_out']:,} left out; --list N lists more"
    if data.get("grid"):
        note += f"; {data['grid']['corners']:,} corners of the grid"
    title = "Pareto set" if data["method"] != "grid" else "approximate Pareto set"
    points = table(title, rows, names, note)
    return Table(points.title, tuple(names), points.rows, points.note)


def _fairness(fairness: Mapping[str, Any], metrics: Mapping[str, Any]) -> Table:
    keys = ["norm", "value", "key", "optimum_key", "over_optimum", "improvement", "proved"]
    pairs = pairs_of(fairness, FairnessRow, keys)
    pairs += pairs_of(metrics, MetricsRow, ["jain", "min_max", "variance"])
    return facts("fairness (smaller is fairer)", pairs)


def _levels(levels: Sequence[Mapping[str, Any]]) -> Table:
    columns = ["level", "cells", "active", "value", "gap", "proved", "point"]
    note = "gap: at most so far above the fairest, certified"
    if all(row["bound"] is None for row in levels):
        columns.remove("gap")
        note = ""
    return table("refinement", levels, columns, note, of=LevelRow)


def jobs(data: Mapping[str, Any]) -> list[Job]:
    """Every job. Raises InputError for a set of points, which is no schedule."""
    if not data["jobs"]:
        raise InputError("jobs: the record has no schedule (its rule answers a set of points, or found none)")
    return [Job.placed(row["user"], row, row["machine"] - 1) for row in data["jobs"]]
