"""Figures: every drawing of a record ends here, in one style that prints and that colour-blind readers can read.

Colours are those of Okabe and Ito; what a colour says is also said by a hatch, a label or a position.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..scheduling.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".svg", ".png", ".pdf")
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999")
HATCHES = ("", "//", "..", "xx", "\\\\", "oo", "++", "--")


def save_record(data: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Draw a record's dict and save it as .svg, .png or .pdf: ``run`` as a Gantt chart, ``curve`` as a curve."""
    check_path(path)
    module = importlib.import_module(f".{data['kind']}.figures", __package__)
    draw = module.gantt if data["verb"] == "run" else getattr(module, data["verb"])
    save(draw(data), path)


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
