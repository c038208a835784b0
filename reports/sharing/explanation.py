"""What an audit rests on although nobody said it, and what it says of each organization, in sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ...support.units import duration_text, percent_text
from ...verbs.sharing.dumps import UNKNOWN
from ...workloads.partition import OTHERS
from ..sentences import size, some

# --- what nobody said -----------------------------------------------------------------------------------------------


def assumptions(data: Mapping[str, Any]) -> list[str]:
    """What an answer rests on although nobody said it, and what was done to the log, a sentence each."""
    lines = (
        _owners(data),
        _machines(data["plan"]),
        _owned(data["plan"]),
        _units(data["plan"]),
        *_ignored(data["plan"]),
        *_parallel_jobs(data),
        _counted_from(data),
        _starts(data["log"]),
        *_sampled(data),
    )
    return [text for text in lines if text]


def _owners(data: Mapping[str, Any]) -> str:
    plan = data["plan"]
    k = plan["organizations"]
    if isinstance(k, int):
        assumed = "organizations" in plan["assumed"]
        why = "No two accounts or groups are named, so users were" if assumed else "Users were"
        return (
            f"{why} dealt at random to {k} bags, O1 to O{k}, anew in every window: what is said of a bag is said of no "
            f"group of people"
        )
    if "together" not in plan:
        return ""
    part = f"; they have {_two_digits(plan['together_work'])} of all work" if "together_work" in plan else ""
    part += " (audit --owners FILE lists each of them)"
    return f"The {plan['together']:,} {k}s with least work count as one owner, {OTHERS}{part}"


def _machines(plan: Mapping[str, Any]) -> str:
    unknown = "The log does not say how many machines there were"
    if plan["machines_from"] == "peak":
        return f"{unknown}: the most that it has busy at once, {total_machines(plan):,}, were taken"
    if plan["machines_from"] == "shares":
        return f"{unknown}: the shares, {total_machines(plan):,} together, were taken as machines"
    return ""


def total_machines(plan: Mapping[str, Any]) -> int:
    """All machines of a plan."""
    machines: int = sum(plan["shares"]) if plan["machines"] is None else plan["machines"]
    return machines


def _owned(plan: Mapping[str, Any]) -> str:
    if "shares" in plan["assumed"]:
        unknown = "Who owns the machines is not in a log"
        if plan["shares"] == "equal":
            return f"{unknown}: equal shares were assumed"
        if not isinstance(plan["shares"], str):
            owns = (
                f"others, {plan['together']:,} owners, has {plan['shares'][-1]:,} of {total_machines(plan):,} machines"
            )
            return f"{unknown}: as many were assumed for each owner, so that {owns}"
        return f"{unknown}: shares by Zipf's law were assumed, dealt at random in every window"
    if "shares_sum" in plan:
        shares = ", ".join(f"{count:,}" for count in plan["shares"])
        return (
            f"The shares add up to {plan['shares_sum']:,} and were read as weights of {total_machines(plan):,} "
            f"machines: {shares}"
        )
    return ""


def _units(plan: Mapping[str, Any]) -> str:
    if "weights" not in plan:
        return ""
    return (
        f"Jobs count as billing units ({plan['weights']}, cut to a whole number, at least 1), and machines are such "
        f"units: a job of b units is b sequential jobs of its run time, on units of any kind, so that one with a GPU "
        f"may run where only processors are free"
    )


def _parallel_jobs(data: Mapping[str, Any]) -> list[str]:
    row = data.get("parallel_jobs")
    if row is None:
        return []
    ways = [("rigid", "the head of the queue waits"), ("easy", "with EASY backfilling")]
    whole = " and ".join(f"{', '.join(row[way])} ({meaning})" for way, meaning in ways if row[way])
    if not whole:
        return ["Parallel jobs were run as copies of one machine each, which need not start together"]
    copies = f"; as copies of one machine each under {', '.join(row['copies'])}" if row["copies"] else ""
    lines = [
        f"Parallel jobs start on all their machines at once under {whole}{copies}",
        "The fair schedule, against which all are measured, runs parallel jobs as copies: part of the distance of a "
        "rule that keeps them whole is machines left idle while wide jobs wait",
    ]
    if row["easy"]:
        lines.append(_estimates(row["jobs"], row["requested"]))
    if row["too_wide"]:
        lines.append(
            f"{row['too_wide']:,} of {row['jobs']:,} jobs take more than the {total_machines(data['plan']):,} machines "
            f"and were left out of all windows, because they could never start at once"
        )
    return lines


def _estimates(jobs: int, requested: int) -> str:
    if requested == jobs:
        return "Backfilling plans with the run times that the jobs requested"
    if not requested:
        return "The log does not say what run times were requested: backfilling plans with those that the jobs had"
    return (
        f"Backfilling plans with the run times that were requested; {jobs - requested:,} of {jobs:,} jobs requested "
        f"none and are planned with the one that they had"
    )


def _counted_from(data: Mapping[str, Any]) -> str:
    """That usage before the log is not known, where there is a half-life and the first window opens soon after."""
    half_life, windows = data.get("decay"), data["windows"]
    if half_life is None or isinstance(windows, int) or not windows:
        return ""
    still = 100 * 2.0 ** (-max(0, min(row["start"] for row in windows)) / half_life)
    if still < 1:
        return ""
    return (
        f"Usage with a half-life of {duration_text(half_life)} counts from the beginning of the log, before which "
        f"nobody had used anything: when the first window opens, a second used then still counts "
        f"{percent_text(still)} %"
    )


def _ignored(plan: Mapping[str, Any]) -> list[str]:
    settings, lines, qos = plan.get("slurm", {}), [], plan.get("qos")
    if qos:
        each = ", ".join(f"{name}={priority}" for name, priority in qos.items())
        lines.append(f"A QOS counts by its priority, over the largest: {each}; any other counts 0")
    elif qos is not None:
        lines.append("Nothing says the priorities of QOS, so each counts 0; --qos does, or sacctmgr -P show qos")
    if weights := [name for name in UNKNOWN if name in settings and not (qos and name == "PriorityWeightQOS")]:
        what = " or ".join(UNKNOWN[name] for name in weights)
        values = ", ".join(f"{name}={settings[name]}" for name in weights)
        lines.append(f"What {what} is worth moves no job here: {values} counted 0")
    if "PriorityFlags" in settings:
        lines.append("Fair share counts by Fair Tree, although PriorityFlags says NO_FAIR_TREE")
    return lines


def _starts(log: Mapping[str, Any]) -> str:
    if "starts_unknown" not in log:
        return ""
    unknown, jobs = log["starts_unknown"], log["report"]["kept"]
    which = "any job" if unknown == jobs else f"{unknown:,} of {jobs:,} jobs"
    return (
        f"The log does not say when {which} started, so recorded, what the cluster did, is not shown; when a window "
        f"opens they count as running from their submission on"
    )


def _sampled(data: Mapping[str, Any]) -> list[str]:
    """What it means that contributions were sampled."""
    row = data.get("reference")
    if row is None:
        return []
    k = len({each["name"] for each in data["organizations"]})
    lines = [
        f"Contributions of {k} organizations were sampled, {row['orderings']:,} orderings a window: together they are "
        f"off by at most {_two_digits(row['sampling'])} of what all contribute, with "
        f"{_two_digits(size(row['confidence']))} confidence, and by {_two_digits(row['order'])} for the order in which "
        f"coalitions serve their members, which was measured. Two halves of the sample call schedules fair that differ "
        f"by {duration_text(row['halves'])} a second of work"
    ]
    if row["unions"]:
        unions = "; ".join(" with ".join(names) for names in row["unions"])
        lines.append(f"These keep together when contributions are counted (Owen's value): {unions}")
    return lines


def _two_digits(part: float | Fraction) -> str:
    return f"{percent_text(100 * float(part), 2)} %"


# --- organizations --------------------------------------------------------------------------------------------------


def explanation(data: Mapping[str, Any]) -> list[str]:
    """The organizations under the rule in force; whom it makes wait longest first, who had no work last, together."""
    rows = [row for row in data["organizations"] if row["rule"] == data["rule"]]
    idle = [row["name"] for row in rows if row["delay"] is None and not row["parts"]]
    working = [row for row in rows if row["name"] not in idle]
    working.sort(key=lambda row: -math.inf if row["delay"] is None else -float(row["delay"]))
    nothing = [f"No work of theirs was done, nor would fair do any: {some(idle)}."] if idle else []
    return [*map(organization, working), *nothing]


def organization(row: Mapping[str, Any]) -> str:
    """One organization under a rule: the delay that is its doing, then what was received of what was contributed.

    >>> row = dict(rule="fifo", name="atlas", utility=88, fair=99, contribution=100, excess=-12.0, fair_excess=-1.0,
    ...     parts=30, fair_parts=30, delay=90.0, delay_low=20.0, delay_high=160.0, loss=90.0)
    >>> print(organization(row).replace(". ", "." + chr(10)))
    atlas: its work was done 1 min 30 s later than fair (20 s to 2 min 40 s).
    It received 12 % less than it contributed; 1 % less would be fair.
    """
    name, they, their = row["name"], *(("they", "their") if row["name"] == OTHERS else ("it", "its"))
    text = f"{name}: {_delayed(row, they, their)}"
    if row["excess"] is None or row["fair_excess"] is None:
        return (
            f"{text}. {they.capitalize()} received {_large(row['utility'])}; the contribution is "
            f"{_large(row['contribution'])}, so there is nothing to compare with. Fair would be {_large(row['fair'])}."
        )
    received = f"what {they} contributed, within 0.05 %"
    if abs(row["excess"]) >= 0.05:
        received = f"{_more_or_less(row['excess'])} than {they} contributed"
    fair = "" if row["utility"] == row["fair"] else f"; {_more_or_less(row['fair_excess'])} would be fair"
    return f"{text}. {they.capitalize()} received {received}{fair}."


def _delayed(row: Mapping[str, Any], they: str, their: str) -> str:
    delay, low, high = row["delay"], row["delay_low"], row["delay_high"]
    if delay is None:
        return f"{their} work was done, fair would do none"
    certain = high is None or high - delay < 0.05
    if abs(delay) < 0.05 and row["parts"] == row["fair_parts"] and certain:
        return f"{their} work was done when fair would do it"
    text = f"{their} work was done {duration_text(abs(delay))} {'earlier' if delay < 0 else 'later'} than fair"
    return text + limited(delay, low, high) + _split(row) + _undone(row)


def limited(value: float, low: float | None, high: float | None) -> str:
    """What the limits of a length of time say, behind it."""
    if low is None or high is None:
        return " (one window, so no limits)" if value else ""
    if low <= 0 <= high:
        return f", which may be chance ({duration_text(low)} to {duration_text(high)})" if low < high else ""
    return f" ({apart(low, high)})"


def _split(row: Mapping[str, Any]) -> str:
    """How much of a delay nobody else gains, and how much is lost to others, where these differ."""
    loss = row["loss"]
    if loss is None:
        return ""
    common = row["delay"] - loss
    if abs(common) < max(0.05, abs(loss) / 1000):
        return ""
    mine = f"{duration_text(abs(loss))} {'lost to' if loss > 0 else 'gained from'} others"
    nobody = "that nobody gains" if common > 0 else "at nobody's cost"
    return f": {duration_text(abs(common))} {nobody}, {mine}"


def _undone(row: Mapping[str, Any]) -> str:
    less = row["fair_parts"] - row["parts"]
    if not less:
        return ""
    share = _two_digits(abs(less) / row["fair_parts"])
    if less > 0:
        return f"; {share} of what fair does of it was not done before a window ended"
    return f"; {share} more of it was done than fair does"


def _more_or_less(excess: float) -> str:
    if abs(excess) < 0.05:
        return "as much as that"
    return f"{percent_text(abs(excess))} % {'more' if excess > 0 else 'less'}"


def _large(value: Any) -> str:
    number = size(value)
    return "0" if number == 0 else f"{float(number):.3g}"


def apart(low: float, high: float) -> str:
    """Limits that leave 0 out, as lengths of time.

    >>> apart(-90, -60)
    '1 min to 1 min 30 s'
    """
    near, far = sorted((abs(low), abs(high)))
    return f"{duration_text(near)} to {duration_text(far)}"
