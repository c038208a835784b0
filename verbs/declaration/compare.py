"""``compare`` on scenarios of kind ``declaration``: rules, and mechanisms of one's own, side by side."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ...games.declaration.game import DeclarationGame
from ...games.incentives.cost import estimate as incentive_estimate
from ...games.incentives.everything import audit
from ...games.incentives.properties.results import MARGINS, PROPERTIES
from ...mechanisms.declaration.catalogue import PENALTIES
from ...mechanisms.registry import rules as known_rules
from ...scenarios.reader import load
from ...scenarios.scenario import Scenario
from ...scheduling.errors import InputError, unknown_name
from ...scheduling.exact import Extended
from ...scheduling.progress import Clock, Progress
from ..records import Answer, Estimate
from .model import Model, model

COLUMNS = (
    "dominant",
    "ex_post",
    "max_gain",
    *PROPERTIES,
    *(f"{name}_any_others" for name in MARGINS),
    "rent_truthful",
    "rent_lowest",
    "rent_highest",
    "welfare_truthful",
    "welfare_lowest",
)


@dataclass(frozen=True)
class Variant:
    """One row to be: a scenario with its rule, or with a mechanism of one's own under a name."""

    name: str
    scenario: Scenario
    mechanism: Any = None


def compare(
    scenarios: Sequence[Scenario],
    *,
    progress: Progress | None = None,
    rules: Sequence[str] | None = None,
    mechanisms: Mapping[str, Any] | None = None,
    seed: int = 0,
    sample: int | None = None,
    time_limit: float | None = None,
) -> Answer:
    """The properties of several rules on the same agents, with rent and welfare on and off equilibrium.

    Parameters
    ----------
    scenarios
        One scenario (then ``rules`` says which rules), or several over the same agents.
    rules
        Names of rules to put in the place of the scenario's; options that another rule does not use are left out.
    mechanisms
        Mechanisms of one's own by name (``mechanism=`` of the other verbs says what they may be), as further rows.
    sample, seed
        Compare so many random cases per rule instead of all.
    time_limit
        Seconds after which the rows so far are returned.

    The columns: verdicts on the domain; the largest gain from a lie whatever the others do; the rent and the final
    welfare when everybody tells the truth at the scenario's lengths, and their extremes over all declarations there.
    """
    if len(scenarios) > 1 and len({scenario.spec.names for scenario in scenarios}) > 1:
        raise InputError("compare: the scenarios have different agents; expected the same names in the same order")
    clock = Clock(time_limit)
    found = [v for scenario in scenarios for v in variants(scenario, rules, mechanisms)]
    rows = []
    complete = True
    for i, variant in enumerate(found):
        if progress:
            progress(i, len(found), variant.name)
        try:
            row, whole = _row(variant, seed, sample, progress, clock)
        except KeyboardInterrupt:
            complete = False
            break
        rows.append({"rule": variant.name, "scenario": variant.scenario.label, "values": row, "complete": whole})
        complete = complete and whole
        if sample is None and not whole:
            break  # stopped: the rows after it are not begun
    body = {"columns": COLUMNS, "rows": rows}
    return Answer(method="enumeration", body=body, complete=complete, seed=seed if sample is not None else None)


def estimate_compare(
    scenario: Scenario,
    *,
    rules: Sequence[str] | None = None,
    mechanisms: Mapping[str, Any] | None = None,
    sample: int | None = None,
    **_: Any,
) -> Estimate:
    """Size and predicted cost of the incentive checks of all rows; other options change neither."""
    models = [model(v.scenario, v.mechanism) for v in variants(scenario, rules, mechanisms)]
    costs = [incentive_estimate(m.mechanism, m.domain(), sample=sample) for m in models]
    note = f"{len(costs)} rows of {costs[0].profiles:,} declaration profiles; time and memory are predictions"
    return Estimate(
        "compare", scenario.kind, scenario.label, sum(cost.comparisons for cost in costs),
        "comparisons of the truth with a lie", sum(cost.seconds for cost in costs), max(cost.bytes for cost in costs),
        note,
    )  # fmt: skip


def variants(
    scenario: Scenario, rules: Sequence[str] | None, mechanisms: Mapping[str, Any] | None = None
) -> list[Variant]:
    """The scenario under its own rule, or under each of ``rules``, then under each mechanism of one's own."""
    own = dict(mechanisms or {})
    for name in own:
        if name in known_rules("declaration"):
            raise InputError(f"mechanisms: {name!r} is the name of a rule of the package; expected a name of its own")
    listed = [scenario] if rules is None else with_rules(scenario, rules)
    return [
        *(Variant(found.spec.rule, found) for found in listed),
        *(Variant(name, scenario, mechanism) for name, mechanism in own.items()),
    ]


def with_rules(scenario: Scenario, rules: Sequence[str]) -> list[Scenario]:
    """The scenario under each rule; keys of ``[mechanism]`` that a rule does not use, and penalties not its own, go."""
    known = known_rules("declaration")
    if isinstance(rules, str):
        raise InputError(f"rules: found the text {rules!r}; expected a list of names")
    found = []
    for rule in rules:
        if rule not in known:
            raise unknown_name("rules", rule, known)
        given = dict(scenario.data["mechanism"])
        kept = {key: value for key, value in given.items() if key in known[rule].options}
        if isinstance(kept.get("penalty"), str) and kept["penalty"] not in PENALTIES.get(rule, ()):
            del kept["penalty"]
        found.append(load(scenario, {"mechanism": {"rule": rule, **kept}}))
    return found


def _row(
    variant: Variant, seed: int, sample: int | None, progress: Progress | None, clock: Clock
) -> tuple[dict[str, Any], bool]:
    m: Model = model(variant.scenario, variant.mechanism)
    domain = m.domain()
    audited = audit(
        m.mechanism, domain, seed=seed, sample=sample, values=m.values, progress=progress, time_limit=clock.left()
    )
    found, properties = audited.incentives, audited.properties
    values: dict[str, Any] = {
        "dominant": found.dominant.holds,
        "ex_post": found.ex_post.holds,
        "max_gain": found.dominant.max_gain,
        **{name: getattr(properties, name).holds for name in PROPERTIES},
        **{f"{name}_any_others": properties.any_others[name].holds for name in MARGINS},
    }
    if audited.complete or sample is not None:
        values |= rent_and_welfare(m.game(), sample, seed)
    return values, audited.complete


def rent_and_welfare(game: DeclarationGame, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Rent and final welfare at the truth, and their extremes over all declarations of the game, or over a sample."""
    options = [game.strategies(player) for player in range(len(game.lengths))]
    profiles: Iterable[tuple[Fraction, ...]] = itertools.product(*options)
    if sample is not None and sample < math.prod(map(len, options)):
        rng = np.random.default_rng(seed)
        profiles = [tuple(own[int(rng.integers(len(own)))] for own in options) for _ in range(sample)]
    outcomes = [(game.outcome(profile).rent, game.welfare(profile)) for profile in (game.lengths, *profiles)]
    rents: list[Extended] = [rent for rent, _ in outcomes]
    return {
        "rent_truthful": rents[0],
        "rent_lowest": min(rents),
        "rent_highest": max(rents),
        "welfare_truthful": outcomes[0][1],
        "welfare_lowest": min(welfare for _, welfare in outcomes),
    }
