r"""The experiment of Cordeiro 2012, section 6.3: how much fairer than LST at the nadir, beside the published figures.

The study ``cordeiro2012/section-6.3`` follows the procedure of the thesis: the most active users of a log, the 10 %
largest jobs of each, one machine; one user minimises her average completion time, the others their makespan; the L2
norm; the refinement against its own first level, which is LST with the nadir as thresholds. Published: 27.69, 23.52,
28.12 and 22.12 % for 3, 4, 5 and 6 users, on the log of Intrepid (ANL-Intrepid-2009-1 of the Parallel Workloads
Archive), means of 30 executions of five minutes.

The thesis does not say which user minimises her completion times, how users are numbered (equal thresholds, as all
are at the nadir, run by number), what "largest" measures, or how 10 % is rounded. The study takes every user in turn,
users numbered by activity, longest run time, rounded up; here stand the mean and the range over the turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from consortium.reports.markup import Table

PUBLISHED: Final = {3: 27.69, 4: 23.52, 5: 28.12, 6: 22.12}
"""Improvement in percent by number of users, Cordeiro 2012, section 6.3."""
LEVELS: Final = 6
"""Of the refinement in the study, as in the thesis's figure."""


@dataclass(frozen=True)
class Row:
    """One number of users; improvements in percent over LST at the nadir.

    Attributes
    ----------
    users, cases
        Number of users, and how many communities were solved.
    mean, low, high
        Of the refinement's improvement over the cases.
    levels
        Mean improvement after level 1, 2, ...
    best
        Mean improvement of the exact fairest points: what no method can exceed.
    gap
        Largest certified gap at the last level, percent; ``None`` where a case has none.
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


def rows_of(found: Iterable[Mapping[str, Any]]) -> list[Row]:
    """A row per number of users, from the rows of the study; cases without an answer are not counted."""
    cases: dict[int, list[Mapping[str, Any]]] = {}
    whole: dict[int, bool] = {}
    for row in found:
        users = row["family.users"]
        whole[users] = whole.get(users, True) and row["status"] == "done"
        if row["improvement"] is not None:
            cases.setdefault(users, []).append(row)
    return [_row(users, rows, whole[users]) for users, rows in sorted(cases.items())]


def _row(users: int, cases: Sequence[Mapping[str, Any]], complete: bool) -> Row:
    gains = [100 * case["improvement"] for case in cases]
    by_case = [_levels(case) for case in cases]
    best = [100 * (1 - (1 - case["improvement"]) / (1 + case["over_optimum"])) for case in cases]
    gaps = [0 if case["level_6"] is None else case["gap"] for case in cases]  # proved before the last level: no gap
    return Row(
        users=users,
        cases=len(cases),
        mean=_mean(gains),
        low=min(gains),
        high=max(gains),
        levels=tuple(_mean(level) for level in zip(*by_case, strict=True)),
        best=_mean(best),
        gap=None if None in gaps else 100 * max(gaps),
        published=PUBLISHED.get(users),
        complete=complete,
    )


def _levels(case: Mapping[str, Any]) -> list[float]:
    """Improvement after every level; a refinement that has proved its point stays there."""
    values = [case[f"level_{t}"] for t in range(1, LEVELS + 1)]
    known = [value for value in values if value is not None]
    return [100 * (1 - value / known[0]) for value in known + known[-1:] * (LEVELS - len(known))]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def tables(found: Iterable[Mapping[str, Any]]) -> list[Table]:
    """One row per number of users: mean and range, the levels, the optimum, and the published figure; percent."""
    by_level = [f"level {t}" for t in range(2, LEVELS + 1)]
    columns = ("users", "cases", "improvement", "range", *by_level, "fairest", "gap", "published", "complete")
    body = []
    for row in rows_of(found):
        shown = [f"{row.mean:.2f}", f"{row.low:.2f} .. {row.high:.2f}", *(f"{x:.2f}" for x in row.levels[1:])]
        shown += [f"{row.best:.2f}", "-" if row.gap is None else f"{row.gap:.2f}"]
        published = "-" if row.published is None else f"{row.published:.2f}"
        body.append((str(row.users), str(row.cases), *shown, published, "yes" if row.complete else "no"))
    note = (
        "percent over LST at the nadir; mean and range over the choices of the total-completion user; fairest: the "
        "exact optimum; gap: largest certified distance from it at the last level; published: another log"
    )
    return [Table("the 10 % longest jobs of the most active users", columns, tuple(body), note)]
