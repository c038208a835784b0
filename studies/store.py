"""A study and its store: the function's options, what a store compares before it goes on, the study that it holds."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final
from weakref import finalize

from ..parallel.outcomes import Columns, Outcome, differences
from ..parallel.store import PAGE, Move, Store
from ..scenarios.fields import Text, Whole
from ..support.errors import InputError, quote, whole_record
from ..support.progress import ProgressLike, received
from ..verbs.options import LIMITED, Field, Options, Seconds, Switch
from ..verbs.options import Path as FilePath
from . import reader
from .results import Results
from .running import HERE, WHOLE, Shard, Where, run
from .study import Study


class Run(Options):
    """Options of the function ``study``."""

    store: FilePath | None = Field(None, description="SQLite file for the results; resumes what is in it.")
    full: Switch = Field(False, description="The full size that the file gives under [full].")
    processes: Annotated[int, Whole(1)] = Field(1, description="Worker processes of this machine.")
    cluster: Text | None = Field(None, description="Address of a Dask cluster, e.g. tcp://host:8786.")
    shard: Text | None = Field(None, description='"k/n": only every n-th task, beginning with the k-th.')
    time_limit: Seconds | None = Field(None, description=LIMITED)


PRESENTED: Final = ("title", "source", "group_by", "statistics", "plots")
"""Keys of a study file that change no answer."""
SOURCES: Final = "sources"
"""Key of the SHA-256 of the sources of custom rules."""
CONTINUED: Final = ("replicates", "vary", "together", "measures", "stop")
"""Keys that say which tasks there are and what is read from their records; what is kept goes on under others."""


def question(study: Study) -> dict[str, Any]:
    """What decides the answers: all that another study would have otherwise, the sources of custom rules included."""
    data = {key: value for key, value in study.data.items() if key not in (*PRESENTED, "full")}
    return data | ({SOURCES: {name: rule.digest for name, rule in study.rules.items()}} if study.rules else {})


@contextmanager
def opened(study: Study, path: str | os.PathLike[str]) -> Iterator[Results]:
    """The store of a study, to write into; made where there is none.

    One of the same study with fewer replicates, cells or varied keys, or with other measures, becomes that of this one.
    Raises InputError when the store belongs to another study, is being written by another process, or cannot be used.
    """
    columns = Columns(study.keys, tuple(study.unknown))
    presented = {key: value for key, value in study.data.items() if key in PRESENTED}
    about = {"name": study.name, "folder": study.folder, "presented": presented}
    with Store.open(path, question(study), columns, moved=lambda store: _move(store, study)) as store:
        store.describe(about)
        yield Results(study, store)


def _move(store: Store, study: Study) -> Move:
    """What becomes of the outcomes of a store under a study. Raises InputError where it is not theirs at all."""
    before = {key: value for key, value in store.question.items() if key not in CONTINUED}
    text = differences(before, {key: value for key, value in question(study).items() if key not in CONTINUED})
    if text:
        raise InputError(f"store {store.path} belongs to another question: {text}; name another file")

    def move(outcome: Outcome) -> Outcome:
        number = study.number(outcome.varied, outcome.replicate)
        task = None if number is None else study.task(number)
        if task is None or task.seed != outcome.seed:
            cell = ", ".join(f"{key} = {value}" for key, value in outcome.varied.items())
            raise InputError(
                f"store {store.path}: its task {outcome.task} ({cell}{', ' * bool(cell)}replicate {outcome.replicate}) "
                "is none of this study; a study may grow, not shrink: name another file"
            )
        measures = outcome.measures
        if outcome.record:
            with whole_record(f"store {store.path}: task {outcome.task}"):
                measures = study.measured(json.loads(outcome.record))
        return replace(outcome, task=task.number, varied=task.varied, measures=measures)

    return move


@contextmanager
def read(path: str | os.PathLike[str]) -> Iterator[Results]:
    """The study that a store holds, to read from, also while another process writes. Raises InputError for no store."""
    with Store.read(path) as store:
        yield Results(kept(store), store)


@contextmanager
def read_as(study: Study, path: str | os.PathLike[str]) -> Iterator[Results]:
    """What a store holds, as the results of a study with which it could go on; the store itself is left as it is."""
    with read(path) as before, TemporaryDirectory(prefix="consortium-") as folder:
        outcomes = map(_move(before.store, study), before.store.outcomes(records=True))
        with opened(study, Path(folder, "results.db")) as after:
            while some := [replace(outcome, record=None) for outcome in islice(outcomes, PAGE)]:
                after.store.keep(some)
            yield after


def answered(
    study: Study,
    path: str | os.PathLike[str] | None,
    *,
    shard: Shard = WHOLE,
    where: Where = HERE,
    time_limit: float | None = None,
    progress: ProgressLike = None,
) -> Results:
    """Run a study into its store, without a path into one that lasts as long as the results.

    The store of the results is open for reading until they are gone.
    """
    stack = ExitStack()
    try:
        if path is None:
            path = Path(stack.enter_context(TemporaryDirectory(prefix="consortium-"))) / "results.db"
        with opened(study, path) as results, received(progress, "study") as report:
            run(study, results.store, shard=shard, where=where, time_limit=time_limit, progress=report)
        results = stack.enter_context(read(path))
    except BaseException:
        stack.close()
        raise
    finalize(results, stack.close)
    return results


def kept(store: Store) -> Study:
    """The study that an open store holds. Raises InputError where its writer has not come, or never came, to that."""
    about: Mapping[str, Any] = store.about
    if not about:
        raise InputError(
            f"store {store.path}: found no study in it yet; expected one that has begun, "
            f"in a copy made meanwhile with {store.path.name}-wal from beside it (or run it again)"
        )
    match about:
        case {"name": str(name), "folder": str() | None as folder, "presented": dict(presented)}:
            data = {key: value for key, value in store.question.items() if key != SOURCES}
            study = reader.again(name, folder, {**data, **presented})
            if SOURCES not in store.question:  # else it can be read though the source has changed
                store.check_question(question(study), Columns(study.keys, tuple(study.unknown)))
            return study
    raise InputError(f"store {store.path}: found {quote(about)}; expected the name, folder and texts of a study")
