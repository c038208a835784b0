"""Figures, mark by mark: what every case draws is written in a text of the folder ``drawings``.

The texts have what a record decides: words, lengths, positions and colours. What the drawing library decides (where a
word stands, limits, ticks of numbers) is left out, so that another version of it changes nothing. After a change that
is meant, ``python -m tests.reports.test_drawings`` writes them again.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch
from matplotlib.ticker import FixedFormatter

from consortium.mechanisms.kinds import kind
from consortium.support.loading import load

from .cases import CASES, record
from .test_tables import timeless

DRAWINGS = Path(__file__).with_name("drawings")


def numbers(values: Any) -> str:
    return " ".join(f"{round(float(value), 12) + 0.0:.6g}" for value in values)


def colour(of: Any) -> str:
    return to_hex(of, keep_alpha=True)


def ends(patch: Any) -> tuple[float, ...]:
    """From left to right and from below to above; of an arrow, from where to where."""
    if isinstance(patch, FancyArrowPatch):
        return tuple(value for end in patch._posA_posB for value in end)
    box = patch.get_path().transformed(patch.get_patch_transform()).get_extents()
    return box.x0, box.x1, box.y0, box.y1


def drawn(figure: Any) -> Iterator[str]:
    """One line per word, bar, line and point, in the order in which they were drawn."""
    yield f"size: {numbers(figure.get_size_inches())}"
    if figure.get_suptitle():
        yield f"heading: {figure.get_suptitle()!r}"
    for axes in figure.axes:
        yield f"axes: {axes.get_title(loc='left')!r} {axes.get_xlabel()!r} {axes.get_ylabel()!r}"
        for name, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
            if isinstance(axis.get_major_formatter(), FixedFormatter):  # else the library thought of them
                yield f"  {name}: {' | '.join(label.get_text() for label in axis.get_ticklabels())}"
        for patch in axes.patches:
            look = f"{colour(patch.get_facecolor())} {patch.get_hatch() or '-'} {patch.get_linewidth():g}"
            yield f"  {type(patch).__name__}: {numbers(ends(patch))} {look}"
        for line in axes.lines:
            points = numbers(line.get_xdata()), numbers(line.get_ydata())
            yield f"  line: {' at '.join(points)} {line.get_linestyle()} {line.get_marker()} {colour(line.get_color())}"
        for some in axes.collections:
            for place in some.get_offsets():
                yield f"  point: {numbers(place)}"
        for text in axes.texts:
            yield f"  text: {text.get_text()!r}"
        if legend := axes.get_legend():
            yield f"  legend: {' | '.join(text.get_text() for text in legend.get_texts())}"


def drawing(of: Any) -> list[str]:
    """What is drawn of a record, whatever time it took."""
    draw = load(kind(of.kind).verb(of.verb).figure)
    return list(drawn(draw(timeless(of.to_dict()), of)))


@pytest.mark.parametrize("name", CASES)
def test_figures_are_those_of_the_record(name: str, asked: Any) -> None:
    assert drawing(asked(name)) == (DRAWINGS / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def test_every_case_has_one_drawing_and_every_drawing_a_case() -> None:
    assert {path.stem for path in DRAWINGS.glob("*.txt")} == set(CASES)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        for name in CASES:
            lines = drawing(record(name, Path(folder)))
            (DRAWINGS / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
