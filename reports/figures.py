"""Figures: the door through which every record is drawn and every drawing is saved.

Each kind has a module ``reports/<kind>/figures.py`` with a function per verb, ``(data, record) -> figure``: ``data`` is
the record's dict; ``record`` is needed only where the objects behind it are drawn (the game of a search). The look is
that of :mod:`consortium.reports.style`; what several kinds draw stands in :mod:`consortium.reports.charts`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..mechanisms.kinds import kind
from ..scheduling.errors import InputError
from ..scheduling.loading import load
from .tables import all_printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..verbs.records import Record

FORMATS: Final = (".svg", ".png", ".pdf")


def figure_of(record: Record) -> Figure:
    """Draw a record. Raises InputError for a verb of which nothing is drawn."""
    verb = kind(record.kind).verb(record.verb)
    if not verb.figure:
        raise InputError(f"{record.verb}: nothing is drawn of records of kind {record.kind!r}")
    found: Figure = load(verb.figure)(all_printable(record.to_dict()), record)
    return found


def save_record(record: Record, path: str | os.PathLike[str]) -> None:
    """Draw a record and save it as .svg, .png or .pdf."""
    check_path(path)
    save(figure_of(record), path)


def check_path(path: str | os.PathLike[str], said: str = "figure") -> None:
    """Raise InputError unless the file's ending is one of a known format, before any work is done.

    ``said``: what the path was given as.
    """
    if Path(path).suffix.lower() not in FORMATS:
        raise InputError(f"{said} {os.fspath(path)}: expected a file name that ends in one of {', '.join(FORMATS)}")


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Save a figure, the same bytes every time (no dates inside). Raises InputError when it cannot be written."""
    check_path(path)
    metadata = {"Date": None} if Path(path).suffix.lower() == ".svg" else None
    _settle(figure)
    try:
        figure.savefig(path, metadata=metadata, dpi=150)
    except OSError as error:
        raise InputError(f"{os.fspath(path)}: cannot be written ({error.strerror or error})") from None


def _settle(figure: Figure) -> None:
    """Lay the figure out once and for all, to a millionth of its size.

    The solver behind the layout answers with another last digit now and then, and names inside an SVG are made of all.
    """
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        x, y, width, height = (round(part, 6) for part in axes.get_position().bounds)
        axes.set_position((x, y, width, height))
