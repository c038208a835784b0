"""From a checked scenario of kind ``declaration`` to the objects of the lower floors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from ...agents.declaration import Agent, BestReply, Fixed, Scaled, Strategy, Truthful
from ...games.declaration.game import DeclarationGame
from ...games.protocol import Profile
from ...games.verification import Domain
from ...games.verification.prior import Prior
from ...mechanisms.custom import foreign, made, refuse_memory
from ...mechanisms.declaration import build
from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.penalties import Cutoff
from ...mechanisms.declaration.protocol import DeclarationMechanism, play
from ...mechanisms.declaration.two_rounds import TwoRounds
from ...mechanisms.registry import info
from ...scenarios.declaration import DeclarationSpec
from ...scenarios.domain import DomainSpec, IntervalSpec
from ...scenarios.scenario import Scenario
from ...scheduling.clusters import Cluster
from ...scheduling.goals.base import Goal
from ...support.errors import InputError, MechanismError
from ...support.exact import Extended, rational

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
        fixed = (a.strategy.declare(Fraction(a.length)) for a in self.agents if not a.strategy.reacts)
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

    def _listed(self) -> DomainSpec | None:
        """``[domain]`` where its numbers can be tried one by one. Raises InputError where they cannot."""
        if isinstance(self.spec.domain, IntervalSpec):
            raise InputError(
                f"domain.lengths: found {_toml(self.spec.domain)}, more numbers than can be tried; "
                "expected lists of numbers (prove takes such a domain, and of search only the dynamics "
                "best-response-over-reals)"
            )
        return self.spec.domain

    def interval(self) -> IntervalSpec:
        """The lengths of a proof: an interval that ``[domain]`` says, else all positive ones."""
        return self.spec.domain if isinstance(self.spec.domain, IntervalSpec) else IntervalSpec()

    def meant(self) -> Lengths:
        """The lengths and declarations of a proof."""
        from ...games.proofs.questions import Lengths  # heavy, and most questions are no proofs

        interval = self.interval()
        return Lengths(interval.start, interval.end)


def _toml(interval: IntervalSpec) -> str:
    said = interval.written()
    if isinstance(said, str):
        return repr(said)
    return "{ " + ", ".join(f"{key} = {end}" for key, end in said.items()) + " }"


def model(scenario: Scenario, mechanism: Any = None) -> Model:
    """Build cluster, goal, agents and mechanism of a scenario.

    ``mechanism``: an object of the user's own with ``run(declared, lengths)``, or a function or class that makes one
    from the cluster; it takes the place of the scenario's rule. Values that it has must be those of the scenario, or
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
            penalty=spec.penalty,
            cutoff=Cutoff(*spec.cutoff) if spec.cutoff else None,
            rounds=spec.rounds,
            holdback=spec.holdback,
            ties="listed" if spec.welfare.ties == "listed" else "sum",
            values=values,
        )
    else:
        mechanism, values = _own(mechanism, cluster, values)
    agents = tuple(
        Agent(a.name, a.length, v, _strategy(a.strategy.kind, a.strategy.amount))
        for a, v in zip(spec.agents, values, strict=True)
    )
    found = Model(cluster, spec.welfare.goal, agents, mechanism, spec)
    if type(mechanism) not in (OneRound, TwoRounds):
        refuse_memory(f"{type(mechanism).__name__}.run", _plays(found))
    return found


def _plays(m: Model) -> dict[str, Callable[[], object]]:
    """A few truthful profiles of what the file names, by their text; what a play of them gives everybody."""
    named, n = m.named_lengths(), len(m.agents)
    profiles = (m.lengths, m.lengths[::-1], (named[0],) * n, (named[-1],) * n)

    def given(lengths: tuple[Fraction, ...]) -> object:
        outcome = play(m.mechanism, lengths, lengths, m.values)
        return [*zip(map(str, outcome.output), map(str, outcome.payments), strict=True)]

    return {f"lengths ({', '.join(map(str, lengths))})": partial(given, lengths) for lengths in profiles}


def game(scenario: Scenario) -> tuple[DeclarationGame, Callable[[Profile], str]]:
    """The game at the true lengths, and a short text for a profile."""
    from ..game.records import plain_label

    return model(scenario).game(), plain_label


def _own(given: Any, cluster: Cluster, values: tuple[Fraction, ...]) -> tuple[Any, tuple[Fraction, ...]]:
    """A mechanism of the user's own, and the agents' values: its own, or the scenario's."""
    given = made(given, ("run(declared, lengths)",), cluster=cluster)
    own = getattr(given, "values", None)
    if own is None:
        if type(given) is OneRound:
            given = replace(given, values=values)
        elif type(given) is TwoRounds:
            given = replace(given, one=replace(given.one, values=values))
        return given, values
    found = tuple(rational(v, f"mechanism.values[{i}]") for i, v in enumerate(own, 1))
    if len(found) != len(values) or (any(values) and found != values):
        shown = [" ".join(map(str, some)) or "none" for some in (found, values)]
        raise MechanismError(
            f"{type(given).__name__}.values: found {shown[0]}; expected one per agent, as in the scenario: {shown[1]}"
        )
    return given, found


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
