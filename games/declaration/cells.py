r"""The range of one declaration, cut where the structure of plan or run may change: cells of concave utility.

Model. Between two neighbouring cuts the allocation, the order of sizes behind S(b), who stays (in two rounds) and every
comparison of a length with a declaration or a cut-off are the same. Then the plan is linear in the declaration and the
run only adds and takes maxima, so output times are convex and utility is concave and piecewise linear.

The cuts: the others' declarations, the true length, what a cut-off makes of them, where two penalties of a common rule
cross, the switches of the allocation (:mod:`.switches`), and in two rounds where an agent's price crosses her
valuation, then the same for the second round among those who stay. A switch at an irrational number is in a cell of its
own of which nothing is known.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.protocol import Plan
from ...mechanisms.declaration.two_rounds import TwoRounds
from ...scheduling.optimal import optimal_sum
from ...support.progress import Progress
from . import switches

Interval: TypeAlias = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Cell:
    """An open interval; where ``known``, the utility is concave and piecewise linear on it."""

    low: Fraction
    high: Fraction
    known: bool = True


@dataclass(frozen=True)
class Situation:
    """Who declares what, but for one agent; all true lengths.

    Attributes
    ----------
    mechanism
        In one round or two.
    lengths, declared
        Per agent; the declaration of ``agent`` is any number.
    agent
        From 0.
    """

    mechanism: OneRound | TwoRounds
    lengths: tuple[Fraction, ...]
    declared: tuple[Fraction, ...]
    agent: int

    @property
    def one(self) -> OneRound:
        """The mechanism of each round."""
        return self.mechanism.one if isinstance(self.mechanism, TwoRounds) else self.mechanism

    def at(self, x: Fraction) -> tuple[Fraction, ...]:
        """Everybody's declarations when hers is ``x``."""
        return (*self.declared[: self.agent], x, *self.declared[self.agent + 1 :])

    def plan(self, x: Fraction) -> Plan:
        """What the mechanism plans then."""
        return self.mechanism.plan(self.at(x))

    def among(self, members: Sequence[int]) -> Situation:
        """The second round for those who stay; ``agent`` is one of them."""
        assert isinstance(self.mechanism, TwoRounds)
        return Situation(
            self.mechanism.among(list(members), len(self.lengths)),
            tuple(self.lengths[n] for n in members),
            tuple(self.declared[n] for n in members),
            list(members).index(self.agent),
        )


def situation(
    mechanism: Any, lengths: Sequence[Fraction], declared: Sequence[Fraction], agent: int
) -> Situation | None:
    """The situation, when its cells can be found: a built-in rule whose goal is compared in a way that is known.

    A class derived from one of ours may do anything, so it is not taken for it.
    """
    if type(mechanism) is not OneRound and type(mechanism) is not TwoRounds:
        return None
    found = Situation(mechanism, tuple(map(Fraction, lengths)), tuple(map(Fraction, declared)), agent)
    return found if switches.covers(found.one, len(lengths)) else None


def marks(mechanism: Any, lengths: Sequence[Fraction], declared: Sequence[Fraction], agent: int) -> set[Fraction]:
    """Declarations at which lengths, declarations and cut-offs alone make a mechanism change what it does.

    Of any mechanism; those of ours tell their cut-off. Declarations of the others are compared with hers, and her
    own length with what she declares; a mechanism of one's own may compare her with any length.
    """
    others = {b for k, b in enumerate(declared) if k != agent}
    found = {*lengths, *others}
    one = mechanism.one if isinstance(mechanism, TwoRounds) else mechanism
    if isinstance(one, OneRound) and one.cutoff is not None:
        bound, truth = Fraction(one.cutoff.bound), lengths[agent]
        if one.cutoff.kind == "absolute":
            found.add(bound)
            if one.penalty == "printed-common":
                found |= _crossings_of_waits(one, others, bound)
        else:
            found |= {b + bound for b in others} | {b - bound for b in others} | {truth - bound}
    return {Fraction(x) for x in found}


def _crossings_of_waits(one: OneRound, others: set[Fraction], bound: Fraction) -> set[Fraction]:
    """Where the longest of the waits ``(bound - b) * rate`` changes hands."""
    powers = one.cluster.powers
    rates = [(len(others) + 1) / min(powers) - 1 / c for c in powers]
    return {bound - (bound - b) * r / own for b in others for r in rates for own in rates if own}


def cells(
    of: Situation, low: Fraction, high: Fraction, width: Fraction, progress: Progress | None = None
) -> Iterator[Cell]:
    """The cells of ``(low, high)``, in order; ``width`` is the largest of those not known."""
    first = _cells_of_a_round(replace(of, mechanism=of.one), low, high, width, progress)
    if isinstance(of.mechanism, OneRound):
        yield from first
        return
    for cell in first:
        if not cell.known:
            yield cell
            continue
        for a, b in _split(cell.low, cell.high, _prices(of, cell.low, cell.high)):
            members = [n for n, stays in enumerate(of.plan((a + b) / 2).stayed) if stays]
            if of.agent not in members or len(members) == len(of.lengths):
                yield Cell(a, b)
                continue
            second = of.among(members)
            if switches.covers(second.one, len(members)):
                yield from _cells_of_a_round(second, a, b, width, progress)
            else:
                yield Cell(a, b, known=False)


def _cells_of_a_round(
    of: Situation, low: Fraction, high: Fraction, width: Fraction, progress: Progress | None
) -> Iterator[Cell]:
    cuts, start = marks(of.one, of.lengths, of.declared, of.agent), low
    found = switches.switches(of.one, of.declared, of.agent, low, high, width, progress)
    for begin, end in itertools.chain(found, [(high, high)]):
        yield from (Cell(a, b) for a, b in _split(start, begin, cuts))
        if begin < end:
            yield Cell(begin, end, known=False)
        start = end


def _split(low: Fraction, high: Fraction, cuts: set[Fraction]) -> Iterator[Interval]:
    """The parts of ``(low, high)`` between the cuts; none of an empty interval."""
    return itertools.pairwise(sorted({low, high, *(x for x in cuts if low < x < high)}))


def _prices(of: Situation, low: Fraction, high: Fraction) -> set[Fraction]:
    """Where in a cell of the first round an agent's output time and payment cross her valuation."""
    third = (high - low) / 3
    offers = [of.plan(x).first_round for x in (low + third, high - third)]
    values = of.mechanism.values or (Fraction(0),) * len(of.lengths)
    found = set()
    for n, value in enumerate(values):
        u, v = (offer.planned[n] + offer.payments[n] for offer in offers if offer is not None)
        if u != v:
            found.add(low + third + (value - u) * third / (v - u))
    return found


def margin(of: Situation, low: Fraction, high: Fraction) -> Fraction:
    """A distance from either end of a known cell within which no kink can lie.

    Kinks are where two output times cross. Each is a sum of at most ``4 N + 8`` terms (works over powers and shares,
    penalties, planned times, least sums), linear in ``x``, whose values at both ends are multiples of ``1/D``: sums
    that differ there differ by at least ``1/D``, and their difference changes no faster than twice the sum of slopes.
    """
    third, one, cutoff = (high - low) / 3, of.one, of.one.cutoff
    plans = [of.plan(x) for x in (low + third, high - third)]
    rises = [
        ((v - u) / third, u)
        for u, v in zip(_linear(plans[0]), _linear(plans[1]), strict=True)
        if u is not None and v is not None
    ]
    lines = [(slope, u - slope * third, u + 2 * slope * third) for slope, u in rises]
    penalties = (plans[0].second_round or plans[0]).penalties
    shares = [1 / s for s in penalties if s] if one.tools.alive == "renice" else []
    rates = [1 / c for c in one.cluster.powers]
    truthful = optimal_sum(one.cluster, of.at(of.lengths[of.agent]))
    bound = [] if cutoff is None else [Fraction(cutoff.bound)]
    ends = [low, high, truthful]
    numbers = [*of.lengths, *of.declared, *ends, *shares, *rates, *bound, *(v for line in lines for v in line)]
    common = math.lcm(*(Fraction(v).denominator for v in numbers)) ** 3  # products of at most three of them
    steepest = max(rates) * max([Fraction(1), *shares]) + max([Fraction(0), *(abs(line[0]) for line in lines)])
    terms = 4 * len(of.lengths) + 8
    return min((high - low) / 8, Fraction(1) / (4 * terms * terms * steepest * common))


def _linear(plan: Plan) -> list[Fraction | None]:
    """What is linear in a declaration on a cell: penalties, planned times and least sums of both rounds."""
    second = plan.second_round or plan
    return [*second.penalties, *plan.planned, plan.optimal_sum, second.optimal_sum]
