"""Reports in a real browser: as wide as the window, sorted by mouse and keyboard, figures told, printed."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import consortium

from ..browser import Visitor
from .test_report import hostile_scenario

KINDS = ["declaration", "federation", "sharing", "multiuser"]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The address of the report of a source, made once."""
    folder, made = tmp_path_factory.mktemp("reports"), {}

    def address(name: str, source: Any, **options: Any) -> str:
        if name not in made:
            path = folder / f"{name}.html"
            consortium.report(source, path, **options)
            made[name] = path.as_uri()
        return made[name]

    return address


@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("kind", KINDS)
def test_a_page_of_hostile_names_is_as_wide_as_the_window(visitor: Visitor, pages: Any, kind: str, width: int) -> None:
    page = visitor.open(pages(kind, hostile_scenario(kind)), width=width, scheme="dark" if width == 400 else "light")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.scripts.length") == 1
    assert page.locator("figure svg").count() == 1


def column(page: Any, table: int, place: int) -> list[str]:
    found: list[str] = page.locator("table").nth(table).locator(f"tbody tr > :nth-child({place})").all_text_contents()
    return found


def test_tables_sort_by_mouse_and_keyboard(visitor: Visitor, pages: Any) -> None:
    page = visitor.open(pages("declaration", hostile_scenario("declaration")))
    head = page.locator("table").first.locator("thead th").nth(1)
    assert head.text_content() == "length"
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert column(page, 0, 2) == ["1", "2", "3", "4", "5"]
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    assert column(page, 0, 2) == ["5", "4", "3", "2", "1"]
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    assert head.get_attribute("aria-sort") is None
    names = column(page, 0, 1)
    assert names == page.evaluate("names => [...names].sort((a, b) => a.localeCompare(b, 'en'))", names)


def test_exact_numbers_sort_exactly(visitor: Visitor, tmp_path: Path) -> None:
    big = 10**20
    agents = [{"length": f"{big + i}/3"} for i in (2, 1, 5, 4)]
    scenario = {"format": 1, "kind": "declaration", "cluster": {"powers": [1]}, "agents": agents}
    consortium.report(scenario | {"mechanism": {"rule": "straightforward"}}, tmp_path / "page.html")
    page = visitor.open((tmp_path / "page.html").as_uri())
    page.locator("table").first.locator("thead button").nth(1).click()
    assert column(page, 0, 2) == [str(Fraction(big + i, 3)) for i in (1, 2, 4, 5)]


def test_texts_of_figures_are_shown_by_pointer_and_keyboard(visitor: Visitor, pages: Any) -> None:
    page = visitor.open(pages("federation", hostile_scenario("federation")))
    marks = page.locator("figure .hover")
    assert marks.count() > 1
    first, second = (marks.nth(i).locator("title").text_content() for i in (0, 1))
    marks.first.focus()
    assert page.locator("#tip").text_content() == first
    page.keyboard.press("ArrowRight")
    assert page.locator("#tip").text_content() == second
    page.keyboard.press("Escape")
    assert page.locator("#tip").is_hidden()


def test_the_scenario_is_copied_and_saved(visitor: Visitor, pages: Any) -> None:
    page = visitor.open(pages("multiuser", hostile_scenario("multiuser")))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    source = page.locator("#source-scenario-toml")
    source.get_by_role("button").click()
    text = source.locator("pre").text_content()
    assert page.evaluate("navigator.clipboard.readText()") == text
    with page.expect_download() as saved:
        source.get_by_role("link").click()
    assert saved.value.suggested_filename == "scenario.toml"
    assert Path(saved.value.path()).read_text(encoding="utf-8") == text


def test_it_prints(visitor: Visitor, pages: Any) -> None:
    page = visitor.open(pages("declaration", hostile_scenario("declaration")), scheme="dark")
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("button[data-copy]").first.is_hidden()


def test_without_scripts_everything_is_there(visitor: Visitor, pages: Any) -> None:
    address = pages("declaration", hostile_scenario("declaration"))
    page = visitor.browser.new_context(java_script_enabled=False).new_page()
    page.goto(address)
    assert page.locator("table").count() >= 2
    assert page.locator("button:visible").count() == 0
