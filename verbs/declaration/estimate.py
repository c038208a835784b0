"""``--dry-run`` of the verbs on scenarios of kind ``declaration``: size and predicted cost, without doing the work."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from ...games.incentives.cost import estimate as incentive_cost
from ...scenarios.scenario import Scenario
from ..compare import variants
from ..records import Estimate
from .compare import adapt
from .model import model
from .options import Compare, Curve, Run, Search, Verify


def run(scenario: Scenario, options: Run) -> Estimate:
    """One run."""
    return Estimate("run", scenario.kind, scenario.label, 1, "run of the mechanism")


def search(scenario: Scenario, options: Search) -> Estimate:
    """Profiles, and the time of one of them times their number."""
    m = model(scenario, options.mechanism)
    game = m.game()
    size = math.prod(len(game.strategies(player)) for player in range(len(m.agents)))
    begin = time.perf_counter()
    game.costs(m.lengths)  # one run tells what the others will take
    seconds = (time.perf_counter() - begin) * size
    return Estimate("search", scenario.kind, scenario.label, size, "declaration profiles", seconds)


def verify(scenario: Scenario, options: Verify) -> Estimate:
    """Comparisons, with the time and memory that the kernel (or the general way) predicts."""
    m = model(scenario, options.mechanism)
    method = "general" if options.method == "general" else "auto"
    cost = incentive_cost(m.mechanism, m.domain(), method=method, sample=options.sample)
    return Estimate(
        "verify",
        scenario.kind,
        scenario.label,
        cost.comparisons,
        "comparisons of the truth with a lie",
        cost.seconds,
        cost.bytes,
        f"method {cost.method}; {cost.profiles:,} declaration profiles; time and memory are predictions",
    )


def compare(scenarios: Sequence[Scenario], options: Compare) -> Estimate:
    """The incentive checks of all rows together."""
    models = [model(v.scenario, v.own) for v in variants(scenarios, options.rules, adapt)]
    costs = [incentive_cost(m.mechanism, m.domain(), sample=options.sample) for m in models]
    return Estimate(
        "compare",
        scenarios[0].kind,
        scenarios[0].label,
        sum(cost.comparisons for cost in costs),
        "comparisons of the truth with a lie",
        sum(cost.seconds for cost in costs),
        max(cost.bytes for cost in costs),
        f"{len(costs)} rows of {costs[0].profiles:,} declaration profiles; time and memory are predictions",
    )


def curve(scenario: Scenario, options: Curve) -> Estimate:
    """Runs of the mechanism are few; what counts is the number of allocations whose plans are compared."""
    m = model(scenario, options.mechanism)
    size = math.factorial(len(m.agents)) * math.comb(
        len(m.agents) + len(m.cluster.powers) - 1, len(m.cluster.powers) - 1
    )
    return Estimate("curve", scenario.kind, scenario.label, size, "allocations at most, compared along the range")
