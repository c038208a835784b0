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

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, Field, GetJsonSchemaHandler, field_validator
from pydantic_core import CoreSchema

from ..mechanisms.registry import RuleInfo, info, rules, shipped_rules
from ..scheduling.errors import UnknownNameError, nearest
from ..scheduling.loading import load
from .blocks import join, read_block
from .fields import Block, choose
from .problems import MISSING, UNKNOWN_KEY, Problems


class RuleBlock(Block):
    """Base of the block ``[mechanism]`` of every kind, which says its ``kind`` and adds the keys that it knows."""

    kind: ClassVar[str]
    rule: str = Field(description="the mechanism's rule")

    @field_validator("rule", mode="plain")
    @classmethod
    def _known(cls, value: object) -> str:
        shipped = shipped_rules(cls.kind)
        return choose(value, shipped if value in shipped else rules(cls.kind))

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """The kind's keys, and those of all installed rules."""
        found = handler.resolve_ref_schema(handler(core))
        keys = found["properties"]
        keys["rule"] |= {"enum": list(rules(cls.kind))}
        for model in filter(None, map(parameters, rules(cls.kind).values())):
            own = handler.resolve_ref_schema(handler(model.__pydantic_core_schema__))
            keys |= {key: schema for key, schema in own["properties"].items() if key not in keys}
        return found


M = TypeVar("M", bound=RuleBlock)


def parameters(rule: RuleInfo) -> type[BaseModel] | None:
    """The model of a rule's own keys of ``[mechanism]``, if it has any."""
    found: type[BaseModel] | None = load(rule.parameters) if rule.parameters else None
    return found


def keys_of(rule: RuleInfo) -> frozenset[str]:
    """Keys of ``[mechanism]`` that a rule uses: those that its kind knows, and its own."""
    own = parameters(rule)
    return rule.options if own is None else rule.options | set(own.model_fields)


def read_mechanism(
    model: type[M], data: Mapping[str, Any], problems: Problems, always: Iterable[str] = ()
) -> tuple[M | None, dict[str, Any]]:
    """Check ``data["mechanism"]``.

    Parameters
    ----------
    model
        The kind's block.
    data
        The whole scenario.
    problems
        Receiver of what is wrong.
    always
        Keys that stand beside every rule because they are about its results; no rule is made with them.

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
    _check_keys(raw, rule, (*model.model_fields, *own_keys), {"rule", *keys_of(rule), *always}, problems)
    block = read_block(model, {k: v for k, v in raw.items() if k in model.model_fields}, "mechanism", problems)
    read = None if own is None else read_block(own, {k: raw[k] for k in own_keys if k in raw}, "mechanism", problems)
    if block is None or (own is not None and read is None):
        return None, {}
    if not rule.foreign:
        return block, {}
    given = {key: getattr(block, key) for key in raw if key in rule.options and key not in always}
    return block, given | {key: getattr(read, key) for key in own_keys}


def _entry(kind: str, raw: object) -> RuleInfo | None:
    name = raw.get("rule") if isinstance(raw, Mapping) else None
    try:
        return info(kind, name) if isinstance(name, str) else None
    except UnknownNameError:
        return None


def _check_keys(
    raw: Mapping[str, Any], rule: RuleInfo, known: tuple[str, ...], used: set[str], problems: Problems
) -> None:
    """Note keys that there are not, and those that the rule does not use."""
    for key, value in raw.items():
        if key not in known:
            what = f"one of {', '.join(known)}"
            problems.add(join("mechanism", str(key)), UNKNOWN_KEY, what, nearest(str(key), known))
        elif key not in used:
            fitting = ", ".join(sorted(used - {"rule"}))
            what = f"only {fitting}" if fitting else "no other key"
            problems.add(join("mechanism", key), value, f"{what} besides rule = {rule.id!r}")
