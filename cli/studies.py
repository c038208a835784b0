"""The commands of studies: ``consortium study run|status|results|plot|show|retry|merge``."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ..support.errors import InputError, whole_record
from ..support.files import check_destination
from .exits import DONE, STOPPED
from .files import PlotGrey, PlotWidth
from .help import Group
from .output import escaped, fail, progress_bar, show_estimate, show_json, show_rows, show_sentences, show_tables
from .verbs import AsJson

if TYPE_CHECKING:
    from ..studies.results import Results
    from ..studies.running import Shard, Where
    from ..studies.survey import Survey

study = typer.Typer(
    name="study",
    cls=Group,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Ask one question of a population of scenarios.\n\nRun, resume, sum up, draw.\n\n"
    "Example: consortium study run open/cycles --store results.db",
)

PLAIN_EVERY: Final = 30.0
"""Seconds between the lines that report progress where there is no terminal."""
FORMATS: Final = (".csv", ".json", ".parquet")

StoreOption = Annotated[
    str, typer.Option("--store", metavar="FILE", help="SQLite file with the results.", show_default=False)
]
Processes = Annotated[
    int | None, typer.Option("--processes", metavar="N", min=1, help="Worker processes. [one per core]")
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Run on the Dask cluster at this address, e.g. tcp://host:8786; stops after a minute without workers.",
    ),
]
TimeLimit = Annotated[
    float | None, typer.Option("--time-limit", metavar="SECONDS", min=0, help="Stop after so long; resume later.")
]


@study.command("run")
def run(
    file: Annotated[str, typer.Argument(help="A study file, or the name of a shipped study.", show_default=False)],
    store: Annotated[
        str | None, typer.Option("--store", metavar="FILE", help="SQLite file for the results; resumes what is in it.")
    ] = None,
    processes: Processes = None,
    cluster: Cluster = None,
    shard: Annotated[
        str | None, typer.Option("--shard", metavar="k/n", help="Only every n-th task, beginning with the k-th.")
    ] = None,
    time_limit: TimeLimit = None,
    full: Annotated[bool, typer.Option("--full", help="The full size that the file gives under [full].")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Time a few tasks, print the estimate, keep nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run a study, or go on where it stopped.

    Example: consortium study run open/cycles --store results.db
    """
    from ..studies import reader
    from ..studies.running import Shard, Where, estimate
    from ..studies.store import opened

    loaded = reader.load(file, full)
    where, part = Where(processes, cluster), Shard.parse(shard) if shard is not None else Shard()
    if store is not None:
        check_destination(store, "--store")
    if dry_run:
        show_estimate(estimate(loaded, part, where).to_dict(), as_json)
        return
    if store is None:
        raise InputError("--store: found nothing; expected a file for the results, such as --store results.db")
    with opened(loaded, store) as results:
        _ran(results, part, where, time_limit, as_json)


@study.command("retry")
def retry(
    store: StoreOption,
    stopped: Annotated[bool, typer.Option("--stopped", help="Also those that a limit ended.")] = False,
    processes: Processes = None,
    cluster: Cluster = None,
    time_limit: TimeLimit = None,
    as_json: AsJson = False,
) -> None:
    """Do the tasks that failed once more, and those that are missing.

    Example: consortium study retry --store results.db
    """
    from ..studies.running import Shard, Where
    from ..studies.store import opened, read

    with read(store) as kept:
        loaded = kept.study
    with opened(loaded, store) as results:
        results.store.forget("failed")
        if stopped:
            results.store.forget("stopped")
        _ran(results, Shard(), Where(processes, cluster), time_limit, as_json)


def _ran(results: Results, part: Shard, where: Where, time_limit: float | None, as_json: bool) -> None:
    """Run what is missing, show what there is, leave with the exit code."""
    from ..studies.exports import written
    from ..studies.running import run as run_study
    from ..studies.survey import searching
    from ..support.progress import Clock

    clock, limit = Clock(time_limit), searching(results.study, time_limit)
    with progress_bar("study", PLAIN_EVERY) as progress:
        counts, hits = run_study(
            results.study, results.store, shard=part, where=where, time_limit=limit, progress=progress
        )
        files = written(results, hits, clock, progress) if hits.enough else []
    _show(results, replace(results.survey(), counts=counts, hits=hits), files, as_json)


@study.command("status")
def status(store: StoreOption, as_json: AsJson = False) -> None:
    """Say how far a study is, what failed, and the statistics so far.

    Example: consortium study status --store results.db
    """
    from ..studies.store import read

    with read(store) as results:
        _show(results, results.survey(), [], as_json)


def _show(results: Results, survey: Survey, files: list[str], as_json: bool) -> None:
    from ..reports.sentences import studied
    from ..studies.results import missing, summary, tables
    from ..verbs.records import jsonable

    data = summary(results.study, survey, files, results.store.note)
    if as_json:
        show_json(jsonable(data))
    else:
        show_sentences(studied(data))
        show_tables(tables(data, results.study.groups))
    if end := missing(survey):
        fail(f"\n{end}")
    raise typer.Exit(STOPPED if end else DONE)


@study.command("results")
def results(
    store: StoreOption,
    file: Annotated[
        str | None,
        typer.Argument(help="The study with other measures, read from the records.", show_default=False),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write a .csv, .json or .parquet file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print one row a task as CSV, or write them to a file.

    Example: consortium study results --store results.db -o results.parquet
    """
    from ..studies import reader
    from ..studies.exports import write_csv, write_json, write_parquet
    from ..studies.store import read, read_as

    if output is not None:
        check_destination(output, "--output", FORMATS)
    with read(store) if file is None else read_as(reader.load(file), store) as kept:
        if output is None:
            (write_json if as_json else write_csv)(kept, sys.stdout)
            return
        ending = Path(output).suffix.lower()
        if ending == ".parquet":
            write_parquet(kept, Path(output))
            return
        with open(output, "w", encoding="utf-8", newline="") as stream:
            (write_json if ending == ".json" else write_csv)(kept, stream)


@study.command("plot")
def plot(
    store: StoreOption,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="A .svg, .png or .pdf file; numbered if several.")
    ] = "study.svg",
    width: PlotWidth = None,
    grey: PlotGrey = False,
) -> None:
    """Draw the plots that the study file asks for.

    Example: consortium study plot --store results.db -o anarchy.pdf
    """
    from ..reports.figures import FORMATS as FIGURES
    from ..studies.exports import save_all
    from ..studies.store import read

    check_destination(output, "--output", FIGURES)
    with read(store) as kept:
        for name in save_all(kept, output, width=width, grey=grey):
            print(name)


@study.command("show")
def show(
    task: Annotated[int, typer.Argument(help="Number of the task, from 1.", metavar="K", show_default=False)],
    store: StoreOption,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="Write the scenario and the records as files here."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show one task: its instance as a scenario file, and the records with their certificates.

    Example: consortium study show 3 --store results.db -o task-3
    """
    from ..reports.tables import tables_of
    from ..studies.exports import task_display, where, write
    from ..studies.store import read

    if output is not None:
        check_destination(output, "--output", folder=True)
    with read(store) as kept:
        whole, place = task_display(kept, task, output), where(kept, task)
    if output is not None:
        for name in write(whole, Path(output)):
            print(name)
        return
    if as_json:
        show_json(whole.to_dict())
        return
    print(escaped(whole.scenario))
    if whole.error:
        print(f"# {whole.status}: {whole.error}")
    for record in whole.records.values():
        with whole_record(place):
            tables = tables_of(record)
        show_tables(tables)


@study.command("merge")
def merge(
    shards: Annotated[list[str], typer.Argument(help="Stores of the shards.", metavar="SHARD...", show_default=False)],
    store: StoreOption,
) -> None:
    """Put the stores of the shards of a study together.

    Example: consortium study merge part-1.db part-2.db --store results.db
    """
    from ..parallel.store import merge as put_together
    from ..studies.store import opened, read

    check_destination(store, "--store")
    with read(shards[0]) as first:
        loaded = first.study
    with opened(loaded, store) as whole:
        put_together(whole.store, shards)
        counts = whole.survey().counts
    print(f"{store}: {counts.kept:,} of {counts.size:,} tasks")


@study.command("list")
def listed(as_json: AsJson = False) -> None:
    """List the shipped studies.

    Example: consortium study list
    """
    from ..studies import reader

    rows = [
        {"name": name, "title": loaded.title, "tasks": loaded.size, "source": loaded.head.source}
        for name in reader.shipped()
        for loaded in [reader.load(name, instances=False)]
    ]
    show_rows("shipped studies", rows, ["name", "title", "tasks", "source"], as_json)
