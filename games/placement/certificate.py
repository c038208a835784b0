"""What searches of a placement game prove, as records that can be checked without them.

*Cuts*: deviations that no equilibrium withstands. A :class:`Claim` says which social costs they exclude, a constraint
solver refutes it again from the game and the deviations alone (:func:`.cuts.replay`); an :class:`Exclusion` says the
same of placements that no coalition upsets.

*Trees* of branch and bound over home loads, which a plain checker follows (:func:`.checker.holds`). Organizations are
numbered by priority from 0, numbers are in units of ``federation.unit``. A tree lists its nodes in the order of the
search, a node before its children: whoever follows it knows the root, and every decision says what became of one node.
A tree is written as a text of one word for each decision, organizations counted from 1:

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
from typing import Final, Literal, TypeAlias

from ...support.errors import InputError

Direction: TypeAlias = Literal["worst", "best"]
Cut: TypeAlias = tuple[int, tuple[int, ...]]
"""Organization and the placement of its jobs that it could switch to."""
JointCut: TypeAlias = tuple[Cut, ...]
"""The members of a coalition, ascending, each with the placement of its jobs that the coalition could switch to."""


@dataclass(frozen=True)
class Slack:
    """Allowed: ``cost <= num/den * reachable + add``, and strictly less when ``strict``; all whole numbers."""

    num: int = 1
    den: int = 1
    add: int = 0
    strict: bool = False


NASH = Slack()


@dataclass(frozen=True)
class Claim:
    """One thing that the cuts prove: no profile satisfies ``slack`` with a social cost beyond ``social``.

    Attributes
    ----------
    direction
        ``"worst"``: none costs more than ``social``; ``"best"``: none costs less. With ``social = None``: none at all.
    social
        In units of ``federation.unit``.
    slack
        Which approximate equilibria are meant; the exact ones by default.
    cuts
        The deviations used.
    """

    direction: Direction
    social: int | None
    cuts: tuple[Cut, ...]
    slack: Slack = NASH


@dataclass(frozen=True)
class Exclusion:
    """Every placement with a social cost from ``least`` to ``most`` is upset by some coalition, or by one organization.

    Attributes
    ----------
    least, most
        In units of ``federation.unit``.
    cuts, joint
        The deviations, of one organization and of several, that the claim rests on: no placement withstands them all.
    equilibria
        Where the joint ones upset every equilibrium, as many, told apart by loads; ``None`` where no list was made and
        the constraint solver proves the claim.
    """

    least: int
    most: int
    cuts: tuple[Cut, ...]
    joint: tuple[JointCut, ...]
    equilibria: int | None = None


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
MAX_PLACEMENTS: Final = 500_000
"""Of one organization, in one decision."""
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


@dataclass(frozen=True)
class Certificate:
    """The claims and trees behind a complete search; ``trees`` is ``None`` where the method makes none."""

    claims: tuple[Claim, ...] = ()
    trees: tuple[Tree, ...] | None = None


def read(text: str) -> Iterator[Decision]:
    """The decisions of a text. Raises InputError for a word that is none."""
    for number, word in enumerate(text.split()):
        match = _WORD.fullmatch(word)
        if match is None or word.count(";") > MAX_PLACEMENTS:
            raise InputError(f"decision {number}: found {word!r:.40}; expected '-', '2>17', '12:7,5;9,3' or '=4'")
        yield _decision(match)


def _decision(match: re.Match[str]) -> Decision:
    node, host, at, cost, rows = match.group("node", "host", "at", "cost", "rows")
    try:
        if node:
            return Same(int(node))
        if host:
            return Split(int(host) - 1, int(at))
        if cost:
            placements = tuple(tuple(map(int, row.split(","))) for row in rows.split(";")) if rows else ()
            return Resolved(int(cost), placements)
    except ValueError:  # nothing between two commas, or more digits than Python reads
        raise InputError(f"a decision: found {match.group()!r:.40}; expected loads separated by commas") from None
    return Closed()
