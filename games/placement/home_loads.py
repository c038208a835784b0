r"""All pure equilibria of a placement game from the work that every organization keeps at home.

One machine per organization, makespans, priority to organizations. What organization ``k`` pays depends only on the
home loads of all organizations and on what organizations of higher priority send abroad. So guess the vector ``W`` of
home loads (one of the distinct subset sums per organization), then go down by priority: given ``W``, the highest
organization's best replies that keep exactly its ``W`` at home are known; given those, the next one's; every leaf is
an equilibrium, and every equilibrium is a leaf of exactly one ``W``. Placements with the same loads are merged and
counted.

No table: cost grows with the product of the numbers of distinct subset sums, not of strategies.

>>> from consortium.agents.organizations import Federation
>>> from consortium.games.placement.game import PlacementGame
>>> from consortium.games.search import search
>>> search(PlacementGame(Federation.of([[4, 4, 4], [2, 2], []])), method="home-loads").equilibria.count
12
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...support.errors import TooLargeError
from ...support.exact import magnitude
from ..protocol import Profile, outcome
from ..results import Bounds, Coverage, Equilibria, Findings, Options
from .cuts_model import more_than_loads
from .tree_search import with_loads

if TYPE_CHECKING:
    from .game import PlacementGame

MAX_HOME_VECTORS = 20_000_000
Loads = tuple[int, ...]


class Stopped(Exception):
    """The clock ran out."""


def home_load_search(game: PlacementGame, options: Options) -> Findings:
    """Count all equilibria, with the best, the worst, and the first ones listed.

    Epsilons, regrets and the optimum are not computed. Raises TooLargeError beyond twenty million home-load vectors.
    """
    run = _Run(game, options)
    complete = False
    try:
        run.go()
        complete = True
    except (KeyboardInterrupt, Stopped):
        pass
    return run.findings(complete)


def home_vectors(game: PlacementGame) -> int:
    """How many vectors of home loads there are to guess."""
    return math.prod(len(_subset_sums(row)) for row in game.federation.sizes)


@dataclass
class _Run:
    game: PlacementGame
    options: Options
    count: int = 0
    listed: list[Profile] = field(default_factory=list)
    best: tuple[int, Profile] | None = None
    worst: tuple[int, Profile] | None = None
    classes: int = 0
    replies: dict[tuple[int, Loads], tuple[int, dict[Loads, tuple[int, int]]]] = field(default_factory=dict)

    def go(self) -> None:
        """Try every vector of home loads."""
        total = home_vectors(self.game)
        if total > MAX_HOME_VECTORS:
            raise TooLargeError(
                f"home loads: {magnitude(total)} vectors to try; the limit is {MAX_HOME_VECTORS:,}; round the lengths, "
                "which makes sums of jobs equal, or ask for method = 'cuts' or 'enumeration'"
            )
        sizes = self.game.federation.sizes
        order = [k for k in self.game.by_priority if sizes[k]]
        for done, homes in enumerate(itertools.product(*(sorted(_subset_sums(row)) for row in sizes))):
            if done % 256 == 0:
                if self.options.clock.expired():
                    raise Stopped
                if self.options.progress is not None:
                    self.options.progress(done, total, "home-load vectors")
            self._descend(homes, order, homes, [], (1, 1))

    def _descend(
        self, homes: Loads, order: list[int], ready: Loads, chosen: list[tuple[int, Loads]], ways: tuple[int, int]
    ) -> None:
        """``ready``: home loads plus what the organizations so far send abroad.

        ``ways``: in how many ways they can place their jobs so, and in how many if equal jobs are not told apart.
        """
        if not order:
            self._leaf(ready, chosen, ways)
            return
        k, *rest = order
        cost, loads = self._best_loads(k, tuple(0 if h == k else r for h, r in enumerate(ready)))
        if homes[k] > cost:
            return
        for load, count in loads.items():
            if load[k] == homes[k]:
                after = tuple(r if h == k else r + w for h, (r, w) in enumerate(zip(ready, load, strict=True)))
                self._descend(homes, rest, after, [*chosen, (k, load)], (ways[0] * count[0], ways[1] * count[1]))

    def _best_loads(self, k: int, ready: Loads) -> tuple[int, dict[Loads, tuple[int, int]]]:
        """Cost of a best reply against these ready times, and its load vectors with how many placements make each."""
        if (k, ready) not in self.replies:
            sizes = sorted(self.game.federation.sizes[k], reverse=True)
            cost = _least(sizes, ready)
            apart, alike = (_packings(sizes, ready, cost, alike=alike) for alike in (False, True))
            self.replies[k, ready] = cost, {load: (ways, alike[load]) for load, ways in apart.items()}
        return self.replies[k, ready]

    def _leaf(self, loads: Loads, chosen: list[tuple[int, Loads]], ways: tuple[int, int]) -> None:
        social = max(loads)
        self.count += ways[0]
        self.classes += ways[1]
        wanted = self.options.limit - len(self.listed)
        better = self.best is None or social < self.best[0] or self.worst is None or social > self.worst[0]
        if wanted <= 0 and not better:
            return
        for profile in itertools.islice(self._placements(chosen), max(wanted, 1)):
            if self.best is None or social < self.best[0]:
                self.best = social, profile
            if self.worst is None or social > self.worst[0]:
                self.worst = social, profile
            if wanted > 0:
                self.listed.append(profile)

    def _placements(self, chosen: list[tuple[int, Loads]]) -> Iterator[Profile]:
        """Placements with these load vectors, organization after organization."""
        sizes = self.game.federation.sizes
        vectors = dict(chosen)
        options = [list(with_loads(row, vectors[k])) if row else [()] for k, row in enumerate(sizes)]
        return itertools.product(*options)

    def findings(self, complete: bool) -> Findings:
        """What is known as a record."""
        game = self.game
        exists = True if self.count else False if complete else None
        count, classes = (self.count, self.classes) if complete else (None, None)
        known = Equilibria(exists, count, classes=classes)
        if self.best is not None and self.worst is not None:
            known = Equilibria(
                True,
                count,
                outcome(game, self.best[1]),
                outcome(game, self.worst[1]),
                tuple(outcome(game, p) for p in self.listed),
                classes,
            )
        return Findings(known, bounds=None if complete else Bounds(), complete=complete)


def _subset_sums(sizes: tuple[int, ...]) -> set[int]:
    sums = {0}
    for size in sizes:
        sums |= {s + size for s in sums}
    return sums


def _least(sizes: list[int], ready: Loads) -> int:
    """Least makespan of jobs (longest first) on machines with these ready times, over sets of sorted load vectors."""
    low = max((min(ready) + size for size in sizes), default=0)
    high = max(low, min(r + sum(sizes) for r in ready))
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _fits(sizes, [middle - r for r in ready]) else (middle + 1, high)
    return low


def _fits(sizes: list[int], room: list[int]) -> bool:
    """Whether the jobs pack into the rooms, by width: only rooms as a multiset matter."""
    layer = {tuple(sorted(r for r in room if r > 0))}
    for size in sizes:
        following = set()
        for state in layer:
            for j, r in enumerate(state):
                if r >= size and (j == 0 or state[j - 1] != r):
                    following.add(tuple(sorted((*state[:j], r - size, *state[j + 1 :]))))
        layer = following
        if not layer:
            return False
    return True


def _packings(sizes: list[int], ready: Loads, cost: int, *, alike: bool) -> dict[Loads, int]:
    """Load vectors that end by ``cost`` on every used host, with the number of placements that make each.

    ``alike``: equal jobs, which follow each other, are not told apart, so the later one goes to no earlier host.
    """
    layer: dict[tuple[Loads, int], int] = {((0,) * len(ready), 0): 1}
    for i, size in enumerate(sizes):
        again = alike and i > 0 and sizes[i - 1] == size
        following: dict[tuple[Loads, int], int] = {}
        for (load, last), ways in layer.items():
            for h in range(last if again else 0, len(ready)):
                if ready[h] + load[h] + size <= cost:
                    after = (*load[:h], load[h] + size, *load[h + 1 :]), h if alike else 0
                    following[after] = following.get(after, 0) + ways
        layer = following
    found: dict[Loads, int] = {}
    for (load, _), ways in layer.items():
        found[load] = found.get(load, 0) + ways
    return found


def by_home_loads(game: PlacementGame) -> Coverage:
    """The search over home loads (:mod:`.home_loads`): priority to organizations as well."""
    if game.rule.priority == "jobs":
        return more_than_loads(game) or Coverage(False, "priority to jobs")
    return more_than_loads(game) or Coverage(True, "the search over home loads needs none")
