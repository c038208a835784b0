"""A plain reference: steps through every unit of time and recomputes every number from its definition.

It shares no code with the package. Jobs are lists of (release, length[, due]) per organization; a schedule is a dict
(organization, position) -> start. Utilities are sums over unit parts, Shapley values are formula (1), coalition by
coalition, in fractions.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from itertools import combinations
from math import factorial, floor
from typing import Any

Jobs = list[list[tuple[int, ...]]]
Schedule = dict[tuple[int, int], int]


def subsets(members: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [c for size in range(len(members) + 1) for c in combinations(members, size)]


def psi(jobs: Jobs, schedule: Schedule, u: int, t: int) -> int:
    """Each unit part in slot i < t is worth t - i."""
    return sum(t - i for (w, n), s in schedule.items() if w == u for i in range(s, min(s + jobs[w][n][1], t)))


def usage(jobs: Jobs, schedule: Schedule, u: int, t: int) -> int:
    return sum(max(0, min(s + jobs[w][n][1], t) - s) for (w, n), s in schedule.items() if w == u)


def running(jobs: Jobs, schedule: Schedule, t: int) -> list[tuple[int, int]]:
    return [(w, n) for (w, n), s in schedule.items() if s <= t < s + jobs[w][n][1]]


def waiting(jobs: Jobs, schedule: Schedule, members: tuple[int, ...], t: int) -> list[int]:
    """Members with a released job that has not started."""
    return [u for u in members if any(job[0] <= t and (u, n) not in schedule for n, job in enumerate(jobs[u]))]


def head(jobs: Jobs, schedule: Schedule, u: int) -> int:
    return next(n for n in range(len(jobs[u])) if (u, n) not in schedule)


def fill(
    machines: list[int],
    jobs: Jobs,
    members: tuple[int, ...],
    schedule: Schedule,
    t: int,
    choose: Callable[[list[int]], int],
) -> None:
    while len(running(jobs, schedule, t)) < sum(machines[u] for u in members):
        candidates = waiting(jobs, schedule, members, t)
        if not candidates:
            return
        u = choose(candidates)
        schedule[u, head(jobs, schedule, u)] = t


def shapley(v: Callable[[tuple[int, ...]], Fraction], members: tuple[int, ...]) -> dict[int, Fraction]:
    """Formula (1)."""
    n = len(members)
    phi = {}
    for u in members:
        rest = tuple(w for w in members if w != u)
        phi[u] = sum(
            (
                Fraction(factorial(len(c)) * factorial(n - len(c) - 1), factorial(n))
                * (v(tuple(sorted((*c, u)))) - v(c))
                for c in subsets(rest)
            ),
            Fraction(0),
        )
    return phi


def observed(jobs: Jobs, schedule: Schedule, u: int, now: int, at: int, utility: str) -> Fraction:
    """Utility at ``at`` of what is known at ``now``: lengths of completed jobs only, running ones go on."""
    mine = [(jobs[w][n], s) for (w, n), s in schedule.items() if w == u]
    if utility == "psi-sp":
        return Fraction(psi(jobs, schedule, u, at))
    if utility == "busy-time":
        return Fraction(usage(jobs, schedule, u, at))
    done = [(job, s + job[1]) for job, s in mine if s + job[1] <= now]
    flows = [end - job[0] for job, end in done]
    if utility == "flow-time":
        return Fraction(-sum(flows))
    if utility == "turnaround":
        return -Fraction(sum(flows), len(flows)) if flows else Fraction(0)
    return Fraction(-sum(max(0, end - job[2]) for job, end in done))


def ref(
    machines: list[int], jobs: Jobs, until: int, timing: str = "next", utility: str = "psi-sp", figure: int = 3
) -> dict[tuple[int, ...], Schedule]:
    """Schedules of every coalition under Fig. 3's choice (figure=3) or the corrected Fig. 1's (figure=1)."""
    k = len(machines)
    coalitions = subsets(tuple(range(k)))[1:]
    schedules: dict[tuple[int, ...], Schedule] = {c: {} for c in coalitions}
    step = 1 if timing == "next" else 0
    delta = Fraction(step if utility in ("psi-sp", "busy-time") else 0)
    for t in range(until):

        def v(c: tuple[int, ...], t: int = t) -> Fraction:
            return sum((observed(jobs, schedules[c], u, t, t + step, utility) for u in c), Fraction(0))

        for c in coalitions:

            def choose(candidates: list[int], c: tuple[int, ...] = c, t: int = t) -> int:
                table = {s: v(s) for s in subsets(c)[1:]} | {(): Fraction(0)}
                phi = shapley(table.__getitem__, c)
                mine = {u: observed(jobs, schedules[c], u, t, t + step, utility) for u in c}
                if figure == 3:
                    return min(candidates, key=lambda u: (mine[u] - phi[u], u))
                share = delta / len(c)

                def distance(u: int) -> Fraction:
                    return abs(phi[u] + share - mine[u] - delta) + sum(
                        abs(phi[w] + share - mine[w]) for w in c if w != u
                    )

                return min(candidates, key=lambda u: (distance(u), mine[u] - phi[u], u))

            fill(machines, jobs, c, schedules[c], t, choose)
    return schedules


def rand(
    machines: list[int], jobs: Jobs, until: int, orderings: list[list[int]], timing: str = "next"
) -> tuple[Schedule, list[Fraction]]:
    """The real schedule, and the sampled contributions at the end."""
    k = len(machines)
    everybody = tuple(range(k))
    step = 1 if timing == "next" else 0
    simple: dict[tuple[int, ...], Schedule] = {c: {} for c in subsets(everybody)}
    real: Schedule = {}

    def contributions(at: int) -> list[Fraction]:
        def v(c: frozenset[int]) -> int:
            return sum(psi(jobs, simple[tuple(sorted(c))], u, at) for u in c)

        total = [0] * k
        for ordering in orderings:
            for place, u in enumerate(ordering):
                total[u] += v(frozenset(ordering[: place + 1])) - v(frozenset(ordering[:place]))
        return [Fraction(x, len(orderings)) for x in total]

    for t in range(until):
        for c, schedule in simple.items():

            def oldest(candidates: list[int], schedule: Schedule = schedule) -> int:
                return min(candidates, key=lambda u: (jobs[u][head(jobs, schedule, u)][0], u))

            fill(machines, jobs, c, schedule, t, oldest)
        phi = contributions(t + step)

        def choose(candidates: list[int], t: int = t, phi: list[Fraction] = phi) -> int:
            return min(candidates, key=lambda u: (psi(jobs, real, u, t + step) - phi[u], u))

        fill(machines, jobs, everybody, real, t, choose)
    return real, contributions(until)


class Machines:
    """Free machines: the lowest first, or drawn from an unordered list by 32 random bits per start."""

    def __init__(self, machines: list[int], draws: list[int] | None) -> None:
        self.owner = [u for u, m in enumerate(machines) for _ in range(m)]
        self.free = list(range(len(self.owner)))
        self.draws = draws
        self.used = 0

    def take(self) -> int:
        if self.draws is None:
            return self.free.pop(self.free.index(min(self.free)))
        at = self.draws[self.used] * len(self.free) >> 32
        self.used += 1
        self.free[at], self.free[-1] = self.free[-1], self.free[at]
        return self.free.pop()


def direct(
    machines: list[int], jobs: Jobs, until: int, timing: str = "next", draws: list[int] | None = None
) -> tuple[Schedule, dict[tuple[int, int], int], list[int]]:
    """Schedule, machine of each job, and psi_sp of the work done on each organization's machines at the end."""
    k = len(machines)
    pool = Machines(machines, draws)
    schedule: Schedule = {}
    on: dict[tuple[int, int], int] = {}
    step = 1 if timing == "next" else 0

    def given(u: int, t: int) -> int:
        return sum(
            t - i
            for job, s in schedule.items()
            if pool.owner[on[job]] == u
            for i in range(s, min(s + jobs[job[0]][job[1]][1], t))
        )

    for t in range(until):
        pool.free.extend(sorted(on[w, n] for (w, n), s in schedule.items() if s + jobs[w][n][1] == t))
        while pool.free and (candidates := waiting(jobs, schedule, tuple(range(k)), t)):
            m = pool.take()
            u = max(candidates, key=lambda w: (given(w, t + step) - psi(jobs, schedule, w, t + step), -w))
            n = head(jobs, schedule, u)
            schedule[u, n], on[u, n] = t, m
    return schedule, on, [given(u, until) for u in range(k)]


def direct_printed(
    machines: list[int], jobs: Jobs, until: int, draws: list[int] | None = None
) -> tuple[Schedule, dict[tuple[int, int], int], list[int], list[int]]:
    """Fig. 9 to the letter, called at every release and completion: schedule, machines, phi and psi at the end."""
    k = len(machines)
    pool = Machines(machines, draws)
    schedule: Schedule = {}
    on: dict[tuple[int, int], int] = {}
    fin_ut, fin_con, phi, mine = [0] * k, [0] * k, [0] * k, [0] * k
    previous = 0
    seen = -1
    while True:
        ends = {s + jobs[w][n][1] for (w, n), s in schedule.items()}
        releases = {job[0] for queue in jobs for job in queue}
        later = [x for x in ends | releases if x > seen]
        t = min([*later, until])
        d = t - previous
        for u in range(k):
            phi[u] += d * fin_con[u]
            mine[u] += d * fin_ut[u]
        for (w, n), s in schedule.items():
            if s < t < s + jobs[w][n][1]:
                m = pool.owner[on[w, n]]
                fin_ut[w] += d
                fin_con[m] += d
                phi[w] += d * (d + 1) // 2
                mine[m] += d * (d + 1) // 2
        if t >= until:
            return schedule, on, phi, mine
        pool.free.extend(sorted(on[w, n] for (w, n), s in schedule.items() if s + jobs[w][n][1] == t))
        while pool.free and (candidates := waiting(jobs, schedule, tuple(range(k)), t)):
            m = pool.take()
            u = max(candidates, key=lambda w: (phi[w] - mine[w], -w))
            n = head(jobs, schedule, u)
            schedule[u, n], on[u, n] = t, m
            fin_ut[u] += 1
            fin_con[pool.owner[m]] += 1
        previous = seen = t


def random_instance(
    rng: random.Random, k: int | None = None, n: int = 7, horizon: int = 9, longest: int = 5
) -> tuple[list[int], Jobs, int]:
    """Small instances that cover zero machines, no jobs, twins, gaps and one unit of time."""
    k = k or rng.randint(1, 4)
    machines = [rng.choice([0, 1, 1, 2]) for _ in range(k)]
    jobs: Jobs = [[] for _ in range(k)]
    for _ in range(rng.randint(0, n)):
        release = rng.randint(0, horizon - 1) if rng.random() < 0.6 else 0
        jobs[rng.randrange(k)].append((release, rng.randint(1, longest)))
    for queue in jobs:
        queue.sort(key=lambda job: job[0])
    if k > 1 and rng.random() < 0.2:
        machines[1], jobs[1] = machines[0], list(jobs[0])  # twins
    return machines, jobs, rng.choice([1, horizon, horizon + 4])


Key = tuple[int, int]


def flat(node: Any) -> list[int]:
    return [u for child in node for u in flat(child)] if isinstance(node, tuple) else [node]


class QueueRule:
    """A queue rule, jobs on all their machines at once: schedules are dicts (organization, position) -> start."""

    def __init__(
        self,
        machines: list[int],
        queues: list[list[Any]],
        rule: str,
        timing: str,
        half_life: int | None = None,
        tree: Any = None,
        weights: dict[str, Any] | None = None,
        used: Sequence[int] = (),
    ) -> None:
        """``used``: before 0, as in slot 0; ``tree``: in nested tuples, else flat; ``weights``: of multifactor."""
        self.used = list(used) or [0] * len(machines)
        self.tree = tuple(range(len(machines))) if tree is None else tree
        self.weights = {"age": 0, "max_age": 1, "fairshare": 0, "size": 0, "qos": 0, "max_qos": 1} | (weights or {})
        self.machines, self.rule, self.step = machines, rule, 1 if timing == "next" else 0
        self.half_life = half_life
        self.job = {(u, n): job for u, queue in enumerate(queues) for n, job in enumerate(queue)}
        self.start: dict[Key, int] = {}
        self.served = -1

    def running(self, t: int) -> list[Key]:
        return [key for key, s in self.start.items() if s <= t < s + self.job[key].length]

    def free(self, t: int) -> int:
        return sum(self.machines) - sum(self.job[key].machines for key in self.running(t))

    def slots(self, u: int, at: int) -> list[tuple[int, int]]:
        """Every slot before ``at`` in which a job of ``u`` runs, with the machines that it takes."""
        found = [(0, self.used[u])] if self.used[u] else []
        for key, s in self.start.items():
            if key[0] == u:
                found += [(i, self.job[key].machines) for i in range(s, min(s + self.job[key].length, at))]
        return found

    def weight(self, i: int) -> Fraction:
        """What a unit part of work in slot ``i`` counts beside others: twice as much a half-life later, to a hair."""
        if self.half_life is None:
            return Fraction(1)
        digits = Context(prec=80)
        broken = digits.divide(Decimal(i % self.half_life), Decimal(self.half_life))
        return 2 ** (i // self.half_life) * Fraction(digits.power(Decimal(2), broken))

    def named(self, waiting: dict[int, Key], t: int) -> int:
        """Whom the rule serves, of organizations with their next waiting jobs."""
        k, at = len(self.machines), t + self.step
        if self.rule == "round-robin":
            return min(waiting, key=lambda u: (u - self.served - 1) % k)
        if self.rule == "fifo":
            return min(waiting, key=lambda u: (self.job[waiting[u]].release, u))
        if self.rule == "multifactor":
            return min(waiting, key=lambda u: (-self.priority(u, waiting[u], at), self.job[waiting[u]].release, u))
        if self.rule == "fair-tree":
            return next(u for tied in self.ranked(self.tree, at) for u in tied if u in waiting)
        if self.rule == "fair-share":
            has = {u: sum(w * self.weight(i) for i, w in self.slots(u, at)) for u in waiting}
        elif self.rule == "utility-fair-share":
            has = {u: sum(w * (at - i) * self.weight(i) for i, w in self.slots(u, at)) for u in waiting}
        else:
            has = {u: Fraction(sum(self.job[k].machines for k in self.running(t) if k[0] == u)) for u in waiting}
        owners = [u for u in waiting if self.machines[u]]
        if owners:
            return min(owners, key=lambda u: (has[u] / self.machines[u], u))
        return min(waiting, key=lambda u: (has[u], u))

    def level(self, node: Any, at: int) -> tuple[int, Fraction]:
        """Machine time used per machine by all in a node of the tree; after all others, where there is no machine."""
        members = flat(node)
        owned = sum(self.machines[u] for u in members)
        used = sum((w * self.weight(i) for u in members for i, w in self.slots(u, at)), Fraction(0))
        return (0, used / owned) if owned else (1, used)

    def ranked(self, nodes: Any, at: int) -> list[list[int]]:
        """All organizations in these nodes, best first, those that tie together; tied accounts are opened together."""
        order: list[list[int]] = []
        levels = {node: self.level(node, at) for node in nodes}
        for level in sorted(set(levels.values())):
            tied = [node for node in nodes if levels[node] == level]
            order += [group] if (group := [node for node in tied if isinstance(node, int)]) else []
            order += self.ranked([child for node in tied if isinstance(node, tuple) for child in node], at)
        return order

    def priority(self, u: int, key: Key, at: int) -> int:
        """The sum of the factors of multifactor, each with its weight and rounded down."""
        weights, job = self.weights, self.job[key]
        order = self.ranked(self.tree, at)
        better = sum(len(tied) for tied in order[: next(i for i, tied in enumerate(order) if u in tied)])
        factor = Fraction(len(self.machines) - better, len(self.machines))
        age = Fraction(min(at - job.release, weights["max_age"]), weights["max_age"])
        size = Fraction(job.machines, sum(self.machines))
        qos = min(Fraction(job.qos or 0, weights["max_qos"]), 1)
        worth = {"age": age, "fairshare": factor, "size": size, "qos": qos}
        return sum(floor(weights[name] * part) for name, part in worth.items())

    def believed_end(self, key: Key, t: int) -> int:
        job = self.job[key]
        return max(self.start[key] + (job.length if job.estimate is None else job.estimate), t + 1)

    def free_at(self, moment: int, t: int) -> int:
        """Machines free at a later moment, if running jobs end as believed and none starts."""
        over = sum(self.job[key].machines for key in self.running(t) if self.believed_end(key, t) <= moment)
        return self.free(t) + over

    def decide(self, t: int, easy: bool) -> None:
        aside: set[Key] = set()
        reserved: tuple[int, int] | None = None  # moment, machines of the head of the queue
        spare = 0
        while self.free(t):
            waiting: dict[int, Key] = {}
            for key, job in sorted(self.job.items()):
                if job.release <= t and key not in self.start and key not in aside:
                    waiting.setdefault(key[0], key)
            if not waiting:
                return
            u = self.named(waiting, t)
            key, job = waiting[u], self.job[waiting[u]]
            until = t + (job.length if job.estimate is None else job.estimate)
            if job.machines <= self.free(t) and (reserved is None or until <= reserved[0] or job.machines <= spare):
                if reserved is not None and until > reserved[0]:
                    spare -= job.machines
                self.start[key] = t
                self.served = u
            elif not easy:
                return
            else:
                aside.add(key)
                if reserved is None:
                    moments = sorted(self.believed_end(other, t) for other in self.running(t))
                    moment = next(m for m in moments if self.free_at(m, t) >= job.machines)
                    reserved, spare = (moment, job.machines), self.free_at(moment, t) - job.machines

    def run(self, until: int, parallel: str) -> dict[Key, int]:
        for t in range(until):
            ends = {s + self.job[key].length for key, s in self.start.items()}
            if t in ends or any(job.release == t for job in self.job.values()):
                self.decide(t, parallel == "easy")
        return self.start
