"""Tables, sentences and figures of every case, letter by letter and mark by mark: a text each in the folders beside.

Drawings have what a record decides: words, lengths, positions and colours. What the drawing library decides (where a
word stands, limits, ticks of numbers) is left out, so that another version of it changes nothing.

What small scenarios do not bring about, or only slowly, are *variants*: records of the cases with other values in a few
places, in ``variants.json``. Every condition of a sentence or a table is met by one record and not by another: what
holds, fails, is open or was stopped; what is nothing, negative, infinite or too much to be listed. ``variants.txt``
has, for each, the lines that differ from the case's own.

After a change that is meant, ``python -m tests.reports.test_golden`` writes all texts again.
"""

from __future__ import annotations

import copy
import difflib
import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
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


def drawing(data: Any, of: Any) -> list[str]:
    return list(drawn(load(kind(of.kind).verb(of.verb).figure)(data, of)))


def shown(sentence: Sentence) -> str:
    return f"[{sentence.status}] {sentence.text}" if sentence.status else sentence.text


LINES: dict[str, Callable[[Any, Any], list[str]]] = {
    "drawings": drawing,
    "sentences": lambda data, of: [shown(sentence) for sentence in sentences_of(data)],
    "tables": lambda data, of: text(tables_of(data)).splitlines(),
}
"""What is written of a record's dict and the record, by folder."""

FOLDER = Path(__file__).parent
VARIANTS = json.loads((FOLDER / "variants.json").read_text(encoding="utf-8"))
"""What is looked at of each: sentences and tables, or drawings too; its case; other values by their places."""


def changed(data: Any, changes: Mapping[str, Any]) -> Any:
    """A copy with other values at these places: keys, and numbers from 0, with points between them."""
    data = copy.deepcopy(data)
    for place, value in changes.items():
        *steps, last = [int(step) if step.isdecimal() else step for step in place.split(".")]
        here = data
        for step in steps:
            here = here[step]
        if isinstance(here, list):
            here[last : last + 1] = [value]  # at its end, one more
        else:
            here[last] = value
    return data


def unaligned(lines: list[str]) -> list[str]:
    """Without what changes with the width of a column: spaces, and the rules below heads."""
    return [" ".join(line.split()) for line in lines if line.strip(" -")]


def variant_lines(what: str, name: str, asked: Callable[[str], Any]) -> list[str]:
    """The name of a variant, and the lines that it does not have in common with its case."""
    case, changes = VARIANTS[what][name]
    of = asked(case)
    data, before, after = timeless(of.to_dict()), [], []
    for lines in LINES.values() if what == "drawn" else (LINES["sentences"], LINES["tables"]):
        before += unaligned(lines(data, of))
        after += unaligned(lines(changed(data, changes), of))
    differences = difflib.unified_diff(before, after, n=0, lineterm="")
    return [f"== {name}", *(line for line in differences if not line.startswith(("---", "+++", "@@")))]


def place(what: str, name: str) -> Path:
    return FOLDER / what / f"{name}.txt"


@pytest.mark.parametrize("what", LINES)
@pytest.mark.parametrize("name", CASES)
def test_a_record_looks_as_it_did(what: str, name: str, asked: Any) -> None:
    of = asked(name)
    assert LINES[what](timeless(of.to_dict()), of) == place(what, name).read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(("what", "name"), [(what, name) for what in VARIANTS for name in VARIANTS[what]])
def test_a_variant_differs_as_it_did(what: str, name: str, asked: Any) -> None:
    lines = variant_lines(what, name, asked)
    texts = (FOLDER / "variants.txt").read_text(encoding="utf-8").split("== ")
    assert lines == next(f"== {text}" for text in texts if text.startswith(f"{name}\n")).splitlines()


def test_every_verb_has_a_case_and_every_case_its_texts() -> None:
    assert {f"{kind.name}-{verb.name}" for kind in (*KINDS, GAME) for verb in kind.verbs} <= set(CASES)
    for what in LINES:
        assert {path.stem for path in place(what, "").parent.glob("*.txt")} == set(CASES)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        ask = cache(lambda name: record(name, Path(folder)))
        for name in CASES:
            for what, lines in LINES.items():
                shown_lines = lines(timeless(ask(name).to_dict()), ask(name))
                place(what, name).write_text("\n".join(shown_lines) + "\n", encoding="utf-8")
        every = [line for what in VARIANTS for name in VARIANTS[what] for line in variant_lines(what, name, ask)]
        (FOLDER / "variants.txt").write_text("\n".join(every) + "\n", encoding="utf-8")
