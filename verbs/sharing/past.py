"""What a window was measured on, as digests: so that a store of windows may grow with its log.

Two digests tell it. That of the replay is of all that the numbers of a window depend on beside the question. That of
the past is of the log's own jobs in the window, whoever they are counted to: a log that has grown must still say the
same of them. It may say more of jobs that had not ended when an earlier log was written, so a window is kept with the
last moment that its log knew.

Conventions: moments are those of :attr:`consortium.workloads.Log.submit`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...workloads.columns import IntArray
from ...workloads.log import Log
from ...workloads.windows import Plan, SharedWork
from ..records import jsonable
from .period import Period
from .results import WindowResult


class KeptWindow(NamedTuple):
    """What is known of a window that a store keeps, without its record."""

    opening: int
    load: float
    unfairness: dict[str, str | int]
    organizations: tuple[str, ...]


def kept_windows(results: Sequence[WindowResult], log: Log) -> tuple[KeptWindow, ...]:
    """Windows as a store would keep them, in the order of their opening."""
    first = int(log.submit.min())
    found = (
        KeptWindow(
            first + result.start,
            result.load,
            {rule.label: jsonable(rule.unfairness) for rule in result.rules},
            result.names,
        )
        for result in results
    )
    return tuple(sorted(found, key=lambda window: window.opening))


def replay_digest(work: SharedWork, warm: SharedWork | None, index: int) -> str:
    """SHA-256 of a window as it is replayed, and of its number, which the rules' random choices depend on.

    The order of the organizations does not count, which is by their work in the whole log: only who is served first of
    those that tie depends on it.
    """
    found = hashlib.sha256(str(index).encode())
    for each in (work, warm):
        if each is not None:
            order = sorted(range(len(each.names)), key=each.names.__getitem__)
            told = [(each.names[u], each.machines[u]) for u in order]
            found.update(json.dumps([told, each.until]).encode())
            owner = np.argsort(order)[each.owner]
            together = None if each.part_of is None else np.unique(each.part_of, return_inverse=True)[1]
            columns = (owner, each.release, each.length, each.recorded, together, each.estimate)
            for column in columns:
                found.update(b"\n" if column is None else column.astype("<i8").tobytes())
    return found.hexdigest()


@dataclass(frozen=True)
class Past:
    """What a log says of its windows: of a plan, and of the part of the log that is looked at now."""

    log: Log
    plan: Plan
    part: Period

    @cached_property
    def first(self) -> int:
        """The moment of the first submission."""
        return int(self.log.submit.min())

    @cached_property
    def _ends(self) -> IntArray:
        return np.asarray(self.log.submit + self.log.column("wait").clip(min=0) + self.log.run)

    @cached_property
    def known(self) -> int:
        """The last moment that the log knows of: of a submission or an end."""
        return int(max(self.log.submit.max(), self._ends.max()))

    def looked_at(self, opening: int) -> bool:
        """Whether a window that opens then lies in the part of the log that is looked at."""
        begin = self.first + self.part.since
        return begin <= opening and opening + self.plan.duration <= self.first + self.part.until + 1

    def digest(self, opening: int) -> str:
        """SHA-256 of the log's jobs of a window, warm-up included: when, how long, how large, and whose."""
        jobs = self._jobs(opening)
        log, owner = self.log, self.plan.organizations if isinstance(self.plan.organizations, str) else "user"
        codes, whose = np.unique(log.column(owner)[jobs], return_inverse=True)
        found = hashlib.sha256(json.dumps([log.label(owner, int(code)) for code in codes]).encode())
        for column in (
            log.submit[jobs] - opening,
            log.column("wait")[jobs],
            log.run[jobs],
            log.processors[jobs],
            whose,
        ):
            found.update(column.astype("<i8").tobytes())
        return found.hexdigest()

    def ended_after(self, opening: int, moment: int) -> bool:
        """Whether a job of a window ended after a moment: who looked then could not know all of it."""
        return bool((self._ends[self._jobs(opening)] > moment).any())

    def _jobs(self, opening: int) -> slice:
        bounds = np.searchsorted(self.log.submit, [opening - self.plan.warmup, opening + self.plan.duration])
        return slice(int(bounds[0]), int(bounds[1]))
