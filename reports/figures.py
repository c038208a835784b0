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
from ..scheduling.destinations import check_destination
from ..scheduling.errors import InputError
from ..scheduling.loading import load
from . import svg
from .style import look, settle
from .tables import all_printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..verbs.records import Record

FORMATS: Final = (".svg", ".png", ".pdf")
PROLOG: Final = '<?xml version="1.0" encoding="utf-8"?>\n'


def drawn(kind_name: str) -> tuple[str, ...]:
    """Verbs of a kind of which something is drawn.

    >>> drawn("multiuser")
    ('run', 'compare')
    """
    return tuple(verb.name for verb in kind(kind_name).verbs if verb.figure)


def figure_of(record: Record) -> Figure:
    """Draw a record. Raises InputError, which says of what something is drawn, for a verb of which nothing is."""
    if record.verb not in drawn(record.kind):
        of = ", ".join(drawn(record.kind)) or "no verb of this kind"
        raise InputError(f"{record.verb}: nothing is drawn of it for kind {record.kind!r}; drawn are records of {of}")
    with look():
        found: Figure = load(kind(record.kind).verb(record.verb).figure)(all_printable(record.to_dict()), record)
        for axes in found.axes:
            for axis in (axes.xaxis, axes.yaxis):
                axis.get_ticklabels()  # made when first asked for: now, with the same look
    return found


def save_record(record: Record, path: str | os.PathLike[str]) -> None:
    """Draw a record and save it as .svg, .png or .pdf."""
    check_path(path)
    save(figure_of(record), path)


def check_path(path: str | os.PathLike[str]) -> None:
    """Raise InputError unless a figure of a known format can be written there, before any work is done."""
    check_destination(path, "figure", FORMATS)


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Save a figure, the same bytes every time (no dates inside). Raises InputError when it cannot be written.

    An SVG shows the texts of :mod:`~consortium.reports.hover`; a PDF has its fonts inside, as TrueType.
    """
    check_path(path)
    ending = Path(path).suffix.lower()
    try:
        if ending == ".svg":
            Path(path).write_text(f"{PROLOG}{svg.text(figure)}\n", encoding="utf-8")
            return
        settle(figure)
        with look():
            figure.savefig(path, metadata={"CreationDate": None} if ending == ".pdf" else None, dpi=150)
    except OSError as error:
        raise InputError(f"{os.fspath(path)}: cannot be written ({error.strerror or error})") from None
