"""What an audit says of jobs that take several processors: how they were run by which rules, on what estimates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...workloads.log import Log
from ...workloads.windows import Plan
from .rules import RECORDED, Rule, is_whole


def as_run(log: Log, plan: Plan, rules: Sequence[Rule]) -> tuple[str, ...]:
    """Sentences on how parallel jobs were run; none where all jobs are sequential."""
    if int(log.processors.max(initial=1)) == 1:
        return ()
    if not plan.whole:
        return ("Parallel jobs were run as copies of one machine each, which need not start together",)
    ways = {way: _labels(rules, way) for way in ("rigid", "easy")}
    told = [f"Parallel jobs start on all their machines at once under {_told(ways)}"]
    told[0] += f"; as copies of one machine each under {_listed(_others(rules))}" if _others(rules) else ""
    told.append(
        "The fair schedule, against which all are measured, runs parallel jobs as copies: part of the distance of a "
        "rule that keeps them whole is machines left idle while wide jobs wait"
    )
    return tuple(told + [sentence for sentence in (_estimates(log, ways["easy"]), _too_wide(log, plan)) if sentence])


def _labels(rules: Iterable[Rule], way: str) -> list[str]:
    return [rule.label for rule in rules if rule.options.get("parallel") == way]


def _others(rules: Iterable[Rule]) -> list[str]:
    """Rules that know sequential jobs only, or were told to."""
    return [rule.label for rule in rules if not is_whole(rule) and rule.rule != RECORDED]


def _told(ways: dict[str, list[str]]) -> str:
    meant = {"rigid": "the head of the queue waits", "easy": "with EASY backfilling"}
    return " and ".join(f"{_listed(labels)} ({meant[way]})" for way, labels in ways.items() if labels)


def _listed(labels: Sequence[str]) -> str:
    return ", ".join(labels)


def _estimates(log: Log, easy: Sequence[str]) -> str:
    """Where the estimates of EASY come from."""
    if not easy:
        return ""
    known = int((log.column("limit") > 0).sum())
    if known == len(log):
        return "Backfilling plans with the run times that the jobs requested"
    if not known:
        return "The log does not say what run times were requested: backfilling plans with those that the jobs had"
    return (
        f"Backfilling plans with the run times that were requested; {len(log) - known:,} of {len(log):,} jobs "
        f"requested none and are planned with the one that they had"
    )


def _too_wide(log: Log, plan: Plan) -> str:
    """Jobs that could never start."""
    machines = plan.machines if plan.machines is not None else sum(map(int, plan.shares))
    wide = int((log.processors > machines).sum())
    if not wide:
        return ""
    return (
        f"{wide:,} of {len(log):,} jobs take more than the {machines:,} machines and were left out of all windows, "
        f"because they could never start at once"
    )
