"""Deviations of organizations as records of federations write them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...agents.organizations import Federation
from ..proving import Claim
from .records import MoveRow


def move_rows(names: Sequence[str], moves: Iterable[tuple[int, tuple[int, ...]]]) -> tuple[MoveRow, ...]:
    """Moves, each an organization's number and its hosts, by name."""
    return tuple(MoveRow(organization=names[k], placement=tuple(names[h] for h in hosts)) for k, hosts in moves)


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
