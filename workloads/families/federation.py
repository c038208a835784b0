"""Random families of kind ``federation``: organizations with machines and jobs, and the papers' instances by name.

An instance draws the numbers of jobs, the numbers of machines, the lengths and the priorities of jobs, as far as they
are random. Jobs have priorities where the base scenario is a placement game that goes by given ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Annotated, Any, Final, Self

from numpy.random import Generator
from pydantic import Field, model_validator

from ..federation import (
    ZIPF_EXPONENT,
    Instance,
    corollary_5_7,
    family_1,
    family_2,
    figure_3_2,
    figure_3_3,
    figure_5_1,
    figure_5_2,
    figure_5_5,
    sharp_price,
    sharp_ratio,
    zipf_federations,
)
from .base import Count, CountOrNone, Draw, Exact, Family, Length, Members, Named, Organizations, Parameters, Real
from .lengths import Lengths, Number, combined


def needed(base: Mapping[str, Any]) -> Mapping[str, Any]:
    """Priorities of jobs, where the base's placement game goes by them and the format therefore wants them."""
    mechanism = base.get("mechanism")
    if not isinstance(mechanism, Mapping):
        return {}
    ranked = mechanism.get("priority") == "jobs" and mechanism.get("order") == "given"
    return {"priorities": True} if ranked and mechanism.get("rule") == "coordination" else {}


class Prioritized(Parameters):
    """Whether jobs have priorities of their own."""

    priorities: bool = Field(
        False, description='a random order of all jobs as their priorities; true where the base has order = "given"'
    )


class Federations(Prioritized, Organizations, Lengths):
    """Organizations, each with at least one machine."""

    machines: Count | Annotated[tuple[Count, ...], Field(strict=False)] = Field(
        1, description="machines of each, or a list of them, one number per organization"
    )


def rows(lengths: list[list[Number]], machines: list[int], priorities: bool, rng: Generator) -> list[dict[str, Any]]:
    """``[[organizations]]`` of a scenario."""
    jobs: list[list[Any]] = [*lengths]
    if priorities:
        ranks = iter((rng.permutation(sum(map(len, lengths))) + 1).tolist())
        jobs = [[{"length": length, "priority": next(ranks)} for length in row] for row in lengths]
    return [{"machines": m, "jobs": row} for m, row in zip(machines, jobs, strict=True)]


def prepare(parameters: Federations) -> Draw:
    """Instances of any distribution of lengths."""
    count, own, deal = parameters.counts(), parameters.owned(), parameters.dealt()
    priorities, named = parameters.priorities, parameters.named

    def draw(rng: Generator) -> dict[str, Any]:
        counts, machines = count(rng), own(rng)
        return {"organizations": named(rows(deal(rng, counts), machines, priorities, rng))}

    return draw


# --- the simulations of the thesis ----------------------------------------------------------------------------------


class ZipfJobs(Prioritized, Named):
    """Jobs belong to organizations by Zipf's law; lengths are uniform."""

    organizations: Count = Field(20, description="number of organizations, N")
    jobs: CountOrNone = Field(100, description="jobs of all organizations, n; an organization may get none")
    exponent: Real = Field(ZIPF_EXPONENT, ge=0, le=20, description="of Zipf's law over organizations; 0 is uniform")
    longest: Length = Field(1000, description="lengths are uniform on the integers from 1 to so many (units of time)")
    machines: Count = Field(1, description="machines of each organization")

    @model_validator(mode="after")
    def _agreed(self) -> Self:
        return self.check_names(self.organizations)


def prepare_zipf(parameters: ZipfJobs) -> Draw:
    """The same draws as :func:`~consortium.workloads.federation.zipf_federations` of one instance."""
    p, machines = parameters, [parameters.machines] * parameters.organizations

    def draw(rng: Generator) -> dict[str, Any]:
        sizes, counts = zipf_federations(rng, p.organizations, p.jobs, 1, p.exponent, p.longest)
        left = iter(sizes[0].tolist())
        lengths: list[list[Number]] = [[next(left) for _ in range(count)] for count in counts[0].tolist()]
        return {"organizations": p.named(rows(lengths, machines, p.priorities, rng))}

    return draw


# --- the papers' instances ------------------------------------------------------------------------------------------


class Size(Parameters):
    """A figure of a given size."""

    n: Annotated[int, Field(ge=2, le=1000)] = Field(3, description="number of organizations, N")


class Family2(Parameters):
    """The second family of Pareto points."""

    j: Annotated[int, Field(ge=2, le=100)] = Field(2, description="points (1; 2 - 1/j) and (j/(j-1); 1)")
    k: Annotated[int, Field(ge=1, le=1000)] = Field(2, description="number of copies, more than j - 2")

    @model_validator(mode="after")
    def _agreed(self) -> Self:
        if self.k <= self.j - 2:
            raise ValueError(f"k: found {self.k}; expected more than j - 2 = {self.j - 2}")
        return self


class Figure51(Parameters):
    """The bound on approximate equilibria with priority to jobs."""

    delta: Exact = Field(description="length of the short jobs; the bound is (2 + 4 delta) / (1 + 3 delta)")


class Figure52(Parameters):
    """The reduction from PARTITION, of random parts."""

    parts: Count = Field(3, description="number of parts")
    longest: Length = Field(
        6, description="parts are uniform on 1 to so much; the last grows by 1 where the sum is odd"
    )
    printed: bool = Field(False, description="large jobs as printed, S/2 + 3, and not as repaired, S/2 + 4")


class Figure55(Parameters):
    """The price of anarchy of priority to organizations."""

    k: Annotated[int, Field(ge=2, le=300)] = Field(2, description="size: the price of anarchy is 2K / (K + 1)")
    printed: bool = Field(False, description="unit jobs as printed, and not as repaired")


class Corollary57(Parameters):
    """The game without equilibrium."""

    last: Length = Field(2, description="length of the last job; with 1 there is an equilibrium")


def _partition(parameters: Figure52) -> Draw:
    def draw(rng: Generator) -> dict[str, Any]:
        parts = rng.integers(1, parameters.longest + 1, size=parameters.parts).tolist()
        parts[-1] += sum(parts) % 2
        return {"organizations": figure_5_2(parts, not parameters.printed).tables()}

    return draw


def _fixed(
    name: str, model: type[Parameters], make: Callable[[Any], Instance], summary: str, where: str = ""
) -> Family:
    """A family without chance, of the thesis where it says where: every draw is the instance of its parameters."""

    def prepare(parameters: Parameters) -> Draw:
        instance = make(parameters)
        return lambda rng: {"organizations": instance.tables()}

    return Family(name, "federation", model, prepare, summary, where and f"Cordeiro 2012, {where}")


MOST_ORGANIZATIONS: Final = 6
MOST_WORK: Final = 40
"""So that a member has a number within int64, and partitions fit a list."""


class AllFederations(Parameters):
    """Every federation of so many organizations with one machine each and so much work."""

    organizations: Annotated[int, Field(ge=1, le=MOST_ORGANIZATIONS)] = Field(3, description="number of organizations")
    work: Annotated[int, Field(ge=0, le=MOST_WORK)] = Field(6, description="length of all jobs together, exactly")


def every(parameters: AllFederations) -> Members:
    """Every federation of a total work; jobs of one organization differ by their lengths alone.

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
        for smaller in _partitions(work - length, length):
            yield (length, *smaller)


@lru_cache(maxsize=MOST_ORGANIZATIONS * (MOST_WORK + 1))
def ways(organizations: int, work: int) -> int:
    """How many federations there are.

    >>> [ways(3, work) for work in range(7)]
    [1, 3, 9, 22, 51, 108, 221]
    """
    if organizations == 1:
        return len(partitions(work))
    return sum(ways(1, own) * ways(organizations - 1, work - own) for own in range(work + 1))


def _member(organizations: int, work: int, number: int) -> Iterator[tuple[int, ...]]:
    """Jobs of every organization of a federation by its number, from 0."""
    for others in range(organizations - 1, 0, -1):
        for own in range(work, -1, -1):
            behind = ways(others, work - own)
            if number < ways(1, own) * behind:
                break
            number -= ways(1, own) * behind
        at, number = divmod(number, behind)
        yield partitions(own)[at]
        work -= own
    yield partitions(work)[number]


def _draw_any(parameters: AllFederations) -> Draw:
    """Any of them, equally likely."""
    members = every(parameters)
    return lambda rng: members.member(int(rng.integers(members.count)))


FAMILIES: Final = (
    *combined("federation", Federations, prepare, "organizations with jobs", needed),
    Family(
        "zipf-jobs",
        "federation",
        ZipfJobs,
        prepare_zipf,
        "jobs of organizations by Zipf's law; uniform lengths: the simulations of the thesis",
        "Cordeiro 2012, section 3.5",
        needed,
    ),
    _fixed("figure-3.2", Size, lambda p: figure_3_2(p.n), "local constraints cost half", "Figure 3.2"),
    _fixed("figure-3.3", Size, lambda p: figure_3_3(p.n), "selfishness costs 2 - 2/N", "Figure 3.3"),
    _fixed("figure-4.3", Size, lambda p: family_1(p.n), "Pareto points (1; 1 + 1/(N-1)) and (N-1; 1)", "Figure 4.3"),
    _fixed("figure-4.5", Family2, lambda p: family_2(p.j, p.k), "Pareto points of a second family", "Figure 4.5"),
    _fixed("figure-5.1", Figure51, lambda p: figure_5_1(p.delta), "no good approximate equilibrium", "Figure 5.1"),
    Family(
        "figure-5.2",
        "federation",
        Figure52,
        _partition,
        "the reduction of Theorem 5.5 from PARTITION of random parts; jobs have priorities",
        "Cordeiro 2012, Figure 5.2",
    ),
    _fixed("figure-5.5", Figure55, lambda p: figure_5_5(p.k, not p.printed), "a price of anarchy near 2", "Figure 5.5"),
    _fixed("corollary-5.7", Corollary57, lambda p: corollary_5_7(p.last), "no pure equilibrium", "Corollary 5.7"),
    _fixed(
        "sharp-price",
        Size,
        lambda p: sharp_price(p.n),
        "the largest price of anarchy and of stability with one machine each",
    ),
    _fixed("sharp-ratio", Size, lambda p: sharp_ratio(p.n), "the largest ratio of SPT-LPT, 2 - 1/N"),
    Family(
        "all-federations",
        "federation",
        AllFederations,
        _draw_any,
        'every federation of a total work; replicates = "all" takes each once, a number draws any, equally likely',
        every=every,
    ),
)
