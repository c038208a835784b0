"""What a study has found: rows in the order of the tasks, statistics by group, tables and figures of them.

Nothing here holds all records; rows are read from the store as they are asked for.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from ..parallel.outcomes import Outcome
from ..parallel.store import Store
from ..reports.display import Numbers, check_numbers, joined, page, plotted
from ..reports.figures import drawing
from ..reports.sentences import studied
from ..reports.studies import Series, StudyPlot, error_table, figure, group_tables, status_table
from ..support.errors import InputError, printable
from ..support.loading import optional
from ..support.status import incomplete
from .blocks import PlotBlock
from .reader import again
from .running import Hits
from .statistics import number, number_at, summed
from .study import Study
from .survey import Group, Survey

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..reports.markup import Table

SAMPLED: Final = ("box", "histogram")
POINTS_MAX: Final = 20_000
"""Points of a scatter plot; of more, an even selection is drawn, which the figure says."""


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
        title, done = printable(self.study.title), self.store.counts().get("done", 0)
        tasks = f"{self.study.size:,} tasks"
        return f"<results of the study {title!r:.80}, {tasks if self.complete else f'{done:,} of {tasks} done'}>"

    def __str__(self) -> str:
        """How far it is and the statistics by group, as the command line prints them."""
        return joined(*parts(self))

    def _repr_html_(self) -> str:
        """The same and the plots of the study, for notebooks."""
        sentences, tables, end = parts(self)
        return page(tables, [drawing_of(self, block) for block in self.study.plots], sentences, end)

    @property
    def complete(self) -> bool:
        """Whether there is nothing more to know: every task is done, or hits have ended the study."""
        return not missing(self.survey())

    def tables(self) -> tuple[Table, ...]:
        """How far the study is, what failed, and a table of statistics per measure."""
        return tuple(parts(self)[1])

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
            What one of ``[[plots]]`` says, in its place: ``y``, ``x``, ``by``, ``kind``, ``where``, ``title``,
            ``x_label``, ``y_label``, ``x_log``, ``y_log``.

        Raises
        ------
        ScenarioError
            When nothing can be drawn of what is asked; every problem is listed.
        InputError
            When there is no such plot, a value to be drawn is no number, or the file cannot be written.
        """
        block = another(self, keys) if keys else planned(self, number)
        return plotted(lambda: drawing_of(self, block, width, grey, ax), path)

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
        """The rows as a pandas frame: those of tasks that were worked on, fewer than all until :attr:`complete`.

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


@dataclass
class _Gathered:
    """Values of one colour by the value of ``x``, in the order in which they come."""

    x: dict[str, Any] = field(default_factory=dict)
    y: dict[str, list[Any]] = field(default_factory=dict)

    def add(self, x: Any, y: Any) -> None:
        key = json.dumps(x)
        self.x.setdefault(key, x)
        self.y.setdefault(key, []).append(y)


def plot_of(results: Results, block: PlotBlock) -> StudyPlot:
    """Gather what one of ``[[plots]]`` shows: tasks that are done, values that are numbers.

    Raises InputError when a value to be drawn is no number.
    """
    gathered: dict[str, _Gathered] = {}
    labels: dict[str, str] = {}
    left_out = 0
    for row in results.rows():
        if row["status"] != "done":
            continue
        if any(row[key] != value for key, value in block.where.items()):
            continue
        for y in block.y:
            if row[y] is None or (block.x is not None and row[block.x] is None):
                left_out += 1
                continue
            by = y if block.by is None else json.dumps(row[block.by])
            labels.setdefault(by, y if block.by is None else label(row[block.by]))
            gathered.setdefault(by, _Gathered()).add(None if block.x is None else row[block.x], row[y])
    series = tuple(_series(block, labels[by], values) for by, values in gathered.items())
    value = "value" if len(block.y) > 1 else block.y[0]
    across, up = (value, "tasks") if block.kind == "histogram" else (block.x or "", value)
    return StudyPlot(
        kind=block.kind, title=block.title or results.study.title, x=block.x_label or words(across),
        y=block.y_label or words(up), by=words(block.by or ("measure" if len(block.y) > 1 else "")),
        series=series, left_out=left_out, x_log=block.x_log, y_log=block.y_log,
    )  # fmt: skip


def words(path: str) -> str:
    """What a varied key or a measure is called on a figure.

    >>> words("family.most_machines"), words("mechanism.priority"), words("agents.ann.length"), words("anarchy")
    ('most machines', 'priority', 'agents: ann: length', 'anarchy')
    """
    return re.sub(r"^(family|options|mechanism)\.", "", path).replace(".", ": ").replace("_", " ")


def label(value: Any) -> str:
    """Text of a value of a varied key."""
    return value if isinstance(value, str) else json.dumps(value)


def _series(block: PlotBlock, name: str, gathered: _Gathered) -> Series:
    keys = list(gathered.x)
    names = tuple("" if gathered.x[key] is None else label(gathered.x[key]) for key in keys)
    where, expected = f"plots: {', '.join(block.y)}", "numbers, or true and false"
    values = [[number_at(where, value, expected) for value in gathered.y[key]] for key in keys]
    x = tuple(number(gathered.x[key]) for key in keys)
    if block.kind in SAMPLED:
        return Series(name, names, x, samples=tuple(map(tuple, values)))
    if block.kind == "scatter":
        pairs = [(names[i], x[i], value) for i, column in enumerate(values) for value in column]
        step = max(1, -(-len(pairs) // POINTS_MAX))
        texts, numbers, y = zip(*pairs[::step], strict=True)
        return Series(name, texts, numbers, y, thinned=step > 1)
    means = [summed("mean", column) for column in values]
    return Series(
        name, names, x, tuple(mean.value for mean in means),
        low=tuple(mean.low for mean in means), high=tuple(mean.high for mean in means),
    )  # fmt: skip


def drawing_of(
    results: Results, block: PlotBlock, width: float | None = None, grey: bool = False, ax: Axes | None = None
) -> Figure:
    """Draw what one of ``[[plots]]`` asks for, as :func:`~consortium.reports.figures.figure_of` draws records."""
    return drawing(lambda: figure(plot_of(results, block)), width=width, grey=grey, ax=ax)


def summary(study: Study, survey: Survey, files: Sequence[str] = (), note: str | None = None) -> dict[str, Any]:
    """How far a study is and what its store says of it so far, as plain data.

    ``files``: scenarios that were written for the hits; ``note``: what is to be said of the store.
    """
    counts = survey.counts
    tasks = {"tasks": counts.size, "done": counts.done, "failed": counts.failed, "stopped": counts.stopped}
    notes = []
    if study.stop is not None:
        tasks["hits"] = len(survey.hits.numbers)
        notes.append(
            f"{study.stop.when}: " + (", ".join(f"task {n:,}" for n in survey.hits.numbers[:10]) or "not found")
        )
    notes += [f"written: {name}" for name in files]
    notes += [f"measure {name}: in no record so far" for name in survey.absent]
    notes += study.remarks
    notes += survey.faults  # of the file's [statistics], which may change
    return {
        "title": study.title,
        "tasks": tasks,
        "notes": [*notes, *([note] if note else [])],
        "errors": survey.errors,
        "groups": [
            {"keys": group.keys, "tasks": group.tasks, "counts": group.counts,
             "values": {name: {what: asdict(value) for what, value in values.items()}
                        for name, values in group.values.items()}}
            for group in survey.groups
        ],
    }  # fmt: skip


def tables(summary: Mapping[str, Any], groups: Sequence[str]) -> list[Table]:
    """The tables of a :func:`summary`, by the keys of its groups."""
    first = [status_table(summary["title"], summary["tasks"], summary["notes"])]
    first += [error_table(summary["errors"])] if summary["errors"] else []
    return [*first, *group_tables(summary["groups"], groups)]


def missing(survey: Survey) -> str:
    """What is said of a study while there is more to know of it: a task without an answer, unless hits end it."""
    counts = survey.counts
    if survey.hits.enough or counts.done == counts.size:
        return ""
    return incomplete(counts.ended or f"{counts.size - counts.done:,} of {counts.size:,} tasks are not done")


def parts(results: Results) -> tuple[list[str], list[Table], str]:
    """What is shown of results: sentences, tables, and whether that is all."""
    survey = results.survey()
    data = summary(results.study, survey, note=results.store.note)
    return studied(data), tables(data, results.study.groups), missing(survey)


def planned(results: Results, number: int) -> PlotBlock:
    """One of the plots of the study file."""
    plots = results.study.plots
    if not plots:
        raise InputError("plots: the study file has no [[plots]]; say what to draw, as in y='rent', x='family.agents'")
    if not isinstance(number, int) or not 1 <= number <= len(plots):
        raise InputError(f"number: found {number!r}; expected 1 to {len(plots)}, the plots of this study")
    return plots[number - 1]


def another(results: Results, keys: Mapping[str, Any]) -> PlotBlock:
    """Another plot, read as if it stood in the study file."""
    study = results.study
    return again(study.name, study.folder, {**study.data, "plots": [keys]}).plots[0]
