"""Figures: the door through which every record is drawn and every drawing is saved, or made SVG within a page.

Each kind has a module ``reports/<kind>/figures.py`` with a function per verb, ``(data, record) -> figure``: ``data`` is
the record's dict; ``record`` is needed only where the objects behind it are drawn (the game of a search). The look is
that of :mod:`consortium.reports.style`; what several kinds draw stands in :mod:`consortium.reports.charts`.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree

from ..mechanisms.kinds import GAME, kind
from ..support.errors import InputError, printable
from ..support.files import check_destination, writing_errors
from ..support.loading import load
from .style import Inset, fit_labels, fix_layout, hover_text, look, make_grey
from .tables import all_printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..verbs.records import Record

FORMATS: Final = (".svg", ".png", ".pdf")
WIDTHS: Final = (2.5, 20.0)
"""Narrowest and widest figure, in inches."""
SLIDE: Final = 4.8
"""Width of a figure for a slide, in inches: on one that is 13.3 inches wide, the smallest letters have 19 points."""
PIXELS: Final = 1920
"""Width of a picture for a slide."""
PROLOG: Final = '<?xml version="1.0" encoding="utf-8"?>\n'


def drawn(kind_name: str) -> tuple[str, ...]:
    """Verbs of a kind of which something is drawn.

    >>> drawn("multiuser")
    ('run', 'compare')
    """
    return tuple(verb.name for verb in kind(kind_name).verbs if verb.figure)


def figure_of(
    record: Record | Mapping[str, Any], *, width: float | None = None, grey: bool = False, ax: Axes | None = None
) -> Figure:
    """Draw a record.

    Parameters
    ----------
    record
        The record, or its dict.
    width
        How wide the figure is to be, in inches: letters keep their size, and what is written is fitted to the width.
        ``None``: as wide as a page.
    grey
        Whether without colours.
    ax
        Axes to draw into; a drawing of several panels takes their place in the grid. The figure around them keeps its
        size, and is the answer.

    Raises
    ------
    InputError
        For a verb of which nothing is drawn (it says of what something is), a width that no paper has, or one beside
        ``ax``, and where several panels, or a drawing of another distribution, cannot stand in ``ax``.
    """
    data, behind = (record, _behind(record)) if isinstance(record, Mapping) else (record.to_dict(), record)
    name, verb = data["kind"], data["verb"]
    if verb not in drawn(name):
        of = ", ".join(drawn(name)) or "no verb of this kind"
        raise InputError(f"{verb}: nothing is drawn of it for kind {name!r}; drawn are records of {of}")
    draw = load(kind(name).verb(verb).figure)
    return drawing(lambda: draw(all_printable(data), behind), width=width, grey=grey, ax=ax)


def drawing(draw: Callable[[], Figure], *, width: float | None, grey: bool, ax: Axes | None) -> Figure:
    """What a function draws, in the look of the house; see :func:`figure_of`."""
    check_width(width)
    if ax is not None and width is not None:
        raise InputError(f"width: found {width:g} beside ax; expected one of them, as the figure around ax has a width")
    with look(width, ax):
        figure = draw()
        fit_labels(figure)
    if grey:
        make_grey(figure)
    if ax is not None and not isinstance(figure, Inset):
        raise InputError("ax: this drawing makes a figure of its own; leave ax out")
    whole: Figure = figure.figure.figure  # the one around ax, or itself
    return whole


def _behind(data: Mapping[str, Any]) -> object:
    """The game behind the dict of a search, made again from its request; ``None`` for other verbs."""
    from ..verbs.game.records import plain_label
    from ..verbs.request import request_of

    request = request_of(data, "record") if data["verb"] == "search" else None
    if request is None or request.custom:
        return None
    if data["kind"] == GAME.name:
        return SimpleNamespace(game=request.source, label=plain_label)
    game, label = load(kind(data["kind"]).game)(request.source)
    return SimpleNamespace(game=game, label=label)


def check_width(width: float | None) -> None:
    """Raise InputError for a width that no paper has."""
    low, high = WIDTHS
    if width is not None and not low <= width <= high:
        raise InputError(f"width of a figure: found {width:g}; expected inches, from {low:g} to {high:g}")


def save_record(
    record: Record, path: str | os.PathLike[str], *, width: float | None = None, grey: bool = False
) -> None:
    """Draw a record as :func:`figure_of` does, and save it as .svg, .png or .pdf."""
    check_path(path)
    save(figure_of(record, width=width, grey=grey), path)


def check_path(path: str | os.PathLike[str]) -> None:
    """Raise InputError unless a figure of a known format can be written there, before any work is done."""
    check_destination(path, "figure", FORMATS)


def slide_of(record: Record | Mapping[str, Any]) -> Figure:
    """Draw a record for a slide: 16 to 9, and narrow, so that letters are large where it fills a screen.

    What is too high for that is drawn wider, as little as it takes. See :func:`figure_of`.
    """
    width, widest = SLIDE, WIDTHS[1]
    figure = figure_of(record, width=width)
    while figure.get_figheight() > width * 9 / 16 and width < widest:
        width = min(widest, max(1.1 * width, (width + figure.get_figheight() * 16 / 9) / 2))
        figure = figure_of(record, width=width)
    figure.set_figheight(width * 9 / 16)
    return figure


def save_slide(record: Record | Mapping[str, Any], stem: Path) -> list[Path]:
    """Save a record's figure for slides in every format; returns the files, of this name. See :func:`slide_of`."""
    figure = slide_of(record)
    files = [stem.with_name(stem.name + ending) for ending in FORMATS]
    for file in files:
        save(figure, file, dpi=PIXELS / figure.get_figwidth())
    return files


def save(figure: Figure, path: str | os.PathLike[str], *, dpi: float = 150) -> None:
    """Save a figure, the same bytes every time (no dates inside). Raises InputError when it cannot be written.

    An SVG shows the texts of :mod:`~consortium.reports.style`; a PDF has its fonts inside, as TrueType.
    """
    check_path(path)
    ending = Path(path).suffix.lower()
    with writing_errors(path):
        if ending == ".svg":
            Path(path).write_text(f"{PROLOG}{svg_text(figure)}\n", encoding="utf-8")
            return
        fix_layout(figure)
        with look():
            figure.savefig(path, metadata={"CreationDate": None} if ending == ".pdf" else None, dpi=dpi)


NAMESPACES: Final = {"xmlns": "http://www.w3.org/2000/svg", "xmlns:xlink": "http://www.w3.org/1999/xlink"}
HREF: Final = "{http://www.w3.org/1999/xlink}href"
INHERITED: Final = {"stroke-linejoin": "round", "stroke-linecap": "butt"}
"""What Matplotlib says in a style sheet, which would hold for the whole page."""


def svg_text(figure: Figure, prefix: str = "") -> str:
    """The figure as an ``<svg>`` element, the same text every time; from here on its layout is fixed.

    It scales with its surroundings and needs nothing from elsewhere. Letters are drawn as paths, so that it looks the
    same wherever it is read.

    Parameters
    ----------
    figure
        Artists marked by :func:`~consortium.reports.style.hover` become groups of class ``hover``, each with its text
        as ``<title>``.
    prefix
        Begins every id, so that several figures fit into one page: letters, digits, ``-`` and ``_``.
    """
    drawn = io.BytesIO()
    fix_layout(figure)
    with look():
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    root = ElementTree.fromstring(re.sub(b"<!--.*?-->", b"", drawn.getvalue(), flags=re.DOTALL))
    for element in list(root):
        if _name(element) == "metadata":
            root.remove(element)
    for element in root.iter():
        _inline(element, prefix)
    root.attrib |= INHERITED | NAMESPACES
    root.attrib |= {"role": "img", "aria-label": heading(figure), "style": "max-width: 100%; height: auto"}
    return ElementTree.tostring(root, encoding="unicode")


def heading(figure: Figure) -> str:
    """The title of a figure on one line, or that of its first axes that have one."""
    titles = [figure.get_suptitle(), *(axes.get_title(loc="left") for axes in figure.axes)]
    return printable(" ".join(next(filter(None, titles), "figure").split()))


def _name(element: ElementTree.Element) -> str:
    """The name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def _inline(element: ElementTree.Element, prefix: str) -> None:
    """Names without namespaces, ids and references with the prefix, hover texts as titles, no style sheets."""
    element.tag = _name(element)
    for child in list(element):
        if _name(child) == "style":
            element.remove(child)
    named = element.attrib.pop("id", None)
    if text := hover_text(named):
        element.set("class", "hover")
        title = ElementTree.Element("title")
        title.text = printable(text)
        element.insert(0, title)
    elif named:
        element.set("id", prefix + named)
    for key, value in list(element.attrib.items()):
        if key == HREF:
            del element.attrib[key]
            element.set("xlink:href", re.sub("^#", f"#{prefix}", value))
        elif "url(#" in value:
            element.set(key, value.replace("url(#", f"url(#{prefix}"))
