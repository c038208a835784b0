"""A real browser for tests of pages: headless Chromium driven by Playwright, and a note of all that went wrong in it.

A test asks for the fixture ``visitor`` and opens pages with :meth:`Visitor.open`; it is then marked ``browser``. Such
tests are slow, so they are skipped unless ``CONSORTIUM_BROWSER`` is set: to ``required``, and they fail where the
browser is missing; to anything else, and they are skipped there and say what is missing.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Response, Route

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
OWN = {"", "127.0.0.1"}
"""Hosts from which a page may load: this machine, and files and ``data:``, which have none."""


class NoBrowserError(Exception):
    """There is none on this machine, or nothing to drive it."""


def asked_for() -> None:
    """Skip the test that asks, unless pages are to be looked at in this run."""
    import pytest

    if not os.environ.get("CONSORTIUM_BROWSER"):
        pytest.skip("looks at a page in a browser only where CONSORTIUM_BROWSER is set")


def skipped_or_failed(error: NoBrowserError) -> NoReturn:
    """Skip the test that asks, or fail it where a browser is required."""
    import pytest  # the docs are built without it

    leave = pytest.fail if os.environ.get("CONSORTIUM_BROWSER") == "required" else pytest.skip
    leave(f"no browser: {error}")


@contextmanager
def chromium() -> Iterator[Browser]:
    """Chromium as it is installed on this machine; Playwright downloads none. Raises NoBrowserError."""
    if find_spec("playwright") is None:
        raise NoBrowserError("the extra `browser` is not installed")
    executable = next(filter(None, map(shutil.which, NAMES)), None)
    if executable is None:
        raise NoBrowserError(f"none of {', '.join(NAMES)} is on the path")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield browser
        browser.close()


class Visitor:
    """Opens pages, each in a window that shares nothing with the others, and notes what goes wrong in them.

    Attributes
    ----------
    troubles
        Errors in the console, exceptions nobody caught, requests that failed or were refused, and requests that would
        have left this machine (they are stopped). The fixture asserts that none is left at the end; a test that
        provokes one looks at it and clears the list.
    """

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.troubles: list[str] = []

    def open(self, address: str, width: int = 1400, height: int = 900, scheme: str = "light") -> Page:
        """The page at ``address``, loaded. ``width``, ``height``: px; ``scheme``: ``light`` or ``dark``."""
        size = {"width": width, "height": height}
        page = self.browser.new_context(viewport=size, color_scheme=scheme).new_page()
        page.set_default_timeout(15_000)
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.troubles.append(f"exception: {error}"))
        page.on("requestfailed", self._failed)
        page.on("response", self._answered)
        page.context.route(lambda url: urlsplit(url).hostname not in OWN | {None}, self._stopped)
        page.goto(address, timeout=120_000)  # milliseconds: a busy machine loads the server's modules first
        return page

    def _said(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.troubles.append(f"console: {message.text}")

    def _failed(self, request: Request) -> None:
        self.troubles.append(f"failed: {request.url} ({request.failure})")

    def _answered(self, response: Response) -> None:
        if response.status >= 400:
            self.troubles.append(f"status {response.status}: {response.url}")

    def _stopped(self, route: Route) -> None:
        self.troubles.append(f"left this machine: {route.request.url}")
        route.abort()

    def close(self) -> None:
        """Close all windows."""
        for context in self.browser.contexts:
            context.close()
