"""What the cluster did is measured with the jobs that it had when a window opened.

Rules begin a window on an empty cluster; the cluster did not. Jobs that ran or waited when the window opened made its
own jobs wait, and without them that would look like unfairness. So ``recorded`` is measured on a window with all of
them, against REF on the same jobs: those waiting are released at the opening, those running are too, with what was left
of them, and REF may give their machines to others first. How far to look back for them is no choice: as long as any job
of the log took from its submission to its end, so that none is missed.

The other rules keep the empty cluster, so ``recorded`` and they are not measured on the same jobs, and a sentence says
so. A warm-up that was asked for holds for all of them alike, and what a change from ``recorded`` to a rule would do is
asked of the same jobs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...workloads.log import Log
from ...workloads.windows import SharedWork
from .openings import Windows
from .options import Audit
from .results import WindowResult
from .rules import RECORDED, Rule


def lookback(log: Log, rules: Sequence[Rule], options: Audit) -> int | None:
    """How far before a window ``recorded`` looks for jobs, in seconds; ``None`` where it shares the others' windows."""
    found = [rule.label for rule in rules if rule.rule == RECORDED]
    paired = options.switch_to is not None and options.rule in found
    if options.warmup is not None or not found or paired:
        return None
    wait = log.column("wait")
    return int((wait.clip(min=0) + log.run).max())


def asked_of_recorded(seconds: int | None) -> dict[str, str]:
    """What a store is asked beside the rest where ``recorded`` has windows of its own; how long it looks back grows."""
    return {} if seconds is None else {RECORDED: "with the jobs from before"}


def warmed(windows: Windows, seconds: int | None) -> Callable[[int], SharedWork] | None:
    """Makes the windows with what ran or waited at their opening."""
    return None if seconds is None else lambda index: windows.window(index, warmup=seconds)


def not_the_same(results: Sequence[WindowResult], rules: Sequence[Rule], seconds: int | None) -> tuple[str, ...]:
    """On what jobs ``recorded`` is measured, in a sentence, where they are not those of the other rules."""
    label = next((rule.label for rule in rules if rule.rule == RECORDED), None)
    more = [result.against(label).n_jobs - result.n_jobs for result in results] if label is not None else []
    if seconds is None or not any(more):
        return ()
    told = f"{sum(more) / len(more):,.0f} on average" if len(more) > 1 else f"{more[0]:,}"
    return (
        f"{label} is measured with the jobs that ran or waited when a window opened ({told}); the rules begin on an "
        f"empty cluster, so these are not the same jobs. With --warmup {seconds} the rules have them too.",
    )
