"""Floor 4: the scenario format, its reader, writer and errors, and the shipped scenario files."""

from typing import Any

_HOME = {
    "Scenario": "scenario",
    "ScenarioError": "problems",
    "Problem": "problems",
    "load": "reader",
    "locate": "reader",
    "shipped": "reader",
}
__all__ = ["Problem", "Scenario", "ScenarioError", "load", "locate", "shipped"]


def __getattr__(name: str) -> Any:
    """Import public names on first use: pydantic takes its time."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
