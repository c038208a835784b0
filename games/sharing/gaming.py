r"""The largest gain of an organization that presents its jobs otherwise: bounds, habits, then a local search.

*Bounds.* Two hold under every rule, because they hold in every schedule on the machines of the pool:

- *capacity*: its work, cut into units that are done as soon as all machines together can, nobody else being there.
  Such a schedule has done the most units at every moment, and psi_sp adds up, over the moments, what is done so far.
- *releases*: without splitting, unit number :math:`l` of a job is not done before :math:`r + l`, so no job is worth
  more than when it starts at its release. Merged, delayed and padded jobs are released no earlier and run no faster.

One more holds for ``fifo``, which starts all jobs in an order fixed by their releases: with longer jobs in the same
order, the moments at which machines become free, sorted, are all as late or later, so no job starts earlier and
*padding* never pays. For other rules the order may change, and it may pay. Nor does ``fifo`` ask for a name, but where
releases tie: a *second account* changes nothing where every job that shares a release with one of the organization's is
its own and as long. And a *walltime* changes nothing under rules that do not plan with it.

*Gain.* All jobs of the window are run to their end, nobody submitting more. The true work gains in two measures: psi_sp
at the end of the window, where work not done by then is lost, and when all jobs have ended, where the difference is how
much earlier it was done. From each is taken what the same presentation gains with the machines for itself (nobody else
having jobs): parts that run side by side on idle machines are not taken from anybody by gaming a rule. The smaller of
the two is the gain, *net*. So a gain is one in both measures, and all bounds hold for it.

*Habits* are done to all jobs alike and need no foresight: every job in so many parts, so many jobs joined, every job so
much later or longer. The *search* then climbs from the best of them, by steps (:mod:`.presentation`) on single jobs,
jobs of one release, ranges and the whole queue as presented so far; from a step that pays a hundredth more it climbs
on, so pieces that pay are split further; what pays most of all that was tried is the answer. It climbs for each move by
itself and for their mixture, in turn. It knows what follows in the window, which nobody does beforehand: its result is
what could have been gained, at least; that it finds nothing proves nothing. Jobs that wait since before a moment (the
window's opening, when they ran or waited) are presented as they are.

A search can be interrupted after every try and goes on where it was: :meth:`Search.more`. Gains are of the true work.

>>> from functools import partial
>>> from consortium.mechanisms.sharing import simulate
>>> two = SharingInstance.of([1, 1], [[(0, 4)] * 3, [(0, 4)] * 3])
>>> play = partial(simulate, rule="round-robin", until=20)
>>> search = Search.of(two, 0, 9, play, "round-robin", tries=30, seed=1).more(two, play)
>>> search.bests["account"].steps, search.bests["account"].net
((Step(move='account', first=0, last=1, amount=0),), 13)
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from ...mechanisms.sharing.instance import SharingInstance
from ...mechanisms.sharing.outcome import SharingOutcome, lateness, utilities_of
from ...support.errors import MechanismError, TooLargeError
from .presentation import ALL_MOVES, CUTTING, Presentation, Step, product

Play: TypeAlias = Callable[[SharingInstance], SharingOutcome]
"""The rule in force, until all jobs have ended; the same jobs always give the same schedule."""

MIXTURE: Final = "mixture"
HABITS: Final[tuple[tuple[str, int], ...]] = (
    *(("split", parts) for parts in (2, 4, 16, 64)),
    *(("merge", jobs) for jobs in (2, 4)),
    *((move, seconds) for move in ("delay", "pad") for seconds in (60, 600, 3600)),
    ("flood", 1000),
    *(("account", part) for part in (0, 50)),
    *(("walltime", percent) for percent in (10, 200, 1000)),
)
"""What is done to all jobs alike."""
PARTS: Final = (2, 3, 4, 8)
AMOUNTS: Final = MappingProxyType(
    {"merge": PARTS, "split": PARTS, "flood": (100, 1000), "account": (0, 25, 50, 75), "walltime": (10, 50, 200, 1000)}
)
"""What a step of the search chooses from; 1000 is the most jobs of an array that Slurm takes by default."""
PIECES_MAX: Final = 500_000
"""Jobs of one organization as presented, at most."""


CAPACITY: Final = "capacity"
RELEASES: Final = "releases"
FIXED_ORDER: Final = "fixed-order"
NO_TIES: Final = "no-ties"
NO_ESTIMATES: Final = "no-estimates"
REASONS: Final = {
    CAPACITY: "all work is done as early as all machines together can do it",
    RELEASES: "every job starts at its release, and without splitting none is worth more",
    FIXED_ORDER: "fifo starts jobs in an order that lengths do not change, so longer jobs start none earlier",
    NO_TIES: "fifo starts jobs by their releases under any name, and none shares its release with another job",
    NO_ESTIMATES: "the rule does not look at the time that jobs ask for",
}
"""Why nothing can be gained, in words."""


class Measured(NamedTuple):
    """What a schedule of all jobs to their end gives everybody."""

    psi: tuple[int, ...]  # at the end of the window
    late: tuple[int, ...]  # see :func:`lateness`
    parts: tuple[int, ...]  # machine time in the window
    work: tuple[int, ...]  # machine time in the end

    @classmethod
    def of(
        cls, queue: Presentation, instance: SharingInstance, u: int, until: int, play: Play, alone: bool
    ) -> Measured:
        """Of the schedule in which an organization presents a queue, both its names together."""
        outcome = queue.served(play(queue.presented(instance, u, alone)), u)
        start = np.where(outcome.start < until, outcome.start, -1)
        in_window = replace(outcome, start=start, until=until)
        columns = [utilities_of(outcome.instance, start, until), lateness(outcome), in_window.parts, outcome.parts]
        if queue.second.any():
            columns = [(*each[:u], each[u] + each[-1], *each[u + 1 : -1]) for each in columns]
        return cls(*columns)


@dataclass(frozen=True)
class Attempt:
    """A way to present the jobs, and what the organization and the others gain by it.

    Gains are in units of psi_sp: at the end of the window, and (``ended``) when all jobs have ended.
    """

    steps: tuple[Step, ...] = ()
    gain: int = 0
    ended: int = 0
    alone: int = 0  # what it would gain if nobody else had jobs
    alone_ended: int = 0
    received: int = 0  # machine time of its work in the window
    changes: tuple[int, ...] = ()  # gains of every other organization, 0 in its own place
    changes_ended: tuple[int, ...] = ()

    @property
    def in_window(self) -> int:
        """Gain at the end of the window, net of what it would gain alone."""
        return self.gain - max(0, self.alone)

    @property
    def in_the_end(self) -> int:
        """Gain when all jobs have ended, net of what it would gain alone."""
        return self.ended - max(0, self.alone_ended)

    @property
    def net(self) -> int:
        """The smaller of the two: what is said to be gained."""
        return min(self.in_window, self.in_the_end)


@dataclass
class Search:
    """A search for one organization, as far as it went."""

    organization: int
    until: int
    tries: int  # presentations to be tried
    jobs: int  # how many the organization has
    held: int  # how many of them, the first, are presented as they are
    honest: Measured  # as the jobs are
    silent: Measured  # and if nobody else had jobs
    at_most: Mapping[str, int]  # the most that each move and the mixture could gain
    proved: Mapping[str, str]  # of those that cannot pay: why
    rng: np.random.Generator
    habits: dict[tuple[str, int], Attempt] = field(default_factory=dict)  # tried so far, losses included
    bests: dict[str, Attempt] = field(default_factory=dict)  # of each move and the mixture: at least the truth, 0
    bases: dict[str, Attempt] = field(default_factory=dict)  # what is climbed from, a little behind the best
    idle: int = 0  # the most that anything would gain alone as well
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
        opened: int = 0,
    ) -> Search:
        """Before anything is tried; ``rule`` is the name of the rule in force, ``None`` for a custom rule.

        Jobs that wait since before ``opened`` are presented as they are.
        """
        true = Presentation.of(instance, organization)
        held = int(((true.release if true.since is None else true.since) < opened).sum())
        honest, silent = (Measured.of(true, instance, organization, until, play, alone) for alone in (False, True))
        bounds = {cutting: most(instance, organization, until, splitting=cutting) for cutting in (True, False)}
        moves = (*ALL_MOVES, MIXTURE)
        at_most = {move: bounds[move in (*CUTTING, MIXTURE)] - honest.psi[organization] for move in moves}
        why = {move: without_gain(rule, move, at_most[move], instance, organization, held) for move in moves}
        proved = {move: reason for move, reason in why.items() if reason is not None}
        at_most |= {move: 0 for move, reason in proved.items() if reason not in (CAPACITY, RELEASES)}
        return cls(
            organization,
            until,
            tries,
            len(true),
            held,
            honest,
            silent,
            at_most,
            proved,
            np.random.default_rng(seed),
            bests={move: Attempt() for move in at_most},
            bases={move: Attempt() for move in at_most},
        )

    @property
    def utility(self) -> int:
        """psi_sp at the end of the window as the jobs are."""
        return self.honest.psi[self.organization]

    @property
    def parts(self) -> int:
        """Machine time of its work in the window as the jobs are."""
        return self.honest.parts[self.organization]

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
        step = Step(move, self.held, len(true), amount)
        if move not in self.bests or not _fits(true, step):
            return
        try:
            attempt = self._played(true, Attempt(received=self.parts), step, instance, play, -math.inf)
        except (MechanismError, TooLargeError):
            if move != "account":
                raise
            for kept in (self.bests, self.bases):  # the rule takes no more organizations
                del kept[move]
        else:
            self.habits[move, amount] = attempt
            self._keep(move, attempt)

    def _climb(self, true: Presentation, instance: SharingInstance, play: Play) -> None:
        """One step from the best of a move, or of the mixture; they take turns."""
        turns = [move for move in self.bests if move not in self.proved]
        kind = turns[self.tried % len(turns)]
        base = self.bases[kind]
        queue = after(true, base.steps)
        moves = [move for move in self.bests if move != MIXTURE and self.proved.get(move) != NO_ESTIMATES]
        step = self._step(queue, kind if kind != MIXTURE else str(self.rng.choice(moves)))
        if _fits(queue, step):
            self._keep(kind, self._played(queue, base, step, instance, play, self.bests[kind].net))

    def _keep(self, kind: str, attempt: Attempt) -> None:
        """Keep what pays most, and climb on from what pays a hundredth more, so that examples stay short.

        The mixture is never behind.
        """
        self.idle = max(self.idle, min(attempt.gain, attempt.alone))
        for each in (kind, MIXTURE):
            self.bests[each] = max(self.bests[each], attempt, key=lambda one: one.net)
        if 100 * attempt.net > 101 * self.bases[kind].net:
            self.bases[kind] = attempt
            self.bases[MIXTURE] = max(self.bases[MIXTURE], attempt, key=lambda one: one.net)

    def _played(
        self, queue: Presentation, before: Attempt, step: Step, instance: SharingInstance, play: Play, least: float
    ) -> Attempt:
        """The attempt with one more step; itself where that changes nothing, or gains no more than this."""
        changed = queue.after(step)
        attempt = None if changed is queue else self.played(changed, instance, play, least)
        return before if attempt is None else replace(attempt, steps=(*before.steps, step))

    def played(
        self, queue: Presentation, instance: SharingInstance, play: Play, least: float = -math.inf
    ) -> Attempt | None:
        """What everybody gains when the organization presents a queue; ``None`` where it gains no more than this."""
        u, honest, silent = self.organization, self.honest, self.silent
        tried = Measured.of(queue, instance, u, self.until, play, alone=False)
        gain, ended = tried.psi[u] - honest.psi[u], honest.late[u] - tried.late[u]
        if min(gain, ended) <= least:  # nor net of what it gains alone
            return None
        alone = Measured.of(queue, instance, u, self.until, play, alone=True)
        others = range(instance.n_organizations)
        return Attempt(
            gain=gain,
            ended=ended,
            alone=alone.psi[u] - silent.psi[u],
            alone_ended=silent.late[u] - alone.late[u],
            received=tried.parts[u],
            changes=tuple(0 if v == u else tried.psi[v] - honest.psi[v] for v in others),
            changes_ended=tuple(0 if v == u else honest.late[v] - tried.late[v] for v in others),
        )

    def _step(self, queue: Presentation, move: str) -> Step:
        """A random step: on all jobs, those of one release, a range or one (two, to merge)."""
        n, low, rng = len(queue), self.held, self.rng
        kind, job = int(rng.integers(4)), int(rng.integers(low, n))
        first, last = low, n
        if kind == 1:
            moment = queue.release[job]
            first, last = (max(low, int(np.searchsorted(queue.release, moment, side))) for side in ("left", "right"))
        elif kind == 2:
            first, last = sorted((job, int(rng.integers(low, n))))
            last += 1
        elif kind == 3:
            first, last = job, job + 1
        if move not in AMOUNTS:
            return Step(move, first, last, max(1, int(max(1, self.until // 4) ** float(rng.random()))))
        amount = int(rng.choice(AMOUNTS[move]))
        return Step(move, first, min(n, max(last, first + amount)) if move == "merge" else last, amount)


def _fits(queue: Presentation, step: Step) -> bool:
    """Whether there are not too many jobs after a step."""
    return step.move not in CUTTING or int((queue.parts_of(step) * queue.width).sum()) <= PIECES_MAX


def after(true: Presentation, steps: tuple[Step, ...]) -> Presentation:
    """The queue after all steps."""
    for step in steps:
        true = true.after(step)
    return true


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
    release = np.repeat(queue.release, queue.width)
    return min(together, queue.worth(np.where(release < until, release, -1), until))


def _capacity(queue: Presentation, machines: int, until: int) -> int:
    """psi_sp of the work in units on all machines, as early as possible."""
    worth, backlog, now = 0, 0, 0
    work = product(queue.length, queue.width).tolist()
    for release, length in [*zip(queue.release.tolist(), work, strict=True), (until, 0)]:
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


def without_gain(
    rule: str | None, move: str, gain_at_most: int, instance: SharingInstance, organization: int, held: int = 0
) -> str | None:
    """Why a move, or any mixture, cannot pay: one of :data:`REASONS`; ``None`` where it may.

    ``rule`` is ``None`` for a custom rule, ``gain_at_most`` the bound of :func:`most`, less the utility as is.
    """
    if instance.estimate is None and move == "walltime":
        return NO_ESTIMATES
    if gain_at_most <= 0:
        return CAPACITY if move in (*CUTTING, MIXTURE) else RELEASES
    if rule != "fifo" or instance.estimate is not None:  # of whole jobs nothing more is known
        return None
    if move == "pad":
        return FIXED_ORDER
    return NO_TIES if move == "account" and _apart(instance, organization, held) else None


def _apart(instance: SharingInstance, organization: int, held: int) -> bool:
    """Whether all jobs that share a release with one of the organization's, but those held, are its own and as long."""
    own = slice(int(instance.first[organization]) + held, int(instance.first[organization + 1]))
    others = {*instance.release[: own.start].tolist(), *instance.release[own.stop :].tolist()}
    lengths: dict[int, int] = {}
    jobs = zip(instance.release[own].tolist(), instance.length[own].tolist(), strict=True)
    return all(release not in others and lengths.setdefault(release, length) == length for release, length in jobs)
