"""Lengths from a job log: run times drawn with replacement, of all jobs or of random owners.

With ``by`` every agent is an owner of the log (a user, a group, ...), all different and equally likely, and has run
times of that owner's jobs; without, every length is the run time of any job of the log. A run time is measured in units
of ``unit`` seconds, rounded up. The log is read once per process as long as the file stays the same.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.random import Generator
from pydantic import Field

from ...support.errors import InputError
from ..columns import IntArray
from ..files import find_log
from ..log import Log, Owner
from ..reading import read_log
from .lengths import Deal, Lengths, Number, Sample, scaled
from .parameters import Parameters

Zero = Literal["drop", "one"]


class FromLog(Parameters):
    """A log, and what its run times of 0 mean."""

    log: Annotated[str, Field(min_length=1, max_length=4096)] = Field(
        description="path of a job log; a relative one is looked up beside the study file, in the current folder, then "
        "in $CONSORTIUM_TRACES"
    )
    zero: Zero = Field("drop", description="a run time of 0 s: drop the job, or count it as one second")

    @classmethod
    def placed(cls, given: Mapping[str, Any], folder: str | None) -> Mapping[str, Any]:
        """With the path of the log where it lies in the folder."""
        named = given.get("log")
        if folder is None or not isinstance(named, str) or not named or not os.path.exists(Path(folder, named)):
            return given
        return {**given, "log": str(Path(folder, named))}

    def read(self) -> Log:
        """The log. Raises InputError when it cannot be read."""
        path = find_log(self.log).resolve()
        try:
            found = path.stat()
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}") from None
        return _read(path, self.zero, (found.st_mtime_ns, found.st_size))


@lru_cache(maxsize=2)
def _read(path: Path, zero: Zero, stamp: tuple[int, int]) -> Log:
    """The log as it was at a moment of change and of a size: another stamp reads it anew."""
    return read_log(path, zero=zero)


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
        known = np.flatnonzero(owner >= 0)
        order = known[np.argsort(owner[known], kind="stable")]
        lengths = self._units(log)[order]
        first = np.flatnonzero(np.diff(owner[order], prepend=-1))
        past = np.append(first, lengths.size)[1:]
        who = f"{log.name} has {first.size} {self.by}s with jobs that can be replayed"

        def deal(rng: Generator, counts: Sequence[int]) -> list[list[Number]]:
            if len(counts) > first.size:
                raise InputError(f"log: {who}; found a request for {len(counts)}")
            chosen = rng.permutation(first.size)[: len(counts)].tolist()
            return [
                scaled(lengths[rng.integers(first[k], past[k], size=count)].tolist(), scale)
                for k, count in zip(chosen, counts, strict=True)
            ]

        return deal

    def _units(self, log: Log) -> IntArray:
        """Run times of all jobs in units."""
        return -(-log.run // self.unit)
