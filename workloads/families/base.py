"""One random family: its name, its parameters, and how instances are drawn.

>>> from consortium.workloads.families import family
>>> draw = family("declaration", "uniform-jobs").prepared({"agents": 2, "longest": 6})
>>> draw(np.random.default_rng(1))
{'agents': [{'length': 3}, {'length': 4}]}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import numpy as np

from ...support.errors import InputError, TooLargeError, UnknownNameError
from .parameters import Parameters

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

    def checked(self, given: Mapping[str, Any] = NOTHING, base: Mapping[str, Any] = NOTHING) -> Parameters:
        """The parameters, checked, with what the base scenario asks for.

        Raises UnknownNameError or InputError, see :class:`.parameters.Parameters`.
        """
        wanted = {name: value for name, value in self.fitting(base).items() if name in self.parameters.model_fields}
        return self.parameters(**wanted | dict(given))

    def prepared(self, given: Mapping[str, Any] = NOTHING, base: Mapping[str, Any] = NOTHING) -> Draw:
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
        try:
            draw = self.prepare(self.checked(given, base))
            draw(np.random.default_rng(0))
        except (InputError, UnknownNameError, TooLargeError) as error:
            raise type(error)(f"family {self.name!r} (kind {self.kind!r}): {error}") from None
        return draw

    def members(self, given: Mapping[str, Any] = NOTHING, base: Mapping[str, Any] = NOTHING) -> Members:
        """All members, the parameters checked; InputError for a family that only draws, else as :meth:`prepared`."""
        if self.every is None:
            raise InputError(f"family {self.name!r} (kind {self.kind!r}): its instances are drawn, not counted")
        try:
            return self.every(self.checked(given, base))
        except (InputError, UnknownNameError) as error:
            raise type(error)(f"family {self.name!r} (kind {self.kind!r}): {error}") from None

    def draw(self, parameters: Parameters, rng: np.random.Generator) -> dict[str, Any]:
        """One instance: the top-level keys that the family fills."""
        return self.prepare(parameters)(rng)

    def to_dict(self) -> dict[str, Any]:
        """Name, kind, summary, source and a row per parameter, as JSON holds them."""
        return {
            "kind": self.kind,
            "family": self.name,
            "summary": self.summary,
            "source": self.source,
            "parameters": self.parameters.listed(),
        }
