"""Families whose members are few enough to be counted: every federation of a given total work.

>>> each = every(AllFederations(organizations=2, work=2))
>>> each.count, [row["jobs"] for row in each.member(1)["organizations"]]
(5, [[1, 1], []])
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, Any, Final

from pydantic import Field

from .base import Draw, Family, Members
from .parameters import Parameters

MOST_ORGANIZATIONS: Final = 6
MOST_WORK: Final = 40
"""So that a member has a number within int64, and partitions fit a list."""


class AllFederations(Parameters):
    """Every federation of so many organizations with one machine each and so much work."""

    organizations: Annotated[int, Field(ge=1, le=MOST_ORGANIZATIONS)] = Field(3, description="number of organizations")
    work: Annotated[int, Field(ge=0, le=MOST_WORK)] = Field(6, description="length of all jobs together, exactly")


def every(parameters: AllFederations) -> Members:
    """All of them, jobs of one organization told apart by their lengths alone, organizations by their place.

    The order: most work of the first organization first, its jobs in the order of :func:`partitions`, then the second
    organization in the same way, and so on. Organizations may be without jobs.
    """
    n, work = parameters.organizations, parameters.work

    def member(number: int) -> dict[str, Any]:
        return {"organizations": [{"machines": 1, "jobs": list(jobs)} for jobs in _member(n, work, number)]}

    return Members(ways(n, work), member)


@lru_cache(maxsize=MOST_WORK + 1)
def partitions(work: int) -> tuple[tuple[int, ...], ...]:
    """Lengths that sum to ``work``, each descending, in descending lexicographic order.

    >>> partitions(4)
    ((4,), (3, 1), (2, 2), (2, 1, 1), (1, 1, 1, 1))
    """
    return tuple(_partitions(work, work))


def _partitions(work: int, longest: int) -> Iterator[tuple[int, ...]]:
    if not work:
        yield ()
    for length in range(min(work, longest), 0, -1):
        for rest in _partitions(work - length, length):
            yield (length, *rest)


@lru_cache(maxsize=MOST_ORGANIZATIONS * (MOST_WORK + 1))
def ways(organizations: int, work: int) -> int:
    """How many federations there are.

    >>> [ways(3, work) for work in range(7)]
    [1, 3, 9, 22, 51, 108, 221]
    """
    if organizations == 1:
        return _counted(work, work)
    return sum(ways(1, own) * ways(organizations - 1, work - own) for own in range(work + 1))


@lru_cache(maxsize=(MOST_WORK + 1) ** 2)
def _counted(work: int, longest: int) -> int:
    """How many partitions of ``work`` have no part above ``longest``."""
    if not work:
        return 1
    return sum(_counted(work - length, min(length, work - length)) for length in range(1, min(work, longest) + 1))


def _member(organizations: int, work: int, number: int) -> Iterator[tuple[int, ...]]:
    """Jobs of every organization of a federation by its number, from 0."""
    for others in range(organizations - 1, 0, -1):
        for own in range(work, -1, -1):
            rest = ways(others, work - own)
            if number < ways(1, own) * rest:
                break
            number -= ways(1, own) * rest
        at, number = divmod(number, rest)
        yield partitions(own)[at]
        work -= own
    yield partitions(work)[number]


def _prepare(parameters: AllFederations) -> Draw:
    """Any of them, equally likely."""
    members = every(parameters)
    return lambda rng: members.member(int(rng.integers(members.count)))


FAMILIES: Final = (
    Family(
        "all-federations",
        "federation",
        AllFederations,
        _prepare,
        'every federation of a total work; replicates = "all" takes each once, a number draws any, equally likely',
        every=every,
    ),
)
