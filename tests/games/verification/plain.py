"""A plain reference for the incentive checks: the definitions written down, nothing shared with the package.

Lengths, times and payments are fractions; ``math.inf`` is a job that never ends. A rule is a :class:`Plain`: it lists
every schedule, takes the best, and steps through each machine event by event.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction as F

RENICE = ("vcg-renice", "evcg-renice")
POSTPONE = ("vcg-postpone", "evcg-postpone", "postpone-unpaid")
VERIFIED = ("verified", "verified-printed")


def schedules(n_jobs, n_machines):
    """Every way to put jobs into ordered lists, one per machine."""
    for home in itertools.product(range(n_machines), repeat=n_jobs):
        groups = [[n for n in range(n_jobs) if home[n] == m] for m in range(n_machines)]
        yield from itertools.product(*(itertools.permutations(g) for g in groups))


def ends(schedule, powers, b):
    times = [F(0)] * len(b)
    for m, jobs in enumerate(schedule):
        clock = F(0)
        for n in jobs:
            clock += b[n] / powers[m]
            times[n] = clock
    return times


def places(schedule):
    where = {n: (m, i) for m, jobs in enumerate(schedule) for i, n in enumerate(jobs)}
    return tuple(where[n] for n in range(len(where)))


def behind(schedule, n):
    for jobs in schedule:
        if n in jobs:
            return len(jobs) - jobs.index(n)
    raise AssertionError


class Plain:
    """One rule on one cluster. ``goal`` maps output times to something comparable that is maximised."""

    def __init__(self, rule, powers, goal, penalty=None, cutoff=None, ties="sum", values=None):
        self.rule, self.powers, self.goal, self.ties = rule, [F(c) for c in powers], goal, ties
        self.penalty, self.cutoff = penalty, cutoff  # cutoff: ("difference", H) or ("absolute", H)
        self.values = values
        self._plans, self._runs, self._sums = {}, {}, {}

    def S(self, b):
        key = tuple(sorted(b))
        if key not in self._sums:
            self._sums[key] = min(sum(ends(s, self.powers, b)) for s in schedules(len(b), len(self.powers)))
        return self._sums[key]

    def plan(self, b):
        if b not in self._plans:
            self._plans[b] = self._make_plan(b)
        return self._plans[b]

    def _make_plan(self, b):
        if self.cutoff and self.cutoff[0] == "absolute":
            assert max(b) <= self.cutoff[1]
        every = list(schedules(len(b), len(self.powers)))
        timed = [(s, ends(s, self.powers, b)) for s in every]
        best = max(self.goal(t) for _, t in timed)
        winners = [(s, t) for s, t in timed if self.goal(t) == best]
        if self.ties == "sum":
            least = min(sum(t) for _, t in winners)
            winners = [(s, t) for s, t in winners if sum(t) == least]
        chosen, planned = min(winners, key=lambda w: places(w[0]))
        least = min(sum(t) for _, t in timed)
        sigma = min((s for s, t in timed if sum(t) == least), key=places)
        return chosen, planned, self._penalties(b, chosen, sigma), least

    def _penalties(self, b, chosen, sigma):
        n_jobs = len(b)
        power = [self.powers[places(chosen)[n][0]] for n in range(n_jobs)]
        best = [self.powers[places(sigma)[n][0]] for n in range(n_jobs)]
        slope = [behind(sigma, n) / best[n] for n in range(n_jobs)]
        if self.rule in RENICE:
            repaired = [min(F(1), 1 / (power[n] * slope[n])) for n in range(n_jobs)]
            printed = [F(1, behind(chosen, n)) for n in range(n_jobs)]
            named = {
                "repaired": repaired,
                "repaired-common": [min(repaired)] * n_jobs,
                "printed": printed,
                "printed-common": [min(printed)] * n_jobs,
                "safe": [F(1, n_jobs)] * n_jobs,
            }
            return named[self.penalty] if isinstance(self.penalty, str) else [F(self.penalty)] * n_jobs
        if self.rule not in POSTPONE:
            return [None] * n_jobs
        if not isinstance(self.penalty, str):
            return [F(self.penalty)] * n_jobs
        if self.penalty == "static-end":
            full = [sum(b[k] for k in jobs) / c for jobs, c in zip(chosen, self.powers, strict=True)]
            planned = ends(chosen, self.powers, b)
            return [full[places(chosen)[n][0]] - planned[n] for n in range(n_jobs)]
        if self.penalty == "exact":
            return [self._exact(b, n, power[n]) for n in range(n_jobs)]
        room = [self.cutoff[1] - (b[n] if self.cutoff[0] == "absolute" else 0) for n in range(n_jobs)]
        worst = n_jobs / min(self.powers)
        printed = [room[n] * (worst - 1 / power[n]) for n in range(n_jobs)]
        return {
            "tight": [room[n] * max(F(0), slope[n] - 1 / power[n]) for n in range(n_jobs)],
            "printed": printed,
            "printed-absolute": printed,
            "printed-common": [max(printed)] * n_jobs,
        }[self.penalty]

    def _exact(self, b, n, power):
        room = None
        if self.cutoff:
            room = self.cutoff[1] - (b[n] if self.cutoff[0] == "absolute" else 0)
        tries = {x - b[n] for x in b if x > b[n] and (room is None or x - b[n] <= room)}
        tries |= set() if room is None else {room}
        gains = [self.S((*b[:n], b[n] + d, *b[n + 1 :])) - self.S(b) - d / power for d in tries]
        return max([F(0), *gains])

    def outputs(self, b, theta):
        chosen, planned, penalties, _ = self.plan(b)
        times = list(planned)
        for m, jobs in enumerate(chosen):
            self._machine(self.powers[m], jobs, b, theta, times, planned, penalties)
        return times

    def _machine(self, c, jobs, b, theta, times, planned, penalties):
        clock, queue = F(0), []
        closes = self.rule in RENICE + POSTPONE + VERIFIED
        for i, n in enumerate(jobs):
            start, end = clock, clock + b[n] / c
            if self.rule == "harsh" and theta[n] != b[n]:
                times[n], clock = math.inf, end
            elif theta[n] == b[n]:
                clock = end
                if closes or self.rule == "harsh":
                    times[n] = end
            elif theta[n] < b[n]:
                clock = start + theta[n] / c if closes else end
            elif self.rule in POSTPONE:
                clock = end
                queue.append((n, planned[n] + penalties[n], end + sum(b[k] for k in jobs[i + 1 :]) / c))
            else:
                share = penalties[n] if self.rule in RENICE else F(1)
                clock = end + (theta[n] - b[n]) / (share * c)
                times[n] = max(times[n], clock)
                ahead = clock
                for k in jobs[i + 1 :]:
                    ahead += b[k] / c
                    times[k] = max(times[k], ahead)
        for n, release, plan in queue:
            limit = math.inf
            if self.cutoff:
                limit = self.cutoff[1] if self.cutoff[0] == "absolute" else b[n] + self.cutoff[1]
            clock = max(release, plan, clock) + (min(theta[n], limit) - b[n]) / c
            times[n] = max(times[n], clock) if theta[n] <= limit else math.inf

    def payments(self, b, theta):
        _, planned, _, least = self.plan(b)
        n_jobs = len(b)
        if self.rule in ("straightforward", "harsh", "postpone-unpaid"):
            return [F(0)] * n_jobs
        if self.rule in ("verified", "verified-printed"):
            own = self.outputs(b, theta)
            paid = []
            for n in range(n_jobs):
                alone = self.outputs(b, (*b[:n], theta[n], *b[n + 1 :]))
                whole = sum(alone) - (alone[n] if self.rule == "verified-printed" else 0)
                paid.append(whole - own[n])
            return paid
        if self.rule.startswith("evcg"):
            return [least - planned[n] for n in range(n_jobs)]
        return [sum(planned) - planned[n] for n in range(n_jobs)]

    def run(self, b, theta):
        """(output times, payments, utilities)."""
        key = (tuple(b), tuple(theta))
        if key not in self._runs:
            t, p = self.outputs(*key), self.payments(*key)
            values = self.values or [F(0)] * len(b)
            utilities = (-math.inf if x == math.inf else v - x - y for v, x, y in zip(values, t, p, strict=True))
            self._runs[key] = tuple(t), tuple(p), tuple(utilities)
        return self._runs[key]


def options(declarations, length):
    return sorted({*declarations, length})


def situations(lengths, declarations, n, concept):
    """Every (declarations, lengths) of the others that the concept lets agent n meet; her own places hold None."""
    per_agent = []
    for k, own in enumerate(lengths):
        if k == n:
            per_agent.append([(None, None)])
        elif concept == "ex-post":
            per_agent.append([(x, x) for x in own])
        else:
            per_agent.append(
                [(x, y) for x in sorted({*declarations[k], *own}) for y in own if x in options(declarations[k], y)]
            )
    for pairs in itertools.product(*per_agent):
        yield tuple(p[0] for p in pairs), tuple(p[1] for p in pairs)


def difference(lie, truth):
    if lie == truth:
        return F(0)
    return lie - truth


def check(rule, lengths, declarations, concept):
    """holds, cases, max_gain and the situations of largest gain, straight from Definitions 3.33 and 3.34."""
    cases, best, where = 0, None, []
    for n in range(len(lengths)):
        for b, theta in situations(lengths, declarations, n, concept):
            for own in lengths[n]:
                world = (*theta[:n], own, *theta[n + 1 :])
                honest = rule.run((*b[:n], own, *b[n + 1 :]), world)[2][n]
                for lie in options(declarations[n], own):
                    if lie == own:
                        continue
                    cases += 1
                    gain = difference(rule.run((*b[:n], lie, *b[n + 1 :]), world)[2][n], honest)
                    if best is None or gain > best:
                        best, where = gain, []
                    if gain == best:
                        where.append((n, own, lie, b, theta))
    return best is None or best <= 0, cases, best, where


def limit(rule, b, theta, n, side):
    """One-sided limit of agent n's utility at theta_n -> b_n, by two lengths very near on a line."""
    step = F(1, 10**100)
    near = [rule.run(b, (*theta[:n], b[n] + side * d, *theta[n + 1 :]))[2][n] for d in (step / 2, step)]
    return near[0] if math.inf in map(abs, near) else 2 * near[0] - near[1]


def every(lengths, declarations, n, anything):
    """(declarations, lengths) with agent n truthful; the others truthful too, or anything."""
    for own in lengths[n]:
        for b, theta in situations(lengths, declarations, n, "dominant" if anything else "ex-post"):
            yield (*b[:n], own, *b[n + 1 :]), (*theta[:n], own, *theta[n + 1 :])


def property_of(rule, lengths, declarations, name, anything=False):
    """(holds, cases) of one property, from its definition."""
    agents = range(len(lengths))
    universe = [sorted({*declarations[n], *lengths[n]}) for n in agents]
    pairs = [[(x, y) for y in lengths[n] for x in options(declarations[n], y)] for n in agents]
    worlds = [tuple(zip(*w, strict=True)) for w in itertools.product(*pairs)]
    fine = []
    if name in ("rent_nonnegative", "budget_balanced"):
        after = rule.rule.startswith("verified")
        asked = worlds if after else [(b, b) for b in itertools.product(*universe)]
        rents = [sum(rule.payments(b, theta)) for b, theta in asked]
        fine = [r >= 0 if name == "rent_nonnegative" else r == 0 for r in rents]
    elif name == "accepts_every_input":
        for b, theta in worlds:
            fine.append(rule.rule == "harsh" or math.inf not in rule.run(b, theta)[0])
    else:
        for n in agents:
            for b, theta in every(lengths, declarations, n, anything or name == "just"):
                if name == "just":
                    fine.append(rule.run(b, theta)[0][n] <= rule.run(b, b)[0][n])
                elif name == "individually_rational":
                    fine.append(rule.run(b, theta)[2][n] >= 0)
                else:
                    side = -1 if name == "upper_margin" else 1
                    fine.append(limit(rule, b, theta, n, side) == rule.run(b, theta)[2][n])
    return all(fine), len(fine)
