r"""Slurm's priorities: Fair Tree among accounts within accounts, and the weighted sum of factors.

Model: organizations are the leaves of a tree of unions. Of a node, ``S`` is the number of its members' machines and
``U`` the machine time that they used, past usage decayed where there is a half-life. *Fair Tree* goes down from the
root: of the nodes at a level it takes the one with the largest :math:`\text{LevelFS} = (S/S_p)/(U/U_p)`, where ``p`` is
the node above, of those at which somebody waits. Nodes that tie are opened together, so that those in them are compared
with each other. Nodes at one level lie in one node, or in several that tie: either way ``U_p/S_p`` is the same for all,
and so the largest LevelFS is the least ``U/S``. An organization that ties with a union comes first; who has no machines
comes last; among organizations that tie the lowest is served.

*multifactor* serves the largest sum of what age, fair share, size and QOS are worth, each a weight times a factor from
0 to 1, rounded down to a whole number: age over the largest age that counts, at most 1; machines of the job over all;
the priority of its QOS over the largest that counts, at most 1; and the rank by Fair Tree (the k-th of N has
(N + 1 - k)/N, who ties has the better rank). Equal sums: the job that waits longest, then the lowest organization.
Priorities are looked at anew at every decision, where Slurm recomputes them now and then, and sums before it rounds.

Usage is in digits of 24 bits, as in :mod:`.decay`, also without a half-life: all comparisons are of integers.

Sources: R. Cox, L. Morrison, "Fair Tree fairshare algorithm", 2014, and "Multifactor priority plugin", in the
documentation of Slurm.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ....support.jit import jit
from ..instance import AnyIntArray, IntArray, SharingInstance
from ..limits import BITS, decayed_digits, origin
from ..orderings import Structure
from .decay import VALUE, Decay, amount, carried, less_decayed
from .events import POSITION, Jobs, Schedule, used, waits

OPEN: Final = 2  # of ``front``: compared, and opened next


class Tree(NamedTuple):
    """Organizations and unions: children stand before the node above them, the root last."""

    above: IntArray
    shares: IntArray  # machines of all members
    usage: AnyIntArray  # digits of what they used
    waiting: IntArray  # members that count
    front: IntArray  # nodes at the level looked at
    rank: IntArray  # of each organization, the best is their number
    weights: AnyIntArray  # of age, fair share, size and QOS, then the largest age and priority of a QOS
    qos: IntArray  # of each job, the priority of its QOS; empty where that counts nothing


@jit
def weigh(jobs: Jobs, schedule: Schedule, decay: Decay | None, tree: Tree, at: int) -> None:
    """Write what every node has used by ``at``."""
    usage, k, nodes = tree.usage, jobs.machines.size, tree.above.size
    usage[:, :] = 0
    for u in range(k):
        if decay is not None:
            amount(False, decay, VALUE, u, at)
            for i in range(decay.numbers.shape[1]):
                usage[u, i] = decay.numbers[VALUE, i]
        else:
            usage[u, 0] = used(schedule.rows, u, at)
    for node in range(nodes):
        carried(usage, node)
        if node < nodes - 1:
            for i in range(usage.shape[1]):
                usage[tree.above[node], i] += usage[node, i]


@jit
def count(tree: Tree, u: int, change: int) -> None:
    """Let an organization count, or no longer, in every node above it."""
    node = u
    while node >= 0:
        tree.waiting[node] += change
        node = tree.above[node]


@jit
def before(tree: Tree, one: int, other: int) -> bool:
    """Whether a node has used less per share than another."""
    return less_decayed(tree.usage, one, tree.shares[one], other, tree.shares[other])


@jit
def first_of(tree: Tree, k: int) -> int:
    """The organization that Fair Tree puts first of those that count; ``front`` is left at its level."""
    front, root = tree.front, tree.above.size - 1
    front[:] = 0
    front[root] = OPEN
    best = root
    while best >= k:
        for node in range(root):  # the node above comes later, so it still says whether it is opened
            front[node] = 1 if front[tree.above[node]] == OPEN else 0
        front[root] = 0
        best = -1
        for node in range(root):
            if front[node] > 0 and tree.waiting[node] > 0 and (best < 0 or before(tree, node, best)):
                best = node
        for node in range(k, root):
            if front[node] > 0 and tree.waiting[node] > 0 and not before(tree, best, node):
                front[node] = OPEN
    return best


@jit
def rank_all(tree: Tree, k: int) -> None:
    """Write every organization's rank by Fair Tree."""
    for u in range(k):
        tree.rank[u] = 0
        count(tree, u, 1)
    left = k
    while left > 0:
        u = first_of(tree, k)
        better = left
        for v in range(k):
            if tree.front[v] > 0 and tree.rank[v] == 0 and not before(tree, u, v):
                tree.rank[v] = better
                left -= 1
        for v in range(k):
            if tree.rank[v] == better:
                count(tree, v, -1)


@jit
def priority(jobs: Jobs, schedule: Schedule, tree: Tree, u: int, width: int, at: int) -> int:
    """The priority of the first waiting job of ``u``, of so many machines."""
    weights, root, job = tree.weights, tree.above.size - 1, schedule.rows[u, POSITION]
    age = min(at - jobs.waits_from[job], weights[4])
    worth = weights[0] * age // weights[4] + weights[2] * width // tree.shares[root]
    if tree.qos.size > 0:
        worth += weights[3] * min(tree.qos[job], weights[5]) // weights[5]
    if weights[1] > 0:
        worth += weights[1] * tree.rank[u] // jobs.machines.size
    return int(worth)


@jit
def first_in_tree(
    jobs: Jobs, schedule: Schedule, decay: Decay | None, tree: Tree, width: IntArray | None, at: int
) -> int:
    """Whom to serve of those who wait, by Fair Tree or, where there are weights, by priority; -1: nobody waits."""
    k, rows = jobs.machines.size, schedule.rows
    tree.waiting[:] = 0
    weigh(jobs, schedule, decay, tree, at)
    if tree.weights.size == 0:
        for u in range(k):
            if waits(rows, u):
                count(tree, u, 1)
        return first_of(tree, k) if tree.waiting[tree.above.size - 1] > 0 else -1
    if tree.weights[1] > 0:
        rank_all(tree, k)
    best = -1
    most = 0
    for u in range(k):
        if waits(rows, u):
            machines = 1 if width is None else width[rows[u, POSITION]]
            worth = priority(jobs, schedule, tree, u, machines, at)
            released = jobs.waits_from[rows[u, POSITION]]
            if best < 0 or worth > most or (worth == most and released < jobs.waits_from[rows[best, POSITION]]):
                best = u
                most = worth
    return best


def new_tree(
    instance: SharingInstance,
    until: int,
    structure: Structure,
    weights: tuple[int, ...],
    half_life: int | None,
) -> Tree:
    """A tree of nothing used. ``weights``: none for Fair Tree; else as in :class:`Tree`."""
    k, above = instance.n_organizations, [-1] * instance.n_organizations

    def number(node: Structure) -> int:
        if isinstance(node, int):
            return node
        children = [number(child) for child in node]
        above.append(-1)
        for child in children:
            above[child] = len(above) - 1
        return len(above) - 1

    if number(structure) < k:  # one organization alone
        number((0,))
    nodes, span = len(above), until - origin(instance, until)
    shares = np.zeros(nodes, dtype=np.int64)
    shares[:k] = instance.machines
    for node in range(nodes - 1):
        shares[above[node]] += shares[node]
    bits = (span * max(1, instance.n_machines)).bit_length()
    digits = bits // BITS + 1 if half_life is None else decayed_digits(half_life, span, instance)
    return Tree(
        above=np.array(above, dtype=np.int64),
        shares=shares,
        usage=np.zeros((nodes, digits + 1), dtype=np.int64),
        waiting=np.zeros(nodes, dtype=np.int64),
        front=np.zeros(nodes, dtype=np.int64),
        rank=np.zeros(k, dtype=np.int64),
        weights=np.array(weights, dtype=object if max(weights, default=0) >= 2**63 else np.int64),
        qos=np.zeros(0, dtype=np.int64) if instance.qos is None or not weights else instance.qos,
    )
