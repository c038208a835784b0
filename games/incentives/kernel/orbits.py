"""Plans of all profiles at once, for goals that do not care who is who.

For a symmetric goal the optimal schedules of a declaration profile are those of the profile with its declarations
sorted: what differs between the profiles of one *orbit* is which agent stands in which slot. So the optimum is found
once per multiset of declarations, with all schedules that attain it, and each profile picks from those by the tie rule.

Covered: goals whose cost is the sum, the sum of some of the largest times, or the times largest first, with ties by the
sum of output times. There the jobs of a machine run shortest first: sorting them never lowers a symmetric
non-increasing goal and lowers the sum unless they were sorted. The tie rule is that of
:mod:`consortium.scheduling.optimal`: the lexicographically smallest places. Equal jobs are interchangeable, so the
agents who own them take their slots in the agents' order. Everything is in integers; a few profiles are planned by the
mechanism itself as well and compared.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ....mechanisms.declaration.one_round import OneRound
from ....mechanisms.declaration.penalties import Situation
from ....scheduling.compiled import compiled, piece, quickest
from ....scheduling.errors import ConsortiumError
from ....scheduling.exact import fits_int64
from ....scheduling.goals.costs import Form
from ..domain import Domain
from .plans import BILLED, NONE, Ints, Plans
from .tables import in_chunks, row_ids

MAX_PATTERNS: Final = 100_000
"""Most ways to deal sorted jobs to machines that are tried per multiset."""
CHECKED: Final = 8
"""Profiles planned by the mechanism itself for comparison."""
_SUM: Final = 0
_LEXICAL: Final = -1


def covers(mechanism: OneRound, domain: Domain) -> bool:
    """Whether the plans of this mechanism can be made by orbits."""
    if _kind(mechanism, domain.n_agents) is None or mechanism.allocate is not None or mechanism.heuristic:
        return False
    if mechanism.cutoff is not None and any(b > mechanism.cutoff.limit(b) for own in domain.universe for b in own):
        return False  # the mechanism refuses such a declaration, in its own words
    return mechanism.cluster.n_machines**domain.n_agents <= MAX_PATTERNS and fits_int64(_bound(mechanism, domain))


def _kind(mechanism: OneRound, n_agents: int) -> int | None:
    """The kernel's code of the goal: positive, how many of the largest times count; ``None`` when it has none."""
    cost = mechanism.goal.cost(n_agents)
    if cost is None or cost.weights or (cost.form is not Form.SUM and mechanism.ties != "sum"):
        return None
    return {Form.SUM: _SUM, Form.LARGEST: cost.count, Form.LEXICAL: _LEXICAL}.get(cost.form)


def _units(mechanism: OneRound, domain: Domain) -> tuple[int, list[int]]:
    """Length unit, and time units per length unit on each machine."""
    unit = lcm(*(b.denominator for own in domain.universe for b in own))
    rates = [1 / power for power in mechanism.cluster.powers]
    fine = lcm(*(rate.denominator for rate in rates))
    return unit, [int(rate * fine) for rate in rates]


def _bound(mechanism: OneRound, domain: Domain) -> int:
    unit, rates = _units(mechanism, domain)
    longest = max(int(b * unit) for own in domain.universe for b in own)
    return 4 * domain.n_agents**2 * longest * max(rates)


@piece
def _value(kind: int, sizes: Any, rates: Any, home: Any, clock: Any, times: Any, key: Any) -> None:
    """Write what is minimised, most important first: the goal, then the sum of the times."""
    n = sizes.size
    clock[:] = 0
    total = 0
    for i in range(n):
        clock[home[i]] += sizes[i] * rates[home[i]]
        end = clock[home[i]]
        total += end
        k = i  # times stay sorted, largest first
        while k > 0 and times[k - 1] < end:
            times[k] = times[k - 1]
            k -= 1
        times[k] = end
    key[:] = 0
    if kind == _SUM:
        key[0] = total
    elif kind == _LEXICAL:
        key[:n] = times
    else:
        for i in range(min(kind, n)):
            key[0] += times[i]
        key[1] = total


@piece
def _next(sizes: Any, n_machines: int, home: Any) -> bool:
    """Next way to deal the jobs; of equal jobs a later one is never on an earlier machine."""
    i = home.size - 1
    while i >= 0 and home[i] == n_machines - 1:
        i -= 1
    if i < 0:
        return False
    home[i] += 1
    for k in range(i + 1, home.size):
        home[k] = home[k - 1] if sizes[k] == sizes[k - 1] else 0
    return True


@compiled
def _best_patterns(
    first: int, last: int, store: bool, kind: int, sizes: Any, rates: Any, where: Any, found: Any
) -> None:
    """Count the optimal ways to deal each multiset of sorted sizes, or ``store`` them from ``found[where[k]]`` on."""
    n = sizes.shape[1]
    home = np.zeros(n, dtype=np.int64)
    clock = np.zeros(rates.size, dtype=np.int64)
    times = np.zeros(n, dtype=np.int64)
    key = np.zeros(n + 2, dtype=np.int64)
    best = np.zeros(n + 2, dtype=np.int64)
    for k in range(first, last):
        for stage in range(2 if store else 1):  # storing: first the optimum, then who attains it
            home[:] = 0
            count = 0
            running = True
            while running:
                _value(kind, sizes[k], rates, home, clock, times, key)
                order = 0
                if stage == 1 or count > 0:
                    for i in range(n + 2):
                        if key[i] != best[i]:
                            order = -1 if key[i] < best[i] else 1
                            break
                else:
                    order = -1
                if order < 0:
                    best[:] = key
                    count = 0
                if order <= 0:
                    if stage == 1:
                        found[where[k] + count] = home
                    count += 1
                running = _next(sizes[k], rates.size, home)
        if not store:
            where[k] = count


@compiled
def _choose(
    first: int, last: int, orbit: Any, ranks: Any, where: Any, found: Any, n_machines: int, place: Any, position: Any
) -> None:
    """Each profile's schedule: of its orbit's optimal patterns the one with the smallest places, agent by agent."""
    n = ranks.shape[1]
    spot = np.zeros((n, 2), dtype=np.int64)
    filled = np.zeros(n_machines, dtype=np.int64)
    for p in range(first, last):
        for pattern in range(where[orbit[p]], where[orbit[p] + 1]):
            filled[:] = 0
            for i in range(n):
                m = found[pattern, i]
                spot[i, 0] = m
                spot[i, 1] = filled[m]
                filled[m] += 1
            better = pattern == where[orbit[p]]
            for agent in range(n):
                m, at = spot[ranks[p, agent], 0], spot[ranks[p, agent], 1]
                if not better and (m != place[p, agent] or at != position[p, agent]):
                    better = m < place[p, agent] or (m == place[p, agent] and at < position[p, agent])
                    if not better:
                        break
            if better:
                for agent in range(n):
                    place[p, agent] = spot[ranks[p, agent], 0]
                    position[p, agent] = spot[ranks[p, agent], 1]


@compiled
def _sort(first: int, last: int, numbers: Any, ordered: Any, ranks: Any) -> None:
    """Sort each row; ``ranks`` are the places where its numbers go, equal ones in their order."""
    n = numbers.shape[1]
    at = np.zeros(n, dtype=np.int64)
    for p in range(first, last):
        for i in range(n):
            k = i
            while k > 0 and ordered[p, k - 1] > numbers[p, i]:
                ordered[p, k] = ordered[p, k - 1]
                at[k] = at[k - 1]
                k -= 1
            ordered[p, k] = numbers[p, i]
            at[k] = i
        for k in range(n):
            ranks[p, at[k]] = k


@compiled
def _count_behind(first: int, last: int, place: Any, position: Any, behind: Any) -> None:
    """Jobs of the same machine from each agent's on."""
    n = place.shape[1]
    for p in range(first, last):
        for i in range(n):
            for k in range(n):
                if place[p, k] == place[p, i] and position[p, k] >= position[p, i]:
                    behind[p, i] += 1


def _in_parts(kernel: Any, rows: int, steps: int, *arrays: Any) -> None:
    """A kernel over rows, on all cores; ``steps`` of each row."""
    run = quickest(kernel, rows * steps)
    in_chunks(lambda a, b: run(a, b, *arrays), rows, max(1, rows // 16), True)


def _sorted(numbers: Ints) -> tuple[Ints, Ints]:
    """Every row sorted, and where its numbers went."""
    ordered, ranks = np.zeros_like(numbers), np.zeros_like(numbers)
    _in_parts(_sort, len(numbers), numbers.shape[1] ** 2, numbers, ordered, ranks)
    return ordered, ranks


class _Orbits:
    """Multisets of declarations, and for each profile its multiset and the ranks of its agents."""

    def __init__(self, plans: Plans, mechanism: OneRound, rows: Ints) -> None:
        unit, rates = _units(mechanism, plans.domain)
        columns = [
            np.array([int(b * unit) for b in own], dtype=np.int64)[plans.digit[rows, n]]
            for n, own in enumerate(plans.domain.universe)
        ]
        self.said = np.stack(columns, axis=1)
        ordered, self.ranks = _sorted(self.said)
        first, self.orbit = row_ids(list(ordered.T))
        self.sizes, self.rates = ordered[first], np.array(rates)
        self.unit = unit

    def schedules(self, kind: int) -> tuple[Ints, Ints]:
        """Machine and position of every agent in every profile."""
        n_orbits = len(self.sizes)
        count = np.zeros(n_orbits, dtype=np.int64)
        nothing = np.zeros((1, self.sizes.shape[1]), dtype=np.int64)
        chunk = max(1, n_orbits // 16)
        n_agents, n_machines = self.sizes.shape[1], len(self.rates)
        best_patterns = quickest(_best_patterns, 3 * n_orbits * n_agents * n_machines**n_agents)
        in_chunks(
            lambda a, b: best_patterns(a, b, False, kind, self.sizes, self.rates, count, nothing),
            n_orbits,
            chunk,
            True,
        )
        where = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
        found = np.zeros((int(where[-1]), self.sizes.shape[1]), dtype=np.int64)
        in_chunks(
            lambda a, b: best_patterns(a, b, True, kind, self.sizes, self.rates, where, found), n_orbits, chunk, True
        )
        place, position = np.zeros_like(self.ranks), np.zeros_like(self.ranks)
        given = self.orbit, self.ranks, where, found, n_machines
        _in_parts(_choose, len(self.orbit), 3 * n_agents, *given, place, position)
        return place, position


def plan_all(mechanism: OneRound, domain: Domain, wanted: NDArray[np.bool_]) -> Plans:
    """Plans of all wanted profiles; the caller has asked :func:`covers`."""
    plans = Plans.empty(domain)
    rows = np.flatnonzero(wanted)
    orbits = _Orbits(plans, mechanism, rows)
    kind = _kind(mechanism, domain.n_agents)
    assert kind is not None
    sigma = orbits.schedules(_SUM)
    chosen = sigma if kind == _SUM else orbits.schedules(kind)
    plans.place[rows], plans.position[rows] = chosen
    plans.ready[rows] = True
    _bills(mechanism, plans, rows, orbits, sigma if mechanism.payment == "evcg" else chosen)
    _penalties(mechanism, plans, rows, orbits, chosen, sigma)
    _compare(mechanism, plans, rows)
    return plans


def _behind(place: Ints, position: Ints) -> Ints:
    """Jobs from each agent's on, her own included, to the end of her machine."""
    behind = np.zeros_like(place)
    _in_parts(_count_behind, len(place), place.shape[1] ** 2, place, position, behind)
    return behind


def _bills(mechanism: OneRound, plans: Plans, rows: Ints, orbits: _Orbits, schedule: tuple[Ints, Ints]) -> None:
    """The sum of planned times: a job delays itself and everybody behind it."""
    if mechanism.payment not in BILLED:
        return
    whole = (orbits.said * orbits.rates[schedule[0]] * _behind(*schedule)).sum(axis=1)
    first, number = row_ids([whole])
    fine = lcm(*(power.numerator for power in mechanism.cluster.powers))
    ids = np.array([plans.rationals.id(Fraction(int(v), orbits.unit * fine)) for v in whole[first].tolist()])
    plans.bill[rows] = ids[number]


def _penalties(
    mechanism: OneRound, plans: Plans, rows: Ints, orbits: _Orbits, chosen: tuple[Ints, Ints], sigma: tuple[Ints, Ints]
) -> None:
    """Penalties once per class of profiles that the penalty rules cannot tell apart."""
    rule = mechanism.penalty
    if rule is None or not isinstance(rule, str):
        numbers = rule if isinstance(rule, tuple) else (rule,) * plans.domain.n_agents
        plans.penalty[rows] = [plans.rationals.id(x) for x in numbers]
        return
    behind, powers = _behind(*chosen), mechanism.cluster.powers
    slopes = sorted({f / c for c in powers for f in range(1, len(powers) * plans.domain.n_agents + 1)})
    number = {slope: i for i, slope in enumerate(slopes)}
    slope_of = np.array([[0, *(number[f / c] for f in range(1, plans.domain.n_agents + 1))] for c in powers])
    code = np.searchsorted(np.unique(orbits.said), orbits.said)
    for part, base in (
        (chosen[0], len(powers)),
        (behind, behind.max() + 1),
        (slope_of[sigma[0], _behind(*sigma)], len(slopes)),
    ):
        code = code * base + part
    ordered, ranks = _sorted(code)
    first, which = row_ids(list(ordered.T))
    answers = np.zeros((len(first), plans.domain.n_agents), dtype=np.int64)
    for k, row in enumerate(first.tolist()):
        machines = tuple(chosen[0][row].tolist())
        situation = Situation(mechanism.cluster, plans.declared(int(rows[row])), machines, tuple(behind[row].tolist()))
        named: Any = (
            situation.shares(rule) if mechanism.tools.alive == "renice" else situation.durations(rule, mechanism.cutoff)
        )
        answers[k, ranks[row]] = [plans.rationals.id(penalty) for penalty in named]
    plans.penalty[rows] = np.take_along_axis(answers[which], ranks, axis=1)


def _compare(mechanism: OneRound, plans: Plans, rows: Ints) -> None:
    """Plan a few profiles by the mechanism itself; the same every time, spread over the domain."""
    for row in np.unique(np.linspace(0, len(rows) - 1, CHECKED).astype(int)).tolist():
        own = Plans.empty(Domain(*(tuple((x,) for x in plans.declared(int(rows[row]))),) * 2, plans.domain.names))
        own.put(0, mechanism.plan(own.declared(0)), mechanism.payment in BILLED)
        for what in ("place", "position"):
            if (getattr(own, what)[0] != getattr(plans, what)[rows[row]]).any():
                raise ConsortiumError(f"plans of {own.declared(0)} differ in {what}: please report this")
        for what in ("penalty", "bill"):
            if _named(plans, getattr(plans, what)[rows[row]]) != _named(own, getattr(own, what)[0]):
                raise ConsortiumError(f"plans of {own.declared(0)} differ in {what}: please report this")


def _named(plans: Plans, numbers: Any) -> list[Fraction | None]:
    return [plans.rationals.values[i] if i != NONE else None for i in np.atleast_1d(numbers).tolist()]
