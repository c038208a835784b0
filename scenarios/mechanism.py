"""``[mechanism]``, read in one way for every kind: which rule, the keys of the kind, and keys of the rule's own.

A kind's block is a :class:`RuleBlock` whose fields are the keys that the kind knows; which of them a rule uses, its
entry in the registry says. Rules of other distributions may have further keys, in a pydantic model of their own
(:attr:`RuleInfo.parameters`). They are looked up only for a name that is not ours.

>>> class MechanismBlock(RuleBlock):
...     kind = "federation"
...     keep: int = 0
>>> found = Problems()
>>> block, options = read_mechanism(MechanismBlock, {"mechanism": {"rule": "ilba", "keep": 1}}, found)
>>> print(found.found[0])
mechanism.keep: found 1; expected only local_order, reference, selfishness besides rule = 'ilba'
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, GetJsonSchemaHandler, field_validator
from pydantic_core import CoreSchema

from ..mechanisms.registry import RuleInfo, info, rules, shipped_rules
from ..support.errors import UnknownNameError
from ..support.loading import load
from .blocks import check_keys, misplaced_keys, read_block
from .conditions import Schema, given, one_of, when
from .fields import USED_BY, Block, choose, described, named
from .problems import MISSING, Problems


class RuleBlock(Block):
    """Base of the block ``[mechanism]`` of every kind, which says its ``kind`` and adds the keys that it knows.

    Keys named in ``always`` stand beside every rule because they are about its results; no rule is made with them.
    """

    kind: ClassVar[str]
    always: ClassVar[frozenset[str]] = frozenset()
    rule: str = described(..., "name of the rule")

    @field_validator("rule", mode="plain")
    @classmethod
    def _known(cls, value: object) -> str:
        shipped = shipped_rules(cls.kind)
        return choose(value, shipped if isinstance(value, str) and value in shipped else rules(cls.kind))

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> Schema:
        """The kind's keys and those of all installed rules, and per rule which of them it uses."""
        found = super().__get_pydantic_json_schema__(core, handler)
        table = handler.resolve_ref_schema(found)
        known = rules(cls.kind)
        table["properties"]["rule"] |= named({name: rule.summary for name, rule in known.items()})
        conditions = table.setdefault("allOf", [])
        for name, rule in known.items():
            model = parameters(rule)
            own = {} if model is None else handler.resolve_ref_schema(handler(model.__pydantic_core_schema__))
            for key, schema in own.get("properties", {}).items():
                other = table["properties"].setdefault(key, schema)
                if other != schema and key not in cls.model_fields:  # of another foreign rule: either may stand here
                    table["properties"][key] = {"anyOf": [other, schema]}
            used = {"propertyNames": one_of({"rule", *keys_of(rule), *cls.always}), **own}
            conditions.append(when(given(rule=one_of([name])), _only(used)))
        for key, schema in table["properties"].items():
            users = [name for name, rule in known.items() if key in keys_of(rule)]
            if key != "rule" and key not in cls.always and len(users) < len(known):
                schema[USED_BY] = {"rule": users}
        return found


def _only(used: Schema) -> Schema:
    """What one rule says of its keys, of the schema of its own."""
    return {word: used[word] for word in ("propertyNames", "properties", "required", "allOf") if word in used}


M = TypeVar("M", bound=RuleBlock)


def parameters(rule: RuleInfo) -> type[BaseModel] | None:
    """The model of a rule's own keys of ``[mechanism]``, if it has any."""
    found: type[BaseModel] | None = load(rule.parameters) if rule.parameters else None
    return found


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
    given = {key: getattr(block, key) for key in raw if key in rule.options and key not in model.always}
    return block, given | {key: getattr(read, key) for key in own_keys}


def _entry(kind: str, raw: object) -> RuleInfo | None:
    name = raw.get("rule") if isinstance(raw, Mapping) else None
    try:
        return info(kind, name) if isinstance(name, str) else None
    except UnknownNameError:
        return None
