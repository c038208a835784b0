"""What coalition cuts prove of a federation, as records write it and as ``check`` proves it again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from ...agents.organizations import Federation
from ...games.placement import coalition_cuts
from ...games.placement.branch_and_bound import by_branch_and_bound
from ...games.placement.certificate import Cut, Exclusion
from ...games.placement.cuts_model import by_cuts
from ...games.placement.game import PlacementGame
from ...support.exact import Extended
from ..claims import Claim, Comparison, Comparisons, attempt
from .records import CoalitionCertificateRow, CoalitionExclusionRow, JointMoveRow, MoveRow

if TYPE_CHECKING:
    from ..game.profile_proofs import Limits, Proofs


def certificate(game: PlacementGame, proved: tuple[Exclusion, ...]) -> CoalitionCertificateRow:
    """What a search has proved of coalitions, as records write it."""
    names, unit = game.players, game.federation.unit
    return CoalitionCertificateRow(
        claims=tuple(
            CoalitionExclusionRow(
                at_least=claim.least * unit,
                at_most=claim.most * unit,
                equilibria=claim.equilibria,
                moves=move_rows(names, claim.cuts),
                joint_moves=tuple(JointMoveRow(moves=move_rows(names, cut)) for cut in claim.joint),
            )
            for claim in proved
        )
    )


def move_rows(names: Sequence[str], moves: Iterable[tuple[int, tuple[int, ...]]]) -> tuple[MoveRow, ...]:
    """Moves, each an organization's number and its hosts, by name."""
    return tuple(MoveRow(organization=names[k], placement=tuple(names[h] for h in hosts)) for k, hosts in moves)


def narrowed(certificate: Claim, proofs: Proofs, size: int) -> tuple[list[Comparison], Limits]:
    """What a certificate says, and what it proves of all stable placements beside what is proved of the equilibria."""
    game, limits = proofs.game, proofs.limits
    assert isinstance(game, PlacementGame)  # the table of references says so
    unit, excluded = game.federation.unit, list[tuple[Fraction, Fraction]]()

    def refuted(row: Claim) -> Comparisons:
        claim = _exclusion(row, game.federation, size)
        covers = by_cuts if claim.equilibria is None else by_branch_and_bound
        if not covers(game).covered:
            yield row.wrong("coalition cuts prove nothing about this game")
        elif coalition_cuts.refuted(game, proofs.options.notion, claim, proofs.clock):
            excluded.append((claim.least * unit, claim.most * unit))
            yield proved(row, "refuted again")
        else:
            yield row.wrong("the moves do not exclude it")

    rows = [comparison for row in certificate["claims"].rows() for comparison in attempt(row, refuted)]
    if limits.best is None or limits.worst is None:
        return rows, limits
    least, most = _left(limits.best, limits.worst, excluded, unit)
    if least > most:
        return rows, replace(limits, none=True)
    return rows, replace(limits, best=least, worst=most)


def _left(
    least: Extended, most: Extended, excluded: Sequence[tuple[Fraction, Fraction]], unit: Fraction
) -> tuple[Extended, Extended]:
    """What excluded social costs leave of those from ``least`` to ``most``, both ends taken off."""
    for low, high in sorted(excluded):
        if low <= least <= high:
            least = high + unit
    for low, high in sorted(excluded, reverse=True):
        if low <= most <= high:
            most = low - unit
    return least, most


def _exclusion(row: Claim, federation: Federation, size: int) -> Exclusion:
    """One claim, in units. Raises InputError or UnknownNameError for what is none."""
    joint = []
    for part in row["joint_moves"].rows():
        moves = read_moves(part["moves"].rows(), federation)
        members = [k for k, _ in moves]
        if not 1 <= len(members) <= size or members != sorted(set(members)):
            raise part.refused(f"the moves of 1 to {size} organizations in their order")
        joint.append(moves)
    return Exclusion(
        units(row["at_least"], federation),
        units(row["at_most"], federation),
        read_moves(row["moves"].rows(), federation),
        tuple(joint),
        row["equilibria"].whole() if row["equilibria"].present else None,
    )


def proved(row: Claim, how: str) -> Comparison:
    """A row that holds."""
    return replace(row.wrong(how), holds=True)


def units(claim: Claim, federation: Federation) -> int:
    """A time in units of the federation, not below 0 and no larger than its work."""
    units = claim.number() / federation.unit
    if units.denominator != 1 or not 0 <= units <= sum(map(sum, federation.sizes)):
        raise claim.refused("a time that a schedule can have")
    return units.numerator


def read_moves(rows: Iterable[Claim], federation: Federation) -> tuple[Cut, ...]:
    """The moves that rows write. Raises InputError or UnknownNameError for what is none."""
    moves = []
    for row in rows:
        player = federation.index(row["organization"].text(), row.key)
        moves.append((player, hosts(row["placement"], federation, player)))
    return tuple(moves)


def hosts(claim: Claim, federation: Federation, player: int) -> tuple[int, ...]:
    """One host for each job of an organization. Raises InputError, or UnknownNameError for a host, where it is none."""
    jobs, rows = len(federation.sizes[player]), claim.rows()
    if len(rows) != jobs or (jobs == 0 and claim.value != []):
        raise claim.refused(f"a list of {jobs} hosts")
    return tuple(federation.index(host.text(), host.key) for host in rows)
