"""Where the windows of an audit open: anywhere at random, in a part of the log, where it is full, or at one moment.

Loads are those of the jobs submitted in a window (:mod:`consortium.workloads.loads`), all openings looked at: the
fullest windows are the fullest there are, and random ones of a least load are uniform over all seconds that have it.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any, Final

import numpy as np

from ...mechanisms.sharing.simulation import COPIES
from ...support.errors import InputError
from ...support.exact import magnitude
from ...support.units import duration_text
from ...workloads.billing import told_weights
from ...workloads.columns import IntArray
from ...workloads.loads import Submitted, at_least, busiest, submitted
from ...workloads.log import Log
from ...workloads.windows import Plan, SharedWork
from ..options import MOST
from .audit_plan import total_machines
from .options import Audit
from .period import period_of

_OPENING: Final = 1
"""Which child of a window's seed its opening is drawn from, where the plan does not draw it."""


@dataclass(frozen=True)
class Windows:
    """The windows of a log.

    Attributes
    ----------
    openings
        Of every window, in seconds after the first submission; ``None`` where the plan draws them itself.
    said
        What windows these are, in a sentence, where they do not stand for the whole log.
    """

    log: Log
    plan: Plan
    number: int
    openings: tuple[int, ...] | None = None
    said: tuple[str, ...] = ()

    def window(self, index: int = 0, warmup: int | None = None) -> SharedWork:
        """Window number ``index`` (from 0), perhaps with another warm-up than the plan's."""
        plan = self.plan if self.openings is None else replace(self.plan, start=self.openings[index])
        return (plan if warmup is None else replace(plan, warmup=warmup)).window(self.log, index)


def windows_of(log: Log, plan: Plan, options: Audit) -> Windows:
    """The windows that were asked for.

    Raises
    ------
    InputError
        Ways to choose that do not go together, or no such window in the log.
    """
    _check(options)
    part = period_of(log, options.since, options.until)
    last = max(part.since, part.until - plan.duration)
    if options.busiest is not None:
        return _fullest(log, plan, options.busiest, submitted(log, plan.duration, part.since, last))
    if options.min_load is not None:
        found = submitted(log, plan.duration, part.since, last)
        first, seconds, said = _full(log, plan, options.min_load, found)
    elif plan.start is not None:  # asked for, or the only one
        return Windows(log, plan, 1)
    elif options.since is None and options.until is None:
        return Windows(log, plan, options.windows)
    else:
        first, seconds, said = np.array([part.since]), np.array([last + 1 - part.since]), ""
    before = np.concatenate([[0], np.cumsum(seconds)])
    number = options.windows if before[-1] > 1 else 1
    places = [_drawn(plan.seed, index, int(before[-1])) for index in range(number)]
    at = np.searchsorted(before, places, "right") - 1
    opens = (first[at] - before[at] + places).tolist()
    return Windows(log, plan, number, tuple(opens), (said,) if said else ())


def _drawn(seed: int, index: int, number: int) -> int:
    return int(np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index, _OPENING))).integers(number))


def _fullest(log: Log, plan: Plan, number: int, found: Submitted) -> Windows:
    opens = busiest(found, number)
    if len(opens) < number:
        raise InputError(
            f"busiest: found {number:,}; expected at most {len(opens):,}: {log.name} has no more disjoint windows of "
            f"{plan.duration:,} s with any work where they are looked for"
        )
    which = "This is the fullest window" if number == 1 else f"These are the {number:,} fullest windows"
    said = f"{which}, not random ones: means and limits say nothing of the rest of the log."
    return Windows(log, plan, number, tuple(opens), (said,))


def _full(log: Log, plan: Plan, least: Fraction, found: Submitted) -> tuple[IntArray, IntArray, str]:
    """Where windows of at least this load open, for how many seconds, and what that says of them."""
    can = total_machines(plan) * plan.duration
    first, seconds = at_least(found, math.ceil(least * can))
    told = f"{float(least):g}" if least < MOST else magnitude(math.ceil(least))
    if not first.size:
        most = float(Fraction(int(found.work.max()), can))
        raise InputError(
            f"min_load: found {told}; expected at most {most:.4g}, the load of the fullest window of "
            f"{plan.duration:,} s ({duration_text(plan.duration)}) that {log.name} has where it is looked for"
        )
    part = 100 * int(seconds.sum()) / int(found.seconds.sum())
    said = f"Windows with a load of at least {told} open in {part:.2g} % of the time: means and limits are theirs."
    return first, seconds, said


def _check(options: Audit) -> None:
    """Refuse two ways to choose windows at once."""
    ways = {
        "start": options.start is not None,
        "busiest": options.busiest is not None,
        "min_load": options.min_load is not None,
    }
    given = [name for name, is_given in ways.items() if is_given]
    if len(given) > 1:
        raise InputError(f"{given[1]}: found it beside {given[0]}; expected one of {', '.join(ways)}")
    if given == ["start"] and not (options.since is None and options.until is None):
        raise InputError("start: found it beside since or until; expected one window at a moment, or a part of the log")


def question(plan: Plan, options: Audit) -> dict[str, Any]:
    """How windows are chosen and measured, not which: what all windows of a growing store have in common."""
    ways = ("start", options.start), ("busiest", options.busiest), ("min_load", options.min_load)
    way = next((name for name, given in ways if given is not None), "random")
    shown = {key: value for key, value in asdict(plan).items() if key not in ("seed", "start", "whole")}
    least = {} if options.min_load is None else {"min_load": str(options.min_load)}
    weights = {} if options.weights is None else {"weights": told_weights(options.weights)}
    parallel = {} if options.parallel == COPIES else {"parallel": options.parallel}
    return {**shown, "chosen": way, **least, **weights, **parallel}


def chosen(log: Log, options: Audit) -> dict[str, Any]:
    """How they were chosen, for the record: what was asked for, moments in seconds after the first submission."""
    part = period_of(log, options.since, options.until)
    whole = options.since is None and options.until is None
    return {
        "part": None if whole else part.text(log),
        "since": None if options.since is None else part.since,
        "until": None if options.until is None else part.until,
        "busiest": options.busiest,
        "min_load": options.min_load,
    }
