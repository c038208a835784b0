"""Between scenarios of kind ``declaration`` and the objects of the lower floors: both ways.

:func:`model` builds cluster, goal, agents and mechanism; :func:`replay_of` writes a profile of declarations as a
scenario with what its run gives, and :class:`Witnesses` what fails with the scenarios that replay it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from ...agents.declaration import Agent, BestReply, Fixed, Scaled, Strategy, Truthful
from ...games.declaration.game import DeclarationGame
from ...games.protocol import Profile
from ...games.verification import Domain
from ...games.verification.prior import Prior
from ...games.verification.results import MARGINS, PropertyWitness, Witness
from ...mechanisms.custom import entries, foreign, made, refuse_memory
from ...mechanisms.declaration import build
from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.penalties import Cutoff
from ...mechanisms.declaration.protocol import DeclarationMechanism, on_cluster, play
from ...mechanisms.declaration.two_rounds import TwoRounds
from ...mechanisms.kinds import info
from ...scenarios import ScenarioError, load
from ...scenarios.declaration import DeclarationSpec
from ...scenarios.domain import DomainSpec, IntervalSpec
from ...scenarios.scenario import Scenario
from ...scheduling.clusters import Cluster
from ...scheduling.welfare import Goal
from ...support.errors import InputError, MechanismError, quote
from ...support.exact import Extended, rational
from ..records import jsonable
from .records import LieRow

if TYPE_CHECKING:
    from ...games.proofs.questions import Lengths

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
        return DeclarationGame(
            self.mechanism, self.lengths, self.candidates(), self.values, self.spec.names, goal=self.goal
        )

    def named_lengths(self) -> tuple[Fraction, ...]:
        """All lengths and declarations that the file gives the agents, without repeats, increasing."""
        fixed = (a.declare() for a in self.agents if not a.strategy.reacts)
        return tuple(sorted({*self.lengths, *fixed}))

    def candidates(self) -> tuple[tuple[Fraction, ...], ...]:
        """What each agent may declare besides her own length: ``[domain]``, else :meth:`named_lengths`."""
        listed = self._listed()
        return (self.named_lengths(),) * len(self.agents) if listed is None else listed.declarations

    def domain(self) -> Domain:
        """The domain of checks: ``[domain]``, else :meth:`named_lengths` as lengths and declarations of everybody."""
        listed = self._listed()
        if listed is None:
            return Domain.of(self.named_lengths(), names=self.spec.names)
        return Domain.of(listed.lengths, listed.declarations, names=self.spec.names)

    def prior(self) -> Prior | None:
        """What everybody believes of the others' lengths; ``None`` without ``[prior]``."""
        return None if self.spec.prior is None else Prior(self.spec.prior.distributions)

    def known_prior(self, what: str) -> Prior:
        """The prior. Raises InputError without one, naming what needs it."""
        prior = self.prior()
        if prior is None:
            raise InputError(f"{what}: the scenario says nothing of what agents believe; expected a table [prior]")
        return prior

    @property
    def welfare_goal(self) -> Any:
        """What welfare is: the mechanism's own goal, or the scenario's."""
        return getattr(self.mechanism, "goal", None) or self.goal

    def _listed(self) -> DomainSpec | None:
        """``[domain]`` where its numbers can be tried one by one. Raises InputError where they cannot."""
        if isinstance(self.spec.domain, IntervalSpec):
            ends = self.spec.domain.written()
            text = repr(ends)
            if not isinstance(ends, str):
                text = "{ " + ", ".join(f"{key} = {end}" for key, end in ends.items()) + " }"
            raise InputError(
                f"domain.lengths: found {text}, more numbers than can be tried; "
                "expected lists of numbers (prove takes such a domain, and of search only the dynamics "
                "best-response-over-reals)"
            )
        return self.spec.domain

    def interval(self) -> IntervalSpec:
        """The lengths of a proof: an interval that ``[domain]`` says, else all positive ones."""
        return self.spec.domain if isinstance(self.spec.domain, IntervalSpec) else IntervalSpec()

    def proof_lengths(self) -> Lengths:
        """The lengths and declarations of a proof."""
        from ...games.proofs.questions import Lengths  # heavy, and most questions are no proofs

        interval = self.interval()
        return Lengths(interval.start, interval.end)


def model(scenario: Scenario, mechanism: Any = None) -> Model:
    """Build cluster, goal, agents and mechanism of a scenario.

    ``mechanism``: a custom rule, an object with ``run(declared, lengths)``, or a function or class that makes one from
    the cluster; it takes the place of the scenario's rule. Values that it has must be those of the scenario, or
    take their place where the scenario gives none. Rules of other distributions are treated likewise.
    """
    spec: DeclarationSpec = scenario.spec
    cluster = Cluster(spec.powers)
    values = tuple(a.value for a in spec.agents)
    rule = info(scenario.kind, spec.rule)
    if mechanism is None and rule.foreign:
        mechanism = foreign(rule, spec.options)
    if mechanism is None:
        mechanism = build(
            spec.rule,
            cluster,
            spec.welfare.goal,
            tool=spec.tool,
            penalty=spec.penalty,
            price=spec.price,
            table=spec.table,
            cutoff=Cutoff(*spec.cutoff) if spec.cutoff else None,
            rounds=spec.rounds,
            holdback=spec.holdback,
            ties="listed" if spec.welfare.ties == "listed" else "sum",
            values=values,
        )
    else:
        mechanism, values = _custom(mechanism, cluster, values)
    agents = tuple(
        Agent(a.name, a.length, v, _strategy(a.strategy.kind, a.strategy.amount))
        for a, v in zip(spec.agents, values, strict=True)
    )
    custom = type(mechanism) not in (OneRound, TwoRounds)
    mechanism = on_cluster(mechanism, cluster, spec.names) if custom else mechanism
    built = Model(cluster, spec.welfare.goal, agents, mechanism, spec)
    if custom:
        refuse_memory(f"{type(mechanism).__name__}.run", _plays(built))
    return built


def refuse_impossible(m: Model, witness: Any) -> None:
    """Raise ImpossibleError where a situation was found in which a custom rule hands out what no schedule can keep."""
    if witness is not None:
        play(m.mechanism, witness.declarations, witness.lengths, m.values)


def _plays(m: Model) -> dict[str, Callable[[], object]]:
    """A few truthful profiles of what the file names, by their text; what a play of them gives everybody."""
    named, n = m.named_lengths(), len(m.agents)
    profiles = (m.lengths, m.lengths[::-1], (named[0],) * n, (named[-1],) * n)

    def truthful(lengths: tuple[Fraction, ...]) -> object:
        outcome = play(m.mechanism, lengths, lengths, m.values)
        return [*zip(map(str, outcome.output), map(str, outcome.payments), strict=True)]

    return {f"lengths ({', '.join(map(str, lengths))})": partial(truthful, lengths) for lengths in profiles}


def game(scenario: Scenario) -> tuple[DeclarationGame, Callable[[Profile], str]]:
    """The game at the true lengths, and a short text for a profile."""
    from ..game.records import plain_label

    return model(scenario).game(), plain_label


def _custom(rule: Any, cluster: Cluster, values: tuple[Fraction, ...]) -> tuple[Any, tuple[Fraction, ...]]:
    """A custom mechanism, and the agents' values: its own, or the scenario's."""
    rule = made(rule, ("run(declared, lengths)",), cluster=cluster)
    name, goal, its_values = type(rule).__name__, getattr(rule, "goal", None), getattr(rule, "values", None)
    if not isinstance(goal, Goal | None):
        raise MechanismError(f"{name}.goal: found {quote(goal)}; expected one of consortium.scheduling.goals")
    if its_values is None:
        if type(rule) is OneRound:
            rule = replace(rule, values=values)
        elif type(rule) is TwoRounds:
            rule = replace(rule, one=replace(rule.one, values=values))
        return rule, values
    listed = entries(its_values, f"{name}.values", "one number per agent")
    own = tuple(rational(v, f"{name}.values[{i}]") for i, v in enumerate(listed, 1))
    if len(own) != len(values) or (any(values) and own != values):
        texts = [" ".join(map(str, some)) or "none" for some in (own, values)]
        raise MechanismError(f"{name}.values: found {texts[0]}; expected one per agent, as in the scenario: {texts[1]}")
    return rule, own


def _strategy(kind: str, amount: Fraction | None) -> Strategy:
    if amount is not None:
        return Fixed(amount) if kind == "fixed" else Scaled(amount)
    return BestReply() if kind == "best-reply" else Truthful()


def declarations(m: Model) -> tuple[Fraction, ...]:
    """What everybody declares; best-replying agents start from the truth and answer in turn until nobody moves.

    Raises InputError when their answers go round in a circle.
    """
    declared = [Fraction(a.length) if a.strategy.reacts else a.declare() for a in m.agents]
    reacting = [n for n, a in enumerate(m.agents) if a.strategy.reacts]
    if not reacting:
        return tuple(declared)
    game, candidates = m.game(), m.candidates()
    for _ in range(MAX_ROUNDS):
        before = list(declared)
        for n in reacting:

            def utility(own: Fraction, n: int = n) -> Extended:
                return -game.costs((*declared[:n], own, *declared[n + 1 :]))[n]

            declared[n] = m.agents[n].declare(utility, candidates[n])
        if declared == before:
            return tuple(declared)
    names = ", ".join(m.agents[n].name for n in reacting)
    raise InputError(
        f"strategy 'best-reply': the answers of {names} go round in a circle; declare numbers, or use search"
    )


# --- failures, with the scenarios that replay them -----------------------------------------------------------------


@dataclass(frozen=True)
class Witnesses:
    """How failures in a scenario are written: with scenarios that replay them, unless the rule is a custom one."""

    scenario: Scenario
    m: Model
    replayable: bool

    def by_name(self, values: Sequence[Any]) -> dict[str, Any]:
        """One value for each agent."""
        return dict(zip(self.m.spec.names, values, strict=True))

    def lie(self, witness: Witness) -> LieRow:
        """A lie that pays."""
        name = self.m.spec.names[witness.agent]
        played = ((witness.truthful, witness.utility_truth), (witness.declarations, witness.utility_lie))
        return LieRow.of(
            witness,
            agent=name,
            declarations=self.by_name(witness.declarations),
            lengths=self.by_name(witness.lengths),
            replay=tuple(
                replay_of(self.scenario, self.m, declared, witness.lengths, {"agents": {name: {"utility": utility}}})
                for declared, utility in played
            )
            if self.replayable
            else (),
        )

    def failure(self, name: str, w: PropertyWitness) -> dict[str, Any]:
        """A situation in which a property fails: whose it is, where, and the numbers that disagree."""
        return {
            "agent": None if w.agent is None else self.m.spec.names[w.agent],
            "declarations": self.by_name(w.declarations),
            "lengths": None if w.lengths is None else self.by_name(w.lengths),
            **({"members": [self.m.spec.names[n] for n in w.members]} if w.members else {}),
            **w.values,
            **(_replayed(name, w, self.scenario, self.m) if self.replayable else {"replay": []}),
        }


def replay_of(
    scenario: Scenario, m: Model, declared: Sequence[Fraction], lengths: Sequence[Fraction], claim: Mapping[str, Any]
) -> dict[str, Any]:
    """A complete scenario in which these agents declare these numbers, with a claim on its ``run``."""
    agents = [
        {"name": agent.name, "length": lengths[n], "declares": declared[n], "value": agent.value}
        for n, agent in enumerate(m.agents)
    ]
    return scenario.variant({"agents": agents}, {"run": claim})


def _replayed(name: str, w: PropertyWitness, scenario: Scenario, m: Model) -> dict[str, Any]:
    """``replay``: scenarios that show the failure; where they cannot be written none, and ``no_replay``."""
    if not w.values or name == "feasible":
        return {"replay": []}  # the input itself is refused, or the outcome: there is no run to show
    if name in MARGINS:
        return _jump(-1 if name == "upper_margin" else 1, w, scenario, m)
    lengths = w.declarations if w.lengths is None else w.lengths
    if name == "priced_in_advance":
        assert w.agent is not None  # a payment is somebody's
        paid = zip((w.declarations, lengths), w.values.values(), strict=True)
        claims = [(world, {"agents": {m.spec.names[w.agent]: {"payment": payment}}}) for world, payment in paid]
        return {"replay": [replay_of(scenario, m, w.declarations, world, claim) for world, claim in claims]}
    planned = play(m.mechanism, w.declarations, lengths, m.values).plan is not None
    values = {key: value for key, value in w.values.items() if planned or key != "planned"}  # as the run has them
    claim: Mapping[str, Any] = values if w.agent is None else {"agents": {m.spec.names[w.agent]: values}}
    return {"replay": [replay_of(scenario, m, w.declarations, lengths, claim)]}


def _jump(side: int, w: PropertyWitness, scenario: Scenario, m: Model) -> dict[str, Any]:
    """A jump of utility is shown at the truth and very near it; the numbers there may be too long to be written."""
    from ...games.verification.properties import linear_within  # heavy, and most witnesses are no jumps

    assert w.agent is not None  # a margin is somebody's
    lengths = w.declarations if w.lengths is None else w.lengths
    distance = rounded(linear_within(m.mechanism, w.agent, w.declarations, lengths)[0])
    near = (*lengths[: w.agent], lengths[w.agent] + side * distance, *lengths[w.agent + 1 :])
    replays = []
    for world in (lengths, near):
        utilities = play(m.mechanism, w.declarations, world, m.values).utilities
        assert utilities is not None  # play() fills them in
        claim = {"agents": {m.spec.names[w.agent]: {"utility": utilities[w.agent]}}}
        replays.append(replay_of(scenario, m, w.declarations, world, claim))
    try:
        load(jsonable(replays[-1]))
    except ScenarioError:
        return {"replay": [], "no_replay": "digits"}
    return {"replay": replays}


def rounded(number: Fraction) -> Fraction:
    """The largest power of ten that is not larger than a positive number: few digits for the readers of replays.

    >>> rounded(Fraction(1, 24)), rounded(Fraction(1, 10)), rounded(Fraction(2999))
    (Fraction(1, 100), Fraction(1, 10), Fraction(1000, 1))
    """
    power = Fraction(10) ** (len(str(number.numerator)) - len(str(number.denominator)))
    return power if power <= number else power / 10
