"""Social costs of all profiles of a game: minus what the goal says of everybody's output times.

A goal that is a known cost (:meth:`.Goal.exact_cost`) is computed as the table is filled (:mod:`.filling`), in whole
numbers. Of every other goal the output times are kept, and it is asked once per different row of them; of the lexical
order only the rank among all rows counts.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from ...scheduling.goals.base import Goal
from ...scheduling.goals.costs import Form
from ...support.exact import INF, Extended
from ..normal_form import stacked
from ..protocol import exact_cost
from ..verification.tables import row_ids
from .filling import KEPT, LARGEST, SORTED, SQUARED, TOTAL, Judged


def judged(goal: Goal, n_agents: int, unit: int) -> tuple[Judged, int]:
    """What the kernel computes of output times in units of ``1/unit``, and the denominator of the social cost then.

    Weights and target are Python integers.
    """
    cost = goal.exact_cost(n_agents)
    if cost is None or cost.form is Form.LEXICAL:
        return Judged(KEPT if cost is None else SORTED, 0, np.ones(n_agents, dtype=object), 0), 1
    given = [Fraction(w) for w in cost.weights] or [Fraction(1)] * n_agents
    if cost.form is Form.SQUARED:
        fine = cost.target.denominator
        weights = np.array([fine] * n_agents, dtype=object)
        return Judged(SQUARED, 0, weights, int(cost.target * fine * unit)), (fine * unit) ** 2
    scale = lcm(*(w.denominator for w in given))
    form = LARGEST if cost.form is Form.LARGEST else TOTAL
    weights = np.array([int(w * scale) for w in given], dtype=object)
    return Judged(form, min(cost.count, n_agents), weights, 0), scale * unit


def bound(asked: Judged, latest: int) -> int:
    """No number that is formed of output times up to ``latest`` is larger."""
    largest = max(latest, 1) * max(map(int, asked.weights)) + abs(asked.target)
    most = int(largest)
    return len(asked.weights) * (most**2 if asked.form == SQUARED else most)


def of_times(goal: Goal, asked: Judged, times: Any, infinity: int, unit: int) -> tuple[Any, int]:
    """Social costs from the times that were kept, as cells of a table, and their denominator; ranks where it is none.

    Parameters
    ----------
    goal, asked
        What welfare is, and what the kernel made of it.
    times
        Output times in units of ``1/unit``, int64 or Python integers, shape (profiles, agents).
    infinity
        Stands for a time that never comes.
    """
    first, number = row_ids(list(times.T))
    rows = times[first]
    if asked.form == SORTED:
        return _ranks(rows)[number], 1
    values = [goal.value([INF if t == infinity else Fraction(t, unit) for t in row]) for row in rows.tolist()]
    numbers: list[Extended] = [exact_cost(-v) for v in values if not isinstance(v, tuple)]
    if len(numbers) < len(values):
        rank = {value: place for place, value in enumerate(sorted(set(values), reverse=True))}
        return np.array([rank[v] for v in values], dtype=np.int64)[number], 1
    cells = np.empty(len(numbers), dtype=object)
    cells[:] = numbers
    table, denominator = stacked([cells])
    return table[0][number], denominator


def _ranks(rows: Any) -> Any:
    """Place of every row among them, all different, smallest first; the first column counts most."""
    rank = np.zeros(len(rows), dtype=np.int64)
    rank[np.lexsort(tuple(np.unique(own, return_inverse=True)[1].reshape(-1) for own in rows.T[::-1]))] = np.arange(
        len(rows)
    )
    return rank
