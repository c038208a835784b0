"""The page: a chooser, the part of the scenario's kind, longer questions, the file and the command of what is seen.

Long questions are asked in the background, with a word about how far they are and a button to stop. One style sheet
serves light and dark, a telephone and a wide screen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from ..reports.display import STYLE as TABLES
from ..reports.tables import tables_of
from ..scenarios.reader import shipped
from ..support.loading import load
from .answers import LARGE, Latest, Work, soon
from .drawing import as_html, text
from .parts import Waiting, buttons, card, heading, tables
from .tab import Panel, Tab, ui
from .tours import Guide, tours
from .view import MAX_BYTES, SAVED, View, played

FIRST: Final = "minimal/declaration"
"""What is shown when nothing is asked for."""
ICON: Final = "⚖️"
MOST: Final = 100
"""Most things that a page can move by hand: with thousands a browser stands still."""


def register(first: View) -> None:
    """Make the page, to be served; each visit is a tab of its own that begins with this scenario, read anew."""

    @ui.page("/")
    async def explorer() -> None:
        ui.add_css(STYLE + TABLES)
        page = Page(Tab(first))
        ui.timer(0, page.begin, once=True)  # the page comes first, the answers when it is there


class TablesPanel(Panel):
    """Tables of the answer: for kinds that bring no part of their own, and for what is too large to be moved by hand.

    They are made where the answer is.
    """

    def __init__(self, tab: Tab) -> None:
        super().__init__(tab)
        with card("Answer"):
            if tab.view.kind.panel:
                ui.label("There is too much to be moved by hand: change the file below.")
            self._waiting = Waiting(tab)
            self._tables = tables()

    async def refresh(self) -> None:
        """Answer what is looked at now."""
        view = self._tab.view
        self._tables.content = ""
        answer = await self._waiting.fetch("answering", "Stopped.", self._tab.desk.run(_tables, view))
        if answer is not None and view is self._tab.view:
            self._tables.content = answer


def _tables(view: View) -> str:
    return as_html(tables_of(played(view)))


def panel_of(view: View) -> type[Panel]:
    """The part of the page for a scenario."""
    if not view.kind.panel or len(view.file) > LARGE:
        return TablesPanel
    panel: type[Panel] = load(view.kind.panel)
    return panel if panel.parts(view) <= MOST else TablesPanel


UNSAVED: Final = f"Save the file below as {SAVED} first."
UNAPPLIED: Final = "The file below has changes that are not applied yet."


class Page:
    """The parts of one tab."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self._panel: Panel | None = None
        self._tasks: Tasks | None = None
        self._displayed: View | None = None
        self.refresh = Latest(self._answer)
        tab.on_view = self._show
        with ui.element("main").classes("page"):
            self._chooser()
            tab.place_for_trouble()
            self._title = heading("", 2)
            self._middle = ui.element("div").classes("column")
            self._words()
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
            refused = f"the file cannot be uploaded; expected one of at most {MAX_BYTES:,} bytes"
            upload = ui.upload(
                auto_upload=True, max_file_size=MAX_BYTES, on_upload=self._read,
                on_rejected=lambda: self._tab.complain(refused),
            ).classes("hidden")  # fmt: skip
            buttons(open=lambda: self._open(path.value), upload_a_file=lambda: upload.run_method("pickFiles"))
            tour = ui.select(list(tours()), label="guided tour", clearable=True)
        guide = Guide(self._tab, lambda: self._shipped.set_value(self._tab.view.source))
        tour.on_value_change(lambda event: guide.begin(event.value))

    async def begin(self) -> None:
        """Show the file as it is now, or what it was when the server began."""
        source, own = self._tab.view.source, self._tab.view.own
        if not await self._tab.open(source, partial(View.opened, source, own.reference if own else None)):
            await self._show(anew=True)

    async def _open(self, source: str | None) -> None:
        if source and source.strip() and source != self._tab.view.source:
            named = source.strip()
            if await self._tab.open(named, partial(View.opened, named)):
                self._shipped.set_value(named if named in self._shipped.options else None)

    async def _read(self, event: Any) -> None:
        text = (await event.file.read()).decode("utf-8", errors="replace")
        if await self._tab.open(event.file.name, partial(View.read, text, event.file.name)):
            self._shipped.set_value(None)

    def _words(self) -> None:
        with card("The command line of what you see"):
            self._command = ui.label().classes("command")
            self._hint = ui.label()
            buttons(copy_command=lambda: ui.clipboard.write(self._command.text))
        with card("The scenario file of what you see"):
            self._file = ui.textarea(on_change=self._guide).classes("file")
            self._file.props("outlined rows=18 aria-label='scenario file'")
            buttons(
                apply_changes=self._apply,
                copy_file=lambda: ui.clipboard.write(self._file.value),
                save_file=lambda: ui.download.content(self._file.value.encode(), Path(SAVED).name),
            )

    async def _apply(self) -> None:
        await self._tab.open(SAVED, partial(View.read, self._file.value, own=self._tab.view.own))

    async def _show(self, anew: bool) -> None:
        """Show what the tab looks at."""
        if anew:
            self._panel = self._built(self._tab.view)
            self._tell()
        if self._tasks is not None:
            self._tasks.on_view()
        await self.refresh()

    async def _answer(self) -> None:
        try:
            if self._panel is not None:
                with self._tab.complaining():
                    await soon(self._panel.refresh(), self._tell)
        finally:
            self._tell()

    def _tell(self) -> None:
        view = self._tab.view
        if view is not self._displayed:  # else a late answer would take back what is being written
            self._displayed = view
            self._command.text = view.command("run")
            self._file.value = view.file
            self._guide()

    def _guide(self) -> None:
        """Say what is to be done before the command shows the same; what is being written is not yet looked at."""
        written = self._file.value != self._tab.view.file
        self._hint.text = UNAPPLIED if written else UNSAVED
        self._hint.set_visibility(written or not self._tab.view.saved)

    def _built(self, view: View) -> Panel:
        self._tab.desk.stop_if_busy()
        if self._tasks is not None:
            self._tasks.close()
        self._title.content = text(f"{view.scenario.label} ({view.kind.name})")
        self._middle.clear()
        with self._middle:
            panel = panel_of(view)(self._tab)
            self._tasks = Tasks(self._tab, panel.on_answer)
        return panel

    def _close(self) -> None:
        self._tab.desk.stop()
        if self._tasks is not None:
            self._tasks.close()


STYLE: Final = """
:root { --edge: #8886; --paper: #fff; --soft: #f3f5f8; }
.body--dark { --paper: #1d1f23; --soft: #26292f; }
body { background: var(--paper); }
.nicegui-content { padding: 0; display: block; }
.page { max-width: 1500px; margin: 0 auto; padding: 12px 20px 40px; display: grid; gap: 14px; }
.page > *, .panel > *, .card > *, .column > * { min-width: 0; max-width: 100%; }
.page .q-field__native > span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.page .q-field__native { min-width: 0; flex-wrap: nowrap; }
.card > .q-btn-toggle { justify-self: start; }
.page h1 { font-size: 1.25rem; line-height: 1.4; margin: 0; font-weight: 600; letter-spacing: 0; }
.page h2 { font-size: 1rem; line-height: 1.4; margin: 0; font-weight: 600; letter-spacing: 0; }
.page h3 { font-size: .9rem; line-height: 1.4; margin: 0 0 4px; font-weight: 600; letter-spacing: 0; }
.chooser { display: flex; flex-wrap: wrap; gap: 10px 16px; align-items: end; }
.chooser > .q-field { flex: 1 1 240px; min-width: 0; }
.hidden { display: none; }
.trouble { border-left: 4px solid #D55E00; background: var(--soft); padding: 8px 12px; white-space: pre-wrap;
  overflow-wrap: anywhere; }
.trouble:empty, .status:empty { display: none; }
.panel { display: grid; grid-template-columns: minmax(280px, 360px) 1fr; gap: 14px 24px; align-items: start; }
.column { display: grid; gap: 14px; min-width: 0; }
.card { border: 1px solid var(--edge); border-radius: 8px; padding: 10px 14px 14px; display: grid; gap: 8px;
  min-width: 0; }
.agent { display: grid; grid-template-columns: 62px 1fr 92px; gap: 4px 10px; align-items: center; }
.agent h2 { grid-column: 1 / 3; grid-row: 1; overflow-wrap: anywhere; }
.agent > .dot { grid-column: 3; grid-row: 1; justify-self: end; }
.buttons { grid-column: 1 / -1; }
.agent input[type=range] { width: 100%; accent-color: #0072B2; }
.dot { display: inline-block; width: 12px; height: 12px; border-radius: 3px; flex: none; }
.wish { display: grid; grid-template-columns: 1fr auto; gap: 8px; align-items: center; }
.buttons { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
.old { opacity: .35; }
.plot { display: grid; grid-template-columns: auto 1fr; }
.plot svg { display: block; overflow: visible; font-size: 12px; fill: currentColor; }
.plot svg svg { overflow: hidden; }
.plot .body { width: 100%; }
.plot text.left { text-anchor: end; dominant-baseline: middle; }
.plot text.tick { text-anchor: middle; opacity: .8; }
.plot text.across { text-anchor: end; opacity: .8; }
.plot text.inside { text-anchor: middle; dominant-baseline: central; fill: #000; stroke: #fff; stroke-width: 3px;
  paint-order: stroke; font-size: 11px; }
.plot text.sign { text-anchor: middle; dominant-baseline: central; font-size: 22px; stroke: currentColor;
  stroke-width: .7px; }
.plot .rule { stroke: var(--edge); stroke-width: .6px; }
.plot .axis, .plot .tick { stroke: currentColor; stroke-width: .7px; }
.plot text.tick { stroke: none; }
.plot .zero { stroke: currentColor; stroke-width: 1px; }
.plot .until { stroke: currentColor; stroke-dasharray: 4 4; }
.plot .bar { stroke: #000; stroke-width: .6px; }
.plot .framed { stroke: currentColor; stroke-width: 2.4px; }
.plot .pale { opacity: .35; }
.plot .line { stroke-width: 2.2px; fill: none; }
.plot .mark circle { stroke-width: 2px; }
.plot .mark .target { fill: transparent; stroke: none; cursor: pointer; }
.plot .mark.chosen circle:first-of-type { stroke: currentColor !important; stroke-width: 2.5px; }
.plot .mark:focus-visible { outline: 3px solid #0072B2; outline-offset: 2px; }
.up { font-size: 12px; opacity: .8; margin-bottom: 8px; }
.key { display: flex; flex-wrap: wrap; gap: 2px 14px; font-size: 12px; }
.key i { display: inline-block; width: 11px; height: 11px; margin-right: 5px; border-radius: 2px; }
.board { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 10px; margin-bottom: 8px; }
.host { border: 1.5px dashed var(--edge); border-radius: 8px; padding: 8px; min-height: 76px; }
.job { display: inline-block; border: 1px solid var(--edge); border-left-width: 9px; border-radius: 6px;
  padding: 3px 8px; margin: 2px; cursor: grab; background: var(--soft); }
.job:focus-visible, .job.picked { outline: 3px solid currentColor; outline-offset: 1px; }
.file textarea { font-family: ui-monospace, monospace; font-size: 12.5px; line-height: 1.45; }
.command { font-family: ui-monospace, monospace; font-size: 12.5px; background: var(--soft); padding: 8px 10px;
  border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; }
.tables { overflow-x: auto; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 430px), 1fr)); gap: 14px; }
.pair > * { min-width: 0; }
@media (max-width: 860px) { .panel { grid-template-columns: minmax(0, 1fr); } .page { padding: 8px 10px 30px; } }
@media (max-width: 480px) { .card { padding: 8px 10px 10px; } }
"""


OFTEN: Final = 0.2
"""Seconds between two looks at how far it is."""
LONG: Final = ("search", "verify", "prove", "compare")
"""Verbs that are asked here, where the kind has them."""


class Tasks:
    """The part of a tab where long questions are asked; one at a time."""

    def __init__(self, tab: Tab, on_answer: Callable[[str, Mapping[str, Any]], None]) -> None:
        self._tab, self._on_answer = tab, on_answer
        self._work: Work | None = None
        self._view, self._summary = tab.view, ""
        verbs = {verb.name for verb in tab.view.kind.verbs}
        with card("Longer questions"):
            self._buttons = buttons(
                **{verb: partial(self._ask, verb) for verb in LONG if verb in verbs}, stop=self._stop
            )
            self._status = ui.label().classes("status").props("role=status")
            self._command = ui.label().classes("command status")
            self._tables = tables()
        self._timer = ui.timer(OFTEN, self._look, active=False)
        self._buttons["stop"].disable()

    def close(self) -> None:
        """Nobody waits for the answer any more."""
        if self._work is not None:
            self._work.close()

    def on_view(self) -> None:
        """Something else is looked at: what was asked before is not about it."""
        self._say(self._summary)

    def _say(self, text: str) -> None:
        self._summary = text
        earlier = text and self._view is not self._tab.view
        self._status.text = f"{text} (asked before the last change)" if earlier else text

    def _ask(self, verb: str) -> None:
        if self._work is not None:
            return
        self._view = self._tab.view
        self._work, self._command.text = Work(verb, self._view), self._view.command(verb)
        self._tables.content = ""
        self._say(f"{verb}: starting")
        self._enable(False)
        self._timer.activate()

    def _stop(self) -> None:
        if self._work is not None:
            self._work.stop()

    def _look(self) -> None:
        if self._work is None:
            return
        ended, verb = self._work.look(), self._work.verb
        self._say(f"{verb}: {self._work.status}")
        if not ended:
            return
        answer, tables, trouble = self._work.answer, self._work.tables, self._work.trouble
        self._work.close()
        self._work = None
        self._timer.deactivate()
        self._enable(True)
        if answer is None:
            self._say(f"{verb}: {trouble}")
            return
        self._say(f"{verb}: {'answered' if answer['complete'] else 'stopped; this is what is known'}")
        self._tables.content = tables
        self._on_answer(verb, answer)

    def _enable(self, ready: bool) -> None:
        for name, button in self._buttons.items():
            button.set_enabled(ready != (name == "stop"))
