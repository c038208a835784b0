"""What records are made of: frozen values, rows with named fields; and how JSON writes them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, Self, TypeVar

import numpy as np

from ..support.fields import columns

V = TypeVar("V")


@dataclass(frozen=True)
class Statistic:
    """An inexact quantity: printed as a float in JSON, the only kind of float there."""

    value: float


class Frozen(Mapping[str, V]):
    """A mapping that cannot be changed; compares with any mapping, can be hashed and pickled.

    >>> Frozen({"ann": 1}) == {"ann": 1}
    True
    """

    __slots__ = ("_items",)
    _items: dict[str, V]

    def __init__(self, items: Mapping[str, V]) -> None:
        object.__setattr__(self, "_items", dict(items))

    def __getitem__(self, key: str) -> V:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a record cannot be changed")

    def __reduce__(self) -> tuple[type, tuple[dict[str, V]]]:
        return Frozen, (self._items,)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return repr(self._items)


def frozen(value: Any) -> Any:
    """The same value with lists, arrays and mappings made immutable and numbers made Python's, recursively."""
    if type(value) in _FROZEN:  # nearly all values there are
        return value
    if isinstance(value, Mapping):
        return Frozen({str(key): frozen(item) for key, item in value.items()})
    if isinstance(value, np.generic | np.ndarray):
        return frozen(value.tolist())
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return tuple(frozen(item) for item in value)
    return value


@dataclass(frozen=True, kw_only=True)
class Row:
    """Base of everything a record is made of: a frozen dataclass whose fields can also be read by their written name.

    >>> @dataclass(frozen=True, kw_only=True)
    ... class Price(Row):
    ...     name: str
    ...     from_: int
    >>> price = Price(name="ann", from_=3)
    >>> price.name, price["from"], dict(price)
    ('ann', 3, {'name': 'ann', 'from': 3})
    """

    def __post_init__(self) -> None:
        kind: Any = type(self)
        for column in columns(kind).values():
            value = getattr(self, column.name)
            if type(value) not in _FROZEN:
                object.__setattr__(self, column.name, frozen(value))

    @classmethod
    def of(cls, result: object, **others: Any) -> Self:
        """The row of a result: what it has under the names of the fields, and all others, which are given."""
        shared = {f.name for f in dataclasses.fields(cls) if f.name not in others and hasattr(result, f.name)}
        return cls(**{name: getattr(result, name) for name in shared}, **others)

    def keys(self) -> list[str]:
        """Written names of the fields, those left out where they do not exist."""
        kind: Any = type(self)
        return [
            key
            for key, column in columns(kind).items()
            if not column.optional or getattr(self, column.name) is not None
        ]

    def _ipython_key_completions_(self) -> list[str]:
        """What a notebook offers after ``row["``."""
        return self.keys()

    def __getitem__(self, key: str) -> Any:
        kind: Any = type(self)
        return getattr(self, columns(kind)[key].name)


_FROZEN: Final = frozenset({str, int, bool, float, Fraction, type(None), Frozen})


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
    return next((form for class_, form in _FORMS if issubclass(kind, class_)), _other)


def _number(value: Any) -> int | str:
    exact = value if type(value) is Fraction else Fraction(value)
    return exact.numerator if exact.denominator == 1 else f"{exact.numerator}/{exact.denominator}"


def _float(value: Any) -> float | str | None:
    return "inf" if value == math.inf else "-inf" if value == -math.inf else None if math.isnan(value) else value


def _other(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return {f.name: jsonable(getattr(value, f.name)) for f in dataclasses.fields(value)}
    return str(value)  # a strategy of somebody's own game


_PLAIN: Final = frozenset({str, int, bool, type(None)})


def _list(values: Sequence[Any]) -> list[Any]:
    """A list, at once where all of it is plain or all are fractions."""
    kinds: set[Any] = set(map(type, values))
    if kinds <= _PLAIN:
        return list(values)
    if kinds == {Fraction}:
        return [n if d == 1 else f"{n}/{d}" for n, d in map(Fraction.as_integer_ratio, values)]
    return [jsonable(value) for value in values]


_FORMS: Final[tuple[tuple[type | tuple[type, ...], Callable[[Any], Any]], ...]] = (
    ((str, bool, type(None)), lambda value: value),
    (int, int),
    ((Fraction, Decimal), _number),
    (float, _float),
    (Statistic, lambda value: _float(float(value.value))),
    (Row, lambda value: {key: jsonable(value[key]) for key in value.keys()}),  # noqa: SIM118  # a row is no mapping
    (Mapping, lambda value: {str(key): jsonable(item) for key, item in value.items()}),
    ((np.generic, np.ndarray), lambda value: jsonable(value.tolist())),
    ((list, tuple), _list),
    ((set, frozenset), lambda value: [jsonable(item) for item in sorted(value)]),
)
"""The first that fits counts: a truth value is an int too, and a number of numpy may be a float of Python."""
