"""``run`` on scenarios of kind ``sharing``: the schedule of a rule, and what each organization gets and gives."""

from __future__ import annotations

from typing import Final

import numpy as np

from ...mechanisms.sharing.outcome import SharingOutcome, throughput
from ...mechanisms.sharing.simulation import COPIES, simulate
from ...scenarios.scenario import Scenario
from ...support.progress import Progress, limited
from ..records import Statistic
from .model import Setting, is_random, measured, reference, rule_of, seeded, setting
from .options import Run
from .records import CoalitionRow, OpeningRow, OrganizationRow, RunRecord

COALITIONS_LISTED: Final = 6
"""Up to so many organizations the value of every coalition is part of a REF record."""


def run(scenario: Scenario, options: Run, progress: Progress | None = None) -> RunRecord:
    """Schedule the jobs by the scenario's rule, or by a custom one."""
    scenario, progress = seeded(scenario, options.seed), limited(progress, options.time_limit)
    setup, rule = setting(scenario), rule_of(scenario, options.mechanism)
    instance = setup.instance
    outcome = simulate(
        instance, until=setup.until, progress=progress, **rule.arguments(instance.machines, scenario.seed)
    )
    ideal = reference(instance, outcome.until, outcome, progress) if options.measure else None
    return RunRecord(
        kind=scenario.kind,
        scenario=scenario.label,
        method=outcome.method,
        complete=outcome.complete,
        seed=(scenario.seed or 0) if is_random(scenario, rule) else None,
        until=outcome.until,
        organizations=_organization_rows(outcome),
        value=sum(throughput(outcome)),
        **measured(outcome, ideal),
        utilization=outcome.utilization,
        schedule=tuple(outcome.rows(options.list)),
        ends=tuple((outcome.start + instance.length)[outcome.started[: options.list]].tolist()),
        schedule_left_out=max(0, len(outcome.started) - options.list),
        coalitions=_coalition_rows(outcome),
        window=_opening(setup),
    )


def _organization_rows(outcome: SharingOutcome) -> tuple[OrganizationRow, ...]:
    instance = outcome.instance
    jobs = np.diff(instance.first) if outcome.parallel == COPIES else instance.presented
    return tuple(
        OrganizationRow(
            name=name,
            machines=instance.machines[u],
            jobs=int(jobs[u]),
            utility=outcome.utility[u],
            contribution=None if outcome.contribution is None else outcome.contribution[u],
            parts=outcome.parts[u],
        )
        for u, name in enumerate(instance.names)
    )


def _coalition_rows(outcome: SharingOutcome) -> tuple[CoalitionRow, ...] | None:
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


def _opening(setup: Setting) -> OpeningRow | None:
    if setup.work is None:
        return None
    return OpeningRow(log=setup.log, start=setup.work.start, duration=setup.until, load=Statistic(setup.work.load))
