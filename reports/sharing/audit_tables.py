"""Tables of an audit: how unfair each rule is, who got what under the cluster's rule, and the same in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..tables import Table, facts, table
from .gaming_tables import gaming
from .switch_tables import switched
from .times import limits, time
from .trend import trend_tables
from .usage_tables import fixed, percent, usages
from .when import dates, which

_HEADS = {
    "name": "organization",
    "machines": "machines",
    "share": "share S",
    "usage": "usage U",
    "factor": "fair-share factor 2^(-U/S)",
    "level": "LevelFS S/U",
    "utility": "received psi",
    "fair": "fair psi*",
    "contribution": "contributed phi",
    "excess": "psi against phi",
    "fair_excess": "psi* against phi",
    "delay": "later than fair",
    "limits": "95 % limits",
}


def audit(data: Mapping[str, Any]) -> list[Table]:
    """The log and the plan; one row per rule; organizations under the cluster's rule; what that means."""
    plan, log, windows = data["plan"], data["log"], data["windows"]
    report = log["report"]
    left_out = [(f"left out: {s['reason']}", f"{s['count']:,}") for s in report["skipped"]]
    pairs = [
        ("jobs read, replayed", f"{report['read']:,}, {report['kept']:,}"),
        *dates(log),
        *left_out,
        *((f"note: {note}", "") for note in report["notes"]),
        ("windows", which(plan, windows)),
        ("sequential jobs per window", _range([w["jobs"] for w in windows], ",")),
        ("load per window", _range([w["load"] for w in windows], ".2f")),
    ]
    tables = [facts(f"audit: {log['name']}", pairs, "" if log["source"] == log["name"] else log["source"])]
    if not windows:
        return tables
    means = f"what this means under {data['rule']}" + (", if what is assumed holds" if data["assumed"] else "")
    words = (
        ("assumed, because nobody said it", data["assumed"]),
        (means, data["explanation"]),
        (f"how the rules differ from {data['rule']}", data["comparison"]),
    )
    shown = [_rules(data), _organizations(data), *usages(data)]
    shown += [_words(head, lines) for head, lines in words if lines]
    return [*tables, *shown, *switched(data), *gaming(data), *trend_tables(data)]


def _words(heading: str, lines: Sequence[str]) -> Table:
    return Table(heading, (), tuple((line,) for line in lines))


def _range(values: list[float], form: str) -> str:
    return f"{min(values):{form}} to {max(values):{form}}" if values else "-"


def _rules(data: Mapping[str, Any]) -> Table:
    rows = [
        {
            "rule": row["rule"],
            "unfairness": time(row["values"]["unfairness"]),
            "95 % limits": limits(row["values"]["unfairness_low"], row["values"]["unfairness_high"]),
            "deviation": time(row["values"]["deviation"]),
            "utilization": percent(row["values"]["utilization"]),
        }
        for row in data["rows"]
    ]
    note = (
        "unfairness: average undeserved delay or advance of a second of work, against the Shapley-fair schedule; "
        "mean of the windows, Student's limits"
    )
    plan = data["plan"]
    if any(row["rule"] == "recorded" for row in data["rows"]):
        before = "jobs from before, " if "warmup_recorded" not in plan and not plan["warmup"] else ""
        note += f"; recorded is what the cluster did, and bears what a replay does not know ({before}reservations)"
    return table("rules", rows, list(rows[0]), note)


def _organizations(data: Mapping[str, Any]) -> Table:
    shown = []
    for row in data["organizations"]:
        if row["rule"] != data["rule"]:
            continue
        values = {key: row.get(key) for key in _HEADS} | {
            "machines": f"{row['machines']:.6g}",
            "share": percent(row["share"]),
            "usage": percent(row["usage"]),
            "factor": fixed(row["factor"]),
            "level": fixed(row["level"]),
            "utility": _large(row["utility"]),
            "fair": _large(row["fair"]),
            "contribution": _large(row["contribution"]),
            "excess": _signed(row["excess"]),
            "fair_excess": _signed(row["fair_excess"]),
            "delay": time(row["delay"]),
            "limits": limits(row["delay_low"], row["delay_high"]),
        }
        shown.append({head: values[key] for key, head in _HEADS.items()})
    note = "psi, phi: machine time weighted by how early it was given, all windows together"
    return table(f"organizations under {data['rule']}", shown, list(_HEADS.values()), note)


def _signed(value: float | None) -> str:
    """Per cent with a sign; what rounds to 0 has none of a loss."""
    return "-" if value is None else f"{round(value, 2) + 0.0:+.2f} %"


def _large(value: Any) -> str:
    """Four digits of an exact number, which may be a text ``"p/q"``."""
    top, _, bottom = str(value).partition("/")
    number = int(top) / int(bottom or 1)
    return f"{number:.4g}"
