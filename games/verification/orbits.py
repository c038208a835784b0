r"""Plans of all profiles of a domain: at once for goals that do not care who is who, else profile by profile.

For a symmetric goal the optimal schedules of a declaration profile are those of the profile with its declarations
sorted: what differs between the profiles of one *orbit* is which agent stands in which *seat*, the place of her
declaration in that order, equal ones in the agents' order. So the optimum is found once per multiset of declarations,
with all *patterns* that attain it: machines of the sorted jobs, the jobs of a machine in this order, a later one of two
equal jobs never on an earlier machine. Each profile picks from those by the tie rule. Profiles that picked the same
schedule, and the same one of least sum, are one *class*: they are planned alike but for who is who.

Covered: goals whose cost is the sum, the sum of some of the largest times, or the times largest first, with ties by the
sum of output times. There the jobs of a machine run shortest first: sorting them never lowers a symmetric
non-increasing goal and lowers the sum unless they were sorted. The tie rule is that of
:mod:`consortium.scheduling.optimal`: the lexicographically smallest places. Equal jobs are interchangeable, so the
agents who own them take their slots in the agents' order. Everything is in integers; a few profiles are planned by the
mechanism itself as well and compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...mechanisms.declaration.one_round import OneRound
from ...scheduling.welfare import Form
from ...support.errors import ConsortiumError, InputError
from ...support.exact import fits_int64
from ...support.jit import jit, overwrite, quickest
from ...support.progress import Clock, Progress
from .domain import Concept, Domain
from .plans import Ints, Plans, Rationals, Schedules, billed, bills, bills_of, needed, penalties, row_ids, time_rates
from .tables import in_chunks

SUM: Final = 0
"""Code of the sum of the times; positive codes say how many of the largest times count."""
LEXICAL: Final = -1


def best_patterns(kind: int, sizes: Ints, rates: Ints) -> tuple[Ints, Ints]:
    """Patterns of every multiset: where its own begin, with the end of the last, and all of them as machines of jobs.

    Parameters
    ----------
    kind
        What is minimised, then the sum of the times: :data:`SUM`, :data:`LEXICAL`, or how many of the largest count.
    sizes
        One multiset a row, smallest first.
    rates
        Time per unit of size on each machine.
    """
    n_orbits, n_agents = sizes.shape
    count = np.zeros(n_orbits, dtype=np.int64)
    kernel = quickest(_best_patterns, 3 * n_orbits * n_agents * len(rates) ** n_agents)
    nothing = np.zeros((1, n_agents), dtype=np.int64)
    list(in_chunks(lambda a, b: kernel(a, b, False, kind, sizes, rates, count, nothing), n_orbits, kernel))
    where = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    patterns = np.zeros((int(where[-1]), n_agents), dtype=np.int64)
    list(in_chunks(lambda a, b: kernel(a, b, True, kind, sizes, rates, where, patterns), n_orbits, kernel))
    return where, patterns


@jit
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
    if kind == SUM:
        key[0] = total
    elif kind == LEXICAL:
        overwrite(key, times)
    else:
        for i in range(min(kind, n)):
            key[0] += times[i]
        key[1] = total


@jit
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


@jit
def _best_patterns(
    first: int, last: int, store: bool, kind: int, sizes: Any, rates: Any, where: Any, patterns: Any
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
                    overwrite(best, key)
                    count = 0
                if order <= 0:
                    if stage == 1:
                        overwrite(patterns[where[k] + count], home)
                    count += 1
                running = _next(sizes[k], rates.size, home)
        if not store:
            where[k] = count


MAX_PATTERNS: Final = 100_000
"""Most ways to deal sorted jobs to machines that are tried per multiset."""
CHECKED: Final = 8
"""Profiles planned by the mechanism itself for comparison."""
CHUNK: Final = 1 << 16
"""Profiles that a kernel looks at before Ctrl-C is heard."""
MAX_AGENTS: Final = np.iinfo(np.int16).max


def covers(mechanism: OneRound, domain: Domain) -> bool:
    """Whether the plans of this mechanism can be made by orbits."""
    if _kind(mechanism, domain.n_agents) is None or mechanism.allocate is not None or mechanism.heuristic:
        return False
    if mechanism.price is not None and not mechanism.price.anonymous:
        return False
    if mechanism.cutoff is not None and any(b > mechanism.cutoff.limit(b) for own in domain.universe for b in own):
        return False  # the mechanism refuses such a declaration, in its own words
    if mechanism.cluster.n_machines**domain.n_agents > MAX_PATTERNS or domain.n_agents > MAX_AGENTS:
        return False
    return fits_int64(_bound(mechanism, domain))


def _kind(mechanism: OneRound, n_agents: int) -> int | None:
    """The kernel's code of the goal: positive, how many of the largest times count; ``None`` when it has none."""
    cost = mechanism.goal.cost(n_agents)
    if cost is None or cost.weights or (cost.form is not Form.SUM and mechanism.ties != "sum"):
        return None
    return {Form.SUM: SUM, Form.LARGEST: cost.count, Form.LEXICAL: LEXICAL}.get(cost.form)


def _unit(mechanism: OneRound, domain: Domain) -> int:
    """Length units per unit of length: whole are all declarations, and what a cut-off makes of them."""
    bound = [] if mechanism.cutoff is None else [Fraction(mechanism.cutoff.bound)]
    return lcm(*(b.denominator for own in domain.universe for b in own), *(b.denominator for b in bound))


def _bound(mechanism: OneRound, domain: Domain) -> int:
    """No number that is formed of sizes and rates is larger."""
    fine, unit = lcm(*(power.numerator for power in mechanism.cluster.powers)), _unit(mechanism, domain)
    longest = max(int(b * unit) for own in domain.universe for b in own)
    if mechanism.cutoff is not None:
        longest += int(mechanism.cutoff.bound * unit)
    return 4 * domain.n_agents**2 * longest * int(fine / min(mechanism.cluster.powers))


@dataclass(frozen=True)
class Classes:
    """Profiles by the way in which they are planned.

    The plans have one row per class; their agents are seats, whose declarations are all that there are.
    """

    plans: Plans
    which: Ints  # class of every profile
    seat: NDArray[np.int16]  # seat[p, n]: where agent n stands in profile p


@jit
def _choose(first: int, last: int, orbit: Any, seat: Any, where: Any, spots: Any, chosen: Any) -> None:
    """Each profile's pattern: of its orbit's the one with the smallest places, agent by agent."""
    n = seat.shape[1]
    for p in range(first, last):
        best = where[orbit[p]]
        for pattern in range(best + 1, where[orbit[p] + 1]):
            for agent in range(n):
                new, old = spots[pattern, seat[p, agent]], spots[best, seat[p, agent]]
                if new != old:
                    if new < old:
                        best = pattern
                    break
        chosen[p] = best


class _Orbits:
    """Multisets of declarations, and for each profile its multiset and the seats of its agents."""

    def __init__(self, mechanism: OneRound, domain: Domain, rows: Ints) -> None:
        n, profiles = domain.n_agents, len(rows)
        self.mechanism, self.unit = mechanism, _unit(mechanism, domain)
        self.declarations = tuple(sorted({b for own in domain.universe for b in own}))
        number = {b: code for code, b in enumerate(self.declarations)}
        codes = np.zeros((n, max(map(len, domain.universe))), dtype=np.int64)
        for agent, own in enumerate(domain.universe):
            codes[agent, : len(own)] = [number[b] for b in own]
        digits = np.stack(np.unravel_index(rows, [len(own) for own in domain.universe]), axis=1)
        declared = codes[np.arange(n), digits]
        order = np.argsort(declared, axis=1, kind="stable")  # equal ones in the agents' order
        self.seat = np.zeros((profiles, n), dtype=np.int16)
        np.put_along_axis(self.seat, order, np.arange(n, dtype=np.int16)[None], axis=1)
        ordered = np.take_along_axis(declared, order, axis=1)
        first, self.orbit = row_ids(list(ordered.T))
        self.codes = ordered[first]
        self.sizes = np.array([int(b * self.unit) for b in self.declarations], dtype=np.int64)[self.codes]

    def schedules(self, kind: int) -> tuple[Ints, Callable[[Ints], Ints]]:
        """Pattern that each profile chooses, and the machines of seats in given patterns."""
        cluster = self.mechanism.cluster
        where, machines = best_patterns(kind, self.sizes, time_rates(cluster)[1])
        every = Schedules(cluster, machines, 1, machines)
        spots = machines * machines.shape[1] + every.position
        chosen = np.zeros_like(self.orbit)
        kernel = quickest(_choose, 3 * self.seat.size)
        work = lambda a, b: kernel(a, b, self.orbit, self.seat, where, spots, chosen)  # noqa: E731
        list(in_chunks(work, len(chosen), kernel, CHUNK))
        return chosen, lambda patterns: machines[patterns]


def classes(mechanism: OneRound, domain: Domain, rows: Ints | None = None) -> Classes:
    """Plans of the profiles with these numbers, or of all, by class; the caller has asked :func:`covers`.

    Penalties that are given agent by agent are no part of a class: they stay out.
    """
    rows = np.arange(domain.profiles) if rows is None else rows
    orbits, kind = _Orbits(mechanism, domain, rows), _kind(mechanism, domain.n_agents)
    assert kind is not None
    picked, places = orbits.schedules(kind)
    least, least_places = (picked, places) if kind == SUM else orbits.schedules(SUM)
    first, which = row_ids([picked] if kind == SUM else [picked, least])
    orbit = orbits.orbit[first]
    sizes = orbits.sizes[orbit]
    chosen, sigma = (
        Schedules(mechanism.cluster, sizes, orbits.unit, place)
        for place in (places(picked[first]), least_places(least[first]))
    )
    lengths = tuple(sorted({x for own in domain.lengths for x in own}))
    seats = Domain((lengths,) * domain.n_agents, (orbits.declarations,) * domain.n_agents, domain.names)
    numbers, ready = Rationals(), np.ones(len(first), dtype=bool)
    bill, penalty = (of(mechanism, chosen, sigma, numbers) for of in (bills, penalties))
    plans = Plans(seats, orbits.codes[orbit], chosen.place, chosen.position, penalty, bill, ready, numbers)
    answer = Classes(plans, which, orbits.seat)
    _compare(mechanism, domain, rows, answer)
    return answer


def plan_all(mechanism: OneRound, domain: Domain, which: NDArray[np.bool_]) -> Plans:
    """Plans of all wanted profiles, one by one; the caller has asked :func:`covers`."""
    rows = np.flatnonzero(which)
    planned, plans = classes(mechanism, domain, rows), Plans.empty(domain)
    plans.rationals, each = planned.plans.rationals, (planned.which[:, None], planned.seat)
    plans.place[rows], plans.position[rows] = planned.plans.place[each], planned.plans.position[each]
    plans.penalty[rows], plans.bill[rows] = planned.plans.penalty[each], planned.plans.bill[each]
    if isinstance(mechanism.penalty, tuple):
        plans.penalty[rows] = [plans.rationals.id(x) for x in mechanism.penalty]
    plans.ready[rows] = True
    return plans


def _compare(mechanism: OneRound, domain: Domain, rows: Ints, whole: Classes) -> None:
    """Plan a few profiles by the mechanism itself; the same every time, spread over the domain."""
    number, by_agent = whole.plans.rationals.id, isinstance(mechanism.penalty, tuple)
    for profile in np.unique(np.linspace(0, len(rows) - 1, CHECKED).astype(int)).tolist():
        declared, each = domain.profile(int(rows[profile])), (whole.which[profile], whole.seat[profile])
        plan = mechanism.plan(declared)
        place, position = zip(*(one for one in plan.places if one is not None), strict=True)
        bill = map(number, bills_of(plan, billed(mechanism)))
        alone: dict[str, Iterable[int]] = {"place": place, "position": position, "bill": bill}
        alone |= {} if by_agent else {"penalty": map(number, plan.penalties)}
        for what, numbers in alone.items():
            if getattr(whole.plans, what)[each].tolist() != list(numbers):
                raise ConsortiumError(f"plans of {declared} differ in {what}: please report this")


def plan_domain(
    mechanism: OneRound,
    domain: Domain,
    concept: Concept = "dominant",
    *,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> Plans:
    """Plans of all declaration profiles that a kernel check of this concept needs (those for dominant serve both)."""
    check_agents(mechanism, domain)
    which = needed(domain, concept, Plans.empty(domain).digit)
    if covers(mechanism, domain):
        try:
            return plan_all(mechanism, domain, which)
        except KeyboardInterrupt:
            return Plans.empty(domain)
    return collect(mechanism, domain, which, progress, clock)


def collect(
    mechanism: OneRound,
    domain: Domain,
    which: NDArray[np.bool_],
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> Plans:
    """Ask the mechanism for every wanted plan; stops early, with what there is, on Ctrl-C or when time is up."""
    plans = Plans.empty(domain)
    try:
        rows = np.flatnonzero(which).tolist()
        for i, row in enumerate(rows):
            if progress is not None and i % 64 == 0:
                progress(i, len(rows), "plans")
            if clock is not None and clock.expired():
                break
            plans.put(row, mechanism.plan(plans.declared(row)), billed(mechanism))
    except KeyboardInterrupt:
        pass
    return plans


def check_agents(mechanism: OneRound, domain: Domain) -> None:
    """Raise InputError when the mechanism speaks of another number of agents than the domain."""
    for what, own in (("values", mechanism.values), ("mechanism.penalty", mechanism.penalty)):
        if isinstance(own, tuple) and len(own) != domain.n_agents:
            raise InputError(f"{what}: found {len(own)} for {domain.n_agents} agents; expected one each")
