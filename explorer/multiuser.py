"""Users of the same machines: the Pareto points to choose from, and the schedule of the chosen one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, Final

from ..reports.multiuser import figures
from ..reports.tables import counted, more, tables_of
from ..support.errors import ConsortiumError
from ..verbs.dispatch import ask
from .answers import Latest
from .drawing import Mark, as_html, chart, gantt, signs
from .parts import Waiting, buttons, card, choosable, drawing, rule_choice, tables
from .tab import Panel, Tab, ui
from .view import View, played

LISTED: Final = 300
"""Most points that are drawn."""
BY_THRESHOLDS: Final = ("edf", "lst")
"""Rules that look for a schedule within everybody's threshold."""


@dataclass(frozen=True)
class Front:
    """Pareto points, each a value per user as records write it, and how many are not listed."""

    points: tuple[tuple[Any, ...], ...]
    left_out: int


def front(view: View) -> Front:
    """The Pareto set, as the scenario asks for it or else exact. Raises TooLargeError where it is out of reach."""
    exact = {"mechanism": {"rule": "pareto"}, "fairness": None}
    changes = {} if view.rule == "pareto" else exact
    record = ask("run", view.scenario, {"list": LISTED}, overrides=changes).to_dict()
    return Front(tuple(map(tuple, record["pareto"])), record["pareto_left_out"] or 0)


def at(view: View, point: Sequence[Any]) -> View | None:
    """The scenario whose answer is this point, with everybody's value as threshold; ``None`` where no rule finds it."""
    objectives = [user.objective for user in view.scenario.spec.users]
    for rule in BY_THRESHOLDS:
        limits = [value if objective == "makespan" else "none"
                  for value, objective in zip(point, objectives, strict=True)]  # fmt: skip
        try:
            other = view.under(rule).changed({"mechanism": {"rule": rule, "thresholds": limits}})
            if tuple(played(other)["point"] or ()) == tuple(point):
                return other
        except ConsortiumError:
            continue  # a rule for other objectives, or out of reach
    return None


class Promise:
    """A rule of one's own that promises a point; the schedule that keeps it is looked for by the verb."""

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = tuple(map(Fraction, values))

    def point(self, community: object) -> tuple[Fraction, ...]:
        """The values."""
        return self.values


def chosen(view: View, point: Sequence[Any]) -> tuple[View | None, Mapping[str, Any]]:
    """The scenario that a rule answers with this point, where there is one, and the record with its schedule."""
    other = at(view, point)
    if other is not None:
        return other, played(other)
    return None, ask("run", view.scenario, {"mechanism": Promise(point)}).to_dict()


def front_chart(
    view: View, pareto: Front, axes: tuple[int, int], here: Sequence[Any] | None, best: Mapping[str, Any]
) -> str:
    """The points over two users' values; those that can be chosen carry their number as key.

    ``best``: the record of the scenario as it stands, with everybody's zenith and the point of its rule.
    """
    users, (x, y) = best["users"], axes
    chosen = None if here is None else tuple(here)
    marks = [
        Mark(point[x], point[y], figures.point_text(users, point), key=str(i), chosen=point == chosen)
        for i, point in enumerate(pareto.points)
    ]
    if best["point"] is not None:
        hint = f"the rule of the scenario: {figures.point_text(users, best['point'])}"
        marks.append(Mark(best["point"][x], best["point"][y], hint, shape="star", group=5))
    if None not in (users[x]["zenith"], users[y]["zenith"]):
        hint = "zenith: everybody alone on the machines"
        marks.append(Mark(users[x]["zenith"], users[y]["zenith"], hint, shape="ring", group=2))
    across, up = (figures.axis_text(users[u]) for u in axes)
    drawn = chart([], marks, across, up, f"Pareto points of {view.scenario.label}")
    return drawn + signs(dot="Pareto points", star="the point of the rule", ring="zenith: everybody alone")


NO_COMMAND: Final = "No rule of the command line finds this point; in Python a rule of your own may promise it."
"""Said of points without a command."""


class MultiuserPanel(Panel):
    """See the module."""

    def __init__(self, tab: Tab) -> None:
        super().__init__(tab)
        self._front: Front | None = None
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
                            ui.select(
                                dict(enumerate(names)), value=axis, label=label, on_change=partial(self._turn, axis)
                            )
                with card("What everybody gets"):
                    self._values = tables()
                    self._command = ui.label().classes("command status")
            with ui.element("div").classes("column"):
                with card("Pareto points: choose one"):
                    self._waiting = Waiting(tab)
                    self._chart = choosable(self._choose)
                    buttons(back_to_the_rule=self._back)
                with card("Schedule"):
                    self._schedule = drawing()

    def _turn(self, axis: int, event: Any) -> None:
        self._axes[axis] = int(event.value)
        self._draw()

    async def refresh(self) -> None:
        """Answer what is looked at now; the Pareto set follows as soon as it is known."""
        view = self._tab.view
        record = await self._tab.desk.run(played, view)
        if view is not self._tab.view:
            return  # there is something newer to answer
        self._front = self._here = None
        self._chart.content = ""
        self._record = record
        self._show(record, "")
        self._tab.follow(self._chart, self._look_for_front)

    async def _find_front(self) -> None:
        """Find the Pareto set."""
        view = self._tab.view
        answer, stopped = self._tab.desk.ask(front, view), "Stopped: the Pareto set is not known."
        pareto = await self._waiting.fetch("looking for the Pareto set", stopped, answer)
        if pareto is None or view is not self._tab.view:
            return  # or it is looked for again
        self._front = pareto
        self._waiting.end(more(pareto.left_out) or counted(len(pareto.points), "point"))
        self._draw()

    def _draw(self) -> None:
        if self._front is not None and self._record is not None:
            x, y = self._axes
            self._chart.content = front_chart(self._tab.view, self._front, (x, y), self._here, self._record)

    async def _choose(self, key: str) -> None:
        if self._front is None:
            await self._look_for_front()  # of another rule, which is under way
        if self._front is None:
            return
        with self._tab.complaining():
            self._here = self._front.points[int(key)]
            other, record = await self._tab.desk.ask(chosen, self._tab.view, self._here)
            self._show(record, other.command("run") if other is not None else NO_COMMAND)
            self._draw()

    async def _back(self) -> None:
        self._here = None
        if self._record is not None:
            self._show(self._record, "")
            self._draw()

    def _show(self, record: Mapping[str, Any], command: str) -> None:
        self._values.content = as_html([replace(tables_of(record)[0], title="")])
        drawn = gantt(figures.gantt(record)) if record["jobs"] else ""
        self._schedule.content = drawn or "This rule gives no schedule by itself: choose a point."
        self._command.text = command
