"""How an audit cuts its windows from a log: who the organizations are, with what machines, and for how long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from ...scheduling.errors import InputError, unknown_name
from ...workloads.log import Log
from ...workloads.partition import by_column
from ...workloads.windows import Plan
from .options import Audit

DURATION: Final = 50_000
BAGS: Final = 5


def plan_of(log: Log, options: Audit) -> Plan:
    """The plan of an audit, with its defaults filled in; see :func:`consortium.audit` for the options."""
    organizations = default_owner(log) if options.organizations is None else options.organizations
    by_name = isinstance(organizations, str)
    shares = _shares(log, options, organizations)
    machines = options.machines
    if machines is None and isinstance(shares, str):
        machines = log.max_processors() or log.peak_processors()
        if machines is None:
            raise InputError(f"machines: {log.name} does not say how many processors it had; expected a number")
    start, duration = _span(log, options)
    limit = options.limit if by_name else None
    return Plan(duration, start, machines, organizations, shares, limit, options.warmup, options.seed)


def default_owner(log: Log) -> str | int:
    """Who the organizations are: the first of account and group that names at least two, else five bags of users."""
    for owner in ("account", "group"):
        if np.unique(log.column(owner)[log.column(owner) >= 0]).size > 1:
            return owner
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


def _span(log: Log, options: Audit) -> tuple[int | None, int]:
    """Start and duration; a log shorter than the default duration is one window."""
    span = int(log.submit.max() - log.submit.min())
    if options.duration is None:
        return (options.start, DURATION) if span > DURATION or options.start is not None else (0, span + 1)
    if options.start is None and options.duration >= span:
        given = f"found {options.duration:,} s, but {log.name} spans {span:,} s"
        raise InputError(f"duration: {given}; give less, or a start")
    return options.start, options.duration
