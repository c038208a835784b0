"""Linear programs with exact answers: floats propose a solution and its proof, whole numbers accept or mend them.

``minimise objective . x`` over free ``x`` with ``rows . x <= rights``. A point ``x`` that satisfies every row, and
multipliers ``y >= 0`` with ``sum y_k row_k = -objective`` and ``-rights . y = objective . x``, prove each other's
optimality; multipliers with ``sum y_k row_k = 0`` and ``rights . y < 0`` prove that no point satisfies all rows
(Farkas). Both are looked for by HiGHS, its simplex method first, then its interior points, rounded to small
denominators and accepted only if all of this holds exactly. What rounding breaks is solved anew as a linear system: the
point from the rows that are tight, the multipliers from the rows that have some. No float is ever answered.

>>> program = Program(1)
>>> program.add({0: -1}, Fraction(-3, 2), "at least 3/2")
>>> program.add({0: 1}, Fraction(5), "at most 5")
>>> best = program.least({0: 1})
>>> best.value, best.point, best.multipliers
(Fraction(3, 2), [Fraction(3, 2)], {0: Fraction(1, 1)})
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from math import gcd, lcm
from typing import Any, Final, Literal

import numpy as np

from ...support.exact import scale
from ...support.interrupts import heard
from ...support.progress import Clock
from ..equilibria.exact_lp import solve_linear, solve_sparse

DENOMINATORS: Final = (1, 2, 12, 64, 5040, 10**6)
"""Of what floats are rounded to."""
METHODS: Final = ("highs-ds", "highs-ipm")
LARGE: Final = 10_000
"""Rows of a program whose interior points come first."""
SYSTEM: Final = 800
"""Most unknowns of a linear system that is solved as a dense one; larger ones have few unknowns in a row."""
TIGHT: Final = 1e-7
"""How far from equal a row is that may be equal."""

Row = Mapping[int, int | Fraction]
"""Coefficients by variable; the others are 0."""


@dataclass(frozen=True)
class Answer:
    """What is known of a program.

    ``optimal``: with value, point and the multipliers of rows that prove it, by row. ``infeasible``: with multipliers.
    ``feasible``: a point whose value was not proved to be least. ``unbounded`` and ``open``: nothing.
    """

    status: Literal["optimal", "infeasible", "feasible", "unbounded", "open"]
    value: Fraction | None = None
    point: list[Fraction] | None = None
    multipliers: dict[int, Fraction] = field(default_factory=dict)


class Program:
    """Rows over so many free variables, each with a label that its certificate names."""

    def __init__(self, variables: int) -> None:
        self.variables = variables
        self.rows: list[dict[int, int]] = []
        self.rights: list[Fraction] = []
        self.factors: list[Fraction] = []
        self.labels: list[Any] = []

    def add(self, row: Row, right: Fraction, label: Any) -> None:
        """``row . x <= right``; coefficients of 0 are dropped."""
        whole, fine = scale(row.values())
        coarse = gcd(*whole) or 1
        self.rows.append({k: value // coarse for k, value in zip(row, whole, strict=True) if value})
        self.rights.append(right * fine / coarse)
        self.factors.append(Fraction(fine, coarse))
        self.labels.append(label)

    def cut(self, size: int) -> None:
        """Forget all rows but the first so many."""
        for own in (self.rows, self.rights, self.factors, self.labels):
            del own[size:]

    def variable(self) -> int:
        """A new variable."""
        self.variables += 1
        return self.variables - 1

    def least(self, objective: Row, clock: Clock | None = None, proof: bool = True) -> Answer:
        """The least value of a linear form, proved; without ``proof`` a good point is enough.

        Raises TimeoutError when time is up.
        """
        return _Solver(self, objective, clock or Clock(None)).answer(proof)


class _Solver:
    """One question to one program, in whole numbers: right sides over one unit and without a common factor."""

    def __init__(self, program: Program, objective: Row, clock: Clock) -> None:
        from scipy.sparse import csr_array

        self.program, self.clock = program, clock
        self.methods = METHODS if len(program.rows) < LARGE else METHODS[::-1]
        whole, fine = scale(objective.values())
        coarse = gcd(*whole) or 1
        self.scale = Fraction(fine, coarse)
        self.objective = np.zeros(program.variables, dtype=object)
        for k, value in zip(objective, whole, strict=True):
            self.objective[k] = value // coarse
        unit = lcm(*(right.denominator for right in program.rights))
        rights = [int(right * unit) for right in program.rights]
        common = gcd(*rights) or 1
        self.unit = Fraction(common, unit)
        self.rights = np.array([right // common for right in rights], dtype=object)
        places = [(i, k, value) for i, row in enumerate(program.rows) for k, value in row.items()]
        at, columns, values = zip(*places, strict=True) if places else ((), (), ())
        shape = (len(program.rows), program.variables)
        self.matrix = csr_array((np.array(values, dtype=float), (at, columns)), shape=shape)

    def answer(self, proof: bool) -> Answer:
        best: Answer = Answer("open")
        for method in self.methods:
            solution = self._solve(self.objective, self.matrix, method)
            if solution.status == 2:
                return self._infeasible()
            if solution.status == 3:
                return Answer("unbounded")
            if solution.status != 0:
                continue
            least = None
            if proof:
                multipliers: dict[int, Fraction] | None = {}
                if self.objective.any():
                    multipliers = self._multipliers(-solution.ineqlin.marginals, -self.objective)
                least = None if multipliers is None else -self._paired(multipliers)
            for point in self._points(solution.x):
                value = sum((c * x for c, x in zip(self.objective, point, strict=True) if c), start=Fraction(0))
                if value == least:
                    return self._scaled("optimal", value, point, multipliers or {})
                answer = self._scaled("feasible", value, point, {})
                if best.value is None or (answer.value is not None and answer.value < best.value):
                    best = answer
            if best.point is not None and not proof:
                break
        return best

    def _scaled(self, status: Any, value: Fraction, point: Sequence[Fraction], by: Mapping[int, Fraction]) -> Answer:
        multipliers = {k: y * self.program.factors[k] / self.scale for k, y in by.items()}
        return Answer(status, value * self.unit / self.scale, [x * self.unit for x in point], multipliers)

    def _infeasible(self) -> Answer:
        """The least ``t >= -1`` by which all rows are to be widened; its multipliers are the proof."""
        from scipy.sparse import csr_array, hstack, vstack

        n, m = self.program.variables, len(self.program.rows)
        wide = hstack([self.matrix, csr_array(-np.ones((m, 1)))])
        wide = csr_array(vstack([wide, csr_array(([-1], ([0], [n])), shape=(1, n + 1))]))
        objective = np.append(np.zeros(n, dtype=object), 1)
        rights = np.append(self.rights, 1)
        for method in self.methods:
            solution = self._solve(objective, wide, method, rights)
            if solution.status != 0:
                continue
            multipliers = self._multipliers(-solution.ineqlin.marginals[:m], -np.zeros(n, dtype=object))
            if multipliers and self._paired(multipliers) < 0:
                factors = self.program.factors
                return Answer("infeasible", multipliers={k: y * factors[k] for k, y in multipliers.items()})
        return Answer("open")

    def _solve(self, objective: Any, matrix: Any, method: str, rights: Any = None) -> Any:
        from scipy.optimize import linprog

        self.clock.check()
        left = self.clock.left()
        rights = self.rights if rights is None else rights
        solve = partial(
            linprog,
            objective.astype(float),
            A_ub=matrix,
            b_ub=rights.astype(float),
            bounds=(None, None),
            method=method,
            options={} if left is None else {"time_limit": max(left, 0.01)},
        )
        return heard(solve)

    def _paired(self, multipliers: Mapping[int, Fraction]) -> Fraction:
        return sum((y * self.rights[k] for k, y in multipliers.items()), start=Fraction(0))

    def _points(self, floats: Any) -> Iterator[list[Fraction]]:
        """Points near these floats that satisfy every row, those of small denominators first."""
        for denominator in DENOMINATORS:
            whole = _rounded(floats, denominator)
            if self._satisfied(whole, denominator):
                yield [Fraction(int(x), denominator) for x in whole]
        slack = self.rights.astype(float) - self.matrix @ floats
        tight = np.flatnonzero(slack < TIGHT * (1 + np.abs(self.rights.astype(float))))
        columns = np.unique(self.matrix[tight].indices)
        if not len(tight):
            return
        denominator = DENOMINATORS[-1]
        point = [Fraction(int(x), denominator) for x in _rounded(floats, denominator)]
        near = [Fraction(x) for x in _rounded(floats, 1).tolist()]
        rows = [self.program.rows[k] for k in tight.tolist()]
        for k, value in self._solved(rows, self.rights[tight], columns.tolist(), near).items():
            point[k] = value
        common = lcm(*(x.denominator for x in point))
        if self._satisfied(np.array([int(x * common) for x in point], dtype=object), common):
            yield point

    def _satisfied(self, whole: Any, denominator: int) -> bool:
        """Whether ``whole / denominator`` satisfies every row, exactly."""
        rows, x = zip(self.program.rows, self.rights.tolist(), strict=True), whole.tolist()
        return all(sum([value * x[k] for k, value in row.items()]) <= right * denominator for row, right in rows)

    def _solved(
        self, rows: Sequence[Mapping[int, int]], right: Any, unknowns: Sequence[int], near: Sequence[Fraction]
    ) -> Mapping[int, Fraction]:
        """Values of these unknowns that solve these equations, near others where they are free; none if not found."""
        if len(unknowns) > SYSTEM:
            return solve_sparse(rows, right.tolist(), near.__getitem__, self.clock.check) or {}
        dense, place = np.zeros((len(rows), len(unknowns)), dtype=object), {k: c for c, k in enumerate(unknowns)}
        for i, row in enumerate(rows):
            for k, value in row.items():
                dense[i, place[k]] = value
        solved = solve_linear(dense, right, [near[k] for k in unknowns])
        return dict(zip(unknowns, solved, strict=True))

    def _multipliers(self, floats: Any, target: Any) -> dict[int, Fraction] | None:
        """Multipliers near these floats, none below 0, with which the rows add up to the target."""
        largest = float(np.abs(floats).max(initial=0.0)) or 1.0
        floats = floats if target.any() else floats / largest  # a proof that nothing is feasible may be stretched
        for denominator in DENOMINATORS:
            whole = np.maximum(_rounded(floats, denominator), 0)
            if whole.any() and self._adds_up(whole, target * denominator):
                return {int(k): Fraction(int(whole[k]), denominator) for k in np.flatnonzero(whole)}
        used = np.flatnonzero(floats > TIGHT * float(np.abs(floats).max(initial=0.0)))
        if not len(used):
            return None
        columns: dict[int, dict[int, int]] = {}
        for k in used.tolist():
            for column, value in self.program.rows[k].items():
                columns.setdefault(column, {})[k] = value
        columns = dict(sorted(columns.items()))
        near = [Fraction(float(y)).limit_denominator(64) for y in floats]
        values = self._solved([*columns.values()], target[[*columns]], used.tolist(), near)
        if min(values.values(), default=0) < 0 or not any(values.values()):
            return None
        common = lcm(*(y.denominator for y in values.values()))
        whole = np.zeros(len(floats), dtype=object)
        for k, y in values.items():
            whole[k] = int(y * common)
        return {k: y for k, y in sorted(values.items()) if y} if self._adds_up(whole, target * common) else None

    def _adds_up(self, whole: Any, target: Any) -> bool:
        """Whether the rows, each so many times, add up to the target, exactly."""
        sums = (-target).tolist()
        for k in np.flatnonzero(whole).tolist():
            for column, value in self.program.rows[k].items():
                sums[column] += value * whole[k]
        return not any(sums)


def _rounded(floats: Any, denominator: int) -> Any:
    """Nearest whole numbers after multiplication, as Python integers."""
    return np.array([round(x) for x in (np.asarray(floats, dtype=float) * denominator).tolist()], dtype=object)
