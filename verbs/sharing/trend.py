"""Unfairness over weeks: the windows of all audits that a store keeps, by day, week or month.

Windows of a period are a sample of it: their mean has Student's limits of 95 per cent, and the last two periods are
told apart by Welch's interval of the difference of their means, which does not ask that both scatter alike.

Conventions: a window belongs to the period in which it opens, on the cluster's clock where the log says it (weeks begin
on Monday). Otherwise periods are 1, 7 and 30 days long, counted from the log's first submission.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import Final, Literal, TypeAlias

from ...scheduling.intervals import Interval, difference, mean
from ...support.units import duration_text
from ...workloads.clock import Clock, clock_of
from ...workloads.log import Log
from ..records import Row, Statistic
from .past import KeptWindow

Every: TypeAlias = Literal["window", "day", "week", "month"]
DEFAULT: Final[Every] = "week"
_DAYS: Final[Mapping[str, int]] = {"day": 1, "week": 7, "month": 30}


@dataclass(frozen=True, kw_only=True)
class TrendRow(Row):
    """The windows of one period under the rule in force.

    Attributes
    ----------
    since
        The date that the period (or, where every window is one, the window) begins with, or the second after the
        first submission.
    load
        Mean over the windows.
    unfairness, unfairness_low, unfairness_high
        Mean in seconds, with Student's limits of 95 per cent where there are several windows.
    """

    since: str
    windows: int
    load: Statistic
    unfairness: Statistic
    unfairness_low: Statistic | None
    unfairness_high: Statistic | None


@dataclass(frozen=True, kw_only=True)
class Trend(Row):
    """Unfairness of one rule period by period; ``told`` says how the last two differ."""

    every: str
    rule: str
    rows: tuple[TrendRow, ...]
    told: tuple[str, ...]


def trend_of(windows: Sequence[KeptWindow], log: Log, rule: str, every: Every) -> Trend | None:
    """The trend of a rule; ``None`` without windows."""
    clock, first = clock_of(log), int(log.submit.min())
    periods: dict[str, list[KeptWindow]] = {}
    for window in windows:
        periods.setdefault(_period(window.opening, first, clock, every), []).append(window)
    samples = {name: [float(Fraction(each.unfairness[rule])) for each in found] for name, found in periods.items()}
    rows = tuple(_row(name, found, mean(samples[name])) for name, found in periods.items())
    told = (*_last_two(samples, rule, every), *_others(windows))
    return Trend(every=every, rule=rule, rows=rows, told=told) if rows else None


def _period(opening: int, first: int, clock: Clock | None, every: Every) -> str:
    """What a window's period begins with."""
    if clock is None:
        length = 1 if every == "window" else _DAYS[every] * 86_400
        return f"{(opening - first) // length * length:,} s"
    if every == "window":
        return clock.text(opening)
    day: date = clock.date(opening).date()
    if every == "week":
        day -= timedelta(days=day.weekday())
    return (day.replace(day=1) if every == "month" else day).isoformat()


def _row(since: str, windows: Sequence[KeptWindow], found: Interval) -> TrendRow:
    return TrendRow(
        since=since,
        windows=len(windows),
        load=Statistic(sum(each.load for each in windows) / len(windows)),
        unfairness=Statistic(found.value),
        unfairness_low=None if found.low is None else Statistic(max(0.0, found.low)),
        unfairness_high=None if found.high is None else Statistic(found.high),
    )


def _last_two(samples: Mapping[str, Sequence[float]], rule: str, every: Every) -> tuple[str, ...]:
    if len(samples) < 2 or every == "window":
        return ()
    (before, old), (now, new) = list(samples.items())[-2:]
    found = difference(new, old)
    told = (
        f"Unfairness of {rule}: {duration_text(mean(old).value)} in the {every} of {before} ({_counted(len(old))}), "
        f"{duration_text(mean(new).value)} in that of {now} ({_counted(len(new))})"
    )
    if not any((*old, *new)):
        return (f"{told}: fair in all of them.",)
    if found.low is None or found.high is None:
        return (f"{told}: too few windows to tell whether that is chance.",)
    near, far = sorted((abs(found.low), abs(found.high)))
    if not found.tells:
        return (f"{told}, which may be chance ({duration_text(found.low)} to {duration_text(found.high)} more).",)
    return (f"{told}: {duration_text(near)} to {duration_text(far)} {'more' if found.value > 0 else 'less'}.",)


def _counted(windows: int) -> str:
    return "1 window" if windows == 1 else f"{windows:,} windows"


def _others(windows: Sequence[KeptWindow]) -> tuple[str, ...]:
    """Whether all windows have the same organizations."""
    if len({tuple(sorted(window.organizations)) for window in windows}) < 2:
        return ()
    return (
        "The organizations are not the same in all of these windows: others had most work when they were measured.",
    )
