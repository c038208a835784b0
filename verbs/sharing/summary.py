"""What many windows say together: a row per rule, and a row per window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from ...scheduling.intervals import mean
from ...workloads.clock import clock_of
from ...workloads.log import Log
from ..records import OPTIONAL, ComparisonRow, Row, Statistic
from .results import WindowResult
from .rules import Rule

COLUMNS: Final = ("unfairness", "unfairness_low", "unfairness_high", "deviation", "utilization", "seconds")


@dataclass(frozen=True, kw_only=True)
class WindowRow(Row):
    """One window: where it opens, its jobs and load, the machines, and every rule's unfairness by label.

    ``opens`` is the date of its opening on the cluster's clock, where the log says it.
    """

    window: int
    start: int
    opens: str | None = field(default=None, metadata=OPTIONAL)
    jobs: int
    load: Statistic
    p_tot: int
    machines: tuple[int, ...]
    unfairness: Mapping[str, Statistic]


def rule_rows(
    results: Sequence[WindowResult], rules: Sequence[Rule], scenario: str, complete: bool = True
) -> tuple[ComparisonRow, ...]:
    """One row per rule: unfairness, utilization and run time, means over the windows.

    ``unfairness_low`` (at least 0) and ``unfairness_high`` are Student's limits of 95 per cent of the mean unfairness,
    ``deviation`` is the population standard deviation.
    """
    rows = []
    for rule in rules:
        found = [result.of(rule.label) for result in results]
        unfairness = [float(r.unfairness) for r in found]
        interval = mean(unfairness) if found else None
        values = {
            "unfairness": _mean(unfairness),
            "unfairness_low": _known(interval and interval.low and max(0.0, interval.low)),
            "unfairness_high": _known(interval and interval.high),
            "deviation": Statistic(float(np.std(unfairness))) if found else None,
            "utilization": _mean([float(r.utilization) for r in found if r.utilization is not None]),
            "seconds": _mean([r.seconds for r in found]),
        }
        rows.append(ComparisonRow(rule=rule.label, scenario=scenario, values=values, complete=complete))
    return tuple(rows)


def _known(value: float | None) -> Statistic | None:
    return None if value is None else Statistic(value)


def _mean(values: Sequence[float]) -> Statistic | None:
    return Statistic(float(np.mean(values))) if values else None


def window_rows(results: Sequence[WindowResult], log: Log) -> tuple[WindowRow, ...]:
    """One row per window of the log."""
    clock, first = clock_of(log), int(log.submit.min())
    return tuple(
        WindowRow(
            window=result.index + 1,
            start=result.start,
            opens=None if clock is None else clock.text(first + result.start),
            jobs=result.n_jobs,
            load=Statistic(result.load),
            p_tot=result.p_tot,
            machines=result.machines,
            unfairness={rule.label: Statistic(float(rule.unfairness)) for rule in result.rules},
        )
        for result in results
    )
