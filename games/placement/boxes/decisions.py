"""What a search over boxes proves, as decisions that a plain checker can follow (:mod:`..tree_checker`).

Organizations are numbered by priority and numbers are in units of ``federation.unit``. A tree lists its nodes as they
are met, a node before its children: the checker knows the root, and every decision says what became of one node.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


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
        One for every node; ``None`` when they are too many to keep.
    """

    least: int
    most: int | None
    payer: int | None
    nodes: int
    decisions: tuple[Decision, ...] | None
