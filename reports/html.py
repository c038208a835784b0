"""Records as HTML: their tables, their figure as inline SVG, a little style.

The style takes the colours of the page around it, light or dark; a figure keeps the white paper that it was drawn on.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final

from ..scheduling.status import INCOMPLETE
from . import svg
from .figures import drawn, figure_of
from .markup import html as table
from .tables import tables_of

if TYPE_CHECKING:
    from ..verbs.records import Record

__all__ = ["STYLE", "fragment", "table"]

STYLE: Final = """\
.consortium table { border-collapse: collapse; margin: 0 0 1em; font-variant-numeric: tabular-nums; }
.consortium caption { text-align: left; font-weight: bold; padding: 0.3em 0; }
.consortium th, .consortium td { text-align: left; vertical-align: top; padding: 0.2em 0.7em; border: 0 solid #8886; }
.consortium thead th { border-bottom-width: 2px; }
.consortium tbody tr + tr > * { border-top-width: 1px; }
.consortium tbody th { font-weight: normal; }
.consortium .number { text-align: right; }
.consortium .note { margin: -0.7em 0 1em; opacity: 0.75; font-size: smaller; }
.consortium .wide { overflow-x: auto; }
.consortium figure { margin: 0 0 1em; background: white; }
.consortium figure svg { display: block; max-width: 100%; height: auto; }"""
"""For whatever stands in an element of class ``consortium``; it works on light and on dark pages."""


def fragment(record: Record) -> str:
    """A record as part of a page: its tables, and its figure where its verb has one, in one element with its style.

    Of an answer that is not whole it says so.
    """
    tables = (f'<div class="wide">{table(each)}</div>' for each in tables_of(record.to_dict()))
    figure = [f"<figure>{_drawing(record)}</figure>"] if record.verb in drawn(record.kind) else []
    left = [f"<p>{INCOMPLETE}</p>"] if record.unfinished else []
    return "\n".join((f'<div class="consortium"><style>\n{STYLE}\n</style>', *tables, *left, *figure, "</div>"))


def _drawing(record: Record) -> str:
    """The figure as SVG; what stands in it is named after the record, so that several fit on one page."""
    digest = sha256(repr(record.to_dict()).encode()).hexdigest()[:8]
    found: str = svg.text(figure_of(record), prefix=f"r{digest}-")
    return found
