"""Files that a command writes besides what it prints (a figure, a report, a schedule), and changes by ``--set``."""

from __future__ import annotations

import inspect
import sys
import tomllib
from dataclasses import asdict, dataclass, fields
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..support.errors import InputError, quote
from .help import OUTPUT, parameter

if TYPE_CHECKING:
    from ..verbs.records import Record

Plot = Annotated[
    str | None,
    typer.Option("--plot", metavar="FILE", rich_help_panel=OUTPUT, help="Also draw it (.svg, .png, .pdf)."),
]
PlotWidth = Annotated[
    float | None,
    typer.Option(
        "--plot-width",
        metavar="INCHES",
        rich_help_panel=OUTPUT,
        hidden=True,
        help="Width of the figure.",
        show_default=False,
    ),
]
PlotGrey = Annotated[
    bool, typer.Option("--plot-grey", rich_help_panel=OUTPUT, hidden=True, help="Draw the figure without colours.")
]
Report = Annotated[
    str | None,
    typer.Option(
        "--report", metavar="FILE", rich_help_panel=OUTPUT, help="Also put all of it on one page of HTML (.html)."
    ),
]
JobsCsv = Annotated[
    str | None,
    typer.Option(
        "--jobs-csv",
        metavar="FILE",
        rich_help_panel=OUTPUT,
        help="Also write the schedule as evalys and Batsim have it (.csv).",
    ),
]


@dataclass(frozen=True)
class Files:
    """Where to write what; ``None`` for what was not asked for. ``plot_width``, ``plot_grey``: of the figure."""

    plot: str | None = None
    plot_width: float | None = None
    plot_grey: bool = False
    report: str | None = None
    jobs_csv: str | None = None

    @property
    def drawn(self) -> bool:
        """Whether a figure is among them."""
        return self.plot is not None or self.report is not None

    def check(self) -> None:
        """Raise InputError for what cannot be written, before any work is done."""
        if self.plot is not None:
            from ..reports import figures

            figures.check_path(self.plot)
            figures.check_width(self.plot_width)
        elif self.plot_width is not None or self.plot_grey:
            raise InputError("--plot-width and --plot-grey say how a figure looks: expected --plot FILE with them")
        if self.report is not None:
            from ..reports import report

            report.check_path(self.report)
        if self.jobs_csv is not None:
            from ..reports import jobs

            jobs.check_path(self.jobs_csv)

    def write(self, record: Record) -> None:
        """Write what was asked for."""
        if self.drawn or self.jobs_csv is not None:
            sys.stdout.flush()  # whoever reads from a pipe has the answer before the rest is made
        if self.plot is not None:
            from ..reports import figures

            figures.save_record(record, self.plot, width=self.plot_width, grey=self.plot_grey)
        if self.report is not None:
            from ..reports import report

            report.report(record, self.report)
        if self.jobs_csv is not None:
            from ..reports import jobs

            jobs.save_jobs(record.to_dict(), self.jobs_csv)


def parameters(jobs: bool) -> list[inspect.Parameter]:
    """The options of a command that writes files; ``jobs``: its records have schedules."""
    options = {"plot": Plot, "plot_width": PlotWidth, "plot_grey": PlotGrey, "report": Report}
    if jobs:
        options["jobs_csv"] = JobsCsv
    unless = asdict(Files())
    return [parameter(name, option, unless[name]) for name, option in options.items()]


def taken(arguments: dict[str, Any]) -> Files:
    """The files among a command's arguments, which are taken out of them."""
    return Files(**{field.name: arguments.pop(field.name) for field in fields(Files) if field.name in arguments})


def overrides(settings: list[str] | None) -> dict[str, Any]:
    """Parse ``--set PATH=VALUE``; the value is TOML where it can be, else a text."""
    from ..scenarios.reader import setting  # which brings the reader of files along

    result: dict[str, Any] = {}
    for change in settings or []:
        parted = setting(change)
        if parted is None:
            raise InputError(f"--set: found {quote(change)}; expected PATH=VALUE, e.g. mechanism.rule=vcg-renice")
        path, text = parted
        try:
            value = tomllib.loads(f"x = {text}", parse_float=Decimal)["x"]
        except (ValueError, ArithmeticError, RecursionError):
            value = text
        result[path] = value if isinstance(value, bool | int | str | list | dict | Decimal) else text
    return result
