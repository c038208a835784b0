"""Usage with a half-life beside usage without: the numbers of an audit that Slurm's fair share goes by.

A second of machine time counts 1 when it has just been used and half of that a half-life later
(``PriorityDecayHalfLife``). These are statistics in floating point; the rules with a half-life decide in integers
(:mod:`consortium.mechanisms.sharing.rules.decay`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...support.units import duration_text
from ...workloads.windows import Plan
from ..records import Statistic
from .options import Audit
from .results import WindowResult
from .rules import Rule


def half_life_of(options: Audit, rules: Sequence[Rule]) -> int | None:
    """The half-life asked for, else that of the rule in force; ``None`` without any."""
    if options.decay is not None:
        return options.decay
    in_force = next(rule for rule in rules if rule.label == options.rule)
    found: int | None = in_force.options.get("decay")
    return found


def decayed_label(half_life: int) -> str:
    """fair-share with a half-life, as ``--rules`` takes it.

    >>> decayed_label(604_800), decayed_label(5_400), decayed_label(10)
    ('fair-share:decay=7d', 'fair-share:decay=90min', 'fair-share:decay=10s')
    """
    units = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))
    unit, length = next((unit, length) for unit, length in units if half_life % length == 0)
    return f"fair-share:decay={half_life // length}{unit}"


def decayed_rows(
    results: Sequence[WindowResult], label: str, shares: Sequence[float]
) -> list[tuple[Statistic | None, Statistic | None, Statistic | float | None]]:
    """Usage, fair-share factor and LevelFS of each organization with the half-life, sums over the windows."""
    found = [result.of(label).decayed for result in results]
    totals = [sum(used) for used in zip(*(used for used in found if used is not None), strict=True)]
    if not totals:
        return [(None, None, None) for _ in shares]
    whole = sum(totals)
    return [usage_numbers(share, used / whole if whole else 0.0) for share, used in zip(shares, totals, strict=True)]


def usage_numbers(share: float, usage: float) -> tuple[Statistic, Statistic | None, Statistic | float | None]:
    """Usage U, fair-share factor ``2**(-U/S)`` and LevelFS ``S/U``; ``None`` where they do not exist."""
    factor = Statistic(2.0 ** (-usage / share)) if share else None
    level = (Statistic(share / usage) if usage else math.inf) if share or usage else None
    return Statistic(usage), factor, level


def counted_from(plan: Plan, half_life: int | None) -> tuple[str, ...]:
    """That usage before a window is not known, in a sentence, where a half-life is asked about."""
    if half_life is None:
        return ()
    least = 100 * 2.0 ** (-plan.duration / half_life)
    return (
        f"Usage with a half-life of {duration_text(half_life)} counts from the opening of a window, before which "
        f"nobody had used anything: a second used then still counts {least:.3g} % at the end",
    )
