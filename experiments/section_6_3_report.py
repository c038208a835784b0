"""Run the experiment of Cordeiro 2012, section 6.3, on a log and print it beside the published figures.

From a shell: ``python -m consortium.experiments.section_6_3_report LOG``, with a path of a log in the Standard Workload
Format (plain or gzip) or a Slurm accounting dump; ``--help`` lists the options.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..reports.figures import COLOURS, new_figure, save
from ..reports.tables import Table, plain
from ..scheduling.errors import ConsortiumError
from ..workloads import read_log
from .section_6_3 import Row, experiment

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def table(rows: Sequence[Row], title: str) -> Table:
    """One row per number of users: mean and range, the levels, the optimum, and the published figure; percent."""
    levels = len(rows[0].levels)
    by_level = [f"level {t}" for t in range(2, levels + 1)]
    columns = ("users", "cases", "improvement", "range", *by_level, "fairest", "gap", "published", "complete")
    body = []
    for row in rows:
        shown = [f"{row.mean:.2f}", f"{row.low:.2f} .. {row.high:.2f}", *(f"{x:.2f}" for x in row.levels[1:])]
        shown += [f"{row.best:.2f}", "-" if row.gap is None else f"{row.gap:.2f}"]
        published = "-" if row.published is None else f"{row.published:.2f}"
        body.append((str(row.users), str(row.cases), *shown, published, "yes" if row.complete else "no"))
    note = (
        "percent over LST at the nadir; mean and range over the choices of the total-completion user; fairest: the "
        "exact optimum; gap: largest certified distance from it at the last level; published: another log"
    )
    return Table(title, columns, tuple(body), note)


def figure(rows: Sequence[Row]) -> Figure:
    """Improvement by number of users: mean and range, beside the published values."""
    drawn = new_figure(width=5.2, height=3.4)
    axes = drawn.subplots()
    spread = [[row.mean - row.low for row in rows], [row.high - row.mean for row in rows]]
    axes.errorbar(
        [row.users for row in rows], [row.mean for row in rows], yerr=spread,
        fmt="o", color=COLOURS[0], capsize=4, label="this log: mean and range",
    )  # fmt: skip
    known = [row for row in rows if row.published is not None]
    axes.plot(
        [row.users for row in known], [row.published for row in known if row.published is not None],
        "s", color=COLOURS[5], label="published (another log)",
    )  # fmt: skip
    axes.set_xticks([row.users for row in rows])
    axes.set_xlabel("users")
    axes.set_ylabel("improvement, %")
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=8, frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return drawn


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line of the experiment; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m consortium.experiments.section_6_3_report", description=__doc__)
    parser.add_argument("log", help="job log; looked up in the current folder, then in $CONSORTIUM_TRACES")
    parser.add_argument("--users", default="3,4,5,6", help="numbers of users, separated by commas (default 3,4,5,6)")
    parser.add_argument("--levels", type=int, default=6, help="levels of the refinement (default 6)")
    parser.add_argument("--ties", choices=["index", "work"], default="index", help="order of equal thresholds")
    parser.add_argument("--values", choices=["average", "sum"], default="average", help="of the completion times")
    parser.add_argument("--measure", choices=["run", "work"], default="run", help="largest jobs by run time or work")
    parser.add_argument("--orders", type=int, default=0, help="random numberings of the users besides the given one")
    parser.add_argument("--seed", type=int, default=0, help="of the random numberings")
    parser.add_argument("--printed", action="store_true", help="the thesis's wording of LST and its discard rule")
    parser.add_argument("--time-limit", type=float, default=300, metavar="SECONDS", help="per case (default 300)")
    parser.add_argument("--plot", metavar="FILE", help="also draw it (.svg, .png, .pdf)")
    given = parser.parse_args(arguments)
    try:
        numbers = [int(text) for text in given.users.split(",")]
    except ValueError:
        parser.error(f"--users {given.users}: expected numbers separated by commas")
    try:
        log = read_log(given.log)
        rows = experiment(
            log, numbers, levels=given.levels, measure=given.measure, ties=given.ties, values=given.values,
            printed=given.printed, orders=given.orders, seed=given.seed, time_limit=given.time_limit,
        )  # fmt: skip
        print(plain(table(rows, f"{log.name}: the 10 % longest jobs of the most active users")))
        if given.plot:
            save(figure(rows), given.plot)
    except ConsortiumError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0 if all(row.complete for row in rows) else 3


if __name__ == "__main__":
    sys.exit(main())
