"""Random lengths of jobs: uniform, log-normal, Zipf, bimodal, and from a job log.

A distribution is the part of a family's parameters that lengths depend on. :meth:`Lengths.dealt` prepares it once (sums
of weights, the reading of a log) and gives a *deal*: from a generator and the number of jobs of each owner to the
lengths of each. Lengths are integers of at least 1, so ties are frequent where few lengths are possible, times the
exact ``scale``: integers again, or fractions as text.

The same state of the generator gives the same lengths wherever numpy draws the same numbers, which it promises for one
version of numpy and, but for corrections of errors, keeps from version to version; log-normal lengths are rounded from
floats, so an exponential that differs in its last bit may, very rarely, change one of them by 1.

>>> deal = Uniform(longest=6).dealt()
>>> deal(np.random.default_rng(1), [2, 0, 3])
[[3, 4], [], [5, 6, 1]]
>>> Uniform(longest=6, scale="1/4").dealt()(np.random.default_rng(1), [2])
[['3/4', 1]]

From a job log run times are drawn with replacement, of all jobs or of random owners: with ``by`` every agent is an
owner of the log (a user, a group, ...), all different and equally likely, and has run
times of that owner's jobs; without, every length is the run time of any job of the log. A run time is measured in units
of ``unit`` seconds, rounded up. The log is read once per process as long as the file stays the same.

:func:`combined` makes a family of every distribution: who owns the jobs is the kind's, how long they are is not.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from pydantic import Field, create_model, model_validator

from ...support.errors import InputError
from ..log import IntArray, Log, Owner
from ..reading import find_log, read_log
from .base import LONGEST, Draw, Exact, Family, Length, Parameters, Real, nothing, plain

Number: TypeAlias = int | str
"""A length as a scenario writes it: an integer, or a fraction as text."""
Deal: TypeAlias = Callable[[Generator, Sequence[int]], list[list[Number]]]
"""From a generator and the number of jobs of each owner to the lengths of each."""
Sample: TypeAlias = Callable[[Generator, int], NDArray[np.int64]]
"""From a generator and a number to so many independent lengths before scaling."""

TABLE: Final = 10**6
"""Largest support of a distribution whose weights are tabulated."""


class Lengths(Parameters):
    """Independent lengths of one distribution."""

    scale: Exact = Field(Fraction(1), description="every length is multiplied by it (exact), e.g. 1000 or '1/3'")

    def sample(self) -> Sample:
        """The distribution, prepared."""
        raise NotImplementedError

    def dealt(self) -> Deal:
        """The lengths of every owner, prepared; see the module."""
        sample, scale = self.sample(), self.scale

        def deal(rng: Generator, counts: Sequence[int]) -> list[list[Number]]:
            drawn = scaled(sample(rng, sum(counts)).tolist(), scale)
            dealt, start = [], 0
            for count in counts:
                dealt.append(drawn[start : start + count])
                start += count
            return dealt

        return deal


def scaled(lengths: list[int], scale: Fraction) -> list[Number]:
    """The lengths times a scale, as scenarios write them.

    >>> scaled([2, 3], Fraction(10**18)), scaled([2, 3], Fraction(1, 2))
    ([2000000000000000000, 3000000000000000000], [1, '3/2'])
    """
    if scale.denominator == 1:
        factor = scale.numerator
        return [length * factor for length in lengths]
    return [plain(length * scale) for length in lengths]


class Uniform(Lengths):
    """Integers, all equally likely."""

    shortest: Length = Field(1, description="shortest length before scaling (units of work)")
    longest: Length = Field(10, description="longest length before scaling (units of work)")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.shortest > self.longest:
            raise ValueError(f"shortest: found {self.shortest}; expected at most longest, {self.longest}")
        return self

    def sample(self) -> Sample:
        """Every integer from the shortest to the longest."""
        low, high = self.shortest, self.longest + 1
        return lambda rng, n: rng.integers(low, high, size=n)


class LogNormal(Lengths):
    """The logarithm is normal, as of run times in most logs: many short jobs, a few very long ones."""

    median: Real = Field(100.0, ge=1, le=1e15, description="median length before scaling (units of work)")
    spread: Real = Field(1.5, ge=0, le=5, description="standard deviation of the natural logarithm of a length")
    longest: Length = Field(10**6, description="longer lengths are cut to it, before scaling (units of work)")

    def sample(self) -> Sample:
        """Rounded, at least 1, at most the longest."""
        median, spread, longest = self.median, self.spread, self.longest

        def draw(rng: Generator, n: int) -> NDArray[np.int64]:
            drawn = median * np.exp(spread * rng.standard_normal(n))
            whole = np.rint(np.minimum(drawn, 2.0**62)).astype(np.int64)  # floats up to 2**62 fit
            return np.clip(whole, 1, longest)

        return draw


class Zipf(Lengths):
    """Length ``k`` is likely in proportion to ``k**-exponent``: mostly short, with a heavy tail up to the longest."""

    exponent: Real = Field(1.5, ge=0, le=20, description="of Zipf's law over lengths; 0 is uniform")
    longest: int = Field(1000, ge=1, le=TABLE, description="longest length before scaling (units of work)")

    def sample(self) -> Sample:
        """By inversion of the distribution function."""
        weights = np.arange(1, self.longest + 1, dtype=np.float64) ** -self.exponent
        below = np.cumsum(weights)[:-1] / weights.sum()  # of the longest, nothing is above
        return lambda rng, n: below.searchsorted(rng.random(n), side="right") + 1


class Bimodal(Lengths):
    """Short jobs and long ones, each within a width of its mode."""

    short: Length = Field(2, description="the short mode, before scaling (units of work)")
    long: Length = Field(20, description="the long mode, before scaling (units of work)")
    share: Real = Field(0.25, ge=0, le=1, description="probability that a job is a long one")
    width: int = Field(
        0, ge=0, lt=LONGEST, description="lengths are uniform within so much of their mode (units of work)"
    )

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.short > self.long:
            raise ValueError(f"short: found {self.short}; expected at most long, {self.long}")
        if self.width >= self.short:
            raise ValueError(f"width: found {self.width}; expected less than short, {self.short}")
        return self

    def sample(self) -> Sample:
        """First which mode, then how far from it."""
        short, apart, share, width = self.short, self.long - self.short, self.share, self.width

        def draw(rng: Generator, n: int) -> NDArray[np.int64]:
            modes = short + apart * (rng.random(n) < share)
            return modes + rng.integers(-width, width + 1, size=n) if width else modes

        return draw


Zero = Literal["drop", "one"]


class FromLog(Parameters):
    """A log, and what its run times of 0 mean."""

    log: Annotated[str, Field(min_length=1, max_length=4096)] = Field(
        description="path of a job log; a relative one is looked up beside the study file, in the current folder, then "
        "in $CONSORTIUM_TRACES"
    )
    zero: Zero = Field("drop", description="a run time of 0 s: drop the job, or count it as one second")

    @classmethod
    def placed(cls, values: Mapping[str, Any], folder: str | None) -> Mapping[str, Any]:
        """With the path of the log where it lies in the folder."""
        named = values.get("log")
        if folder is None or not isinstance(named, str) or not named or not os.path.exists(Path(folder, named)):
            return values
        return {**values, "log": str(Path(folder, named))}

    def read(self) -> Log:
        """The log. Raises InputError when it cannot be read."""
        path = find_log(self.log).resolve()
        try:
            status = path.stat()
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}") from None
        return _read(path, self.zero, (status.st_mtime_ns, status.st_size))


@lru_cache(maxsize=2)
def _read(path: Path, zero: Zero, stamp: tuple[int, int]) -> Log:
    """The log as it was at a moment of change and of a size: another stamp reads it anew."""
    return read_log(path, zero=zero).started()


class RunTimes(Lengths, FromLog):
    """Run times of a log."""

    by: Owner | None = Field(
        None, description="whose jobs an agent gets: those of one random owner; default: anybody's"
    )
    unit: int = Field(1, ge=1, le=10**9, description="seconds per unit of work; run times are rounded up to units")

    def sample(self) -> Sample:
        """Of any job."""
        lengths = self._units(self.read())
        return lambda rng, n: lengths[rng.integers(0, lengths.size, size=n)]

    def dealt(self) -> Deal:
        """Of any job, or owner by owner."""
        if self.by is None:
            return super().dealt()
        log = self.read()
        owner, scale = log.column(self.by), self.scale
        owned = np.flatnonzero(owner >= 0)
        order = owned[np.argsort(owner[owned], kind="stable")]
        lengths = self._units(log)[order]
        first = np.flatnonzero(np.diff(owner[order], prepend=-1))
        end = np.append(first, lengths.size)[1:]
        who = f"{log.name} has {first.size} {self.by}s with jobs that can be replayed"

        def deal(rng: Generator, counts: Sequence[int]) -> list[list[Number]]:
            if len(counts) > first.size:
                raise InputError(f"log: {who}; found a request for {len(counts)}")
            chosen = rng.permutation(first.size)[: len(counts)].tolist()
            return [
                scaled(lengths[rng.integers(first[k], end[k], size=count)].tolist(), scale)
                for k, count in zip(chosen, counts, strict=True)
            ]

        return deal

    def _units(self, log: Log) -> IntArray:
        """Run times of all jobs in units."""
        return -(-log.run // self.unit)


DISTRIBUTIONS: Final[tuple[tuple[str, type[Lengths], str], ...]] = (
    ("uniform-jobs", Uniform, "lengths uniform on the integers of an interval"),
    ("log-normal-jobs", LogNormal, "log-normal lengths"),
    ("zipf-lengths", Zipf, "lengths by Zipf's law"),
    ("bimodal-jobs", Bimodal, "short and long jobs"),
    ("log-jobs", RunTimes, "run times of a job log"),
)
"""Of each distribution the name of its families, its parameters, and what their summary says of the lengths."""


def combined(
    kind: str,
    owners: type[Lengths],
    prepare: Callable[[Any], Draw],
    summary: str,
    fitting: Callable[[Mapping[str, Any]], Mapping[str, Any]] = nothing,
) -> tuple[Family, ...]:
    """A family per distribution; the parameters of the owners of jobs know none. See :class:`~.base.Family`."""
    return tuple(
        Family(
            name,
            kind,
            create_model(
                f"{owners.__name__}With{lengths.__name__}", __base__=(lengths, owners), __doc__=owners.__doc__
            ),
            prepare,
            f"{summary}; {about}",
            fitting=fitting,
        )
        for name, lengths, about in DISTRIBUTIONS
    )
