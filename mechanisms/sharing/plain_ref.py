"""REF for any utility and any size of numbers: the corrected first figure, in Python's integers and fractions.

Every coalition runs its own schedule, smaller coalitions first. A coalition with a free machine starts the job of the
member that brings utilities closest to Shapley values in the Manhattan metric, looking at ``t + 1`` (``next``) or
``t`` (``now``). ``delta`` is what a job started at ``t`` is known to add by then: 1 for psi_sp and busy time under
``next``, 0 for every utility of completed jobs, because the length of a running job is not known. Equal distances:
smallest utility minus contribution, then lowest index. For psi_sp this is the rule of the third figure; the compiled
kernel makes the same decisions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Final, TypeAlias

from ...scheduling.exact import Rational
from ...scheduling.progress import Progress
from .instance import SharingInstance
from .plain import Queues, Site, Tally, decide, job_utility, moments

Measure: TypeAlias = Callable[[Tally, int], Rational]
"""Utility from a tally brought to ``t``, at ``t + step``."""


def _mean(total: int, count: int) -> Fraction:
    return Fraction(total, count) if count else Fraction(0)


UTILITIES: Final[Mapping[str, Measure]] = MappingProxyType(
    {
        "psi-sp": lambda tally, step: tally.utility + step * (tally.parts + tally.running),
        "busy-time": lambda tally, step: tally.parts + step * tally.running,
        "flow-time": lambda tally, step: -tally.flow,
        "turnaround": lambda tally, step: -_mean(tally.flow, tally.completed),
        "tardiness": lambda tally, step: -tally.tardiness,
    }
)
"""What an organization may care about; times enter negated, so more is always better."""

KNOWN_AT_START: Final = frozenset({"psi-sp", "busy-time"})
"""Utilities that a running job already improves, by one in its first unit of time."""


def schedule_utility(utility: str, jobs: list[tuple[int, ...]], starts: list[int], at: int) -> Rational:
    """Utility of one organization from ``jobs[i]`` started at ``starts[i]``, at moment ``at``.

    Flow time sums completion minus release, turnaround is its mean, tardiness sums what exceeds the due date, all over
    jobs completed by ``at`` and negated; busy time counts unit parts done.
    """
    pairs = list(zip(jobs, starts, strict=True))
    if utility == "psi-sp":
        return sum(job_utility(s, job[1], at) for job, s in pairs)
    if utility == "busy-time":
        return sum(max(0, min(job[1], at - s)) for job, s in pairs)
    done = [(job, s + job[1]) for job, s in pairs if s + job[1] <= at]
    if utility == "tardiness":
        return -sum(max(0, end - job[2]) for job, end in done)
    flow = sum(end - job[0] for job, end in done)
    return -flow if utility == "flow-time" else -_mean(flow, len(done))


class _Completions(Site):
    """A site that also books flow time and tardiness of completed jobs."""

    def __init__(self, queues: Queues, machines: tuple[int, ...], members: list[int]) -> None:
        super().__init__(queues, machines, members)
        self.ends: list[dict[int, list[int]]] = [{} for _ in machines]

    def start(self, u: int, t: int) -> int:
        position = super().start(u, t)
        self.ends[u].setdefault(t + self.queues.jobs[u][position][1], []).append(position)
        return position

    def complete(self, t: int) -> None:
        super().complete(t)
        for u in self.members:
            for end in [end for end in self.ends[u] if end <= t]:
                for position in self.ends[u].pop(end):
                    job = self.queues.jobs[u][position]
                    self.tally[u].flow += end - job[0]
                    self.tally[u].tardiness += max(0, end - job[2]) if len(job) > 2 else 0


@dataclass
class PlainRef:
    """Schedules of all coalitions: starts ``(t, organization, position)`` by mask, and their values at ``reached``."""

    starts: dict[int, list[tuple[int, int, int]]]
    utilities: dict[int, list[Rational]]
    reached: int
    complete: bool


def run_ref(
    instance: SharingInstance, until: int, step: int, utility: str, progress: Progress | None = None
) -> PlainRef:
    """Run REF for ``utility`` up to ``until``; ``step`` is 1 to compare at ``t + 1`` and 0 to compare at ``t``."""
    k = instance.n_organizations
    queues = Queues.of(instance, until)
    sites = {
        mask: _Completions(queues, instance.machines, [u for u in range(k) if mask >> u & 1]) for mask in range(1, 2**k)
    }
    reached, complete = until, True
    try:
        for count, t in enumerate(moments(queues, list(sites.values()))):
            reached = t
            _moment(sites, t, step, utility)
            if progress is not None and count % 64 == 0:
                progress(t, until, "moments")
        reached = until
    except KeyboardInterrupt:
        complete = False
    utilities: dict[int, list[Rational]] = {}
    for mask, site in sites.items():
        utilities[mask] = [0] * k
        for u in site.members:
            mine = [(position, t) for t, w, position in site.starts if w == u]
            jobs = [queues.jobs[u][position] for position, _ in mine]
            utilities[mask][u] = schedule_utility(utility, jobs, [t for _, t in mine], reached)
    return PlainRef({mask: site.starts for mask, site in sites.items()}, utilities, reached, complete)


def _moment(sites: dict[int, _Completions], t: int, step: int, utility: str) -> None:
    """Let every coalition decide at ``t``, smaller ones first (numeric order of masks puts subsets first)."""
    potentials: dict[int, Fraction] = {0: Fraction(0)}
    measure = UTILITIES[utility]
    values: dict[int, Rational] = {}

    def potential(mask: int) -> Fraction:
        """Hart and Mas-Colell's potential, computed when first asked; every strict subset is final by then."""
        if mask not in potentials:
            members = [1 << u for u in sites[mask].members]
            below = sum((potential(mask ^ bit) for bit in members), Fraction(0))
            if mask not in values:
                values[mask] = sum(_measured(sites[mask], u, t, step, measure) for u in sites[mask].members)
            potentials[mask] = (values[mask] + below) / len(members)
        return potentials[mask]

    for mask, site in sites.items():
        if site.free <= 0 or len(site.waiting()) == 0:
            continue
        if len(site.members) == 1:
            decide(site, t, lambda s, waiting, now: waiting[0])
            continue
        own = sum(_measured(site, u, t, step, measure) for u in site.members)
        below = {u: potential(mask ^ (1 << u)) for u in site.members}
        whole = (own + sum(below.values(), Fraction(0))) / len(site.members)
        contribution = {u: whole - below[u] for u in site.members}
        decide(site, t, _Closest(contribution, t, step, utility))


def _measured(site: Site, u: int, t: int, step: int, measure: Measure) -> Rational:
    site.tally[u].bring(t)
    return measure(site.tally[u], step)


class _Closest:
    """Distance of the first figure: over the member that gains, and over the others."""

    def __init__(self, contribution: dict[int, Fraction], t: int, step: int, utility: str) -> None:
        self.phi, self.t, self.step = contribution, t, step
        self.measure = UTILITIES[utility]
        self.delta = step if utility in KNOWN_AT_START else 0

    def __call__(self, site: Site, waiting: list[int], t: int) -> int:
        psi = {u: _measured(site, u, t, self.step, self.measure) for u in site.members}
        share = Fraction(self.delta, len(site.members))

        def distance(u: int) -> Fraction:
            others = sum(abs(self.phi[w] + share - psi[w]) for w in site.members if w != u)
            return abs(self.phi[u] + share - psi[u] - self.delta) + others

        chosen = min(waiting, key=lambda u: (distance(u), psi[u] - self.phi[u], u))
        for u in site.members:
            self.phi[u] += share
        return chosen
