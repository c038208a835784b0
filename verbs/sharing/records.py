"""What verbs on scenarios of kind ``sharing`` and audits of logs answer: their records, each field declared once."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar, TypeVar

from ...support.errors import NotKeptError
from ...support.exact import Rational
from ...support.fields import col, row
from ..records import CompareRecord, Record, Row, Statistic

SCENARIOS = "complete scenarios that repeat this, with what they expect"


@row
class SharingRecord(Record):
    """Base of the records of the pool: ``seed`` is that of a rule's choices, or of the windows of a log."""

    @property
    def sampled(self) -> bool:
        """Never: what was asked of a seed is answered for that seed."""
        return False


R = TypeVar("R", bound=SharingRecord)


def kept(record: R, failure: str | None) -> R:
    """The record, or NotKeptError with it where a file could not be written."""
    if failure is not None:
        raise NotKeptError(failure, record)
    return record


# --- run ------------------------------------------------------------------------------------------------------------


@row
class OrganizationRow(Row):
    """One organization's part of a schedule."""

    name: str = col("name of the organization")
    machines: int = col("machines that it owns", format=",")
    jobs: int = col(
        "its jobs; a parallel job counts once where it starts on all its machines at once, else once for each machine",
        format=",",
    )
    utility: Rational = col("psi_sp at the end, or the chosen utility; times enter negated")
    contribution: Fraction | None = col("the rule's own contribution at the end; none: the rule knows none")
    parts: int = col("machine time that its jobs got", unit="time", format=",")


@row
class CoalitionRow(Row):
    """One coalition."""

    name: str = col("names of its members, joined by +")
    value: Rational = col("sum of the members' utilities in its own schedule")


@row
class OpeningRow(Row):
    """The window of a log that was scheduled."""

    log: str | None = col("name of the log")
    start: int = col("its opening, after the log's first submission", unit="s", format=",")
    duration: int = col("its length", unit="s", format=",")
    load: Statistic = col("work submitted in it over what the machines can do in it", unit="1")


@row
class RunRecord(SharingRecord):
    """One schedule, and how far it is from that of REF, in psi_sp whatever utility the rule was run for."""

    verb: ClassVar[str] = "run"
    main: ClassVar[str] = "organizations"
    until: int = col("the moment at which everything is evaluated", unit="time", format=",")
    organizations: tuple[OrganizationRow, ...] = col("everybody's part")
    value: int = col("sum of psi_sp of all organizations", label="value (sum of utilities)")
    delta: int | None = col(
        "sum of the distances from the fair utilities", label="delta: distance from the fair utilities"
    )
    p_tot: int | None = col(
        "unit parts of work done in the fair schedule", label="p_tot: unit parts done in the fair schedule"
    )
    unfairness: Fraction | None = col("delta over p_tot", label="unfairness = delta / p_tot")
    reference: str | None = col("what delta was measured against; none: it was not measured")
    utilization: Fraction | None = col("part of the machine time in use; none without machines", unit="1")
    schedule: tuple[tuple[int, int, int, int], ...] = col(
        "start, organization, job and machine of every job started; numbers from 1"
    )
    ends: tuple[int, ...] = col("end of each row of the schedule", unit="time")
    schedule_left_out: int = col("jobs started that are not listed", format=",")
    coalitions: tuple[CoalitionRow, ...] | None = col(
        "value of every coalition, where the rule knows them and they are few", optional=True, default=None
    )
    window: OpeningRow | None = col("the window of the log, where the jobs come from one", optional=True, default=None)


# --- verify ---------------------------------------------------------------------------------------------------------


@row
class WitnessRow(Row):
    """A move that pays, and two runs that show it."""

    organization: str = col("who moves")
    move: str = col("split, merge, delay or pad")
    job: int = col("number of the job, from 1 in starting order")
    amount: int | None = col("by how much: parts, units of time; none where the jobs say it", default=None)
    jobs: tuple[tuple[int, int], ...] = col("its jobs as presented: release and length of each")
    utility_as_is: int = col("its utility as its jobs are")
    utility_with_move: int = col("its utility of the true work as presented", label="utility with the move")
    gain: int = col("by how much the move pays")
    replay: tuple[Mapping[str, Any], ...] = col(f"{SCENARIOS}; none for a custom rule", evidence=True)


@row
class BestMoveRow(Row):
    """The best move of one organization, whether or not it pays."""

    name: str = col("name of the organization")
    cases: int = col("moves tried", format=",")
    move: str | None = col("the best of them; none: it has no moves")
    max_gain: int | None = col("its gain, 0 or negative where no move pays")


@row
class ManipulationRow(Row):
    """The largest gain; the organization and its move where one pays."""

    holds: bool = col("whether no move that was tried pays")
    organization: str | None = col("who gains most; none where no move pays")
    move: str | None = col("the move that gains most; none where no move pays")
    cases: int = col("moves tried", format=",")
    max_gain: int | None = col("largest gain, 0 or negative where no move pays; none without moves")
    witness: WitnessRow | None = col("the move that pays most", evidence=True)
    each: tuple[BestMoveRow, ...] | None = col(
        "the best move of each organization, where several were looked at", optional=True, default=None
    )


@row
class ExampleRow(Row):
    """Schedules that an axiom compares, and what they are worth."""

    moment: int = col("when they are evaluated", unit="time")
    schedules: tuple[tuple[tuple[int, int], ...], ...] = col("start and length of each job of each schedule")
    values: tuple[Rational, ...] = col("what each schedule is worth")


@row
class AxiomRow(Row):
    """One axiom of the utility."""

    holds: bool = col("whether all small cases keep it")
    cases: int = col("cases looked at", format=",")
    counterexample: ExampleRow | None = col("a case that breaks it", evidence=True)


@row
class VerifyRecord(SharingRecord):
    """Moves of organizations, and axioms of the utility."""

    verb: ClassVar[str] = "verify"
    main: ClassVar[str] = "verdicts"
    manipulation: ManipulationRow | None = col("moves that were tried; none for a utility in which they are not judged")
    utility: str = col("the utility whose axioms are checked")
    axioms: Mapping[str, AxiomRow] = col("axioms by name")


# --- several rules on the same jobs ---------------------------------------------------------------------------------


@row
class ShareRow(Row):
    """What an organization got under a rule, what REF gives it, and what it contributes."""

    rule: str = col("label of the rule")
    scenario: str = col("title or name of the scenario")
    name: str = col("name of the organization")
    utility: int = col("psi_sp under the rule")
    fair: int | None = col("psi_sp in the schedule of REF; none: too many organizations")
    contribution: Fraction | None = col("its Shapley value; none: too many organizations")


@row
class WindowRow(Row):
    """One window of a log."""

    window: int = col("its number, from 1")
    start: int = col("its opening, after the log's first submission", unit="s", format=",")
    opens: str | None = col(
        "date of its opening on the cluster's clock, where the log says dates", optional=True, default=None
    )
    jobs: int = col("sequential jobs submitted in it", format=",")
    running: int | None = col(
        "sequential jobs that ran when it opened, where it opens on the busy cluster",
        optional=True,
        default=None,
        format=",",
    )
    waiting: int | None = col("sequential jobs that waited then", optional=True, default=None, format=",")
    provisional: bool | None = col(
        "whether the log ended before it did, or before one of its jobs", optional=True, default=None
    )
    load: Statistic = col("work submitted in it over what the machines can do in it", unit="1")
    p_tot: int = col("unit parts of work done in the schedule of REF", format=",")
    machines: tuple[int, ...] = col("machines of each organization")
    unfairness: Mapping[str, Statistic] = col("unfairness of every rule by label", unit="s")
    to_others: Mapping[str, Statistic] | None = col(
        "what one loses to another under every rule by label", unit="s", optional=True, default=None
    )


@row
class SharingCompareRecord(SharingRecord, CompareRecord):
    """Rules side by side; on a log's windows, unfairness is the mean, deviation the population standard deviation."""

    organizations: tuple[ShareRow, ...] = col("what everybody got under each rule")
    windows: tuple[WindowRow, ...] | None = col("the windows of the log", optional=True, default=None)
