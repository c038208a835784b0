"""``audit gaming``: what each organization could gain in the windows by presenting its jobs otherwise.

Every organization's search (:mod:`consortium.games.sharing.gaming`) runs on every window, in slices of half a second,
all of them once before any goes on: whoever stops the work early has something on everybody. A record has the largest
gains by each move, a habit that pays, and the best presentation as scenarios that replay.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from ...games.sharing.gaming import HABITS, MIXTURE, Attempt, Play, Search, after
from ...games.sharing.presentation import ALL_MOVES, Presentation
from ...mechanisms.sharing.instance import Job, SharingInstance
from ...parallel.executors import cores, executor, travels
from ...parallel.stream import streamed
from ...scenarios.reader import load
from ...scenarios.toml import write
from ...support.errors import InputError
from ...support.intervals import Interval, mean, ratio
from ...support.progress import Progress, limited
from ...workloads.windows import SharedWork
from ..costs import SIMULATED_JOB
from ..records import Statistic
from .audit_records import GamedRow, GamingRecord, HabitRow, MoveRow, PayerRow, StepRow
from .model import Rule, Setting, chooses, instance_of
from .options import AuditGaming
from .records import kept
from .setup import LogSource, log_fields, setup_of
from .summary import statistic, with_limits
from .verify import listed_out
from .windows import WORTH_IT, rule_seed, to_the_end

TWICE: Final = 2
"""Schedules of a try, at most: as others have jobs, and alone."""
SLICE: Final = 0.5
"""Seconds after which a search lets the others go on."""
LISTED_MAX: Final = 20_000
"""Jobs of an example that is written out, at most."""
SEEDS: Final = 10
"""Other seeds under which a gain from a rule that draws is looked at."""


def audit_gaming(source: LogSource, options: AuditGaming, progress: Progress | None = None) -> GamingRecord:
    """What each organization could gain by presenting its jobs otherwise.

    Ctrl-C and the time limit keep what is known. Raises InputError when the log does not hold what is named, and for a
    rule in force that cannot be run again.
    """
    setup = setup_of(source, options)
    rule, window, number = setup.in_force, setup.windows.window, setup.windows.number
    searched = searches(
        window,
        range(number),
        rule,
        options.seed,
        tries=options.tries,
        processes=options.processes,
        progress=limited(progress, options.time_limit),
    )
    by_name: dict[str, list[Searched]] = {}
    for one in searched.begun:
        by_name.setdefault(window(one.window).names[one.organization], []).append(one)
    rows = tuple(_gamed_row(name, each, window, rule, options.seed) for name, each in by_name.items())
    record = GamingRecord(
        **log_fields(setup),
        method="search",
        complete=searched.complete,
        tries=options.tries,
        organizations=rows,
        windows=number,
        not_begun=searched.not_begun,
        random=chooses(rule),
        custom=rule.own,
    )
    return kept(record, None if options.examples is None else _save(rows, options.examples))


# --- searches -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SearchTask:
    """The search for one organization in one window: what a process needs to go on with it."""

    window: int
    organization: int
    work: SharedWork
    rule: Rule
    seed: int
    tries: int
    search: Search | None = None


class Searched(NamedTuple):
    """A search by window and organization (both from 0), as far as it went."""

    window: int
    organization: int
    search: Search


class Searches(NamedTuple):
    """All searches that have begun, in order, whether all have ended, and how many have not begun."""

    begun: tuple[Searched, ...]
    complete: bool
    not_begun: int


def go_on(task: SearchTask) -> Searched:
    """Go on with a search for a slice of time."""
    instance = instance_of(task.work)
    own_seed = rule_seed(task.seed, task.window, task.rule.label)
    play: Play = partial(to_the_end, task.rule, task.work, own_seed)
    search = task.search
    if search is None:
        search = Search.of(
            instance,
            task.organization,
            task.work.until,
            play,
            None if task.rule.own else task.rule.rule,
            tries=task.tries,
            seed=rule_seed(task.seed, task.window, f"gaming {task.organization}"),
            opened=task.work.opening,
        )
    return Searched(task.window, task.organization, search.more(instance, play, SLICE))


def searches(
    window: Callable[[int], SharedWork],
    windows: Iterable[int],
    rule: Rule,
    seed: int,
    *,
    tries: int,
    processes: int = 1,
    progress: Progress | None = None,
) -> Searches:
    """Search in all windows for everybody whose jobs come there; Ctrl-C keeps what is known.

    ``processes`` as in :func:`.windows.measure_all`. Raises InputError for a rule that cannot be sent to other
    processes.
    """
    works = {i: window(i) for i in windows}
    waiting = [
        SearchTask(i, u, work, rule, seed, tries)
        for i, work in works.items()
        for u in range(len(work.names))
        if (work.submitted & (work.owner == u)).any()
    ]
    if processes == 0:
        schedules = TWICE * tries * sum(len(work) * len(work.names) for work in works.values())
        worth_it = schedules * SIMULATED_JOB > WORTH_IT and (not rule.own or travels(rule.rule))
        processes = cores() if worth_it else 1
    pairs, begun = len(waiting), dict[tuple[int, int], Searched]()
    total = tries * pairs
    with suppress(KeyboardInterrupt), executor(max(1, min(processes, len(waiting)))) as pool:
        while waiting:
            tasks = {(task.window, task.organization): task for task in waiting}
            for one in streamed(pool, go_on, iter(waiting)):
                begun[one.window, one.organization] = one
                if progress is not None:
                    made = sum(tries if each.search.done else each.search.tried for each in begun.values())
                    progress(made, total, "presentations tried")
            waiting = [
                replace(tasks[key], search=begun[key].search) for key in sorted(tasks) if not begun[key].search.done
            ]
    complete = len(begun) * tries == total and all(each.search.done for each in begun.values())
    return Searches(tuple(begun[key] for key in sorted(begun)), complete, pairs - len(begun))


# --- rows -----------------------------------------------------------------------------------------------------------


def largest(searched: Sequence[Searched], move: str) -> Searched | None:
    """Where a move gains most, for what the organization has there; the first of equals, ``None`` where nowhere."""
    paying = [one for one in searched if move in one.search.bests and one.search.bests[move].net > 0]

    def relative(one: Searched) -> tuple[bool, Fraction]:
        """For each unit that there is, where nothing is first."""
        return not one.search.utility, Fraction(one.search.bests[move].net, one.search.utility or 1)

    return max(paying, key=relative, default=None)


def move_row(searched: Sequence[Searched], move: str) -> MoveRow:
    """The largest gain by one move in all windows."""
    best = largest(searched, move)
    gained = best.search.bests[move] if best is not None else Attempt()
    reasons = [one.search.proved.get(move) for one in searched]
    why = tuple(dict.fromkeys(reason for reason in reasons if reason is not None))
    bounds = [percent(one.search, max(0, one.search.at_most[move])) for one in searched if one.search.at_most[move] > 0]
    finite = [bound.value for bound in bounds if bound is not None]
    return MoveRow(
        move=move,
        gain=gained.net,
        window=best.window + 1 if best is not None else None,
        percent=percent(best.search, gained.net) if best is not None else Statistic(0.0),
        earlier=each(gained.in_window, best.search.parts) if best is not None else Statistic(0.0),
        at_most=Statistic(max(finite, default=0.0)) if len(finite) == len(bounds) else None,
        proved=why if None not in reasons else None,
        searched=all(move in one.search.bests for one in searched),
    )


def percent(search: Search, gain: int) -> Statistic | None:
    """A gain for what the organization has as the jobs are; ``None`` where that is nothing."""
    return each(100 * gain, search.utility)


def each(total: int, number: int) -> Statistic | None:
    """What is one's part of a total; ``None`` where there is none."""
    return Statistic(float(Fraction(total, number))) if number else None


def habit_row(searched: Sequence[Searched]) -> HabitRow | None:
    """The habit that pays best in all windows together; ``None`` where none does, or not all windows tried it.

    Its gain is the sum of what it gains in each, so for what the organization has it is not above the largest there.
    """
    worth = sum(one.search.utility for one in searched)
    tried = [habit for habit in HABITS if all(habit in one.search.habits for one in searched)]
    totals = {habit: sum(one.search.habits[habit].net for one in searched) for habit in tried}
    best = max(tried, key=lambda habit: totals[habit], default=None)
    if best is None or totals[best] <= 0 or not worth:
        return None
    attempts = [one.search.habits[best] for one in searched]
    interval = ratio([100 * float(one.net) for one in attempts], [float(one.search.utility) for one in searched])
    return HabitRow(
        move=best[0],
        amount=best[1],
        gain=totals[best],
        percent=Statistic(interval.value),
        low=statistic(interval.low),
        high=statistic(interval.high),
        others=sum(sum(one.changes) for one in attempts),
        others_ended=sum(sum(one.changes_ended) for one in attempts),
    )


def payer_rows(one: Searched, names: Sequence[str]) -> tuple[PayerRow, ...]:
    """How much later the best presentation makes a second of everybody else's work."""
    u, honest, best = one.organization, one.search.honest, one.search.bests[MIXTURE]
    return tuple(
        PayerRow(
            name=name,
            later=each(-best.changes[v], honest.parts[v]),
            later_ended=each(-best.changes_ended[v], honest.work[v]),
        )
        for v, name in enumerate(names)
        if v != u and honest.work[v]
    )


def _gamed_row(
    name: str, searched: Sequence[Searched], window: Callable[[int], SharedWork], rule: Rule, seed: int
) -> GamedRow:
    """All that was found for one organization; what follows the searches belongs to the largest gain."""
    best = largest(searched, MIXTURE)
    most = max(searched, key=lambda one: Fraction(one.search.idle, one.search.utility or 1))
    gained = Attempt() if best is None else best.search.bests[MIXTURE]
    values: dict[str, Any] = {
        "name": name,
        "tried": sum(one.search.tried for one in searched),
        "windows": len(searched),
        "moves": tuple(move_row(searched, move) for move in (*ALL_MOVES, MIXTURE)),
        "habit": habit_row(searched),
        "idle": percent(most.search, most.search.idle),
        "gain": gained.net,
        "gross": gained.gain,
        "gross_ended": gained.ended,
        "others": sum(gained.changes),
        "others_ended": sum(gained.changes_ended),
        "alone": gained.alone,
        "alone_ended": gained.alone_ended,
        "steps": tuple(
            StepRow(move=step.move, first=step.first + 1, last=step.last, amount=step.amount) for step in gained.steps
        ),
        **dict.fromkeys(("window", "utility", "parts", "jobs")),
        **dict.fromkeys(("percent", "earlier", "earlier_ended"), Statistic(0.0)),
    }
    if best is not None:
        search, work = best.search, window(best.window)
        values |= {
            "window": best.window + 1,
            "utility": search.utility,
            "parts": search.parts,
            "received": gained.received,
            "jobs": search.jobs,
            "held": search.held,
            "percent": percent(search, gained.net),
            "earlier": each(gained.in_window, search.parts),
            "earlier_ended": each(gained.in_the_end, search.honest.work[best.organization]),
            "payers": payer_rows(best, work.names),
            **with_limits("elsewhere", _under_other_seeds(best, work, rule, seed)),
            "replay": _example(best, work, rule, seed),
        }
    return GamedRow(**values)


# --- examples -------------------------------------------------------------------------------------------------------


def _example(one: Searched, work: SharedWork, rule: Rule, seed: int) -> tuple[Mapping[str, Any], ...]:
    """The truth and the best presentation, with the utilities that ``run`` must find; none for a custom rule."""
    instance = instance_of(work)
    queue = after(Presentation.of(instance, one.organization), one.search.bests[MIXTURE].steps)
    if rule.own or instance.n_jobs + len(queue) > LISTED_MAX:
        return ()
    own_seed = rule_seed(seed, one.window, rule.label)
    scenario = load(
        {
            "format": 1,
            "kind": "sharing",
            "title": f"{work.names[one.organization]}, window {one.window + 1}, rule {rule.label}",
            "seed": own_seed,
            "until": work.until,
            "organizations": [{"name": "everybody", "machines": 1}],
            "mechanism": {"rule": rule.rule, **rule.options},
        }
    )
    instances = (instance, queue.presented(instance, one.organization))
    replay = tuple(listed_out(scenario, rule, Setting(each, work.until), queues_of(each)) for each in instances)
    honest = [part["utility"] for part in replay[0]["expect"]["run"]["organizations"].values()]
    return replay if honest == list(one.search.honest.psi) else ()  # scenarios do not say since when a job waits


def queues_of(instance: SharingInstance) -> list[list[Sequence[int] | Job]]:
    """Every organization's jobs as a scenario lists them, parallel ones whole."""
    queues: list[list[Sequence[int] | Job]] = []
    for u in range(instance.n_organizations):
        jobs = Presentation.of(instance, u)
        estimate, qos = (
            [None] * len(jobs) if column is None else column.tolist() for column in (jobs.estimate, jobs.qos)
        )
        rows = zip(jobs.jobs, jobs.width.tolist(), estimate, qos, strict=True)
        tables = jobs.estimate is not None or jobs.qos is not None
        queues.append([Job(*job, None, *more) for job, *more in rows] if tables else [*jobs.jobs])
    return queues


def _under_other_seeds(one: Searched, work: SharedWork, rule: Rule, seed: int) -> Interval | None:
    """The gain of the best steps, in per cent, under seeds that the search has not seen; ``None`` if none is drawn."""
    if not chooses(rule) or not one.search.utility:
        return None
    gains, instance, u = list[float](), instance_of(work), one.organization
    queue = after(Presentation.of(instance, u), one.search.bests[MIXTURE].steps)
    with suppress(KeyboardInterrupt):  # from those that were looked at
        for i in range(SEEDS):
            play: Play = partial(to_the_end, rule, work, rule_seed(seed, one.window, f"{rule.label} again {i}"))
            honest = Search.of(instance, u, work.until, play, None, tries=1, seed=0)
            attempt = honest.played(queue, instance, play)
            gains.append(100 * attempt.net / honest.utility if attempt is not None and honest.utility else 0.0)
    return mean(gains) if gains else None


def _save(rows: Sequence[GamedRow], folder: str) -> str | None:
    """Write the examples as scenario files, two for each organization; why it could not be done, in a sentence."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for i, row in enumerate(rows, 1):
            name = re.sub(r"[^\w.-]+", "-", row.name).strip("-.") or "organization"
            for what, scenario in zip(("as-is", "presented"), row.replay, strict=False):
                write(scenario, Path(folder, f"{i}-{name}-{what}.toml"))
    except InputError as error:
        return str(error)
    except OSError as error:
        return f"{os.fspath(folder)}: cannot be written ({error.strerror or error})"
    return None
