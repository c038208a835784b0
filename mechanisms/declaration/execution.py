"""The run: what happens on the machines when true lengths meet a plan made from declarations.

Model (Agmon 2003, 3.2 and 3.5.3, repaired). Machines never interact. On a machine of power ``c`` the jobs run one
after the other in the listed order; when job ``n`` begins at ``start`` it is planned to end at ``e = start + b/c``.
One of three events follows, and each triggers the tools that the mechanism has:

- it ends at ``e``: the agent told the truth. EARLY hands out the output at ``e``, not at the planned time;
- it ends before ``e``: she declared too much. CLOSE starts the next job at once (without it the machine idles until
  ``e``); her output is kept until the planned time;
- it is alive at ``e``: she declared too little. *run-on* and *renice* let it run on, alone on the machine at share
  ``s`` (1 for run-on), until done, and everybody behind it is late; *postpone* stops it and queues the rest behind
  all first segments; *kill* stops it for good.

Postponed remainders run in the order in which they were stopped, each not before its release, not before the end of
the machine as it was planned when the job was stopped, and not before the remainder ahead of it has gone. A cut-off
bounds the total work of a job; work equal to the bound completes, more is killed when the bound is reached.
*kill* (the harsh rule) gives no output after any lie, upward ones included. Without any control (*order-only*) jobs run
one after the other without gaps, and everybody has her output when her job really ends.

In the paper the tools are operators on work functions (definitions 3.11 to 3.18). The tests have those: a run equals
their composition, trigger by trigger. What the paper leaves open or misstates, as repaired here: triggers look at the
dynamic end ``e``, not at the static one; the release of a remainder counts from the static planned time; the queue is
first in, first out (release order would let a larger penalty help somebody); an output that was once late is not taken
back when the machine later catches up, unless EARLY does so.

>>> from fractions import Fraction as F
>>> jobs = [Job(0, F(1), F(2), F(1)), Job(1, F(1), F(1), F(2))]
>>> [(job.agent, str(job.output), job.controls) for job in run_machine(F(1), jobs, Tools("renice"), {0: F(1, 2)})]
[(0, '3', ['renice']), (1, '4', ['early'])]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, NamedTuple

from ...support.exact import INF, Extended
from .claims import Alive
from .protocol import Piece


@dataclass(frozen=True)
class Tools:
    """The job control tools that a mechanism has.

    ``alive`` is what happens to a job that is alive at its planned end; ``close`` and ``early`` say whether gaps are
    closed and whether the truthful get their output as soon as their job ends; ``hold`` whether the output of a job
    that ends too early is kept until its planned time. Without it nothing is controlled: everybody has her output when
    her job ends.

    >>> Tools("kill", close=False, early=False)
    Tools(alive='kill', close=False, early=False, hold=True)
    """

    alive: Alive
    close: bool = True
    early: bool = True
    hold: bool = True


TOOLS: Final[Mapping[str, Tools]] = {
    "bare": Tools("run-on", close=False, early=False),
    "run-on": Tools("run-on"),
    "renice": Tools("renice"),
    "postpone": Tools("postpone"),
    "kill": Tools("kill", close=False, early=False),
    "order-only": Tools("run-on", hold=False),
}
"""The tools of a run by name, see :data:`.catalogue.TOOLS`."""


class Job(NamedTuple):
    """A job on its machine: number of its agent, declared length, true length, planned output time."""

    agent: int
    declared: Fraction
    length: Fraction
    planned: Fraction


@dataclass
class JobRun:
    """What became of a job: output time (``math.inf`` if killed), work done, tools applied, both in order of time.

    The tools are among ``close``, ``renice``, ``postpone``, ``early``, ``run-on``, ``kill``, ``hold``.
    """

    agent: int
    output: Extended
    work: list[Piece] = field(default_factory=list)
    controls: list[str] = field(default_factory=list)
    killed: bool = False

    def add(self, start: Fraction, end: Fraction, share: Fraction) -> None:
        """Record work on ``[start, end)``; nothing for an empty interval, one piece for touching equal shares."""
        if end <= start:
            return
        if self.work and self.work[-1][1:] == (start, share):
            start = self.work.pop()[0]
        self.work.append((start, end, share))


class Remainder(NamedTuple):
    """Work put behind all first segments."""

    job: Job
    run: JobRun
    release: Fraction
    """Not before this: planned output time plus the penalty."""
    plan: Fraction
    """Nor before this: end of the machine as planned when the job was stopped."""


@dataclass
class Machine:
    """A machine during first segments: all that a job notices of those before it.

    Attributes
    ----------
    power, tools
        Work per unit of time, and what the mechanism can do.
    clock
        When the next job begins.
    declared
        Work declared by all jobs that had their turn.
    late
        A job that runs on pushes the plan back, and nobody behind it gets an output before the end then planned for
        her, even if the machine catches up later: the largest such push so far.
    queue
        Postponed remainders.
    """

    power: Fraction
    tools: Tools
    clock: Fraction = Fraction(0)
    declared: Fraction = Fraction(0)
    late: Fraction = Fraction(0)
    queue: list[Remainder] = field(default_factory=list)

    def begin(self, job: Job, run: JobRun, penalties: Mapping[int, Fraction], total: Fraction) -> None:
        """Run the first segment of the next job; ``total`` is what all jobs of the machine declared."""
        power, tools, clock = self.power, self.tools, self.clock
        self.declared += job.declared
        if not tools.hold:
            self.clock = run.output = clock + job.length / power
            run.add(clock, self.clock, Fraction(1))
            return
        run.output = max(run.output, self.declared / power + self.late)
        end = clock + job.declared / power
        run.add(clock, min(end, clock + job.length / power), Fraction(1))
        if job.length <= job.declared:
            self.clock = self._ended(job, run, end)
        elif tools.alive == "kill":
            _kill(run)
            self.clock = end
        elif tools.alive == "postpone":
            run.controls.append("postpone")
            self.queue.append(Remainder(job, run, penalties[job.agent], end + (total - self.declared) / power))
            self.clock = end
        else:
            self.clock = self._run_on(job, run, end, penalties)
            self.late = max(self.late, self.clock - self.declared / power)

    def _ended(self, job: Job, run: JobRun, end: Fraction) -> Fraction:
        """A job that is done by its planned end; returns when the next one begins."""
        if job.length == job.declared:
            if self.tools.early:
                run.output = end
                run.controls.append("early")
            return end
        if self.tools.alive == "kill":
            _kill(run)
            return end
        if not self.tools.close:
            return end
        run.controls.append("close")
        return self.clock + job.length / self.power

    def _run_on(self, job: Job, run: JobRun, end: Fraction, penalties: Mapping[int, Fraction]) -> Fraction:
        """RN: the job keeps the machine at share ``s`` until it is done; returns that time."""
        share = penalties[job.agent] if self.tools.alive == "renice" else Fraction(1)
        done = end + (job.length - job.declared) / (share * self.power)
        run.add(end, done, share)
        run.controls.append(self.tools.alive)
        run.output = max(run.output, done)
        return done


def run_machine(
    power: Fraction,
    jobs: Sequence[Job],
    tools: Tools,
    penalties: Mapping[int, Fraction],
    limits: Mapping[int, Extended] | None = None,
) -> list[JobRun]:
    """Run one machine to its end.

    Parameters
    ----------
    power
        Work per unit of time, > 0.
    jobs
        The jobs of this machine in the order in which they run.
    tools
        What the mechanism can do.
    penalties
        By agent: the share after a renice (0 < s <= 1), or the release time of a postponed remainder. Only
        consulted when the tool is used.
    limits
        By agent: the largest total work that postponed jobs may do; no limit when absent.

    Returns
    -------
    list of JobRun
        In the order of ``jobs``.
    """
    runs = [JobRun(job.agent, job.planned) for job in jobs]
    total = sum((job.declared for job in jobs), Fraction(0))
    machine = Machine(power, tools)
    for job, run in zip(jobs, runs, strict=True):
        machine.begin(job, run, penalties, total)
    free = machine.clock
    for remainder in machine.queue:  # first stopped, first served
        free = run_remainder(power, remainder, free, (limits or {}).get(remainder.job.agent, INF))
    return runs


def _kill(run: JobRun) -> None:
    run.output, run.killed = INF, True
    run.controls.append("kill")


def run_remainder(power: Fraction, remainder: Remainder, free: Fraction, limit: Extended) -> Fraction:
    """Postponed work on a machine that is free from then on; returns when it is free again."""
    job, run, release, plan = remainder
    start = max(release, plan, free)
    done = start + (Fraction(min(job.length, limit)) - job.declared) / power
    run.add(start, done, Fraction(1))
    if job.length <= limit:
        run.output = max(run.output, done)
    else:
        _kill(run)
    return done
