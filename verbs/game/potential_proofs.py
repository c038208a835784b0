"""What a record proves about potentials: every move of a potential, every step of what refutes one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...games.normal_form import NormalFormGame
from ...games.potential.checker import Asked, is_potential, is_trap, n_moves, refutes
from ...games.potential.classify import DECIDED_BY, check_cells, potentials
from ..proving import Claim, Comparisons, attempt
from .potential import row, shown_potential
from .records import ClassRow, WitnessRow

if TYPE_CHECKING:
    from .proofs import Proofs

MAX_MOVES: Final = 200_000
"""Moves tried one by one: a few seconds."""
MAX_TRAPPED: Final = 2_000
"""Profiles followed out of one that is said to be a trap."""


def prove(claim: Claim, proofs: Proofs) -> Comparisons:
    """Each class from its own witness; a potential that is not listed to the end is found and tried once more."""
    if not claim.given:
        return
    unread = []
    asked = Asked(proofs.game)
    for name in DECIDED_BY:
        part = claim[name]
        if not part.given:
            continue
        if part["holds"].value is True and not part["witness"]["potential_left_out"].given:
            yield from attempt(part, _tried, part, name, asked, proofs)
        elif part["holds"].value is True:
            unread.append(name)
        else:
            yield from attempt(part, _refuted, part, name, asked, proofs)
    if unread:
        yield from _again(claim, unread, asked, proofs)


def _tried(part: Claim, name: str, asked: Asked, proofs: Proofs) -> Comparisons:
    """Every move of a potential that is listed to the end."""
    if n_moves(proofs.game) > MAX_MOVES:
        return
    told, sign = part["witness"], -1 if proofs.asked.sense == "payoff" else 1
    rows = told["potential"].rows()
    values = {proofs.read(line["profile"]): sign * line["value"].number() for line in rows}
    if len(rows) != len(values) or set(values) != set(asked.profiles()):
        yield told["potential"].wrong("not one value for each profile")
        return
    weights = None
    if name == "weighted":
        weights = tuple(weight.number() for weight in told["weights"].by_name(proofs.game.players))
    if is_potential(name, asked, values.__getitem__, weights):
        yield from part.proves(ClassRow(holds=True, witness=shown_potential(proofs.asked, values, weights)))
    else:
        yield told["potential"].wrong("a move to which it does not answer")


def _refuted(part: Claim, name: str, asked: Asked, proofs: Proofs) -> Comparisons:
    """Every step of a ring, or every way out of a trap."""
    told = part["witness"]
    if name == "weakly_acyclic":
        trap = proofs.read(told["trap"])
        holds = is_trap(asked, trap, MAX_TRAPPED)
        if holds is None:
            return
        found = WitnessRow(trap=proofs.asked.profile(trap))
    else:
        rings = [[proofs.read(step) for step in ring.rows()] for ring in told["cycles"].rows()]
        holds = refutes(name, asked, rings)
        found = WitnessRow(cycles=tuple(tuple(map(proofs.asked.profile, ring)) for ring in rings))
    if holds:
        yield from part.proves(ClassRow(holds=False, witness=found))
    else:
        yield part["holds"].wrong("not refuted by the witness")


def _again(claim: Claim, names: list[str], asked: Asked, proofs: Proofs) -> Comparisons:
    """Potentials found again, and all moves tried."""
    check_cells(proofs.game)
    if n_moves(proofs.game) > MAX_MOVES:
        return
    game = NormalFormGame.from_game(proofs.game, clock=proofs.clock)
    found = potentials(game, proofs.clock)
    for name in names:
        if name not in found:
            return
        verdict = found[name]
        values = {game.profile(n): verdict.value(n) for n in range(game.social.size)} if verdict.holds else {}
        if values and not is_potential(name, asked, values.__getitem__, verdict.weights):
            yield claim[name].wrong("the potential that is found fails at a move")
        else:
            yield from claim[name].proves(row(verdict, game, proofs.asked, proofs.options))
