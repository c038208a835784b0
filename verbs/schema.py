"""JSON Schemas: of scenario files with the options of verbs, and of the records that verbs answer.

Both come from the code that reads or writes: types of fields, and what :func:`consortium.support.fields.col` declares.
"""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from ..mechanisms.kinds import Verb, answered
from ..scenarios.schema import schema as schema_of_files
from ..support.errors import nearest
from ..support.fields import columns
from ..support.loading import load
from .options import Options, flag_of
from .records import Record
from .rows import Row, Statistic

Schema = dict[str, Any]

_INFINITE: Final = ("inf", "-inf")
_LEAVES: Final[Mapping[Any, Schema]] = {
    type(None): {"type": "null"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    str: {"type": "string"},
    float: {"anyOf": [{"type": "number"}, {"enum": list(_INFINITE)}]},
    Statistic: {"anyOf": [{"type": "number"}, {"enum": list(_INFINITE)}, {"type": "null"}]},
    Fraction: {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": r"^-?[0-9]+/[0-9]+$"}]},
    Fraction | float: {
        "anyOf": [{"type": "integer"}, {"type": "string", "pattern": r"^-?[0-9]+/[0-9]+$"}, {"enum": list(_INFINITE)}]
    },
}
"""How values are written that have no parts; a float beside a fraction stands for an infinity only."""


def schema(kind: str | None = None) -> Schema:
    """JSON Schema of scenario files of one kind, or of all. Raises UnknownNameError for a wrong kind.

    >>> expect = schema("declaration")["properties"]["expect"]["properties"]
    >>> expect["search"]["properties"]["options"]["properties"]["time_limit"]["description"]
    'Stop after so long and print what is known.'
    """
    return schema_of_files(kind, _options)


def _options(verb: Verb) -> Schema:
    """Options that a scenario file may give."""
    model: type[Options] = load(verb.options)
    schema = model.model_json_schema()
    allowed = {name for name, info in model.model_fields.items() if "file" in flag_of(info).doors}
    schema["properties"] = {name: value for name, value in schema.get("properties", {}).items() if name in allowed}
    return schema


def record_schema(kind: str, verb: str) -> Schema:
    """JSON Schema of the records that a verb answers on scenarios of a kind. Raises InputError where there is none.

    >>> record_schema("federation", "run")["$defs"]["JobRow"]["properties"]["machine"]
    {'type': 'integer', 'description': 'number of the machine within the host, from 1'}
    """
    parts: dict[str, Schema] = {}
    written = [_row(each, parts) for each in record_classes(answered(kind, verb))]
    name = f"consortium record: {verb} of {kind}"
    head: Schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": name}
    return head | (written[0] if len(written) == 1 else {"anyOf": written}) | {"$defs": parts}


def misspelt(kind: str, verb: str, path: str) -> str | None:
    """The nearest path where no record of a verb has a field at a path (as ``[expect]`` addresses it), else ``None``.

    Empty where none is near. Where the schema is open (a table by name, a list, a kind that declares nothing), every
    step is taken.

    >>> misspelt("federation", "search", "price_of_anarhcy"), misspelt("federation", "search", "exists")
    ('price_of_anarchy', 'equilibria.exists')
    """
    try:
        schema = record_schema(kind, verb)
    except (KeyError, TypeError, AttributeError):  # a verb of another distribution that declares no record
        return None
    if _leads(schema, schema, tuple(path.split("."))):
        return None
    steps = re.sub(r"\[(\w+)\]", r".\1", path).split(".")
    if "0" in steps:  # places are counted from 1
        steps = [str(int(step) + 1) if step.isdecimal() else step for step in steps]
    if (dotted := ".".join(steps)) != path and _leads(schema, schema, tuple(steps)):
        return dotted
    paths = list(dict.fromkeys(_addresses(schema, schema, "", 3)))
    return next((each for each in paths if each.endswith(f".{path}")), nearest(path, paths)) or ""


def _parts(schema: Schema, whole: Schema) -> list[Schema]:
    """What a schema may stand for, references followed."""
    if "$ref" in schema:
        return _parts(whole["$defs"][schema["$ref"].rpartition("/")[2]], whole)
    return [part for each in schema["anyOf"] for part in _parts(each, whole)] if "anyOf" in schema else [schema]


def _leads(schema: Schema, whole: Schema, steps: tuple[str, ...]) -> bool:
    """Whether the steps may lead to something in what the schema describes; names before a field may hold dots."""
    if not steps:
        return True
    for part in _parts(schema, whole):
        fields, inner = part.get("properties", {}), part.get("additionalProperties", part.get("items"))
        if steps[0] in fields and _leads(fields[steps[0]], whole, steps[1:]):
            return True
        if inner is not None and inner is not False and not (steps[0] == "0" and _counted(part, whole)):
            dotted = len(steps) if not any("properties" in each for each in _parts(inner, whole)) else len(steps) - 1
            if any(_leads(inner, whole, steps[size:]) for size in range(1, max(1, dotted) + 1)):
                return True
        if "prefixItems" in part or (
            part.get("type") in (None, "object") and not part.keys() - {"type", "description"}
        ):
            return True  # it says nothing of what is in it
    return False


def _counted(part: Schema, whole: Schema) -> bool:
    """Whether what is in it is addressed by its place alone, from 1: a list of rows without a label."""
    rows = _parts(part["items"], whole) if "items" in part else []
    return bool(rows) and not any({"name", "rule"} & row.get("properties", {}).keys() for row in rows)


def _addresses(schema: Schema, whole: Schema, path: str, depth: int) -> Iterator[str]:
    """Paths of fields, down to a depth; those inside lists and open tables are left out."""
    for part in _parts(schema, whole):
        for name, inner in part.get("properties", {}).items():
            place = f"{path}.{name}" if path else name
            yield place
            if depth > 1:
                yield from _addresses(inner, whole, place, depth - 1)


def record_classes(verb: Verb) -> tuple[type[Record], ...]:
    """Classes of the records that a verb answers: what its function says that it returns."""
    function = load(verb.function)
    returned = function.__annotations__["return"]
    if isinstance(returned, str):
        returned = eval(returned, vars(sys.modules[function.__module__]))  # our own text
    return get_args(returned) or (returned,)


def field_types(of: type[Row]) -> dict[str, Any]:
    """Types of the declared fields of a class of rows, by written name."""
    types_of = get_type_hints(of)
    return {key: types_of[column.name] for key, column in columns(of).items()}


def _row(of: type[Row], parts: dict[str, Schema]) -> Schema:
    """A class of rows; those it is made of are added to ``parts``."""
    declared, types_of = columns(of), field_types(of)
    properties = {key: _value(types_of[key], parts) | {"description": column.text} for key, column in declared.items()}
    required = [key for key, column in declared.items() if not column.optional]
    if issubclass(of, Record):
        properties = {"verb": {"const": of.verb}, **properties, "request": {"type": "object"}}
        required.insert(0, "verb")
    about = (of.__doc__ or "").split("\n\n")[0].strip()
    closed = {"properties": properties, "required": required, "additionalProperties": False}
    return {"type": "object", "description": about, **closed}


def _value(kind: Any, parts: dict[str, Schema]) -> Schema:
    """What values of a type are written as."""
    if kind in _LEAVES:
        return dict(_LEAVES[kind])
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, types.UnionType):
        exact = {Fraction, float} <= set(inner)
        several = [each for each in inner if not (exact and each in (Fraction, float))]
        return {"anyOf": [_value(each, parts) for each in (*([Fraction | float] if exact else []), *several)]}
    if origin is tuple and inner[-1] is not ...:
        return {"type": "array", "prefixItems": [_value(each, parts) for each in inner]}
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return {"type": "array", "items": _value(inner[0], parts)}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _value(inner[1], parts)}
    if isinstance(kind, type) and issubclass(kind, Row):
        if kind.__name__ not in parts:
            parts[kind.__name__] = {}
            parts[kind.__name__] = _row(kind, parts)
        return {"$ref": f"#/$defs/{kind.__name__}"}
    return {}
