"""What a study writes: tables of all its rows, its plots, a scenario per hit, one of its tasks in full."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final, TextIO

from ..reports.figures import check_path, check_width, save
from ..scenarios import toml
from ..scenarios.toml import dumps
from ..support.errors import InputError, whole_record
from ..support.files import write_csv as write_rows
from ..support.files import writing_errors
from ..support.loading import optional
from ..support.progress import Clock, Progress
from .results import Results, drawing_of
from .running import Hits
from .study import moved
from .survey import scenario

ROWS_AT_ONCE: Final = 100_000
"""Rows that are held together while a table is written."""


def write_csv(results: Results, stream: TextIO) -> None:
    """Rows as CSV; lists and tables as JSON, null as nothing."""
    rows = ([_cell(row[name]) for name in results.columns] for row in results.rows())
    write_rows(chain([results.columns], rows), stream)


def _cell(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, bool | list | dict) else value


def write_json(results: Results, stream: TextIO) -> None:
    """Rows as a list of JSON objects, one a line."""
    stream.write("[")
    for i, row in enumerate(results.rows()):
        stream.write(f"{',' if i else ''}\n{json.dumps(row, ensure_ascii=False)}")
    stream.write("\n]\n")


def write_parquet(results: Results, path: Path) -> None:
    """Rows as a Parquet file, in pieces that fit into memory.

    A column whose values are all integers of 64 bits, floats or true and false has that type; others hold texts, exact.
    Raises InputError without pyarrow (extra ``tables``), or when the file cannot be written.
    """
    arrow, parquet = optional("pyarrow", "tables"), optional("pyarrow.parquet", "tables")
    types = {"int": arrow.int64(), "float": arrow.float64(), "bool": arrow.bool_(), "str": arrow.string()}
    sorts = _sorts(results)
    schema = arrow.schema([(name, types[sorts[name]]) for name in results.columns])
    every = results.rows()
    with writing_errors(path), parquet.ParquetWriter(path, schema) as writer:
        while rows := list(islice(every, ROWS_AT_ONCE)):
            columns = [arrow.array([_typed(row[f.name], sorts[f.name]) for row in rows], f.type) for f in schema]
            writer.write_table(arrow.Table.from_arrays(columns, schema=schema))


def _sorts(results: Results) -> dict[str, str]:
    """What each column holds: one sort of plain values, or else texts."""
    seen: dict[str, set[str]] = {name: set() for name in results.columns}
    for row in results.rows():
        for name, value in row.items():
            if value is not None:
                small = not isinstance(value, int) or -(2**63) <= value < 2**63
                seen[name].add(type(value).__name__ if small else "str")
    return {
        name: next(iter(sorts)) if len(sorts) == 1 and sorts <= {"int", "float", "bool"} else "str"
        for name, sorts in seen.items()
    }


def _typed(value: Any, sort: str) -> Any:
    if sort != "str" or value is None or isinstance(value, str):
        return value
    return json.dumps(value)


def save_all(results: Results, path: str, *, width: float | None = None, grey: bool = False) -> list[str]:
    """Draw all plots of the study into files, numbered where there are several; the names of the files.

    ``width`` (inches) and ``grey`` are those of :func:`~consortium.reports.figures.figure_of`. Raises InputError when
    the study has no ``[[plots]]``, or a file cannot be written.
    """
    check_path(path)
    check_width(width)
    plots = results.study.plots
    if not plots:
        raise InputError("plots: the study file has no [[plots]]")
    names = _names(Path(path), len(plots))
    for name, block in zip(names, plots, strict=True):
        save(drawing_of(results, block, width, grey), name)
    return names


def _names(path: Path, count: int) -> list[str]:
    if count == 1:
        return [str(path)]
    return [str(path.with_name(f"{path.stem}-{i}{path.suffix}")) for i in range(1, count + 1)]


def written(results: Results, hits: Hits, clock: Clock, progress: Progress | None = None) -> list[str]:
    """Write a scenario per hit beside the store, one that is there already left as it is; names of the files.

    Each has an equal share of the time that is left to be shrunk in. Raises InputError when a file cannot be written.
    """
    assert results.study.stop is not None
    sibling = Path(results.store.path)
    paths = {
        number: sibling.with_name(f"{sibling.stem}-hit-{number}.toml")
        for number in hits.numbers[: results.study.stop.hits]
    }
    missing = {number: path for number, path in paths.items() if not path.exists()}
    for done, (number, path) in enumerate(missing.items()):
        left = clock.left()
        share = Clock(None if left is None else left / (len(missing) - done))
        scenarios = scenario(results.study, results.study.task(number), share, progress)
        toml.write(moved(scenarios, results.study.folder, sibling.parent), path)
    return [str(path) for path in paths.values()]


@dataclass(frozen=True)
class TaskDisplay:
    """A task with its scenario (TOML) and its records by verb; ``replay`` takes each record."""

    task: int
    status: str | None
    seconds: float | None
    seed: int
    varied: Mapping[str, Any]
    scenario: str
    error: str | None
    records: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def task_display(results: Results, number: int, folder: str | None = None) -> TaskDisplay:
    """A task by its number, from 1; without records where it has not been done yet.

    From the ``folder``, by default the current one, the scenario names its log. Raises InputError when there is no such
    task, or its instance cannot be made.
    """
    study = results.study
    if not 1 <= number <= study.size:
        raise InputError(f"task: found {number}; expected 1 to {study.size:,}, the tasks of this study")
    task, kept = study.task(number), results.store.outcome(number)
    data = moved(study.instance(task).to_dict(), study.folder, folder)
    data["title"] = f"{study.title}, task {number}"
    with whole_record(where(results, number)):
        records = {} if kept is None or kept.record is None else dict(json.loads(kept.record))
    return TaskDisplay(
        number,
        None if kept is None else kept.status,
        None if kept is None else kept.seconds,
        task.seed,
        task.varied,
        dumps(data),
        None if kept is None else kept.error,
        records,
    )


def where(results: Results, number: int) -> str:
    """A task of a store, as errors name it."""
    return f"store {results.store.path}: task {number}"


def write(whole: TaskDisplay, folder: Path) -> list[str]:
    """Write the scenario and the records into a folder; names of the files.

    Raises InputError when they cannot be written.
    """
    with writing_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        files = {f"task-{whole.task}.toml": whole.scenario}
        files |= {f"task-{whole.task}-{verb}.json": json.dumps(record, indent=2, ensure_ascii=False) + "\n"
                  for verb, record in whole.records.items()}  # fmt: skip
        for name, content in files.items():
            (folder / name).write_text(content, encoding="utf-8")
    return [str(folder / name) for name in files]
