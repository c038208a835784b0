"""The promise ``anonymous = True``, proved before it is used.

A mechanism that gives agents other outcomes when they have other numbers, ties included, may say so; then the first
agent stands for all, with the others by increasing declaration. That is sound: whoever is renumbered keeps declaration,
length and outcome, so that every situation is one of the first agent's, and one with the others in that order. Lengths
stay free.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> from consortium.games.proofs.programs import MechanismProgram
>>> harsh = build("harsh", Cluster.of([1]))
>>> prove_anonymity(harsh, Tree(MechanismProgram(harsh, 2)), 2, Lengths())
Traceback (most recent call last):
    ...
consortium.support.errors.MechanismError: OneRound: found anonymous = True, but outcomes for declarations (1, 1) and\
 lengths (1, 1) change when the agents change places; make ties independent of the agents' order or drop anonymous
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from ...support.progress import Clock, Progress
from ..incentives.general import not_anonymous
from .exploring import MAX_CELLS, Explored, explore_all
from .statements import Lengths, relabelings
from .tree import Tree


def prove_anonymity(
    mechanism: object,
    tree: Tree,
    n_agents: int,
    lengths: Lengths,
    clock: Clock | None = None,
    progress: Progress | None = None,
    max_cells: int = MAX_CELLS,
) -> Explored:
    """Prove that outcomes move with the agents, for two renumberings of which all others are made.

    Raises MechanismError, with the numbers, where they do not. The proof may be stopped by a limit.
    """
    ask = partial(relabelings, n_agents, lengths)
    found = explore_all(ask, (tree,), clock, progress, max_cells=max_cells, processes=1)
    if found.failure is not None:
        question, z = found.failure
        _, *numbers = question.runs[0].point(z)
        exact = tuple(Fraction(x, z[0]) for x in numbers)
        raise not_anonymous(mechanism, "outcomes", exact[:n_agents], exact[n_agents:])
    return found
