"""Records as HTML: tables with their meaning in the markup, figures as inline SVG, a little style.

Everything that a record says is text here, whatever it looks like: names come from anybody's files. The style takes the
colours of the page around it, light or dark; a figure keeps the white paper that it was drawn on.

>>> from consortium.reports.tables import facts
>>> print(table(facts("run: <script>", [("rent", "2/5")])))
<table><caption>run: &lt;script&gt;</caption>
<tbody>
<tr><th scope="row">rent</th><td class="number">2/5</td></tr>
</tbody></table>
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING, Final

from . import svg
from .figures import drawn, figure_of
from .tables import Table, printable, tables_of

if TYPE_CHECKING:
    from ..verbs.records import Record

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

NUMBER: Final = re.compile(r"~?[-+]?(?:\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?:/\d+)?|inf)", re.ASCII)
NOTHING: Final = ("", "-")


def table(shown: Table) -> str:
    """A table as HTML: title as caption, heads with their scope, the note below.

    Columns of numbers are of class ``number``, in tables without heads each number by itself. The first column
    heads its rows where it has no head itself.
    """
    heads = [_head(name, "col", numeric) for name, numeric in zip(shown.columns, _numeric(shown), strict=False)]
    return "".join(
        (
            f"<table><caption>{text(shown.title)}</caption>\n" if shown.title else "<table>\n",
            f"<thead>\n{_row(heads)}</thead>\n" if heads else "",
            "<tbody>\n",
            *_rows(shown),
            "</tbody></table>",
            f'\n<p class="note">{text(shown.note)}</p>' if shown.note else "",
        )
    )


def fragment(record: Record) -> str:
    """A record as part of a page: its tables, and its figure where its verb has one, in one element with its style."""
    tables = (f'<div class="wide">{table(each)}</div>' for each in tables_of(record.to_dict()))
    figure = [f"<figure>{_drawing(record)}</figure>"] if record.verb in drawn(record.kind) else []
    return "\n".join((f'<div class="consortium"><style>\n{STYLE}\n</style>', *tables, *figure, "</div>"))


def _drawing(record: Record) -> str:
    """The figure as SVG; what stands in it is named after the record, so that several fit on one page."""
    digest = sha256(repr(record.to_dict()).encode()).hexdigest()[:8]
    found: str = svg.text(figure_of(record), prefix=f"r{digest}-")
    return found


def text(content: str) -> str:
    r"""Anybody's text, as text: no markup, and no characters without a picture (those that turn the reading direction).

    >>> text('<b title="x">\u202e')
    '&lt;b title=&quot;x&quot;&gt;\\u202e'
    """
    return escape(printable(content))


def _numeric(table: Table) -> list[bool]:
    """Of each column, whether it holds numbers: something does, and nothing else stands there."""
    width = max((len(row) for row in (table.columns, *table.rows)), default=0)
    columns = [[row[i] for row in table.rows if i < len(row) and row[i] not in NOTHING] for i in range(width)]
    return [bool(column) and all(NUMBER.fullmatch(entry) for entry in column) for column in columns]


def _rows(table: Table) -> list[str]:
    heads = not table.columns or not table.columns[0]
    numeric = _numeric(table) if table.columns else None  # facts have a number here and a word there
    found = []
    for row in table.rows:
        right = [NUMBER.fullmatch(entry) is not None for entry in row] if numeric is None else numeric
        cells = [_cell(entry, is_number) for entry, is_number in zip(row, right, strict=False)]
        found.append(_row([_head(row[0], "row", False), *cells[1:]] if heads and row else cells))
    return found


def _row(cells: Sequence[str]) -> str:
    return f"<tr>{''.join(cells)}</tr>\n"


def _head(content: str, scope: str, numeric: bool) -> str:
    return f'<th scope="{scope}"{_class(numeric)}>{text(content)}</th>'


def _cell(content: str, numeric: bool) -> str:
    return f"<td{_class(numeric)}>{text(content)}</td>"


def _class(numeric: bool) -> str:
    return ' class="number"' if numeric else ""
