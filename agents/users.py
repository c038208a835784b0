r"""Users who share machines that belong to nobody in particular, and communities of them.

Model (Cordeiro 2012, section 6.1): user ``u`` owns ``n_u >= 1`` jobs of lengths ``p > 0`` and no machine; ``m``
identical machines run all jobs. Everything is there at time 0 and nothing is preempted. A user minimises either her
makespan, the largest completion time of her jobs (``"makespan"``), or the sum of their completion times
(``"total-completion"``).

Conventions: users and jobs count from 0 in code and from 1 in messages; every tie rule refers to that order. Lengths
are exact; :attr:`Community.sizes` are the same lengths as integers in units of :attr:`Community.unit`. Both
objectives are regular, so schedules never idle, every job starts on the grid of that unit, and a *point* (one value
per user, in user order, always the SUM for a total-completion user) is a tuple of integers in that unit.

The thesis's formula for the average completion time sums lengths instead of completion times; the text means the
latter. Sums are kept here, and the fairness functions divide by the number of jobs.

>>> ann, bob = User.of("ann", "makespan", ["1/2", 1]), User.of("bob", "total-completion", ["3/2"])
>>> shared = Community((ann, bob))
>>> shared.sizes, shared.unit, shared.works
(((1, 2), (3,)), Fraction(1, 2), (3, 3))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, Literal, TypeAlias

from ..support.errors import InputError, check_name
from ..support.exact import INF, Extended, Rational, rational, scale

Objective: TypeAlias = Literal["makespan", "total-completion"]
"""What a user or an organization minimises: the largest completion time of its jobs, or the sum of them."""

Point: TypeAlias = tuple[int, ...]
"""One value per user in user order, in units of :attr:`Community.unit`."""

OBJECTIVES: Final[Mapping[Objective, str]] = {
    "makespan": "the end of her last job",
    "total-completion": "the sum of the ends of her jobs",
}


@dataclass(frozen=True)
class User:
    """A user: a name, an objective and at least one job of positive length.

    Jobs of length zero and users without jobs are refused: their best value would be zero, and neither ratios nor the
    geometric grids over the objective space exist then.

    >>> User.of("ann", "makespan", [])
    Traceback (most recent call last):
        ...
    consortium.support.errors.InputError: user 'ann': no jobs; expected at least one
    """

    name: str
    objective: Objective
    jobs: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        check_name(f"user {self.name!r}: objective", self.objective, OBJECTIVES)
        if not self.jobs:
            raise InputError(f"user {self.name!r}: no jobs; expected at least one")
        for number, length in enumerate(self.jobs, 1):
            if length <= 0:
                raise InputError(f"user {self.name!r}: job {number} has length {length}; expected more than 0")

    @classmethod
    def of(cls, name: str, objective: Objective, jobs: Sequence[Rational | str]) -> User:
        """Read the lengths of a user's jobs: ints, Fractions or text such as ``"3/2"``."""
        where = f"user {name!r}: job"
        return cls(name, objective, tuple(rational(p, f"{where} {i}") for i, p in enumerate(jobs, 1)))


@dataclass(frozen=True)
class Community:
    """Users and the number of identical machines that they share.

    Attributes
    ----------
    users
        At least one, with different names, in the order that every tie rule refers to.
    machines
        Number of machines, at least 1.
    """

    users: tuple[User, ...]
    machines: int = 1

    def __post_init__(self) -> None:
        if not self.users:
            raise InputError("users: none given; expected at least one")
        if self.machines < 1:
            raise InputError(f"machines = {self.machines}; expected at least 1")
        names = [user.name for user in self.users]
        for number, name in enumerate(names):
            if name in names[:number]:
                raise InputError(f"users[{number + 1}].name: {name!r} is taken; names must differ")

    @classmethod
    def of(cls, *users: tuple[Objective, Sequence[Rational | str]], machines: int = 1) -> Community:
        """Community of users named u1, u2, ... from pairs of an objective and lengths.

        >>> Community.of(("makespan", [2]), ("total-completion", [1, 1])).n_jobs
        (1, 2)
        """
        return cls(tuple(User.of(f"u{i}", goal, jobs) for i, (goal, jobs) in enumerate(users, 1)), machines)

    @cached_property
    def _scaled(self) -> tuple[tuple[tuple[int, ...], ...], int]:
        flat, denominator = scale(length for user in self.users for length in user.jobs)
        sizes = iter(flat)
        return tuple(tuple(next(sizes) for _ in user.jobs) for user in self.users), denominator

    @property
    def sizes(self) -> tuple[tuple[int, ...], ...]:
        """Lengths as integers in units of :attr:`unit`, per user in input order."""
        return self._scaled[0]

    @property
    def unit(self) -> Fraction:
        """Length of one step of the integer time grid."""
        return Fraction(1, self._scaled[1])

    @cached_property
    def works(self) -> tuple[int, ...]:
        """Total length of each user's jobs, in units."""
        return tuple(map(sum, self.sizes))

    @cached_property
    def work(self) -> int:
        """Total length of all jobs, in units."""
        return sum(self.works)

    @property
    def n_jobs(self) -> tuple[int, ...]:
        """Number of jobs of each user."""
        return tuple(len(user.jobs) for user in self.users)

    @cached_property
    def makespan_users(self) -> tuple[int, ...]:
        """Users who minimise their makespan, in input order (``k''`` of them)."""
        return tuple(u for u, user in enumerate(self.users) if user.objective == "makespan")

    @cached_property
    def completion_users(self) -> tuple[int, ...]:
        """Users who minimise their total completion time, in input order (``k'`` of them)."""
        return tuple(u for u, user in enumerate(self.users) if user.objective == "total-completion")

    def in_time(self, value: int) -> Fraction:
        """A number of units as time."""
        return value * self.unit

    def thresholds(self, values: Sequence[Rational | str | None]) -> tuple[Extended, ...]:
        """Read one threshold per user, in time; ``None`` and ``"none"`` leave a user unconstrained.

        The answer is in units, perhaps fractional, ``inf`` for none. Raises InputError for another number of them.
        """
        if len(values) != len(self.users):
            raise InputError(f"thresholds: found {len(values)}; expected one per user, {len(self.users)}")
        return tuple(
            INF if value in (None, "none") else rational(value, f"thresholds[{i}]") / self.unit
            for i, value in enumerate(values, 1)
        )
