"""Figures of the documentation, drawn at build time from shipped scenarios."""

from pathlib import Path

FIGURES = {}


def figure(name):
    """Register a function that draws one figure into the path it is given."""

    def keep(function):
        FIGURES[name] = function
        return function

    return keep


def draw_all(folder: Path) -> None:
    """Draw every figure as SVG (for the page) and PDF-free PNG-free: SVG prints and scales."""
    folder.mkdir(exist_ok=True)
    for name, draw in FIGURES.items():
        draw(folder / name)
