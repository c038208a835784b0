"""What a record of learning proves: the same play again, or what follows from the plays that it lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...games.dynamics import default_profile
from ...games.learning.play import FICTITIOUS, play
from ...games.learning.results import Play
from ...games.normal_form import NormalFormGame
from ..proving import Claim, Comparisons
from .learning import counted, row, tabulated

if TYPE_CHECKING:
    from .proofs import Proofs

PLAYED = ("average_social_cost", "average_social_welfare", "external_regret", "internal_regret", "rounds")
"""What follows from how often everything was played."""


def prove(claim: Claim, proofs: Proofs) -> Comparisons:
    """Play the rounds again with the same seed; where that takes too long, count up the plays that are listed."""
    options, posed = proofs.options, proofs.asked
    if not claim.given:
        return
    if options.dynamics != FICTITIOUS:
        yield from proofs.record["seed"].proves(options.seed)
    rounds = claim["rounds"].whole()
    if not 1 <= rounds <= options.rounds or (rounds < options.rounds and proofs.record["complete"].value is True):
        yield claim["rounds"].wrong(options.rounds)
        return
    game = NormalFormGame.from_game(proofs.game, clock=proofs.clock) if tabulated(proofs.game) else proofs.game
    start = default_profile(proofs.game) if posed.start is None else tuple(posed.start)
    played = play(game, options.dynamics, start, rounds, options.seed, clock=proofs.clock)
    if played.complete:
        yield from claim.proves(row(posed, game, played, counted(game, played, proofs.clock), options.list))
    elif not claim["plays_left_out"].given:
        yield from _listed(claim, proofs, played.rule)


def _listed(claim: Claim, proofs: Proofs, rule: str) -> Comparisons:
    """Averages and regrets of the plays that are listed, by their definitions."""
    trail = []
    for part in claim["plays"].rows():
        count = part["count"].whole()
        if not 1 <= count <= proofs.options.rounds:
            raise part["count"].refused("a number of rounds")
        trail += [proofs.read(part["profile"])] * count
    played = Play(rule, tuple(trail), complete=True)
    found = row(proofs.asked, proofs.game, played, counted(proofs.game, played, proofs.clock))
    for name in PLAYED:
        if claim[name].given:
            yield from claim[name].proves(found[name])
