"""What one window of a log says of every rule, and how it is kept as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Final, TypeAlias

from pydantic import PlainSerializer, PlainValidator, TypeAdapter

from ...support.exact import rational
from ..records import jsonable
from .rules import Rule

REFERENCE: Final = Rule("ref", "ref")
"""What all rules are measured against."""

Exact: TypeAlias = Annotated[Fraction, PlainValidator(rational), PlainSerializer(jsonable)]
"""In JSON an integer or ``"p/q"``."""


@dataclass(frozen=True)
class Yardstick:
    """What REF does with the jobs that a rule was measured on: its Shapley values, utilities and parts."""

    n_jobs: int
    shapley: tuple[Exact, ...]
    fair: tuple[int, ...]
    fair_parts: tuple[int, ...]


@dataclass(frozen=True)
class RuleResult:
    """One rule on one window. Utilities are psi_sp in integers; contributions are the rule's own, where it has any.

    ``decayed`` is the machine time used with a half-life, where one was asked about.
    ``other`` is REF on the jobs that it was measured on, where these are not the window's (:mod:`.warm`).
    """

    label: str
    utility: tuple[int, ...]
    contribution: tuple[Exact, ...] | None
    parts: tuple[int, ...]
    delta: int
    unfairness: Exact
    utilization: Exact | None
    seconds: float
    decayed: tuple[float, ...] | None = None
    other: Yardstick | None = None


@dataclass(frozen=True)
class Accuracy:
    """How exact sampled contributions are, see :class:`consortium.mechanisms.sharing.sampled.SampledReference`.

    ``halves`` is the unfairness of one half's schedule against the other's.
    """

    orderings: int
    schedules: int
    sampling: float
    order: float
    halves: Exact


@dataclass(frozen=True)
class WindowResult:
    """All rules on one window, and REF: its Shapley values, its utilities (``fair``) and the parts it completes.

    Where REF was sampled, ``accuracy`` says how well.

    ``fair_parts`` are those parts by organization, ``p_tot`` is their sum.
    """

    index: int
    start: int
    n_jobs: int
    load: float
    names: tuple[str, ...]
    machines: tuple[int, ...]
    shapley: tuple[Exact, ...]
    fair: tuple[int, ...]
    fair_parts: tuple[int, ...]
    p_tot: int
    rules: tuple[RuleResult, ...]
    accuracy: Accuracy | None = None

    def of(self, label: str) -> RuleResult:
        """The result of one rule by its label."""
        return next(result for result in self.rules if result.label == label)

    def against(self, label: str) -> Yardstick:
        """What the rule was measured against."""
        return self.of(label).other or Yardstick(self.n_jobs, self.shapley, self.fair, self.fair_parts)


_RESULT: Final = TypeAdapter(WindowResult)


def written(result: WindowResult) -> str:
    """A finished window as JSON."""
    return _RESULT.dump_json(result).decode()


def read(text: str | bytes) -> WindowResult:
    """A finished window from JSON. Raises ValueError."""
    return _RESULT.validate_json(text, strict=True)
