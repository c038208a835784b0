"""``run`` on scenarios of kind ``federation``: the schedule, and what everybody gets of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from ...mechanisms.federation import schedule as metrics
from ...mechanisms.federation.optimal import degree
from ...mechanisms.federation.schedule import Schedule, first_machines, local_makespans, local_totals, machine_owners
from ...scenarios.scenario import Scenario
from ...support.exact import Rational
from ...support.progress import Progress
from ..records import Rows
from .model import Alone, Model, alone, judged_totals, local_constraint, model, play, selfishness, social_cost
from .options import Run
from .records import JobRow, NoScheduleRecord, OrganizationRow, RunRecord

T = TypeVar("T")


def run(scenario: Scenario, options: Run, progress: Progress | None = None) -> RunRecord:
    """Schedule the federation by its rule, or judge the placement of a coordination mechanism.

    When the time limit strikes ``rule = "optimal"``, the best schedule known is judged and ``optimum_at_least`` is a
    proved bound.
    """
    m = model(scenario, options.mechanism)
    played = play(m, options.time_limit, progress)
    head: dict[str, Any] = {
        "kind": scenario.kind,
        "scenario": scenario.label,
        "method": played.optimum.method if played.optimum is not None else "policy" if m.played else "rule",
        "complete": played.complete,
        "lower_bound": metrics.lower_bound(m.federation),
    }
    if played.schedule is None:
        feasible = False if played.complete else None
        return NoScheduleRecord(verdict=feasible, feasible=feasible, **head)
    judged = alone(m)
    head["complete"] &= judged is None or all(row.best is not None for row in judged)
    fields = schedule_fields(m, played.schedule, judged, options.list)
    return RunRecord(
        jobs_left_out=m.federation.n_jobs - len(fields["jobs"]) or None,
        guess=played.guess,
        optimum_at_least=None if played.optimum is None else played.optimum.lower,
        **fields,
        **head,
    )


def schedule_fields(
    m: Model, schedule: Schedule, judged: Sequence[Alone] | None, listed: int | None = None
) -> dict[str, Any]:
    """The fields that follow from a schedule, whoever made it, and from what each could reach alone; so many jobs."""
    return {
        "jobs": _jobs(schedule, listed),
        "organizations": _organizations(m, schedule, judged),
        **_judged(m, schedule),
    }


def _judged(m: Model, schedule: Schedule) -> dict[str, Any]:
    """The fields that tell of the schedule as a whole."""
    federation, makespans = m.federation, schedule.makespans
    bound = metrics.lower_bound(federation)
    return {
        "social_cost": social_cost(m, schedule),
        "over_lower_bound": max(makespans) / bound if bound else None,
        "sum_of_makespans": sum(makespans, Fraction(0)),
        "jain": metrics.jain(federation, makespans),
        "stretch": metrics.stretch(federation, makespans),
        "cooperation": degree(schedule, local_makespans(federation, m.reference("lpt"))),
        "local_constraint": local_constraint(m, schedule).holds,
        "selfishness_restriction": selfishness(m, schedule).holds,
    }


def _jobs(schedule: Schedule, listed: int | None) -> Rows[JobRow]:
    """The first so many jobs, organization after organization."""
    federation = schedule.federation
    names, owner, first = federation.names, machine_owners(federation), first_machines(federation)

    def column(rows: Iterable[Iterable[T]]) -> tuple[T, ...]:
        return tuple(itertools.islice(itertools.chain.from_iterable(rows), listed))

    machines = column(schedule.machine)
    return Rows(
        JobRow,
        organization=column([name] * len(row) for name, row in zip(names, schedule.machine, strict=True)),
        job=column(range(1, len(row) + 1) for row in schedule.machine),
        host=tuple(names[owner[m]] for m in machines),
        machine=tuple(m - first[owner[m]] + 1 for m in machines),
        start=_in_time(column(schedule.start), federation.unit),
        end=_in_time(column(schedule.ends), federation.unit),
    )


def _in_time(counts: Sequence[Rational], unit: Fraction) -> tuple[Fraction, ...]:
    """Numbers of units as times."""
    return tuple(count * unit for count in counts)


def _organizations(m: Model, schedule: Schedule, judged: Sequence[Alone] | None) -> tuple[OrganizationRow, ...]:
    federation = m.federation
    if judged_totals(m)[0]:
        local = local_makespans(federation, m.reference("lpt"))
    else:
        local = local_totals(federation, m.reference("spt"))
    costs = schedule.totals if m.total else schedule.makespans
    bounds, stretches = metrics.lower_bounds(federation), metrics.stretches(federation, schedule.makespans)
    return tuple(
        OrganizationRow(
            name=org.name,
            local=local[k] * federation.unit,
            makespan=schedule.makespans[k],
            total_completion=schedule.totals[k],
            cost=costs[k],
            lower_bound=bounds[k],
            stretch=stretches[k],
            epsilon=None if judged is None else judged[k].epsilon,
            regret=None if judged is None else judged[k].regret,
            limit=None if judged is None or judged[k].best is not None else "size",
        )
        if org.jobs
        else OrganizationRow(name=org.name)
        for k, org in enumerate(federation.organizations)
    )
