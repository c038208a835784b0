r"""Exact and weighted potentials: do everybody's differences of costs come from one function?

Model: ``P`` is an *exact* potential if ``C_i(a, s_-i) - C_i(s) = P(a, s_-i) - P(s)`` for every player, profile and
deviation, a *weighted* one if ``C_i(a, s_-i) - C_i(s) = w_i (P(a, s_-i) - P(s))`` with weights ``w_i > 0``. Both are
unique up to a constant where they exist, so one pass from the first profile, which gets 0, finds or refutes an exact
one. A game has an exact potential exactly if the movers' changes sum to 0 on every ring of four profiles in which two
players move there and back (Monderer and Shapley 1996, corollary 2.9), and it is enough that they move from and to
their first strategies. So weights, where there are any, are ratios of the two players' sums on such rings: these have
to be in proportion for every pair of players, and to agree round every circle of players.

Infinite costs: potentials are finite. A move between equal infinities changes nothing; one that changes a cost by an
infinite amount has no finite difference to agree with, and refutes both.

>>> from consortium.games.normal_form import NormalFormGame
>>> game = NormalFormGame.from_arrays([[[0, 2], [1, 3]], [[0, 6], [3, 9]]], sense="cost")
>>> exact(game).potential.tolist(), weighted(game).weights == (1, 1)
([0, 6, 1, 7], True)

References
----------
D. Monderer, L. S. Shapley, "Potential games", Games and Economic Behavior 14, 1996.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....support.exact import INF
from ...normal_form import INFINITE, NormalFormGame

SAFE = 2**62


@dataclass(frozen=True, eq=False)
class Verdict:
    """Whether a game is in a class, and what shows it. Profiles are numbered in C order."""

    holds: bool
    potential: NDArray[Any] | None = None  # one number per profile, in ``unit``; ``None`` where it is not
    unit: Fraction = Fraction(1)  # what 1 in ``potential`` stands for
    weights: tuple[Fraction, ...] | None = None  # one per player, of a weighted potential
    # what refutes: rings of profiles, of which each follows from the one before by one player's move
    cycles: tuple[tuple[int, ...], ...] = ()
    trap: int | None = None  # what refutes weak acyclicity: a profile from which no gains lead to an equilibrium

    def value(self, profile: int) -> Fraction:
        """The potential of a profile. Only where there is one."""
        assert self.potential is not None
        return int(self.potential[profile]) * self.unit


class Ring(NamedTuple):
    """Four profiles, two players moving there and back, and the sums of their changes."""

    profiles: tuple[int, ...]
    first: int
    second: int


def exact(game: NormalFormGame) -> Verdict:
    """Whether there is an exact potential: 0 at the first profile, or a ring whose changes do not sum to 0."""
    infinite = _infinite_move(game)
    if infinite:
        return Verdict(False, cycles=(infinite,))
    costs = _finite(game)
    potential = _integrated(costs)
    if potential is not None:
        return Verdict(True, potential.reshape(-1), Fraction(1) / game.denominator)
    rings = (r for i, j in _pairs(game) for r in _rings(costs, i, j, lambda a, b: a + b != 0))
    return Verdict(False, cycles=(next(rings).profiles,))


def weighted(game: NormalFormGame) -> Verdict:
    """Whether there is a weighted potential, with weight 1 for the first of all players who affect each other.

    Refuted by rings that no positive weights bring to 0 together.
    """
    infinite = _infinite_move(game)
    if infinite:
        return Verdict(False, cycles=(infinite,))
    costs = _finite(game)
    ratios: dict[tuple[int, int], Ring] = {}
    for i, j in _pairs(game):
        proportion = _proportion(costs, i, j)
        if isinstance(proportion, Ring):
            ratios[i, j] = proportion
        elif proportion:
            return Verdict(False, cycles=proportion)
    weights = _weights(len(costs), ratios)
    if isinstance(weights, list):
        return Verdict(False, cycles=tuple(ring.profiles for ring in weights))
    common = math.lcm(*(w.numerator for w in weights))
    scales = [int(common / w) for w in weights]
    largest = max(int(np.abs(own).max()) * scale for own, scale in zip(costs, scales, strict=True))
    wide = costs if _fits(largest, len(costs)) and costs.dtype == np.int64 else costs.astype(object)
    potential = _integrated(np.stack([own * scale for own, scale in zip(wide, scales, strict=True)]))
    assert potential is not None  # every ring of the scaled costs sums to 0
    return Verdict(True, potential.reshape(-1), Fraction(1) / (game.denominator * common), weights=weights)


def _infinite_move(game: NormalFormGame) -> tuple[int, ...]:
    """Two profiles between which somebody's cost changes by an infinite amount; empty where there are none."""
    numbers = np.arange(game.social.size).reshape(game.shape)
    for i, own in enumerate(game.table):
        for end in (INFINITE, -INFINITE) if game.narrow else (INF, -INF):
            at_end = own == end
            mixed = at_end.any(axis=i) & ~at_end.all(axis=i)
            if mixed.any():
                line = np.unravel_index(int(mixed.argmax()), mixed.shape)
                where: tuple[Any, ...] = (*line[:i], slice(None), *line[i:])
                here = at_end[where]
                return int(numbers[where][here][0]), int(numbers[where][~here][0])
    return ()


def _finite(game: NormalFormGame) -> NDArray[Any]:
    """The table with 0 for infinite costs; int64 where every sum of changes formed here stays within it."""
    infinite = np.abs(game.table) == (INFINITE if game.narrow else INF)
    table = np.where(infinite, 0, game.table)
    return table if game.narrow and _fits(int(np.abs(table).max()), len(table)) else table.astype(object)


def _fits(largest: int, players: int) -> bool:
    """Whether sums of 4 cells, and of 2 for every player and one more, are within int64."""
    return (2 * players + 9) * largest < SAFE


def _integrated(costs: NDArray[Any]) -> NDArray[Any] | None:
    """Changes summed from the first profile, one player after the other; ``None`` where another way sums otherwise."""
    potential = np.zeros(costs.shape[1:], dtype=costs.dtype)
    for i, own in enumerate(costs):
        way = own[(..., *[slice(0, 1)] * (len(costs) - 1 - i))]  # those who move later have not moved yet
        potential = potential + (way - _first(way, i))
    for i, own in enumerate(costs):
        left = own - potential
        if (left != _first(left, i)).any():
            return None
    return potential


def _first(values: NDArray[Any], player: int) -> NDArray[Any]:
    """The values at the player's first strategy, as one of her lines."""
    return values[(*[slice(None)] * player, slice(0, 1))]


def _pairs(game: NormalFormGame) -> Iterator[tuple[int, int]]:
    return itertools.combinations(range(len(game.players)), 2)


def _sums(own: NDArray[Any], i: int, j: int) -> NDArray[Any]:
    """Change of a cost between the first strategies and others of ``i`` when ``j`` has moved, less that before."""
    change = own - _first(own, i)
    return np.asarray(change - _first(change, j))


def _rings(costs: NDArray[Any], i: int, j: int, holds: Any) -> Iterator[Ring]:
    """The first ring of two players with wanted sums (of the changes of ``i``, of ``j``), if there is any."""
    # the ring: i moves, j moves, i moves back, j moves back; i's changes sum to minus her second difference
    first, second = -_sums(costs[i], i, j), _sums(costs[j], i, j)
    places = np.asarray(holds(first, second))
    if places.any():
        place = np.unravel_index(int(places.argmax()), places.shape)
        yield Ring(_corners(place, i, j, places.shape), int(first[place]), int(second[place]))


def _corners(place: tuple[Any, ...], i: int, j: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Both at their first strategies, then ``i`` moved, both moved, ``j`` alone."""

    def at(mine: Any, hers: Any) -> int:
        where = [*place]
        where[i], where[j] = mine, hers
        return int(np.ravel_multi_index(where, shape))

    return at(0, 0), at(place[i], 0), at(place[i], place[j]), at(0, place[j])


def _proportion(costs: NDArray[Any], i: int, j: int) -> Ring | tuple[tuple[int, ...], ...]:
    """A ring that says the ratio of two players' weights, nothing where all sums are 0, or rings that contradict."""
    against = next(_rings(costs, i, j, lambda a, b: np.sign(a) != -np.sign(b)), None)
    if against is not None:
        return (against.profiles,)
    ring = next(_rings(costs, i, j, lambda a, b: a != 0), None)
    if ring is None:
        return ()
    shared = math.gcd(ring.first, ring.second)
    mine, hers = ring.first // shared, ring.second // shared
    if costs.dtype == np.int64 and 4 * int(np.abs(costs).max()) * max(abs(mine), abs(hers)) >= SAFE:
        costs = costs.astype(object)
    other = next(_rings(costs, i, j, lambda a, b: a * hers != b * mine), None)
    return ring if other is None else (ring.profiles, other.profiles)


def _weights(players: int, ratios: dict[tuple[int, int], Ring]) -> tuple[Fraction, ...] | list[Ring]:
    """Weights in these ratios, or rings whose ratios contradict each other."""
    edges = {(i, j): (ring, Fraction(-ring.first, ring.second)) for (i, j), ring in ratios.items()}  # w_i / w_j
    edges |= {(j, i): (ring, 1 / ratio) for (i, j), (ring, ratio) in edges.items()}
    weights: dict[int, Fraction] = {}
    way: dict[int, list[Ring]] = {}
    for root in range(players):
        if root in weights:
            continue
        weights[root], way[root], waiting = Fraction(1), [], [root]
        for i in waiting:
            for j in range(players):
                if (i, j) not in edges:
                    continue
                ring, ratio = edges[i, j]
                if j not in weights:
                    weights[j], way[j] = weights[i] / ratio, [*way[i], ring]
                    waiting.append(j)
                elif weights[j] != weights[i] / ratio:
                    return list(dict.fromkeys([*way[i], *way[j], ring]))
    return tuple(weights[i] for i in range(players))
