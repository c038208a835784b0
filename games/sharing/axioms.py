r"""What a utility of schedules must satisfy so that nobody gains by cutting, gluing or delaying jobs.

Model: one organization's schedule is a multiset of jobs ``(s, p)``, started at ``s`` and ``p`` units long; a utility
``psi(schedule, t)`` depends on what is done by moment ``t``. Skowron and Rzadca (2013, section 4) ask for

1. *starting times*: starting one job of length ``p`` one unit earlier is worth the same, and something, for every job;
2. *number of tasks*: one job more is worth the same in every schedule, and something;
3. *strategy resistance*: one job of length ``p1 + p2`` is worth what two jobs run back to back are worth.

Printed literally, axiom 1 ranges over all ``s <= t - 1``; no utility of parts done satisfies that together with the
others, because a job cut off by ``t`` gains less. It holds where the earlier job is completed, ``s + p <= t``. Axiom 3
is printed as the sum of two utilities of different schedules, which fails as soon as there is another job; what is
meant compares one schedule with both pieces. ``domain="corrected"`` (default) and ``"literal"`` check either reading.
The checks enumerate all moments up to ``t_max`` and all schedules of up to ``jobs_max`` other jobs, so a witness is
minimal: smallest moment, then smallest schedule.

>>> verdicts = check_axioms(UTILITIES["flow-time"], t_max=2)
>>> [verdict.holds for verdict in verdicts.values()]
[False, False, False]
>>> verdicts["number of tasks"].witness
Witness(moment=1, schedules=(((0, 1),), ()), values=(Fraction(-1, 1), Fraction(0, 1)))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations_with_replacement
from typing import Final, TypeAlias

from ...mechanisms.sharing.utilities import UTILITIES as POOL_UTILITIES
from ...mechanisms.sharing.utilities import Work
from ...support.errors import unknown_name
from ...support.exact import Rational

Job: TypeAlias = tuple[int, int]
Schedule: TypeAlias = tuple[Job, ...]
Utility: TypeAlias = Callable[[Schedule, int], Rational]


class _Utilities(Mapping[str, Utility]):
    """The pool's utilities, and two classical ones that REF is not built for, of jobs released at 0 and due at 1."""

    others: Final[Mapping[str, Utility]] = {
        "makespan": lambda schedule, t: -max((s + p for s, p in schedule if s + p <= t), default=0),
        "wait": lambda schedule, t: -sum(s for s, _ in schedule if s < t),
    }

    def __getitem__(self, name: str) -> Utility:
        if name in self.others:
            return self.others[name]
        value = POOL_UTILITIES[name].value
        return lambda schedule, t: value([Work(s, p, 0, 1) for s, p in schedule], t)

    def __iter__(self) -> Iterator[str]:
        return chain(POOL_UTILITIES, self.others)

    def __len__(self) -> int:
        return len(POOL_UTILITIES) + len(self.others)


UTILITIES: Final[Mapping[str, Utility]] = _Utilities()
"""Utilities by name for jobs released at 0 (and due at 1); times enter negated."""


@dataclass(frozen=True)
class Witness:
    """Schedules that break an axiom at a moment, and their utilities, in the order in which the axiom names them.

    Starting times: the earlier and the later start; when these differ by a positive amount, the pair with which they
    disagree follows. Number of tasks: with and without the job, then the pair that disagrees. Strategy resistance: the
    two pieces and the whole (literal: the two schedules with one piece each, and the whole).
    """

    moment: int
    schedules: tuple[Schedule, ...]
    values: tuple[Fraction, ...]


@dataclass(frozen=True)
class AxiomVerdict:
    """Whether an axiom held on everything enumerated, and the first counterexample."""

    holds: bool
    cases: int
    witness: Witness | None = None


def check_axioms(
    utility: Utility, t_max: int = 3, jobs_max: int = 1, domain: str = "corrected"
) -> dict[str, AxiomVerdict]:
    """Check the three axioms by enumeration.

    Parameters
    ----------
    utility
        Function of a schedule (a sorted tuple of ``(start, length)``) and a moment.
    t_max
        Largest moment; jobs start before it and are at most one unit longer than what fits.
    jobs_max
        Largest number of other jobs in the schedule.
    domain
        ``"corrected"`` or ``"literal"``, see the module.
    """
    if domain not in ("corrected", "literal"):
        raise unknown_name("domain", domain, ("corrected", "literal"))
    literal = domain == "literal"
    return {
        "starting times": _equal_gains(utility, t_max, jobs_max, literal, _earlier),
        "number of tasks": _equal_gains(utility, t_max, jobs_max, literal, _one_more),
        "strategy resistance": _resistance(utility, t_max, jobs_max, literal),
    }


def _jobs(t: int) -> list[Job]:
    return [(s, p) for s in range(t) for p in range(1, t - s + 2)]


def _schedules(t_max: int, jobs_max: int) -> Iterator[tuple[int, Schedule]]:
    """All moments, each with all schedules of other jobs."""
    for t in range(1, t_max + 1):
        for size in range(jobs_max + 1):
            for schedule in combinations_with_replacement(_jobs(t), size):
                yield t, schedule


def _with(schedule: Schedule, *jobs: Job) -> Schedule:
    return tuple(sorted((*schedule, *jobs)))


_Pair: TypeAlias = tuple[object, Schedule, Schedule]


def _earlier(schedule: Schedule, t: int, literal: bool) -> Iterator[_Pair]:
    """Pairs whose gain must agree for each length: started at ``s``, and at ``s + 1``."""
    for s, p in _jobs(t):
        if literal or s + p <= t:
            yield p, _with(schedule, (s, p)), _with(schedule, (s + 1, p))


def _one_more(schedule: Schedule, t: int, literal: bool) -> Iterator[_Pair]:
    """Pairs whose gain must agree for each job: with it, and without."""
    for job in _jobs(t):
        yield job, _with(schedule, job), schedule


def _equal_gains(
    utility: Utility,
    t_max: int,
    jobs_max: int,
    literal: bool,
    pairs: Callable[[Schedule, int, bool], Iterator[_Pair]],
) -> AxiomVerdict:
    cases = 0
    first: dict[object, tuple[Fraction, Schedule, Schedule]] = {}
    for t, schedule in _schedules(t_max, jobs_max):
        for key, better, worse in pairs(schedule, t, literal):
            cases += 1
            gain = Fraction(utility(better, t)) - Fraction(utility(worse, t))
            if gain <= 0:
                return AxiomVerdict(False, cases, _witness(utility, t, better, worse))
            before = first.setdefault((t, key), (gain, better, worse))
            if before[0] != gain:
                return AxiomVerdict(False, cases, _witness(utility, t, better, worse, before[1], before[2]))
    return AxiomVerdict(True, cases)


def _resistance(utility: Utility, t_max: int, jobs_max: int, literal: bool) -> AxiomVerdict:
    cases = 0
    for t, schedule in _schedules(t_max, jobs_max):
        for s, p1 in _jobs(t):
            for p2 in range(1, t - s - p1 + 2):
                cases += 1
                whole = _with(schedule, (s, p1 + p2))
                pieces: tuple[Schedule, ...] = (_with(schedule, (s, p1), (s + p1, p2)),)
                if literal:
                    pieces = (_with(schedule, (s, p1)), _with(schedule, (s + p1, p2)))
                if sum(Fraction(utility(x, t)) for x in pieces) != utility(whole, t):
                    return AxiomVerdict(False, cases, _witness(utility, t, *pieces, whole))
    return AxiomVerdict(True, cases)


def _witness(utility: Utility, t: int, *schedules: Schedule) -> Witness:
    return Witness(t, schedules, tuple(Fraction(utility(schedule, t)) for schedule in schedules))
