"""Whether the cluster is shared fairly, and why: the first sentences of an audit, waits, and a nightly audit's mail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any, Final

from ...support.units import duration_text
from ..markup import Table
from ..sentences import percent
from ..tables import cell, counted, table
from .explanation import limited

NOTICED: Final = 60
"""Seconds that all lose together, from which on that is said: less may be how a queue rounds."""
MANY: Final = 1_000_000
"""Windows of which nobody would measure more."""
WAITED: Final = {
    "jobs": ("jobs", ","),
    "wait at the end": ("still", ","),
    "mean wait": ("wait", "duration"),
    "median": ("wait_median", "duration"),
    "95 %": ("wait_high", "duration"),
}
SLOWED: Final = {
    "mean slowdown": ("slowdown", ".3g"),
    "median": ("slowdown_median", ".3g"),
    "95 %": ("slowdown_high", ".3g"),
    "share of machines": ("share", "share"),
    "of use": ("usage", "share"),
}
"""Columns of the two tables of waits: the field of each, and its format."""
ANSWERS: Final = {"fair": "Fair", "unfair": "Not fair", "open": "It cannot be told whether this is fair"}


def verdict(data: Mapping[str, Any]) -> list[str]:
    """The answer with its first reason, the others, and how busy the cluster was; nothing without windows."""
    row = data["fairness"]
    if row is None:
        return []
    how = "as the cluster was run" if data["rule"] == "recorded" else f"under {data['rule']} as it is replayed"
    organizations = {each["name"]: each for each in data["organizations"] if each["rule"] == data["rule"]}
    tenth = row["wait"] is not None and row["tolerance"] > 60
    meaning = "a tenth of what new jobs wait on average" if tenth else "below which nobody would notice"
    matters = f"{duration_text(row['tolerance'])}, {meaning}"
    opening, held = f"{ANSWERS[row['answer']]}, {how}: ", row.get("held")
    text, *also = [f"{_loser(row, organizations)}"]
    if held is not None:
        also = [_held(data, row, organizations[held], matters)]
        if not row.get("wronged"):  # what decides comes first
            text, *also = also
    elif row["loser"] is None:
        text += "" if row["matter"] else f". {_more(row, data)}"
    elif row["answer"] == "fair":
        text += f"; surely nobody loses more than {matters}"
    elif row["answer"] == "open":
        text += f"; fair would be up to {matters}" + ("" if "forgiven" in row else f". {_more(row, data)}")
    if row["answer"] == "unfair" and row.get("wronged"):
        text += f", more than {matters}"
    lines = [f"{each[0].upper()}{each[1:]}." for each in (opening + text, *also, *_forgiven(row, data))]
    return [*lines, *_others(data, row, organizations), *_busy(row)]


def _forgiven(row: Mapping[str, Any], data: Mapping[str, Any]) -> list[str]:
    """That windows leave most of somebody's waiting out, and how long they should be."""
    if "forgiven" not in row:
        return []
    left = "more may be lost" if row["answer"] == "unfair" else "most is not looked at, so that fair cannot be told"
    text = (
        f"Of what the jobs of {row['forgiven']} waited, {percent(row['forgiven_part'])} lies before their windows "
        f"opened, where nobody loses it: {left}"
    )
    if row.get("longer") is None:
        return [text]
    whole = "" if data["plan"]["start"] is None else " of a longer part of the log"
    return [f"{text}; take longer windows{whole} (--duration {row['longer'] // 86_400}d)"]


def _loser(row: Mapping[str, Any], organizations: Mapping[str, Mapping[str, Any]]) -> str:
    if row["loser"] is None:
        return "nobody loses anything to others" if row["matter"] else "nobody has any work"
    loser = organizations[row["loser"]]
    lost = limited(loser["loss"], loser["loss_low"], loser["loss_high"])
    much = "at least " * (row.get("forgiven") == row["loser"]) + duration_text(loser["loss"])
    return f"{row['loser']} loses most to others, {much}{lost}"


def _held(data: Mapping[str, Any], row: Mapping[str, Any], held: Mapping[str, Any], matters: str) -> str:
    """Who is later than fair although nobody gains as much, and by what that may be."""
    delay = limited(held["delay"], held["delay_low"], held["delay_high"])
    text = (
        f"the work of {row['held']} was done {duration_text(held['delay'])} later than fair{delay}, more than {matters}"
    )
    one, gained = (
        len(data["windows"]) == 1,
        "nobody gains it" if row["gainer"] is None else "others gain less than that",
    )
    if row["answer"] == "open" and not one:
        if data.get("parallel_jobs") is not None:
            return f"{text}, and {gained}: parallel jobs may wait for all their machines, or a limit holds it"
        return f"{text}; whether all wait like that these windows cannot tell. {_more(row, data)}"
    text += f", and {gained}"
    causes = ["parallel jobs that wait for all their machines"] * (data.get("parallel_jobs") is not None)
    causes += ["a limit on it, a partition, a reservation"] * (data["rule"] == "recorded")
    text += f": its jobs wait while machines are idle ({', '.join(causes)})" * bool(causes)
    return text + f". {_more(row, data)}" * one


def _more(row: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    """How many windows would tell, and that the log does not hold so many."""
    windows, disjoint = row["windows"], row.get("disjoint")
    looked_at = row.get("independent") or len(data["windows"])
    if windows is not None and looked_at < windows <= MANY:
        if disjoint is not None and {"part", "consecutive"} <= data["plan"].keys():
            return (
                f"These {looked_at:,} windows are all of the part asked for, and what was lost there is measured; "
                f"about {windows:,} like them would tell whether it is more than chance"
            )
        text = f"About {windows:,} windows would tell, if others scatter like these"
        what = "the part looked at" if "part" in data["plan"] else "the log"
        return text if disjoint is None else f"{text}; {what} holds {disjoint:,} without overlap: take a longer one"
    if looked_at == 1:
        return "One window says nothing of others"
    return "More windows may tell"


def _others(
    data: Mapping[str, Any], row: Mapping[str, Any], organizations: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    """Who gains, and what all lose together."""
    lines, common = [], next((each["values"]["common"] for each in data["rows"] if each["rule"] == data["rule"]), None)
    if row["gainer"] is not None:
        gainer = organizations[row["gainer"]]
        low, high = (None if (x := gainer[f"loss_{end}"]) is None else -x for end in ("high", "low"))
        gained = f"{duration_text(-gainer['loss'])}{limited(-gainer['loss'], low, high)}"
        lines.append(f"Who gains most from others is {row['gainer']}, {gained}.")
    if common is not None and abs(common) >= NOTICED and row.get("held") is None:
        word = "lose" if common > 0 else "gain"
        lines.append(
            f"All together {word} {duration_text(abs(common))}, which is nobody's doing to another: "
            f"{_together(data, common)}."
        )
    return [" ".join(lines)] if lines else []


def _together(data: Mapping[str, Any], common: float) -> str:
    if common < 0:
        return "more machines than are replayed, or fewer gaps between jobs"
    if data.get("parallel_jobs") is not None:
        return "parallel jobs that wait for all their machines, gaps, reservations"
    return "limits, partitions, reservations" if data["rule"] == "recorded" else "a worse packing"


def _busy(row: Mapping[str, Any]) -> list[str]:
    if row["replayed"] is None:
        return []
    replayed = f"the machines are busy for {percent(row['replayed'])} of the time in the fair schedule"
    if row["busy"] is None:
        return [f"{replayed[0].upper()}{replayed[1:]}; how busy the cluster was is not known."]
    return [f"The cluster was busy for {percent(row['busy'])} of the time in these windows; {replayed}."]


def waits(data: Mapping[str, Any]) -> list[Table]:
    """How long jobs waited beside the fair schedule, and what everybody used."""
    if not data["waits"]:
        return []
    what = "on the cluster" if data["rule"] == "recorded" else f"under {data['rule']}"
    note = (
        "jobs submitted in a window or waiting when it opened, from their submission until they run on all their "
        "machines, or to the end of the window; beside each what the fair schedule gives"
    )
    slow = "bounded slowdown: waiting and run time over the run time, of at least 10 s; use: of the machine time used"
    return [
        _beside_fair(f"how long jobs waited {what}", data["waits"], WAITED, note),
        _beside_fair(f"slowdown and use {what}", data["waits"], SLOWED, slow),
    ]


def _beside_fair(
    heading: str, rows: Sequence[Mapping[str, Any]], columns: Mapping[str, tuple[str, str]], note: str
) -> Table:
    """Fields of every organization, each with what the fair schedule gives, where that says it, in a column beside."""
    lines = []
    for row in rows:
        line = {"organization": row["name"]}
        for place, (name, (key, format)) in enumerate(columns.items()):
            line[name] = cell(row[key], format)
            if f"fair_{key}" in row:
                line["fair" + " " * place] = cell(row[f"fair_{key}"], format)  # headings are told apart by blanks
        lines.append(line)
    return table(heading, lines, list(lines[0]), note)


# --- nightly, as a mail has it: at most fifteen lines of at most a hundred columns, without the tables ----------------

LINES: Final = 7
"""So many lines are left for the answer."""
COLUMNS: Final = 98
"""And two before each line."""
MEANING: Final = "Lost, gained: by how much later, earlier work is done than in the fair schedule, on average."
NAMED: Final = 3
"""So many organizations are named."""


def nightly(data: Mapping[str, Any]) -> Table:
    """The answer and its reasons, who loses most, what the last day changed, and what may still change."""
    answer = [line for sentence in verdict(data) for line in wrap(sentence, COLUMNS)]
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
    answer = ANSWERS[before["answer"]].lower()
    loser = "" if before["loser"] is None else f", {before['loser']} loses most"
    return wrap(
        f"Lost to or gained from others from {opens.removesuffix(' 00:00:00')} on: {duration_text(now)}; from "
        f"{earlier.removesuffix(' 00:00:00')} on: {duration_text(then)}. Without the last window: {answer}{loser}.",
        COLUMNS,
    )[:2]
