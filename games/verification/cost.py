"""What a check will cost, before it starts.

The numbers of comparisons and profiles are exact. Memory and time are predictions: a few plans, spread over the domain,
tell how long planning takes and how crowded machines are; the rest are rates measured once on one core of an ordinary
machine. A prediction beyond the limits refuses the work with its numbers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import comb, prod

from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.protocol import DeclarationMechanism, Plan, unchecked
from ...support.errors import InputError, TooLargeError, unknown_name
from ...support.exact import magnitude
from ...support.units import duration_text, memory_text
from . import orbits
from .coalitions import Coalitions
from .domain import CONCEPTS, Concept, Domain, Profile
from .plans import BILLED, billed
from .prior import Prior
from .properties import Property, by_construction
from .results import MARGINS, METHODS, PROPERTIES
from .running import MEMORY, Runs
from .truth_tables import covers

MAX_SECONDS = 3600.0
"""Longest predicted work that is begun without being asked to."""
BEYOND = 10**80
"""Counts are no larger in predictions: nobody waits for less, and floats hold the products of three of them."""
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


@contextmanager
def _of_floats() -> Iterator[None]:
    """Numbers that no float holds are too large for any budget."""
    try:
        yield
    except OverflowError:
        ways = "fewer agents, lengths or declarations, or a sample of N comparisons"
        raise TooLargeError(f"the domain has more than 10**300 comparisons. Take {ways}") from None


PROCESS_BYTES = 150 << 20
"""Of the process that runs the kernel, before any work."""
_PROBES = 4
SECONDS_PER_CELL = 60e-9
"""One machine run to its end."""
_SECONDS_PER_LOOK = 5e-9  # one cell of one table in one comparison of plans
_SECONDS_PER_CLASS = 4e-5  # bills and penalties of the classes of one multiset
_SECONDS_PER_PRICE = 3e-5  # of an agent, by a formula of her own
_SECONDS_PER_PATTERN = 120e-9
_SECONDS_PER_COMPARISON = 4e-6  # of two runs that are remembered
_SECONDS_PER_JOINT_LIE = 12e-6  # the same for a coalition
_SECONDS_PER_ITEM = 50e-6  # a coalition at some true lengths
_SECONDS_PER_MEMBER = 8e-9  # of each joint lie in tables
_SECONDS_PER_TERM = 2e-6  # of an expectation, one profile of lengths at a time
_SECONDS_PER_TERM_IN_TABLES = 100e-9
_SECONDS_PER_WELFARE = 20e-6
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
            f"{magnitude(self.comparisons)} comparisons over {magnitude(self.profiles)} declaration profiles, method "
            f"{self.method}: about {duration_text(self.seconds)} and {memory_text(self.bytes)}; the limits are "
            f"{' and '.join(most)}. Take {', '.join(ways[:-1])} or {ways[-1]}{more}"
        )


@_of_floats()
def estimate(
    mechanism: DeclarationMechanism,
    domain: Domain,
    concept: Concept = "dominant",
    *,
    method: str = "auto",
    sample: int | None = None,
    coalitions: Coalitions | None = None,
    planned: bool = False,
) -> Estimate:
    """Predict the cost of a check; plans or runs a handful of profiles to know what one of them takes.

    Of joint lies it is that of all concepts of the ``coalitions``; ``planned``: the plans are there already.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> size = estimate(build("harsh", Cluster.of([1, 2])), Domain.of([1, 2, 3], agents=3))
    >>> size.method, size.comparisons, size.profiles
    ('kernel', 1458, 27)
    >>> estimate(build("harsh", Cluster.of([1])), Domain.of([1, 2], agents=2), coalitions=Coalitions((2,))).comparisons
    24
    """
    concepts, liars = ((concept,), 1) if coalitions is None else (coalitions.concepts, max(coalitions.sizes))
    cases = [domain.cases(each) if coalitions is None else coalitions.cases(domain, each) for each in concepts]
    total = sum(cases)
    if sample is not None:
        runs = 2 * sum(min(sample, of_concept) for of_concept in cases)
        return _of_runs("sample", total, domain, runs, probe(mechanism, domain))
    if method in ("auto", "kernel") and covers(mechanism):
        return _of_tables(kernel_size(mechanism, domain, concept), total, domain, coalitions, planned)
    runs = max(distinct_runs(domain, each, liars) for each in concepts)
    if coalitions is None and getattr(mechanism, "anonymous", False) and domain.alike:
        runs = max(1, runs // prod(range(1, domain.n_agents)))
    more = min(total, BEYOND) * (_SECONDS_PER_COMPARISON if coalitions is None else _SECONDS_PER_JOINT_LIE)
    return _of_runs("general", total, domain, runs, probe(mechanism, domain), more)


def _of_tables(size: KernelSize, cases: int, domain: Domain, coalitions: Coalitions | None, planned: bool) -> Estimate:
    """Plans, tables, and what is compared in them."""
    n, seconds, cells = domain.n_agents, 0.0 if planned else size.planning, size.cells
    if coalitions is None:
        looks = n * size.unshared / size.widest * 2 * max(len(own) for own in domain.lengths)
        seconds += n * cells * SECONDS_PER_CELL + looks * _SECONDS_PER_LOOK
    else:
        cells *= n if size.cells == size.unshared else 1
        worlds = prod(map(len, domain.lengths))
        seconds += cells * SECONDS_PER_CELL + min(cases, BEYOND) * max(coalitions.sizes) * _SECONDS_PER_MEMBER
        seconds += min(sum(comb(n, size) for size in coalitions.sizes) * worlds, BEYOND) * _SECONDS_PER_ITEM
    return Estimate("kernel", cases, domain.profiles, 0, int(size.plan_bytes + 8 * cells), seconds)


def _of_runs(method: str, cases: int, domain: Domain, runs: int, per_run: float, more: float = 0) -> Estimate:
    """Runs that are remembered, of a sample not all of them."""
    kept = min(runs, MEMORY) if method == "sample" else runs
    return Estimate(method, cases, domain.profiles, runs, kept * BYTES_PER_RUN, min(runs, BEYOND) * per_run + more)


def spread(domain: Domain) -> list[Profile]:
    """A handful of declaration profiles, spread over the domain."""
    count = domain.profiles
    picked = sorted({i * max(count - 1, 1) // _PROBES % count for i in range(_PROBES + 1)})
    return [domain.profile(number) for number in picked]


def distinct_runs(domain: Domain, concept: Concept, liars: int = 1) -> int:
    """Pairs of declarations and lengths that a check runs: ex post those in which no more agents lie than that."""
    by_liars = [1]
    for n, own in enumerate(domain.lengths):
        lies = sum(len(domain.lies(n, x)) for x in own)
        pairs = zip([*by_liars, 0], [0, *by_liars], strict=True)
        by_liars = [truthful * len(own) + lying * lies for truthful, lying in pairs]
    return sum(by_liars if concept == "dominant" else by_liars[: liars + 1])


def probe(mechanism: DeclarationMechanism, domain: Domain) -> float:
    """Seconds that one run takes, measured on a handful of declaration profiles."""
    runs, lengths = Runs(unchecked(mechanism)), tuple(own[-1] for own in domain.lengths)
    return _seconds_each(domain, lambda declared: runs.outcome(declared, lengths))


def _seconds_each(domain: Domain, work: Callable[[Profile], object]) -> float:
    """Seconds that a handful of declaration profiles take on average."""
    work(spread(domain)[0])  # not timed: the first one may load and compile
    started, count = time.process_time(), 0
    for declared in spread(domain):
        work(declared)
        count += 1
        if time.process_time() - started > 1:
            break
    return (time.process_time() - started) / count


@dataclass(frozen=True)
class KernelSize:
    """What plans and tables of a kernel check take."""

    planning: float  # seconds to make the plans
    unshared: float  # cells of one agent's tables if no two profiles had the same one
    cells: float  # of one agent's tables, or of everybody's where all agents share theirs
    widest: int  # most lengths behind one declaration
    plan_bytes: int  # of the plans, and of the process


@_of_floats()
def kernel_size(mechanism: OneRound, domain: Domain, concept: Concept) -> KernelSize:
    """Predict it from a handful of plans."""
    profiles, n = min(domain.profiles, BEYOND), domain.n_agents
    plans: list[Plan] = []
    per_plan = _seconds_each(domain, lambda declared: plans.append(mechanism.plan(declared)))
    lists = [jobs for plan in plans[1:] if plan.allocation is not None for jobs in plan.allocation.lists]
    most = [max(len(domain.partners(k, b)) for b in own) for k, own in enumerate(domain.universe)]
    widest, crowd = max(most), max(map(len, lists))
    cells: float = sum(len(jobs) * (widest if concept == "ex-post" else prod(most[k] for k in jobs)) for jobs in lists)
    cells = min(cells, BEYOND)
    unshared = cells = cells * profiles / (len(plans) - 1) / n
    planning = profiles * per_plan
    if orbits.covers(mechanism, domain):
        planning = _orbit_seconds(mechanism, domain)
        if domain.alike:
            cells = min(cells, shared_cells(mechanism, domain, crowd, widest))
    row = 8 * n * (10 + mechanism.cluster.n_machines + 3 * (n + 1))
    return KernelSize(planning, unshared, cells, widest, profiles * row + PROCESS_BYTES)


def _orbit_seconds(mechanism: OneRound, domain: Domain) -> float:
    """Time to plan all profiles by orbits."""
    n, options = domain.n_agents, len({b for own in domain.universe for b in own})
    profiles, patterns = (min(each, BEYOND) for each in (domain.profiles, mechanism.cluster.n_machines**n))
    multisets = min(profiles, comb(options + n - 1, n))
    each = _SECONDS_PER_CLASS + (0 if mechanism.payment in BILLED or not billed(mechanism) else n * _SECONDS_PER_PRICE)
    return float(multisets * (6 * patterns * _SECONDS_PER_PATTERN + each) + profiles * n * 2e-7)


def shared_cells(mechanism: OneRound, domain: Domain, crowd: int, widest: int) -> float:
    """Cells of everybody's different tables: sorted lists of ``crowd`` jobs, her place, and penalties by the rest."""
    n, options = domain.n_agents, len(domain.universe[0])
    lists = comb(options + crowd - 1, crowd) * crowd * comb(options + n - crowd - 1, n - crowd)
    return float(min(mechanism.cluster.n_machines * lists * prod([widest] * crowd), BEYOND))


@_of_floats()
def property_cost(mechanism: DeclarationMechanism, domain: Domain, *cases: int) -> list[Estimate]:
    """Predictions for properties of so many cases each, by running."""
    per_run = probe(mechanism, domain)
    return [Estimate("general", total, domain.profiles, total, 0, total * per_run) for total in cases]


def _all_properties(mechanism: DeclarationMechanism, domain: Domain, sample: int | None = None) -> list[Estimate]:
    """Those of all properties but one, except in a sample: whether every input is accepted is found out by running."""
    kept = [n for n in PROPERTIES if n != "accepts_every_input" and not by_construction(mechanism, n)]
    names = kept if sample is None else PROPERTIES
    runs = Runs(unchecked(mechanism))
    judges = [*(Property(runs, domain, n) for n in names), *(Property(runs, domain, n, True) for n in MARGINS)]
    cases = [judge.total if sample is None else min(judge.total, sample) for judge in judges]
    return property_cost(mechanism, domain, *cases)


@_of_floats()
def estimate_bayesian(mechanism: DeclarationMechanism, domain: Domain, prior: Prior, method: str = "auto") -> Estimate:
    """Predict the cost of a check of expectations whose plans, of the built-in rules, are made already."""
    likely = prior.within(domain)
    options = [sum(len(domain.options(n, x)) for x in own) for n, own in enumerate(likely.lengths)]
    terms = sum(count * prior.n_profiles // len(own) for count, own in zip(options, likely.lengths, strict=True))
    count = prior.cases(domain)
    if method != "general" and covers(mechanism):
        seconds = terms * _SECONDS_PER_TERM_IN_TABLES
        seconds += 0 if mechanism.goal.by_sum else prior.n_profiles * _SECONDS_PER_WELFARE
        return Estimate("kernel", count, prior.n_profiles, 0, 32 * terms + PROCESS_BYTES, seconds)
    by_running = estimate(mechanism, likely, "ex-post", method="general")
    runs, seconds = distinct_runs(likely, "ex-post"), by_running.seconds + terms * _SECONDS_PER_TERM
    return Estimate("general", count, prior.n_profiles, runs, by_running.bytes, seconds)


def choose_method(mechanism: DeclarationMechanism, method: str, sample: int | None) -> str:
    """The method that is taken: ``"auto"`` is the kernel where it applies, a sample runs the mechanism.

    Raises UnknownNameError for an unknown method, InputError for one that does not fit the rest.
    """
    if method not in METHODS:
        raise unknown_name("method", method, METHODS)
    if sample is not None and method not in ("auto", "general"):
        raise InputError(f"sample: found {sample} together with method {method!r}; a sample runs the mechanism itself")
    if method == "kernel" and not covers(mechanism):
        raise InputError(f"method 'kernel': found {type(mechanism).__name__}; expected a built-in rule in one round")
    if sample is not None:
        return "sample"
    return method if method != "auto" else "kernel" if covers(mechanism) else "general"


def costs(
    mechanism: DeclarationMechanism,
    domain: Domain,
    *,
    method: str = "auto",
    sample: int | None = None,
    prior: Prior | None = None,
    coalitions: Coalitions | None = None,
) -> tuple[Estimate, ...]:
    """Predictions for the parts of an audit, in the order in which it refuses them; a sample is never refused.

    Raises what :func:`.check.audit` raises for arguments that do not fit together.

    >>> from consortium.mechanisms.declaration import build
    >>> from consortium.scheduling.clusters import Cluster
    >>> [part.method for part in costs(build("harsh", Cluster.of([1])), Domain.of([1, 2], agents=2))]
    ['kernel']
    """
    chosen = choose_method(mechanism, method, sample)
    groups = []
    if coalitions is not None:
        groups = [estimate(mechanism, domain, method=chosen, sample=sample, coalitions=coalitions, planned=True)]
    if sample is not None:
        return (estimate(mechanism, domain, sample=sample), *_all_properties(mechanism, domain, sample), *groups)
    parts = [estimate(mechanism, domain)] if covers(mechanism) else []
    if chosen == "general":
        parts += [estimate(mechanism, domain, concept, method="general") for concept in CONCEPTS]
    if not covers(mechanism):
        parts += _all_properties(mechanism, domain)
    if prior is not None:
        parts.append(estimate_bayesian(mechanism, domain, prior, chosen))
    return (*parts, *groups)


def affordable(parts: Iterable[Estimate], method: str, budget: Budget) -> bool:
    """Whether an audit can make its tables; otherwise a clock ends it, and case after case is run until then.

    Raises TooLargeError, for the first part that is too large, where there is no such way.
    """
    parts = tuple(parts)
    if method == "auto" and budget.seconds is None and any(map(budget.too_small, parts)):
        return False
    for part in parts:
        part.refuse(budget)
    return True
