"""The look of every figure, in one place: colours, hatches, lines, frames, titles, legends, numbers.

Colours are those of Okabe and Ito. What a colour says is also said by a hatch, a line style, a marker or a label, so
that figures print and colour-blind readers can read them.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from .tables import cell, readable, rounded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS: Final = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999")
HATCHES: Final = ("", "//", "..", "xx", "\\\\", "oo", "++", "--")
LINES: Final = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)), (0, (8, 2)), (0, (3, 1)))
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "*")
GREY: Final = COLOURS[7]
BEST: Final[Mapping[str, Any]] = {"marker": "*", "color": COLOURS[5], "markeredgecolor": "black", "linestyle": "none"}
"""The mark of a best point."""
TITLE: Final = 9
TEXT: Final = 7
"""Sizes of type in points."""
MAX_ENTRIES: Final = 24
"""Most entries of a legend."""


LOOK: Final[Mapping[str, Any]] = {
    "svg.hashsalt": "consortium",  # names inside an SVG repeat
    "svg.fonttype": "path",
    "pdf.fonttype": 42,  # TrueType, as publishers ask for
    "hatch.linewidth": 0.6,
    "text.parse_math": False,  # a dollar in a name begins no formula
}


@contextmanager
def look() -> Iterator[None]:
    """Settings of the drawing library while a figure is made, or saved; also a decorator. Others keep their own."""
    import matplotlib

    with matplotlib.rc_context(dict(LOOK)):
        yield


def new_figure(width: float = 7.2, height: float = 3.2) -> Figure:
    """An empty figure (inches) that needs no screen."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def settle(figure: Figure) -> None:
    """Lay a figure out once and for all, to a millionth of its size.

    The solver behind the layout answers with another last digit now and then, and names inside an SVG are made of all.
    """
    with look():
        figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        x, y, width, height = (round(part, 6) for part in axes.get_position().bounds)
        axes.set_position((x, y, width, height))


def fill(index: int) -> dict[str, Any]:
    """Fill and hatch of the ``index``-th group: colours repeat only together with another hatch."""
    return {
        "facecolor": COLOURS[index % len(COLOURS)],
        "hatch": HATCHES[(index // len(COLOURS) + index) % len(HATCHES)],
        "edgecolor": "black",
    }


def line(index: int) -> dict[str, Any]:
    """Colour and dashes of the ``index``-th line: colours repeat only together with other dashes."""
    return {
        "color": COLOURS[index % len(COLOURS)],
        "linestyle": LINES[(index // len(COLOURS) + index) % len(LINES)],
    }


def verdict(holds: bool | None) -> dict[str, Any]:
    """Fill of what holds, fails, or is open; its text is to stand beside it."""
    if holds is None:
        return {"facecolor": "white", "edgecolor": "black", "linestyle": ":"}
    return {"facecolor": COLOURS[4] if holds else COLOURS[1], "edgecolor": "black", "hatch": "" if holds else "//"}


def points(axes: Any) -> float:
    """Width of axes in points, before the labels take their part."""
    width: float = axes.get_position(original=True).width * axes.figure.figure.get_figwidth() * 72
    return width


def bare(axes: Axes) -> None:
    """Only the lines that carry a scale: no frame above and to the right."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def title(axes: Axes, text: Any, *notes: str, width: int = 100) -> None:
    """Title of a figure, wrapped, with what was left out and other remarks on lines of their own."""
    lines = [part for text in (text or "", *notes) for part in textwrap.wrap(str(text), width)]
    axes.set_title("\n".join(lines), fontsize=TITLE, loc="left")
    grow(axes, 0.16 * (len(lines) - 1))


def grow(part: Any, inches: float) -> None:
    """Make room for words: the figure around axes, or around a part of a figure, gets so many inches higher."""
    figure = part.figure.figure
    figure.set_figheight(figure.get_figheight() + inches)


def legend(figure: Any, entries: Sequence[tuple[str, dict[str, Any]]]) -> None:
    """Fills and what they mean, below a figure, which grows by the room they take."""
    from matplotlib.patches import Patch

    shown = [Patch(label=cut(label, 48), **look) for label, look in entries[:MAX_ENTRIES]]
    if len(entries) > len(shown):
        shown.append(Patch(label=f"and {len(entries) - len(shown)} more", facecolor="none", edgecolor="none"))
    below(figure, shown)


def below(figure: Any, handles: Sequence[Any], title: str | None = None) -> None:
    """A legend of such handles below a figure, in as many columns as fit."""
    longest = max(len(handle.get_label()) for handle in handles)
    columns = max(1, min(len(handles), 125 // (longest + 9)))
    grow(figure, 0.17 * (-(-len(handles) // columns) + (title is not None)))
    look: dict[str, Any] = {"fontsize": TEXT, "title_fontsize": TEXT, "frameon": False}
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, title=title, **look)


def boxed(axes: Axes, x: float, y: float, text: str, size: float = TEXT) -> None:
    """A label in the middle of a bar, readable on any fill."""
    axes.text(
        x, y, text, ha="center", va="center", fontsize=size,
        bbox={"boxstyle": "round,pad=0.12", "facecolor": "white", "edgecolor": "none", "alpha": 0.85},
    )  # fmt: skip


def cut(text: Any, limit: int = 28) -> str:
    """Text of at most ``limit`` characters, a cut marked.

    >>> cut("a very long name of an organization", 16)
    'a very long nam…'
    """
    text = str(text)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def number(value: Any) -> float:
    """A value of a record's dict as a float, infinite where it is or where floats end.

    >>> number("3/2"), number("-inf"), number(10**400)
    (1.5, -inf, inf)
    """
    if value in ("inf", "-inf") or isinstance(value, float):
        return float(value)
    try:
        return float(Fraction(value))
    except OverflowError:
        return math.inf if Fraction(value) > 0 else -math.inf


def exact(value: Any) -> str:
    """How a value stands in a figure: exact where that is short, marked as rounded where not; ``none`` for null.

    >>> exact("3/2"), exact(None), exact("97053946/661947783"), exact(0.0625), exact(10**20)
    ('3/2', 'none', '~0.146619', '0.0625', '~1e+20')
    """
    if value is None:
        return "none"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**12:
        return rounded(Fraction(value))
    return cell(readable(value))
