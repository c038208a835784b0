"""Figures: every drawing of a record ends here, in one style that prints and that colour-blind readers can read.

Each kind has a module ``reports/<kind>/figures.py`` with a function per verb, ``(data, record) -> figure``: ``data`` is
the record's dict; ``record`` is needed only where the objects behind it are drawn (the game of a search).

Colours are those of Okabe and Ito; what a colour says is also said by a hatch, a label or a position.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..mechanisms.kinds import kind
from ..scheduling.errors import InputError
from ..scheduling.loading import load

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..verbs.records import Record

FORMATS = (".svg", ".png", ".pdf")
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999")
HATCHES = ("", "//", "..", "xx", "\\\\", "oo", "++", "--")


def figure_of(record: Record) -> Figure:
    """Draw a record. Raises InputError for a verb of which nothing is drawn."""
    verb = kind(record.kind).verb(record.verb)
    if not verb.figure:
        raise InputError(f"{record.verb}: nothing is drawn of records of kind {record.kind!r}")
    found: Figure = load(verb.figure)(record.to_dict(), record)
    return found


def save_record(record: Record, path: str | os.PathLike[str]) -> None:
    """Draw a record and save it as .svg, .png or .pdf."""
    check_path(path)
    save(figure_of(record), path)


def check_path(path: str | os.PathLike[str]) -> None:
    """Raise InputError unless the file's ending is one of a known format, before any work is done."""
    if Path(path).suffix.lower() not in FORMATS:
        raise InputError(f"--plot {os.fspath(path)}: expected a file name that ends in one of {', '.join(FORMATS)}")


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Save a figure, the same bytes every time (no dates inside). Raises InputError when it cannot be written."""
    check_path(path)
    metadata = {"Date": None} if Path(path).suffix.lower() == ".svg" else None
    try:
        figure.savefig(path, metadata=metadata, dpi=150)
    except OSError as error:
        raise InputError(f"{os.fspath(path)}: cannot be written ({error.strerror or error})") from None


def new_figure(width: float = 7.2, height: float = 3.2) -> Figure:
    """An empty figure (inches) that needs no screen, with fixed hash salt so that SVG files repeat."""
    import matplotlib

    matplotlib.rcParams["svg.hashsalt"] = "consortium"
    matplotlib.rcParams["hatch.linewidth"] = 0.6
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def style(index: int) -> dict[str, Any]:
    """Fill and hatch of the ``index``-th group: colours repeat only together with another hatch."""
    return {
        "facecolor": COLOURS[index % len(COLOURS)],
        "hatch": HATCHES[(index // len(COLOURS) + index) % len(HATCHES)],
        "edgecolor": "black",
    }
