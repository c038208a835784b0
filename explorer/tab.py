"""A tab of the browser: the view, its answers, and the ways to change and to complain; and NiceGUI, imported late.

NiceGUI is imported when something in it is first used, so that the modules of the page can be read without it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..support.errors import ConsortiumError, described
from ..support.loading import optional
from .answers import TOO_LATE, Desk, StoppedError
from .view import View


class Tab:
    """One tab of the browser, which shares nothing with the others.

    Attributes
    ----------
    view
        What it looks at.
    desk
        Where its answers come from.
    on_view
        Called when there is something else to look at; ``anew``: something for which the panel is built again.
    """

    def __init__(self, view: View) -> None:
        self.view, self.desk = view, Desk()
        self.on_view: Callable[[bool], Awaitable[None]] | None = None
        self._trouble: Any = None

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

    async def look(self, make: Callable[[], View], anew: bool = False) -> bool:
        """Look at another view; whether it can be looked at, else it is said why not."""
        try:
            view = make()
        except ConsortiumError as error:
            self.complain(str(error))
            return False
        self.view = view
        self.complain("")
        if self.on_view is not None:
            await self.on_view(anew)
        return True


class Panel:
    """The part of the page that belongs to a kind."""

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
