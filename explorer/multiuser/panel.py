"""The page's part for users of the same machines: the Pareto points to choose from, and the schedule of the chosen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...reports.tables import Table, counted, more
from ...support.errors import ConsortiumError
from ..desk import TOO_LATE, Latest, StoppedError
from ..nice import ui
from ..parts import Waiting, as_html, buttons, card, choosable, drawing, rule_choice, tables
from ..tab import Tab
from . import state


class MultiuserPanel:
    """See the module."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self._front: state.Front | None = None
        self._record: Mapping[str, Any] | None = None
        self._here: tuple[Any, ...] | None = None
        self._look_for_front = Latest(self._find_front)
        names = tab.view.scenario.spec.names
        self._axes = [0, min(1, len(names) - 1)]
        with ui.element("div").classes("panel"):
            with ui.element("div").classes("column"):
                with card("Rule"):
                    rule_choice(tab)
                if len(names) > 2:
                    with card("Axes"):
                        for axis, label in enumerate(("across", "up")):
                            ui.select(dict(enumerate(names)), value=axis, label=label, on_change=self._turn(axis))
                with card("What everybody gets"):
                    self._values = tables()
                    self._command = ui.label().classes("command said")
            with ui.element("div").classes("column"):
                with card("Pareto points: choose one"):
                    self._waiting = Waiting(tab)
                    self._chart = choosable(self._choose)
                    buttons(back_to_the_rule=self._back)
                with card("Schedule"):
                    self._schedule = drawing()

    def _turn(self, axis: int) -> Any:
        def changed(event: Any) -> None:
            self._axes[axis] = int(event.value)
            self._draw()

        return changed

    async def refresh(self) -> None:
        """Answer what is looked at now; the Pareto set follows as soon as it is known."""
        view = self._tab.view
        record = await self._tab.desk.run(state.played, view)
        if view is not self._tab.view:
            return  # there is something newer to answer
        self._front = self._here = None
        self._record = record
        self._show(record, "")
        self._tab.desk.stop_if_busy(TOO_LATE)
        with self._chart:
            ui.timer(0, self._look_for_front, once=True)

    async def _find_front(self) -> None:
        """Find the Pareto set."""
        view = self._tab.view
        self._waiting.begin("looking for the Pareto set")
        try:
            found = await self._tab.desk.ask(state.front, view)
        except StoppedError:
            self._waiting.end("Stopped: the Pareto set is not known.")
            return
        except ConsortiumError as error:
            self._waiting.end(str(error))
            return
        if view is not self._tab.view:
            return  # it is looked for again
        self._front = found
        self._waiting.end(more(found.left_out) or counted(len(found.points), "point"))
        self._draw()

    def _draw(self) -> None:
        if self._front is not None and self._record is not None:
            x, y = self._axes
            self._chart.content = state.front_chart(self._tab.view, self._front, (x, y), self._here, self._record)

    async def _choose(self, key: str) -> None:
        if self._front is None:
            await self._look_for_front()  # of another rule, which is under way
        if self._front is None:
            return
        with self._tab.complaining():
            self._here = self._front.points[int(key)]
            found, record = await self._tab.desk.ask(state.chosen, self._tab.view, self._here)
            self._show(record, found.command("run") if found is not None else state.NO_COMMAND)
            self._draw()

    async def _back(self) -> None:
        self._here = None
        if self._record is not None:
            self._show(self._record, "")
            self._draw()

    def _show(self, record: Mapping[str, Any], command: str) -> None:
        heads = ("user", "objective", "value", "zenith", "nadir")
        self._values.content = as_html([Table("", heads, tuple(state.values(record)))])
        self._schedule.content = state.schedule(record) or "This rule gives no schedule by itself: choose a point."
        self._command.text = command

    def asked(self, verb: str, record: Mapping[str, Any]) -> None:
        """Nothing on this panel waits for long answers."""
