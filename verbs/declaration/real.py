"""``search --dynamics best-response-over-reals``: best responses whose strategies are all positive declarations.

No profile is tried but those that the dynamics reach, so a scenario without lists of declarations is enough, and all
that a search says of the profiles of a finite game stays unsaid.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from ...games.asking import outcome
from ...games.declaration.game import DeclarationGame
from ...games.declaration.real_dynamics import ROUNDS, RealDynamics, real_dynamics
from ...games.declaration.replies import Interval
from ...mechanisms.declaration.protocol import play
from ...scenarios.domain import IntervalSpec
from ...scenarios.scenario import Scenario
from ...support.errors import InputError, MechanismError
from ...support.exact import INF, Extended
from ...support.progress import Clock, Progress
from ..game.records import DynamicsRow, EquilibriaRow
from ..game.search import Posed
from ..records import OPTIONAL, Row
from .model import Model, model
from .options import REAL, Search
from .posing import as_posed, started
from .witnesses import replay_of

USED: Final = ("dynamics", "list", "mechanism", "rounds", "start", "time_limit")
"""Options that mean something here; the others ask about the profiles of a finite game."""
WHY: Final = "no lists of declarations: the dynamics alone are played, over all numbers"
UNSAID: Final = (
    *("optimum", "price_of_anarchy", "price_of_stability", "smallest_epsilon", "smallest_epsilon_profile"),
    *("smallest_regret", "smallest_regret_profile", "sinks"),
)
"""Fields about the profiles of a finite game."""


@dataclass(frozen=True, kw_only=True)
class ReplyRow(Row):
    """An agent's best reply to the others: what she has, what she could have at most, and whether a number gives it."""

    agent: str
    utility: Extended
    supremum: Extended
    attained: bool


@dataclass(frozen=True, kw_only=True)
class RealDynamicsRow(DynamicsRow):
    """Dynamics over all numbers: ``ended`` says how, ``replies`` proves it, ``replay`` plays the last profile."""

    ended: str
    replies: tuple[ReplyRow, ...] | None = field(default=None, metadata=OPTIONAL)


def asked_numbers(m: Model, options: Search) -> tuple[tuple[Fraction, ...], Interval]:
    """Where the dynamics start, and what may be declared. Raises InputError for options and files that do not fit."""
    given = {name: getattr(options, name) for name in sorted(options.model_fields_set) if name not in USED}
    unused = [name for name, value in given.items() if value is not None and value is not False]
    if unused:
        raise InputError(
            f"{unused[0]}: found {given[unused[0]]!r} beside dynamics = {REAL!r}; expected none, because it "
            "asks about all profiles of a game with lists of declarations"
        )
    if m.spec.domain is not None and not isinstance(m.spec.domain, IntervalSpec):
        raise InputError(
            f"domain: found lists of declarations beside dynamics = {REAL!r}; expected none, or all real ones, such as "
            'domain.lengths = "positive"'
        )
    interval = m.interval()
    among = Interval(interval.start, INF if interval.end is None else interval.end).accepted(m.mechanism)
    begin = started(m, options)
    if len(begin) != len(m.lengths):
        raise InputError(f"start: found {len(begin)} declarations; expected {len(m.lengths)}")
    for name, own, length in zip(m.spec.names, begin, m.lengths, strict=True):
        for what, number in ((f"start.{name}", own), (f"length of {name!r}", length)):
            if number not in among:
                raise InputError(f"{what}: found {number}; expected one of the {among} that may be declared")
    return begin, among


def fields_over_reals(scenario: Scenario, options: Search, progress: Progress | None = None) -> dict[str, Any]:
    """What the record of such a search says; everything about the profiles of a finite game is ``None``."""
    m = model(scenario, options.mechanism)
    begin, among = asked_numbers(m, options)
    rounds = options.rounds if "rounds" in options.model_fields_set else ROUNDS
    try:
        run = real_dynamics(
            m.mechanism,
            m.lengths,
            begin,
            among,
            values=m.values,
            rounds=rounds,
            progress=progress,
            clock=Clock(options.time_limit),
        )
    except MechanismError as error:
        raise MechanismError(
            f"dynamics {REAL!r}: best replies among all numbers are not known exactly; {error}"
        ) from None
    here = tuple((b,) for b in run.final)
    asked = as_posed(m, DeclarationGame(m.mechanism, m.lengths, here, m.values, m.spec.names, m.goal), begin)
    return {
        "method": "curves",
        "exact": True,
        "complete": run.ended not in ("rounds", "stopped"),
        "seed": None,
        "sense": "cost",
        "why": WHY,
        "players": m.spec.names,
        "profiles": None,
        "equilibria": _equilibria(asked, run),
        "dynamics": _row(scenario, m, asked, run, own=options.mechanism is not None),
        "game": asked.game,
        **dict.fromkeys(UNSAID),
    }


def _equilibria(asked: Posed, run: RealDynamics) -> EquilibriaRow:
    """One equilibrium where the dynamics have ended in it; of others nothing is known."""
    found = run.ended == "equilibrium"
    listed = (asked.row(outcome(asked.game, run.final)),) if found else ()
    return EquilibriaRow(exists=found or None, count=None, best=None, worst=None, listed=listed)


def _row(scenario: Scenario, m: Model, asked: Posed, run: RealDynamics, own: bool) -> RealDynamicsRow:
    names = m.spec.names
    utilities = play(m.mechanism, run.final, m.lengths, m.values).utilities
    assert utilities is not None  # play() fills them in
    claim = {"agents": {name: {"utility": u} for name, u in zip(names, utilities, strict=True)}}
    replies = tuple(
        ReplyRow(agent=name, utility=reply.utility, supremum=reply.supremum, attained=reply.attained)
        for name, reply in zip(names, run.replies, strict=False)
    )
    return RealDynamicsRow(
        start=asked.profile(run.start),
        rule=REAL,
        converged=run.ended == "equilibrium",
        steps=run.steps,
        cycle=None if run.cycle is None else tuple(map(asked.profile, run.cycle)),
        final=asked.profile(run.final),
        ended=run.ended,
        replies=replies or None,
        replay=None if own else (replay_of(scenario, m, run.final, m.lengths, claim),),
    )
