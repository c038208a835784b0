r"""Orderings that are drawn by the circle, and the coalitions that they need.

A Shapley value is the mean over all orderings of what a player adds to those before it. Put the players in a circle at
random and read it once around from every place in both directions: every one of these ``2 k`` orderings is as likely as
any other, so their mean is unbiased; in them every player comes first, second, ..., last equally often, and with every
ordering comes its reverse (position-stratified and antithetic sampling). They need only the ``k (k - 1) + 1`` arcs of
the circle as coalitions, about as many as ``k`` orderings drawn independently.

With a **structure** (unions of players, unions of unions, ...) only orderings count that keep each union together: the
mean over them is Owen's coalition structure value, or for several levels Winter's. The same is done in every union: the
children of each node lie in a circle, and reading number ``i`` turns the outermost by ``i``, the next by ``i`` divided
by the largest number of children further out, and so on.

A structure is a tree of tuples with the players ``0..k-1`` as leaves.

>>> rounds((0, (1, 2)), 2, np.random.default_rng(0)).tolist()
[[0, 1, 2], [2, 1, 0], [0, 2, 1], [1, 2, 0]]

References
----------
G. Owen, "Values of games with a priori unions", 1977. E. Winter, "A value for cooperative games with levels structure
of cooperation", International Journal of Game Theory 18, 1989. J. Castro, D. Gomez, J. Tejada, "Polynomial calculation
of the Shapley value based on sampling", Computers & Operations Research 36, 2009.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ...support.errors import InputError, join_names
from .arrays import IntArray

Structure: TypeAlias = "int | tuple[Structure, ...]"
"""A player, or those that keep together."""


@dataclass(frozen=True, eq=False)
class Coalitions:
    """The coalitions of some batches of orderings, each once.

    Attributes
    ----------
    member
        Whether a player belongs to a coalition, shape (coalitions, k).
    coalition, player, weight, batch
        Entries: in so many orderings of a batch the player closes the coalition (positive), less those in which it
        comes next (negative). So the sum of ``weight * v(coalition)`` over a player's entries is its contribution times
        the number of orderings.
    orderings
        How many there are in a batch.
    """

    member: npt.NDArray[np.uint8]
    coalition: IntArray
    player: IntArray
    weight: IntArray
    batch: IntArray
    orderings: int


def leaves(structure: Structure) -> list[int]:
    """The players of a structure.

    >>> leaves(((0, 2), 1))
    [0, 2, 1]
    """
    return [u for child in structure for u in leaves(child)] if isinstance(structure, tuple) else [structure]


def turns(structure: Structure) -> int:
    """In how many ways a structure's circles are read in one direction: the product over levels of the most children.

    >>> turns((0, 1, 2)), turns(((0, 1), (2, 3, 4)))
    (3, 6)
    """
    return prod(_widths(structure))


def _widths(structure: Structure) -> list[int]:
    """The most children of a node on each level, the outermost first."""
    widths, level = [], [structure]
    while inner := [node for node in level if isinstance(node, tuple)]:
        widths.append(max(map(len, inner)))
        level = [child for node in inner for child in node]
    return widths


def rounds(structure: Structure, starts: int, rng: np.random.Generator) -> IntArray:
    """One batch: circles drawn at random, read from ``starts`` evenly spaced places in both directions.

    Shape ``(2 * starts, k)``; ``starts`` is at most :func:`turns`.
    """
    shuffled, widths = _shuffled(structure, rng), _widths(structure)
    every = prod(widths)
    found = [list(_read(shuffled, every * i // starts, widths)) for i in range(starts)]
    return np.array([order for one in found for order in (one, one[::-1])], dtype=np.int64)


def _shuffled(node: Structure, rng: np.random.Generator) -> Structure:
    if not isinstance(node, tuple):
        return node
    return tuple(_shuffled(node[i], rng) for i in rng.permutation(len(node)).tolist())


def _read(node: Structure, turn: int, widths: list[int]) -> Iterable[int]:
    """The players of a node, whose circle and those inside are turned."""
    if not isinstance(node, tuple):
        yield node
        return
    further, turned = divmod(turn, widths[0])
    for i in range(len(node)):
        yield from _read(node[(turned + i) % len(node)], further, widths[1:])


def coalitions(batches: list[IntArray]) -> Coalitions:
    """The coalitions of batches of equally many orderings."""
    seen: dict[int, int] = {}
    entries: list[tuple[int, int, int, int]] = []
    for number, orders in enumerate(batches):
        table: dict[tuple[int, int], int] = {}
        for order in orders.tolist():
            before = -1
            mask = 0
            for u in order:
                if before >= 0:
                    table[before, u] = table.get((before, u), 0) - 1
                mask |= 1 << u
                before = seen.setdefault(mask, len(seen))
                table[before, u] = table.get((before, u), 0) + 1
        entries += [(c, u, weight, number) for (c, u), weight in table.items() if weight]
    k = batches[0].shape[1]
    width = (k + 7) // 8
    packed = np.frombuffer(b"".join(mask.to_bytes(width, "little") for mask in seen), dtype=np.uint8)
    member = np.unpackbits(packed.reshape(-1, width), axis=1, count=k, bitorder="little")
    columns = np.array(entries, dtype=np.int64).T
    by_coalition = np.argsort(columns[0], kind="stable")
    coalition, player, weight, batch = columns[:, by_coalition]
    return Coalitions(member, coalition, player, weight, batch, len(batches[0]))


def structure(names: Sequence[str], parents: Mapping[str, str]) -> Structure:
    """Organizations by number, those with a common parent in a tuple, and so on upwards.

    An account with accounts below it, and jobs of its own, is one of its union. Raises InputError for an account above
    itself, or where the parents are of others, or common to no two organizations or to all.

    >>> structure(["atlas", "cms", "bio"], {"atlas": "physics", "cms": "physics", "physics": "root", "bio": "root"})
    ((0, 1), 2)
    """
    above = set(parents.values())
    tree: dict[str, Any] = {}
    for u, name in enumerate(names):
        node = tree
        for step in (*_path(name, parents), *((name,) if name in above else ())):
            node = node.setdefault(f"/{step}", {})
        node[name] = u
    nested = _nested(tree)
    if not isinstance(nested, tuple) or all(isinstance(child, int) for child in nested):
        if not any(name in parents for name in names):
            raise InputError(
                f"parents: found those of {join_names(list(parents))}; expected some of {join_names(names)}"
            )
        raise InputError(f"parents: found none that several, but not all, of {join_names(names)} have in common")
    return nested


def _path(name: str, parents: Mapping[str, str]) -> list[str]:
    """The accounts above one, the outermost first."""
    path: list[str] = []
    while name in parents:
        name = parents[name]
        if name in path:
            raise InputError(f"parents: {name} is above itself; expected a tree")
        path.insert(0, name)
    return path


def _nested(node: Any) -> Structure:
    """A tree as tuples, where one child alone stands for its parent."""
    if isinstance(node, int):
        return node
    children = tuple(map(_nested, node.values()))
    return children[0] if len(children) == 1 else children
