r"""Potentials that only compare: do gains, or best responses, ever come back to where they began?

``P`` is an *ordinal* potential if a move lowers it exactly when it lowers the mover's cost, a *generalized ordinal* one
if it falls with every gain. The first exists exactly if no ring of moves by which nobody loses has one by which
somebody gains, the second exactly if no ring consists of gains (the finite improvement property; Monderer and Shapley
1996, Voorneveld and Norde 1997). A game is *weakly acyclic* if from every profile some gains lead to an equilibrium
(Young 1993; better replies, not only best ones); its best responses are *acyclic* if no ring consists of strict gains
that are best responses.

Only costs are compared, so infinite ones need no care: equal infinities are equal.

>>> from consortium.games.normal_form import NormalFormGame
>>> pennies = NormalFormGame.from_arrays([[[0, 1], [1, 0]], [[1, 0], [0, 1]]], sense="cost")
>>> generalized_ordinal(pennies).cycles, weakly_acyclic(pennies).trap
(((2, 0, 1, 3),), 0)

References
----------
D. Monderer, L. S. Shapley, "Potential games", Games and Economic Behavior 14, 1996.
M. Voorneveld, H. Norde, "A characterization of ordinal potential games", Games and Economic Behavior 19, 1997.
H. P. Young, "The evolution of conventions", Econometrica 61, 1993.
"""

from __future__ import annotations

import numpy as np

from ..enumeration import best_costs
from ..normal_form import NormalFormGame
from ..responses import response_edges
from .moves import Graph, gains, weak_gains
from .results import Verdict


def ordinal(game: NormalFormGame) -> Verdict:
    """Whether there is an ordinal potential; refuted by a ring of moves by which nobody loses and somebody gains."""
    graph, (dearer, cheaper) = weak_gains(game)
    component = graph.components
    back = np.flatnonzero(component[dearer] == component[cheaper])
    if back.size:
        return Verdict(False, cycles=(tuple(graph.walk(int(cheaper[back[0]]), int(dearer[back[0]]))),))
    return Verdict(True, graph.condensed().levels[component[: graph.profiles]])


def generalized_ordinal(game: NormalFormGame) -> Verdict:
    """Whether every sequence of gains ends; refuted by a ring of them."""
    return _acyclic(gains(game))


def acyclic_best_responses(game: NormalFormGame) -> Verdict:
    """Whether every sequence of best responses that gain ends; refuted by a ring of them."""
    size = game.social.size
    return _acyclic(Graph(*response_edges(game.table == best_costs(game), np.arange(size)), size))


def weakly_acyclic(game: NormalFormGame) -> Verdict:
    """Whether gains can lead to an equilibrium from everywhere: the potential is the number that it takes."""
    graph = gains(game)
    leaves = np.bincount(graph.tails, minlength=graph.nodes)[: graph.profiles]
    steps = graph.distances(np.flatnonzero(leaves == 0))[: graph.profiles] // 2
    lost = np.flatnonzero(steps < 0)
    return Verdict(False, trap=int(lost[0])) if lost.size else Verdict(True, steps)


def _acyclic(graph: Graph) -> Verdict:
    """The potential is the largest number of moves that can follow."""
    moves = graph.levels[: graph.profiles]  # two edges each, by way of a node for a line or a group
    if (moves < 0).any():
        return Verdict(False, cycles=(graph.cycle(),))
    return Verdict(True, moves // 2)
