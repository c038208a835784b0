"""``search`` on scenarios of kind ``federation``: equilibria of the placement game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ...games.placement.certificate import Certificate
from ...games.placement.game import PlacementGame
from ...games.placement.theorems import theorem_of
from ...games.protocol import Outcome
from ...games.results import SearchResult
from ...mechanisms.federation.optimal import Optimal
from ...scenarios.scenario import Scenario
from ...support.interrupts import noticed
from ...support.progress import Progress
from ..game.records import DynamicsRow
from ..game.search import searched
from ..game.setup import Setup
from .coalitions import move_rows
from .model import Model, by_host, label, model, placement_of
from .options import Search
from .records import (
    CertificateRow,
    ExclusionRow,
    FederationSearchRecord,
    TreeRow,
)

SIDE = {"worst": "above", "best": "below"}


def search(scenario: Scenario, options: Search, progress: Progress | None = None) -> FederationSearchRecord:
    """Equilibria of the placement game; dynamics start with every job at home unless ``start`` says otherwise."""
    m, own = model(scenario, options.mechanism), options.mechanism is not None
    setup = setup_of(m, options)
    with noticed() as stopped:
        result, fields = searched(setup, options, progress)
    fields["certificate"] = None if result.certificate is None else _certificate(scenario, m, result)
    if isinstance(fields["dynamics"], DynamicsRow) and not own:
        fields["dynamics"] = with_replay(scenario, fields["dynamics"])
    return FederationSearchRecord(
        kind=scenario.kind,
        scenario=scenario.label,
        unconstrained_optimum=None if stopped() else _unconstrained(m, options.time_limit, progress),
        game=setup.game,
        label=label,
        **theorem_names(setup.game),
        **fields,
    )


def setup_of(m: Model, options: Search) -> Setup:
    """The placement game; a profile is a table of hosts by organization."""
    start = None if options.start is None else placement_of(m.spec, options.start)
    return Setup(m.game(), start, lambda profile: by_host(m.spec, profile))


def theorem_names(game: Any) -> dict[str, Any]:
    """The theorem by which the game has an equilibrium, if there is one, and what vouches for it."""
    theorem = theorem_of(game) if isinstance(game, PlacementGame) else None
    return {
        "theorem": None if theorem is None else theorem.name,
        "proof": None if theorem is None else theorem.proof(game),
    }


def _unconstrained(m: Model, time_limit: float | None, progress: Progress | None) -> Fraction | None:
    """The least makespan of any schedule, where it is proved and makespans count."""
    if m.total:
        return None
    best = Optimal().solve(m.federation, time_limit, progress)
    return best.lower if best.complete else None


def with_replay(scenario: Scenario, dynamics: DynamicsRow) -> DynamicsRow:
    """A cycle with a scenario that goes through it again."""
    if dynamics.cycle is None:
        return dynamics
    claim = {"options": {"start": dynamics.cycle[0]}, "dynamics": {"converged": False}}
    return replace(dynamics, replay=(scenario.variant({}, {"search": claim}),))


def _certificate(scenario: Scenario, m: Model, result: SearchResult) -> CertificateRow:
    certificate: Certificate = result.certificate
    names, unit = m.spec.names, m.federation.unit
    claims = tuple(
        ExclusionRow(
            no_equilibrium="at all" if claim.social is None else SIDE[claim.direction],
            social_cost=None if claim.social is None else claim.social * unit,
            factor=Fraction(claim.slack.num, claim.slack.den),
            addend=claim.slack.add * unit,
            strict=claim.slack.strict,
            moves=move_rows(names, claim.cuts),
        )
        for claim in certificate.claims
    )
    equilibria = result.equilibria
    extremes = [outcome for outcome in (equilibria.best, equilibria.worst) if outcome is not None]
    replay = replays(scenario, m, result.method, equilibria.exists if result.complete else None, extremes)
    trees = None
    game = m.game()
    if certificate.trees is not None and isinstance(game, PlacementGame):
        by_rank = [names[k] for k in game.by_priority]
        trees = tuple(
            TreeRow.of(
                tree,
                at_least=tree.least * unit,
                at_most=None if tree.most is None else tree.most * unit,
                payer=None if tree.payer is None else by_rank[tree.payer],
            )
            for tree in certificate.trees
        )
    return CertificateRow(claims=claims, trees=trees, replay=tuple(replay))


def replays(
    scenario: Scenario, m: Model, method: str, exists: bool | None, extremes: Sequence[Outcome]
) -> list[dict[str, Any]]:
    """Whether there is an equilibrium, if known; then that the best and the worst one are equilibria of that cost."""
    verdict: dict[str, Any] = {"options": {"method": method}, "equilibria": {"exists": exists}}
    replay = [] if exists is None else [scenario.variant({}, {"search": verdict})]
    for one in {outcome.profile: outcome for outcome in extremes}.values():
        claim = {"verify": {"equilibrium": {"holds": True}}, "run": {"social_cost": one.social_cost}}
        replay.append(scenario.variant({"placement": by_host(m.spec, one.profile)}, claim))
    return replay
