"""What if the cluster changed to another rule: whose work would be done earlier, whose later, and is it fairer?

Both rules ran on the same windows, so what counts are the differences window by window, each with Student's interval of
95 per cent. Users are taken to submit the same jobs at the same moments whatever the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from ...mechanisms.registry import rules as names_of_rules
from ...scenarios.scenario import Scenario
from ...scheduling.intervals import Interval, mean, needed, ratio
from ...support.errors import InputError, unknown_name
from ...support.units import duration_text
from ..records import Row, Statistic
from .results import WindowResult
from .rules import Rule, is_recorded, rules_of
from .telling import enough, ranged

OWN: Final = "own"
"""Label of a rule that is an object."""
NAMED: Final = 8
"""Most organizations that one sentence names."""


@dataclass(frozen=True, kw_only=True)
class SwitchedRow(Row):
    """What the other rule changes for one organization.

    Attributes
    ----------
    change, change_low, change_high
        Seconds by which a second of its work would be done later than under the rule in force (negative: earlier), on
        average: the difference of the two delays against REF, so per second of its work that REF does. ``None`` where
        REF does none. With Student's limits of 95 per cent over the windows.
    verdict
        ``"wins"`` and ``"loses"`` where the limits leave 0 out; ``"same"`` where it has the same utility in every
        window; else ``"open"``.
    windows
        How many windows would tell, if others scatter like these; ``None`` where nothing says it.
    """

    name: str
    change: Statistic | None
    change_low: Statistic | None
    change_high: Statistic | None
    verdict: Literal["wins", "loses", "same", "open"]
    windows: int | None


@dataclass(frozen=True, kw_only=True)
class SwitchRow(Row):
    """The other rule beside the rule in force.

    Attributes
    ----------
    rule
        The other rule, by its label.
    unfairness, unfairness_low, unfairness_high
        Its mean unfairness less that of the rule in force (negative: fairer), with Student's limits of 95 per cent.
    organizations
        In the order of the log's.
    explanation
        All that in sentences.
    """

    rule: str
    unfairness: Statistic
    unfairness_low: Statistic | None
    unfairness_high: Statistic | None
    organizations: tuple[SwitchedRow, ...]
    explanation: tuple[str, ...]


def label_of(wanted: Any) -> str:
    """How records name the other rule."""
    return wanted if isinstance(wanted, str) else OWN


def with_other(found: tuple[Rule, ...], scenario: Scenario, in_force: str, wanted: Any) -> tuple[Rule, ...]:
    """The rules to run, the other one among them: a label of theirs, a rule by name, or an object of one's own.

    Raises InputError for the rule in force and for what is no rule; UnknownNameError for names.
    """
    label, labels = label_of(wanted), {rule.label: rule.rule for rule in found}
    if is_recorded(wanted) or (isinstance(wanted, str) and is_recorded(labels.get(label))):
        raise InputError(f"switch_to: {label!r} is what the cluster did, to which nobody can change; expected a rule")
    if is_recorded(labels[in_force]):
        raise InputError(
            f"switch_to: the rule in force is {in_force!r}, what the cluster did, with jobs of before and reservations "
            f"that a replay does not have; expected a --rule to compare with"
        )
    if label == in_force:
        raise InputError(f"switch_to: {label!r} is the rule in force; expected another, or another --rule")
    if isinstance(wanted, str):
        if label in labels:
            return found
        name = label.partition(":")[0]
        if name not in names_of_rules("sharing"):
            raise unknown_name("switch_to", name, dict.fromkeys((*names_of_rules("sharing"), *labels)))
    elif label in labels:
        raise InputError(f"switch_to: another of the rules is called {label!r}; expected its name, or no such rule")
    return (*found, *rules_of(scenario, {label: wanted}))


def switched(results: Sequence[WindowResult], in_force: str, other: str) -> SwitchRow | None:
    """What the other rule changes in these windows, both by their labels; ``None`` where none was finished."""
    if not results:
        return None
    before, after = ([result.of(label) for result in results] for label in (in_force, other))
    apart = [float(b.unfairness - a.unfairness) for a, b in zip(before, after, strict=True)]
    unfairness = mean(apart)
    rows = []
    for u, name in enumerate(results[0].names):
        late = [float(a.utility[u] - b.utility[u]) for a, b in zip(before, after, strict=True)]
        rows.append(_row(name, late, [result.fair_parts[u] for result in results]))
    means = [sum(float(r.unfairness) for r in found) / len(results) for found in (before, after)]
    return SwitchRow(
        rule=other,
        unfairness=Statistic(unfairness.value),
        unfairness_low=_statistic(unfairness.low),
        unfairness_high=_statistic(unfairness.high),
        organizations=tuple(rows),
        explanation=(
            *_gains(rows, len(results), in_force, other),
            *_fairer(means, unfairness, len(results), needed(apart), in_force, other),
        ),
    )


def _row(name: str, late: Sequence[float], parts: Sequence[int]) -> SwitchedRow:
    """``late``: utility lost in every window; ``parts``: seconds of work that REF does there."""
    change = ratio(late, parts) if any(parts) else None
    verdict: Literal["wins", "loses", "same", "open"] = "open"
    if not any(late):
        verdict = "same"
    elif change is not None and change.tells:
        verdict = "wins" if change.value < 0 else "loses"
    return SwitchedRow(
        name=name,
        change=_statistic(change and change.value),
        change_low=_statistic(change and change.low),
        change_high=_statistic(change and change.high),
        verdict=verdict,
        windows=needed(late, parts),
    )


def _statistic(value: float | None) -> Statistic | None:
    return None if value is None else Statistic(value)


def _gains(rows: Sequence[SwitchedRow], n: int, in_force: str, other: str) -> list[str]:
    """Who wins, who loses, of whom these windows cannot tell, and for whom nothing changes; the largest first."""
    if all(row.verdict == "same" for row in rows):
        return [f"Nobody wins or loses by {other} in {_these(n)}: everybody gets the same as under {in_force}."]
    found = []
    for verdict, begin in (("wins", "Wins"), ("loses", "Loses")):
        if chosen := [row for row in rows if row.verdict == verdict]:
            when = "earlier" if verdict == "wins" else "later"
            found.append(f"{begin} by {other}, work done {when} than under {in_force}: {_listed(chosen, _surely)}.")
    if chosen := [row for row in rows if row.verdict == "open"]:
        if n == 1:
            begin = f"In this window, which says nothing of others, work is done at other moments than under {in_force}"
            found.append(f"{begin}: {_listed(chosen, _moved)}.")
        else:
            begin = f"These {n:,} windows cannot tell who wins or loses by {other}"
            found.append(f"{begin}: {_listed(chosen, _maybe)}.")
    if chosen := [row for row in rows if row.verdict == "same"]:
        found.append(f"Nothing changes in {_these(n)} for {_listed(chosen, lambda row: row.name)}.")
    return found


def _listed(rows: Iterable[SwitchedRow], say: Callable[[SwitchedRow], str]) -> str:
    """So many as one reads, whom it changes most first."""
    ordered = sorted(rows, key=lambda row: -abs(row.change.value) if row.change else 0)
    rest = len(ordered) - NAMED
    return ", ".join(map(say, ordered[:NAMED])) + (f" and {rest:,} more" if rest > 0 else "")


def _interval(row: SwitchedRow) -> Interval:
    low, high = row.change_low, row.change_high
    change = row.change.value if row.change else 0.0
    return Interval(change, None if low is None else low.value, None if high is None else high.value)


def _surely(row: SwitchedRow) -> str:
    return f"{row.name} (by {ranged(_interval(row))})"


def _moved(row: SwitchedRow) -> str:
    if row.change is None:
        return f"{row.name} (fair would do none of its work)"
    when = "earlier" if row.change.value < 0 else "later"
    return f"{row.name} ({duration_text(abs(row.change.value))} {when})"


def _maybe(row: SwitchedRow) -> str:
    """The limits as they stand, and how many windows would tell."""
    change = _interval(row)
    if change.low is None or change.high is None:
        return f"{row.name} (no two windows say anything of it)"
    limits = f"{duration_text(change.low)} to {duration_text(change.high)} later"
    return f"{row.name} ({limits}; {enough(row.windows)})"


def _these(n: int) -> str:
    return "this window" if n == 1 else f"these {n:,} windows"


def _fairer(
    means: Sequence[float], apart: Interval, n: int, windows: int | None, in_force: str, other: str
) -> list[str]:
    """Which of the two is fairer, where windows tell."""
    if not any(means):
        return []
    before, after = map(duration_text, means)
    told = f"unfairness is {after} under {other} and {before} under {in_force}"
    if apart.low is None or apart.high is None:
        return [f"In {_these(n)} {told}."]
    if apart.tells:
        word = "fairer" if apart.value < 0 else "less fair"
        return [f"{other} is {word}: {told}, {'less' if apart.value < 0 else 'more'} by {ranged(apart)}."]
    limits = f"{duration_text(apart.low)} to {duration_text(apart.high)} more"
    return [f"Which is fairer these windows cannot tell: {told} ({limits}; {enough(windows)})."]
