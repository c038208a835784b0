"""A tab of the browser: the view, its answers, and the ways to change and to complain; and NiceGUI, imported late.

NiceGUI is imported when something in it is first used, so that the modules of the page can be read without it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from ..support.errors import ConsortiumError, described
from ..support.loading import optional
from .answers import TOO_LATE, Desk, LateError, StoppedError, in_thread, soon
from .view import View


class Tab:
    """One tab of the browser, which shares nothing with the others.

    ``view``: what it looks at; ``desk``: where its answers come from; ``on_view``: called when there is something else
    to look at, ``anew`` for something for which the panel is built again.
    """

    def __init__(self, view: View) -> None:
        self.view, self.desk = view, Desk()
        self.on_view: Callable[[bool], Awaitable[None]] | None = None
        self._trouble: Any = None
        self._opened = 0
        self._changing = asyncio.Lock()
        self._newest: dict[object, Callable[[View], View]] = {}

    def place_for_trouble(self) -> None:
        """Where sentences about what is wrong appear."""
        self._trouble = ui.label().classes("trouble").props("role=alert")

    def complain(self, sentences: str) -> None:
        """Say what is wrong; an empty text takes it back."""
        self._trouble.text = sentences

    @contextmanager
    def complaining(self) -> Iterator[None]:
        """Errors of the package become sentences on the page."""
        try:
            yield
        except StoppedError:
            pass
        except ConsortiumError as error:
            self.complain(str(error))
        except Exception as error:
            self.complain(f"an error of consortium itself, {described(error)}")
            raise

    def follow(self, place: Any, work: Callable[[], Awaitable[None]]) -> None:
        """Do what follows on an answer once that is on the page; what an earlier one has under way is given up."""
        self.desk.stop_if_busy(TOO_LATE)
        with place:
            ui.timer(0, work, once=True)

    async def open(self, name: str, read: Callable[[], View]) -> bool:
        """Look at another scenario; whether it can be read, else it is said why not.

        What is opened last is looked at, however long the reading of what was opened before it takes.
        """
        self._opened += 1
        number = self._opened

        def tell(text: str) -> None:
            if number == self._opened:
                self.complain(text)

        try:
            view = await soon(in_thread(_whole, read), lambda: tell(f"{name}: being read"))
        except ConsortiumError as error:
            tell(f"{name}: {error}" if isinstance(error, LateError) else str(error))
            return False
        if number != self._opened:
            return False
        self.view = view
        await self._show(anew=True)
        return True

    async def look(self, change: Callable[[View], View], anew: bool = False, by: object = None) -> bool:
        """Look at what a change makes of the view, after those before it; ``anew``: the panel is built again.

        Answers whether that can be looked at, else it is said why not. What was meant for a scenario that is no longer
        there is not done, nor what one slider, ``by`` which it is made, has wanted before its newest change.
        """
        base, self._newest[by] = self.view.base, change
        async with self._changing:
            made = None
            if by is not None and self._newest[by] is not change:
                return True
            if self.view.base is base:
                with self.complaining():
                    made = await in_thread(_whole, partial(change, self.view))
            if made is None or self.view.base is not base:
                return False
            same, self.view = made is self.view, made
        await self._show(anew, same)
        return True

    async def _show(self, anew: bool, same: bool = False) -> None:
        self.complain("")
        if self.on_view is not None and not same:
            await self.on_view(anew)


def _whole(make: Callable[[], View]) -> View:
    """A view with its file written, which takes the longer the larger it is."""
    view = make()
    assert view.file
    return view


class Panel:
    """The part of the page that belongs to a kind."""

    @classmethod
    def parts(cls, view: View) -> int:
        """How many things it would have to move by hand."""
        return 0

    def __init__(self, tab: Tab) -> None:
        self._tab = tab

    async def refresh(self) -> None:
        """Answer what is looked at now. Errors of the package are said on the page."""
        raise NotImplementedError

    def on_answer(self, verb: str, record: Mapping[str, Any]) -> None:
        """Use the answer to a long question; most panels wait for none."""


if TYPE_CHECKING:
    from nicegui import ui as ui
else:

    class _Later:
        def __getattr__(self, name: str) -> Any:
            return getattr(optional("nicegui.ui", "explore"), name)

    ui = _Later()
