"""Custom queue rules: an object that says, whenever a machine is free, whom the pool serves next.

>>> class LongestWait:
...     "Serve whose first waiting job has waited longest; ties go to the lowest organization."
...     def choose(self, pool):
...         return min(pool.waiting, key=lambda u: (pool.head[u], u))
>>> from consortium.mechanisms.sharing import SharingInstance, simulate
>>> two = SharingInstance.of([1, 0], [[(0, 3), (1, 1)], [(0, 2)]])
>>> outcome = simulate(two, rule=LongestWait(), until=6)
>>> outcome.rule, outcome.start.tolist()
('LongestWait', [0, 5, 3])
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np

from ...support.errors import MechanismError, quote
from ...support.progress import Progress
from ..custom import call
from .catalogue import RULES
from .general_ref import Queues, Site, decide, process
from .instance import SharingInstance
from .kernels.events import Run

NAMES: Final = frozenset(rule.id for rule in RULES)


@dataclass(frozen=True)
class Pool:
    """What can be known of the pool when a machine is free; organizations count from 0, tuples have one entry each.

    Lengths of jobs are not known before they end, so a pool does not tell them.

    Attributes
    ----------
    moment
        Now.
    names
        Names of the organizations.
    waiting
        Organizations with a released job that has not started, ascending; never empty.
    free
        Free machines, at least 1.
    served
        Whom the previous start went to; ``None`` before the first.
    machines
        Machines owned, the organization's share.
    released, started, finished
        Jobs released, started and completed so far.
    running
        Jobs running, those just started included.
    parts
        Machine time received: unit parts done.
    utility
        psi_sp now. One unit of time later it is ``utility + parts + running``.
    head
        From when on the first waiting job waits, by default its release; ``None`` for one that does not wait.
    """

    moment: int
    names: tuple[str, ...]
    waiting: tuple[int, ...]
    free: int
    served: int | None
    machines: tuple[int, ...]
    released: tuple[int, ...]
    started: tuple[int, ...]
    finished: tuple[int, ...]
    running: tuple[int, ...]
    parts: tuple[int, ...]
    utility: tuple[int, ...]
    head: tuple[int | None, ...]


@runtime_checkable
class QueueRule(Protocol):
    """The least that a queue rule needs: :meth:`choose`. Ties are the rule's own.

    A ``name``, where there is one, is the rule's in the outcome; else its class's.
    """

    def choose(self, pool: Pool) -> int:
        """The organization, one of ``pool.waiting``, whose first waiting job starts now."""


def rule_name(rule: QueueRule) -> str:
    """Name of a custom rule, or MechanismError for what is none."""
    if isinstance(rule, type) or not callable(getattr(rule, "choose", None)):
        raise MechanismError(f"rule: found {quote(rule)}; expected a rule's name or an object with choose(pool)")
    name = getattr(rule, "name", type(rule).__name__)
    if not isinstance(name, str) or not name or name in NAMES:
        raise MechanismError(
            f"{type(rule).__name__}.name: found {quote(name)}; expected a text that names no rule of ours"
        )
    return name


def ask(rule: QueueRule, pool: Pool) -> int:
    """The rule's answer, checked: an organization that waits, or MechanismError with the call and the slip."""
    name = f"{type(rule).__name__}.choose"
    answer: Any = call(rule.choose, name, pool=pool)
    if isinstance(answer, bool) or not isinstance(answer, int | np.integer) or answer not in pool.waiting:
        raise MechanismError(
            f"{name}(pool) at moment {pool.moment}: found {quote(answer)}; expected one of the waiting organizations "
            f"{', '.join(map(str, pool.waiting))}"
        )
    return int(answer)


def run(instance: SharingInstance, rule: QueueRule, until: int, progress: Progress | None = None) -> Run:
    """Schedule by the rule's answers up to ``until``; Ctrl-C keeps what is final."""
    queues = Queues.of(instance, until)
    site = Site(queues, instance.machines, range(instance.n_organizations))

    def choose(site: Site, waiting: list[int], t: int) -> int:
        return ask(rule, _view(instance, site, waiting, t))

    reached, complete = process(queues, [site], lambda t: decide(site, t, choose), progress)
    return Run(site.start_of_jobs(instance, reached), reached, complete, "python")


def _view(instance: SharingInstance, site: Site, waiting: list[int], t: int) -> Pool:
    queues, tallies = site.queues, site.tally
    head: list[int | None] = [None] * len(tallies)
    for tally in tallies:
        tally.accrue(t)
    for u in waiting:
        head[u] = int(instance.waits_from[instance.first[u] + site.position[u]])
    return Pool(
        moment=t,
        names=instance.names,
        waiting=tuple(waiting),
        free=site.free,
        served=site.starts[-1][1] if site.starts else None,
        machines=instance.machines,
        released=tuple(queues.released),
        started=tuple(site.position),
        finished=tuple(tally.completed for tally in tallies),
        running=tuple(tally.running for tally in tallies),
        parts=tuple(tally.parts for tally in tallies),
        utility=tuple(tally.psi for tally in tallies),
        head=tuple(head),
    )
