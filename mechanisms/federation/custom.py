"""Custom rules of a federation: a central schedule, or a coordination policy; their answers are checked.

A *central schedule* is an object with ``run(federation)``. Its answer has every job once, as
``(organization, job, host, machine, start)``: positions from 0, ``machine`` within the host, ``start`` in time units;
or it is a :class:`~consortium.mechanisms.federation.schedule.Schedule`.

>>> class Alternating:
...     "One after another on the first machine, everybody's first job before anybody's second."
...     def run(self, federation):
...         rows = [org.lengths for org in federation.organizations]
...         now = 0
...         for i, k in sorted((i, k) for k, lengths in enumerate(rows) for i in range(len(lengths))):
...             yield k, i, 0, 0, now
...             now += rows[k][i]
>>> fed = Federation.of([[2, 1], [3]])
>>> custom_rule(Alternating(), fed).run(fed).makespans
(Fraction(6, 1), Fraction(5, 1))

A *coordination policy* is an object with ``order(host, jobs)``: in which order the machines of organization ``host``
take the jobs that were placed with it, each a :class:`Placed`. The answer is the same jobs in another order, always the
same for the same jobs. Where jobs go is their owners' choice: there is a game to play.

>>> class ShortestFirst:
...     def order(self, host, jobs):
...         return sorted(jobs, key=lambda job: job.length)
>>> custom_rule(ShortestFirst(), fed).costs(fed, ((0, 1), (0,)))
(Fraction(2, 1), Fraction(5, 1))

Either may have an attribute ``objective``, what organizations minimise, if the policy fixes it.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

from ...agents.organizations import Federation, Objective, Placement
from ...support.errors import InputError, MechanismError, quote
from ...support.exact import Rational, is_symbolic
from ..custom import call, entries, exact, made
from .catalogue import OBJECTIVES
from .coordination import HostPolicy, placed_with
from .schedule import JobId, Schedule, first_machines

METHODS = ("run(federation)", "order(host, jobs)")
ROW = "(organization, job, host, machine, start)"

Row: TypeAlias = tuple[int, int, int, int, Rational | str]
"""Where and when one job runs: organization, job, host, machine of the host, start."""


class Placed(NamedTuple):
    """A job as a host sees it: whose, which (both from 0), how long, and its priority in the scenario, if any."""

    organization: int
    job: int
    length: Fraction
    priority: int | None = None

    def __str__(self) -> str:
        """Organization, job and length, for messages."""
        return f"({self.organization}, {self.job}, {self.length})"


@runtime_checkable
class CentralRule(Protocol):
    """A rule that says where and when every job runs."""

    def run(self, federation: Federation) -> Schedule | Iterable[Row]:
        """A schedule, or every job once."""


@runtime_checkable
class CoordinationPolicy(Protocol):
    """A rule that says who goes first where jobs have been placed."""

    def order(self, host: int, jobs: Sequence[Placed]) -> Iterable[Placed]:
        """The same jobs in the order in which the host's machines take them."""


def custom_rule(custom: Any, federation: Federation, objective: Objective = "makespan") -> CustomSchedule | HostPolicy:
    """A custom rule, ready to be used like one of the package.

    Parameters
    ----------
    custom
        An object with one of the two methods, or a class or function that makes one from the federation.
    federation
        Whose rule it will be.
    objective
        What organizations minimise under a policy that does not say it.

    Raises
    ------
    InputError
        For what is no rule; MechanismError when it cannot be made.
    """
    rule = made(custom, METHODS, federation=federation)
    if isinstance(rule, HostPolicy):  # one of the package
        return rule
    name = type(rule).__name__
    central, policy = (callable(getattr(rule, method, None)) for method in ("run", "order"))
    if central and policy:
        raise MechanismError(f"mechanism: {name} has run and order; expected a central schedule or a policy, not both")
    if central:
        return CustomSchedule(rule)
    objective = getattr(rule, "objective", objective)
    if not isinstance(objective, str) or objective not in OBJECTIVES:
        raise MechanismError(f"{name}.objective: found {quote(objective)}; expected one of {', '.join(OBJECTIVES)}")
    return CustomPolicy(rule, objective)


def job_text(federation: Federation, k: int, i: int) -> str:
    """A job in messages, numbered as in an answer."""
    return f"job {i} (from 0) of {federation.names[k]!r}"


# --- central schedules ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CustomSchedule:
    """A custom central schedule; its answers are checked."""

    rule: CentralRule

    def run(self, federation: Federation) -> Schedule:
        """Schedule a federation. Raises MechanismError for an answer that is no schedule of it."""
        name = f"{type(self.rule).__name__}.run"
        answer = call(self.rule.run, name, federation=federation)
        if isinstance(answer, Schedule):
            if answer.federation != federation:
                raise MechanismError(f"{name}: found a schedule of {answer.federation}; expected one of {federation}")
            return answer
        rows = entries(answer, name, f"a Schedule, or a list with one {ROW} per job", federation=federation)
        return _schedule(federation, name, rows)


def _schedule(federation: Federation, name: str, rows: Sequence[Any]) -> Schedule:
    """The schedule of an answer's rows; ``name`` is the call, for messages."""
    placed: dict[JobId, tuple[int, Rational]] = {}
    for n, row in enumerate(rows, 1):
        where = f"{name}: row {n}"
        job, place = _read(federation, row, where)
        if job in placed:
            raise MechanismError(f"{where}: {job_text(federation, *job)} is there twice; expected every job once")
        placed[job] = place
    for k, org in enumerate(federation.organizations):
        for i in range(len(org.jobs)):
            if (k, i) not in placed:
                raise MechanismError(f"{name}: {job_text(federation, k, i)} is missing; expected every job once")
    try:
        return Schedule.of(federation, placed)
    except InputError as error:  # two jobs overlap
        raise MechanismError(f"{name}: {error}") from None


def _read(federation: Federation, row: object, where: str) -> tuple[JobId, tuple[int, Rational]]:
    """A row's job, its machine over the federation, and its start in grid units."""
    if not isinstance(row, tuple | list) or len(row) != 5:
        raise MechanismError(f"{where}: found {quote(row)}; expected {ROW}")
    names = federation.names
    k = _position(row[0], len(federation), f"{where}: organization")
    i = _position(row[1], len(federation.sizes[k]), f"{where}: job of {names[k]!r}")
    host = _position(row[2], len(federation), f"{where}: host")
    machine = _position(row[3], federation.machines[host], f"{where}: machine of {names[host]!r}")
    start = exact(row[4], f"{where}: start") / federation.unit
    if start < 0:
        raise MechanismError(f"{where}: {job_text(federation, k, i)} starts at {row[4]}; expected a time >= 0")
    whole = start if is_symbolic([start]) or start.denominator > 1 else start.numerator
    return (k, i), (first_machines(federation)[host] + machine, whole)


def _position(value: object, count: int, where: str) -> int:
    place = -1 if isinstance(value, bool) or not hasattr(value, "__index__") else operator.index(value)
    if not 0 <= place < count:
        what = f"expected 0 to {count - 1}" if count else "there is none"
        raise MechanismError(f"{where}: found {quote(value)}; {what}")
    return place


# --- coordination policies ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CustomPolicy(HostPolicy):
    """A custom coordination policy; its answers are checked."""

    policy: CoordinationPolicy
    objective: Objective = "makespan"

    def queues(self, federation: Federation, placement: Placement) -> list[tuple[JobId, ...]]:
        """Per host the jobs placed there, in the policy's order. Raises MechanismError for what is no order."""
        return [self.queue(federation, host, tuple(jobs)) for host, jobs in enumerate(placed_with(placement))]

    def queue(self, federation: Federation, host: int, jobs: tuple[JobId, ...]) -> tuple[JobId, ...]:
        """The order of one host."""
        rows = [federation.organizations[k].jobs[i] for k, i in jobs]
        placed = tuple(Placed(k, i, of.length, of.priority) for (k, i), of in zip(jobs, rows, strict=True))
        name = f"{type(self.policy).__name__}.order"
        answer = call(self.policy.order, name, host=host, jobs=placed)
        what = "the jobs it was given, in their order"
        order = entries(answer, name, what, host=host, jobs=placed)
        where, queue = f"{name}: on {federation.names[host]!r}", list[JobId]()
        for entry in order:
            if not isinstance(entry, Placed) or entry not in placed:
                raise MechanismError(f"{where} found {quote(entry)} in the answer; expected the jobs it was given")
            if entry[:2] in queue:
                twice = job_text(federation, *entry[:2])
                raise MechanismError(f"{where} {twice} is there twice; expected every job once")
            queue.append(entry[:2])
        for job in jobs:
            if job not in queue:
                raise MechanismError(f"{where} {job_text(federation, *job)} is missing; expected every job once")
        return tuple(queue)
