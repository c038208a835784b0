"""What ``audit --gaming`` says, in rows: the largest gains by each move, a habit that pays, an example that replays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from ...games.sharing.gaming import HABITS, MIXTURE, Attempt, Search
from ...games.sharing.presentation import MOVES
from ...scheduling.intervals import Interval, mean, ratio
from ..records import OPTIONAL, Row, Statistic
from .gaming import Searched

ALL_MOVES: Final = (*MOVES, MIXTURE)


@dataclass(frozen=True, kw_only=True)
class MoveRow(Row):
    """The largest gain by one move, or their ``mixture``, in one window.

    Attributes
    ----------
    gain, window
        In units of psi, and the number of the window; 0 and ``None`` where nothing that was tried pays.
    percent
        Of the organization's utility in that window as the jobs are; ``None`` where that is 0.
    earlier
        By how much earlier a second of its work is done, on average, whatever more of it is done counted with it;
        ``None`` where none of it is done.
    at_most
        No window allows more than so many per cent, whatever is presented; ``None`` where a utility is 0.
    proved
        Why the move cannot pay in any of the windows; ``None`` where it may.
    """

    move: str
    gain: int
    window: int | None
    percent: Statistic | None
    earlier: Statistic | None
    at_most: Statistic | None
    proved: tuple[str, ...] | None


@dataclass(frozen=True, kw_only=True)
class HabitRow(Row):
    """What is done to all jobs alike in all windows: the one that pays best, of those that do.

    Attributes
    ----------
    move, amount
        Parts of each job, jobs joined to one, or seconds of delay or padding.
    percent, low, high
        Gain in all windows together, per cent of the utility, with Student's limits of 95 per cent over the windows.
    gain, others
        In all windows together, in units of psi: of the organization, and of everybody else.
    """

    move: str
    amount: int
    gain: int
    percent: Statistic
    low: Statistic | None
    high: Statistic | None
    others: int


@dataclass(frozen=True, kw_only=True)
class StepRow(Row):
    """One step on the jobs ``first`` to ``last`` (from 1, both included) of the queue as presented so far."""

    move: str
    first: int
    last: int
    amount: int


@dataclass(frozen=True, kw_only=True)
class GamedRow(Row):
    """What one organization could gain.

    Attributes
    ----------
    tried, windows
        Presentations, and windows in which it has jobs.
    moves
        By each move, and by mixing them.
    habit
        The best that needs no foresight; ``None`` where none pays in all windows together.
    window, utility, parts
        The window of the largest gain, and there, as the jobs are: utility, and seconds of its work that are done.
    gain, percent, earlier
        There, as in ``moves``.
    others
        What everybody else gains by it there, in units of psi of the jobs as they are; negative: their loss.
    alone
        What the same would gain there if nobody else had jobs, in units of psi: parts run side by side, which is taken
        from nobody.
    jobs
        How many there are in that window.
    steps
        What is done to them.
    elsewhere, elsewhere_low, elsewhere_high
        For a rule that draws: the gain of the same steps, in per cent, under seeds that the search has not seen.
    replay
        The jobs as they are and as presented, as scenarios that expect the utilities found; none for a rule of one's
        own and for very many jobs.
    """

    name: str
    tried: int
    windows: int
    moves: tuple[MoveRow, ...]
    habit: HabitRow | None
    window: int | None
    utility: int | None
    parts: int | None
    jobs: int | None
    gain: int
    percent: Statistic | None
    earlier: Statistic | None
    others: int
    alone: int
    steps: tuple[StepRow, ...]
    elsewhere: Statistic | None = field(default=None, metadata=OPTIONAL)
    elsewhere_low: Statistic | None = field(default=None, metadata=OPTIONAL)
    elsewhere_high: Statistic | None = field(default=None, metadata=OPTIONAL)
    replay: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, kw_only=True)
class GamingRow(Row):
    """Who could game the rule in force.

    ``tries`` were to be made for each organization and window; ``told`` says the rows in words, ``limits`` what the
    search supposes and what it leaves out.
    """

    rule: str
    tries: int
    organizations: tuple[GamedRow, ...]
    told: tuple[str, ...]
    limits: tuple[str, ...]


def largest(searched: Sequence[Searched], move: str) -> Searched | None:
    """Where a move gains most, for what the organization has there; the first of equals, ``None`` where nowhere."""
    paying = [one for one in searched if one.search.bests[move].gain > 0]
    return max(paying, key=lambda one: _relative(one.search, one.search.bests[move].gain), default=None)


def _relative(search: Search, gain: int) -> tuple[bool, Fraction]:
    """Order of gains: for each unit that there is, where nothing is first."""
    return (not search.utility, Fraction(gain, search.utility or 1))


def move_row(searched: Sequence[Searched], move: str) -> MoveRow:
    """The largest gain by one move in all windows."""
    best = largest(searched, move)
    found = best.search.bests[move] if best is not None else Attempt()
    reasons = [one.search.proved.get(move) for one in searched]
    why = tuple(dict.fromkeys(reason for reason in reasons if reason is not None))
    bounds = [percent(one.search, max(0, one.search.at_most[move])) for one in searched if one.search.at_most[move] > 0]
    known = [bound.value for bound in bounds if bound is not None]
    return MoveRow(
        move=move,
        gain=found.gain,
        window=best.window + 1 if best is not None else None,
        percent=percent(best.search, found.gain) if best is not None else Statistic(0.0),
        earlier=earlier(best.search, found.gain) if best is not None else Statistic(0.0),
        at_most=Statistic(max(known, default=0.0)) if len(known) == len(bounds) else None,
        proved=why if None not in reasons else None,
    )


def percent(search: Search, gain: int) -> Statistic | None:
    """A gain for what the organization has as the jobs are; ``None`` where that is nothing."""
    return Statistic(100 * float(Fraction(gain, search.utility))) if search.utility else None


def earlier(search: Search, gain: int) -> Statistic | None:
    """A gain for each second of work that is done as the jobs are; ``None`` where none is."""
    return Statistic(float(Fraction(gain, search.parts))) if search.parts else None


def habit_row(searched: Sequence[Searched]) -> HabitRow | None:
    """The habit that pays best in all windows together; ``None`` where none does, or not all windows tried it."""
    worth = sum(one.search.utility for one in searched)
    tried = [habit for habit in HABITS if all(habit in one.search.habits for one in searched)]
    totals = {habit: sum(one.search.habits[habit].gain for one in searched) for habit in tried}
    best = max(tried, key=lambda habit: totals[habit], default=None)
    if best is None or totals[best] <= 0 or not worth:
        return None
    gains = [one.search.habits[best].gain for one in searched]
    interval = ratio([100 * float(gain) for gain in gains], [float(one.search.utility) for one in searched])
    return HabitRow(
        move=best[0],
        amount=best[1],
        gain=totals[best],
        percent=Statistic(interval.value),
        low=_statistic(interval.low),
        high=_statistic(interval.high),
        others=sum(one.search.habits[best].others for one in searched),
    )


def chance(gains: Sequence[float]) -> Interval | None:
    """The gain of the same steps under other seeds; ``None`` where nothing is drawn."""
    return mean(gains) if gains else None


def gamed_row(
    name: str, searched: Sequence[Searched], alone: int, again: Interval | None, replay: tuple[Mapping[str, Any], ...]
) -> GamedRow:
    """All that was found for one organization; what follows the searches belongs to the largest gain."""
    best = largest(searched, MIXTURE)
    search = best.search if best is not None else None
    found = search.bests[MIXTURE] if search is not None else Attempt()
    return GamedRow(
        name=name,
        tried=sum(one.search.tried for one in searched),
        windows=len(searched),
        moves=tuple(move_row(searched, move) for move in ALL_MOVES),
        habit=habit_row(searched),
        window=best.window + 1 if best is not None else None,
        utility=search.utility if search is not None else None,
        parts=search.parts if search is not None else None,
        jobs=search.jobs if search is not None else None,
        gain=found.gain,
        percent=percent(search, found.gain) if search is not None else Statistic(0.0),
        earlier=earlier(search, found.gain) if search is not None else Statistic(0.0),
        others=found.others,
        alone=alone,
        steps=tuple(
            StepRow(move=step.move, first=step.first + 1, last=step.last, amount=step.amount) for step in found.steps
        ),
        elsewhere=_statistic(again and again.value),
        elsewhere_low=_statistic(again and again.low),
        elsewhere_high=_statistic(again and again.high),
        replay=replay,
    )


def _statistic(value: float | None) -> Statistic | None:
    return None if value is None else Statistic(value)
