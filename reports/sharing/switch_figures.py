"""The slope chart of what another rule would change: delays under the rule in force, and under the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ...support.units import duration_text
from ..hover import hover
from ..style import GREY, MARKERS, TEXT, bare, beside, cut, cut_to, grow, line, points, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SLOPES: Final = 3.2
"""Inches of the chart."""
MAX_SLOPES: Final = 12
"""Most organizations that have a colour and a name."""
SPREAD: Final = 0.16
"""Part of the distance between the rules over which whiskers stand side by side."""
_UNITS: Final = (("days", 86_400), ("hours", 3600), ("minutes", 60), ("seconds", 1))


def slopes(axes: Axes, data: Mapping[str, Any]) -> None:
    """A line per organization, solid where windows tell that it wins or loses, dotted where not.

    Of many, only those that it changes most have a colour and a name.
    """
    switch, rules = data["switch"], (data["rule"], data["switch"]["rule"])
    delays = {(row["rule"], row["name"]): row for row in data["organizations"]}
    drawn = [row for row in switch["organizations"] if row["change"] is not None]
    unit, length = _unit([value for row in drawn for rule in rules for value in _shown(delays[rule, row["name"]])])
    far = sorted(drawn, key=lambda row: -abs(row["change"]))[:MAX_SLOPES]
    for row in (row for row in drawn if row not in far):
        heights = [delays[rule, row["name"]]["delay"] / length for rule in rules]
        hover(axes.plot([0, 1], heights, color=GREY, linewidth=0.5)[0], row["name"])
    for i, row in enumerate(row for row in drawn if row in far):
        aside = SPREAD * ((i + 0.5) / len(far) - 0.5)
        _slope(axes, row, [delays[rule, row["name"]] for rule in rules], i, aside, length)
    if len(drawn) > len(far):
        axes.plot([], [], color=GREY, linewidth=0.5, label=f"{len(drawn) - len(far)} others")
    axes.axhline(0, color="black", linewidth=0.6)
    axes.set_xlim(-0.3, 1.3)
    room = 0.4 * points(axes)
    axes.set_xticks([0, 1], [cut_to(f"{rules[0]} (in force)", room), cut_to(rules[1], room)])
    axes.set_ylabel(f"later than fair ({unit})")
    told = "how much later than fair a second of work is done, whiskers: 95 % limits; dotted: no change can be told"
    lines = wrapped(f"{rules[1]} instead of {rules[0]}: {told}", 0.7 * points(axes), TEXT + 1)
    axes.set_title("\n".join(lines), fontsize=TEXT + 1, loc="left")
    grow(axes.figure, 0.14 * (len(lines) - 1))
    bare(axes)
    if drawn:
        beside(axes)


def _slope(
    axes: Axes, row: Mapping[str, Any], ends: Sequence[Mapping[str, Any]], index: int, aside: float, length: int
) -> None:
    """One organization: a line from rule to rule, with whiskers at both ends."""
    look: dict[str, Any] = {"color": line(index)["color"]}
    marker = MARKERS[(index // len(MARKERS) + index) % len(MARKERS)]  # colours repeat only together with another one
    told = row["verdict"] in ("wins", "loses")
    places, heights = [aside, 1 + aside], [end["delay"] / length for end in ends]
    (drawn,) = axes.plot(
        places, heights, **look, linestyle="-" if told else ":", marker=marker, markersize=4,
        label=cut(row["name"], 20),
    )  # fmt: skip
    hover(drawn, f"{row['name']}: {' to '.join(duration_text(end['delay']) for end in ends)} later than fair")
    for place, end in zip(places, ends, strict=True):
        if end["delay_low"] is not None:
            limits = [end["delay_low"] / length, end["delay_high"] / length]
            (whisker,) = axes.plot([place, place], limits, **look, linewidth=0.8)
            hover(whisker, f"{row['name']}: {duration_text(end['delay_low'])} to {duration_text(end['delay_high'])}")


def _shown(row: Mapping[str, Any]) -> list[float]:
    """What of a row is drawn."""
    return [row[key] for key in ("delay", "delay_low", "delay_high") if row[key] is not None]


def _unit(values: Sequence[float]) -> tuple[str, int]:
    """The unit in which the farthest of some lengths of time is at least 2, or seconds."""
    farthest = max(map(abs, values), default=0)
    return next((name, length) for name, length in _UNITS if farthest >= 2 * length or length == 1)
