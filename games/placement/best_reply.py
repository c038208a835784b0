r"""Exact best replies in the placement game.

One machine per organization and makespans: branch and bound on parallel machines with starting times (see
:mod:`.branching`); otherwise dynamic programming over subsets of the organization's jobs. Both return the
lexicographically smallest of all best replies: hosts are fixed job by job, each time the smallest one that still allows
the least cost.

>>> from consortium.agents.organizations import Federation
>>> from consortium.games.placement.game import PlacementGame
>>> game = PlacementGame(Federation.of([[4, 4, 4], [2, 2], []]))
>>> best_reply(game, 0, game.default_profile), least_cost(game, 0, game.default_profile)
((0, 0, 1), 4)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...scheduling.cp_sat import OVERFLOW, new_model, solve
from ...support.errors import TooLargeError
from ...support.jit import fitting
from ..protocol import Profile
from .branching import Hosts, Jobs, branch, partition

if TYPE_CHECKING:
    from .game import PlacementGame

MAX_NODES = 20_000_000  # branch and bound: one or two seconds
FEW_NODES = 200  # tried by the interpreter first: most questions are as small
PLAIN_NODES = 100_000  # the same in Python's integers, beyond int64
SOLVER_SECONDS = 20  # then a constraint solver, for so long
MAX_SUBSET_JOBS = 14  # subsets of one organization's jobs: 3^14 pairs per host


def best_reply(game: PlacementGame, player: int, profile: Profile) -> tuple[int, ...]:
    """Lexicographically smallest best reply of an organization to the others' part of a placement."""
    engine = _engine(game, player, profile)
    free = len(game.federation.sizes[player])
    fixed: list[int] = []
    cost = engine.least(fixed)
    while len(fixed) < free:
        fixed.append(next(h for h in range(len(game.federation)) if engine.reaches([*fixed, h], cost)))
    return tuple(fixed)


def least_cost(game: PlacementGame, player: int, profile: Profile) -> int:
    """Cost of a best reply, in units of ``federation.unit``."""
    return _engine(game, player, profile).least([])


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


def _engine(game: PlacementGame, player: int, profile: Profile) -> _Branching | _Subsets:
    here = game.federation.check_placement(profile)
    return _Branching(game, player, here) if game.single else _Subsets(game, player, here)


class _Branching:
    """One machine per organization: branch and bound."""

    def __init__(self, game: PlacementGame, player: int, profile: Profile) -> None:
        self.game, self.player = game, player
        dtype = np.int64 if game.compiled else object
        self.sizes = np.array(game.federation.sizes[player], dtype=dtype)
        self.base = np.array(bases(game, player, profile), dtype=dtype).reshape(-1, len(game.federation))
        self.constant = game.rule.priority == "organizations"

    def least(self, fixed: list[int]) -> int:
        """Least cost when the first jobs are fixed."""
        if not self.sizes.size:
            return 0
        load, top = self._start(fixed)
        upper = self._greedy(load.copy(), top.copy(), len(fixed))
        return self._solve(load, top, len(fixed), upper, self._floor())

    def reaches(self, fixed: list[int], cost: int) -> bool:
        """Whether the rest can be placed without exceeding ``cost``."""
        load, top = self._start(fixed)
        if any(t >= 0 and t + w > cost for t, w in zip(top.tolist(), load.tolist(), strict=True)):
            return False
        if len(fixed) == self.sizes.size:
            return True
        return self._solve(load, top, len(fixed), cost + 1, cost) <= cost

    def _start(self, fixed: list[int]) -> tuple[NDArray[Any], NDArray[Any]]:
        hosts = len(self.game.federation)
        load, top = np.zeros(hosts, self.sizes.dtype), np.full(hosts, -1, self.sizes.dtype)
        for i, host in enumerate(fixed):
            load[host] += self.sizes[i]
            top[host] = max(top[host], self.base[i, host])
        return load, top

    def _order(self, skip: int) -> list[int]:
        """Free jobs, longest first."""
        return sorted(range(skip, self.sizes.size), key=lambda i: -int(self.sizes[i]))

    def _greedy(self, load: NDArray[Any], top: NDArray[Any], skip: int) -> int:
        """Cost of placing the free jobs longest first, each where it ends first."""
        for i in self._order(skip):
            ends = np.maximum(self.base[i], top) + load + self.sizes[i]
            host = int(ends.argmin())
            top[host] = max(top[host], self.base[i, host])
            load[host] += self.sizes[i]
        return max(int(t + w) for t, w in zip(top, load, strict=True) if t >= 0)

    def _floor(self) -> int:
        """A bound below every cost: all work poured into the hosts from their smallest bases, and each job alone."""
        starts = sorted(int(b) for b in self.base.min(axis=0))
        work = int(self.sizes.sum())
        level = min(-(-(work + sum(starts[:m])) // m) for m in range(1, len(starts) + 1))
        return max(level, max(int((row + size).min()) for row, size in zip(self.base, self.sizes, strict=True)))

    def _solve(self, load: NDArray[Any], top: NDArray[Any], skip: int, upper: int, target: int) -> int:
        free = self._order(skip)
        if upper <= target or not free:
            return upper
        jobs = Jobs(self.sizes[free], np.ascontiguousarray(self.base[free]), self.constant)
        run = fitting(branch, self.game.compiled, (len(free) * load.size + FEW_NODES) * load.size)
        limit = MAX_NODES if run is branch else FEW_NODES if self.game.compiled else PLAIN_NODES
        cost, _, nodes = run(jobs, Hosts(load.copy(), top.copy()), upper, target, limit)
        if nodes > limit == FEW_NODES:
            limit = MAX_NODES
            cost, _, nodes = branch(jobs, Hosts(load.copy(), top.copy()), upper, target, limit)
        if nodes <= limit:
            return int(cost)
        tried, answer = f"{limit:,} nodes of branch and bound", None
        if 4 * len(free) * (int(cost) + 1) < OVERFLOW:
            answer = _by_solver(jobs.sizes.tolist(), jobs.base.tolist(), load.tolist(), top.tolist(), int(cost), target)
            tried += f" and {SOLVER_SECONDS} s of constraint solving"
        if answer is None:
            raise TooLargeError(
                f"best response of {self.game.players[self.player]!r}: {len(free)} jobs on {load.size} hosts are not "
                f"decided after {tried}; leave jobs out, or round the lengths"
            )
        return answer


def _by_solver(
    sizes: list[int], base: list[list[int]], load: list[int], top: list[int], upper: int, target: int
) -> int | None:
    """What branch and bound left open, by CP-SAT: the least cost from ``target`` on, ``upper`` when none is below it.

    ``None`` when it is undecided after :data:`SOLVER_SECONDS` seconds. The numbers are within its integers.
    """
    model = new_model()
    cost = model.new_int_var(max(0, target), max(upper - 1, target, 0), "")
    hosts = range(len(load))
    puts = [[model.new_bool_var("") for _ in hosts] for _ in sizes]
    for put in puts:
        model.add_exactly_one(put)
    for h in hosts:
        first = model.new_int_var(max(top[h], 0), max(top[h], *(row[h] for row in base)), "")
        used = model.new_bool_var("") if top[h] < 0 else model.new_constant(1)
        for put, row in zip(puts, base, strict=True):
            model.add_implication(put[h], used)
            model.add(first >= row[h]).only_enforce_if(put[h])
        work = load[h] + sum(size * put[h] for size, put in zip(sizes, puts, strict=True))
        model.add(cost >= first + work).only_enforce_if(used)
    model.minimize(cost)
    answer = solve(model, SOLVER_SECONDS, partial=False)
    if not answer.ended:
        return None
    return answer.value(cost) if answer.found else upper


class _Subsets:
    """Any machines, either objective: what every host makes of every subset of the organization's jobs."""

    def __init__(self, game: PlacementGame, player: int, profile: Profile) -> None:
        self.game, self.n = game, len(game.federation.sizes[player])
        if self.n > MAX_SUBSET_JOBS:
            raise TooLargeError(
                f"best response of {game.players[player]!r}: found {self.n} jobs; the limit is {MAX_SUBSET_JOBS} with "
                "several machines per organization or sums of completion times"
            )
        hosts = len(game.federation)
        dtype = np.int64 if game.compiled else object
        self.values = np.zeros((hosts, 1 << self.n), dtype)
        combine = sum if game.total else max
        for subset in range(1, 1 << self.n):
            inside = [i for i in range(self.n) if subset >> i & 1]
            for host in range(hosts):
                # the others' jobs stay; the jobs outside the subset must not disturb this host: send them elsewhere
                elsewhere = (host + 1) % hosts
                mine = tuple(host if i in inside else elsewhere for i in range(self.n))
                if hosts == 1 and len(inside) < self.n:
                    self.values[host, subset] = -1  # nowhere else to go: never asked for
                    continue
                ends = game.ends((*profile[:player], mine, *profile[player + 1 :]))[player]
                self.values[host, subset] = combine(ends[i] for i in inside)

    def least(self, fixed: list[int]) -> int:
        """Least cost when the first jobs are fixed."""
        allowed = self.values.copy()
        for i, host in enumerate(fixed):
            has = (np.arange(1 << self.n) >> i & 1) == 1
            for other in range(len(self.game.federation)):
                allowed[other, ~has if other == host else has] = -1
        run = fitting(partition, self.game.compiled, len(allowed) * 3**self.n)
        return int(run(allowed, self.game.total))

    def reaches(self, fixed: list[int], cost: int) -> bool:
        """Whether the rest can be placed without exceeding ``cost``."""
        return self.least(fixed) == cost
