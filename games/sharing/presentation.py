"""Manipulation by presentation: jobs presented in parts, joined, later or longer, and what the true work is worth then.

For a fixed schedule psi_sp does not care how work is cut into jobs: splitting and merging change nothing and delaying
never pays. The schedule is not fixed, however: a rule reacts to what is presented. Two halves of a job may run side by
side, a merged job keeps its machine, a delayed one leaves its turn to a better moment.

A :class:`Presentation` is a queue in starting order whose jobs may differ from the true ones; every part knows how much
true work it holds. A :class:`Step` changes a range of the queue as it stands, so several steps make any mixture:

- *split*: every job of the range is cut into ``amount`` parts as equal as can be, longer ones first, all released with
  it (a job shorter than that into parts of one unit);
- *merge*: each ``amount`` jobs of the range that follow each other become one, released with the last of them;
- *delay*: every job of the range is presented ``amount`` later; what shares a release keeps its order;
- *pad*: every job of the range is presented ``amount`` longer; only its true length counts for the utility.

Padded jobs are neither split nor merged. :func:`best_manipulation` tries every single move on one job (two, to merge),
where a job of length p may be split into q and p - q for every q.

>>> from consortium.mechanisms.sharing import SharingInstance
>>> queue = Presentation.of(SharingInstance.of([2], [[(0, 5), (3, 2)]]), 0)
>>> queue.after(Step("split", 0, 1, 2)).jobs
[(0, 3), (0, 2), (3, 2)]
>>> queue.after(Step("merge", 0, 2, 2)).jobs, queue.after(Step("delay", 0, 1, 4)).jobs
([(3, 7)], [(3, 2), (4, 5)])
>>> result = best_manipulation(SharingInstance.of([2], [[(0, 2)]]), 0, until=7, rule="ref")
>>> result.move, result.gain, result.jobs
('split', 1, ((0, 1), (0, 1)))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ...mechanisms.sharing.instance import NARROW, AnyIntArray, SharingInstance, narrowed
from ...mechanisms.sharing.outcome import SharingOutcome, throughput, utilities_of
from ...mechanisms.sharing.simulation import simulate
from ...mechanisms.sharing.utilities import DEFAULT
from ...support.errors import InputError, unknown_name
from ...support.progress import Progress

MOVES: Final = ("split", "merge", "delay", "pad")


@dataclass(frozen=True)
class Step:
    """One move on the jobs ``first`` to ``last`` (from 0, the last one excluded) of a queue as presented so far.

    ``amount``: parts of each job, jobs joined to one, units of delay or padding.
    """

    move: str
    first: int
    last: int
    amount: int


@dataclass(frozen=True, eq=False)
class Presentation:
    """A queue as it is presented, in starting order: arrays of shape (n,)."""

    release: AnyIntArray  # as the rule sees it
    length: AnyIntArray  # as the rule sees it
    true: AnyIntArray  # work in each job

    @classmethod
    def of(cls, instance: SharingInstance, organization: int) -> Presentation:
        """The true jobs."""
        span = slice(int(instance.first[organization]), int(instance.first[organization + 1]))
        return cls(instance.release[span], instance.length[span], instance.length[span])

    @classmethod
    def listing(cls, jobs: Sequence[tuple[int, int]], true: Sequence[int]) -> Presentation:
        """Listed jobs ``(release, length)`` in starting order, and the work in each."""
        columns = ([job[0] for job in jobs], [job[1] for job in jobs], list(true))
        return cls(*(narrowed(np.array(column, dtype=object)) for column in columns))

    def __len__(self) -> int:
        return int(self.release.size)

    @property
    def jobs(self) -> list[tuple[int, int]]:
        """``(release, length)`` of each job."""
        return list(zip(self.release.tolist(), self.length.tolist(), strict=True))

    def after(self, step: Step) -> Presentation:
        """The queue after a step; itself where the step changes nothing. Raises UnknownNameError for another move."""
        if step.move == "split":
            return self._split(step)
        if step.move == "merge":
            return self._merged(step)
        inside = np.zeros(len(self), dtype=np.bool_)
        inside[step.first : step.last] = True
        if step.move == "pad":
            return replace(self, length=_plus(self.length, inside, step.amount))
        if step.move == "delay":
            release = _plus(self.release, inside, step.amount)
            order = np.argsort(release, kind="stable")
            return Presentation(release[order], self.length[order], self.true[order])
        raise unknown_name("move", step.move, MOVES)

    def parts_of(self, step: Step) -> AnyIntArray:
        """How many parts a split makes of each job, shape (n,)."""
        parts = np.ones(len(self), dtype=np.int64)
        span = slice(step.first, step.last)
        cut = np.minimum(self.length[span], step.amount).astype(np.int64)
        parts[span] = np.where(self.length[span] == self.true[span], cut, 1)
        return parts

    def _split(self, step: Step) -> Presentation:
        parts = self.parts_of(step)
        if not (parts > 1).any():
            return self
        job = np.repeat(np.arange(len(self)), parts)
        number = np.arange(job.size) - np.repeat(np.cumsum(parts) - parts, parts)
        count = parts[job]
        length = self.length[job] // count + (number < self.length[job] % count)
        whole = count == 1  # perhaps padded
        return Presentation(self.release[job], length, np.where(whole, self.true[job], length))

    def _merged(self, step: Step) -> Presentation:
        span = slice(step.first, step.last)
        if step.amount < 2 or (self.length[span] != self.true[span]).any() or len(self.length[span]) < 2:
            return self
        inside = np.arange(step.first, min(step.last, len(self)), step.amount)
        heads = np.concatenate([np.arange(step.first), inside, np.arange(min(step.last, len(self)), len(self))])
        ends = np.append(heads[1:], len(self)) - 1
        length, true = (np.add.reduceat(column, heads) for column in _summable(self.length, self.true))
        return Presentation(self.release[ends], narrowed(length), narrowed(true))

    def presented(self, instance: SharingInstance, organization: int) -> SharingInstance:
        """The instance in which the organization presents this queue, and everybody else as before."""
        low, high = int(instance.first[organization]), int(instance.first[organization + 1])
        first = instance.first.copy()
        first[organization + 1 :] += len(self) - (high - low)
        number = np.arange(int(first[-1])) - np.repeat(first[:-1], np.diff(first))
        release, length = (
            narrowed(np.concatenate([column[:low], own, column[high:]]))
            for column, own in ((instance.release, self.release), (instance.length, self.length))
        )
        return SharingInstance(instance.machines, instance.names, first, release, length, None, number)

    def worth_in(self, outcome: SharingOutcome, organization: int) -> int:
        """psi_sp of the true work in a schedule in which the organization presents this queue."""
        first = outcome.instance.first
        return self.worth(outcome.start[int(first[organization]) : int(first[organization + 1])], outcome.until)

    def worth(self, start: AnyIntArray, until: int) -> int:
        """psi_sp at ``until`` of the true work, its jobs started at ``start`` (-1: not)."""
        whole = np.array([0, len(self)], dtype=np.int64)
        true = SharingInstance((0,), ("",), whole, self.release, self.true, None, np.arange(len(self)))
        return utilities_of(true, start, until)[0]


def _plus(column: AnyIntArray, inside: AnyIntArray, amount: int) -> AnyIntArray:
    """A column with more in some places, of Python's integers where int64 may not hold it."""
    wide = column if max(int(column.max(initial=0)), amount) <= NARROW else column.astype(object)
    return narrowed(np.where(inside, wide + amount, wide))


def _summable(*columns: AnyIntArray) -> list[AnyIntArray]:
    """Columns whose sums do not leave their type."""
    wide = any(int(column.max(initial=0)) > NARROW // max(1, column.size) for column in columns)
    return [column.astype(object) if wide else column for column in columns]


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

    @property
    def jobs(self) -> tuple[tuple[int, int], ...] | None:
        """Queue of the best move."""
        return self.best.jobs if self.best else None


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

    Raises InputError for an organization that does not exist, another utility than psi_sp, or a generator instead of a
    seed.
    """
    if not 0 <= organization < instance.n_organizations:
        raise InputError(f"organization: found {organization}; expected 0 to {instance.n_organizations - 1}")
    if rule.get("utility", DEFAULT) != DEFAULT:
        raise InputError(f"utility: found {rule['utility']!r}; manipulations are judged in {DEFAULT}")
    if rule.get("rng") is not None:
        raise InputError("rng: give a seed instead, so that every run draws the same")
    honest = throughput(simulate(instance, until=until, **rule).whole())[organization]
    queue = instance.queue(organization)
    cases = count_manipulations(queue, moves, limit, cuts)
    best: Manipulation | None = None
    gain: int | None = None
    done = 0
    try:
        for case in manipulations(queue, moves, limit, cuts):
            difference = true_utility(instance, organization, case, until=until, **rule) - honest
            done += 1
            if gain is None or difference > gain:
                best, gain = case, difference
            if progress is not None:
                progress(done, cases, case.move)
    except KeyboardInterrupt:
        return ManipulationResult(organization, done, honest, gain, best, False)
    return ManipulationResult(organization, done, honest, gain, best, True)


def true_utility(instance: SharingInstance, organization: int, case: Manipulation, *, until: int, **rule: Any) -> int:
    """psi_sp at ``until`` of the true work when the organization presents ``case.jobs``."""
    queue = Presentation.listing(case.jobs, case.true)
    return queue.worth_in(simulate(queue.presented(instance, organization), until=until, **rule).whole(), organization)
