r"""REF for hundreds of organizations: contributions from sampled orderings, and the schedule that follows them.

REF keeps a schedule for each of ``2**k`` coalitions. Here the orderings are a sample (:mod:`.orderings`), and a
coalition serves its members by fair share instead of by contributions of its own, for which it would have to look at
all of its subsets. The schedule of everybody then serves whoever is furthest below its contribution, as REF does, at
the same moments (one unit of time after the decision) and with the same ties.

Bounds on the error, in the Manhattan metric (the sum over organizations, as in Theorem 5.6):

- **sampling**: batches of orderings are drawn independently. Student's intervals over their means hold, for all
  organizations at once (Bonferroni), with the confidence required; the bound is the sum of their half widths. Where
  more batches are drawn to reach an accuracy, the widths keep the spread of the first, as in Stein's two stages.
- **order**: in what order a coalition serves its members changes its value, unless all jobs take one unit of time. It
  is measured, not proved: twice what changes, at most, where coalitions serve the oldest job first or in turn.

By Theorem 5.6 (for jobs of one unit of time) a schedule that follows contributions is off by as much as these are. What
the schedule in fact depends on the sample is seen from two schedules, each of which follows one half of the batches.

References
----------
P. Skowron, K. Rzadca, "Non-monetary fair scheduling: a cooperative game theory approach", SPAA 2013 (Theorem 5.6).
C. Stein, "A two-sample test for a linear hypothesis whose power is independent of the variance", Annals of Mathematical
Statistics 16, 1945.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ...support.errors import InputError, TooLargeError
from ...support.intervals import quantile
from ...support.progress import Progress
from ...support.units import memory_text
from .catalogue import ORDERINGS_MAX
from .instance import IntArray, SharingInstance
from .kernels.sampled import Contributions, values_of
from .limits import LIMIT, PER_JOB, WORD, origin, plain_needed
from .orderings import Structure, WeightedCoalitions, coalitions, leaves, rounds, turns
from .outcome import SharingOutcome, utilities_of

FloatArray: TypeAlias = npt.NDArray[np.float64]

NAME: Final = "sampled"
BATCHES: Final = 16
"""Fewest independent batches of orderings: their spread says how exact the mean is."""
BATCHES_MAX: Final = 256
"""Most, by default."""
STARTS: Final = 100_000_000
"""Job starts in schedules of coalitions for which a sample is made as large, by default."""
INSIDE: Final = "fair-share"
"""How a coalition serves its members."""
OTHERWISE: Final = ("fifo", "round-robin")
"""How it serves them when the effect of that is measured."""
MARGIN: Final = 2
"""How many times the measured effect is stated."""
CONFIDENCE: Final = Fraction(19, 20)
PER_COALITION: Final = 128 * WORD
"""Bytes of a coalition with its entries, the dictionaries meanwhile included."""


@dataclass(frozen=True)
class Sample:
    """How many orderings are drawn, and which.

    Without ``samples`` they take about :data:`STARTS` job starts; a number is rounded up to whole batches. With
    ``epsilon``, as many more are drawn that the errors of sampling, which hold for all organizations together with the
    confidence, add up to at most this part of the value of all. Without a structure no two organizations keep together.
    """

    samples: int | None = None
    epsilon: Fraction | None = None
    confidence: Fraction = CONFIDENCE
    structure: Structure | None = None

    def of(self, k: int) -> Structure:
        """The structure of so many organizations."""
        return tuple(range(k)) if self.structure is None else self.structure

    def starts(self, k: int, jobs: int) -> int:
        """Places from which the circles of a batch are read: all, if as many as half of them would be."""
        every = turns(self.of(k))
        if self.samples is not None:
            starts = self.samples // (2 * BATCHES)
        else:
            starts = STARTS // (BATCHES * max(2, k * jobs))
            starts = every if 2 * starts >= every and self.structure is None else starts
        return max(1, min(every, starts))

    def batches(self, k: int, jobs: int) -> int:
        """Batches to begin with."""
        each = self.starts(k, jobs)
        if self.samples is not None:
            return max(BATCHES, -(-self.samples // (2 * each)))
        return max(BATCHES, min(BATCHES_MAX, STARTS // self._cost(k, jobs)))

    def schedules(self, k: int, jobs: int) -> int:
        """About how many schedules of coalitions are made to begin with, each of half of the jobs."""
        return min(2 * self.batches(k, jobs) * self._cost(k, jobs) // max(1, jobs), 2 << k)

    def _cost(self, k: int, jobs: int) -> int:
        """Job starts of a batch, in schedules of half of the jobs on average, of all coalitions of its orderings.

        The arcs of a whole circle are those of both directions.
        """
        starts = self.starts(k, jobs)
        return max(2, k * starts * jobs) // (2 if starts == k and self.structure is None else 1)


@dataclass(frozen=True, eq=False)
class SampledReference:
    """What stands in REF's place: a schedule, and bounds on the sum of the errors of all contributions."""

    outcome: SharingOutcome
    sampling: float
    order: float
    halves: tuple[SharingOutcome, SharingOutcome]  # each from one half of the batches
    orderings: int
    schedules: int  # of coalitions
    contributions: Contributions  # times the orderings, at any moment

    def at(self, times: Sequence[int]) -> list[list[Fraction]]:
        """The contributions at moments in increasing order, a list each."""
        return [[Fraction(phi, self.orderings) for phi in phis] for phis in self.contributions.at(times)]


def sampled_reference(
    instance: SharingInstance,
    until: int,
    sample: Sample,
    rng: np.random.Generator,
    threads: int = 1,
    progress: Progress | None = None,
) -> SampledReference:
    """Sample contributions and follow them up to ``until``.

    The outcome does not depend on the number of threads that make schedules of coalitions, 0 for one per core. Raises
    InputError for a structure that does not hold every organization once, TooLargeError beyond the limit on memory or
    where ``epsilon`` takes too many orderings, and KeyboardInterrupt when it was stopped.
    """
    k, jobs = instance.n_organizations, instance.n_jobs
    sampled_memory(instance, until, sample, threads)
    structure, starts, first = sample.of(k), sample.starts(k, jobs), sample.batches(k, jobs)
    if sorted(leaves(structure)) != list(range(k)):
        raise InputError(f"structure: found {structure}; expected each of 0..{k - 1} once, in tuples")
    drawn = _Drawn(instance, until, structure, starts, rng, threads, progress)
    drawn.more(first, otherwise=True)
    error, batches = drawn.error(float(sample.confidence)), first
    allowed = math.inf if sample.epsilon is None else float(sample.epsilon) * drawn.value
    if error > allowed:
        needed = first * (error / allowed) ** 2 if allowed else math.inf
        if needed * 2 * starts > min(ORDERINGS_MAX, 100 * ORDERINGS_MAX / k):
            raise TooLargeError(
                f"epsilon: {2 * starts * first:,} orderings leave an error of {error / drawn.value:.2g} of what all "
                f"contribute, and {float(sample.epsilon or 0):g} would take more than {ORDERINGS_MAX:,} orderings"
            )
        batches = math.ceil(needed)
        drawn.more(batches - first)
    return drawn.reference(error * math.sqrt(first / batches))


@dataclass(eq=False)
class _Drawn:
    """Batches drawn so far."""

    instance: SharingInstance
    until: int
    structure: Structure
    starts: int
    rng: np.random.Generator
    threads: int
    progress: Progress | None

    def __post_init__(self) -> None:
        shape = (self.until - origin(self.instance, self.until) + 1, self.instance.n_organizations)
        self.changes = [np.zeros(shape, dtype=np.int64) for _ in range(2)]  # of two halves
        self.drawn = [0, 0]  # orderings of each half
        self.schedules = 0
        self.means: list[FloatArray] = []  # contributions, a row per batch
        self.order = 0.0

    @property
    def value(self) -> float:
        """Of all organizations together."""
        return float(self.means[0][0].sum())

    def more(self, batches: int, otherwise: bool = False) -> None:
        """Draw more batches, and measure how much it matters ``otherwise`` coalitions serve their members."""
        apart = []
        for half, number in enumerate((batches - batches // 2, batches // 2)):
            if number:
                batch = [rounds(self.structure, self.starts, self.rng).tolist() for _ in range(number)]
                drawn = coalitions(batch, self.instance.n_organizations)
                self.drawn[half] += number * drawn.orderings
                self.schedules += len(drawn.member)
                self.means.append(self._means(drawn, number, INSIDE, self.changes[half]))
                apart.append([self._means(drawn, number, rule) - self.means[-1] for rule in OTHERWISE if otherwise])
        if otherwise:
            changed = np.concatenate(apart, axis=1).mean(axis=1)
            self.order = float(np.abs(changed).sum(axis=1).max(initial=0))

    def _means(self, drawn: WeightedCoalitions, batches: int, rule: str, change: IntArray | None = None) -> FloatArray:
        values = values_of(
            self.instance,
            drawn,
            self.until,
            rule,
            self._method(1),
            change=change,
            threads=self.threads,
            progress=self.progress,
        )
        means = np.zeros((batches, self.instance.n_organizations))
        np.add.at(means, (drawn.batch, drawn.player), drawn.weight * values[drawn.coalition].astype(float))
        return means / drawn.orderings

    def _method(self, factor: int) -> str:
        return "python" if plain_needed(self.instance, self.until, factor) else "int64"

    def error(self, confidence: float) -> float:
        """Half widths of all contributions' intervals together."""
        rows = np.concatenate(self.means)
        each = quantile(len(rows), 1 - (1 - confidence) / rows.shape[1])
        return float(each * np.std(rows - rows[0], axis=0, ddof=1).sum() / math.sqrt(len(rows)))

    def reference(self, error: float) -> SampledReference:
        """The schedule that follows what was drawn."""
        one, two = self.changes
        halves = [self._followed(change, count)[0] for change, count in zip(self.changes, self.drawn, strict=True)]
        one += two
        outcome, contributions = self._followed(one, sum(self.drawn))
        return SampledReference(
            outcome=outcome,
            sampling=error,
            order=MARGIN * self.order,
            halves=(halves[0], halves[1]),
            orderings=sum(self.drawn),
            schedules=self.schedules,
            contributions=contributions,
        )

    def _followed(self, change: IntArray, count: int) -> tuple[SharingOutcome, Contributions]:
        """The schedule that follows the contributions of ``count`` orderings."""
        instance, until, method = self.instance, self.until, self._method(6 * count)
        contributions = Contributions(instance, change, count, until, method)
        start = contributions.starts()
        phi = tuple(Fraction(x, count) for x in contributions.at([until])[0])
        utility = utilities_of(instance, start, until)
        outcome = SharingOutcome(instance, NAME, "next", until, start, utility, phi, method=method)
        return outcome, contributions


def sampled_memory(instance: SharingInstance, until: int, sample: Sample, threads: int = 1) -> int:
    """Bytes of such a run, or TooLargeError beyond the limit."""
    k, jobs = instance.n_organizations, instance.n_jobs
    table = (until - origin(instance, until) + 1) * k * WORD
    drawn = sample.schedules(k, jobs) // 2 * (PER_COALITION + k)
    orderings = sample.batches(k, jobs) * sample.starts(k, jobs)
    needed = PER_JOB * jobs + (1 + threads) * table + drawn + orderings * k * WORD
    if needed > LIMIT:
        raise TooLargeError(
            f"sampled contributions would take {memory_text(needed)} for {k} organizations and {until:,} units of "
            f"time; the limit is {memory_text(LIMIT)}. Give fewer samples or a shorter window"
        )
    return needed
