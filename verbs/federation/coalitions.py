"""What coalition cuts prove of a federation, as records write it and as ``check`` proves it again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from ...agents.organizations import Federation
from ...games.equilibria.coalitions.results import Notion
from ...games.placement.branch_and_bound import by_branch_and_bound
from ...games.placement.certificate import Exclusion
from ...games.placement.coalition_cuts import refuted
from ...games.placement.cuts_model import by_cuts
from ...games.placement.game import PlacementGame
from ...support.exact import Extended
from ...support.progress import Clock
from ..claims import Claim, Comparison, Comparisons, attempt
from .records import CoalitionCertificateRow, CoalitionExclusionRow, JointMoveRow, move_rows

if TYPE_CHECKING:
    from ..game.proofs import Limits, Proofs


def certificate(game: PlacementGame, proved: tuple[Exclusion, ...]) -> CoalitionCertificateRow:
    """The certificate of a search as records write it."""
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


def narrowed(certificate: Claim, proofs: Proofs, size: int) -> tuple[list[Comparison], Limits]:
    """What a certificate says, and what it proves of all stable placements beside what is proved of the equilibria."""
    game, limits = proofs.game, proofs.limits
    assert isinstance(game, PlacementGame)  # the table of references says so
    windows = Windows(game, proofs.options.notion, size, proofs.clock)
    rows = list(windows.prove(certificate))
    if limits.best is None or limits.worst is None:
        return rows, limits
    least, most = windows.left(limits.best, limits.worst)
    if least > most:
        return rows, replace(limits, none=True)
    return rows, replace(limits, best=least, worst=most)


@dataclass
class Windows:
    """The claims of a record's certificate; ``excluded`` are the social costs of those that hold again."""

    game: PlacementGame
    notion: Notion
    size: int
    clock: Clock

    def __post_init__(self) -> None:
        self.excluded: list[tuple[Fraction, Fraction]] = []

    def prove(self, certificate: Claim) -> Comparisons:
        """A row for everything that a certificate says."""
        for row in certificate["claims"].rows():
            yield from attempt(row, self._refuted)

    def _refuted(self, row: Claim) -> Comparisons:
        """One claim, proved again from the game and the moves alone."""
        claim = self._read(row)
        covers = by_cuts if claim.equilibria is None else by_branch_and_bound
        if not covers(self.game).covered:
            yield row.wrong("coalition cuts prove nothing about this game")
        elif refuted(self.game, self.notion, claim, self.clock):
            unit = self.game.federation.unit
            self.excluded.append((claim.least * unit, claim.most * unit))
            yield replace(row.wrong("refuted again"), holds=True)
        else:
            yield row.wrong("the moves do not exclude it")

    def _read(self, row: Claim) -> Exclusion:
        """One claim, in units. Raises InputError or UnknownNameError for what is none."""
        joint = tuple(self._joint(part) for part in row["joint_moves"].rows())
        moves = read_moves(row["moves"].rows(), self.game.federation)
        count = row["equilibria"]
        return Exclusion(
            self._units(row["at_least"]),
            self._units(row["at_most"]),
            moves,
            joint,
            count.whole() if count.present else None,
        )

    def _joint(self, row: Claim) -> tuple[tuple[int, tuple[int, ...]], ...]:
        moves = read_moves(row["moves"].rows(), self.game.federation)
        members = [k for k, _ in moves]
        if not 1 <= len(members) <= self.size or members != sorted(set(members)):
            raise row.refused(f"the moves of 1 to {self.size} organizations in their order")
        return moves

    def _units(self, claim: Claim) -> int:
        """A time in units of the federation, not below 0 and no larger than its work."""
        units = claim.number() / self.game.federation.unit
        if units.denominator != 1 or not 0 <= units <= sum(map(sum, self.game.federation.sizes)):
            raise claim.refused("a time that a schedule can have")
        return units.numerator

    def left(self, least: Extended, most: Extended) -> tuple[Extended, Extended]:
        """What the windows leave of the social costs from ``least`` to ``most``, both ends taken off."""
        unit = self.game.federation.unit
        for low, high in sorted(self.excluded):
            if low <= least <= high:
                least = high + unit
        for low, high in sorted(self.excluded, reverse=True):
            if low <= most <= high:
                most = low - unit
        return least, most


def read_moves(rows: Iterable[Claim], federation: Federation) -> tuple[tuple[int, tuple[int, ...]], ...]:
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
