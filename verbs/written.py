"""Results as plain data: what ``to_dict()`` and ``--json`` write of every value that a record can hold."""

from __future__ import annotations

import dataclasses
import gc
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import chain, islice
from operator import attrgetter
from typing import Any, Final

import numpy as np

from .rows import Frozen, Row, Rows, Statistic, written_fields


@contextmanager
def nothing_collected() -> Iterator[None]:
    """While a long record is written nothing becomes garbage, and each search for some would look at all of it."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def jsonable(value: Any) -> Any:
    """Plain JSON-able form of a result value.

    >>> jsonable({"rent": Fraction(3, 2), "output": math.inf, "share": Statistic(0.25)})
    {'rent': '3/2', 'output': 'inf', 'share': 0.25}
    """
    kind: Any = type(value)
    return _form(kind)(value)


@lru_cache(maxsize=1024)
def _form(kind: type) -> Callable[[Any], Any]:
    """How values of a class are written; found once, because records of a population have millions of them."""
    return next((form for known, form in _FORMS if issubclass(kind, known)), _other)


def _number(value: Any) -> int | str:
    exact = value if type(value) is Fraction else Fraction(value)
    return exact.numerator if exact.denominator == 1 else f"{exact.numerator}/{exact.denominator}"


def _float(value: Any) -> float | str | None:
    return "inf" if value == math.inf else "-inf" if value == -math.inf else None if math.isnan(value) else value


def _other(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return {f.name: jsonable(getattr(value, f.name)) for f in dataclasses.fields(value)}
    return str(value)  # a strategy of somebody's own game


def _list(values: Sequence[Any]) -> list[Any]:
    """A list, at once where all of it is of one kind, as columns, rows and nested columns are."""
    kinds: set[Any] = set(map(type, values))
    if kinds <= _PLAIN:
        return list(values)
    if len(kinds) == 1 and len(values) > 1:
        (kind,) = kinds
        if kind is Fraction:
            return [n if d == 1 else f"{n}/{d}" for n, d in map(Fraction.as_integer_ratio, values)]
        if kind is Frozen and (keys := values[0].keys()) and all(value.keys() == keys for value in values):
            return _rows({key: _list([value[key] for value in values]) for key in keys})
        if kind is tuple:
            inner = iter(_list(list(chain.from_iterable(values))))
            return [list(islice(inner, len(value))) for value in values]
        if issubclass(kind, Row) and kind.keys is Row.keys:
            return _table(kind, lambda name: list(map(attrgetter(name), values)))
    return [jsonable(value) for value in values]


_PLAIN: Final = frozenset({str, int, bool, type(None)})


def _table(row: type[Row], column: Callable[[str], Sequence[Any]]) -> list[Any]:
    """Rows of one class, written column by column; what is optional and ``None`` is left out of its row."""
    kind: Any = row
    fields = written_fields(kind)
    found = _rows({key: jsonable(column(name)) for key, (name, _) in fields.items()})
    for key, (name, optional) in fields.items():
        if optional:
            for written, value in zip(found, column(name), strict=True):
                if value is None:
                    del written[key]
    return found


def _rows(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Columns of equal length, at least one, as rows."""
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


_FORMS: Final[tuple[tuple[type | tuple[type, ...], Callable[[Any], Any]], ...]] = (
    ((str, bool, type(None)), lambda value: value),
    (int, int),
    ((Fraction, Decimal), _number),
    (float, _float),
    (Statistic, lambda value: _float(float(value.value))),
    (Row, lambda value: {key: jsonable(value[key]) for key in value.keys()}),  # noqa: SIM118  # a row is no mapping
    (Mapping, lambda value: {str(key): jsonable(item) for key, item in value.items()}),
    ((np.generic, np.ndarray), lambda value: jsonable(value.tolist())),
    (Rows, lambda value: _table(value.row, value.column)),
    ((list, tuple), _list),
    ((set, frozenset), lambda value: [jsonable(item) for item in sorted(value)]),
)
"""The first that fits counts: a truth value is an int too, and a number of numpy may be a float of Python."""
