"""What verbs on scenarios of kind ``multiuser`` answer: their records, each field declared once."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import ClassVar

from ...support.fields import col, row
from ..records import Record, Row, Statistic


@row
class UserRow(Row):
    """One user's part."""

    name: str = col("name of the user")
    objective: str = col("what the user minimises: makespan or total-completion")
    value: Fraction | None = col("what the user gets of it; none without a schedule", unit="time")
    zenith: Fraction | None = col("best value alone on all machines; none where it took too long", unit="time")
    nadir: Fraction = col("no Pareto-optimal point is worse for the user", unit="time")
    guarantee: Fraction | None = col("proved factor over the user's value alone, of the MULTI rules", unit="1")


@row
class JobRow(Row):
    """One job of the schedule."""

    user: str = col("whose job it is")
    job: int = col("its number among the user's jobs, from 1")
    machine: int = col("number of the machine, from 1")
    start: Fraction = col("when it starts", unit="time")
    end: Fraction = col("when it ends", unit="time")


@row
class BoxRow(Row):
    """A cell of the refinement, and what became of it."""

    low: tuple[Fraction, ...] = col("least values of its corner", unit="time")
    high: tuple[Fraction, ...] = col("largest values of its corner", unit="time")
    fate: str = col(
        "split, infeasible (its upper corner cannot be met), empty (no whole point) or bounded (no fairer one)"
    )


@row
class LevelRow(Row):
    """The state after one level of the refinement."""

    level: int = col("number of the level, from 1")
    cells: int = col("cells looked at so far")
    active: int = col("cells that may hold a fairer point")
    key: Fraction = col("exact comparison key of the fairest point so far")
    value: Statistic = col("value of the fairness function there")
    point: tuple[Fraction, ...] = col("fairest point so far, in the users' order", unit="time")
    bound: Fraction | None = col("no point has a smaller key")
    gap: Statistic | None = col("value of the point over that of the bound, minus 1", unit="1", format="percent")
    proved: bool = col("whether no point is fairer")
    boxes: tuple[BoxRow, ...] | None = col("cells of the level, for pictures", optional=True, default=None)


@row
class FairnessRow(Row):
    """The fairness of the point; the last fields are those of a refinement."""

    norm: int | str = col("norm of the fairness function")
    key: Fraction = col("exact comparison key: sum, product, sum of powers or largest value", label="key (exact)")
    value: Statistic = col("value of the fairness function, root taken, mean divided")
    optimum_key: Fraction | None = col(
        "smallest key of all schedules; none: not known", label="smallest key of all schedules"
    )
    over_optimum: Statistic | None = col(
        "value over the smallest, minus 1", label="value above the fairest", unit="1", format="percent"
    )
    levels: tuple[LevelRow, ...] | None = col("levels of the refinement")
    proved: bool | None = col("whether no schedule is fairer", label="proved fairest", optional=True, default=None)
    improvement: Statistic | None = col(
        "by how much the last level is fairer than the first",
        label="improvement over level 1",
        unit="1",
        format="percent",
        optional=True,
        default=None,
    )


@row
class MetricsRow(Row):
    """Other measures of how equal the values are with which users enter the fairness function; reported only."""

    jain: Fraction | None = col("Jain's index, 1 is equal", label="Jain's index (reported only)", unit="1")
    min_max: Fraction | None = col("smallest value over the largest", label="min-max ratio (reported only)", unit="1")
    variance: Fraction | None = col("variance of the values", label="variance (reported only)")


@row
class GridRow(Row):
    """The grid of an approximate Pareto set."""

    corners: int = col("corners that were solved", format=",")
    ratios: Mapping[str, Fraction] | None = col("how near the set comes to the exact one, by user", unit="1")


@row
class RunRecord(Record):
    """What a rule gives the users."""

    verb: ClassVar[str] = "run"
    main: ClassVar[str] = "users"
    users: tuple[UserRow, ...] = col("everybody's part")
    feasible: bool | None = col(
        "whether the point can be met; none for a set of points, and for the point of a custom rule that was neither "
        "certified nor refuted"
    )
    point: tuple[Fraction, ...] | None = col("everybody's value, in the users' order; none for a set", unit="time")
    jobs: tuple[JobRow, ...] = col("where and when every job runs")
    pareto: tuple[tuple[Fraction, ...], ...] | None = col("Pareto set, as many points as the option list says")
    fairness: FairnessRow | None = col("how fair the point is; smaller is fairer")
    metrics: MetricsRow | None = col("other measures of the point")
    pareto_count: int | None = col("points of the Pareto set", format=",", optional=True, default=None)
    pareto_left_out: int | None = col("points that are not listed", format=",", optional=True, default=None)
    grid: GridRow | None = col("grid of an approximate Pareto set", optional=True, default=None)
    fairest: tuple[Fraction, ...] | None = col(
        "of a set of points the one of least key, for figures", hidden=True, compare=False, default=None
    )
