"""Import: from a real job log to a scenario of any kind.

:func:`build` reads a log (:func:`consortium.workloads.read_log`), chooses jobs by a documented rule and returns a plain
scenario dict that the other verbs take and :func:`consortium.scenarios.writer.write` saves. The choice:

- ``declaration``: the most active users, one job each (the median of hers); with a seed, random users and jobs.
- ``federation``: the most active users, groups, queues, partitions or accounts, some jobs each, spread evenly over the
  quantiles of their run times; with a seed, random ones.
- ``multiuser``: the most active users, each with the tenth of her jobs that ran longest.
- ``sharing``: no choice; the scenario names the log and the window, and the jobs are read when it is run.

Lengths are run times in seconds, or in units of ``unit`` seconds, rounded up. ``source`` names the log and acknowledges
who provided it.

>>> from consortium.workloads import Log
>>> log = Log({"job": [1, 2, 3], "submit": [0, 1, 2], "run": [40, 60, 90], "allocated": [1, 1, 1], "user": [7, 7, 9]},
...           name="tiny.swf")
>>> scenario = declaration(log, agents=2, machines=1)
>>> scenario["agents"]
[{'name': 'user7', 'length': 60}, {'name': 'user9', 'length': 90}]
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

import numpy as np

from ..scheduling.errors import InputError, unknown_name
from ..scheduling.exact import Rational, rational
from ..workloads.files import find_log
from ..workloads.log import Log, Report
from ..workloads.partition import by_column, divide
from ..workloads.reading import read_log
from ..workloads.selection import Chosen, common_unit, longest, sample

_LISTED: Final = 40
"""At most so many job numbers are named in ``source``."""


@dataclass(frozen=True)
class Imported:
    """A scenario made from a log, and the account of what was left out of the log."""

    scenario: Mapping[str, Any]
    report: Report


def _head(log: Log, kind: str, title: str, chosen: Sequence[Chosen], unit: int, seed: int | None) -> dict[str, Any]:
    jobs = [number for c in chosen for number in c.jobs]
    named = f"; jobs {', '.join(map(str, jobs))}" if 0 < len(jobs) <= _LISTED else ""
    measured = "" if not chosen else "; lengths are run times in " + ("seconds" if unit == 1 else f"units of {unit} s")
    head = {"format": 1, "kind": kind, "title": title, "source": f"{log.source}{named}{measured}"}
    return head if seed is None else head | {"seed": seed}


def _generator(seed: int | None) -> np.random.Generator | None:
    return None if seed is None else np.random.default_rng(seed)


def _positive(name: str, value: int) -> int:
    if value < 1:
        raise InputError(f"{name}: found {value}; expected at least 1")
    return value


def declaration(
    log: Log,
    *,
    agents: int = 6,
    machines: int | None = None,
    powers: Sequence[Rational | str] | None = None,
    rule: str = "vcg-postpone",
    by: str = "user",
    unit: int = 1,
    seed: int | None = None,
) -> dict[str, Any]:
    """Agents whose jobs are real run times of distinct users.

    Parameters
    ----------
    agents
        How many.
    machines
        How many machines of power 1 (default 3), unless ``powers`` gives the power of each.
    rule
        The mechanism to start with.
    by
        Whose jobs: ``user``, ``group``, ...
    unit
        Seconds per unit of length.
    seed
        Choose owners and jobs at random; without it, the median job of the most active.
    """
    if powers is not None and machines is not None and machines != len(powers):
        raise InputError(f"machines: found {machines} but {len(powers)} powers; give one of the two")
    speeds = [rational(p, "powers") for p in powers] if powers is not None else [Fraction(1)] * (machines or 3)
    if machines is not None:
        _positive("machines", machines)
    chosen = common_unit(sample(log, by, agents, 1, _generator(seed)), unit)
    return _head(log, "declaration", f"Jobs of {agents} {by}s of {log.name}", chosen, unit, seed) | {
        "cluster": {"powers": speeds},
        "agents": [{"name": c.name, "length": c.lengths[0]} for c in chosen],
        "mechanism": {"rule": rule},
    }


def federation(
    log: Log,
    *,
    organizations: int = 4,
    jobs: int = 5,
    machines: int | Sequence[int] = 1,
    shares: Literal["equal", "zipf"] | None = None,
    rule: str = "coordination",
    by: str = "group",
    unit: int = 1,
    seed: int | None = None,
) -> dict[str, Any]:
    """Organizations with some of their real jobs.

    Parameters
    ----------
    organizations, jobs
        How many organizations, and how many jobs of each (all of hers, if she has fewer).
    machines
        Machines of each organization: one number for all or a list. With ``shares``, machines in total.
    shares
        Divide the total equally, or by Zipf's law with the most active first.
    by
        ``user``, ``group``, ``queue``, ``partition`` or ``account``.
    rule, unit, seed
        As for :func:`declaration`.
    """
    if shares is not None and not isinstance(machines, int):
        raise InputError("shares: expected machines to be one number, the total, or leave shares out")
    if shares is not None:
        assert isinstance(machines, int)
        counts = list(divide(machines, organizations, shares, np.random.default_rng(0)))
        counts.sort(reverse=True)  # the most active has most; the order of the random ranks does not matter
    else:
        counts = [machines] * organizations if isinstance(machines, int) else list(machines)
    if len(counts) != organizations:
        raise InputError(f"machines: found {counts}; expected {organizations} numbers, one per organization")
    for count in counts:
        _positive("machines", count)
    chosen = common_unit(sample(log, by, organizations, jobs, _generator(seed)), unit)
    mechanism: dict[str, Any] = {"rule": rule}
    if rule == "coordination":
        mechanism["priority"] = "organizations"
    return _head(log, "federation", f"Jobs of {organizations} {by}s of {log.name}", chosen, unit, seed) | {
        "organizations": [
            {"name": c.name, "machines": count, "jobs": list(c.lengths)}
            for c, count in zip(chosen, counts, strict=True)
        ],
        "mechanism": mechanism,
    }


def multiuser(
    log: Log,
    *,
    users: int = 3,
    part: Rational | str = Fraction(1, 10),
    measure: Literal["run", "work"] = "run",
    machines: int = 1,
    rule: str = "fairest",
    unit: int = 1,
    seed: int | None = None,
) -> dict[str, Any]:
    """The most active users with their longest jobs; the first minimises total completion time, the others makespan.

    Parameters
    ----------
    users
        How many.
    part
        Part of her jobs, the longest ones, rounded up.
    measure
        Longest by ``run`` time or by ``work`` (processors times run time).
    machines, rule, unit
        As for :func:`declaration`.
    seed
        Choose users at random.
    """
    share = rational(part, "part")
    chosen = longest(log, users, (share.numerator, share.denominator), measure, _generator(seed))
    chosen = common_unit(chosen, unit)
    title = f"The longest jobs of {users} users of {log.name}"
    return _head(log, "multiuser", title, chosen, unit, seed) | {
        "machines": _positive("machines", machines),
        "users": [
            {"name": c.name, "objective": "makespan" if i else "total-completion", "jobs": list(c.lengths)}
            for i, c in enumerate(chosen)
        ],
        "mechanism": {"rule": rule},
    }


def sharing(
    log: Log,
    *,
    file: str | None = None,
    organizations: int | str = 5,
    machines: int | None = None,
    shares: str | Sequence[int] = "zipf",
    start: int | None = None,
    duration: int = 50_000,
    windows: int = 1,
    rule: str = "ref",
    seed: int | None = None,
) -> dict[str, Any]:
    """A window of the log, read when the scenario is run.

    Parameters
    ----------
    file
        Name of the log in the scenario (default: its file name).
    organizations
        A number, to which users are dealt at random, or ``user``, ``group``, ``queue``, ``partition``, ``account``.
    machines
        In total; default: what the log's header states.
    shares
        ``zipf``, ``equal`` or machines per organization.
    start, duration, windows
        Seconds after the first submission (none: random windows), seconds, and how many windows to compare.
    rule
        The rule to start with.
    seed
        Of the random choices.
    """
    listed = [int(count) for count in shares] if not isinstance(shares, str) else None
    total = sum(listed) if listed is not None else machines or log.max_processors()
    if total is None:
        raise InputError(f"machines: none given and {log.name} does not state them; expected a positive number")
    if isinstance(organizations, str):
        by_column(log, organizations)  # refuses a column that the log does not fill
    trace: dict[str, Any] = {"file": file or log.name}
    if start is not None:
        trace["start"] = start
    trace |= {"duration": _positive("duration", duration), "windows": _positive("windows", windows)}
    trace |= {"machines": _positive("machines", total), "organizations": organizations}
    trace["shares"] = listed if listed is not None else shares
    return _head(log, "sharing", f"A window of {log.name}", (), 1, seed) | {
        "mechanism": {"rule": rule},
        "trace": trace,
    }


BUILDERS: Final[Mapping[str, Callable[..., dict[str, Any]]]] = MappingProxyType(
    {"declaration": declaration, "federation": federation, "multiuser": multiuser, "sharing": sharing}
)


def build(
    path: str | os.PathLike[str],
    kind: str,
    *,
    output: str | os.PathLike[str] | None = None,
    zero: Literal["drop", "one"] = "drop",
    **options: Any,
) -> Imported:
    """Read a log and make a scenario of a kind.

    Parameters
    ----------
    path
        The log; relative names are looked up in the current folder, then in ``$CONSORTIUM_TRACES``.
    kind
        ``declaration``, ``federation``, ``multiuser`` or ``sharing``.
    output
        Where the scenario will be written: a scenario that names its log names it relative to that folder.
    zero
        Drop jobs of run time 0, or count them as ``"one"`` second.
    **options
        See the function of the kind.

    Raises
    ------
    InputError
        The log cannot be read or does not hold what is asked for; UnknownNameError for a kind or an option.
    """
    if kind not in BUILDERS:
        raise unknown_name("kind", kind, BUILDERS)
    function = BUILDERS[kind]
    known = [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
    for name in options:
        if name not in known:
            raise unknown_name(f"option of import for kind {kind!r}", name, known)
    given = Path(path)
    log = read_log(given, zero=zero)
    if kind == "sharing":
        options.setdefault("file", _name_for(find_log(given), given, output))
    return Imported(function(log, **options), log.report)


def _name_for(found: Path, given: Path, output: str | os.PathLike[str] | None) -> str:
    """How a scenario in the folder of ``output`` names the log: as given if that is found anyway, else relative."""
    if given.is_absolute() or found != given:  # absolute, or found among $CONSORTIUM_TRACES
        return str(given)
    return os.path.relpath(found, Path(output).parent if output is not None else Path())
