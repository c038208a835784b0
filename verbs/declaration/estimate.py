"""``--dry-run`` of the verbs on scenarios of kind ``declaration``: size and predicted cost, without doing the work."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from typing import Any

from ...games.declaration.curve import marks
from ...games.declaration.game import DeclarationGame
from ...games.declaration.pieces import MAX_TRIED, PARTS
from ...games.declaration.replies import best_reply
from ...games.declaration.table import domain_of, has_table, plan_bytes
from ...games.design.templates import FEATURES
from ...games.normal_form import table_bytes
from ...games.verification.coalitions import Coalitions
from ...games.verification.cost import MAX_BYTES, PROCESS_BYTES, Budget, affordable, kernel_size
from ...games.verification.cost import Estimate as IncentiveCost
from ...games.verification.cost import costs as incentive_costs
from ...games.verification.prior import Prior
from ...mechanisms.declaration.claims import AFTER_THE_RUN
from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.protocol import DeclarationMechanism
from ...mechanisms.declaration.two_rounds import TwoRounds, one_round_of
from ...scenarios.scenario import Scenario
from ...scheduling.allocations import n_allocations
from ...scheduling.optimal import Reach, exact_reach, reach
from ...support.exact import magnitude
from .. import costs
from ..compare import variants
from ..game.analyses import REFUSED, plan
from ..records import Estimate
from .compare import two_friends
from .curve import agent_number, declared_range
from .design import for_all_lengths, question_of
from .model import Model, model
from .options import BAYESIAN, REAL, Compare, Curve, Design, Prove, Run, Search, Verify, verified_property
from .prove import asked_symbol, statements
from .search import bayesian_cost, real_numbers
from .verify import coalitions_of

RUNS_PER_BREAK = 180
"""Runs that enclose one breakpoint: nine at each of some twenty halvings."""
COMPILED = ("subsets", "partitions")
"""Ways to an optimal allocation that compiled code goes."""
PROOF_CELLS = (5, 80, 2_500, 70_000)
"""Cells of all proofs by number of agents, where a sum, or one machine, decides who is served when."""
PROOF_CELLS_OF_ALLOCATIONS = (5, 300, 100_000)
"""The same where allocations are compared by another goal on several machines."""
MOST_PROOF_AGENTS = 40
"""For more agents nothing longer is said: it is longer than anybody waits."""
ANSWERS = 3
"""Rounds of best replies that are usual."""


def run(scenario: Scenario, options: Run) -> Estimate:
    """One run, and those that best replies are looked for by."""
    m = model(scenario, options.mechanism)
    reacting = [n for n, agent in enumerate(m.agents) if agent.strategy.reacts]
    runs = 1 + ANSWERS * sum(len(m.candidates()[n]) for n in reacting)
    size_only = Estimate("run", scenario.kind, scenario.label, runs, "runs of the mechanism")
    way, one, n = _way(m.mechanism, m.lengths), one_round_of(m.mechanism), len(m.lengths)
    after = one is not None and one.payment in AFTER_THE_RUN
    paid_after = n * n * costs.SETTLED_JOB * after  # runs without each
    return costs.predicted(size_only, _base(way), runs * (_seconds(way) + n * costs.DECLARED_JOB + paid_after))


def search(scenario: Scenario, options: Search) -> Estimate:
    """Profiles, and the time of one of them times their number."""
    if options.dynamics == REAL:
        return _over_reals(scenario, options)
    m = model(scenario, options.mechanism)
    game = m.game()
    types, refused = bayesian_cost(m) if options.bayesian else ((0.0, 0), {})
    planned = plan(game, options, options.bayesian and not refused)
    size = math.prod(len(game.strategies(player)) for player in range(len(m.agents)))
    game.costs(m.lengths)  # not timed: the first one may load and compile
    seconds, memory = 0.0, 0
    if planned.method is not None:
        seconds, plans = _table(game, size)
        memory = plans + table_bytes(game)
    note = "; ".join(REFUSED.format(*item) for item in (planned.refused | refused).items())
    size_only = Estimate("search", scenario.kind, scenario.label, size, "declaration profiles", note=note)
    memory = max(memory, planned.cost[1], types[1])
    return costs.predicted(size_only, costs.DECLARATION, planned.cost[0], memory, timed=seconds + types[0])


def _over_reals(scenario: Scenario, options: Search) -> Estimate:
    """Best replies of a few rounds, twice each, and the time of everybody's first one."""
    m = model(scenario, options.mechanism)
    begin, among = real_numbers(m, options)
    game_of = (m.mechanism, m.lengths, begin)
    best_reply(*game_of, 0, among, values=m.values)  # not timed: the first one may load and compile
    started = time.process_time()
    for agent in range(len(begin)):
        best_reply(*game_of, agent, among, values=m.values)
    seconds = (time.process_time() - started) * 2 * ANSWERS
    size_only = Estimate("search", scenario.kind, scenario.label, 2 * ANSWERS * len(begin), "best replies, or more")
    return costs.predicted(size_only, costs.DECLARATION, 0.0, 0, timed=seconds)


def _table(game: DeclarationGame, size: int) -> tuple[float, int]:
    """Seconds and bytes until the costs of all profiles are known and searched."""
    if has_table(game):
        assert isinstance(game.mechanism, OneRound)
        planning = kernel_size(game.mechanism, domain_of(game), "dominant").planning
        paid_after = costs.SETTLED_PROFILE if game.mechanism.payment in AFTER_THE_RUN else 0.0
        return planning + size * len(game.lengths) * (costs.TABLED_PROFILE + paid_after), plan_bytes(game)
    own = [game.strategies(player) for player in range(len(game.lengths))]
    begin = time.process_time()
    game.costs(tuple(declared[0] for declared in own))
    game.costs(tuple(declared[-1] for declared in own))
    return (time.process_time() - begin) / 2 * size, costs.PROFILE_BYTES * size


def verify(scenario: Scenario, options: Verify) -> Estimate:
    """Comparisons, with the time and memory that the kernel (or the general way) predicts."""
    main = verified_property(options)
    m = model(scenario, options.mechanism)
    prior = m.known_prior(f"property {main!r}") if main == BAYESIAN else m.prior()
    coalitions = coalitions_of(options, len(m.agents))
    budget = Budget.of(options.time_limit, options.max_bytes)
    parts = _parts(m, options.method, options.sample, coalitions, budget, prior)
    return costs.limited(_incentives("verify", scenario, [parts]), options.time_limit)


def prove(scenario: Scenario, options: Prove) -> Estimate:
    """Statements, and an order of the time that proofs take: it depends on how much branches.

    Beyond the numbers of agents that were measured, each agent more multiplies the cells as the last one that was. Code
    of one's own is taken to branch as the rules of the package do.
    """
    asked_symbol(options)
    m = model(scenario, options.mechanism)
    chosen = statements(options, m)
    one = one_round_of(m.mechanism)
    size_only = Estimate("prove", scenario.kind, scenario.label, len(chosen), "statements for all lengths")
    cells, how = _proof_cells(one, len(m.agents))
    if one is None or one.allocate is not None:
        how += "; custom code may branch more or less often; a time limit keeps what is proved"
    note = f"method proof; an order of magnitude: {magnitude(cells)} cells if nothing is refuted sooner{how}"
    return costs.limited(
        costs.predicted(replace(size_only, note=note), costs.PLAIN, cells * costs.PROOF_CELL), options.time_limit
    )


def _proof_cells(mechanism: OneRound | None, agents: int) -> tuple[int, str]:
    """Cells of all proofs of a rule, and from where they are extrapolated; custom code compares no allocations."""
    measured: tuple[int, ...] = PROOF_CELLS
    if mechanism is not None and mechanism.allocate is None and len(mechanism.cluster.powers) > 1:
        measured = PROOF_CELLS if mechanism.goal.by_sum else PROOF_CELLS_OF_ALLOCATIONS
    more = max(0, min(agents, MOST_PROOF_AGENTS) - len(measured))
    cells = measured[min(agents, len(measured)) - 1] * (measured[-1] // measured[-2]) ** more
    return cells, f"; extrapolated from {len(measured)} agents" if more else ""


def design(scenario: Scenario, options: Design) -> Estimate:
    """Payments of a finite domain: runs for the envy graphs, and a linear program; of formulas the order only."""
    m = model(scenario, options.mechanism)
    head, agents = ("design", scenario.kind, scenario.label), len(m.agents)
    if for_all_lengths(m, options):
        one = one_round_of(m.mechanism)
        cells, how = (0, "") if one is None else _proof_cells(one, agents)  # of a custom one it is refused
        note = f"method template; an order of magnitude: {magnitude(cells)} cells, gone through some times{how}"
        features = options.penalty_template or options.template or FEATURES
        size_only = Estimate(*head, len(features), "coefficients", note=note)
        rounds = len(features) + 2  # a coefficient is fixed in one of them, about
        return costs.limited(
            costs.predicted(size_only, costs.PLAIN, rounds * cells * costs.PROOF_CELL), options.time_limit
        )
    setting = question_of(m, options)
    domain, profiles = setting.domain, setting.domain.profiles
    size_only = Estimate(*head, profiles * agents, "payments")
    seconds = profiles * agents * costs.DESIGNED_PAYMENT
    if options.allocation != "rule":
        n_schedules = n_allocations(agents, len(setting.m.cluster.powers))
        seconds *= n_schedules * (1 if options.allocation == "lottery" else 20)
        size_only = replace(size_only, note=f"{n_schedules:,} allocations at each of {profiles:,} profiles")
    elif one_round_of(setting.mechanism) is None:
        seconds += domain.cases(options.concept) * costs.DECLARATION_RUN
    return costs.limited(costs.predicted(size_only, costs.DECLARATION, seconds), options.time_limit)


def compare(scenarios: Sequence[Scenario], options: Compare) -> Estimate:
    """The incentive checks of all rows together."""
    models = [model(v.scenario, v.own) for v in variants(scenarios, options.rules)]
    budget = Budget.of(options.time_limit, options.max_bytes)
    rows = [_parts(m, "auto", options.sample, two_friends(m), budget) for m in models]
    return costs.limited(_incentives("compare", scenarios[0], rows), options.time_limit)


def _parts(
    m: Model,
    method: str,
    sample: int | None,
    coalitions: Coalitions | None,
    budget: Budget,
    prior: Prior | None = None,
) -> Sequence[IncentiveCost]:
    """The parts of one audit, refused as the audit itself refuses them."""
    parts = incentive_costs(m.mechanism, m.domain(), method=method, sample=sample, prior=prior, coalitions=coalitions)
    if sample is not None or affordable(parts, method, budget):
        return parts
    run = incentive_costs(m.mechanism, m.domain(), method="general", prior=prior, coalitions=coalitions)
    most = MAX_BYTES if budget.bytes is None else budget.bytes
    return [replace(part, bytes=min(part.bytes, most)) for part in run if part.method != "kernel"]


def _incentives(verb: str, scenario: Scenario, rows: Sequence[Sequence[IncentiveCost]]) -> Estimate:
    first, parts = rows[0][0], list(chain(*rows))
    what = f"{len(rows)} rows of " if len(rows) > 1 else f"method {first.method}; "
    size_only = Estimate(
        verb,
        scenario.kind,
        scenario.label,
        sum(row[0].comparisons for row in rows),
        "comparisons of the truth with a lie",
        note=f"{what}{first.profiles:,} declaration profiles; time and memory are predictions",
    )
    memory = max(part.bytes - (PROCESS_BYTES if part.method == "kernel" else 0) for part in parts)
    compiled = sum(part.seconds for part in parts if part.method == "kernel")
    others = sum(part.seconds for part in parts) - compiled
    return costs.predicted(
        size_only, costs.DECLARATION if compiled else costs.PLAIN, compiled / costs.speed(), memory, timed=others
    )


def curve(scenario: Scenario, options: Curve) -> Estimate:
    """Pieces found by symbolic execution, and the allocations compared for each; else runs that enclose breakpoints."""
    m = model(scenario, options.mechanism)
    agent = agent_number(m, options.agent)
    low, high = declared_range(m, options.low, options.high)
    inside = sum(low < x < high for x in marks(m.mechanism, m.lengths, m.lengths, agent))
    n, way = len(m.lengths), _way(m.mechanism, m.lengths)
    one: Any = one_round_of(m.mechanism)
    head = ("curve", scenario.kind, scenario.label)
    if way is not None and (one.heuristic or (one.goal.degree is None and one.goal.cost(n) is None)):
        runs = min(MAX_TRIED, (inside + 1) * PARTS * 9 + (inside + n) * RUNS_PER_BREAK)
        return costs.predicted(Estimate(*head, runs, "runs of the mechanism, about"), _base(way), runs * _seconds(way))
    allocations = None if way is None else reach(n, one.cluster.n_machines, one.goal, one.ties, symbolic=True)
    size = 0 if allocations is None or allocations.method == "matching" else allocations.steps
    pieces = (inside + (n if size else 0) + 1) * (2 if isinstance(m.mechanism, TwoRounds) else 1)
    note = f"{size:,} allocations are compared for each" if size else ""
    pieces_of = Estimate(*head, pieces, "pieces of the curve, about", note=note)
    return costs.predicted(pieces_of, _base(way), pieces * (costs.CURVE_PIECE + size * costs.COMPARED_ALLOCATION))


def _way(mechanism: DeclarationMechanism, lengths: Sequence[Fraction]) -> tuple[Reach, bool] | None:
    """How the mechanism finds its allocations; ``None`` for one of one's own. Raises TooLargeError as its run does."""
    one = one_round_of(mechanism)
    if one is None or one.allocate is not None:
        return None
    return exact_reach(one.cluster, lengths, one.goal, one.ties, one.heuristic)


def _seconds(way: tuple[Reach, bool] | None) -> float:
    if way is None or not way[0].within:
        return costs.DECLARATION_RUN
    reach, fits = way
    return costs.DECLARATION_RUN + reach.steps * costs.ALLOCATION_STEP[reach.method] * (
        1 if fits else costs.ON_PYTHON_INTEGERS
    )


def _base(way: tuple[Reach, bool] | None) -> costs.Base:
    """Whether compiled code is loaded."""
    return costs.PLAIN if way is None or way[0].method not in COMPILED else costs.DECLARATION
