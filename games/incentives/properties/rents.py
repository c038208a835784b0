"""Rent of the rules that are paid after the run, over all declarations and lengths.

There agent ``n`` bears ``C_n(b, theta_n)``, the output times had everybody else been truthful, and pays that minus her
own output time. So the rent is ``sum_n C_n(b, theta_n) - T_n(b, theta)``: a sum over machines, each part depending on
the lengths on that machine alone. Its extremes are found from the tables, once per different list of jobs.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ....mechanisms.declaration.one_round import OneRound
from ..kernel.arrays import Arrays
from ..kernel.check import CONTENT, elsewhere
from ..kernel.machine import OWN_TIME
from ..kernel.tables import Meant, Tables, build_tables, possible_lengths
from .results import PropertyWitness


@dataclass(frozen=True)
class _Range:
    """Smallest and largest part of the rent on one machine, and the lengths' places where they occur."""

    least: Any
    most: Any
    at_least: tuple[int, ...]
    at_most: tuple[int, ...]


class RentAfterTheRun:
    """Extremes of the rent of each declaration profile."""

    def __init__(self, mechanism: OneRound, arrays: Arrays) -> None:
        self.arrays, domain = arrays, arrays.plans.domain
        everybody = np.ones(len(arrays.plans.digit), dtype=bool)
        anything = possible_lengths(arrays, lambda n, b: tuple(map(arrays.units, domain.partners(n, b))))
        self.lengths = anything
        self.own, self.borne, self.fixed = [], [], []
        for n in range(domain.n_agents):
            neutral = possible_lengths(arrays, self._neutral(n))
            self.own.append(build_tables(arrays, [n], anything, everybody, OWN_TIME))
            self.borne.append(build_tables(arrays, [n], neutral, everybody, CONTENT[mechanism.payment]))
            self.fixed.append(elsewhere(arrays, n)[:, n])
        self._known: dict[tuple[int, int], _Range] = {}

    def violation(self, name: str) -> PropertyWitness | None:
        """The first declaration profile whose rent can be negative, or other than 0."""
        for row in range(len(self.arrays.plans.digit)):
            parts = [self._range(row, jobs) for jobs in self._lists(row)]
            fixed = sum(column[row] for column in self.fixed)
            least, most = (fixed + sum(getattr(part, side) for part in parts) for side in ("least", "most"))
            if least < 0 or (name == "budget_balanced" and (least, most) != (0, 0)):
                return self._witness(row, parts, "at_least" if least != 0 else "at_most", least if least != 0 else most)
        return None

    def _neutral(self, agent: int) -> Meant:
        """Her possible lengths, everybody else truthful."""
        domain = self.arrays.plans.domain

        def meant(n: int, b: Fraction) -> tuple[int, ...]:
            return tuple(map(self.arrays.units, domain.partners(n, b) if n == agent else (b,)))

        return meant

    def _lists(self, row: int) -> list[list[int]]:
        """Jobs of each machine that has any."""
        lists = [[n for n in jobs if n >= 0] for jobs in self.arrays.runs.order[row].tolist()]
        return [jobs for jobs in lists if jobs]

    def _range(self, row: int, jobs: list[int]) -> _Range:
        first = jobs[0]
        # the number of a table of the first job stands for the whole list: machine, jobs, order, possible lengths
        key = first, int(self.own[first].table[first][row])
        if key not in self._known:
            shape = [int(self.lengths.count[n, self.arrays.plans.digit[row, n]]) for n in jobs]
            rent = np.zeros(shape, dtype=self.arrays.scale.dtype)
            for axis, n in enumerate(jobs):
                alone = [1] * len(jobs)
                alone[axis] = shape[axis]
                rent = rent + _cells(self.borne[n], n, row).reshape(alone) - _cells(self.own[n], n, row).reshape(shape)
            low, high = (
                tuple(int(i) for i in np.unravel_index(int(pick(rent)), shape)) for pick in (np.argmin, np.argmax)
            )
            self._known[key] = _Range(rent[low], rent[high], low, high)
        return self._known[key]

    def _witness(self, row: int, parts: list[_Range], side: str, rent: Any) -> PropertyWitness:
        plans, domain = self.arrays.plans, self.arrays.plans.domain
        declared = plans.declared(row)
        lengths = list(declared)
        for jobs, part in zip(self._lists(row), parts, strict=True):
            for n, place in zip(jobs, getattr(part, side), strict=True):
                lengths[n] = domain.partners(n, declared[n])[place]
        return PropertyWitness(None, declared, tuple(lengths), {"rent": self.arrays.time(rent)})


def _cells(tables: Tables, agent: int, row: int) -> Any:
    number = tables.table[agent][row]
    return tables.cells[tables.offset[number] : tables.offset[number + 1]]
