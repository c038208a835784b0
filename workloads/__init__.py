"""Floor 1: where jobs come from: job logs (SWF, Slurm accounting), windows of them, and random families from a seed.

>>> from consortium.workloads import Log
>>> Log(columns={"run": [3, 4]}).run.sum()
np.int64(7)
"""

from typing import Any

_PUBLIC = {
    "Bags": "families",
    "Chosen": "selection",
    "Log": "log",
    "Partition": "partition",
    "Plan": "windows",
    "Report": "log",
    "SETTINGS": "families",
    "SharedWork": "windows",
    "Skipped": "log",
    "Target": "resample",
    "by_column": "partition",
    "cut": "windows",
    "deal_users": "partition",
    "divide": "partition",
    "equal": "partition",
    "find_log": "files",
    "longest": "selection",
    "poisson_bags": "families",
    "random_start": "windows",
    "read_log": "reading",
    "read_sacct": "sacct",
    "read_swf": "swf",
    "replayable": "log",
    "resample_users": "resample",
    "sample": "selection",
    "write_swf": "resample",
    "zipf": "partition",
}

__all__ = [  # resolved on first use, below
    "SETTINGS",
    "Bags",
    "Chosen",
    "Log",
    "Partition",
    "Plan",
    "Report",
    "SharedWork",
    "Skipped",
    "Target",
    "by_column",
    "cut",
    "deal_users",
    "divide",
    "equal",
    "find_log",
    "longest",
    "poisson_bags",
    "random_start",
    "read_log",
    "read_sacct",
    "read_swf",
    "replayable",
    "resample_users",
    "sample",
    "write_swf",
    "zipf",
]


def __getattr__(name: str) -> Any:
    """Resolve a public name on first use, so that importing the room does not import numpy."""
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f".{_PUBLIC[name]}", __name__), name)
