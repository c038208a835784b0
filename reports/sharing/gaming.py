"""Who could game the rule in force: sentences and tables of the records of ``audit gaming``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from ...games.sharing.gaming import HABITS, MIXTURE, NO_ESTIMATES, REASONS
from ...support.units import duration_text, percent_text
from ...verbs.sharing.gaming import LISTED_MAX, SEEDS
from ..markup import Table
from ..sentences import some
from ..tables import cell, counted, table

DONE: Final = {
    "split": "splitting",
    "merge": "merging",
    "delay": "delaying",
    "pad": "padding",
    "flood": "array floods",
    "account": "a second account",
    "walltime": "other walltimes",
}
STEPS: Final = {
    "split": "splitting into {:,} parts",
    "merge": "joining {:,} at a time",
    "flood": "arrays of up to {:,} jobs of one machine",
    "account": "a second account (every second job, {} % of the machines)",
    "walltime": "asking for {:,} % of the walltime (no less than a job takes)",
}
"""Steps that are no delay, by an amount."""
ENDED: Final = "when all jobs have run to their end"

NONE: Final = "No search for what could be gained has begun: nobody has jobs, or the work was stopped before."


def opening(data: Mapping[str, Any]) -> list[str]:
    """Who could gain most, what pays without foresight, the first of what cannot pay, and how surely that is so."""
    rows, rule = _ranked(data), data["rule"]
    cannot = _cannot(rows)[:1]
    gaining, tried = [row for row in rows if row["gain"]], sum(row["tried"] for row in rows)
    lower = (
        f"A gain in a window is exact, the same jobs replayed, so it has no limits; it is a lower bound of what can be "
        f"gained there: {tried:,} presentations were tried, of very many, and whoever makes them knows "
        f"all jobs to come."
    )
    if not gaining:
        unproved = [row["name"] for row in rows if not _mixture(row)["proved"]]
        none = f"Under {rule} nothing that was tried by presenting jobs otherwise pays {some(unproved)}."
        return [none, *cannot, lower] if unproved else cannot
    first, *others = gaining
    who = f"Under {rule} {first['name']} could gain most by presenting its jobs otherwise"
    more = f"; so could {some([row['name'] for row in others])}, less" if others else ""
    gain = f"{who}: {_gain(first)}, by {_how(first)}{more}. {_payers(first)}{_bound(first)}"
    return [gain, _habits(rows), *cannot, lower]


def _gain(row: Mapping[str, Any]) -> str:
    gain = "something instead of nothing" if row["percent"] is None else f"{percent_text(row['percent'])} % more"
    return f"{gain} in window {row['window']}"


def _habits(rows: Sequence[Mapping[str, Any]]) -> str:
    paying = [row for row in rows if row["habit"] is not None]
    if not paying:
        return "Nothing that is done to all jobs alike in all windows, which needs no foresight, pays anybody."
    best = max(paying, key=lambda row: ((row["habit"]["low"] or 0) > 0, row["habit"]["percent"]))
    return _habit_text(best)


def _ranked(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    rows = data["organizations"]
    return sorted(rows, key=lambda row: (-math.inf if row["percent"] is None else -row["percent"], row["name"]))


def gains(data: Mapping[str, Any]) -> list[str]:
    """What each organization could gain, and what it cannot."""
    rows, left = data["organizations"], data["not_begun"]
    if not rows:
        return [NONE]
    ordered = _ranked(data)
    begun = sum(row["windows"] for row in rows)
    stopped = (
        f"Stopped when {begun:,} of {begun + left:,} searches (an organization in a window) had begun: what is said of "
        f"any or of every window is about these."
    )
    lines = [text for row in ordered for text in (_most(row), _habit(row)) if text]
    return [*([stopped] if left else []), *lines, *_cannot(ordered)]


def _cannot(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Who cannot gain by what, proved; together for whom it is the same."""
    proved: dict[str, list[str]] = {}
    for row in rows:
        if text := _proved(row):
            proved.setdefault(text, []).append(row["name"])
    return [f"{_joined(names)} cannot gain {text}." for text, names in proved.items()]


def _joined(names: Sequence[str], word: str = "and") -> str:
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last


def _mixture(row: Mapping[str, Any]) -> Mapping[str, Any]:
    mixture: Mapping[str, Any] = next(move for move in row["moves"] if move["move"] == MIXTURE)
    return mixture


def _most(row: Mapping[str, Any]) -> str:
    """The largest gain, in both measures, and at whose expense."""
    if not row["gain"]:
        if _mixture(row)["proved"]:
            return ""
        tried = f"{row['tried']:,} presentations in {counted(row['windows'], 'window')}"
        idle = f"; {percent_text(row['idle'])} % more it would also have if nobody else had jobs" if row["idle"] else ""
        return f"{row['name']}: nothing that was tried pays ({tried}{idle})."
    now = "" if row["earlier"] is None else f"{duration_text(row['earlier'])} earlier in the window and "
    earlier = f"Its work is done {now}{duration_text(row['earlier_ended'])} earlier {ENDED}, on average"
    alone = (
        f" What it would gain if nobody else had jobs, {percent_text(100 * row['alone'] / row['utility'])} % in the "
        "window, is not counted."
        if row["alone"] > 0 and row["utility"]
        else ""
    )
    text = f"{row['name']} could gain {_gain(row)}: {_how(row)}. {earlier}, {_received(row)} in the window.{alone}"
    return f"{text} {_payers(row)}{_bound(row)}{_elsewhere(row)}"


def _received(row: Mapping[str, Any]) -> str:
    more = row["received"] - row["parts"]
    if not more or not row["parts"]:
        return "with more machine time" if more else "with as much machine time"
    return f"with {percent_text(100 * abs(more) / row['parts'])} % {'more' if more > 0 else 'less'} machine time"


def _payers(row: Mapping[str, Any]) -> str:
    """Who pays most for the largest gain, and who pays too: in the end, else in the window."""
    payers = row["payers"]
    for key, other in (("later_ended", "later"), ("later", "later_ended")):
        paying = sorted((each for each in payers if (each[key] or 0) > 0), key=lambda each: -each[key])
        if paying:
            first, *others = paying
            where = {"later_ended": ENDED, "later": "in the window"}
            also = f"{_later(first[other])} {where[other]}"
            too = (
                f"; {some([each['name'] for each in others])} {'pays' if len(others) == 1 else 'pay'} less"
                if others
                else ""
            )
            who = "pays most" if others else "pays"
            return (
                f"{first['name']} {who}: a second of its work is done {_later(first[key])} {where[key]}, {also}{too}."
            )
    gaining = [each["name"] for each in payers if (each["later_ended"] or 0) < 0 or (each["later"] or 0) < 0]
    return "Nobody else pays" + (
        f"; {some(gaining)} {'gains' if len(gaining) == 1 else 'gain'} by it." if gaining else "."
    )


def _later(seconds: float | None) -> str:
    """A delay, of whichever sign.

    >>> _later(60.0), _later(-60.0), _later(0.0), _later(None)
    ('1 min later', '1 min earlier', 'as early', 'not at all')
    """
    if not seconds:
        return "not at all" if seconds is None else "as early"
    return f"{duration_text(abs(seconds))} {'later' if seconds > 0 else 'earlier'}"


def _bound(row: Mapping[str, Any]) -> str:
    most = _mixture(row)["at_most"]
    if most is None:
        return " What nobody can exceed is not known in per cent: in a window it has nothing as its jobs are."
    return f" More than {above(most)} % no presentation can gain in any window."


def above(value: float) -> str:
    """Three digits, of a bound: never less than it.

    >>> above(335.2), above(12.31), above(0.0)
    ('336', '12.4', '0')
    """
    if not value:
        return "0"
    unit = 10.0 ** (math.floor(math.log10(value)) - 2)
    return f"{math.ceil(value / unit) * unit:.3g}" if value < 1000 else f"{math.ceil(value):,}"


def _elsewhere(row: Mapping[str, Any]) -> str:
    if "elsewhere" not in row:
        return ""
    text = f" The rule draws lots: by other lots the same gains {percent_text(row['elsewhere'])} %"
    if "elsewhere_low" in row and "elsewhere_high" in row:
        text += f" on average ({percent_text(row['elsewhere_low'])} to {percent_text(row['elsewhere_high'])})"
    return text + "."


def _how(row: Mapping[str, Any]) -> str:
    first, *others = row["steps"]
    all_jobs = first["last"] - first["first"] + 1 == row["jobs"] - (row["held"] or 0) > 1
    since = " that come in the window" if row["held"] else ""
    which = f"all {row['jobs'] - (row['held'] or 0):,} jobs{since}" if all_jobs else _range(first)
    more = f", and {counted(len(others), 'more step')}" if others else ""
    return f"{step(first['move'], first['amount'])} for {which}{more}"


def _range(step: Mapping[str, Any]) -> str:
    if step["first"] == step["last"]:
        return f"job {step['first']:,}"
    return f"jobs {step['first']:,} to {step['last']:,}"


def step(move: str, amount: int) -> str:
    """A step in words, without its jobs.

    >>> step("split", 4), step("delay", 600)
    ('splitting into 4 parts', 'delaying by 10 min')
    """
    return STEPS[move].format(amount) if move in STEPS else f"{DONE[move]} by {duration_text(amount)}"


def _habit(row: Mapping[str, Any]) -> str:
    """What pays without foresight, unless the example is the same."""
    habit = row["habit"]
    return "" if habit is None or (row["windows"] == 1 and _is_habit(row, habit)) else _habit_text(row)


def _habit_text(row: Mapping[str, Any]) -> str:
    habit, limits = row["habit"], " (one window, so no limits)"
    if habit["low"] is not None and habit["high"] is not None:
        surely = "" if habit["low"] > 0 else "which may be chance, "
        limits = f" ({surely}{percent_text(habit['low'])} to {percent_text(habit['high'])} %)"
    return (
        f"{row['name']}, without foresight: {step(habit['move'], habit['amount'])} for every job in every window gains "
        f"{percent_text(habit['percent'])} %{limits}; {_expense(habit['others'], habit['others_ended'])}."
    )


def _expense(now: int, ended: int) -> str:
    """What everybody else has by a habit, in the window and in the end."""
    now_text, ended_text = ("lose" if gain < 0 else "gain" if gain else "have no less" for gain in (now, ended))
    if now_text == ended_text:
        return f"the others together {now_text} by it, in the window and {ENDED}"
    return f"the others together {now_text} by it in the window and {ended_text} {ENDED}"


def _is_habit(row: Mapping[str, Any], habit: Mapping[str, Any]) -> bool:
    if len(row["steps"]) != 1:
        return False
    (only,) = row["steps"]
    same = (only["move"], only["amount"]) == (habit["move"], habit["amount"])
    return same and only["last"] - only["first"] + 1 == row["jobs"] - (row["held"] or 0)


def _proved(row: Mapping[str, Any]) -> str:
    """The moves that cannot pay, and why; empty where none is proved."""
    mixture = _mixture(row)
    if mixture["proved"]:
        return f"in these windows whatever they present, proved: {_reasons([mixture])}"
    moves = [move for move in row["moves"] if move["proved"] and move["proved"] != [NO_ESTIMATES]]
    if not moves:
        return ""
    names = _joined([DONE[move["move"]] for move in moves], "or")
    return f"in these windows by {names} without other moves, proved: {_reasons(moves)}"


def _reasons(moves: Iterable[Mapping[str, Any]]) -> str:
    return "; ".join(dict.fromkeys(REASONS[reason] for move in moves for reason in move["proved"] or ()))


def limits(data: Mapping[str, Any]) -> list[str]:
    """What the search supposes, what it leaves out, and what was written nowhere."""
    lines = [
        "A gain found is a lower bound of what can be gained; none found is no proof that there is none.",
        f"Gains are of true work, in the window they were found in, by somebody who knows all jobs to come; habits "
        f"({len(HABITS)} were looked at, of which the best is shown) need no such knowledge.",
        "Jobs that ran or waited when a window opened are presented as they are.",
        "Not searched: two organizations together, a third account, jobs made up, parts handed in one after the other, "
        "parts of unequal length (but by cutting parts again), another order of jobs with the same release.",
        f"In a fixed schedule {DONE['split']} and {DONE['merge']} change nothing and {DONE['delay']} never pays "
        "(Skowron & Rzadca 2013, Theorem 4.1): what is gained here is gained because the rule reacts. No such theorem "
        f"holds for {DONE['pad']}: there are schedules of true work that it improves.",
    ]
    if data["rule"] in (data.get("parallel_jobs") or {}).get("copies", ()):
        lines.append(
            f"{data['rule']} runs a parallel job as copies of one machine each, and each copy is searched as a job: a "
            f"second account or a delay of some copies of a job is nothing that a user can do. With parallel=rigid or "
            f"parallel=easy jobs stay whole."
        )
    if any((row["earlier"] or 0) > data["plan"]["duration"] for row in data["organizations"]):
        lines.append(
            "Earlier in the window is for each second of work that is done there as the jobs are: where that is little "
            "and the presentation gets more done, it may be longer than the window."
        )
    if data["random"]:
        lots = f"a gain is found under the lots of this seed, and looked at under {SEEDS} others"
        lines.append(f"{data['rule']} draws lots: {lots}.")
    if data["custom"]:
        lines.append("A custom rule cannot be written into scenarios: examples have their steps only.")
    elif any(row["gain"] and not row["replay"] for row in data["organizations"]):
        lines.append(
            f"Examples of more than {LISTED_MAX:,} jobs, and where a rule asks since when those wait that waited at "
            "the opening, are not written out: they have their steps only."
        )
    if any(not move["searched"] for row in data["organizations"] for move in row["moves"]):
        lines.append(f"{data['rule']} takes no organization more: a second account was not searched.")
    if all(NO_ESTIMATES in (move["proved"] or ()) for row in data["organizations"] for move in row["moves"][-2:-1]):
        lines.append(f"Other walltimes change nothing: {REASONS[NO_ESTIMATES]}.")
    return lines


# --- tables ---------------------------------------------------------------------------------------------------------


def tables(data: Mapping[str, Any]) -> list[Table]:
    """One row per organization, largest gains by move; then the same in words, and what was left out."""
    rows = [_row(row) for row in data["organizations"]]
    note = (
        "largest gain found in one window, per cent of what the organization has there as its jobs are; 0 (proved): no "
        "such presentation can pay; at most: no presentation gains more in any window; idle: the most that would be "
        "gained alone as well, which is not counted; earlier: a second of its work, in the window and in the end"
    )
    words = (("what could be gained", gains(data)), ("what this supposes and leaves out", limits(data)))
    listed = [table(f"who could game {data['rule']}", rows, list(rows[0]), note)] if rows else []
    paid = [
        {
            "gain of": row["name"],
            "paid by": each["name"],
            "later in the window": cell(each["later"], "duration"),
            "in the end": cell(each["later_ended"], "duration"),
        }
        for row in data["organizations"]
        for each in row["payers"]
    ]
    listed += [table("who pays for the largest gains", paid, list(paid[0]))] if paid else []
    return [*listed, *(Table(head, (), tuple((line,) for line in lines)) for head, lines in words)]


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    most = _mixture(row)["at_most"]
    return {
        "organization": row["name"],
        **{move["move"]: _percent(move) for move in row["moves"] if NO_ESTIMATES not in (move["proved"] or ())},
        "at most": "-" if most is None else f"{above(most)} %",
        "idle": "-" if row["idle"] is None else f"{percent_text(row['idle'])} %",
        "window": "-" if row["window"] is None else row["window"],
        "earlier": cell(row["earlier"], "duration"),
        "in the end": cell(row["earlier_ended"], "duration"),
    }


def _percent(move: Mapping[str, Any]) -> str:
    if move["proved"] is not None or not move["searched"]:
        return "0 (proved)" if move["searched"] else "-"
    return "from nothing" if move["percent"] is None else f"{percent_text(move['percent'])} %"
