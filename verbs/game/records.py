"""What ``search`` answers of any game: its records, each field declared once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from ...games.protocol import Game, Profile
from ...support.exact import Extended
from ...support.fields import col, row
from ..records import Record, Row, Statistic


def plain_label(profile: Profile) -> str:
    """Everybody's strategy as a short text, in player order.

    >>> plain_label((Fraction(1, 2), "stay"))
    '1/2 | stay'
    """
    return " | ".join(map(str, profile))


@row
class OutcomeRow(Row):
    """A profile and what it costs everybody; payoffs and welfare where the game is given in payoffs."""

    profile: Any = col("everybody's strategy")
    costs: Mapping[str, Extended] | None = col("everybody's cost", optional=True, default=None)
    social_cost: Any = col("cost of all together", optional=True, default=None)
    payoffs: Mapping[str, Extended] | None = col("everybody's payoff", optional=True, default=None)
    social_welfare: Extended | None = col("payoff of all together", optional=True, default=None)


@row
class EquilibriaRow(Row):
    """Pure equilibria."""

    exists: bool | None = col("whether there is one; none: not known", label="pure equilibrium exists")
    count: int | None = col("how many, profiles told apart; none: not counted", label="pure equilibria")
    classes: int | None = col(
        "how many up to exchanging equal jobs of one organization",
        label="equal jobs not told apart",
        optional=True,
        default=None,
    )
    best: OutcomeRow | None = col("one of least social cost")
    worst: OutcomeRow | None = col("one of largest social cost")
    listed: tuple[OutcomeRow, ...] = col("some or all of them, as many as the option list says")


@row
class ApproximateRow(Row):
    """Profiles within the epsilon asked for."""

    count: int | None = col("how many; none: not counted")
    listed: tuple[OutcomeRow, ...] = col("some or all of them")


@row
class DynamicsRow(Row):
    """Best-response dynamics."""

    start: Any = col("profile at the beginning")
    rule: str = col("how players move")
    converged: bool = col("whether it ended where nobody gains by moving")
    steps: int = col("moves that were made")
    cycle: tuple[Any, ...] | None = col("profiles that repeat for ever; none where it converged")
    final: Any = col("last profile")
    replay: tuple[Mapping[str, Any], ...] | None = col(
        "complete scenarios that go through the cycle again", evidence=True, optional=True, default=None
    )


@row
class PlayRow(Row):
    """A profile, and in how many rounds it was played."""

    profile: Any = col("everybody's strategy")
    count: int = col("rounds in which it was played")


@row
class LearningRow(Row):
    """Play by a rule that learns; averages and regrets are per round, ``None`` where they were not computed."""

    start: Any = col("profile at the beginning")
    rule: str = col("how players learn")
    rounds: int = col("rounds that were played", format=",")
    plays: tuple[PlayRow, ...] = col("what was played how often, most often first")
    plays_left_out: int | None = col("how many profiles are not listed", optional=True, default=None)
    last: Any = col("last profile")
    average_social_cost: Extended | None = col("mean over rounds of the cost of all", optional=True, default=None)
    average_social_welfare: Extended | None = col("mean over rounds of the payoff of all", optional=True, default=None)
    external_regret: Mapping[str, Extended | None] = col(
        "average cost paid minus the least average cost of one fixed strategy, by player", label="external"
    )
    internal_regret: Mapping[str, Extended | None] = col(
        "largest average saving by exchanging one strategy for another wherever it was played, by player",
        label="internal",
    )
    social: tuple[Extended, ...] = col("social cost, or welfare, of every round, for figures", hidden=True, default=())


@row
class BoundsRow(Row):
    """What is proved although the search stopped early: of social costs, or of welfare where the game has payoffs."""

    worst_at_most: Extended | None = col("no equilibrium costs more")
    best_at_least: Extended | None = col("no equilibrium costs less")
    worst_at_least: Extended | None = col("no equilibrium has less welfare", optional=True, default=None)
    best_at_most: Extended | None = col("no equilibrium has more welfare", optional=True, default=None)
    epsilon_at_least: Fraction | None = col("no profile has a smaller epsilon", unit="1")
    epsilon_at_most: Fraction | None = col("some profile has no larger epsilon", unit="1")
    price_of_anarchy_at_least: Fraction | None = col("lower bound on the price of anarchy", unit="1")
    price_of_anarchy_at_most: Fraction | None = col("upper bound on the price of anarchy", unit="1")
    price_of_stability_at_least: Fraction | None = col(
        "lower bound on the price of stability", unit="1", optional=True, default=None
    )
    price_of_stability_at_most: Fraction | None = col(
        "upper bound on the price of stability", unit="1", optional=True, default=None
    )
    unbounded: str | None = col("what keeps one side without a bound", optional=True, default=None)


# --- questions besides pure equilibria ------------------------------------------------------------------------------


@row
class MixedEquilibriumRow(Row):
    """One profile of mixed strategies."""

    probabilities: Mapping[str, Any] = col("everybody's probabilities, strategy by strategy")
    costs: tuple[Any, ...] | None = col("everybody's expected cost", optional=True, default=None)
    payoffs: tuple[Any, ...] | None = col("everybody's expected payoff", optional=True, default=None)
    regrets: tuple[Any, ...] = col("what everybody could save by another strategy")
    exact: bool = col("whether nobody regrets anything, exactly")


@row
class MixedRow(Row):
    """Mixed equilibria, and whether none is missing."""

    method: str = col("how they were found")
    complete: bool = col("whether none is missing")
    equilibria: tuple[MixedEquilibriumRow, ...] = col("equilibria of mixed strategies")
    components: tuple[tuple[tuple[int, ...], ...], ...] | None = col(
        "connected sets of equilibria: each the maximal convex sets it consists of, given by rows of equilibria from 1",
        optional=True,
        default=None,
    )
    approximate: tuple[MixedEquilibriumRow, ...] | None = col(
        "profiles near equilibria, which are none", optional=True, default=None
    )


@row
class ResponseRow(Row):
    """One logit equilibrium, as a statistic."""

    lambda_: Fraction = col("precision of the players, 0 is blind chance")
    probabilities: Mapping[str, tuple[Statistic, ...]] = col("everybody's probabilities, strategy by strategy")
    costs: tuple[Statistic, ...] | None = col("everybody's expected cost", optional=True, default=None)
    payoffs: tuple[Statistic, ...] | None = col("everybody's expected payoff", optional=True, default=None)
    regrets: tuple[Statistic, ...] = col("what everybody could save by another strategy")
    error: Statistic = col("largest difference between a probability and the logit response")


@row
class QuantalRow(Row):
    """Where the branch of logit equilibria that begins at lambda 0 first reaches each lambda asked for, ascending."""

    concept: str = col("how players respond to costs")
    complete: bool = col("whether every lambda was reached")
    responses: tuple[ResponseRow, ...] = col("an equilibrium for every lambda")


@row
class StableBoundsRow(Row):
    """What is proved although the search stopped early: of social costs, or of welfare where the game has payoffs."""

    worst_at_most: Extended | None = col("no stable profile costs more", optional=True, default=None)
    best_at_least: Extended | None = col("no stable profile costs less", optional=True, default=None)
    worst_at_least: Extended | None = col("no stable profile has less welfare", optional=True, default=None)
    best_at_most: Extended | None = col("no stable profile has more welfare", optional=True, default=None)
    price_of_anarchy_at_most: Fraction | None = col("upper bound on the price of anarchy of stable profiles", unit="1")
    price_of_stability_at_least: Fraction | None = col(
        "lower bound on the price of stability of stable profiles", unit="1"
    )


@row
class CoalitionsRow(Row):
    """Profiles that no coalition of at most ``size`` players upsets."""

    notion: str = col("when a joint deviation counts as a gain")
    size: int = col("most members of a coalition")
    exists: bool | None = col("whether there is a stable profile; none: not known", label="a stable profile exists")
    count: int | None = col("how many; none: not counted", label="stable profiles")
    best: OutcomeRow | None = col("one of least social cost")
    worst: OutcomeRow | None = col("one of largest social cost")
    price_of_anarchy: Fraction | None = col(
        "worst stable profile against the optimum",
        label="price of anarchy (worst stable against optimum)",
        unit="1",
    )
    price_of_stability: Fraction | None = col(
        "best stable profile against the optimum",
        label="price of stability (best stable against optimum)",
        unit="1",
    )
    complete: bool = col("whether all of this is proved")
    bounds: StableBoundsRow | None = col(
        "what is proved although the search stopped early", label="proved so far", optional=True, default=None
    )
    certificate: Any = col("what a method without a table has proved", evidence=True, optional=True, default=None)


@row
class ProbabilityRow(Row):
    """A profile and its probability."""

    profile: Any = col("everybody's strategy")
    probability: Fraction = col("how likely it is played", unit="1")


@row
class MultiplierRow(Row):
    """Weight of one incentive constraint."""

    player: str = col("who might deviate")
    recommended: Any = col("what was recommended; correlated equilibria only", optional=True, default=None)
    deviation: Any = col("what might be played instead")
    multiplier: Fraction = col("weight of the constraint in the bound")


@row
class ExtremeRow(Row):
    """An equilibrium of correlated play, and what none is beyond."""

    social_cost: Extended | None = col(
        "expected cost of all; none where no equilibrium was met in time", optional=True, default=None
    )
    social_welfare: Extended | None = col("expected payoff of all", optional=True, default=None)
    distribution: tuple[ProbabilityRow, ...] = col("profiles with their probabilities")
    multipliers: tuple[MultiplierRow, ...] = col("weights from which the bound follows")
    bound: Extended = col("no equilibrium is better (worse, for the worst)")
    proved: bool = col("whether the equilibrium reaches the bound")

    def keys(self) -> list[str]:
        """Written names; the cost is written where it is not known, too."""
        names = super().keys()
        return names if {"social_cost", "social_welfare"} & set(names) else ["social_cost", *names]


@row
class CorrelatedRow(Row):
    """Both extremes, ``None`` where there is no such equilibrium (which takes infinite costs)."""

    concept: str = col("coarse or correlated")
    best: ExtremeRow | None = col("one of least expected social cost")
    worst: ExtremeRow | None = col("one of largest expected social cost")
    price_of_total_anarchy: Fraction | None = col(
        "worst coarse correlated equilibrium over the optimum (Blum, Hajiaghayi, Ligett, Roth 2008); none for the "
        "other concept, and where the worst is not proved",
        unit="1",
    )


@row
class ValueRow(Row):
    """A profile and its potential."""

    profile: Any = col("everybody's strategy")
    value: Fraction = col("its potential")


@row
class WitnessRow(Row):
    """The potential, profile by profile, or what refutes one. A potential falls with costs and rises with payoffs."""

    weights: Mapping[str, Fraction] | None = col("players' weights", optional=True, default=None)
    potential: tuple[ValueRow, ...] | None = col("potential of every profile", optional=True, default=None)
    potential_left_out: int | None = col("how many profiles are not listed", optional=True, default=None)
    cycles: tuple[tuple[Any, ...], ...] | None = col(
        "rings of profiles, each one player's move from the one before", optional=True, default=None
    )
    trap: Any = col("profile from which no gains lead to an equilibrium", optional=True, default=None)


@row
class ClassRow(Row):
    """Whether the game is in a class of potential games."""

    holds: bool = col("whether it is")
    witness: WitnessRow = col("what shows it", evidence=True)


@row
class PotentialRow(Row):
    """Verdicts by class; ``None`` where the search was stopped before."""

    exact: ClassRow | None = col("one function changes by exactly what the mover saves")
    weighted: ClassRow | None = col("one function changes by the mover's weight times what it saves")
    ordinal: ClassRow | None = col("one function falls exactly where the mover gains")
    generalized_ordinal: ClassRow | None = col("one function falls wherever the mover gains")
    acyclic_best_responses: ClassRow | None = col("best responses never cycle")
    weakly_acyclic: ClassRow | None = col("from everywhere some gains lead to an equilibrium")


@row
class SearchRecord(Record):
    """What selfish players settle on."""

    verb: ClassVar[str] = "search"
    main: ClassVar[str] = "equilibria.listed"
    sense: str = col("whether the game is given in costs or in payoffs")
    players: tuple[str, ...] = col("names of the players")
    profiles: int | None = col("size of the space; none: infinitely many", format=",")
    equilibria: EquilibriaRow = col("pure equilibria")
    optimum: OutcomeRow | None = col("profile of least social cost")
    price_of_anarchy: Fraction | None = col(
        "social cost of the worst equilibrium over the optimum",
        label="price of anarchy (worst equilibrium against optimum)",
        unit="1",
    )
    price_of_stability: Fraction | None = col(
        "social cost of the best equilibrium over the optimum",
        label="price of stability (best equilibrium against optimum)",
        unit="1",
    )
    smallest_epsilon: Fraction | None = col(
        "smallest factor by which in some profile nobody can divide its cost more; 1: an equilibrium exists",
        label="smallest epsilon (multiplicative)",
        unit="1",
    )
    smallest_epsilon_profile: Any = col("a profile of smallest epsilon")
    smallest_regret: Extended | None = col(
        "least saving that in some profile nobody can exceed; 0: an equilibrium exists",
        label="smallest regret (additive)",
    )
    smallest_regret_profile: Any = col("a profile of smallest regret")
    sinks: tuple[int, ...] | None = col(
        "sizes of the sink components of the best-response graph; none where it was not built",
        label="sink components (sizes)",
    )
    dynamics: DynamicsRow | LearningRow | None = col("where best responses, or learning, lead from the start")
    approximate: ApproximateRow | None = col("profiles within the epsilon asked for", optional=True, default=None)
    mixed: MixedRow | None = col("equilibria of mixed strategies", optional=True, default=None)
    coalitions: CoalitionsRow | None = col("profiles that no coalition upsets", optional=True, default=None)
    correlated: CorrelatedRow | None = col("extremes of correlated play", optional=True, default=None)
    potential: PotentialRow | None = col("classes of potential games", optional=True, default=None)
    quantal: QuantalRow | None = col("logit quantal response equilibria", optional=True, default=None)
    refused: Mapping[str, str] | None = col(
        "what was asked and is out of reach, and why: by option, or equilibria", optional=True, default=None
    )
    bounds: BoundsRow | None = col("what is proved although the search stopped early", optional=True, default=None)
    unchecked: tuple[str, ...] | None = col(
        "fields that only a solver of the game's own vouches for: the game is too large to try all profiles",
        optional=True,
        default=None,
    )
    certificate: Any = col("what a method without a table has proved", evidence=True, optional=True, default=None)
    game: Game = col("the game, which figures ask for best responses", hidden=True, compare=False)
    label: Callable[[Profile], str] = col("short text for a profile", hidden=True, compare=False, default=plain_label)
    start: Sequence[Any] | None = col("where dynamics were told to start", hidden=True, compare=False, default=None)

    @property
    def sampled(self) -> bool:
        """Never: a seed says what players drew who learn, and no verdict rests on it."""
        return False
