r"""What an organization cannot gain however it presents its jobs, and why.

Two bounds hold under every rule, one's own included, because they hold in every schedule of the machines there are:

- *capacity*: its work, cut into units that are done as soon as all machines together can, nobody else being there.
  Such a schedule has done the most units at every moment, and psi_sp adds up, over the moments, what is done so far.
- *releases*: without splitting, unit number :math:`l` of a job is not done before :math:`r + l`, so no job is worth
  more than when it starts at its release. Merged, delayed and padded jobs are released no earlier and run no faster.

One more holds for ``fifo``, which starts all jobs in an order fixed by their releases: with longer jobs in the same
order, the moments at which machines become free, sorted, are all as late or later, so no job starts earlier and
*padding* never pays. For other rules the order may change, and it may pay.

In a fixed schedule splitting and merging change nothing and delaying never pays (the axioms of psi_sp, Theorem 4.1 of
Skowron & Rzadca 2013); what can be gained comes from how the rule reacts.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ...mechanisms.sharing.instance import SharingInstance
from .presentation import Presentation

CAPACITY: Final = "capacity"
RELEASES: Final = "releases"
FIXED_ORDER: Final = "fixed-order"
REASONS: Final = {
    CAPACITY: "all work is done as early as all machines together can do it",
    RELEASES: "every job starts at its release, and without splitting none is worth more",
    FIXED_ORDER: "fifo starts jobs in an order that lengths do not change, so longer jobs start none earlier",
}
"""Why nothing can be gained, in words."""


def most(instance: SharingInstance, organization: int, until: int, *, splitting: bool) -> int:
    """No presentation of the organization's jobs makes its true work worth more at ``until``, under any rule.

    >>> one = SharingInstance.of([2], [[(0, 2), (0, 2)]])
    >>> most(one, 0, 3, splitting=True), most(one, 0, 3, splitting=False)
    (10, 10)
    >>> two = SharingInstance.of([2], [[(0, 2)]])
    >>> most(two, 0, 3, splitting=True), most(two, 0, 3, splitting=False)
    (6, 5)
    """
    queue = Presentation.of(instance, organization)
    together = _capacity(queue, instance.n_machines, until)
    if splitting:
        return together
    start = np.where(queue.release < until, queue.release, -1)
    return min(together, queue.worth(start, until))


def _capacity(queue: Presentation, machines: int, until: int) -> int:
    """psi_sp of the work in units on all machines, as early as possible."""
    worth, backlog, now = 0, 0, 0
    for release, length in [*queue.jobs, (until, 0)]:
        moment = min(release, until)
        if moment > now:
            gained, backlog = _served(backlog, machines, now, moment, until)
            worth, now = worth + gained, moment
        backlog += length
    return worth


def _served(backlog: int, machines: int, now: int, moment: int, until: int) -> tuple[int, int]:
    """Worth of what is done of a backlog in the slots ``now`` to ``moment``, and what is left."""
    if not machines:
        return 0, backlog
    full = min(moment - now, backlog // machines)
    worth = machines * (full * (until - now) - full * (full - 1) // 2)
    backlog -= machines * full
    if full < moment - now:  # the rest, less than all machines take, in the next slot
        worth, backlog = worth + backlog * (until - now - full), 0
    return worth, backlog


def without_gain(rule: str | None, move: str | None, gain_at_most: int) -> str | None:
    """Why a move cannot pay, one of :data:`REASONS`; ``None`` where it may.

    Parameters
    ----------
    rule
        Name of the rule in force; ``None`` for one of one's own.
    move
        One of the moves; ``None`` for any mixture of them.
    gain_at_most
        The bound of :func:`most`, less the utility as is.
    """
    if gain_at_most <= 0:
        return CAPACITY if move in (None, "split") else RELEASES
    return FIXED_ORDER if (rule, move) == ("fifo", "pad") else None
