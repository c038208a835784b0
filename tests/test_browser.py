"""The visitor of pages sees what goes wrong in them."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from .browser import NAMES, NoBrowserError, Visitor, asked_for, chromium, skipped_or_failed


@pytest.mark.parametrize(
    ("body", "trouble"),
    [
        ("<script>console.error('so it is')</script>", "console: so it is"),
        ("<script>undefined.name</script>", "exception: "),
        ("<img src='missing.png'>", "failed: "),
        ("<img src='https://example.org/a.png'>", "left this machine: https://example.org/a.png"),
    ],
)
def test_a_page_with_trouble_is_not_taken_for_good(visitor: Visitor, tmp_path: Path, body: str, trouble: str) -> None:
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><title>t</title>{body}")
    assert visitor.open(page.as_uri()).title() == "t"
    assert any(text.startswith(trouble) for text in visitor.troubles)
    visitor.troubles.clear()


def test_a_good_page_is_as_wide_as_asked(visitor: Visitor, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<!doctype html><title>t</title><img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>")
    assert visitor.open(page.as_uri(), width=400).evaluate("window.innerWidth") == 400


@pytest.mark.parametrize(
    ("asked", "outcome"), [("if-there", pytest.skip.Exception), ("required", pytest.fail.Exception)]
)
def test_without_a_browser_a_test_is_skipped_or_fails_where_it_is_required(
    monkeypatch: pytest.MonkeyPatch, asked: str, outcome: type[BaseException]
) -> None:
    pytest.importorskip("playwright", reason="the extra `browser` is not installed")
    monkeypatch.setenv("CONSORTIUM_BROWSER", asked)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(NoBrowserError) as found, chromium():
        pass
    with pytest.raises(outcome, match=f"no browser: none of {', '.join(NAMES)} is on the path"):
        skipped_or_failed(found.value)


@pytest.mark.parametrize("asked", ["", "required"])
def test_nobody_waits_for_a_browser_who_does_not_ask(monkeypatch: pytest.MonkeyPatch, asked: str) -> None:
    monkeypatch.setenv("CONSORTIUM_BROWSER", asked)
    with contextlib.nullcontext() if asked else pytest.raises(pytest.skip.Exception, match="where CONSORTIUM_BROWSER"):
        asked_for()
