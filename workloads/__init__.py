"""Floor 1: where jobs come from: job logs (SWF, Slurm accounting), windows of them, and random families from a seed.

>>> from consortium.workloads import Log
>>> Log(columns={"run": [3, 4]}).run.sum()
np.int64(7)
"""

from typing import Any

_PUBLIC = {
    "Log": "log",
    "Report": "log",
    "Skipped": "log",
    "find_log": "files",
    "read_log": "reading",
    "read_swf": "swf",
    "replayable": "log",
}

__all__ = [  # resolved on first use, below
    "Log",
    "Report",
    "Skipped",
    "find_log",
    "read_log",
    "read_swf",
    "replayable",
]


def __getattr__(name: str) -> Any:
    """Resolve a public name on first use, so that importing the room does not import numpy."""
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f".{_PUBLIC[name]}", __name__), name)
