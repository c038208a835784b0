"""Records as they show themselves: the functions behind what every record can do (:mod:`consortium.verbs.showing`)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..support.status import INCOMPLETE
from .figures import check_path, figure_of, save
from .html import displayed
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
    sentences = "".join(f"{line}\n" for line in summary(data))
    end = f"\n\n{INCOMPLETE}" if record.unfinished else ""
    return "\n".join(filter(None, (sentences, text_of(tables_of(data))))) + end


def latex(record: Record) -> str:
    """The tables for a paper."""
    return "\n\n".join(table.to_latex() for table in tables(record))


def plot(
    record: Record, path: str | os.PathLike[str] | None = None, *, width: float | None = None, grey: bool = False
) -> Figure:
    """The figure, saved where a path is given."""
    if path is not None:
        check_path(path)
    figure = displayed(figure_of(record, width=width, grey=grey))
    if path is not None:
        save(figure, path)
    return figure
