"""A shared pool under two rules: the schedules, and what everybody received minus what she contributed, over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ...verbs.dispatch import ask
from ...verbs.sharing.run import OrganizationRow, RunRecord
from ..drawing import Bar, Line, chart, gantt, key
from ..view import View

MOMENTS: Final = 24
"""Moments of the balance over time."""
SECONDS: Final = 5.0
"""How long one schedule may take."""
MEASURE: Final[Mapping[str, Any]] = {"mechanism": {"rule": "ref", "timing": "next"}}
"""The rule whose contributions are Shapley values."""


@dataclass(frozen=True)
class Balance:
    """psi - phi of every organization at ``times``: what its jobs received, less what its machines contributed."""

    times: tuple[int, ...]
    received: Mapping[str, tuple[Any, ...]]


def played(view: View) -> Mapping[str, Any]:
    """The record of ``run``."""
    return ask("run", view.scenario, {"time_limit": SECONDS}).to_dict()


def others(view: View) -> list[str]:
    """Rules to hold against the one of the scenario."""
    return [name for name in view.rules() if name != view.rule]


def follows(view: View) -> bool:
    """Whether the balance can be followed over time: the jobs stand in the file, not in a log."""
    return view.scenario.spec.trace is None


def balance(view: View) -> Balance:
    """Follow a scenario: at each moment the utility under its rule, less the contribution that REF finds then."""
    until = view.scenario.spec.until
    times = sorted({until * (i + 1) // MOMENTS for i in range(MOMENTS)} - {0})
    found: dict[str, list[Any]] = {}
    for moment in times:
        got, due = (_followed(view, {"until": moment, **changes}) for changes in ({}, MEASURE))
        for mine, worth in zip(got, due, strict=True):
            found.setdefault(mine.name, []).append(mine.utility - worth.contribution)
    return Balance(tuple(times), {name: tuple(values) for name, values in found.items()})


def _followed(view: View, changes: Mapping[str, Any]) -> Sequence[OrganizationRow]:
    """What everybody has in a variant of the scenario, without holding it against the reference."""
    options = {"measure": False, "time_limit": SECONDS}
    record = ask("run", view.scenario, options, overrides=changes)
    assert isinstance(record, RunRecord)  # the verb's record of this kind
    return record.organizations


def balance_chart(found: Balance) -> str:
    """A line for every organization; above zero it got more than it gave."""
    lines = [
        Line([list(zip(found.times, values, strict=True))], group, name)
        for group, (name, values) in enumerate(found.received.items())
    ]
    return chart(lines, [], "time", "received minus contributed (unit jobs × time)", "received minus contributed")


def schedule(record: Mapping[str, Any]) -> str:
    """Gantt chart: a row per machine, named by its owner."""
    names = [row["name"] for row in record["organizations"]]
    bars = [
        Bar(machine - 1, start, min(end, record["until"]), organization - 1, str(job),
            f"job {job} of {names[organization - 1]}: from {start} to {end}")
        for (start, organization, job, machine), end in zip(record["schedule"], record["ends"], strict=True)
    ]  # fmt: skip
    rows = [f"{row['name']} / {i + 1}" for row in record["organizations"] for i in range(row["machines"])]
    return gantt(rows, bars, until=record["until"]) + key([(name, u) for u, name in enumerate(names)])
