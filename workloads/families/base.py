"""What a random family is: its name, its parameters and how a refusal reads, and how instances are drawn.

>>> from consortium.workloads.families import family
>>> draw = family("declaration", "uniform-jobs").prepared({"agents": 2, "longest": 6})
>>> draw(np.random.default_rng(1))
{'agents': [{'length': 3}, {'length': 4}]}

The parameters of a family are a frozen pydantic model, a subclass of :class:`Parameters`. A field has a type of this
module (or plain ones with bounds), a default and a ``description`` with its unit; what is accepted is written once, as
the field's JSON Schema, and :func:`~consortium.support.schema.describe_schema` says it in words to errors and tables.

>>> class Coins(Parameters):
...     coins: int = Field(3, ge=1, description="how many")
>>> Coins(coins=0)
Traceback (most recent call last):
    ...
consortium.support.errors.InputError: coins: found 0; expected an integer >= 1
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Annotated, Any, Final, Self, TypeAlias

import numpy as np
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    WithJsonSchema,
    model_validator,
)

from ...support.errors import InputError, TooLargeError, UnknownNameError, unknown_name
from ...support.exact import rational
from ...support.schema import describe_schema

Draw: TypeAlias = Callable[[np.random.Generator], dict[str, Any]]
"""From a generator to the top-level keys of a scenario that a family fills."""

NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


def nothing(base: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a base scenario asks of most families."""
    return NOTHING


@dataclass(frozen=True)
class Members:
    """All members of a family in a stated order.

    Attributes
    ----------
    count
        How many there are.
    member
        ``member(k)``, ``k`` from 0: the top-level keys of a scenario that the family fills.
    """

    count: int
    member: Callable[[int], dict[str, Any]]


@dataclass(frozen=True)
class Family:
    """A random family of scenarios of one kind.

    Attributes
    ----------
    name
        As in ``[family] name = "..."``; unique within its kind.
    kind
        Kind of the scenarios.
    parameters
        Model of the parameters.
    prepare
        ``(parameters) -> Draw``: everything that instances share is done here, once.
    summary, source
        A line for tables; paper and section, empty where nothing was published.
    fitting
        ``(base) -> parameters`` that a base scenario asks for, by name; those given come first.
    every
        ``(parameters) -> Members``, where they can be counted; ``None`` where instances are only drawn.
    """

    name: str
    kind: str
    parameters: type[Parameters]
    prepare: Callable[[Any], Draw]
    summary: str
    source: str = ""
    fitting: Callable[[Mapping[str, Any]], Mapping[str, Any]] = nothing
    every: Callable[[Any], Members] | None = None

    def checked(self, values: Mapping[str, Any] = NOTHING, base: Mapping[str, Any] = NOTHING) -> Parameters:
        """The parameters, checked, with what the base scenario asks for.

        Raises UnknownNameError or InputError, see :class:`Parameters`.
        """
        defaults = {name: value for name, value in self.fitting(base).items() if name in self.parameters.model_fields}
        return self.parameters(**defaults | dict(values))

    def prepared(self, values: Mapping[str, Any] = NOTHING, base: Mapping[str, Any] = NOTHING) -> Draw:
        """Check the parameters once and prepare what all instances share.

        One instance is drawn, so that what only shows then (a log with too few users) is refused here as well. The
        same state of a generator gives the same instance; see :mod:`.lengths` for what that promises.

        Raises
        ------
        UnknownNameError
            For a parameter that there is not, with the nearest one.
        InputError
            For values that are not accepted, one sentence each, or a log that cannot be read or has not enough.
        TooLargeError
            For more jobs than one instance may have.
        """
        with self._named():
            draw = self.prepare(self.checked(values, base))
            draw(np.random.default_rng(0))
        return draw

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Refusals say of which family."""
        try:
            yield
        except (InputError, UnknownNameError, TooLargeError) as error:
            raise type(error)(f"family {self.name!r} (kind {self.kind!r}): {error}") from None

    def members(self, values: Mapping[str, Any] = NOTHING, base: Mapping[str, Any] = NOTHING) -> Members:
        """All members, the parameters checked; InputError for a family that only draws, else as :meth:`prepared`."""
        with self._named():
            if self.every is None:
                raise InputError("its instances are drawn, not counted")
            return self.every(self.checked(values, base))

    def to_dict(self) -> dict[str, Any]:
        """Name, kind, summary, source and a row per parameter, as JSON holds them."""
        return {
            "kind": self.kind,
            "family": self.name,
            "summary": self.summary,
            "source": self.source,
            "parameters": self.parameters.listed(),
        }


LONGEST: Final = 10**18
"""Longest length that is drawn at random; an exact ``scale`` goes beyond."""
MOST: Final = 10**6
"""Most agents, organizations, users, or jobs of one of them."""


class Parameters(BaseModel):
    """Base of the parameters of every family: unknown names are errors, nothing is coerced.

    Raises
    ------
    UnknownNameError
        For a parameter that there is not, with the nearest one.
    InputError
        One sentence for each value that is not accepted.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True, arbitrary_types_allowed=True)

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise _refusal(type(self), error) from None

    @classmethod
    def listed(cls) -> list[dict[str, Any]]:
        """A row per parameter: its name, what is accepted, its default and meaning, as tables show it.

        Numbers are as in JSON; the default ``None`` stands for what the meaning says.
        """
        properties = cls.model_json_schema()["properties"]
        return [
            {
                "parameter": name,
                "accepted": describe_schema(properties[name]),
                "default": "must be given" if field.is_required() else plain(field.default),
                "meaning": field.description,
            }
            for name, field in cls.model_fields.items()
        ]

    @classmethod
    def placed(cls, values: Mapping[str, Any], folder: str | None) -> Mapping[str, Any]:
        """Parameters as given, files that lie in a folder named so that they are found from everywhere."""
        return values

    def is_set(self, name: str) -> bool:
        """Whether a parameter was given, not left at its default."""
        return name in self.model_fields_set


def plain(value: Any) -> Any:
    """A value as a scenario or JSON holds it: exact numbers as integers or texts, a list for a tuple.

    >>> plain((Fraction(2), Fraction(1, 2)))
    [2, '1/2']
    """
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else str(value)
    return [plain(item) for item in value] if isinstance(value, tuple) else value


def _refusal(model: type[Parameters], error: ValidationError) -> InputError | UnknownNameError:
    """What is wrong with the values given, in sentences."""
    properties, sentences = model.model_json_schema()["properties"], dict[str, str]()
    for detail in error.errors(include_url=False):
        name = str(detail["loc"][0]) if detail["loc"] else ""
        if detail["type"] == "extra_forbidden":
            return unknown_name("parameter", name, properties)
        if detail["type"] == "missing":
            sentences[name] = f"{name}: found nothing; expected {describe_schema(properties[name])}"
        elif not name:  # what several parameters have to agree on
            sentences[name] = str(detail.get("ctx", {}).get("error", detail["msg"]))
        else:
            value = reprlib.repr(detail["input"])  # of a list, the item that is refused
            sentences.setdefault(name, f"{name}: found {value}; expected {describe_schema(properties[name])}")
    return InputError("\n".join(sentences.values()))


# --- types of parameters --------------------------------------------------------------------------------------------


def _real(value: object) -> object:
    """A float of any number that the format knows; statistics may be floats, so one is taken as it is."""
    if isinstance(value, bool | float):
        return value
    try:
        return float(rational(value))
    except OverflowError:
        raise ValueError("too large") from None


def _positive(value: object) -> Fraction:
    number = rational(value)
    if number <= 0:
        raise ValueError("not positive")
    return number


Real = Annotated[float, BeforeValidator(_real), Field(allow_inf_nan=False)]
"""A parameter of a distribution: any number, kept as a float."""
Exact = Annotated[
    Fraction, PlainValidator(_positive), WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "format": "exact"})
]
"""An exact number > 0: an integer, a decimal or a fraction as text."""
Count = Annotated[int, Field(ge=1, le=MOST)]
CountOrNone = Annotated[int, Field(ge=0, le=MOST)]
Dealt = Annotated[int, Field(ge=1, le=10_000)]
"""A number of organizations to which users are dealt."""
Length = Annotated[int, Field(ge=1, le=LONGEST)]
Names = Annotated[tuple[Annotated[str, Field(min_length=1, max_length=200)], ...], Field(strict=False, min_length=1)]


class Named(Parameters):
    """Whoever owns the jobs may have names; without, the format's own count from 1."""

    names: Names | None = Field(None, description="names, as many as there are or more; default: the kind's own")

    def named(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The rows with names, where names are given."""
        if self.names is None:
            return rows
        return [{"name": name, **row} for name, row in zip(self.names, rows, strict=False)]

    def check_names(self, n: int) -> Self:
        """Enough names, all different. Raises ValueError (the reader of parameters says where)."""
        if self.names is not None and (len(self.names) < n or len(set(self.names)) < len(self.names)):
            raise ValueError(f"names: found {reprlib.repr(list(self.names))}; expected at least {n}, all different")
        return self


# --- how many jobs and machines owners have -------------------------------------------------------------------------

Counts: TypeAlias = Callable[[np.random.Generator], list[int]]
"""From a generator to a number for each owner."""

MOST_JOBS: Final = 10**7
"""Most jobs of one instance; more is no scenario that anybody reads."""


def between(low: int, high: int | None, n: int) -> Counts:
    """``n`` numbers: uniform from ``low`` to ``high``, or ``low`` each where there is no choice; then nothing is drawn.

    >>> between(2, None, 3)(np.random.default_rng(1))
    [2, 2, 2]
    """
    if high is None or high == low:
        return lambda rng: [low] * n
    return lambda rng: rng.integers(low, high + 1, size=n).tolist()


def few(what: str, owners: int, jobs: int) -> None:
    """Refuse instances with more jobs than anybody reads. Raises ValueError (the reader of parameters says where)."""
    if owners * jobs > MOST_JOBS:
        raise ValueError(f"jobs: found {owners:,} {what} with {jobs:,} jobs; expected at most {MOST_JOBS:,} in all")


class Organizations(Named):
    """Organizations with machines and jobs.

    >>> Organizations(organizations=3, jobs=2).counts()(np.random.default_rng(1))
    [2, 2, 2]
    >>> Organizations(organizations=3, total=7).counts()(np.random.default_rng(1))
    [2, 4, 1]
    """

    organizations: Count = Field(4, description="number of organizations")
    machines: CountOrNone | Annotated[tuple[CountOrNone, ...], Field(strict=False)] = Field(
        1, description="machines of each, or a list of them, one number per organization"
    )
    most_machines: CountOrNone | None = Field(
        None, description="then the machines of each are uniform from machines to so many"
    )
    jobs: CountOrNone = Field(4, description="jobs of each organization")
    fewest: CountOrNone | None = Field(None, description="then the jobs of each are uniform from so many to jobs")
    total: CountOrNone | None = Field(
        None, description="jobs of all instead of jobs: each job goes to any organization, equally likely"
    )

    @model_validator(mode="after")
    def _agreed(self) -> Self:
        if self.total is not None and (self.is_set("jobs") or self.is_set("fewest")):
            raise ValueError(f"total: found {self.total} beside jobs or fewest; expected total or those")
        if self.fewest is not None and self.fewest > self.jobs:
            raise ValueError(f"fewest: found {self.fewest}; expected at most jobs, {self.jobs}")
        if isinstance(self.machines, tuple):
            if len(self.machines) != self.organizations or self.most_machines is not None:
                text = f"{len(self.machines)} numbers" + (" beside most_machines" if self.most_machines else "")
                raise ValueError(f"machines: found a list of {text}; expected {self.organizations}, or one number")
        elif self.most_machines is not None and self.most_machines < self.machines:
            raise ValueError(f"most_machines: found {self.most_machines}; expected at least machines, {self.machines}")
        few("organizations", self.organizations, self.jobs if self.total is None else 0)
        return self.check_names(self.organizations)

    def counts(self) -> Counts:
        """Number of jobs of every organization."""
        n, total = self.organizations, self.total
        if total is not None:
            odds = np.full(n, 1 / n)
            return lambda rng: rng.multinomial(total, odds).tolist()
        return between(self.jobs if self.fewest is None else self.fewest, self.jobs, n)

    def owned(self) -> Counts:
        """Number of machines of every organization."""
        machines = self.machines
        if isinstance(machines, tuple):
            return lambda rng: list(machines)
        return between(machines, self.most_machines, self.organizations)
