"""``verify`` on scenarios of kind ``declaration``: incentive checks and properties, each failure with its replay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from ...games.incentives.everything import audit
from ...games.incentives.properties.results import MARGINS, PROPERTIES, PropertyCheck, PropertyWitness
from ...games.incentives.results import IncentiveCheck, Witness
from ...mechanisms.declaration.protocol import play
from ...scenarios.scenario import Scenario
from ...scheduling.errors import unknown_name
from ...scheduling.progress import Progress
from ..records import Answer
from .model import Model, model

CONCEPTS = ("dominant", "ex-post")
NEAR = Fraction(1, 10**6)
"""How near the truth a replay goes that shows a jump of utility."""


def verify(
    scenario: Scenario,
    *,
    progress: Progress | None = None,
    mechanism: Any = None,
    property: str = "dominant",
    method: str = "auto",
    sample: int | None = None,
    seed: int = 0,
    time_limit: float | None = None,
) -> Answer:
    """Incentive compatibility and the other properties, by enumeration of the domain.

    Parameters
    ----------
    scenario
        The mechanism and ``[domain]``; without it, every agent may have and declare any length of the file.
    mechanism
        A mechanism of one's own instead of the scenario's rule.
    property
        Whose verdict counts: ``"dominant"``, ``"ex-post"``, or the name of a property.
    method
        ``"auto"``, ``"kernel"``, ``"general"`` or ``"reduction"``.
    sample, seed
        Compare so many random cases instead of all.
    time_limit
        Seconds after which the partial answer is returned.
    """
    wanted = property.replace("_", "-")
    names = (*CONCEPTS, *(name.replace("_", "-") for name in PROPERTIES))
    if wanted not in names:
        raise unknown_name("property", property, names)
    m = model(scenario, mechanism)
    domain = m.domain()
    audited = audit(
        m.mechanism, domain, method=method, sample=sample, seed=seed, values=m.values, progress=progress,
        time_limit=time_limit,
    )  # fmt: skip
    found, properties = audited.incentives, audited.properties
    own = mechanism is not None
    body: dict[str, Any] = {
        "dominant": _incentive(found.dominant, scenario, m, own),
        "ex_post": _incentive(found.ex_post, scenario, m, own),
        "properties": {
            **{name: _property(getattr(properties, name), scenario, m, own) for name in PROPERTIES},
            "any_others": {name: _property(properties.any_others[name], scenario, m, own) for name in MARGINS},
        },
        "domain": {
            "lengths": dict(zip(m.spec.names, domain.lengths, strict=True)),
            "declarations": dict(zip(m.spec.names, domain.declarations, strict=True)),
        },
    }
    verdicts = {
        "dominant": found.dominant.holds,
        "ex-post": found.ex_post.holds,
        **{name.replace("_", "-"): getattr(properties, name).holds for name in PROPERTIES},
    }
    return Answer(
        method=found.dominant.method,
        body=body,
        exact=found.dominant.exact and all(getattr(properties, name).exact for name in PROPERTIES),
        # a reduction that leaves the other concept open is complete once it has settled the one that was asked for
        complete=audited.complete or (properties.complete and not found.stopped and verdicts[wanted] is not None),
        seed=seed if sample is not None else None,
        verdict=verdicts[wanted] is not False,
    )


def _by_name(m: Model, values: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(m.spec.names, values, strict=True))


def _incentive(check: IncentiveCheck, scenario: Scenario, m: Model, own: bool) -> dict[str, Any]:
    return {
        "holds": check.holds,
        "cases": check.cases,
        "total": check.total,
        "max_gain": check.max_gain,
        "note": check.note or None,
        "witness": None if check.witness is None else _lie(check.witness, scenario, m, own),
    }


def _lie(witness: Witness, scenario: Scenario, m: Model, own: bool) -> dict[str, Any]:
    name = m.spec.names[witness.agent]
    played = ((witness.truthful, witness.utility_truth), (witness.declarations, witness.utility_lie))
    return {
        "agent": name,
        "length": witness.length,
        "lie": witness.lie,
        "declarations": _by_name(m, witness.declarations),
        "lengths": _by_name(m, witness.lengths),
        "utility_truth": witness.utility_truth,
        "utility_lie": witness.utility_lie,
        "gain": witness.gain,
        "replay": []
        if own
        else [
            replay_of(scenario, m, declared, witness.lengths, {"agents": {name: {"utility": utility}}})
            for declared, utility in played
        ],
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


def _property(check: PropertyCheck, scenario: Scenario, m: Model, own: bool) -> dict[str, Any]:
    witness = None
    if check.witness is not None:
        w = check.witness
        witness = {
            "agent": None if w.agent is None else m.spec.names[w.agent],
            "declarations": _by_name(m, w.declarations),
            "lengths": None if w.lengths is None else _by_name(m, w.lengths),
            **w.values,
            "replay": [] if own else _property_replays(check.name, w, scenario, m),
        }
    return {"holds": check.holds, "cases": check.cases, "witness": witness}


def _property_replays(name: str, w: PropertyWitness, scenario: Scenario, m: Model) -> list[dict[str, Any]]:
    """Scenarios that show the failure; a jump of utility is shown at the truth and very near it."""
    if not w.values:
        return []  # the input itself is refused: there is no run to show
    lengths = w.declarations if w.lengths is None else w.lengths
    if name not in MARGINS:
        claim: Mapping[str, Any] = w.values if w.agent is None else {"agents": {m.spec.names[w.agent]: w.values}}
        return [replay_of(scenario, m, w.declarations, lengths, claim)]
    assert w.agent is not None  # a margin is somebody's
    side = -1 if name == "upper_margin" else 1
    near = (*lengths[: w.agent], lengths[w.agent] + side * NEAR, *lengths[w.agent + 1 :])
    replays = []
    for world in (lengths, near):
        utilities = play(m.mechanism, w.declarations, world, m.values).utilities
        assert utilities is not None  # play() fills them in
        claim = {"agents": {m.spec.names[w.agent]: {"utility": utilities[w.agent]}}}
        replays.append(replay_of(scenario, m, w.declarations, world, claim))
    return replays
