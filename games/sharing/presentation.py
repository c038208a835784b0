"""Manipulation by presentation: jobs presented in parts, joined, later or longer, and what the true work is worth then.

For a fixed schedule psi_sp does not care how work is cut into jobs: splitting and merging change nothing and delaying
never pays. The schedule is not fixed, however: a rule reacts to what is presented. Two halves of a job may run side by
side, a merged job keeps its machine, a delayed one leaves its turn to a better moment, a second name has turns of its
own.

A :class:`Presentation` is a queue in starting order whose jobs may differ from the true ones; every part knows how much
true work it holds. A :class:`Step` changes a range of the queue as it stands, so several steps make any mixture:

- *split*: every job of the range is cut into ``amount`` parts as equal as can be, longer ones first, all released with
  it (a job shorter than that into parts of one unit);
- *merge*: each ``amount`` jobs of the range that follow each other become one, released with the last of them;
- *delay*: every job of the range is presented ``amount`` later; what shares a release keeps its order;
- *pad*: every job of the range is presented ``amount`` longer; only its true length counts for the utility;
- *flood*: every job of the range becomes an array of ``amount`` jobs of one machine each, as equal as can be, longer
  ones first, all released with it (of less work: an array of jobs of one unit);
- *account*: every second job of the range, the first included, is presented under a second name, that of a new
  organization listed last, with ``amount`` per cent of the organization's machines, rounded down (the last step's);
- *walltime*: every job of the range asks for ``amount`` per cent of the run time that it asked for, rounded up, and no
  less than it takes, else it would be killed (one that had asked for less is not asked less for).

Padded jobs are neither split, merged nor made arrays, jobs of different names or numbers of machines are not merged.
Parts of parallel jobs take as many machines and their part of the time asked for. A search may use all moves,
:func:`best_manipulation` tries the first four, each on one job (two, to merge), where a job of length p may be split
into q and p - q for every q.

>>> from consortium.mechanisms.sharing import SharingInstance
>>> queue = Presentation.of(SharingInstance.of([2], [[(0, 5), (3, 2)]]), 0)
>>> queue.after(Step("split", 0, 1, 2)).jobs
[(0, 3), (0, 2), (3, 2)]
>>> queue.after(Step("merge", 0, 2, 2)).jobs, queue.after(Step("delay", 0, 1, 4)).jobs
([(3, 7)], [(3, 2), (4, 5)])
>>> result = best_manipulation(SharingInstance.of([2], [[(0, 2)]]), 0, until=7, rule="ref")
>>> result.move, result.gain, result.best.jobs
('split', 1, ((0, 1), (0, 1)))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...mechanisms.sharing.instance import NARROW, AnyIntArray, IntArray, SharingInstance, narrowed
from ...mechanisms.sharing.outcome import SharingOutcome, throughput, utilities_of
from ...mechanisms.sharing.simulation import simulate
from ...mechanisms.sharing.utilities import DEFAULT
from ...support.errors import InputError, unknown_name
from ...support.progress import Progress

MOVES: Final = ("split", "merge", "delay", "pad")
"""Moves on single jobs that :func:`best_manipulation` enumerates."""
ALL_MOVES: Final = (*MOVES, "flood", "account", "walltime")
"""Moves of a search."""
CUTTING: Final = ("split", "flood")
"""Moves after which parts of a job may run at the same time."""
COLUMNS: Final = ("release", "length", "true", "width", "second", "estimate", "since", "qos")


@dataclass(frozen=True)
class Step:
    """One move on the jobs ``first`` to ``last`` (from 0, the last one excluded) of a queue as presented so far.

    ``amount``: parts of each job, jobs joined to one, units of delay or padding, per cent of machines or of time.
    """

    move: str
    first: int
    last: int
    amount: int


@dataclass(frozen=True, eq=False)
class Presentation:
    """A queue as it is presented, in starting order: arrays of shape (n,); a whole parallel job counts once."""

    release: AnyIntArray  # as the rule sees it
    length: AnyIntArray  # as the rule sees it
    true: AnyIntArray  # work in each job, on each of its machines
    width: IntArray  # machines of each job
    second: NDArray[np.bool_]  # whether it is presented under a second name
    estimate: AnyIntArray | None = None  # time asked for; none where jobs are not run whole
    since: AnyIntArray | None = None  # from when on it waits; none: from its release
    qos: IntArray | None = None  # priority of its QOS; none: 0 of all
    part: int = 0  # per cent of the machines that the second name has

    @classmethod
    def of(cls, instance: SharingInstance, organization: int) -> Presentation:
        """The true jobs."""
        jobs = instance.parallel_jobs
        low, high = np.searchsorted(jobs, instance.first[organization : organization + 2])
        jobs = jobs[low:high]
        length, width, estimate = instance.length[jobs], np.ones(jobs.size, dtype=np.int64), None
        if instance.width is not None or instance.estimate is not None:
            estimate = length if instance.estimate is None else instance.estimate[jobs]
            width = width if instance.width is None else instance.width[jobs]
        since, qos = (None if column is None else column[jobs] for column in (instance.since, instance.qos))
        second = np.zeros(jobs.size, dtype=np.bool_)
        return cls(instance.release[jobs], length, length, width, second, estimate, since, qos)

    @classmethod
    def listing(cls, jobs: Sequence[tuple[int, int]], true: Sequence[int]) -> Presentation:
        """Listed jobs ``(release, length)`` of one machine in starting order, and the work in each."""
        columns = ([job[0] for job in jobs], [job[1] for job in jobs], list(true))
        release, length, work = (narrowed(np.array(column, dtype=object)) for column in columns)
        return cls(release, length, work, np.ones(len(jobs), dtype=np.int64), np.zeros(len(jobs), dtype=np.bool_))

    def __len__(self) -> int:
        return int(self.release.size)

    @property
    def jobs(self) -> list[tuple[int, int]]:
        """``(release, length)`` of each job."""
        return list(zip(self.release.tolist(), self.length.tolist(), strict=True))

    def after(self, step: Step) -> Presentation:
        """The queue after a step; itself where the step changes nothing. Raises UnknownNameError for another move."""
        if step.move in CUTTING:
            return self._cut(step)
        if step.move == "merge":
            return self._merged(step)
        inside = np.zeros(len(self), dtype=np.bool_)
        inside[step.first : step.last] = True
        if step.move == "pad":
            estimate = None if self.estimate is None else _plus(self.estimate, inside, step.amount)
            return replace(self, length=_plus(self.length, inside, step.amount), estimate=estimate)
        if step.move == "delay":
            late = replace(self, release=_plus(self.release, inside, step.amount))
            if late.since is not None:
                late = replace(late, since=_plus(late.since, inside, step.amount))
            return late._at(np.argsort(late.release, kind="stable"))
        if step.move == "account":
            inside[step.first + 1 : step.last : 2] = False
            return replace(self, second=self.second | inside, part=step.amount) if inside.any() else self
        if step.move != "walltime":
            raise unknown_name("move", step.move, ALL_MOVES)
        if self.estimate is None:
            return self
        scaled = -(-product(self.estimate, np.array([step.amount])) // 100)
        least = np.minimum(self.length, self.estimate)
        return replace(self, estimate=narrowed(np.where(inside, np.maximum(scaled, least), self.estimate)))

    def _at(self, index: IntArray, **columns: Any) -> Presentation:
        """The jobs at these places, with other columns where they are named."""
        old: dict[str, Any] = {name: getattr(self, name) for name in COLUMNS if name not in columns}
        columns |= {name: None if column is None else column[index] for name, column in old.items()}
        return replace(self, **columns)

    def parts_of(self, step: Step) -> AnyIntArray:
        """How many jobs a split, or an array, makes of each job, shape (n,)."""
        parts = np.ones(len(self), dtype=np.int64)
        span = slice(step.first, step.last)
        work = product(self.length, self.width)[span] if step.move == "flood" else self.length[span]
        parts[span] = np.where(self.length[span] == self.true[span], np.minimum(work, step.amount), 1)
        return parts

    def _cut(self, step: Step) -> Presentation:
        parts = self.parts_of(step)
        width = self.width.copy()
        if step.move == "flood":
            span = slice(step.first, step.last)
            width[span] = np.where(self.length[span] == self.true[span], 1, width[span])
        whole = (parts == 1) & (width == self.width)  # perhaps padded
        if whole.all():
            return self
        job = np.repeat(np.arange(len(self)), parts)
        number = np.arange(job.size) - np.repeat(np.cumsum(parts) - parts, parts)
        work, count = product(self.length, self.width // width)[job], parts[job]
        length = narrowed(work // count + (number < work % count))
        estimate = None
        if self.estimate is not None:  # in proportion to the length, rounded up
            estimate = narrowed(-(-product(self.estimate[job], length) // self.length[job]))
        true = np.where(whole[job], self.true[job], length)
        return self._at(job, length=length, true=narrowed(true), width=width[job], estimate=estimate)

    def _merged(self, step: Step) -> Presentation:
        span = slice(step.first, step.last)
        shapes = (self.width, self.second, self.qos)
        alike = all(column is None or np.unique(column[span]).size == 1 for column in shapes)
        if step.amount < 2 or (self.length[span] != self.true[span]).any() or len(self.length[span]) < 2 or not alike:
            return self
        inside = np.arange(step.first, min(step.last, len(self)), step.amount)
        heads = np.concatenate([np.arange(step.first), inside, np.arange(min(step.last, len(self)), len(self))])
        ends = np.append(heads[1:], len(self)) - 1
        sums = {
            name: None if column is None else narrowed(np.add.reduceat(_summable(column), heads))
            for name, column in (("length", self.length), ("true", self.true), ("estimate", self.estimate))
        }
        return self._at(ends, **sums)

    def presented(self, instance: SharingInstance, organization: int, alone: bool = False) -> SharingInstance:
        """The instance in which the organization presents this queue, and everybody else as before, or nobody."""
        k, machines, names = instance.n_organizations, list(instance.machines), instance.names
        if self.second.any():
            machines.append(machines[organization] * self.part // 100)
            machines[organization] -= machines[-1]
            names = (*names, f"{names[organization]} (second account)")
        jobs = np.arange(0 if alone else instance.n_jobs) if self.estimate is None else instance.parallel_jobs
        jobs = jobs[(instance.owner[jobs] != organization) & (not alone)]

        def joined(column: AnyIntArray | None, own: AnyIntArray | None, otherwise: AnyIntArray) -> Any:
            return None if own is None else np.concatenate([(otherwise if column is None else column)[jobs], own])

        width = joined(instance.width, self.width, np.ones_like(instance.number))
        return SharingInstance.from_columns(
            machines,
            np.concatenate([instance.owner[jobs], np.where(self.second, k, organization)]),
            joined(None, self.release, instance.release),
            joined(None, self.length, instance.length),
            names=names,
            width=width if self.estimate is not None and (width > 1).any() else None,
            estimate=joined(instance.estimate, self.estimate, instance.length),
            since=joined(instance.since, self.since, instance.release),
            qos=joined(instance.qos, self.qos, instance.number),
        )

    def served(self, outcome: SharingOutcome, organization: int) -> SharingOutcome:
        """How a schedule in which the organization presents this queue serves the true jobs."""
        length, low = outcome.instance.length.copy(), int(outcome.instance.first[organization])
        second, true = np.repeat(self.second, self.width), np.repeat(self.true, self.width)
        mine = np.empty(true.size, dtype=np.int64)
        mine[~second] = low + np.arange(true.size - second.sum())
        mine[second] = length.size - np.arange(second.sum(), 0, -1)
        length[mine] = true
        return replace(outcome, instance=replace(outcome.instance, length=length))

    def worth(self, start: AnyIntArray, until: int) -> int:
        """psi_sp at ``until`` of the true work, its jobs started at ``start`` (-1: not), once for every machine."""
        release, true = np.repeat(self.release, self.width), np.repeat(self.true, self.width)
        whole = np.array([0, true.size], dtype=np.int64)
        return utilities_of(SharingInstance((0,), ("",), whole, release, true, None, whole), start, until)[0]


def _plus(column: AnyIntArray, inside: AnyIntArray, amount: int) -> AnyIntArray:
    """A column with more in some places, of Python's integers where int64 may not hold it."""
    wide = column if max(int(column.max(initial=0)), amount) <= NARROW else column.astype(object)
    return narrowed(np.where(inside, wide + amount, wide))


def _summable(column: AnyIntArray) -> AnyIntArray:
    """A column whose sum does not leave its type."""
    return column.astype(object) if int(column.max(initial=0)) > NARROW // max(1, column.size) else column


def product(column: AnyIntArray, factor: AnyIntArray) -> AnyIntArray:
    """Products of two columns, of Python's integers where int64 may not hold them."""
    wide = int(column.max(initial=0)) * int(factor.max(initial=0)) > NARROW
    return (column.astype(object) if wide else column) * factor


@dataclass(frozen=True)
class Manipulation:
    """One way to present an organization's jobs otherwise."""

    move: str
    job: int  # position in starting order, from 0
    amount: int  # length of the first piece, 0 for a merge with the next job, units of delay or padding
    jobs: tuple[tuple[int, int], ...]  # (release, length) as presented
    true: tuple[int, ...]  # the lengths that count, in the order of the jobs


@dataclass(frozen=True)
class ManipulationResult:
    """The most profitable move (the first among equals), whether or not it pays.

    ``gain`` is the utility with the move minus the utility as presented in the instance; ``None`` without any case.
    """

    organization: int
    cases: int
    utility: int
    gain: int | None
    best: Manipulation | None
    complete: bool

    @property
    def holds(self) -> bool:
        """Whether no move pays."""
        return self.gain is None or self.gain <= 0

    @property
    def move(self) -> str | None:
        """Name of the best move."""
        return self.best.move if self.best else None


def manipulations(
    queue: Sequence[tuple[int, ...]], moves: Sequence[str] = MOVES, limit: int = 3, cuts: int | None = None
) -> Iterator[Manipulation]:
    """Every single move on a queue in starting order; at most ``cuts`` ways to split a job (``None``: all)."""
    _check(moves)
    true = Presentation.listing([(job[0], job[1]) for job in queue], [job[1] for job in queue])
    for move in moves:
        for i, (release, length) in enumerate(true.jobs):
            if move == "split":
                for first in cut_points(length, cuts):
                    jobs = [*true.jobs[:i], (release, first), (release, length - first), *true.jobs[i + 1 :]]
                    yield Manipulation(move, i, first, tuple(jobs), tuple(p for _, p in jobs))
            elif move != "merge" or i + 1 < len(true):
                for amount in (0,) if move == "merge" else range(1, limit + 1):
                    changed = true.after(Step(move, i, i + 2, 2) if move == "merge" else Step(move, i, i + 1, amount))
                    yield Manipulation(move, i, amount, tuple(changed.jobs), tuple(changed.true.tolist()))


def count_manipulations(
    queue: Sequence[tuple[int, ...]], moves: Sequence[str] = MOVES, limit: int = 3, cuts: int | None = None
) -> int:
    """How many cases :func:`manipulations` has.

    >>> queue = [(0, 3), (1, 100)]
    >>> count_manipulations(queue, cuts=8), len(list(manipulations(queue, cuts=8)))
    (23, 23)
    """
    _check(moves)
    n, pieces = len(queue), [job[1] - 1 for job in queue]
    split = sum(pieces if cuts is None else [min(ways, cuts) for ways in pieces])
    by_move = {"split": split, "merge": max(0, n - 1), "delay": n * limit, "pad": n * limit}
    return sum(by_move[move] for move in moves)


def _check(moves: Sequence[str]) -> None:
    for move in moves:
        if move not in MOVES:
            raise unknown_name("move", move, MOVES)


def cut_points(length: int, cuts: int | None) -> Iterator[int]:
    """Lengths of the first piece: all, or ``cuts`` evenly spaced ones.

    >>> list(cut_points(5, None)), list(cut_points(100, 3))
    ([1, 2, 3, 4], [25, 50, 75])
    """
    if cuts is None or length - 1 <= cuts:
        yield from range(1, length)
    else:
        yield from (length * (i + 1) // (cuts + 1) for i in range(cuts))


def best_manipulation(
    instance: SharingInstance,
    organization: int,
    *,
    until: int,
    moves: Sequence[str] = MOVES,
    limit: int = 3,
    cuts: int | None = None,
    progress: Progress | None = None,
    **rule: Any,
) -> ManipulationResult:
    """Try every single move of one organization under a rule and report the largest gain in psi_sp at ``until``.

    ``limit`` bounds delays and paddings, ``cuts`` the ways to split each job. ``rule`` and its options are those of
    :func:`consortium.mechanisms.sharing.simulate`; randomness comes from the same seed in every run, so a gain is never
    luck of the draw, but it is a gain under that seed. Ctrl-C keeps the best so far (``complete=False``), or is raised
    where nothing is known yet.

    Raises InputError for an organization that does not exist, or another utility than psi_sp.
    """
    if not 0 <= organization < instance.n_organizations:
        raise InputError(f"organization: found {organization}; expected 0 to {instance.n_organizations - 1}")
    if rule.get("utility", DEFAULT) != DEFAULT:
        raise InputError(f"utility: found {rule['utility']!r}; manipulations are judged in {DEFAULT}")
    honest = throughput(simulate(instance, until=until, **rule).whole())[organization]
    queue = instance.queue(organization)
    cases = count_manipulations(queue, moves, limit, cuts)
    best: Manipulation | None = None
    gain: int | None = None
    done, complete = 0, True
    try:
        for case in manipulations(queue, moves, limit, cuts):
            difference = true_utility(instance, organization, case, until=until, **rule) - honest
            done += 1
            if gain is None or difference > gain:
                best, gain = case, difference
            if progress is not None:
                progress(done, cases, case.move)
    except KeyboardInterrupt:
        complete = False
    return ManipulationResult(organization, done, honest, gain, best, complete)


def true_utility(instance: SharingInstance, organization: int, case: Manipulation, *, until: int, **rule: Any) -> int:
    """psi_sp at ``until`` of the true work when the organization presents ``case.jobs``."""
    queue = Presentation.listing(case.jobs, case.true)
    served = queue.served(simulate(queue.presented(instance, organization), until=until, **rule).whole(), organization)
    return utilities_of(served.instance, served.start, until)[organization]
