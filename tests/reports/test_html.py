"""Records as HTML: well formed, with their meaning in the markup, and nothing of a file is ever markup."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest

import consortium
from consortium.reports import display as html
from consortium.reports.tables import Table, facts, tables_of

from .cases import cluster

HOSTILE = '<script>alert("1")</script></svg></style><!--\u202e&amp;'
EMPTY_ELEMENTS = {"br", "img", "meta", "link", "input", "hr"}


class Page(HTMLParser):
    """Reads a fragment, and fails where an element is not closed in its order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)
        self.close()
        assert not self.stack

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in EMPTY_ELEMENTS:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.stack[-1] if self.stack else "", data))

    def inside(self, tag: str) -> list[str]:
        return [text for found, text in self.texts if found == tag]


@pytest.mark.parametrize("name", ["declaration-run", "federation-run", "federation-compare", "multiuser-run"])
def test_every_cell_of_a_record_is_in_its_table(name: str, asked: Any) -> None:
    for table in tables_of(asked(name).to_dict()):
        page = Page(html.table(table))
        cells = [cell for row in (table.columns, *table.rows) for cell in row]
        assert [text for tag, text in page.texts if tag in ("th", "td")] == [cell for cell in cells if cell]
        assert page.inside("caption") == ([table.title] if table.title else [])
        assert page.inside("p") == ([table.note] if table.note else [])


def test_heads_have_a_scope_and_columns_of_numbers_a_class() -> None:
    page = Page(html.table(Table("t", ("who", "pays", "note"), (("ann", "-3/2", "4"), ("bob", "-", "none")))))
    heads = [attributes for tag, attributes in page.elements if tag == "th"]
    cells = [attributes for tag, attributes in page.elements if tag == "td"]
    number = {"class": "number"}
    assert heads == [{"scope": "col"}, {"scope": "col"} | number, {"scope": "col"}]
    assert cells == [{}, number, {}, {}, number, {}]


@pytest.mark.parametrize("text", ["0", "-7", "3/2", "1,200", "~0.14", "~1.00000e+400", "1e-05", "inf", "-inf", "0.25"])
def test_a_number_is_seen(text: str) -> None:
    assert 'class="number"' in html.table(facts("", [("fact", text)]))


@pytest.mark.parametrize("text", ["", "-", "yes", "m1", "1 2", "[1, 2]", "3/", "information", "1.2.3", "١"])
def test_what_is_no_number_is_not(text: str) -> None:
    assert 'class="number"' not in html.table(facts("", [("fact", text)]))


def test_facts_and_turned_comparisons_have_heads_in_front() -> None:
    for columns in ((), ("", "vcg")):
        page = Page(html.table(Table("t", columns, (("rent", "2"),))))
        assert ("th", {"scope": "row"}) in page.elements


def test_nothing_in_a_file_is_markup() -> None:
    scenario = cluster("vcg-postpone") | {"title": HOSTILE}
    scenario["agents"][0]["name"] = HOSTILE
    page = Page(html.fragment(consortium.run(scenario)))
    assert {tag for tag, _ in page.elements}.isdisjoint({"script", "img", "a", "object", "iframe"})
    assert any("<script>" in text for text in page.inside("td"))
    assert not any("\u202e" in text for _, text in page.texts)


def test_a_fragment_has_the_figure_and_needs_nothing_from_elsewhere(asked: Any) -> None:
    found = html.fragment(asked("declaration-run"))
    page = Page(found)
    assert [tag for tag, _ in page.elements].count("svg") == 1
    own = {attributes["id"] for _, attributes in page.elements if attributes.get("id")}
    assert own
    assert all(name is not None and name.startswith("r") for name in own)
    assert "url(http" not in found
    assert found == html.fragment(asked("declaration-run"))


def test_ids_of_two_records_differ(asked: Any) -> None:
    pages = [Page(html.fragment(asked(name))) for name in ("declaration-run", "federation-run")]
    first, second = ({attributes["id"] for _, attributes in page.elements if attributes.get("id")} for page in pages)
    assert first.isdisjoint(second)
