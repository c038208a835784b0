"""Social costs of many outcomes at once: minus what the goal says of each row of output times.

A goal that is a known cost (:meth:`.Goal.exact_cost`) is computed in arrays, every other goal once per different row.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from ...scheduling.exact import INF, Extended
from ...scheduling.goals.base import Goal
from ...scheduling.goals.costs import Cost, Form
from ..incentives.kernel.tables import row_ids
from ..normal_form import FINITE, INFINITE, stacked
from ..protocol import exact_cost


def social_costs(goal: Goal, output: Any, never: Any, unit: int) -> tuple[Any, int]:
    """Minus the welfare of every row as cells of a table, and their denominator; ranks where it is no number.

    Parameters
    ----------
    goal
        What welfare is.
    output
        Output times in units of ``1/unit``, int64 or Python integers, shape (profiles, agents).
    never
        Where they are infinite.
    """
    cost = goal.exact_cost(output.shape[1])
    if cost is None:
        return _by_rows(goal, output, never, unit)
    if cost.form is Form.LEXICAL:
        return _ranks(list(-np.sort(-output, axis=1).T)), 1
    weights, target, denominator = _whole(cost, output.shape[1], unit)
    counted = never & (weights > 0)
    times = np.where(never, 0, output)
    if times.dtype != np.int64 or _bound(cost, times, weights, target) >= FINITE:
        times, weights = times.astype(object), weights.astype(object)
    else:
        weights = weights.astype(np.int64)
    return _with_infinity(_amounts(cost, times, weights, target), counted.any(axis=1)), denominator


def _whole(cost: Cost, n: int, unit: int) -> tuple[Any, int, int]:
    """Whole weights (of the times) and a whole target, and the denominator of the cost in these units."""
    given = [Fraction(w) for w in cost.weights] or [Fraction(1)] * n
    scale = lcm(*(w.denominator for w in given))
    if cost.form is not Form.SQUARED:
        return np.array([int(w * scale) for w in given], dtype=object), 0, scale * unit
    fine = cost.target.denominator
    return np.array([fine] * n, dtype=object), int(cost.target * fine * unit), (fine * unit) ** 2


def _bound(cost: Cost, times: Any, weights: Any, target: int) -> int:
    """No number that :func:`_amounts` forms is larger."""
    largest = max(int(times.max()), 1) * max(map(int, weights)) + abs(target)
    return int(times.shape[1]) * (largest**2 if cost.form is Form.SQUARED else largest)


def _amounts(cost: Cost, times: Any, weights: Any, target: Any) -> Any:
    weighted = times * weights
    if cost.form is Form.SQUARED:
        apart = weighted - target
        return (apart * apart).sum(axis=1)
    if cost.form is not Form.LARGEST:
        return weighted.sum(axis=1)
    if cost.count == 1:
        return weighted.max(axis=1)
    return np.sort(weighted, axis=1)[:, -cost.count :].sum(axis=1)


def _with_infinity(amounts: Any, never: Any) -> Any:
    if amounts.dtype == np.int64:
        return np.where(never, INFINITE, amounts)
    return np.where(never, INF, amounts)


def _ranks(columns: Sequence[Any]) -> Any:
    """Place of every row among the different rows, smallest first; the first column counts most."""
    code, size = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column in columns:
        values, place = np.unique(column, return_inverse=True)
        if size * len(values) >= FINITE:
            known, code = np.unique(code, return_inverse=True)
            size = len(known)
        code, size = code.reshape(-1) * len(values) + place.reshape(-1), size * len(values)
    return np.unique(code, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _by_rows(goal: Goal, output: Any, never: Any, unit: int) -> tuple[Any, int]:
    """The goal's own value of every different row."""
    first, number = row_ids(list(output.T))
    values = [
        goal.value([INF if late else Fraction(t, unit) for t, late in zip(times, lates, strict=True)])
        for times, lates in zip(output[first].tolist(), never[first].tolist(), strict=True)
    ]
    numbers: list[Extended] = [exact_cost(-v) for v in values if not isinstance(v, tuple)]
    if len(numbers) < len(values):
        rank = {value: place for place, value in enumerate(sorted(set(values), reverse=True))}
        return np.array([rank[v] for v in values], dtype=np.int64)[number], 1
    cells = np.empty(len(numbers), dtype=object)
    cells[:] = numbers
    table, denominator = stacked([cells])
    return table[0][number], denominator
