"""The numbers of a scenario dict, and simpler ones to try in their place.

Numbers of the instance are integers and exact texts (``"3/2"``) wherever they stand, but for what says how the game is
played: ``[mechanism]`` (its ``thresholds`` and listed ``penalty`` are of the instance), ``[welfare]``, ``[fairness]``,
``format`` and ``seed``; and but for names, priorities and the keys of tables.

A number is simpler than another if its denominator is smaller, or is the same and its numerator nearer to 0.

>>> data = {"format": 1, "agents": [{"name": "7", "length": "3/2"}, {"length": 4}], "mechanism": {"rounds": 2}}
>>> [(path, str(value)) for path, value in numbers(data)]
[(('agents', 0, 'length'), '3/2'), (('agents', 1, 'length'), '4')]
>>> list(map(str, simpler(Fraction(5, 3)))), list(map(str, simpler(Fraction(9))))
(['0', '1', '2', '3/2', '4/3'], ['0', '1', '5', '7', '8'])
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import reduce
from typing import Any, Final, TypeAlias

from ...scenarios.scenario import plain
from ...support.errors import InputError
from ...support.exact import rational

Path: TypeAlias = tuple[str | int, ...]

GIVEN: Final = ("format", "kind", "title", "source", "mechanism", "welfare", "fairness", "seed", "expect")
"""Top-level keys that say what is asked, not of which instance."""
LISTS_OF_THE_INSTANCE: Final = (("mechanism", "thresholds"), ("mechanism", "penalty"))
NEVER: Final = ("name", "priority", "file")
"""Keys of what is no quantity, whatever it looks like."""
COUNTS: Final = ("machines", "powers")
"""Keys of numbers that do not scale with the lengths of jobs."""


def numbers(data: Mapping[str, Any]) -> list[tuple[Path, Fraction]]:
    """Every number of the instance with its path."""
    found = [item for key, value in data.items() if key not in GIVEN for item in _inside(value, (key,))]
    for block, field in LISTS_OF_THE_INSTANCE:
        table = data.get(block)
        if isinstance(table, Mapping) and isinstance(table.get(field), list):
            found += _inside(table[field], (block, field))
    return found


def _inside(value: Any, path: Path) -> Iterator[tuple[Path, Fraction]]:
    if path[-1] in NEVER or isinstance(value, bool) or value is None:
        return
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _inside(item, (*path, key))
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from _inside(item, (*path, i))
    else:
        try:
            yield path, rational(value)
        except InputError:
            return  # a name or another text


def simpler(number: Fraction) -> Iterator[Fraction]:
    """Simpler numbers of the same sign, the simplest first, the nearest last; none for 0."""
    sign, size = (-1 if number < 0 else 1), abs(number)
    tried: list[Fraction] = []
    if size.denominator == 1:
        whole = size.numerator
        tried += [Fraction(v) for v in (0, 1) if v < whole]
        step = whole // 2
        while step:
            tried.append(Fraction(whole - step))
            step //= 2
    else:
        rounded = (0, 1, math.floor(size), math.ceil(size), size.limit_denominator(size.denominator - 1))
        tried += [Fraction(v) for v in rounded]
        tried.append(Fraction(size.numerator - 1, size.denominator))
    yield from (sign * value for value in dict.fromkeys(tried))


def replaced(data: Mapping[str, Any], paths: Iterable[Path], value: Fraction) -> dict[str, Any]:
    """The same with another number at these paths."""
    return changed(data, dict.fromkeys(paths, value))


def changed(data: Mapping[str, Any], values: Mapping[Path, Fraction]) -> dict[str, Any]:
    """The same with other numbers; what lies beside their paths is shared, as no scenario is changed in place."""
    result, own = dict(data), set[Path]()
    for path, value in values.items():
        here: Any = result
        for depth, step in enumerate(path[:-1], 1):
            if path[:depth] not in own:
                own.add(path[:depth])
                here[step] = copy.copy(here[step])
            here = here[step]
        here[path[-1]] = plain(value)
    return result


def scaled(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Copies whose lengths and times, or powers, have no common factor: all of them over their greatest one.

    >>> next(scaled({"agents": [{"length": "3/2"}, {"length": 3}]}))
    {'agents': [{'length': 1}, {'length': 2}]}
    """
    powers = {path: value for path, value in numbers(data) if "powers" in path}
    for group in (_times(data), powers):
        factor = reduce(_common, group.values(), Fraction(0))
        if factor not in (0, 1):
            yield changed(data, {path: value / factor for path, value in group.items()})


def unit(data: Mapping[str, Any]) -> Fraction:
    """The largest unit fraction (1, 1/2, 1/3, ...) of which all lengths and times are whole multiples.

    >>> unit({"agents": [{"length": "3/2"}, {"length": "2/3"}]})
    Fraction(1, 6)
    """
    return Fraction(1, math.lcm(*(value.denominator for value in _times(data).values())))


def _times(data: Mapping[str, Any]) -> dict[Path, Fraction]:
    return {path: value for path, value in numbers(data) if not any(key in COUNTS for key in path)}


def _common(one: Fraction, other: Fraction) -> Fraction:
    """The greatest rational of which both are whole multiples."""
    scale = math.lcm(one.denominator, other.denominator)
    return Fraction(math.gcd(int(one * scale), int(other * scale)), scale)
