"""Drawings of records on scenarios of kind ``multiuser``: schedules by user, Pareto sets, boxes of a refinement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..charts import TIME, Panel, comparison, findings, named
from .pareto import front, profiles
from .refinement import refinement
from .schedules import label, schedule

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["compare", "front", "profiles", "refinement", "run", "schedule"]

compare = comparison


def run(data: Mapping[str, Any], record: object = None) -> Figure:
    """The Pareto set, the boxes of a refinement, or the schedule by user; everybody's range where there is no point."""
    if data["pareto"]:
        fairest = getattr(record, "fairest", None)
        return (front if len(data["users"]) in (2, 3) else profiles)(data, fairest=fairest)
    if data["point"] is None:
        return ranges(data)
    levels = (data["fairness"] or {}).get("levels") or []
    if levels and "boxes" in levels[0] and len(levels[0]["boxes"][0]["low"]) == 2:
        return refinement(data)
    return schedule(data)


def ranges(data: Mapping[str, Any]) -> Figure:
    """What every user can hope for where nothing was found: her best value alone, and a bound on the worst."""
    users = data["users"]
    panels = [
        Panel(word, [label(row) for row in users], [row[key] for row in users], TIME)
        for key, word in (
            ("zenith", "zenith: the best value alone"),
            ("nadir", "nadir: no Pareto-optimal point is worse"),
        )
    ]
    verb = "was found within" if data["method"] == "lst-printed" else "meets"
    return findings(named(data), (), panels, [f"no schedule {verb} the thresholds"])
