"""What a study has found: one row a task, in the order of the tasks, and its statistics by group.

Nothing here holds all records; rows are read from the store as they are asked for.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

from ..parallel.outcomes import Outcome
from ..parallel.store import Store
from ..reports.display import Numbers, check_numbers, joined, page, plotted
from ..support.errors import InputError, printable
from ..support.loading import optional
from . import display
from .running import Hits
from .statistics import number
from .study import Study
from .survey import Group, Survey

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..reports.markup import Table

ROWS_AT_ONCE: Final = 100_000
"""Rows that are held together while a table is written."""


@dataclass(frozen=True)
class Results:
    """The results of a study.

    Attributes
    ----------
    study
        What was asked.
    store
        Where it is kept; open at least for reading.
    """

    study: Study
    store: Store

    def __repr__(self) -> str:
        title = printable(self.study.title)
        return f"<results of the study {title!r:.80}, {self.study.size:,} tasks>"

    def __str__(self) -> str:
        """How far it is and the statistics by group, as the command line prints them."""
        return joined(*display.parts(self))

    def _repr_html_(self) -> str:
        """The same and the plots of the study, for notebooks."""
        sentences, tables, end = display.parts(self)
        return page(tables, [display.drawing_of(self, block) for block in self.study.plots], sentences, end)

    def tables(self) -> tuple[Table, ...]:
        """How far the study is, what failed, and a table of statistics per measure."""
        return tuple(display.parts(self)[1])

    def to_latex(self) -> str:
        """The tables for a paper; see :meth:`consortium.verbs.records.Record.to_latex`."""
        return "\n\n".join(table.to_latex() for table in self.tables())

    def plot(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        number: int = 1,
        width: float | None = None,
        grey: bool = False,
        ax: Axes | None = None,
        **keys: Any,
    ) -> Figure:
        """Draw one of the plots of the study, or another one.

        Parameters
        ----------
        path
            Also save the figure here: ``.svg``, ``.png`` or ``.pdf``.
        number
            Which of the ``[[plots]]`` of the study file, from 1.
        width, grey, ax
            As for records (:meth:`consortium.verbs.records.Record.plot`).
        **keys
            What one of ``[[plots]]`` says, in its place: ``y``, ``x``, ``by``, ``kind``, ``where``, ``title``.

        Raises
        ------
        ScenarioError
            When nothing can be drawn of what is asked; every problem is listed.
        InputError
            When there is no such plot, a value to be drawn is no number, or the file cannot be written.
        """
        block = display.another(self, keys) if keys else display.planned(self, number)
        return plotted(lambda: display.drawing_of(self, block, width, grey, ax), path)

    @property
    def columns(self) -> list[str]:
        """Names of the columns of :meth:`rows`."""
        return [
            "task",
            *self.study.keys,
            "replicate",
            "seed",
            "status",
            *self.study.unknown,
            "seconds",
            "digest",
            "error",
        ]

    def survey(self) -> Survey:
        """How far the study is and what it says so far, from one reading of the store."""
        return Survey.of(self.study, self.store)

    def outcomes(self) -> Iterator[Outcome]:
        """What came of the tasks, in their order; of a study that has stopped at enough hits, up to the last of them.

        The rest of what was under way then depends on how many workers there were.
        """
        hits = Hits(self.study, range(1, self.study.size + 1))
        for outcome in self.store.outcomes():
            yield outcome
            hits.add(outcome)
            if hits.enough:
                return

    def rows(self) -> Iterator[dict[str, Any]]:
        """One dict a task; measures are exact as in JSON: ints, ``"p/q"``, true, false, null, texts."""
        for outcome in self.outcomes():
            yield {
                "task": outcome.task, **outcome.varied, "replicate": outcome.replicate, "seed": outcome.seed,
                "status": outcome.status, **self.study.unknown, **outcome.measures, "seconds": outcome.seconds,
                "digest": outcome.digest, "error": outcome.error or None,
            }  # fmt: skip

    def to_frame(self, numbers: Numbers = "exact") -> pandas.DataFrame:
        """The rows as a pandas frame.

        Parameters
        ----------
        numbers
            ``"exact"``: measures as in the rows; ``"float"``: those that are numbers as floats.

        Raises
        ------
        InputError
            Without pandas (extra ``tables``), or for other ``numbers``.
        """
        check_numbers(numbers)
        pandas = optional("pandas", "tables")
        frame = pandas.DataFrame(list(self.rows()), columns=self.columns)
        if numbers == "float":
            for measure in self.study.measures:
                values = [number(value) for value in frame[measure.name]]
                if all(f is not None or v is None for f, v in zip(values, frame[measure.name], strict=True)):
                    frame[measure.name] = pandas.Series(values, dtype=float)
        return frame

    def groups(self) -> list[Group]:
        """Statistics by group, in the order of the grid; of tasks that are done.

        Raises
        ------
        InputError
            When a measure with statistics has a value that is no number.
        """
        survey = self.survey()
        for fault in survey.faults:
            raise InputError(fault)
        return survey.groups


def write_csv(results: Results, stream: TextIO) -> None:
    """Rows as CSV; lists and tables as JSON, null as nothing."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(results.columns)
    for row in results.rows():
        writer.writerow([_cell(row[name]) for name in results.columns])


def _cell(value: Any) -> Any:
    if isinstance(value, bool | list | dict):
        return json.dumps(value)
    return value


def write_json(results: Results, stream: TextIO) -> None:
    """Rows as a list of JSON objects, one a line."""
    stream.write("[")
    for i, row in enumerate(results.rows()):
        stream.write(f"{',' if i else ''}\n{json.dumps(row, ensure_ascii=False)}")
    stream.write("\n]\n")


def write_parquet(results: Results, path: Path) -> None:
    """Rows as a Parquet file, in pieces that fit into memory.

    A column whose values are all integers of 64 bits, floats or true and false has that type; others hold texts, exact.

    Raises
    ------
    InputError
        Without pyarrow (extra ``tables``), or when the file cannot be written.
    """
    arrow, parquet = optional("pyarrow", "tables"), optional("pyarrow.parquet", "tables")
    types = {"int": arrow.int64(), "float": arrow.float64(), "bool": arrow.bool_(), "str": arrow.string()}
    sorts = _sorts(results)
    schema = arrow.schema([(name, types[sorts[name]]) for name in results.columns])
    try:
        with parquet.ParquetWriter(path, schema) as writer:
            for rows in _pieces(results.rows()):
                columns = [arrow.array([_typed(row[f.name], sorts[f.name]) for row in rows], f.type) for f in schema]
                writer.write_table(arrow.Table.from_arrays(columns, schema=schema))
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from None


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


def _pieces(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    piece: list[dict[str, Any]] = []
    for row in rows:
        piece.append(row)
        if len(piece) == ROWS_AT_ONCE:
            yield piece
            piece = []
    if piece:
        yield piece
