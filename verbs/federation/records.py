"""What verbs on scenarios of kind ``federation`` answer: their records, each field declared once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from ...support.exact import Extended
from ...support.fields import col, row
from ..game.records import SearchRecord
from ..records import Record, Row

SCENARIOS = "complete scenarios that repeat this, with what they expect"


@row
class OrganizationRow(Row):
    """One organization's part; everything but the name is ``None`` without jobs."""

    name: str = col("name of the organization")
    local: Fraction | None = col(
        "what it reaches alone on its own machines: its makespan, or total completion time", unit="time", default=None
    )
    makespan: Fraction | None = col("end of its last job", unit="time", default=None)
    total_completion: Fraction | None = col("sum of the completion times of its jobs", unit="time", default=None)
    cost: Fraction | None = col("what it minimises: makespan or total completion time", unit="time", default=None)
    lower_bound: Fraction | None = col(
        "LB of its jobs alone on its own machines: no schedule there ends earlier", unit="time", default=None
    )
    stretch: Fraction | None = col("its makespan over its lower bound", unit="1", default=None)
    epsilon: Extended | None = col(
        "largest factor by which it can divide its cost by moving its jobs; coordination only", unit="1", default=None
    )
    regret: Extended | None = col(
        "most that it can save by moving its jobs; coordination only", unit="time", default=None
    )
    limit: str | None = col("size or time, which kept epsilon and regret unknown", optional=True, default=None)


@row
class JobRow(Row):
    """One job of the schedule."""

    organization: str = col("whose job it is")
    job: int = col("its number among the organization's jobs, from 1")
    host: str = col("organization on whose machine it runs")
    machine: int = col("number of the machine within the host, from 1")
    start: Fraction = col("when it starts", unit="time")
    end: Fraction = col("when it ends", unit="time")


@row
class RunRecord(Record):
    """A schedule of the federation, judged."""

    verb: ClassVar[str] = "run"
    main: ClassVar[str] = "organizations"
    organizations: tuple[OrganizationRow, ...] = col("everybody's part", default=())
    social_cost: Fraction | None = col(
        "end of the last job, or the sum of all completion times", unit="time", default=None
    )
    over_lower_bound: Fraction | None = col(
        "makespan of all over the lower bound; none without jobs", unit="1", default=None
    )
    sum_of_makespans: Fraction | None = col("sum of the organizations' makespans", unit="time", default=None)
    lower_bound: Fraction = col(
        "LB: no schedule of all jobs on all machines ends earlier", label="lower bound LB", unit="time"
    )
    jain: Fraction | None = col(
        "Jain's fairness index of the organizations' makespans over their lower bounds, 1 is fairest",
        label="Jain index of makespan / LB",
        unit="1",
        default=None,
    )
    stretch: Fraction | None = col(
        "largest makespan of an organization over its lower bound",
        label="stretch (largest makespan / LB)",
        unit="1",
        default=None,
    )
    cooperation: Fraction | None = col(
        "largest makespan of an organization over what it reaches alone, at least 1",
        label="cooperation (largest makespan / local, at least 1)",
        unit="1",
        default=None,
    )
    local_constraint: bool | None = col("whether nobody ends later than alone", default=None)
    selfishness_restriction: bool | None = col(
        "whether no guest delays a job of the organization that owns the machine", default=None
    )
    jobs: tuple[JobRow, ...] = col("where and when every job runs", default=())
    jobs_left_out: int | None = col("how many jobs are not listed", optional=True, default=None)
    guess: Fraction | None = col(
        "guess of the optimal makespan at which a relaxed algorithm ended",
        label="guess of the optimum",
        unit="time",
        optional=True,
        default=None,
    )
    feasible: bool | None = col("whether any schedule meets the constraints", optional=True, default=None)
    optimum_at_least: Fraction | None = col(
        "proved bound: no schedule that meets the constraints costs less", unit="time", optional=True, default=None
    )


@row
class NoScheduleRecord(RunRecord):
    """No schedule: ``feasible`` is False where there is none, ``None`` where the limit came before one was found."""

    feasible: bool | None = col("whether any schedule meets the constraints; none: not known")
    optimum_at_least: Fraction | None = col(
        "proved bound: no schedule that meets the constraints costs less", unit="time", default=None
    )


# --- search ---------------------------------------------------------------------------------------------------------


@row
class MoveRow(Row):
    """A placement of an organization's jobs."""

    organization: str = col("who moves")
    placement: tuple[str, ...] = col("host of each of its jobs")


@row
class ExclusionRow(Row):
    """No placement in which nobody gains by the moves has such a social cost."""

    no_equilibrium: str = col("above or below the social cost, or at all")
    social_cost: Fraction | None = col("where the excluded social costs begin", unit="time")
    factor: Fraction = col("factor beyond which a move counts as a gain", unit="1")
    addend: Fraction = col("saving beyond which a move counts as a gain", unit="time")
    strict: bool = col("whether a move must gain strictly more than factor and addend say")
    moves: tuple[MoveRow, ...] = col("moves that are tried against every placement")


@row
class TreeRow(Row):
    """No equilibrium has costs up to ``at_most`` of which the largest, or the payer's, is at least ``at_least``."""

    at_least: Fraction = col("least excluded cost", unit="time")
    at_most: Fraction | None = col("largest cost considered; none: no cost is too large", unit="time")
    payer: str | None = col("organization whose cost is meant; none: the largest of all")
    nodes: int = col("nodes of the tree", format=",")
    decisions: str | None = col("what became of every node, one word each; none where they are too many to keep")


@row
class CertificateRow(Row):
    """What cuts and trees prove, and scenarios that repeat the verdicts."""

    claims: tuple[ExclusionRow, ...] = col("social costs that no equilibrium has, each with the moves that exclude it")
    trees: tuple[TreeRow, ...] | None = col("trees of a branch and bound over home loads", optional=True, default=None)
    replay: tuple[Mapping[str, Any], ...] = col(SCENARIOS, evidence=True)


@row
class FederationSearchRecord(SearchRecord):
    """Equilibria of the placement game, and the least makespan of all schedules beside that of all placements."""

    unconstrained_optimum: Fraction | None = col(
        "least makespan of all schedules of all jobs on all machines",
        label="makespan: optimum of all schedules",
        unit="time",
    )
    theorem: str | None = col("theorem by which an equilibrium exists; none: no theorem covers the game")
    proof: str | None = col(
        "what vouches for the theorem: a file of theorems/ that Coq has checked, or on paper",
        optional=True,
        default=None,
    )
    certificate: CertificateRow | None = col(
        "what a method without a table has proved", evidence=True, optional=True, default=None
    )


@row
class JointMoveRow(Row):
    """Placements of the jobs of all members of a coalition."""

    moves: tuple[MoveRow, ...] = col("one for each member")


@row
class CoalitionExclusionRow(Row):
    """Nothing that no coalition upsets has a social cost from ``at_least`` to ``at_most``."""

    at_least: Fraction = col("least excluded social cost", unit="time")
    at_most: Fraction = col("largest excluded social cost", unit="time")
    equilibria: int | None = col(
        "so many, told apart by loads, have such a cost, and each is upset by one of the joint moves; none: no "
        "placement withstands all the moves, of one organization and joint"
    )
    moves: tuple[MoveRow, ...] = col("moves of one organization")
    joint_moves: tuple[JointMoveRow, ...] = col("moves of coalitions")


@row
class CoalitionCertificateRow(Row):
    """What is proved of stable placements beside what is known of the equilibria."""

    claims: tuple[CoalitionExclusionRow, ...] = col("social costs that no stable placement has")


# --- verify ---------------------------------------------------------------------------------------------------------


@row
class GainRow(Row):
    """The organization that gains the largest factor by moving its jobs."""

    organization: str = col("who gains")
    placement: tuple[str, ...] = col("where it puts its jobs instead")
    cost: Extended = col("its cost now", unit="time")
    better: Extended | None = col("its cost after the move", unit="time")
    replay: tuple[Mapping[str, Any], ...] = col(SCENARIOS, evidence=True)


@row
class EquilibriumRow(Row):
    """How far the placement is from an equilibrium."""

    holds: bool | None = col("whether nobody gains by moving its jobs; none: not computed")
    epsilon: Extended | None = col(
        "largest factor by which an organization divides its cost", label="epsilon (multiplicative)", unit="1"
    )
    regret: Extended | None = col("most that an organization saves", label="regret (additive)", unit="time")
    witness: GainRow | None = col("who gains, and how", evidence=True)
    limit: str | None = col("size or time, which kept something unknown", optional=True, default=None)


@row
class WitnessRow(Row):
    """Who breaks a condition."""

    organization: str | None = col("whom it concerns; none: the whole federation")
    job: int | None = col("number of the job, from 1; none where no single job breaks it")
    value: Fraction | None = col("what was measured")
    bound: Fraction | None = col("what it may be at most")


@row
class ClaimRow(Row):
    """A promise of the rule."""

    holds: bool | None = col("whether it is kept here; none: open")
    witness: WitnessRow | None = col("who breaks it", evidence=True)
    limit: str | None = col("checker, where nobody can check it here", optional=True, default=None)


@row
class JointGainRow(Row):
    """The coalition that gains."""

    members: tuple[str, ...] = col("who deviates together")
    placement: Mapping[str, Sequence[str]] = col("everybody's hosts after the deviation")
    costs_before: Mapping[str, Extended] = col("the members' costs before", unit="time")
    costs_after: Mapping[str, Extended] = col("the members' costs afterwards", unit="time")
    replay: tuple[Mapping[str, Any], ...] = col(SCENARIOS, evidence=True)


@row
class CoalitionRow(Row):
    """Whether no coalition of at most ``size`` organizations gains."""

    notion: str = col("when a joint deviation counts as a gain")
    size: int = col("most members of a coalition")
    holds: bool | None = col("whether none gains; none: not known")
    witness: JointGainRow | None = col("who gains, and how", evidence=True)
    limit: str | None = col("size or time, where that kept it from being known", optional=True, default=None)


@row
class VerifyRecord(Record):
    """Equilibrium of a placement, constraints, and promises of the rule."""

    verb: ClassVar[str] = "verify"
    main: ClassVar[str] = "verdicts"
    equilibrium: EquilibriumRow | None = col("whether the placement is one; coordination only")
    coalition: CoalitionRow | None = col("whether no coalition gains, where it was asked", optional=True, default=None)
    local_constraint: bool = col("whether nobody ends later than alone")
    selfishness_restriction: bool = col("whether no guest delays a job of the organization that owns the machine")
    witnesses: Mapping[str, WitnessRow] = col("who breaks the constraints that fail, by constraint")
    claims: Mapping[str, ClaimRow] = col("what the rule promises, and the claim asked about, by name")


# --- prove ----------------------------------------------------------------------------------------------------------


@row
class GameRow(Row):
    """A game of the shape."""

    lengths: Mapping[str, Sequence[Fraction]] = col("lengths of each organization's jobs", unit="time")
    replay: tuple[Mapping[str, Any], ...] = col(SCENARIOS, evidence=True)


@row
class AreaRow(Row):
    """Where in a plane a placement is an equilibrium."""

    placement: Mapping[str, Sequence[str]] | None = col(
        "hosts of each organization's jobs, the longest first; none: no placement is an equilibrium there"
    )
    share: Fraction = col("share of the plane", unit="1")
    polygons: Sequence[Sequence[Sequence[Fraction]]] = col("convex polygons, by their corners x and y", evidence=True)


@row
class PlaneRow(Row):
    """A plane of two lengths, all others fixed."""

    lengths: Mapping[str, Sequence[Any]] = col("lengths of each organization's jobs, x and y free")
    areas: tuple[AreaRow, ...] = col("who is where; what they leave of the plane is not decided")


@row
class ShapeCertificateRow(Row):
    """The certificate that was found."""

    sha256: str = col("SHA-256 of its JSON, before it is packed, in hexadecimal digits")
    size: int = col("length of its JSON", unit="B", format=",")
    file: str | None = col("where it was written", hidden=True, default=None)


@row
class ProveRecord(Record):
    """What holds for all lengths of the jobs."""

    verb: ClassVar[str] = "prove"
    property: str = col("what was asked")
    status_: str = col("proved, refuted or open; without a bound asked about proved means that the value is exact")
    value: Fraction | None = col(
        "largest price, ratio or least epsilon of all games; none: not known exactly", unit="1"
    )
    at_least: Fraction | None = col("lower bound on it", unit="1")
    at_most: Fraction | None = col("upper bound on it", unit="1")
    attained: bool | None = col("whether some game has the value; no: it is only approached; none: not known")
    by: str | None = col("theorem or certificate, whichever answers; none: there is no certificate of it")
    theorem: str | None = col("name of the theorem that answers, or that bounds what is open from above")
    regions: int | None = col("regions into which the lengths were divided, or paths of the rule", format=",")
    proof: str | None = col(
        "what vouches for the theorem: a file of theorems/ that Coq has checked, or on paper",
        optional=True,
        default=None,
    )
    decided: Fraction | None = col(
        "share that was decided, where not all was: of all lengths, or for the price of anarchy of all placements, for "
        "a ratio of the paths that are known",
        unit="1",
        optional=True,
        default=None,
    )
    next: Mapping[str, Sequence[Fraction]] | None = col(
        "a game that is not decided: lengths of each organization's jobs", unit="time", optional=True, default=None
    )
    witness: GameRow | None = col("the game that refutes, or one that attains the value", evidence=True)
    certificate: ShapeCertificateRow | None = col("the certificate of what is proved", evidence=True)
    plane: PlaneRow | None = col(
        "a plane of two lengths, and which placement is an equilibrium where in it", optional=True, default=None
    )
