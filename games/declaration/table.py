"""The table of a declaration game from the plans of the incentive check: nothing is run profile by profile.

For the built-in rules in one round the plan depends on the declarations alone and machines never interact, so all plans
are made at once (:mod:`..verification.orbits`). In a profile of class ``c`` the jobs stand in seats; the true
lengths of their owners run through the plan of the class, machine by machine (:mod:`..verification.machine`), and
what comes out is written to the owners' cells at once: nothing that is as large as the table is kept besides it.

Social costs are minus what the goal says of everybody's output times. A goal that is a known cost
(:meth:`.Goal.exact_cost`) is computed as the table is filled, in whole numbers. Of every other goal, and of the lexical
order, the output times are kept, and it is evaluated once per different row of them; where it is no number, only the
rank counts.

Everything is in integers: int64 after a range proof, else Python integers; an infinite cost is that of a job that never
ends.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Any, Final, NamedTuple

import numpy as np

from ...mechanisms.declaration.one_round import OneRound
from ...scheduling.welfare import Form, Goal
from ...support.exact import INF, Extended
from ...support.jit import fitting, jit
from ...support.progress import Clock, Progress
from ..normal_form import FINITE, INFINITE, NormalFormGame, stacked
from ..protocol import exact_cost
from ..verification import orbits
from ..verification.domain import Domain
from ..verification.machine import (
    OWN_TIME,
    POSTPONE,
    Arrays,
    Machine,
    RunArrays,
    company_size,
    content_of,
    first_segments,
    prepare,
    remainders,
)
from ..verification.orbits import plan_domain
from ..verification.plans import row_ids
from ..verification.tables import in_chunks
from ..verification.truth_tables import CONTENT, covers, elsewhere
from .game import DeclarationGame

MAX_PLAN_BYTES: Final = 2**32
"""Most memory that all plans of a game may take; larger games are played profile by profile."""


def tabulate(
    game: DeclarationGame, progress: Progress | None = None, clock: Clock | None = None
) -> NormalFormGame | None:
    """The game as arrays; ``None`` where only playing every profile tells. Raises TimeoutError as the clock runs out.

    Where welfare is no number the game keeps the table: each social cost is a rank among all profiles.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> from fractions import Fraction
    >>> light, two = build("light-vcg", Cluster.of([1])), Fraction(2)
    >>> table = tabulate(DeclarationGame(light, (two, Fraction(1)), ((Fraction(1),), (Fraction(1),))))
    >>> table.costs((two, Fraction(1))), table.social_cost((two, Fraction(1)))
    ((Fraction(4, 1), Fraction(4, 1)), Fraction(4, 1))
    """
    if game.kept is not None or not has_table(game):
        return game.kept
    assert isinstance(game.mechanism, OneRound)
    domain = domain_of(game)
    classes = _classes(game.mechanism, domain, progress, clock)
    arrays = prepare(game.mechanism, classes.plans)
    criterion, unit = criterion_of(game.mechanism.goal, domain.n_agents, arrays.scale.time)
    limit = max(arrays.scale.largest, bound(criterion, arrays.scale.latest))
    if arrays.scale.compiled and limit >= FINITE:  # a table keeps int64 narrower than a run does
        arrays = prepare(game.mechanism, classes.plans, compiled=False)
    costs, social = _filled(game, classes, arrays, criterion, progress, clock)
    table, share = (costs, 1) if arrays.scale.compiled else stacked(list(costs))
    if criterion.form is None:
        social, unit = of_times(game.mechanism.goal, social, arrays.scale.infinity, arrays.scale.time)
    elif not arrays.scale.compiled:
        social, more = _alone(social)
        unit *= more
    labels = tuple(game.strategies(player) for player in range(domain.n_agents))
    shape = tuple(map(len, labels))
    made = NormalFormGame(
        tuple(game.players),
        labels,
        table.reshape(len(shape), *shape),
        arrays.scale.time * share,
        social.reshape(shape),
        unit,
    )
    if not game.numeric:
        game.keep(made)
    return made


def has_table(game: DeclarationGame) -> bool:
    """Whether the game is tabulated at once.

    Its rule is one of ours, refuses nothing, and speaks of as many agents; the plans fit into memory.
    """
    mechanism, n = game.mechanism, len(game.lengths)
    if not covers(mechanism) or mechanism.allocate is not None or not n:
        return False
    if any(isinstance(own, tuple) and len(own) != n for own in (mechanism.values, mechanism.penalty)):
        return False
    universe, cutoff = domain_of(game).universe, mechanism.cutoff
    if any(own[0] <= 0 or (cutoff is not None and own[-1] > cutoff.limit(own[-1])) for own in universe):
        return False  # the mechanism says so itself
    return plan_bytes(game) <= MAX_PLAN_BYTES


def plan_bytes(game: DeclarationGame) -> int:
    """Memory of classes, table and social costs, about; of a plan for every profile where there are no classes."""
    n, domain = len(game.lengths), domain_of(game)
    if not isinstance(game.mechanism, OneRound) or _by_class(game.mechanism, domain):
        return domain.profiles * (32 + 12 * n)
    return 8 * domain.profiles * n * (16 + game.mechanism.cluster.n_machines + n)


def domain_of(game: DeclarationGame) -> Domain:
    """The domain of the plans: everybody has her own length only; profiles have the order of the game's."""
    n = len(game.lengths)
    return Domain(
        tuple((x,) for x in game.lengths), tuple(map(tuple, game.declarations)), tuple(f"a{i}" for i in range(1, n + 1))
    )


def _by_class(mechanism: OneRound, domain: Domain) -> bool:
    """Whether there are classes: who is who does not matter to goal and penalty."""
    return not isinstance(mechanism.penalty, tuple) and orbits.covers(mechanism, domain)


def _classes(mechanism: OneRound, domain: Domain, progress: Progress | None, clock: Clock | None) -> orbits.Classes:
    """Plans of all profiles; where there are no classes, every profile is one, and everybody's seat her own number."""
    if _by_class(mechanism, domain):
        return orbits.classes(mechanism, domain)
    plans = plan_domain(mechanism, domain, progress=progress, clock=clock)
    if not plans.ready.all():  # planning keeps what it has; half a table is none
        if clock is not None and clock.expired():
            raise TimeoutError(f"planned {int(plans.ready.sum())} of {domain.profiles} profiles")
        raise KeyboardInterrupt
    own = np.arange(domain.n_agents, dtype=np.int16)
    return orbits.Classes(plans, np.arange(domain.profiles), np.tile(own, (domain.profiles, 1)))


def _filled(
    game: DeclarationGame,
    classes: orbits.Classes,
    arrays: Arrays,
    criterion: Criterion,
    progress: Progress | None,
    clock: Clock | None,
) -> tuple[Any, Any]:
    """Costs of all profiles by agent, and their social costs or the times that these are made of."""
    scale, (profiles, n) = arrays.scale, classes.seat.shape
    kept, numbers = criterion.form is None, {"dtype": scale.dtype}
    never = INFINITE if scale.compiled else INF
    costs, social = np.zeros((n, profiles), **numbers), np.zeros((profiles, n) if kept else profiles, **numbers)
    truth = np.array([arrays.units(x) for x in game.lengths], **numbers)
    whole = criterion._replace(weights=criterion.weights.astype(scale.dtype))
    seated, borne = Seated(classes.which, classes.seat, truth), _borne(game.mechanism, arrays)
    kernel = fitting(fill, scale.compiled, profiles * n * 10)

    def work(first: int, last: int) -> None:
        times = np.zeros((last - first, n), **numbers)
        kernel(first, arrays.runs, seated, borne, never, costs, times)
        social[first:last] = times if kept else _social_costs(whole, times, scale.infinity, never)

    for _, last in in_chunks(work, profiles, kernel):
        if progress is not None:
            progress(last, profiles, "profiles tabulated")
        if last < profiles and clock is not None and clock.expired():
            raise TimeoutError(f"profiles tabulated: {last} of {profiles}")
    return costs, social


def _borne(mechanism: Any, arrays: Arrays) -> Borne:
    """What everybody bears and pays in each seat; a payment made after the run leaves her with what it says."""
    content = CONTENT.get(mechanism.payment, OWN_TIME)
    if content == OWN_TIME:
        return Borne(content, arrays.paid)
    seats = range(arrays.planned.shape[1])
    return Borne(content, np.stack([elsewhere(arrays, seat)[:, seat] for seat in seats], axis=1))


def _alone(cells: Any) -> tuple[Any, int]:
    """One column of exact numbers as a table keeps it."""
    table, denominator = stacked([cells])
    return table[0], denominator


def criterion_of(goal: Goal, n_agents: int, unit: int) -> tuple[Criterion, int]:
    """What the kernel computes of output times in units of ``1/unit``, and the denominator of the social cost then.

    Weights and target are Python integers.
    """
    cost = goal.exact_cost(n_agents)
    if cost is None or cost.form is Form.LEXICAL:
        return Criterion(None, 0, np.ones(n_agents, dtype=object), 0), 1
    factors = [Fraction(w) for w in cost.weights] or [Fraction(1)] * n_agents
    if cost.form is Form.SQUARED:
        fine = cost.target.denominator
        weights = np.array([fine] * n_agents, dtype=object)
        return Criterion(cost.form, 0, weights, int(cost.target * fine * unit)), (fine * unit) ** 2
    scale = lcm(*(w.denominator for w in factors))
    weights = np.array([int(w * scale) for w in factors], dtype=object)
    return Criterion(cost.form, min(cost.count, n_agents), weights, 0), scale * unit


def bound(criterion: Criterion, latest: int) -> int:
    """No number that is formed of output times up to ``latest`` is larger."""
    largest = max(latest, 1) * max(map(int, criterion.weights)) + abs(criterion.target)
    most = int(largest)
    return len(criterion.weights) * (most**2 if criterion.form is Form.SQUARED else most)


def of_times(goal: Goal, times: Any, infinity: int, unit: int) -> tuple[Any, int]:
    """Social costs from the times that were kept, as cells of a table, and their denominator; ranks where it is none.

    ``times`` are in units of ``1/unit``, int64 or Python integers, of shape (profiles, agents); ``infinity`` stands for
    one that never comes.
    """
    first, number = row_ids(list(times.T))
    values = [goal.value([INF if t == infinity else Fraction(t, unit) for t in row]) for row in times[first].tolist()]
    numbers: list[Extended] = [exact_cost(-v) for v in values if not isinstance(v, tuple)]
    if len(numbers) < len(values):
        rank = {value: place for place, value in enumerate(sorted(set(values), reverse=True))}
        return np.array([rank[v] for v in values], dtype=np.int64)[number], 1
    cells = np.empty(len(numbers), dtype=object)
    cells[:] = numbers
    column, denominator = _alone(cells)
    return column[number], denominator


class Seated(NamedTuple):
    """Class of every profile, seat of every agent in it, and true lengths of the agents."""

    which: Any
    seat: Any
    truth: Any


class Borne(NamedTuple):
    """What an agent bears besides what she pays, as :data:`.machine.OWN_TIME` says, and ``paid[c, s]`` in a seat."""

    content: int
    paid: Any


class Criterion(NamedTuple):
    """The social cost: its form, how many of the largest times count, whole weights and target.

    ``None``: the output times are kept, and the goal is asked.
    """

    form: Form | None
    count: Any
    weights: Any
    target: Any


def _social_costs(criterion: Criterion, times: Any, infinity: Any, never: Any) -> Any:
    """Of everybody's output times, profile by profile; whom the goal does not count may be late."""
    form, count, weights, target = criterion
    late = times == infinity
    weighted = np.where(late, 0, times) * weights
    if form is Form.LARGEST:
        weighted = np.sort(weighted, axis=1)[:, weights.size - count :]
    elif form is Form.SQUARED:
        weighted = (weighted - target) ** 2
    return np.where((late & (weights > 0)).any(axis=1), never, weighted.sum(axis=1))


@jit
def fill(first: int, runs: RunArrays, seated: Seated, borne: Borne, never: Any, costs: Any, kept: Any) -> None:
    """Costs (agents, profiles) and output times ``kept`` (some profiles, agents) in profiles from ``first`` on.

    ``never`` stands for an infinite cost.
    """
    tools, infinity, _, order, _, declared, seconds, slope, release, limit = runs
    which, seat, truth = seated
    content, paid = borne
    n_agents = seat.shape[1]
    theta, length, times = np.zeros_like(truth), np.zeros_like(truth), np.zeros_like(truth)
    output, owed = np.zeros_like(truth), np.zeros_like(truth)
    for p in range(first, first + kept.shape[0]):
        c = which[p]
        for n in range(n_agents):
            theta[seat[p, n]] = truth[n]
        for m in range(seconds.size):
            jobs = order[c, m, : company_size(order[c, m])]
            machine = Machine(jobs, seconds[m], declared[c], slope[c], release[c], limit[c])
            for i in range(jobs.size):
                length[i] = theta[jobs[i]]
            free = first_segments(machine, tools, infinity, length, times)
            if tools[0] == POSTPONE:
                remainders(machine, tools, infinity, length, free, times)
            for i in range(jobs.size):
                output[jobs[i]] = owed[jobs[i]] = times[i]
            if content != OWN_TIME:
                for focus in range(jobs.size):
                    for i in range(jobs.size):
                        length[i] = theta[jobs[i]] if i == focus else declared[c, jobs[i]]
                    first_segments(machine, tools, infinity, length, times)
                    owed[jobs[focus]] = content_of(content, jobs[focus], jobs, times)
        for n in range(n_agents):
            own = seat[p, n]
            kept[p - first, n] = output[own]
            costs[n, p] = never if output[own] == infinity else owed[own] + paid[c, own]
