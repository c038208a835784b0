"""``audit --gaming`` in words: who gains most and by what, what pays without foresight, what is proved, limits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from ...games.sharing.gaming import HABITS, MIXTURE, REASONS
from ...support.units import duration_text, three_digits
from .gaming_examples import LISTED_MAX, SEEDS
from .gaming_rows import GamedRow, HabitRow, MoveRow, StepRow
from .rules import Rule, chooses

_DONE: Final = {"split": "splitting", "merge": "merging", "delay": "delaying", "pad": "padding"}


def told(rows: Iterable[GamedRow], left: int = 0) -> tuple[str, ...]:
    """Every organization in words, who gains most first; then what is proved, together for whom it is the same.

    ``left``: searches of an organization in a window that were stopped before they began, of which nothing is known.
    """
    rows = list(rows)
    if not rows:
        return ("No search for what could be gained has begun: nobody has jobs, or the work was stopped before.",)
    ordered = sorted(rows, key=lambda row: (-_size(row), row.name))
    begun = sum(row.windows for row in rows)
    open_ = (
        f"Stopped when {begun:,} of {begun + left:,} searches (an organization in a window) had begun: what is said "
    )
    open_ += "of any or of every window is about these."
    found = filter(None, (text for row in ordered for text in (_most(row), _habit(row))))
    proved: dict[str, list[str]] = {}
    for row in ordered:
        if text := _proved(row):
            proved.setdefault(text, []).append(row.name)
    return (
        *([open_] if left else []),
        *found,
        *(f"{_and(names)} cannot gain {text}." for text, names in proved.items()),
    )


def _and(names: Sequence[str], word: str = "and") -> str:
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last


def _size(row: GamedRow) -> float:
    if row.percent is None:
        return float("inf")
    return row.percent.value


def _most(row: GamedRow) -> str:
    """The largest gain, and at whose expense."""
    if not row.gain:
        if any(move.move == MIXTURE and move.proved for move in row.moves):
            return ""
        return f"{row.name}: nothing that was tried pays ({row.tried:,} presentations in {_windows(row.windows)})."
    gain = "something instead of nothing" if row.percent is None else f"{three_digits(row.percent.value)} % more"
    earlier = "" if row.earlier is None else f", its work {duration_text(row.earlier.value)} earlier on average"
    how = _steps(row.steps, row.jobs or 0)
    told = _others(row)
    text = f"{row.name} could gain {gain} in window {row.window}{earlier}: {how}. {told[0].upper()}{told[1:]}"
    return text + _bound(row) + _elsewhere(row)


def _windows(n: int) -> str:
    return "one window" if n == 1 else f"{n:,} windows"


def _others(row: GamedRow) -> str:
    """At whose expense: what it would gain alone is taken from nobody."""
    share = 100 * row.alone / row.gain
    alone = f"{_some(share)} of it would be gained if nobody else had jobs; " if row.alone > 0 else ""
    return f"{alone}{_expense(row.others, row.gain)}."


def _some(share: float) -> str:
    return "All" if share >= 100 else f"{_few(share)} %"


def _few(share: float) -> str:
    """Two digits, of large numbers all before the point."""
    return f"{share:,.0f}" if share >= 100 else f"{share:.2g}"


def _expense(others: int, gain: int) -> str:
    if not others:
        return "the others have neither more nor less by it"
    return f"the others {'gain' if others > 0 else 'lose'} {_few(100 * abs(others) / gain)} % as much by it together"


def _bound(row: GamedRow) -> str:
    most = next(move.at_most for move in row.moves if move.move == MIXTURE)
    return "" if most is None else f" More than {above(most.value)} % no presentation can gain in any window."


def above(value: float) -> str:
    """Three digits, of a bound: never less than it.

    >>> above(335.2), above(12.31), above(0.0)
    ('336', '12.4', '0')
    """
    if not value:
        return "0"
    unit = 10.0 ** (math.floor(math.log10(value)) - 2)
    return f"{math.ceil(value / unit) * unit:.3g}" if value < 1000 else f"{math.ceil(value):,}"


def _elsewhere(row: GamedRow) -> str:
    if row.elsewhere is None:
        return ""
    text = f" The rule draws lots: by other lots the same gains {three_digits(row.elsewhere.value)} %"
    if row.elsewhere_low is not None and row.elsewhere_high is not None:
        text += f" on average ({three_digits(row.elsewhere_low.value)} to {three_digits(row.elsewhere_high.value)})"
    return text + "."


def _steps(steps: Sequence[StepRow], jobs: int) -> str:
    """The first steps in words, and how many follow."""
    first, *rest = steps
    which = f"all {jobs:,} jobs" if first.last - first.first + 1 == jobs > 1 else _range(first)
    more = f", and {len(rest):,} more step{'s' * (len(rest) > 1)}" if rest else ""
    return f"{what(first.move, first.amount)} for {which}{more}"


def _range(step: StepRow) -> str:
    return f"job {step.first:,}" if step.first == step.last else f"jobs {step.first:,} to {step.last:,}"


def what(move: str, amount: int) -> str:
    """A step in words, without its jobs.

    >>> what("split", 4), what("delay", 600)
    ('splitting into 4 parts', 'delaying by 10 min')
    """
    if move == "split":
        return f"splitting into {amount:,} parts"
    if move == "merge":
        return f"joining {amount:,} at a time"
    return f"{_DONE[move]} by {duration_text(amount)}"


def _habit(row: GamedRow) -> str:
    """What pays without foresight, unless that is what was told already."""
    habit = row.habit
    if habit is None or (row.windows == 1 and _is_habit(row, habit)):
        return ""
    limits = ""
    if habit.low is not None and habit.high is not None:
        surely = "" if habit.low.value > 0 else "which may be chance, "
        limits = f" ({surely}{three_digits(habit.low.value)} to {three_digits(habit.high.value)} %)"
    return (
        f"{row.name}, without foresight: {what(habit.move, habit.amount)} for every job in every window gains "
        f"{three_digits(habit.percent.value)} %{limits}; {_expense(habit.others, habit.gain)}."
    )


def _is_habit(row: GamedRow, habit: HabitRow) -> bool:
    """Whether the example is one step, the habit's."""
    step = row.steps[0]
    done = (step.move, step.amount, step.last - step.first + 1)
    return len(row.steps) == 1 and done == (habit.move, habit.amount, row.jobs)


def _proved(row: GamedRow) -> str:
    """The moves that cannot pay, and why; empty where none is proved."""
    mixed = next(move for move in row.moves if move.move == MIXTURE)
    if mixed.proved:
        return f"in these windows whatever they present, proved: {_reasons([mixed])}"
    settled = [move for move in row.moves if move.proved]
    if not settled:
        return ""
    names = _and([_DONE[move.move] for move in settled], "or")
    return f"in these windows by {names} without other moves, proved: {_reasons(settled)}"


def _reasons(moves: Iterable[MoveRow]) -> str:
    return "; ".join(dict.fromkeys(REASONS[why] for move in moves for why in move.proved or ()))


def limits(rule: Rule, rows: Sequence[GamedRow]) -> tuple[str, ...]:
    """What the search supposes, what it leaves out, and what was written nowhere."""
    found = [
        "A gain found is a lower bound of what can be gained; none found is no proof that there is none.",
        f"Gains are of true work, in the window they were found in, by somebody who knows all jobs to come; habits "
        f"({len(HABITS)} were looked at, of which the best is shown) need no such knowledge.",
        "Parts of a job are taken to run side by side where there is room, and jobs to be cut wherever one likes: what "
        "a job gains by that on an idle cluster is counted as well.",
        "Not searched: two organizations together, jobs made up, parts handed in one after the other, parts of unequal "
        "length (but by cutting parts again), another order of jobs with the same release.",
        f"In a fixed schedule {_DONE['split']} and {_DONE['merge']} change nothing and {_DONE['delay']} never pays "
        "(Skowron & Rzadca 2013, Theorem 4.1): what is gained here is gained because the rule reacts. No such theorem "
        f"holds for {_DONE['pad']}: there are schedules of true work that it improves.",
    ]
    if chooses(rule):
        found.append(
            f"{rule.label} draws lots: a gain is found under the lots of this seed, and looked at under {SEEDS} others."
        )
    if rule.own:
        found.append("A rule of one's own cannot be written into scenarios: examples have their steps only.")
    elif any(row.gain and not row.replay for row in rows):
        found.append(f"Examples of more than {LISTED_MAX:,} jobs are not written out: they have their steps only.")
    return tuple(found)
