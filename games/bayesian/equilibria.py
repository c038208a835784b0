r"""Pure Bayes-Nash equilibria of a declaration mechanism under a prior, and what they cost.

They are the pure Nash equilibria of the agent form (:mod:`.agent_form`), found in its table by
:mod:`consortium.games.enumeration` and checked again, length by length, from the definition (:mod:`.checker`).

The *first best* is the expected least social cost where everybody's length is known: minus the expected best welfare of
a schedule of the true lengths, whatever the mechanism.

>>> from consortium.games.bayesian.prior import Prior
>>> from consortium.games.incentives.domain import Domain
>>> from consortium.mechanisms.declaration import build
>>> thirds, machine = Prior.of([{1: "1/3", 2: "1/3", 3: "1/3"}] * 2), Cluster.of([1])
>>> found = bayes_nash(build("light-vcg", machine), Domain.of([1, 2, 3], agents=2), thirds, machine)
>>> found.count, found.first_best, found.worst.social_cost, found.price_of_anarchy
(6, Fraction(50, 9), Fraction(6, 1), Fraction(27, 25))
"""

from __future__ import annotations

from fractions import Fraction
from math import prod

from ...mechanisms.declaration.protocol import DeclarationMechanism
from ...scheduling.clusters import Cluster
from ...scheduling.goals.base import Goal
from ...scheduling.goals.sum import SumOfTimes
from ...scheduling.optimal import optimal_allocation, optimal_sum
from ...support.errors import TooLargeError
from ...support.exact import Extended, magnitude
from ...support.progress import Clock, Progress
from ..enumeration import extremes, pure_equilibria
from ..incentives.cost import probe
from ..incentives.domain import Domain, Profile
from ..incentives.general import Runs, Values
from ..normal_form import MAX_BYTES, table_bytes
from ..protocol import count_profiles, price
from ..search import ContradictionError
from .agent_form import AgentForm
from .checker import expected_social_cost, is_bayes_nash
from .prior import Prior, expectation
from .results import BayesNash, BayesOutcome

_SECONDS_PER_CELL = 10e-9
_SECONDS_PER_OPTIMUM = 100e-6


def bayes_nash(
    mechanism: DeclarationMechanism,
    domain: Domain,
    prior: Prior,
    cluster: Cluster,
    *,
    goal: Goal | None = None,
    values: Values = None,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> BayesNash:
    """Count the equilibria, and name the best and the worst.

    Parameters
    ----------
    mechanism
        A built-in mechanism, or any object with ``run(declared, lengths)``.
    domain
        Possible lengths, the likely ones among them, and declarations.
    prior
        Odds of everybody's length.
    cluster, goal
        Of the first best, and of welfare where the mechanism tells none; the goal is by default the mechanism's, or
        the sum of output times.
    values
        The agents' valuations, for a mechanism that has none of its own.
    progress, clock
        Who watches; Ctrl-C and the end of the time leave an unfinished answer.

    Raises
    ------
    TooLargeError
        The table of all strategies does not fit into memory, or the goal has no exact optimum at this size.
    InputError
        A likely length is none of the domain.
    MechanismError
        A cost has no expectation, because it is ``inf`` and ``-inf``, both with positive probability.
    """
    clock, goal = clock or Clock(None), goal or getattr(mechanism, "goal", None) or SumOfTimes()
    form = agent_form(mechanism, domain, prior, goal, values)
    size = refuse_large(form)
    least: Extended | None = None
    try:
        least = first_best(prior, cluster, goal, clock)
        arrays = form.tabulate(progress, clock)
        stable = pure_equilibria(arrays, progress, clock)
    except (KeyboardInterrupt, TimeoutError):
        return BayesNash(size, None, None, None, least, None, False)
    ends = [arrays.profile(i) for i in extremes(arrays, stable)] if len(stable) and form.numeric else []
    best, worst = (_checked(form, end, arrays.social_cost(end)) for end in ends) if ends else (None, None)
    ratio = None if worst is None else price(worst.social_cost, least)
    return BayesNash(size, len(stable), best, worst, least, ratio, True)


def agent_form(
    mechanism: DeclarationMechanism, domain: Domain, prior: Prior, goal: Goal, values: Values = None
) -> AgentForm:
    """The agent form of a mechanism; a built-in one plans once per profile of declarations."""
    own = values if values is not None else getattr(mechanism, "values", None)
    worth = tuple(map(Fraction, own)) if own is not None else ()
    return AgentForm(Runs(mechanism, values).outcome, domain, prior, worth, goal)


def refuse_large(form: AgentForm) -> int:
    """Number of profiles of strategies. Raises TooLargeError where their table would not fit into memory."""
    size, need = count_profiles(form), table_bytes(form)
    if need > MAX_BYTES:
        raise TooLargeError(
            f"prior: {magnitude(size)} profiles of strategies (what to declare, for each length of each agent) need "
            f"a table of {magnitude(need)} bytes; the limit is {MAX_BYTES:,}. Take fewer lengths or declarations"
        )
    return size


def cost(mechanism: DeclarationMechanism, domain: Domain, prior: Prior) -> tuple[float, int]:
    """Predicted seconds and bytes. Raises TooLargeError as the search does."""
    form = agent_form(mechanism, domain, prior, SumOfTimes())
    size, runs = (
        refuse_large(form),
        prod(sum(len(domain.options(n, x)) for x in own) for n, own in enumerate(prior.support)),
    )
    cells = size * (len(form.types) + prior.n_profiles)
    seconds = runs * probe(mechanism, domain) + cells * _SECONDS_PER_CELL + prior.n_profiles * _SECONDS_PER_OPTIMUM
    return seconds, table_bytes(form)


def first_best(prior: Prior, cluster: Cluster, goal: Goal, clock: Clock | None = None) -> Extended | None:
    """Minus the expected best welfare of the true lengths; ``None`` where welfare is no number.

    Raises TooLargeError where the goal has no exact optimum at this size, TimeoutError when the clock runs out.
    """
    found: list[tuple[Fraction, Extended]] = []
    for lengths, p in prior.profiles():
        if clock is not None and clock.expired():
            raise TimeoutError
        value = -optimal_sum(cluster, lengths) if goal.by_sum else optimal_allocation(cluster, lengths, goal).value
        if isinstance(value, tuple):
            return None
        found.append((p, -value))
    return expectation(found)


def _checked(form: AgentForm, profile: Profile, claimed: Extended) -> BayesOutcome:
    """An equilibrium with its cost, both found again from the definition. Raises ContradictionError."""
    strategies = form.strategies_of(profile)
    if not is_bayes_nash(form.played, form.domain, form.prior, strategies):
        raise ContradictionError(
            f"prior: {profile} was found to be an equilibrium; an agent gains by another declaration"
        )
    social = expected_social_cost(form.played, form.prior, strategies, form.goal)
    if social is None or social != claimed:
        raise ContradictionError(f"prior: the social cost of {profile} was found to be {claimed}; checked: {social}")
    return BayesOutcome(strategies, social)
