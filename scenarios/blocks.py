"""Validate one block of a scenario with pydantic and turn its errors into :class:`.problems.Problem` objects.

Blocks are validated one by one, so a mistake in one of them does not hide the mistakes of the others. Paths are
written as readers count: ``agents[2].length`` is the second agent's length.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from ..support.errors import nearest
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
        return model.model_validate(dict(data))
    except ValidationError as error:
        details = error.errors(include_url=False)
        misspelt = {_near_key(model, d["loc"]) for d in details if d["type"] == "extra_forbidden"}
        for detail in details:  # a misspelt required key is one mistake, not a missing key and an unknown one
            if not (detail["type"] == "missing" and len(detail["loc"]) == 1 and detail["loc"][0] in misspelt):
                _note(model, detail, path, problems)
        return _rest(model, data, {detail["loc"][0] for detail in details if detail["loc"]}, problems)


def _rest(model: type[B], data: Mapping[Any, Any], bad: Collection[Any], problems: Problems) -> B | None:
    """The block without its bad keys, where these may be left out."""
    if not bad or any(field.is_required() and name in bad for name, field in model.model_fields.items()):
        return None
    problems.partial = True
    try:
        return model.model_validate({key: value for key, value in data.items() if key not in bad})
    except ValidationError:  # they fit only together
        return None


def _near_key(model: type[BaseModel], loc: tuple[str | int, ...]) -> str | None:
    return nearest(str(loc[-1]), model.model_fields) if len(loc) == 1 else None


def _note(model: type[BaseModel], detail: Any, path: str, problems: Problems) -> None:
    where = join(path, *detail["loc"])
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "missing":
        problems.add(where, MISSING, _described(model, detail["loc"]))
    elif kind == "extra_forbidden":
        known = list(model.model_fields)
        problems.add(where, UNKNOWN_KEY, f"one of {', '.join(known)}", nearest(str(detail["loc"][-1]), known))
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


def check_keys(data: Mapping[str, Any], known: list[str], path: str, problems: Problems) -> None:
    """Note every key of ``data`` that is not known."""
    for key in data:
        if not isinstance(key, str):
            problems.add(join(path, brief(key)), key, "a text as key")
        elif key not in known:
            which = f"one of {', '.join(known)}" if known else "none"
            problems.add(join(path, key), UNKNOWN_KEY, which, nearest(key, known))


def misplaced_keys(
    data: Mapping[str, Any], used: Sequence[str], known: Collection[str], path: str, problems: Problems
) -> None:
    """Note every known key of ``data`` that does not go with the value of the first of those used.

    >>> found = Problems()
    >>> misplaced_keys({"goal": "sum", "order": 2}, ["goal", "ties"], ["order"], "welfare", found)
    >>> print(found.found[0])
    welfare.order: found 2; expected only ties besides goal = 'sum'
    """
    chooser, *fitting = used
    for key, value in data.items():
        if key in known and key not in used:
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
    given = [item.get("name") if isinstance(item, Mapping) else None for item in value]
    return [name if isinstance(name, str) and name.strip() else f"{prefix}{i}" for i, name in enumerate(given, 1)]


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
