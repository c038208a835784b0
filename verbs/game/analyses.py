"""What ``search`` answers besides pure equilibria when it is asked to: one :class:`Analysis` for each.

``--dry-run`` reaches its cost through the same entry. A time limit is shared: the pure search and every analysis get
equal parts of what is left when their turn comes. What is out of reach is refused alone: all else is answered.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from ...games.dynamics import default_profile
from ...games.equilibria.coalitions.checker import checked_size
from ...games.equilibria.coalitions.search import search_coalitions
from ...games.equilibria.correlated.results import CorrelatedPlay, Extreme, Side
from ...games.equilibria.learning.lines import HasLines
from ...games.equilibria.learning.play import INERTIA, check_rule, play
from ...games.equilibria.learning.regrets import Play, Regrets, average_social_cost, regrets_of
from ...games.equilibria.mixed.profiles import MixedEquilibria, MixedEquilibrium
from ...games.equilibria.mixed.quantal import QuantalResponse, quantal_responses
from ...games.equilibria.mixed.search import check_mixed
from ...games.equilibria.mixed.vertices import most_vertices
from ...games.equilibria.potential.classify import BYTES_PER_CELL, DECIDED_BY, check_cells, potentials
from ...games.equilibria.potential.differences import Verdict
from ...games.normal_form import COMFORTABLE, NormalFormGame, check_table_size, table_bytes
from ...games.protocol import Game, count_profiles, count_strategies, price
from ...games.results import SearchResult
from ...games.search import prepared
from ...support.errors import InputError, TooLargeError
from ...support.exact import INF
from ...support.loading import load_for
from ...support.progress import Clock, Progress
from .. import costs
from ..records import Statistic
from . import records
from .options import BEST_RESPONSE, Search
from .setup import Setup

Answer: TypeAlias = tuple[Any, bool]
"""A row of the record, and whether it covers all that was asked."""
Cost: TypeAlias = tuple[float, int]
"""Seconds and bytes, predicted."""
REFUSED: Final = "not answered: {} ({})"


CERTIFICATES: Final[Mapping[str, str]] = MappingProxyType(
    {".games.placement.game:PlacementGame": ".verbs.federation.coalitions:certificate"}
)
"""By class of games: ``(game, certificate) -> Row``, how records write what a solver without a table has proved."""


def coalitions(setup: Setup, options: Search, result: SearchResult, clock: Clock, progress: Progress | None) -> Answer:
    """What coalitions of up to K players leave stable; prices where social costs are numbers."""
    assert options.coalitions is not None  # it is asked for
    stable = search_coalitions(
        setup.game,
        options.coalitions,
        options.notion,
        result=result,
        arrays=lambda: setup.table(options, clock, progress),
        clock=clock,
        progress=progress,
    )
    write = load_for(setup.game, CERTIFICATES)
    written = None if write is None or stable.certificate is None else write(setup.game, stable.certificate)
    bounds = setup.bounds(records.StableBoundsRow, stable.bounds)
    row = setup.shared(records.CoalitionsRow, stable) | {"bounds": bounds, "certificate": written}
    return records.CoalitionsRow(**row), stable.complete


def coalitions_cost(game: Game, options: Search) -> Cost:
    """Each coalition looks at every profile once, or cuts are collected where there is no table."""
    assert options.coalitions is not None  # it is asked for
    n, profiles = len(game.players), count_profiles(game)
    if table_bytes(game) > COMFORTABLE:
        return costs.COALITION_CUTS, 0
    count = sum(math.comb(n, size) for size in range(1, checked_size(game, options.coalitions) + 1))
    return profiles * count * costs.COALITION_CELL, table_bytes(game) + profiles * costs.COALITION_PROFILE_BYTES


_PASSES = 100  # over the table, as far as they can be counted: the linear programs between them are small
UNBOUNDED: Final[Mapping[Side, float]] = {"best": -INF, "worst": INF}
"""The bounds of what was stopped before it had any."""


def correlated(setup: Setup, options: Search, result: SearchResult, clock: Clock, progress: Progress | None) -> Answer:
    """The least and the largest expected social cost of correlated play."""
    from ...games.equilibria.correlated.search import correlated_play  # loads the linear solver

    check_expectations(setup)
    concept: Any = options.correlated
    try:
        arrays = setup.table(options, clock, progress)
    except (KeyboardInterrupt, TimeoutError):
        best, worst = (Extreme(None, {}, (), bound) for bound in UNBOUNDED.values())
        return correlated_row(setup, CorrelatedPlay(concept, best, worst), None), False
    profiles = [equilibrium.profile for equilibrium in (result.equilibria.best, result.equilibria.worst) if equilibrium]
    extremes = correlated_play(arrays, concept, equilibria=tuple(profiles), clock=clock, progress=progress)
    return correlated_row(setup, extremes, arrays), extremes.proved


def check_expectations(setup: Setup) -> None:
    """Raise InputError where social costs are no numbers: they have no expectation."""
    if setup.social is not None:
        raise InputError("correlated: the welfare of this game is a list of numbers; an expectation needs one number")


def correlated_row(setup: Setup, extremes: CorrelatedPlay, arrays: NormalFormGame | None) -> records.CorrelatedRow:
    """What was found, as records write it; the optimum is that of the table, if there was time for one."""
    worst, total = extremes.worst, None
    if arrays is not None and extremes.concept == "coarse" and worst is not None and worst.proved:
        optimum = arrays.social_cost(arrays.profile(int(arrays.social.argmin())))
        total = price(worst.social_cost, optimum, setup.sense)
    return records.CorrelatedRow(
        concept=extremes.concept,
        best=None if extremes.best is None else _extreme(setup, extremes.best),
        worst=None if worst is None else _extreme(setup, worst),
        price_of_total_anarchy=total,
    )


def _extreme(setup: Setup, extreme: Extreme) -> records.ExtremeRow:
    written = writer(setup)
    return records.ExtremeRow(
        **({} if extreme.social_cost is None else setup.worth("social", extreme.social_cost)),
        distribution=tuple(
            records.ProbabilityRow(profile=setup.profile(profile), probability=probability)
            for profile, probability in sorted(extreme.distribution.items(), key=lambda item: -item[1])
        ),
        multipliers=tuple(
            records.MultiplierRow(
                player=setup.game.players[m.player],
                recommended=None if m.recommended is None else written(m.player, m.recommended),
                deviation=written(m.player, m.deviation),
                multiplier=m.value,
            )
            for m in extreme.multipliers
        ),
        bound=setup.sign * extreme.bound,
        proved=extreme.proved,
    )


def writer(setup: Setup) -> Callable[[int, Any], Any]:
    """One player's strategy as it stands in the profiles of the record."""
    first = default_profile(setup.game)

    def written(player: int, strategy: Any) -> Any:
        whole = setup.profile((*first[:player], strategy, *first[player + 1 :]))
        return whole[setup.game.players[player]] if isinstance(whole, Mapping) else strategy

    return written


def correlated_cost(game: Game, options: Search) -> Cost:
    """Some dozens of passes over the table. Raises TooLargeError without one."""
    check_table_size(game, options.table_limit)
    return count_profiles(game) * (len(game.players) + 1) * _PASSES * costs.TABLE_CELL, 3 * table_bytes(game)


COUNTING: Final = 5.0
"""Seconds in which regrets are counted up although the time limit has passed."""


def learning(setup: Setup, options: Search, result: SearchResult, clock: Clock, progress: Progress | None) -> Answer:
    """The rounds that were played in time. Raises TooLargeError for a rule that is not for so many strategies."""
    check_rule(setup.game, options.dynamics)
    game = setup.table(options, clock, progress) if _tabulated(setup.game, options) else setup.game
    start = default_profile(setup.game) if setup.start is None else tuple(setup.start)
    played = play(game, options.dynamics, start, options.rounds, options.seed, clock=clock, progress=progress)
    left = clock.left()
    regrets = _counted(game, played, Clock(None if left is None else max(left, COUNTING)))
    return _learning_row(setup, game, played, regrets, options.list), played.complete and regrets is not None


def _tabulated(game: Game, options: Search) -> bool:
    """Whether the table of all profiles is small enough to be made for this."""
    return isinstance(game, NormalFormGame) or table_bytes(game) <= min(COMFORTABLE, options.table_limit)


def _counted(game: Game, played: Play, clock: Clock) -> tuple[Regrets | None, ...] | None:
    """Everybody's regrets, each ``None`` where strategies are too many to list; ``None`` where time was up."""
    try:
        return regrets_of(game, played.counts, clock)
    except TooLargeError:
        return (None,) * len(game.players)
    except (KeyboardInterrupt, TimeoutError):
        return None


def _learning_row(
    setup: Setup, game: Game, played: Play, regrets: tuple[Regrets | None, ...] | None, limit: int | None
) -> records.LearningRow:
    """Play as records write it, with at most ``limit`` profiles listed."""
    listed = [records.PlayRow(profile=setup.profile(profile), count=n) for profile, n in played.counts.items()][:limit]
    each = dict(zip(game.players, regrets or (None,) * len(game.players), strict=True))
    # what a kind writes in another form than a number has no average
    worths = {} if setup.social else {p: setup.sign * average_social_cost(game, {p: 1}) for p in played.counts}
    return records.LearningRow(
        start=setup.profile(played.trail[0]),
        rule=played.rule,
        rounds=len(played.trail),
        plays=tuple(listed),
        plays_left_out=len(played.counts) - len(listed) or None,
        last=setup.profile(played.trail[-1]),
        external_regret={name: None if r is None else r.external for name, r in each.items()},
        internal_regret={name: None if r is None else r.internal for name, r in each.items()},
        social=tuple(worths[p] for p in played.trail) if worths else (),
        **({} if setup.social else setup.worth("average_social", average_social_cost(game, played.counts))),
    )


def learning_cost(game: Game, options: Search) -> Cost:
    """The rounds asked for. Raises TooLargeError for a rule that is not for so many strategies."""
    check_rule(game, options.dynamics)
    players = range(len(game.players))
    rounds, width = options.rounds, sum(count_strategies(game, player) for player in players)
    seconds = rounds * len(players) * costs.LEARNING_ROUND
    if _tabulated(game, options):
        return seconds + rounds * width * costs.LINE_CELL, table_bytes(game)
    if isinstance(game, HasLines):  # then best responses are quick as well
        return seconds + rounds * (
            width * costs.PLACED_PROFILE if options.dynamics != INERTIA else len(players) * costs.REPLY
        ), 0
    return seconds + rounds * width * seconds_of(game), 0


def seconds_of(game: Game) -> float:
    """Seconds of one profile, the second time: the first one may load and compile."""
    here = default_profile(game)
    game.costs(here)
    began = time.process_time()
    game.costs(here)
    return time.process_time() - began


def potential(setup: Setup, options: Search, result: SearchResult, clock: Clock, progress: Progress | None) -> Answer:
    """The classes of potential games decided in time. Raises TooLargeError for a game whose moves are too many."""
    check_cells(setup.game)
    game = setup.table(options, clock, progress)
    verdicts = potentials(game, clock, progress)
    rows = {name: _class_row(verdicts.get(name), game, setup, options.list) for name in DECIDED_BY}
    return records.PotentialRow(**rows), len(verdicts) == len(DECIDED_BY)


def _class_row(
    verdict: Verdict | None, game: NormalFormGame, setup: Setup, limit: int | None
) -> records.ClassRow | None:
    """A verdict as records write it, with as much of the potential, of payoffs if need be, as lists may have."""
    if verdict is None:
        return None

    def written(number: int) -> Any:
        return setup.profile(game.profile(number))

    if verdict.holds:
        size = count_profiles(game)
        listed = range(size if limit is None else min(size, limit))
        witness = records.WitnessRow(
            weights=None if verdict.weights is None else dict(zip(game.players, verdict.weights, strict=True)),
            potential=tuple(records.ValueRow(profile=written(n), value=setup.sign * verdict.value(n)) for n in listed),
            potential_left_out=size - len(listed) or None,
        )
        return records.ClassRow(holds=True, witness=witness)
    cycles = tuple(tuple(map(written, ring)) for ring in verdict.cycles) or None
    trap = None if verdict.trap is None else written(verdict.trap)
    return records.ClassRow(holds=False, witness=records.WitnessRow(cycles=cycles, trap=trap))


def potential_cost(game: Game, options: Search) -> Cost:
    """All classes. Raises TooLargeError for a game whose moves are too many."""
    check_cells(game)
    cells = count_profiles(game) * len(game.players)
    return cells * costs.MOVE_CELL, table_bytes(game) + cells * BYTES_PER_CELL


def mixed_row(setup: Setup, result: MixedEquilibria) -> records.MixedRow:
    """Mixed equilibria, which the search itself finds, in the words of the game."""
    equilibria, approximate = (
        tuple(_mixed(setup, profile) for profile in profiles) for profiles in (result.equilibria, result.approximate)
    )
    return records.MixedRow.of(
        result,
        equilibria=equilibria,
        components=None if result.components is None else numbered(result.components),
        approximate=approximate or None,
    )


def _mixed(setup: Setup, profile: MixedEquilibrium) -> records.MixedEquilibriumRow:
    return records.MixedEquilibriumRow(
        probabilities=dict(zip(setup.game.players, profile.strategies, strict=True)),
        **setup.worths(profile.costs),
        regrets=profile.regrets,
        exact=profile.exact,
    )


def numbered(components: Sequence[Sequence[Sequence[int]]]) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Places in a list as numbers from 1."""
    return tuple(tuple(tuple(place + 1 for place in subset) for subset in part) for part in components)


def mixed_cost(game: Game, options: Search) -> Cost:
    """Vertices of two polytopes, far fewer than they might have; or Gambit's processes. Raises as the search does."""
    check_mixed(game)
    shape = [count_strategies(game, player) for player in range(len(game.players))]
    choosing = [size for size in shape if size > 1]
    if len(choosing) > 2:
        return costs.GAMBIT[0] + costs.GAMBIT[1] * math.prod(2**size - 1 for size in choosing), 0
    m, n = [*choosing, 1, 1][:2]
    each, cell = costs.VERTEX
    usual = math.comb(m + n, n) ** 0.57
    count = min(usual, most_vertices(m, n)) + min(usual, most_vertices(n, m))
    return count * (each + cell * m * n), int(count * m * n * 40)


def quantal(setup: Setup, options: Search, result: SearchResult, clock: Clock, progress: Progress | None) -> Answer:
    """The logit equilibria for every lambda asked for, as statistics, or as many as there was time for."""
    lambdas, equilibria = options.quantal or (), tuple[QuantalResponse, ...]()
    with suppress(TimeoutError, KeyboardInterrupt):
        equilibria = quantal_responses(setup.table(options, clock, progress), lambdas, progress=progress, clock=clock)
    complete = len(equilibria) == len(set(lambdas))
    rows = tuple(_response(setup, response) for response in equilibria)
    return records.QuantalRow(concept="logit", complete=complete, responses=rows), complete


def _response(setup: Setup, response: QuantalResponse) -> records.ResponseRow:
    mixes = (tuple(map(Statistic, mix)) for mix in response.strategies)
    return records.ResponseRow(
        lambda_=response.precision,
        probabilities=dict(zip(setup.game.players, mixes, strict=True)),
        **{name: tuple(map(Statistic, worth)) for name, worth in setup.worths(response.costs).items()},
        regrets=tuple(map(Statistic, response.regrets)),
        error=Statistic(response.error),
    )


def quantal_cost(game: Game, options: Search) -> Cost:
    """Steps along the branch, each of some Newton steps: tables contracted, a linear system solved."""
    check_table_size(game, options.table_limit)
    strategies = sum(count_strategies(game, player) for player in range(len(game.players)))
    cells = count_profiles(game) * len(game.players) ** 2
    fixed, per_cell, per_cube = costs.QUANTAL_STEP
    return costs.QUANTAL_STEPS * (fixed + per_cell * cells + per_cube * strategies**3), 16 * (strategies + 1) ** 2


@dataclass(frozen=True)
class Analysis:
    """An analysis that ``search`` makes when it is asked to."""

    option: str  # what asks for it, and the field of the record where the answer stands
    # from setup, options, what the search for pure equilibria has found, clock and progress
    answer: Callable[[Setup, Search, SearchResult, Clock, Progress | None], Answer]
    cost: Callable[[Game, Search], Cost]  # from the game and the options
    details: tuple[str, ...] = ()  # options that mean nothing without it


ANALYSES: Final = (
    Analysis("coalitions", coalitions, coalitions_cost, details=("notion",)),
    Analysis("correlated", correlated, correlated_cost),
    Analysis("dynamics", learning, learning_cost, details=("rounds", "seed")),
    Analysis("potential", potential, potential_cost),
    Analysis("quantal", quantal, quantal_cost),
)
"""In the order in which they are answered."""


def chosen_analyses(options: Search) -> list[Analysis]:
    """The analyses that are asked for."""
    return [analysis for analysis in ANALYSES if getattr(options, analysis.option) not in (None, False, BEST_RESPONSE)]


def answers(
    setup: Setup,
    options: Search,
    result: SearchResult,
    clock: Clock,
    progress: Progress | None,
    stopped: Callable[[], bool],
    refused: dict[str, str],
) -> dict[str, Answer]:
    """Answers by field of the record; no row where there was no time for the table, or no memory.

    ``clock`` is that of the whole verb; analyses whose turn comes after Ctrl-C (``stopped``) have no time left. What
    turns out to be out of reach joins ``refused``.
    """
    chosen = [analysis for analysis in chosen_analyses(options) if analysis.option not in refused]
    by_field = dict[str, Answer]()
    for place, analysis in enumerate(chosen):
        left = 0.0 if stopped() else clock.left()
        own = Clock(None if left is None else left / (len(chosen) - place))
        try:
            by_field[analysis.option] = analysis.answer(setup, options, result, own, progress)
        except (KeyboardInterrupt, TimeoutError):
            by_field[analysis.option] = None, False
        except TooLargeError as error:
            refused[analysis.option] = str(error)
    return by_field


class Plan(NamedTuple):
    """What a search would do: how pure equilibria are found, what all else costs, and what is out of reach."""

    method: str | None  # none: they are out of reach
    cost: Cost  # of all besides pure equilibria
    refused: dict[str, str]  # reasons by option, and of ``"equilibria"``
    note: str  # of all that in one line


def plan(game: Game, options: Search, others: bool = False) -> Plan:
    """What a search would do. Raises before any work what it raises.

    ``others``: whether something else is asked as well, so that the search is not refused where this has no answer.
    Raises TooLargeError when all that is asked is out of reach, InputError for a detail of an analysis that is not.
    """
    chosen = chosen_analyses(options)
    for analysis in ANALYSES:
        for name in analysis.details:
            if analysis not in chosen and name in options.model_fields_set:
                problem = f"{name}: found {getattr(options, name)!r}, which nothing uses"
                raise InputError(f"{problem}; expected a value of {analysis.option} that does")
    topics: dict[str, Callable[[Game, Search], Cost]] = {analysis.option: analysis.cost for analysis in chosen}
    topics |= {"mixed": mixed_cost} if options.mixed else {}
    spent, errors, method, note = list[Cost](), dict[str, TooLargeError](), None, ""
    try:
        method, why = prepared(game, options.method, max_bytes=options.table_limit)
        note = f"method {method}: {why}"
    except TooLargeError as error:
        errors["equilibria"] = error
    for name, cost in topics.items():
        try:
            spent.append(cost(game, options))
        except TooLargeError as error:
            errors[name] = error
    if method is None and not spent and not others:
        raise errors["equilibria"]
    refused = {name: str(error) for name, error in errors.items()}
    whole = sum(seconds for seconds, _ in spent), max((memory for _, memory in spent), default=0)
    notes = [*filter(None, [note]), *(REFUSED.format(*item) for item in refused.items())]
    return Plan(method, whole, refused, "; ".join(notes))
