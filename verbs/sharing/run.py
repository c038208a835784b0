"""``run`` on scenarios of kind ``sharing``: the schedule of a rule, and what each organization gets and gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Final

import numpy as np

from ...mechanisms.sharing.instance import SharingInstance
from ...mechanisms.sharing.outcome import SharingOutcome, throughput
from ...mechanisms.sharing.simulation import COPIES, simulate
from ...scenarios.scenario import Scenario
from ...support.exact import Rational
from ...support.progress import Progress, limited
from ..records import OPTIONAL, Row, Statistic
from .model import Setting, SharingRecord, measured, reference, seeded, setting
from .options import Run
from .rules import draws, rule_of

COALITIONS_LISTED: Final = 6
"""Up to so many organizations the value of every coalition is part of a REF record."""


@dataclass(frozen=True, kw_only=True)
class OrganizationRow(Row):
    """One organization's part; ``parts`` is the machine time that its jobs got.

    ``jobs`` counts a parallel job once where it starts on all its machines at once, else once for each machine.
    """

    name: str
    machines: int
    jobs: int
    utility: Rational
    contribution: Fraction | None
    parts: int


@dataclass(frozen=True, kw_only=True)
class CoalitionRow(Row):
    """Value of a coalition; its name joins the members' names by ``+``."""

    name: str
    value: Rational


@dataclass(frozen=True, kw_only=True)
class OpeningRow(Row):
    """The window of a log that was scheduled."""

    log: str | None
    start: int
    duration: int
    load: Statistic


@dataclass(frozen=True, kw_only=True)
class RunRecord(SharingRecord):
    """One schedule, and how far it is from REF's; ``reference`` is ``None`` where that was not measured.

    ``value`` is the sum of psi_sp, whatever utility the rule was run for, as ``delta`` is measured in psi_sp. A row of
    ``schedule`` is (start, organization, job, machine), counted from 1; ``ends`` has the end of each row.
    """

    verb: ClassVar[str] = "run"
    main: ClassVar[str] = "organizations"
    until: int
    organizations: tuple[OrganizationRow, ...]
    value: int
    delta: int | None
    p_tot: int | None
    unfairness: Fraction | None
    reference: str | None
    utilization: Fraction | None
    schedule: tuple[tuple[int, int, int, int], ...]
    ends: tuple[int, ...]
    schedule_left_out: int
    coalitions: tuple[CoalitionRow, ...] | None = field(default=None, metadata=OPTIONAL)
    window: OpeningRow | None = field(default=None, metadata=OPTIONAL)


def run(scenario: Scenario, options: Run, progress: Progress | None = None) -> RunRecord:
    """Schedule the jobs by the scenario's rule, or by one of the user's own."""
    scenario, progress = seeded(scenario, options.seed), limited(progress, options.time_limit)
    found, rule = setting(scenario), rule_of(scenario, options.mechanism)
    instance = found.instance
    outcome = simulate(
        instance, until=found.until, progress=progress, **rule.arguments(instance.machines, scenario.seed)
    )
    ideal = reference(instance, outcome.until, outcome, progress) if options.measure else None
    return RunRecord(
        kind=scenario.kind,
        scenario=scenario.label,
        method=outcome.method,
        complete=outcome.complete,
        seed=(scenario.seed or 0) if draws(scenario, rule) else None,
        until=outcome.until,
        organizations=organization_rows(outcome),
        value=sum(throughput(outcome)),
        **measured(outcome, ideal),
        utilization=outcome.utilization,
        schedule=tuple(outcome.rows(options.list)),
        ends=tuple((outcome.start + instance.length)[outcome.started[: options.list]].tolist()),
        schedule_left_out=max(0, len(outcome.started) - options.list),
        coalitions=_coalition_rows(outcome),
        window=_opening(found),
    )


def organization_rows(outcome: SharingOutcome) -> tuple[OrganizationRow, ...]:
    """What every organization has of a schedule."""
    instance = outcome.instance
    count = job_counts(instance, outcome.parallel)
    return tuple(
        OrganizationRow(
            name=name,
            machines=instance.machines[u],
            jobs=count[u],
            utility=outcome.utility[u],
            contribution=None if outcome.contribution is None else outcome.contribution[u],
            parts=outcome.parts[u],
        )
        for u, name in enumerate(instance.names)
    )


def job_counts(instance: SharingInstance, parallel: str) -> list[int]:
    """Jobs of each organization, as far as they start apart."""
    counts: list[int] = (np.diff(instance.first) if parallel == COPIES else instance.presented).tolist()
    return counts


def _coalition_rows(outcome: SharingOutcome) -> tuple[CoalitionRow, ...] | None:
    """Every coalition, where the rule knows them and they are few."""
    names = outcome.instance.names
    if outcome.coalitions is None or len(names) > COALITIONS_LISTED:
        return None
    return tuple(
        CoalitionRow(
            name="+".join(name for u, name in enumerate(names) if mask >> u & 1),
            value=outcome.coalitions.values[mask],
        )
        for mask in range(1, 2 ** len(names))
    )


def _opening(found: Setting) -> OpeningRow | None:
    if found.work is None:
        return None
    return OpeningRow(log=found.log, start=found.work.start, duration=found.until, load=Statistic(found.work.load))
