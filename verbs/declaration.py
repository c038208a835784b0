"""The verbs on scenarios of kind ``declaration``.

:func:`model` builds the objects of the lower floors from a checked scenario; each verb calls one of them and names the
results as the format documents them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..agents.declaration import Agent, BestReply, Fixed, Scaled, Strategy, Truthful
from ..games.declaration import DeclarationGame
from ..games.search import search as search_equilibria
from ..mechanisms.declaration import build
from ..mechanisms.declaration.penalties import Cutoff
from ..mechanisms.declaration.protocol import DeclarationMechanism, Outcome, Plan, play
from ..scenarios.declaration import DeclarationSpec, WelfareSpec
from ..scenarios.scenario import Scenario
from ..scheduling.clusters import Cluster
from ..scheduling.errors import InputError
from ..scheduling.exact import Extended, rational
from ..scheduling.progress import Progress
from ..scheduling.welfare import (
    ExpressionGoal,
    Goal,
    LexicalMax,
    Makespan,
    SquaredDeviation,
    SumOfTimes,
    WeightedMakespan,
    WeightedSum,
)
from .games import LISTED, by_name, search_answer
from .records import Answer

MAX_ROUNDS = 1000
"""Rounds of best replies before `run` gives up on agents with that strategy."""


@dataclass(frozen=True)
class Model:
    """The objects behind a scenario."""

    cluster: Cluster
    goal: Goal
    agents: tuple[Agent, ...]
    mechanism: DeclarationMechanism
    spec: DeclarationSpec

    @property
    def lengths(self) -> tuple[Fraction, ...]:
        """True lengths."""
        return tuple(Fraction(agent.length) for agent in self.agents)

    @property
    def values(self) -> tuple[Fraction, ...]:
        """V_n."""
        return tuple(Fraction(agent.value) for agent in self.agents)

    def game(self) -> DeclarationGame:
        """The game at the true lengths, see :meth:`candidates` for the declarations."""
        return DeclarationGame(self.mechanism, self.lengths, self.candidates(), self.values, self.spec.names)

    def candidates(self) -> tuple[tuple[Fraction, ...], ...]:
        """What each agent may declare besides her own length: ``[domain]``, else all that the file names."""
        if self.spec.domain is not None:
            return self.spec.domain.declarations
        fixed = (a.strategy.declare(Fraction(a.length)) for a in self.agents if not a.strategy.reacts)
        everything = tuple(sorted({*self.lengths, *fixed}))
        return (everything,) * len(self.agents)


def goal_of(welfare: WelfareSpec, names: Sequence[str]) -> Goal:
    """The goal behind ``[welfare]``."""
    if welfare.goal == "makespan":
        return Makespan(welfare.order)
    if welfare.goal == "lexical-max":
        return LexicalMax()
    if welfare.goal == "weighted-sum":
        return WeightedSum(welfare.weights)
    if welfare.goal == "weighted-makespan":
        return WeightedMakespan(welfare.weights)
    if welfare.goal == "squared-deviation":
        assert welfare.target is not None  # the reader asks for it
        return SquaredDeviation(welfare.target)
    if welfare.goal == "expression":
        assert welfare.expression is not None
        return ExpressionGoal(welfare.expression, tuple(names))
    return SumOfTimes()


def model(scenario: Scenario, mechanism: Any = None) -> Model:
    """Build cluster, goal, agents and mechanism of a scenario.

    ``mechanism``: an object of the user's own with ``run(declared, lengths)``, or a function or class that makes one
    from the cluster; it takes the place of the scenario's rule.
    """
    spec: DeclarationSpec = scenario.spec
    cluster = Cluster(spec.powers)
    goal = goal_of(spec.welfare, spec.names)
    agents = tuple(Agent(a.name, a.length, a.value, _strategy(a.strategy.kind, a.strategy.amount)) for a in spec.agents)
    if mechanism is None:
        mechanism = build(
            spec.rule,
            cluster,
            goal,
            penalty=spec.penalty,
            cutoff=Cutoff(*spec.cutoff) if spec.cutoff else None,
            rounds=spec.rounds,
            holdback=spec.holdback,
            ties="listed" if spec.welfare.ties == "listed" else "sum",
            values=tuple(a.value for a in spec.agents),
        )
    elif isinstance(mechanism, type) or not hasattr(mechanism, "run"):
        if not callable(mechanism):
            raise InputError(
                f"mechanism: found {mechanism!r}; expected an object with run(declared, lengths), or what makes one"
            )
        mechanism = mechanism(cluster)
    return Model(cluster, goal, agents, mechanism, spec)


def _strategy(kind: str, amount: Fraction | None) -> Strategy:
    if kind == "fixed":
        assert amount is not None
        return Fixed(amount)
    if kind == "scale":
        assert amount is not None
        return Scaled(amount)
    return BestReply() if kind == "best-reply" else Truthful()


def declarations(m: Model) -> tuple[Fraction, ...]:
    """What everybody declares; best-replying agents start from the truth and answer in turn until nobody moves.

    Raises InputError when their answers go round in a circle.
    """
    declared = [
        a.strategy.declare(Fraction(a.length)) if not a.strategy.reacts else Fraction(a.length) for a in m.agents
    ]
    reacting = [n for n, a in enumerate(m.agents) if a.strategy.reacts]
    if not reacting:
        return tuple(declared)
    game, candidates = m.game(), m.candidates()
    for _ in range(MAX_ROUNDS):
        before = list(declared)
        for n in reacting:

            def utility(own: Fraction, n: int = n) -> Extended:
                return -game.costs((*declared[:n], own, *declared[n + 1 :]))[n]

            declared[n] = m.agents[n].strategy.declare(m.lengths[n], utility, candidates[n])
        if declared == before:
            return tuple(declared)
    names = ", ".join(m.agents[n].name for n in reacting)
    raise InputError(
        f"strategy 'best-reply': the answers of {names} go round in a circle; declare numbers, or use search"
    )


def search(
    scenario: Scenario,
    *,
    progress: Progress | None = None,
    mechanism: Any = None,
    method: str | None = None,
    list: int = LISTED,
    time_limit: float | None = None,
    epsilon: Any = None,
    mixed: bool = False,
    start: Mapping[str, Any] | None = None,
) -> Answer:
    """Equilibria of the declaration game at the true lengths; dynamics start at the truth unless ``start`` says."""
    m = model(scenario, mechanism)
    game, names = m.game(), m.spec.names
    begin = m.lengths
    if start is not None:
        begin = tuple(rational(b, "start") for b in by_name(start, names))
    result = search_equilibria(
        game,
        method,
        limit=list,
        time_limit=time_limit,
        epsilon=None if epsilon is None else rational(epsilon, "epsilon"),
        mixed=mixed,
        start=begin,
        progress=progress,
    )

    def welfare(outcome: Any) -> Any:
        return [-part for part in game.welfare(outcome.profile)]

    profile = lambda p: dict(zip(names, p, strict=True))  # noqa: E731
    return search_answer(result, profile, None if game.numeric else welfare)


# --- run ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AgentRow:
    """One agent's part of a ``run`` record; the fields are those of the format."""

    name: str
    length: Fraction
    declares: Fraction
    stayed: bool
    machine: int | None
    position: int | None
    planned: Extended | None
    output: Extended | None
    payment: Extended
    utility: Extended
    penalty: Fraction | None
    controls: tuple[str, ...]
    work: tuple[tuple[Fraction, Fraction, Fraction], ...]
    killed: bool


def run(scenario: Scenario, *, progress: Progress | None = None, mechanism: Any = None) -> Answer:
    """Play the scenario once. ``mechanism``: a mechanism of one's own instead of the scenario's rule."""
    m = model(scenario, mechanism)
    declared = declarations(m)
    outcome = play(m.mechanism, declared, m.lengths, m.values)
    plan = outcome.plan
    body: dict[str, Any] = {
        "agents": tuple(_row(m, outcome, declared, n) for n in range(len(m.agents))),
        "optimal_sum": plan.optimal_sum if plan else None,
        "rent": outcome.rent,
        "welfare": {"planned": plan.welfare if plan else None, "final": outcome.welfare},
    }
    if m.spec.rounds == 2 and plan is not None and plan.first_round is not None:
        offer = plan.first_round
        body["first_round"] = tuple(
            {"name": agent.name, "planned": offer.planned[n], "payment": offer.payments[n]}
            for n, agent in enumerate(m.agents)
        )
    return Answer(method="execution", body=body)


def _row(m: Model, outcome: Outcome, declared: tuple[Fraction, ...], n: int) -> AgentRow:
    plan: Plan | None = outcome.plan
    place = plan.places[n] if plan else None
    assert outcome.stayed is not None  # play() fills both in
    assert outcome.utilities is not None
    return AgentRow(
        name=m.agents[n].name,
        length=m.lengths[n],
        declares=declared[n],
        stayed=outcome.stayed[n],
        machine=place[0] + 1 if place else None,
        position=place[1] + 1 if place else None,
        planned=plan.planned[n] if plan else None,
        output=outcome.output[n],
        payment=outcome.payments[n],
        utility=outcome.utilities[n],
        penalty=plan.penalties[n] if plan else None,
        controls=outcome.controls[n] if outcome.controls else (),
        work=outcome.work[n] if outcome.work else (),
        killed=outcome.killed[n] if outcome.killed else False,
    )
