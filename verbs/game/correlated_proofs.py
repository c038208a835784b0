"""What a record proves of correlated play: that the distributions are equilibria, and what the multipliers bound.

Both are checked on the table of all profiles by :mod:`...games.equilibria.correlated.checker`, which knows no solver;
an
equilibrium whose cost is the bound is extreme.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...games.equilibria.correlated.checker import bound, expected_cost, is_equilibrium
from ...games.equilibria.correlated.results import CorrelatedPlay, Extreme, Multiplier, Side
from ...games.normal_form import NormalFormGame
from ..expect import canonical
from ..proving import Claim, Comparisons, attempt, same
from ..records import jsonable
from .correlated import UNBOUNDED, check, row, writer

if TYPE_CHECKING:
    from .proofs import Proofs


def prove(claim: Claim, proofs: Proofs) -> Comparisons:
    """Both sides, and the price that follows from the worst and the optimum of the table."""
    if not claim.given:
        return
    check(proofs.asked)
    arrays = NormalFormGame.from_game(proofs.game, clock=proofs.clock)
    concept: Any = proofs.options.correlated
    yield from claim["concept"].proves(concept)
    found: dict[Side, Extreme] = {}
    sides: tuple[Side, Side] = ("best", "worst")
    for side in sides:
        yield from attempt(claim[side], _extreme, claim[side], proofs, arrays, side, found)
    if "worst" in found:
        again = row(proofs.asked, CorrelatedPlay(concept, None, found["worst"]), arrays)
        yield from claim["price_of_total_anarchy"].proves(again.price_of_total_anarchy)


def _extreme(
    claim: Claim, proofs: Proofs, arrays: NormalFormGame, side: Side, found: dict[Side, Extreme]
) -> Comparisons:
    """One side: what its distribution costs and what its multipliers bound; it joins those found."""
    if not claim.given:
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
    known = UNBOUNDED[side] if _unbounded(claim, side, proofs) else bound(arrays, multipliers, side)
    found[side] = Extreme(cost, distribution, multipliers, known)
    again = row(proofs.asked, CorrelatedPlay(concept, found[side], None), arrays).best
    yield from claim.proves(again)


def _unbounded(claim: Claim, side: Side, proofs: Proofs) -> bool:
    """Whether the record, stopped before there was a table, bounds nothing: that is true whatever the game."""
    sign = -1 if proofs.asked.sense == "payoff" else 1
    return not claim["multipliers"].rows() and same(claim["bound"].value, jsonable(sign * UNBOUNDED[side]))


def _multipliers(claim: Claim, proofs: Proofs) -> tuple[Multiplier, ...]:
    """The multipliers of the record. Raises InputError for strategies that the game does not have."""
    players, written = proofs.game.players, writer(proofs.asked)
    known: dict[int, dict[str, Any]] = {}

    def strategy(player: int, said: Claim) -> Any:
        if player not in known:
            known[player] = {_key(jsonable(written(player, s))): s for s in proofs.game.strategies(player)}
        if _key(said.value) not in known[player]:
            raise said.refused(f"a strategy of {players[player]}")
        return known[player][_key(said.value)]

    found = []
    for part in claim.rows():
        player = list(players).index(part["player"].one_of(players))
        told = part["recommended"]
        if told.given == (proofs.options.correlated == "coarse"):
            raise told.refused("a recommendation for correlated equilibria, none for coarse ones")
        recommended = strategy(player, told) if told.given else None
        value = part["multiplier"].number()
        found.append(Multiplier(player, recommended, strategy(player, part["deviation"]), value))
    return tuple(found)


def _key(value: Any) -> str:
    """A text that is the same for values that say the same."""
    return repr(canonical(value))
