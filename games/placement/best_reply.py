r"""Exact best replies in the placement game.

One machine per organization and makespans: job ``i`` of organization ``k`` on host ``l`` ends no earlier than
``base[i][l]`` (the host's own jobs and the foreign jobs of higher priority) plus everything that ``k`` itself sends
there. So a best reply is a placement of least makespan on machines with ready times
(:mod:`~consortium.scheduling.ready_times`). Otherwise what ``k`` gets on a host depends only on which of its jobs are
there: a best reply is a partition of the jobs into hosts, found by dynamic programming over subsets. Both return the
lexicographically smallest of all best replies.

>>> from consortium.agents.organizations import Federation
>>> from consortium.games.placement.game import PlacementGame
>>> game = PlacementGame(Federation.of([[4, 4, 4], [2, 2], []]))
>>> best_reply(game, 0, game.default_profile)
(0, 0, 1)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...scheduling.ready_times import placement
from ...support.errors import TooLargeError
from ...support.jit import fitting, jit
from ..protocol import Profile
from .game import PlacementGame

MAX_SUBSET_JOBS = 14
"""Jobs of an organization whose subsets are looked at: 3^14 pairs for each host."""


def best_reply(game: PlacementGame, player: int, profile: Profile) -> tuple[int, ...]:
    """Lexicographically smallest best reply of an organization to the others' part of a placement."""
    here, sizes, name = game.federation.check_placement(profile), game.federation.sizes[player], game.players[player]
    if game.single:
        return placement(sizes, bases(game, player, here), name=f"best response of {name!r}")
    if len(sizes) > MAX_SUBSET_JOBS:
        raise TooLargeError(
            f"best response of {name!r}: found {len(sizes)} jobs; the limit is {MAX_SUBSET_JOBS} with several machines "
            "per organization or sums of completion times"
        )
    values = np.array(game.on_hosts(player, here))
    cost, reply = _least(game, values), []
    hosts, sets = np.arange(len(values)), np.arange(values.shape[1])
    for i in range(len(sizes)):
        has = (sets >> i & 1) == 1
        for host in hosts.tolist():  # one of them leaves the least cost as it is
            allowed = np.where(has == (hosts == host)[:, None], values, -1)
            if _least(game, allowed) == cost:
                break
        values = allowed
        reply.append(host)
    return tuple(reply)


def _least(game: PlacementGame, values: Any) -> int:
    """Least cost with what every host makes of every set of the organization's jobs."""
    hosts, sets = values.shape
    return int(fitting(partition, game.compiled, hosts * 3 ** (sets.bit_length() - 1))(values, game.total))


def bases(game: PlacementGame, player: int, profile: Profile) -> list[list[int]]:
    """``base[i][l]``: work on host ``l`` that runs before job ``i`` of the organization, its own jobs left out.

    One machine per organization; 0 at home, where its own jobs come first.
    """
    sizes, ranks = game.federation.sizes, game.ranks
    rows = []
    for rank in ranks[player]:
        row = [0] * len(sizes)
        for j, hosts in enumerate(profile):
            for i, host in enumerate(hosts):
                if j != player and host != player and (host == j or ranks[j][i] < rank):
                    row[host] += sizes[j][i]
        rows.append(row)
    return rows


@jit
def partition(values: Any, total: bool) -> Any:
    """Least cost of splitting all jobs among the hosts: ``values[l, set]`` is what host ``l`` makes of a set of jobs.

    Costs of different hosts are added (``total``) or the largest counts. A negative value means not allowed; so does
    a negative answer.
    """
    hosts, count = values.shape
    best = values[0].copy()
    for h in range(1, hosts):
        new = np.full(count, -1, values.dtype)
        for whole in range(count):
            part = whole
            while True:
                here, other = values[h, part], best[whole ^ part]
                if here >= 0 and other >= 0:
                    cost = here + other if total else max(here, other)
                    if new[whole] < 0 or cost < new[whole]:
                        new[whole] = cost
                if part == 0:
                    break
                part = (part - 1) & whole
        best = new
    return best[count - 1]
