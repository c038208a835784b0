"""Parts of the page that several kinds have: cards, charts to choose from, tables, the choice of a rule."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from ..support.errors import ConsortiumError
from .answers import StoppedError
from .drawing import colour, text
from .tab import Tab, ui

R = TypeVar("R")

CHOOSE: Final = "(e) => { const m = e.target.closest('[data-key]'); if (m) emit(m.dataset.key) }"
CHOOSE_KEY: Final = (
    "(e) => { const m = e.target.closest('[data-key]'); "
    "if (m && (e.key === 'Enter' || e.key === ' ')) { e.preventDefault(); emit(m.dataset.key) } }"
)

A_MOMENT: Final = 0.25
"""Seconds for which nothing is said of an answer that is not there yet."""


@contextmanager
def card(title: str, look: str = "") -> Iterator[Any]:
    """A framed part under a heading; ``look``: further classes."""
    with ui.element("section").classes(f"card {look}") as made:
        made.props["aria-label"] = title
        heading(title, 2)
        yield made


def heading(words: str, level: int) -> Any:
    """A heading; anybody's text."""
    return ui.html(text(words), sanitize=False, tag=f"h{level}")


def dot(group: int) -> None:
    """The colour of a group, as in the charts."""
    ui.element("span").classes("dot").style(f"background: {colour(group)}")


def drawing() -> Any:
    """A place for charts of :mod:`.drawing`, in which all that comes from files is escaped."""
    return ui.html(sanitize=False)


def choosable(on_choice: Callable[[str], Awaitable[None]]) -> Any:
    """A place for a chart whose marks can be chosen by pointer and by keyboard."""
    made = drawing()

    async def chosen(event: Any) -> None:
        await on_choice(str(event.args))

    made.on("click", chosen, js_handler=CHOOSE)
    made.on("keydown", chosen, js_handler=CHOOSE_KEY)
    return made


def tables() -> Any:
    """A place for tables."""
    return ui.html(sanitize=False).classes("tables consortium")


def rule_choice(tab: Tab, anew: bool = False) -> None:
    """The rules of the kind, each with what it does; ``anew``: the panel looks different under another one."""
    rules = tab.view.rules()
    labels = {name: f"{name}: {about}" for name, about in rules.items()}

    async def changed(event: Any) -> None:
        if event.value != tab.view.rule and not await tab.look(lambda view: view.under(event.value), anew):
            choice.set_value(tab.view.rule)

    choice = ui.select(labels, value=tab.view.rule, label="rule", on_change=changed)


class Waiting:
    """A word about an answer that is not there yet, with a button that ends the work for it."""

    def __init__(self, tab: Tab) -> None:
        self._later: asyncio.TimerHandle | None = None
        with ui.element("div").classes("buttons") as self._row:
            self._status = ui.label().props("role=status")
            self._stop = ui.button("stop", on_click=tab.desk.stop).props("no-caps flat dense padding='0 8px'")
        self.end()

    def begin(self, text: str) -> None:
        """Say what is awaited, unless it is there in a moment; what was said before is over."""
        self.end()
        self._later = asyncio.get_running_loop().call_later(A_MOMENT, self._show, text, True)

    async def fetch(self, text: str, stopped: str, answer: Awaitable[R]) -> R | None:
        """An answer that is waited for; where it does not come ``None``, and why is said."""
        self.begin(text)
        try:
            value = await answer
        except StoppedError:
            self.end(stopped)
        except ConsortiumError as error:
            self.end(str(error))
        else:
            self.end()
            return value
        return None

    def end(self, text: str = "") -> None:
        """It is there; or say what there is instead."""
        if self._later is not None:
            self._later.cancel()
        self._show(text, stoppable=False)

    def _show(self, text: str, stoppable: bool) -> None:
        self._status.text = text
        self._stop.set_visibility(stoppable)
        self._row.set_visibility(bool(text))


def buttons(**actions: Callable[[], Any]) -> Mapping[str, Any]:
    """A row of buttons; underscores in names are spaces."""
    with ui.element("div").classes("buttons"):
        return {
            name: ui.button(name.replace("_", " "), on_click=action).props("no-caps outline dense padding='4px 12px'")
            for name, action in actions.items()
        }
