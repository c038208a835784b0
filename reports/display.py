"""Records as they show themselves (:mod:`consortium.verbs.display`): as text, as HTML with inline SVG, as LaTeX, drawn.

The style of HTML takes the colours of the page around it, light or dark; a figure keeps the white paper that it was
drawn on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING, Any, Final

from ..support.status import INCOMPLETE
from . import svg
from .figures import check_path, drawn, figure_of, save
from .markup import html as table
from .sentences import summary
from .tables import Table, tables_of
from .tables import text as text_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..verbs.records import Record


def tables(record: Record) -> tuple[Table, ...]:
    """Tables of a record."""
    return tuple(tables_of(record.to_dict()))


def text(record: Record) -> str:
    """Sentences and tables as the command line prints them, and whether that is all."""
    data = record.to_dict()
    return joined(summary(data), tables_of(data), INCOMPLETE if record.unfinished else "")


def joined(sentences: Sequence[str], tables: Sequence[Table], end: str = "") -> str:
    """Sentences, tables, and what is said at their end, as text."""
    return "\n\n".join(filter(None, ("\n".join(sentences), text_of(tables), end)))


def latex(record: Record) -> str:
    """The tables for a paper."""
    return "\n\n".join(table.to_latex() for table in tables(record))


def plot(record: Record, path: str | os.PathLike[str] | None = None, **how: Any) -> Figure:
    """The figure, as :func:`~.figures.figure_of` draws it, saved where a path is given."""
    return plotted(lambda: figure_of(record, **how), path)


def plotted(draw: Callable[[], Figure], path: str | os.PathLike[str] | None) -> Figure:
    """What a function draws, saved where a path is given, which is looked at first."""
    if path is not None:
        check_path(path)
    figure = displayed(draw())
    if path is not None:
        save(figure, path)
    return figure


if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..verbs.records import Record

__all__ = ["STYLE", "displayed", "fragment", "page", "table"]

STYLE: Final = """\
.consortium table { border-collapse: collapse; margin: 0 0 1em; font-variant-numeric: tabular-nums; }
.consortium caption { text-align: left; font-weight: bold; padding: 0.3em 0; }
.consortium th, .consortium td { text-align: left; vertical-align: top; padding: 0.2em 0.7em; border: 0 solid #8886; }
.consortium thead th { border-bottom-width: 2px; }
.consortium tbody tr + tr > * { border-top-width: 1px; }
.consortium tbody th { font-weight: normal; }
.consortium .number { text-align: right; }
.consortium td.number { white-space: nowrap; }
.consortium .note { margin: -0.7em 0 1em; opacity: 0.75; font-size: smaller; }
.consortium .wide { overflow-x: auto; }
.consortium figure { margin: 0 0 1em; background: white; }
.consortium figure svg { display: block; max-width: 100%; height: auto; }"""
"""For whatever stands in an element of class ``consortium``; it works on light and on dark pages."""


def fragment(record: Record) -> str:
    """A record as part of a page: its tables, and its figure where its verb has one; see :func:`page`."""
    figures = [figure_of(record)] if record.verb in drawn(record.kind) else []
    data = record.to_dict()
    return page(tables_of(data), figures, summary(data), INCOMPLETE if record.unfinished else "")


def displayed(figure: Figure) -> Figure:
    """The same figure, which a notebook shows as SVG (with the texts on hover), unless pyplot shows it."""
    if figure.canvas.manager is None:
        setattr(figure, "_repr_html_", partial(_displayed, figure))  # noqa: B010  # no field of matplotlib's figures
    return figure


def _displayed(figure: Figure) -> str:
    return page((), [figure])


def page(tables: Sequence[Table], figures: Sequence[Figure], sentences: Sequence[str] = (), end: str = "") -> str:
    """Sentences, tables, what is said at their ``end``, and figures as part of a page, in one element with its style.

    What stands in a drawing is named after what is shown, so that several fit on one page.
    """
    parts = [f'<div class="wide">{table(each)}</div>' for each in tables]
    titles = [svg.heading(each) for each in figures]
    digest = sha256("".join([*parts, *titles]).encode()).hexdigest()[:8]
    drawings = [f"<figure>{svg.text(each, f'r{digest}-{i}-')}</figure>" for i, each in enumerate(figures)]
    left = [f"<p>{escape(end)}</p>"] if end else []
    paragraphs = [f"<p>{escape(' '.join(sentences))}</p>"] if sentences else []
    style = f'<div class="consortium"><style>\n{STYLE}\n</style>'
    return "\n".join((style, *paragraphs, *parts, *left, *drawings, "</div>"))
