r"""What organizations may care about: one class per utility, with all that is known of it.

Model: a utility is worth a number at every moment of an organization's schedule; times enter negated, so that more is
always better. :meth:`Utility.value` is its definition. On line, lengths of running jobs are not known: REF keeps a
:class:`Tally` per organization, into which a utility books what a completed job adds (:meth:`Utility.booked`), and from
which it reads its value (:meth:`Utility.read`). Both forms agree at every moment.

To add one, write a class with this interface in any installed distribution and name it among the entry points of the
group ``consortium.utilities``; scenario files can then say ``utility = "its-id"``.

>>> UTILITIES["flow-time"].value([Work(start=2, length=3, release=1), Work(start=4, length=9)], at=6)
-4
>>> UTILITIES["psi-sp"].value([Work(start=0, length=3)], at=13)
36
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final, NamedTuple

from ...support.errors import ExtensionError
from ...support.exact import Rational
from ...support.loading import extension, extensions

GROUP: Final = "consortium.utilities"


class Work(NamedTuple):
    """A job that was started."""

    start: int
    length: int
    release: int = 0
    due: int | None = None

    @property
    def end(self) -> int:
        """Moment of completion."""
        return self.start + self.length

    def parts(self, at: int) -> int:
        """Unit parts done by ``at``."""
        return max(0, min(self.length, at - self.start))


def job_utility(start: int, length: int, at: int) -> int:
    """psi_sp of one job at moment ``at`` (equation 3): each unit part done is worth its age.

    >>> job_utility(0, 3, 13), job_utility(10, 4, 13), job_utility(13, 5, 13)
    (36, 6, 0)
    """
    if start >= at:
        return 0
    done = min(length, at - start)
    return done * (2 * (at - start) - done + 1) // 2


@dataclass
class Tally:
    """What one organization got from a schedule, up to the last moment it was brought to.

    Attributes
    ----------
    psi
        psi_sp of the unit parts done.
    parts, running, completed
        Unit parts done, jobs running, jobs completed.
    booked
        Sum of what the utility books of completed jobs.
    last
        The moment for which the tally holds.
    """

    psi: int = 0
    parts: int = 0
    running: int = 0
    completed: int = 0
    booked: Rational = 0
    last: int = 0

    def accrue(self, t: int) -> None:
        """Let time pass up to ``t`` with the same jobs running."""
        d = t - self.last
        if d:
            self.psi += d * self.parts + self.running * (d * (d + 1) // 2)
            self.parts += self.running * d
            self.last = t


class Utility(ABC):
    """What an organization cares about; see the module."""

    id: ClassVar[str]
    summary: ClassVar[str]
    source: ClassVar[str]
    needs_due_dates: ClassVar[bool] = False
    kernel: ClassVar[str | None] = None
    """Reference to a compiled REF for this utility within int64, where there is one."""

    @abstractmethod
    def value(self, jobs: Sequence[Work], at: int) -> Rational:
        """Worth of an organization's started jobs at a moment."""

    def booked(self, job: Work) -> Rational:
        """What a completed job adds to :attr:`Tally.booked`."""
        return 0

    @abstractmethod
    def read(self, tally: Tally, step: int) -> Rational:
        """Worth ``step`` units of time (0 or 1) after the moment of the tally, if the running jobs still run."""


def completed(jobs: Iterable[Work], at: int) -> list[Work]:
    """The jobs that are done by ``at``."""
    return [job for job in jobs if job.end <= at]


class PsiSp(Utility):
    """Strategy-proof utility: each unit part of work is worth its age, whatever job it belongs to."""

    id = "psi-sp"
    summary = "every unit part of work done is worth its age"
    source = "Skowron & Rzadca 2013, equation 3"
    kernel = ".mechanisms.sharing.kernels.ref:run"

    def value(self, jobs: Sequence[Work], at: int) -> int:
        """Sum of ``at - i`` over the slots ``i`` before ``at`` in which a job ran."""
        return sum(job_utility(job.start, job.length, at) for job in jobs)

    def read(self, tally: Tally, step: int) -> int:
        """All parts done grow older, those of the running jobs included."""
        return tally.psi + step * (tally.parts + tally.running)


class FlowTime(Utility):
    """Completion minus release, summed over completed jobs, negated."""

    id = "flow-time"
    summary = "completion minus release, summed over completed jobs, negated"
    source = "Skowron & Rzadca 2013, section 4"

    def value(self, jobs: Sequence[Work], at: int) -> Rational:
        """Negated sum over the jobs completed by ``at``."""
        return -sum(self.booked(job) for job in completed(jobs, at))

    def booked(self, job: Work) -> int:
        """Time from release to completion."""
        return job.end - job.release

    def read(self, tally: Tally, step: int) -> Rational:
        """Nothing changes before the next completion."""
        return -tally.booked


class Turnaround(FlowTime):
    """Mean flow time of completed jobs, negated; 0 before the first."""

    id = "turnaround"
    summary = "mean of completion minus release over completed jobs, negated"

    def value(self, jobs: Sequence[Work], at: int) -> Fraction:
        """Negated mean over the jobs completed by ``at``."""
        return Fraction(super().value(jobs, at), max(1, len(completed(jobs, at))))

    def read(self, tally: Tally, step: int) -> Fraction:
        """Nothing changes before the next completion."""
        return Fraction(-tally.booked, max(1, tally.completed))


class Tardiness(FlowTime):
    """What completions exceed due dates by, summed over completed jobs, negated."""

    id = "tardiness"
    summary = "time past the due date, summed over completed jobs, negated"
    needs_due_dates = True

    def booked(self, job: Work) -> int:
        """Time past the due date; a job without one is never late."""
        return 0 if job.due is None else max(0, job.end - job.due)


class BusyTime(Utility):
    """Machine time received: unit parts done."""

    id = "busy-time"
    summary = "machine time received"
    source = "Skowron & Rzadca 2013, section 4"

    def value(self, jobs: Sequence[Work], at: int) -> int:
        """Unit parts done by ``at``."""
        return sum(job.parts(at) for job in jobs)

    def read(self, tally: Tally, step: int) -> int:
        """Each running job adds a part per unit of time."""
        return tally.parts + step * tally.running


OURS: Final[Mapping[str, Utility]] = {
    utility.id: utility for utility in (PsiSp(), FlowTime(), Turnaround(), Tardiness(), BusyTime())
}
DEFAULT: Final = PsiSp.id


class _Utilities(Mapping[str, Utility]):
    """Ours by name, then those of installed distributions, which are looked up only when ours do not have the name."""

    def __getitem__(self, name: str) -> Utility:
        if name in OURS:
            return OURS[name]
        kind = extension(GROUP, name)
        if not (isinstance(kind, type) and issubclass(kind, Utility)) or kind.__abstractmethods__:
            raise ExtensionError(
                f"{GROUP}: {name!r} is {kind!r}; expected a class derived from Utility that defines value and read"
            )
        if getattr(kind, "id", None) != name:
            raise ExtensionError(f"{GROUP}: {name!r} has the id {getattr(kind, 'id', None)!r}; expected the same name")
        utility: Utility = kind()
        return utility

    def __iter__(self) -> Iterator[str]:
        yield from OURS
        yield from (name for name in extensions(GROUP) if name not in OURS)

    def __len__(self) -> int:
        return sum(1 for _ in self)


UTILITIES: Final[Mapping[str, Utility]] = _Utilities()
"""Every utility by name."""
