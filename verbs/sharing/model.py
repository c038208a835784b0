"""What stands behind a scenario of kind ``sharing``: instance, the log's windows, the fair reference."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from ...mechanisms.sharing.catalogue import REF_MAX
from ...mechanisms.sharing.instance import SharingInstance
from ...mechanisms.sharing.outcome import SharingOutcome, measures
from ...mechanisms.sharing.simulation import COPIES, simulate
from ...mechanisms.sharing.utilities import DEFAULT
from ...scenarios.reader import load
from ...scenarios.scenario import Scenario
from ...scenarios.sharing import SharingSpec
from ...support.errors import NotKeptError, TooLargeError
from ...support.progress import Progress
from ...workloads.log import Log
from ...workloads.reading import read_log
from ...workloads.resources import weighed
from ...workloads.windows import Plan, SharedWork
from ..records import Record


@dataclass(frozen=True, kw_only=True)
class SharingRecord(Record):
    """Base of the records of the pool: ``seed`` is that of a rule's choices, or of the windows of a log."""

    @property
    def sampled(self) -> bool:
        """Never: what was asked of a seed is answered for that seed."""
        return False


R = TypeVar("R", bound=SharingRecord)


def kept(record: R, failure: str | None) -> R:
    """The record, or NotKeptError with it where a store could not be written."""
    if failure is not None:
        raise NotKeptError(failure, record)
    return record


@dataclass(frozen=True)
class Setting:
    """What a scenario asks to be scheduled; ``work`` is the window when the jobs come from a log."""

    instance: SharingInstance
    until: int
    work: SharedWork | None = None
    log: str | None = None


def seeded(scenario: Scenario, seed: int | None) -> Scenario:
    """The scenario with another seed, where one is given; its certificates carry it too."""
    return scenario if seed is None else load(scenario, {"seed": seed})


def setting(scenario: Scenario, whole: bool = False) -> Setting:
    """Organizations, machines and jobs of a scenario; of its first window if they come from a log.

    ``whole``: of a window it is known which jobs are copies of one, even if the scenario's own rule does not ask.
    """
    spec: SharingSpec = scenario.spec
    if spec.trace is None:
        assert spec.until is not None  # the reader sees to it
        instance = SharingInstance.of(
            [o.machines for o in spec.organizations],
            [o.jobs for o in spec.organizations],
            [o.name for o in spec.organizations],
        )
        return Setting(instance, spec.until)
    log = scenario_log(scenario)
    work = plan(scenario, whole).window(log)
    return Setting(instance_of(work), work.until, work, log.name)


def instance_of(work: SharedWork) -> SharingInstance:
    """The jobs of a window as the rules take them, parallel ones whole where the window knows them."""
    if work.part_of is None:
        return SharingInstance.from_columns(work.machines, work.owner, work.release, work.length, names=work.names)
    assert work.estimate is not None  # they are asked for together
    first = np.flatnonzero(np.diff(work.part_of, prepend=-1))
    columns = (column[first] for column in (work.owner, work.release, work.length, work.estimate))
    owner, release, length, estimate = columns
    width = np.diff(first, append=len(work))
    return SharingInstance.from_columns(
        work.machines,
        owner,
        release,
        length,
        names=work.names,
        width=width if (width > 1).any() else None,  # sequential jobs need no more than the other kernels
        estimate=estimate,
    )


def scenario_log(scenario: Scenario) -> Log:
    """The log of a scenario's ``[trace]``, with billing units in the place of processors where it weighs resources."""
    trace = scenario.spec.trace
    return log_of(trace.file, scenario.folder, tuple((trace.weights or {}).items()))


@lru_cache(maxsize=2)
def log_of(file: str, folder: str | None, weights: tuple[tuple[str, str], ...] = ()) -> Log:
    """A log, read once for all verbs; see :func:`consortium.workloads.read_log`."""
    log = read_log(file, folder)
    return weighed(log, dict(weights)) if weights else log


def plan(scenario: Scenario, whole: bool = False) -> Plan:
    """How windows are cut from the scenario's log; ``whole`` as in :func:`setting`."""
    trace = scenario.spec.trace
    return Plan(
        trace.duration,
        trace.start,
        trace.machines,
        trace.organizations,
        trace.shares,
        trace.limit,
        seed=scenario.seed or 0,
        whole=whole or scenario.spec.mechanism.parallel != COPIES,
    )


def reference(
    instance: SharingInstance, until: int, outcome: SharingOutcome | None = None, progress: Progress | None = None
) -> SharingOutcome | None:
    """REF with timing ``next`` at ``until``; ``None`` with more organizations than it takes. May be ``outcome``."""
    if outcome is not None and (outcome.rule, outcome.timing, outcome.utility_name) == ("ref", "next", DEFAULT):
        return outcome
    if instance.n_organizations > REF_MAX:
        return None
    try:
        return simulate(instance, rule="ref", until=until, progress=progress)
    except TooLargeError:
        return None


def measured(outcome: SharingOutcome, ideal: SharingOutcome | None) -> dict[str, Any]:
    """``delta``, ``p_tot``, ``unfairness``; ``reference`` says what they were measured against, or why not."""
    if ideal is None or ideal.until != outcome.until:
        return {"delta": None, "p_tot": None, "unfairness": None, "reference": None}
    found = measures(outcome, ideal)
    return {
        "delta": found.delta,
        "p_tot": found.p_tot,
        "unfairness": found.unfairness,
        "reference": "ref, timing next" + ("" if outcome.parallel == COPIES else ", parallel jobs as copies"),
    }
