"""Profiles of mixed strategies, judged: exact expected costs, and regrets recomputed from the costs of the game.

No solver's word is taken for an equilibrium: whoever found a profile, :func:`judged` computes what every pure strategy
of every player would cost against it. All sums are of Python integers over one denominator.

>>> from consortium.games.normal_form import NormalFormGame
>>> game = NormalFormGame.from_arrays([[[2, 0], [0, 1]], [[1, 0], [0, 2]]], sense="payoff")
>>> found = judged(CostTables.of(game), ((Fraction(1, 2), Fraction(1, 2)), (Fraction(0), Fraction(1))))
>>> found.costs, found.regrets, found.exact
((Fraction(-1, 2), Fraction(-1, 1)), (Fraction(1, 2), Fraction(0, 1)), False)

Components: of two players the extreme equilibria are pairs ``(x, y)`` of vertices of the two best-response polytopes:
edges of a bipartite graph. A set ``X`` of first vertices and a set ``Y`` of second ones make only equilibria when every
pair is an edge; then so does every pair from their convex hulls. The maximal such ``X x Y`` are the maximal Nash
subsets, they cover all equilibria, and the connected components of the graph are those of the set of equilibria
[ARSS10]_.

References
----------
.. [ARSS10] D. Avis, G. Rosenberg, R. Savani, B. von Stengel, "Enumeration of Nash equilibria for two-player games",
   Economic Theory 42, 2010.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ....support.errors import InputError
from ....support.exact import Rational, scale
from ...normal_form import NormalFormGame, from_cell

Mix: TypeAlias = tuple[Fraction, ...]
"""Probabilities of a player's strategies, in their order."""
Mixes: TypeAlias = tuple[Mix, ...]
"""One mix per player."""
Components: TypeAlias = tuple[tuple[tuple[int, ...], ...], ...]
"""Connected sets of equilibria, each the union of the convex hulls of sets of listed ones, by place in the list."""


@dataclass(frozen=True)
class MixedEquilibrium:
    """One profile of mixed strategies.

    Attributes
    ----------
    strategies
        One tuple of probabilities per player, in the order of the strategies.
    costs
        Exact expected costs.
    regrets
        Exact: what each player could save with her best pure strategy.
    exact
        Whether all regrets are 0: an equilibrium, not an approximation.
    """

    strategies: Mixes
    costs: tuple[Fraction, ...]
    regrets: tuple[Fraction, ...]
    exact: bool


@dataclass(frozen=True)
class MixedEquilibria:
    """What was found.

    Attributes
    ----------
    equilibria
        Equilibria, each with exact regrets 0, sorted by their probabilities.
    method
        How they were found.
    complete
        Whether it is proved that every extreme equilibrium is listed: every equilibrium is one of them or a mixture of
        some, as ``components`` says.
    components
        Where there are infinitely many equilibria, all of them: each connected component as its maximal sets of listed
        equilibria (places in ``equilibria``) whose convex hulls hold nothing but equilibria. ``None`` where the
        equilibria are isolated or the list is not complete.
    approximate
        Profiles near equilibria that are irrational, or could not be made exact; their regrets are exact and positive.
    stopped
        Whether a limit or Ctrl-C came before the end.
    """

    equilibria: tuple[MixedEquilibrium, ...]
    method: str
    complete: bool
    components: Components | None = None
    approximate: tuple[MixedEquilibrium, ...] = ()
    stopped: bool = False


@dataclass(frozen=True)
class CostTables:
    """Finite costs of a game as Python integers over a denominator."""

    players: tuple[str, ...]
    costs: tuple[NDArray[Any], ...]  # one array of Python integers per player, axis ``i`` the strategy of player ``i``
    denominator: Rational  # what the integers are divided by

    @classmethod
    def of(cls, game: NormalFormGame) -> CostTables:
        """The table of a game. Raises InputError where a cost is infinite."""
        for name, own in zip(game.players, game.table, strict=True):
            cells = (from_cell(cell, game.denominator, game.narrow) for cell in own.reshape(-1).tolist())
            if any(isinstance(cost, float) for cost in cells):
                raise InputError(f"mixed strategies: player {name!r} has an infinite cost; expected finite ones")
        return cls(game.players, tuple(own.astype(object) for own in game.table), game.denominator)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of strategies of each player."""
        return tuple(self.costs[0].shape)


def judged(tables: CostTables, strategies: Mixes) -> MixedEquilibrium:
    """A profile of mixed strategies with its exact costs and regrets.

    Raises ValueError unless everybody's probabilities are at least 0 and sum to 1: whoever asks has made them so.
    """
    if any(sum(mix) != 1 or min(mix) < 0 for mix in strategies):
        raise ValueError(f"found {strategies}; expected probabilities that sum to 1")
    whole = [scale(mix) for mix in strategies]
    costs, regrets = [], []
    for k, (own, denominator) in enumerate(whole):
        values = against(tables.costs[k], [k], [weights for weights, _ in whole]).tolist()
        played = sum(weight * value for weight, value in zip(own, values, strict=True))
        others = math.prod(each for j, (_, each) in enumerate(whole) if j != k)
        costs.append(Fraction(played, denominator * others) / tables.denominator)
        regrets.append(costs[-1] - Fraction(min(values), others) / tables.denominator)
    return MixedEquilibrium(strategies, tuple(costs), tuple(regrets), not any(regrets))


def against(
    costs: NDArray[Any], players: Sequence[int], weights: Sequence[Sequence[Any] | NDArray[Any]]
) -> NDArray[Any]:
    """Costs by the strategies of some players, those of the others weighted; one list of weights per player."""
    for k in reversed(range(costs.ndim)):  # from the last axis on, so that the places of the others stay
        if k not in players:
            costs = np.tensordot(costs, np.array(weights[k], dtype=costs.dtype), axes=([k], [0]))
    return costs


Pair: TypeAlias = tuple[Hashable, Hashable]


def components(pairs: Sequence[Pair]) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Each component as its maximal Nash subsets, each as the places of its extreme points; all sorted.

    >>> components([("a", "u"), ("a", "v"), ("b", "v"), ("c", "w")])
    (((0, 1), (1, 2)), ((3,),))
    """
    place = {pair: i for i, pair in enumerate(pairs)}
    columns: dict[Hashable, set[Hashable]] = {}
    for x, y in pairs:
        columns.setdefault(x, set()).add(y)
    closed: set[frozenset[Hashable]] = set()  # every meeting of some neighbourhoods: the second sides of maximal sets
    for own in map(frozenset, columns.values()):
        closed |= {own} | {own & other for other in closed if own & other}
    subsets = sorted(
        tuple(sorted(place[x, y] for x, own in columns.items() if shared <= own for y in shared)) for shared in closed
    )
    import networkx

    graph: networkx.Graph[Any] = networkx.Graph()  # sets of equilibria and the vertices that they consist of
    for subset in subsets:
        graph.add_edges_from((subset, (side, pairs[k][side])) for k in subset for side in (0, 1))
    connected = networkx.connected_components(graph)
    return tuple(sorted(tuple(sorted(part.intersection(subsets))) for part in connected))
