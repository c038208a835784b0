r"""One table in the languages of others: HTML for pages, LaTeX for papers, CSV for spreadsheets.

Everything is text here, whatever it looks like: names come from anybody's files.

>>> from consortium.reports.tables import facts
>>> print(facts("run: <script>", [("rent", "2/5")]).to_html())
<table><caption>run: &lt;script&gt;</caption>
<tbody>
<tr><th scope="row">rent</th><td class="number">2/5</td></tr>
</tbody></table>
"""

from __future__ import annotations

import csv as csv_files
import io
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Final

from ..support.errors import printable

if TYPE_CHECKING:
    from .tables import Table

NUMBER: Final = re.compile(r"~?[-+]?(?:\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?:/\d+)?|inf)", re.ASCII)
NOTHING: Final = ("", "-")


def html(table: Table) -> str:
    """Title as caption, heads with their scope, the note below.

    Columns of numbers are of class ``number``, in tables without heads each number by itself. The first column
    heads its rows where it has no head itself.
    """
    heads = [_head(name, "col", numeric) for name, numeric in zip(table.columns, _numeric(table), strict=False)]
    return "".join(
        (
            f"<table><caption>{text(table.title)}</caption>\n" if table.title else "<table>\n",
            f"<thead>\n{_row(heads)}</thead>\n" if heads else "",
            "<tbody>\n",
            *_rows(table),
            "</tbody></table>",
            f'\n<p class="note">{text(table.note)}</p>' if table.note else "",
        )
    )


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
    rows = []
    for row in table.rows:
        right = [NUMBER.fullmatch(entry) is not None for entry in row] if numeric is None else numeric
        cells = [_cell(entry, is_number) for entry, is_number in zip(row, right, strict=False)]
        rows.append(_row([_head(row[0], "row", False), *cells[1:]] if heads and row else cells))
    return rows


def _row(cells: Sequence[str]) -> str:
    return f"<tr>{''.join(cells)}</tr>\n"


def _head(content: str, scope: str, numeric: bool) -> str:
    return f'<th scope="{scope}"{_class(numeric)}>{text(content)}</th>'


def _cell(content: str, numeric: bool) -> str:
    return f"<td{_class(numeric)}>{text(content)}</td>"


def _class(numeric: bool) -> str:
    return ' class="number"' if numeric else ""


# --- LaTeX and CSV --------------------------------------------------------------------------------------------------

COMMANDS: Final = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "\n": " ",
}  # fmt: skip
"""What means something else to LaTeX than itself, or looks like something else in its older fonts."""


def latex(table: Table) -> str:
    r"""A ``table`` with the rules of the package ``booktabs``; the title is its caption, the note stands below.

    Columns of numbers are set to the right; what is rounded is marked by an approximate sign.

    >>> from consortium.reports.tables import Table
    >>> print(latex(Table("100 %", ("agent", "utility"), (("a_1", "-3/2"),))))
    \begin{table}
    \centering
    \caption{100 \%}
    \begin{tabular}{lr}
    \toprule
    agent & utility \\
    \midrule
    a\_1 & $-3/2$ \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    columns = "".join("r" if numeric else "l" for numeric in _numeric(table))
    lines = [r"\begin{table}", r"\centering"]
    lines += [rf"\caption{{{_in_latex(table.title)}}}"] if table.title else []
    lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    lines += [_line(map(_in_latex, table.columns)), r"\midrule"] if table.columns else []
    lines += [_line(map(_number_in_latex, row)) for row in table.rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par\smallskip {_in_latex(table.note)}"] if table.note else []
    return "\n".join([*lines, r"\end{table}"])


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _in_latex(content: str) -> str:
    return "".join(COMMANDS.get(letter, letter) for letter in printable(content))


def _number_in_latex(content: str) -> str:
    """Numbers with a sign as mathematics, which has a minus; anything else as text."""
    if not NUMBER.fullmatch(content) or content[0].isdigit():
        return _in_latex(content)
    return "$" + content.replace("~", r"\approx ").replace("inf", r"\infty").replace(",", "{,}") + "$"


def csv(table: Table) -> str:
    r"""The heads and rows as lines of comma-separated values, without title and note.

    What a spreadsheet would take for a formula begins with an apostrophe.

    >>> from consortium.reports.tables import Table
    >>> csv(Table("t", ("agent", "controls"), (("ann", "RN, POST"),)))
    'agent,controls\nann,"RN, POST"\n'
    """
    out = io.StringIO()
    writer = csv_files.writer(out, lineterminator="\n")
    writer.writerows([[_harmless(printable(entry)) for entry in row] for row in (table.columns, *table.rows) if row])
    return out.getvalue()


FORMULAS: Final = re.compile(r"[=@\t\r]|[+-](?![\d.]|inf)")
"""What spreadsheets take for the beginning of a formula, numbers excepted."""


def _harmless(entry: str) -> str:
    r"""Text that no spreadsheet computes.

    >>> _harmless("=1+1"), _harmless("-3/2"), _harmless("-A1"), _harmless("-")
    ("'=1+1", '-3/2', "'-A1", '-')
    """
    return f"'{entry}" if FORMULAS.match(entry) and entry != "-" else entry
