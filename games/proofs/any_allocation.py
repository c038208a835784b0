r"""The second rung: VCG and EVCG rules whatever allocation they choose, on the mechanism's own code.

For each of the ``K = (N + M - 1)!/(M - 1)!`` allocations there is the mechanism that always makes this one. If under
each of them the truth is worth no less than ``V_n - S(theta_n, b_-n)``, with S the smallest sum of output times, and
no lie is worth more, then no lie pays under any rule that chooses one of them for the truth and one for the lie. So
``3 K`` questions per agent stand for ``K^2``.

Where the goal is the sum the allocation attains S: an allocation refuses the declarations for which it does not, which
leaves VCG payments, and waiting for the static end of a machine, as they are meant.

>>> from consortium.games.proofs.exploring import explore_all
>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> rule = build("vcg-postpone", Cluster.of([1, 2]), penalty="static-end")
>>> codes = trees(rule, 2)
>>> found = explore_all(lambda: asked("dominant", rule, 2, Lengths()), codes, max_cells=1_000, processes=1)
>>> len(codes) - 1, found.done, found.cells
(6, True, 196)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ...mechanisms.declaration.one_round import OneRound
from ...scheduling.allocations import Allocation, allocations, n_allocations
from ...scheduling.clusters import Cluster
from ...scheduling.sums import optimal_sum
from ...support.errors import InputError
from .programs import MechanismProgram
from .reduction import by_sum
from .statements import Lengths, Question, bounds
from .tree import Tree


@dataclass(frozen=True)
class SumProgram:
    """The smallest sum of output times as a program over the lengths."""

    cluster: Cluster
    n_agents: int

    @property
    def names(self) -> tuple[str, ...]:
        """The lengths."""
        return tuple(f"x{n}" for n in range(1, self.n_agents + 1))

    @property
    def stages(self) -> tuple[Callable[[Any, Sequence[Any]], Any], ...]:
        """One stage."""
        return (lambda _, x: (optimal_sum(self.cluster, x),),)


def trees(mechanism: OneRound, n_agents: int, check: bool = True) -> tuple[Tree, ...]:
    """S first, then the mechanism under each allocation."""
    listed = allocations(n_agents, mechanism.cluster.n_machines)
    fixed = [replace(mechanism, allocate=_always(mechanism, Allocation(lists))) for lists in listed]
    least = Tree(SumProgram(mechanism.cluster, n_agents), check)
    return (least, *[Tree(MechanismProgram(one, n_agents), check) for one in fixed])


def asked(concept: str, mechanism: OneRound, n_agents: int, lengths: Lengths) -> tuple[Question, ...]:
    """The questions about :func:`trees` that imply a concept; valuations are the same on both sides of the bound."""
    codes = range(1, 1 + n_allocations(n_agents, mechanism.cluster.n_machines))
    return bounds(concept, n_agents, lengths, codes)


def _always(mechanism: OneRound, allocation: Allocation) -> Callable[[tuple[Fraction, ...]], Allocation]:
    """The allocation rule that makes always this one, where the goal allows it."""
    cluster = mechanism.cluster
    attains = by_sum(mechanism)

    def allocate(declared: tuple[Fraction, ...]) -> Allocation:
        if attains and sum(allocation.end_times(cluster, declared)) > optimal_sum(cluster, declared):
            raise InputError("this allocation does not have the smallest sum of output times")
        return allocation

    return allocate
