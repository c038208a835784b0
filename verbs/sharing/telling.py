"""Whether windows of a log tell rules apart, in words.

Rules run on the same windows, so what counts are the differences of their unfairness window by window: two rules are
told apart when Student's interval of 95 per cent of the mean difference leaves 0 out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ...scheduling.intervals import Interval, mean, needed
from ...support.units import duration_text
from .results import REFERENCE, WindowResult
from .rules import RECORDED, Rule

MANY: Final = 1_000_000
"""Windows of which nobody would measure more."""


@dataclass(frozen=True)
class Difference:
    """By how much a rule is less fair than another, window by window: the mean, and how many windows would tell."""

    label: str
    interval: Interval
    windows: int | None


def told_apart(results: Sequence[WindowResult], rules: Sequence[Rule], label: str) -> tuple[str, ...]:
    """How a rule stands beside the others, a sentence each; nothing of REF, which is the measure, nor of the record."""
    others = [rule.label for rule in rules if not _is_measure(rule) and rule.rule != RECORDED and rule.label != label]
    if not results or not others or any(result.of(label).other for result in results):  # or not on the same jobs
        return ()
    if not any(_unfairness(results, name) for name in (label, *others)):
        return (_nothing(len(results)),)
    if len(results) == 1:
        return ("One window says nothing of how the rules differ in others.",)
    found = [_difference(results, name, label) for name in others]
    equal = [one for one in found if one.interval.low is None]
    surely = [one for one in found if one.interval.tells]
    unsure = [one for one in found if one not in equal and one not in surely]
    fairer = sorted((one for one in surely if one.interval.value < 0), key=lambda one: one.interval.value)
    less = sorted((one for one in surely if one.interval.value > 0), key=lambda one: -one.interval.value)
    told = []
    if fairer:
        told.append(f"Fairer than {label} in these windows: {_listed(fairer)}.")
    if less:
        told.append(f"Less fair than {label}: {_listed(less)}.")
    if unsure:
        told.append(_unsure(unsure, label, len(results)))
    if equal:
        told.append(f"No difference from {label} in these windows: {', '.join(one.label for one in equal)}.")
    return tuple(told)


def _is_measure(rule: Rule) -> bool:
    """Whether it is what all are held against: REF without options of its own."""
    return bool(rule.rule == REFERENCE.rule) and not rule.options


def over_full(results: Sequence[WindowResult], rules: Sequence[Rule]) -> tuple[str, ...]:
    """Whose schedules use more machines than there are: only what the cluster did can, of more machines than these."""
    told = []
    for rule in rules:
        used = [float(r.utilization) for result in results if (r := result.of(rule.label)).utilization is not None]
        if used and sum(used) > len(used):
            busy, machines = 100 * sum(used) / len(used), sum(results[0].machines)
            told.append(
                f"{rule.label} has the machines busy {busy:.0f} % of the time: the cluster had more than the "
                f"{machines:,} that were replayed, or records of starts and ends are not exact."
            )
    return tuple(told)


def dominated(results: Sequence[WindowResult], label: str) -> tuple[str, ...]:
    """Where one window makes most of the unfairness, a warning: limits that others would have set are not known."""
    found = [float(result.of(label).unfairness) for result in results]
    if len(found) < 3 or 2 * max(found) <= sum(found):
        return ()
    worst = max(range(len(found)), key=found.__getitem__)
    part = "all" if found[worst] == sum(found) else f"{math.floor(100 * found[worst] / sum(found))} %"
    return (
        f"Window {results[worst].index + 1} alone makes {part} of the unfairness under {label}: where one counts for "
        f"so much, the limits are often too narrow; look at more windows.",
    )


def _unfairness(results: Sequence[WindowResult], label: str) -> float:
    return sum(float(result.of(label).unfairness) for result in results)


def _difference(results: Sequence[WindowResult], label: str, against: str) -> Difference:
    apart = [float(result.of(label).unfairness - result.of(against).unfairness) for result in results]
    return Difference(label, mean(apart), needed(apart))


def _listed(found: Iterable[Difference]) -> str:
    return ", ".join(f"{one.label} (by {ranged(one.interval)})" for one in found)


def ranged(interval: Interval) -> str:
    """The limits of an interval that leaves 0 out, as lengths of time.

    >>> ranged(Interval(-75, -90, -60))
    '1 min to 1 min 30 s'
    """
    near, far = sorted(abs(limit) for limit in (interval.low, interval.high) if limit is not None)
    return f"{duration_text(near)} to {duration_text(far)}"


def _unsure(found: Sequence[Difference], label: str, n: int) -> str:
    """Rules that these windows do not tell from the one in force, each with how many would."""
    names = ", ".join(f"{one.label} ({enough(one.windows)})" for one in found)
    return f"These {n:,} windows cannot tell from {label}: {names}, if others scatter like these."


def enough(windows: int | None) -> str:
    """How many windows would tell, in words."""
    if windows is None:
        return "no difference on average"
    return "no number that can be measured would" if windows > MANY else f"about {windows:,} would"


def _nothing(n: int) -> str:
    """Every rule is fair: with 95 per cent confidence, what part of all windows can be otherwise at most."""
    at_most = 100 * (1 - 0.05 ** (1 / n))
    told = "this window" if n == 1 else f"these {n:,} windows"
    return (
        f"Every rule gives everybody what is fair in {told}, as where nobody waits for another: {told} cannot tell the "
        f"rules apart. At most {at_most:.2g} % of all such windows are otherwise (95 % confidence); look at more of "
        f"them, at longer or at busier ones."
    )
