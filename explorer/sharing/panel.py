"""The page's part for shared pools: the schedule and the balance of everybody over time, one rule beside another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...reports.tables import tables_of
from ...support.errors import ConsortiumError
from ..desk import TOO_LATE, Latest
from ..nice import ui
from ..parts import Waiting, as_html, card, drawing, rule_choice, tables
from ..tab import Tab
from ..view import View
from . import state


class Side:
    """What happens under one rule."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self.view: View | None = None
        self._follow = Latest(self._followed)
        with ui.element("div").classes("column"):
            with card("Schedule"):
                self._name = ui.label()
                self._schedule = drawing()
            with card("Received minus contributed"):
                self._waiting = Waiting(tab)
                self._balance = drawing()
            with card("What everybody has"):
                self._tables = tables()

    async def show(self, view: View) -> None:
        """The schedule, and as soon as it is known the balance over time."""
        self.view = view
        record = await self._tab.desk.run(state.played, view)
        if view is not self.view:
            return  # there is something newer to answer
        self._name.text = f"rule {view.rule}"
        self._schedule.content = state.schedule(record)
        self._tables.content = as_html(tables_of(record)[:1])
        self._tab.desk.stop_if_busy(TOO_LATE)
        with self._balance:
            ui.timer(0, self._follow, once=True)

    async def _followed(self) -> None:
        """Find out what everybody has over time."""
        view = self.view
        if view is None or not state.follows(view):
            self._waiting.end("The jobs come from a log; `consortium audit` follows logs over time.")
            return
        self._waiting.begin("following the schedule")
        try:
            found = state.balance_chart(await self._tab.desk.ask(state.balance, view))
        except ConsortiumError as error:
            found = ""
            self._waiting.end(str(error))
        else:
            self._waiting.end()
        if view is self.view:
            self._balance.content = found


class SharingPanel:
    """See the module."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self._against: str | None = None
        with ui.element("div").classes("column"):
            with card("Rule"), ui.element("div").classes("pair"):
                with ui.element("div"):
                    rule_choice(tab)
                with ui.element("div"):
                    self._held = ui.select(
                        state.others(tab.view), label="held against", clearable=True, on_change=self._other
                    )
            with ui.element("div").classes("pair"):
                self._mine = Side(tab)
                self._place = ui.element("div").classes("column")
        self._theirs: Side | None = None

    async def _other(self, event: Any) -> None:
        self._against, self._theirs = event.value, None
        self._place.clear()
        if self._against is not None:
            with self._place:
                self._theirs = Side(self._tab)
            await self._show_theirs()

    async def _show_theirs(self) -> None:
        against = self._against
        if self._theirs is not None and against is not None:
            with self._tab.complaining():
                await self._theirs.show(self._tab.view.under(against))

    async def refresh(self) -> None:
        """Answer what is looked at now; the balances follow as soon as they are known."""
        if self._tab.view.rule in self._held.options:
            self._held.set_options(state.others(self._tab.view))
        await self._mine.show(self._tab.view)
        await self._show_theirs()

    def asked(self, verb: str, record: Mapping[str, Any]) -> None:
        """Nothing on this panel waits for long answers."""
