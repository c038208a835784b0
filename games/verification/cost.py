"""What a check will cost, before it starts.

The numbers of comparisons and profiles are exact. Memory and time are predictions: a few plans, spread over the domain,
tell how long planning takes and how crowded machines are; the rest are rates measured once on one core of an ordinary
machine. A prediction beyond the limits refuses the work with its numbers.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import comb, prod

from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.protocol import DeclarationMechanism
from ...support.errors import TooLargeError
from ...support.units import duration_text, memory_text
from . import orbits
from . import truth_tables as kernel
from .domain import Concept, Domain, Profile
from .general import Runs

MAX_SECONDS = 3600.0
"""Longest predicted work that is begun without being asked to."""
MAX_BYTES = 1 << 31
"""Largest predicted memory."""


@dataclass(frozen=True)
class Budget:
    """How much time and memory a check may be predicted to take; ``None``: any, because a clock will end it."""

    seconds: float | None = MAX_SECONDS
    bytes: int | None = MAX_BYTES

    @classmethod
    def of(cls, time_limit: float | None, max_bytes: int | None) -> Budget:
        """That of a check with a time limit, which then needs no other, and a limit of memory (``None``: the usual)."""
        return cls(MAX_SECONDS if time_limit is None else None, MAX_BYTES if max_bytes is None else max_bytes)

    def too_small(self, predicted: Estimate) -> bool:
        """Whether the memory is less than what is predicted."""
        return self.bytes is not None and predicted.bytes > self.bytes


USUAL = Budget()
PROCESS_BYTES = 150 << 20
"""Of the process that runs the kernel, before any work."""
_PROBES = 4
SECONDS_PER_CELL = 60e-9
"""One machine run to its end."""
_SECONDS_PER_LOOK = 5e-9  # one cell of one table in one comparison of plans
_SECONDS_PER_CLASS = 4e-5  # bills and penalties of the classes of one multiset
_SECONDS_PER_PATTERN = 120e-9
BYTES_PER_RUN = 1200
"""Of a run that is remembered."""


@dataclass(frozen=True)
class Estimate:
    """Size of a check.

    Attributes
    ----------
    method
        ``"kernel"``, ``"general"`` or ``"sample"``.
    comparisons
        Comparisons of the truth with one lie in the domain (exact).
    profiles
        Declaration profiles to plan (exact).
    runs
        Runs of the mechanism (general, sample), 0 for the kernel.
    bytes, seconds
        Predicted memory and time.
    """

    method: str
    comparisons: int
    profiles: int
    runs: int
    bytes: int
    seconds: float

    @property
    def exact(self) -> bool:
        """Always False: memory and time are predictions."""
        return False

    def describe(self) -> str:
        """One line for people."""
        return (
            f"{self.comparisons} comparisons over {self.profiles} declaration profiles, method {self.method}: "
            f"about {duration_text(self.seconds)} and {memory_text(self.bytes)}"
        )

    def refuse(self, budget: Budget) -> None:
        """Raise TooLargeError, with what the caller can do, when the prediction is beyond the budget."""
        long = budget.seconds is not None and self.seconds > budget.seconds
        large = budget.too_small(self)
        if not long and not large:
            return
        most = [] if budget.bytes is None else [memory_text(budget.bytes)]
        most += [] if budget.seconds is None else [duration_text(budget.seconds)]
        ways = ["fewer lengths or declarations", "a sample of N comparisons"]
        if long and not large:
            ways.append("a time limit, which keeps what is known")
        more = "; or raise max_bytes (--max-bytes)" if large else ""
        raise TooLargeError(
            f"{self.describe()}; the limits are {' and '.join(most)}. Take {', '.join(ways[:-1])} or {ways[-1]}{more}"
        )


def estimate(
    mechanism: DeclarationMechanism,
    domain: Domain,
    concept: Concept = "dominant",
    *,
    method: str = "auto",
    sample: int | None = None,
) -> Estimate:
    """Predict the cost of a check; plans or runs a handful of profiles to know what one of them takes.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> size = estimate(build("harsh", Cluster.of([1, 2])), Domain.of([1, 2, 3], agents=3))
    >>> size.method, size.comparisons, size.profiles
    ('kernel', 1458, 27)
    """
    comparisons = domain.cases(concept)
    if sample is not None:
        per_run = probe(mechanism, domain)
        runs = 2 * min(sample, comparisons)
        return Estimate(
            "sample", comparisons, domain.profiles, runs, min(runs, 100_000) * BYTES_PER_RUN, runs * per_run
        )
    if method in ("auto", "kernel") and kernel.covers(mechanism):
        return _for_kernel(mechanism, domain, concept, comparisons)
    per_run = probe(mechanism, domain)
    runs = distinct_runs(domain, concept)
    if getattr(mechanism, "anonymous", False) and domain.alike:
        runs = max(1, runs // prod(range(1, domain.n_agents)))
    return Estimate(
        "general", comparisons, domain.profiles, runs, runs * BYTES_PER_RUN, runs * per_run + comparisons * 4e-6
    )


def spread(domain: Domain) -> list[Profile]:
    """A handful of declaration profiles, spread over the domain."""
    count = domain.profiles
    picked = sorted({i * max(count - 1, 1) // _PROBES % count for i in range(_PROBES + 1)})
    return [domain.profile(number) for number in picked]


def distinct_runs(domain: Domain, concept: Concept) -> int:
    """Pairs of declarations and lengths that a check runs."""
    n = range(domain.n_agents)
    own = [sum(len(domain.options(k, x)) for x in domain.lengths[k]) for k in n]
    if concept == "dominant":
        return prod(own)
    truthful = [len(domain.lengths[k]) for k in n]
    return prod(truthful) + sum((own[k] - truthful[k]) * prod(truthful[:k] + truthful[k + 1 :]) for k in n)


def probe(mechanism: DeclarationMechanism, domain: Domain) -> float:
    """Seconds that one run takes, measured on a handful of declaration profiles."""
    runs = Runs(mechanism)
    lengths = tuple(own[-1] for own in domain.lengths)
    runs.outcome(spread(domain)[0], lengths)  # not timed: the first one may load and compile
    started, count = time.process_time(), 0
    for declared in spread(domain):
        runs.outcome(declared, lengths)
        count += 1
        if time.process_time() - started > 1:
            break
    return (time.process_time() - started) / count


@dataclass(frozen=True)
class KernelSize:
    """What plans and tables of a kernel check take.

    Attributes
    ----------
    planning
        Seconds to make the plans.
    unshared
        Cells of one agent's tables if no two profiles had the same one.
    cells
        Cells of one agent's tables, or of everybody's where all agents share theirs.
    widest
        Most lengths behind one declaration.
    plan_bytes
        Of the plans, and of the process.
    """

    planning: float
    unshared: float
    cells: float
    widest: int
    plan_bytes: int


def kernel_size(mechanism: OneRound, domain: Domain, concept: Concept) -> KernelSize:
    """Predict it from a handful of plans."""
    profiles, n = domain.profiles, domain.n_agents
    mechanism.plan(spread(domain)[0])  # not timed: the first one may load and compile
    started, cells, probes, crowd = time.process_time(), 0.0, 0, 1
    widest = max(len(domain.partners(k, b)) for k, own in enumerate(domain.universe) for b in own)
    most = [max(len(domain.partners(k, b)) for b in own) for k, own in enumerate(domain.universe)]
    for declared in spread(domain):
        plan = mechanism.plan(declared)
        assert plan.allocation is not None
        for jobs in plan.allocation.lists:
            cells += len(jobs) * (widest * 1.0 if concept == "ex-post" else float(prod(most[k] for k in jobs)))
            crowd = max(crowd, len(jobs))
        probes += 1
        if time.process_time() - started > 2:
            break
    per_plan = (time.process_time() - started) / probes
    unshared = cells = cells * profiles / probes / n
    planning = profiles * per_plan
    if orbits.covers(mechanism, domain):
        planning = _orbit_seconds(mechanism, domain)
        if domain.alike:
            cells = min(cells, shared_cells(mechanism, domain, crowd, widest))
    row = 8 * n * (10 + mechanism.cluster.n_machines + 3 * (n + 1))
    return KernelSize(planning, unshared, cells, widest, profiles * row + PROCESS_BYTES)


def _for_kernel(mechanism: OneRound, domain: Domain, concept: Concept, comparisons: int) -> Estimate:
    size, n = kernel_size(mechanism, domain, concept), domain.n_agents
    looks = n * size.unshared / size.widest * 2 * max(len(own) for own in domain.lengths)
    seconds = size.planning + n * size.cells * SECONDS_PER_CELL + looks * _SECONDS_PER_LOOK
    return Estimate("kernel", comparisons, domain.profiles, 0, int(size.plan_bytes + 8 * size.cells), seconds)


def _orbit_seconds(mechanism: OneRound, domain: Domain) -> float:
    """Time to plan all profiles by orbits."""
    n, options = domain.n_agents, len({b for own in domain.universe for b in own})
    multisets = min(domain.profiles, comb(options + n - 1, n))
    patterns = mechanism.cluster.n_machines**n
    return float(multisets * (6 * patterns * _SECONDS_PER_PATTERN + _SECONDS_PER_CLASS) + domain.profiles * n * 2e-7)


def shared_cells(mechanism: OneRound, domain: Domain, crowd: int, widest: int) -> float:
    """Cells of everybody's different tables: sorted lists of ``crowd`` jobs, her place, and penalties by the rest."""
    n, options = domain.n_agents, len(domain.universe[0])
    lists = comb(options + crowd - 1, crowd) * crowd * comb(options + n - crowd - 1, n - crowd)
    return float(mechanism.cluster.n_machines * lists * prod([widest] * crowd))
