"""A shared pool under two rules: the schedules, and what everybody received minus what she contributed, over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from ..reports.sharing import figures
from ..reports.tables import tables_of
from ..verbs.dispatch import ask
from ..verbs.sharing.records import OrganizationRow, RunRecord
from .answers import Latest
from .drawing import Line, as_html, chart, gantt
from .parts import Waiting, card, drawing, rule_choice, tables
from .tab import Panel, Tab, ui
from .view import View, played

MOMENTS: Final = 24
"""Moments of the balance over time."""
SECONDS: Final = 5.0
"""How long one schedule may take."""
MEASURE: Final[Mapping[str, Any]] = {"mechanism": {"rule": "ref", "timing": "next"}}
"""The rule whose contributions are Shapley values."""


@dataclass(frozen=True)
class Balance:
    """psi - phi of every organization at ``times``: what its jobs received, less what its machines contributed."""

    times: tuple[int, ...]
    received: Mapping[str, tuple[Any, ...]]


def others(view: View) -> list[str]:
    """Rules to hold against the one of the scenario."""
    return [name for name in view.rules() if name != view.rule]


def balance(view: View) -> Balance:
    """Follow a scenario: at each moment the utility under its rule, less the contribution that REF finds then."""
    until = view.scenario.spec.until
    times = sorted({until * (i + 1) // MOMENTS for i in range(MOMENTS)} - {0})
    rows: dict[str, list[Any]] = {}
    for moment in times:
        got, due = (_followed(view, {"until": moment, **changes}) for changes in ({}, MEASURE))
        for mine, worth in zip(got, due, strict=True):
            assert worth.contribution is not None  # REF always knows its Shapley values
            rows.setdefault(mine.name, []).append(mine.utility - worth.contribution)
    return Balance(tuple(times), {name: tuple(values) for name, values in rows.items()})


def _followed(view: View, changes: Mapping[str, Any]) -> Sequence[OrganizationRow]:
    """What everybody has in a variant of the scenario, without holding it against the reference."""
    options = {"measure": False, "time_limit": SECONDS}
    own = {} if "mechanism" in changes else view.options()
    record = ask("run", view.scenario, own | options, overrides=changes)
    assert isinstance(record, RunRecord)  # the verb's record of this kind
    return record.organizations


def balance_chart(shares: Balance) -> str:
    """A line for every organization; above zero it got more than it gave."""
    lines = [
        Line([list(zip(shares.times, values, strict=True))], group, name)
        for group, (name, values) in enumerate(shares.received.items())
    ]
    return chart(lines, [], "time", "received minus contributed (unit jobs × time)", "received minus contributed")


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
        record = await self._tab.desk.run(partial(played, time_limit=SECONDS), view)
        if view is not self.view:
            return  # there is something newer to answer
        self._name.text = f"rule {view.rule}"
        self._schedule.content = gantt(figures.gantt(record))
        self._tables.content = as_html(tables_of(record)[:1])
        self._balance.content = ""
        self._tab.follow(self._balance, self._follow)

    async def _followed(self) -> None:
        """Find out what everybody has over time."""
        view = self.view
        if view is None or view.scenario.spec.trace is not None:
            self._waiting.end("The jobs come from a log; `consortium audit` follows logs over time.")
            return
        shares = await self._waiting.fetch("following the schedule", "Stopped.", self._tab.desk.ask(balance, view))
        if view is self.view:
            self._balance.content = "" if shares is None else balance_chart(shares)


class SharingPanel(Panel):
    """See the module."""

    def __init__(self, tab: Tab) -> None:
        super().__init__(tab)
        self._against: str | None = None
        with ui.element("div").classes("column"):
            with card("Rule"), ui.element("div").classes("pair"):
                with ui.element("div"):
                    rule_choice(tab)
                with ui.element("div"):
                    self._held = ui.select(
                        others(tab.view), label="held against", clearable=True, on_change=self._other
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
            self._held.set_options(others(self._tab.view))
        await self._mine.show(self._tab.view)
        await self._show_theirs()
