"""Tables of records on scenarios of kind ``sharing``, and of audits of logs; jobs for other programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from ...support.units import duration_text
from ...verbs.sharing.audit_records import AuditedRow
from ...verbs.sharing.options import NIGHTLY
from ...verbs.sharing.records import RunRecord, WitnessRow
from ..jobs import Job, scenario_of, whole
from ..markup import Table
from ..tables import cell, comparison, facts, listing, pairs_of, table
from . import explanation, gaming, text, verdict

FAIR: Final = "fair is what ref does with timing next, jobs of several machines as copies; unfairness: how far from it"


def compare(data: Mapping[str, Any]) -> list[Table]:
    """One row per rule, then what every organization got under it, beside the fair schedule."""
    rows = data["organizations"]
    columns = ["rule", "name", "utility", "fair", "contribution"]
    if len({row["scenario"] for row in rows}) > 1:
        columns.insert(1, "scenario")
    each = [listing("what everybody got", rows, columns)] if rows else []
    return [*(replace(rules, note=FAIR) for rules in comparison(data)), *each]


def run(data: Mapping[str, Any]) -> list[Table]:
    """Organizations, what they have together, values of coalitions, and a short schedule."""
    columns = ["name", "machines", "jobs", "utility", "contribution", "parts"]
    if all(row["contribution"] is None for row in data["organizations"]):
        columns.remove("contribution")
    note = f"at {data['until']}; parts: machine time received"
    tables = [table(f"run: {data['scenario']}", data["organizations"], columns, note), _together(data)]
    if data.get("coalitions"):
        tables.append(table("coalitions", data["coalitions"], ["name", "value"]))
    names = [row["name"] for row in data["organizations"]]
    rows = [
        {"start": start, "organization": names[owner - 1], "job": job, "machine": machine}
        for start, owner, job, machine in data["schedule"]
    ]
    if rows:
        columns = ["start", "organization", "job", "machine"]
        tables.append(listing("schedule", rows, columns, data["schedule_left_out"]))
    return tables


def _together(data: Mapping[str, Any]) -> Table:
    measured = ["delta", "p_tot", "unfairness"] if data["reference"] is not None else []
    pairs = pairs_of(data, RunRecord, ["value", "utilization", *measured])
    if "window" in data:
        window = data["window"]
        pairs += [("log", window["log"]), ("window opens at", window["start"]), ("load", window["load"])]
    note = "" if data["reference"] is None else f"fair: {data['reference']}"
    return facts("together", pairs, note)


def verify(data: Mapping[str, Any]) -> list[Table]:
    """The largest gain by a manipulation, its witness, and the axioms of the utility."""
    tables = []
    tried = data["manipulation"]
    if tried is not None:
        pairs = [("moves tried", tried["cases"]), ("largest gain", tried["max_gain"])]
        if not tried["holds"]:
            pairs += [("by", tried["organization"]), ("move", tried["move"])]
        tables.append(facts(f"verify: {data['scenario']}", pairs, _verdict(data)))
        if tried["witness"] is not None:
            tables.append(_witness(tried["witness"]))
        if "each" in tried:
            tables.append(table("each organization's best move", tried["each"], ["name", "cases", "move", "max_gain"]))
    rows = [
        {"axiom": name.replace("_", " "), "holds": axiom["holds"], "cases": axiom["cases"], **text.example(axiom)}
        for name, axiom in data["axioms"].items()
    ]
    columns = ["axiom", "holds", "cases", "moment", "schedules", "values"]
    note = "a schedule lists (start, length)"
    if all(axiom["holds"] for axiom in data["axioms"].values()):
        columns, note = columns[:3], ""
    tables.append(table(f"axioms of the utility {data['utility']}", rows, columns, note))
    return tables


def _verdict(data: Mapping[str, Any]) -> str:
    """What the moves tried say: of the rest of a stopped search nothing, of the utility what its own axiom says."""
    if data["manipulation"]["holds"]:
        return "No move pays." if data["complete"] else "No move that was tried pays."
    resistant = data["axioms"].get("strategy_resistance")
    proof = resistant is not None and resistant["holds"]
    return "The utility is strategy-proof, the mechanism is not." if proof else "The mechanism is not strategy-proof."


def _witness(witness: Mapping[str, Any]) -> Table:
    pairs = [
        ("organization", witness["organization"]),
        ("move", f"{witness['move']} job {witness['job']}"),
        ("jobs as presented", ", ".join(f"({r}, {p})" for r, p in witness["jobs"])),
    ]
    return facts("witness", pairs + pairs_of(witness, WitnessRow, ["utility_as_is", "utility_with_move", "gain"]))


# --- audits ---------------------------------------------------------------------------------------------------------

_ZONES: Final = frozenset({"local", "UTC"})
"""Nothing is said of a clock that is the cluster's own, or the only one it can be."""
_OF_ORGANIZATIONS: Final = (
    *("name", "machines", "share", "usage", "factor", "level", "fair_tree", "utility", "fair", "contribution"),
    *("excess", "fair_excess", "delay", "loss", "limits"),
)


def audit(data: Mapping[str, Any]) -> list[Table]:
    """The log and the plan; one row per rule; organizations under the cluster's rule; what that means."""
    if not data["windows"]:
        return [_log(data)]
    if data["plan"].get("profile") == NIGHTLY:
        return [verdict.nightly(data)]
    assumed = explanation.assumptions(data)
    means = f"what this means under {data['rule']}" + (", if what is assumed holds" if assumed else "")
    return [
        *verdict.waits(data),
        _organizations(data),
        *usages(data),
        _rules(data),
        _log(data),
        *_words("assumed, because nobody said it", assumed),
        *_words(means, explanation.explanation(data)),
        *_words(f"how the rules differ from {data['rule']}", text.comparison(data)),
    ]


def audit_switch(data: Mapping[str, Any]) -> list[Table]:
    """For each other rule a row per organization, and the same in words."""
    if not data["windows"]:
        return [_log(data)]
    return [
        _log(data),
        _rules(data),
        *_words("assumed, because nobody said it", explanation.assumptions(data)),
        *(each for row in data["differences"] for each in _switched(data, row)),
    ]


def audit_gaming(data: Mapping[str, Any]) -> list[Table]:
    """The log, then what each organization could gain, and what that supposes."""
    return [_log(data), *gaming.tables(data)]


def audit_trend(data: Mapping[str, Any]) -> list[Table]:
    """A row per period."""
    account = data.get("account")
    rows = [
        {
            f"{data['every']} from": row["since"],
            "windows": row["windows"],
            "may change": row["provisional"] or "-",
            "load": f"{row['load']:.2f}",
            "lost to others": _time(row["to_others"]),
            "95 % limits": limits(row["to_others_low"], row["to_others_high"]),
            "unfairness" if account is None else "later than fair": _time(row["unfairness"]),
        }
        for row in data["rows"]
    ]
    note = "may change: windows that were measured before all of their jobs had ended"
    what = "one loses to another" if account is None else f"{account} loses to others"
    return [table(f"what {what} under {data['rule']} over time", rows, list(rows[0]), note)]


def _words(heading: str, lines: Sequence[str]) -> list[Table]:
    return [Table(heading, (), tuple((line,) for line in lines))] if lines else []


def _time(value: float | None) -> str:
    return cell(value, "duration")


def limits(low: float | None, high: float | None) -> str:
    """Lengths of time, from one to the other; a dash where they are not known."""
    return "-" if low is None or high is None else f"{_time(low)} to {_time(high)}"


def _log(data: Mapping[str, Any]) -> Table:
    log, windows, report = data["log"], data["windows"], data["log"]["report"]
    pairs = [
        ("jobs read, replayed", f"{report['read']:,}, {report['kept']:,}"),
        *_dates(log),
        *((f"left out: {skipped['reason']}", f"{skipped['count']:,}") for skipped in report["skipped"]),
        *((f"note: {note}", "") for note in report["notes"]),
        ("windows", _which(data["plan"], windows)),
        *([("read from Slurm", text.settings(data["plan"]))] if "slurm" in data["plan"] else []),
    ]
    if not isinstance(windows, int):
        before = ", ".join(_range([row[key] for row in windows], ",") for key in ("running", "waiting"))
        pairs += [
            ("sequential jobs per window", _range([row["jobs"] for row in windows], ",")),
            ("running when it opens, waiting", before),
            ("load per window", _range([row["load"] for row in windows], ".2f")),
        ]
    heading = f"{data['verb'].replace('_', ' ')}: {log['name']}"
    return facts(heading, pairs, "" if log["source"] == log["name"] else log["source"])


def _range(values: Sequence[float], form: str) -> str:
    return f"{min(values):{form}} to {max(values):{form}}" if values else "-"


def _dates(log: Mapping[str, Any]) -> list[tuple[str, str]]:
    if "first" not in log:
        return []
    zone = f" ({log['clock']})" if log["clock"] not in _ZONES else ""
    return [("first, last submission", f"{log['first']}, {log['last']}{zone}")]


def _which(plan: Mapping[str, Any], windows: Any) -> str:
    count = windows if isinstance(windows, int) else len(windows)
    which = f"{count} of {duration_text(plan['duration'])} ({plan['duration']:,} s)"
    if plan["start"] is not None:
        dated = count and not isinstance(windows, int) and "opens" in windows[0]
        after = f"{duration_text(plan['start'])} after the first submission"
        return f"{which}, from {windows[0]['opens']} on" if dated else f"{which}, {after}"
    part = f", from {plan['part']}" if "part" in plan else ""
    if "busiest" in plan:
        return f"{which}, the fullest{part}"
    if "consecutive" in plan:
        return f"{which}, one after another{part}"
    least = f" with a load of at least {float(Fraction(plan['min_load'])):g}" if "min_load" in plan else ""
    return f"{which}{'' if text.whole_part(plan) else f', random{least}'}{part}"


def _rules(data: Mapping[str, Any]) -> Table:
    rows = [
        {
            "rule": row["rule"],
            "lost to others": _time(row["values"]["to_others"]),
            "95 % limits": limits(row["values"]["to_others_low"], row["values"]["to_others_high"]),
            "by all together": _time(row["values"]["common"]),
            "unfairness": _time(row["values"]["unfairness"]),
            "utilization": cell(row["values"]["utilization"], "share"),
        }
        for row in data["rows"]
    ]
    note = (
        "unfairness: average undeserved delay or advance of a second of work, against the Shapley-fair schedule; of it "
        "one loses to others, or gains, what all do not lose together; mean of the windows, Student's limits"
    )
    if any(row["rule"] == "recorded" for row in data["rows"]):
        note += (
            "; recorded is what the cluster did, with reservations, machines that were down and parallel jobs kept "
            "whole, of which the log says nothing"
        )
    return table("rules", rows, list(rows[0]), note)


def _organizations(data: Mapping[str, Any]) -> Table:
    rows = [
        {
            **{key: row[key] for key in _OF_ORGANIZATIONS if key in row},
            **{key: float(Fraction(row[key])) for key in ("utility", "fair", "contribution")},
            "level": _level(row["level"]),
            "95 % limits": limits(row["loss_low"], row["loss_high"]),
        }
        for row in data["organizations"]
        if row["rule"] == data["rule"]
    ]
    note = "received psi, contributed phi: machine time weighted by how early it was given, all windows together"
    columns = [key for key in _OF_ORGANIZATIONS[:-1] if key != "fair_tree" or key in rows[0]] + ["95 % limits"]
    return table(f"organizations under {data['rule']}", rows, columns, note, of=AuditedRow)


def _level(value: Any) -> Any:
    """LevelFS, which is infinite for who has a share and used nothing."""
    return "nothing used" if value == "inf" else value


def usages(data: Mapping[str, Any]) -> list[Table]:
    """Usage with a half-life beside usage without, as Slurm's fair share sees organizations; nothing without one."""
    if data.get("decay") is None:
        return []
    rows = [
        {
            "organization": row["name"],
            "share S": cell(row["share"], "share"),
            "usage U": cell(row["usage"], "share"),
            "with half-life": cell(row["decayed_usage"], "share"),
            "factor 2^(-U/S)": cell(row["factor"], ".3f"),
            "with it": cell(row.get("decayed_factor"), ".3f"),
            "LevelFS S/U": cell(_level(row["level"]), ".3f"),
            "with it ": cell(_level(row.get("decayed_level")), ".3f"),
            **({"FairShare with it": cell(row["decayed_fair_tree"], ".3f")} if "decayed_fair_tree" in row else {}),
        }
        for row in data["organizations"]
        if row["rule"] == data["rule"]
    ]
    heading = f"usage under {data['rule']}, without and with a half-life of {duration_text(data['decay'])}"
    note = "a second of machine time counts half for each half-life of its age when its window ends"
    return [table(heading, rows, list(rows[0]), note)]


def _switched(data: Mapping[str, Any], difference: Mapping[str, Any]) -> list[Table]:
    before, after = data["rule"], difference["rule"]
    delays = {(row["rule"], row["name"]): row["delay"] for row in data["organizations"]}
    rows = [
        {
            "organization": row["name"],
            f"later than fair under {before}": _time(delays[before, row["name"]]),
            f"under {after}": _time(delays[after, row["name"]]),
            "change": _time(row["change"]),
            "95 % limits": limits(row["change_low"], row["change_high"]),
            "in the end": _time(row["change_ended"]),
            "machine time": _time(row["received"]),
            "": text.VERDICTS[row["verdict"]],
        }
        for row in data["changes"]
        if row["rule"] == after
    ]
    note = (
        "change: how much later a second of its work would be done, mean of the same windows under both, Student's "
        "limits; below 0: earlier; in the end: when all jobs of the windows have ended, nobody submitting more; "
        "machine time: how much more it receives in the windows. Everybody submits the same jobs at the same moments"
    )
    return [
        table(f"what if: {after} instead of {before}", rows, list(rows[0]), note),
        *_words(f"who wins and who loses by {after}", text.switched(data, difference)),
    ]


def jobs(data: Mapping[str, Any]) -> list[Job]:
    """Every job that started before the end; those that were released, from the scenario or its log."""
    from ...verbs.sharing.model import setting  # heavy, and tables need none of it

    whole(data["schedule_left_out"], len(data["schedule"]))
    instance = setting(scenario_of(data)).instance
    listed = []
    for (start, organization, job, machine), end in zip(data["schedule"], data["ends"], strict=True):
        released = instance.release[instance.first[organization - 1] + job - 1]
        listed.append(
            Job(
                owner=instance.names[organization - 1],
                number=job,
                submitted=Fraction(int(released)),
                started=Fraction(start),
                ended=Fraction(end),
                machine=machine - 1,
            )
        )
    return listed
