"""Declarations by hand: sliders for lengths and declarations, the plan, what happens, and the utility of every lie."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Final

from ..reports.declaration import figures
from ..reports.tables import tables_of
from ..scenarios.welfare import DEFAULT
from ..scheduling.goals import goal_class, goal_names
from ..scheduling.welfare import Sort, parameters, required
from ..support.errors import InputError
from ..support.exact import rational
from ..verbs.declaration.compare import named_penalties
from ..verbs.dispatch import ask
from .answers import Latest
from .drawing import Line, Mark, as_html, chart, gantt, signs
from .parts import Waiting, buttons, card, dot, drawing, rule_choice, tables
from .tab import Panel, Tab, ui
from .view import View, played

POSITIONS: Final = 400
"""Most positions of a slider."""
FEWEST: Final = 40


@dataclass(frozen=True)
class Scale:
    """The positions of a slider: position ``p`` stands for ``p * step``, exactly; 1 is the first."""

    step: Fraction
    positions: int

    @classmethod
    def over(cls, view: View) -> Scale:
        """Up to twice the largest length or declaration, in a step that meets all of them where it can.

        >>> Scale.over(View.opened("agmon2003/5.2.1"))
        Scale(step=Fraction(1, 20), positions=44)
        """
        agents = view.base.spec.agents
        values = [agent.length for agent in agents]
        values += [a.strategy.amount for a in agents if a.strategy.kind == "fixed" and a.strategy.amount]
        step = Fraction(1, math.lcm(*(value.denominator for value in values)))
        high = 2 * max(values)
        while high / step < FEWEST:
            step /= 2
        step *= math.ceil(high / step / POSITIONS)
        return cls(step, math.floor(high / step))

    def value(self, position: int) -> Fraction:
        """The number at a position."""
        return self.step * position

    def position(self, value: Fraction) -> int:
        """The position nearest to a number."""
        return min(self.positions, max(1, round(value / self.step)))


def declares(view: View, agent: int, value: Fraction | str) -> View:
    """Agent number ``agent`` (from 0) says that her job has this length. Raises ScenarioError for what is no length."""
    changes: dict[str, Any] = {f"agents[{agent + 1}].declares": value}
    if "strategy" in view.scenario.data["agents"][agent]:
        changes[f"agents[{agent + 1}].strategy"] = None  # takes the key away
    return view.changed(changes)


def number(text: str) -> Fraction | str:
    """What somebody has written, as an exact number; as it is where it is none, for the reader to say so.

    >>> number(" 0.1 "), number("ten")
    (Fraction(1, 10), 'ten')
    """
    try:
        return rational(text.strip())
    except InputError:
        return text


def has(view: View, agent: int, value: Fraction | str) -> View:
    """Her job has this length; who told the truth goes on telling it. Raises ScenarioError for what is no length."""
    now = view.scenario.spec.agents[agent]
    honest = now.strategy.kind == "fixed" and now.strategy.amount == now.length
    moved = view.changed({f"agents[{agent + 1}].length": value})
    return declares(moved, agent, value) if honest else moved


def truthful(view: View, agent: int) -> View:
    """She tells the truth."""
    plain = view.without(f"agents[{agent + 1}].declares", f"agents[{agent + 1}].strategy")
    now = plain.scenario.spec.agents[agent]
    return plain if now.strategy.kind == "truthful" else declares(plain, agent, now.length)


def under_goal(view: View, goal: str) -> View:
    """Another goal; what it needs to be told besides is filled in, to be changed in the file."""
    names = view.scenario.spec.names
    filled: dict[Sort, Any] = {
        Sort.WEIGHTS: dict.fromkeys(names, 1),
        Sort.EXPRESSION: f"-({' + '.join(names)})",
    }
    taken = parameters(goal_class(goal))
    own = {name: filled.get(taken[name].sort, 1) for name in required(goal_class(goal))}
    before = view.scenario.data.get("welfare", {})
    if not own and set(before) <= {"goal", "ties"}:
        return view.changed({"welfare.goal": goal})
    ties = {"ties": before["ties"]} if "ties" in before else {}
    return view.changed({"welfare": {"goal": goal, **own, **ties}})


def utilities(view: View, agent: int, scale: Scale) -> Mapping[str, Any]:
    """The record of ``curve`` for an agent, over the whole slider and her length, whatever she declares herself."""
    name, length = view.scenario.spec.names[agent], view.scenario.spec.agents[agent].length
    options = {"agent": name, "low": min(scale.step, length), "high": max(scale.value(scale.positions), length)}
    return ask("curve", view.scenario, view.options() | options).to_dict()


def utility_chart(curve: Mapping[str, Any], record: Mapping[str, Any], agent: int) -> str:
    """The curve of an agent, with the truth, the best lie, and where she is."""
    row, name, group = record["agents"][agent], curve["agent"], agent
    pieces, places = figures.curve_points(curve)
    marks = [Mark(place.x, place.y, place.hover, group=group, shape="ring") for place in places if place.jumps]
    meanings = {"dot": "now", "diamond": "the truth"}
    truth, best = (curve["truth"], curve["utility_truth"]), curve["best"]
    marks.append(Mark(*truth, _hint("the truth", *truth), shape="diamond", group=2))
    if pays(curve):
        meanings["star"] = "the best lie"
        marks.append(Mark(best["declares"], best["utility"], _hint("best", **best), shape="star", group=5))
    if curve["jumps"]:
        meanings["ring"] = "value where it jumps"
    here = _hint("now", row["declares"], row["utility"])
    marks.append(Mark(row["declares"], row["utility"], here, group=group, chosen=True))
    name = f"utility of {name} against what she declares"
    line = Line([(piece.start, piece.end) for piece in pieces], group, name)
    return chart([line], marks, "declares (work)", f"utility of {curve['agent']}", name) + signs(**meanings)


def _hint(what: str, declares: Any, utility: Any) -> str:
    return f"{what}: declares {declares}, utility {utility}"


def goal(view: View) -> str:
    """The goal that is maximised."""
    name: str = view.scenario.data.get("welfare", {}).get("goal", DEFAULT)
    return name


def pays(curve: Mapping[str, Any]) -> bool:
    """Whether a lie pays; where the truth is as good as any, none does."""
    return str(curve["best"]["utility"]) != str(curve["utility_truth"])


def sentence_on_best(curve: Mapping[str, Any]) -> str:
    """Whether a lie pays, and how much.

    >>> sentence_on_best({"agent": "ann", "from": 1, "to": 4, "utility_truth": "-3/2", "truth": 2,
    ...               "best": {"declares": 1, "utility": -1}})
    'ann gains 1/2 by declaring 1: utility -1, with the truth -3/2 (declarations from 1 to 4).'
    """
    best, truth = curve["best"], curve["utility_truth"]
    among = f"(declarations from {curve['from']} to {curve['to']})"
    if not pays(curve):
        return f"No lie pays: {curve['agent']} gets {truth} with the truth {among}."
    gain = "" if truth == "-inf" else f" {Fraction(best['utility']) - Fraction(truth)}"
    sentence = f"{curve['agent']} gains{gain} by declaring {best['declares']}"
    return f"{sentence}: utility {best['utility']}, with the truth {truth} {among}."


THROTTLE: Final = 0.03
"""Seconds between two messages of a slider that moves."""
PAUSE: Final = 0.15
"""Seconds for which something has been looked at before its curve is sought."""


class Knob:
    """A slider and a field for one number of one agent; the field takes any exact number.

    The slider is the browser's own, which can be reached and read out everywhere.
    """

    def __init__(self, tab: Tab, scale: Scale, label: str, change: Callable[[View, Any], View]) -> None:
        self._tab, self._scale, self._change = tab, scale, change
        self._shown = Fraction(0)
        self._written: Fraction | None = None
        ui.label(label)
        self._slider = ui.element("input").props(f"type=range min=1 max={scale.positions} step=1")
        self._slider.on("input", self._moved, throttle=THROTTLE, js_handler="(e) => emit(Number(e.target.value))")
        self._field = ui.input().props("dense outlined")
        self._field.on("keydown.enter", self._entered)
        self._field.on("blur", self._entered)
        for part, control in ((self._slider, "slider"), (self._field, "number")):
            part.props["aria-label"] = f"{label}: {control}"

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
            await self._set(number(self._field.value))

    async def _set(self, value: Fraction | str) -> None:
        self._written = None  # whatever stands there, the exact number takes its place
        if not await self._tab.look(lambda view: self._change(view, value), by=self):
            self._field.value = str(self._shown)


class DeclarationPanel(Panel):
    """See the module."""

    def __init__(self, tab: Tab) -> None:
        super().__init__(tab)
        self._scale = Scale.over(tab.view)
        self._whose = 0
        self._record: Mapping[str, Any] | None = None
        self._curves: dict[tuple[int, str], Mapping[str, Any]] = {}
        self._knobs: list[tuple[Knob, Knob]] = []
        self._draw_curve = Latest(self._curve)
        self._status_about: object = None
        with ui.element("div").classes("panel"):
            with ui.element("div").classes("column"):
                self._rules()
                self._agents()
            with ui.element("div").classes("column"):
                self._charts()

    @classmethod
    def parts(cls, view: View) -> int:
        """The agents, each with two sliders."""
        return 3 * len(view.scenario.spec.agents)

    def _rules(self) -> None:
        tab = self._tab
        with card("Rule"):
            rule_choice(tab, anew=True)
            names = list(named_penalties(tab.view.rule, tab.view.scenario.data["mechanism"]))
            if names:  # a number will do as well
                written = tab.view.scenario.data["mechanism"].get("penalty")
                now = None if written is None else str(written)  # else the rule's own default
                options = names if now is None or now in names else [*names, now]
                ui.select(
                    options,
                    value=now,
                    label="penalty (a name or a number)",
                    new_value_mode="add-unique",
                    with_input=True,
                    on_change=self._chooser(lambda view, value: view.changed({"mechanism.penalty": value})),
                )
            ui.select(list(goal_names()), value=goal(tab.view), label="goal", on_change=self._chooser(under_goal))

    def _chooser(self, change: Callable[[View, str], View]) -> Callable[[Any], Any]:
        async def changed(event: Any) -> None:
            if event.value is not None:
                await self._tab.look(lambda view: change(view, event.value), anew=True)

        return changed

    def _agents(self) -> None:
        for agent, name in enumerate(self._tab.view.scenario.spec.names):
            with card(f"Agent {name}", "agent"):
                dot(agent)
                self._knobs.append((self._knob("has", agent, has), self._knob("declares", agent, declares)))
                buttons(tell_the_truth=partial(self._tab.look, partial(truthful, agent=agent)))

    def _knob(self, label: str, agent: int, change: Callable[[View, int, Any], View]) -> Knob:
        return Knob(self._tab, self._scale, label, lambda view, value: change(view, agent, value))

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
            self._status = ui.label().classes("status").props("role=status")
        with card("What everybody gets"):
            self._tables = tables()

    async def _other(self, event: Any) -> None:
        self._whose = int(event.value)
        self._status.text = ""
        await self._draw_curve()

    async def refresh(self) -> None:
        """Answer what is looked at now; the curve follows when that has rested for a moment."""
        view = self._tab.view
        record = await self._tab.desk.run(played, view)
        if view is not self._tab.view:
            return  # there is something newer to answer
        self._record = record
        self._schedule.content = gantt(figures.gantt(record))
        self._tables.content = as_html(tables_of(record))
        for (length, declared), row in zip(self._knobs, record["agents"], strict=True):
            length.show(Fraction(row["length"]))
            declared.show(Fraction(row["declares"]))
        if self._status_about != self._key():
            self._status.text = ""
        if not self._draw_known():
            self._chart.classes(add="old")
            with self._chart:
                ui.timer(PAUSE, partial(self._rested, view), once=True)

    async def _rested(self, view: View) -> None:
        """Draw the curve of what is still looked at: while a slider moves, curves would hold its answers up."""
        if view is self._tab.view:
            await self._draw_curve()

    def _draw_known(self) -> bool:
        """Draw the curve where it is known already."""
        drawn = self._curves.get(self._key())
        if drawn is None or self._record is None:
            return False
        self._chart.content = utility_chart(drawn, self._record, self._whose)
        self._chart.classes(remove="old")
        return True

    def _key(self) -> tuple[int, str]:
        """Whose curve of what: all but what she declares."""
        own = f"agents[{self._whose + 1}]"
        changes = self._tab.view.changes.items()
        return self._whose, repr([item for item in changes if item[0] not in (f"{own}.declares", f"{own}.strategy")])

    async def _curve(self) -> None:
        if self._draw_known():
            return
        key, view, whose = self._key(), self._tab.view, self._whose
        self._waiting.begin("looking for the curve")
        try:
            with self._tab.complaining():
                ask = partial(utilities, agent=whose, scale=self._scale)
                name = view.scenario.spec.names[whose]
                curve = await self._tab.desk.run(ask, view, "curve", agent=name)
                self._curves = {key: curve} if len(self._curves) > 50 else {**self._curves, key: curve}
                self._draw_known()
                return
            self._chart.content = ""  # it is not known, and that of something else is no answer
        finally:
            self._waiting.end()

    async def _best(self) -> None:
        await self._draw_curve()
        curve = self._curves.get(self._key())
        if curve is None:
            return
        self._status.text, self._status_about, whose = sentence_on_best(curve), self._key(), self._whose
        best = Fraction(curve["best"]["declares"])
        await self._tab.look(lambda view: declares(view, whose, best) if pays(curve) else truthful(view, whose))
