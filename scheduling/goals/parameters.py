"""Parameters of a goal: the keys that it adds to ``[welfare]``, said once where the goal keeps them.

A field of a goal's dataclass that is annotated with a :class:`Parameter` is a key of that name; a field with a default
need not be written. The scenario floor turns sorts into checks, errors and the JSON Schema.

>>> from consortium.scheduling.goals import Makespan
>>> [(key, parameter.sort.name) for key, parameter in parameters(Makespan).items()], required(Makespan)
([('order', 'COUNT')], ())
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from typing import get_type_hints


class Sort(Enum):
    """What a scenario may write for a parameter, and what the goal gets for it."""

    NUMBER = "a number"
    """A ``Fraction``."""
    POSITIVE = "a number > 0"
    """A ``Fraction``."""
    COUNT = "an integer from 1 to the number of agents"
    """An ``int``."""
    WEIGHTS = "a number >= 0 for every agent, by name"
    """A tuple of ``Fraction``, in the agents' order."""
    EXPRESSION = "an arithmetic expression in the agents' names"
    """A ``str`` that :class:`..expressions.Expression` can read."""


@dataclass(frozen=True)
class Parameter:
    """What may be written for one key, one line on its meaning, and the unit of its numbers."""

    sort: Sort
    summary: str
    unit: str = ""


def parameters(goal: type) -> dict[str, Parameter]:
    """The parameters of a goal's class by key, in the order of its fields."""
    if not is_dataclass(goal):
        return {}
    hints = get_type_hints(goal, include_extras=True)
    return {
        f.name: extra
        for f in fields(goal)
        for extra in getattr(hints[f.name], "__metadata__", ())
        if isinstance(extra, Parameter)
    }


def default(goal: type, key: str) -> object:
    """What holds where a key is not written; ``None`` for a required one."""
    own = next(f for f in fields(goal) if f.name == key)
    if own.default_factory is not MISSING:
        return own.default_factory()
    return None if own.default is MISSING else own.default


def required(goal: type) -> tuple[str, ...]:
    """The keys that must be written, because the field has no default."""
    own = {f.name: f for f in fields(goal)} if is_dataclass(goal) else {}
    return tuple(k for k in parameters(goal) if own[k].default is MISSING and own[k].default_factory is MISSING)
