"""Tables, sentences and figures of every case, letter by letter and mark by mark: a text each in the folders beside.

Drawings have what a record decides: words, lengths, positions and colours. What the drawing library decides (where a
word stands, limits, ticks of numbers) is left out, so that another version of it changes nothing. After a change that
is meant, ``python -m tests.reports.test_golden`` writes all texts again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch
from matplotlib.ticker import FixedFormatter

from consortium.mechanisms.kinds import GAME, KINDS, kind
from consortium.reports.markup import text
from consortium.reports.sentences import Sentence, sentences_of
from consortium.reports.tables import tables_of
from consortium.support.loading import load

from .cases import CASES, record


def timeless(data: Any) -> Any:
    """The same data with every measured time set to a quarter of a second."""
    if isinstance(data, dict):
        return {key: 0.25 if key == "seconds" else timeless(value) for key, value in data.items()}
    return [timeless(value) for value in data] if isinstance(data, list) else data


def numbers(values: Any) -> str:
    return " ".join(f"{round(float(value), 12) + 0.0:.5g}" for value in values)


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
        for words in axes.texts:
            yield f"  text: {words.get_text()!r}"
        if legend := axes.get_legend():
            yield f"  legend: {' | '.join(text.get_text() for text in legend.get_texts())}"


def drawing(of: Any) -> list[str]:
    draw = load(kind(of.kind).verb(of.verb).figure)
    return list(drawn(draw(timeless(of.to_dict()), of)))


def shown(sentence: Sentence) -> str:
    return f"[{sentence.status}] {sentence.text}" if sentence.status else sentence.text


LINES: dict[str, Callable[[Any], list[str]]] = {
    "drawings": drawing,
    "sentences": lambda of: [shown(sentence) for sentence in sentences_of(timeless(of.to_dict()))],
    "tables": lambda of: text(tables_of(timeless(of.to_dict()))).splitlines(),
}
"""What is written of a record, by folder, whatever time the record took."""


def place(what: str, name: str) -> Path:
    return Path(__file__).parent / what / f"{name}.txt"


@pytest.mark.parametrize("what", LINES)
@pytest.mark.parametrize("name", CASES)
def test_a_record_looks_as_it_did(what: str, name: str, asked: Any) -> None:
    assert LINES[what](asked(name)) == place(what, name).read_text(encoding="utf-8").splitlines()


def test_every_verb_has_a_case_and_every_case_its_texts() -> None:
    assert {f"{kind.name}-{verb.name}" for kind in (*KINDS, GAME) for verb in kind.verbs} <= set(CASES)
    for what in LINES:
        assert {path.stem for path in place(what, "").parent.glob("*.txt")} == set(CASES)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        for name in CASES:
            made = record(name, Path(folder))
            for what, lines in LINES.items():
                place(what, name).write_text("\n".join(lines(made)) + "\n", encoding="utf-8")
