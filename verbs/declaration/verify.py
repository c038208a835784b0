"""``verify`` on scenarios of kind ``declaration``: incentive checks and properties, each failure with its replay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from ...games.incentives.domain import Domain
from ...games.incentives.everything import audit
from ...games.incentives.properties.nearby import linear_within
from ...games.incentives.properties.results import MARGINS, PROPERTIES, PropertyCheck, PropertyWitness
from ...games.incentives.results import IncentiveCheck, Witness
from ...mechanisms.declaration.protocol import play
from ...scenarios import ScenarioError, load
from ...scenarios.scenario import Scenario
from ...scheduling.errors import unknown_name
from ...scheduling.exact import Extended
from ...scheduling.progress import Progress
from ..records import Record, Row, jsonable
from .model import Model, model
from .options import Verify

CONCEPTS = ("dominant", "ex-post")


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


@dataclass(frozen=True, kw_only=True)
class IncentiveRow(Row):
    """Whether the truth is a best reply, in one of the two senses; ``holds`` is ``None`` where it is open."""

    holds: bool | None
    cases: int
    total: int | None
    max_gain: Extended | None
    note: str | None
    witness: LieRow | None


@dataclass(frozen=True, kw_only=True)
class PropertyRow(Row):
    """One property on the domain; its witness names the case and the numbers that disagree."""

    holds: bool | None
    cases: int
    witness: Mapping[str, Any] | None


@dataclass(frozen=True, kw_only=True)
class DomainRow(Row):
    """What was tried: lengths and declarations by agent."""

    lengths: Mapping[str, tuple[Fraction, ...]]
    declarations: Mapping[str, tuple[Fraction, ...]]


@dataclass(frozen=True, kw_only=True)
class VerifyRecord(Record):
    """Incentive compatibility and the other properties; ``properties["any_others"]`` is for Definition 4.6."""

    verb: ClassVar[str] = "verify"
    dominant: IncentiveRow
    ex_post: IncentiveRow
    properties: Mapping[str, Any]
    domain: DomainRow


def verify(scenario: Scenario, options: Verify, progress: Progress | None = None) -> VerifyRecord:
    """Incentive compatibility and the other properties, by enumeration of ``[domain]``.

    Without ``[domain]`` every agent may have and declare any length of the file.
    """
    wanted = asked_property(options)
    m = model(scenario, options.mechanism)
    domain = m.domain()
    audited = audit(
        m.mechanism,
        domain,
        method=options.method,
        sample=options.sample,
        seed=options.seed,
        values=m.values,
        progress=progress,
        time_limit=options.time_limit,
    )
    found, properties = audited.incentives, audited.properties
    show = Shown(scenario, m, own=options.mechanism is not None)
    verdicts = {
        "dominant": found.dominant.holds,
        "ex-post": found.ex_post.holds,
        **{name.replace("_", "-"): getattr(properties, name).holds for name in PROPERTIES},
    }
    asked_for = {"dominant": found.dominant, "ex-post": found.ex_post}.get(wanted)
    return VerifyRecord(
        kind=scenario.kind,
        scenario=scenario.label,
        method=found.dominant.method,
        exact=found.dominant.exact and all(getattr(properties, name).exact for name in PROPERTIES),
        # a reduction that leaves the other concept open is complete once it has settled the one that was asked for
        complete=audited.complete or (properties.complete and not found.stopped and verdicts[wanted] is not None),
        seed=options.seed if options.sample is not None else None,
        verdict=verdicts[wanted],
        open=asked_for is not None and asked_for.open,
        dominant=show.incentive(found.dominant),
        ex_post=show.incentive(found.ex_post),
        properties={
            **{name: show.property(getattr(properties, name)) for name in PROPERTIES},
            "any_others": {name: show.property(properties.any_others[name]) for name in MARGINS},
        },
        domain=show.domain(domain),
    )


def asked_property(options: Verify) -> str:
    """The property whose verdict counts. Raises UnknownNameError."""
    wanted = options.property.replace("_", "-")
    names = (*CONCEPTS, *(name.replace("_", "-") for name in PROPERTIES))
    if wanted not in names:
        raise unknown_name("property", options.property, names)
    return wanted


@dataclass(frozen=True)
class Shown:
    """How findings about a scenario are written; a mechanism of one's own cannot be written, so nothing replays."""

    scenario: Scenario
    m: Model
    own: bool

    def by_name(self, values: Sequence[Any]) -> dict[str, Any]:
        """One value for each agent."""
        return dict(zip(self.m.spec.names, values, strict=True))

    def domain(self, domain: Domain) -> DomainRow:
        """What is tried."""
        return DomainRow(lengths=self.by_name(domain.lengths), declarations=self.by_name(domain.declarations))

    def incentive(self, check: IncentiveCheck) -> IncentiveRow:
        """Incentive compatibility in one sense."""
        return IncentiveRow(
            holds=check.holds,
            cases=check.cases,
            total=check.total,
            max_gain=check.max_gain,
            note=check.note or None,
            witness=None if check.witness is None else self.lie(check.witness),
        )

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

    def property(self, check: PropertyCheck) -> PropertyRow:
        """One property."""
        w, witness = check.witness, None
        if w is not None:
            witness = {
                "agent": None if w.agent is None else self.m.spec.names[w.agent],
                "declarations": self.by_name(w.declarations),
                "lengths": None if w.lengths is None else self.by_name(w.lengths),
                **w.values,
                **({"replay": []} if self.own else _replayed(check.name, w, self.scenario, self.m)),
            }
        return PropertyRow(holds=check.holds, cases=check.cases, witness=witness)


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
