"""The records that verbs return: frozen, with ``to_dict()``, exact quantities kept exact.

A verb's work for one kind returns an :class:`Answer` (or a subclass of it); :mod:`consortium.api` stamps it with kind,
scenario and version and hands out a :class:`Record`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Statistic:
    """An inexact quantity: printed as a float in JSON, the only kind of float there."""

    value: float


@dataclass(frozen=True)
class Answer:
    """What a verb found.

    Attributes
    ----------
    method
        How it was found.
    exact
        Whether every quantity is exact.
    complete
        Whether the answer covers the whole space asked for.
    body
        The fields of the record, as FORMAT's tables name them: dataclass instances or plain structures.
    seed
        Where randomness was used.
    verdict
        ``False`` when what was asked is refuted (exit code 1).
    extra
        Python objects behind the record, read as attributes; not part of its dict.
    """

    method: str
    body: Mapping[str, Any]
    exact: bool = True
    complete: bool = True
    seed: int | None = None
    verdict: bool = True
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Record:
    """A verb's result. Fields of the answer can be read as attributes: ``record.agents``, ``record.rent``.

    ``to_dict()`` is exactly what the command line's ``--json`` prints: rationals as ints or ``"p/q"``, ``"inf"`` for
    what never ends, floats only for statistics.
    """

    verb: str
    kind: str
    scenario: str | None
    answer: Answer
    version: str

    def __getattr__(self, name: str) -> Any:
        """Fields of the answer."""
        if name.startswith("__") or "answer" not in self.__dict__:
            raise AttributeError(name)
        answer = self.__dict__["answer"]
        if name in ("method", "exact", "complete", "seed", "verdict"):
            return getattr(answer, name)
        for known in (answer.body, answer.extra):
            if name in known:
                return known[name]
        raise AttributeError(f"this {self.verb} record has no field {name!r}; it has {', '.join(answer.body)}")

    def to_dict(self) -> dict[str, Any]:
        """The record as plain JSON-able data."""
        head: dict[str, Any] = {
            "verb": self.verb,
            "kind": self.kind,
            "scenario": self.scenario,
            "method": self.answer.method,
            "exact": self.answer.exact,
            "complete": self.answer.complete,
        }
        if self.answer.seed is not None:
            head["seed"] = self.answer.seed
        head["version"] = self.version
        return head | {key: jsonable(value) for key, value in self.answer.body.items()}


def jsonable(value: Any) -> Any:
    """Plain JSON-able form of a result value.

    >>> jsonable({"rent": Fraction(3, 2), "output": math.inf, "share": Statistic(0.25)})
    {'rent': '3/2', 'output': 'inf', 'share': 0.25}
    """
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Fraction | Decimal):
        exact = Fraction(value)
        return exact.numerator if exact.denominator == 1 else f"{exact.numerator}/{exact.denominator}"
    if isinstance(value, float):
        return "inf" if value == math.inf else "-inf" if value == -math.inf else None if math.isnan(value) else value
    if isinstance(value, Statistic):
        return float(value.value) if math.isfinite(value.value) else jsonable(float(value.value))
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: jsonable(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, np.generic):
        return jsonable(value.item())
    if isinstance(value, np.ndarray):
        return jsonable(value.tolist())
    if isinstance(value, list | tuple | set | frozenset):
        return [jsonable(item) for item in (sorted(value) if isinstance(value, set | frozenset) else value)]
    raise TypeError(f"a result holds {type(value).__name__}, which has no JSON form")


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
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
