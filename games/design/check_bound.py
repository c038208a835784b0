#!/usr/bin/env python3
r"""Add up why no payments of a form do better.

    consortium check --print-checker bound.json.gz > check_bound.py
    python check_bound.py bound.json.gz [--time-limit SECONDS] [--memory BYTES]

The first line prints it as one file that needs Python 3.10 or later and nothing else; the second one needs no more.

Exit code 0: it adds up to what is printed; 1: it does not; 2: no certificate; 3: not checked, a limit came first.

Payments are sums of features with unknown coefficients, and r S(b) bounds their sum (rent-ratio), or each of them
(payment-ratio), for all declarations b; or payments are known, and waits are such sums (penalty-ratio). A row names
something that was asked for, and a cell of situations: those that pass its tests, each ``row . z >= 0``, or above 0
where strict, with ``z = (1, numbers)``. There what was asked for is ``sum_v x_v forms[v] . z >= 0``, the unknowns ``x``
being 1, the coefficients and r.

Why what is accepted is true: ``inside`` passes the tests, ``limit`` passes them where equality is allowed, and both are
not negative, so ``limit + e inside`` is a multiple of a situation in the cell for every e > 0. There the inequality
holds, so at the limit, where e is 0, it holds too. Multipliers are positive; the inequalities at the limits, taken so
many times, add up to ``r - bound >= 0``, or, where the bound is null, to a negative number >= 0: then no coefficients
do all that was asked for. That r is at least 0 needs no rows: S is positive and payments are not, in sum, below 0, and
no wait is.

Not shown here: that the forms are those of a mechanism; for that it is run near every limit.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import Any

from ..reading import Limits, Refused, Unreadable, integer, main, reason

FLOORS = {"no-deficit", "prices-nonnegative", "balanced", "penalties-nonnegative"}  # under each, r is not below 0
STATEMENTS = {"dominant", "ex-post", "rent-ratio", "payment-ratio", "penalty-ratio", *FLOORS}


def vector(x: Any, size: int) -> tuple[int, ...]:
    """So many integers."""
    if type(x) is not list or len(x) != size:
        raise ValueError(f"expected a list of {size} integers, found {x!r:.40}")
    return tuple(map(integer, x))


def ratio(x: Any) -> Fraction:
    """A fraction from its numerator and its denominator."""
    top, bottom = vector(x, 2)
    if bottom < 1:
        raise ValueError(f"expected a positive denominator, found {bottom}")
    return Fraction(top, bottom)


def times(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    """The sum of products."""
    return sum(x * y for x, y in zip(a, b, strict=True))


def at_limit(row: dict[str, Any], requested: set[str], n_unknowns: int) -> list[Fraction]:
    """What a row comes to at its limit, by unknown."""
    size, statement = 1 + len(row["names"]), row["statement"]
    if statement not in requested:
        raise Refused(f"{statement!r:.40} was not asked for")
    limit, inside, multiplier = vector(row["limit"], size), vector(row["inside"], size), ratio(row["multiplier"])
    if multiplier <= 0 or min(limit) < 0 or min(inside) <= 0:
        raise Refused(f"a row of {statement} has numbers that are not positive")
    for test in row["tests"]:
        form = vector(test["row"], size)
        if times(form, inside) < bool(test["strict"]) or times(form, limit) < 0:
            raise Refused(f"a row of {statement} is no limit of its cell")
    if len(row["forms"]) != n_unknowns:
        raise Refused(f"a row of {statement} has {len(row['forms'])} forms for {n_unknowns} unknowns")
    return [multiplier * times(vector(form, size), limit) for form in row["forms"]]


def check(data: Any, limits: Limits | None = None) -> str:
    """What a certificate adds up to, in one sentence. Raises Refused, Unreadable if it is none, or Stopped."""
    limits = limits or Limits()
    try:
        if data["kind"] != "formula-bound" or data["format"] != 1:
            raise ValueError("expected the kind 'formula-bound' in format 1")
        unknowns, n_agents = data["unknowns"], integer(data["agents"])
        requested = {data["concept"], data["objective"], *data["conditions"]}
        bound = None if data["bound"] is None else ratio(data["bound"])
        if unknowns[0] != 1 or unknowns[-1] != "r" or not requested <= STATEMENTS:
            raise ValueError("expected unknowns from 1 to 'r', and conditions that are known")
        rows = []
        for row in data["rows"]:
            limits.keep()
            rows.append(at_limit(row, requested, len(unknowns)))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError) as error:
        raise Unreadable(f"not a certificate: {reason(error)}") from None
    if not rows and not requested & FLOORS:
        raise Refused("without rows nothing keeps r from falling below 0")
    constant, *coefficients, last = [sum(column, Fraction(0)) for column in zip(*rows, strict=True)] or [
        Fraction(0)
    ] * 2
    if any(coefficients) or (last != 0 if bound is None else last != 1 and (rows or bound)):
        raise Refused("the rows do not cancel the coefficients")
    if constant >= 0 if bound is None else constant != -bound:
        raise Refused(f"the rows add up to {constant}")
    features = ", ".join(dict.fromkeys(str(feature) for feature, _ in unknowns[1:-1]))
    whose = "waits" if "penalty-ratio" in requested else "payments"
    what = f"no {whose} do all of it" if bound is None else f"in units of S, r is at least {bound}"
    conditions = ", ".join(sorted(requested))
    return f"For {n_agents} agents and {whose} in {features} ({conditions}): {what}, by {len(rows)} limit situations."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], "Add up why no payments of a form do better.", "formula-bound", check))
