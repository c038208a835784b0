r"""Audit of a job log: is the way the cluster is shared fair, measured against what each organization contributes?

The log's jobs are replayed in windows under every rule of the catalogue. REF, the Shapley-fair scheduler, is the
reference: for each organization it knows the contribution :math:`\phi` (its Shapley value in machine time weighted by
how early it was given) and a schedule that serves everybody as closely to the contribution as any greedy one. A rule's
unfairness is :math:`\sum_u |\psi_u - \psi^*_u| / p_{tot}`: the average undeserved delay, or advance, of a second of
work, in seconds.

Beside these stand the numbers that operators know. With ``S`` the organization's part of the machines and ``U`` its
part of the machine time used, the fair-share factor is :math:`2^{-U/S}` (1 nothing used, 1/2 exactly its share) and
LevelFS is :math:`S/U` (above 1: under-served). Both compare usage with share and look neither at when work was done nor
at who was there to use the machines; contribution does.

Known: contributions can be negative (an organization whose machines only let others be served in a worse order), then
no percentage is given.

Sources: P. Skowron and K. Rzadca, "Non-monetary fair scheduling: a cooperative game theory approach" (SPAA 2013), and
"Fair share is not enough: measuring fairness in scheduling with cooperative game theory" (PPAM 2013).
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from ...scheduling.errors import InputError, TooLargeError, nearest
from ...scheduling.progress import Progress
from ...workloads.log import Log
from ...workloads.partition import by_column
from ...workloads.reading import read_log
from ...workloads.windows import Plan, SharedWork
from ..records import Answer, Estimate
from .audit_summary import organization_rows, rule_rows, sentence, time_series, window_rows
from .windows import RECORDED, Choice, WindowResult, choices, measure_all

COLUMNS: Final = ("unfairness", "deviation", "utilization", "seconds")
MAX_ORGANIZATIONS: Final = 14
DURATION: Final = 50_000
WORTH_IT: Final = 10
"""Seconds of estimated work above which worker processes are started unasked."""
_STARTS_PER_SECOND: Final = 2_000_000


def default_owner(log: Log) -> str | int:
    """Who the organizations are: the first of account and group that names at least two, else five bags of users."""
    for owner in ("account", "group"):
        if np.unique(log.column(owner)[log.column(owner) >= 0]).size > 1:
            return owner
    return 5


def plan_of(
    log: Log,
    *,
    organizations: str | int | None = None,
    machines: int | None = None,
    shares: str | Sequence[int] | Mapping[str, int] | None = None,
    limit: int = 5,
    start: int | None = None,
    duration: int | None = None,
    warmup: int = 0,
    seed: int = 0,
) -> Plan:
    """The plan of an audit, with its defaults filled in; see :func:`audit` for the parameters."""
    if organizations is None:
        organizations = default_owner(log)
    divided: str | Sequence[int]
    if isinstance(shares, Mapping):
        if not isinstance(organizations, str):
            raise InputError("shares by name need organizations with names; give a column, e.g. organizations='group'")
        divided = _by_name(shares, by_column(log, organizations, limit).names)
    elif shares is not None:
        divided = shares
    else:
        divided = "equal" if isinstance(organizations, str) else "zipf"
    total = machines
    if total is None and isinstance(divided, str):
        total = log.max_processors() or log.peak_processors()
        if total is None:
            raise InputError(f"machines: {log.name} does not say how many processors it had; expected a number")
    kept = limit if isinstance(organizations, str) else None
    span = int(log.submit.max() - log.submit.min())
    if duration is None:
        duration, start = (DURATION, start) if span > DURATION or start is not None else (span + 1, 0)
    elif start is None and duration >= span:
        raise InputError(f"duration: found {duration:,} s, but {log.name} spans {span:,} s; give less, or a start")
    return Plan(duration, start, total, organizations, divided, kept, warmup, seed)  # type: ignore[arg-type]


def _by_name(shares: Mapping[str, int], names: Sequence[str]) -> list[int]:
    for name in shares:
        if name not in names:
            near = nearest(name, names)
            hint = f" Did you mean {near!r}?" if near else ""
            raise InputError(f"shares: no organization is called {name!r}; there are {', '.join(names)}.{hint}")
    missing = [name for name in names if name not in shares]
    if missing:
        raise InputError(f"shares: no number for {', '.join(missing)}; expected one for each of {', '.join(names)}")
    return [shares[name] for name in names]


def audit(
    log: Log,
    *,
    organizations: str | int | None = None,
    machines: int | None = None,
    shares: str | Sequence[int] | Mapping[str, int] | None = None,
    limit: int = 5,
    start: int | None = None,
    duration: int | None = None,
    windows: int = 10,
    warmup: int = 0,
    rules: Sequence[str] | str | None = None,
    rule: str = "fair-share",
    seed: int = 0,
    processes: int = 1,
    store: str | os.PathLike[str] | None = None,
    series: bool = False,
    progress: Progress | None = None,
) -> Answer:
    """Replay a log under the rules and measure who got less than it contributed.

    Parameters
    ----------
    log
        Jobs that can be replayed (:func:`consortium.workloads.read_log`).
    organizations
        A column (``account``, ``group``, ``queue``, ``partition``, ``user``) or a number of bags to which
        users are dealt. Default: account or group where the log names several, else 5 bags.
    machines
        In total. Default: the header, else the most processors that the log ever had busy at once.
    shares
        Machines of each organization: ``equal`` (default for a column), ``zipf`` (default for bags), a list, or a
        number for each name.
    limit
        With a column: at most so many organizations, the smaller ones together as ``others``.
    start, duration, windows
        One window at ``start`` (seconds after the first submission), or random windows of ``duration`` seconds
        (default 50,000; a log that is shorter is one window).
    warmup
        Take over jobs that the log has waiting or running when the window opens, submitted at most so long before.
    rules
        Rules to run: names, with options as in ``rand:samples=75``, and ``recorded`` for what the cluster itself did by
        the log's starts. Default: all, and ``recorded`` where the log has all waiting times.
    rule
        The rule that the cluster uses (for the explanation); must be among ``rules``.
    seed, processes, store
        Root of all randomness; worker processes (0: as many as cores where it is worth starting them); file of
        finished windows, from which the same audit resumes.
    series
        Also follow one window over time, the one in which ``rule`` is least fair (for figures).

    Raises
    ------
    InputError
        The log does not hold what is asked for, or an argument is out of range.
    TooLargeError
        More than 14 organizations: REF looks at every coalition of them.
    """
    wanted = _wanted(log, rules)
    if rule not in [choice.label for choice in wanted]:
        wanted = (*wanted, Choice.parse(rule))
    plan = plan_of(
        log,
        organizations=organizations,
        machines=machines,
        shares=shares,
        limit=limit,
        start=start,
        duration=duration,
        warmup=warmup,
        seed=seed,
    )
    first = plan.window(log, 0)
    if len(first.names) > MAX_ORGANIZATIONS:
        raise TooLargeError(
            f"{len(first.names)} organizations; at most {MAX_ORGANIZATIONS}, because REF looks at every coalition. "
            "Give a smaller limit"
        )
    n = 1 if plan.start is not None else windows
    if processes == 0:
        processes = (os.cpu_count() or 1) if n * _seconds(first, len(wanted)) > WORTH_IT else 1
    results, complete = measure_all(
        lambda i: plan.window(log, i),
        n,
        wanted,
        seed,
        asked=_asked(log, plan),
        processes=processes,
        store=store,
        progress=progress,
    )
    body = _body(log, plan, wanted, results, rule)
    if series and results:
        worst = max(results, key=lambda result: result.of(rule).unfairness)  # the first of them, if equal
        body["series"] = time_series(plan.window(log, worst.index), worst.index, Choice.parse(rule), seed)
    return Answer("simulation", body, exact=False, complete=complete, seed=seed)


def _wanted(log: Log, rules: Sequence[str] | str | None) -> tuple[Choice, ...]:
    wanted = choices(rules)
    known = rules is None and bool((log.column("wait") >= 0).all())
    return (*wanted, Choice(RECORDED, RECORDED)) if known else wanted


def read(path: str | os.PathLike[str], zero: str) -> Log:
    """The log of an audit: the jobs of a file that can be replayed."""
    return read_log(Path(path), zero=zero)  # type: ignore[arg-type]  # an unknown word is refused there


def estimate(log: Log, *, windows: int = 10, start: int | None = None, rules: Any = None, **options: Any) -> Estimate:
    """Size and cost of an audit, estimated from its first window."""
    known = ("organizations", "machines", "shares", "limit", "duration", "warmup", "seed")
    plan = plan_of(log, start=start, **{name: options[name] for name in known if name in options})
    n, wanted = 1 if plan.start is not None else windows, _wanted(log, rules)
    return Estimate(
        "audit", "sharing", log.name, n * len(wanted), "simulations", n * _seconds(plan.window(log, 0), len(wanted))
    )


def _seconds(work: SharedWork, n_rules: int) -> float:
    """Rough run time of one window: one start per job and schedule."""
    return float(len(work) * ((1 << (len(work.names) - 1)) + 31 + n_rules)) / _STARTS_PER_SECOND


def _asked(log: Log, plan: Plan) -> dict[str, Any]:
    settings = {key: getattr(plan, key) for key in Plan.__dataclass_fields__ if key != "seed"}
    shares = settings["shares"]
    return (
        {"log": log.name, "jobs": len(log)} | settings | {"shares": shares if isinstance(shares, str) else list(shares)}
    )


# --- summaries ------------------------------------------------------------------------------------------------------


def _body(log: Log, plan: Plan, wanted: Sequence[Choice], results: Sequence[WindowResult], rule: str) -> dict[str, Any]:
    organizations = [row for choice in wanted for row in organization_rows(results, choice.label)]
    explained = sorted(
        (row for row in organizations if row.rule == rule),
        key=lambda row: row.excess.value if row.excess is not None else -math.inf,
    )
    return {
        "log": {"name": log.name, "source": log.source, "report": log.report.to_dict()},
        "plan": {key: value for key, value in _asked(log, plan).items() if key not in ("log", "jobs")},
        "rule": rule,
        "columns": list(COLUMNS),
        "rows": rule_rows(results, wanted, log.name, True),
        "organizations": organizations,
        "explanation": [sentence(row) for row in explained],
        "windows": window_rows(results),
    }
