"""Bayes-Nash equilibria against all strategies tried one by one."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import pytest

from consortium.games.normal_form import NormalFormGame
from consortium.games.verification import equilibria
from consortium.games.verification.domain import Domain
from consortium.games.verification.equilibria import AgentForm, agent_form, bayes_nash, cost, first_best
from consortium.games.verification.expectations import is_bayes_nash, outcomes
from consortium.games.verification.prior import Prior
from consortium.mechanisms.declaration import build
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import LexicalMax, Makespan, SumOfTimes
from consortium.support.errors import ContradictionError, TooLargeError
from consortium.support.exact import INF
from consortium.support.progress import Clock

from ...sweeps import full, thinned
from .plain_prior import Arbitrary, all_equilibria, all_profiles, cost_of, mechanism, situation

ONE = Cluster.of([1])


def small(rng: random.Random) -> tuple[Prior, Domain]:
    """At most sixty profiles of strategies."""
    while True:
        prior, domain = situation(rng, rng.randint(1, 3), (1, 2))
        if math.prod(len(domain.options(n, x)) for n, own in enumerate(prior.support) for x in own) <= 60:
            return prior, domain


@pytest.mark.parametrize("seed", [*thinned(range(40)), *full(range(1000, 3000))])
def test_all_equilibria_are_found(seed: int) -> None:
    """One random mechanism: every equilibrium, the best and the worst."""
    rng = random.Random(seed)
    prior, domain = small(rng)
    mech = mechanism(rng, domain.n_agents)
    found, expected = bayes_nash(mech, domain, prior, ONE), all_equilibria(mech, prior, domain)
    assert found.complete
    assert found.count == len(expected)
    costs, played = [social for _, social in expected], outcomes(mech)
    for maps in all_profiles(prior, domain):
        assert is_bayes_nash(played, domain, prior, maps) == (maps in [equilibrium for equilibrium, _ in expected])
    if not expected:
        assert (found.best, found.worst, found.price_of_anarchy) == (None, None, None)
        return
    assert (found.best.social_cost, found.worst.social_cost) == (min(costs), max(costs))
    for outcome in (found.best, found.worst):
        assert is_bayes_nash(played, domain, prior, outcome.strategies)
        assert list(outcome.strategies) in [maps for maps, _ in expected]
        assert cost_of(mech, prior, list(outcome.strategies)) == outcome.social_cost


@pytest.mark.parametrize("seed", range(10))
def test_the_table_is_that_of_the_costs(seed: int) -> None:
    rng = random.Random(seed)
    prior, domain = small(rng)
    mech = mechanism(rng, domain.n_agents)
    form = agent_form(mech, domain, prior, SumOfTimes())
    table, plain = form.tabulate(), NormalFormGame.from_costs(form)
    assert table.players == form.players
    for profile in itertools.product(*(form.strategies(k) for k in range(len(form.players)))):
        assert table.costs(profile) == plain.costs(profile) == form.costs(profile)
        assert table.social_cost(profile) == plain.social_cost(profile) == form.social_cost(profile)


def test_python_integers_where_64_bits_are_too_few() -> None:
    tiny = Fraction(1, 10**20)
    prior, domain = Prior.of([{1: tiny, 2: 1 - tiny}, {1: "1/2", 2: "1/2"}]), Domain.of([1, 2], agents=2)
    found = [bayes_nash(build("vcg-renice", ONE), domain, p, ONE) for p in (prior, Prior.of([{1: 1}, {2: 1}]))]
    form = AgentForm(outcomes(Arbitrary(5, never=2, scale=10**18)), domain, prior)
    assert form.tabulate().table.dtype == object
    assert found[0].count == len(all_equilibria(build("vcg-renice", ONE), prior, domain))
    assert found[0].complete
    assert found[1].complete


def test_first_best_is_the_best_schedule_of_each_profile_of_lengths() -> None:
    prior = Prior.of([{1: "1/3", 2: "2/3"}, {1: "1/4", 3: "3/4"}])
    by_hand = sum(p * max(x) for x, p in prior.profiles())
    assert first_best(prior, Cluster.of([1, 1]), Makespan()) == by_hand
    assert first_best(prior, ONE, SumOfTimes()) == sum(p * (2 * min(x) + max(x)) for x, p in prior.profiles())
    assert first_best(prior, ONE, LexicalMax()) is None


def test_welfare_that_is_no_number_has_equilibria_without_a_best() -> None:
    prior, domain = Prior.of([{1: "1/2", 2: "1/2"}] * 2), Domain.of([1, 2], agents=2)
    found = bayes_nash(build("evcg-postpone", ONE, LexicalMax()), domain, prior, ONE)
    assert found.count >= 1
    assert (found.best, found.worst, found.first_best, found.price_of_anarchy) == (None, None, None, None)
    assert found.complete


def test_costs_without_end() -> None:
    """Under a rule that kills late jobs some strategies cost inf, and no equilibrium does."""
    prior, domain = Prior.of([{1: "1/2", 2: "1/2"}] * 2), Domain.of([1, 2], agents=2)
    table = agent_form(build("harsh", ONE), domain, prior, SumOfTimes()).tabulate()
    ones = tuple(map(Fraction, (1, 1, 1, 1)))
    assert [c == INF for c in table.costs(ones)] == [False, True, False, True]
    assert table.social_cost(ones) == INF


def test_too_many_strategies_are_counted_in_the_refusal() -> None:
    prior = Prior.of([{x: Fraction(1, 9) for x in range(1, 10)}] * 2)
    with pytest.raises(TooLargeError, match=r"profiles of strategies .* Take fewer lengths"):
        bayes_nash(build("harsh", ONE), Domain.of(range(1, 10), agents=2), prior, ONE)


def test_an_equilibrium_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equilibria, "is_bayes_nash", lambda *about: False)
    prior, domain = Prior.of([{1: "1/2", 2: "1/2"}] * 2), Domain.of([1, 2], agents=2)
    with pytest.raises(ContradictionError, match="an agent gains by another declaration"):
        bayes_nash(build("harsh", ONE), domain, prior, ONE)


def test_time_that_is_up_leaves_an_unfinished_answer() -> None:
    prior, domain = Prior.of([{1: "1/2", 2: "1/2"}] * 2), Domain.of([1, 2], agents=2)
    found = bayes_nash(build("harsh", ONE), domain, prior, ONE, clock=Clock(0))
    assert (found.profiles, found.count, found.best, found.complete) == (16, None, None, False)


def test_the_prediction_grows_with_the_strategies() -> None:
    mech = build("harsh", ONE)
    sizes = [
        cost(mech, Domain.of(range(1, k + 1), agents=2), Prior.of([{x: Fraction(1, k) for x in range(1, k + 1)}] * 2))
        for k in (2, 4)
    ]
    assert sizes[0][1] == 16 * 5 * 16
    assert sizes[1][1] == 16 * 9 * 4**8
