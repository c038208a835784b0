r"""A table of texts, and how it is written: on a terminal, in a pipe, as HTML, as LaTeX, as comma-separated values.

Everything is text here, whatever it looks like: names come from anybody's files.

>>> from consortium.reports.tables import facts
>>> print(facts("run: <script>", [("rent", "2/5")]).to_html())
<table><caption>run: &lt;script&gt;</caption>
<tbody>
<tr><th scope="row">rent</th><td class="number">2/5</td></tr>
</tbody></table>
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from ..support.errors import printable
from ..support.files import NUMBER, csv_text
from ..support.loading import optional

if TYPE_CHECKING:
    import pandas
    from rich.console import Console


@dataclass(frozen=True)
class Table:
    """One table of texts, as it is shown: long fractions rounded (marked ``~``), long listings cut (the note says so).

    ``print`` shows it as the command line does; notebooks show it as HTML.

    Attributes
    ----------
    title
        What it is about; may be empty.
    columns
        Heads; empty for facts, two columns without heads.
    rows
        Cells; ``-`` stands for what there is not.
    note
        What a reader should know besides.

    Examples
    --------
    >>> print(Table("run", ("agent", "utility"), (("ann", "3/2"), ("bob", "1"))))
    run
      agent   utility
      ---------------
      ann     3/2
      bob     1
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def __str__(self) -> str:
        return text([self])

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_html(self) -> str:
        """As an HTML ``table``: everything in it is text; title as caption, heads with their scope, the note below.

        Columns of numbers are of class ``number``, in tables without heads each number by itself. The first column
        heads its rows where it has no head itself.
        """
        heads = [_cell(name, numeric, "col") for name, numeric in zip(self.columns, _numeric(self), strict=False)]
        return "".join(
            (
                f"<table><caption>{escaped(self.title)}</caption>\n" if self.title else "<table>\n",
                f"<thead>\n{_row(heads)}</thead>\n" if heads else "",
                "<tbody>\n",
                *_rows(self),
                "</tbody></table>",
                f'\n<p class="note">{escaped(self.note)}</p>' if self.note else "",
            )
        )

    def to_latex(self) -> str:
        """As a LaTeX ``table`` as wide as a page at most, escaped; packages ``booktabs``, ``array``, ``graphicx``."""
        return latex(self)

    def to_csv(self) -> str:
        r"""As comma-separated values, the heads first, without title and note.

        >>> Table("t", ("agent", "controls"), (("ann", "RN, POST"),)).to_csv()
        'agent,controls\nann,"RN, POST"\n'
        """
        return csv_text([[printable(entry) for entry in row] for row in (self.columns, *self.rows) if row])

    def to_frame(self) -> pandas.DataFrame:
        """As a pandas frame of the texts that are shown; that of the record has exact numbers instead.

        Raises
        ------
        InputError
            Without pandas (extra ``tables``).
        """
        pd = optional("pandas", "tables")
        heads = list(self.columns) or None
        frame: pandas.DataFrame = pd.DataFrame(list(self.rows), columns=heads, dtype=object)
        return frame


NOTHING: Final = ("", "-")


def escaped(content: str) -> str:
    r"""Anybody's text, as text: no markup, and no characters without a picture (those that turn the reading direction).

    >>> escaped('<b title="x">\u202e')
    '&lt;b title=&quot;x&quot;&gt;\\u202e'
    """
    return escape(printable(content))


def _numeric(table: Table) -> list[bool]:
    """Of each column, whether it holds numbers: something does, and nothing else stands there."""
    columns = zip_longest(table.columns, *table.rows, fillvalue="")
    entries = [[entry for entry in column if entry not in NOTHING] for _, *column in columns]
    return [bool(column) and all(map(NUMBER.fullmatch, column)) for column in entries]


def _rows(table: Table) -> list[str]:
    heads = not table.columns or not table.columns[0]
    numeric = _numeric(table) if table.columns else None  # facts have a number here and a word there
    rows = []
    for row in table.rows:
        right = [NUMBER.fullmatch(entry) is not None for entry in row] if numeric is None else numeric
        cells = [_cell(entry, is_number) for entry, is_number in zip(row, right, strict=False)]
        rows.append(_row([_cell(row[0], False, "row"), *cells[1:]] if heads and row else cells))
    return rows


def _row(cells: Sequence[str]) -> str:
    return f"<tr>{''.join(cells)}</tr>\n"


def _cell(content: str, numeric: bool, scope: str = "") -> str:
    """A cell, or the head of what has a scope."""
    tag, number = f'th scope="{scope}"' if scope else "td", ' class="number"' if numeric else ""
    return f"<{tag}{number}>{escaped(content)}</{tag[:2]}>"


COMMANDS: Final = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': "''", "\n": " ", "[": "{[}", "]": "{]}",
    "≤": r"$\leq$", "≥": r"$\geq$", "→": r"$\to$", "−": "$-$", "ψ": r"$\psi$", "φ": r"$\varphi$", "ε": r"$\epsilon$",
}  # fmt: skip
"""What means something else to LaTeX than itself, looks like something else in its older fonts, or is in none."""
LATIN: Final = "\u017f"
"""The last of the letters that those fonts have; others stand there by their numbers, unless the engine has them."""
PAGE, LETTER, GAP, LINES = 345.0, 5.25, 12.0, 40
"""A page of the class ``article``: points across, those of a letter and between two columns; lines of one table."""
NARROWEST: Final = 60.0
"""Points below which no column is made that is wider by itself: the whole table gets smaller."""


def latex(table: Table) -> str:
    r"""A ``table`` with the rules of the package ``booktabs``; the title is its caption, the note stands below.

    Columns of numbers are set to the right; what is rounded is marked by an approximate sign. Where the columns are
    wider than a page, texts are broken into lines (package ``array``), and a table that is too wide nevertheless gets
    smaller (``graphicx``); a long one is several.

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
    widths = [LETTER * max(map(len, column)) for column in zip_longest(table.columns, *table.rows, fillvalue="")]
    numeric, gaps = _numeric(table), GAP * len(widths)
    least = sum(width if right else min(width, NARROWEST) for width, right in zip(widths, numeric, strict=True))
    page = max(PAGE, least + gaps)
    limit = _limit(widths, numeric, page - gaps)
    rooms = [0.0 if right or width <= limit else limit for width, right in zip(widths, numeric, strict=True)]
    columns = "".join(
        rf">{{\raggedright\arraybackslash}}p{{{room:.0f}pt}}" if room else "r" if right else "l"
        for room, right in zip(rooms, numeric, strict=True)
    )
    small = page > PAGE
    above = [r"\resizebox{\linewidth}{!}{%"] * small + [rf"\begin{{tabular}}{{{columns or 'l'}}}", r"\toprule"]
    above += [_line(map(in_latex, table.columns, rooms)), r"\midrule"] if table.columns else []
    below = [r"\bottomrule", r"\end{tabular}"] + ["}"] * small
    below += [rf"\par\smallskip {in_latex(table.note, PAGE)}"] if table.note else []
    parts: list[list[str]] = [] if table.rows else [[]]
    left = 0
    for row in table.rows:
        lines = [math.ceil(LETTER * len(entry) / room) for entry, room in zip(row, rooms, strict=False) if room]
        high = max(lines, default=0) or 1
        if high > left:
            parts.append([])
            left = LINES
        left -= high
        parts[-1].append(_line(map(_number_in_latex, row, rooms)))
    texts = []
    for number, rows in enumerate(parts):
        more = " (continued)" if number else ""
        caption = [rf"\caption{{{in_latex(table.title, PAGE)}{more}}}"] if table.title else []
        texts += ["\n".join([r"\begin{table}", r"\centering", *caption, *above, *rows, *below, r"\end{table}"])]
    return "\n\n".join(texts)


def _limit(widths: Sequence[float], numeric: Sequence[bool], room: float) -> float:
    """The width to which columns of text are cut, so that all columns have room; those that are narrower stay."""
    texts = sorted(width for width, right in zip(widths, numeric, strict=True) if not right)
    left = room - sum(width for width, right in zip(widths, numeric, strict=True) if right)
    for count, width in zip(range(len(texts), 0, -1), texts, strict=True):
        if width * count > left:
            return left / count
        left -= width
    return math.inf


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def in_latex(content: str, room: float = 0.0) -> str:
    """Text; in so many points (0: any) words that are wider may be broken anywhere."""
    words = printable(content).split(" ")
    return " ".join(
        (r"\allowbreak{}" if 0 < room < LETTER * len(word) else "").join(map(_letter, word)) for word in words
    )


def _letter(letter: str) -> str:
    if letter in COMMANDS or letter <= LATIN or letter in "–—‘’“”…":
        return COMMANDS.get(letter, letter)
    return rf"\ifdefined\Umathchar {letter}\else(U+{ord(letter):04X})\fi{{}}"


def _number_in_latex(content: str, room: float = 0.0) -> str:
    """Numbers with a sign as mathematics, which has a minus; anything else as text."""
    if not NUMBER.fullmatch(content) or content[0].isdigit():
        return in_latex(content, room)
    return "$" + content.replace("~", r"\approx ").replace("inf", r"\infty").replace(",", "{,}") + "$"


def text(tables: Sequence[Table]) -> str:
    """Tables as aligned plain text, each cell on one line whatever its length."""
    return "\n".join(line.rstrip() for table in tables for line in _lines(table)).strip("\n")


def _lines(table: Table) -> Iterator[str]:
    """Lines of a table in a pipe, with a line below the heads, and an empty one at the end."""
    rows = [[printable(entry).split("\n") for entry in row] for row in (table.columns, *table.rows) if row]
    widths = [max(_width(line) for entry in column for line in entry) for column in zip_longest(*rows, fillvalue=("",))]
    if table.title:
        yield printable(table.title)
    for number, row in enumerate(rows):
        for line in zip_longest(*row, fillvalue=""):
            yield "  " + "   ".join(part + " " * (width - _width(part)) for part, width in zip(line, widths))  # noqa: B905
        if number == 0 and table.columns:
            yield "  " + "-" * (sum(widths) + 3 * len(widths) - 3)
    if table.note:
        yield f"  {printable(table.note)}"
    yield ""


def _width(line: str) -> int:
    """Columns of a terminal that a text takes."""
    from rich.cells import cell_len

    return len(line) if line.isascii() else cell_len(line)


def draw(console: Console, table: Table) -> None:
    """Print one table on a terminal, its title above and its note below."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(show_header=bool(table.columns), box=box.ROUNDED)
    for head, *_ in zip_longest(table.columns, *table.rows, fillvalue=""):
        drawn.add_column(Text(printable(head)), overflow="fold")
    for row in table.rows:
        drawn.add_row(*(Text(printable(entry)) for entry in row))
    if table.title:
        console.print(Text(printable(table.title), style="bold"))
    console.print(drawn)
    if table.note:
        console.print(Text(f"  {printable(table.note)}", style="dim"))
