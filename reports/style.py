"""The look of every figure, in one place: colours, greys, lines, frames, titles, legends, numbers, texts on hover.

Colours are those of Okabe and Ito. What a colour says is also said by a hatch, a line style, a marker or a label, so
that figures print and colour-blind readers can read them; without colours, each becomes the grey that is as light. An
artist carries the text of its hover in its ``gid``, so that a figure is all there is to hand on;
:mod:`consortium.reports.figures` turns it into a ``<title>``. Other formats show nothing of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import quote, unquote

import numpy as np

from ..support.errors import InputError
from .tables import cell, rounded

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.text import Text

BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#E69F00", "#009E73", "#CC79A7"
VERMILION, SKY, YELLOW, GREY = "#D55E00", "#56B4E9", "#F0E442", "#999999"
COLOURS: Final = (BLUE, ORANGE, GREEN, PURPLE, VERMILION, SKY, YELLOW, GREY)
"""In an order in which neighbours differ in grey too."""
HATCHES: Final = ("", "//", "..", "xx", "\\\\", "oo", "++", "--")
LINES: Final = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)), (0, (8, 2)), (0, (3, 1)))
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "*")
BEST: Final[Mapping[str, Any]] = {"marker": "*", "color": VERMILION, "markeredgecolor": "black", "linestyle": "none"}
"""The mark of a best point."""
NARROW: Final = 300
"""Points: axes that are no wider have their legend below them."""
TITLE: Final = 9
TEXT: Final = 7
"""Sizes of type in points."""
EDGE: Final = 5
"""Points between words and the edge of the paper."""
MAX_ENTRIES: Final = 24
"""Most entries of a legend."""


LOOK: Final[dict[Any, Any]] = {
    "svg.hashsalt": "consortium",  # names inside an SVG repeat
    "svg.fonttype": "path",
    "pdf.fonttype": 42,  # TrueType, as publishers ask for
    "text.hinting": "no_hinting",  # so that words are as wide in every format
    "hatch.linewidth": 0.6,
    "text.parse_math": False,  # a dollar in a name begins no formula
    "axes.labelsize": TEXT + 1,
    "xtick.labelsize": TEXT,
    "ytick.labelsize": TEXT,
}


_PLACE: ContextVar[tuple[float | None, Axes | None]] = ContextVar("place", default=(None, None))


@contextmanager
def look(width: float | None = None, ax: Axes | None = None) -> Iterator[None]:
    """Settings of the drawing library while a figure is made, or saved; also a decorator. Others keep their own.

    ``width``: how wide new figures are, in inches, whatever they would like. ``ax``: what stands for a new figure.
    """
    import matplotlib

    before = _PLACE.get()
    token = _PLACE.set((width or before[0], ax or before[1]))
    try:
        with matplotlib.rc_context(LOOK):
            yield
    finally:
        _PLACE.reset(token)


def new_figure(width: float = 7.2, height: float = 3.2) -> Figure:
    """An empty figure (inches) that needs no screen; as wide as :func:`look` was told, or an :class:`Inset`."""
    from matplotlib.figure import Figure

    page, ax = _PLACE.get()
    if ax is not None:
        return cast(Figure, Inset(ax))  # it has of a figure what drawings use
    return Figure(figsize=(page or width, height), layout="constrained")


class Inset:
    """Axes of somebody's figure where a drawing expects a figure: one panel is drawn into them, several in their place.

    The figure around them keeps its size.
    """

    def __init__(self, axes: Axes) -> None:
        self._own, self.figure, self.bbox = axes, axes.figure, axes.bbox
        self._part: SubFigure | None = None

    @property
    def axes(self) -> list[Axes]:
        """What is drawn into."""
        return [self._own] if self._part is None else self._part.axes

    def subplots(self, rows: int = 1, columns: int = 1, *, squeeze: bool = True, **options: Any) -> Any:
        """The axes themselves for one panel; for several a grid, in whose place nothing else is seen."""
        if rows == columns == 1:
            return self._own if squeeze else np.array([[self._own]])
        return self._instead().subplots(rows, columns, squeeze=squeeze, **options)

    def subfigures(self, *arguments: Any, **options: Any) -> Any:
        """Parts in the place of the axes."""
        return self._instead().subfigures(*arguments, **options)

    def _instead(self) -> SubFigure:
        place = self._own.get_subplotspec()
        if place is None:
            raise InputError("ax: found axes outside any grid; expected those of subplots(), to hold several panels")
        self._own.set_axis_off()
        self._part = self.figure.add_subfigure(place)
        return self._part

    def suptitle(self, text: str, *, fontsize: float, **place: Any) -> None:
        """The title, above what is drawn."""
        if self._part is None:
            self._own.set_title(text, fontsize=fontsize, loc="left")
        else:
            self._part.suptitle(text, fontsize=fontsize, **place)

    def legend(self, *, loc: Any, **options: Any) -> None:
        """The legend, below what is drawn."""
        if self._part is None:
            self._own.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), **options)
        else:
            self._part.legend(loc=loc, **options)

    def colorbar(self, mappable: Any, **options: Any) -> None:
        """A scale of colours beside the axes."""
        self.figure.colorbar(mappable, ax=self._own, **options)

    def findobj(self) -> list[Artist]:
        """All that is drawn."""
        return (self._own if self._part is None else self._part).findobj()


def fix_layout(figure: Figure) -> None:
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
    return {"facecolor": SKY if holds else VERMILION, "edgecolor": "black", "hatch": "" if holds else "//"}


@lru_cache(maxsize=4096)
def width_of(text: str, size: float = TEXT) -> float:
    """Width of one line of text of a size, in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    wide, _, _ = text_to_path.get_text_width_height_descent(text, FontProperties(size=size), ismath=False)
    return float(wide)


def points(part: Any) -> float:
    """Width of axes, or of a figure or a part of it, in points; of axes before the labels take their part."""
    if hasattr(part, "get_position"):
        wide: float = part.get_position(original=True).width * points(part.figure)
        return wide
    return float(part.bbox.width / part.figure.figure.dpi * 72)


def bare(axes: Axes) -> None:
    """Only the lines that carry a scale: no frame above and to the right."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def title(part: Any, text: Any, *notes: str) -> None:
    """Title of a figure or a part of it, wrapped, with what was left out and other remarks on lines of their own."""
    room = points(part) - 2 * EDGE
    lines = [line for text in (text or "", *notes) for line in wrapped(str(text), room, TITLE)]
    part.suptitle("\n".join(lines), fontsize=TITLE, x=EDGE / points(part), ha="left")
    grow(part, 0.16 * (len(lines) - 1))


def wrapped(text: str, room: float, size: float = TEXT) -> list[str]:
    """Lines of a text, each at most ``room`` points wide; a word that is wider is broken.

    >>> wrapped("one two", 20, 7), wrapped("", 20, 7)
    (['one', 'two'], [])
    """
    lines: list[str] = []
    for word in text.split():
        if lines and width_of(f"{lines[-1]} {word}", size) <= room:
            lines[-1] += f" {word}"
            continue
        while len(word) > 1 and width_of(word, size) > room:
            fits = next(n for n in range(len(word) - 1, 0, -1) if n == 1 or width_of(word[:n], size) <= room)
            lines.append(word[:fits])
            word = word[fits:]
        lines.append(word)
    return lines


def fit_labels(figure: Any) -> None:
    """What the axes are called, on as many lines as it takes; and labels of ticks, which are made when asked for."""
    across, up = (72 * inches for inches in figure.figure.figure.get_size_inches())
    for axes in figure.axes:
        box = axes.get_position(original=True)
        for axis, room in ((axes.yaxis, box.height * up), (axes.xaxis, box.width * across)):
            axis.get_ticklabels()
            lines = wrapped(axis.get_label_text(), room, axis.label.get_size())
            axis.set_label_text("\n".join(lines))
        grow(figure, 0.14 * max(0, len(lines) - 1))


def whole(values: Iterable[float]) -> bool:
    """Whether all of some numbers that are finite are whole."""
    return all(value == math.floor(value) for value in values if math.isfinite(value))


def integer_ticks(axis: Axis, values: Iterable[float]) -> None:
    """No ticks between whole numbers, where all values are whole."""
    from matplotlib.ticker import MaxNLocator

    if whole(values):
        axis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True))


def grow(part: Any, inches: float) -> None:
    """Make room for words: a figure, or the one around a part of it, gets so many inches higher."""
    set_height(part, part.figure.figure.get_figheight() + inches)


def set_height(part: Any, inches: float) -> None:
    """Make a figure, or the one around a part of it, so many inches high, unless it is somebody's."""
    if _PLACE.get()[1] is None:
        part.figure.figure.set_figheight(inches)


def legend(figure: Any, entries: Sequence[tuple[str, dict[str, Any]]], signs: Sequence[Any] = ()) -> None:
    """Fills and what they mean, then other signs, below a figure, which grows by the room they take.

    Of many entries the first are shown, and how many there are.
    """
    from matplotlib.patches import Patch

    patches = [Patch(label=cut_to(label, 0.9 * points(figure)), **look) for label, look in entries[:MAX_ENTRIES]]
    if len(entries) > len(patches):
        patches.append(Patch(label=f"and {len(entries) - len(patches)} more", facecolor="none", edgecolor="none"))
    below(figure, [*patches, *signs])


def legend_right(axes: Any) -> None:
    """A legend on the right of axes; on narrow paper below what stands under them, in columns."""
    from matplotlib.transforms import ScaledTranslation

    look: dict[str, Any] = {"fontsize": TEXT, "loc": "upper left", "frameon": False}
    if points(axes) > NARROW:
        axes.legend(bbox_to_anchor=(1.01, 1), **look)
        return
    handles, names = axes.get_legend_handles_labels()
    columns = max(1, int(points(axes) / (max(width_of(name) for name in names) + 6 * TEXT)))
    room = 0.17 * -(-len(handles) // columns)
    grow(axes.figure, room)
    under = axes.transAxes + ScaledTranslation(0, -0.45, axes.figure.dpi_scale_trans)
    axes.legend(bbox_to_anchor=(0, 0), bbox_transform=under, borderaxespad=0, ncols=columns, **look)


def below(figure: Any, handles: Sequence[Any], title: str | None = None) -> None:
    """A legend of such handles below a figure, in as many columns as fit."""
    if not handles:
        return
    longest = max(width_of(handle.get_label(), TEXT) for handle in handles)
    columns = max(1, min(len(handles), int((points(figure) - EDGE) / (longest + 6 * TEXT))))
    grow(figure, 0.17 * (-(-len(handles) // columns) + (title is not None)))
    look: dict[str, Any] = {"fontsize": TEXT, "title_fontsize": TEXT, "frameon": False}
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, title=title, **look)


def boxed(axes: Axes, x: float, y: float, text: str) -> Text:
    """A label in the middle of a bar on any fill."""
    return axes.text(
        x, y, text, ha="center", va="center", fontsize=TEXT,
        bbox={"boxstyle": "round,pad=0.12", "facecolor": "white", "edgecolor": "none", "alpha": 0.85},
    )  # fmt: skip


def cut(text: Any, limit: int = 28) -> str:
    """Text of at most ``limit`` characters, a cut marked.

    >>> cut("a very long name of an organization", 16)
    'a very long nam…'
    """
    text = str(text)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def cut_to(text: Any, room: float, size: float = TEXT) -> str:
    """Text of at most so many points, a cut marked."""
    whole = str(text)
    if width_of(whole, size) <= room:
        return whole
    parts = (f"{whole[:n]}…" for n in range(len(whole) - 1, 0, -1))
    return next((part for part in parts if width_of(part, size) <= room), "…")


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
    return cell(value)


LIGHTNESS: Final = (0.299, 0.587, 0.114)
"""What red, green and blue add to how light a colour is (ITU-R BT.601)."""
COLOURED: Final = ("facecolor", "edgecolor", "color", "markerfacecolor", "markeredgecolor")


def lightness(colour: Any) -> float:
    """How light a colour is, from 0 (black) to 1 (white), however transparent.

    >>> lightness("white"), lightness("#0072B2")
    (1.0, 0.342)
    """
    from matplotlib.colors import to_rgb

    return round(sum(part * weight for part, weight in zip(to_rgb(colour), LIGHTNESS, strict=True)), 6)


def make_grey(figure: Figure | Inset) -> None:
    """Turn all colours of a figure into greys; hatches, dashes, marks and labels tell them apart."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.collections import Collection

    for artist in figure.findobj():
        if isinstance(artist, ScalarMappable) and artist.get_array() is not None:
            artist.set_cmap("gray")
            continue
        several = isinstance(artist, Collection)
        for name in COLOURED:
            get, change = getattr(artist, f"get_{name}", None), getattr(artist, f"set_{name}", None)
            if get is None or change is None or (several and name == "color"):
                continue
            colour = get()
            if isinstance(colour, str) and colour in ("none", "auto"):
                continue
            change([_grey(one) for one in colour] if several else _grey(colour))


def _grey(colour: Any) -> tuple[float, float, float, float]:
    """The grey that is as light, as transparent as the colour was."""
    from matplotlib.colors import to_rgba

    light = lightness(colour)
    return (light, light, light, to_rgba(colour)[3])


MARK: Final = "hover:"
"""How the ``gid`` of a marked artist begins."""
MAX_POINTS: Final = 1000
"""Most points of one line or cloud that get a text each: more make a file large and cannot be told apart."""


def hover(artist: Artist, text: str) -> None:
    """Mark an artist (a bar, a line, one point) with a text, which replaces an earlier one.

    All points of one line or cloud share one artist and so one text; see :func:`hover_points`.
    """
    artist.set_gid(MARK + quote(text, safe=" "))


def hover_points(axes: Axes, x: Sequence[float], y: Sequence[float], texts: Sequence[str]) -> None:
    """A text for each point of a line or cloud: over each lies a mark that cannot be seen, only be pointed at."""
    if len(texts) <= MAX_POINTS:
        for across, up, text in zip(x, y, texts, strict=True):
            hover(axes.scatter([across], [up], s=64, alpha=0, zorder=9), text)


def hover_text(gid: str | None) -> str | None:
    """The text in a ``gid``; ``None`` where it holds none.

    >>> hover_text("hover:a%3Cb"), hover_text("axes_1")
    ('a<b', None)
    """
    return unquote(gid.removeprefix(MARK)) if gid and gid.startswith(MARK) else None
