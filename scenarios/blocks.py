"""Validate one block of a scenario with pydantic and turn its errors into :class:`.problems.Problem` objects.

Blocks are validated one by one, so a mistake in one of them does not hide the mistakes of the others. Paths are
written as readers count: ``agents[2].length`` is the second agent's length.

``[mechanism]`` is read in one way for every kind: which rule, the keys of the kind, and keys of the rule's own. A
kind's block is a :class:`RuleBlock` whose fields are the keys that the kind knows; which of them a rule uses, its entry
in the registry says. Rules of other distributions may have further keys, in a pydantic model of their own
(:attr:`RuleInfo.parameters`). They are looked up only for a name that is not ours.

>>> class MechanismBlock(RuleBlock):
...     kind = "federation"
...     keep: int = 0
>>> problems = Problems()
>>> block, options = read_mechanism(MechanismBlock, {"mechanism": {"rule": "ilba", "keep": 1}}, problems)
>>> print(problems.noted[0])
mechanism.keep: found 1; expected only local_order, reference, selfishness besides rule = 'ilba'
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Final, TypeVar

from pydantic import BaseModel, GetJsonSchemaHandler, ValidationError, field_validator
from pydantic_core import CoreSchema

from ..mechanisms.kinds import CUSTOM, RuleInfo, info, is_custom, rules, shipped_rules
from ..support.errors import UnknownNameError, nearest
from ..support.loading import load
from .conditions import Condition, Schema, one_of, with_values
from .conditions import check as check_conditions
from .fields import USED_BY, Block, choose, described, named
from .problems import MISSING, UNKNOWN_KEY, Problems, brief

B = TypeVar("B", bound=BaseModel)
_TYPES = {
    "model_type": "a table",
    "dict_type": "a table",
    "list_type": "a list",
    "tuple_type": "a list",
    "string_type": "a text",
    "int_type": "an integer",
    "bool_type": "true or false",
    "invalid_key": "a text as key",
}
_PREFIXES: Final = {"agents": "a", "organizations": "O", "users": "u"}


def join(path: str, *parts: str | int) -> str:
    """Extend a path by keys and by positions (given from 0, written from 1).

    >>> join("agents", 1, "length")
    'agents[2].length'
    """
    for part in parts:
        if isinstance(part, int):
            path += f"[{part + 1}]"
        else:
            path += f".{part}" if path else part
    return path


def read_block(model: type[B], data: object, path: str, problems: Problems) -> B | None:
    """Validate ``data`` as ``model`` and note every problem below ``path``.

    A block with problems is read without its bad keys, so that what depends on the others is checked all the same;
    ``None`` where nothing can be read of it. Whoever uses what is returned asks first whether there were problems.
    """
    if not isinstance(data, Mapping):
        problems.add(path, data, "a table")
        return None
    try:
        block: B | None = model.model_validate(dict(data))
    except ValidationError as error:
        details = error.errors(include_url=False)
        extra = [d["loc"] for d in details if d["type"] == "extra_forbidden" and len(d["loc"]) == 1]
        misspelt = {nearest(str(key), model.model_fields) for (key,) in extra}
        for detail in details:  # a misspelt required key is one mistake, not a missing key and an unknown one
            if not (detail["type"] == "missing" and len(detail["loc"]) == 1 and detail["loc"][0] in misspelt):
                _note(model, detail, path, problems)
        block = _without_bad(model, data, {detail["loc"][0] for detail in details if detail["loc"]}, problems)
    if issubclass(model, Block):
        check_conditions(model.conditions(), data, path, problems)
    return block


def _without_bad(model: type[B], data: Mapping[Any, Any], bad: Collection[Any], problems: Problems) -> B | None:
    """The block without its bad keys, where these may be left out."""
    if not bad or any(field.is_required() and name in bad for name, field in model.model_fields.items()):
        return None
    problems.partial = True
    try:
        return model.model_validate({key: value for key, value in data.items() if key not in bad})
    except ValidationError:  # they fit only together
        return None


def _note(model: type[BaseModel], detail: Any, path: str, problems: Problems) -> None:
    where = join(path, *detail["loc"])
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "missing":
        problems.add(where, MISSING, _described(model, detail["loc"]))
    elif kind == "extra_forbidden":
        names = list(model.model_fields)
        problems.add(where, UNKNOWN_KEY, f"one of {', '.join(names)}", nearest(str(detail["loc"][-1]), names))
    elif kind == "too_short":
        problems.add(where, detail["input"], f"a list of at least {context['min_length']}")
    elif kind == "expected":
        problems.add(where, detail["input"], context["what"], context.get("near"))
    else:
        problems.add(where, detail["input"], _TYPES.get(kind, detail["msg"]))


def _described(model: type[BaseModel], loc: tuple[str | int, ...]) -> str:
    field = model.model_fields.get(str(loc[0])) if len(loc) == 1 else None
    described = field.description if field is not None else None
    return f"this required key{f' ({described})' if described else ''}"


def check_keys(data: Mapping[str, Any], names: list[str], path: str, problems: Problems) -> None:
    """Note every key of ``data`` that is not known."""
    for key in data:
        if not isinstance(key, str):
            problems.add(join(path, brief(key)), key, "a text as key")
        elif key not in names:
            which = f"one of {', '.join(names)}" if names else "none"
            problems.add(join(path, key), UNKNOWN_KEY, which, nearest(key, names))


def check_agents(table: Mapping[Any, Any], names: Sequence[str], path: str, problems: Problems, each: str = "") -> None:
    """Note every key of a table by agent that names none; ``each``: what every agent must have there."""
    agents = set(names)
    for name in table:
        if name not in agents:
            problems.unknown(join(path, str(name)), str(name), names, "an agent:")
    for name in names if each else ():
        if name not in table:
            problems.add(join(path, name), MISSING, each)


def misplaced_keys(
    data: Mapping[str, Any], used: Sequence[str], names: Collection[str], path: str, problems: Problems
) -> None:
    """Note every known key of ``data`` that does not go with the value of the first of those used.

    >>> problems = Problems()
    >>> misplaced_keys({"goal": "sum", "order": 2}, ["goal", "ties"], ["order"], "welfare", problems)
    >>> print(problems.noted[0])
    welfare.order: found 2; expected only ties besides goal = 'sum'
    """
    chooser, *fitting = used
    for key, value in data.items():
        if key in names and key not in used:
            what = f"only {', '.join(fitting)}" if fitting else "no other key"
            problems.add(join(path, key), value, f"{what} besides {chooser} = {data[chooser]!r}")


def read_listed(
    model: type[B], value: object, path: str, problems: Problems, instead: str = ""
) -> tuple[list[B | None], list[str]]:
    """Check listed tables ``[[path]]``: their blocks (``None`` where one cannot be used) and their names in order.

    A table without a name has its :func:`default_prefix` and its number; one with another problem keeps its name, so
    that references to it are not errors. ``instead`` says what else could stand there.
    """
    if not isinstance(value, list | tuple) or not value:
        problems.add(path, value, f"at least one [[{path}]] table{instead}")
        return [], []
    blocks = [read_block(model, item, join(path, i), problems) for i, item in enumerate(value)]
    names = listed_names(value, default_prefix(path))
    unique_names(names, path, problems)
    return blocks, names


def default_prefix(path: str) -> str:
    """What a table listed at a path is called before its number, where it has no name.

    >>> default_prefix("agents"), default_prefix("organizations")
    ('a', 'O')
    """
    return _PREFIXES.get(path, path)


def listed_names(value: Sequence[object], prefix: str) -> list[str]:
    """Names of listed tables in order, ``prefix`` and the number where none is given.

    Also of tables that have another problem, so that references to them are not errors.

    >>> listed_names([{"name": "ann"}, {}], "a")
    ['ann', 'a2']
    """
    own = [item.get("name") if isinstance(item, Mapping) else None for item in value]
    return [name if isinstance(name, str) and name.strip() else f"{prefix}{i}" for i, name in enumerate(own, 1)]


def unique_names(names: Sequence[str | None], path: str, problems: Problems) -> None:
    """Note every name that repeats an earlier one."""
    seen: dict[str, int] = {}
    for i, name in enumerate(names):
        if name is None:
            continue
        if name in seen:
            problems.add(join(path, i, "name"), name, f"a name of its own ({path}[{seen[name] + 1}] has it already)")
        else:
            seen[name] = i


class RuleBlock(Block):
    """Base of the block ``[mechanism]`` of every kind, which says its ``kind`` and adds the keys that it knows.

    Keys named in ``always`` stand beside every rule because they are about its results; no rule is made with them.
    """

    kind: ClassVar[str]
    always: ClassVar[frozenset[str]] = frozenset()
    rule: str = described(..., "name of the rule")

    @field_validator("rule", mode="plain")
    @classmethod
    def _chosen(cls, value: object) -> str:
        shipped = shipped_rules(cls.kind)
        if isinstance(value, str) and is_custom(value):
            return value
        return choose(value, shipped if isinstance(value, str) and value in shipped else rules(cls.kind))

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> Schema:
        """The kind's keys and those of all installed rules, and per rule which of them it uses."""
        whole = super().__get_pydantic_json_schema__(core, handler)
        table = handler.resolve_ref_schema(whole)
        by_name = {**rules(cls.kind), CUSTOM: info(cls.kind, CUSTOM)}
        table["properties"]["rule"] |= named({name: rule.summary for name, rule in by_name.items()})
        conditions = table.setdefault("allOf", [])
        for name, rule in by_name.items():
            model = parameters(rule)
            own = {} if model is None else handler.resolve_ref_schema(handler(model.__pydantic_core_schema__))
            for key, schema in own.get("properties", {}).items():
                other = table["properties"].setdefault(key, schema)
                if other != schema and key not in cls.model_fields:  # of another foreign rule: either may stand here
                    table["properties"][key] = {"anyOf": [other, schema]}
            used = {"propertyNames": one_of({"rule", *keys_of(rule), *cls.always}), **own}
            own_words: Schema = {
                word: used[word] for word in ("propertyNames", "properties", "required", "allOf") if word in used
            }
            conditions.append(Condition(with_values(rule=one_of([name])), own_words).schema)
        for key, schema in table["properties"].items():
            users = [name for name, rule in by_name.items() if key in keys_of(rule)]
            if key != "rule" and key not in cls.always and len(users) < len(by_name):
                schema[USED_BY] = {"rule": users}
        return whole


M = TypeVar("M", bound=RuleBlock)


def parameters(rule: RuleInfo) -> type[BaseModel] | None:
    """The model of a rule's own keys of ``[mechanism]``, if it has any."""
    model: type[BaseModel] | None = load(rule.parameters) if rule.parameters else None
    return model


def keys_of(rule: RuleInfo) -> frozenset[str]:
    """Keys of ``[mechanism]`` that a rule uses: those that its kind knows, and its own."""
    own = parameters(rule)
    return rule.options if own is None else rule.options | set(own.model_fields)


def read_mechanism(model: type[M], data: Mapping[str, Any], problems: Problems) -> tuple[M | None, dict[str, Any]]:
    """Check ``data["mechanism"]``.

    Parameters
    ----------
    model
        The kind's block.
    data
        The whole scenario.
    problems
        Receiver of what is wrong.

    Returns
    -------
    block, options
        The block (``None`` when it cannot be used), and what a rule of another distribution is made with: the kind's
        keys that it uses, where the file gives them, and its own with their defaults. A rule of ours has no such
        options: its kind knows how it is made.
    """
    raw = data.get("mechanism", MISSING)
    rule = _entry(model.kind, raw)
    if rule is None:  # no table, or no such rule: the block says which
        return read_block(model, raw, "mechanism", problems), {}
    own = parameters(rule)
    own_keys = () if own is None else tuple(own.model_fields)
    check_keys(raw, [*model.model_fields, *own_keys], "mechanism", problems)
    used = ["rule", *sorted(keys_of(rule) | model.always)]
    misplaced_keys(raw, used, [*model.model_fields, *own_keys], "mechanism", problems)
    block = read_block(model, {k: v for k, v in raw.items() if k in model.model_fields}, "mechanism", problems)
    read = None if own is None else read_block(own, {k: raw[k] for k in own_keys if k in raw}, "mechanism", problems)
    if block is None or (own is not None and read is None):
        return None, {}
    if not rule.foreign:
        return block, {}
    options = {key: getattr(block, key) for key in raw if key in rule.options and key not in model.always}
    return block, options | {key: getattr(read, key) for key in own_keys}


def _entry(kind: str, raw: object) -> RuleInfo | None:
    name = raw.get("rule") if isinstance(raw, Mapping) else None
    try:
        return info(kind, name) if isinstance(name, str) else None
    except UnknownNameError:
        return None
