"""What records are made of: values frozen to the bottom, rows with named fields, and long tables kept as columns."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, KeysView, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, TypeVar, overload

import numpy as np

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

    def keys(self) -> KeysView[str]:
        """A dict's own view: the general one is ten times as slow to compare."""
        return self._items.keys()

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
    kind = type(value)
    if kind in _FROZEN:  # nearly all values there are
        return value
    if isinstance(value, Mapping):
        return Frozen({str(key): frozen(item) for key, item in value.items()})
    if isinstance(value, np.generic | np.ndarray):
        return frozen(value.tolist())
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return tuple(frozen(item) for item in value)
    return value


OPTIONAL: Final = MappingProxyType({"optional": True})
"""Metadata of a field that the format leaves out where it is ``None``."""

HIDDEN: Final = MappingProxyType({"hidden": True})
"""Metadata of a field for Python only: an object behind the record, or what follows from other fields."""


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
        for f in dataclasses.fields(self):
            if not f.metadata.get("hidden"):
                object.__setattr__(self, f.name, frozen(getattr(self, f.name)))

    def keys(self) -> list[str]:
        """Written names of the fields, those left out where they do not exist."""
        kind: Any = type(self)
        return [
            key
            for key, (name, optional) in written_fields(kind).items()
            if not optional or getattr(self, name) is not None
        ]

    def _ipython_key_completions_(self) -> list[str]:
        """What a notebook offers after ``row["``."""
        return self.keys()

    def __getitem__(self, key: str) -> Any:
        kind: Any = type(self)
        name, _ = written_fields(kind)[key]
        return getattr(self, name)


@lru_cache(maxsize=1024)
def written_fields(row: Any) -> Mapping[str, tuple[str, bool]]:
    """By written name, the fields of a class of rows that the format has, and whether it may leave them out."""
    return {
        f.name.removesuffix("_"): (f.name, bool(f.metadata.get("optional")))
        for f in dataclasses.fields(row)
        if not f.metadata.get("hidden")
    }


R = TypeVar("R", bound=Row)


class Rows(Sequence[R]):
    """A long table of rows of one class, kept as columns: a row is made when it is read.

    Like the tuple of its rows it cannot be changed, equals any tuple of the same rows, has its hash, and its slices
    are tuples. A column is a sequence with the values of one field, row after row, which nobody changes.

    >>> @dataclass(frozen=True, kw_only=True)
    ... class Price(Row):
    ...     name: str
    ...     price: int
    >>> prices = Rows(Price, name=("ann", "bob"), price=(3, 4))
    >>> prices[1], len(prices), prices == (Price(name="ann", price=3), Price(name="bob", price=4))
    (Price(name='bob', price=4), 2, True)
    """

    __slots__ = ("_columns", "_row")
    _row: type[R]
    _columns: dict[str, Sequence[Any]]

    def __init__(self, row: type[R], /, **columns: Sequence[Any]) -> None:
        if len(set(map(len, columns.values()))) != 1:
            raise ValueError(f"columns of different lengths: { {name: len(c) for name, c in columns.items()} }")
        object.__setattr__(self, "_row", row)
        object.__setattr__(self, "_columns", columns)

    @property
    def row(self) -> type[R]:
        """The class of the rows."""
        return self._row

    def column(self, field: str) -> Sequence[Any]:
        """The values of a field, row after row."""
        return self._columns[field]

    @overload
    def __getitem__(self, at: int) -> R: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[R, ...]: ...
    def __getitem__(self, at: int | slice) -> R | tuple[R, ...]:
        if isinstance(at, slice):
            return tuple(self[i] for i in range(len(self))[at])
        return self._row(**{name: column[at] for name, column in self._columns.items()})

    def __iter__(self) -> Iterator[R]:
        for values in zip(*self._columns.values(), strict=True):
            yield self._row(**dict(zip(self._columns, values, strict=True)))

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rows | tuple):
            return NotImplemented
        return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a record cannot be changed")

    def __reduce__(self) -> tuple[Any, ...]:
        return _rows, (self._row, self._columns)


def _rows(row: type[R], columns: dict[str, Sequence[Any]]) -> Rows[R]:
    """For pickle, which passes no keywords."""
    return Rows(row, **columns)


_FROZEN: Final = frozenset({str, int, bool, float, Fraction, type(None), Frozen, Rows})
