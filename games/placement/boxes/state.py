"""What the kernel of :mod:`.tree` works on.

Organizations are numbered by priority. A node of stage ``k`` is a set of profiles: the organizations before ``k`` have
placed their jobs, every other one keeps one of a set of home loads at home. ``r`` of a host is its home load plus what
foreign organizations placed there.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from ....support.jit import Ints
from .patterns import Splits

TOP: Final = 0
NODES: Final = 1
WRITTEN: Final = 2
"""Counters: nodes that wait, nodes met, and numbers written to the journal (beyond its size: it is of no use)."""


class Window(NamedTuple):
    """Which equilibria are wanted: all costs at most ``most``, and the largest of them, or the payer's, ``least``."""

    least: Any
    most: Any
    payer: int
    """Whose cost must reach ``least``; -1: anybody's."""
    floor: Any
    """Least ``r`` of all other hosts at the payer's turn: below it, moving some job would cost less than ``least``."""
    every: bool = False
    """Whether every equilibrium is wanted, told apart by what everybody places where: else nodes that are like others
    for the organizations still to come are left out."""


class Nodes(NamedTuple):
    """The nodes that wait, the last one first."""

    stage: Any
    cost: Any
    """Largest cost so far, or the payer's."""
    keeps: Any
    """``keeps[node, k]``: the set of home loads, as words."""
    foreign: Any
    """``foreign[node, l]``: work placed on host ``l``."""
    most: Any
    """``most[node, k]``: bound on the cost of every organization not resolved."""
    last: Any
    """``last[node, l]``: what the organization of the stage before placed on host ``l``."""


class Seen(NamedTuple):
    """Nodes met before, by a hash of what the rest of the game depends on; newer ones replace older ones."""

    keys: Any
    cost: Any
    number: Any
    run: Any
    """Which call stored it; older ones do not count."""


class State(NamedTuple):
    """Everything that a call changes."""

    nodes: Nodes
    seen: Seen
    journal: Any
    loads: Any
    """``loads[k, l]``: what organization ``k`` placed on host ``l``, on the way to the node at hand."""
    at: Any
    """Counters."""


class Here(NamedTuple):
    """The node at hand, and room to work."""

    keeps: Any
    first: Any
    last: Any
    """The first and the last home load of every set."""
    foreign: Any
    most: Any
    low: Any
    high: Any
    """Bounds on ``r`` of every host, at the turn of an organization."""
    touched: Any
    """Whether an organization before that turn may send work to the host."""
    near: Any
    far: Any
    """The bounds of all hosts but one, each ascending."""
    chosen: Any
    """Host of every block."""
    taken: Any
    """Whether a host has a block."""
    whole: Any
    """The set of a host that is split."""
    key: Any


def scratch(splits: Splits, key: int) -> Here:
    """Room to work for one game."""
    hosts = splits.work.size

    def count(size: int) -> Ints:
        return np.zeros(size, np.int64)

    def load() -> Ints:
        return np.zeros_like(splits.work)

    return Here(
        keeps=np.zeros((hosts, splits.words), np.int64),
        first=count(hosts),
        last=count(hosts),
        foreign=load(),
        most=load(),
        low=load(),
        high=load(),
        touched=count(hosts),
        near=load(),
        far=load(),
        chosen=count(splits.blocks.shape[1]),
        taken=count(hosts),
        whole=count(splits.words),
        key=np.zeros(key, splits.work.dtype),
    )
