"""Goals by name: those of the house, and those of other distributions (entry points ``consortium.goals``).

>>> goal_names()[:3], goal_class("makespan")(order=2)
(('sum', 'makespan', 'lexical-max'), Makespan(order=2))
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ...support.errors import ExtensionError, unknown_name
from ...support.loading import extension, extensions, load
from .base import Goal
from .parameters import parameters

GROUP: Final = "consortium.goals"
SHIPPED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "sum": ".scheduling.goals.sum:SumOfTimes",
        "makespan": ".scheduling.goals.makespan:Makespan",
        "lexical-max": ".scheduling.goals.lexical:LexicalMax",
        "weighted-sum": ".scheduling.goals.weighted:WeightedSum",
        "weighted-makespan": ".scheduling.goals.weighted:WeightedMakespan",
        "squared-deviation": ".scheduling.goals.deviation:SquaredDeviation",
        "expression": ".scheduling.goals.expression:ExpressionGoal",
    }
)
TAKEN: Final = ("goal", "ties")
"""Keys of ``[welfare]`` that no goal may have as a parameter."""


def goal_names() -> tuple[str, ...]:
    """Names of all goals, those of other distributions last."""
    return (*SHIPPED, *(name for name in extensions(GROUP) if name not in SHIPPED))


def is_goal(name: str) -> bool:
    """Whether a goal has this name; other distributions are asked only about names that are not ours."""
    return name in SHIPPED or name in extensions(GROUP)


def goal_class(name: str) -> type[Goal]:
    """The class behind a name.

    Raises UnknownNameError with the nearest name, and ExtensionError for a foreign goal that cannot be used.
    """
    if name in SHIPPED:
        shipped: type[Goal] = load(SHIPPED[name])
        return shipped
    if not is_goal(name):
        raise unknown_name("welfare.goal", name, goal_names())
    return _checked(name, extension(GROUP, name))


def summary(goal: type[Goal]) -> str:
    """What a goal's value is: the first line of its docstring, nothing without one.

    >>> summary(goal_class("sum"))
    'Minus the sum of the output times (g_Sigma)'
    """
    about = goal.__dict__.get("__doc__") or ""
    written_by_dataclass = about.startswith(f"{goal.__name__}(")
    return "" if written_by_dataclass else about.strip().partition("\n")[0].rstrip(".").replace("``", "")


def _checked(name: str, found: object) -> type[Goal]:
    if not isinstance(found, type) or not issubclass(found, Goal):
        raise ExtensionError(
            f"{GROUP}: found {found!r} for {name!r}; expected a subclass of consortium.scheduling.Goal"
        )
    if getattr(found, "id", None) != name:
        raise ExtensionError(
            f"{GROUP}: found id = {getattr(found, 'id', None)!r} in {found.__name__}; expected {name!r}, as announced"
        )
    try:
        keys = parameters(found)
    except NameError as error:
        raise ExtensionError(
            f"{GROUP}: found annotations of {found.__name__} that cannot be read ({error}); expected names that its "
            "module imports when it runs"
        ) from error
    if taken := [key for key in keys if key in TAKEN]:
        raise ExtensionError(f"{GROUP}: found the parameter {taken[0]!r} in {name!r}; expected another name for it")
    return found
