r"""The experiment of Cordeiro 2012, section 6.3, on a log of one's own: how much fairer than LST at the nadir?

``python -m consortium.experiments.section_6_3 LOG`` prints it beside the published figures; the log is in the Standard
Workload Format (plain or gzip) or a Slurm accounting dump, and ``--help`` lists the options.

Procedure of the thesis: the most active users of a log, the 10 % largest jobs of each, one machine; one user
minimises her average completion time, the others their makespan; the L2 norm; the refinement against its own first
level, which is LST with the nadir as thresholds. Published: 27.69, 23.52, 28.12 and 22.12 % for 3, 4, 5 and 6 users,
on the log of Intrepid (ANL-Intrepid-2009-1 of the Parallel Workloads Archive), means of 30 executions of five
minutes.

The thesis does not say which user minimises her completion times, how users are numbered (equal thresholds, as all
are at the nadir, run by number), what "largest" measures, or how 10 % is rounded. Here: every user in turn, users
numbered by activity, longest run time, rounded up; the mean and the range over the turns. ``orders`` adds random
numberings.

>>> from consortium.workloads import Log
>>> columns = {"job": range(1, 31), "submit": range(30), "allocated": [1] * 30, "user": [i % 3 for i in range(30)]}
>>> log = Log(columns | {"run": [60 + 7 * i * i for i in range(30)]}, name="tiny.swf")
>>> (row,) = experiment(log, users=[3], part="1/2")
>>> row.cases, round(row.mean, 2), round(row.low, 2), round(row.high, 2)
(3, 15.23, 13.14, 17.4)
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from ..agents.users import Community, User
from ..mechanisms.multiuser.catalogue import Ties, Values
from ..mechanisms.multiuser.fairest_point import fairest
from ..mechanisms.multiuser.fairness import Fairness
from ..mechanisms.multiuser.refinement import RefineResult, refine
from ..reports.figures import save
from ..reports.style import COLOURS, bare, new_figure
from ..reports.tables import Table, text
from ..scheduling.errors import ConsortiumError, InputError
from ..scheduling.exact import Rational, rational
from ..scheduling.progress import Progress
from ..workloads import read_log
from ..workloads.log import Log
from ..workloads.selection import Chosen, longest

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PUBLISHED: Final = {3: 27.69, 4: 23.52, 5: 28.12, 6: 22.12}
"""Improvement in percent by number of users, Cordeiro 2012, section 6.3."""


@dataclass(frozen=True)
class Row:
    """One number of users; improvements in percent over LST at the nadir.

    Attributes
    ----------
    users, cases
        Number of users, and how many communities were solved (choices of the total-completion user, times orders).
    mean, low, high
        Of the refinement's improvement over the cases.
    levels
        Mean improvement after level 1, 2, ...
    best
        Mean improvement of the exact fairest points: what no method can exceed.
    gap
        Largest certified gap at the last level, percent; ``None`` for the printed method, which certifies nothing.
    published
        The thesis's figure, ``None`` for other numbers of users.
    complete
        Whether every case ran to its last level.
    """

    users: int
    cases: int
    mean: float
    low: float
    high: float
    levels: tuple[float, ...]
    best: float
    gap: float | None
    published: float | None
    complete: bool


def experiment(
    log: Log,
    users: Sequence[int] = (3, 4, 5, 6),
    *,
    levels: int = 6,
    part: Rational | str = "1/10",
    measure: Literal["run", "work"] = "run",
    ties: Ties = "index",
    values: Values = "average",
    printed: bool = False,
    orders: int = 0,
    seed: int = 0,
    time_limit: float | None = 300,
    progress: Progress | None = None,
) -> tuple[Row, ...]:
    """Run the experiment.

    Parameters
    ----------
    log
        A job log; see :func:`consortium.workloads.read_log`.
    users
        Numbers of users, each at least 2.
    levels
        Levels of the refinement, as in the thesis's figure.
    part, measure
        Which part of a user's jobs counts as her largest, and by what.
    ties
        Order of equal thresholds in the baseline: ``"index"``, or ``"work"``, which makes the baseline fairer.
    values
        Whether the total-completion user enters by her average or by her sum.
    printed
        The thesis's wording of LST and its discard rule.
    orders, seed
        So many random numberings of the users besides the one by activity.
    time_limit
        Seconds per case, five minutes as in the thesis.
    progress
        Told the cases solved.
    """
    share = rational(part, "part")
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for number in users:
        if number < 2:
            raise InputError(f"users: found {number}; expected at least 2")
        chosen = longest(log, number, (share.numerator, share.denominator), measure)
        results: list[tuple[RefineResult, float]] = []
        for shared in _communities(chosen, orders, rng):
            fairness = Fairness(values=values)
            result = refine(
                shared, fairness, levels, ties,
                discard="printed" if printed else "sound", solver="lst-printed" if printed else "lst",
                time_limit=time_limit,
            )  # fmt: skip
            results.append((result, fairest(shared, fairness).value))
            if progress is not None:
                progress(len(results), None, f"cases of {number} users")
        rows.append(_row(number, levels, results))
    return tuple(rows)


def _communities(chosen: Sequence[Chosen], orders: int, rng: np.random.Generator) -> Iterator[Community]:
    """Every choice of the total-completion user, under the given order and some random ones."""
    numberings = [list(range(len(chosen))), *(rng.permutation(len(chosen)).tolist() for _ in range(orders))]
    for numbering in numberings:
        for special in range(len(chosen)):
            yield Community(
                tuple(
                    User.of(chosen[i].name, "total-completion" if i == special else "makespan", chosen[i].lengths)
                    for i in numbering
                )
            )


def _row(number: int, levels: int, results: Sequence[tuple[RefineResult, float]]) -> Row:
    gains = [100 * result.improvement for result, _ in results]
    by_level = []
    for t in range(levels):  # a refinement that has proved its point stays there
        at = [1 - r.levels[min(t, len(r.levels) - 1)].value / r.levels[0].value for r, _ in results]
        by_level.append(100 * sum(at) / len(at))
    gaps = [result.levels[-1].gap for result, _ in results]
    return Row(
        users=number,
        cases=len(results),
        mean=sum(gains) / len(gains),
        low=min(gains),
        high=max(gains),
        levels=tuple(by_level),
        best=100 * sum(1 - value / result.levels[0].value for result, value in results) / len(results),
        gap=None if any(g is None for g in gaps) else 100 * max(g for g in gaps if g is not None),
        published=PUBLISHED.get(number),
        complete=all(result.outcome.complete for result, _ in results),
    )


def gains_table(rows: Sequence[Row], title: str) -> Table:
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


def gains_figure(rows: Sequence[Row]) -> Figure:
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
    bare(axes)
    return drawn


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line of the experiment; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m consortium.experiments.section_6_3", description=__doc__)
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
        numbers = [int(number) for number in given.users.split(",")]
    except ValueError:
        parser.error(f"--users {given.users}: expected numbers separated by commas")
    try:
        log = read_log(given.log)
        rows = experiment(
            log, numbers, levels=given.levels, measure=given.measure, ties=given.ties, values=given.values,
            printed=given.printed, orders=given.orders, seed=given.seed, time_limit=given.time_limit,
        )  # fmt: skip
        print(text([gains_table(rows, f"{log.name}: the 10 % longest jobs of the most active users")]))
        if given.plot:
            save(gains_figure(rows), given.plot)
    except ConsortiumError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0 if all(row.complete for row in rows) else 3


if __name__ == "__main__":
    sys.exit(main())
