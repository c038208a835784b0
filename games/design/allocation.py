"""The best allocation and payments together: who runs where at every profile of declarations, drawn or for certain.

The unknowns are the chances of every schedule at every profile, and the payments. What a lie brings is linear in both,
for each true length of the others, so lotteries whose truth is best in expectation are a linear program. Deterministic
rules are found by branch and bound: a node excludes schedules at some profiles, its program bounds what is below it,
and its multipliers are the proof. The objective is the cost of the institution's goal at the planned output times,
summed over the truthful profiles or expected under the prior; ``payments = "none"`` leaves money out.

The number of schedules grows like ``N!``, so this is for small domains (:data:`MOST_UNKNOWNS`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from math import gcd
from typing import Final, Literal, TypeAlias

from ...mechanisms.declaration.one_round import OneRound
from ...scheduling.allocations import Allocation, allocations
from ...scheduling.welfare import Goal
from ...support.errors import InputError, TooLargeError
from ...support.exact import INF, Extended, scale
from ...support.progress import Clock, Progress
from ..verification.domain import Profile, with_entry
from .envy import Label, Outputs
from .payments import Question, condition_rows
from .programs import Answer, Program, Row

MOST_UNKNOWNS: Final = 20_000
"""Chances of schedules and payments in one program."""
MOST_CASES: Final = 200_000
"""Lies in situations of the others, each a row."""
MOST_NODES: Final = 20_000
"""Of branch and bound."""

CHANCES: Final = frozenset({"at most 1", "at least 1", "chance", "not"})
"""Rows that are not counted in money."""

Lists: TypeAlias = tuple[tuple[int, ...], ...]
Corner: TypeAlias = tuple[Fraction, Fraction]
"""Rent and cost."""


@dataclass(frozen=True)
class Leaf:
    """Rows that show, times their multipliers, that nothing is possible in a branch, or nothing better."""

    rows: tuple[tuple[Label, Fraction], ...]


@dataclass(frozen=True)
class Split:
    """A schedule at a profile: the first branch has no other one there, the second branch not this one."""

    profile: Profile
    schedule: Lists
    branches: tuple[Leaf | Split, Leaf | Split]


@dataclass(frozen=True)
class Chosen:
    """Allocations with their payments, or why there are none.

    Attributes
    ----------
    status
        As for :class:`.payments.Payments`.
    value
        Cost of the goal, in sum or expected.
    bound
        What the cost is at least.
    lotteries
        By profile the schedules and their probabilities.
    table
        Payments by profile.
    tree
        The proof, if there is one.
    """

    status: Literal["optimal", "impossible", "open"]
    value: Fraction | None = None
    bound: Fraction | None = None
    lotteries: Mapping[Profile, tuple[tuple[Fraction, Lists], ...]] = field(default_factory=dict)
    table: Mapping[Profile, tuple[Fraction, ...]] = field(default_factory=dict)
    tree: Leaf | Split | None = None


def best_allocation(
    question: Question,
    mechanism: OneRound,
    *,
    lottery: bool,
    money: bool = True,
    rent: Fraction | None = None,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> Chosen:
    """The allocation of least cost whose truth is best with some payments, and these payments.

    Parameters
    ----------
    question
        Domain, concept and conditions; its objective is not looked at, a prior weighs the profiles if it is
        ``rent-prior``.
    mechanism
        Machines, goal, tool and penalty; its own allocation is not looked at.
    lottery
        Whether chance may choose.
    money
        Whether there are payments.
    rent
        Most that the truthful may pay in sum; the same as a cap.

    Raises TooLargeError beyond :data:`MOST_UNKNOWNS`, InputError for the condition ``anonymous``, TimeoutError when
    time is up before anything is known.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> from .envy import Domain, bare
    >>> light = bare(build("light-vcg", Cluster.of([1])))
    >>> question = Question(Domain.of([1, 2], agents=2), conditions=frozenset({"no-deficit"}))
    >>> best = best_allocation(question, light, lottery=False)
    >>> best.status, best.value, best.table[Fraction(1), Fraction(2)]
    ('optimal', Fraction(17, 1), (Fraction(0, 1), Fraction(0, 1)))
    """
    if "anonymous" in question.conditions:
        raise InputError("subject_to: found anonymous besides an allocation that is designed; expected one of the two")
    if rent is not None:
        question = replace(question, cap=rent, conditions=question.conditions | {"cap"})
    program = _Unknowns(question, mechanism, money)
    clock = clock or Clock(None)
    if lottery:
        answer, leaf = program.least(program.objective, clock)
        return program.chosen(answer, answer.value if answer.status == "optimal" else None, leaf)
    return _Search(program, program.objective, clock, progress).chosen()


def with_schedule(mechanism: OneRound, lists: Lists) -> OneRound:
    """The mechanism that takes the same allocation whatever is declared."""
    return replace(mechanism, allocate=partial(_always, Allocation(lists)), values=None)


def _always(allocation: Allocation, declared: Profile) -> Allocation:
    return allocation


def cost(goal: Goal, times: Sequence[Extended]) -> Fraction:
    """What the institution loses at these output times. Raises InputError for a goal whose values do not add up."""
    welfare = goal.value(times)
    if isinstance(welfare, tuple) or welfare in (INF, -INF):
        raise InputError(
            f"welfare.goal: found {goal.id!r}, whose values do not add up; expected a goal that is a number"
        )
    return -Fraction(welfare)


class _Unknowns:
    """The program: chances of schedules by profile, then payments."""

    def __init__(self, question: Question, mechanism: OneRound, money: bool) -> None:
        self.question, self.mechanism, self.money = question, mechanism, money
        domain, agents = question.domain, range(question.domain.n_agents)
        self.lists = tuple(allocations(domain.n_agents, mechanism.cluster.n_machines))
        size, cases = len(question.declared) * (len(self.lists) + len(agents)), domain.cases(question.concept)
        if cases > MOST_CASES:
            raise TooLargeError(
                f"design: {cases:,} comparisons of the truth with a lie are too many rows; the limit is "
                f"{MOST_CASES:,}. Take a smaller domain, or the allocation of a rule"
            )
        if size > MOST_UNKNOWNS:
            raise TooLargeError(
                f"design: {len(question.declared)} profiles with {len(self.lists)} schedules each are {size} unknowns; "
                f"the limit is {MOST_UNKNOWNS}. Take a smaller domain, or the allocation of a rule"
            )
        pairs = itertools.product(question.declared, range(len(self.lists)))
        self.chance = {pair: k for k, pair in enumerate(pairs)}
        self.payment = {
            (n, b): len(self.chance) + k for k, (b, n) in enumerate(itertools.product(question.declared, agents))
        }
        self.program = Program(len(self.chance) + (len(self.payment) if money else 0))
        self.outputs = [Outputs(with_schedule(mechanism, lists)) for lists in self.lists]
        self._chances()
        rows = list(self._cases())
        runs = itertools.chain(*(own.kept.values() for own in self.outputs))
        ends = [Fraction(t) for output in runs for t in output if t != INF]
        whole, unit = scale([*ends, question.fine])
        # payments and rents are counted in the measure that all output times have in common: coefficients stay small
        self.coin = Fraction(gcd(*whole) or 1, unit)
        for label, times, paid in rows:
            self.program.add({**self._in_coins(times), **paid}, question.fine / self.coin, label)
        for label, row, right in condition_rows(question, {}) if money else ():
            times = {}
            if label[0] == "takes-part":
                _, n, b = label
                times = {self.chance[b, a]: Fraction(own(b, b)[n]) for a, own in enumerate(self.outputs)}
            paid = {self.payment[at]: c for at, c in row.items()}
            self.program.add({**self._in_coins(times), **paid}, right / self.coin, label)
        self.objective: dict[int, Fraction | int] = {}
        for b in question.truthful:
            weight = question.weight(b)
            for a, own in enumerate(self.outputs):
                self.objective[self.chance[b, a]] = weight * cost(mechanism.goal, own(b, b))

    def _chances(self) -> None:
        add, zero = self.program.add, Fraction(0)
        for b in self.question.declared:
            places = [self.chance[b, a] for a in range(len(self.lists))]
            add(dict.fromkeys(places, 1), Fraction(1), ("at most 1", b))
            add(dict.fromkeys(places, -1), Fraction(-1), ("at least 1", b))
            for a, k in enumerate(places):
                add({k: -1}, zero, ("chance", b, self.lists[a]))

    def _in_coins(self, times: Row) -> dict[int, Fraction]:
        return {k: Fraction(time) / self.coin for k, time in times.items()}

    def _cases(self) -> Iterator[tuple[Label, Row, Row]]:
        """What no lie makes smaller: times by chance, and payments."""
        question = self.question
        domain = question.domain
        for n in range(domain.n_agents):
            for declared, lengths in domain.situations(n, question.concept):
                for true in domain.lengths[n]:
                    honest, world = (with_entry(x, n, true) for x in (declared, lengths))
                    for lie in domain.lies(n, true):
                        label = ("truth", n, declared, true, lie, lengths)
                        lied = with_entry(declared, n, lie)
                        times = self._envy(n, honest, lied, world)
                        if times is not None:
                            paid = {self.payment[n, honest]: 1, self.payment[n, lied]: -1} if self.money else {}
                            yield label, times, paid

    def _envy(self, n: int, honest: Profile, lied: Profile, world: Profile) -> dict[int, Fraction] | None:
        """How much later the truth brings the output than a lie; ``None`` where the lie may never bring it."""
        row: dict[int, Fraction] = {}
        for a, own in enumerate(self.outputs):
            there, here = own(lied, world)[n], own(honest, world)[n]
            if there == INF:
                return None
            for b, sign, time in ((honest, 1, here), (lied, -1, there)):
                row[self.chance[b, a]] = row.get(self.chance[b, a], Fraction(0)) + sign * Fraction(time)
        return row

    def largest_rent(self) -> int:
        """A new variable: what the truthful pay in sum at most, in coins."""
        t = self.program.variable()
        for b in self.question.truthful:
            self.program.add({**{self.payment[n, b]: 1 for n in range(len(b))}, t: -1}, Fraction(0), ("rent", b))
        return t

    def least(self, objective: Row, clock: Clock, excluded: Sequence[tuple[Profile, int]] = ()) -> tuple[Answer, Leaf]:
        """The least of a linear form without some schedules at some profiles, and its proof."""
        program = self.program
        size = len(program.rows)
        for b, a in excluded:
            program.add({self.chance[b, a]: 1}, Fraction(0), ("not", b, self.lists[a]))
        try:
            answer = program.least(objective, clock)
            named = ((program.labels[k], y) for k, y in sorted(answer.multipliers.items()))
            return answer, Leaf(tuple((label, y if label[0] in CHANCES else y / self.coin) for label, y in named))
        finally:
            program.cut(size)

    def split(self, answer: Answer) -> tuple[Profile, int] | None:
        """A profile where chance decides, and its likeliest schedule."""
        assert answer.point is not None
        best = None
        for b in self.question.declared:
            chances = [answer.point[self.chance[b, a]] for a in range(len(self.lists))]
            top = max(chances)
            if top < 1 and (best is None or top < best[0]):
                best = top, b, chances.index(top)
        return None if best is None else best[1:]

    def chosen(self, answer: Answer, bound: Fraction | None, tree: Leaf | Split) -> Chosen:
        """The answer in words of the question."""
        if answer.status == "infeasible":
            return Chosen("impossible", tree=tree)
        if answer.point is None or answer.value is None:
            return Chosen("open", bound=bound)
        point = answer.point
        lotteries = {
            b: tuple((chance, self.lists[a]) for a in range(len(self.lists)) if (chance := point[self.chance[b, a]]))
            for b in self.question.declared
        }
        agents = range(self.question.domain.n_agents)
        table = {
            b: tuple(point[self.payment[n, b]] * self.coin if self.money else Fraction(0) for n in agents)
            for b in self.question.declared
        }
        proved = bound is not None and bound >= answer.value
        return Chosen("optimal" if proved else "open", answer.value, bound, lotteries, table, tree)


class _Search:
    """Branch and bound, depth first, the likeliest schedule first; a node that cannot improve on the best is a leaf."""

    def __init__(self, program: _Unknowns, objective: Row, clock: Clock, progress: Progress | None) -> None:
        self.program, self.objective, self.clock, self.progress = program, objective, clock, progress
        self.best: Answer | None = None
        self.nodes = 0
        self.stopped = False

    def chosen(self) -> Chosen:
        """The best deterministic allocation."""
        tree, bound = self._visit((), None, Leaf(()))
        if self.best is None:
            return Chosen("open", bound=bound) if self.stopped else Chosen("impossible", tree=tree)
        return self.program.chosen(self.best, bound, tree)

    def _visit(
        self, excluded: tuple[tuple[Profile, int], ...], above: Fraction | None, proof: Leaf
    ) -> tuple[Leaf | Split, Fraction | None]:
        """Tree of a node and what its cost is at least, ``None`` where nothing is allowed; the same above it."""
        self.nodes += 1
        if self.progress is not None:
            self.progress(self.nodes, None, "nodes")
        self.stopped |= self.nodes > MOST_NODES
        if self.stopped or self._no_better(above):
            return proof, above
        try:
            answer, leaf = self.program.least(self.objective, self.clock, excluded)
        except (TimeoutError, KeyboardInterrupt):
            self.stopped = True
            return proof, above
        if answer.status == "infeasible":
            return leaf, None
        if answer.status != "optimal" or answer.value is None:
            self.stopped = True
            return proof, above
        if self._no_better(answer.value):
            return leaf, answer.value
        at = self.program.split(answer)
        if at is None:
            self.best = answer
            return leaf, answer.value
        b, schedule = at
        others = ((b, a) for a in range(len(self.program.lists)) if a != schedule and (b, a) not in excluded)
        first, low = self._visit((*excluded, *others), answer.value, leaf)
        second, lower = self._visit((*excluded, (b, schedule)), answer.value, leaf)
        bounds = [each for each in (low, lower) if each is not None]
        return Split(b, self.program.lists[schedule], (first, second)), min(bounds, default=None)

    def _no_better(self, bound: Fraction | None) -> bool:
        """Whether what costs so much at least does not improve on the best."""
        best = None if self.best is None else self.best.value
        return bound is not None and best is not None and bound >= best


def frontier(
    question: Question,
    mechanism: OneRound,
    *,
    lottery: bool,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> Iterator[Corner]:
    """Pairs of rent and cost that no payments improve on in both, the least rent last.

    The rent is the largest sum of payments of the truthful. With a lottery the curve is convex, and these are its
    corners; without one it is a staircase, and these are its steps, for payments that are not negative.

    Raises InputError for a staircase without the condition ``prices-nonnegative``, TimeoutError when time is up.
    """
    unknowns, clock = _Unknowns(question, mechanism, money=True), clock or Clock(None)
    rent = unknowns.largest_rent()
    if lottery:
        yield from _corners(unknowns, rent, clock)
        return
    if "prices-nonnegative" not in question.conditions:
        raise InputError("subject_to: found no prices-nonnegative; expected it for the frontier of deterministic rules")
    while True:
        cheapest = _Search(unknowns, unknowns.objective, clock, progress).chosen()
        if cheapest.status == "impossible":
            return
        value, size = _optimum(cheapest), len(unknowns.program.rows)
        unknowns.program.add(unknowns.objective, value, ("as good",))
        least = _optimum(_Search(unknowns, {rent: 1}, clock, progress).chosen())
        unknowns.program.cut(size)
        yield least * unknowns.coin, value
        unknowns.program.add({rent: 1}, least - 1, ("less rent",))  # least payments are sums of output times


def _corners(unknowns: _Unknowns, rent: int, clock: Clock) -> Iterator[Corner]:
    """Corners of the convex curve, from the least cost on: between two of them the best point of their slope."""

    def best(first: Row, then: Row) -> Corner | None:
        answer, _ = unknowns.least(first, clock)
        if answer.status == "infeasible":
            return None
        size = len(unknowns.program.rows)
        unknowns.program.add(first, _optimum(answer), ("as good",))
        second, _ = unknowns.least(then, clock)
        unknowns.program.cut(size)
        _optimum(second)
        assert second.point is not None
        cost = sum((c * second.point[k] for k, c in unknowns.objective.items()), start=Fraction(0))
        return second.point[rent] * unknowns.coin, cost

    def between(left: Corner, right: Corner) -> Iterator[Corner]:
        slope = (right[1] - left[1]) / (left[0] - right[0])
        middle = best({**unknowns.objective, rent: slope * unknowns.coin}, unknowns.objective)
        if middle is None or middle[1] + slope * middle[0] >= left[1] + slope * left[0]:
            return
        yield from between(left, middle)
        yield middle
        yield from between(middle, right)

    cheapest, least = best(unknowns.objective, {rent: 1}), best({rent: 1}, unknowns.objective)
    if cheapest is None or least is None:
        return
    yield cheapest
    if least != cheapest:
        yield from between(cheapest, least)
        yield least


def _optimum(answer: Answer | Chosen) -> Fraction:
    """The best value where there is one. Raises TimeoutError where it was not proved."""
    if answer.status != "optimal" or answer.value is None:
        raise TimeoutError("the time limit")
    return answer.value
