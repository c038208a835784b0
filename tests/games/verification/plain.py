"""A plain reference for the incentive checks: the definitions written down, nothing shared with the package.

Lengths, times and payments are fractions; ``math.inf`` is a job that never ends.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction as F
from functools import cache

from ...mechanisms.declaration.plainly import one_round

BOUNDS = {"difference": "H_diff", "absolute": "H_abs"}


class Plain:
    """One rule on one cluster. ``goal`` maps output times to something comparable that is maximised."""

    def __init__(self, rule, powers, goal, penalty=None, cutoff=None, ties="sum", values=None):
        self.rule, self.powers = rule, tuple(map(F, powers))
        self.options = {
            "goal": ("expression", lambda *times: goal(times)),
            "penalty": penalty if penalty is None or isinstance(penalty, str) else F(penalty),
            "ties": ties,
            "values": values,
        } | ({} if cutoff is None else {BOUNDS[cutoff[0]]: cutoff[1]})
        self.run = cache(self.run)

    def run(self, b, theta):
        """(output times, payments, utilities)."""
        found = one_round(self.rule, self.powers, b, theta, **self.options)
        return tuple(tuple(found[name]) for name in ("output", "payments", "utilities"))

    def payments(self, b, theta):
        return self.run(b, theta)[1]


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
    elif name == "priced_in_advance":
        fine = [rule.payments(b, theta) == rule.payments(b, b) for b, theta in worlds]
    elif name == "feasible":
        fine = [True for _ in worlds]  # a plain run is a schedule: Plain works it out machine by machine
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
