"""Finished windows kept in a store of tasks (:mod:`consortium.parallel.store`), and unfairness over time from it.

A window is a task; its record holds everything that was measured, ``unfairness`` that of every rule by label, to look
at in SQL. A store grows with its log, week after week (:func:`stored`): its question says how windows are measured, not
which, of what log and under which rules. What is kept of a window is read by all who ask; rules that are new to it are
measured and kept beside it, against what REF found then. Every window has two digests. That of the replay is of all
that its numbers depend on beside the question and the rule: a window that has not changed is not measured again. That
of the past is of the log's own jobs in it,
whoever they are counted to. Before anything runs, all windows of the part of the log that is looked at are held against
it: if the log says something else of one now, its past has changed, and that is refused. Only where a job of the window
had not ended in the log of then, it is the window that was measured too early: it is measured again if it is needed,
and counts no more.

Conventions: moments are those of :attr:`consortium.workloads.Log.submit`. Unfairness over time is by periods: a window
belongs to the one in which it opens, on the cluster's clock where the log says it (weeks begin on Monday), else they
are 1, 7 and 30 days long, counted from the first submission. Windows of a period are a sample of it: their mean has
Student's limits of 95 per cent, and the last two periods are told apart by Welch's interval of the difference of their
means, which does not ask that both scatter alike.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from pydantic import TypeAdapter

from ...mechanisms.custom import Named
from ...parallel.outcomes import Columns, Outcome
from ...parallel.store import Store
from ...support.errors import InputError, unknown_name, whole_record
from ...support.interrupts import shielded
from ...support.intervals import difference, mean
from ...support.progress import Progress
from ...workloads.clock import clock_of
from ...workloads.log import Log
from ...workloads.windows import SharedWork, ends_of, last_event
from ..records import Statistic, jsonable
from .audit_records import LastRow, TrendRecord, TrendRow
from .model import RECORDED, Rule
from .options import AuditTrend
from .plan import Period, Windows
from .results import WindowResult
from .summary import with_limits
from .windows import Shelf, work_digest

COLUMNS: Final = Columns(
    ("opening",),
    ("start", "opens", "jobs", "load", "unfairness", "to_others", "organizations", "past", "known", "provisional"),
)
TOO_EARLY: Final = "measured_too_early"
"""What a store notes: the tasks whose windows count no more."""
RULES: Final = "rules"
"""What a store notes: which rule each label stands for."""
RESULT: Final = TypeAdapter(WindowResult)
"""A finished window as JSON."""
DAY: Final = 86_400
_DAYS: Final[Mapping[str, int]] = {"day": 1, "week": 7, "month": 30}


# --- the windows of a log that grows --------------------------------------------------------------------------------


@dataclass(frozen=True)
class History:
    """What a log says of its windows now; ``part`` is the part of it that is looked at, ``half_life`` that of usage."""

    windows: Windows
    part: Period
    half_life: int | None = None

    @property
    def log(self) -> Log:
        """The log."""
        return self.windows.log

    @cached_property
    def first(self) -> int:
        """The moment of the first submission."""
        return int(self.log.submit.min())

    def usable(self, result: WindowResult, work: SharedWork) -> WindowResult:
        """A kept window as it is read now, with usage of the half-life, and as much used before it as in this log."""
        rules, before = list(result.rules), work.used_before or {}
        if self.half_life is None:
            rules = [replace(rule, decayed=None, half_life=None) for rule in rules]
        kept = (
            rule
            for rule in rules
            if rule.half_life == self.half_life and all(before.get(each, used) == used for each, used in rule.used)
        )
        return replace(result, rules=tuple(kept))

    def past_digest(self, opening: int) -> str:
        """SHA-256 of the log's jobs of a window, those that ran or waited before included."""
        jobs = self.windows.jobs(opening)
        log, owner = (
            self.log,
            self.windows.plan.organizations if isinstance(self.windows.plan.organizations, str) else "user",
        )
        codes, whose = np.unique(log.column(owner)[jobs], return_inverse=True)
        names = [log.label(owner, int(code)) for code in codes]  # codes are as the names come first in a log
        order = sorted(range(len(names)), key=names.__getitem__)
        digest = hashlib.sha256(json.dumps([names[i] for i in order]).encode())
        whose = np.argsort(order)[whose]
        for column in (
            log.submit[jobs] - opening,
            log.column("wait")[jobs],
            log.run[jobs],
            log.processors[jobs],
            whose,
        ):
            digest.update(column.astype("<i8").tobytes())
        return digest.hexdigest()

    def counts(self, outcome: Outcome, store: Store) -> bool:
        """Whether a kept window is still what the log says; not if it was measured before all its jobs had ended.

        Windows outside the part of the log that is looked at are not judged. Raises InputError for a changed past.
        """
        opening: Any = outcome.varied["opening"]
        last_known: Any = outcome.measures["known"]
        begin, unsure = self.first + self.part.since, bool(outcome.measures["provisional"])
        ends = opening + self.windows.plan.duration * (not unsure)
        if not begin <= opening <= ends <= self.first + self.part.until + 1:
            return outcome.task not in _too_early(store)
        if unsure and last_event(self.log) > last_known:
            return False
        if self.past_digest(opening) == outcome.measures["past"]:
            return True
        if (ends_of(self.log)[self.windows.jobs(opening)] > last_known).any():
            return False
        clock = clock_of(self.log)
        when = f"{opening - self.first:,} s after the first submission" if clock is None else clock.text(opening)
        raise InputError(
            f"store {store.path}: the past has changed, or {self.log.name} is another log: of the window from {when} "
            f"on it says something else than the log that was measured, although its jobs had ended then; name another "
            f"file"
        )

    def outcome(self, result: WindowResult, seed: int, task: int, digest: str) -> Outcome:
        """A finished window as a store keeps it."""
        opening, clock = self.first + result.start, clock_of(self.log)
        opens = None if clock is None else clock.text(opening)
        return Outcome(
            task=task,
            status="done",
            seconds=sum(rule.seconds for rule in result.rules),
            seed=seed,
            replicate=result.index,
            digest=digest,
            varied={"opening": opening},
            measures={
                "start": result.start,
                "opens": None if opens is None or opens.endswith(" s") else opens,  # a moment that no calendar has
                "jobs": result.fair.n_jobs,
                "load": result.load,
                "unfairness": {rule.label: jsonable(rule.unfairness) for rule in result.rules},
                "to_others": {rule.label: jsonable(rule.to_others) for rule in result.rules},
                "organizations": list(result.names),
                "past": self.past_digest(opening),
                "known": last_event(self.log),
                "provisional": self.windows.provisional(opening),
            },
            record=RESULT.dump_json(result).decode(),
        )


class StoredShelf(Shelf):
    """Finished windows in a store, which also has what others asked of the same and of other windows."""

    def __init__(self, store: Store, history: History, seed: int) -> None:
        super().__init__()
        self._store, self._history, self._seed = store, history, seed
        outcomes = list(store.outcomes())
        self._next = outcomes[-1].task + 1 if outcomes else 0
        too_early = [outcome.task for outcome in outcomes if not history.counts(outcome, store)]
        if too_early != _too_early(store):
            store.describe({**store.about, TOO_EARLY: [*too_early]})
        tasks: dict[str, list[int]] = {}
        for outcome in outcomes:
            if outcome.task not in too_early:
                tasks.setdefault(outcome.digest, []).append(outcome.task)
        self._digests: dict[int, str] = {}
        for index in range(history.windows.number) if tasks else ():
            work = history.windows.window(index)
            self._digests[index] = work_digest(work)
            for task in tasks.get(self._digests[index], ()):
                result = replace(read_result(task, store), index=index, start=work.start)
                super().keep(history.usable(result, work))

    @shielded()
    def keep(self, result: WindowResult) -> None:
        """Keep a finished window, on disk at once.

        Ctrl-C waits: what is in the answer is on disk, and pydantic would turn it into an error of its own.
        """
        super().keep(result)
        digest = self._digests.get(result.index) or work_digest(self._history.windows.window(result.index))
        try:
            self._store.keep([self._history.outcome(result, self._seed, self._next, digest)])
        except InputError as error:
            self.failure = str(error)
        self._next += 1


@contextmanager
def stored(
    path: str | os.PathLike[str] | None,
    question: Mapping[str, Any],
    rules: Sequence[Rule],
    history: Callable[[], History],
) -> Iterator[Shelf]:
    """The finished windows of a log, from a store that may have those of other questions as well.

    Parameters
    ----------
    path
        Of the store; without one windows are kept in memory only.
    question
        How windows are measured, with the ``seed``.
    rules
        What is run; an object is refused, because a store would not notice that its code has changed.

    Raises
    ------
    InputError
        A file that is no store, is damaged, cannot be written, belongs to another question, to which another process
        writes, whose windows the log does not have any more, or where a label stands for another rule.
    """
    if path is None:
        yield Shelf()
        return
    for rule in rules:
        if rule.own and not isinstance(rule.rule, Named):
            raise InputError(f"store: found the rule {rule.label!r}, an object; expected rules by name, or no store")
    kept = history()
    plain = jsonable(dict(question))
    with Store.open(path, plain, COLUMNS) as store:
        with whole_record(f"store {store.path}", "window", "windows as an audit keeps them"):
            _note_rules(store, {rule.label: rule.key for rule in rules})
            shelf = StoredShelf(store, kept, question["seed"])
        yield shelf


def _note_rules(store: Store, rules: Mapping[str, str]) -> None:
    """Note what the labels stand for. Raises InputError where one stands for something else already."""
    noted: Any = store.about.get(RULES, {})
    for label, rule in rules.items():
        if noted.get(label, rule) != rule:
            raise InputError(
                f"store {store.path}: the rule {label!r} stands there for {noted[label]}; found {rule}; expected the "
                f"same rule, another label, or another file"
            )
    if not rules.keys() <= noted.keys():
        store.describe({**store.about, RULES: {**noted, **rules}})


def _too_early(store: Store) -> list[Any]:
    noted = store.about.get(TOO_EARLY)
    return noted if isinstance(noted, list) else []


def read_result(task: int, store: Store) -> WindowResult:
    """A finished window of a store, which lists its task. Raises InputError for one that is damaged."""
    outcome = store.outcome(task)
    assert outcome is not None  # it was listed
    try:
        return RESULT.validate_json(outcome.record or "", strict=True)
    except ValueError:
        raise InputError(
            f"store {store.path}: what it holds of window {outcome.replicate + 1} cannot be read; name another file"
        ) from None


# --- unfairness over time -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StoredWindow:
    """What a trend takes from a window in a store: ``opens`` is a date and time, where the log says dates."""

    opening: int
    start: int
    opens: str | None
    load: float
    unfairness: Mapping[str, Any]
    to_others: Mapping[str, Any]
    organizations: tuple[str, ...]
    provisional: bool


def stored_windows(store: Store, account: str | None = None) -> list[StoredWindow]:
    """The windows that count, in the order of their opening; of one measured several times the last, for each rule.

    With an account what that loses, and by how much it is later than fair, where the fair schedule does work of it.
    """
    if store.columns != COLUMNS:
        raise InputError(f"store {store.path}: holds no windows of an audit; expected what audit --store wrote")
    too_early, windows = _too_early(store), dict[int, StoredWindow]()
    for outcome in store.outcomes():
        if outcome.task not in too_early:
            m: Any = outcome.measures
            opening: Any = outcome.varied["opening"]
            before = windows.get(opening)
            values = m if account is None else _of_account(read_result(outcome.task, store), account)
            unfairness, to_others = (
                {**(getattr(before, name) if before else {}), **values[name]} for name in ("unfairness", "to_others")
            )
            windows[opening] = StoredWindow(
                opening, m["start"], m["opens"], m["load"], unfairness, to_others, tuple(m["organizations"]),
                m["provisional"],
            )  # fmt: skip
    return [windows[opening] for opening in sorted(windows)]


def _of_account(result: WindowResult, account: str) -> dict[str, dict[str, Fraction]]:
    """Of one organization by rule what it loses to others and by how much it is late, per second of its work."""
    values: dict[str, dict[str, Fraction]] = {"unfairness": {}, "to_others": {}}
    u = result.names.index(account) if account in result.names else None
    if u is None or not (work := result.fair.parts[u]):
        return values
    for rule in result.rules:
        values["unfairness"][rule.label] = Fraction(result.fair.utility[u] - rule.utility[u], work)
        values["to_others"][rule.label] = rule.losses[u] / work
    return values


def audit_trend(path: str | os.PathLike[str], options: AuditTrend, progress: Progress | None = None) -> TrendRecord:
    """Unfairness of a rule period by period, of all windows that a store keeps.

    Raises InputError for what is no store of audits or has no windows yet; UnknownNameError for a rule not run there,
    or an account that no window has.
    """
    with (
        Store.read(path) as store,
        whole_record(f"store {os.fspath(path)}", "window", "windows as an audit keeps them"),
    ):
        windows, seed = stored_windows(store, options.account), store.question.get("seed")
        if not windows:
            raise InputError(f"store {os.fspath(path)}: has no windows yet; expected those of an audit")
        names = {name for window in windows for name in window.organizations}
        if options.account is not None and options.account not in names:
            raise unknown_name("account", options.account, names)
        return trend_of(windows, options, scenario=Path(path).name, seed=seed if isinstance(seed, int) else None)


def trend_of(windows: Sequence[StoredWindow], options: AuditTrend, **about: Any) -> TrendRecord:
    """The trend of a rule over windows; ``about``: fields of the record."""
    windows = _since(windows, options.since)
    labels = dict.fromkeys(label for window in windows for label in window.unfairness)
    if not labels:
        raise InputError(f"account: {options.account} has no work in these windows; expected another, or another part")
    rule = options.rule or (RECORDED if RECORDED in labels else next(iter(labels)))
    every, least = options.every, 0.0 if options.account is None else -math.inf
    if rule not in labels:
        raise unknown_name("rule", rule, labels)
    windows = [window for window in windows if rule in window.unfairness]
    origin = windows[-1].opening - windows[-1].start
    periods: dict[str, list[StoredWindow]] = {}
    for window in windows:
        periods.setdefault(_period(window, origin, every), []).append(window)
    lost = [_sample(members, "to_others", rule) for members in periods.values()]
    last = None
    if every != "window" and len(lost) > 1:
        last = LastRow(**with_limits("difference", difference(lost[-1], lost[-2])))
    return TrendRecord(
        kind="sharing",
        method="simulation",
        exact=False,
        every=every,
        rule=rule,
        rows=tuple(_row(name, members, rule, least) for name, members in periods.items()),
        last=last,
        same_organizations=len({tuple(sorted(window.organizations)) for window in windows}) == 1,
        account=options.account,
        **about,
    )


def _since(windows: Sequence[StoredWindow], since: int | datetime | None) -> list[StoredWindow]:
    """The windows that open from a moment on. Raises InputError where there are none, or no dates to find it."""
    if since is None:
        return [*windows]
    if isinstance(since, int):
        origin = windows[-1].opening - windows[-1].start
        later = [window for window in windows if window.opening - origin >= since]
    elif since.tzinfo is not None or any(window.opens is None for window in windows):
        raise InputError("since: found a date; expected one of the cluster's clock, without a zone, or seconds")
    else:
        later = [window for window in windows if datetime.fromisoformat(window.opens or "") >= since]
    if not later:
        last = windows[-1].opens or f"{windows[-1].start:,} s"
        raise InputError(f"since: no window opens from then on; the last of the store opens at {last}")
    return later


def _period(window: StoredWindow, origin: int, every: str) -> str:
    """What a window's period begins with."""
    if window.opens is None:
        length = 1 if every == "window" else _DAYS[every] * DAY
        return f"{(window.opening - origin) // length * length:,} s"
    if every == "window":
        return window.opens
    day = date.fromisoformat(window.opens[:10])
    if every == "week":
        day -= timedelta(days=day.weekday())
    return (day.replace(day=1) if every == "month" else day).isoformat()


def _sample(windows: Sequence[StoredWindow], name: str, rule: str) -> list[float]:
    return [float(Fraction(getattr(each, name)[rule])) for each in windows]


def _row(since: str, windows: Sequence[StoredWindow], rule: str, least: float) -> TrendRow:
    return TrendRow(
        since=since,
        windows=len(windows),
        provisional=sum(each.provisional for each in windows),
        load=Statistic(sum(each.load for each in windows) / len(windows)),
        **with_limits("to_others", mean(_sample(windows, "to_others", rule)), least),
        **with_limits("unfairness", mean(_sample(windows, "unfairness", rule)), least),
    )
