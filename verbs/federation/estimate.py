"""``--dry-run`` of the verbs on scenarios of kind ``federation``: jobs to schedule, or placements to search."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...games.dynamics import STARTS
from ...games.equilibria.coalitions.checker import FEW, MAX_TABLE, checked_size, count_deviations
from ...games.normal_form import table_bytes
from ...games.placement.all_lengths.by_theorem import by_theorem
from ...games.placement.branch_and_bound import home_vectors
from ...games.placement.checker import MAX_TRIED
from ...games.placement.dynamics import LISTED, playable
from ...games.placement.game import PlacementGame
from ...games.protocol import count_profiles
from ...games.search import ENUMERATION, prepared
from ...mechanisms.federation.optimal import Optimal
from ...scenarios.scenario import Scenario
from ...support.errors import TooLargeError
from ...support.exact import magnitude
from .. import costs
from ..compare import variants
from ..game.analyses import plan
from ..records import Estimate
from .model import AnyPlacementGame, Model, model
from .options import Compare, Prove, Run, Search, Verify
from .prove import EXISTENCE, RATIO, asked_property, asked_shape, predicted_nodes, rule_of, shape_of
from .run import ANARCHY_SECONDS, check_coalitions
from .run import asked_property as verified_property

JOBS = "jobs to schedule"
NODES = "nodes of a tree of lengths, roughly"
BY_SOLVER = (
    "solvers prove the optimum, which may take far longer than predicted; "
    "time_limit ends them with the best known and a proved bound"
)
BY_BOXES = "equal lengths and good luck make it far shorter; time_limit ends it with proved bounds"


@dataclass(frozen=True)
class _Work:
    """What a part of the answer takes."""

    base: costs.Base
    seconds: float = 0.0
    memory: int = 0
    note: str = ""
    timed: float = 0.0


def run(scenario: Scenario, options: Run) -> Estimate:
    """Every job once; the search for an optimum."""
    m = model(scenario, options.mechanism)
    whole = Estimate("run", scenario.kind, scenario.label, m.federation.n_jobs, JOBS)
    return _together(whole, [_schedule(m, options.time_limit)])


def verify(scenario: Scenario, options: Verify) -> Estimate:
    """Every job once; what organizations could reach alone."""
    m = model(scenario, options.mechanism)
    verified_property(m, options.property)
    whole = Estimate("verify", scenario.kind, scenario.label, m.federation.n_jobs, JOBS)
    check_coalitions(m, options)
    behind = [_optimum(m, Optimal(), options.time_limit)] if "approximation-ratio" in m.claims else []
    return _together(whole, [_schedule(m, options.time_limit), *behind, *_coalitions(m, options)])


def _coalitions(m: Model, options: Verify) -> list[_Work]:
    """Every deviation tried, or the table of all placements looked at."""
    if options.coalitions is None:
        return []
    game = m.game()
    tried = count_deviations(game, checked_size(game, options.coalitions))
    if tried <= FEW:
        return [_Work(costs.PLAIN, tried * costs.TRIED_PLACEMENT)]
    if table_bytes(game) <= MAX_TABLE:
        return [_Work(costs.PLACEMENT, count_profiles(game) * costs.PLACED_PROFILE, table_bytes(game))]
    return [_limited(_Work(costs.SOLVER, costs.COALITION_CUTS, note=BY_SOLVER), options.time_limit)]


def search(scenario: Scenario, options: Search) -> Estimate:
    """Placements, and the method that would be used."""
    m = model(scenario, options.mechanism)
    game = m.game()
    planned = plan(game, options)
    parts = [_limited(_Work(costs.PLAIN, *planned.cost), options.time_limit)]
    if planned.method is not None:
        parts.append(_limited(_search(game, planned.method), options.time_limit))
    if not m.total:  # then the least makespan of all schedules is told too
        parts.append(_optimum(m, Optimal(), options.time_limit))
    whole = Estimate("search", scenario.kind, scenario.label, count_profiles(game), "placements", note=planned.note)
    return _together(whole, parts)


def prove(scenario: Scenario, options: Prove) -> Estimate:
    """Nodes of the tree as shapes of this size have had, or the theorem that needs none."""
    spec, name = asked_shape(scenario), asked_property(scenario, options)
    rule, n, jobs = rule_of(spec, options), len(spec.jobs), sum(spec.jobs)
    shape, head = shape_of(spec, rule), ("prove", scenario.kind, scenario.label)
    theorems = options.method == "auto" and options.certificate is None and (rule is None or name == RATIO)
    answer = by_theorem(shape, name, options.at_most, rule) if theorems else None
    if answer is not None:
        return costs.predicted(Estimate(*head, 0, NODES, note=f"the theorem {answer.theorem!r} answers"), costs.PLAIN)
    deviations = sum(n**count for count in spec.jobs)
    space = f"{jobs:,} jobs, {magnitude(n**jobs)} placements, {magnitude(deviations)} deviations"
    note = f"{space}; shapes of as many jobs differ by a factor of ten; time_limit ends it with what is decided"
    nodes = predicted_nodes(shape, name)
    each = {RATIO: costs.PROOF_CELL, EXISTENCE: costs.COVER_NODE}.get(name, costs.PRICE_NODE)
    work = _Work(costs.PLACEMENT, float(min(costs.LONGEST, min(nodes, 10**12) * each)), note=note)
    return _together(Estimate(*head, nodes, NODES), [_limited(work, options.time_limit)])


def compare(scenarios: Sequence[Scenario], options: Compare) -> Estimate:
    """The placements of the games among the rows; without any, the jobs of all rows."""
    rows = [model(v.scenario, v.own) for v in variants(scenarios, options.rules)]
    parts = [_schedule(m, options.time_limit) for m in rows]
    head = ("compare", scenarios[0].kind, scenarios[0].label)
    games = [m.game() for m in rows if m.played]
    if not games:
        return _together(Estimate(*head, sum(m.federation.n_jobs for m in rows), JOBS), parts)
    limit = ANARCHY_SECONDS if options.time_limit is None else options.time_limit
    notes = []
    for game in games:
        try:
            method, why = prepared(game)
        except TooLargeError:  # such a row is left incomplete, not refused
            continue
        notes.append(f"method {method}: {why}")
        parts.append(_limited(_search(game, method), limit))
    return _together(Estimate(*head, sum(map(count_profiles, games)), "placements", note="".join(notes[:1])), parts)


def _schedule(m: Model, time_limit: float | None) -> _Work:
    """The schedule of the rule, judged."""
    jobs = m.federation.n_jobs
    seconds, memory = jobs * costs.SCHEDULED_JOB, jobs * costs.LISTED_JOB_BYTES
    if isinstance(m.rule, Optimal):
        return _optimum(m, m.rule, time_limit)
    if not m.played:
        return _Work(costs.FEDERATION, seconds, memory)
    game = m.game()
    packed = isinstance(game, PlacementGame) and game.single  # then nothing is tried one by one
    hosts = len(m.federation)
    tried = 0 if packed else sum(n for row in m.federation.sizes if (n := hosts ** len(row)) <= MAX_TRIED)
    return _limited(_Work(costs.PLACEMENT, seconds + tried * costs.TRIED_PLACEMENT, memory), time_limit)


def _optimum(m: Model, rule: Optimal, time_limit: float | None) -> _Work:
    """Quick schedules and bounds, which are tried here; what they leave open is for solvers."""
    began = time.process_time()
    if rule.prepare(m.federation):
        quick = time.process_time() - began
        return _Work(costs.FEDERATION, m.federation.n_jobs * costs.SCHEDULED_JOB, timed=quick)
    jobs = m.federation.n_jobs
    seconds = costs.SOLVER_SECONDS * jobs
    if rule.needs_starts:  # over start times it takes longer by a factor with every job
        first, at, factor = costs.START_PROOF
        seconds = float(min(costs.LONGEST, first * factor ** min(jobs - at, 100)))
    work = _Work(costs.SOLVER, seconds, costs.SOLVER_BYTES * jobs * m.federation.n_machines, BY_SOLVER)
    return _limited(work, time_limit)


def _search(game: AnyPlacementGame, method: str) -> _Work:
    size = count_profiles(game)
    if method == ENUMERATION:
        seconds, cells, timed = size * costs.PLACED_PROFILE, size * (len(game.players) + 1), 0.0
        if not (isinstance(game, PlacementGame) and game.compiled):
            began = time.process_time()
            game.costs(game.default_profile)
            seconds, timed = 0.0, (time.process_time() - began) * size
        return _Work(costs.PLACEMENT, seconds + cells * costs.TABLE_CELL, table_bytes(game), timed=timed)
    if method == "branch-and-bound" and isinstance(game, PlacementGame):
        nodes = math.isqrt(home_vectors(game)) << min(len(game.players), 100)
        return _Work(costs.PLACEMENT, float(min(costs.LONGEST, nodes * costs.BOX)), costs.BOX_BYTES, BY_BOXES)
    jobs = game.federation.n_jobs
    if method == "dynamics" and isinstance(game, PlacementGame):
        tried = sum(map(game.n_strategies, range(len(game.players)))) if playable(game) and not game.single else jobs
        seconds = (STARTS + LISTED) * tried * costs.TRIED_PLACEMENT
        return _Work(costs.PLACEMENT, seconds, note="bounds are told at once; dynamics take the time")
    note = "the proof is a solver's and may take far longer than predicted; time_limit ends it with proved bounds"
    return _Work(costs.SOLVER, costs.SOLVER_SECONDS * jobs * len(game.players), 10 * costs.MIB, note)


def _limited(work: _Work, time_limit: float | None) -> _Work:
    limit = math.inf if time_limit is None else time_limit
    return replace(work, seconds=min(work.seconds, limit), timed=min(work.timed, limit))


def _together(whole: Estimate, parts: Sequence[_Work]) -> Estimate:
    """One estimate: the dearest base of what is not small, all seconds, the largest memory."""
    large = [part.base for part in parts if part.seconds + part.timed >= costs.SMALL or part.base == costs.SOLVER]
    base = max(large, key=lambda base: base.seconds, default=costs.PLAIN)
    notes = dict.fromkeys(part.note for part in parts if part.note)
    return costs.predicted(
        replace(whole, note="; ".join(filter(None, [whole.note, *notes]))),
        base,
        sum(part.seconds for part in parts),
        max((part.memory for part in parts), default=0),
        timed=sum(part.timed for part in parts),
    )
