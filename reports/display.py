"""Records as they show themselves: text, HTML with inline SVG, LaTeX, figure, frame.

The style of HTML takes the colours of the page around it, light or dark; a figure keeps the white paper that it was
drawn on. A cell of a pandas frame is the object that the record holds, a fraction a :class:`fractions.Fraction`; what
stands in a part of a row has a column of its own, addressed as measures of studies are (``costs.ann``).
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from ..support.errors import InputError, unknown_name
from ..support.fields import columns
from ..support.loading import optional
from ..support.status import ending
from ..verbs.records import Record, Row, Statistic
from .figures import check_path, drawn, figure_of, heading, save, svg_text
from .markup import Table
from .markup import text as text_of
from .sentences import summary
from .style import number
from .tables import tables_of

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure


def tables(record: Record) -> tuple[Table, ...]:
    """Tables of a record."""
    return tuple(tables_of(record.to_dict()))


def text(record: Record) -> str:
    """Sentences and tables as the command line prints them, and whether that is all."""
    data = record.to_dict()
    return joined(summary(data), tables_of(data), ending(record.complete, record.status))


def joined(sentences: Sequence[str], tables: Sequence[Table], end: str = "") -> str:
    """Sentences, tables, and what is said at their end, as text."""
    return "\n\n".join(filter(None, ("\n".join(sentences), text_of(tables), end)))


def latex(record: Record) -> str:
    """The tables for a paper, after the formula of designed payments or penalties."""
    parts = [table.to_latex() for table in tables(record)]
    price: Any = getattr(record, "price", None)
    if formula := price or getattr(record, "wait", None):
        from .declaration.text import equations

        parts.insert(0, equations(formula, record["formula"] or (), "P" if price else "s"))
    return "\n\n".join(parts)


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
    return page(tables_of(data), figures, summary(data), ending(record.complete, record.status))


def displayed(figure: Figure) -> Figure:
    """The same figure, which a notebook shows as SVG (with the texts on hover), unless pyplot shows it."""
    if figure.canvas.manager is None:
        setattr(figure, "_repr_html_", partial(page, (), [figure]))  # noqa: B010  # no field of matplotlib's figures
    return figure


def page(tables: Sequence[Table], figures: Sequence[Figure], sentences: Sequence[str] = (), end: str = "") -> str:
    """Sentences, tables, what is said at their ``end``, and figures as part of a page, in one element with its style.

    What stands in a drawing is named after what is shown, so that several fit on one page.
    """
    parts = [f'<div class="wide">{each.to_html()}</div>' for each in tables]
    titles = [heading(each) for each in figures]
    digest = sha256("".join([*parts, *titles]).encode()).hexdigest()[:8]
    drawings = [f"<figure>{svg_text(each, f'r{digest}-{i}-')}</figure>" for i, each in enumerate(figures)]
    left = [f"<p>{escape(end)}</p>"] if end else []
    paragraphs = [f"<p>{escape(' '.join(sentences))}</p>"] if sentences else []
    style = f'<div class="consortium"><style>\n{STYLE}\n</style>'
    return "\n".join((style, *paragraphs, *parts, *left, *drawings, "</div>"))


# --- frames: a listing by the path of its field, or everything else in one row --------------------------------------

Numbers: TypeAlias = Literal["exact", "float"]
"""Whether a frame has the exact objects of a record, or floats that are near them."""

RECORD: Final = "record"
"""The table of one row: all of a record that is no listing."""
VERDICTS: Final = "verdicts"
"""The table of all that holds or not: a row for each, by the path of its field."""


def frame(record: Record, name: str | None = None, numbers: Numbers = "exact") -> pandas.DataFrame:
    """One table of a record; see :meth:`consortium.verbs.records.Record.to_frame`."""
    check_numbers(numbers)
    pd = optional("pandas", "tables")
    path = record.main if name is None else name
    rows = [_flat(record)] if path == RECORD else _listing(record, path)
    columns = list(dict.fromkeys(column for row in rows for column in row))
    cells: dict[str, Sequence[Any]] = {column: [row.get(column) for row in rows] for column in columns}
    if numbers == "float":
        cells = {column: near(values) for column, values in cells.items()}
    kind = None if numbers == "float" else object  # else pandas makes floats of integers beside gaps
    made: pandas.DataFrame = pd.DataFrame(cells, columns=columns, dtype=kind)
    made.attrs["left_out"] = _left_out(record, path, len(rows))
    return made


def _left_out(record: Record, path: str, rows: int) -> int:
    """How many rows of a listing the record does not have: by its count, or by a field that says so."""
    *steps, name = path.split(".")
    part: Any = record
    for step in steps:
        part = part[step] if isinstance(part, Row) and step in part.keys() else None  # noqa: SIM118  # no mapping
    if not isinstance(part, Row):
        return 0
    counts = {key: part[key] for key in ("count", f"{name}_left_out") if key in part.keys()}  # noqa: SIM118
    if name == "listed" and isinstance(counts.get("count"), int):
        return max(0, int(counts["count"]) - rows)
    return int(counts.get(f"{name}_left_out") or 0)


def check_numbers(numbers: str) -> None:
    """Raise InputError for what is not one of :data:`Numbers`."""
    if numbers not in get_args(Numbers):
        raise InputError(f"numbers: found {numbers!r}; expected 'exact' or 'float'")


def near(values: Sequence[Any]) -> Sequence[Any]:
    """A column of numbers (gaps are ``nan``) as floats, beyond their range infinite; any other column as it is.

    >>> near([Fraction(1, 2), None, 10**400]), near([True, False]), near(["1/2", 3])
    ([0.5, nan, inf], [True, False], ['1/2', 3])
    """
    numeric = [value is None or (isinstance(value, int | float | Fraction) and value is not True and value is not False)
               for value in values]  # fmt: skip
    if not all(numeric) or all(value is None for value in values):
        return values
    return [math.nan if value is None else number(value) for value in values]


def _listing(record: Record, name: str) -> list[dict[str, Any]]:
    """The rows of a listing. Raises UnknownNameError with all there are."""
    listings = dict(_listings("", record))
    verdicts = list(_verdicts("", record))
    listings |= {VERDICTS: verdicts} if verdicts else {}
    if name not in listings:
        raise unknown_name("table", name, [RECORD, *listings])
    return listings[name]


def _listings(path: str, value: Any) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """By path, every field that holds several things: a row each; what has names has them as its first column."""
    if isinstance(value, tuple):
        yield path, [_row(item) for item in value]
    elif isinstance(value, Row | Mapping):
        parts = dict(_parts(value))
        named = {key: item for key, item in parts.items() if isinstance(item, Row) and isinstance(value, Mapping)}
        if named:
            yield path, [{"name": name} | _row(item) for name, item in named.items()]
        for key, item in parts.items():
            if key not in named:
                yield from _listings(f"{path}.{key}".lstrip("."), item)


def _verdicts(path: str, value: Any) -> Iterator[dict[str, Any]]:
    """What holds or not, with the numbers and words beside it; witnesses have parts of many sorts and are left out."""
    for key, item in _parts(value):
        inside = f"{path}.{key}".lstrip(".")
        if isinstance(item, Row) and "holds" in item.keys():  # noqa: SIM118  # a row is no mapping
            cells = {
                name: _exact(cell)
                for name, cell in _parts(item)
                if not columns(type(item))[name].evidence and not isinstance(cell, tuple)
            }
            yield {"claim": inside} | cells
        elif isinstance(item, Mapping | Row):
            yield from _verdicts(inside, item)
        elif isinstance(item, bool) and path == "" and key not in columns(Record):
            yield {"claim": inside, "holds": item}


def _row(item: Any) -> dict[str, Any]:
    """One thing of a listing: by path inside it, by position, or as ``value``."""
    if isinstance(item, Row | Mapping):
        return {key: _exact(cell) for key, cell in _leaves("", item)}
    if isinstance(item, tuple):
        return {str(i): _exact(cell) for i, cell in enumerate(item)}
    return {"value": _exact(item)}


def _flat(record: Record) -> dict[str, Any]:
    """All that is no listing."""
    return {key: _exact(cell) for key, cell in _leaves("", record) if not isinstance(cell, tuple)}


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """What stands in a part of a record, by its path."""
    for key, item in _parts(value):
        inside = f"{path}.{key}".lstrip(".")
        if isinstance(item, Row | Mapping):
            yield from _leaves(inside, item)
        else:
            yield inside, item


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """The fields of a row or a table, without what it takes to ask again; a verdict keeps what shows it."""
    declared = columns(type(value)) if isinstance(value, Row) else {}
    hidden = {key for key, column in declared.items() if column.evidence} if "holds" not in declared else set()
    keys = value.keys()  # a row is no mapping
    return ((key, value[key]) for key in keys if key not in {"request", *hidden})


def _exact(cell: Any) -> Any:
    return cell.value if isinstance(cell, Statistic) else cell
