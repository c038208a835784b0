"""What a record proves of a scenario with a ``[prior]``: every expectation is computed again from the definition.

All that ``verify`` tells follows from finitely many expectations, so all of it is proved. Of ``search`` the strategies
are proved to be in equilibrium at their cost, and the first best; that none is better, worse or missing is not.
"""

from __future__ import annotations

from fractions import Fraction

from ...games.bayesian.agent_form import AgentForm
from ...games.bayesian.checker import (
    expected_at_truth,
    expected_social_cost,
    interim_utility,
    is_bayes_nash,
    judged,
    outcomes,
    truth,
)
from ...games.bayesian.equilibria import first_best
from ...games.bayesian.prior import Prior
from ...games.bayesian.results import Played, Strategy
from ...games.incentives.domain import Domain, Profile
from ...games.protocol import count_profiles, price
from ...mechanisms.declaration.protocol import Outcome
from ...support.exact import Extended
from ...support.progress import Clock
from ..game.evidence import PLAYED
from ..proving import Claim, Comparisons
from .bayesian import bayesian_row, goal_of
from .model import Model


def played_within(m: Model, clock: Clock) -> Played:
    """Runs of the scenario's mechanism, each once. Raises TimeoutError when time is up."""
    play, seen = outcomes(m.mechanism, m.values), dict[tuple[Profile, Profile], Outcome]()

    def played(declared: Profile, lengths: Profile) -> Outcome:
        if clock.expired():
            raise TimeoutError
        key = declared, lengths
        if key not in seen:
            seen[key] = play(declared, lengths)
        return seen[key]

    return played


def verify(claim: Claim, m: Model, domain: Domain, prior: Prior, clock: Clock) -> Comparisons:
    """Expectations of the lengths that the record has, and what follows from them."""
    played, names, honest = played_within(m, clock), m.spec.names, truth(prior)
    interim: list[dict[Fraction, dict[Fraction, Extended]]] = []
    for n, own in enumerate(claim["interim"].by_name(names)):
        known = [x for x in prior.support[n] if own[str(x)].given]
        interim.append(
            {x: {b: interim_utility(played, prior, honest, n, x, b) for b in domain.options(n, x)} for x in known}
        )
    expected = expected_at_truth(played, prior, goal_of(m)) if claim["expected"].given else None
    yield from claim.proves(bayesian_row(judged(domain, prior, interim, expected, ""), names))


def search(claim: Claim, m: Model, prior: Prior, clock: Clock) -> Comparisons:
    """Best and worst equilibrium, and the first best."""
    domain, played = m.domain(), played_within(m, clock)
    yield from claim["profiles"].proves(count_profiles(AgentForm(played, domain, prior)))
    costs, shown = dict[str, Extended](), set[str]()
    for place in ("best", "worst"):
        if claim[place].given:
            strategies = _strategies(claim[place]["strategies"], m, domain, prior)
            social = expected_social_cost(played, prior, strategies, goal_of(m))
            if is_bayes_nash(played, domain, prior, strategies) and social is not None:
                yield from claim[place]["strategies"].proves(claim[place]["strategies"].value)
                yield from claim[place]["social_cost"].proves(social)
                costs[place] = social
                shown.add(repr(strategies))
            else:
                yield claim[place].wrong("no equilibrium")
    if len(costs) == 2 and costs["best"] > costs["worst"]:
        yield claim["best"]["social_cost"].wrong(f"at most that of the worst, {costs['worst']}")
    count, least, ratio = claim["count"], claim["first_best"], claim["price_of_anarchy"]
    if count.given:
        yield from count.requires(count.whole() >= len(shown), f"at least {len(shown)}", PLAYED)
    if least.given:
        yield from least.proves(first_best(prior, m.cluster, goal_of(m), clock))
        yield from ratio.agrees(price(costs.get("worst"), least.extended()), PLAYED)


def _strategies(claim: Claim, m: Model, domain: Domain, prior: Prior) -> tuple[Strategy, ...]:
    """Everybody's strategy as it is written. Raises InputError for what is none."""
    found = []
    for n, own in enumerate(claim.by_name(m.spec.names)):
        rows = own.by_name([str(x) for x in prior.support[n]])
        found.append({x: row.one_of(domain.options(n, x)) for x, row in zip(prior.support[n], rows, strict=True)})
    return tuple(found)
