"""Is the cluster shared fairly? One answer with its reasons, and how long everybody's jobs waited.

What an organization loses to others (:func:`.results.losses_of`) is not fair beyond a tolerance that matters to people:
a tenth of the mean waiting time of the jobs that are submitted in the windows (those that wait when one opens are the
long waits among many), at least a minute, for each second of its work. The limits are Student's over the
windows (the jackknife of :mod:`consortium.support.intervals`) for all organizations that matter together (Bonferroni).
One whose limits lie above the tolerance is enough: *unfair*. Where all upper limits lie within it: *fair*. Else the
windows cannot tell (*open*), and how many would is counted, if others scatter like these.

What all lose together is nobody's doing to another, but it may be the loss of one: whoever is held to few machines
while others idle loses it to nobody. So where one surely waits beyond the tolerance for any cause and another surely
does not, that is *unfair* as well, and where of the others nobody can tell, or jobs may have waited for several
machines at once, it is not *fair*.

A window opens on the recorded queue, for every rule and for the fair schedule: what was waited before is nobody's loss
in it. Where that is more than half of what an organization waited (:data:`FORGIVEN`), most of its waiting is not
looked at: it could lose more in what was left out than in what was measured. Then nothing is called *fair*, its loss is
at least what was measured, and the length of windows is told that would leave out no more than half, if as many wait as
long.

Windows that overlap tell no more than as many without overlap as cover the same time (:func:`independent`).

Waiting times are those of jobs, not of their copies (:class:`.results.Waits`); jobs that wait at the end of a window
count with the time that they have waited. A slowdown is bounded, as usual: waiting and run time over the run time, of
at least ten seconds, and at least 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ...support.intervals import CONFIDENCE, Interval, needed, ratio
from ..records import Statistic
from .audit_records import FairnessRow, WaitRow
from .model import RECORDED, Rule
from .results import SECONDS, Times, Waits, WindowResult

TOLERANCE: Final = 10
"""A loss matters from one part in so many of the mean waiting time on: nobody plans by less."""
LEAST: Final = 60
"""And from so many seconds on."""
MATTERS: Final = 100
"""An organization matters from one part in so many of all work on."""
SHORT: Final = 10
"""Jobs that run for fewer seconds have the slowdown of jobs of so many."""
FORGIVEN: Final = 2
"""More than one part in so many of what one waited before windows opened is too much to say that all is fair."""
LENGTHS: Final = (86_400, 7 * 86_400, 28 * 86_400, 91 * 86_400)
"""Lengths of windows that are proposed, in seconds."""
HIGH: Final = 95
"""Per cent of the jobs that do not wait longer than the high waiting time."""

Floats = npt.NDArray[np.float64]


class Loss(NamedTuple):
    """What an organization loses in each window, and the work of the fair schedule there."""

    seconds: tuple[float, ...]
    parts: tuple[int, ...]
    confidence: float
    independent: float | None = None

    @property
    def interval(self) -> Interval | None:
        """For each second of work, with limits; ``None`` where the fair schedule does none of it.

        Where nothing is lost in any of several windows, nothing is lost.
        """
        if not any(self.parts):
            return None
        if len(self.parts) > 1 and not any(self.seconds):
            return Interval(0.0, 0.0, 0.0)
        return ratio(self.seconds, self.parts, self.confidence, self.independent)

    def windows(self, tolerance: float) -> int | None:
        """How many windows would tell whether it loses more than that."""
        beyond = [loss - tolerance * parts for loss, parts in zip(self.seconds, self.parts, strict=True)]
        return needed(beyond, self.parts, self.confidence)


def mattering(results: Sequence[WindowResult]) -> list[int]:
    """The organizations that have enough work to matter."""
    parts = [sum(each) for each in zip(*(result.fair.parts for result in results), strict=True)]
    return [u for u, work in enumerate(parts) if work and work * MATTERS >= sum(parts)]


def losses(results: Sequence[WindowResult], label: str) -> list[Loss]:
    """What each organization loses to others under a rule."""
    return _each(results, [result.of(label).losses for result in results])


def delays(results: Sequence[WindowResult], label: str) -> list[Loss]:
    """What each organization loses under a rule, to others or not."""
    pairs = [(result.fair.utility, result.of(label).utility) for result in results]
    return _each(results, [[theirs - mine for theirs, mine in zip(*pair, strict=True)] for pair in pairs])


def _each(results: Sequence[WindowResult], lost: Sequence[Sequence[Fraction | int]]) -> list[Loss]:
    confidence = 1 - (1 - CONFIDENCE) / max(1, len(mattering(results)))
    several = independent(results)
    return [
        Loss(
            tuple(float(each[u]) for each in lost),
            tuple(result.fair.parts[u] for result in results),
            confidence,
            several,
        )
        for u in range(len(results[0].names) if results else 0)
    ]


def independent(results: Sequence[WindowResult]) -> float | None:
    """As many windows without overlap as take the time that these cover; ``None`` where none overlap."""
    covered, end, whole = 0, -math.inf, 0
    for result in sorted(results, key=lambda result: result.start):
        covered += result.span - max(0, min(result.span, int(max(end - result.start, 0))))
        end, whole = max(end, result.start + result.span), whole + result.span
    return None if covered == whole else len(results) * covered / whole


def common_loss(results: Sequence[WindowResult], label: str) -> Interval | None:
    """What all lose together under a rule, for each second of work."""
    late = [float(sum(result.fair.utility) - sum(result.of(label).utility)) for result in results]
    parts = [result.fair.p_tot for result in results]
    return ratio(late, parts, independent=independent(results)) if any(parts) else None


def fairness_row(
    results: Sequence[WindowResult],
    in_force: str,
    rules: Sequence[Rule],
    disjoint: int | None = None,
    parallel: bool = False,
) -> FairnessRow | None:
    """The answer under the rule in force; ``None`` without windows.

    ``disjoint``: windows that the log holds at most; ``parallel``: whether jobs may wait for several machines.
    """
    if not results:
        return None
    waits = _new(results, in_force)
    wait = float(waits.mean()) if waits.size else None
    tolerance = max(LEAST, (wait or 0.0) / TOLERANCE)
    names, lost, late = results[0].names, losses(results, in_force), delays(results, in_force)
    matter = {u: interval for u in mattering(results) if (interval := lost[u].interval) is not None}
    delayed = {u: interval for u in matter if (interval := late[u].interval) is not None}
    wronged = {u for u, interval in matter.items() if _beyond(interval, tolerance)}
    ranked = sorted(matter, key=lambda u: (u not in wronged, -matter[u].value))
    answer, windows = _answer(lost, matter, tolerance)
    held, one = None, len(results) == 1
    if one:  # without limits: what nobody else gains is what it is
        delayed = {u: Interval(*[each.value - matter[u].value] * 3) for u, each in delayed.items()}
    waiting = _held({u: each for u, each in delayed.items() if u not in wronged}, tolerance)
    if waiting is not None:
        in_time = any(interval.high is not None and interval.high <= tolerance for interval in delayed.values())
        if in_time and not parallel:
            answer, windows, held = "open" if one else "unfair", None, names[waiting]
        elif answer == "open" and in_time:
            held = names[waiting]
        elif answer == "fair":
            unsure = (late[u].windows(tolerance) for u, interval in delayed.items() if not _beyond(interval, tolerance))
            answer, windows, held = "open", min(filter(None, unsure), default=None), names[waiting]
    forgiven = _forgiven(results, in_force, sorted(matter, key=lambda u: (u not in wronged, u)))
    if forgiven and answer == "fair":
        answer, windows = "open", None
    gainer = ranked[-1] if ranked and matter[ranked[-1]].value < 0 else None
    if gainer is not None and answer == "unfair" and not matter[gainer].tells:
        gainer = None  # that one loses is sure, not who gains it
    several = independent(results)
    recorded = next((rule.label for rule in rules if rule.rule == RECORDED), None)
    return FairnessRow(
        answer=answer,
        tolerance=Statistic(tolerance),
        wait=None if wait is None else Statistic(wait),
        matter=tuple(names[u] for u in ranked),
        loser=names[ranked[0]] if ranked and matter[ranked[0]].value > 0 else None,
        gainer=None if gainer is None else names[gainer],
        wronged=tuple(names[u] for u in ranked if u in wronged),
        held=held,
        windows=windows,
        disjoint=None if windows is None or disjoint is None or windows <= disjoint else disjoint,
        busy=None if recorded is None else _busy(results, [sum(result.of(recorded).parts) for result in results]),
        replayed=_busy(results, [result.fair.p_tot for result in results]),
        independent=None if several is None else Statistic(several),
        **forgiven,
    )


def _forgiven(results: Sequence[WindowResult], label: str, organizations: Sequence[int]) -> dict[str, Any]:
    """Of whom most of the waiting lies before windows opened, what part, and how long windows should be; nobody: {}."""
    waits = [(result, each) for result in results if (each := result.of(label).waits) is not None and result.waited]
    worst, part = None, 1 / FORGIVEN
    for u in organizations:
        waited = float(_joined([each.seconds[u] for _, each in waits]).sum())
        before = sum(result.waited[u] for result, _ in waits)
        if waited and before / waited > part:
            worst, part = u, before / waited
    if worst is None:
        return {}
    enough = results[0].span * part / (1 - part) * (FORGIVEN - 1) if part < 1 else math.inf
    longer = [length for length in LENGTHS if length > results[0].span]
    length = next((length for length in longer if length >= enough), longer[-1] if longer else None)
    return {"forgiven": results[0].names[worst], "forgiven_part": Statistic(part), "longer": length}


def _beyond(interval: Interval, tolerance: float) -> bool:
    return interval.low is not None and interval.low > tolerance


def _held(delayed: dict[int, Interval], tolerance: float) -> int | None:
    """Who surely waits longest beyond the tolerance, where others do not surely do so."""
    beyond = [u for u, interval in delayed.items() if _beyond(interval, tolerance)]
    return max(beyond, key=lambda u: delayed[u].value, default=None) if len(beyond) < len(delayed) else None


def _answer(lost: Sequence[Loss], matter: dict[int, Interval], tolerance: float) -> tuple[Any, int | None]:
    """The answer; where there is none, how many windows would tell."""
    if any(_beyond(interval, tolerance) for interval in matter.values()):
        return "unfair", None
    unsure = [u for u, interval in matter.items() if interval.high is None or interval.high > tolerance]
    if matter and not unsure:
        return "fair", None
    numbers = {u: lost[u].windows(tolerance) for u in unsure}
    over = [number for u, number in numbers.items() if matter[u].value > tolerance and number is not None]
    if over:  # one is enough
        return "open", min(over)
    enough = [number for number in numbers.values() if number is not None]
    return "open", max(enough, default=None) if len(enough) == len(numbers) else None


def _busy(results: Sequence[WindowResult], parts: Sequence[int]) -> Statistic | None:
    """Machine time used over what the machines can do, mean of the windows."""
    busy = [done / result.room for done, result in zip(parts, results, strict=True) if result.room]
    return Statistic(float(np.mean(busy))) if busy else None


# --- waits ------------------------------------------------------------------------------------------------------------


def wait_rows(results: Sequence[WindowResult], in_force: str) -> tuple[WaitRow, ...]:
    """How long everybody's jobs waited under the rule in force, beside the fair schedule."""
    rows, ran = [], [result.of(in_force) for result in results]
    mine, fair = [result.waits for result in ran], [result.fair.waits for result in results]
    for u, name in enumerate(results[0].names if results else ()):
        lengths, share = _joined([result.lengths[u] for result in results]), _part([r.machines for r in results], u)
        assert share is not None  # there are machines
        rows.append(
            WaitRow(
                name=name,
                jobs=int(lengths.size),
                **_waited("", mine, u, lengths),
                **_waited("fair_", fair, u, lengths),
                share=share,
                usage=_part([result.parts for result in ran], u),
                fair_usage=_part([result.fair.parts for result in results], u),
            )
        )
    return tuple(rows)


def _part(each: Sequence[Sequence[int]], u: int) -> Statistic | None:
    whole = sum(map(sum, each))
    return Statistic(sum(parts[u] for parts in each) / whole) if whole else None


def _new(results: Sequence[WindowResult], label: str) -> Floats:
    """The times of all jobs that were submitted in the windows, under a rule."""
    size, times = SECONDS.itemsize, list[Times]()
    for result in results:
        waits = result.of(label).waits
        if waits is not None:
            times += [each[size * early :] for each, early in zip(waits.seconds, result.before, strict=True)]
    return _joined(times)


def _waited(prefix: str, waits: Sequence[Waits | None], u: int, lengths: Floats) -> dict[str, Any]:
    """How long an organization's jobs waited in all windows together, as fields of a record."""
    measured = [each for each in waits if each is not None]
    seconds = _joined([each.seconds[u] for each in measured])
    return {
        f"{prefix}still": sum(each.still[u] for each in measured),
        **_spread(f"{prefix}wait", seconds),
        **_spread(f"{prefix}slowdown", slowdowns(seconds, lengths)),
    }


def _joined(times: Sequence[Times]) -> Floats:
    return np.frombuffer(b"".join(times), dtype=SECONDS).astype(np.float64)


def slowdowns(waits: Floats, lengths: Floats) -> Floats:
    """Bounded slowdown of each job."""
    slowdown: Floats = np.maximum((waits + lengths) / np.maximum(lengths, SHORT), 1.0)
    return slowdown


def _spread(name: str, values: Floats) -> dict[str, Any]:
    """Mean, median and high value of a sample, as fields of a record."""
    keys = name, f"{name}_median", f"{name}_high"
    if not values.size:
        return dict.fromkeys(keys)
    numbers = float(values.mean()), float(np.median(values)), float(np.percentile(values, HIGH))
    return {key: Statistic(number) for key, number in zip(keys, numbers, strict=True)}
