"""What a record of ``search`` proves by itself: its profiles (:mod:`.profile_proofs`) and its analyses.

Coalitions: every deviation of every coalition is tried from the profiles called stable, by a checker that shares no
code with the solvers. That none is better, worse or missing follows from no profile: where the pure equilibria are
proved to have no more extreme cost, or not to exist, it is proved as theirs, else the record only has to agree with its
own profiles. Correlated play: distributions are equilibria, and multipliers bound all of them; an equilibrium whose
cost is the bound is extreme. Mixed equilibria: costs and regrets follow from the definition, the components from the
list; that the list is complete is proved by asking again.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

from ...games.checkers import epsilon, max_regret
from ...games.equilibria.coalitions.checker import checked_size, first_deviation, is_strong
from ...games.equilibria.correlated.checker import bound, expected_cost, is_equilibrium
from ...games.equilibria.correlated.results import CorrelatedPlay, Extreme, Multiplier, Side
from ...games.equilibria.mixed.profiles import components
from ...games.normal_form import NormalFormGame
from ...games.protocol import Game, costs_of
from ...support.exact import Extended
from ...support.loading import load_for
from ...support.progress import Clock
from ..claims import LISTED, PARTS, PLAYED, SOCIAL, Claim, Comparison, Comparisons, attempt, canonical, chosen, same
from ..records import jsonable
from ..request import Request
from .analyses import UNBOUNDED, check_expectations, chosen_analyses, correlated_row, numbered, plan, writer
from .profile_proofs import Limits, Proofs, counted, prove_bounds, reader, whole
from .search import setup_of

CERTIFICATES: Final[Mapping[str, str]] = MappingProxyType(
    {".games.placement.game:PlacementGame": ".verbs.federation.coalitions:narrowed"}
)
"""By class of games: ``(certificate, proofs, size) -> (comparisons, limits)``, limits for all stable profiles."""


def prove_coalitions(claim: Claim, proofs: Proofs) -> Comparisons:
    """All of them, in the order in which one builds on another."""
    if not claim.present:
        yield claim.wrong("coalitions were asked about")
        return
    options, size = proofs.options, checked_size(proofs.game, proofs.options.coalitions)
    yield from attempt(claim["notion"], lambda at: at.proves(options.notion))
    yield from attempt(claim["size"], lambda at: at.proves(size))
    rows, limits = _limits(claim["certificate"], proofs, size)
    yield from rows
    stable: list[Extended] = []  # social costs of those that are
    best, worst = claim["best"], claim["worst"]
    for row in (best, worst):
        yield from attempt(row, _stable, row, proofs, size, stable)
    social = not proofs.setup.social
    yield from attempt(best, _social, best, proofs, limits.best, min(stable, default=None) if social else None)
    yield from attempt(worst, _social, worst, proofs, limits.worst, max(stable, default=None) if social else None)
    yield from attempt(
        claim["exists"], _existence, claim, proofs, size, bool(stable) or (False if limits.none else None)
    )
    yield from attempt(claim["count"], _count, claim, proofs, len(stable))
    for name, row in (("price_of_anarchy", worst), ("price_of_stability", best)):
        yield from attempt(claim[name], _price, claim[name], row, claim, proofs)
    yield from attempt(claim["bounds"], _bounds, claim["bounds"], proofs, stable)


def _stable(claim: Claim, proofs: Proofs, size: int, stable: list[Extended]) -> Comparisons:
    """No coalition gains by leaving the profile; what it costs everybody."""
    if not claim.present:
        return
    here = proofs.played(claim["profile"])
    deviation = first_deviation(proofs.game, here.profile, size, proofs.options.notion, proofs.clock)
    if deviation is not None:
        members = ", ".join(proofs.game.players[i] for i in deviation.members)
        yield claim["profile"].wrong(f"it pays {members} to leave")
        return
    stable.append(here.social_cost)
    yield from claim.proves(proofs.setup.row(here), SOCIAL)


def _social(claim: Claim, proofs: Proofs, limit: Extended | None, beyond: Extended | None) -> Comparisons:
    """No pure equilibrium is beyond a proved limit, so no stable profile is."""
    if claim.present:
        yield from proofs.social(claim, limit, beyond)


def _limits(certificate: Claim, proofs: Proofs, size: int) -> tuple[list[Comparison], Limits]:
    """What is proved of all stable profiles: what is of the equilibria, and what a certificate adds."""
    if not certificate.present:
        return [], proofs.limits
    narrowed = load_for(proofs.game, CERTIFICATES)
    if narrowed is None:
        return [certificate.wrong("nothing of the kind proves anything about this game")], proofs.limits
    proved: tuple[list[Comparison], Limits] = narrowed(certificate, proofs, size)
    return proved


def _existence(claim: Claim, proofs: Proofs, size: int, decided: bool | None) -> Comparisons:
    """One stable profile shows that there is one; no equilibrium of the record may be another where there is none."""
    exists = claim["exists"]
    if decided is not None:
        yield from exists.proves(decided)
    elif exists.value is False:
        notion, clock = proofs.options.notion, proofs.clock
        others = (p for p in proofs.stable if is_strong(proofs.game, p, size, notion, clock))
        yield from exists.requires(next(others, None) is None, "true", PLAYED)
    elif exists.value is True and not (claim["best"].present or claim["worst"].present):
        yield exists.wrong("no profile that shows it")


def _count(claim: Claim, proofs: Proofs, witnesses: int) -> Comparisons:
    """At least those shown, at most the pure equilibria, and none exactly where none exists."""
    count, exists, most = claim["count"], claim["exists"].value, proofs.record["equilibria"]["count"]
    if not count.present:
        return
    if exists != (count.whole() > 0):
        yield count.wrong(f"exists = {exists}")
        return
    least = min(witnesses, 1)
    fits = least <= count.whole() and (not most.present or count.whole() <= most.whole())
    yield from count.requires(fits, f"{least} to {most.value if most.present else 'any number'}", PLAYED)


def _price(claim: Claim, row: Claim, coalitions: Claim, proofs: Proofs) -> Comparisons:
    """The social cost of a stable profile over the optimum."""
    optimum = proofs.record["optimum"]
    if not (row.present and optimum.present) or coalitions["complete"].value is not True:
        if claim.present:
            yield claim.wrong("no price without a stable profile and an optimum, or from a search that was stopped")
        return
    yield from proofs.ratio(claim, row, optimum)


def _bounds(claim: Claim, proofs: Proofs, stable: list[Extended]) -> Comparisons:
    """What is said to be proved of all stable profiles has to be true of those in the record."""
    sign = proofs.setup.sign
    worst, best = proofs.ends(claim)
    if worst.present:
        fits = all(cost <= sign * worst.extended() for cost in stable)
        yield from worst.requires(fits, f"beyond {sign * max(stable, default=0)}", PLAYED)
    if best.present:
        fits = all(cost >= sign * best.extended() for cost in stable)
        yield from best.requires(fits, f"beyond {sign * min(stable, default=0)}", PLAYED)
    for name in ("price_of_anarchy_at_most", "price_of_stability_at_least"):
        if claim[name].present:
            yield from claim[name].requires(claim[name].extended() >= 1, "at least 1", PARTS)


def prove_correlated(claim: Claim, proofs: Proofs) -> Comparisons:
    """Both sides, and the price that follows from the worst and the optimum of the table."""
    if not claim.present:
        return
    check_expectations(proofs.setup)
    arrays = NormalFormGame.from_game(proofs.game, clock=proofs.clock)
    concept: Any = proofs.options.correlated
    yield from claim["concept"].proves(concept)
    extremes: dict[Side, Extreme] = {}
    sides: tuple[Side, Side] = ("best", "worst")
    for side in sides:
        yield from attempt(claim[side], _extreme, claim[side], proofs, arrays, side, extremes)
    if "worst" in extremes:
        again = correlated_row(proofs.setup, CorrelatedPlay(concept, None, extremes["worst"]), arrays)
        yield from claim["price_of_total_anarchy"].proves(again.price_of_total_anarchy)


def _extreme(
    claim: Claim, proofs: Proofs, arrays: NormalFormGame, side: Side, extremes: dict[Side, Extreme]
) -> Comparisons:
    """One side: what its distribution costs and what its multipliers bound; it joins those found."""
    if not claim.present:
        return
    concept: Any = proofs.options.correlated
    played = claim["distribution"].rows()
    distribution = {proofs.read(part["profile"]): part["probability"].number() for part in played}
    if len(distribution) < len(played):
        yield claim["distribution"].wrong("the same profile twice")
        return
    if played and not is_equilibrium(arrays, distribution, concept):
        yield claim["distribution"].wrong("somebody gains by a deviation")
        return
    multipliers = _multipliers(claim["multipliers"], proofs)
    cost = expected_cost(arrays, distribution) if played else None
    limit = UNBOUNDED[side] if _unbounded(claim, side, proofs) else bound(arrays, multipliers, side)
    extremes[side] = Extreme(cost, distribution, multipliers, limit)
    again = correlated_row(proofs.setup, CorrelatedPlay(concept, extremes[side], None), arrays).best
    yield from claim.proves(again)


def _unbounded(claim: Claim, side: Side, proofs: Proofs) -> bool:
    """Whether the record, stopped before there was a table, bounds nothing: that is true whatever the game."""
    sign = proofs.setup.sign
    return not claim["multipliers"].rows() and same(claim["bound"].value, jsonable(sign * UNBOUNDED[side]))


def _multipliers(claim: Claim, proofs: Proofs) -> tuple[Multiplier, ...]:
    """The multipliers of the record. Raises InputError for strategies that the game does not have."""
    players, written = proofs.game.players, writer(proofs.setup)
    strategies: dict[int, dict[str, Any]] = {}

    def strategy(player: int, claimed: Claim) -> Any:
        if player not in strategies:
            strategies[player] = {_key(jsonable(written(player, s))): s for s in proofs.game.strategies(player)}
        if _key(claimed.value) not in strategies[player]:
            raise claimed.refused(f"a strategy of {players[player]}")
        return strategies[player][_key(claimed.value)]

    multipliers = []
    for part in claim.rows():
        player = list(players).index(part["player"].one_of(players))
        advice = part["recommended"]
        if advice.present == (proofs.options.correlated == "coarse"):
            raise advice.refused("a recommendation for correlated equilibria, none for coarse ones")
        recommended = strategy(player, advice) if advice.present else None
        value = part["multiplier"].number()
        multipliers.append(Multiplier(player, recommended, strategy(player, part["deviation"]), value))
    return tuple(multipliers)


def _key(value: Any) -> str:
    """A text that is the same for values that say the same."""
    return repr(canonical(value))


def prove_mixed(claim: Claim, proofs: Proofs) -> Comparisons:
    """Rows about every profile, about what the two lists may hold, and about the components."""
    for name, exact in (("equilibria", True), ("approximate", False)):
        rows = claim[name].rows()
        for row in rows:
            yield from attempt(row, _profile, row, proofs, exact)
        distinct = len({repr(row["probabilities"].value) for row in rows}) == len(rows)
        yield from claim[name].requires(distinct, "no profile twice", LISTED) if rows else ()
    if claim["components"].present:
        yield from attempt(claim["components"], _components, claim, proofs.game)


def _profile(claim: Claim, proofs: Proofs, exact: bool) -> Comparisons:
    """Expected costs and regrets of a profile; no regret in a list of equilibria, some regret in one of others."""
    game = proofs.game
    mixes = [
        _weights(mix, game.strategies(k)) for k, mix in enumerate(claim["probabilities"].by_name(list(game.players)))
    ]

    def expected(k: int, own: dict[Any, Fraction]) -> Extended:
        played = [*mixes[:k], own, *mixes[k + 1 :]]
        total: Extended = Fraction(0)
        for profile in itertools.product(*([s for s, chance in mix.items() if chance] for mix in played)):
            proofs.clock.check()
            chance = Fraction(1)
            for mix, strategy in zip(played, profile, strict=True):
                chance *= mix[strategy]
            total += chance * costs_of(game, profile)[k]
        return total

    costs = [expected(k, mix) for k, mix in enumerate(mixes)]
    least = [min(expected(k, {s: Fraction(1)}) for s in game.strategies(k)) for k in range(len(mixes))]
    regrets = [cost - best for cost, best in zip(costs, least, strict=True)]
    if any(regrets) == exact:
        yield claim["probabilities"].wrong(f"regrets {', '.join(map(str, regrets))}")
        return
    profile = {"probabilities": claim["probabilities"].value, "regrets": regrets, "exact": exact}
    yield from claim.proves(profile | proofs.setup.worths(costs))


def _weights(mix: Claim, strategies: Sequence[Any]) -> dict[Any, Fraction]:
    """Probabilities by strategy. Raises InputError for others than one for each, together 1."""
    weights = [part.number() for part in mix.rows()]
    if len(weights) != len(strategies) or sum(weights) != 1 or min(weights) < 0:
        raise mix.refused("one probability for each strategy, together 1")
    return dict(zip(strategies, weights, strict=True))


def _components(claim: Claim, game: Game) -> Comparisons:
    """The components of the equilibria listed; the first two players who have a choice are the two sides."""
    pairs = []
    for row in claim["equilibria"].rows():
        mixes = [
            tuple(part.number() for part in mix.rows()) for mix in row["probabilities"].by_name(list(game.players))
        ]
        choosing = [mix for mix in mixes if len(mix) > 1]
        pairs.append((choosing[0], choosing[1] if len(choosing) > 1 else ()))
    yield from claim["components"].agrees(numbered(components(pairs)), LISTED)


def _refused(proofs: Proofs) -> Comparisons:
    own = proofs.record["refused"]
    for name, reason in plan(proofs.game, proofs.options, others=True).refused.items():
        yield from own[name].proves(reason)


PROVED_BY: Final = {"coalitions": prove_coalitions, "correlated": prove_correlated}
"""By option of the analysis: what a certificate in its answer proves; the others are only asked again."""


def search(record: Claim, question: Request, clock: Clock) -> Comparisons:
    """Proofs of a search on payoff arrays."""
    options = chosen(question, "game")
    setup = setup_of(question.source, options)
    return prove(Proofs(record, setup, reader(setup.game), options, clock))


def prove(proofs: Proofs) -> Comparisons:
    """All proofs, in the order in which one builds on another."""
    record, equilibria, near = proofs.record, proofs.record["equilibria"], proofs.record["approximate"]
    yield from attempt(record["players"], proofs.head, record)
    for row in equilibria["listed"].rows():
        yield from attempt(row, proofs.equilibrium)
    yield from attempt(equilibria["listed"], whole, equilibria["listed"], equilibria["count"], proofs)
    yield from attempt(equilibria["best"], proofs.extreme, equilibria["best"], proofs.limits.best, min)
    yield from attempt(equilibria["worst"], proofs.extreme, equilibria["worst"], proofs.limits.worst, max)
    yield from attempt(record["optimum"], proofs.optimum)
    analyses = chosen_analyses(proofs.options)
    if record["refused"].present:
        yield from attempt(record["refused"], _refused, proofs)
    if all(analysis.option != "dynamics" for analysis in analyses):
        yield from attempt(record["dynamics"], proofs.dynamics)
    yield from attempt(equilibria["exists"], proofs.existence)
    yield from attempt(equilibria["count"], proofs.count, equilibria)
    yield from attempt(record["price_of_anarchy"], proofs.price, record["price_of_anarchy"], equilibria["worst"])
    yield from attempt(record["price_of_stability"], proofs.price, record["price_of_stability"], equilibria["best"])
    yield from attempt(record["smallest_epsilon"], proofs.smallest, "epsilon", epsilon, proofs.limits.epsilon)
    yield from attempt(record["smallest_regret"], proofs.smallest, "regret", max_regret, proofs.limits.regret)
    yield from attempt(record["bounds"], prove_bounds, record["bounds"], proofs)
    for row in near["listed"].rows():
        yield from attempt(row, proofs.approximate)
    yield from attempt(near["listed"], whole, near["listed"], near["count"], proofs)
    yield from attempt(near["count"], counted, near["count"], len(near["listed"].rows()))
    yield from prove_mixed(record["mixed"], proofs)
    for analysis in analyses:
        if analysis.option in PROVED_BY and not record["refused"][analysis.option].present:
            claim = record[analysis.option]
            yield from attempt(claim, PROVED_BY[analysis.option], claim, proofs)
