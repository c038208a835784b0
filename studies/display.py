"""Results of a study in a terminal, in a notebook, as tables and as figures, and one of its tasks in full.

A figure is drawn from series of points, samples or counts, which are plain numbers by then.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..reports.figures import check_path, check_width, drawing, save
from ..reports.markup import Table
from ..reports.sentences import studied
from ..reports.studies import Series, StudyPlot, error_table, figure, group_tables, status_table
from ..scenarios.toml import dumps
from ..support.errors import InputError
from ..support.status import incomplete
from .blocks import PlotBlock
from .reader import again
from .statistics import number, summed
from .study import moved

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .results import Results
    from .study import Study
    from .survey import Survey

SAMPLED: Final = ("box", "histogram")
POINTS_MAX: Final = 20_000
"""Points of a scatter plot; of more, an even selection is drawn, which the figure says."""


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

    Raises
    ------
    InputError
        When a value to be drawn is no number.
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
    return StudyPlot(
        kind=block.kind, title=block.title or results.study.title, x=block.x or "",
        y="value" if len(block.y) > 1 else block.y[0],
        by=block.by or ("measure" if len(block.y) > 1 else ""),
        series=series, left_out=left_out,
    )  # fmt: skip


def label(value: Any) -> str:
    """Text of a value of a varied key."""
    return value if isinstance(value, str) else json.dumps(value)


def _series(block: PlotBlock, name: str, gathered: _Gathered) -> Series:
    """One colour of the figure."""
    keys = list(gathered.x)
    names = tuple("" if gathered.x[key] is None else label(gathered.x[key]) for key in keys)
    values = [[_number(value, ", ".join(block.y)) for value in gathered.y[key]] for key in keys]
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


def _number(value: Any, name: str) -> float:
    converted = number(value)
    if converted is None:
        raise InputError(f"plots: {name}: found {value!r:.60}; expected numbers, or true and false")
    return converted


def save_all(results: Results, path: str, *, width: float | None = None, grey: bool = False) -> list[str]:
    """Draw all plots of the study into files, numbered where there are several; the names of the files.

    ``width`` (inches) and ``grey`` are those of :func:`~consortium.reports.figures.figure_of`.

    Raises
    ------
    InputError
        When the study has no ``[[plots]]``, or a file cannot be written.
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


def drawing_of(
    results: Results, block: PlotBlock, width: float | None = None, grey: bool = False, ax: Axes | None = None
) -> Figure:
    """Draw what one of ``[[plots]]`` asks for, as :func:`~consortium.reports.figures.figure_of` draws records."""
    return drawing(lambda: figure(plot_of(results, block)), width=width, grey=grey, ax=ax)


def _names(path: Path, count: int) -> list[str]:
    if count == 1:
        return [str(path)]
    return [str(path.with_name(f"{path.stem}-{i}{path.suffix}")) for i in range(1, count + 1)]


def summary(study: Study, survey: Survey, files: Sequence[str] = (), note: str | None = None) -> dict[str, Any]:
    """How far a study is and what it says so far, as plain data.

    Parameters
    ----------
    study, found
        The study, and what its store says of it.
    files
        Scenarios that were written for the hits.
    note
        What is to be said of the store.
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
    notes += [
        f"measure {name}: in no record so far{_hint(nearest_path)}" for name, nearest_path in survey.absent.items()
    ]
    notes += survey.faults  # of the file's [statistics], which may change
    return {
        "title": study.title,
        "tasks": tasks,
        "notes": [*notes, *([note] if note else [])],
        "errors": survey.errors,
        "groups": [
            {"keys": group.keys, "tasks": group.tasks,
             "values": {name: {what: asdict(value) for what, value in values.items()}
                        for name, values in group.values.items()}}
            for group in survey.groups
        ],
    }  # fmt: skip


def _hint(near: str | None) -> str:
    return "" if near is None else f"; did you mean {near!r}?"


def tables(summary: Mapping[str, Any], groups: Sequence[str]) -> list[Table]:
    """The tables of a :func:`summary`, by the keys of its groups."""
    first = [status_table(summary["title"], summary["tasks"], summary["notes"])]
    first += [error_table(summary["errors"])] if summary["errors"] else []
    return [*first, *group_tables(summary["groups"], groups)]


def unfinished(survey: Survey) -> str:
    """What is said of a study while there is more to know of it: a task without an answer, unless hits end it."""
    counts = survey.counts
    if survey.hits.enough or counts.done == counts.size:
        return ""
    return incomplete(counts.ended or f"{counts.size - counts.done:,} of {counts.size:,} tasks are not done")


def parts(results: Results) -> tuple[list[str], list[Table], str]:
    """What is shown of results: sentences, tables, and whether that is all."""
    survey = results.survey()
    data = summary(results.study, survey, note=results.store.note)
    return studied(data), tables(data, results.study.groups), unfinished(survey)


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

    Parameters
    ----------
    results, number
        Of the study, and of the task.
    folder
        Where the scenario shall stand: from there it names its log. By default the current folder.

    Raises
    ------
    InputError
        When there is no such task, or its instance cannot be made.
    """
    study = results.study
    if not 1 <= number <= study.size:
        raise InputError(f"task: found {number}; expected 1 to {study.size:,}, the tasks of this study")
    task, kept = study.task(number), results.store.outcome(number)
    data = moved(study.instance(task).to_dict(), study.folder, folder)
    data["title"] = f"{study.title}, task {number}"
    return TaskDisplay(
        number,
        None if kept is None else kept.status,
        None if kept is None else kept.seconds,
        task.seed,
        task.varied,
        dumps(data),
        None if kept is None else kept.error,
        json.loads(kept.record) if kept is not None and kept.record is not None else {},
    )


def write(whole: TaskDisplay, folder: Path) -> list[str]:
    """Write the scenario and the records into a folder; names of the files.

    Raises
    ------
    InputError
        When they cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        files = {f"task-{whole.task}.toml": whole.scenario}
        files |= {f"task-{whole.task}-{verb}.json": json.dumps(record, indent=2, ensure_ascii=False) + "\n"
                  for verb, record in whole.records.items()}  # fmt: skip
        for name, content in files.items():
            (folder / name).write_text(content, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder}: cannot be written ({error.strerror or error})") from None
    return [str(folder / name) for name in files]
