"""What is decided of a claim on one scenario, and from what: records of verbs, so that what is found can be replayed.

A kind's table maps the name of a claim to a function from a :class:`Case` to a :class:`Ruling`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

from ....scenarios.reader import load
from ....scenarios.scenario import Scenario
from ....support.errors import InputError, UnknownNameError
from ....support.exact import Extended, rational
from ....verbs import dispatch

Answer: TypeAlias = Mapping[str, Any]
"""The dict of a record."""


@dataclass(frozen=True)
class Ruling:
    """Whether a scenario breaks a claim.

    Attributes
    ----------
    broken
        ``None`` where it could not be decided, within the limit or at all.
    near
        How near it is to breaking the claim, larger is nearer; ``None`` where nothing measures it.
    expect
        Of a scenario that breaks it, the ``[expect]`` that shows it.
    twins
        Scenarios with their own ``[expect]`` that belong to the proof: what the first one is compared with.
    """

    broken: bool | None
    near: Extended | None = None
    expect: Mapping[str, Any] = field(default_factory=dict)
    twins: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Case:
    """A scenario, perhaps a mechanism of one's own in the place of its rule, and a time limit for each question."""

    scenario: Scenario
    mechanism: Any = None
    time_limit: float | None = None

    def ask(self, verb: str, **options: Any) -> Answer:
        """What a verb answers, as its dict; within the time limit where the verb takes one."""
        own = {} if self.mechanism is None else {"mechanism": self.mechanism}
        return self._asked(self.scenario, verb, own | options)

    def twin(self, changes: Mapping[str, Any]) -> Scenario:
        """The scenario with other top-level blocks, as :meth:`Scenario.variant` takes them."""
        return load(self.scenario.variant(changes))

    def ask_of(self, twin: Scenario, verb: str, **options: Any) -> Answer:
        """The same of another scenario, by its own rule."""
        return self._asked(twin, verb, options)

    def _asked(self, scenario: Scenario, verb: str, options: Mapping[str, Any]) -> Answer:
        limit = {} if self.time_limit is None else {"time_limit": self.time_limit}
        try:
            return dispatch.ask(verb, scenario, {**limit, **options}).to_dict()
        except (UnknownNameError, InputError) as error:  # some verbs and rules have nothing to stop
            if not limit or "time_limit" not in str(error):
                raise
            return dispatch.ask(verb, scenario, options).to_dict()


Decide: TypeAlias = Callable[[Case], Ruling]


def number(value: Any) -> Extended | None:
    """A number of a record's dict; ``None`` for what is none.

    >>> number("3/2"), number("inf"), number(None)
    (Fraction(3, 2), inf, None)
    """
    if isinstance(value, str) and value in ("inf", "-inf"):
        return float(value)
    try:
        return rational(value)
    except InputError:
        return None


def exact(value: Any) -> Fraction:
    """A number of a record's dict that is finite; InputError for anything else."""
    return rational(value)
