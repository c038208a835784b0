"""Where two questions differ, key by key."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from ..support.errors import quote
from .outcomes import JSON

SHOWN = 5
"""So many differences are told."""


def differences(found: Mapping[str, JSON], asked: Mapping[str, JSON]) -> str:
    """The first differences in words; empty where there is none. The order of the keys counts below the first level.

    >>> differences({"seed": 3, "vary": {"n": [2, 3]}}, {"seed": 3, "vary": {"n": [2, 4]}})
    'vary.n.1 = 3 (asked: 4)'
    """
    told = [text for key in sorted({*found, *asked}) for text in _below(key, _at(found, key), _at(asked, key))]
    more = f" and {len(told) - SHOWN} more" if len(told) > SHOWN else ""
    return ", ".join(told[:SHOWN]) + more


def _at(what: Mapping[str, JSON], key: str) -> JSON | _Nothing:
    return what.get(key, _nothing)


class _Nothing:
    """Stands for a key that is not there."""

    def __repr__(self) -> str:
        return "nothing"


_nothing = _Nothing()


def _below(path: str, found: JSON | _Nothing, asked: JSON | _Nothing) -> Iterator[str]:
    if isinstance(found, dict) and isinstance(asked, dict):
        for key in dict.fromkeys([*found, *asked]):
            yield from _below(f"{path}.{key}", _at(found, key), _at(asked, key))
        if list(found) != list(asked) and set(found) == set(asked):
            yield f"the keys of {path} in the order {', '.join(found)} (asked: {', '.join(asked)})"
    elif isinstance(found, list) and isinstance(asked, list) and len(found) == len(asked):
        for place, pair in enumerate(zip(found, asked, strict=True)):
            yield from _below(f"{path}.{place}", *pair)
    elif _nothing in (found, asked) or json.dumps(found) != json.dumps(asked):
        yield f"{path} = {quote(found)} (asked: {quote(asked)})"
