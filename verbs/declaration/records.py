"""What verbs on scenarios of kind ``declaration`` answer: their records, each field declared once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from ...games.declaration.curve import Curve as UtilityCurve
from ...mechanisms.declaration.prices import Formula, OwnFormulas
from ...scheduling.welfare import Value
from ...support.exact import Extended
from ...support.fields import col, row
from ...support.status import Status
from ..game.records import DynamicsRow, LearningRow, SearchRecord
from ..records import Record, Row

SCENARIOS = "complete scenarios that repeat this, with what they expect"


@row
class AgentRow(Row):
    """One agent's part."""

    name: str = col("name of the agent")
    length: Fraction = col("private length of the job, in units of work")
    declares: Fraction = col("declared length")
    stayed: bool = col("whether the agent did not leave once the price was known")
    machine: int | None = col("number of the machine, from 1; none for who left")
    position: int | None = col("place in the order of the machine, from 1; none for who left")
    planned: Extended | None = col("output time if all declarations were true: T_n(b,b)", unit="time")
    output: Extended | None = col("actual output time: T_n(b,theta); none for who left", unit="time")
    payment: Extended = col("what the agent pays", unit="time")
    utility: Extended = col("value minus output time minus payment", unit="time")
    penalty: Fraction | None = col("share or wait, no payment, of the job if it is longer than declared")
    controls: tuple[str, ...] = col("tools of job control that were applied, in order of time")
    work: tuple[tuple[Fraction, Fraction, Fraction], ...] = col("pieces of work: from, to, share of the machine")
    killed: bool = col("whether the job was killed")


@row
class WelfareRow(Row):
    """The maximised goal by plan and in the end."""

    planned: Value | None = col("of the planned output times", label="welfare, planned")
    final: Value = col("of the actual output times", label="welfare, final")


@row
class OfferRow(Row):
    """What the first of two rounds offers an agent."""

    name: str = col("name of the agent")
    planned: Extended = col("output time that is offered", unit="time")
    payment: Extended = col("price that is asked", unit="time")


@row
class RunRecord(Record):
    """One run of a declaration mechanism."""

    verb: ClassVar[str] = "run"
    main: ClassVar[str] = "agents"
    agents: tuple[AgentRow, ...] = col("everybody's part, in the order of the file")
    optimal_sum: Fraction | None = col(
        "S(b): smallest sum of output times of the declarations; of two rounds, in the first",
        label="smallest sum of output times S(b)",
        unit="time",
    )
    rent: Extended = col("sum of all payments", label="rent (sum of payments)", unit="time")
    welfare: WelfareRow = col("what the institution maximises")
    first_round: tuple[OfferRow, ...] | None = col("the offer of the first of two rounds", optional=True, default=None)


# --- search ---------------------------------------------------------------------------------------------------------


@row
class StrategiesRow(Row):
    """A profile of strategies under the prior."""

    strategies: Mapping[str, Mapping[str, Fraction]] = col("what each agent declares, by length")
    social_cost: Extended = col("expected social cost")


@row
class BayesNashRow(Row):
    """Pure Bayes-Nash equilibria, counted over all profiles of strategies."""

    profiles: int = col("profiles of strategies there are", label="profiles of strategies", format=",")
    count: int | None = col("how many are equilibria; none: not counted", label="equilibria")
    best: StrategiesRow | None = col("one of least expected social cost")
    worst: StrategiesRow | None = col("one of largest expected social cost")
    first_best: Extended | None = col(
        "least expected social cost of a schedule of the true lengths", label="expected social cost: first best"
    )
    price_of_anarchy: Fraction | None = col(
        "expected social cost of the worst equilibrium over the first best",
        label="price of anarchy (worst equilibrium against first best)",
        unit="1",
    )


@row
class DeclarationSearchRecord(SearchRecord):
    """Equilibria of the declaration game at the true lengths."""

    dynamics: DynamicsRow | RealDynamicsRow | LearningRow | None = col(
        "where best responses, or learning, lead from the start"
    )
    bayes_nash: BayesNashRow | None = col(
        "equilibria under the prior, where they were asked for", optional=True, default=None
    )
    first_best: Extended | None = col(
        "least social cost of a schedule of the true lengths, whatever the rule",
        label="social cost: first best, of all schedules",
        optional=True,
        default=None,
    )
    price_over_first_best: Fraction | None = col(
        "social cost of the worst equilibrium over the first best",
        label="price of anarchy against the first best",
        unit="1",
        optional=True,
        default=None,
    )


@row
class ReplyRow(Row):
    """An agent's best reply among all numbers, the others as they declare."""

    agent: str = col("name of the agent")
    utility: Extended = col("utility of the agent's declaration", unit="time")
    supremum: Extended = col("least upper bound of the utilities of all declarations", unit="time")
    attained: bool = col("whether a declaration has it")


@row
class RealDynamicsRow(DynamicsRow):
    """Best-response dynamics over all positive declarations."""

    ended: str = col("how they ended: equilibrium, cycle, no-best-reply, rounds or stopped")
    replies: tuple[ReplyRow, ...] | None = col(
        "everybody's best reply to the last profile, which proves how they ended", optional=True, default=None
    )


# --- verify ---------------------------------------------------------------------------------------------------------


@row
class LieRow(Row):
    """A lie that pays, with the two runs that show it."""

    agent: str = col("who lies")
    length: Fraction = col("the liar's length", label="true length")
    lie: Fraction = col("what is declared instead")
    declarations: Mapping[str, Fraction] = col("everybody's declarations", label="everybody declares")
    lengths: Mapping[str, Fraction] = col("everybody's lengths", label="true lengths")
    utility_truth: Extended = col("the liar's utility without the lie", label="utility of the truth", unit="time")
    utility_lie: Extended = col("the liar's utility", label="utility of the lie", unit="time")
    gain: Extended = col("what the lie gains", unit="time")
    replay: tuple[Mapping[str, Any], ...] = col(SCENARIOS, evidence=True)


@row
class IncentiveRow(Row):
    """Whether the truth is a best reply, in one of the two senses."""

    holds: bool | None = col("whether no lie pays; none: open")
    cases: int = col("comparisons of the truth with one lie that were made")
    total: int | None = col("comparisons there are; none: random cases")
    max_gain: Extended | None = col(
        "largest utility of a lie minus that of the truth; below 0, all lies cost", unit="time"
    )
    witness: LieRow | None = col("the lie of largest gain", evidence=True)


@row
class PropertyRow(Row):
    """One property on the domain."""

    holds: bool | None = col("whether it holds everywhere; none: open")
    cases: int = col("situations tried")
    witness: Mapping[str, Any] | None = col("a situation where it fails, and the numbers that disagree", evidence=True)


@row
class DomainRow(Row):
    """What was tried."""

    lengths: Mapping[str, tuple[Fraction, ...]] = col("possible private lengths, by agent")
    declarations: Mapping[str, tuple[Fraction, ...]] = col("possible declarations, by agent")
    left_out: Mapping[str, Fraction] | None = col(
        "true lengths of the scenario that were not tried, by agent", optional=True, default=None
    )


@row
class InterimRow(Row):
    """A lie that pays in expectation."""

    agent: str = col("who lies")
    length: Fraction = col("the liar's length")
    lie: Fraction = col("what is declared instead")
    interim_truth: Extended = col("utility that the liar expects of the truth", label="expected utility of the truth")
    interim_lie: Extended = col("utility that the liar expects of the lie", label="expected utility of the lie")


@row
class ExpectedRow(Row):
    """Expectations before anybody knows a length, all truthful; ``None`` where there is no such number."""

    utilities: Mapping[str, Extended | None] = col("expected utility, by agent", label="expected utilities")
    rent: Extended | None = col("expected sum of all payments", label="expected rent")
    welfare: Extended | None = col("expected goal", label="expected welfare")


@row
class BayesianRow(Row):
    """Whether the truth is a best reply in expectation under the prior."""

    holds: bool | None = col(
        "whether no lie pays in expectation; none: open", label="truth is a best reply in expectation (Bayesian)"
    )
    cases: int = col("pairs of a length and a lie that were compared")
    total: int = col("pairs of a length and a lie there are")
    max_gain: Extended | None = col("largest expected gain", label="largest expected gain from a lie")
    witness: InterimRow | None = col("the lie of largest expected gain", evidence=True)
    interim: Mapping[str, Mapping[str, Mapping[str, Extended]]] = col(
        "expected utility by agent, length and declaration, the others truthful"
    )
    least_interim_utility: Extended | None = col(
        "least expected utility of the truth", label="least expected utility, own length known"
    )
    expected: ExpectedRow | None = col("expectations before anybody knows a length")


@row
class TransferRow(Row):
    """A side payment after the lie."""

    from_: str = col("who pays")
    to: str = col("who receives")
    amount: Fraction = col("how much", unit="time")


@row
class GroupLieRow(Row):
    """A joint lie that pays."""

    members: tuple[str, ...] = col("who lies together")
    lengths: Mapping[str, Fraction] = col("everybody's lengths", label="true lengths")
    declarations: Mapping[str, Fraction] = col("everybody's declarations", label="everybody declares")
    utilities_truth: Mapping[str, Extended] = col(
        "the members' utilities without the lie", label="utilities of the truth", unit="time"
    )
    utilities_lie: Mapping[str, Extended] = col("the members' utilities", label="utilities of the lie", unit="time")
    transfers: tuple[TransferRow, ...] | None = col(
        "side payments after which all members gain; only for the notion total", optional=True, default=None
    )
    replay: tuple[Mapping[str, Any], ...] = col(SCENARIOS, evidence=True)


@row
class GroupConceptRow(Row):
    """Whether no joint lie pays, in one of the two senses."""

    holds: bool | None = col("whether no joint lie pays; none: open")
    cases: int = col("joint lies that were compared with the truth")
    max_gain: Extended | None = col("largest gain of a joint lie; none where it holds", unit="time")
    witness: GroupLieRow | None = col("the joint lie of largest gain", evidence=True)


@row
class GroupRow(Row):
    """Group strategyproofness."""

    notion: str = col("when a joint lie pays")
    sizes: tuple[int, ...] = col("numbers of members meant")
    dominant: GroupConceptRow = col("whatever the others declare")
    ex_post: GroupConceptRow = col("when the others tell the truth")


@row
class VerifyRecord(Record):
    """Incentive compatibility and the other properties, case by case."""

    verb: ClassVar[str] = "verify"
    main: ClassVar[str] = "verdicts"
    dominant: IncentiveRow = col("whether the truth is a best reply whatever the others declare")
    ex_post: IncentiveRow = col("whether the truth is a best reply when the others tell the truth")
    bayesian: BayesianRow | None = col(
        "whether the truth is a best reply in expectation, where there is a prior", optional=True, default=None
    )
    properties: Mapping[str, Any] = col("the other properties by name; any_others has those of Definition 4.6")
    group: GroupRow | None = col("whether no joint lie pays, where it was asked", optional=True, default=None)
    domain: DomainRow = col("what was tried")


# --- prove ----------------------------------------------------------------------------------------------------------


@row
class SafeRow(Row):
    """The safe values of a number of the scenario, an interval; both ends are none where no value is safe."""

    symbol: str = col("name of the number")
    from_: Fraction | None = col("least safe value, or what all are above")
    to: Fraction | None = col("largest safe value, or what all are below; none: no upper end")
    from_included: bool = col("whether the lower end is safe")
    to_included: bool = col("whether the upper end is safe")
    refuted_at: Fraction | None = col("a value that fails, next to an end; none where all values are safe")


@row
class RegionRow(Row):
    """Lengths and declarations with which a lie pays; ``theta1`` and ``b1`` are those of the first agent."""

    agent: str = col("who lies")
    where: tuple[str, ...] = col("inequalities between lengths (theta) and declarations (b), agents as in the file")
    gain: str = col("what the lie gains there", label="gain there")
    most: Extended = col("how many times the liar's length the gain is at most; inf: without a bound", unit="1")


@row
class LiesAreaRow(Row):
    """The part of the plane of the liar's length x and declaration y that is in a region, the others as in the lie."""

    region: int = col("number of the region, from 1")
    share: Fraction = col("share of the plane", unit="1")
    polygons: Sequence[Sequence[Sequence[Fraction]]] = col("convex polygons, by their corners x and y", evidence=True)


@row
class RegionsRow(Row):
    """All lengths and declarations with which a lie pays."""

    complete: bool = col("whether they are all")
    most: Extended | None = col(
        "least number such that no lie gains more than so many times the liar's length; inf: there is none; none: not "
        "known",
        label="gains at most, times the length",
        unit="1",
    )
    lies: tuple[RegionRow, ...] = col("regions in which a lie pays")
    plane: tuple[LiesAreaRow, ...] = col("them where all but the liar are as in the lie found", evidence=True)


@row
class SlopesRow(Row):
    """How fast the full price, payment and planned time, rises with an agent's own declaration."""

    branches: tuple[tuple[Fraction, Fraction], ...] = col(
        "for each branch of the price's formula: so many times the slope of S, plus a number"
    )
    within: str = col(
        "what they are never above: the time of a unit on the fastest machine (machine), or the slope of S"
    )


@row
class ProofRow(Row):
    """One statement for all lengths."""

    holds: bool | None = col("whether it is true; none: open")
    status: str = col("proved, refuted or open")
    scope: str = col("for which agents, machines and lengths")
    cells: int = col("cells (cases of all comparisons of both runs) that were looked at")
    lemmas: int = col("lemmas: sets of comparisons that were proved to exclude each other")
    max_gain: Extended | None = col("gain of the lie found, which need not be the largest", unit="time")
    method: str | None = col(
        "how it was decided: by the slope of the price, by the reduction, for any-allocation or by the code; none: open"
    )
    limit: str | None = col(
        "what left it open: time, ctrl-c, cells, agents (too many), inconclusive, refused or not-asked; none: decided"
    )
    allocations: str | None = col(
        "allocation rules for which it is proved, if not only the mechanism's: all, or those of smallest-sum",
        optional=True,
        default=None,
    )
    slopes: SlopesRow | None = col(
        "what the price's formula shows, where it decides", evidence=True, optional=True, default=None
    )
    refuses: bool | None = col(
        "whether declarations are left out, which the mechanism refuses", optional=True, default=None
    )
    gain_at_most: Fraction | None = col(
        "how many times the liar's length a lie may gain, where that was asked", unit="1", optional=True, default=None
    )
    witness: LieRow | Mapping[str, Any] | None = col("a situation in which it fails", evidence=True)
    region: RegionRow | None = col(
        "the region around the lie found in which such a lie pays", evidence=True, optional=True, default=None
    )
    regions: RegionsRow | None = col(
        "all regions in which a lie pays, where they were asked for", evidence=True, optional=True, default=None
    )
    safe: SafeRow | None = col(
        "values of a symbol with which it holds, where one was asked about",
        evidence=True,
        optional=True,
        default=None,
    )
    safe_values: str | None = col("the same where they are no interval, or some are open", optional=True, default=None)


@row
class LengthsRow(Row):
    """The lengths and declarations meant."""

    lengths: str | Mapping[str, Any] = col("positive, or a table of ends, as a scenario says it")


@row
class ProveRecord(Record):
    """Incentive compatibility and the other properties, proved, refuted or open for all lengths."""

    verb: ClassVar[str] = "prove"
    main: ClassVar[str] = "verdicts"
    dominant: ProofRow = col("whether the truth is a best reply whatever the others declare")
    ex_post: ProofRow = col("whether the truth is a best reply when the others tell the truth")
    properties: Mapping[str, Any] = col("the other properties by name; any_others has those of Definition 4.6")
    domain: LengthsRow = col("lengths and declarations meant")
    certificate: str | None = col("the file that was written for others to check", hidden=True, default=None)

    @property
    def status(self) -> Status:
        """That of the verdict asked for, whatever else is open."""
        return Status.of(self.verdict, complete=self.verdict is not None)


# --- design ---------------------------------------------------------------------------------------------------------


@row
class CaseRow(Row):
    """A length, a lie, and how much later the lie brings the output in some situation of the others."""

    agent: str = col("who lies")
    others: Mapping[str, Fraction] = col("what the others declare")
    lengths: Mapping[str, Fraction] = col("the others' true lengths")
    true: Fraction = col("the liar's length", label="true length")
    declared: Fraction = col("what is declared instead")
    later: Extended = col("how much later the lie brings the output than the truth; below 0: earlier", unit="time")


@row
class LotRow(Row):
    """An allocation and its probability."""

    probability: Fraction = col("with which it is drawn", unit="1")
    allocation: tuple[tuple[str, ...], ...] = col("each machine's agents in order")


@row
class PriceRow(Row):
    """What everybody pays at a profile of declarations."""

    declarations: Mapping[str, Fraction] = col("everybody's declarations")
    payments: Mapping[str, Fraction] = col("everybody's payments", unit="time")
    allocation: tuple[tuple[str, ...], ...] | None = col(
        "each machine's agents in order, where the allocation was designed too", optional=True, default=None
    )
    lottery: tuple[LotRow, ...] | None = col("what is drawn instead of one allocation", optional=True, default=None)


@row
class WeightedRow(Row):
    """A constraint and how often it counts in the proof."""

    row: tuple[Any, ...] = col("its name: what it says, of whom and where")
    multiplier: Fraction = col("how often it is added")


@row
class RivalRow(Row):
    """The objective of the scenario's own rule."""

    rule: str = col("name of the rule")
    value: Fraction = col("its objective")


@row
class CornerRow(Row):
    """A point of the frontier."""

    rent: Fraction = col("largest sum of payments of the truthful", label="rent at most", unit="time")
    cost: Fraction = col("least cost of the goal then", label="least cost")


@row
class AnyBoundRow(Row):
    """What payments of any form cannot be better than, by the best ones on a finite domain."""

    bound: Fraction = col("what the objective of payments of any form is at least", label="at least")
    gap: Fraction = col("value of the formula minus that")
    lengths: Mapping[str, tuple[Fraction, ...]] | None = col(
        "lengths and declarations, by agent, on which that is the least; none: 0, below which there is no rent"
    )


@row
class DesignRecord(Record):
    """The best payments under which the truth is best, or none; of a formula ``price.piecewise()`` is for sympy."""

    verb: ClassVar[str] = "design"
    main: ClassVar[str] = "table"
    status_: str = col("optimal, implementable, impossible or open")
    concept: str = col("when the truth is best: dominant or ex-post")
    objective: str = col("what is least, or most, among the payments that were looked for")
    subject_to: tuple[str, ...] = col("what they have to be besides")
    value: Fraction | None = col("the objective; none: there is none, or it was not found")
    bound: Fraction | None = col("what it cannot be better than; none: not known")
    domain: DomainRow | LengthsRow = col("lengths and declarations meant")
    table: tuple[PriceRow, ...] | None = col("what everybody pays, for a finite domain")
    formula: Mapping[str, Any] | None = col("coefficients by feature, or by agent and feature, for all lengths")
    least_fine: Fraction | None = col(
        "least fine on every lie that is seen with which payments exist; none: not looked for", unit="time"
    )
    cycle: tuple[CaseRow, ...] | None = col("lies that no payments prevent all together", evidence=True)
    rows: tuple[WeightedRow, ...] = col("constraints that prove the value, or contradict each other", evidence=True)
    compared: tuple[RivalRow, ...] = col("the same of the scenario's own rule")
    mechanism: Mapping[str, Any] | None = col("the table [mechanism] of a scenario under this rule")
    frontier: tuple[CornerRow, ...] | None = col(
        "least cost by largest rent, where it was asked for", optional=True, default=None
    )
    penalty: Mapping[str, Fraction] | None = col(
        "coefficients by feature of the penalty, a wait, where one was looked for", optional=True, default=None
    )
    any_payments: AnyBoundRow | None = col(
        "beside the best formula: what payments of any form have at least", optional=True, default=None
    )
    certificate: str | None = col("the file that was written for others to check", hidden=True, default=None)
    output: str | None = col("the scenario that was written", hidden=True, default=None)
    price: Formula | OwnFormulas | None = col(
        "the formula as an object, for sympy: price.piecewise()", hidden=True, default=None
    )
    wait: Formula | None = col("the penalty likewise: wait.piecewise()", hidden=True, default=None)


# --- curve ----------------------------------------------------------------------------------------------------------


@row
class PieceRow(Row):
    """One open linear piece."""

    from_: Fraction = col("where it begins")
    to: Fraction = col("where it ends")
    slope: Fraction = col("utility per unit of declared length", unit="1")
    at_from: Extended = col("limit of the utility at its beginning, inside", unit="time")
    at_to: Extended = col("limit of the utility at its end, inside", unit="time")


@row
class PointRow(Row):
    """Utility at one declaration."""

    declares: Fraction = col("declared length")
    utility: Extended = col("the agent's utility", unit="time")


@row
class CurveRecord(Record):
    """Utility of one agent for every declaration of a range; ``curve.piecewise()`` is for sympy."""

    verb: ClassVar[str] = "curve"
    main: ClassVar[str] = "pieces"
    agent: str = col("whose declaration varies")
    truth: Fraction = col("the agent's length")
    from_: Fraction = col("smallest declaration")
    to: Fraction = col("largest declaration")
    pieces: tuple[PieceRow, ...] = col("open linear pieces, in order")
    points: tuple[PointRow, ...] = col("utilities at the breakpoints and at the truth")
    jumps: tuple[Fraction, ...] = col("declarations where the utility jumps")
    isolated: tuple[tuple[Fraction, Fraction], ...] = col(
        "intervals that hold a breakpoint that is not known exactly, or were not looked at"
    )
    best: PointRow = col("the best declaration found")
    utility_truth: Extended | None = col("utility of the truth; none where it is outside the range", unit="time")
    pieces_left_out: int | None = col("how many pieces are not listed", optional=True, default=None)
    limit: str | None = col("what kept the pieces from being exact", optional=True, default=None)
    replay: tuple[Mapping[str, Any], ...] = col(SCENARIOS, evidence=True)
    curve: UtilityCurve = col("the curve as an object, for sympy", hidden=True)
