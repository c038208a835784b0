"""Texts that are shown while the pointer rests on a part of a figure.

An artist carries its text in its ``gid``, so that a figure is all there is to hand on; :mod:`consortium.reports.svg`
turns it into a ``<title>``. Other formats show nothing of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

MARK: Final = "hover:"
"""How the ``gid`` of a marked artist begins."""
MAX_POINTS: Final = 1000
"""Most points of one line or cloud that get a text each: more make a file large and cannot be told apart."""


def hover(artist: Artist, text: str) -> None:
    """Mark an artist (a bar, a line, one point) with a text, which replaces an earlier one.

    All points of one line or cloud share one artist and so one text; see :func:`hover_points`.
    """
    artist.set_gid(MARK + quote(text, safe=" "))


def hover_points(axes: Axes, x: Sequence[float], y: Sequence[float], texts: Sequence[str]) -> None:
    """A text for each point of a line or cloud: over each lies a mark that cannot be seen, only be pointed at."""
    if len(texts) <= MAX_POINTS:
        for across, up, text in zip(x, y, texts, strict=True):
            hover(axes.scatter([across], [up], s=64, alpha=0, zorder=9), text)


def told(gid: str | None) -> str | None:
    """The text in a ``gid``; ``None`` where it holds none.

    >>> told("hover:a%3Cb"), told("axes_1")
    ('a<b', None)
    """
    return unquote(gid.removeprefix(MARK)) if gid and gid.startswith(MARK) else None
