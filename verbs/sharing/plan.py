"""How windows are cut from a log: whose jobs, on what machines, in which part of the log, and where they open.

Windows open anywhere at random, in a part of the log, where it is full, or at one moment. Loads are those of the jobs
submitted in a window (:mod:`consortium.workloads.windows`), all openings looked at: the fullest windows are the fullest
there are, and random ones of a least load are uniform over all seconds that have it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ...scenarios.sharing import WINDOWS_MAX
from ...support.errors import InputError, unknown_name
from ...support.exact import magnitude
from ...support.units import duration_text
from ...workloads.clock import Clock, clock_of
from ...workloads.log import IntArray, Log
from ...workloads.partition import apportioned, by_column
from ...workloads.slurm import WITHIN, weights_of
from ...workloads.windows import Plan, SharedWork, Submitted, at_least, busiest, jobs_of, last_event, submitted
from ..options import MOST
from ..records import Statistic
from .options import WAYS, LogOptions

DAY: Final = 86_400
DURATION: Final = 50_000
BAGS: Final = 5
MINUTE: Final = 60
MAX_ORGANIZATIONS: Final = 14
"""Most organizations for which every coalition is looked at."""
USUAL_ORGANIZATIONS: Final = 5
"""Organizations of a column that are shown by themselves where there are no more, or these have almost all work."""
HIDDEN: Final = 10
"""At most one part in so many of the work is that of others, as far as so many organizations allow."""
_OPENING: Final = 1
"""Which child of a window's seed its opening is drawn from, where the plan does not draw it."""


def plan_of(log: Log, options: LogOptions) -> Plan:
    """The plan of an audit, with its defaults filled in; see :func:`consortium.audit` for the options."""
    organizations = default_owner(log) if options.organizations is None else options.organizations
    total, limit = machines_of(log, options), limit_of(log, organizations, options.limit)
    names = by_column(log, organizations, limit).names if isinstance(organizations, str) else ()
    shares = _shares(log, options, organizations, names)
    if isinstance(shares, str):
        if total is None:
            raise InputError(f"machines: {log.name} does not say how many processors it had; expected a number")
    else:
        shares = scaled(total, shares, names)
        total = None  # they say it
    start, duration = _span(log, options)
    return Plan(duration, start, total, organizations, shares, limit, True, options.seed)


def limit_of(log: Log, organizations: str | int, limit: int | None) -> int | None:
    """How many organizations of a column there are, the rest as others; ``None`` where users are dealt to bags."""
    if limit is not None or isinstance(organizations, int):
        return limit if isinstance(organizations, str) else None
    hidden = 1 - np.cumsum(work_of(log, organizations))
    named = int(np.argmax(hidden <= 1 / HIDDEN)) + 1
    return min(max(named + 1, USUAL_ORGANIZATIONS), MAX_ORGANIZATIONS)


def work_of(log: Log, column: str, limit: int | None = None) -> npt.NDArray[np.float64]:
    """What part of all work of the log is that of each organization of a column; a statistic."""
    owners = by_column(log, column, limit)
    work = np.bincount(owners.owner, log.run.astype(np.float64) * log.processors, len(owners))
    return np.asarray(work / work.sum())


def machines_of(log: Log, options: LogOptions) -> int | None:
    """Machines in total: as named, by the log's header, or its peak; ``None`` where nothing says it."""
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


def _shares(log: Log, options: LogOptions, organizations: str | int, names: Sequence[str]) -> Any:
    if isinstance(options.shares, Mapping):
        if not isinstance(organizations, str):
            raise InputError("shares by name need organizations with names; give a column, e.g. organizations='group'")
        if any(WITHIN in path for path in options.shares):  # the tree may know more than the log
            weights = weights_of(options.shares, by_column(log, organizations).names)
            return (*weights[: len(names) - 1], sum(weights[len(names) - 1 :]))
        return _by_name(options.shares, names)
    if options.shares is not None:
        return options.shares
    if not isinstance(organizations, str):
        return "zipf"
    owners = np.unique(log.column(organizations)).size
    return "equal" if len(names) == owners else (*[1] * (len(names) - 1), owners - len(names) + 1)


def _by_name(shares: Mapping[str, int], names: Sequence[str]) -> tuple[int, ...]:
    for name in shares:
        if name not in names:
            raise unknown_name("organization of shares", name, names)
    missing = [name for name in names if name not in shares]
    if missing:
        raise InputError(f"shares: no number for {', '.join(missing)}; expected one for each of {', '.join(names)}")
    return tuple(shares[name] for name in names)


def scaled(total: int | None, shares: Sequence[int], names: Sequence[str] = ()) -> tuple[int, ...]:
    """Numbers are weights, as Slurm's shares are: machines in proportion to them. Without a total they are machines.

    Equal remainders go to whoever is first by name, where there are as many names.
    """
    weights = tuple(shares)
    if total is None or not sum(weights):
        return weights
    order = list(range(len(weights)))
    if len(names) == len(weights):
        order.sort(key=names.__getitem__)
    counts = dict(zip(order, apportioned(total, [weights[u] for u in order]), strict=True))
    return tuple(counts[u] for u in range(len(weights)))


def _span(log: Log, options: LogOptions) -> tuple[int | None, int]:
    """Start and duration; a log, or a part of it, shorter than the default duration is one window."""
    whole = int(log.submit.max() - log.submit.min())
    since, until = period_of(log, options.since, options.until)
    most, since = until - since, max(0, since)
    span, part = until - since, "" if until - since == whole else "the part looked at of "
    if options.start is not None and options.start > whole:
        raise InputError(
            f"start: found {options.start:,} s ({duration_text(options.start)}), but the last job of {log.name} is "
            f"submitted {whole:,} s after its first"
        )
    if options.consecutive:
        return None, options.duration or DAY
    if options.duration is None:
        if span > DURATION or options.start is not None:
            return options.start, DURATION
        return since, span + (until == whole)  # with the last job
    if options.start is None and options.duration > most - (not part):
        raise InputError(
            f"duration: found {options.duration:,} s, but {part}{log.name} spans {most:,} s; give less, or a start"
        )
    return options.start, options.duration


def total_machines(plan: Plan) -> int:
    """All machines of a plan."""
    return plan.machines if plan.machines is not None else sum(map(int, plan.shares))


# --- the part of the log ----------------------------------------------------------------------------------------------


class Period(NamedTuple):
    """Seconds after the first submission: windows open from ``since`` on and end by ``until``."""

    since: int
    until: int

    def text(self, log: Log) -> str:
        """In words: dates where the log says them."""
        clock, first = clock_of(log), int(log.submit.min())
        if clock is None:
            return f"{_after(self.since)} to {_after(self.until)} after its first submission"
        return f"{clock.text(first + self.since)} to {clock.text(first + self.until)}"


def period_of(log: Log, since: Any = None, until: Any = None) -> Period:
    """The part of a log that was asked for: from its first submission to its last one, or between moments.

    These say that the log tells all that happened from then on, and up to then.

    Raises
    ------
    InputError
        A date for a log that says none; a part that ends before it begins, or lies outside the log.
    """
    first, span = int(log.submit.min()), int(log.submit.max() - log.submit.min())
    clock, reach = clock_of(log), last_event(log) - first
    begin = 0 if since is None else _seconds("since", since, first, clock, log.name)
    end = max(begin, span) if until is None else _seconds("until", until, first, clock, log.name)
    if begin > reach or (until is not None and end <= 0):
        name, moment = ("since", since) if begin > reach else ("until", until)
        raise InputError(f"{name}: found {_moment_text(moment)}, but {log.name} goes from {Period(0, reach).text(log)}")
    if end < begin or (end == begin and None not in (since, until)):
        raise InputError(f"until: found {_moment_text(until)}; expected a moment after since, {_moment_text(since)}")
    return Period(begin, end)


def _seconds(name: str, moment: int | datetime, first: int, clock: Clock | None, log: str) -> int:
    if isinstance(moment, int):
        return moment
    if clock is None:
        raise InputError(
            f"{name}: found {_moment_text(moment)}, but {log} does not say when it began; expected seconds after its "
            f"first submission"
        )
    try:
        return clock.moment(moment) - first
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    except OverflowError:
        raise InputError(
            f"{name}: found {_moment_text(moment)}; expected a date that has this moment in every zone"
        ) from None


def _moment_text(moment: int | datetime | None) -> str:
    if isinstance(moment, int):
        return f"{moment:,} s"
    return "nothing" if moment is None else moment.isoformat(" ").removesuffix(" 00:00:00")


def _after(seconds: int) -> str:
    return f"{seconds:,} s" if seconds < MINUTE else f"{seconds:,} s ({duration_text(seconds)})"


# --- windows ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Windows:
    """The windows of a log.

    Attributes
    ----------
    opens_at
        Of every window, in seconds after the first submission; ``None`` where the plan draws them itself.
    first
        Number of the first window, on which its random choices depend; consecutive windows have the same whenever the
        log begins.
    open_share
        In what part of the time windows of the least load open, where there is a least load.
    """

    log: Log
    plan: Plan
    number: int
    opens_at: tuple[int, ...] | None = None
    first: int = 0
    open_share: Statistic | None = None

    def window(self, index: int = 0) -> SharedWork:
        """Window number ``index`` (from 0).

        On a busy cluster the organizations of a column stand by name: their order by work is another for each part of a
        log, and who of those that tie is served first must not depend on what else a dump holds.
        """
        plan = self.plan if self.opens_at is None else replace(self.plan, start=self.opens_at[index])
        work = plan.window(self.log, self.first + index)
        return work.by_name() if plan.busy and isinstance(plan.organizations, str) else work

    @cached_property
    def names(self) -> tuple[str, ...] | None:
        """The organizations of a column as they are shown, most work first; ``None`` for those of the windows."""
        column = self.plan.organizations
        return by_column(self.log, column, self.plan.limit).names if isinstance(column, str) else None

    @cached_property
    def covered(self) -> Period:
        """From the first opening to the last end of windows one after another."""
        assert self.opens_at is not None  # they are known
        return Period(self.opens_at[0], self.opens_at[-1] + self.plan.duration)

    def jobs(self, opening: int) -> IntArray:
        """Places in the log of the jobs of the window that opens at this moment of the log."""
        return jobs_of(self.log, opening, self.plan.duration, self.plan.busy)

    def provisional(self, opening: int) -> bool:
        """Whether the log ended before the window did, or before one of its jobs, so that it may still change."""
        unended = (self.log.column("at_end")[self.jobs(opening)] > 0).any()
        return bool(unended) or opening + self.plan.duration > last_event(self.log) + 1


def windows_of(log: Log, plan: Plan, options: LogOptions) -> Windows:
    """The windows of an audit.

    Raises
    ------
    InputError
        Ways to choose that do not go together, or no such window in the log.
    """
    _check(options)
    part = period_of(log, options.since, options.until)
    # outside of what the log holds only where else none would fit, because the dates say that it tells all
    begin, until = max(0, part.since), min(part.until, last_event(log) - int(log.submit.min()))
    if until - begin < plan.duration:
        begin, until = max(part.since, 1 - plan.duration), part.until
    last = max(begin, min(until - plan.duration, last_event(log) - int(log.submit.min())))
    if options.consecutive:
        return _consecutive(log, plan, options, part)
    if options.busiest is not None:
        return _fullest(log, plan, options.busiest, submitted(log, plan.duration, begin, last))
    if options.min_load is not None:
        work = submitted(log, plan.duration, begin, last)
        first, seconds, share = _full(log, plan, options.min_load, work)
    elif plan.start is not None:  # named, or the only one
        return Windows(log, plan, 1)
    elif options.since is None and options.until is None:
        return Windows(log, plan, options.windows)
    else:
        first, seconds, share = np.array([begin]), np.array([last + 1 - begin]), None
    before = np.concatenate([[0], np.cumsum(seconds)])
    number = options.windows if before[-1] > 1 else 1
    seeds = (np.random.SeedSequence(plan.seed, spawn_key=(index, _OPENING)) for index in range(number))
    places = [int(np.random.default_rng(seed).integers(int(before[-1]))) for seed in seeds]
    at = np.searchsorted(before, places, "right") - 1
    opens = (first[at] - before[at] + places).tolist()
    return Windows(log, plan, number, tuple(opens), open_share=share)


def _consecutive(log: Log, plan: Plan, options: LogOptions, part: Period) -> Windows:
    """One window after another, from midnight of the cluster's clock where the log says it, each of them whole.

    They end by the last event of the log, because nobody knows what came after, or by ``until``, where that says that
    the log tells all up to there. They begin after the first submission, or with the one that holds it, where ``since``
    says that the log tells all from there on.

    Their openings are multiples of the duration, wherever the log begins. Clocks that are put forward in summer show
    midnight of their winter.
    """
    clock, first, duration, last = clock_of(log), int(log.submit.min()), plan.duration, last_event(log)
    zero = 0
    if clock is not None:
        winter = clock.shows.utcoffset(datetime(2000, 1, 1))
        zero = -clock.epoch - (0 if winter is None else int(winter.total_seconds()))
    begin = max(-((zero - first - part.since) // duration), (first - zero) // duration)
    end = (last + 1 - zero) // duration - 1
    if options.until is not None:
        end = min((last - zero) // duration, (first + part.until - zero) // duration - 1)
    if end < begin:
        raise InputError(
            f"consecutive: found windows of {duration:,} s ({duration_text(duration)}); expected shorter ones: none "
            f"lies whole in the part of {log.name} that is looked at"
        )
    if end - begin >= WINDOWS_MAX:
        raise InputError(
            f"consecutive: found {end - begin + 1:,} windows of {duration:,} s; expected at most {WINDOWS_MAX:,}: give "
            f"a longer duration, or a part of the log"
        )
    opens = tuple(zero + number * duration - first for number in range(begin, end + 1))
    return Windows(log, plan, len(opens), opens, begin)


def _fullest(log: Log, plan: Plan, number: int, work: Submitted) -> Windows:
    opens = busiest(work, number)
    if len(opens) < number:
        raise InputError(
            f"busiest: found {number:,}; expected at most {len(opens):,}: {log.name} has no more disjoint windows of "
            f"{plan.duration:,} s with any work where they are looked for"
        )
    return Windows(log, plan, number, tuple(opens))


def _full(log: Log, plan: Plan, least: Fraction, work: Submitted) -> tuple[IntArray, IntArray, Statistic]:
    """Where windows of at least this load open, for how many seconds, and in what part of the time."""
    can = total_machines(plan) * plan.duration
    first, seconds = at_least(work, math.ceil(least * can))
    if not first.size:
        most = float(Fraction(int(work.work.max()), can))
        raise InputError(
            f"min_load: found {load_text(least)}; expected at most {most:.4g}, the load of the fullest window of "
            f"{plan.duration:,} s ({duration_text(plan.duration)}) that {log.name} has where it is looked for"
        )
    return first, seconds, Statistic(int(seconds.sum()) / int(work.seconds.sum()))


def load_text(load: Fraction) -> str:
    """A load as people read it, however large."""
    return f"{float(load):g}" if load < MOST else magnitude(math.ceil(load))


def ways_of(options: LogOptions) -> list[str]:
    """How windows are chosen, by the options that say it; none: at random."""
    return [name for name in WAYS if getattr(options, name) is not None and getattr(options, name) is not False]


def _check(options: LogOptions) -> None:
    """Refuse two ways to choose windows at once."""
    named = ways_of(options)
    if len(named) > 1:
        raise InputError(f"{named[1]}: cannot be combined with {named[0]}; expected one of {', '.join(WAYS)}")
    if options.consecutive and "windows" in options.model_fields_set:
        raise InputError("windows: cannot be combined with consecutive, which takes all; it is for random windows")
    if named == ["start"] and not (options.since is None and options.until is None):
        raise InputError("start: cannot be combined with since or until; expected a moment, or a part of the log")
