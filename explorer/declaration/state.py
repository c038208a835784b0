"""Declarations by hand: what each agent has and says, the plan and what happens, and what every lie would bring her."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from ...mechanisms.declaration.catalogue import PENALTIES
from ...scenarios.welfare import DEFAULT
from ...scheduling.goals.parameters import Sort, parameters, required
from ...scheduling.goals.registry import goal_class, goal_names
from ...support.errors import InputError
from ...support.exact import rational
from ...verbs.dispatch import ask
from ..drawing import Bar, Line, Mark, chart, gantt, key, signs
from ..view import View

POSITIONS: Final = 400
"""Most positions of a slider."""
FEWEST: Final = 40
PLANNED, ACTUAL = (0.06, 0.42), (0.5, 0.94)
"""The parts of a machine's row: what was planned, and below it what happened."""


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


def played(view: View) -> Mapping[str, Any]:
    """The record of ``run``."""
    return ask("run", view.scenario, {}).to_dict()


def declares(view: View, agent: int, value: Fraction | str) -> View:
    """Agent number ``agent`` (from 0) says that her job has this length. Raises ScenarioError for what is no length."""
    told: dict[str, Any] = {f"agents[{agent + 1}].declares": value}
    if "strategy" in view.scenario.data["agents"][agent]:
        told[f"agents[{agent + 1}].strategy"] = None  # takes the key away
    return view.changed(told)


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
    known = parameters(goal_class(goal))
    own = {name: filled.get(known[name].sort, 1) for name in required(goal_class(goal))}
    before = view.scenario.data.get("welfare", {})
    if not own and set(before) <= {"goal", "ties"}:
        return view.changed({"welfare.goal": goal})
    ties = {"ties": before["ties"]} if "ties" in before else {}
    return view.changed({"welfare": {"goal": goal, **own, **ties}})


def goals() -> list[str]:
    """The goals there are."""
    return list(goal_names())


def penalties(view: View) -> list[str]:
    """The named penalties of the rule; a number will do as well."""
    return list(PENALTIES.get(view.rule, ()))


def penalty(view: View) -> str | None:
    """The penalty as the file says it; ``None`` for the rule's own default."""
    found = view.scenario.data["mechanism"].get("penalty")
    return None if found is None else str(found)


def schedule(record: Mapping[str, Any]) -> str:
    """Gantt chart: of each machine the plan above, and what happened below."""
    staying = [row for row in record["agents"] if row["machine"] is not None]
    machines = sorted({row["machine"] for row in staying}) or [1]
    order = {row["name"]: i for i, row in enumerate(record["agents"])}
    bars = []
    for place, machine in enumerate(machines):
        begin: Any = 0
        for row in sorted((r for r in staying if r["machine"] == machine), key=lambda r: int(r["position"])):
            name, group = row["name"], order[row["name"]]
            plan = f"{name}: planned from {begin} to {row['planned']}"
            bars.append(Bar(place, begin, row["planned"], group, name, plan, PLANNED, pale=True))
            begin = row["planned"]
            top, bottom = ACTUAL
            for start, end, share in row["work"]:
                told = f"{name}: from {start} to {end}, share {share}"
                part = (bottom - (bottom - top) * float(Fraction(share)), bottom)
                bars.append(Bar(place, start, end, group, name, told, part))
    drawn = gantt([f"machine {machine}" for machine in machines], bars)
    return drawn + key([(row["name"], order[row["name"]]) for row in record["agents"]])


def utilities(view: View, agent: int, scale: Scale) -> Mapping[str, Any]:
    """The record of ``curve`` for an agent, over the whole slider; it is the same whatever she declares herself."""
    name = view.scenario.spec.names[agent]
    asked = {"agent": name, "low": scale.step, "high": scale.value(scale.positions)}
    return ask("curve", view.scenario, asked).to_dict()


def utility_chart(found: Mapping[str, Any], record: Mapping[str, Any], agent: int) -> str:
    """The curve of an agent, with the truth, the best lie, and where she is."""
    row, name, group = record["agents"][agent], found["agent"], agent
    pieces = [[(p["from"], p["at_from"]), (p["to"], p["at_to"])] for p in found["pieces"]]
    marks = [Mark(p["declares"], p["utility"], f"declares {p['declares']}: {p['utility']}", group=group, shape="ring")
             for p in found["points"] if p["declares"] in found["jumps"]]  # fmt: skip
    best = found["best"]
    truth = found["truth"], found["utility_truth"]
    marks.append(Mark(*truth, _told("the truth", *truth), shape="diamond", group=2))
    marks.append(Mark(best["declares"], best["utility"], _told("best", **best), shape="star", group=5))
    here = _told("now", row["declares"], row["utility"])
    marks.append(Mark(row["declares"], row["utility"], here, group=group, chosen=True))
    name = f"utility of {name} against what she declares"
    drawn = chart([Line(pieces, group, name)], marks, "declares (work)", f"utility of {found['agent']}", name)
    meanings = {"dot": "now", "diamond": "the truth", "star": "best"}
    return drawn + signs(**meanings, **({"ring": "value where it jumps"} if found["jumps"] else {}))


def _told(what: str, declares: Any, utility: Any) -> str:
    return f"{what}: declares {declares}, utility {utility}"


def goal(view: View) -> str:
    """The goal that is maximised."""
    found: str = view.scenario.data.get("welfare", {}).get("goal", DEFAULT)
    return found


def said_of_best(found: Mapping[str, Any]) -> str:
    """Whether a lie pays, and how much.

    >>> said_of_best({"agent": "ann", "from": 1, "to": 4, "utility_truth": "-3/2", "truth": 2,
    ...               "best": {"declares": 1, "utility": -1}})
    'ann gains 1/2 by declaring 1: utility -1, with the truth -3/2 (declarations from 1 to 4).'
    """
    best, truth = found["best"], found["utility_truth"]
    gain = Fraction(best["utility"]) - Fraction(truth)
    among = f"(declarations from {found['from']} to {found['to']})"
    if gain <= 0:
        return f"No lie pays: {found['agent']} gets {truth} with the truth {among}."
    told = f"{found['agent']} gains {gain} by declaring {best['declares']}"
    return f"{told}: utility {best['utility']}, with the truth {truth} {among}."
