r"""Shapley values over all orderings of the organizations, or over some, and the coalitions that these need.

A Shapley value is the mean over all orderings of what a player adds to those before it, and so a weighted sum of the
values of coalitions in which a weight depends on the coalition's size and on whether the player belongs to it; the
least common multiple of 1..k makes all weights integers (:func:`shapley_values`). Over a multiset of ``N``
orderings it is ``1/N`` times a sum of ``weight * v(coalition)`` over the coalitions that occur, with integer weights
(:class:`WeightedCoalitions`). RAND takes orderings that are listed, drawn independently, or all.

Others are drawn by the circle. Put the players in a circle at random and read it once around from every place in both
directions: every one of these ``2 k`` orderings is as likely as any other, so their mean is unbiased; in them every
player comes first, second, ..., last equally often, and with every ordering comes its reverse (position-stratified and
antithetic sampling). They need only the ``k (k - 1) + 1`` arcs of the circle as coalitions, about as many as ``k``
orderings drawn independently.

With a **structure** (unions of players, unions of unions, ...) only orderings count that keep each union together: the
mean over them is Owen's coalition structure value, or for several levels Winter's. The same is done in every union: the
children of each node lie in a circle, and reading number ``i`` turns the outermost by ``i``, the next by ``i`` divided
by the largest number of children further out, and so on. A structure is a tree of tuples with the players ``0..k-1`` as
leaves.

>>> both = coalitions([[(0, 1), (1, 0)]], 2)
>>> both.member.tolist(), both.weights().tolist(), both.orderings
([[1, 0], [1, 1], [0, 1]], [[1, -1], [1, 1], [-1, 1]], 2)
>>> rounds((0, (1, 2)), 2, np.random.default_rng(0)).tolist()
[[0, 1, 2], [2, 1, 0], [0, 2, 1], [1, 2, 0]]

References
----------
G. Owen, "Values of games with a priori unions", 1977. E. Winter, "A value for cooperative games with levels structure
of cooperation", International Journal of Game Theory 18, 1989. J. Castro, D. Gomez, J. Tejada, "Polynomial calculation
of the Shapley value based on sampling", Computers & Operations Research 36, 2009.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ...support.errors import InputError, TooLargeError, join_names
from ...support.exact import Rational
from .catalogue import SAMPLES_MAX
from .instance import AnyIntArray, IntArray

SAMPLES: Final = 15
"""Random orderings by default."""
ORDERINGS: Final = ("samples", "orderings", "epsilon", "confidence")
"""Options of rand that say which orderings, or how many."""
ALL: Final = "all"
ALL_MAX: Final = 16
"""Largest number of organizations for ``samples = "all"`` (2**16 simplified schedules)."""

Structure: TypeAlias = "int | tuple[Structure, ...]"
"""A player, or those that keep together."""


@dataclass(frozen=True, eq=False)
class WeightedCoalitions:
    """The coalitions of some batches of orderings, each once.

    An entry says in how many orderings of a batch the player closes the coalition, less those in which it comes next.
    So the sum of ``weight * v(coalition)`` over a player's entries is its contribution times the number of orderings.
    """

    member: npt.NDArray[np.uint8]  # whether a player belongs to a coalition, (coalitions, k)
    coalition: IntArray
    player: IntArray
    weight: IntArray
    batch: IntArray
    orderings: int  # of each batch

    def weights(self) -> IntArray:
        """Weights of all batches together, shape (coalitions, k)."""
        table = np.zeros(self.member.shape, dtype=np.int64)
        np.add.at(table, (self.coalition, self.player), self.weight)
        return table


def coalitions(batches: Iterable[Iterable[Sequence[int]]], k: int) -> WeightedCoalitions:
    """The coalitions of batches of equally many orderings of ``0..k-1``; repeated orderings count repeatedly."""
    number_of: dict[int, int] = {}
    entries: list[tuple[int, int, int, int]] = []
    count = 0
    for batch, orders in enumerate(batches):
        table: dict[tuple[int, int], int] = {}
        count = 0
        for order in orders:
            before, mask = -1, 0
            for u in order:
                if before >= 0:
                    table[before, u] = table.get((before, u), 0) - 1
                mask |= 1 << u
                before = number_of.setdefault(mask, len(number_of))
                table[before, u] = table.get((before, u), 0) + 1
            count += 1
        entries += [(c, u, weight, batch) for (c, u), weight in table.items() if weight]
    width = (k + 7) // 8
    packed = np.frombuffer(b"".join(mask.to_bytes(width, "little") for mask in number_of), dtype=np.uint8)
    member = np.unpackbits(packed.reshape(-1, width), axis=1, count=k, bitorder="little")
    columns = np.array(entries, dtype=np.int64).T
    by_coalition = np.argsort(columns[0], kind="stable")
    coalition, player, weight, batch_of = columns[:, by_coalition]
    return WeightedCoalitions(member, coalition, player, weight, batch_of, count)


def from_orderings(orderings: Sequence[Sequence[int]], k: int) -> WeightedCoalitions:
    """The coalitions of a list of orderings, or InputError for one that is none of ``0..k-1``."""
    for ordering in orderings:
        if sorted(ordering) != list(range(k)):
            raise InputError(f"orderings: found {list(ordering)}; expected each of 0..{k - 1} once")
    if not len(orderings):
        raise InputError("orderings: found none; expected at least one")
    return coalitions([orderings], k)


def common_multiple(k: int) -> int:
    """Least common multiple of 1..k: it makes every Shapley value and potential of an integer game an integer."""
    return math.lcm(*range(1, k + 1))


def weights_by_size(k: int) -> tuple[list[int], list[int]]:
    """``lcm * (s - 1)! (k - s)! / k!`` for members and ``lcm * s! (k - s - 1)! / k!`` for others, by size ``s``."""
    multiple, every = common_multiple(k), math.factorial(k)
    joining = [multiple * math.factorial(s - 1) * math.factorial(k - s) // every if s else 0 for s in range(k + 1)]
    return joining, [*joining[1:], 0]


def shapley_values(values: Sequence[int] | AnyIntArray) -> list[Fraction]:
    """Shapley value of every player of a game that is an array over coalitions, in integers of any size.

    Coalition ``C`` is a bit mask, player ``u`` is bit ``u``; ``values[0]`` is 0.

    >>> shapley_values([0, 0, 0, 1])  # two players who need each other
    [Fraction(1, 2), Fraction(1, 2)]
    """
    k = (len(values) - 1).bit_length()
    by_size = [[0] * (k + 1) for _ in range(k)]  # sums of values of coalitions with a player
    total = [0] * (k + 1)
    for mask, value in enumerate(map(int, values)):
        size = mask.bit_count()
        total[size] += value
        for u in range(k):
            if mask >> u & 1:
                by_size[u][size] += value
    joining, leaving = weights_by_size(k)
    without = sum(x * weight for x, weight in zip(total, leaving, strict=True))
    both = [a + b for a, b in zip(joining, leaving, strict=True)]
    shares = [sum(x * weight for x, weight in zip(sums, both, strict=True)) - without for sums in by_size]
    return [Fraction(share, common_multiple(k)) for share in shares]


def all_orderings(k: int) -> WeightedCoalitions:
    """Every ordering equally often: exact Shapley values of the simplified game from ``2**k - 1`` schedules."""
    masks = np.arange(1, 2**k)
    member = (masks[:, None] >> np.arange(k) & 1).astype(np.uint8)
    joining, leaving = (np.array(weights, dtype=np.int64) for weights in weights_by_size(k))
    size = member.sum(axis=1)[:, None]
    weight = np.where(member, joining[size], -leaving[size]).ravel()
    coalition, player = np.divmod(np.arange(weight.size), k)
    return WeightedCoalitions(member, coalition, player, weight, np.zeros_like(weight), common_multiple(k))


def sample_size(k: int, epsilon: Rational, confidence: Rational) -> int:
    """Orderings that make RAND an epsilon-approximation with the given probability on unit jobs (Theorem 5.6).

    ``ceil(k^2 / epsilon^2 * ln(k / (1 - confidence)))``.

    >>> sample_size(5, Fraction(1, 2), Fraction(9, 10))
    392
    """
    if epsilon <= 0:
        raise InputError(f"epsilon: found {epsilon}; expected more than 0")
    if not 0 <= confidence < 1:
        raise InputError(f"confidence: found {confidence}; expected at least 0 and less than 1")
    return max(1, math.ceil(k * k / Fraction(epsilon) ** 2 * Fraction(math.log(k / (1 - Fraction(confidence))))))


def count_orderings(
    k: int,
    samples: int | str | None = None,
    orderings: Sequence[Sequence[int]] | None = None,
    epsilon: Rational | None = None,
    confidence: Rational | None = None,
) -> int | str:
    """How many orderings these options of RAND ask for, or :data:`ALL`; 15 without any.

    >>> count_orderings(3), count_orderings(3, samples="all"), count_orderings(3, orderings=[(0, 1, 2)])
    (15, 'all', 1)
    """
    if [samples is None, orderings is None, epsilon is None and confidence is None].count(False) > 1:
        raise InputError("rand: give samples, or orderings, or epsilon and confidence")
    if orderings is not None:
        return len(orderings)
    if samples == ALL:
        if k > ALL_MAX:
            raise TooLargeError(f'samples = "all" keeps 2**k schedules; found k = {k}, the limit is {ALL_MAX}')
        return ALL
    if epsilon is not None or confidence is not None:
        if epsilon is None or confidence is None:
            raise InputError("rand: epsilon and confidence go together")
        samples = sample_size(k, epsilon, confidence)
    if samples is None:
        samples = SAMPLES
    if isinstance(samples, bool) or not isinstance(samples, int):
        raise InputError(f"samples: found {samples!r}; expected a number of orderings or 'all'")
    if samples < 1:
        raise InputError(f"samples: found {samples}; expected at least 1")
    if samples > SAMPLES_MAX:
        raise TooLargeError(f"rand would draw {samples:,} orderings; the limit is {SAMPLES_MAX:,}")
    return samples


def requested_coalitions(
    k: int, rng: np.random.Generator, orderings: Sequence[Sequence[int]] | None = None, **options: Any
) -> WeightedCoalitions:
    """The coalitions that the options of :func:`count_orderings` ask for; orderings are drawn independently."""
    count = count_orderings(k, orderings=orderings, **options)
    if orderings is not None:
        return from_orderings(orderings, k)
    if isinstance(count, str):
        return all_orderings(k)
    return coalitions([(rng.permutation(k).tolist() for _ in range(count))], k)


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
    return math.prod(_widths(structure))


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
    every = math.prod(widths)
    orders = [list(_read(shuffled, every * i // starts, widths)) for i in range(starts)]
    return np.array([order for one in orders for order in (one, one[::-1])], dtype=np.int64)


def _shuffled(node: Structure, rng: np.random.Generator) -> Structure:
    if not isinstance(node, tuple):
        return node
    return tuple(_shuffled(node[i], rng) for i in rng.permutation(len(node)).tolist())


def _read(node: Structure, turn: int, widths: list[int]) -> Iterable[int]:
    """The players of a node, whose circle and those inside are turned."""
    if not isinstance(node, tuple):
        yield node
        return
    inner, turned = divmod(turn, widths[0])
    for i in range(len(node)):
        yield from _read(node[(turned + i) % len(node)], inner, widths[1:])


def structure(names: Sequence[str], parents: Mapping[str, str]) -> Structure:
    """Organizations by number, those with a common parent in a tuple, and so on upwards.

    An account with accounts below it, and jobs of its own, is one of its union. Raises InputError for an account above
    itself, or where the parents are of others, or common to no two organizations or to all.

    >>> structure(["atlas", "cms", "bio"], {"atlas": "physics", "cms": "physics", "physics": "root", "bio": "root"})
    ((0, 1), 2)
    """
    nested = tree(names, parents)
    if is_flat(nested):
        raise InputError(f"parents: found none that several, but not all, of {join_names(names)} have in common")
    return nested


def is_flat(nested: Structure) -> bool:
    """Whether nobody keeps together with others only."""
    return not isinstance(nested, tuple) or all(isinstance(child, int) for child in nested)


def tree(names: Sequence[str], parents: Mapping[str, str]) -> Structure:
    """As :func:`structure`, whatever they have in common.

    >>> tree(["atlas", "bio"], {"atlas": "physics", "bio": "life"}), tree(["bio"], {})
    ((0, 1), 0)
    """
    if parents and not any(name in parents for name in names):
        raise InputError(f"parents: found those of {join_names(list(parents))}; expected some of {join_names(names)}")
    above = set(parents.values())
    nodes: dict[str, Any] = {}
    for u, name in enumerate(names):
        node = nodes
        for step in (*_path(name, parents), *((name,) if name in above else ())):
            node = node.setdefault(f"/{step}", {})
        node[name] = u
    return _nested(nodes)


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
