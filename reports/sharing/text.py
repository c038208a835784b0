"""What records of kind ``sharing`` and audits of logs say, in sentences made from their fields."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from ...support.status import Status
from ...support.units import duration_text, percent_text
from ...verbs.sharing.options import NIGHTLY
from ...verbs.sharing.plan import load_text
from ..sentences import Sentence, amount, compared, ends, size, some, status_of, unfinished
from ..tables import counted
from . import verdict as answer
from .explanation import apart, explanation
from .gaming import NONE, opening

__all__ = ["audit", "audit_gaming", "audit_switch", "audit_trend", "compare", "run", "verify"]

compare = compared


def run(data: Mapping[str, Any]) -> list[Sentence]:
    """How much was done, how far that is from fair, and who gets more or less than it contributes."""
    sentences = [
        Sentence(f"At {data['until']:,} the utilities of all organizations add up to {amount(data['value'])}.")
    ]
    if data["utilization"] is not None:
        sentences.append(Sentence(f"The machines were busy for {amount(data['utilization'])} of the time."))
    if data["reference"] is not None and data["delta"] is not None:
        if str(data["delta"]) == "0":
            sentences.append(Sentence(f"Everybody has exactly the fair utility (that of {data['reference']})."))
        else:
            text = f"The utilities are {amount(data['delta'])} away from the fair ones (those of {data['reference']})"
            if data["unfairness"] is not None:
                text += f", an unfairness of {amount(data['unfairness'])} per unit of work"
            sentences.append(Sentence(f"{text}."))
    sentences += _shares(data["organizations"])
    if data.get("seed") is not None:
        sentences.append(Sentence(f"The rule's random choices were drawn with seed {data['seed']}."))
    return [*unfinished(data), *sentences]


def _shares(rows: Sequence[Mapping[str, Any]]) -> list[Sentence]:
    contributing = [row for row in rows if row["contribution"] is not None]
    more = [row["name"] for row in contributing if size(row["utility"]) > size(row["contribution"])]
    less = [row["name"] for row in contributing if size(row["utility"]) < size(row["contribution"])]
    parts = []
    for word, names in (("more", more), ("less", less)):
        if names:
            parts.append(f"{some(names)} received {word} than {'it' if len(names) == 1 else 'they'} contributed")
    if contributing and not parts:
        return [Sentence("Everybody received exactly what it contributed.")]
    return [Sentence(f"{'; '.join(parts)}.")] if parts else []


def verify(data: Mapping[str, Any]) -> list[Sentence]:
    """Whether a manipulation pays, and the axioms of the utility."""
    sentences, tried = [*unfinished(data)], data["manipulation"]
    if tried is not None:
        status = status_of(tried["holds"], data["complete"], witness=tried["witness"])
        moves = counted(tried["cases"], "move")
        if tried["holds"]:
            text = f"No move that was tried ({moves}) pays an organization"
        else:
            gain = f"{tried['organization']} gains {amount(tried['max_gain'])}"
            text = f"A move pays: {gain} by the best of {moves} tried{_move(tried['witness'])}"
        sentences.append(Sentence(f"{text}.", status))
    for name, axiom in data["axioms"].items():
        about, cases = f"the axiom of {name.replace('_', ' ')}", counted(axiom["cases"], "case")
        if axiom["holds"]:
            text = f"The utility {data['utility']} keeps {about} in all small cases tried ({cases})"
            sentences.append(Sentence(f"{text}.", Status.PROVED))
        else:
            sentences.append(Sentence(f"The utility {data['utility']} breaks {about}: {case(axiom)}.", Status.REFUTED))
    return sentences


def _move(witness: Mapping[str, Any] | None) -> str:
    if not witness:
        return ""
    utilities = f"{amount(witness['utility_as_is'])} to {amount(witness['utility_with_move'])}"
    return f" ({witness['move']} job {witness['job']}: its utility goes from {utilities})"


def case(axiom: Mapping[str, Any]) -> str:
    """A counterexample to an axiom in one line; empty where it holds."""
    cells = example(axiom)
    if cells["moment"] is None:
        return ""
    return f"at {cells['moment']}: {cells['schedules']} are worth {cells['values']}"


def example(axiom: Mapping[str, Any]) -> dict[str, Any]:
    """A counterexample to an axiom in cells; ``None`` where it holds."""
    counterexample = axiom["counterexample"]
    if counterexample is None:
        return {"moment": None, "schedules": None, "values": None}
    schedules = [
        " + ".join(f"({s}, {p})" for s, p in schedule) or "nothing" for schedule in counterexample["schedules"]
    ]
    values = "; ".join(str(value) for value in counterexample["values"])
    return {"moment": counterexample["moment"], "schedules": "; ".join(schedules), "values": values}


# --- audits ---------------------------------------------------------------------------------------------------------

MEANING: Final = (
    "Lost and gained is time: how much later, or earlier, than in the fair schedule work is done, on average over all "
    "machine time of an organization; the fair schedule (ref) gives everybody what its machines and jobs add to the "
    "pool (Shapley value)."
)
MANY_ORGANIZATIONS: Final = 8
"""Most organizations that one sentence names."""


def audit(data: Mapping[str, Any]) -> list[Sentence]:
    """What was replayed, which rule is nearest to fair, and what the cluster's own does to whom."""
    if not data["windows"]:
        return _nothing_replayed(data)
    if data["plan"].get("profile") == NIGHTLY:
        return unfinished(data)
    first, *others = comparison(data) or [""]
    lines = filter(None, (first, *explanation(data), *others))
    return [
        *unfinished(data),
        *map(Sentence, answer.verdict(data)),
        _replayed(data),
        Sentence(" ".join([*_nearest(data), MEANING])),
        *map(Sentence, lines),
    ]


def audit_switch(data: Mapping[str, Any]) -> list[Sentence]:
    """Who would win, who would lose, and whether it is fairer, for each other rule."""
    if not data["windows"]:
        return _nothing_replayed(data)
    lines = [Sentence(line) for row in data["differences"] for line in switched(data, row)]
    return [*unfinished(data), _replayed(data), *lines]


def audit_gaming(data: Mapping[str, Any]) -> list[Sentence]:
    """What was searched, who could gain most by presenting its jobs otherwise, and what nobody can gain."""
    if not data["organizations"]:
        return [*unfinished(data), Sentence(NONE)]
    return [*unfinished(data), _replayed(data, "searched"), *map(Sentence, opening(data))]


def _nothing_replayed(data: Mapping[str, Any]) -> list[Sentence]:
    return [*unfinished(data), Sentence("No window of the log was replayed.", Status.STOPPED)]


def _replayed(data: Mapping[str, Any], done: str = "replayed") -> Sentence:
    """Which windows were replayed, and that the answer is about these."""
    windows, plan = data["windows"], data["plan"]
    count = windows if isinstance(windows, int) else len(windows)
    one = plan["start"] is not None
    chosen = (
        f"from {plan['start']:,} s on" if one else "the part asked for" if whole_part(plan) else _CHOSEN[_way(plan)]
    )
    replayed = f"{counted(count, 'window')} of {plan['duration']:,} s, {chosen}"
    about = f"what follows is about {'it' if count == 1 else 'them'}, not about all of the log"
    status = None if one or whole_part(plan) or _way(plan) != "random" else Status.SAMPLED
    return Sentence(f"The log {data['log']['name']} was {done} in {replayed}; {about}.", status)


_CHOSEN: Final = {"busiest": "the fullest", "consecutive": "one after another", "random": "chosen at random"}


def settings(plan: Mapping[str, Any]) -> str:
    """What was read from dumps of Slurm, by name.

    >>> settings({"slurm": {"SchedulerType": "sched/backfill", "RawShares": "4"}, "parallel": "easy"})
    'SchedulerType=sched/backfill (parallel easy), RawShares of 4 accounts'
    """
    texts = []
    for name, value in plan["slurm"].items():
        way = f" (parallel {plan['parallel']})" if name == "SchedulerType" and "parallel" in plan else ""
        of = name in ("RawShares", "ParentName")
        texts.append(f"{name} of {counted(int(value), 'account')}" if of else f"{name}={value}{way}")
    return ", ".join(texts)


def _way(plan: Mapping[str, Any]) -> str:
    return next((way for way in ("busiest", "consecutive") if way in plan), "random")


def whole_part(plan: Mapping[str, Any]) -> bool:
    """Whether the one window is all of the part of the log that was asked for."""
    since, until = plan.get("since", 0), plan.get("until")
    return _way(plan) == "random" and until is not None and until - since <= plan["duration"]


def _nearest(data: Mapping[str, Any]) -> list[str]:
    """What comes nearest to fair and what stays farthest, but REF, which is the measure."""
    values = [(row["rule"], row["values"]["to_others"]) for row in data["rows"]]
    values = [(rule, value) for rule, value in values if rule != "ref" and value is not None]
    if not values:
        return []
    (near, low), (far, high) = (ends(values, pick) for pick in (min, max))
    drawn = ", as orderings drawn at random show it" if "reference" in data else ""
    what = f"{duration_text(low)} lost to or gained from others on average"
    if low == high:
        return [f"Of the rules, {near}: {what}{drawn}."]
    return [f"Of the rules, nearest to fair is {near} ({what}), farthest {far} ({duration_text(high)}){drawn}."]


# --- rules in pairs -------------------------------------------------------------------------------------------------


def comparison(data: Mapping[str, Any]) -> list[str]:
    """Which windows these are, how the rule in force stands beside the others, and what else bears on that."""
    return [*_which_windows(data["plan"]), *_overlap(data), *_differences(data), *dominated(data), *_over_full(data)]


def _which_windows(plan: Mapping[str, Any]) -> list[str]:
    """What windows these are, where they do not stand for the whole log."""
    if "busiest" in plan:
        n = plan["busiest"]
        which = "This is the fullest window" if n == 1 else f"These are the {n:,} fullest windows"
        return [f"{which}, not random ones: means and limits say nothing of the rest of the log."]
    if "open_share" in plan:
        least, part = load_text(Fraction(plan["min_load"])), 100 * plan["open_share"]
        return [
            f"Windows with a load of at least {least} open in {percent_text(part, 2)} % of the time: means and limits "
            f"are theirs."
        ]
    return []


def _overlap(data: Mapping[str, Any]) -> list[str]:
    """As how many windows those tell that overlap."""
    several, n = (data.get("fairness") or {}).get("independent"), len(data["windows"])
    if several is None or several > 0.9 * n:
        return []
    return [f"These {n:,} windows overlap and tell no more than {several:.3g} that do not: the limits are of so many."]


def _differences(data: Mapping[str, Any]) -> list[str]:
    rows, label, n = data["differences"], data["rule"], len(data["windows"])
    if not rows:
        return []
    means = {row["rule"]: row["values"]["to_others"] for row in data["rows"]}
    if not any(means[name] for name in (label, *(row["rule"] for row in rows))):
        return [_all_fair(n)]
    if n == 1:
        return ["One window says nothing of how the rules differ in others."]
    equal = [row for row in rows if row["difference_low"] is None]
    surely = [row for row in rows if _tells(row["difference_low"], row["difference_high"])]
    unsure = [row for row in rows if row not in equal and row not in surely]
    fairer = sorted((row for row in surely if row["difference"] < 0), key=lambda row: row["difference"])
    less = sorted((row for row in surely if row["difference"] > 0), key=lambda row: -row["difference"])
    lines = []
    for begin, group in ((f"Fairer than {label} in these windows", fairer), (f"Less fair than {label}", less)):
        if group:
            by = (f"{row['rule']} (by {apart(row['difference_low'], row['difference_high'])})" for row in group)
            lines.append(f"{begin}: {', '.join(by)}.")
    if unsure:
        names = ", ".join(f"{row['rule']} ({_enough(row['windows'])})" for row in unsure)
        lines.append(f"These {n:,} windows cannot tell from {label}: {names}, if others scatter like these.")
    if equal:
        lines.append(f"No difference from {label} in these windows: {', '.join(row['rule'] for row in equal)}.")
    return lines


def _tells(low: float | None, high: float | None) -> bool:
    return low is not None and high is not None and not low <= 0 <= high


def _enough(windows: int | None) -> str:
    if windows is None:
        return "no difference on average"
    return "no number that can be measured would" if windows > answer.MANY else f"about {windows:,} would"


def _all_fair(n: int) -> str:
    """Every rule is fair: with 95 per cent confidence, what part of all windows can be otherwise at most."""
    at_most = 100 * (1 - 0.05 ** (1 / n))
    return (
        f"Every rule gives everybody what is fair in {_these(n)}, as where nobody waits for another: {_these(n)} "
        f"cannot tell the rules apart. At most {percent_text(at_most, 2)} % of all such windows are otherwise (95 % "
        f"confidence); look at more of them, at longer or at busier ones."
    )


def _these(n: int) -> str:
    return "this window" if n == 1 else f"these {n:,} windows"


def dominated(data: Mapping[str, Any]) -> list[str]:
    """Where one window makes most of what is lost, a warning: limits that others would have set are not known."""
    label = data["rule"]
    values = [row["to_others"][label] for row in data["windows"]]
    if len(values) < 3 or 2 * max(values) <= sum(values):
        return []
    worst = max(range(len(values)), key=values.__getitem__)
    part = "all" if values[worst] == sum(values) else f"{math.floor(100 * values[worst] / sum(values))} %"
    return [
        f"Window {data['windows'][worst]['window']} alone makes {part} of what is lost to others under {label}: where "
        f"one counts for so much, the limits are often too narrow; look at more windows."
    ]


def _over_full(data: Mapping[str, Any]) -> list[str]:
    """Whose schedules use more machines than there are: only what the cluster did can, of more machines than these."""
    machines = sum(data["windows"][0]["machines"]) if data["windows"] else 0
    busy = {row["rule"]: row["values"]["utilization"] for row in data["rows"]}
    most = max((row["running"] for row in data["windows"]), default=0)
    lines = [
        f"When windows opened jobs ran on up to {most:,} machines; {machines:,} are replayed: what does not fit waits, "
        f"first in the queue."
    ]
    return (lines if most > machines else []) + [
        f"{rule} has the machines busy {100 * part:.0f} % of the time: the cluster had more than the {machines:,} that "
        f"were replayed, or records of starts and ends are not exact."
        for rule, part in busy.items()
        if part is not None and part > 1
    ]


# --- another rule ---------------------------------------------------------------------------------------------------


def switched(data: Mapping[str, Any], difference: Mapping[str, Any]) -> list[str]:
    """Who wins by another rule, who loses, of whom these windows cannot tell, and whether it is fairer."""
    other = difference["rule"]
    rows = [row for row in data["changes"] if row["rule"] == other]
    return [*_winners(rows, len(data["windows"]), data["rule"], other), *_fairer(data, difference)]


def _winners(rows: Sequence[Mapping[str, Any]], n: int, in_force: str, other: str) -> list[str]:
    if all(row["verdict"] == "same" for row in rows):
        return [f"Nobody wins or loses by {other} in {_these(n)}: everybody gets the same as under {in_force}."]
    lines, by_verdict = [], {verdict: [row for row in rows if row["verdict"] == verdict] for verdict in VERDICTS}
    for verdict, begin, when in (("wins", "Wins", "earlier"), ("loses", "Loses", "later")):
        if chosen := by_verdict[verdict]:
            names = _listed(chosen, lambda row: f"{row['name']} (by {apart(row['change_low'], row['change_high'])})")
            lines.append(f"{begin} by {other}, work done {when} than under {in_force}: {names}.")
    if chosen := by_verdict["open"]:
        if n == 1:
            begin = f"In this window, which says nothing of others, work is done at other moments than under {in_force}"
            lines.append(f"{begin}: {_listed(chosen, _moved)}.")
        else:
            begin = f"These {n:,} windows cannot tell who wins or loses by {other}"
            lines.append(f"{begin}: {_listed(chosen, _maybe)}.")
    if chosen := by_verdict["same"]:
        lines.append(f"Nothing changes in {_these(n)} for {_listed(chosen, lambda row: str(row['name']))}.")
    return lines


VERDICTS: Final = {"wins": "wins", "loses": "loses", "same": "nothing changes", "open": "cannot be told"}
"""What becomes of an organization, as the record and as a table says it."""


def _listed(rows: Iterable[Mapping[str, Any]], text: Callable[[Mapping[str, Any]], str]) -> str:
    ordered = sorted(rows, key=lambda row: -abs(row["change"] or 0))
    left = len(ordered) - MANY_ORGANIZATIONS
    return ", ".join(map(text, ordered[:MANY_ORGANIZATIONS])) + (f" and {left:,} more" if left > 0 else "")


def _moved(row: Mapping[str, Any]) -> str:
    if row["change"] is None:
        return f"{row['name']} (fair would do none of its work)"
    return f"{row['name']} ({duration_text(abs(row['change']))} {'earlier' if row['change'] < 0 else 'later'})"


def _maybe(row: Mapping[str, Any]) -> str:
    low, high = row["change_low"], row["change_high"]
    if low is None or high is None:
        return f"{row['name']} (no two windows say anything of it)"
    if low * high > 0:  # the other way in the end
        return f"{row['name']} ({apart(low, high)} {'later' if low > 0 else 'earlier'} in the windows, not in the end)"
    return f"{row['name']} ({duration_text(low)} to {duration_text(high)} later; {_enough(row['windows'])})"


def _fairer(data: Mapping[str, Any], difference: Mapping[str, Any]) -> list[str]:
    other, in_force, n = difference["rule"], data["rule"], len(data["windows"])
    means = {row["rule"]: row["values"]["to_others"] for row in data["rows"]}
    if not means[other] and not means[in_force]:
        return []
    after, before = duration_text(means[other]), duration_text(means[in_force])
    text = f"{after} are lost to or gained from others on average under {other}, {before} under {in_force}"
    low, high = difference["difference_low"], difference["difference_high"]
    if low is None or high is None:
        return [f"In {_these(n)} {text}."]
    if _tells(low, high):
        word, more = ("fairer", "less") if difference["difference"] < 0 else ("less fair", "more")
        return [f"{other} is {word}: {text}, {more} by {apart(low, high)}."]
    limits = f"{duration_text(low)} to {duration_text(high)} more"
    return [f"Which is fairer these windows cannot tell: {text} ({limits}; {_enough(difference['windows'])})."]


# --- unfairness over time -------------------------------------------------------------------------------------------


def audit_trend(data: Mapping[str, Any]) -> list[Sentence]:
    """What the store has, where unfairness was least and most, how the last two periods differ, and who was there."""
    rows, windows = data["rows"], sum(row["windows"] for row in data["rows"])
    mean = duration_text(sum(row["windows"] * row["to_others"] for row in rows) / windows)
    account = data.get("account")
    of = "" if account is None else f" with work of {account}"
    lines = [f"The store {data['scenario']} has {counted(windows, 'window')}{of} under {data['rule']}{_periods(data)}."]
    if account is None:
        lines.append(f"Of all organizations work is {mean} later or earlier than fair by others{_spread(data)}.")
    else:
        way = f"{mean.removeprefix('-')} {'earlier' if mean.startswith('-') else 'later'} than fair by others"
        lines.append(f"Work of {account} alone is {way}, mean of these windows{_spread(data)}.")
    if unsure := sum(row["provisional"] for row in rows):
        lines.append(f"{counted(unsure, 'window')} may still change: not all of their jobs had ended.")
    if data["last"] is not None:
        lines.append(_last_two(data))
    if not data["same_organizations"] and account is None:
        others = "others had most work when they were measured"
        lines.append(f"The organizations are not the same in all of these windows: {others}.")
    return list(map(Sentence, lines))


def _periods(data: Mapping[str, Any]) -> str:
    every, first, last = data["every"], data["rows"][0], data["rows"][-1]
    if first == last:
        return f", from {first['since']} on" if every == "window" else f" in the {every} of {first['since']}"
    if every == "window":
        return f", which open from {first['since']} to {last['since']}"
    return f" in {counted(len(data['rows']), every)}, from that of {first['since']} to that of {last['since']}"


def _spread(data: Mapping[str, Any]) -> str:
    """The fairest and the least fair period, but of two, which are set against each other."""
    rows = sorted(data["rows"], key=lambda row: row["to_others"])
    if (data["last"] is not None and len(rows) == 2) or rows[0]["to_others"] == rows[-1]["to_others"]:
        return ""
    least, most = (f"that of {row['since']} ({duration_text(row['to_others'])})" for row in (rows[0], rows[-1]))
    first, last = ("fairest", "least fair") if data.get("account") is None else ("best", "worst")
    return f"; the {first} {data['every']} is {least}, the {last} {most}"


def _last_two(data: Mapping[str, Any]) -> str:
    (before, now), every, last = data["rows"][-2:], data["every"], data["last"]
    who = f" by {data['account']}" if data.get("account") is not None else ""
    text = (
        f"Lost to others{who} under {data['rule']}: {duration_text(before['to_others'])} in the {every} of "
        f"{before['since']} ({counted(before['windows'], 'window')}), {duration_text(now['to_others'])} in that of "
        f"{now['since']} "
        f"({counted(now['windows'], 'window')})"
    )
    low, high = last["difference_low"], last["difference_high"]
    if not before["to_others"] and not now["to_others"]:
        return f"{text}: fair in all of them."
    if low is None or high is None:
        return f"{text}: too few windows to tell whether that is chance."
    if not _tells(low, high):
        return f"{text}, which may be chance ({duration_text(low)} to {duration_text(high)} more)."
    return f"{text}: {apart(low, high)} {'more' if last['difference'] > 0 else 'less'}."
