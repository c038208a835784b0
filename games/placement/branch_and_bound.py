"""Worst and best equilibria of a placement game by branch and bound over home loads.

One machine per organization, makespans, priority to organizations. What organization ``k`` pays depends on the home
loads of all hosts and on what organizations of higher priority place there. A *node* leaves every home load a set of
values; with the organizations before ``k`` placed, best replies at the corners of a node bound what ``k`` pays anywhere
in it. Where the bounds meet, ``k``'s placements of that cost are its best replies in the whole node, each a smaller
node for the next organization; where they do not, the node is halved (:mod:`.tree_kernel`). A node without
organizations left is an equilibrium.

Random best-response dynamics supply equilibria to beat. For the worst, every organization in turn is the one that has
to pay more than the worst equilibrium known: then moving its jobs must not help, so every other host is busy until some
time. For the best, no host may end later than what is to be beaten, and all work has to go somewhere. Who could do so
much above each level of time, before its own end, closes most nodes. Where dynamics reach no equilibrium, the tree
without conditions finds one or proves that there is none; the smallest epsilon then comes from the constraint search
(:mod:`.cuts`).

Tree searches get more and more nodes in turn, those that prove bounds included, so a search that is stopped leaves
bounds on both ends. Between worst and best all equilibria are counted, unless they are very many. The trees are the
certificate; :mod:`.checker` follows them.

>>> from consortium.agents.organizations import Federation
>>> from consortium.games.placement.game import PlacementGame
>>> from consortium.games.search import search
>>> found = search(PlacementGame(Federation.of([[3, 1, 1], [3, 2], [1], [1]])), method="branch-and-bound")
>>> found.equilibria.worst.social_cost, found.price_of_anarchy, found.complete
(Fraction(4, 1), Fraction(4, 3), True)
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import numpy as np

from ...mechanisms.federation.optimal import Optimal
from ...mechanisms.federation.schedule import lower_bound, sharp_ratio
from ...support.interrupts import noticed
from ..protocol import Profile, outcome
from ..results import Bounds, Coverage, Equilibria, Findings, Options
from .bounds import longest_first_epsilon, price_bounds
from .certificate import Certificate, Tree
from .cuts import relaxation
from .cuts_model import by_cuts, more_than_loads
from .game import PlacementGame
from .patterns import MOST, Generators, Runs, patterns, splits
from .tree_kernel import EXHAUSTED, FULL, STABLE, Window
from .tree_search import NODE_STEPS, Counted, TooManyError, TreeSearch, counted, placed

RUNS: Final = 400
PLAIN_RUNS: Final = 20
AT_ONCE: Final = 1 << 17
"""Random best-response dynamics, as many in Python's integers, and how many patterns of an organization are
looked at together."""
SEED: Final = 1
FIRST: Final = 20_000
"""Nodes of a tree search in the first round; every round has four times as many as the one before."""
SOONER: Final = 4
"""Tree searches for the worst equilibrium get so many times as many: where not all can be proved, it is what can be."""
ASIDE: Final = 4
"""Tree searches that prove a weaker bound get this part of the nodes."""
COUNTED: Final = 900_000
"""Steps in which equilibria are counted, or as many nodes as the proofs took: very many equilibria are not counted, and
no kernel is compiled to count them (5 s where the proofs of Figure 5.5 take 0.3 s)."""
PATTERNS: Final = 500
"""Of one player's work on the hosts: with more of them a node has so many children that counting takes seconds."""
DIFFERENT: Final = 1_000
"""Equilibria with different loads that are counted."""


def branch_and_bound_search(game: PlacementGame, options: Options) -> Findings:
    """Existence, worst and best equilibrium and the optimum, for :mod:`consortium.games.search`.

    Where there is no equilibrium, the smallest epsilon and regret too, as far as the constraint search reaches. Stopped
    early, it returns the worst and best equilibria known and proved bounds on all others.
    """
    run = _Run(game, options)
    complete = False
    try:
        run.play_at_random()
        run.find_optimum()
        run.prove()
        complete = True
        run.count()
    except (KeyboardInterrupt, TimeoutError):
        pass
    return run.findings(complete)


@dataclass
class _Run:
    """State of one search; costs in units, organizations numbered by priority."""

    game: PlacementGame
    options: Options
    equilibria: dict[Profile, int] = field(default_factory=dict)  # those reached, with their social cost
    trees: dict[int | None, Tree] = field(default_factory=dict)  # by payer; None: the best, or none at all
    optimum: Profile | None = None
    none: bool = False
    counted: Counted | None = None

    def __post_init__(self) -> None:
        sizes = self.game.federation.sizes
        self.order = self.game.by_priority
        self.sizes = tuple(sizes[k] for k in self.order)
        self.work = [sum(row) for row in self.sizes]
        self.least_optimum = self._units(lower_bound(self.game.federation))
        self.most_optimum = sum(self.work)
        self.tops = list(self.work)  # no equilibrium costs the organization more
        self.lowest = self.least_optimum  # no equilibrium costs less
        if self.options.promised is not None:
            self.equilibria[self.options.promised.profile] = self._units(self.options.promised.social_cost)

    @cached_property
    def splits(self) -> Any:
        return splits(self.sizes, np.int64 if self.game.compiled else object)

    @cached_property
    def main(self) -> TreeSearch:
        """The tree search for existence, then for the best equilibrium: it goes on where it stopped."""
        return self._tree_search()

    @cached_property
    def side(self) -> TreeSearch:
        """All other tree searches, which begin anew."""
        return self._tree_search()

    def _tree_search(self) -> TreeSearch:
        return TreeSearch(self.splits, self.game.compiled, self.options.clock, self.options.progress)

    @property
    def worst(self) -> int:
        return max(self.equilibria.values())

    @property
    def best(self) -> int:
        return min(self.equilibria.values())

    def play_at_random(self) -> None:
        """Random best-response dynamics."""
        count = RUNS if self.game.compiled else PLAIN_RUNS
        first = self.splits.first
        batch = max(1, AT_ONCE // int((first[:, -1] - first[:, 0]).max()))
        for start in range(0, count, batch):
            self.options.clock.check()
            self._note_played(Runs.at_random(self.splits, SEED + start, min(batch, count - start)))

    def _note_played(self, runs: Runs) -> None:
        """Play, and note an equilibrium better than all that are known, and a worse one."""
        loads = runs.loads[runs.play()]
        costs = loads.sum(axis=1).max(axis=1)
        if costs.size:
            low, high = int(costs.argmin()), int(costs.argmax())
            if not self.equilibria or costs[low] < self.best:
                self._note(loads[low].tolist())
            if costs[high] > self.worst:
                self._note(loads[high].tolist())

    def find_optimum(self) -> None:
        """The least ``C_max`` of all placements, which is that of all schedules: machines are alike."""
        with noticed() as stopped:
            best = Optimal().solve(self.game.federation, self.options.clock.left(), self.options.progress)
        if stopped():
            raise TimeoutError
        self.least_optimum = max(self.least_optimum, self._units(best.lower))
        self.lowest = max(self.lowest, self.least_optimum)
        if best.schedule is not None:
            self.most_optimum = min(self.most_optimum, self._units(best.schedule.makespan))
            if best.complete:
                self.optimum = best.schedule.machine
            self._play_from(best.schedule.machine)
        cap = math.floor(sharp_ratio(self.game.federation.machines) * self.most_optimum)
        self.tops = [min(work, cap) for work in self.tops]

    def _play_from(self, profile: Profile) -> None:
        """Best-response dynamics from a placement."""
        loads = np.zeros((len(self.sizes), len(self.sizes)), self.splits.work.dtype)
        host_of = {organization: host for host, organization in enumerate(self.order)}
        for k, (organization, sizes) in enumerate(zip(self.order, self.sizes, strict=True)):
            for size, host in zip(sizes, profile[organization], strict=True):
                loads[k, host_of[host]] += size
        runs = Runs(self.splits, Generators(SEED, 1), loads[None])
        if runs.play()[0]:
            self._note(runs.loads[0].tolist())

    def prove(self) -> None:
        """Prove the worst and the best equilibrium, or that there is none; every round has more nodes."""
        budget = FIRST
        if not self.equilibria:
            self.main.start(Window(0, sum(self.work), -1, 0))
        while not (self.none or self._closed):
            endings = [self._exists(budget)] if not self.equilibria else self._round(budget)
            if endings and set(endings) == {FULL}:
                raise TimeoutError
            budget *= 4

    def count(self) -> None:
        """Count all equilibria, where that takes no more nodes than the proofs, or few; without a proof of its own."""
        if self.none or len(self.splits.rows) > PATTERNS:
            return
        nodes = max(COUNTED // (NODE_STEPS * len(self.splits.rows)), self.main.searched + self.side.searched)
        with suppress(KeyboardInterrupt, TimeoutError, TooManyError):
            self.counted = counted(
                self.game, self.side.all_loads(self.best, self.worst, nodes, DIFFERENT), self.options.limit
            )

    @property
    def _closed(self) -> bool:
        return bool(self.equilibria) and max(self.tops) <= self.worst and self.lowest >= self.best

    def _go(self, tree: TreeSearch, budget: int, payer: int | None = None) -> int:
        """Go on with a tree search; how it ended. Notes the equilibrium that it finds, or what excludes them."""
        ended = tree.go(budget)
        if ended == STABLE:
            self._note(tree.loads)
        elif ended == EXHAUSTED:
            assert tree.window is not None  # it was started
            least, most, *_ = tree.window
            cost = None if most == sum(self.work) else most  # nobody can cost more
            self.trees[payer] = Tree(least, cost, payer, tree.nodes, tree.decisions())
        return ended

    def _exists(self, budget: int) -> int:
        """Go on looking for any equilibrium; how the tree search ended."""
        ended = self._go(self.main, budget)
        self.none = ended == EXHAUSTED
        return ended

    def _round(self, budget: int) -> list[int]:
        """One turn for everybody who may pay more than is known, and one for the best; how the open ones ended."""
        endings = [self._press_payer(k, SOONER * budget) for k in range(len(self.tops))]
        endings.append(self._press_best(budget))
        return [ending for ending in endings if ending != EXHAUSTED]

    def _press_payer(self, payer: int, budget: int) -> int:
        """Prove that no equilibrium costs the organization more than the worst one known, or at least some bound."""
        ended = STABLE
        while ended == STABLE and self.tops[payer] > self.worst:
            ended = self._refute(payer, self.worst + 1, budget)
        if self.tops[payer] <= self.worst:
            return EXHAUSTED
        low = self.worst + 1
        while low < self.tops[payer]:
            middle = (low + self.tops[payer] + 1) // 2
            if self._refute(payer, middle, budget // ASIDE) != EXHAUSTED:
                low = middle
        return ended

    def _refute(self, payer: int, least: int, budget: int) -> int:
        """Try to prove that the organization never pays so much; how the tree search ended."""
        moved = min(home for home in self.splits.homes[payer].tolist() if home > self.work[payer] - least)
        self.side.start(Window(least, sum(self.work), payer, least - moved))
        ended = self._go(self.side, budget, payer)
        if ended == EXHAUSTED:
            self.tops[payer] = least - 1
        return ended

    def _press_best(self, budget: int) -> int:
        """Go on proving that no equilibrium is better than the best one known; some lower bound beside it."""
        ended = STABLE
        while ended == STABLE and self.lowest < self.best:
            most = self.best - 1
            if self.main.window is None or self.main.window.most != most:
                self.main.start(Window(0, most, -1, 0))
            ended = self._go(self.main, budget)
            if ended == EXHAUSTED:
                self.lowest = most + 1
        if self.lowest >= self.best:
            return EXHAUSTED
        middle = (self.lowest + self.best - 1) // 2
        self.side.start(Window(0, middle, -1, 0))
        if self._go(self.side, budget // ASIDE) == EXHAUSTED:
            self.lowest = middle + 1
        return ended

    def _note(self, loads: list[list[int]]) -> None:
        """An equilibrium, from what every organization places on every host."""
        self.equilibria[placed(self.game, loads)] = max(map(sum, zip(*loads, strict=True)))

    def _units(self, value: Any) -> int:
        """A time in units, rounded up."""
        return -int(-value // self.game.federation.unit)

    def findings(self, complete: bool) -> Findings:
        """Everything that is known, as a record."""
        game, trees = self.game, tuple(self.trees[payer] for payer in sorted(self.trees, key=lambda p: (p is None, p)))
        optimum = None if self.optimum is None else outcome(game, self.optimum)
        if self.none:
            none = Findings(Equilibria(False, 0, classes=0), optimum=optimum, certificate=Certificate(trees=trees))
            return self._relaxed(none) if complete and by_cuts(game).covered else none
        equilibria = self._equilibria() if self.equilibria else Equilibria(None)
        findings = Findings(equilibria, optimum, certificate=Certificate(trees=trees), complete=complete)
        return (findings if complete else replace(findings, bounds=self._bounds())).with_smallest()

    def _equilibria(self) -> Equilibria:
        """Those reached on the way, or all of them where they are few."""
        ordered = sorted(self.equilibria, key=lambda p: (self.equilibria[p], p))
        reached = tuple(outcome(self.game, p) for p in ordered)
        listed, total = reached[: self.options.limit], self.counted
        if total is None:
            return Equilibria(True, None, reached[0], reached[-1], listed)
        if total.apart <= self.options.limit:
            every = [outcome(self.game, p) for p in total.listed]
            listed = tuple(sorted(every, key=lambda one: (one.social_cost, one.profile)))
        return Equilibria(True, total.apart, reached[0], reached[-1], listed, total.classes)

    def _relaxed(self, none: Findings) -> Findings:
        """The findings on a game without equilibrium, with its smallest epsilon and regret."""
        near = relaxation(self.game, self.options)
        return replace(
            near,
            equilibria=none.equilibria,
            optimum=none.optimum,
            certificate=replace(none.certificate, claims=near.certificate.claims),
        )

    def _bounds(self) -> Bounds:
        """What is proved of all equilibria."""
        unit = self.game.federation.unit
        top = max([*self.tops, *self.equilibria.values()])
        low = min([self.lowest, *self.equilibria.values()])
        least, most = price_bounds(
            len(self.work), max(self.equilibria.values(), default=None), top, self.least_optimum, self.most_optimum
        )
        epsilon = Fraction(1) if self.equilibria else longest_first_epsilon(self.game)
        stability = Fraction(self.best, self.least_optimum) if self.equilibria and self.least_optimum else None
        return Bounds(top * unit, low * unit, Fraction(1), epsilon, least, most, price_of_stability_at_most=stability)


def home_vectors(game: PlacementGame) -> int:
    """In how many ways the organizations can choose their home loads.

    >>> from consortium.agents.organizations import Federation
    >>> from consortium.games.placement.game import PlacementGame
    >>> home_vectors(PlacementGame(Federation.of([[2, 2], [1, 2]])))
    12
    """
    sums = []
    for row in game.federation.sizes:
        loads = {0}
        for size in row:
            loads |= {load + size for load in loads}
        sums.append(len(loads))
    return math.prod(sums)


def by_branch_and_bound(game: PlacementGame) -> Coverage:
    """Whether branch and bound covers a game: priority to organizations, few ways to split an organization's jobs."""
    if game.rule.priority == "jobs":
        return more_than_loads(game) or Coverage(False, "priority to jobs")
    hosts = len(game.federation)
    for name, row in zip(game.players, game.federation.sizes, strict=True):
        if game.single and patterns(tuple(sorted(row)), hosts - 1) is None:
            why = f"the {len(row)} jobs of {name!r} can be split among {hosts} hosts in more than {MOST:,} ways"
            return Coverage(False, why, too_large=True)
    return more_than_loads(game) or Coverage(True, "branch and bound over home loads needs none")
