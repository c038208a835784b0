"""Floor 0: machines, work functions, allocations, welfare, optimisers, list scheduling and metrics.

The public names are re-exported here and load their module on first use, so ``import consortium.scheduling`` is light.

>>> from consortium.scheduling import Cluster, optimal_sum
>>> optimal_sum(Cluster.of([1, 2]), [1, 2, 3])
Fraction(9, 2)
"""

from importlib import import_module
from typing import Any

_WHERE = {
    "allocations": ("Allocation", "n_allocations"),
    "clusters": ("Cluster",),
    "expressions": ("Expression",),
    "listing": ("ListSchedule", "job_order", "list_schedule"),
    "makespan": ("MakespanAnswer", "smallest_makespan"),
    "metrics": ("jain", "makespan_lower_bound", "work_bound"),
    "operators": ("OPERATORS", "PRINTED", "Status"),
    "optimal": ("Optimum", "Reach", "optimal_allocation", "reach"),
    "sums": ("optimal_sum", "sum_allocation"),
    "welfare": (
        "ExpressionGoal",
        "Goal",
        "LexicalMax",
        "Makespan",
        "Regularity",
        "SquaredDeviation",
        "SumOfTimes",
        "WeightedMakespan",
        "WeightedSum",
        "check_regular",
    ),
    "work": ("WorkAllocation", "WorkFunction"),
}
_MODULE_OF = {name: module for module, names in _WHERE.items() for name in names}
__all__ = tuple(_MODULE_OF)


def __getattr__(name: str) -> Any:
    """Resolve a public name on first use."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted((*globals(), *_MODULE_OF))
