"""A nightly audit as a mail has it: at most fifteen lines of at most a hundred columns, without the tables."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap
from typing import Any, Final

from ...support.units import duration_text
from ..markup import Table
from ..tables import counted
from . import verdict

LINES: Final = 7
"""So many lines are left for the answer."""
COLUMNS: Final = 98
"""And two before each line."""
MEANING: Final = "Lost, gained: by how much later, earlier work is done than in the fair schedule, on average."
NAMED: Final = 3
"""So many organizations are named."""


def nightly(data: Mapping[str, Any]) -> Table:
    """The answer and its reasons, who loses most, what the last day changed, and what may still change."""
    answer = [line for sentence in verdict.verdict(data) for line in wrap(sentence, COLUMNS)]
    if len(answer) > LINES:
        answer = [*answer[: LINES - 1], f"{answer[LINES - 1][: COLUMNS - 4]} ..."]
    windows, plan = data["windows"], data["plan"]
    unsure = sum(bool(row.get("provisional")) for row in windows)
    change = f"{unsure:,} of {len(windows):,} windows may still change. " if unsure else ""
    remainder = f"{change}All tables: --consecutive in the place of --profile {plan['profile']}."
    heading = f"{data['log']['name']}, {plan.get('part') or counted(len(windows), 'window')}"
    lines = [*answer, *_who(data), *_last(data), MEANING, remainder]
    return Table(heading[:COLUMNS], (), tuple((line[:COLUMNS],) for line in lines))


def _who(data: Mapping[str, Any]) -> list[str]:
    loss = {row["name"]: row["loss"] for row in data["organizations"] if row["rule"] == data["rule"]}
    rows = sorted((row for row in data["waits"] if loss[row["name"]] is not None), key=lambda row: -loss[row["name"]])
    lines = []
    for row in rows[:NAMED]:
        mine, fair = ("-" if row[key] is None else duration_text(row[key]) for key in ("wait", "fair_wait"))
        value = loss[row["name"]]
        what = f"{duration_text(abs(value))} {'lost to' if value >= 0 else 'gained from'} others"
        waited = f"; {counted(row['jobs'], 'job')} waited {mine} on average (fair: {fair})" if row["jobs"] else ""
        lines.append(f"{row['name']}: {what}{waited}")
    return lines


def _last(data: Mapping[str, Any]) -> list[str]:
    before = data.get("before")
    if before is None:
        return []
    until = {row.get("opens") or str(row["start"]): row["to_others"][data["rule"]] for row in data["windows"][-2:]}
    (earlier, then), (opens, now) = until.items()
    answer = verdict.ANSWERS[before["answer"]].lower()
    loser = "" if before["loser"] is None else f", {before['loser']} loses most"
    return wrap(
        f"Lost to or gained from others from {opens.removesuffix(' 00:00:00')} on: {duration_text(now)}; from "
        f"{earlier.removesuffix(' 00:00:00')} on: {duration_text(then)}. Without the last window: {answer}{loser}.",
        COLUMNS,
    )[:2]
