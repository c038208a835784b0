r"""The largest gain of an organization that presents its jobs otherwise: bounds, habits, then a local search.

*Bounds.* Two hold under every rule, because they hold in every schedule on the machines of the pool:

- *capacity*: its work, cut into units that are done as soon as all machines together can, nobody else being there.
  Such a schedule has done the most units at every moment, and psi_sp adds up, over the moments, what is done so far.
- *releases*: without splitting, unit number :math:`l` of a job is not done before :math:`r + l`, so no job is worth
  more than when it starts at its release. Merged, delayed and padded jobs are released no earlier and run no faster.

One more holds for ``fifo``, which starts all jobs in an order fixed by their releases: with longer jobs in the same
order, the moments at which machines become free, sorted, are all as late or later, so no job starts earlier and
*padding* never pays. For other rules the order may change, and it may pay.

*Habits* are done to all jobs alike and need no foresight: every job in so many parts, so many jobs joined, every job so
much later or longer. The *search* then climbs from the best of them, by steps (:mod:`.presentation`) on single jobs,
jobs of one release, ranges and the whole queue as presented so far; from a step that pays a hundredth more it climbs
on, so pieces that pay are split further; what pays most of all that was tried is the answer. It climbs for each move by
itself and for their mixture, in turn. It knows what follows in the window, which nobody does beforehand: its result is
what could have been gained, at least; that it finds nothing proves nothing.

A search can be interrupted after every try and goes on where it was: :meth:`Search.more`. Gains are of the true work.

>>> from functools import partial
>>> from consortium.mechanisms.sharing import SharingInstance, simulate
>>> two = SharingInstance.of([1, 1], [[(0, 4)], [(1, 4)]])
>>> play = partial(simulate, rule="fifo", until=9)
>>> Search.of(two, 0, 9, play, "fifo", tries=30, seed=1).more(two, play).bests["split"]
Attempt(steps=(Step(move='split', first=0, last=1, amount=2),), gain=4, others=-4)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, TypeAlias

import numpy as np

from ...mechanisms.sharing.instance import SharingInstance
from ...mechanisms.sharing.outcome import SharingOutcome, throughput
from .presentation import MOVES, Presentation, Step

Play: TypeAlias = Callable[[SharingInstance], SharingOutcome]
"""The rule in force, to the end of the window; the same jobs always give the same schedule."""

MIXTURE: Final = "mixture"
HABITS: Final[tuple[tuple[str, int], ...]] = (
    *(("split", parts) for parts in (2, 4, 16, 64)),
    *(("merge", jobs) for jobs in (2, 4)),
    *((move, seconds) for move in ("delay", "pad") for seconds in (60, 600, 3600)),
)
"""What is done to all jobs alike."""
PARTS: Final = (2, 3, 4, 8)
PIECES_MAX: Final = 500_000
"""Jobs of one organization as presented, at most."""


CAPACITY: Final = "capacity"
RELEASES: Final = "releases"
FIXED_ORDER: Final = "fixed-order"
REASONS: Final = {
    CAPACITY: "all work is done as early as all machines together can do it",
    RELEASES: "every job starts at its release, and without splitting none is worth more",
    FIXED_ORDER: "fifo starts jobs in an order that lengths do not change, so longer jobs start none earlier",
}
"""Why nothing can be gained, in words."""


@dataclass(frozen=True)
class Attempt:
    """A way to present the jobs: ``gain`` of the organization, ``others`` that of everybody else together."""

    steps: tuple[Step, ...] = ()
    gain: int = 0
    others: int = 0


@dataclass
class Search:
    """A search for one organization, as far as it went."""

    organization: int
    until: int
    tries: int  # presentations to be tried
    jobs: int  # how many the organization has
    utility: int  # as the jobs are
    parts: int  # units of its work that are done then
    others: int  # utility of the others together
    at_most: Mapping[str, int]  # the most that each move and the mixture could gain
    proved: Mapping[str, str]  # of those that cannot pay: why
    rng: np.random.Generator
    habits: dict[tuple[str, int], Attempt] = field(default_factory=dict)  # tried so far, losses included
    bests: dict[str, Attempt] = field(default_factory=dict)  # of each move and the mixture: at least the truth, 0
    bases: dict[str, Attempt] = field(default_factory=dict)  # what is climbed from, a little behind the best
    tried: int = 0

    @classmethod
    def of(
        cls,
        instance: SharingInstance,
        organization: int,
        until: int,
        play: Play,
        rule: str | None,
        *,
        tries: int,
        seed: int,
    ) -> Search:
        """Before anything is tried; ``rule`` is the name of the rule in force, ``None`` for a custom rule."""
        outcome = play(instance)
        utilities = throughput(outcome)
        utility = utilities[organization]
        at_most = {
            move: most(instance, organization, until, splitting=move in ("split", MIXTURE)) - utility
            for move in (*MOVES, MIXTURE)
        }
        why = {move: without_gain(rule, None if move == MIXTURE else move, bound) for move, bound in at_most.items()}
        proved = {move: reason for move, reason in why.items() if reason is not None}
        at_most |= {move: 0 for move, reason in proved.items() if reason == FIXED_ORDER}
        return cls(
            organization,
            until,
            tries,
            len(Presentation.of(instance, organization)),
            utility,
            outcome.parts[organization],
            sum(utilities) - utility,
            MappingProxyType(at_most),
            MappingProxyType(proved),
            np.random.default_rng(seed),
            bests={move: Attempt() for move in at_most},
            bases={move: Attempt() for move in at_most},
        )

    def __getstate__(self) -> dict[str, object]:
        """Plain dicts, which travel to other processes."""
        return {**self.__dict__, "at_most": dict(self.at_most), "proved": dict(self.proved)}

    @property
    def done(self) -> bool:
        """Whether there is nothing more to try: all tries were made, or nothing but the habits, as nothing can pay."""
        return self.tried >= (min(self.tries, len(HABITS)) if MIXTURE in self.proved else self.tries)

    def more(self, instance: SharingInstance, play: Play, seconds: float | None = None) -> Search:
        """Try on, at least once, until all is tried or so long has passed; the result does not depend on breaks."""
        true = Presentation.of(instance, self.organization)
        ends = None if seconds is None else time.monotonic() + seconds
        while not self.done:
            if self.tried < len(HABITS):
                self._habit(true, instance, play)
            else:
                self._climb(true, instance, play)
            self.tried += 1
            if ends is not None and time.monotonic() >= ends:
                break
        return self

    def _habit(self, true: Presentation, instance: SharingInstance, play: Play) -> None:
        move, amount = HABITS[self.tried]
        step = Step(move, 0, len(true), amount)
        if _fits(true, step):
            attempt = self.habits[move, amount] = self._played(true, Attempt(), step, instance, play)
            self._keep(move, attempt)

    def _climb(self, true: Presentation, instance: SharingInstance, play: Play) -> None:
        """One step from the best of a move, or of the mixture; they take turns."""
        turns = [move for move in self.bests if move not in self.proved]
        kind = turns[self.tried % len(turns)]
        base = self.bases[kind]
        queue = after(true, base.steps)
        move = kind if kind != MIXTURE else str(self.rng.choice(MOVES))
        step = self._step(queue, move)
        if _fits(queue, step):
            self._keep(kind, self._played(queue, base, step, instance, play))

    def _keep(self, kind: str, attempt: Attempt) -> None:
        """Keep what pays most, and climb on from what pays a hundredth more, so that examples stay short.

        The mixture is never behind.
        """
        for each in (kind, MIXTURE):
            self.bests[each] = max(self.bests[each], attempt, key=lambda one: one.gain)
        if 100 * attempt.gain > 101 * self.bases[kind].gain:
            self.bases[kind] = attempt
            self.bases[MIXTURE] = max(self.bases[MIXTURE], attempt, key=lambda one: one.gain)

    def _played(
        self, queue: Presentation, before: Attempt, step: Step, instance: SharingInstance, play: Play
    ) -> Attempt:
        """The attempt with one more step; the attempt itself where that changes nothing."""
        changed = queue.after(step)
        if changed is queue:
            return before
        return replace(played(changed, self, instance, play), steps=(*before.steps, step))

    def _step(self, queue: Presentation, move: str) -> Step:
        """A random step: on all jobs, those of one release, a range or one (two, to merge)."""
        n, rng = len(queue), self.rng
        kind, job = int(rng.integers(4)), int(rng.integers(n))
        first, last = 0, n
        if kind == 1:
            moment = queue.release[job]
            first, last = (int(np.searchsorted(queue.release, moment, side=side)) for side in ("left", "right"))
        elif kind == 2:
            first, last = sorted((job, int(rng.integers(n))))
            last += 1
        elif kind == 3:
            first, last = job, job + 1
        if move == "merge":
            amount = int(rng.choice(PARTS))
            return Step(move, first, min(n, max(last, first + amount)), amount)
        if move == "split":
            return Step(move, first, last, int(rng.choice(PARTS)))
        return Step(move, first, last, max(1, int(max(1, self.until // 4) ** float(rng.random()))))


def _fits(queue: Presentation, step: Step) -> bool:
    """Whether there are not too many jobs after a step."""
    return step.move != "split" or int(queue.parts_of(step).sum()) <= PIECES_MAX


def after(true: Presentation, steps: tuple[Step, ...]) -> Presentation:
    """The queue after all steps."""
    for step in steps:
        true = true.after(step)
    return true


def played(queue: Presentation, honest: Search, instance: SharingInstance, play: Play) -> Attempt:
    """What an organization, and the others, gain when it presents a queue; without the steps to it."""
    u = honest.organization
    outcome = play(queue.presented(instance, u))
    utilities = throughput(outcome)
    gain = queue.worth_in(outcome, u) - honest.utility
    return Attempt((), gain, sum(utilities) - utilities[u] - honest.others)


def alone(search: Search, instance: SharingInstance, play: Play) -> int:
    """What the best mixture gains when nobody else has jobs: this much is no matter between organizations."""
    u = search.organization
    silent = instance
    for other in range(instance.n_organizations):
        if other != u:
            silent = Presentation.listing([], []).presented(silent, other)
    true = Presentation.of(silent, u)
    before = replace(search, utility=throughput(play(silent))[u], others=0)
    return played(after(true, search.bests[MIXTURE].steps), before, silent, play).gain


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
    """Why a move, or any mixture (``None``), cannot pay: one of :data:`REASONS`; ``None`` where it may.

    ``rule`` is ``None`` for a custom rule, ``gain_at_most`` the bound of :func:`most`, less the utility as is.
    """
    if gain_at_most <= 0:
        return CAPACITY if move in (None, "split") else RELEASES
    return FIXED_ORDER if (rule, move) == ("fifo", "pad") else None
