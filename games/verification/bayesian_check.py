r"""Bayesian incentive compatibility: does truth pay in expectation, the others being truthful?

A mechanism that is incentive compatible ex post is so under every prior; the converse fails.

>>> from consortium.games.verification.domain import Domain
>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> thirds = Prior.of([{1: "1/3", 2: "1/3", 3: "1/3"}] * 2)
>>> light = check_bayesian(build("light-vcg", Cluster.of([1])), Domain.of([1, 2, 3], agents=2), thirds)
>>> light.holds, light.max_gain, light.witness.length, light.witness.lie
(False, Fraction(1, 1), Fraction(3, 1), Fraction(1, 1))
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...mechanisms.declaration.protocol import DeclarationMechanism, Outcome
from ...scheduling.goal import Goal
from ...scheduling.goals import SumOfTimes
from ...support.exact import Extended
from ...support.progress import Clock, Progress
from .cost import PROCESS_BYTES, Estimate, distinct_runs, estimate
from .domain import Domain, Profile
from .expectations import cases, expected_at_truth, interim_utility, judged, truth
from .general import Runs, Values
from .machine import prepare
from .orbits import plan_domain
from .plans import Plans, needed
from .prior import Prior
from .prior_tables import Tabulated
from .results import BayesianCheck, Expected
from .truth_tables import covers

_SECONDS_PER_TERM = 2e-6  # of an expectation, one profile of lengths at a time
_SECONDS_PER_WELFARE = 20e-6
_SECONDS_PER_CELL = 100e-9


def estimate_bayesian(mechanism: DeclarationMechanism, domain: Domain, prior: Prior, method: str = "auto") -> Estimate:
    """Predict the cost of a check whose plans, of the built-in rules, are made already."""
    likely = prior.within(domain)
    options = [sum(len(domain.options(n, x)) for x in own) for n, own in enumerate(likely.lengths)]
    terms = sum(count * prior.n_profiles // len(own) for count, own in zip(options, likely.lengths, strict=True))
    count = cases(domain, prior)
    if method != "general" and covers(mechanism):
        seconds = terms * _SECONDS_PER_CELL
        seconds += 0 if mechanism.goal.by_sum else prior.n_profiles * _SECONDS_PER_WELFARE
        return Estimate("kernel", count, prior.n_profiles, 0, 32 * terms + PROCESS_BYTES, seconds)
    by_running = estimate(mechanism, likely, "ex-post", method="general")
    runs = distinct_runs(likely, "ex-post")
    return Estimate(
        "general", count, prior.n_profiles, runs, by_running.bytes, by_running.seconds + terms * _SECONDS_PER_TERM
    )


def check_bayesian(
    mechanism: DeclarationMechanism,
    domain: Domain,
    prior: Prior,
    *,
    method: str = "auto",
    values: Values = None,
    goal: Goal | None = None,
    progress: Progress | None = None,
    clock: Clock | None = None,
    plans: Plans | None = None,
) -> BayesianCheck:
    """Compare what a truthful agent expects with what every lie promises, for all her likely lengths.

    Parameters
    ----------
    mechanism
        A built-in mechanism, or any object with ``run(declared, lengths)``.
    domain
        Possible lengths, the likely ones among them, and declarations.
    prior
        Odds of everybody's length.
    method
        ``"general"`` runs the mechanism; else the cost tables are used where they apply.
    values
        The agents' valuations, for a mechanism that has none of its own.
    goal
        What welfare is for a mechanism that tells none; default the sum of output times.
    progress, clock
        Who watches; Ctrl-C and the end of the time leave an open answer with the lengths that were come to.
    plans
        Plans of an earlier kernel check of the same mechanism and domain.

    Raises
    ------
    InputError
        A likely length is none of the domain.
    MechanismError
        A utility has no expectation, because it is ``inf`` and ``-inf``, both with positive probability.
    """
    clock = clock or Clock(None)
    found: list[dict[Fraction, dict[Fraction, Extended]]] = [{} for _ in prior.within(domain).lengths]
    way = _by_tables if method != "general" and covers(mechanism) else _by_running
    expected = None
    with suppress(KeyboardInterrupt, TimeoutError):
        expected = way(mechanism, domain, prior, found, _Watch(values, goal or SumOfTimes(), progress, clock, plans))
    return judged(domain, prior, found, expected, "kernel" if way is _by_tables else "general")


@dataclass(frozen=True)
class _Watch:
    """The other arguments of a check."""

    values: Values
    goal: Goal
    progress: Progress | None
    clock: Clock
    plans: Plans | None


_Found = list[dict[Fraction, dict[Fraction, Extended]]]


def _by_tables(mechanism: Any, domain: Domain, prior: Prior, found: _Found, watch: _Watch) -> Expected:
    """Fill in what everybody expects, agent by agent. Raises TimeoutError, or KeyboardInterrupt."""
    plans = watch.plans
    if plans is None:
        plans = plan_domain(mechanism, domain, "ex-post", progress=watch.progress, clock=watch.clock)
    if not plans.ready[needed(domain, "ex-post", plans.digit)].all():
        raise TimeoutError
    tables = Tabulated(mechanism, prepare(mechanism, plans), domain, prior)
    for n in range(domain.n_agents):
        if watch.clock.expired():
            raise TimeoutError
        found[n].update({x: dict(row) for x, row in tables.interim(n, watch.progress).items()})
    return tables.expected(found, watch.clock)


def _by_running(mechanism: Any, domain: Domain, prior: Prior, found: _Found, watch: _Watch) -> Expected:
    """The same length by length, each pair of declarations and lengths run once."""
    played = _Remembered(Runs(mechanism, watch.values), distinct_runs(prior.within(domain), "ex-post"), watch)
    honest = truth(prior)
    for n, own in enumerate(prior.support):
        for x in own:
            found[n][x] = {b: interim_utility(played, prior, honest, n, x, b) for b in domain.options(n, x)}
    return expected_at_truth(played, prior, watch.goal)


class _Remembered:
    """Runs of a mechanism, each once; what is not asked for is forgotten."""

    def __init__(self, runs: Runs, total: int, watch: _Watch) -> None:
        self.runs, self.total, self.watch = runs, total, watch
        self._seen: dict[tuple[Profile, Profile], Outcome] = {}

    def __call__(self, declared: Profile, lengths: Profile) -> Outcome:
        """What becomes of declarations and lengths. Raises TimeoutError when time is up."""
        if self.watch.clock.expired():
            raise TimeoutError
        key = declared, lengths
        if key not in self._seen:
            if self.watch.progress is not None and len(self._seen) % 256 == 0:
                self.watch.progress(len(self._seen), self.total, "runs for expectations")
            whole = self.runs.outcome(declared, lengths)
            self._seen[key] = Outcome(whole.output, whole.payments, whole.utilities, welfare=whole.welfare)
        return self._seen[key]


def untried(domain: Domain, prior: Prior, method: str) -> BayesianCheck:
    """An answer that covers no case."""
    return judged(domain, prior, [{} for _ in prior.support], None, method)
