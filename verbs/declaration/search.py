"""``search`` on scenarios of kind ``declaration``: equilibria of the declaration game at the true lengths.

Dynamics start at the truth unless ``start`` says otherwise. With ``bayesian`` also the equilibria of strategies that
say for every likely length what to declare. The dynamics ``best-response-over-reals`` play on all positive
declarations: no profile is tried but those that they reach, so a scenario without lists of declarations is enough, and
everything about the profiles of a finite game is ``None``.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from ...games.declaration.game import DeclarationGame
from ...games.declaration.replies import ROUNDS, Interval, RealDynamics, real_dynamics
from ...games.protocol import Outcome, outcome, price
from ...games.results import SearchResult
from ...games.verification.equilibria import bayes_nash, cost, least_cost
from ...games.verification.results import BayesNash, BayesOutcome
from ...mechanisms.declaration.protocol import play
from ...mechanisms.declaration.two_rounds import TwoRounds
from ...scenarios.domain import IntervalSpec
from ...scenarios.scenario import Scenario
from ...support.errors import InputError, MechanismError, TooLargeError
from ...support.exact import INF, Extended, rational
from ...support.interrupts import noticed
from ...support.progress import Clock, Progress
from ..game.records import EquilibriaRow
from ..game.search import ended, in_order, searched
from ..game.setup import Setup
from .model import Model, model, replay_of
from .options import REAL, Search
from .records import BayesNashRow, DeclarationSearchRecord, RealDynamicsRow, ReplyRow, StrategiesRow

OVER_REALS: Final = ("dynamics", "list", "mechanism", "rounds", "start", "time_limit")
"""Options of dynamics over all numbers; the others are about the profiles of a finite game."""
NO_PROFILES: Final = (
    *("optimum", "price_of_anarchy", "price_of_stability", "smallest_epsilon", "smallest_epsilon_profile"),
    *("smallest_regret", "smallest_regret_profile", "sinks"),
)
"""Fields about the profiles of a finite game."""


def search(scenario: Scenario, options: Search, progress: Progress | None = None) -> DeclarationSearchRecord:
    """Equilibria at the true lengths, and those under the prior where they are asked for.

    The latter get what is left of a time limit, of which the rest of the search takes at most half.
    """
    m = model(scenario, options.mechanism)
    if options.dynamics == REAL:
        return _over_reals(scenario, m, options, progress)
    setup, clock = _setup(m, m.game(), start_of(m, options)), Clock(options.time_limit)
    row, complete = None, True
    refused = bayesian_cost(m)[1] if options.bayesian else {}
    bayesian, first = options.bayesian and not refused, options
    if bayesian and options.time_limit is not None:
        first = options.model_copy(update={"time_limit": options.time_limit / 2})
    with noticed() as stopped:
        result, fields = searched(setup, first, progress, bayesian)
        fields |= _against_first_best(m, result)
        if bayesian:
            equilibria = bayes_nash(
                m.mechanism,
                m.domain(),
                m.known_prior("bayesian"),
                m.cluster,
                goal=m.welfare_goal,
                values=m.values,
                progress=progress,
                clock=Clock(0) if stopped() else clock,
            )
            row, complete = _bayes_nash_row(equilibria, m.spec.names), equilibria.complete
    complete = complete and (fields["complete"] or fields.get("open", False))
    fields |= ended(complete, (fields["refused"] or {}) | refused)
    return DeclarationSearchRecord(
        kind=scenario.kind, scenario=scenario.label, game=setup.game, bayes_nash=row, **fields
    )


def bayesian_cost(m: Model) -> tuple[tuple[float, int], dict[str, str]]:
    """Predicted seconds and bytes of the Bayes-Nash equilibria, or why they are out of reach."""
    try:
        return cost(m.mechanism, m.domain(), m.known_prior("bayesian")), {}
    except TooLargeError as error:
        return (0.0, 0), {"bayesian": str(error)}


def start_of(m: Model, options: Search) -> tuple[Fraction, ...]:
    """Where dynamics start: at the truth unless ``start`` says otherwise."""
    start = in_order(options.start, m.spec.names)
    return m.lengths if start is None else tuple(rational(b, "start") for b in start)


def _against_first_best(m: Model, result: SearchResult) -> dict[str, Any]:
    """The least cost of all schedules, and the price of anarchy against it; nothing where agents may leave."""
    if isinstance(m.mechanism, TwoRounds):
        return {}
    try:
        least = least_cost(m.cluster, m.welfare_goal, m.lengths)
    except TooLargeError:
        return {}
    worst = result.equilibria.worst if result.complete else None
    ratio = None if worst is None or least is None else price(worst.social_cost, least)
    return {"first_best": least, "price_over_first_best": ratio}


def _setup(m: Model, game: DeclarationGame, start: tuple[Fraction, ...]) -> Setup:
    """How outcomes of a game of these agents are written: a profile is a table of declarations by agent."""
    names = m.spec.names

    def social(outcome: Outcome) -> list[Extended]:
        return [-part for part in game.welfare(outcome.profile)]

    return Setup(game, start, lambda p: dict(zip(names, p, strict=True)), None if game.numeric else social)


def _bayes_nash_row(equilibria: BayesNash, names: Sequence[str]) -> BayesNashRow:
    def strategies(one: BayesOutcome | None) -> StrategiesRow | None:
        if one is None:
            return None
        by_name = zip(names, one.strategies, strict=True)
        by_length = {name: {str(x): b for x, b in own.items()} for name, own in by_name}
        return StrategiesRow(strategies=by_length, social_cost=one.social_cost)

    return BayesNashRow.of(equilibria, best=strategies(equilibria.best), worst=strategies(equilibria.worst))


def real_numbers(m: Model, options: Search) -> tuple[tuple[Fraction, ...], Interval]:
    """Where the dynamics start, and what may be declared. Raises InputError for options and files that do not fit."""
    others = {name: getattr(options, name) for name in sorted(options.model_fields_set) if name not in OVER_REALS}
    unused = [name for name, value in others.items() if value is not None and value is not False]
    if unused:
        raise InputError(
            f"{unused[0]}: found {others[unused[0]]!r} beside dynamics = {REAL!r}; expected none, because it "
            "asks about all profiles of a game with lists of declarations"
        )
    if m.spec.domain is not None and not isinstance(m.spec.domain, IntervalSpec):
        raise InputError(
            f"domain: found lists of declarations beside dynamics = {REAL!r}; expected none, or all real ones, such as "
            'domain.lengths = "positive"'
        )
    interval = m.interval()
    numbers = Interval(interval.start, INF if interval.end is None else interval.end).within_cutoff(m.mechanism)
    start = start_of(m, options)
    if len(start) != len(m.lengths):
        raise InputError(f"start: found {len(start)} declarations; expected {len(m.lengths)}")
    for name, own, length in zip(m.spec.names, start, m.lengths, strict=True):
        for what, number in ((f"start.{name}", own), (f"length of {name!r}", length)):
            if number not in numbers:
                raise InputError(f"{what}: found {number}; expected one of the {numbers} that may be declared")
    return start, numbers


def _over_reals(scenario: Scenario, m: Model, options: Search, progress: Progress | None) -> DeclarationSearchRecord:
    start, numbers = real_numbers(m, options)
    rounds = options.rounds if "rounds" in options.model_fields_set else ROUNDS
    try:
        run = real_dynamics(
            m.mechanism,
            m.lengths,
            start,
            numbers,
            values=m.values,
            rounds=rounds,
            progress=progress,
            clock=Clock(options.time_limit),
        )
    except MechanismError as error:
        raise MechanismError(
            f"dynamics {REAL!r}: best replies among all numbers are not known exactly; {error}"
        ) from None
    last = tuple((b,) for b in run.final)
    setup = _setup(m, DeclarationGame(m.mechanism, m.lengths, last, m.values, m.spec.names, m.goal), start)
    ended = run.ended == "equilibrium"
    listed = (setup.row(outcome(setup.game, run.final)),) if ended else ()
    fields: dict[str, Any] = {
        "method": "curves",
        "complete": run.ended not in ("rounds", "stopped"),
        "sense": "cost",
        "players": m.spec.names,
        "profiles": None,
        "equilibria": EquilibriaRow(exists=ended or None, count=None, best=None, worst=None, listed=listed),
        "dynamics": _real_dynamics_row(scenario, m, setup, run, replayable=options.mechanism is None),
        "game": setup.game,
        **dict.fromkeys(NO_PROFILES),
    }
    return DeclarationSearchRecord(kind=scenario.kind, scenario=scenario.label, **fields)


def _real_dynamics_row(
    scenario: Scenario, m: Model, setup: Setup, run: RealDynamics, replayable: bool
) -> RealDynamicsRow:
    names = m.spec.names
    utilities = play(m.mechanism, run.final, m.lengths, m.values).utilities
    assert utilities is not None  # play() fills them in
    claim: dict[str, Any] = {"agents": {name: {"utility": u} for name, u in zip(names, utilities, strict=True)}}
    replies = tuple(ReplyRow.of(reply, agent=name) for name, reply in zip(names, run.replies, strict=False))
    return RealDynamicsRow.of(
        run,
        start=setup.profile(run.start),
        rule=REAL,
        converged=run.ended == "equilibrium",
        cycle=None if run.cycle is None else tuple(map(setup.profile, run.cycle)),
        final=setup.profile(run.final),
        replies=replies or None,
        replay=(replay_of(scenario, m, run.final, m.lengths, claim),) if replayable else None,
    )
