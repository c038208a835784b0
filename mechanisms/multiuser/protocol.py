r"""What a rule for users is: an object that gives a point, or a schedule; answers are checked before they are used.

``point(community)`` answers one value per user, in user order and in the unit of the lengths: a promise that nobody
gets more (for a total-completion user the SUM of her completion times), or ``None`` for no answer. Values of schedules
lie on the community's grid, so a value between two steps promises the lower one. ``schedule(community)`` answers every
job once, as ``(user, job, machine, start)``, counted from 0, starts in the unit of the lengths. With both methods the
schedule shows how the point is kept.

>>> from consortium.mechanisms.multiuser import nadir, zenith
>>> class Halfway:
...     "Everybody between her best value and the worst that Pareto-optimal schedules cost her."
...     def point(self, community):
...         return [community.in_time(a + b) / 2 for a, b in zip(zenith(community), nadir(community))]
>>> shared = Community.of(("makespan", [2]), ("total-completion", [1, 1]))
>>> answer(Halfway(), shared).point
(3, 5)

A promise is certified by a schedule that keeps it (:func:`kept`): exactly on one machine with at most one
total-completion user (:mod:`.deadlines`), else by list scheduling, by bounds and by enumeration while that is small.
What is refuted is refused; what stays open is an answer without a schedule, and not complete.

References
----------
Cordeiro 2012, sections 2.2 and 6.1: points and dominance; Propositions 6.5 and 6.6: thresholds.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, Protocol, TypeAlias, runtime_checkable

from ...agents.users import Community, Point
from ...support.errors import MechanismError, TooLargeError, quote
from ...support.exact import Rational
from ..custom import call, entries, exact
from .deadlines import LstKernel, list_edf
from .multi import multimixed
from .pareto import pareto_front
from .schedule import Outcome, Slot, point_of, zenith_low

METHOD: Final = "own"
"""Name of the method in records of a custom rule."""

METHODS: Final = ("point(community)", "schedule(community)")
"""What a rule has: one of these, or both."""

Placed: TypeAlias = tuple[int, int, int, Rational | str]
"""User, job, machine, start."""


@runtime_checkable
class PointRule(Protocol):
    """A rule that promises everybody a value."""

    def point(self, community: Community) -> Sequence[Rational | str] | None:
        """One value per user, or ``None`` for no answer."""


@runtime_checkable
class ScheduleRule(Protocol):
    """A rule that says when and where every job runs."""

    def schedule(self, community: Community) -> Iterable[Placed]:
        """Every job once: ``(user, job, machine, start)``."""


UserRule: TypeAlias = PointRule | ScheduleRule


def answer(rule: UserRule, shared: Community) -> Outcome:
    """Ask a rule and check what it says.

    Raises
    ------
    MechanismError
        The rule breaks down, or answers what is no point or schedule of these users, or promises what no schedule
        keeps; the message names the call.
    """
    name = type(rule).__name__
    promised = _promised(rule, shared, f"{name}.point") if isinstance(rule, PointRule) else None
    if isinstance(rule, ScheduleRule):
        outcome = _scheduled(rule, shared, f"{name}.schedule")
        if promised is None:
            return outcome
        _refuse_broken(shared, promised, outcome, name)
        return Outcome(promised, outcome.slots, METHOD)
    if promised is None:
        return Outcome.infeasible(METHOD)
    try:
        certificate = kept(shared, promised)
    except TooLargeError:
        return Outcome(promised, (), METHOD, complete=False)
    if certificate is None:
        values = ", ".join(str(shared.in_time(value)) for value in promised)
        raise MechanismError(
            f"{name}.point: found ({values}); expected values that some schedule keeps, and it is proved that none does"
        )
    return Outcome(promised, certificate.slots, METHOD)


# --- points ---------------------------------------------------------------------------------------------------------


def kept(shared: Community, promised: Point) -> Outcome | None:
    """A schedule in which nobody has more than was promised, or ``None`` when there is none.

    Raises TooLargeError where neither can be proved.

    >>> shared = Community.of(("makespan", [2]), ("total-completion", [1, 1]))
    >>> kept(shared, (3, 4)) is None, kept(shared, (4, 4)).point
    (True, (4, 3))
    """

    def fits(outcome: Outcome) -> bool:
        return outcome.point is not None and _within(outcome.point, promised)

    if shared.machines == 1 and len(shared.completion_users) <= 1:
        best = LstKernel(shared).outcome([promised[u] for u in shared.makespan_users])
        return best if fits(best) else None
    if not _within(zenith_low(shared), promised):
        return None
    outcome = multimixed(shared)
    if not shared.completion_users and not fits(outcome):
        order = sorted(shared.makespan_users, key=lambda u: promised[u])
        outcome = list_edf(shared, promised, order)
        if outcome.point is None:
            return None  # its certificate: somebody's jobs are too long for the promises
    if fits(outcome):
        return outcome
    front = pareto_front(shared)
    return next((front.outcome(point) for point in front.points if _within(point, promised)), None)


def _within(point: Sequence[int], limits: Sequence[int]) -> bool:
    return all(value <= limit for value, limit in zip(point, limits, strict=True))


def _promised(rule: PointRule, shared: Community, where: str) -> Point | None:
    answer = call(rule.point, where, community=shared)
    if answer is None:
        return None
    values = entries(answer, where, "one value per user", community=shared)
    if len(values) != len(shared.users):
        raise MechanismError(f"{where}: found {len(values)} values; expected one per user, {len(shared.users)}")
    return tuple(int(exact(v, f"{where}: value {i}") // shared.unit) for i, v in enumerate(values, 1))


def _refuse_broken(shared: Community, promised: Point, outcome: Outcome, name: str) -> None:
    assert outcome.point is not None  # a schedule has a point
    for user, value, limit in zip(shared.users, outcome.point, promised, strict=True):
        if value > limit:
            raise MechanismError(
                f"{name}.schedule: user {user.name!r} gets {shared.in_time(value)}; {name}.point promised at most "
                f"{shared.in_time(limit)}"
            )


# --- schedules ------------------------------------------------------------------------------------------------------


def _scheduled(rule: ScheduleRule, shared: Community, where: str) -> Outcome:
    answer = call(rule.schedule, where, community=shared)
    placed = entries(answer, where, "(user, job, machine, start) for every job", community=shared)
    slots = sorted(_slot(entry, shared, f"{where}: entry {i}") for i, entry in enumerate(placed, 1))
    times = Counter((slot.user, slot.job) for slot in slots)
    for u, count in enumerate(shared.n_jobs):
        for j in range(count):
            if times[u, j] != 1:
                raise MechanismError(f"{where}: {_job(shared, u, j)} runs {times[u, j]} times; expected every job once")
    ordered = sorted(slots, key=lambda slot: (slot.machine, slot.start))
    for one, other in pairwise(ordered):
        if one.machine == other.machine and other.start < one.end:
            raise MechanismError(
                f"{where}: machine {one.machine} runs {_job(shared, one.user, one.job)} until "
                f"{shared.in_time(one.end)} and {_job(shared, other.user, other.job)} from "
                f"{shared.in_time(other.start)}; expected one job at a time"
            )
    return Outcome(point_of(shared, slots), tuple(slots), METHOD)


def _slot(entry: object, shared: Community, where: str) -> Slot:
    if not isinstance(entry, tuple | list) or len(entry) != 4:
        raise MechanismError(f"{where}: found {quote(entry)}; expected (user, job, machine, start)")
    user = _number(entry[0], len(shared.users), f"{where}: user")
    job = _number(entry[1], shared.n_jobs[user], f"{where}: job of user {shared.users[user].name!r}")
    machine = _number(entry[2], shared.machines, f"{where}: machine")
    start = exact(entry[3], f"{where}: start")
    steps = start / shared.unit
    if start < 0 or steps.denominator != 1:
        raise MechanismError(f"{where}: start: found {start}; expected a multiple of {shared.unit} from 0 on")
    return Slot(user, job, machine, int(steps), int(steps) + shared.sizes[user][job])


def _number(value: object, count: int, where: str) -> int:
    try:
        number = -1 if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]  # TypeError says so
    except TypeError:
        number = -1
    if not 0 <= number < count:
        raise MechanismError(f"{where}: found {quote(value)}; expected a number from 0 to {count - 1}")
    return number


def _job(shared: Community, user: int, job: int) -> str:
    return f"job {job} of user {shared.users[user].name!r}"
