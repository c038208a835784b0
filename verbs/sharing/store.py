"""Finished windows, kept in a store of tasks (:mod:`consortium.parallel.store`): the same question goes on there.

A window is a task of the same number; the record holds everything that was measured, ``unfairness`` that of every rule
by its label, to look at in SQL. What was asked has the digest of the log, so another log of the same name and size is
refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from pydantic_core import to_jsonable_python

from ...parallel.outcomes import Columns, Outcome
from ...parallel.store import Store
from ...support.errors import InputError
from ..records import jsonable
from .past import KeptWindow
from .results import WindowResult, read, written

COLUMNS: Final = Columns((), ("start", "jobs", "load", "unfairness"))


class Shelf:
    """Finished windows, in memory and, where there is one, in a store.

    Attributes
    ----------
    finished
        Results by the number of their window.
    failure
        Why a result could not be written, in a sentence; it is in :attr:`finished` all the same.
    """

    def __init__(self, store: Store | None = None, seed: int = 0) -> None:
        self._store, self._seed = store, seed
        self.failure: str | None = None
        self.finished: dict[int, WindowResult] = {}
        if store is not None:
            self.finished = {found.task: read_result(found, store) for found in store.outcomes(records=True)}

    @property
    def kept(self) -> tuple[KeptWindow, ...]:
        """What is known of windows of other audits too, where there are any (:mod:`.growing`)."""
        return ()

    def keep(self, result: WindowResult) -> None:
        """Keep a finished window, on disk at once if there is a store."""
        self.finished[result.index] = result
        if self._store is None:
            return
        try:
            self._store.keep([outcome(result, self._seed)])
        except InputError as error:
            self.failure = str(error)


@contextmanager
def shelf(path: str | os.PathLike[str] | None, asked: Mapping[str, Any]) -> Iterator[Shelf]:
    """The finished windows of a question; without a path in memory only.

    Parameters
    ----------
    asked
        What the numbers depend on, with the ``seed``.

    Raises
    ------
    InputError
        A file that is no store, is damaged, cannot be written, belongs to another question, or to which another process
        writes.
    """
    if path is None:
        yield Shelf()
        return
    question = to_jsonable_python(dict(asked))
    with Store.open(path, question, COLUMNS) as store:
        yield Shelf(store, asked["seed"])


def outcome(result: WindowResult, seed: int) -> Outcome:
    """A finished window as a store keeps it."""
    return Outcome(
        task=result.index,
        status="done",
        seconds=sum(rule.seconds for rule in result.rules),
        seed=seed,
        replicate=result.index,
        digest="",
        varied={},
        measures={
            "start": result.start,
            "jobs": result.n_jobs,
            "load": result.load,
            "unfairness": {rule.label: jsonable(rule.unfairness) for rule in result.rules},
        },
        record=written(result),
    )


def read_result(found: Outcome, store: Store) -> WindowResult:
    """A finished window of a store. Raises InputError for one that is damaged."""
    try:
        return read(found.record or "")
    except ValueError:
        raise InputError(
            f"store {store.path}: what it holds of window {found.task + 1} cannot be read; name another file"
        ) from None
