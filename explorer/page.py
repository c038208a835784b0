"""The page: a chooser, the part of the scenario's kind, longer questions, the file and the command of what is seen."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ..reports.html import STYLE as TABLES
from ..reports.tables import tables_of
from ..scenarios.reader import MAX_BYTES, shipped
from ..support.loading import load
from ..verbs.dispatch import ask
from .desk import Latest, soon
from .drawing import text
from .look import STYLE
from .nice import ui
from .parts import as_html, buttons, card, heading, tables
from .tab import Panel, Tab
from .tasks import Tasks
from .view import SAVED, View

FIRST: Final = "minimal/declaration"
"""What is shown when nothing is asked for."""
ICON: Final = "⚖️"
PANELS: Final[Mapping[str, str]] = {
    "declaration": ".explorer.declaration.panel:DeclarationPanel",
    "federation": ".explorer.federation.panel:FederationPanel",
    "multiuser": ".explorer.multiuser.panel:MultiuserPanel",
    "sharing": ".explorer.sharing.panel:SharingPanel",
}
"""By kind; those of other distributions are shown as tables."""


def register(first: str) -> None:
    """Make the page, to be served; each visit is a tab of its own that begins with this scenario."""

    @ui.page("/")
    async def explorer() -> None:
        ui.add_css(STYLE + TABLES)
        page = Page(Tab(View.opened(first)))
        ui.timer(0, page.refresh, once=True)  # the page comes first, the answers when it is there


class TablesPanel:
    """The part of kinds that bring none of their own."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        with card("Answer"):
            self._tables = tables()

    async def refresh(self) -> None:
        """Answer what is looked at now."""
        self._tables.content = as_html(tables_of(await self._tab.desk.run(_played, self._tab.view)))

    def asked(self, verb: str, record: Mapping[str, Any]) -> None:
        """Nothing on this panel waits for long answers."""


def _played(view: View) -> Mapping[str, Any]:
    return ask("run", view.scenario, {}).to_dict()


class Page:
    """The parts of one tab."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self._tasks: Tasks | None = None
        self.refresh = Latest(self._answer)
        tab.on_view = self._show
        with ui.element("main").classes("page"):
            self._chooser()
            tab.place_for_trouble()
            self._title = heading("", 2)
            self._middle = ui.element("div").classes("column")
            self._words()
        self._panel = self._built(tab.view)
        self._tell()
        ui.context.client.on_disconnect(self._close)

    def _chooser(self) -> None:
        heading("consortium explorer", 1)
        with ui.element("div").classes("chooser"):
            names = shipped()
            self._shipped = ui.select(
                names, value=self._tab.view.source if self._tab.view.source in names else None,
                label="shipped scenario", with_input=True, on_change=lambda event: self._open(event.value),
            )  # fmt: skip
            path = ui.input("or the path of a file")
            path.on("keydown.enter", lambda: self._open(path.value))
            upload = ui.upload(auto_upload=True, max_file_size=MAX_BYTES, on_upload=self._read).classes("hidden")
            buttons(open=lambda: self._open(path.value), upload_a_file=lambda: upload.run_method("pickFiles"))

    async def _open(self, source: str | None) -> None:
        if source and source.strip() and source != self._tab.view.source:
            named = source.strip()
            if await self._tab.look(lambda: View.opened(named), anew=True):
                self._shipped.set_value(named if named in self._shipped.options else None)

    async def _read(self, event: Any) -> None:
        text = (await event.file.read()).decode("utf-8", errors="replace")
        if await self._tab.look(lambda: View.read(text, event.file.name), anew=True):
            self._shipped.set_value(None)

    def _words(self) -> None:
        with card("The command line of what you see"):
            self._command = ui.label().classes("command")
            self._hint = ui.label(f"Save the file below as {SAVED} first.")
            buttons(copy_command=lambda: ui.clipboard.write(self._command.text))
        with card("The scenario file of what you see"):
            self._file = ui.textarea().classes("file").props("outlined rows=18 aria-label='scenario file'")
            buttons(
                apply_changes=self._apply,
                copy_file=lambda: ui.clipboard.write(self._file.value),
                save_file=lambda: ui.download.content(self._file.value.encode(), Path(SAVED).name),
            )

    async def _apply(self) -> None:
        await self._tab.look(lambda: View.read(self._file.value), anew=True)

    async def _show(self, anew: bool) -> None:
        """Show what the tab looks at."""
        if anew:
            self._panel = self._built(self._tab.view)
            self._tell()
        await self.refresh()

    async def _answer(self) -> None:
        try:
            with self._tab.complaining():
                await soon(self._panel.refresh(), self._tell)
        finally:
            self._tell()

    def _tell(self) -> None:
        view = self._tab.view
        self._command.text = view.command("run")
        self._hint.set_visibility(not view.saved)
        self._file.value = view.file

    def _built(self, view: View) -> Panel:
        self._tab.desk.stop_if_busy()
        if self._tasks is not None:
            self._tasks.close()
        self._title.content = text(f"{view.scenario.label} ({view.kind.name})")
        self._middle.clear()
        with self._middle:
            kind = view.scenario.kind
            panel: Panel = load(PANELS[kind])(self._tab) if kind in PANELS else TablesPanel(self._tab)
            self._tasks = Tasks(self._tab, panel.asked)
        return panel

    def _close(self) -> None:
        self._tab.desk.stop()
        if self._tasks is not None:
            self._tasks.close()
