"""The declaration mechanisms written down as they are defined, slowly, without a line of the package.

Allocations are tried one by one, sums are minimised by trying, a penalty is the formula that defines it. Jobs and
machines count from 0; ``c`` powers, ``b`` declarations, ``theta`` lengths, all Fractions.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import cache
from itertools import permutations

INF = math.inf
F = Fraction


@cache
def all_schedules(n, m):
    """Every way to put n jobs in m ordered lists."""
    if m == 1:
        return [(order,) for order in permutations(range(n))]
    found = set()
    for order in permutations(range(n)):
        for cuts in range((n + 1) ** (m - 1)):
            ends = []
            for _ in range(m - 1):
                cuts, end = divmod(cuts, n + 1)
                ends.append(end)
            ends = [0, *sorted(ends), n]
            found.add(tuple(order[ends[i] : ends[i + 1]] for i in range(m)))
    return sorted(found)


def ends(schedule, c, b):
    times = [F(0)] * len(b)
    for m, jobs in enumerate(schedule):
        for i, n in enumerate(jobs):
            times[n] = sum((b[k] for k in jobs[: i + 1]), F(0)) / c[m]
    return tuple(times)


def places(schedule, n):
    return tuple(next((m, jobs.index(job)) for m, jobs in enumerate(schedule) if job in jobs) for job in range(n))


def _add(values):
    return INF if INF in values else sum(values, F(0))


def value(goal, times):
    """goal: a tuple (name, parameter); the value is maximised and may be a tuple."""
    name, parameter = goal
    if name == "sum":
        return -_add(times)
    if name == "makespan":
        return -_add(sorted(times)[max(0, len(times) - parameter) :])
    if name == "lexical-max":
        return tuple(sorted(-t for t in times))
    if name == "weighted-sum":  # a weight of 0 means that the time does not count, even an infinite one
        return -_add([w * t if w else F(0) for w, t in zip(parameter, times, strict=True)])
    if name == "weighted-makespan":
        return -max((w * t if w else F(0) for w, t in zip(parameter, times, strict=True)), default=0)
    if name == "squared-deviation":
        return -_add([INF if t == INF else (t - parameter) ** 2 for t in times])
    assert name == "expression"
    return parameter(*times)


@cache
def best_schedule(c, b, goal, ties):
    n = len(b)

    def key(schedule):
        times = ends(schedule, c, b)
        return sum(times, F(0)) if ties == "sum" else 0, places(schedule, n)

    top = max(value(goal, ends(s, c, b)) for s in all_schedules(n, len(c)))
    return min((s for s in all_schedules(n, len(c)) if value(goal, ends(s, c, b)) == top), key=key)


@cache
def least_sum(c, b):
    """S(b)."""
    return min((sum(ends(s, c, b), F(0)) for s in all_schedules(len(b), len(c))), default=F(0))


def a_sigma(c, b):
    return best_schedule(c, b, ("sum", None), "listed")


def with_entry(b, n, x):
    return (*b[:n], x, *b[n + 1 :])


def penalties(tool, penalty, c, b, A, H_diff, H_abs):
    """Shares (renice) or durations (postpone); None for 'static-end'."""
    N = len(b)
    sigma = a_sigma(c, b)
    m = [place[0] for place in places(A, N)]
    f = [len(A[i]) - pos for i, pos in places(A, N)]
    m_sigma = [place[0] for place in places(sigma, N)]
    f_sigma = [len(sigma[i]) - pos for i, pos in places(sigma, N)]
    if isinstance(penalty, tuple):
        return list(penalty)
    if isinstance(penalty, Fraction):
        return [penalty] * N
    if re.search("[^a-z-]", penalty) or penalty in ("own", "all"):
        E, S = ends(A, c, b), least_sum(c, b)
        return [max(F(0), designed_price(penalty, n, S, sum(E, F(0)), E[n], b)) for n in range(N)]
    if tool == "renice":
        repaired = [min(F(1), c[m_sigma[n]] / (c[m[n]] * f_sigma[n])) for n in range(N)]
        return {
            "repaired": repaired,
            "repaired-common": [min(repaired)] * N if N else [],
            "printed": [F(1, f[n]) for n in range(N)],
            "printed-common": [min(F(1, k) for k in f)] * N if N else [],
            "safe": [F(1, N)] * N if N else [],
        }[penalty]
    H = [INF if H_diff is None and H_abs is None else H_diff if H_diff is not None else H_abs - b[n] for n in range(N)]
    if penalty == "static-end":
        return [None] * N
    if penalty == "exact":
        s = []
        for n in range(N):
            lies = {b[j] - b[n] for j in range(N) if b[j] > b[n] and b[j] - b[n] <= H[n]}
            if H[n] != INF:
                lies.add(H[n])
            gains = [least_sum(c, with_entry(b, n, b[n] + d)) - least_sum(c, b) - d / c[m[n]] for d in lies]
            s.append(max([F(0), *gains]))
        return s
    if penalty == "tight":
        return [H_diff * max(F(0), f_sigma[n] / c[m_sigma[n]] - 1 / c[m[n]]) for n in range(N)]
    printed = [H[n] * (N / min(c) - 1 / c[m[n]]) for n in range(N)]
    return [max(printed)] * N if penalty == "printed-common" and N else printed


def run_machine(c, jobs, b, theta, E, tool, close, early, s, release, H_diff, H_abs):
    """The state machine. Returns {job: (output, pieces, controls)}."""
    t = F(0)
    T = {n: E[n] for n in jobs}
    work = {n: [] for n in jobs}
    used = {n: [] for n in jobs}
    R = []
    for i, n in enumerate(jobs):
        later = jobs[i + 1 :]
        start = t
        e = start + b[n] / c
        if tool == "order-only":
            T[n] = t = start + theta[n] / c
            work[n].append((start, t, F(1)))
        elif theta[n] == b[n]:
            work[n].append((start, e, F(1)))
            t = e
            if early:
                T[n] = e
                used[n].append("early")
        elif theta[n] < b[n]:
            L = start + theta[n] / c
            work[n].append((start, L, F(1)))
            if tool == "kill":
                T[n] = INF
                used[n].append("kill")
            if close:
                used[n].append("close")
            t = L if close else e
        else:
            work[n].append((start, e, F(1)))
            if tool in ("renice", "run-on"):
                share = s[n] if tool == "renice" else F(1)
                L = e + (theta[n] - b[n]) / (share * c)
                work[n].append((e, L, share))
                used[n].append(tool)
                T[n] = max(T[n], L)
                t = L
                for j, k in enumerate(later):
                    T[k] = max(T[k], t + sum((b[x] for x in later[: j + 1]), F(0)) / c)
            elif tool == "postpone":
                used[n].append("postpone")
                R.append((n, release[n], e + sum((b[x] for x in later), F(0)) / c))
                t = e
            else:
                used[n].append("kill")
                T[n] = INF
                t = e
    free = t
    for n, rel, plan in R:
        st = max(rel, plan, free)
        w = min(theta[n], INF if H_diff is None else b[n] + H_diff, INF if H_abs is None else H_abs) - b[n]
        free = st + w / c
        work[n].append((st, free, F(1)))
        if b[n] + w == theta[n]:
            T[n] = max(T[n], free)
        else:
            T[n] = INF
            used[n].append("kill")
    return {n: (T[n], joined(work[n]), tuple(used[n])) for n in jobs}


def joined(pieces):
    out = []
    for a, z, share in pieces:
        if z == a:
            continue
        if out and out[-1][1] == a and out[-1][2] == share:
            out[-1] = (out[-1][0], z, share)
        else:
            out.append((a, z, share))
    return tuple(out)


RULES = {  # tool, close, early, payment
    "straightforward": ("run-on", False, False, "none"),
    "light-vcg": ("run-on", False, False, "vcg"),
    "harsh": ("kill", False, False, "none"),
    "vcg-renice": ("renice", True, True, "vcg"),
    "vcg-postpone": ("postpone", True, True, "vcg"),
    "evcg-renice": ("renice", True, True, "evcg"),
    "evcg-postpone": ("postpone", True, True, "evcg"),
    "postpone-unpaid": ("postpone", True, True, "none"),
    "verified": ("run-on", True, True, "verified"),
    "verified-printed": ("run-on", True, True, "verified-printed"),
    "shapley-share": (None, None, None, "shapley"),
    "equal-share": (None, None, None, "equal"),
    "full-time": (None, None, None, "full-time"),
    "bystander": (None, None, None, "bystander"),
    "designed": (None, None, None, "designed"),
}
TOOLS = {
    "postpone": ("postpone", True, True),
    "run-on": ("run-on", True, True),
    "renice": ("renice", True, True),
    "bare": ("run-on", False, False),
    "kill": ("kill", False, False),
    "order-only": ("order-only", False, False),
}


def full_price(payment, n, c, b, A):
    """What agent n bears in time and money when all are truthful, by its definition."""
    N = len(b)
    if payment == "equal":
        return least_sum(c, b) / N
    if payment == "full-time":
        return sum(b, F(0)) / max(c)
    if payment == "shapley":  # what she adds to those before her, on average over all orders
        orders = list(permutations(range(N)))
        before = [order[: order.index(n)] for order in orders]
        adds = [
            least_sum(c, tuple(b[k] for k in (*some, n))) - least_sum(c, tuple(b[k] for k in some)) for some in before
        ]
        return sum(adds, F(0)) / len(orders)
    (order,) = A
    others = [k for k in order if k != n]  # bystander: pairs of others, the first of each
    return (b[n] + sum((b[i] for at, i in enumerate(others) for _ in others[at + 1 :]), F(0)) / (N - 2)) / c[0]


def designed_price(price, n, S, W, E, b):
    """An expression or one per agent, or a dict of payments by profile."""
    if isinstance(price, dict):
        return price[b][n]
    price = price if isinstance(price, str) else price[n]
    others = sorted((x for k, x in enumerate(b) if k != n), reverse=True)
    names = {"S": S, "W": W, "E": E, "own": b[n], "all": sum(b, F(0)), "other": lambda k: others[int(k) - 1], "F": F}
    return F(eval(re.sub(r"\d+", r"F(\g<0>)", price), names))  # in tests Python may evaluate what they wrote


def one_round(
    rule, c, b, theta, goal=("sum", None), penalty=None, H_diff=None, H_abs=None, ties="sum", values=None,
    tool=None, price=None,
):  # fmt: skip
    """Everything that one round tells, as a dict."""
    own, close, early, payment = RULES[rule]
    own, close, early = (own, close, early) if own else TOOLS[tool or "postpone"]
    if own == "postpone" and penalty is None and payment in ("equal", "full-time", "bystander", "designed"):
        penalty = F(0)
    tool, N = own, len(b)
    A = best_schedule(c, b, goal, "listed" if goal[0] == "sum" else ties)
    E = ends(A, c, b)
    s, release = [None] * N, [F(0)] * N
    if tool in ("renice", "postpone"):
        if penalty is None:
            penalty = "repaired" if tool == "renice" else "exact"
        s = penalties(tool, penalty, c, b, A, H_diff, H_abs)
        for jobs in A:
            for n in jobs:
                release[n] = max(E[k] for k in jobs) if s[n] is None else E[n] + s[n]

    def play(lengths):
        runs = {}
        for m, jobs in enumerate(A):
            runs.update(run_machine(c[m], jobs, b, lengths, E, tool, close, early, s, release, H_diff, H_abs))
        return runs

    runs = play(theta)
    T = [runs[n][0] for n in range(N)]
    best = least_sum(c, b)
    P = []
    for n in range(N):
        if payment == "none":
            P.append(F(0))
        elif payment == "vcg":
            P.append(sum((E[k] for k in range(N) if k != n), F(0)))
        elif payment == "evcg":
            P.append(best - E[n])
        elif payment == "designed":
            P.append(designed_price(price, n, best, sum(E, F(0)), E[n], b))
        elif not payment.startswith("verified"):
            P.append(full_price(payment, n, c, b, A) - E[n])
        else:
            others = play(with_entry(b, n, theta[n]))
            P.append(sum(others[k][0] for k in range(N) if k != n or payment == "verified") - T[n])
    V = values or [F(0)] * N
    return {
        "schedule": A,
        "planned": list(E),
        "output": T,
        "payments": P,
        "utilities": [V[n] - T[n] - P[n] for n in range(N)],
        "penalties": s,
        "work": [runs[n][1] for n in range(N)],
        "controls": [runs[n][2] for n in range(N)],
        "killed": [T[n] == INF for n in range(N)],
        "S": best,
        "rent": sum(P, F(0)),
        "welfare": (value(goal, E), value(goal, T)),
        "stayed": [True] * N,
    }


def some_of(goal, members):
    if goal[0].startswith("weighted"):
        return goal[0], tuple(goal[1][n] for n in members)
    return goal


def two_rounds(rule, c, b, theta, goal=("sum", None), penalty=None, holdback="repaired", values=None, **options):
    """The second round in the numbering of all agents, None or 0 for leavers; 'offer' is the first."""
    N = len(b)
    V = values or [F(0)] * N
    first = one_round(rule, c, b, theta, goal, penalty, **options)
    stay = [n for n in range(N) if V[n] >= first["planned"][n] + first["payments"][n]]
    b2, theta2 = tuple(b[n] for n in stay), tuple(theta[n] for n in stay)
    penalty2 = tuple(penalty[n] for n in stay) if isinstance(penalty, tuple) else penalty
    second = one_round(rule, c, b2, theta2, some_of(goal, stay), penalty2, **options)
    for i, n in enumerate(stay):
        if theta[n] != b[n]:
            if holdback == "repaired":
                wait = least_sum(c, with_entry(b, n, theta[n])) - least_sum(c, b2)
            else:
                wait = least_sum(c, with_entry(b2, i, theta[n])) - least_sum(c, b2)
            if second["planned"][i] + wait > second["output"][i]:
                second["output"][i] = second["planned"][i] + wait
                second["controls"][i] += ("hold",)

    def all_agents(key, absent):
        return [second[key][stay.index(n)] if n in stay else absent for n in range(N)]

    T, P = all_agents("output", None), all_agents("payments", F(0))
    return {
        "schedule": tuple(tuple(stay[i] for i in jobs) for jobs in second["schedule"]),
        "planned": all_agents("planned", None),
        "output": T,
        "payments": P,
        "utilities": [V[n] - T[n] - P[n] if n in stay else F(0) for n in range(N)],
        "penalties": all_agents("penalties", None),
        "work": all_agents("work", ()),
        "controls": all_agents("controls", ()),
        "killed": all_agents("killed", False),
        "S": first["S"],
        "rent": sum(P, F(0)),
        "welfare": (second["welfare"][0], value(some_of(goal, stay), second["output"])),
        "stayed": [n in stay for n in range(N)],
        "offer": (first["planned"], first["payments"]),
    }
