"""Compare a record with expected values, as ``check`` does.

A key addresses a field of the record's dict: ``rent``, ``agents.ann.output`` (a record in a list by its name),
``rows.fifo.values`` (or, without one, by its rule), ``jobs.3.start`` (or by its number from 1). An expected decimal is
exact; a statistic is ``{ value, within }``.

>>> record = {"rent": "3/2", "agents": [{"name": "ann", "output": 2}]}
>>> [(row.key, row.holds) for row in compare(record, {"rent": Fraction(3, 2), "agents.ann.output": 3})]
[('rent', True), ('agents.ann.output', False)]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..support.errors import InputError, join_names, nearest
from ..support.exact import rational
from .records import jsonable

ABSENT = "(no such field)"


@dataclass(frozen=True)
class Comparison:
    """One expected value beside the one found; ``holds`` is ``None`` where it was not checked.

    ``note`` says why it was not, or what the record has in the place of a field that it has not.
    """

    key: str
    expected: Any
    actual: Any
    holds: bool | None
    note: str = ""


def compare(record: Mapping[str, Any], expected: Mapping[str, Any]) -> Iterator[Comparison]:
    """Compare every expected value with the record's dict, ``options`` left out."""
    for key, value in expected.items():
        if key != "options":
            yield from _compare(record, key.split("."), value, key)


def _compare(here: Any, steps: list[str], value: Any, key: str) -> Iterator[Comparison]:
    actual = _follow(here, steps)
    if isinstance(value, Mapping) and set(value) != {"value", "within"}:
        for name, item in value.items():
            yield from _compare(here, [*steps, *name.split(".")], item, f"{key}.{name}")
        return
    if isinstance(value, Mapping):
        yield _statistic(key, value, actual)
        return
    want = canonical(value)
    if actual is ABSENT:
        yield Comparison(key, want, actual, False, _advice(here, steps))
    else:
        yield Comparison(key, want, actual, canonical(actual) == want and type(actual) is not float)


def _statistic(key: str, value: Mapping[str, Any], actual: Any) -> Comparison:
    want, within = rational(value["value"], key), rational(value["within"], key)
    number = Fraction(actual) if isinstance(actual, float | int) and not isinstance(actual, bool) else _number(actual)
    holds = number is not None and abs(number - want) <= within
    return Comparison(key, f"{jsonable(want)} within {jsonable(within)}", actual, holds)


def _number(value: Any) -> Fraction | None:
    try:
        return rational(value)
    except InputError:
        return None


def at(record: Any, path: str) -> Any:
    """The field of a record's dict that a key addresses, or :data:`ABSENT`.

    >>> at({"agents": [{"name": "ann", "output": 2}]}, "agents.ann.output")
    2
    """
    return _follow(record, path.split("."))


def _follow(here: Any, steps: list[str]) -> Any:
    """Follow the steps; names that contain dots are found by trying longer joins."""
    if not steps:
        return here
    for size in range(1, len(steps) + 1):
        name, others = ".".join(steps[:size]), steps[size:]
        if isinstance(here, Mapping) and name in here:
            return _follow(here[name], others)
        if isinstance(here, list):
            if name in (labelled := _labelled(here)):  # of several, such as a rule of two scenarios, it tells none
                return _follow(labelled[name], others)
            if size == 1 and name.isdigit() and 1 <= int(name) <= len(here):
                return _follow(here[int(name) - 1], others)
    return ABSENT


def _label(item: Any) -> str | None:
    """What addresses a record in a list besides its number: its name, or the rule that a row of a comparison is of."""
    label = item.get("name", item.get("rule")) if isinstance(item, Mapping) else None
    return label if isinstance(label, str) else None


def _labelled(items: list[Any]) -> dict[str, Any]:
    """The items by their labels, those that share one left out."""
    times = Counter(map(_label, items))
    return {label: item for item in items if (label := _label(item)) is not None and times[label] == 1}


def addresses(record: Any, path: str = "") -> Iterator[str]:
    """Every address of a value of a record's dict: what is in a list by its number, and by its name or rule.

    >>> list(addresses({"rows": [{"rule": "fifo"}], "exact": True}))
    ['rows.1.rule', 'rows.fifo.rule', 'exact']
    """
    if isinstance(record, list):
        steps: list[tuple[Any, Any]] = list(enumerate(record, 1))
        steps += _labelled(record).items()
    elif isinstance(record, Mapping):
        steps = list(record.items())
    else:
        yield path
        return
    for step, item in steps:
        yield from addresses(item, f"{path}.{step}" if path else f"{step}")


def _advice(here: Any, steps: list[str]) -> str:
    """What the record has where the steps leave it, and the nearest name."""
    reached = next(size for size in range(len(steps) - 1, -1, -1) if _follow(here, steps[:size]) is not ABSENT)
    place, wrong = _follow(here, steps[:reached]), steps[reached]
    if not isinstance(place, Mapping | list) or not place:
        return f"{'.'.join(steps[:reached]) or 'it'} is {jsonable(place)!r:.60}, with nothing in it"
    if isinstance(place, Mapping):
        names = [str(name) for name in place]
    else:
        names = list(_labelled(place))
        names += [] if len(names) == len(place) else [f"a number from 1 to {len(place)}"]
    near = nearest(wrong, names)
    inside = f"of {'.'.join(steps[:reached])}: " if reached else ""
    return f"{inside}{wrong!r} is none of {join_names(names)}" + (f"; did you mean {near!r}?" if near else "")


def canonical(value: Any) -> Any:
    """One form for equal values: ``"6/4"``, ``1.5`` read from a file and ``Fraction(3, 2)`` are the same."""
    if isinstance(value, str):
        number = _number(value) if value[:1].isdigit() or value[:1] == "-" else None
        return value if number is None else jsonable(number)
    if isinstance(value, Mapping):
        return {str(key): canonical(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [canonical(item) for item in value]
    return jsonable(value)
