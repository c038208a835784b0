"""How an organization presents its jobs: in parts, joined, later, longer; and what its true work is worth then.

A :class:`Presentation` is a queue in starting order whose jobs may differ from the true ones; every part knows how much
true work it holds. A :class:`Step` changes a range of the queue as it stands, so several steps make any mixture:

- *split*: every job of the range is cut into ``amount`` parts as equal as can be, longer ones first, all released with
  it (a job shorter than that into parts of one unit);
- *merge*: each ``amount`` jobs of the range that follow each other become one, released with the last of them;
- *delay*: every job of the range is presented ``amount`` later; what shares a release keeps its order;
- *pad*: every job of the range is presented ``amount`` longer; only its true length counts for the utility.

Padded jobs are neither split nor merged.

>>> from consortium.mechanisms.sharing import SharingInstance
>>> queue = Presentation.of(SharingInstance.of([2], [[(0, 5), (3, 2)]]), 0)
>>> queue.after(Step("split", 0, 1, 2)).jobs
[(0, 3), (0, 2), (3, 2)]
>>> queue.after(Step("merge", 0, 2, 2)).jobs, queue.after(Step("delay", 0, 1, 4)).jobs
([(3, 7)], [(3, 2), (4, 5)])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ...mechanisms.sharing.arrays import NARROW, AnyIntArray, narrowed
from ...mechanisms.sharing.instance import SharingInstance
from ...mechanisms.sharing.outcome import utilities_of
from ...support.errors import unknown_name

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
    """A queue as it is presented, in starting order.

    Attributes
    ----------
    release, length
        As the rule sees them, shape (n,).
    true
        Work in each of them, shape (n,).
    """

    release: AnyIntArray
    length: AnyIntArray
    true: AnyIntArray

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
