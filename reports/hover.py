"""Texts that are shown while the pointer rests on a part of a figure.

An artist carries its text in its ``gid``, so that a figure is all there is to hand on; :mod:`consortium.reports.svg`
turns it into a ``<title>``. Other formats show nothing of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote

if TYPE_CHECKING:
    from matplotlib.artist import Artist

MARK: Final = "hover:"
"""How the ``gid`` of a marked artist begins."""


def hover(artist: Artist, text: str) -> None:
    """Mark an artist (a bar, a line, one point) with a text, which replaces an earlier one.

    All points of one collection or line share one artist and so one text: draw points with texts of their own one by
    one.
    """
    artist.set_gid(MARK + quote(text, safe=" "))


def told(gid: str | None) -> str | None:
    """The text in a ``gid``; ``None`` where it holds none.

    >>> told("hover:a%3Cb"), told("axes_1")
    ('a<b', None)
    """
    return unquote(gid.removeprefix(MARK)) if gid and gid.startswith(MARK) else None
