"""Users of the same machines: the points from which nobody can gain without somebody losing, and their schedules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from ...reports.tables import cell
from ...support.errors import ConsortiumError
from ...verbs.dispatch import ask
from ..drawing import Bar, Mark, chart, gantt, key, signs
from ..view import View

LISTED: Final = 300
"""Most points that are drawn."""
BY_THRESHOLDS: Final = ("edf", "lst")
"""Rules that look for a schedule within everybody's threshold."""


@dataclass(frozen=True)
class Front:
    """Pareto points, each a value per user as records write it, and how many are not listed."""

    points: tuple[tuple[Any, ...], ...]
    left_out: int


def played(view: View) -> Mapping[str, Any]:
    """The record of ``run``."""
    return ask("run", view.scenario, {}).to_dict()


def front(view: View) -> Front:
    """The Pareto set, as the scenario asks for it or else exact. Raises TooLargeError where it is out of reach."""
    exact = {"mechanism": {"rule": "pareto"}, "fairness": None}
    changes = {} if view.rule == "pareto" else exact
    found = ask("run", view.scenario, {"list": LISTED}, overrides=changes).to_dict()
    return Front(tuple(map(tuple, found["pareto"])), found["pareto_left_out"] or 0)


def at(view: View, point: Sequence[Any]) -> View | None:
    """The scenario whose answer is this point, with everybody's value as threshold; ``None`` where no rule finds it."""
    objectives = [user.objective for user in view.scenario.spec.users]
    for rule in BY_THRESHOLDS:
        limits = [value if objective == "makespan" else "none"
                  for value, objective in zip(point, objectives, strict=True)]  # fmt: skip
        try:
            found = view.under(rule).changed({"mechanism": {"rule": rule, "thresholds": limits}})
            if tuple(played(found)["point"] or ()) == tuple(point):
                return found
        except ConsortiumError:
            continue  # a rule for other objectives, or out of reach
    return None


class Promise:
    """A rule of one's own that promises a point; the schedule that keeps it is looked for by the verb."""

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = tuple(map(Fraction, values))

    def point(self, community: object) -> tuple[Fraction, ...]:
        """The values."""
        return self.values


def chosen(view: View, point: Sequence[Any]) -> tuple[View | None, Mapping[str, Any]]:
    """The scenario that a rule answers with this point, where there is one, and the record with its schedule."""
    found = at(view, point)
    if found is not None:
        return found, played(found)
    return None, ask("run", view.scenario, {"mechanism": Promise(point)}).to_dict()


def front_chart(
    view: View, found: Front, axes: tuple[int, int], here: Sequence[Any] | None, best: Mapping[str, Any]
) -> str:
    """The points over two users' values; those that can be chosen carry their number as key.

    ``best``: the record of the scenario as it stands, with everybody's zenith and the point of its rule.
    """
    users, (x, y) = best["users"], axes
    chosen = None if here is None else tuple(here)
    marks = [
        Mark(
            point[x],
            point[y],
            _told(users, point),
            key=str(i),
            group=0,
            chosen=point == chosen,
        )
        for i, point in enumerate(found.points)
    ]
    if best["point"] is not None:
        told = f"the rule of the scenario: {_told(users, best['point'])}"
        marks.append(Mark(best["point"][x], best["point"][y], told, shape="star", group=5))
    if None not in (users[x]["zenith"], users[y]["zenith"]):
        told = "zenith: everybody alone on the machines"
        marks.append(Mark(users[x]["zenith"], users[y]["zenith"], told, shape="ring", group=2))
    across, up = (f"{users[u]['name']}: {users[u]['objective'].replace('-', ' ')} (time)" for u in axes)
    drawn = chart([], marks, across, up, f"Pareto points of {view.scenario.label}")
    return drawn + signs(dot="Pareto points", star="the point of the rule", ring="zenith: everybody alone")


def _told(users: Sequence[Mapping[str, Any]], point: Sequence[Any]) -> str:
    return ", ".join(f"{user['name']} {cell(value)}" for user, value in zip(users, point, strict=True))


def values(record: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """What everybody gets, between the best she could have alone and the worst that she has to fear."""
    return [
        tuple(cell(row[name]) for name in ("name", "objective", "value", "zenith", "nadir")) for row in record["users"]
    ]


def schedule(record: Mapping[str, Any]) -> str:
    """Gantt chart of the schedule; empty where there is none."""
    if not record["jobs"]:
        return ""
    names = [row["name"] for row in record["users"]]
    machines = max(job["machine"] for job in record["jobs"])
    bars = [
        Bar(
            job["machine"] - 1,
            job["start"],
            job["end"],
            names.index(job["user"]),
            f"{job['user']}.{job['job']}",
            f"job {job['job']} of {job['user']}: from {job['start']} to {job['end']}",
        )
        for job in record["jobs"]
    ]
    return gantt([f"machine {i + 1}" for i in range(machines)], bars) + key([(name, u) for u, name in enumerate(names)])


NO_COMMAND: Final = "No rule of the command line finds this point; in Python a rule of your own may promise it."
"""Said of points without a command."""
