"""Bayesian incentive compatibility against the definition, and against what holds ex post."""

from __future__ import annotations

import random
import signal
from dataclasses import replace
from fractions import Fraction

import pytest

from consortium.games.verification import cost
from consortium.games.verification.check import check_bayesian, check_incentives
from consortium.games.verification.cost import estimate_bayesian
from consortium.games.verification.domain import Domain
from consortium.games.verification.expectations import expected_at_truth, outcomes
from consortium.games.verification.prior import Prior, expectation
from consortium.games.verification.truth_tables import covers
from consortium.mechanisms.declaration import build
from consortium.mechanisms.declaration.protocol import play
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import ExpressionGoal, LexicalMax, Makespan
from consortium.support.errors import InputError, MechanismError
from consortium.support.exact import INF

from ...sweeps import full
from .plain_prior import MORE, RULES, Answer, Arbitrary, expects, gains, mechanism, odds, situation


def compared(seed: int) -> None:
    """One random mechanism and prior: all numbers, and what follows from an answer ex post."""
    rng = random.Random(seed)
    n = rng.randint(1, 3)
    prior, domain = situation(rng, n)
    mech = mechanism(rng, n)
    found = check_bayesian(mech, domain, prior)
    expected = gains(mech, prior, domain)
    assert found.complete
    assert found.cases == found.total == len(expected)
    assert found.max_gain == max(expected, default=None)
    assert found.holds == all(gain <= 0 for gain in expected)
    honest = [{x: x for x in own} for own in odds(prior)]
    for agent, own in enumerate(found.interim):
        assert list(own) == list(prior.support[agent])
        for x, row in own.items():
            assert row == {b: expects(mech, prior, honest, agent, x, b) for b in domain.options(agent, x)}
    assert found.least == min(row[x] for own in found.interim for x, row in own.items())
    if found.witness is not None:
        w = found.witness
        assert w.interim_lie - w.interim_truth == found.max_gain
        assert found.interim[w.agent][w.length][w.lie] == w.interim_lie
    at = [(p, play(mech, x, x)) for x, p in prior.profiles()]
    assert found.expected.utilities == tuple(expectation((p, o.utilities[k]) for p, o in at) for k in range(n))
    assert found.expected.rent == sum(p * o.rent for p, o in at)
    times = [(p, sum(t for t in o.output if t is not None)) for p, o in at]
    assert found.expected.welfare == -expectation(times)
    if covers(mech):
        general = check_bayesian(mech, domain, prior, method="general")
        assert replace(general, method="kernel") == found
    if check_incentives(mech, domain, "ex-post").holds:
        assert found.holds


@pytest.mark.parametrize("seeds", [range(32), *full([range(1000, 5000)])], ids=str)
def test_every_number_is_that_of_the_definition(seeds: range) -> None:
    for seed in seeds:
        compared(seed)


@pytest.mark.parametrize("seed", range(12))
def test_a_sure_length_is_ex_post_at_that_profile(seed: int) -> None:
    rng = random.Random(seed)
    n = rng.randint(1, 3)
    lengths = [Fraction(rng.randint(1, 3)) for _ in range(n)]
    declarations = [rng.sample([Fraction(k, 2) for k in range(1, 8)], 3) for _ in range(n)]
    domain = Domain.of([[x] for x in lengths], declarations)
    mech = mechanism(rng, n)
    sure = check_bayesian(mech, domain, Prior.of([{x: 1} for x in lengths]))
    known = check_incentives(mech, domain, "ex-post")
    assert (sure.holds, sure.max_gain, sure.cases) == (known.holds, known.max_gain, known.cases)
    if known.witness is not None:
        w, other = sure.witness, known.witness
        assert (w.agent, w.length, w.lie) == (other.agent, other.length, other.lie)
        assert (w.interim_truth, w.interim_lie) == (other.utility_truth, other.utility_lie)


@pytest.mark.parametrize("goal", [Makespan(), LexicalMax(), ExpressionGoal("-(a + 2*b)", ("a", "b"))])
@pytest.mark.parametrize("rule", ["evcg-renice", "evcg-postpone", "verified"])
def test_other_goals_by_tables_and_by_running(rule: str, goal: object) -> None:
    prior, domain = Prior.of([{1: "1/7", 2: "6/7"}, {1: "1/2", 3: "1/2"}]), Domain.of([1, 2, 3], agents=2)
    mech = build(rule, Cluster.of([1, 2]), goal)
    tables, running = (check_bayesian(mech, domain, prior, method=method) for method in ("auto", "general"))
    assert replace(running, method="kernel") == tables
    assert (tables.expected.welfare is None) == isinstance(goal, LexicalMax)


@pytest.mark.parametrize("rule", [*RULES, *MORE])
def test_numbers_beyond_64_bits(rule: str) -> None:
    """A unit of 10**18, and probabilities with a denominator of 10**20: the same answer times the unit."""
    tiny, unit = Fraction(1, 10**20), 10**18
    mech, answers = build(rule, Cluster.of([1])), []
    for scale in (1, unit):
        prior = Prior.of([{1 * scale: tiny, 2 * scale: 1 - tiny}, {1 * scale: 1 - tiny, 3 * scale: tiny}])
        answers.append(check_bayesian(mech, Domain.of([1 * scale, 2 * scale, 3 * scale], agents=2), prior))
    small, large = answers
    assert large.max_gain == small.max_gain * unit
    assert large.expected.rent == small.expected.rent * unit


class Bribed:
    """Pays without end, or lets wait without end, by the other's length: no expectation exists."""

    def run(self, declared: object, lengths: tuple[Fraction, ...]) -> Answer:
        first = INF if lengths[1] == 1 else Fraction(1)
        return Answer((first, Fraction(1)), (Fraction(0) if lengths[1] == 1 else -INF, Fraction(0)))


def test_a_utility_without_expectation_is_refused_in_a_sentence() -> None:
    prior = Prior.of([{1: 1}, {1: "1/2", 2: "1/2"}])
    with pytest.raises(MechanismError, match="agent 1 of length 1 who declares 1 expects inf and -inf"):
        check_bayesian(Bribed(), Domain.of([1, 2], agents=2), prior)
    assert expected_at_truth(outcomes(Bribed()), prior, Makespan()).utilities[0] is None


def test_jobs_that_never_end() -> None:
    """Where truth and lie both lose a job with some probability, nothing is gained."""
    found = check_bayesian(Arbitrary(1, never=10), Domain.of([1, 2], agents=2), Prior.of([{1: "1/2", 2: "1/2"}] * 2))
    assert (found.holds, found.max_gain, found.least, found.expected.welfare) == (True, 0, -INF, -INF)


@pytest.mark.parametrize("method", ["auto", "general"])
def test_time_that_is_up_leaves_an_open_answer(method: str) -> None:
    prior, domain = Prior.of([{1: "1/2", 2: "1/2"}] * 2), Domain.of([1, 2], agents=2)
    found = check_bayesian(build("vcg-renice", Cluster.of([1])), domain, prior, method=method, time_limit=0)
    assert (found.holds, found.cases, found.total, found.expected, found.complete) == (None, 0, 4, None, False)


def test_ctrl_c_keeps_the_lengths_that_were_come_to() -> None:
    class Stopping(Arbitrary):
        def run(self, declared: object, lengths: tuple[Fraction, ...]) -> Answer:
            if lengths == (2, 2):
                signal.raise_signal(signal.SIGINT)
            return super().run(declared, lengths)

    prior, domain = Prior.of([{1: "1/2", 2: "1/2"}] * 2), Domain.of([1, 2], agents=2)
    found = check_bayesian(Stopping(3), domain, prior)
    assert (found.cases, found.total, found.complete) == (1, 4, False)
    assert [list(own) for own in found.interim] == [[1], []]
    assert found.holds is (False if found.max_gain > 0 else None)


def test_what_a_prior_and_a_domain_may_be() -> None:
    with pytest.raises(InputError, match="sum 5/6"):
        Prior.of([{1: "1/2", 2: "1/3"}])
    with pytest.raises(InputError, match="found no 3 for a1"):
        check_bayesian(Arbitrary(0), Domain.of([1, 2], agents=1), Prior.of([{3: 1}]))
    with pytest.raises(InputError, match="1 distributions for 2 agents"):
        check_bayesian(Arbitrary(0), Domain.of([1, 2], agents=2), Prior.of([{1: 1}]))


def test_the_estimate_knows_what_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "_SECONDS_PER_TERM", 60.0)
    prior, domain = Prior.of([{1: "1/2", 2: "1/2"}] * 2), Domain.of([1, 2], agents=2)
    general = estimate_bayesian(Arbitrary(0), domain, prior)
    assert (general.method, general.comparisons, general.runs) == ("general", 4, 12)
    assert 960 <= general.seconds < 1020  # sixteen terms
    assert estimate_bayesian(build("harsh", Cluster.of([1])), domain, prior).method == "kernel"
