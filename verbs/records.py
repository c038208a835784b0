"""The records that verbs return: frozen to the bottom, with ``to_dict()``, exact quantities kept exact.

A verb of a kind has its own subclass of :class:`Record`, whose fields are those of the format, in its order; rows of
it are subclasses of :class:`Row`. What a record holds is frozen when it is made: lists become tuples, mappings
:class:`Frozen`. A field whose name is a keyword of Python ends in an underscore, which the format does not write.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, TypeVar

import numpy as np

from .. import __version__
from ..scheduling.status import Status
from .showing import Shown, in_short

if TYPE_CHECKING:
    from .asked import Asked

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


_FROZEN: Final = frozenset({str, int, bool, float, Fraction, type(None), Frozen})


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
            key for key, (name, optional) in _written(kind).items() if not optional or getattr(self, name) is not None
        ]

    def _ipython_key_completions_(self) -> list[str]:
        """What a notebook offers after ``row["``."""
        return self.keys()

    def __getitem__(self, key: str) -> Any:
        kind: Any = type(self)
        name, _ = _written(kind)[key]
        return getattr(self, name)


@lru_cache(maxsize=1024)
def _written(row: Any) -> Mapping[str, tuple[str, bool]]:
    """By written name, the fields of a class of rows that the format has, and whether it may leave them out."""
    return {
        f.name.removesuffix("_"): (f.name, bool(f.metadata.get("optional")))
        for f in dataclasses.fields(row)
        if not f.metadata.get("hidden")
    }


@dataclass(frozen=True, kw_only=True)
class Record(Shown, Row):
    """What a verb found. ``to_dict()`` is exactly what the command line's ``--json`` prints.

    There rationals are ints or ``"p/q"``, ``"inf"`` is what never ends, and floats are statistics. ``print`` shows the
    tables of the command line, a notebook these and the figure; see :class:`consortium.verbs.showing.Shown`.

    Attributes
    ----------
    verb, kind, scenario
        What was asked; ``scenario`` is its title or name.
    method
        How it was found.
    exact
        Whether every quantity is exact.
    complete
        Whether the answer covers the whole space asked for.
    seed
        Where randomness was used.
    version
        Of the package.
    question
        What it answers (:class:`consortium.verbs.asked.Asked`); the dict has it as :attr:`asked`.
    verdict
        Whether what was asked holds (``None``: not known); decides the exit code. Not part of the dict.
    open
        Whether the method came to its end without an answer, though not everything was tried. Not part of the dict.
    """

    verb: ClassVar[str]
    kind: str
    scenario: str | None
    method: str
    exact: bool = True
    complete: bool = True
    seed: int | None = field(default=None, metadata=OPTIONAL)
    version: str = __version__
    question: Asked | None = field(default=None, repr=False, compare=False, metadata=HIDDEN)
    verdict: bool | None = field(default=True, repr=False, metadata=HIDDEN)
    open: bool = field(default=False, repr=False, metadata=HIDDEN)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.__repr__ = in_short  # type: ignore[method-assign,assignment]  # or dataclass() would write a long one

    @property
    def status(self) -> Status:
        """Proved, refuted, open, stopped or sampled; see :class:`~consortium.scheduling.status.Status`."""
        return Status.of(self.verdict, self.complete or self.open, self.sampled)

    @property
    def unfinished(self) -> bool:
        """Whether there is more to know, because a limit or somebody stopped the work."""
        return not self.complete and self.status is not Status.OPEN

    @property
    def sampled(self) -> bool:
        """Whether random cases stand for all: then the record is never complete."""
        return self.seed is not None

    @cached_property
    def asked(self) -> Mapping[str, Any] | None:
        """The question as the dict has it, so that it can be asked again; ``None`` where it cannot be written."""
        found: Mapping[str, Any] | None = None if self.question is None else frozen(self.question.written())
        return found

    def answering(self, question: Asked) -> Self:
        """The same record, knowing its question."""
        known = copy(self)  # not replace(), which would freeze everything in it once more
        known.__dict__.pop("asked", None)
        object.__setattr__(known, "question", question)
        return known

    def keys(self) -> list[str]:
        """Written names of the fields; the question, which can be long, comes last."""
        return super().keys() if self.asked is None else [*super().keys(), "asked"]

    def __getitem__(self, key: str) -> Any:
        return self.asked if key == "asked" else super().__getitem__(key)

    if TYPE_CHECKING:
        # fields of a verb and kind that the caller knows and the type checker does not; isinstance() tells both
        def __getattr__(self, name: str) -> Any: ...
    else:

        def __getattr__(self, name):
            """Name the fields there are; called only for those there are not."""
            if name.startswith("__"):
                raise AttributeError(name)
            raise AttributeError(f"this {self.verb} record has no field {name!r}; it has {', '.join(self.keys())}")

    def to_dict(self) -> dict[str, Any]:
        """The record as plain JSON-able data."""
        return {"verb": self.verb, **jsonable(self)}


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
    exact = Fraction(value)
    return exact.numerator if exact.denominator == 1 else f"{exact.numerator}/{exact.denominator}"


def _float(value: Any) -> float | str | None:
    return "inf" if value == math.inf else "-inf" if value == -math.inf else None if math.isnan(value) else value


def _other(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return {f.name: jsonable(getattr(value, f.name)) for f in dataclasses.fields(value)}
    return str(value)  # a strategy of somebody's own game


_FORMS: Final[tuple[tuple[type | tuple[type, ...], Callable[[Any], Any]], ...]] = (
    ((str, bool, type(None)), lambda value: value),
    (int, int),
    ((Fraction, Decimal), _number),
    (float, _float),
    (Statistic, lambda value: _float(float(value.value))),
    (Row, lambda value: {key: jsonable(value[key]) for key in value.keys()}),  # noqa: SIM118  # a row is no mapping
    (Mapping, lambda value: {str(key): jsonable(item) for key, item in value.items()}),
    ((np.generic, np.ndarray), lambda value: jsonable(value.tolist())),
    ((list, tuple), lambda value: [jsonable(item) for item in value]),
    ((set, frozenset), lambda value: [jsonable(item) for item in sorted(value)]),
)
"""The first that fits counts: a truth value is an int too, and a number of numpy may be a float of Python."""


@dataclass(frozen=True)
class Estimate:
    """What ``--dry-run`` prints: the size of the space and the estimated cost, nothing else."""

    verb: str
    kind: str
    scenario: str | None
    size: int
    unit: str
    seconds: float | None = None
    memory_bytes: int | None = None
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The estimate as plain data."""
        return dataclasses.asdict(self)


@dataclass(frozen=True, kw_only=True)
class ComparisonRow(Row):
    """One rule on one scenario."""

    rule: str
    scenario: str
    values: Mapping[str, Any]
    complete: bool


@dataclass(frozen=True, kw_only=True)
class CompareRecord(Record):
    """Rules side by side: what every kind's ``compare`` answers; a kind may add fields."""

    verb: ClassVar[str] = "compare"
    main: ClassVar[str] = "rows"
    columns: tuple[str, ...]
    rows: tuple[ComparisonRow, ...]
