"""What a search over boxes proves, as decisions that a plain checker can follow (:mod:`..tree_checker`).

Organizations are numbered by priority from 0, numbers are in units of ``federation.unit``. A tree lists its nodes as
they are met, a node before its children: whoever follows it knows the root, and every decision says what became of one
node. A tree is written as a text of one word for each decision, organizations counted from 1:

========================= ==========================================================================================
``-``                     no equilibrium is left
``2>17``                  the home load of organization 2 is split: next comes more than 17, then at most 17
``12:7,5,0;9,0,3``        the next organization pays 12 in every equilibrium left; next come its placements, in this
                          order, each as what it puts on every host
``=4``                    the rest is that of the node numbered 4 (the root is 0)
========================= ==========================================================================================

>>> list(read("1>7 12:7,5;12,0 - =2 -"))[:2]
[Split(host=0, at=7), Resolved(cost=12, placements=((7, 5), (12, 0)))]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from ....support.errors import InputError


@dataclass(frozen=True)
class Closed:
    """No equilibrium is left in this node."""


@dataclass(frozen=True)
class Split:
    """Next come the profiles of the node in which ``host`` keeps more than ``at`` of its own work, then the others."""

    host: int
    at: int


@dataclass(frozen=True)
class Resolved:
    """The next organization pays ``cost`` in every equilibrium of the node; next come its placements, in this order.

    A placement is what it puts on every host. Hosts of organizations resolved before that are free at the same time
    are not told apart.
    """

    cost: int
    placements: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Same:
    """The rest of the game is that of an earlier node."""

    node: int


Decision: TypeAlias = Closed | Split | Resolved | Same
_WORD = re.compile(r"-|=(?P<node>\d+)|(?P<host>\d+)>(?P<at>-?\d+)|(?P<cost>\d+):(?P<rows>[\d,;]*)")


@dataclass(frozen=True)
class Tree:
    """No equilibrium has costs of at most ``most`` of which the largest, or the payer's, is at least ``least``.

    Attributes
    ----------
    least, most
        The window; ``most = None``: no cost is too large.
    payer
        Number of the organization whose cost is meant, by priority; ``None``: the largest cost of all.
    nodes
        How many nodes the tree has.
    decisions
        One for every node, as a text; ``None`` when they are too many to keep.
    """

    least: int
    most: int | None
    payer: int | None
    nodes: int
    decisions: str | None


def read(text: str) -> Iterator[Decision]:
    """The decisions of a text. Raises InputError for a word that is none."""
    for number, word in enumerate(text.split()):
        found = _WORD.fullmatch(word)
        if found is None:
            raise InputError(f"decision {number}: found {word!r:.40}; expected '-', '2>17', '12:7,5;9,3' or '=4'")
        yield _decision(found)


def _decision(found: re.Match[str]) -> Decision:
    node, host, at, cost, rows = found.group("node", "host", "at", "cost", "rows")
    try:
        if node:
            return Same(int(node))
        if host:
            return Split(int(host) - 1, int(at))
        if cost:
            placements = tuple(tuple(map(int, row.split(","))) for row in rows.split(";")) if rows else ()
            return Resolved(int(cost), placements)
    except ValueError:  # nothing between two commas, or more digits than Python reads
        raise InputError(f"a decision: found {found.group()!r:.40}; expected loads separated by commas") from None
    return Closed()
