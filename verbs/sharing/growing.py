"""A store of an audit's windows that grows with the log, week after week.

What was asked of it says how windows are measured, not which and of what log: every window has digests of its own
(:mod:`.past`). A window that is asked for again and has not changed is not measured again. Before anything runs, all
windows of the part of the log that is looked at are held against it: if the log says something else of one now, its
past has changed, and that is refused. Only where a job of the window had not ended in the log of then, it is the window
that was measured too early: it is measured again if it is asked for, and counts no more.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from pydantic_core import to_jsonable_python

from ...parallel.outcomes import Columns, Outcome
from ...parallel.store import Store
from ...support.errors import InputError
from ...workloads.clock import clock_of
from .openings import Windows
from .past import KeptWindow, Past, replay_digest
from .results import WindowResult, Yardstick
from .store import Shelf, outcome, read_result

COLUMNS: Final = Columns(("opening",), ("start", "jobs", "load", "unfairness", "organizations", "past", "known"))

T = TypeVar("T")


@dataclass(frozen=True)
class Growing:
    """What a growing store asks a log.

    Attributes
    ----------
    back
        Warm-up of ``recorded``, where it has one of its own.
    """

    windows: Windows
    past: Past
    back: int | None = None

    def outcome(self, result: WindowResult, seed: int, task: int, digest: str) -> Outcome:
        """A finished window as a store keeps it; the digest is :meth:`digest` of it."""
        opening = self.past.first + result.start
        found = outcome(result, seed)
        return replace(
            found,
            task=task,
            digest=digest,
            varied={"opening": opening},
            measures={
                **found.measures,
                "organizations": list(result.names),
                "past": self.past.digest(opening),
                "known": self.past.known,
            },
        )

    def digest(self, index: int) -> str:
        """Of a window as it is replayed."""
        warm = None if self.back is None else self.windows.window(index, warmup=self.back)
        return replay_digest(self.windows.window(index), warm, index)


class GrowingShelf(Shelf):
    """Finished windows of what is asked now, and what is known of all that the store keeps."""

    def __init__(self, store: Store, growing: Growing, seed: int) -> None:
        super().__init__(None, seed)
        self._growing, self._file = growing, store
        self._next = 0
        self._count: dict[int, KeptWindow] = {}
        known: dict[str, int] = {}
        for found in store.outcomes():
            self._next = found.task + 1
            if _counts(found, growing.past, store):
                known[found.digest] = found.task
                self._note(found)
        self._digests: dict[int, str] = {}
        for index in range(growing.windows.number) if known else ():
            self._digests[index] = growing.digest(index)
            task = known.get(self._digests[index])
            if task is not None:
                self.finished[index] = self._read(index, task)

    @property
    def kept(self) -> tuple[KeptWindow, ...]:
        """The windows of all audits that count, in the order of opening; of one measured several times the last."""
        return tuple(self._count[key] for key in sorted(self._count))

    def keep(self, result: WindowResult) -> None:
        """Keep a finished window, on disk at once."""
        self.finished[result.index] = result
        digest = self._digests.get(result.index) or self._growing.digest(result.index)
        found = self._growing.outcome(result, self._seed, self._next, digest)
        try:
            self._file.keep([found])
        except InputError as error:
            self.failure = str(error)
        self._next += 1
        self._note(found)

    def _note(self, found: Outcome) -> None:
        at: Any = found.varied["opening"]
        told: Mapping[str, Any] = found.measures
        self._count[at] = KeptWindow(at, told["load"], told["unfairness"], tuple(told["organizations"]))

    def _read(self, index: int, task: int) -> WindowResult:
        found = self._file.outcome(task)
        assert found is not None  # it was listed
        work = self._growing.windows.window(index)
        return replace(_ordered(read_result(found, self._file), work.names), index=index, start=work.start)


def _ordered(result: WindowResult, names: Sequence[str]) -> WindowResult:
    """A window with its organizations in another order."""
    order = [result.names.index(name) for name in names]

    def put(values: Sequence[T]) -> tuple[T, ...]:
        return tuple(values[u] for u in order)

    def yardstick(other: Yardstick) -> Yardstick:
        return Yardstick(other.n_jobs, put(other.shapley), put(other.fair), put(other.fair_parts))

    rules = (
        replace(
            rule,
            utility=put(rule.utility),
            contribution=None if rule.contribution is None else put(rule.contribution),
            parts=put(rule.parts),
            decayed=None if rule.decayed is None else put(rule.decayed),
            other=None if rule.other is None else yardstick(rule.other),
        )
        for rule in result.rules
    )
    return replace(
        result,
        names=put(result.names),
        machines=put(result.machines),
        shapley=put(result.shapley),
        fair=put(result.fair),
        fair_parts=put(result.fair_parts),
        rules=tuple(rules),
    )


def _counts(found: Outcome, past: Past, store: Store) -> bool:
    """Whether a window is still what the log says, as far as it is looked at. Raises InputError for a changed past."""
    opening: Any = found.varied["opening"]
    if not past.looked_at(opening) or past.digest(opening) == found.measures["past"]:
        return True
    known: Any = found.measures["known"]
    if past.ended_after(opening, known):
        return False
    clock = clock_of(past.log)
    when = f"{opening - past.first:,} s after the first submission" if clock is None else clock.text(opening)
    raise InputError(
        f"store {store.path}: the past has changed, or {past.log.name} is another log: of the window from {when} on it "
        f"says something else than the log that was measured, although its jobs had ended then; name another file"
    )


@contextmanager
def growing_shelf(path: str | os.PathLike[str], asked: Mapping[str, Any], growing: Growing) -> Iterator[GrowingShelf]:
    """The finished windows of an audit, and those of the audits before.

    Parameters
    ----------
    asked
        How windows are measured, with the ``seed``.

    Raises
    ------
    InputError
        A file that is no store, is damaged, cannot be written, belongs to another question, to which another process
        writes, or whose windows the log does not have any more.
    """
    with Store.open(path, to_jsonable_python(dict(asked)), COLUMNS) as store:
        yield GrowingShelf(store, growing, asked["seed"])
