r"""The experiment of Cordeiro 2012, section 6.3, on a log of one's own: how much fairer than LST at the nadir?

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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from ..agents.users import Community, User
from ..mechanisms.multiuser.catalogue import Ties, Values
from ..mechanisms.multiuser.fairest_point import fairest
from ..mechanisms.multiuser.fairness import Fairness
from ..mechanisms.multiuser.refinement import RefineResult, refine
from ..scheduling.errors import InputError
from ..scheduling.exact import Rational, rational
from ..scheduling.progress import Progress
from ..workloads.log import Log
from ..workloads.selection import Chosen, longest

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
