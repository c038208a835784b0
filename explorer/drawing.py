"""Charts of the page: plain HTML and SVG, made in a fraction of a millisecond, that fit any width.

Figures for papers are drawn by :mod:`consortium.reports`; a drawing of Matplotlib takes longer than a slider may wait.
Widths are percentages and heights pixels, so nothing is drawn anew when the window changes. What can be chosen carries
``data-key`` and can be reached by the keyboard. Exact values stand in the titles, which show on hover.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from typing import Any, Final

from ..reports.charts import Bar, Gantt
from ..reports.markup import Table
from ..reports.style import COLOURS, number
from ..reports.tables import more, printable

ROW: Final = 34
HEIGHT: Final = 240
FOOT: Final = 34
"""Pixels: a row of a Gantt chart, the height of a chart, and the room below for the scale."""
SIGNS: Final[Mapping[str, str]] = {"dot": "●", "ring": "○", "star": "★", "diamond": "◆"}
"""How marks look, in words about them."""
LETTER: Final = 7.2
WIDE: Final = 900
"""Pixels, about: the width of a letter, and of a chart on a wide screen, where more labels fit than on a narrow one."""


ROWS: Final = 200
"""Most rows of a table."""
TICKS: Final = 6


@dataclass(frozen=True)
class Line:
    """A line through points, or the pieces of one where it jumps: (x, y) as records write numbers."""

    pieces: Sequence[Sequence[tuple[Any, Any]]]
    group: int
    name: str


@dataclass(frozen=True)
class Mark:
    """A point; with a ``key`` it can be chosen. ``shape``: ``dot``, or one of :data:`SIGNS`."""

    x: Any
    y: Any
    hover: str
    key: str = ""
    shape: str = "dot"
    group: int = 0
    chosen: bool = False


def text(content: object) -> str:
    """Anybody's text, as text."""
    return escape(printable(str(content)))


def colour(group: int) -> str:
    """The colour of a group."""
    return COLOURS[group % len(COLOURS)]


def gantt(chart: Gantt) -> str:
    """A Gantt chart and what its colours mean; what never ends is drawn to the edge, ``until`` is a dashed line."""
    bars, rows, until = [bar for bar in chart.bars if bar.row < len(chart.rows)], chart.rows, chart.until
    ends = [number(value) for bar in bars for value in (bar.start, bar.end)] + ([number(until)] if until else [])
    last = max((end for end in ends if math.isfinite(end)), default=1.0) or 1.0
    edge = last * (1.0 if until is not None else 1.03)
    height = ROW * max(1, len(rows))
    drawn = [f'<line class="rule" x1="0" x2="100%" y1="{ROW * i}" y2="{ROW * i}"/>' for i in range(len(rows) + 1)]
    drawn += [_bar(bar, edge) for bar in bars]
    if until is not None:
        x = _percent(number(until) / edge)
        drawn.append(f'<line class="until" x1="{x}" x2="{x}" y1="0" y2="{height}"/>')
    labels = [(ROW * (i + 0.5), name) for i, name in enumerate(rows)]
    return _frame(labels, "".join(drawn), height, (0.0, edge), "time") + key(chart.groups)


def _bar(bar: Bar, edge: float) -> str:
    start, end = min(number(bar.start), edge), min(number(bar.end), edge)
    bottom, top = (ROW * (bar.row + 1 - part) for part in bar.lane)
    x, width = _percent(start / edge), _percent(max(0.0, end - start) / edge)
    look = "pale" if bar.pale else "framed" if bar.framed else "bar"
    rect = f'<rect class="{look}" x="{x}" y="{top:.1f}" width="{width}" height="{bottom - top:.1f}" '
    rect += f'style="fill:{colour(bar.group)}"/>'
    inside = f'<text x="50%" y="{(top + bottom) / 2:.1f}" class="inside">{text(bar.label)}</text>'
    room = WIDE * max(0.0, end - start) / edge
    fits = not bar.pale and room > 0.8 * LETTER * len(bar.label)
    label = f'<svg x="{x}" width="{width}" y="0" height="100%">{inside}</svg>' if fits else ""
    return f"<g><title>{text(bar.hover)}</title>{rect}{label}</g>"


def chart(lines: Sequence[Line], marks: Sequence[Mark], across: str, up: str, name: str) -> str:
    """Lines and points over two axes with these titles; ``name`` is read out."""
    points = [(number(x), number(y)) for line in lines for piece in line.pieces for x, y in piece]
    points += [(number(mark.x), number(mark.y)) for mark in marks]
    finite = [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y)]
    low, high = _range([x for x, _ in finite])
    bottom, top = _range([y for _, y in finite])

    def place(x: Any, y: Any) -> tuple[str, str]:
        inside = min(max(number(y), bottom), top)
        return _percent((number(x) - low) / (high - low)), f"{HEIGHT * (top - inside) / (top - bottom):.1f}"

    scale = [(HEIGHT * (top - tick) / (top - bottom), tick) for tick in ticks(bottom, top)]
    drawn = [f'<line class="rule" x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>' for y, _ in scale]
    if bottom < 0 < top:
        zero = f"{HEIGHT * top / (top - bottom):.1f}"
        drawn.append(f'<line class="zero" x1="0" x2="100%" y1="{zero}" y2="{zero}"/>')
    for line in lines:
        drawn += [_segments([place(x, y) for x, y in piece], line) for piece in line.pieces]
    drawn += [_mark(mark, *place(mark.x, mark.y)) for mark in sorted(marks, key=lambda mark: mark.chosen)]
    labels = [(y, short(tick)) for y, tick in scale]
    body = _frame(labels, "".join(drawn), HEIGHT, (low, high), across, name)
    legend = "" if len(lines) < 2 else key([line.name for line in lines])
    return f'<div class="up">{text(up)}</div>{body}{legend}'


def _segments(places: Sequence[tuple[str, str]], line: Line) -> str:
    dashes = ("", "7 3", "2 3", "9 3 2 3")[line.group % 4]
    look = f'style="stroke:{colour(line.group)}" stroke-dasharray="{dashes}"'
    pairs = pairwise(places)
    drawn = "".join(f'<line x1="{x}" y1="{y}" x2="{u}" y2="{v}"/>' for (x, y), (u, v) in pairs)
    return f'<g class="line" {look}><title>{text(line.name)}</title>{drawn}</g>'


def _mark(mark: Mark, x: str, y: str) -> str:
    choice = f' role="button" tabindex="0" data-key="{text(mark.key)}" aria-label="{text(mark.hover)}"'
    choice += f' aria-pressed="{str(mark.chosen).lower()}"'
    radius = 8 if mark.chosen else 5
    body = f'<circle cx="{x}" cy="{y}" r="{radius}" style="fill:{colour(mark.group)};stroke:{colour(mark.group)}"/>'
    if mark.shape == "ring":
        body = f'<circle cx="{x}" cy="{y}" r="6" style="fill:none;stroke:{colour(mark.group)}"/>'
    elif mark.shape != "dot":
        body = f'<text x="{x}" y="{y}" class="sign" style="fill:{colour(mark.group)}">{SIGNS[mark.shape]}</text>'
    target = f'<circle cx="{x}" cy="{y}" r="12" class="target"/>' if mark.key else ""
    look = "mark chosen" if mark.chosen else "mark"
    return f'<g class="{look}"{choice if mark.key else ""}><title>{text(mark.hover)}</title>{body}{target}</g>'


def as_html(parts: Sequence[Table]) -> str:
    """Tables as the package writes them, of long ones the first rows."""
    return "".join(replace(table, rows=table.rows[:ROWS], note=_note(table)).to_html() for table in parts)


def _note(table: Table) -> str:
    return "; ".join(filter(None, (table.note, more(len(table.rows) - ROWS, "the command lists all"))))


def signs(**meanings: str) -> str:
    """What the shapes of marks mean."""
    items = (
        f'<span><b aria-hidden="true">{SIGNS[shape]}</b> {text(meaning)}</span>' for shape, meaning in meanings.items()
    )
    return f'<div class="key">{"".join(items)}</div>'


def key(names: Sequence[str]) -> str:
    """What the colours mean, the first one first."""
    items = (f'<span><i style="background:{colour(i)}"></i>{text(name)}</span>' for i, name in enumerate(names))
    return f'<div class="key">{"".join(items)}</div>'


def _frame(
    left: Sequence[tuple[float, str]],
    body: str,
    height: int,
    across: tuple[float, float],
    title: str,
    name: str = "Gantt chart",
) -> str:
    """Labels on the left, the drawing, and the scale below it."""
    longest = max((len(label) for _, label in left), default=0)
    wide = min(110, 12 + round(LETTER * longest))
    fitting = int((wide - 8) / LETTER)
    labels = "".join(
        f'<text x="{wide - 8}" y="{y:.1f}" class="left"><title>{text(label)}</title>'
        f"{text(label if len(label) <= fitting else label[: fitting - 1] + '…')}</text>"
        for y, label in left
    )
    low, high = across
    scale = []
    for tick in ticks(low, high):
        x = _percent((tick - low) / (high - low))
        scale.append(f'<line class="tick" x1="{x}" x2="{x}" y1="{height}" y2="{height + 4}"/>')
        scale.append(f'<text class="tick" x="{x}" y="{height + 15}">{short(tick)}</text>')
    foot = f'<line class="axis" x1="0" x2="100%" y1="{height}" y2="{height}"/>{"".join(scale)}'
    foot += f'<text class="across" x="100%" y="{height + 30}">{text(title)}</text>'
    return (
        f'<div class="plot"><svg width="{wide}" height="{height + FOOT}" aria-hidden="true">{labels}</svg>'
        f'<svg class="body" height="{height + FOOT}" role="group" aria-label="{text(name)}">{body}{foot}</svg></div>'
    )


def ticks(low: float, high: float) -> list[float]:
    """Round numbers between two.

    >>> ticks(0, 6.2)
    [0.0, 2.0, 4.0, 6.0]
    """
    raw = (high - low) / TICKS
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw)
    first = math.ceil(low / step - 1e-9)
    return [step * i for i in range(first, first + TICKS + 2) if step * i <= high + step * 1e-9]


def short(value: float) -> str:
    """A number on a scale."""
    return f"{value:.4g}".replace("e+", "e")


def _range(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = 0.06 * (high - low) or abs(high) * 0.5 or 1.0
    return low - room, high + room


def _percent(part: float) -> str:
    return f"{100 * part:.3f}%"
