"""The page's part for declarations: sliders and fields, the plan and what happens, the curve with the point on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, Final

from ...reports.tables import tables_of
from ..desk import Latest
from ..nice import ui
from ..parts import Waiting, as_html, buttons, card, dot, drawing, rule_choice, tables
from ..tab import Tab
from ..view import View
from . import state

THROTTLE: Final = 0.03
"""Seconds between two messages of a slider that moves."""
REST: Final = 0.15
"""Seconds for which something has been looked at before its curve is sought."""


class Knob:
    """A slider and a field for one number of one agent; the field takes any exact number.

    The slider is the browser's own, which can be reached and read out everywhere.
    """

    def __init__(self, tab: Tab, scale: state.Scale, label: str, change: Callable[[View, Any], View]) -> None:
        self._tab, self._scale, self._change = tab, scale, change
        self._shown = Fraction(0)
        self._written: Fraction | None = None
        ui.label(label)
        self._slider = ui.element("input").props(f"type=range min=1 max={scale.positions} step=1")
        self._slider.on("input", self._moved, throttle=THROTTLE, js_handler="(e) => emit(Number(e.target.value))")
        self._field = ui.input().props("dense outlined")
        self._field.on("keydown.enter", self._entered)
        self._field.on("blur", self._entered)
        for part, said in ((self._slider, "slider"), (self._field, "number")):
            part.props["aria-label"] = f"{label}: {said}"

    def show(self, value: Fraction) -> None:
        """The number as it is; the slider stays where a hand has moved it since."""
        if value != self._shown:
            self._shown = value
            self._slider.props["value"] = self._scale.position(value)
        if value != self._written:  # else somebody may be writing there
            self._written = value
            self._field.value = self._slider.props["aria-valuetext"] = str(value)
        self._slider.update()

    async def _moved(self, event: Any) -> None:
        self._shown = self._scale.value(int(event.args))
        with self._slider.props.suspend_updates():  # the browser shows it already
            self._slider.props["value"] = int(event.args)
        await self._set(self._shown)

    async def _entered(self) -> None:
        if self._field.value.strip() != str(self._shown):
            await self._set(state.number(self._field.value))

    async def _set(self, value: Fraction | str) -> None:
        self._written = None  # whatever stands there, the exact number takes its place
        if not await self._tab.look(lambda: self._change(self._tab.view, value)):
            self._field.value = str(self._shown)


class DeclarationPanel:
    """See the module."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self._scale = state.Scale.over(tab.view)
        self._whose = 0
        self._record: Mapping[str, Any] | None = None
        self._curves: dict[tuple[str, int], Mapping[str, Any]] = {}
        self._knobs: list[tuple[Knob, Knob]] = []
        self._draw_curve = Latest(self._curve)
        with ui.element("div").classes("panel"):
            with ui.element("div").classes("column"):
                self._rules()
                self._agents()
            with ui.element("div").classes("column"):
                self._charts()

    def _rules(self) -> None:
        tab = self._tab
        with card("Rule"):
            rule_choice(tab, anew=True)
            known = state.penalties(tab.view)
            if known:
                now = state.penalty(tab.view)
                options = known if now is None or now in known else [*known, now]
                ui.select(
                    options,
                    value=now,
                    label="penalty (a name or a number)",
                    new_value_mode="add-unique",
                    with_input=True,
                    on_change=self._chooser(lambda view, value: view.changed({"mechanism.penalty": value})),
                )
            ui.select(
                state.goals(), value=state.goal(tab.view), label="goal", on_change=self._chooser(state.under_goal)
            )

    def _chooser(self, change: Callable[[View, str], View]) -> Callable[[Any], Any]:
        async def changed(event: Any) -> None:
            if event.value is not None:
                await self._tab.look(lambda: change(self._tab.view, event.value), anew=True)

        return changed

    def _agents(self) -> None:
        for agent, name in enumerate(self._tab.view.scenario.spec.names):
            with card(f"Agent {name}", "agent"):
                dot(agent)
                self._knobs.append((self._knob("has", agent, state.has), self._knob("declares", agent, state.declares)))
                buttons(tell_the_truth=self._truth(agent))

    def _knob(self, label: str, agent: int, change: Callable[[View, int, Any], View]) -> Knob:
        return Knob(self._tab, self._scale, label, lambda view, value: change(view, agent, value))

    def _truth(self, agent: int) -> Callable[[], Any]:
        async def tell() -> None:
            await self._tab.look(lambda: state.truthful(self._tab.view, agent))

        return tell

    def _charts(self) -> None:
        with card("Planned (pale, above) and what happens (below)"):
            self._schedule = drawing()
        with card("Utility against what is declared"):
            names = self._tab.view.scenario.spec.names
            if len(names) > 1:
                ui.toggle(dict(enumerate(names)), value=0, on_change=self._other).props(
                    "no-caps dense padding='4px 14px'"
                )
            self._waiting = Waiting(self._tab)
            self._chart = drawing()
            buttons(find_the_lie_that_pays_most=self._best)
            self._said = ui.label().classes("said").props("role=status")
        with card("What everybody gets"):
            self._tables = tables()

    async def _other(self, event: Any) -> None:
        self._whose = int(event.value)
        self._said.text = ""
        await self._draw_curve()

    async def refresh(self) -> None:
        """Answer what is looked at now; the curve follows when that has rested for a moment."""
        view = self._tab.view
        record = await self._tab.desk.run(state.played, view)
        if view is not self._tab.view:
            return  # there is something newer to answer
        self._record = record
        self._schedule.content = state.schedule(record)
        self._tables.content = as_html(tables_of(record))
        for (length, told), row in zip(self._knobs, record["agents"], strict=True):
            length.show(Fraction(row["length"]))
            told.show(Fraction(row["declares"]))
        if not self._draw_known():
            with self._chart:
                ui.timer(REST, partial(self._rested, view), once=True)

    async def _rested(self, view: View) -> None:
        """Draw the curve of what is still looked at: while a slider moves, curves would hold its answers up."""
        if view is self._tab.view:
            await self._draw_curve()

    def _draw_known(self) -> bool:
        """Draw the curve where it is known already."""
        found = self._curves.get(self._key())
        if found is None or self._record is None:
            return False
        self._chart.content = state.utility_chart(found, self._record, self._whose)
        return True

    def _key(self) -> tuple[str, int]:
        return state.truthful(self._tab.view, self._whose).file, self._whose

    async def _curve(self) -> None:
        if self._draw_known():
            return
        key, view, whose = self._key(), self._tab.view, self._whose
        self._waiting.begin("looking for the curve")
        try:
            with self._tab.complaining():
                ask = partial(state.utilities, agent=whose, scale=self._scale)
                name = view.scenario.spec.names[whose]
                found = await self._tab.desk.run(ask, view, "curve", agent=name)
                self._curves = {key: found} if len(self._curves) > 50 else {**self._curves, key: found}
                self._draw_known()
        finally:
            self._waiting.end()

    async def _best(self) -> None:
        await self._draw_curve()
        found = self._curves.get(self._key())
        if found is None:
            return
        self._said.text = state.said_of_best(found)
        best = Fraction(found["best"]["declares"])
        await self._tab.look(lambda: state.declares(self._tab.view, self._whose, best))

    def asked(self, verb: str, record: Mapping[str, Any]) -> None:
        """Nothing on this panel waits for long answers."""
