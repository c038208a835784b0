"""Witnesses of kind ``declaration``: lies that pay and properties that fail, with the runs that show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...games.verification.properties_running import linear_within
from ...games.verification.results import MARGINS, PropertyWitness, Witness
from ...mechanisms.declaration.protocol import play
from ...scenarios import ScenarioError, load
from ...scenarios.scenario import Scenario
from ...support.exact import Extended
from ..records import Row, jsonable
from .model import Model


@dataclass(frozen=True, kw_only=True)
class LieRow(Row):
    """A lie that pays, with the two runs that show it."""

    agent: str
    length: Fraction
    lie: Fraction
    declarations: Mapping[str, Fraction]
    lengths: Mapping[str, Fraction]
    utility_truth: Extended
    utility_lie: Extended
    gain: Extended
    replay: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class Shown:
    """How findings about a scenario are written; a mechanism of one's own cannot be written, so nothing replays."""

    scenario: Scenario
    m: Model
    own: bool

    def by_name(self, values: Sequence[Any]) -> dict[str, Any]:
        """One value for each agent."""
        return dict(zip(self.m.spec.names, values, strict=True))

    def lie(self, witness: Witness) -> LieRow:
        """A lie that pays."""
        name = self.m.spec.names[witness.agent]
        played = ((witness.truthful, witness.utility_truth), (witness.declarations, witness.utility_lie))
        return LieRow(
            agent=name,
            length=witness.length,
            lie=witness.lie,
            declarations=self.by_name(witness.declarations),
            lengths=self.by_name(witness.lengths),
            utility_truth=witness.utility_truth,
            utility_lie=witness.utility_lie,
            gain=witness.gain,
            replay=()
            if self.own
            else tuple(
                replay_of(self.scenario, self.m, declared, witness.lengths, {"agents": {name: {"utility": utility}}})
                for declared, utility in played
            ),
        )

    def failure(self, name: str, w: PropertyWitness) -> dict[str, Any]:
        """A situation in which a property fails: whose it is, where, and the numbers that disagree."""
        return {
            "agent": None if w.agent is None else self.m.spec.names[w.agent],
            "declarations": self.by_name(w.declarations),
            "lengths": None if w.lengths is None else self.by_name(w.lengths),
            **w.values,
            **({"replay": []} if self.own else _replayed(name, w, self.scenario, self.m)),
        }


def replay_of(
    scenario: Scenario, m: Model, declared: Sequence[Fraction], lengths: Sequence[Fraction], claim: Mapping[str, Any]
) -> dict[str, Any]:
    """A complete scenario in which these agents declare these numbers, with a claim on its ``run``."""
    agents = [
        {"name": agent.name, "length": lengths[n], "declares": declared[n], "value": agent.value}
        for n, agent in enumerate(m.agents)
    ]
    return scenario.variant({"agents": agents}, {"run": claim})


def _replayed(name: str, w: PropertyWitness, scenario: Scenario, m: Model) -> dict[str, Any]:
    """``replay``: scenarios that show the failure; where they cannot be written none, and ``no_replay`` says why."""
    if not w.values:
        return {"replay": []}  # the input itself is refused: there is no run to show
    if name in MARGINS:
        return _jump(-1 if name == "upper_margin" else 1, w, scenario, m)
    lengths = w.declarations if w.lengths is None else w.lengths
    planned = play(m.mechanism, w.declarations, lengths, m.values).plan is not None
    told = {key: value for key, value in w.values.items() if planned or key != "planned"}  # as the run will tell
    claim: Mapping[str, Any] = told if w.agent is None else {"agents": {m.spec.names[w.agent]: told}}
    return {"replay": [replay_of(scenario, m, w.declarations, lengths, claim)]}


def _jump(side: int, w: PropertyWitness, scenario: Scenario, m: Model) -> dict[str, Any]:
    """A jump of utility is shown at the truth and very near it; the numbers there may be too long to be written."""
    assert w.agent is not None  # a margin is somebody's
    lengths = w.declarations if w.lengths is None else w.lengths
    distance = rounded(linear_within(m.mechanism, w.agent, w.declarations, lengths)[0])
    near = (*lengths[: w.agent], lengths[w.agent] + side * distance, *lengths[w.agent + 1 :])
    replays = []
    for world in (lengths, near):
        utilities = play(m.mechanism, w.declarations, world, m.values).utilities
        assert utilities is not None  # play() fills them in
        claim = {"agents": {m.spec.names[w.agent]: {"utility": utilities[w.agent]}}}
        replays.append(replay_of(scenario, m, w.declarations, world, claim))
    try:
        load(jsonable(replays[-1]))
    except ScenarioError as error:
        return {"replay": [], "no_replay": f"no scenario can be written so near the truth: {error}"}
    return {"replay": replays}


def rounded(number: Fraction) -> Fraction:
    """The largest power of ten that is not larger than a positive number: few digits for the readers of replays.

    >>> rounded(Fraction(1, 24)), rounded(Fraction(1, 10)), rounded(Fraction(2999))
    (Fraction(1, 100), Fraction(1, 10), Fraction(1000, 1))
    """
    power = Fraction(10) ** (len(str(number.numerator)) - len(str(number.denominator)))
    return power if power <= number else power / 10
