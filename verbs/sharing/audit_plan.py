"""How an audit cuts its windows from a log: who the organizations are, with what machines, and for how long.

Logs do not say who owns what: what is assumed, for want of an answer, is said in sentences (:func:`assumed`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from ...support.errors import InputError, unknown_name
from ...support.units import duration_text
from ...workloads.log import Log
from ...workloads.partition import apportioned, by_column
from ...workloads.windows import Plan
from .options import Audit
from .period import period_of

DURATION: Final = 50_000
BAGS: Final = 5


def plan_of(log: Log, options: Audit) -> Plan:
    """The plan of an audit, with its defaults filled in; see :func:`consortium.audit` for the options."""
    organizations = default_owner(log) if options.organizations is None else options.organizations
    by_name = isinstance(organizations, str)
    total = machines_of(log, options)
    shares = _shares(log, options, organizations)
    if isinstance(shares, str):
        if total is None:
            raise InputError(f"machines: {log.name} does not say how many processors it had; expected a number")
    else:
        shares = scaled(total, shares)
        total = None  # they say it
    start, duration = _span(log, options)
    limit = options.limit if by_name else None
    return Plan(duration, start, total, organizations, shares, limit, options.warmup or 0, options.seed)


def machines_of(log: Log, options: Audit) -> int | None:
    """Machines in total: as asked, by the log's header, or its peak; ``None`` where nothing says it."""
    return options.machines or log.max_processors() or log.peak_processors()


def default_owner(log: Log) -> str | int:
    """Who the organizations are: the first of account and group that names at least two, else five bags of users."""
    for owner in ("account", "group"):
        if np.unique(log.column(owner)[log.column(owner) >= 0]).size > 1:
            return owner
    users = np.unique(log.column("user")).size
    if users < BAGS:
        what = f"{'at most one user' if users == 1 else f'only {users} users'} and no two groups or accounts"
        raise InputError(
            f"organizations: {log.name} names {what}, so nobody's part can be measured; expected a log that says whose "
            f"the jobs are, or a column or number that suits it"
        )
    return BAGS


def _shares(log: Log, options: Audit, organizations: str | int) -> Any:
    if isinstance(options.shares, Mapping):
        if not isinstance(organizations, str):
            raise InputError("shares by name need organizations with names; give a column, e.g. organizations='group'")
        return _by_name(options.shares, by_column(log, organizations, options.limit).names)
    if options.shares is not None:
        return options.shares
    return "equal" if isinstance(organizations, str) else "zipf"


def _by_name(shares: Mapping[str, int], names: Sequence[str]) -> tuple[int, ...]:
    for name in shares:
        if name not in names:
            raise unknown_name("organization of shares", name, names)
    missing = [name for name in names if name not in shares]
    if missing:
        raise InputError(f"shares: no number for {', '.join(missing)}; expected one for each of {', '.join(names)}")
    return tuple(shares[name] for name in names)


def scaled(total: int | None, shares: Sequence[int]) -> tuple[int, ...]:
    """Numbers are weights, as Slurm's shares are: machines in proportion to them. Without a total they are machines."""
    weights = tuple(shares)
    return weights if total is None or not sum(weights) else apportioned(total, weights)


def _span(log: Log, options: Audit) -> tuple[int | None, int]:
    """Start and duration; a log, or a part of it, shorter than the default duration is one window."""
    whole = int(log.submit.max() - log.submit.min())
    since, until = period_of(log, options.since, options.until)
    span, part = until - since, "" if until - since == whole else "the part asked for of "
    if options.start is not None and options.start > whole:
        given = f"found {options.start:,} s ({duration_text(options.start)})"
        raise InputError(f"start: {given}, but the last job of {log.name} is submitted {whole:,} s after its first")
    if options.duration is None:
        if span > DURATION or options.start is not None:
            return options.start, DURATION
        return since, span + (until == whole)  # with the last job
    if options.start is None and options.duration > span - (not part):
        given = f"found {options.duration:,} s, but {part}{log.name} spans {span:,} s"
        raise InputError(f"duration: {given}; give less, or a start")
    return options.start, options.duration


def assumed(log: Log, options: Audit, plan: Plan) -> tuple[str, ...]:
    """What the answer rests on although nobody said it, a sentence each."""
    return tuple(filter(None, (_who(log, options, plan), _machines(log, options, plan), _owned(options, plan))))


def _who(log: Log, options: Audit, plan: Plan) -> str:
    if isinstance(plan.organizations, int):
        why = "No two accounts or groups are named, so users were" if options.organizations is None else "Users were"
        return (
            f"{why} dealt at random to {plan.organizations} bags, O1 to O{plan.organizations}, anew in every window: "
            f"what is said of a bag is said of no group of people"
        )
    names = by_column(log, plan.organizations, plan.limit).names
    every = np.unique(log.column(plan.organizations)).size
    together = every - len(names) + 1
    if together == 1:
        return ""
    return f"The {together:,} {plan.organizations}s with least work count as one owner, {names[-1]}"


def _machines(log: Log, options: Audit, plan: Plan) -> str:
    if options.machines is not None or log.max_processors() is not None:
        return ""
    if log.peak_processors() is not None:
        return (
            f"The log does not say how many machines there were: the most that it has busy at once, "
            f"{total_machines(plan):,}, were taken"
        )
    together = f"the shares, {total_machines(plan):,} together, were taken as machines"
    return f"The log does not say how many machines there were: {together}"


def _owned(options: Audit, plan: Plan) -> str:
    if isinstance(plan.shares, str):
        if options.shares is not None:
            return ""
        if plan.shares == "equal":
            return "Who owns the machines is not in a log: equal shares were assumed"
        return (
            "Who owns the machines is not in a log: shares by Zipf's law were assumed, dealt at random in every window"
        )
    given = options.shares
    weights = tuple(given.values() if isinstance(given, Mapping) else given or ())
    if sum(weights) == total_machines(plan):
        return ""
    told = ", ".join(f"{count:,}" for count in plan.shares)
    return (
        f"The shares add up to {sum(weights):,} and were read as weights of {total_machines(plan):,} machines: {told}"
    )


def total_machines(plan: Plan) -> int:
    """All machines of a plan."""
    return plan.machines if plan.machines is not None else sum(map(int, plan.shares))
