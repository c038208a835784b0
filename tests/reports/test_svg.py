"""Figures as SVG in a page: well-formed, repeatable, several beside each other, texts on hover."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

from consortium.reports import style
from consortium.reports.figures import figure_of, save, svg_text
from consortium.reports.style import hover

SVG = "{http://www.w3.org/2000/svg}"


def drawing(text: str = "one") -> Any:
    """Two hatched bars, the first with a text, and a line with a marker."""
    with style.look():
        figure = style.new_figure(3, 2)
        axes = figure.subplots()
        first = axes.barh(0, 3, **style.fill(1))[0]
        axes.barh(1, 2, **style.fill(2))
        axes.plot([1], [1], marker="o")
        style.title(figure, text)
        hover(first, text)
    return figure


def ids(text: str) -> set[str]:
    return {element.attrib["id"] for element in ElementTree.fromstring(text).iter() if "id" in element.attrib}


def references(text: str) -> set[str]:
    return {url or href for url, href in re.findall(r'url\(#([^)]*)\)|xlink:href="#([^"]*)"', text)}


def test_a_figure_is_one_element_that_scales_and_says_what_it_is() -> None:
    text = svg_text(drawing("a title of two\nlines"))
    root = ElementTree.fromstring(text)
    assert text.startswith("<svg ")
    assert root.tag == f"{SVG}svg"
    assert root.attrib["viewBox"]
    assert (root.attrib["role"], root.attrib["aria-label"]) == ("img", "a title of two lines")
    assert not {"metadata", "style", "script"} & {element.tag.removeprefix(SVG) for element in root.iter()}


def test_ids_and_references_have_the_prefix_and_fit_each_other() -> None:
    plain, named = svg_text(drawing()), svg_text(drawing(), "f1-")
    assert references(plain) <= ids(plain)
    assert references(plain)
    assert ids(named) == {f"f1-{name}" for name in ids(plain)}
    assert references(named) == {f"f1-{name}" for name in references(plain)}


def test_marked_artists_are_groups_with_the_text_first() -> None:
    hostile = "</title><script>alert('1 < 2 & \"3\"')</script> \x1b[31m \u202e --> $x$ \n 100%41"
    figure = drawing()
    hover(figure.axes[0].patches[0], hostile)
    root = ElementTree.fromstring(svg_text(figure))
    (group,) = [element for element in root.iter() if element.get("class") == "hover"]
    assert group.tag == f"{SVG}g"
    assert group[0].tag == f"{SVG}title"
    assert group[0].text == hostile.replace("\x1b", r"\x1b").replace("\u202e", r"\u202e")
    assert len(group) > 1
    assert not list(root.iter(f"{SVG}script"))


def test_the_same_figure_has_the_same_text_and_its_file_too(asked: Any, tmp_path: Any) -> None:
    record = asked("federation-run")
    assert svg_text(figure_of(record)) == svg_text(figure_of(record))
    save(figure_of(record), tmp_path / "one.svg")
    assert svg_text(figure_of(record)) in (tmp_path / "one.svg").read_text(encoding="utf-8")


def test_pdf_files_repeat_and_carry_true_type(tmp_path: Any) -> None:
    for name in ("one.pdf", "two.pdf"):
        save(drawing(), tmp_path / name)
    found = (tmp_path / "one.pdf").read_bytes()
    assert found == (tmp_path / "two.pdf").read_bytes()
    assert b"/Type3" not in found
    assert b"CreationDate" not in found


def test_the_settings_of_others_are_left_alone(asked: Any, tmp_path: Any) -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    save(figure_of(asked("declaration-run")), tmp_path / "one.pdf")
    assert dict(matplotlib.rcParams) == before
