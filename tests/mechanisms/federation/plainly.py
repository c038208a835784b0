"""The rules of the family once more, as literally as possible; no code of the package except the federation itself.

Times are integers in units of ``federation.unit``. A schedule is a dict (organization, job) -> (machine, start),
machines numbered over the federation.
"""

from __future__ import annotations

import itertools
from fractions import Fraction


def machines_of(fed, k):
    first = sum(fed.machines[:k])
    return range(first, first + fed.machines[k])


def owner(fed, machine):
    return next(k for k in range(len(fed)) if machine in machines_of(fed, k))


def in_order(fed, k, order):
    sizes = fed.sizes[k]
    keys = {"lpt": lambda i: (-sizes[i], i), "spt": lambda i: (sizes[i], i), "listed": lambda i: i}
    return sorted(range(len(sizes)), key=keys[order])


def local(fed, order):
    plan = {}
    for k in range(len(fed)):
        free = dict.fromkeys(machines_of(fed, k), 0)
        for i in in_order(fed, k, order):
            m = min(free, key=lambda m: (free[m], m))
            plan[k, i] = (m, free[m])
            free[m] += fed.sizes[k][i]
    return plan


def ends(fed, plan):
    """C^(k) of every organization."""
    return [max((plan[k, i][1] + p for i, p in enumerate(row)), default=0) for k, row in enumerate(fed.sizes)]


def ilba(fed, order="lpt"):
    at_home = ends(fed, local(fed, order))
    entered, free, plan = [], {}, {}
    for k in sorted(range(len(fed)), key=lambda k: (at_home[k], k)):
        entered += machines_of(fed, k)
        free.update(dict.fromkeys(machines_of(fed, k), 0))
        for i in in_order(fed, k, order):
            m = min(entered, key=lambda m: (free[m], owner(fed, m) != k, entered.index(m)))
            plan[k, i] = (m, free[m])
            free[m] += fed.sizes[k][i]
    return plan


def event_loop(fed, order, pull):
    """Own jobs first at every instant, then ``pull(waiting, helped, lists)`` for each machine still free."""
    lists = [in_order(fed, k, order) for k in range(len(fed))]
    waiting = {(k, i) for k, row in enumerate(fed.sizes) for i in range(len(row))}
    helped = [0] * len(fed)
    busy_until = [0] * sum(fed.machines)
    plan = {}

    def start(job, m, t):
        waiting.remove(job)
        plan[job] = (m, t)
        busy_until[m] = t + fed.sizes[job[0]][job[1]]
        if owner(fed, m) != job[0]:
            helped[job[0]] += fed.sizes[job[0]][job[1]]

    while waiting:
        t = min(busy_until)
        free = [m for m, until in enumerate(busy_until) if until == t]
        for m in list(free):
            own = [i for i in lists[owner(fed, m)] if (owner(fed, m), i) in waiting]
            if own:
                start((owner(fed, m), own[0]), m, t)
                free.remove(m)
        for m in free:
            if waiting:
                start(pull(waiting, helped, lists), m, t)
    return plan


def longest(fed):
    return lambda waiting, helped, lists: min(waiting, key=lambda job: (-fed.sizes[job[0]][job[1]], job))


def least_helped(waiting, helped, lists):
    k = min({k for k, _ in waiting}, key=lambda k: (helped[k], k))
    return k, next(i for i in lists[k] if (k, i) in waiting)


def heuristic(rule, fed, order=None):
    if rule == "ilba":
        return ilba(fed, order or "lpt")
    if rule == "less-helped-first":
        return event_loop(fed, order or "listed", least_helped)
    return event_loop(fed, "lpt" if rule == "lpt-lpt" else "spt", longest(fed))


def packings(fed):
    """Every way to put the jobs on the machines, each machine with its own list in every order: tiny instances only."""
    jobs = [(k, i) for k, row in enumerate(fed.sizes) for i in range(len(row))]
    n_machines = sum(fed.machines)
    for hosts in itertools.product(range(n_machines), repeat=len(jobs)):
        groups = [[job for job, m in zip(jobs, hosts, strict=True) if m == machine] for machine in range(n_machines)]
        for orders in itertools.product(*(itertools.permutations(group) for group in groups)):
            plan = {}
            for m, sequence in enumerate(orders):
                t = 0
                for k, i in sequence:
                    plan[k, i] = (m, t)
                    t += fed.sizes[k][i]
            yield plan


def is_selfish(fed, plan):
    """Strict reading of the restriction: nobody starts a job after giving up one of its machines."""
    for k, row in enumerate(fed.sizes):
        for m in machines_of(fed, k):
            own = sorted((s, s + fed.sizes[k][i]) for (o, i), (host, s) in plan.items() if host == m and o == k)
            given_up = 0
            for begin, end in own:
                if begin != given_up:
                    break
                given_up = end
            if any(plan[k, i][1] > given_up for i in range(len(row))):
                return False
    return True


def opt(sizes, n_machines):
    """Least makespan of jobs on identical machines, by depth-first search over machines of different load."""
    jobs = sorted(sizes, reverse=True)
    best = sum(jobs)
    least = max([-(-sum(jobs) // n_machines), *jobs[:1]])

    def search(position, loads):
        nonlocal best
        if best == least:
            return
        if position == len(jobs):
            best = min(best, max(loads))
            return
        for load in sorted(set(loads)):
            if load + jobs[position] < best:
                m = loads.index(load)
                loads[m] += jobs[position]
                search(position + 1, loads)
                loads[m] -= jobs[position]

    search(0, [0] * n_machines)
    return best


def optimum(fed):
    return opt([p for row in fed.sizes for p in row], sum(fed.machines))


def coordinated(fed, placement, ranks, own_order="lpt"):
    """Schedule of a placement: own jobs in order, then foreign ones by rank, one list schedule per host."""
    plan = {}
    for host in range(len(fed)):
        own = [(host, i) for i in in_order(fed, host, own_order) if placement[host][i] == host]
        foreign = [
            (k, i) for k in range(len(fed)) for i in range(len(fed.sizes[k])) if k != host and placement[k][i] == host
        ]
        free = dict.fromkeys(machines_of(fed, host), 0)
        for k, i in own + sorted(foreign, key=lambda job: ranks[job[0]][job[1]]):
            m = min(free, key=lambda m: (free[m], m))
            plan[k, i] = (m, free[m])
            free[m] += fed.sizes[k][i]
    return plan


def epsilon_of(fed, placement, ranks):
    """Smallest factor by which nobody can do better alone, over all placements of one organization's jobs."""
    worst = Fraction(1)
    costs = ends(fed, coordinated(fed, placement, ranks))
    for k, row in enumerate(fed.sizes):
        if row:
            best = min(
                ends(fed, coordinated(fed, [*placement[:k], hosts, *placement[k + 1 :]], ranks))[k]
                for hosts in itertools.product(range(len(fed)), repeat=len(row))
            )
            worst = max(worst, Fraction(costs[k], best))
    return worst
