"""What a study has found, shown: in a terminal, in a notebook, as tables, as figures."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..reports.figures import check_path, save
from ..reports.html import displayed, page
from ..reports.studies import error_table, group_tables, status_table
from ..reports.tables import Table
from ..reports.tables import text as text_of
from ..support.errors import InputError
from ..support.status import INCOMPLETE
from .plots import drawing_of
from .reader import again

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .blocks import PlotBlock
    from .results import Results
    from .running import Counts, Hits
    from .study import Study
    from .survey import Survey


def summary(study: Study, found: Survey, files: Sequence[str] = (), note: str | None = None) -> dict[str, Any]:
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
    counts = found.counts
    tasks = {"tasks": counts.size, "done": counts.done, "failed": counts.failed, "stopped": counts.stopped}
    notes = []
    if study.stop is not None:
        tasks["hits"] = len(found.hits.found)
        notes.append(f"{study.stop.when}: " + (", ".join(f"task {n:,}" for n in found.hits.found[:10]) or "not found"))
    notes += [f"written: {name}" for name in files]
    notes += [f"measure {name}: in no record so far{_hint(known)}" for name, known in found.absent.items()]
    notes += found.faults  # of the file's [statistics], which may change
    return {
        "title": study.title,
        "tasks": tasks,
        "notes": [*notes, *([note] if note else [])],
        "errors": found.errors,
        "groups": [
            {"keys": group.keys, "tasks": group.tasks,
             "values": {name: {what: asdict(value) for what, value in values.items()}
                        for name, values in group.values.items()}}
            for group in found.groups
        ],
    }  # fmt: skip


def _hint(near: str | None) -> str:
    return "" if near is None else f"; did you mean {near!r}?"


def tables(found: Mapping[str, Any], groups: Sequence[str]) -> list[Table]:
    """The tables of a :func:`summary`, by the keys of its groups."""
    first = [status_table(found["title"], found["tasks"], found["notes"])]
    first += [error_table(found["errors"])] if found["errors"] else []
    return [*first, *group_tables(found["groups"], groups)]


def unfinished(counts: Counts, hits: Hits) -> bool:
    """Whether there is more to know of a study."""
    return counts.kept < counts.size and not hits.enough


def text(results: Results) -> str:
    """The tables, and whether that is all."""
    found = results.survey()
    shown = text_of(tables(summary(results.study, found, note=results.store.note), results.study.groups))
    return shown + (f"\n\n{INCOMPLETE}" if unfinished(found.counts, found.hits) else "")


def html(results: Results) -> str:
    """The tables and the plots that the study asks for."""
    found = results.survey()
    drawings = [drawing_of(results, asked) for asked in results.study.plots]
    shown = tables(summary(results.study, found, note=results.store.note), results.study.groups)
    return page(shown, drawings, whole=not unfinished(found.counts, found.hits))


def plot(
    results: Results,
    path: str | os.PathLike[str] | None,
    number: int,
    asked: Mapping[str, Any],
    width: float | None,
    grey: bool,
) -> Figure:
    """One figure, saved where a path is given; see :meth:`.results.Results.plot`."""
    if path is not None:
        check_path(path)
    wanted = _asked(results, asked) if asked else _planned(results, number)
    drawing = displayed(drawing_of(results, wanted, width, grey))
    if path is not None:
        save(drawing, path)
    return drawing


def _planned(results: Results, number: int) -> PlotBlock:
    """One of the plots of the study file."""
    plots = results.study.plots
    if not plots:
        raise InputError("plots: the study file has no [[plots]]; say what to draw, as in y='rent', x='family.agents'")
    if not isinstance(number, int) or not 1 <= number <= len(plots):
        raise InputError(f"number: found {number!r}; expected 1 to {len(plots)}, the plots of this study")
    return plots[number - 1]


def _asked(results: Results, asked: Mapping[str, Any]) -> PlotBlock:
    """Another plot, read as if it stood in the study file."""
    study = results.study
    return again(study.name, study.folder, {**study.data, "plots": [asked]}).plots[0]
