"""Figures without colours, for papers that are printed so: each colour becomes the grey that is as light."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LIGHTNESS: Final = (0.299, 0.587, 0.114)
"""What red, green and blue add to how light a colour is (ITU-R BT.601)."""
COLOURED: Final = ("facecolor", "edgecolor", "color", "markerfacecolor", "markeredgecolor")


def lightness(colour: Any) -> float:
    """How light a colour is, from 0 (black) to 1 (white), however transparent.

    >>> lightness("white"), lightness("#0072B2")
    (1.0, 0.342)
    """
    from matplotlib.colors import to_rgb

    return round(sum(part * weight for part, weight in zip(to_rgb(colour), LIGHTNESS, strict=True)), 6)


def make_grey(figure: Figure) -> None:
    """Turn all colours of a figure into greys; hatches, dashes, marks and labels tell them apart."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.collections import Collection

    for artist in figure.findobj():
        if isinstance(artist, ScalarMappable) and artist.get_array() is not None:
            artist.set_cmap("gray")
            continue
        several = isinstance(artist, Collection)
        for name in COLOURED:
            get, change = getattr(artist, f"get_{name}", None), getattr(artist, f"set_{name}", None)
            if get is None or change is None or (several and name == "color"):
                continue
            found = get()
            if isinstance(found, str) and found in ("none", "auto"):
                continue
            change([_grey(one) for one in found] if several else _grey(found))


def _grey(colour: Any) -> tuple[float, float, float, float]:
    """The grey that is as light, as transparent as the colour was."""
    from matplotlib.colors import to_rgba

    light = lightness(colour)
    return (light, light, light, to_rgba(colour)[3])
