"""Truth for any number of agents: a formula of prices whose slope in the own declaration is neither negative nor large.

Model: ``C_n = E_n + P_n`` is the full price of agent ``n``, here without ``E_n``: a piecewise-linear formula in ``S``,
``own``, ``all`` and the others' declarations. As the own declaration rises from ``y`` to ``z``, ``S`` rises by between
``v_1 (z - y)`` and ``v_N (z - y)``, where ``v_1 = 1/c_max`` and ``v_N`` are the least and the largest multiplier of
``S``. The increment of a formula lies between those of its *branches*, the linear formulas that are left when one
argument of each ``max`` and ``min`` is taken, each ``i S' + k`` with ``S'`` that of ``S``:
``min(f, g) <= max(f(z), g(z)) - max(f(y), g(y)) <= max(f, g)`` with ``f, g`` the increments, and for ``min`` likewise.

Known, for every number of agents (page "Designed payments"): the truth is best where increments are not negative and

- at most ``(z - y)/c_max``, whatever the allocation is: dominant under postponing, ex post under running on and
  renicing, because an understater waits that long in any case;
- or at most those of ``S``, wherever EVCG payments with the same job control and penalties make it best (comparison).

For a given number of agents ``v_N`` is a number, without one it is not bounded. Not covered: prices that speak of ``W``
where it is not ``S``, or that leave part of ``E``; these jump with the allocation. Nothing of the code is run.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> halves = build("designed", Cluster.of([1, 2]), price="S/2 - E", penalty="exact")
>>> bounded(halves, "dominant", None)
Bounded(branches=(Slope(of_sum=Fraction(1, 2), number=Fraction(0, 1)),), within='S')
>>> bounded(build("designed", Cluster.of([1, 2]), price="S/2 - E"), "dominant", None)  # a wait of 0 is too short
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any, Final, NamedTuple

from ...mechanisms.declaration.claims import Payment, claims_of
from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.prices import Formula
from ...mechanisms.declaration.protocol import rule_name
from ...scheduling.arithmetic import Expression
from ...scheduling.clusters import integer_times
from ...scheduling.sums import smallest_multipliers
from ...support.expressions import Tree

MOST_BRANCHES: Final = 200
"""Branches of a formula that are looked at."""


class Slope(NamedTuple):
    """So many times the slope of ``S``, and a number."""

    of_sum: Fraction
    number: Fraction


class Bounded(NamedTuple):
    """Slopes of the branches of a full price, and what they are within: ``"machine"`` (``1/c_max``) or ``"S"``."""

    branches: tuple[Slope, ...]
    within: str


def refused(mechanism: Any) -> str:
    """Why nothing can be said of a mechanism; empty where something can."""
    if type(mechanism) is not OneRound or not isinstance(mechanism.price, Formula):
        return f"found {rule_name(mechanism)!r}; expected a rule in one round whose price is a formula"
    tools, price = mechanism.tools, mechanism.price.text
    if mechanism.cutoff is not None or tools.alive == "kill" or not tools.hold:
        return "found a cut-off, kill or no job control; expected the control postpone, run-on, bare or renice"
    branches = _branches(mechanism)
    if branches is None:
        return f"found {price!r}; expected a price of at most {MOST_BRANCHES} branches, each without division by zero"
    if any(planned != -1 for _, planned, _ in branches):
        return f"found {price!r}; expected a price that takes off E, so that the full price has none of it"
    if any(whole for _, _, whole in branches):
        return f"found {price!r}; expected a price without W, which jumps with the allocation"
    return ""


def bounded(mechanism: OneRound, concept: str, n_agents: int | None) -> Bounded | None:
    """The slopes that make the truth best for so many agents, or any number of them (None); None where they do not."""
    slopes = tuple(sorted({slope for slope, _, _ in _branches(mechanism) or ()}))
    per_work, unit = integer_times(mechanism.cluster)
    least = Fraction(1) / max(mechanism.cluster.powers)
    most = None if n_agents is None else Fraction(smallest_multipliers(per_work, n_agents)[-1], unit)

    def never_negative(some: Iterable[Slope]) -> bool:
        return all(a * least + k >= 0 and (a >= 0 if most is None else a * most + k >= 0) for a, k in some)

    if not slopes or not never_negative(slopes):
        return None
    certain = mechanism.tools.alive == "postpone" or concept == "ex-post"
    if certain and never_negative(Slope(-a, least - k) for a, k in slopes):
        return Bounded(slopes, "machine")
    compared = mechanism.allocate is None and concept in _kept(mechanism)
    return Bounded(slopes, "S") if compared and never_negative(Slope(1 - a, -k) for a, k in slopes) else None


def _kept(mechanism: OneRound) -> frozenset[str]:
    """What full prices of S promise with this control and penalty; what Shapley shares do is shown by way of them."""
    prices: tuple[Payment, ...] = ("evcg", "shapley-share") if mechanism.goal.by_sum else ("evcg",)
    return frozenset[str]().union(*(claims_of(replace(mechanism, payment=one, price=None)) for one in prices))


def _branches(mechanism: OneRound) -> list[tuple[Slope, Fraction, Fraction]] | None:
    """Of each branch of a price its slope, and its multiples of E, and of W where it is not S; None where unknown."""
    assert isinstance(mechanism.price, Formula)
    price, branches = mechanism.price.parsed, list[tuple[Slope, Fraction, Fraction]]()
    if _count(price.tree) > MOST_BRANCHES:
        return None
    for tree in _choices(price.tree):
        linear = Expression("", price.names, tree).linear()
        if linear is None:
            return None
        value = dict(zip(price.names, linear[1:], strict=True))
        whole = value["W"]
        if mechanism.goal.by_sum and mechanism.allocate is None:
            value["S"], whole = value["S"] + whole, Fraction(0)
        branches.append((Slope(value["S"], value["own"] + value["all"]), value["E"], whole))
    return branches


def _count(node: Tree) -> int:
    """How many choices a formula has: none is made of one that has too many."""
    kind = node[0]
    if kind in ("number", "name"):
        return 1
    parts = [_count(part) for part in ([node[1]] if kind == "-" else node[1:3] if kind == "/" else node[1])]
    return sum(parts) if kind in ("max", "min") else prod(parts)


def _choices(node: Tree) -> Iterator[Tree]:
    """A formula with one argument in the place of each max and min, in all ways."""
    kind = node[0]
    if kind in ("number", "name"):
        yield node
    elif kind in ("max", "min"):
        for part in node[1]:
            yield from _choices(part)
    elif kind == "-":
        yield from (("-", part) for part in _choices(node[1]))
    elif kind == "/":
        yield from (("/", *parts, node[3]) for parts in product(_choices(node[1]), _choices(node[2])))
    else:
        yield from ((kind, parts, *node[2:]) for parts in product(*map(_choices, node[1])))
