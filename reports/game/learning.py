"""Tables and the figure of play by rules that learn."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ...verbs.game.records import LearningRow
from ..charts import AS_GIVEN, TIME
from ..style import bare, below, exact, hover, hover_points, line, new_figure, number, title
from ..tables import Table, facts, listing, pairs_of, table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WELFARE: Final = "average_social_welfare"
POINTS: Final = 400
"""Most rounds drawn, spread evenly over their logarithms."""


def tables(dynamics: Mapping[str, Any]) -> list[Table]:
    """What was played how often, and everybody's regrets."""
    pairs = pairs_of(dynamics, LearningRow, ["start", "rounds", "last", f"average_social_{_word(dynamics)}"])
    regrets = [
        {"player": name, "external": value, "internal": dynamics["internal_regret"][name]}
        for name, value in dynamics["external_regret"].items()
    ]
    left_out = dynamics.get("plays_left_out") or 0
    return [
        facts(dynamics["rule"].replace("-", " "), pairs),
        table("regret per round", regrets, ["player", "external", "internal"]),
        listing("plays", dynamics["plays"], ["profile", "count"], left_out),
    ]


def running_average(heading: str, data: Mapping[str, Any], social: Sequence[Any]) -> Figure:
    """Average social cost (or welfare) up to each round, beside what the record knows of equilibria.

    ``social``: that of every round. From an infinite one on the average is not drawn. The scale is that of the later
    rounds.
    """
    dynamics = data["dynamics"]
    rounds = _drawn(len(social))
    values, total = [number(value) for value in social], 0.0
    averages: list[float] = []
    for value in values:
        total += value
        averages.append(total / (len(averages) + 1))
    figure = new_figure(height=3.0)
    axes = figure.subplots()
    points = [(n, averages[n - 1]) for n in rounds if math.isfinite(averages[n - 1])]
    handles = axes.plot(*zip(*points, strict=True), **line(0), label="average so far") if points else []
    for n, average in points:
        hover_points(axes, [n], [average], [f"after {n:,} rounds: {average:.6g} on average"])
    references = [
        (name, value) for name, value in _references(data) if value is not None and math.isfinite(number(value))
    ]
    compared = [number(value) for _, value in references]
    for index, (name, value) in enumerate(references, 1):
        handles.append(axes.axhline(number(value), **line(index), linewidth=1, label=f"{name}: {exact(value)}"))
        hover(handles[-1], f"{name}: {value}")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlim(1, max(2, len(social)))
    late = [value for n, value in points if n * n >= len(social)]  # the first rounds would flatten all the others
    if late:
        axes.set_ylim(*_range([*late, *compared]))
    axes.set_xlabel("rounds (number)")
    axes.set_ylabel(f"average social {_word(dynamics)}\n({AS_GIVEN if data['kind'] == 'game' else TIME})")
    bare(axes)
    average = number(dynamics[f"average_social_{_word(dynamics)}"])
    title(figure, heading, f"{dynamics['rule'].replace('-', ' ')}: {average:.6g} on average of {len(social):,} rounds")
    if handles:
        below(figure, handles)
    return figure


def _word(dynamics: Mapping[str, Any]) -> str:
    return "welfare" if WELFARE in dynamics else "cost"


def _range(values: Sequence[float]) -> tuple[float, float]:
    """From the least to the largest, with some room."""
    low, high = min(values), max(values)
    room = 0.08 * (high - low) or 1.0
    return low - room, high + room


def _drawn(count: int) -> list[int]:
    """Rounds from the first to the last, closer to each other at the beginning.

    >>> _drawn(3), len(_drawn(10**6)) <= POINTS, _drawn(10**6)[-1]
    ([1, 2, 3], True, 1000000)
    """
    if count <= POINTS:
        return list(range(1, count + 1))
    return sorted({round(count ** (step / (POINTS - 1))) for step in range(POINTS)})


def _references(data: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """What the average is compared with: correlated equilibria, else pure ones, and the optimum."""
    social = f"social_{_word(data['dynamics'])}"
    mixed = data.get("correlated")
    kind = "equilibrium" if not mixed else f"{'coarse ' * (mixed['concept'] == 'coarse')}correlated equilibrium"
    extremes = mixed or data["equilibria"]
    cases = ((f"best {kind}", extremes["best"]), (f"worst {kind}", extremes["worst"]), ("optimum", data["optimum"]))
    return [(name, outcome.get(social)) for name, outcome in cases if outcome]
