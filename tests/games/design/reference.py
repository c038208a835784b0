"""Designed payments from the definition, slowly, without a line of the package: every row by itself, solved by z3.

Allocations and runs are those of the plain reference of declaration mechanisms. Agents count from 0; numbers are
Fractions. A row is ``(coefficients by unknown, right)`` and says that the sum is at most the right.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from fractions import Fraction as F
from functools import cache
from itertools import product

import z3

from ...mechanisms.declaration.plainly import (
    INF,
    all_schedules,
    ends,
    least_sum,
    one_round,
    penalties,
    run_machine,
    value,
)

RULES = {  # tool: close, early; a rule of the plain reference that has it
    "bare": "light-vcg",
    "run-on": "verified",
    "renice": "vcg-renice",
    "postpone": "vcg-postpone",
    "kill": "harsh",
}


@dataclass(frozen=True)
class Instance:
    """A question about payments."""

    powers: tuple
    tool: str
    lengths: tuple
    declarations: tuple
    goal: tuple = ("sum", None)
    penalty: object = None
    cutoff: F | None = None
    absolute: bool = False
    custom: bool = False
    ties: str = "sum"
    dominant: bool = True
    objective: str = "rent"
    conditions: frozenset = frozenset({"no-deficit"})
    cap: F | None = None
    fine: F = F(0)
    values: tuple = ()
    prior: tuple = ()

    @property
    def n(self):
        return len(self.lengths)

    @property
    def bounds(self):
        """The largest delay and the largest length, as cut-offs."""
        return (None, self.cutoff) if self.absolute else (self.cutoff, None)

    def options(self, n, length):
        return sorted({*self.declarations[n], length})

    def universe(self, n):
        return sorted({*self.declarations[n], *self.lengths[n]})

    def declared(self):
        every = product(*map(self.universe, range(self.n)))
        return [
            b for b in every if self.dominant or sum(x not in own for x, own in zip(b, self.lengths, strict=True)) <= 1
        ]

    def truthful(self):
        return list(product(*self.lengths))

    def chance(self, b):
        p = F(1)
        for own, x in zip(self.prior, b, strict=False):
            p *= own[x]
        return p

    def output(self, b, theta):
        return _output(self.tool, self.powers, b, theta, self.goal, self.penalty, self.bounds, self.ties)

    def planned(self, b):
        return self.output(b, b)


@cache
def _output(tool, c, b, theta, goal, penalty, bounds, ties):
    if tool == "order-only":
        return ends(one_round("light-vcg", c, b, b, goal, ties=ties)["schedule"], c, theta)
    return tuple(one_round(RULES[tool], c, b, theta, goal, penalty, *bounds, ties=ties)["output"])


def output_under(instance, schedule, b, theta):
    """Output times where the schedule is this one, whatever is best."""
    c, tool, bounds = instance.powers, instance.tool, instance.bounds
    planned = ends(schedule, c, b)
    if tool == "order-only":
        return ends(schedule, c, theta)
    close = early = tool in ("run-on", "renice", "postpone")
    s = [None] * len(b)
    if tool in ("renice", "postpone"):
        name = instance.penalty or ("repaired" if tool == "renice" else "exact")
        s = penalties(tool, name, c, b, schedule, *bounds)
    times = {}
    for m, jobs in enumerate(schedule):
        release = (
            [
                max(planned[k] for k in jobs) if x is None else planned[n] + x if tool == "postpone" else None
                for n, x in enumerate(s)
            ]
            if jobs
            else []
        )
        alive = "run-on" if tool == "bare" else tool
        run = run_machine(c[m], jobs, b, theta, planned, alive, close, early, s, release, *bounds)
        times |= {n: T for n, (T, _, _) in run.items()}
    return tuple(times[n] for n in range(len(b)))


def put(b, n, x):
    return (*b[:n], x, *b[n + 1 :])


def comparisons(instance):
    """Agent, her length, her lie, the others' declarations (with 0 in her place) and everybody's lengths."""
    for n in range(instance.n):
        for theta in product(*instance.lengths):
            said = [instance.options(k, theta[k]) if instance.dominant else [theta[k]] for k in range(instance.n)]
            said[n] = [F(0)]
            for others in product(*said):
                for lie in instance.options(n, theta[n]):
                    if lie != theta[n]:
                        yield n, lie, others, theta


def truth_rows(instance, slack=None):
    """One for each comparison, none where the lie never brings the output."""
    for n, lie, others, theta in comparisons(instance):
        honest, lied = put(others, n, theta[n]), put(others, n, lie)
        here, there = instance.output(honest, theta)[n], instance.output(lied, theta)[n]
        if there == INF:
            continue
        assert here != INF
        row = {(n, honest): 1, (n, lied): -1}
        if slack is not None:
            row[slack] = 1 if slack == "t" else -1
        yield row, there - here + instance.fine


def condition_rows(instance):
    n = instance.n
    for b in instance.declared():
        for k in range(n):
            if "prices-nonnegative" in instance.conditions:
                yield {(k, b): -1}, F(0)
            if "anonymous" in instance.conditions:
                for j in range(n):
                    twin = (b[k], *sorted(put(b, k, F(0))))
                    for d in instance.declared():
                        if (d[j], *sorted(put(d, j, F(0)))) == twin and (j, d) != (k, b):
                            yield {(k, b): 1, (j, d): -1}, F(0)
        if instance.conditions & {"no-deficit", "balanced"}:
            yield {(k, b): -1 for k in range(n)}, F(0)
        if "balanced" in instance.conditions:
            yield {(k, b): 1 for k in range(n)}, F(0)
    for b in instance.truthful():
        if "cap" in instance.conditions:
            yield {(k, b): 1 for k in range(n)}, instance.cap
        if "takes-part" in instance.conditions:
            for k in range(n):
                yield {(k, b): 1}, instance.values[k] - instance.planned(b)[k]


def objective(instance):
    """What is minimised, and rows that it needs."""
    everybody, name = range(instance.n), instance.objective
    rows, truthful = [], instance.truthful()
    if name in ("rent-sum", "rent-prior"):
        return {(k, b): instance.chance(b) for b in truthful for k in everybody}, rows
    for b in truthful:
        if name in ("rent", "rent-ratio"):
            size = least_sum(instance.powers, b) if name == "rent-ratio" else 1
            rows.append(({**{(k, b): 1 for k in everybody}, "t": -size}, F(0)))
        elif name == "most rent":
            rows.append(({**{(k, b): -1 for k in everybody}, "t": 1}, F(0)))
        elif name == "payment":
            rows += [({(k, b): 1, "t": -1}, F(0)) for k in everybody]
        elif name == "spread":
            E = instance.planned(b)
            rows += [({(k, b): 1, (j, b): -1, "t": -1}, E[j] - E[k]) for k in everybody for j in everybody if j != k]
            rows += [({"t": -1}, F(0))]
    return {"t": -1 if name in ("most rent", "strictness") else 1}, rows


def solve(rows, goal):
    """The least value of a linear form under rows; None where there is no point, "unbounded" without a least."""
    solver, z, tightest = z3.Optimize(), {}, {}
    for row, right in rows:
        key = frozenset(row.items())
        tightest[key] = min(right, tightest.get(key, right))
    for row, right in ((dict(key), right) for key, right in tightest.items()):
        terms = [z3.RealVal(str(a)) * z.setdefault(x, z3.Real(f"z{len(z)}")) for x, a in row.items()]
        solver.add(z3.Sum([z3.RealVal(0), *terms]) <= z3.RealVal(str(right)))
    least = solver.minimize(
        z3.Sum([z3.RealVal(0), *(z3.RealVal(str(a)) * z.setdefault(x, z3.Real(f"z{len(z)}")) for x, a in goal.items())])
    )
    if solver.check() == z3.unsat:
        return None
    low = solver.lower(least)
    return F(low.as_string()) if z3.is_rational_value(low) or z3.is_int_value(low) else "unbounded"


def least_fine(instance):
    rows = [({**row, "F": -1}, right - instance.fine) for row, right in truth_rows(instance)]
    return solve([*rows, ({"F": -1}, F(0))], {"F": 1})


def best(instance):
    goal, more = objective(instance)
    slack = "t" if instance.objective == "strictness" else None
    rows = [*truth_rows(instance), *(truth_rows(instance, slack) if slack else ()), *condition_rows(instance), *more]
    found = solve(rows, goal)
    sign = -1 if instance.objective in ("most rent", "strictness") else 1
    return sign * found if isinstance(found, F) else found


def breaks(instance, table):
    """Rows that a table of payments breaks."""
    return [
        (row, right)
        for row, right in (*truth_rows(instance), *condition_rows(instance))
        if sum(a * table[b][k] for (k, b), a in row.items()) > right
    ]


def objective_of(instance, table):
    """The objective of a table; of a strictness the least slack of all rows."""
    rents = {b: sum(table[b]) for b in instance.truthful()}
    name = instance.objective
    if name == "rent":
        return max(rents.values())
    if name == "most rent":
        return min(rents.values())
    if name in ("rent-sum", "rent-prior"):
        return sum(instance.chance(b) * rent for b, rent in rents.items())
    if name == "rent-ratio":
        return max(rent / least_sum(instance.powers, b) for b, rent in rents.items())
    if name == "payment":
        return max(max(table[b]) for b in rents)
    if name == "strictness":
        rows = truth_rows(instance)
        return min(right - sum(a * table[b][k] for (k, b), a in row.items()) for row, right in rows)
    borne = [[e + p for e, p in zip(instance.planned(b), table[b], strict=True)] for b in rents]
    return max(max(own) - min(own) for own in borne)


# allocations ----------------------------------------------------------------------------------------------------------


def cost(instance, schedule, b):
    return -value(instance.goal, output_under(instance, schedule, b, b))


def lottery_cost(instance, money, only=None):
    """Least cost where chance chooses schedules; ``only``: by profile the one schedule that may be chosen."""
    schedules = all_schedules(instance.n, len(instance.powers))
    rows = []
    for b in instance.declared():
        chances = {(b, s): 1 for s in schedules}
        rows += [(chances, F(1)), (dict.fromkeys(chances, -1), F(-1))]
        rows += [({x: -1}, F(0)) for x in chances]
        rows += [({(b, s): 1}, F(0)) for s in schedules if only and s != only[b]]
    for n, lie, others, theta in comparisons(instance):
        honest, lied = put(others, n, theta[n]), put(others, n, lie)
        here = {(honest, s): output_under(instance, s, honest, theta)[n] for s in schedules}
        there = {(lied, s): -output_under(instance, s, lied, theta)[n] for s in schedules}
        if -INF not in there.values():
            rows.append((here | there | ({(n, honest): 1, (n, lied): -1} if money else {}), instance.fine))
    for b in instance.truthful() if money and "takes-part" in instance.conditions else ():
        for n in range(instance.n):
            times = {(b, s): output_under(instance, s, b, b)[n] for s in schedules}
            rows.append(({(n, b): 1, **times}, instance.values[n]))
    if money:
        rows += condition_rows(replace(instance, conditions=instance.conditions - {"takes-part"}))
    goal = {(b, s): instance.chance(b) * cost(instance, s, b) for b in instance.truthful() for s in schedules}
    return solve(rows, goal)


def rule_cost(instance, money):
    """Least cost over all rules without chance, the cheapest first."""
    schedules, declared = all_schedules(instance.n, len(instance.powers)), instance.declared()
    each = {b: {s: instance.chance(b) * cost(instance, s, b) for s in schedules} for b in instance.truthful()}
    rules = [dict(zip(declared, choice, strict=True)) for choice in product(schedules, repeat=len(declared))]
    costs = [sum(own[rule[b]] for b, own in each.items()) for rule in rules]
    order = sorted(range(len(rules)), key=costs.__getitem__)
    return next((costs[k] for k in order if possible(instance, money, rules[k])), None)


def possible(instance, money, only):
    """Whether some payments make the truth best under these schedules."""
    rows = []
    for n, lie, others, theta in comparisons(instance):
        honest, lied = put(others, n, theta[n]), put(others, n, lie)
        here, there = (
            output_under(instance, only[honest], honest, theta)[n],
            output_under(instance, only[lied], lied, theta)[n],
        )
        if there != INF:
            rows.append(({(n, honest): 1, (n, lied): -1} if money else {}, there - here + instance.fine))
    if not money:
        return all(right >= 0 for _, right in rows)
    for b in instance.truthful() if "takes-part" in instance.conditions else ():
        for n, time in enumerate(output_under(instance, only[b], b, b)):
            rows.append(({(n, b): 1}, instance.values[n] - time))
    others = replace(instance, conditions=instance.conditions - {"takes-part"})
    return solve([*rows, *condition_rows(others)], {}) is not None


def all_rules(instance):
    """Every rule without chance: its cost, its largest rent under the least payments >= 0, and whether none are needed.

    Without such payments the rent is None. Lies along one line, where the others' declarations stay, are looked at
    once for each choice of schedules on it.
    """
    schedules, declared = all_schedules(instance.n, len(instance.powers)), instance.declared()

    @cache
    def output(schedule, b, theta):
        return output_under(instance, schedule, b, theta)

    @cache
    def line(n, others, chosen):
        at = dict(zip(instance.universe(n), chosen, strict=True))
        later = {}
        for agent, lie, said, theta in cases:
            if (agent, said) == (n, others):
                honest, lied = put(others, n, theta[n]), put(others, n, lie)
                w = output(at[lie], lied, theta)[n] - output(at[theta[n]], honest, theta)[n]
                later[theta[n], lie] = min(w, later.get((theta[n], lie), w))
        paid = dict.fromkeys(at, F(0))
        for _ in at:
            before = dict(paid)
            for (true, lie), w in later.items():
                paid[lie] = max(paid[lie], paid[true] - w)
        return None if paid != before else paid, min(later.values()) >= 0

    cases = list(comparisons(instance))
    lines = [(n, put(b, n, F(0))) for b in declared for n in range(instance.n)]
    lines = [(n, others, [put(others, n, x) for x in instance.universe(n)]) for n, others in dict.fromkeys(lines)]
    for choice in product(schedules, repeat=len(declared)):
        rule = dict(zip(declared, choice, strict=True))
        found = {(n, others): line(n, others, tuple(rule[b] for b in along)) for n, others, along in lines}
        spent = sum(cost(instance, rule[b], b) for b in instance.truthful())
        rent = None
        if all(paid is not None for paid, _ in found.values()):
            rent = max(sum(found[n, put(b, n, F(0))][0][b[n]] for n in range(instance.n)) for b in instance.truthful())
        yield spent, rent, all(free for _, free in found.values())


# random instances -----------------------------------------------------------------------------------------------------


def random_instance(rng: random.Random) -> Instance:
    """Ties, equal machines and equal lengths are frequent; numbers may be tiny or huge."""
    n = rng.choice([1, 2, 2, 2, 2, 3, 3])
    size = rng.choice([F(1)] * 6 + [F(10**18), F(1, 10**18), F(1, 3)])
    pool = [F(1), F(2), F(3), F(3, 2), F(5, 3), F(4)]
    powers = tuple(rng.choice([F(1), F(1), F(2), F(3, 2), F(3)]) for _ in range(rng.choice([1, 1, 1, 2, 2, 3])))
    most = 3 if n < 3 or rng.random() < 0.2 else 2
    lengths = tuple(tuple(sorted(x * size for x in rng.sample(pool, rng.randint(1, most)))) for _ in range(n))
    declarations = lengths
    if rng.random() < 0.4:
        declarations = tuple(tuple(sorted(x * size for x in rng.sample(pool, rng.randint(0, most)))) for _ in range(n))
    if rng.random() < 0.4:
        lengths, declarations = (lengths[0],) * n, (declarations[0],) * n
    tool = rng.choice([*RULES, "bare", "renice", "order-only"])
    penalty, cutoff = None, None
    if tool == "renice":
        penalty = rng.choice([None, "safe", "printed", "repaired-common", F(1, 2), F(1)])
    if tool == "postpone":
        penalty = rng.choice([None, F(0), size, tuple(rng.choice([F(0), size]) for _ in range(n))])
        cutoff = rng.choice([None, None, size, size / 2, 4 * size])
    goals = [("sum", None)] * 3 + [
        ("makespan", 1),
        ("lexical-max", None),
        ("weighted-sum", tuple(F(rng.randint(1, 9)) for _ in range(n))),
    ]
    if tool == "postpone" and rng.random() < 0.3:
        penalty, goals = "static-end", goals[:3]
    goal = rng.choice(
        goals
        if penalty == "static-end"
        else [*goals, ("weighted-makespan", tuple(F(rng.randint(1, 9)) for _ in range(n)))]
    )
    objective = rng.choice(
        ["rent", "rent-sum", "rent-prior", "rent-ratio", "payment", "spread", "most rent", "strictness"]
    )
    conditions = {
        name for name in ("no-deficit", "prices-nonnegative", "takes-part", "balanced", "cap") if rng.random() < 0.3
    }
    if len({*lengths}) == len({*declarations}) == 1 and rng.random() < 0.3:
        conditions.add("anonymous")
    if objective in ("most rent", "strictness") and not conditions & {"takes-part", "cap", "balanced"}:
        conditions.add("cap")
    if objective not in ("most rent", "strictness", "spread") and not conditions & {
        "no-deficit",
        "prices-nonnegative",
        "balanced",
    }:
        conditions.add(rng.choice(["no-deficit", "prices-nonnegative"]))
    prior = ()
    if objective == "rent-prior":
        prior = tuple({x: F(1, len(own)) for x in own} for own in lengths)
        if len(lengths[0]) > 1:
            first, *others = lengths[0]
            prior = ({first: F(1, 2), **{x: F(1, 2 * len(others)) for x in others}}, *prior[1:])
    values = tuple(size * rng.choice([F(2), F(5), F(9), F(20)]) for _ in range(n)) if "takes-part" in conditions else ()
    return Instance(
        powers=powers,
        tool=tool,
        lengths=lengths,
        declarations=declarations,
        goal=goal,
        penalty=penalty,
        cutoff=cutoff,
        absolute=cutoff == 4 * size,
        custom=rng.random() < 0.2,
        ties=rng.choice(["sum", "listed"]),
        dominant=rng.random() < 0.5,
        objective=objective,
        conditions=frozenset(conditions),
        cap=size * rng.choice([F(0), F(1), F(4), F(30)]) if "cap" in conditions else None,
        fine=rng.choice([F(0), F(0), F(0), size / 2, size]),
        values=values,
        prior=prior,
    )


def random_allocation(rng: random.Random) -> Instance:
    """One with few enough rules to try all of them."""
    while True:
        instance = random_instance(rng)
        rules = len(all_schedules(instance.n, len(instance.powers))) ** len(instance.declared())
        small = rules <= 300 and "anonymous" not in instance.conditions and instance.goal[0] != "lexical-max"
        if small and instance.n > 1 and instance.penalty not in ("printed", "repaired-common", "static-end"):
            return instance
