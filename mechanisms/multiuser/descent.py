r"""A quick good point: take one block out, put it back where it serves fairness best, until nothing helps.

Model: one machine, at most one total-completion user; a plan (:data:`.latest.Plan`) sets the order of the blocks and
how many of the shortest jobs run before each. Starting from a given point, each block in turn is tried at every place
of the plan; ``k'' (n + k'')`` plans per round, a few rounds. The result is no better than locally optimal; it serves
the exact search as a solution in hand.

>>> from consortium.agents.users import Community
>>> from consortium.mechanisms.multiuser.fairness import Fairness
>>> shared = Community.of(("makespan", [2]), ("total-completion", [1, 1]))
>>> descend(LstKernel(shared), Fairness().bind(shared), (2, 7))
(3, 5)
"""

from __future__ import annotations

from ...agents.users import Point
from .fairness import Measure
from .latest import LstKernel, Plan


def descend(kernel: LstKernel, measure: Measure, start: Point) -> Point:
    """A point at least as fair as a Pareto-optimal one; ties keep the plan in hand."""
    plan: Plan | None = kernel.plan([start[u] for u in kernel.shared.makespan_users])
    assert plan is not None  # a reachable point meets itself
    best = measure.integer_key(kernel.assemble(*kernel.values(plan)))
    improved = True
    while improved:
        improved = False
        for block in range(len(kernel.blocks)):
            for trial in _placements([step for step in plan if step[0] != block], block, len(kernel.prefix) - 1):
                key = measure.integer_key(kernel.assemble(*kernel.values(trial)))
                if key < best:
                    best, plan, improved = key, trial, True
    return kernel.assemble(*kernel.values(plan))


def _placements(rest: Plan, block: int, n: int) -> list[list[tuple[int, int]]]:
    """Every plan that puts one more block into a plan."""
    found = []
    for place in range(len(rest) + 1):
        low = rest[place - 1][1] if place else 0
        high = rest[place][1] if place < len(rest) else n
        found += [[*rest[:place], (block, done), *rest[place:]] for done in range(low, high + 1)]
    return found
