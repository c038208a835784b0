r"""The largest ``C_max / OPT`` of a central rule, over all lengths of a shape.

The rule's own code runs on symbols for the lengths (:mod:`...proofs.execution`), and every way that its comparisons can
come out is a *path*: strict and weak inequalities, under which all ends are linear forms. Along each path every end is
maximised over the lengths that satisfy the path with equality allowed and whose least makespan ``OPT`` is at most 1: by
a linear program that knows of ``OPT`` only that the work is at most ``N`` and no job longer than 1 and, where its
optimum has a larger ``OPT``, by branching on the machine of the longest job that has none yet. So the value is exact.
It is attained if on some path lengths that satisfy the strict inequalities have it; else it is a limit.

Rules that list jobs by length get each organization's longest first; where lists are as they stand (``listed``, custom
rules), every order of each list is meant.

>>> from consortium.mechanisms.federation import Ilba
>>> answer = ratio(Shape((2, 2)), Ilba())
>>> str(answer.value), answer.attained, answer.regions, answer.lengths
('4/3', True, 4, ((1, 1), (2, 2)))
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from operator import le
from typing import Any, Final, TypeAlias

from ....agents.organizations import Federation
from ....mechanisms.federation.coordination import HostPolicy
from ....mechanisms.federation.custom import custom_rule
from ....mechanisms.federation.heuristics import HEURISTICS
from ....scheduling.ready_times import least_makespan
from ....support.errors import InputError
from ....support.exact import Rational, scale
from ....support.progress import Clock, Progress
from ....support.status import Status
from ...equilibria.simplex import maximum
from ...proofs.execution import Path, two_answers
from ...proofs.feasibility import point_of
from ...proofs.questions import Rows, sparse_vector
from ...proofs.symbols import NotPiecewiseLinear, Vector, primitive
from .by_theorem import SHARP_RATIOS, bounded
from .paths import Paths, length_names
from .shapes import Answer, Shape

NAMED: Final = (*HEURISTICS, "local", "priority-equilibrium", "tomos")
"""Rules of the package whose code adds and compares, at least with some of their options."""

Loads: TypeAlias = tuple[tuple[int, ...], ...]
"""Jobs, numbered from 1, that have a machine in the best schedule, by machine."""
Sum: TypeAlias = tuple[Sequence[int], int]
"""A form of the lengths, and what it is at most where ``OPT`` is at most 1."""


def ratio(
    shape: Shape,
    rule: Any,
    at_most: Fraction | None = None,
    clock: Clock | None = None,
    progress: Progress | None = None,
    *,
    method: str = "auto",
) -> Answer:
    """The largest ratio of a central rule's makespan to the least one, in all games of a shape.

    Parameters
    ----------
    shape
        How many jobs each organization has; one machine each.
    rule
        A central rule, or a custom one.
    at_most
        Whether no game exceeds this, instead of the value.
    clock
        Where its limit passes, or on Ctrl-C, the answer is open, with what is known.
    method
        ``"auto"``: the search ends where a value is attained that no game of so many organizations exceeds by the
        theorem ``sharp-ratios``; ``"cover"``: all paths are looked at.

    Raises
    ------
    InputError
        The rule is a coordination policy, no central rule, or does more with lengths than to add and compare them.
    """
    if not sum(shape.jobs):
        raise InputError("ratio: found no jobs; expected at least one")
    _check_central(rule, shape)
    program = RuleProgram(rule, shape.jobs)
    limit = bounded(Answer(Status.OPEN), shape, "ratio", rule).at_most if method == "auto" else None
    search = _Search(program, at_most, limit)
    try:
        done = search.explore(clock, progress)
    except NotPiecewiseLinear as error:
        if program.is_custom:
            raise
        raise _unlike(getattr(program.rule, "id", type(program.rule).__name__)) from error
    return search.answer(done)


def _check_central(rule: Any, shape: Shape) -> None:
    """Raise InputError for what makes no central schedule of symbols."""
    own = _is_own(rule)
    policy = rule if own else custom_rule(rule, Federation.of([[1] * count for count in shape.jobs]))
    name = getattr(rule, "id", getattr(rule, "__name__", type(rule).__name__))
    if isinstance(policy, HostPolicy):
        raise InputError(
            f"ratio: {name} is a coordination policy: where jobs run is their owners' choice, so it has no makespan "
            "of its own; expected a central rule; of a policy ask for price-of-anarchy or price-of-stability"
        )
    if own and name not in NAMED:
        raise _unlike(name)


def _is_own(rule: Any) -> bool:
    """Whether a rule is the package's."""
    return type(rule).__module__.partition(".")[0] == __name__.partition(".")[0]


def _unlike(name: str) -> InputError:
    return InputError(
        f"ratio: rule {name!r} does more with lengths than to add and compare them; expected one of "
        f"{', '.join(NAMED)} (priority-equilibrium with solver 'lpt' or 'listed', tomos with such a base), or a custom "
        "rule that adds and compares; compare runs it on many games"
    )


@dataclass(frozen=True)
class RuleProgram:
    """A central rule as code whose symbols are all lengths, organization after organization; its results are all ends.

    >>> from consortium.mechanisms.federation import LptLpt
    >>> RuleProgram(LptLpt(), (2, 1)).run([2, 2, 1])
    (Fraction(2, 1), Fraction(3, 1), Fraction(1, 1))
    """

    rule: Any
    jobs: tuple[int, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """As a sentence has them."""
        return length_names(self.jobs)

    @property
    def is_custom(self) -> bool:
        """Whether code runs that is not the package's."""
        return not _is_own(self.rule)

    @property
    def lists(self) -> str:
        """How each list of jobs is ordered: ``"lpt"`` or ``"spt"``, or ``"listed"``, which is any way."""
        if self.is_custom or getattr(self.rule, "solver", "lpt") != "lpt" or hasattr(self.rule, "base"):
            return "listed"
        return str(getattr(self.rule, "local_order", "lpt"))

    def run(self, numbers: Sequence[Any]) -> tuple[Any, ...]:
        """The end of every job, in the order of the schedule's rows."""
        lengths = iter(numbers)
        rows = [[next(lengths) for _ in range(count)] for count in self.jobs]
        federation = Federation.of([row[::-1] for row in rows] if self.lists == "spt" else rows)
        rule = custom_rule(self.rule, federation) if self.is_custom else self.rule
        return tuple(end * federation.unit for row in rule.run(federation).ends for end in row)


class _Search(Paths):
    """Branch and bound over the paths of a rule; the best value is shared by all of them."""

    def __init__(self, program: RuleProgram, at_most: Fraction | None, limit: Fraction | None) -> None:
        super().__init__(program, program.jobs, any_order=program.lists == "listed", custom=program.is_custom)
        self.program, self.at_most, self.limit = program, at_most, limit
        self.best, self.attained = (Fraction(1), False) if at_most is None else (at_most, True)
        self.witness: tuple[Rational, ...] | None = None
        longest = [sparse_vector(self.size, {row[0]: 1}) for row in self.lists if row]
        self.sums: list[Sum] = [([0] + [1] * (self.size - 1), len(program.jobs)), *((row, 1) for row in longest)]

    @property
    def finished(self) -> bool:
        """Whether more paths cannot change the answer."""
        beyond = self.at_most is not None and self.best > self.at_most
        return beyond or (self.attained and self.best == self.limit)

    def explore(self, clock: Clock | None, progress: Progress | None) -> bool:
        """Look at all paths, until the limit of time or Ctrl-C; whether the answer is whole."""
        with suppress(KeyboardInterrupt):
            for path in self.paths(clock or Clock(None), progress):
                self._look(path)
                if self.finished:
                    return True
        return self.done

    def answer(self, done: bool) -> Answer:
        """What is known, all paths looked at or not."""
        left = len(self.exploration.open)
        refuted = self.at_most is not None and self.best > self.at_most
        exact = done and self.at_most is None
        return Answer(
            Status.REFUTED if refuted else Status.PROVED if done else Status.OPEN,
            value=self.best if exact else None,
            at_least=self.best if self.at_most is None or refuted else None,
            at_most=self.best if exact else self.at_most if done and not refuted else self.limit,
            attained=self.attained if exact else None,
            theorem=SHARP_RATIOS if exact and left else None,
            regions=self.exploration.cells,
            lengths=self.by_organization(self.witness) if self.witness else None,
            done=Fraction(1) if done else self.share,
            next=None if done or refuted else self.following(),
        )

    def _look(self, path: Path) -> None:
        """Maximise every end that may be the last on a path."""
        _, ends, refusal, _ = path
        if ends is None:
            raise InputError(f"ratio: the rule refuses some lengths: {refusal}")
        rows = self.rows(path)
        finite = [end for end in ends if isinstance(end, tuple)]
        unit = lcm(*(bottom for _, bottom in finite))
        forms = dict.fromkeys(tuple([a * (unit // bottom) for a in top]) for top, bottom in finite)
        together = {form: self.differences(form) for form in forms}
        for form, values in together.items():
            others = (other for other in together.values() if other is not values)
            if not any(all(map(le, values, other)) for other in others) and not self.finished:
                self._maximise(form, unit, rows)

    def _maximise(self, form: Vector, unit: int, rows: Rows) -> None:
        """Raise the best value to the largest of a form, in units, where the path's rows hold and ``OPT`` <= 1."""
        objective = self.differences(form)
        below = [[-a for a in self.differences(row)] for row, _ in rows]
        stack: list[Loads] = [()]
        while stack and not self.finished:
            loads = stack.pop()
            sums = [*self.sums, *((sparse_vector(self.size, dict.fromkeys(load, 1)), 1) for load in loads)]
            lines = [*below, *(self.differences(row) for row, _ in sums)]
            rights = [0] * len(below) + [right for _, right in sums]
            optimum = maximum(objective, lines, rights)
            if optimum is None and self.at_most is not None:  # beyond the bound will do
                scaled = [self.at_most.denominator * a for a in objective]
                beyond = (self.at_most + 1) * self.at_most.denominator * unit
                optimum = maximum(objective, [*lines, scaled], [*rights, int(beyond)])
            if optimum is None:
                raise InputError("ratio: there is no largest one; expected a bound, which is then refuted")
            value = optimum.value / unit
            if value < self.best or (value == self.best and self.attained):
                continue
            point: Sequence[Rational] = self._lengths(optimum.point)
            if value > self.best and self._least(point[1:]) <= 1:
                self.best, self.attained, self.witness = value, False, None
                if self.at_most is not None:
                    self._keep(self._near(point, rows))
                    return
            if value == self.best:
                strict = self._attaining(form, unit, rows, sums)
                if strict is None:
                    continue
                one, *point = strict
                if self._least(point[1:]) <= one:
                    self.attained = True
                    self._keep(point)
                    continue
            taken = {job for load in loads for job in load}
            longest = max((j for j in range(1, self.size) if j not in taken), key=lambda j: point[j])
            for machine in range(min(len(loads) + 1, len(self.program.jobs))):
                grown = (*loads, ()) if machine == len(loads) else loads
                stack.append(tuple((*load, longest) if m == machine else load for m, load in enumerate(grown)))

    def _attaining(self, form: Vector, unit: int, rows: Rows, sums: Sequence[Sum]) -> list[int] | None:
        """What ``OPT`` <= 1 stands for, the constant and lengths of a path at which a form has the best value."""
        strict = [((0, *row), above) for row, above in (*self.domain, *rows)]
        least = [((right, *(-a for a in row)), False) for row, right in sums]
        value = self.best * unit
        reached = ((-value.numerator, *(value.denominator * a for a in form)), False)
        point = point_of([((1, *[0] * self.size), True), *strict, *least, reached])
        return None if point is None else list(point)

    def _near(self, point: Sequence[Rational], rows: Rows) -> list[Fraction]:
        """Lengths of a path so near to these, on its border, that their ratio exceeds the bound too."""
        inside = point_of([*self.domain, *rows])
        assert inside is not None  # somebody was there
        assert self.at_most is not None
        share = Fraction(1, 2)
        while True:
            near = [(1 - share) * a + share * b for a, b in zip(point, inside, strict=True)]
            if self._ratio([z / near[0] for z in near[1:]]) > self.at_most:
                return near
            share /= 2

    def _keep(self, point: Sequence[Rational]) -> None:
        """Take a game as the witness, in whole numbers where the rule has the same ratio on them."""
        lengths = [Fraction(z) / point[0] for z in point[1:]]
        whole = [Fraction(a) for a in primitive(scale(lengths)[0])]
        expected = self._ratio(lengths)
        self.witness = tuple(map(int, whole)) if self._ratio(whole) == expected else tuple(lengths)
        if expected < self.best if self.at_most is None else expected <= self.at_most:
            raise two_answers(self.program.names, lengths)
        self.best = max(self.best, expected)

    def _ratio(self, lengths: Sequence[Fraction]) -> Fraction:
        """The rule's ratio at these lengths, by its code on numbers."""
        return Fraction(max(self.program.run(lengths))) / self._least(lengths)

    def _least(self, lengths: Sequence[Rational]) -> Fraction:
        """``OPT``; a length may be 0."""
        whole, unit = scale(length for length in lengths if length)
        return Fraction(least_makespan(whole, [[0] * len(self.program.jobs)] * len(whole)), unit)

    def _lengths(self, point: Sequence[Fraction]) -> list[Fraction]:
        """The constant and the lengths from the coordinates of linear programs."""
        sums = (list(itertools.accumulate(point[j] for j in reversed(row)))[::-1] for row in self.lists)
        return [point[0], *itertools.chain.from_iterable(sums)]
