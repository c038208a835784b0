"""Walks through a tree of boxes: memory for the kernel of :mod:`.tree`, its turns, and the journal as decisions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ....scheduling.compiled import plain
from ....scheduling.progress import Clock, Progress
from . import tree
from .decisions import Closed, Decision, Resolved, Same, Split
from .patterns import Splits
from .tree import Here, Nodes, Seen, State, Window

TURN: Final = 2_000
"""Nodes in one turn of the kernel, some tenths of a second at most."""
PLAIN_TURN: Final = 10
"""The same in Python's integers."""
NODE_BYTES: Final = 1 << 26
SEEN_BYTES: Final = 1 << 27
"""Memory for nodes that wait, and for nodes met; it is touched only as far as it is needed."""
JOURNAL: Final = 2_000_000
"""Numbers in a journal."""
MOST_DECISIONS: Final = 100_000
"""Decisions in a certificate."""


class Stopped(Exception):
    """The clock ran out."""


@dataclass
class Walk:
    """A tree of boxes, and how far it has been searched.

    Attributes
    ----------
    splits
        The game.
    compiled
        Whether int64 is enough.
    clock, progress
        Time limit, and receiver of the number of nodes.
    """

    splits: Splits
    compiled: bool
    clock: Clock
    progress: Progress | None
    window: Window | None = None
    ended: int = tree.EXHAUSTED
    run: int = 0
    state: State = field(init=False)
    here: Here = field(init=False)

    def __post_init__(self) -> None:
        hosts, words = self.splits.work.size, self.splits.words
        dtype: Any = self.splits.work.dtype
        key = 1 + hosts + hosts * words
        room = NODE_BYTES // (8 * (2 + 3 * hosts + hosts * words)) if self.compiled else 1 << 12
        slots = 1 << ((SEEN_BYTES // (8 * (key + 3))).bit_length() - 1 if self.compiled else 12)
        nodes = Nodes(
            np.zeros(room, np.int64),
            np.zeros(room, dtype),
            np.zeros((room, hosts, words), np.int64),
            np.zeros((room, hosts), dtype),
            np.zeros((room, hosts), dtype),
            np.zeros((room, hosts), dtype),
        )
        seen = Seen(
            np.zeros((slots, key), dtype),
            np.zeros(slots, dtype),
            np.zeros(slots, np.int64),
            np.zeros(slots, np.int64),
        )
        journal = np.zeros(JOURNAL if self.compiled else 1 << 16, dtype)
        self.here = tree.scratch(self.splits, key)
        self.state = State(nodes, seen, journal, np.zeros((hosts, hosts), dtype), np.zeros(3, np.int64))

    def start(self, window: Window) -> None:
        """Begin anew, with every home load possible."""
        nodes, homes = self.state.nodes, self.splits.homes
        hosts, wide = homes.shape
        nodes.keeps[0] = 0
        for k in range(hosts):
            for w in range(wide):
                if w == 0 or homes[k, w] > homes[k, w - 1]:
                    nodes.keeps[0, k, w // tree.BITS] |= 1 << (w % tree.BITS)
        nodes.stage[0], nodes.cost[0] = 0, 0
        nodes.foreign[0], nodes.most[0], nodes.last[0] = 0, window.most, 0
        self.state.at[:] = 1, 0, 0
        self.window, self.run, self.ended = window, self.run + 1, tree.UNFINISHED

    @property
    def nodes(self) -> int:
        """Nodes met so far."""
        return int(self.state.at[tree.NODES])

    @property
    def loads(self) -> list[list[int]]:
        """Where the walk found an equilibrium: what every organization places on every host."""
        return [[int(x) for x in row] for row in self.state.loads]

    def go(self, nodes: int) -> int:
        """Search so many nodes more, or fewer; how it ended. Raises Stopped when the clock runs out."""
        turn, explore = (TURN, tree.explore) if self.compiled else (PLAIN_TURN, plain(tree.explore))
        while self.ended == tree.UNFINISHED and nodes > 0:
            if self.clock.expired():
                raise Stopped
            if self.progress is not None:
                self.progress(self.nodes, None, "boxes")
            assert self.window is not None  # it was started
            self.ended = explore(self.splits, self.window, self.state, self.here, self.run, min(turn, nodes))
            nodes -= turn
        return self.ended

    def decisions(self) -> tuple[Decision, ...] | None:
        """What was decided at every node in turn; ``None`` when it is too much to keep."""
        written = int(self.state.at[tree.WRITTEN])
        if self.nodes > MOST_DECISIONS or written > self.state.journal.size:
            return None
        numbers = iter([int(x) for x in self.state.journal[:written]])
        return tuple(self._decision(code, numbers) for code in numbers)

    def _decision(self, code: int, numbers: Iterator[int]) -> Decision:
        """The next decision; children are met in the opposite order of their making."""
        if code == tree.SPLIT:
            return Split(next(numbers), next(numbers))
        if code == tree.RESOLVED:
            cost, children = next(numbers), next(numbers)
            hosts = range(self.splits.work.size)
            return Resolved(cost, tuple(tuple(next(numbers) for _ in hosts) for _ in range(children))[::-1])
        return Same(next(numbers)) if code == tree.SAME else Closed()
