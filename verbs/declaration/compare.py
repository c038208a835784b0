"""``compare`` on scenarios of kind ``declaration``: rules, and custom mechanisms, side by side."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Final

import numpy as np

from ...games.declaration.game import DeclarationGame
from ...games.verification.check import audit
from ...games.verification.coalitions import Coalitions
from ...games.verification.cost import Budget
from ...games.verification.results import MARGINS, PROPERTIES
from ...mechanisms.declaration.catalogue import BY_TOOL, DESIGNS, POSTPONE_PENALTIES
from ...mechanisms.kinds import RuleInfo, is_custom
from ...scenarios.domain import IntervalSpec
from ...scenarios.reader import load
from ...scenarios.scenario import Scenario
from ...support.errors import InputError
from ...support.exact import Extended
from ...support.progress import Clock, Progress
from ..compare import Variant, check_same, shared_fields, side_by_side, variants
from ..records import CompareRecord
from ..rows import jsonable
from .design import design
from .model import Model, model, refuse_impossible
from .options import Compare, Design

TWO_FRIENDS: Final = Coalitions((2,), "all-gain", ("ex-post",))
"""What the column ``two_friends`` asks: no two agents both gain by a joint lie to truthful others."""
LEAST_RENT: Final = {"least-rent": "no-deficit", "least-rent-nonnegative": "prices-nonnegative"}
"""Rows of designed payments, and what they are subject to."""
MOST_DESIGNED: Final = 12_500
"""Payments that are designed unasked, about five seconds of work."""
COLUMNS: Final = (
    "dominant",
    "ex_post",
    "max_gain",
    "two_friends",
    *PROPERTIES,
    *(f"{name}_any_others" for name in MARGINS),
    "rent_truthful",
    "rent_lowest",
    "rent_highest",
    "welfare_truthful",
    "welfare_lowest",
)


def compare(scenarios: Sequence[Scenario], options: Compare, progress: Progress | None = None) -> CompareRecord:
    """The properties of several rules on the same agents, with rent and welfare on and off equilibrium.

    The columns: verdicts on the domain; the largest gain from a lie whatever the others do; whether no two friends both
    gain by a joint lie to truthful others (``two_friends``, ``None`` for an agent alone); the rent and the final
    welfare when everybody tells the truth at the scenario's lengths, and their extremes over all declarations there.
    """
    check_same(scenarios, lambda scenario: scenario.spec.names, "agents")
    clock, sample = Clock(options.time_limit), options.sample
    row = partial(_row, options=options, clock=clock, progress=progress)
    chosen = [*variants(scenarios, options.rules), *(designed(scenarios[0], clock) if len(scenarios) == 1 else ())]
    rows, complete = side_by_side(chosen, row, progress, go_on=sample is not None)
    return CompareRecord(
        method="enumeration",
        seed=options.seed if sample is not None else None,
        **shared_fields(scenarios, COLUMNS, rows, complete),
    )


def designed(scenario: Scenario, clock: Clock) -> Iterator[Variant]:
    """The scenario under the payments of least rent, given its allocation and job control, where there are any.

    Without a deficit, and with nobody ever paid; left out beyond :data:`MOST_DESIGNED` payments, where the truth cannot
    be dominant, and where the agents' lengths are not in the domain.
    """
    spec = scenario.spec
    rule_stands = spec.rule != "designed" and not is_custom(spec.rule)
    if spec.rounds > 1 or not rule_stands or isinstance(spec.domain, IntervalSpec):
        return
    m = model(scenario)
    domain = m.domain()
    lengths = all(x in own for x, own in zip(m.lengths, domain.lengths, strict=True))
    if not lengths or domain.profiles * domain.n_agents > MOST_DESIGNED:
        return
    for label, condition in LEAST_RENT.items():
        try:
            record = design(scenario, Design(subject_to=(condition,), time_limit=clock.left()))
        except InputError:  # payments after the run, or a goal whose truthful jobs never end
            return
        if record.value is None or record.mechanism is None:
            return
        yield Variant(label, load(scenario, {"mechanism": jsonable(record.mechanism)}))


def two_friends(m: Model) -> Coalitions | None:
    """The coalitions of the column of that name; none where an agent is alone."""
    return TWO_FRIENDS if len(m.agents) > 1 else None


def adapt(scenario: Scenario, rule: RuleInfo, options: dict[str, Any]) -> Mapping[str, Any]:
    """Another rule; a job control that it has not goes, and a penalty or cut-off that then means nothing."""
    before, design = scenario.data["mechanism"], DESIGNS.get(rule.id)
    if design is not None and options.get("tool") not in design.tools:
        options.pop("tool", None)
    own, penalty = named_penalties(rule.id, options), options.get("penalty")
    named = isinstance(penalty, str) and any(penalty in names for names in BY_TOOL.values())  # "1/2" is a number
    means = penalty in own if named else own == named_penalties(before["rule"], before)
    if "penalty" in options and not means:
        del options["penalty"]
    if options.get("cutoff") is not None and own is not POSTPONE_PENALTIES:
        del options["cutoff"]
    return {"mechanism": {"rule": rule.id, **options}}


def named_penalties(rule: str, options: Mapping[str, Any]) -> Mapping[str, str]:
    """The named penalties of a rule of ours with these keys."""
    design = DESIGNS.get(rule)
    return {} if design is None else BY_TOOL.get(options.get("tool") or design.tool, {})


def _row(variant: Variant, options: Compare, clock: Clock, progress: Progress | None) -> tuple[Mapping[str, Any], bool]:
    m = model(variant.scenario, variant.own)
    audited = audit(
        m.mechanism,
        m.domain(),
        seed=options.seed,
        sample=options.sample,
        values=m.values,
        progress=progress,
        time_limit=clock.left(),
        budget=Budget.of(options.time_limit, options.max_bytes),
        coalitions=two_friends(m),
    )
    incentives, properties, groups = audited.incentives, audited.properties, audited.groups
    refuse_impossible(m, properties.feasible.witness)
    values: dict[str, Any] = {
        "dominant": incentives.dominant.holds,
        "ex_post": incentives.ex_post.holds,
        "max_gain": incentives.dominant.max_gain,
        "two_friends": None if groups is None or groups.ex_post is None else groups.ex_post.holds,
        **{name: getattr(properties, name).holds for name in PROPERTIES},
        **{f"{name}_any_others": properties.any_others[name].holds for name in MARGINS},
    }
    if audited.complete or options.sample is not None:
        values |= rent_and_welfare(m.game(), options.sample, options.seed)
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
