"""Claims about rules of kind ``sharing``: on the schedule and the contributions of a run, manipulations by ``verify``.

A run's schedule lists ``(start, organization, job, machine)`` by number; machines count through the organizations. Jobs
are those written in the scenario, ``[release, length, ...]`` in first-in-first-out order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from numpy.random import Generator

from ....support.exact import rational
from .verdict import LONGEST, Answer, Case, Decide, Hunting, UnfitError, Verdict, of_family, upto


@dataclass(frozen=True)
class Started:
    """A job that a run has started; numbers from 0."""

    start: int
    organization: int
    job: int
    machine: int
    release: int
    length: int

    @property
    def end(self) -> int:
        """When it ends if nothing stops it."""
        return self.start + self.length


@dataclass(frozen=True)
class Shared:
    """A run, its jobs and its machines."""

    record: Answer
    started: tuple[Started, ...]
    jobs: tuple[tuple[tuple[int, int], ...], ...]
    owners: tuple[int, ...]
    until: int

    @classmethod
    def of(cls, case: Case) -> Shared:
        """The run of a scenario whose jobs are written in it."""
        record, data = case.ask("run"), case.scenario.to_dict()
        rows = data["organizations"]
        jobs = tuple(tuple((int(job[0]), int(job[1])) for job in row.get("jobs", ())) for row in rows)
        owners = tuple(k for k, row in enumerate(rows) for _ in range(row.get("machines", 1)))
        started = tuple(
            Started(start, k - 1, i - 1, machine - 1, *jobs[k - 1][i - 1])
            for start, k, i, machine in sorted(record["schedule"])
        )
        return cls(record, started, jobs, owners, data["until"])

    def contributions(self) -> list[Fraction]:
        """Of every organization. Raises UnfitError for rules without."""
        values = [row["contribution"] for row in self.record["organizations"]]
        if None in values:
            raise UnfitError("the claim is about contributions, and this rule keeps none")
        return [rational(value) for value in values]


def _on_schedule(broken: Callable[[Shared], bool]) -> Decide:
    def decide(case: Case) -> Verdict:
        run = Shared.of(case)
        return Verdict(broken(run), None, {"run": {"schedule": run.record["schedule"]}})

    return decide


def _infeasible(run: Shared) -> bool:
    """A job before its release, or two at once on a machine."""
    free: dict[int, int] = {}
    for job in run.started:
        if job.start < max(job.release, free.get(job.machine, 0)):
            return True
        free[job.machine] = job.end
    return False


def _out_of_order(run: Shared) -> bool:
    """A later job of an organization before an earlier one."""
    last: dict[int, int] = {}
    for job in run.started:
        if job.job < last.get(job.organization, 0):
            return True
        last[job.organization] = job.job
    return False


def _lazy(run: Shared) -> bool:
    """A machine free while a released job waits, at a moment at which either becomes so."""
    starts = {(job.organization, job.job): job.start for job in run.started}
    moments = {job.end for job in run.started} | {release for row in run.jobs for release, _ in row}
    return any(
        sum(job.start <= t < job.end for job in run.started) < len(run.owners) and _waits(run, starts, t)
        for t in moments
        if t < run.until
    )


def _waits(run: Shared, starts: Mapping[tuple[int, int], int], t: int) -> bool:
    return any(
        release <= t < starts.get((k, i), run.until)
        for k, row in enumerate(run.jobs)
        for i, (release, _) in enumerate(row)
    )


def _worth(job: Started, until: int) -> int:
    """psi_sp of one job: every unit of work counts for as long as it has been done."""
    done = max(0, min(job.end, until) - job.start)
    return done * (until - job.start) - done * (done - 1) // 2


def _contributions(expected: Callable[[Shared, Case], tuple[list[Fraction], tuple[Mapping[str, Any], ...]]]) -> Decide:
    """Contributions, or their sum, beside what they must be."""

    def decide(case: Case) -> Verdict:
        run = Shared.of(case)
        contributions = run.contributions()
        right, twins = expected(run, case)
        broken = contributions != right if len(right) != 1 else sum(contributions) != right[0]
        rows = run.record["organizations"]
        expect = {"organizations": {row["name"]: {"contribution": row["contribution"]} for row in rows}}
        return Verdict(broken, None, {"run": expect}, twins)

    return decide


def _whole_value(run: Shared, case: Case) -> tuple[list[Fraction], tuple[Mapping[str, Any], ...]]:
    return [rational(run.record["value"])], ()


def _simplified_value(run: Shared, case: Case) -> tuple[list[Fraction], tuple[Mapping[str, Any], ...]]:
    """The oldest-first schedule is that of rule ``fifo``."""
    twin = case.twin({"mechanism": {"rule": "fifo"}})
    value = case.ask_of(twin, "run")["value"]
    return [rational(value)], (twin.variant({}, {"run": {"value": value}}),)


def _tally(run: Shared, case: Case) -> tuple[list[Fraction], tuple[Mapping[str, Any], ...]]:
    """psi_sp of the work done on each organization's machines."""
    worth = [Fraction(0)] * len(run.jobs)
    for job in run.started:
        worth[run.owners[job.machine]] += _worth(job, run.until)
    return worth, ()


def _nonnegative(case: Case) -> Verdict:
    run = Shared.of(case)
    contributions = run.contributions()
    least = min(range(len(contributions)), key=lambda k: contributions[k])
    row = run.record["organizations"][least]
    total = sum(map(abs, contributions))
    near = -contributions[least] / total if total else None
    expect = {"organizations": {row["name"]: {"contribution": row["contribution"]}}}
    return Verdict(contributions[least] < 0, near, {"run": expect})


def _no_gain(move: str) -> Decide:
    def decide(case: Case) -> Verdict:
        row = case.ask("verify", property=move)["manipulation"]
        gain = None if row["max_gain"] is None else Fraction(row["max_gain"])
        expect = {"manipulation": {"holds": False, "max_gain": row["max_gain"]}, "options": {"property": move}}
        return Verdict(not row["holds"], gain, {"verify": expect})

    return decide


CLAIMS: Final[Mapping[str, Decide]] = {
    "greedy": _on_schedule(_lazy),
    "first-in-first-out": _on_schedule(_out_of_order),
    "feasible": _on_schedule(_infeasible),
    "shares-the-whole-value": _contributions(_whole_value),
    "shares-the-simplified-value": _contributions(_simplified_value),
    "tally-equals-utility": _contributions(_tally),
    "contributions-nonnegative": _nonnegative,
    "no-gain-by-splitting": _no_gain("split"),
    "no-gain-by-merging": _no_gain("merge"),
    "no-gain-by-delaying": _no_gain("delay"),
    "no-gain-by-padding": _no_gain("pad"),
}
"""Every claim of the catalogue, and those that it refutes."""


def _parameters(base: Mapping[str, Any], rng: Generator, size: int) -> dict[str, Any]:
    parameters = {"organizations": upto(rng, 1, 2 + size), "fewest": 0, "jobs": 2 + size}
    return parameters | {"machines": 0, "most_machines": 2, "latest": LONGEST[upto(rng, 0, size + 2)] - 1}


HUNTING: Final = Hunting(CLAIMS, of_family(_parameters), ("organizations", "jobs", "machines", "longest"))
