"""Drawings of records of kind ``sharing``: schedules by machine, gains by manipulation; audits and their trend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from ...support.errors import InputError
from ...support.units import duration_text
from ..charts import (
    MAX_ROWS,
    Bar,
    Gantt,
    Panel,
    Verdict,
    comparison,
    draw_gantt,
    end_sign,
    findings,
    gantt_figure,
    headed,
    left_out,
    named,
    room_beside,
)
from ..style import (
    BLUE,
    GREY,
    MARKERS,
    ORANGE,
    TEXT,
    bare,
    cut,
    cut_to,
    exact,
    fill,
    hover,
    hover_points,
    legend,
    legend_right,
    line,
    new_figure,
    points,
    title,
    width_of,
)
from ..tables import counted
from .tables import limits
from .text import case

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

compare = comparison

ROOM: Final = 0.32
"""Height of a machine's row, in inches."""
TIME_MAX: Final = 10**300
"""Latest moment of a drawing, which is made of floats."""
HOUR: Final = 3600
HEIGHTS: Final = (3.2, 2.4)
"""Inches of the balance and of the load."""
MAX_LINES: Final = 12
"""Most organizations whose balance, or change, has a colour and a name."""
SLOPES: Final = 3.2
"""Inches of the chart of a change."""
SPREAD: Final = 0.16
"""Part of the distance between the rules over which whiskers stand side by side."""
TREND_HEIGHT: Final = 2.4
"""Inches of the trend."""
MOST_NAMED: Final = 8
"""Periods with a name on the axis."""
_UNITS: Final = (("days", 86_400), ("hours", HOUR), ("minutes", 60), ("seconds", 1))


def run(data: Mapping[str, Any], record: object = None) -> Figure:
    """One row per machine, one colour and hatch per organization, utility and contribution in the legend."""
    organizations, until = data["organizations"], data["until"]
    if until > TIME_MAX:
        raise InputError(f"a schedule that ends after {TIME_MAX:.0e} cannot be drawn")
    chart = gantt(data, MAX_ROWS)
    figure, axes = gantt_figure(len(chart.rows), ROOM)
    cut = draw_gantt(axes, chart, ROOM)
    idle = "" if chart.bars else "nothing was started before the end"
    unlisted = left_out(data["schedule_left_out"], "starts")
    title(figure, named(data), cut, unlisted, idle)
    legend(figure, [(_entry(row), fill(u)) for u, row in enumerate(organizations)], [end_sign(until)] if until else ())
    return figure


def gantt(data: Mapping[str, Any], most: int | None = None) -> Gantt:
    """The schedule of a run, with so many rows ``most``, each named by the owner of its machine."""
    organizations, until = data["organizations"], data["until"]
    bars = []
    for (start, owner, job, machine), end in zip(data["schedule"], data["ends"], strict=True):
        row = organizations[owner - 1]
        text = f"{row['name']}, job {job}: {start} to {end}; utility {row['utility']}"
        bars.append(Bar(machine - 1, start, min(end, until), owner - 1, str(job), text))
    owners = islice((row["name"] for row in organizations for _ in range(row["machines"])), most)
    rows = [f"{name} / {i + 1}" for i, name in enumerate(owners)]
    machines = sum(row["machines"] for row in organizations)
    return Gantt(rows, bars, [row["name"] for row in organizations], until, machines - len(rows))


def _entry(row: Mapping[str, Any]) -> str:
    contribution = "" if row["contribution"] is None else f", contribution {exact(row['contribution'])}"
    return f"{cut(row['name'], 40)}: utility {exact(row['utility'])}{contribution}"


def verify(data: Mapping[str, Any], record: object = None) -> Figure:
    """Whether a manipulation pays and which axioms hold; the utility with the move, the best gain of everybody."""
    verdicts, panels = [], []
    tried = data["manipulation"]
    if tried is not None:
        gain = f"{counted(tried['cases'], 'move')} tried; largest gain {exact(tried['max_gain'])}"
        verdicts.append(Verdict("no manipulation pays", tried["holds"], gain))
        witness = tried["witness"]
        if witness is not None:
            label = f"utility of {witness['organization']}"
            moved = ("as is", f"{witness['move']} job {witness['job']}")
            panels.append(Panel(label, moved, (witness["utility_as_is"], witness["utility_with_move"])))
        each = tried.get("each") or []
        if each:
            names = [f"{row['name']}: {row['move'] or 'no move'}" for row in each]
            panels.append(Panel("largest gain of each organization", names, [row["max_gain"] for row in each]))
    for name, axiom in data["axioms"].items():
        label = case(axiom) or counted(axiom["cases"], "case")
        verdicts.append(Verdict(f"axiom: {name.replace('_', ' ')}", axiom["holds"], label))
    return findings(f"verify: {named(data)}; utility {data['utility']}", verdicts, panels)


# --- audits ---------------------------------------------------------------------------------------------------------


def audit(data: Mapping[str, Any], record: object = None) -> Figure:
    """Unfairness per rule; where a window was followed, also balance and load over time."""
    series = data.get("series")
    rows = _drawn_rules(data)
    heights = [_rules_height(rows), *(HEIGHTS if series else ())]
    figure, parts = _panels(heights)
    _rules(parts[0], data, rows)
    if series:
        window = next((row for row in data["windows"] if row["window"] == series["window"]), None)
        _balance(parts[1], series, window)
        _load(parts[2], series)
    title(figure, f"audit: {data['log']['name']}", *_notes(data, rows))
    return figure


def audit_switch(data: Mapping[str, Any], record: object = None) -> Figure:
    """Unfairness per rule; for each other rule a slope chart of the delays, under the rule in force and under it."""
    rows, others = _drawn_rules(data), [row["rule"] for row in data["differences"]]
    figure, parts = _panels([_rules_height(rows), *[SLOPES] * len(others)])
    _rules(parts[0], data, rows)
    for axes, other in zip(parts[1:], others, strict=True):
        _slopes(axes, data, other)
    title(figure, f"audit switch: {data['log']['name']}", *_notes(data, rows))
    return figure


def audit_gaming(data: Mapping[str, Any], record: object = None) -> Figure:
    """The largest gain of each organization, and that of the best habit, in per cent."""
    rows = [row for row in data["organizations"] if row["percent"] is not None]
    names = [row["name"] for row in rows]
    habits = [row["habit"]["percent"] if row["habit"] else 0 for row in rows]
    panels = [
        Panel("largest gain in one window (per cent)", names, [row["percent"] for row in rows]),
        Panel("gain by the best habit in all windows (per cent)", names, habits),
    ]
    windows = counted(data["windows"], "window")
    return findings(f"audit gaming: {data['log']['name']}, {windows}; rule {data['rule']}", [], panels)


def audit_trend(data: Mapping[str, Any], record: object = None) -> Figure:
    """Mean and limits of every period, in their order."""
    figure, parts = _panels([TREND_HEIGHT])
    _trend(parts[0], data)
    title(figure, f"audit trend: {data['scenario']}")
    return figure


def _panels(heights: Sequence[float]) -> tuple[Figure, Any]:
    figure = new_figure(height=sum(heights) + 0.3)
    return figure, figure.subplots(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]


def _drawn_rules(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [row for row in data["rows"] if row["values"]["to_others"] is not None]


def _rules_height(rows: Sequence[Mapping[str, Any]]) -> float:
    return 0.8 + 0.24 * max(len(rows), 1)


def _notes(data: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    if not rows:
        return ["no window was finished"]
    windows = data["windows"]
    over = f"window from {windows[0]['start']:,} s on" if len(windows) == 1 else counted(len(windows), "window")
    over = f"{over} of {data['plan']['duration']:,} s"
    return [f"what a second of work loses to or gains from others, {over}; hatched: {data['rule']}"]


def _rules(axes: Axes, data: Mapping[str, Any], rows: list[Mapping[str, Any]]) -> None:
    """Lengths are compared, so the axis is linear and begins at 0; the numbers stand beside."""
    rows.sort(key=lambda row: row["values"]["to_others"])
    names = [cut_to(row["rule"], 0.3 * points(axes)) for row in rows]
    longest = max((_spread(row)[2] for row in rows), default=0) or 1
    texts = [f"{mean:,.0f}" if mean >= 100 else f"{mean:.3g}" for mean, *_ in map(_spread, rows)]
    room = room_beside(axes, names)
    words = max((width_of(text, TEXT + 1) for text in texts), default=0) + TEXT
    for i, (row, text) in enumerate(zip(rows, texts, strict=True)):
        mean, low, high = _spread(row)
        look = fill(1) if row["rule"] == data["rule"] else {**fill(0), "facecolor": BLUE}
        (bar,) = axes.barh(i, mean, height=0.6, **look)
        hover(bar, f"{row['rule']}: {mean:.6g} s, limits {low:.6g} s to {high:.6g} s")
        axes.plot([low, high], [i, i], color="black", linewidth=1)
        axes.text(high + 0.5 * TEXT * longest / room, i, text, va="center", fontsize=TEXT + 1)
    axes.set_yticks(range(len(rows)), names)
    axes.set_xlim(0, longest / max(0.3, 1 - words / room))
    if longest >= 1000:
        axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("lost to others (s), mean of the windows and 95 % limits")
    bare(axes)


def _spread(row: Mapping[str, Any]) -> tuple[float, float, float]:
    mean, low, high = (row["values"][key] for key in ("to_others", "to_others_low", "to_others_high"))
    return mean, mean if low is None else low, mean if high is None else high


def _balance(axes: Axes, series: Mapping[str, Any], window: Mapping[str, Any] | None) -> None:
    """A line per organization: of many, only those whose balance goes farthest have a colour and a name."""
    hours = [t / HOUR for t in series["times"]]
    balance = {name: [value / HOUR**2 for value in values] for name, values in series["balance"].items()}
    every = max(len(hours) // 6, 1)
    far = sorted(balance, key=lambda name: -max(map(abs, balance[name])))[:MAX_LINES]
    for name in (name for name in balance if name not in far):
        hover(axes.plot(hours, balance[name], color=GREY, linewidth=0.5)[0], name)
    for i, name in enumerate(name for name in balance if name in far):
        look: dict[str, Any] = {"marker": MARKERS[i % len(MARKERS)], "markevery": every, "markersize": 4}
        hover(axes.plot(hours, balance[name], **line(i), **look, label=cut(name, 20))[0], name)
        pairs = zip(balance[name], series["times"], strict=True)
        texts = [f"{name}: {height:.4g} machine-hours × hours after {t:,} s" for height, t in pairs]
        hover_points(axes, hours, balance[name], texts)
    if len(balance) > len(far):
        axes.plot([], [], color=GREY, linewidth=0.5, label=f"{len(balance) - len(far)} others")
    axes.axhline(0, color="black", linewidth=0.6)
    axes.set_xlabel("time since the start of the window (hours)")
    axes.set_ylabel("ψ − φ (machine-hours × hours)")
    begin = ""
    if window is not None:
        into = f"{window['start']:,} s ({timedelta(seconds=window['start'])}) into the log"
        begin = f", from {window.get('opens', into)} on"
    meaning = "received beyond (above 0) or below what was contributed"
    headed(axes, f"window {series['window']}{begin}, rule {series['rule']}: {meaning}", 0.7 * points(axes))
    legend_right(axes)


def _load(axes: Axes, series: Mapping[str, Any]) -> None:
    hours = [t / HOUR for t in series["times"]]
    machines = series["machines"]
    waiting: dict[str, Any] = {"color": ORANGE, "linestyle": "--", "marker": "s"}
    running: dict[str, Any] = {"color": BLUE, "linestyle": "-", "marker": "o"}
    for key, label, look in (("requested", "running or waiting", waiting), ("busy", "running", running)):
        parts = [n / machines for n in series[key]]
        axes.plot(hours, parts, markersize=4, label=label, **look)
        hover_points(axes, hours, parts, [f"{label}: {n} of {machines} machines" for n in series[key]])
    axes.axhline(1, color="black", linewidth=0.6)
    axes.set_xlabel("time since the start of the window (hours)")
    axes.set_ylabel("load (relative to the machines)")
    axes.set_ylim(bottom=0)
    headed(axes, f"load in window {series['window']}", 0.7 * points(axes))
    legend_right(axes)


def _slopes(axes: Axes, data: Mapping[str, Any], other: str) -> None:
    """A line per organization, solid where windows tell that it wins or loses, dotted where not.

    Of many, only those that it changes most have a colour and a name.
    """
    rules = (data["rule"], other)
    delays = {(row["rule"], row["name"]): row for row in data["organizations"]}
    drawn = [row for row in data["changes"] if row["rule"] == other and row["change"] is not None]
    ends = [delays[rule, row["name"]] for row in drawn for rule in rules]
    unit, length = _unit([end[key] for end in ends for key in ("delay", "delay_low", "delay_high")])
    far = sorted(drawn, key=lambda row: -abs(row["change"]))[:MAX_LINES]
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
    meaning = "how much later than fair a second of work is done, whiskers: 95 % limits; dotted: no change can be told"
    headed(axes, f"{rules[1]} instead of {rules[0]}: {meaning}", 0.7 * points(axes))
    if drawn:
        legend_right(axes)


def _slope(
    axes: Axes, row: Mapping[str, Any], ends: Sequence[Mapping[str, Any]], index: int, aside: float, length: int
) -> None:
    """One organization: a line from rule to rule, with whiskers at both ends."""
    look: dict[str, Any] = {"color": line(index)["color"]}
    marker = MARKERS[(index // len(MARKERS) + index) % len(MARKERS)]  # colours repeat only together with another one
    decided = row["verdict"] in ("wins", "loses")
    places, heights = [aside, 1 + aside], [end["delay"] / length for end in ends]
    (drawn,) = axes.plot(
        places, heights, **look, linestyle="-" if decided else ":", marker=marker, markersize=4,
        label=cut(row["name"], 20),
    )  # fmt: skip
    hover(drawn, f"{row['name']}: {' to '.join(duration_text(end['delay']) for end in ends)} later than fair")
    for place, end in zip(places, ends, strict=True):
        if end["delay_low"] is not None:
            limits = [end["delay_low"] / length, end["delay_high"] / length]
            (whisker,) = axes.plot([place, place], limits, **look, linewidth=0.8)
            hover(whisker, f"{row['name']}: {duration_text(end['delay_low'])} to {duration_text(end['delay_high'])}")


def _unit(values: Sequence[float | None]) -> tuple[str, int]:
    """The unit in which the farthest of some lengths of time, where they are known, is at least 2, or seconds."""
    farthest = max((abs(value) for value in values if value is not None), default=0)
    return next((name, length) for name, length in _UNITS if farthest >= 2 * length or length == 1)


def _trend(axes: Axes, trend: Mapping[str, Any]) -> None:
    rows: Sequence[Mapping[str, Any]] = trend["rows"]
    places, means = range(len(rows)), [row["to_others"] for row in rows]
    for place, row in zip(places, rows, strict=True):
        if row["to_others_low"] is not None:
            axes.plot([place, place], [row["to_others_low"], row["to_others_high"]], color="black", linewidth=1)
    axes.plot(places, means, color=BLUE, marker="o", markersize=4)
    unsure = {place: row["to_others"] for place, row in enumerate(rows) if row["provisional"]}
    axes.scatter([*unsure], [*unsure.values()], s=16, facecolor="white", edgecolor=BLUE, zorder=3)
    hover_points(axes, list(places), means, [_period(row) for row in rows])
    step = -(-len(rows) // MOST_NAMED)
    room = points(axes) / max(1, -(-len(rows) // step))
    moments = [row["since"].split(" ") for row in rows[::step]]  # the date above its time of day
    axes.set_xticks(list(places)[::step], ["\n".join(cut_to(part, room) for part in parts) for parts in moments])
    if trend.get("account") is None:  # which may gain
        axes.set_ylim(bottom=0)
    axes.set_xlim(-0.5, len(rows) - 0.5)
    axes.set_xlabel(f"{trend['every']} from")
    axes.set_ylabel("lost to others (s)")
    whose = "" if trend.get("account") is None else f", {trend['account']}"
    axes.set_title(f"{trend['rule']}{whose} over time: mean and 95 % limits", fontsize=TEXT + 1, loc="left")
    bare(axes)


def _period(row: Mapping[str, Any]) -> str:
    within = limits(row["to_others_low"], row["to_others_high"])
    return f"{row['since']}: {duration_text(row['to_others'])} ({within}), {counted(row['windows'], 'window')}"
