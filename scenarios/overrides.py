r"""Values by path: what ``--set PATH=VALUE`` and ``overrides={...}`` put in the place of those of a scenario.

A path is made of keys between dots. A table in a list is addressed by its name, ``agents.ann.length``, or by its number
from 1, ``agents[2].length``; so is any other item of a list. A key or a name with dots, brackets, quotes or ``=`` in it
stands in quotes: ``agents."node.7".length`` (with ``\"`` and ``\\`` inside double quotes, nothing escaped in single
ones).

>>> data = {"agents": [{"name": "ann", "length": 1}, {"length": 2}]}
>>> changed(data, {"agents.ann.length": 3, "agents.a2.length": 4, "mechanism.rule": "harsh"}, Problems())
{'agents': [{'name': 'ann', 'length': 3}, {'length': 4}], 'mechanism': {'rule': 'harsh'}}
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from typing import Any, Final

from .blocks import default_prefix, join, listed_names
from .problems import Problems

_KEY: Final = (
    r"""(?P<bare>[^.\[\]"'=\s]([^.\[\]"'=]*[^.\[\]"'=\s])?)|"(?P<basic>([^"\\]|\\["\\])*)"|'(?P<literal>[^']*)'"""
)
_FIRST: Final = re.compile(_KEY)
_NEXT: Final = re.compile(rf"\.({_KEY})|\[(?P<number>[1-9][0-9]{{0,17}})\]")
_SETTING: Final = re.compile(r"""(?P<path>([^"'=]|"([^"\\]|\\.)*"|'[^']*')+)=(?P<value>.*)""", re.DOTALL)

Step = str | int


def steps_of(path: str) -> list[Step] | None:
    """Keys (texts) and positions (integers from 0) of a path; ``None`` where it is none.

    >>> steps_of('agents[2]."x.y".length'), steps_of("a..b")
    (['agents', 1, 'x.y', 'length'], None)
    """
    found = _FIRST.match(path)
    if found is None:
        return None
    steps: list[Step] = [_key(found)]
    while found.end() < len(path):
        found = _NEXT.match(path, found.end())
        if found is None:
            return None
        steps.append(int(found["number"]) - 1 if found["number"] else _key(found))
    return steps


def _key(found: re.Match[str]) -> str:
    if found["basic"] is not None:
        return re.sub(r"\\(.)", r"\1", found["basic"])
    return str(found["bare"] if found["bare"] is not None else found["literal"])


def setting(text: str) -> tuple[str, str] | None:
    """Path and value of ``PATH=VALUE``, parted at the first ``=`` outside quotes; ``None`` for anything else.

    >>> setting('agents."a=b".length=3')
    ('agents."a=b".length', '3')
    """
    found = _SETTING.fullmatch(text)
    return None if found is None else (found["path"], found["value"])


def changed(data: Mapping[str, Any], overrides: object, problems: Problems) -> dict[str, Any]:
    """A copy of the data with other values; every path that leads nowhere is a problem.

    ``None`` takes a key away. Tables that are not there are made; items of lists are not.
    """
    result: dict[str, Any] = copy.deepcopy(dict(data))
    if not isinstance(overrides, Mapping) or not all(isinstance(path, str) for path in overrides):
        problems.add("overrides", overrides, "a table of values by path, such as {'mechanism.rule': 'harsh'}")
        return result
    for path, value in overrides.items():
        steps = steps_of(path)
        if steps is None:
            what = "a path such as mechanism.rule, agents.ann.length or agents[2].length; quote names with dots"
            problems.add("overrides", path, what)
        else:
            _change(result, path, steps, value, problems)
    return result


def _change(data: dict[str, Any], path: str, steps: list[Step], value: Any, problems: Problems) -> None:
    here: Any = data
    for i, step in enumerate(steps):
        where = join("", *steps[:i])
        last = i == len(steps) - 1
        if isinstance(here, dict) and isinstance(step, str):
            if last and value is None:
                here.pop(step, None)
            elif last:
                here[step] = value
            else:
                here = here.setdefault(step, {})
            continue
        index = _index(here, step, where, path, problems)
        if index is None:
            return
        if last:
            here[index] = value
        else:
            here = here[index]


def _index(here: Any, step: Step, where: str, path: str, problems: Problems) -> int | None:
    """The position in a list that a number or a table's name means; ``None``, with a problem, where it means none."""
    if not isinstance(here, list):
        there = f"{where} is {'a table, which has no numbers' if isinstance(here, dict) else 'no table and no list'}"
        problems.add("overrides", path, f"a path that exists; {there}")
        return None
    names = listed_names(here, default_prefix(where)) if any(isinstance(item, Mapping) for item in here) else []
    if step in names:
        return names.index(str(step))
    if isinstance(step, str) and not (step.isdecimal() and step.isascii()):
        if names:
            problems.unknown(f"overrides: {path}", step, names, f"one of those in {where}:")
        else:
            problems.add(
                "overrides", path, f"a path that exists; {where} is a list, whose items have numbers: {where}[1]"
            )
        return None
    index = step if isinstance(step, int) else int(step) - 1
    if not 0 <= index < len(here):
        problems.add("overrides", path, f"a path that exists; {where} is a list of {len(here)}")
        return None
    return index
