"""``[welfare]``: the goal by name, how ties are settled, and the parameters that the goal says it has.

A goal's class describes its parameters (:mod:`consortium.scheduling.welfare`). Here that description becomes
the fields of the block, the checks against the agents' names, and the JSON Schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, Final

from pydantic import Field, GetJsonSchemaHandler, PlainValidator, TypeAdapter, create_model
from pydantic_core import CoreSchema

from ..scheduling.arithmetic import Expression
from ..scheduling.goals import SHIPPED, TAKEN, goal_class, goal_names, goals, is_goal, summary
from ..scheduling.welfare import Goal, Parameter, Sort, parameters, required
from ..support.errors import InputError
from .blocks import check_agents, join, misplaced_keys, read_block
from .conditions import Condition, Schema, where, with_values
from .fields import (
    REQUIRED,
    UNIT,
    USED_BY,
    WITHOUT,
    Block,
    NonNegative,
    Number,
    Positive,
    Text,
    choose,
    described,
    explained,
    integer,
    named,
)
from .problems import MISSING, Problems
from .scenario import plain

DEFAULT = "sum"
TIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "sum": "the smallest sum of output times, then as listed",
        "listed": "the first agent on the first machine and as early as possible, then the second, and so on",
    }
)
FIELDS: Mapping[Sort, Any] = {
    Sort.NUMBER: Number,
    Sort.POSITIVE: Positive,
    Sort.COUNT: integer(1),
    Sort.WEIGHTS: dict[str, NonNegative],
    Sort.EXPRESSION: Text,
}
"""What each sort of parameter looks like in a file, whoever the agents are."""


@dataclass(frozen=True)
class WelfareSpec:
    """What the institution maximises, and how ties are settled: ``sum`` or ``listed``."""

    goal: Goal
    ties: str


def _name(value: object) -> str:
    return value if isinstance(value, str) and is_goal(value) else choose(value, goal_names())


class WelfareBlock(Block):
    """``[welfare]``."""

    goal: Annotated[str, PlainValidator(_name)] = described(DEFAULT, "what is maximised, of all output times")
    ties: explained(TIES) = described(  # type: ignore[valid-type]
        "sum", "which of several best allocations is chosen"
    )

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> Schema:
        """The keys of all goals, installed ones too, and which of them go with which goal."""
        schema = handler(core)
        table = handler.resolve_ref_schema(schema)
        table.update(_schema(**table["properties"]))
        return schema


def _schema(goal: Schema, ties: Schema) -> Schema:
    """The properties, and a condition per goal: which keys it has and needs."""
    shapes: dict[str, list[dict[str, Any]]] = {}
    users: dict[str, list[str]] = {}
    conditions = []
    every = goals()
    for name, of in every.items():
        own, needed = parameters(of), required(of)
        for key, parameter in own.items():
            shape = _shape(parameter) | (
                {WITHOUT: REQUIRED} if key in needed else {"default": plain(parameter.default)}
            )
            users.setdefault(key, []).append(name)
            if shape not in shapes.setdefault(key, []):
                shapes[key].append(shape)
        keys = {"propertyNames": {"enum": [*TAKEN, *own]}, "required": list(needed)}
        conditions.append(Condition((where if name == DEFAULT else with_values)(goal={"const": name}), keys).schema)
    properties = {
        key: (shape[0] if len(shape) == 1 else {"anyOf": shape}) | {USED_BY: {"goal": users[key]}}
        for key, shape in shapes.items()
    }
    names = named({name: summary(of) for name, of in every.items()})
    return {"properties": {"goal": goal | names, "ties": ties, **properties}, "allOf": conditions}


def _shape(parameter: Parameter) -> Schema:
    shape = {"description": parameter.summary, **TypeAdapter(FIELDS[parameter.sort]).json_schema()}
    return shape | ({UNIT: parameter.unit} if parameter.unit else {})


@cache
def _block(goal: type[Goal]) -> type[WelfareBlock]:
    """The block with the goal's own keys beside those of our goals, so that a misplaced key is called that."""
    every = {key: parameter for name in SHIPPED for key, parameter in parameters(goal_class(name)).items()}
    fields: dict[str, Any] = {
        key: (FIELDS[parameter.sort], Field(None, description=parameter.summary))
        for key, parameter in (every | parameters(goal)).items()
    }
    return create_model("WelfareBlock", __base__=WelfareBlock, **fields)


def read_welfare(raw: object, problems: Problems) -> WelfareBlock | None:
    """Check the block by itself; on problems note all of them and return ``None``."""
    name = raw.get("goal", DEFAULT) if isinstance(raw, Mapping) else DEFAULT
    goal = goal_class(name if isinstance(name, str) and is_goal(name) else DEFAULT)
    block = read_block(_block(goal), raw, "welfare", problems)
    return None if problems.about("welfare.goal") else block  # which keys it has is not known


def read_goal(block: WelfareBlock, raw: Mapping[str, Any], names: list[str], problems: Problems) -> Goal | None:
    """The goal of agents with these names; on problems note all of them and return ``None``."""
    goal = goal_class(block.goal)
    own = parameters(goal)
    misplaced_keys({"goal": block.goal, **raw}, [*TAKEN, *own], raw, "welfare", problems)
    for key in required(goal):
        if key not in raw:
            problems.add(join("welfare", key), MISSING, f"this key, which goal = {block.goal!r} needs")
    if not names:
        return None
    values = {
        key: _of_agents(parameter.sort, getattr(block, key), join("welfare", key), names, problems)
        for key, parameter in own.items()
        if key in raw and getattr(block, key) is not None
    }
    if problems.about("welfare"):
        return None
    try:
        return goal.of(values, names)
    except InputError as error:
        problems.add("welfare.goal", block.goal, f"values of its keys that it accepts ({error})")
        return None


def _of_agents(sort: Sort, value: Any, path: str, names: list[str], problems: Problems) -> Any:
    """The value as the goal gets it; what depends on the agents is checked."""
    if sort is Sort.COUNT and value > len(names):
        problems.add(path, value, f"an integer from 1 to the number of agents, {len(names)}")
    if sort is Sort.EXPRESSION:
        try:
            Expression.parse(value, names)
        except InputError as error:
            problems.add(path, value, f"an arithmetic expression in the agents' names ({error})")
    if sort is Sort.WEIGHTS:
        check_agents(value, names, path, problems, "a weight for every agent")
        return tuple(value[name] for name in names if name in value)
    return value
