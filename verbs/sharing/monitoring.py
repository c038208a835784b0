"""An audit for a monitoring system: what of it is worth a gauge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ..openmetrics import Family
from ..records import Statistic

if TYPE_CHECKING:
    from .audit_record import AuditRecord

PREFIX: Final = "consortium_audit_"

_OF_RULES: Final = (
    ("unfairness_seconds", "unfairness", "Average undeserved delay or advance of a second of work, mean of windows."),
    ("unfairness_low_seconds", "unfairness_low", "Lower limit of the unfairness, 95 per cent confidence."),
    ("unfairness_high_seconds", "unfairness_high", "Upper limit of the unfairness, 95 per cent confidence."),
    ("utilization_ratio", "utilization", "Part of the machine time in use under the rule."),
)
_OF_ORGANIZATIONS: Final = (
    ("share_ratio", "share", "Part of the machines that the organization owns."),
    ("usage_ratio", "usage", "Part of the machine time in use that the organization got under the rule in force."),
    ("delay_seconds", "delay", "How much later than fair the work of the organization was done, on average."),
    ("delay_low_seconds", "delay_low", "Lower limit of the delay, 95 per cent confidence."),
    ("delay_high_seconds", "delay_high", "Upper limit of the delay, 95 per cent confidence."),
)
"""Name of the gauge, of the field, and what it says."""


def families(record: AuditRecord) -> list[Family]:
    """Gauges of an audit: of every rule, and of the organizations under the rule in force."""
    log, rows = {"log": record.log.name}, record.rows
    loads = [row.load.value for row in record.windows]
    whole = (
        ("complete", "Whether all windows were measured.", float(record.complete)),
        ("windows", "Windows that were measured.", float(len(record.windows))),
        ("window_seconds", "Length of a window.", float(record.plan.duration)),
        ("load_ratio", "Work submitted in a window over what machines can do, mean.", _mean(loads)),
    )
    found = [_family(name, about, [(log, value)]) for name, about, value in whole]
    in_force = [({**log, "rule": row.rule}, float(row.rule == record.rule)) for row in rows]
    found.append(_family("rule_in_force", "1 for the rule that the cluster uses, else 0.", in_force))
    for name, key, about in _OF_RULES:
        found.append(_family(name, about, [({**log, "rule": row.rule}, _value(row.values[key])) for row in rows]))
    mine = [row for row in record.organizations if row.rule == record.rule]
    for name, key, about in _OF_ORGANIZATIONS:
        samples = [({**log, "rule": row.rule, "organization": row.name}, _value(getattr(row, key))) for row in mine]
        found.append(_family(name, about, samples))
    return found


def _family(name: str, about: str, samples: Sequence[tuple[Mapping[str, str], float | None]]) -> Family:
    unit = next((unit for unit in ("seconds", "ratio") if name.endswith(f"_{unit}")), "")
    return Family(PREFIX + name, about, unit, samples)


def _value(found: Any) -> float | None:
    return found.value if isinstance(found, Statistic) else None


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
