"""The tree of branch and bound over home loads: memory for its kernel, its turns, and what it decides and finds.

A :class:`TreeSearch` searches the tree of one window in turns of :mod:`.tree_kernel`, which writes a journal: the
decisions of a certificate. :func:`equilibria` lists all equilibria of a window one by one, told apart by loads, that is
by how much work every organization places on every host: what anybody pays, or could pay alone or with others, depends
on nothing else.

>>> from consortium.agents.organizations import Federation
>>> from consortium.games.placement.game import PlacementGame
>>> list(equilibria(PlacementGame(Federation.of([[2], [1]])), 0, 3))
[((0,), (1,)), ((1,), (0,))]
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias, cast

import numpy as np

from ...support.jit import Kernel, compiles
from ...support.progress import Clock, Progress
from ..protocol import Profile
from . import tree_kernel as kernel
from .game import PlacementGame
from .patterns import BITS, Splits, splits
from .tree_kernel import FULL, KEEPS, NODES, STABLE, UNFINISHED, WRITTEN, State, Window

TURN: Final = 2_000
"""Nodes in one turn of the kernel, some tenths of a second at most."""
FIRST_TURN: Final = 5
"""The same where the kernel is interpreted."""
NODE_STEPS: Final = 6
"""Steps of the interpreter for every pattern of the organizations, at one node: a search is thought to take as many
nodes again as it has had."""
COMPILE: Final = 3
"""So many times the usual threshold is left to the interpreter: compiling takes six, once for all later searches."""
NODE_BYTES: Final = 1 << 26
SEEN_BYTES: Final = 1 << 28
"""Memory for nodes that wait, and most for nodes remembered."""
FEW: Final = 1 << 12
"""Nodes that are remembered at first, beside the one at hand; memory that is not needed is not touched."""
JOURNAL: Final = 2_200_000
"""Numbers in a journal."""
MOST_DECISIONS: Final = 100_000
"""Decisions in a certificate."""
BATCH: Final = 20_000
"""Nodes between two looks at how much has been done."""
Loads: TypeAlias = Sequence[Sequence[int]]
"""What every organization places on every host, both by priority."""


@dataclass
class TreeSearch:
    """The tree of one game, window after window, and how far it has been searched.

    Attributes
    ----------
    splits
        The game.
    compiled
        Whether int64 is enough.
    clock, progress
        Time limit, and receiver of the number of nodes.
    window, ended
        Which equilibria are sought, and how the search ended.
    run, searched
        How many windows there have been, and the nodes of all of them.
    """

    splits: Splits
    compiled: bool
    clock: Clock
    progress: Progress | None
    window: Window | None = None
    ended: int = kernel.EXHAUSTED
    run: int = 0
    searched: int = 0
    state: State = field(init=False)

    def __post_init__(self) -> None:
        hosts, words = self.splits.work.size, self.splits.words
        dtype: Any = self.splits.work.dtype
        room = NODE_BYTES // (8 * hosts * (KEEPS + words)) if self.compiled else 1 << 12
        notes = np.zeros((kernel.NOTES, max(2, hosts)), dtype)
        notes[kernel.WORK, :hosts], notes[kernel.SHORTEST, :hosts] = self.splits.work, self.splits.shortest
        self.state = State(
            self.splits.rows,
            self.splits.first,
            self.splits.homes,
            here=np.zeros((KEEPS + words, hosts), dtype),
            notes=notes,
            nodes=np.zeros((room, KEEPS + words, hosts), dtype),
            seen=np.zeros((FEW + 1, kernel.KEY + 1 + hosts + hosts * words), dtype),
            journal=np.zeros(JOURNAL if self.compiled else 1 << 16, dtype),
            loads=np.zeros((hosts, hosts), dtype),
            count=np.zeros(3, np.int64),
        )

    def start(self, window: Window) -> None:
        """Begin anew, with every home load possible."""
        root, homes = self.state.nodes[0], self.splits.homes
        hosts, wide = homes.shape
        root[:] = 0
        for k in range(hosts):
            for w in range(wide):
                if w == 0 or homes[k, w] > homes[k, w - 1]:
                    root[KEEPS + w // BITS, k] |= 1 << (w % BITS)
        root[kernel.BOUND] = window.most
        self.state.count[:] = 1, 0, 0
        self.window, self.run, self.ended = window, self.run + 1, UNFINISHED

    @property
    def nodes(self) -> int:
        """Nodes of this window so far."""
        return int(self.state.count[NODES])

    @property
    def loads(self) -> list[list[int]]:
        """Where an equilibrium was found: what every organization places on every host."""
        return [[int(x) for x in row] for row in self.state.loads]

    def go(self, nodes: int) -> int:
        """Search so many nodes more, or fewer; how it ended. Raises TimeoutError when the clock runs out."""
        patterns, explore = len(self.splits.rows), cast("Kernel[..., int]", kernel.explore)
        while self.ended == UNFINISHED and nodes > 0:
            fast = self.compiled and compiles(explore, self.searched * NODE_STEPS * patterns, COMPILE)
            turn, run = (TURN, explore) if fast else (FIRST_TURN, explore.interpreted)
            self.clock.check()
            if self.progress is not None:
                self.progress(self.nodes, None, "nodes")
            assert self.window is not None  # it was started
            self._make_room()
            before = self.nodes
            self.ended = run(self.state, self.window, self.run, min(turn, nodes))
            self.searched += self.nodes - before
            nodes -= turn
        return self.ended

    def _make_room(self) -> None:
        """A larger memory of nodes when it gets crowded; it begins empty, which costs some nodes searched twice."""
        slots, wide = len(self.state.seen) - 1, self.state.seen.shape[1]
        if self.nodes > slots // 2 and self.compiled and 64 * slots * wide <= SEEN_BYTES:
            self.state = self.state._replace(seen=np.zeros((8 * slots + 1, wide), self.splits.work.dtype))

    def all_loads(
        self, least: int, most: int, nodes: int | None = None, equilibria: int | None = None
    ) -> Iterator[Loads]:
        """What every organization places on every host, in each equilibrium with such a social cost, one by one.

        Raises :class:`TooManyError` after so many nodes or equilibria.
        """
        self.start(Window(least, most, -1, 0, every=True))
        count = 0
        while self.ended == UNFINISHED:
            if (nodes is not None and self.nodes >= nodes) or (equilibria is not None and count >= equilibria):
                raise TooManyError
            if self.go(BATCH if nodes is None else min(BATCH, nodes - self.nodes)) == STABLE:
                yield self.loads
                count += 1
                self.ended = UNFINISHED
        if self.ended == FULL:
            raise TooManyError

    def decisions(self) -> str | None:
        """What was decided at every node in turn, as :mod:`.certificate` says; ``None`` when it is too much to keep."""
        written = int(self.state.count[WRITTEN])
        if self.nodes > MOST_DECISIONS or written > self.state.journal.size:
            return None
        numbers = iter(self.state.journal[:written].tolist())
        return " ".join(self._word(code, numbers) for code in numbers)

    def _word(self, code: int, numbers: Iterator[int]) -> str:
        """The next decision; children are met in the opposite order of their making."""
        first, second = next(numbers), next(numbers)
        if code == kernel.SPLIT:
            return f"{first + 1}>{second}"
        if code == kernel.RESOLVED:
            rows = [",".join(map(str, itertools.islice(numbers, self.splits.work.size))) for _ in range(second)]
            return f"{first}:{';'.join(reversed(rows))}"
        return f"={first}" if code == kernel.SAME else "-"


class TooManyError(Exception):
    """There are more nodes or equilibria than were allowed."""


def equilibria(
    game: PlacementGame,
    least: int,
    most: int,
    clock: Clock | None = None,
    progress: Progress | None = None,
    nodes: int | None = None,
) -> Iterator[Profile]:
    """One placement for all equilibria with the same loads, social costs from ``least`` to ``most`` units.

    Raises TimeoutError when the clock runs out, :class:`TooManyError` after so many nodes. The game is one that
    :func:`.branch_and_bound.by_branch_and_bound` covers.
    """
    sizes = tuple(game.federation.sizes[k] for k in game.by_priority)
    tree = TreeSearch(
        splits(sizes, np.int64 if game.compiled else object), game.compiled, clock or Clock(None), progress
    )
    return (placed(game, loads) for loads in tree.all_loads(least, most, nodes))


class Counted(NamedTuple):
    """How many equilibria there are."""

    apart: int
    """Jobs told apart."""
    classes: int
    """Equal jobs of one organization not told apart."""
    listed: list[Profile]
    """All of them, or some where they are more than were to be listed."""


def counted(game: PlacementGame, loads: Iterable[Loads], limit: int) -> Counted:
    """Number of equilibria with some loads, and the equilibria if they are at most ``limit``.

    >>> from consortium.agents.organizations import Federation
    >>> from consortium.games.placement.game import PlacementGame
    >>> counted(PlacementGame(Federation.of([[2, 2], [1]])), [[[2, 2], [0, 1]]], 2)
    Counted(apart=2, classes=1, listed=[((0, 1), (1,)), ((1, 0), (1,))])
    """
    apart = classes = 0
    listed: list[Profile] = []
    for matrix in loads:
        pairs = [ways(game.federation.sizes[k], tuple(sorted(filter(None, row)))) for k, row in _by_host(game, matrix)]
        apart += math.prod(pair[0] for pair in pairs)
        classes += math.prod(pair[1] for pair in pairs)
        if apart <= limit:
            rows = {k: list(with_loads(game.federation.sizes[k], row)) for k, row in _by_host(game, matrix)}
            listed += itertools.product(*(rows[k] for k in range(len(rows))))
    return Counted(apart, classes, listed)


@lru_cache(maxsize=1 << 16)
def ways(sizes: tuple[int, ...], loads: tuple[int, ...]) -> tuple[int, int]:
    """Number of placements of jobs that put exactly this work on every host, jobs told apart and equal ones not.

    >>> ways((2, 1, 1), (2, 2)), ways((1, 1, 1), (2, 1))
    ((2, 2), (3, 1))
    """
    if not sizes:
        return (0, 0) if any(loads) else (1, 1)
    count, others = sizes.count(sizes[0]), tuple(size for size in sizes if size != sizes[0])
    if not others:
        numbers = [load // sizes[0] for load in loads]
        if sum(loads) != sum(sizes) or any(load % sizes[0] for load in loads):
            return 0, 0
        return math.factorial(count) // math.prod(map(math.factorial, numbers)), 1
    shared: list[tuple[tuple[int, ...], int, int]] = [((), count, 1)]  # loads and jobs left; in how many ways
    for load in loads:
        shared = [
            ((*left, load - here * sizes[0]), jobs - here, apart * math.comb(jobs, here))
            for left, jobs, apart in shared
            for here in range(min(jobs, load // sizes[0]) + 1)
        ]
    rows = [(apart, *ways(others, tuple(sorted(filter(None, left))))) for left, jobs, apart in shared if not jobs]
    return sum(apart * one for apart, one, _ in rows), sum(alike for *_, alike in rows)


def placed(game: PlacementGame, loads: Loads) -> Profile:
    """The first placement with these loads: what every organization places on every host, both by priority."""
    rows = {k: next(with_loads(game.federation.sizes[k], row)) for k, row in _by_host(game, loads)}
    return tuple(rows[k] for k in range(len(rows)))


def _by_host(game: PlacementGame, loads: Loads) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Every organization with what it places on every host, both numbered as listed."""
    for k, row in zip(game.by_priority, loads, strict=True):
        own = [0] * len(row)
        for host, load in zip(game.by_priority, row, strict=True):
            own[host] = load
        yield k, tuple(own)


def with_loads(sizes: tuple[int, ...], loads: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Placements of an organization's jobs that put exactly this work on every host, in lexicographic order.

    >>> list(with_loads((2, 1, 1), (2, 2)))
    [(0, 1, 1), (1, 0, 0)]
    """
    barren: set[tuple[int, tuple[int, ...]]] = set()  # numbers of jobs and loads that are known to have none

    def placements(jobs: int, loads: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if jobs == len(sizes):
            if not any(loads):
                yield ()
            return
        if (jobs, loads) in barren:
            return
        none = True
        for host, load in enumerate(loads):
            if load >= sizes[jobs]:
                for others in placements(jobs + 1, (*loads[:host], load - sizes[jobs], *loads[host + 1 :])):
                    none = False
                    yield (host, *others)
        if none:
            barren.add((jobs, loads))

    return placements(0, loads)
